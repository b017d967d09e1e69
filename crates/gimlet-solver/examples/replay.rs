//! Solves logged queries, each with a chain that has never seen another.
//!
//! `replay FOLDER` prints a line for each `.query` file below the folder: name, fingerprint, verdict,
//! layer, nanoseconds of the processor from an empty chain to the answer, and the verdict of
//! simplification, slices and byte domains alone. A model that the evaluator finds false is the
//! verdict `wrong`.
//!
//! `replay --smtlib FILE` prints a query for other solvers.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use cpu_time::ProcessTime;
use gimlet_expr::Evaluator;
use gimlet_solver::log::{decode, LoggedQuery};
use gimlet_solver::{to_smtlib, Answer, Chain, Config, Layer, Model, Solver};

const DOMAINS_ALONE: [Layer; 3] = [Layer::Simplify, Layer::Slice, Layer::Domains];

fn main() -> ExitCode {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    let done = match args.as_slice() {
        [option, file] if option == "--smtlib" => print_smtlib(Path::new(file)),
        [folder] => replay(Path::new(folder)),
        _ => Err("usage: replay FOLDER | replay --smtlib FILE".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("replay: {message}");
            ExitCode::from(2)
        }
    }
}

fn print_smtlib(file: &Path) -> Result<(), String> {
    let logged = read(file)?;
    print!("{}", to_smtlib(&logged.dag, &logged.query));
    Ok(())
}

fn replay(folder: &Path) -> Result<(), String> {
    for file in queries(folder)? {
        let logged = read(&file)?;
        let start = ProcessTime::now();
        let (answer, layer) = solve(&logged, Config::default());
        let elapsed = start.elapsed();
        let (by_domains, _) = solve(&logged, Config::only(&DOMAINS_ALONE));
        let (verdict, by_domains) = (verdict(&logged, &answer), verdict(&logged, &by_domains));
        let name = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
        let (name, fingerprint) = (name.display(), logged.fingerprint());
        println!("{name}\t{fingerprint:032x}\t{verdict}\t{layer}\t{}\t{by_domains}", elapsed.as_nanos());
    }
    Ok(())
}

fn read(file: &Path) -> Result<LoggedQuery, String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    decode(&bytes).map_err(|error| format!("{}: {error}", file.display()))
}

/// The files below a folder, in order.
fn queries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(queries(&path)?);
        } else if path.extension() == Some(OsStr::new("query")) {
            files.push(path);
        }
    }
    Ok(files)
}

fn solve(logged: &LoggedQuery, config: Config) -> (Answer, &'static str) {
    let mut chain = Chain::new(config);
    let answer = chain.solve(&logged.dag, &logged.query, &logged.hint);
    let layer = chain.stats().layers().find(|(_, stats)| stats.n_sat + stats.n_unsat > 0);
    (answer, layer.map_or("none", |(layer, _)| layer.name()))
}

fn verdict(logged: &LoggedQuery, answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(model) if holds(logged, model) => "sat",
        Answer::Sat(_) => "wrong",
        Answer::Unsat => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

fn holds(logged: &LoggedQuery, model: &Model) -> bool {
    let mut evaluator = Evaluator::new(&model.overlay(&logged.hint));
    logged.query.constraints.iter().all(|&constraint| evaluator.holds(&logged.dag, constraint))
}
