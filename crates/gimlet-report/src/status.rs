//! How a search goes, as AFL++'s tools read it: `fuzzer_stats` for afl-whatsup, `plot_data` for afl-plot.
//!
//! What Gimlet does not have (cycles, favoured entries) is zero. Edges are directions of branches, pending is what waits.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::maker::Maker;
use crate::results::Results;

/// Between two reports.
const PAUSE: Duration = Duration::from_secs(5);

const PLOT_HEADER: &str =
    "# relative_time, cycles_done, cur_item, corpus_count, pending_total, pending_favs, map_size, \
    saved_crashes, saved_hangs, max_depth, execs_per_sec, total_execs, edges_found\n";

/// When things were last found, and what was reported last.
pub struct Status {
    /// Of results.
    folder: PathBuf,
    next: Instant,
    has_header: bool,
    tests: Latest,
    crashes: Latest,
    hangs: Latest,
    /// Time and runs at the last report.
    last: (Duration, u64),
    /// Runs when the last crash was found.
    n_runs_at_crash: u64,
}

/// A number, and when it last grew, in seconds since 1970.
#[derive(Clone, Copy, Default)]
struct Latest {
    count: usize,
    at: u64,
}

impl Latest {
    /// True if it grew.
    fn update(&mut self, count: usize, now: u64) -> bool {
        let has_grown = count > self.count;
        if has_grown {
            *self = Latest { count, at: now };
        }
        has_grown
    }
}

/// What is written.
pub struct Report {
    pub fuzzer_stats: String,
    pub plot_data: String,
}

impl Status {
    /// `has_plot` if the folder has a file to add to.
    pub fn new(folder: &Path, has_plot: bool) -> Status {
        Status {
            folder: folder.to_owned(),
            next: Instant::now(),
            has_header: has_plot,
            tests: Latest::default(),
            crashes: Latest::default(),
            hangs: Latest::default(),
            last: (Duration::ZERO, 0),
            n_runs_at_crash: 0,
        }
    }

    /// Whether it is time for a report. There is none before the first test: other tools divide by their number.
    pub fn is_due(&self, n_tests: usize) -> bool {
        n_tests > 0 && Instant::now() >= self.next
    }

    pub fn report(&mut self, results: &Results) -> Report {
        self.next = Instant::now() + PAUSE;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let n_hangs = results.findings.iter().filter(|finding| finding.kind.is_hang()).count();
        let n_runs = results.runs.executions;
        self.tests.update(results.n_tests() as usize, now);
        self.hangs.update(n_hangs, now);
        if self.crashes.update(results.findings.len() - n_hangs, now) {
            self.n_runs_at_crash = n_runs;
        }
        let elapsed = results.time.elapsed();
        let recent = (elapsed - self.last.0.min(elapsed)).as_secs_f64().max(0.001);
        let recent_speed = n_runs.saturating_sub(self.last.1) as f64 / recent;
        self.last = (elapsed, n_runs);
        Report {
            fuzzer_stats: self.fuzzer_stats(results, now, recent_speed),
            plot_data: self.plot_data(results, recent_speed),
        }
    }

    fn fuzzer_stats(&self, results: &Results, now: u64, recent_speed: f64) -> String {
        let run_time = results.time.elapsed().as_secs();
        let (n_tests, n_runs) = (results.n_tests(), results.runs.executions);
        let n_imported = results.corpus.tests.of(Maker::Sync);
        let (covered, total) = (results.coverage.n_covered, results.coverage.n_branches);
        let banner = banner(&results.about.program);
        let stability = results.stability.stability.unwrap_or(1.0);
        let values: [(&str, String); 42] = [
            ("start_time", (now - run_time.min(now)).to_string()),
            ("last_update", now.to_string()),
            ("run_time", run_time.to_string()),
            ("fuzzer_pid", std::process::id().to_string()),
            ("cycles_done", "0".into()),
            ("cycles_wo_finds", "0".into()),
            ("time_wo_finds", (now - self.tests.at.min(now)).to_string()),
            ("execs_done", n_runs.to_string()),
            ("execs_per_sec", format!("{:.2}", results.speed())),
            ("execs_ps_last_min", format!("{recent_speed:.2}")),
            ("corpus_count", n_tests.to_string()),
            ("corpus_favored", "0".into()),
            ("corpus_found", (n_tests - n_imported).to_string()),
            ("corpus_imported", n_imported.to_string()),
            ("corpus_variable", "0".into()),
            ("max_depth", "0".into()),
            ("cur_item", "0".into()),
            ("pending_favs", "0".into()),
            ("pending_total", results.corpus.n_waiting.to_string()),
            ("stability", format!("{:.2}%", stability * 100.0)),
            ("bitmap_cvg", format!("{:.2}%", percent(covered, total))),
            ("saved_crashes", self.crashes.count.to_string()),
            ("saved_hangs", self.hangs.count.to_string()),
            ("last_find", self.tests.at.to_string()),
            ("last_crash", self.crashes.at.to_string()),
            ("last_hang", self.hangs.at.to_string()),
            ("execs_since_crash", n_runs.saturating_sub(self.n_runs_at_crash).to_string()),
            ("exec_timeout", results.about.timeout_ms.to_string()),
            ("slowest_exec_ms", "0".into()),
            ("peak_rss_mb", peak_memory_mib().to_string()),
            ("cpu_affinity", "-1".into()),
            ("edges_found", covered.to_string()),
            ("total_edges", total.to_string()),
            ("var_byte_count", results.stability.unstable.len().to_string()),
            ("havoc_expansion", "0".into()),
            ("auto_dict_entries", "0".into()),
            ("testcache_size", "0".into()),
            ("testcache_count", "0".into()),
            ("testcache_evict", "0".into()),
            ("afl_banner", banner.clone()),
            ("afl_version", concat!("gimlet-", env!("CARGO_PKG_VERSION")).into()),
            ("target_mode", "gimlet".into()),
        ];
        let mut text = String::new();
        for (key, value) in values {
            let _ = writeln!(text, "{key:<17} : {value}");
        }
        let _ = writeln!(text, "{:<17} : gimlet run -o {} -- {banner}", "command_line", self.folder.display());
        text
    }

    fn plot_data(&mut self, results: &Results, recent_speed: f64) -> String {
        let header = if std::mem::replace(&mut self.has_header, true) { "" } else { PLOT_HEADER };
        let (covered, total) = (results.coverage.n_covered, results.coverage.n_branches);
        format!(
            "{header}{}, 0, 0, {}, {}, 0, {:.2}%, {}, {}, 0, {recent_speed:.2}, {}, {covered}\n",
            results.time.elapsed().as_secs(),
            results.n_tests(),
            results.corpus.n_waiting,
            percent(covered, total),
            self.crashes.count,
            self.hangs.count,
            results.runs.executions,
        )
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

/// The program's name. A shell reads it between quotation marks: signs that mean something to it are left out.
fn banner(program: &str) -> String {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.chars().map(|sign| if sign.is_ascii_alphanumeric() || "._+-".contains(sign) { sign } else { '_' }).collect()
}

/// The most memory that this process has had.
fn peak_memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kib.unwrap_or(0) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(seconds: f64, n_runs: u64) -> Results {
        let mut results = Results::default();
        results.about.program = "/bin/the calc".to_owned();
        results.time.seconds = seconds;
        results.runs.executions = n_runs;
        results.corpus.tests.add(Maker::Flip, 3);
        results.corpus.tests.add(Maker::Sync, 1);
        (results.coverage.n_covered, results.coverage.n_branches) = (3, 4);
        results
    }

    #[test]
    fn the_plot_has_a_header_once() {
        let mut status = Status::new(Path::new("out"), false);
        let first = status.report(&results(2.0, 100)).plot_data;
        assert!(first.starts_with("# relative_time") && first.lines().count() == 2, "{first}");
        let second = status.report(&results(4.0, 500)).plot_data;
        assert_eq!(second, "4, 0, 0, 4, 0, 0, 75.00%, 0, 0, 0, 200.00, 500, 3\n");
        assert!(!Status::new(Path::new("out"), true).report(&results(1.0, 1)).plot_data.contains('#'));
    }

    #[test]
    fn what_others_gave_was_imported() {
        let stats = Status::new(Path::new("out"), true).report(&results(2.0, 100)).fuzzer_stats;
        let value = |name: &str| {
            let line = stats.lines().find(|line| line.split(':').next().map(str::trim) == Some(name));
            line.and_then(|line| line.split_once(": ")).map(|(_, value)| value)
        };
        assert_eq!(
            (value("corpus_count"), value("corpus_imported"), value("corpus_found")),
            (Some("4"), Some("1"), Some("3"))
        );
        assert_eq!((value("execs_per_sec"), value("stability")), (Some("50.00"), Some("100.00%")));
        assert_eq!(
            (value("afl_banner"), value("command_line")),
            (Some("the_calc"), Some("gimlet run -o out -- the_calc"))
        );
    }
}
