//! One queue of jobs over all suites of tests.
//!
//! A suite has jobs that do not depend on each other: a script, a program, a program at a level.
//! All jobs of all suites stand in one queue, the suites in the order in which failures are cheapest,
//! and every core takes the next one, so that no core waits for the last job of a suite; there is one
//! job more at a time than there are cores, as many of them wait for clocks and disks. A job that
//! failed is told at once, and again at the end; suites after its own are then left out, as far as
//! their jobs have not begun. The end also tells which suites and which jobs took most time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{ensure, Result};

use crate::process::{lock, n_cores, parallel_by};

/// Tests of one kind.
pub trait Suite: Sync {
    fn name(&self) -> &str;

    /// What the jobs are called, in the order in which they begin.
    fn jobs(&self) -> Vec<String>;

    /// Runs a job. Gives what there is to say of it; an error is a failure.
    fn run(&self, job: usize) -> Result<String>;

    /// Lines over all jobs, once they have been run; an error is a failure.
    fn figures(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// How the jobs of a suite have come out.
#[derive(Default)]
struct Tally {
    n_waiting: usize,
    n_passed: usize,
    /// The lines that told of it.
    failures: Vec<String>,
    n_left_out: usize,
    seconds: f64,
    /// Seconds and name of each job that was run.
    jobs: Vec<(f64, String)>,
}

/// Jobs that are listed as the slowest ones.
const N_SLOWEST: usize = 10;

impl Tally {
    fn summary(&self, name: &str) -> String {
        let left_out = if self.n_left_out == 0 { String::new() } else { format!(", {} left out", self.n_left_out) };
        let (n_passed, n_failed) = (self.n_passed, self.failures.len());
        format!("== {name}: {n_passed} passed, {n_failed} failed{left_out}, {:.0} s of work", self.seconds)
    }
}

/// Runs the jobs of all suites; false if one failed.
pub fn run(suites: &[&dyn Suite]) -> Result<bool> {
    let jobs: Vec<Vec<String>> = suites.iter().map(|suite| suite.jobs()).collect();
    for (suite, jobs) in suites.iter().zip(&jobs) {
        ensure!(!jobs.is_empty(), "no test of {} has such a name", suite.name());
    }
    let tallies: Vec<Mutex<Tally>> =
        jobs.iter().map(|jobs| Mutex::new(Tally { n_waiting: jobs.len(), ..Tally::default() })).collect();
    let first_failed = AtomicUsize::new(usize::MAX);
    let queue: Vec<(usize, usize)> =
        jobs.iter().enumerate().flat_map(|(suite, jobs)| (0..jobs.len()).map(move |job| (suite, job))).collect();
    parallel_by(n_cores() + 1, &queue, |&(suite, job)| {
        let is_left_out = first_failed.load(Ordering::Relaxed) < suite;
        let start = Instant::now();
        let outcome = if is_left_out { Ok(String::new()) } else { suites[suite].run(job) };
        let seconds = start.elapsed().as_secs_f64();
        let mut tally = lock(&tallies[suite]);
        tally.n_waiting -= 1;
        if !is_left_out {
            tally.seconds += seconds;
            tally.jobs.push((seconds, jobs[suite][job].clone()));
        }
        let row = |word: &str, said: &str| {
            format!("{word:7} {:9} {:28} {seconds:6.1} s  {said}", suites[suite].name(), jobs[suite][job])
        };
        match outcome {
            _ if is_left_out => tally.n_left_out += 1,
            Ok(said) => {
                tally.n_passed += 1;
                println!("{}", row("ok", &said).trim_end());
            }
            Err(error) => {
                first_failed.fetch_min(suite, Ordering::Relaxed);
                let failure = format!("{}\n    {error:#}", row("FAILED", "").trim_end());
                println!("{failure}");
                tally.failures.push(failure);
            }
        }
        if tally.n_waiting == 0 && tally.n_left_out < jobs[suite].len() {
            conclude(suites[suite], &mut tally);
        }
    });
    let tallies: Vec<Tally> = tallies.into_iter().map(|tally| std::mem::take(&mut *lock(&tally))).collect();
    if queue.len() > N_SLOWEST {
        tell_slowest(suites, &tallies);
    }
    Ok(told(suites, &tallies))
}

/// Where the time went: suites, where there are several, and the slowest jobs.
fn tell_slowest(suites: &[&dyn Suite], tallies: &[Tally]) {
    println!("\nseconds of work");
    let names: Vec<&str> = suites.iter().map(|suite| suite.name()).collect();
    for (name, tally) in names.iter().zip(tallies) {
        println!("{:6.0}  {name}, {} jobs", tally.seconds, tally.jobs.len());
    }
    let rows = names.iter().zip(tallies);
    let mut jobs: Vec<(f64, &str, &str)> = rows
        .flat_map(|(name, tally)| tally.jobs.iter().map(move |(seconds, job)| (*seconds, *name, job.as_str())))
        .collect();
    jobs.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("the slowest");
    jobs.iter().take(N_SLOWEST).for_each(|(seconds, name, job)| println!("{seconds:6.1}  {name} {job}"));
}

/// All jobs of a suite have been run or left out.
fn conclude(suite: &dyn Suite, tally: &mut Tally) {
    match suite.figures() {
        Ok(lines) => lines.iter().for_each(|line| println!("{line}")),
        Err(error) => tally.failures.push(format!("FAILED  {}\n    {error:#}", suite.name())),
    }
    println!("{}", tally.summary(suite.name()));
}

/// Tells once more what failed, by suite; true if nothing did.
fn told(suites: &[&dyn Suite], tallies: &[Tally]) -> bool {
    let is_good = tallies.iter().all(|tally| tally.failures.is_empty());
    if !is_good {
        println!("\nfailures:");
        for (suite, tally) in suites.iter().zip(tallies) {
            tally.failures.iter().for_each(|failure| println!("{failure}"));
            println!("{}", tally.summary(suite.name()));
        }
    }
    is_good
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    struct Numbers {
        name: &'static str,
        bad: Option<usize>,
        n_run: AtomicUsize,
    }

    impl Numbers {
        fn new(name: &'static str, bad: Option<usize>) -> Numbers {
            Numbers { name, bad, n_run: AtomicUsize::new(0) }
        }
    }

    impl Suite for Numbers {
        fn name(&self) -> &str {
            self.name
        }

        fn jobs(&self) -> Vec<String> {
            (0..100).map(|number| number.to_string()).collect()
        }

        fn run(&self, job: usize) -> Result<String> {
            self.n_run.fetch_add(1, Ordering::Relaxed);
            if self.bad == Some(job) {
                bail!("{job} is bad");
            }
            Ok(String::new())
        }
    }

    #[test]
    fn all_jobs_are_run_if_all_are_good() {
        let (one, two) = (Numbers::new("one", None), Numbers::new("two", None));
        assert!(run(&[&one, &two]).unwrap());
        assert_eq!([one, two].map(|suite| suite.n_run.into_inner()), [100, 100]);
    }

    #[test]
    fn a_failure_is_one_of_its_suite() {
        let (one, two) = (Numbers::new("one", None), Numbers::new("two", Some(3)));
        assert!(!run(&[&one, &two]).unwrap());
        assert_eq!([one, two].map(|suite| suite.n_run.into_inner()), [100, 100]);
    }
}
