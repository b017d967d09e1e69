//! `cargo xtask bench jobs`: what a second worker adds.
//!
//! SimpleCalc and bc are searched for the same time by one worker and by two, in turns, because the mood of a machine
//! changes: runs of the program and different paths, and how many times as many there are with two. Each ratio is of
//! the sums over all rounds. On a machine that is busy with something else two workers cannot have two cores: how long
//! others had one is said as well.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::explore::Summary;
use crate::process::{capture, Finished};
use crate::simplecalc;
use crate::subjects::{self, Build};
use crate::workspace::{self, release, root};

const N_ROUNDS: usize = 3;
const BUDGET: &str = "20s";
const LIMIT: Duration = Duration::from_secs(120);
const JOBS: [usize; 2] = [1, 2];
const BC: &str = "bc";
/// Of the kernel's clock.
const TICKS_A_SECOND: f64 = 100.0;

/// What the workers of a search have done.
#[derive(Clone, Copy, Default)]
struct Done {
    n_runs: u64,
    n_paths: u64,
}

/// Measures both programs.
pub fn bench() -> Result<bool> {
    workspace::build_for_tests()?;
    let scratch = workspace::scratch("jobs")?;
    println!("{N_ROUNDS} x {BUDGET}            runs: one worker      two   ratio   paths: one worker     two   ratio   others");
    let calculator = simplecalc::build(&scratch)?;
    // The default is two things whose shares of the time change, so each is measured by itself as well.
    let strategies: [(&str, &[&str]); 3] = [
        ("simplecalc, dfs", &["--strategy", "dfs", "--len", "8"]),
        ("simplecalc, mut.", &["--strategy", "mutation"]),
        ("simplecalc", &[]),
    ];
    for (name, options) in strategies {
        measure(name, |out, jobs| {
            let mut gimlet = search(&out.join("tests"), &out.join("summary"), jobs);
            gimlet.args(options).arg("--").arg(&calculator);
            capture(&mut gimlet, b"", LIMIT, out)
        })?;
    }
    let home = workspace::target_dir().join("bench/jobs");
    let build = Build::reuse(BC, "gimlet-cc", &workspace::version()?, &home, "gimlet")?;
    let seed = root().join("bench/versus/bc.seed");
    measure("bc", |out, jobs| {
        let inside = Path::new(subjects::OUT);
        let mut gimlet = search(&inside.join("tests"), &inside.join("summary"), jobs);
        gimlet.arg("-i").arg(&seed).arg("--").arg(build.program()).arg("-q");
        build.run(&gimlet, &home, out, LIMIT)
    })?;
    Ok(true)
}

/// `gimlet run` up to what is particular about a program.
fn search(tests: &Path, summary: &Path, jobs: usize) -> Command {
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.args(["run", "--budget", BUDGET, "--jobs", &jobs.to_string(), "-o"]).arg(tests);
    gimlet.arg("--summary").arg(summary);
    gimlet
}

/// Prints a row. `search` leaves a summary in the folder that it is given.
fn measure(name: &str, search: impl Fn(&Path, usize) -> Result<Finished>) -> Result<()> {
    let mut done = [Done::default(); JOBS.len()];
    let mut load = 0.0;
    for _ in 0..N_ROUNDS {
        for (done, jobs) in done.iter_mut().zip(JOBS) {
            let out = workspace::scratch("jobs-out")?;
            let before = others();
            let finished = search(&out, jobs)?;
            load += (others() - before).max(0.0);
            let summary = Summary::read(&out.join("summary")).with_context(|| finished.complaint())?;
            done.n_runs += summary.n_executions;
            done.n_paths += summary.n_paths;
        }
    }
    let [one, two] = done;
    let ratio = |two: u64, one: u64| two as f64 / one.max(1) as f64;
    println!(
        "{name:16}  {:>22} {:>8}   {:5.2} {:>19} {:>7}   {:5.2}   {:4.0} s",
        one.n_runs,
        two.n_runs,
        ratio(two.n_runs, one.n_runs),
        one.n_paths,
        two.n_paths,
        ratio(two.n_paths, one.n_paths),
        load
    );
    Ok(())
}

/// Seconds that cores have worked so far for anybody but the searches.
fn others() -> f64 {
    let all = read("/proc/stat");
    let all = all.lines().next().unwrap_or_default();
    // The fourth and fifth figure count idle cores.
    let busy: f64 =
        ticks(all).iter().enumerate().filter(|(place, _)| ![3, 4].contains(place)).map(|(_, ticks)| ticks).sum();
    // What comes after the name; the thirteenth and fourteenth figure count processes of ours that have ended.
    let own = read("/proc/self/stat");
    let own = ticks(own.rsplit(')').next().unwrap_or_default());
    let ended: f64 = own.iter().skip(12).take(2).sum();
    (busy - ended) / TICKS_A_SECOND
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Figures of a line after its first word.
fn ticks(line: &str) -> Vec<f64> {
    line.split_whitespace().skip(1).filter_map(|number| number.parse().ok()).collect()
}
