//! `cargo xtask bench joint`: bugs behind a parser that need a certain text in a certain token of a certain sentence.
//!
//! The programs are in `bench/joint`. Each is searched by symbolic tokens with a grammar, by symbolic tokens without one, by
//! cese and by the default with the grammar, for the same time at most; the table says after how many seconds the bug was found.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::explore::Summary;
use crate::process::{self, capture};
use crate::workspace::{self, release, root};

const LANGUAGES: [Language; 3] = [
    Language { name: "policy", programs: &["p1", "p2", "p3", "p4"], scanner: Some("policy.l") },
    Language { name: "query", programs: &["q1", "q2", "q3"], scanner: None },
    Language { name: "script", programs: &["s1", "s2", "s3"], scanner: Some("script.l") },
];
/// The first has to find all of them.
const STRATEGIES: [&str; 4] = ["grammar", "tokens", "cese", "hybrid"];
const SECONDS: u64 = 30;
const LIMIT: Duration = Duration::from_secs(SECONDS + 60);
/// Of the scanner that is written by hand.
const TOKEN_FUNCTION: &str = "next_token";

struct Language {
    name: &'static str,
    programs: &'static [&'static str],
    /// None if it is written by hand: then there is a map of tokens.
    scanner: Option<&'static str>,
}

/// Prints the table; false if joint solving misses a bug.
pub fn bench() -> Result<bool> {
    workspace::build_for_tests()?;
    println!("seconds to the bug, {SECONDS} at most");
    println!("program      {}", STRATEGIES.map(|strategy| format!("{strategy:>9}")).join(" "));
    let mut n_missed = 0;
    for language in &LANGUAGES {
        let folder = workspace::scratch(&format!("joint-{}", language.name))?;
        build(language, &folder)?;
        for &program in language.programs {
            let mut row = Vec::new();
            for strategy in STRATEGIES {
                let found = search(language, &folder, program, strategy)?;
                n_missed += usize::from(strategy == STRATEGIES[0] && found.is_none());
                row.push(found.map_or("-".to_owned(), |seconds| format!("{seconds:.1}")));
            }
            let cells: Vec<String> = row.iter().map(|cell| format!("{cell:>9}")).collect();
            println!("{:12} {}", format!("{}/{program}", language.name), cells.join(" "));
        }
    }
    println!("missed by {}: {n_missed}", STRATEGIES[0]);
    Ok(n_missed == 0)
}

fn home(language: &Language) -> PathBuf {
    root().join("bench/joint").join(language.name)
}

fn build(language: &Language, folder: &Path) -> Result<()> {
    for source in workspace::files(&home(language))? {
        std::fs::copy(&source, folder.join(source.file_name().unwrap_or_default()))?;
    }
    let mut make = Command::new("make");
    make.arg("-s").arg(format!("CC={}", release("gimlet-cc").display())).current_dir(folder);
    process::run(&mut make)
}

/// Seconds until the bug was found.
fn search(language: &Language, folder: &Path, program: &str, strategy: &str) -> Result<Option<f64>> {
    let out = workspace::scratch("joint-out")?;
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.args(["run", "--strategy", strategy, "--budget", &format!("{SECONDS}s"), "--stop-after-found", "1"]);
    gimlet.arg("-o").arg(out.join("tests")).arg("--summary").arg(out.join("summary"));
    gimlet.arg("--grammar").arg(folder.join(format!("{}.y", language.name)));
    match language.scanner {
        Some(scanner) => gimlet.arg("--lexer").arg(folder.join(scanner)),
        None => gimlet.arg("--token-map").arg(folder.join(format!("{}.tokens", language.name))),
    };
    if language.scanner.is_none() && strategy != "cese" {
        gimlet.args(["--token-fn", TOKEN_FUNCTION]);
    }
    if strategy != "cese" {
        gimlet.arg("-i").arg(folder.join("seed.txt"));
    }
    gimlet.arg("--").arg(folder.join(program));
    let start = Instant::now();
    let finished = capture(&mut gimlet, b"", LIMIT, &out)?;
    let seconds = start.elapsed().as_secs_f64();
    let summary = Summary::read(&out.join("summary")).with_context(|| finished.complaint())?;
    Ok((!summary.findings.is_empty()).then_some(seconds))
}
