//! Solves logged queries, each with a chain that has never seen another.
//!
//! `replay FOLDER` prints a line for each `.query` file: name, verdict, layer, nanoseconds from an
//! empty chain to the answer, and the verdict of simplification, slices and byte domains alone.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use gimlet_solver::log::{decode, LoggedQuery};
use gimlet_solver::{Answer, Chain, Config, Layer, Solver};

const DOMAINS_ALONE: [Layer; 3] = [Layer::Simplify, Layer::Slice, Layer::Domains];

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("usage: replay FOLDER");
        return ExitCode::from(2);
    };
    match replay(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("replay: {message}");
            ExitCode::from(2)
        }
    }
}

fn replay(folder: &Path) -> Result<(), String> {
    for file in queries(folder)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let logged = decode(&bytes).map_err(|error| format!("{}: {error}", file.display()))?;
        let start = Instant::now();
        let (verdict, layer) = solve(&logged, Config::default());
        let elapsed = start.elapsed();
        let (by_domains, _) = solve(&logged, Config::only(&DOMAINS_ALONE));
        println!("{name}\t{verdict}\t{layer}\t{}\t{by_domains}", elapsed.as_nanos());
    }
    Ok(())
}

fn queries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension() == Some(OsStr::new("query")));
    files.sort_unstable();
    Ok(files)
}

fn solve(logged: &LoggedQuery, config: Config) -> (&'static str, &'static str) {
    let mut chain = Chain::new(config);
    let verdict = match chain.solve(&logged.dag, &logged.query, &logged.hint) {
        Answer::Sat(_) => "sat",
        Answer::Unsat => "unsat",
        Answer::Unknown(_) => "unknown",
    };
    let layer = chain.stats().layers().find(|(_, stats)| stats.n_sat + stats.n_unsat > 0);
    (verdict, layer.map_or("none", |(layer, _)| layer.name()))
}
