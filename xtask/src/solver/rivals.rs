//! The other solvers ([`crate::worker`]), by `bench/solver/check.py`.
//!
//! Queries come in the order of their fingerprints, which is as good as random: totals under way are an estimate of
//! those at the end.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};

use super::{home, Query};
use crate::process;
use crate::worker::{self, Checked, CRASH};
use crate::workspace::root;

/// The first so many see every query, at the same time.
pub const N_TOGETHER: usize = 2;
/// Name, and the package of the Python index. The others see every query only as long as they may be the fastest.
const RIVALS: [(&str, &str); 3] = [("z3", "z3-solver"), ("bitwuzla", "bitwuzla"), ("cvc5", "cvc5")];
/// Time of the processor for one query.
pub const LIMIT: Duration = Duration::from_secs(2);
/// More of these mean that something else is wrong.
const N_CRASHES_MAX: usize = 20;
/// So many queries, in an order that is as good as random, tell who is faster by a factor.
const N_SAMPLE: usize = 100;
const MUCH: u32 = 2;
/// Queries between two looks at that.
const N_BETWEEN_LOOKS: usize = 100;
const PROGRESS_EVERY: Duration = Duration::from_secs(30);

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
        let python = worker::python(&RIVALS.map(|(_, package)| package))?;
        RIVALS.iter().map(|(name, _)| Rival::open(name, &python)).collect()
    }

    fn open(name: &'static str, python: &Path) -> Result<Rival> {
        let version = process::output(Command::new(python).arg(script()).args([name, "--version"]));
        let version = version.with_context(|| format!("{name} is not installed"))?;
        let mut rival = Rival { name, version, python: python.to_owned(), results: HashMap::new() };
        let text = fs::read_to_string(rival.file()).unwrap_or_default();
        rival.results = worker::results(&text)?;
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
            let checked = worker::ask(&mut worker, || self.command(), &text.display().to_string(), LIMIT)?;
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

    fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(script()).arg(self.name).arg(LIMIT.as_secs().to_string());
        command
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
}

fn script() -> PathBuf {
    root().join("bench/solver/check.py")
}

fn write_smtlib(replay: &Path, query: &Path, text: &Path) -> Result<()> {
    process::run(Command::new(replay).arg("--smtlib").arg(query).stdout(File::create(text)?))
}
