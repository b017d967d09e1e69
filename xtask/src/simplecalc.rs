//! `cargo xtask bench simplecalc`: SimpleCalc of the CESE paper, exhausted depth first on one to four bytes.
//!
//! The figures beside ours are those of CUTE in the paper's Table 1: inputs that it generated, and its time. Its
//! SimpleCalc is not ours to the letter, so only the order of magnitude can be compared.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use gimlet_trace::finding::Kind;

use crate::explore::Summary;
use crate::process::{self, capture};
use crate::workspace::{self, release, root};

/// What CUTE needed.
struct Cute {
    n_bytes: usize,
    n_inputs: u64,
    time: &'static str,
}

const CUTE: &[Cute] = &[
    Cute { n_bytes: 1, n_inputs: 21, time: "0.5 s" },
    Cute { n_bytes: 2, n_inputs: 247, time: "2 s" },
    Cute { n_bytes: 3, n_inputs: 2_515, time: "20 s" },
    Cute { n_bytes: 4, n_inputs: 248_532, time: "30 min" },
];

/// The shortest input that divides by zero has this many bytes: `1/0`.
const BYTES_TO_DIVIDE: usize = 3;
/// The rules of the grammar that divide.
const DIVISIONS: &[&str] = &["$1 / $3", "$1 % $3"];
const BUDGET: &str = "300s";
const LIMIT: Duration = Duration::from_secs(400);

/// Prints the table; false if a row is not what it must be.
pub fn bench() -> Result<bool> {
    workspace::build_for_tests()?;
    let scratch = workspace::scratch("simplecalc")?;
    let program = build(&scratch)?;
    println!("bytes   paths   tests  exhausted  seconds    runs  queries  findings               CUTE: inputs    time");
    let mut complaints = Vec::new();
    for cute in CUTE {
        let summary = explore(&program, cute.n_bytes, &scratch)?;
        println!(
            "{:5} {:7} {:7}  {:>9} {:8.1} {:7} {:8}  {:22} {:12} {:>7}",
            cute.n_bytes,
            summary.n_paths,
            summary.n_tests,
            if summary.is_exhausted { "yes" } else { "no" },
            summary.seconds,
            summary.n_executions,
            summary.n_queries,
            findings(&summary),
            cute.n_inputs,
            cute.time
        );
        complaints.extend(check(&summary, cute.n_bytes)?);
    }
    complaints.iter().for_each(|complaint| println!("FAILED  {complaint}"));
    Ok(complaints.is_empty())
}

/// Builds it as anybody would, with make.
pub fn build(scratch: &Path) -> Result<PathBuf> {
    for source in workspace::files(&project())? {
        std::fs::copy(&source, scratch.join(source.file_name().unwrap_or_default()))?;
    }
    let mut make = Command::new("make");
    make.arg("-s").arg(format!("CC={}", release("gimlet-cc").display())).current_dir(scratch);
    process::run(&mut make)?;
    Ok(scratch.join("simplecalc"))
}

fn project() -> PathBuf {
    root().join("tests/projects/simplecalc")
}

fn explore(program: &Path, n_bytes: usize, scratch: &Path) -> Result<Summary> {
    let (out, summary) = (scratch.join(format!("out{n_bytes}")), scratch.join(format!("summary{n_bytes}.json")));
    let n_bytes = n_bytes.to_string();
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.args(["run", "--strategy", "dfs", "--len", &n_bytes, "--budget", BUDGET, "-o"]);
    gimlet.arg(&out).arg("--summary").arg(&summary).arg("--").arg(program);
    let finished = capture(&mut gimlet, b"", LIMIT, scratch)?;
    Summary::read(&summary).with_context(|| format!("gimlet run: {}", finished.complaint()))
}

fn findings(summary: &Summary) -> String {
    let places = summary.findings.iter().map(|finding| format!("{}:{}", finding.kind, finding.line));
    places.collect::<Vec<_>>().join(" ")
}

/// What is wrong with a row.
fn check(summary: &Summary, n_bytes: usize) -> Result<Vec<String>> {
    let grammar = std::fs::read_to_string(project().join("parse.y"))?;
    let mut complaints = Vec::new();
    if !summary.is_exhausted {
        complaints.push(format!("{n_bytes} bytes: not exhausted"));
    }
    for division in DIVISIONS {
        let line = (1..).zip(grammar.lines()).find(|(_, text)| text.contains(division)).map(|(line, _)| line);
        ensure!(line.is_some(), "the grammar has no {division}");
        let is_found = summary
            .findings
            .iter()
            .any(|finding| finding.kind == Kind::DivisionByZero && Some(finding.line) == line && finding.is_confirmed);
        if is_found != (n_bytes >= BYTES_TO_DIVIDE) {
            complaints
                .push(format!("{n_bytes} bytes: {division} by zero is{} found", if is_found { "" } else { " not" }));
        }
    }
    Ok(complaints)
}
