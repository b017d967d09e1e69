//! Queries of five programs, logged by short searches.
//!
//! Budgets are in runs of the program, so that every machine logs the same queries. Of what a search logs, even samples
//! are kept, one of those that byte domains alone don't answer and one of the others: the first are few and the better
//! test. A query of bc goes through the tables of its scanner many times and takes the rivals seconds, so there are fewer
//! of those.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};

use super::{home, solve, Query};
use crate::process::{capture, Finished};
use crate::workspace::{self, release, root};
use crate::{simplecalc, subjects};

/// What the bench must have.
const N_QUERIES_MIN: usize = 10_000;
const N_HARD_MIN: usize = 2_000;

/// A search whose queries are logged. Its inputs to begin with are in bench/solver/seeds.
struct Search {
    subject: &'static str,
    /// Of the program.
    args: &'static [&'static str],
    /// Runs of the program.
    n_steps: u32,
    /// Queries that are kept, and how many of them may be hard.
    n_kept: usize,
    n_hard: usize,
}

const SIMPLECALC: &str = "simplecalc";
const SEARCHES: [Search; 5] = [
    Search { subject: "bc", args: &["-q"], n_steps: 400, n_kept: 400, n_hard: 100 },
    Search { subject: "jq", args: &["."], n_steps: 5000, n_kept: 2200, n_hard: 500 },
    Search { subject: "lua5.4", args: &["@@"], n_steps: 2000, n_kept: 3500, n_hard: 1200 },
    Search { subject: "mujs", args: &["@@"], n_steps: 5000, n_kept: 3000, n_hard: 500 },
    Search { subject: SIMPLECALC, args: &[], n_steps: 2000, n_kept: 1200, n_hard: 200 },
];
const LIMIT: Duration = Duration::from_secs(3600);

/// The folder of queries; searches that were finished before are not done again unless that is asked for.
pub fn queries(again: bool, replay: &Path) -> Result<PathBuf> {
    let folder = home().join("queries");
    let is_missing = |search: &&Search| again || !folder.join(search.subject).exists();
    let missing: Vec<&Search> = SEARCHES.iter().filter(is_missing).collect();
    if !missing.is_empty() {
        workspace::build_for_tests()?;
    }
    for search in missing {
        println!("{}: logging queries", search.subject);
        let log = workspace::scratch("solver")?;
        let finished = search.run(&log)?;
        ensure!(finished.has_searched(), "gimlet run on {}: {}", search.subject, finished.complaint());
        let logged = solve(replay, &log.join("queries"))?;
        let n_kept = search.keep(&logged, &log.join("queries"), &folder.join(search.subject))?;
        println!("  {} logged, {n_kept} kept", logged.len());
        fs::remove_dir_all(&log)?;
    }
    Ok(folder)
}

impl Search {
    /// Leaves the queries in the folder `queries` below `log`.
    fn run(&self, log: &Path) -> Result<Finished> {
        let (n_steps, seeds) = (self.n_steps.to_string(), root().join("bench/solver/seeds").join(self.subject));
        let seeds = seeds.to_str().context("the path of the repository is not UTF-8")?;
        // Where mutants run too, they take most of the steps.
        let search = ["--strategy", "generational", "--steps", &n_steps, "--seed", "1", "-i", seeds];
        let budget = [&search[..], &["--log-format", "compact"]].concat();
        if self.subject != SIMPLECALC {
            let (tests, queries) = (format!("{}/tests", subjects::OUT), format!("{}/queries", subjects::OUT));
            let options = [&budget[..], &["-o", &tests, "--log-queries", &queries]].concat();
            return subjects::explore(self.subject, &options, self.args, log);
        }
        let scratch = log.join("build");
        fs::create_dir(&scratch)?;
        let program = simplecalc::build(&scratch)?;
        let mut gimlet = Command::new(release("gimlet"));
        gimlet.arg("run").args(&budget).arg("-o").arg(log.join("tests"));
        gimlet.arg("--log-queries").arg(log.join("queries")).arg("--").arg(program);
        capture(&mut gimlet, b"", LIMIT, &scratch)
    }

    /// Moves even samples of the hard queries and of the others; how many.
    fn keep(&self, logged: &[Query], from: &Path, to: &Path) -> Result<usize> {
        let (hard, others): (Vec<&Query>, Vec<&Query>) = logged.iter().partition(|query| !query.is_by_domains);
        let mut kept = sample(&hard, self.n_hard);
        kept.extend(sample(&others, self.n_kept - kept.len()));
        // The folder appears under its name when it is whole.
        let draft = to.with_extension("new");
        for folder in [&draft, to] {
            if folder.exists() {
                fs::remove_dir_all(folder)?;
            }
        }
        fs::create_dir_all(&draft)?;
        for query in &kept {
            let path = from.join(&query.name).with_extension("query");
            fs::rename(&path, draft.join(path.file_name().unwrap_or_default()))?;
        }
        fs::rename(&draft, to)?;
        Ok(kept.len())
    }
}

/// Some of a list, at even distances.
fn sample<'a>(queries: &[&'a Query], n_wanted: usize) -> Vec<&'a Query> {
    let n_taken = n_wanted.min(queries.len());
    (0..n_taken).map(|index| queries[index * queries.len() / n_taken]).collect()
}

/// Whether there are as many queries as the bench must have; says so if not.
pub fn are_enough(queries: &[Query]) -> bool {
    let n_hard = queries.iter().filter(|query| !query.is_by_domains).count();
    let is_enough = queries.len() >= N_QUERIES_MIN && n_hard >= N_HARD_MIN;
    if !is_enough {
        println!(
            "FAILED  {} queries, {n_hard} of them hard; there must be {N_QUERIES_MIN} and {N_HARD_MIN}",
            queries.len()
        );
    }
    is_enough
}
