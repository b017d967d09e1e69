//! Developer tasks. `cargo xtask` alone lists them.
#![forbid(unsafe_code)]

mod bench;
mod chains;
#[cfg(test)]
mod cli;
mod compile;
mod constraints;
mod coverage;
mod csmith;
mod demo;
mod driver;
mod edges;
mod explore;
mod gimlet;
mod grammars;
mod hampi;
mod install;
mod jobs;
mod joint;
mod kills;
mod lengths;
mod models;
mod process;
mod programs;
mod queue;
mod same;
mod setup;
mod simplecalc;
mod solver;
mod subjects;
mod symbolic;
mod test;
mod tidy;
mod tokens;
mod unit;
mod variadic;
mod versus;
mod worker;
mod workspace;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};

/// Developer tasks
#[derive(Parser, Debug)]
#[command(name = "xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Build, then find a bug and the input that shows it
    Demo,
    /// Set up, build, tidy, then unit tests and the tests that run programs
    Test {
        /// No csmith, -O0 and -O2 only
        #[arg(long)]
        quick: bool,
        /// What is slow, too
        #[arg(long, conflicts_with = "quick")]
        all: bool,
    },
    /// Only the unit tests, or those of the crates whose names contain one of these
    Unit { names: Vec<String> },
    /// Only the program tests whose names contain one of these
    Programs { names: Vec<String> },
    /// Only the tests of the commands, or those of these names
    Driver { names: Vec<String> },
    /// Only the comparison of branch coverage with clang's
    Coverage { names: Vec<String> },
    /// Only the tests of library models: these functions, or the programs of these names
    Models(models::Options),
    /// Only the search for the bugs in tests/explore
    Explore(explore::Options),
    /// The same for the pairs in tests/memory and tests/lengths: what is wrong with memory is found in one half, and nothing
    /// in the other
    Memory(explore::Options),
    /// Format, lints, crate dependencies, dead files
    Tidy,
    /// Measure, or compare with other tools: `cargo xtask bench` lists what
    #[command(subcommand, arg_required_else_help = true)]
    Bench(Bench),
    /// Put everything under a folder
    Install {
        /// The folder [default: ~/.local]
        #[arg(long, value_name = "DIR")]
        prefix: Option<PathBuf>,
    },
    /// Install the packages that the tests need
    Setup {
        /// Only those of a build
        #[arg(long)]
        build: bool,
    },
}

#[derive(Subcommand, Debug)]
enum Bench {
    /// Processor time of gimlet-cc beside clang's, on real sources and by size of function
    Compile(compile::Options),
    /// Random programs: same behaviour as clang's build
    Csmith(csmith::Arguments),
    /// Executions a second of tiny programs beside AFL++'s fork server, or of one program
    Edges {
        /// The input, the PROG.edges, and its arguments
        #[arg(value_names = ["SEED", "PROG.edges"], num_args = 2.., trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Grammars and scanners of real projects: read as bison and flex read them, and texts of their sentences taken back by both
    Grammars(grammars::Options),
    /// Queries of five programs, or logged ones: the chain against Z3, cvc5 and Bitwuzla
    Solver(solver::Options),
    /// Real programs: build, pass their tests, are traced
    Subjects(subjects::Options),
    /// Branch coverage over time beside AFL++, by gcov on the plain source, one core each; what only one of the two covered
    VersusAfl(versus::Options),
    /// The same for what a grammar is worth: cese, enumeration, random, the default without and with it, AFL++
    Cese(versus::cese::Options),
    /// Token constraints on ten grammars: answers against trying all sentences, proofs, and how long they take
    Constraints {
        /// So many constraints
        #[arg(default_value_t = constraints::N_CONSTRAINTS)]
        number: u64,
    },
    /// Long chains of conditions: how soon a search gets through each
    Chains {
        /// Those of bench/chains; all, if none is named
        programs: Vec<String>,
        /// For each search
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Searches in each program
        #[arg(long, default_value_t = 1)]
        seeds: u64,
    },
    /// String constraints beside Z3 and cvc5
    Hampi(hampi::Options),
    /// Runs and paths of a search by two workers, beside one
    Jobs,
    /// A search is killed again and again, and loses nothing
    Kills {
        /// So many times
        #[arg(default_value_t = kills::N_DEFAULT)]
        number: usize,
    },
    /// Bugs in what is done with text, with stretches and byte by byte
    Lengths(lengths::Options),
    /// Bugs that need a text in a token of a sentence, by strategy
    Joint,
    /// Symbolic tokens and grammars: five strategies and the default on four programs, by module
    Tokens(tokens::Options),
    /// 30 programs by all strategies: the same tests as the last change of what a search does, byte for byte
    Same(same::Options),
    /// One to four bytes of a calculator's input, exhausted
    Simplecalc,
    /// Cost of instrumentation and tracing, as ratios
    Trace,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the task succeeded; an error is one of the task's own.
fn run(arguments: Arguments) -> Result<bool> {
    let Some(task) = arguments.task else {
        Arguments::command().print_long_help()?;
        return Ok(true);
    };
    match task {
        Task::Demo => demo::demo(),
        Task::Test { quick: true, .. } => test::test(test::Extent::Quick),
        Task::Test { all: true, .. } => test::test(test::Extent::All),
        Task::Test { .. } => test::test(test::Extent::Short),
        Task::Unit { names } => tested(|| unit::Tests::build(&texts(&names))),
        Task::Programs { names } => tested(|| programs::Programs::new(programs::Levels::All, &texts(&names))),
        Task::Driver { names } => tested(|| driver::Scripts::new(&texts(&names))),
        Task::Coverage { names } => tested(|| coverage::Compared::new(&texts(&names))),
        Task::Models(options) => tested(|| models::Models::new(options)),
        Task::Explore(options) => tested(|| options.searches(explore::Folders::Explore)),
        Task::Memory(options) => tested(|| options.searches(explore::Folders::Memory)),
        Task::Tidy => {
            setup::for_build()?;
            tidy::tidy(tidy::Lints::Here)
        }
        Task::Bench(what) => bench(what),
        Task::Install { prefix } => install::install(prefix.as_deref()),
        Task::Setup { build: true } => setup::for_build().map(|()| true),
        Task::Setup { build: false } => setup::for_tests().map(|()| true),
    }
}

/// Runs a suite on a fresh build.
fn tested<S: queue::Suite>(suite: impl FnOnce() -> Result<S>) -> Result<bool> {
    workspace::build_for_tests()?;
    queue::run(&[&suite()?])
}

fn bench(what: Bench) -> Result<bool> {
    match what {
        Bench::Compile(options) => compile::bench(&options),
        Bench::Csmith(arguments) => {
            workspace::build_for_tests()?;
            csmith::bench(&arguments.into())
        }
        Bench::Edges { command } => edges::bench(&command),
        Bench::Grammars(options) => grammars::bench(&options),
        Bench::Solver(options) => solver::bench(&options),
        Bench::Subjects(options) => subjects::bench(&options),
        Bench::VersusAfl(options) => versus::bench(&options),
        Bench::Cese(options) => versus::cese::bench(&options),
        Bench::Constraints { number } => constraints::bench(number),
        Bench::Hampi(options) => hampi::bench(&options),
        Bench::Jobs => jobs::bench(),
        Bench::Chains { programs, seconds, seeds } => chains::bench(&programs, seconds, seeds),
        Bench::Kills { number } => kills::bench(number),
        Bench::Lengths(options) => lengths::bench(&options),
        Bench::Joint => joint::bench(),
        Bench::Tokens(options) => tokens::bench(&options),
        Bench::Same(options) => same::bench(&options),
        Bench::Simplecalc => simplecalc::bench(),
        Bench::Trace => self::bench::trace(),
    }
}

fn texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What a task's own options are for these words.
    pub fn options<T: clap::Args>(words: &[&str]) -> Result<T, clap::Error> {
        let command = T::augment_args(clap::Command::new("task").no_binary_name(true));
        T::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn tasks_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn words_are_tasks() {
        let task = |line: &str| Arguments::try_parse_from(line.split(' ')).map(|arguments| arguments.task);
        assert!(matches!(task("xtask"), Ok(None)));
        assert!(matches!(task("xtask test --quick"), Ok(Some(Task::Test { quick: true, all: false }))));
        assert!(matches!(task("xtask driver replay words"), Ok(Some(Task::Driver { names })) if names.len() == 2));
        let edges = task("xtask bench edges seed a.edges -x --y");
        assert!(matches!(edges, Ok(Some(Task::Bench(Bench::Edges { command }))) if command.len() == 4));
        assert!(matches!(task("xtask bench kills 7"), Ok(Some(Task::Bench(Bench::Kills { number: 7 })))));
        for bad in
            ["xtask bench", "xtask frob", "xtask bench edges seed", "xtask bench kills many", "xtask test --slow"]
        {
            assert!(task(bad).is_err(), "{bad}");
        }
    }
}
