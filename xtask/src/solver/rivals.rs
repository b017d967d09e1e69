//! The other solvers, in processes of their own.
//!
//! A worker (`bench/solver/check.py`) checks one query after another; one that crashes or exceeds the limit ends, and
//! the next query has a new one. What is found is appended to a file for each solver, version and limit at once, so a
//! bench that was interrupted goes on where it was.
//!
//! Queries come in the order of their fingerprints, which is as good as random: totals under way are an estimate of
//! those at the end.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};

use super::{duration, fields, home, Checked, Query};
use crate::process;
use crate::workspace::{root, target_dir};

/// The first so many see every query, at the same time.
pub const N_TOGETHER: usize = 2;
/// Name, and the package of the Python index. The others see every query only as long as they may be the fastest.
const RIVALS: [(&str, &str); 3] = [("z3", "z3-solver"), ("bitwuzla", "bitwuzla"), ("cvc5", "cvc5")];
/// Time of the processor for one query.
pub const LIMIT: Duration = Duration::from_secs(2);
/// The verdict on a query that takes longer. It counts with the limit.
pub const TIMEOUT: &str = "timeout";
/// The verdict on a query at which the solver crashed. It counts with no time.
const CRASH: &str = "crash";
/// More of these mean that something else is wrong.
const N_CRASHES_MAX: usize = 20;
/// So many queries, in an order that is as good as random, tell who is faster by a factor.
const N_SAMPLE: usize = 100;
const MUCH: u32 = 2;
/// Queries between two looks at that.
const N_BETWEEN_LOOKS: usize = 100;
const PROGRESS_EVERY: Duration = Duration::from_secs(30);
const SIGPROF: i32 = 27;

/// A solver and what it found.
pub struct Rival {
    pub name: &'static str,
    pub version: String,
    python: PathBuf,
    /// By fingerprint.
    results: HashMap<String, Checked>,
}

impl Rival {
    /// All of them, from a virtual environment, with what they found before.
    pub fn install() -> Result<Vec<Rival>> {
        let environment = target_dir().join("solvers");
        let python = environment.join("bin/python");
        if !python.exists() {
            process::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))
                .context("no virtual environment; hint: apt-get install python3-venv")?;
        }
        let packages = RIVALS.map(|(_, package)| package);
        process::run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
        RIVALS.iter().map(|(name, _)| Rival::open(name, &python)).collect()
    }

    fn open(name: &'static str, python: &Path) -> Result<Rival> {
        let version = process::output(Command::new(python).arg(script()).args([name, "--version"]));
        let version = version.with_context(|| format!("{name} is not installed"))?;
        let mut rival = Rival { name, version, python: python.to_owned(), results: HashMap::new() };
        let text = fs::read_to_string(rival.file()).unwrap_or_default();
        rival.results = results(&text)?;
        let n_whole = text.rfind('\n').map_or(0, |end| end + 1);
        if n_whole < text.len() {
            fs::write(rival.file(), &text[..n_whole])?;
        }
        Ok(rival)
    }

    fn file(&self) -> PathBuf {
        home().join("results").join(format!("{}-{}-{}s.tsv", self.name, self.version, LIMIT.as_secs()))
    }

    pub fn result(&self, query: &Query) -> Option<&Checked> {
        self.results.get(&query.fingerprint)
    }

    /// Time for these queries as far as they were checked.
    pub fn total<'a>(&self, queries: impl Iterator<Item = &'a Query>) -> Duration {
        queries.filter_map(|query| self.result(query)).map(|checked| checked.time).sum()
    }

    pub fn has_seen_all<'a>(&self, mut queries: impl Iterator<Item = &'a Query>) -> bool {
        queries.all(|query| self.result(query).is_some())
    }

    /// Checks the queries that have no result, until one of the `finished` is faster beyond doubt.
    pub fn check(&mut self, queries: &[Query], folder: &Path, replay: &Path, finished: &[Rival]) -> Result<()> {
        fs::create_dir_all(home().join("results"))?;
        let mut file = File::options().create(true).append(true).open(self.file())?;
        let mut order: Vec<&Query> = queries.iter().collect();
        order.sort_by_key(|query| &query.fingerprint);
        let text = home().join(format!("{}.smt2", self.name));
        let mut worker = None;
        let (mut n_crashes, mut n_checked) = (0, 0);
        let mut last_progress = Instant::now();
        for (index, query) in order.iter().enumerate() {
            if self.result(query).is_some() {
                continue;
            }
            if last_progress.elapsed() > PROGRESS_EVERY || index + 1 == order.len() {
                last_progress = Instant::now();
                self.print_progress(&order[..index], order.len());
            }
            if n_checked % N_BETWEEN_LOOKS == 0 && self.is_beaten(queries, finished) {
                println!("{}: slower than another already", self.name);
                break;
            }
            write_smtlib(replay, &folder.join(&query.name).with_extension("query"), &text)?;
            n_checked += 1;
            let checked = self.check_one(&mut worker, &text)?;
            n_crashes += usize::from(checked.verdict == CRASH);
            ensure!(n_crashes <= N_CRASHES_MAX, "{} crashes again and again; see {}", self.name, script().display());
            writeln!(file, "{}\t{}\t{}", query.fingerprint, checked.verdict, checked.time.as_nanos())?;
            self.results.insert(query.fingerprint.clone(), checked);
        }
        let _ = fs::remove_file(&text);
        Ok(())
    }

    /// Whether another one is faster beyond doubt, for all queries and for the hard ones alone: it has seen them all, in
    /// less time than this one took so far; or on those that both have seen, and they are many, it took much less.
    fn is_beaten(&self, queries: &[Query], finished: &[Rival]) -> bool {
        let is_slower = |other: &Rival, hard_only: bool| {
            let counted = || queries.iter().filter(|query| !hard_only || !query.is_by_domains);
            let seen = || counted().filter(|query| self.result(query).is_some());
            let exceeds = self.total(counted()) > other.total(counted());
            let is_much_slower = seen().count() >= N_SAMPLE && self.total(seen()) > MUCH * other.total(seen());
            other.has_seen_all(counted()) && (exceeds || is_much_slower)
        };
        let is_slower_than_one = |hard_only| finished.iter().any(|other| is_slower(other, hard_only));
        is_slower_than_one(false) && is_slower_than_one(true)
    }

    fn print_progress(&self, done: &[&Query], n_all: usize) {
        let ours: Duration = done.iter().map(|query| query.time).sum();
        let theirs = self.total(done.iter().copied());
        println!(
            "{}: {} of {n_all} queries, {:.1} s; the chain {:.3} s",
            self.name,
            done.len(),
            theirs.as_secs_f64(),
            ours.as_secs_f64()
        );
    }

    fn check_one(&self, worker: &mut Option<Worker>, text: &Path) -> Result<Checked> {
        let mut running = match worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.python, self.name)?,
        };
        match running.check(text) {
            Ok(checked) => {
                *worker = Some(running);
                Ok(Checked { time: checked.time.min(LIMIT), ..checked })
            }
            Err(_) => running.end(),
        }
    }
}

/// What the file of a solver says, by fingerprint. A line that was cut off has no end.
fn results(text: &str) -> Result<HashMap<String, Checked>> {
    let mut results = HashMap::new();
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
        let [fingerprint, verdict, time] = fields(line)?;
        let checked = Checked { verdict: verdict.to_owned(), time: duration(time)? };
        results.insert(fingerprint.to_owned(), checked);
    }
    Ok(results)
}

fn script() -> PathBuf {
    root().join("bench/solver/check.py")
}

fn write_smtlib(replay: &Path, query: &Path, text: &Path) -> Result<()> {
    process::run(Command::new(replay).arg("--smtlib").arg(query).stdout(File::create(text)?))
}

/// A process that checks queries.
struct Worker {
    process: Child,
    stdout: BufReader<ChildStdout>,
    has_read: bool,
}

impl Worker {
    fn start(python: &Path, rival: &str) -> Result<Worker> {
        let mut command = Command::new(python);
        command.arg(script()).arg(rival).arg(LIMIT.as_secs().to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = BufReader::new(process.stdout.take().context("no output of the worker")?);
        Ok(Worker { process, stdout, has_read: false })
    }

    /// An error if the process has ended.
    fn check(&mut self, text: &Path) -> Result<Checked> {
        self.has_read = false;
        let stdin = self.process.stdin.as_mut().context("no input of the worker")?;
        writeln!(stdin, "{}", text.display())?;
        self.has_read = self.line()? == "read";
        let line = self.line()?;
        let [verdict, time] = fields(&line)?;
        Ok(Checked { verdict: verdict.to_owned(), time: duration(time)? })
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    /// What it means that it has ended.
    fn end(mut self) -> Result<Checked> {
        drop(self.process.stdin.take());
        let is_late = self.process.wait()?.signal() == Some(SIGPROF) && self.has_read;
        let (verdict, time) = if is_late { (TIMEOUT, LIMIT) } else { (CRASH, Duration::ZERO) };
        Ok(Checked { verdict: verdict.to_owned(), time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_no_result() {
        let found = results("a1\tsat\t1500\nb2\ttimeout\t2000000000\nc3\tuns").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found["a1"], Checked { verdict: "sat".to_owned(), time: Duration::from_nanos(1500) });
        assert_eq!(found["b2"].time, LIMIT);
        assert!(results("a1\tsat\n").is_err());
    }
}
