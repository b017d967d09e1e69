//! Developer tasks. `cargo xtask` alone lists them.
#![forbid(unsafe_code)]

mod bench;
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
mod variadic;
mod versus;
mod worker;
mod workspace;

use std::process::ExitCode;

use anyhow::{bail, Context, Result};

const HELP: &str = "\
Usage: cargo xtask TASK

  demo                       build, then find a bug and the input that shows it
  test [--quick | --all]     set up, build, tidy, unit tests, then the tests that run programs,
                             in twelve minutes on two cores
                             (--quick: no csmith, -O0 and -O2 only; --all: what is slow, too)
  programs [NAME..]          only the program tests whose names contain one of these
  driver [NAME..]            only the tests of the commands, or those of these names
  coverage [NAME..]          only the comparison of branch coverage with clang's
  models [--checks N] [NAME..]
                             only the tests of library models: these functions, or
                             the programs of these names
  explore [--strategy S] [--all] [NAME..]
                             only the search for the bugs in tests/explore: those of these
                             names, all, or those that take no more than seconds
  memory [--strategy S] [--all] [NAME..]
                             the same for the pairs in tests/memory and tests/lengths: what is wrong with
                             memory is found in one half, and nothing in the other
  tidy                       format, lints, crate dependencies, dead files
  bench csmith [--full] [--programs N] [--symbolic | --memory | --variadic]
                             random programs: same behaviour as clang's build
                             (--symbolic: exact and complete traces instead; --memory: no
                             alarm of the memory build; --variadic: all of it for programs
                             of variadic functions)
  bench edges [SEED PROG.edges [ARG..]]
                             executions a second of tiny programs beside AFL++'s fork
                             server, or of this program
  bench grammars [--sentences N] [--strings N] [NAME..]
                             grammars and scanners of real projects: read as bison and flex
                             read them, and texts of their sentences taken back by both
  bench solver [--again] [DIR]
                             queries of five programs, or those logged in DIR: the chain
                             against Z3, cvc5 and Bitwuzla (--again: log them anew)
  bench subjects [--again] [--oracle] [NAME..]
                             real programs: build, pass their tests, are traced
                             (--oracle: exact and complete traces instead)
  bench versus-afl [--minutes N] [--short] [--again] [NAME..]
                             branch coverage over time beside AFL++, by gcov on the plain source:
                             bc, jq, original-awk and mujs, 10 minutes each (--short: 3),
                             one core each; what only one of the two covered
  bench cese [--minutes N] [--again] [NAME..]
                             the same for what a grammar is worth: bc and cuetools, 5 minutes each,
                             cese, enumeration, random, the default without and with it, AFL++
  bench constraints [N]      token constraints on ten grammars, 100,000 or N: answers against trying all
                             sentences, proofs, and how long they take
  bench hampi [--instances N] [--seconds S]
                             1,000 or N string constraints beside Z3 and cvc5, 1 or S seconds each
  bench jobs                 runs and paths of a search by two workers, beside one
  bench kills [N]            a search is killed 200 or N times, and loses nothing
  bench lengths [--seconds N] [--strategy S] [--scale N] [NAME..]
                             bugs in what is done with text, with stretches and byte by byte; buffers of
                             tests/memory are 32 or N times larger
  bench joint                bugs that need a text in a token of a sentence, by strategy
  bench tokens [--minutes N] [--full] [--again] [NAME..]
                             symbolic tokens and grammars: five strategies and the default on mujs, bc,
                             cuetools and lua5.4, 4 minutes each (--full: 20), by module
  bench same [--write] [NAME..]
                             30 programs by all strategies: the same tests as the last change of what a
                             search does, byte for byte (--write: this is such a change)
  bench simplecalc           one to four bytes of a calculator's input, exhausted
  bench trace                cost of instrumentation and tracing, as ratios
  install [--prefix DIR]     put everything under DIR (default: ~/.local)
  setup [--build]            install the packages that the tests need (--build: only those of a build)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the task succeeded; an error is one of the task's own.
fn run(args: &[String]) -> Result<bool> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["demo"] => demo::demo(),
        ["test"] => test::test(test::Extent::Short),
        ["test", "--quick"] => test::test(test::Extent::Quick),
        ["test", "--all"] => test::test(test::Extent::All),
        ["programs", names @ ..] => {
            workspace::build_for_tests()?;
            queue::run(&[&programs::Programs::new(programs::Levels::All, names)?])
        }
        ["driver", names @ ..] => {
            workspace::build_for_tests()?;
            queue::run(&[&driver::Scripts::new(names)?])
        }
        ["coverage", names @ ..] => {
            workspace::build_for_tests()?;
            queue::run(&[&coverage::Compared::new(names)?])
        }
        ["models", options @ ..] => {
            let options = models_options(options)?;
            workspace::build_for_tests()?;
            queue::run(&[&models::Models::new(options)?])
        }
        [folders @ ("explore" | "memory"), args @ ..] => {
            let (strategy, names) = match args {
                ["--strategy", strategy, names @ ..] => (Some(*strategy), names),
                names => (None, names),
            };
            let choice = match names {
                [] => explore::Choice::Quick,
                ["--all"] => explore::Choice::All,
                names => explore::Choice::Named(names.to_vec()),
            };
            workspace::build_for_tests()?;
            let folders = if *folders == "memory" { explore::Folders::Memory } else { explore::Folders::Explore };
            queue::run(&[&explore::Searches::new(folders, &choice, strategy)?])
        }
        ["tidy"] => {
            setup::for_build()?;
            tidy::tidy()
        }
        ["bench", "csmith", options @ ..] => {
            let options = csmith_options(options)?;
            workspace::build_for_tests()?;
            csmith::bench(&options)
        }
        ["bench", "edges", args @ ..] => edges::bench(args),
        ["bench", "lengths", args @ ..] => lengths::bench(&lengths::Options::parse(args)?),
        ["bench", "grammars", args @ ..] => grammars::bench(&grammars::Options::parse(args)?),
        ["bench", "subjects", args @ ..] => subjects::bench(&subjects::Options::parse(args)?),
        ["bench", "solver", args @ ..] => solver::bench(&solver::Options::parse(args)?),
        ["bench", "cese", args @ ..] => versus::cese::bench(&versus::cese::Options::parse(args)?),
        ["bench", "versus-afl", args @ ..] => versus::bench(&versus::Options::parse(args)?),
        ["bench", "trace"] => bench::trace(),
        ["bench", "joint"] => joint::bench(),
        ["bench", "tokens", args @ ..] => tokens::bench(&tokens::Options::parse(args)?),
        ["bench", "same", args @ ..] => same::bench(&same::Options::parse(args)?),
        ["bench", "simplecalc"] => simplecalc::bench(),
        ["bench", "constraints"] => constraints::bench(None),
        ["bench", "constraints", count] => constraints::bench(Some(count)),
        ["bench", "hampi", args @ ..] => hampi::bench(&hampi::Options::parse(args)?),
        ["bench", "jobs"] => jobs::bench(),
        ["bench", "kills"] => kills::bench(kills::N_DEFAULT),
        ["bench", "kills", count] => kills::bench(count.parse().with_context(|| format!("bench kills {count}"))?),
        ["install"] => install::install(None),
        ["install", "--prefix", dir] => install::install(Some(dir)),
        ["setup"] => setup::for_tests().map(|()| true),
        ["setup", "--build"] => setup::for_build().map(|()| true),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        _ => bail!("don't know what `{}` means\n\n{HELP}", args.join(" ")),
    }
}

fn models_options(args: &[&str]) -> Result<models::Options> {
    let mut options = models::Options { n_checks: models::CHECKS_FULL, names: Vec::new() };
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        match arg {
            "--checks" => {
                let count = args.next().context("--checks needs a number")?;
                options.n_checks = count.parse().with_context(|| format!("--checks {count}"))?;
            }
            _ if arg.starts_with('-') => bail!("models has no option {arg}"),
            _ => options.names.push(arg.to_owned()),
        }
    }
    Ok(options)
}

fn csmith_options(args: &[&str]) -> Result<csmith::Options> {
    let mut options = csmith::Options::default();
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        match arg {
            "--full" => options.n_programs = Some(csmith::PROGRAMS_FULL),
            "--symbolic" => options.part = csmith::Part::Symbolic,
            "--memory" => options.part = csmith::Part::Memory,
            "--variadic" => options.part = csmith::Part::Variadic,
            "--programs" => {
                let count = args.next().context("--programs needs a number")?;
                options.n_programs = Some(count.parse().with_context(|| format!("--programs {count}"))?);
            }
            _ => bail!("bench csmith has no option {arg}"),
        }
    }
    Ok(options)
}
