//! What the user can say to `solve`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::{count, time_limit, TimeLimit};

#[derive(Args)]
pub struct SolveArgs {
    /// Constraints in the language of HAMPI; - is standard input. The answers for several files have their names
    #[arg(value_name = "FILE.hmp", required = true)]
    files: Vec<PathBuf>,
    /// Up to so many values instead of one, each on a line of its own, the shortest first
    #[arg(long, value_name = "N", value_parser = count::<u64>("values", 1))]
    all: Option<u64>,
    /// Write a proof of the answer to a file, as JSON; where several grammars have a say there is none that there is no value
    #[arg(long, value_name = "OUT.json", conflicts_with = "all")]
    certificate: Option<PathBuf>,
    /// Check a proof that --certificate wrote, instead of solving anything
    #[arg(long, value_name = "PROOF.json", conflicts_with_all = ["all", "certificate"])]
    check: Option<PathBuf>,
    /// Give up after this time: 500ms, 2s, 1m; a number alone counts seconds
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    timeout: Option<TimeLimit>,
    /// Say how it was solved, on standard error
    #[arg(long)]
    stats: bool,
    /// Print JSON, with values as numbers of bytes
    #[arg(long)]
    json: bool,
}

pub enum Task {
    Solve { n_wanted: Option<u64>, certificate: Option<PathBuf> },
    Check(PathBuf),
}

pub struct SolvePlan {
    pub files: Vec<PathBuf>,
    pub task: Task,
    pub timeout: Option<Duration>,
    pub has_stats: bool,
    pub is_json: bool,
}

pub fn solve_plan(args: SolveArgs) -> SolvePlan {
    let task = match args.check {
        Some(proof) => Task::Check(proof),
        None => Task::Solve { n_wanted: args.all, certificate: args.certificate },
    };
    let timeout = args.timeout.map(TimeLimit::time);
    SolvePlan { files: args.files, task, timeout, has_stats: args.stats, is_json: args.json }
}
