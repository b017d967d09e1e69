//! `cargo xtask bench constraints`: token constraints on ten grammars, against trying all sentences, and against the clock.
//!
//! Three grammars are those of real projects, the others are in `bench/constraints`. The work is done by an example of
//! gimlet-readers.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;
use crate::subjects;
use crate::workspace::{self, root};

/// Of all grammars together.
pub const N_CONSTRAINTS: u64 = 100_000;
/// Package and file.
const PROJECTS: [(&str, &str); 3] = [("bc", "bc/bc.y"), ("cuetools", "src/lib/cue_parse.y"), ("jq", "src/parser.y")];
/// How many of the projects are measured as well.
const N_MEASURED: usize = 2;

/// Compares and prints; an error if an answer is wrong.
pub fn bench(n_constraints: u64) -> Result<bool> {
    let mut files: Vec<PathBuf> = Vec::new();
    for (package, file) in PROJECTS {
        files.push(subjects::package(package)?.tree.join(file));
    }
    let measured = files[..N_MEASURED].to_vec();
    files.extend(workspace::files(&root().join("bench/constraints")).context("bench/constraints")?);
    files.push(root().join("tests/projects/simplecalc/parse.y"));
    let example = ["build", "--release", "--quiet", "--package", "gimlet-readers", "--example", "constraint_oracle"];
    process::run(&mut workspace::cargo(&example))?;
    let oracle = workspace::release("examples/constraint_oracle");
    process::run(Command::new(&oracle).arg("--times").args(&measured))?;
    process::run(Command::new(&oracle).arg(n_constraints.to_string()).args(&files))?;
    Ok(true)
}
