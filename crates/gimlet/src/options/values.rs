//! Numbers and times, with messages that say what is expected.

use std::time::Duration;

pub use gimlet_explore::spec::duration;
use gimlet_explore::team::share::Share;
use gimlet_trace::stretch::STRETCH_MAX;

use super::Repetition;
use crate::exit::note;

/// A time limit without a unit from which on somebody may have meant milliseconds.
const LONG: Duration = Duration::from_secs(100);

/// A parser of numbers of something, of which there have to be so many at least.
pub fn count<T: TryFrom<u64>>(what: &'static str, least: u64) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let value = text.parse::<u64>().ok().filter(|_| is_number);
        match value.map(|value| (value >= least, T::try_from(value))) {
            Some((true, Ok(value))) => Ok(value),
            Some((true, Err(_))) => Err(format!("too large a number of {what}")),
            None if is_number => Err(format!("too large a number of {what}")),
            _ => Err(format!("a number of {what}, {least} or more")),
        }
    }
}

/// A parser of any number, for what is left to chance.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a number, 0 or more".to_owned())
}

/// How long a run may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLimit {
    time: Duration,
    has_unit: bool,
}

/// The same as [`duration`], but more than nothing.
pub fn time_limit(text: &str) -> Result<TimeLimit, String> {
    let time = duration(text)?;
    if time.is_zero() || time.as_secs() >= 1_000_000_000 {
        return Err("a time of more than 0: 500ms, 2s, 1m".to_owned());
    }
    Ok(TimeLimit { time, has_unit: !text.ends_with(|sign: char| sign.is_ascii_digit() || sign == '.') })
}

impl TimeLimit {
    pub fn ms(self) -> u64 {
        self.time.as_micros().div_ceil(1000) as u64
    }

    pub fn time(self) -> Duration {
        self.time
    }

    /// Says what a number without a unit means, where it is more than anybody is likely to want.
    pub fn explain(self) {
        if !self.has_unit && self.time >= LONG {
            let n = self.time.as_secs();
            note(&format!("--timeout {n} is {n} seconds; {n} milliseconds are --timeout {n}ms"));
        }
    }
}

/// `AT:LEN`
pub fn repetition(text: &str) -> Result<Repetition, String> {
    let parts = text.split_once(':').and_then(|(at, len)| Some((at.parse().ok()?, len.parse().ok()?)));
    match parts {
        Some((at, len)) if (1..=STRETCH_MAX).contains(&len) => Ok(Repetition { at, len }),
        _ => Err(format!("expected two numbers, AT:LEN, and LEN between 1 and {STRETCH_MAX}")),
    }
}

/// `K/N`
pub fn share(text: &str) -> Result<Share, String> {
    let numbers = text.split_once('/').and_then(|(number, all)| Some((number.parse().ok()?, all.parse().ok()?)));
    let share = numbers.map(|(number, n_workers)| Share { number, n_workers });
    share.filter(|share| share.number < share.n_workers).ok_or_else(|| "not a part of a whole".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_what_is_expected() {
        let bytes = count::<u16>("bytes", 1);
        assert_eq!(bytes("8"), Ok(8));
        for text in ["-3", "0", "", "x", "1.5", "+1"] {
            assert_eq!(bytes(text), Err("a number of bytes, 1 or more".to_owned()), "{text}");
        }
        for text in ["65536", "99999999999999999999"] {
            assert_eq!(bytes(text), Err("too large a number of bytes".to_owned()), "{text}");
        }
        assert_eq!(count::<u64>("bytes", 0)("0"), Ok(0));
    }

    #[test]
    fn times_have_units() {
        for (text, ms) in [("500ms", 500), ("2s", 2000), ("1m", 60_000), ("2", 2000), ("0.3", 300), ("0.0001", 1)] {
            assert_eq!(time_limit(text).unwrap().ms(), ms, "{text}");
        }
        assert!(["0", "0ms", "-1", "x", "5x", "1e99", "99999999999"].iter().all(|text| time_limit(text).is_err()));
    }
}
