//! Numbers and times as people read them.

use std::time::Duration;

/// `1234567` is `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes: `16 MiB`, `3 KiB`, `1,000 bytes`.
pub fn size(n_bytes: u64) -> String {
    match n_bytes {
        n if n >= 1 << 20 && n % (1 << 20) == 0 => format!("{} MiB", grouped(n >> 20)),
        n if n >= 1 << 10 && n % (1 << 10) == 0 => format!("{} KiB", grouped(n >> 10)),
        n => format!("{} bytes", grouped(n)),
    }
}

/// What a clock shows: `1:23`, `2:03:04`, `3 d 0:01:02`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes, seconds) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds:02}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{days} d {hours}:{minutes:02}:{seconds:02}"),
    }
}

/// How long something lasted, in one unit: `12 ms`, `3.4 s`, `56 s`, `7 min`, `8 h`, `9 d`.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 if time.is_zero() => "0 s".to_owned(),
        0 => format!("{} ms", time.as_millis().max(1)),
        1..=9 => format!("{:.1} s", time.as_secs_f64()),
        10..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
    }
}

/// When something happened, for an eye that looks often.
pub fn ago(time: Duration) -> String {
    match time.as_secs() {
        0 => "just now".to_owned(),
        seconds @ 1..=9 => format!("{seconds} s ago"),
        _ => format!("{} ago", span(time)),
    }
}

/// A share of a whole.
pub fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        part * 100.0 / whole
    } else {
        0.0
    }
}

/// Text that others wrote, without signs that would make a terminal do something.
pub fn printable(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { '?' } else { sign }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups() {
        let shown: Vec<String> = [0, 999, 1000, 1_234_567, u64::MAX].into_iter().map(grouped).collect();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn times_have_units() {
        let shown = |seconds: f64| {
            let time = Duration::from_secs_f64(seconds);
            (clock(time), span(time))
        };
        assert_eq!(shown(0.0), ("0:00".into(), "0 s".into()));
        assert_eq!(shown(0.0123), ("0:00".into(), "12 ms".into()));
        assert_eq!(shown(83.4), ("1:23".into(), "83 s".into()));
        assert_eq!(shown(7384.0), ("2:03:04".into(), "2 h".into()));
        assert_eq!(shown(259_262.0), ("3 d 0:01:02".into(), "3 d".into()));
    }

    #[test]
    fn what_was_is_ago() {
        let shown = [200, 1999, 83_000, 600_000].map(|ms| ago(Duration::from_millis(ms)));
        assert_eq!(shown, ["just now", "1 s ago", "83 s ago", "10 min ago"]);
    }

    #[test]
    fn others_cannot_write_escapes() {
        assert_eq!(printable("a\x1b[2Jb\n\u{9b}c\u{e9}"), "a?[2Jb??c\u{e9}");
    }
}
