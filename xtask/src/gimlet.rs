//! The `gimlet` command and its JSON, as far as the tests look at it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, Context, Result};
use serde_json::Value;

use crate::process::{capture, End, Finished};
use crate::workspace::release;

/// A program to run, and how.
#[derive(Clone, Debug)]
pub struct Subject {
    pub program: PathBuf,
    /// Options of gimlet for its input.
    pub options: Vec<OsString>,
    pub args: Vec<OsString>,
    /// Directory for captured output.
    pub scratch: PathBuf,
}

/// A path condition.
#[derive(Clone, Debug)]
pub struct Trace {
    pub steps: Vec<Step>,
    pub n_expressions: u64,
    /// What was lost, stale or not modelled.
    pub losses: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// What `gimlet flip --at` calls it.
    pub number: u64,
    /// Kind, place, direction and condition: what must not depend on the -O level.
    pub text: String,
    pub is_flippable: bool,
}

/// What `gimlet audit` found.
#[derive(Clone, Debug)]
pub struct Audit {
    json: Value,
}

/// What `gimlet flip` did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flip {
    /// The new input went where it was to go.
    Reached,
    /// There is no such input, or the solver gave up.
    Unsolved,
    Elsewhere(String),
}

impl Subject {
    fn run(&self, command: &str, options: &[&str], limit: Duration) -> Result<Finished> {
        let mut gimlet = Command::new(release("gimlet"));
        gimlet.arg(command).args(options).arg("--quiet-target").args(&self.options);
        gimlet.arg("--").arg(&self.program).args(&self.args);
        capture(&mut gimlet, b"", limit, &self.scratch)
    }

    fn json(&self, command: &str, options: &[&str], limit: Duration) -> Result<(End, Value)> {
        let finished = self.run(command, options, limit)?;
        match serde_json::from_slice(&finished.stdout) {
            Ok(json) => Ok((finished.end, json)),
            Err(_) => bail!("gimlet {command} printed no JSON: {}", finished.complaint()),
        }
    }
}

/// The trace of one run; it must be whole.
pub fn trace(subject: &Subject, limit: Duration) -> Result<Trace> {
    let (_, json) = subject.json("trace", &["--json"], limit)?;
    if let Some(problem) = json["problems"].as_array().and_then(|problems| problems.first()) {
        bail!("{}", problem["message"]);
    }
    let steps = json["steps"].as_array().context("gimlet trace --json has no steps")?;
    Ok(Trace {
        steps: steps.iter().map(step).collect(),
        n_expressions: json["counts"]["expressions"].as_u64().context("no count of expressions")?,
        losses: losses(&json),
    })
}

fn step(json: &Value) -> Step {
    let text = |key: &str| json[key].as_str().unwrap_or("-").to_owned();
    let place = format!("{}:{}:{}", text("file"), json["line"], json["column"]);
    Step {
        number: json["number"].as_u64().unwrap_or(0),
        text: format!("{} {place} {} {}", text("kind"), text("direction"), text("condition")),
        is_flippable: json["flippable"].as_bool().unwrap_or(false),
    }
}

/// What a trace lacks: `kind: reason at place`, for everything but pins.
fn losses(trace: &Value) -> Vec<String> {
    let tallies = trace["tallies"].as_array().into_iter().flatten().filter(|tally| tally["kind"] != "pinned");
    let text = |tally: &Value| {
        let word = |key: &str| tally[key].as_str().unwrap_or("?").to_owned();
        format!("{}: {} at {}:{}:{}", word("kind"), word("reason"), word("file"), tally["line"], tally["column"])
    };
    tallies.map(text).collect()
}

/// Checks that the trace of a program is exact and complete.
pub fn audit(subject: &Subject, n_changes: u32, limit: Duration) -> Result<Audit> {
    let (_, json) = subject.json("audit", &["--json", "--changes", &n_changes.to_string()], limit)?;
    Ok(Audit { json })
}

impl Audit {
    /// What is wrong, if anything is.
    pub fn complaint(&self) -> Option<String> {
        let (exact, complete) = (&self.json["exact"], &self.json["complete"]);
        if let Some(problem) = self.json["problems"].as_array().and_then(|problems| problems.first()) {
            return Some(format!("{}", problem["message"]));
        }
        if exact["mismatches"] != 0 {
            return Some(format!("not exact: {} mismatches, first {}", exact["mismatches"], exact["first"]));
        }
        if complete.is_null() {
            return Some("completeness was not checked".to_owned());
        }
        if complete["deterministic"] != true {
            return Some("two runs on one input differ".to_owned());
        }
        if complete["wrong"] != 0 || complete["unexplained"] != 0 || self.json["passed"] != true {
            let first = &complete["failures"][0]["verdict"];
            return Some(format!("not complete: {}; first {first}", self.summary()));
        }
        None
    }

    /// The changes of the input, by what they showed.
    pub fn summary(&self) -> String {
        let complete = &self.json["complete"];
        let verdicts = ["same", "predicted", "explained", "lost", "truncated", "wrong", "unexplained"];
        let counts =
            verdicts.iter().filter(|name| complete[**name] != 0).map(|name| format!("{} {name}", complete[*name]));
        format!("{} branches: {}", self.json["exact"]["branches"], counts.collect::<Vec<_>>().join(", "))
    }
}

/// Flips one step. Exit status 1 is a flip that went elsewhere, or that the solver gave up.
pub fn flip(subject: &Subject, number: u64, limit: Duration) -> Result<Flip> {
    let finished = subject.run("flip", &["--at", &number.to_string()], limit)?;
    let said = finished.text();
    let has = |start: &str| said.lines().any(|line| line.starts_with(start));
    match finished.end {
        End::Exit(0 | 1) if has("went as predicted") => Ok(Flip::Reached),
        End::Exit(0 | 1) if has("impossible") || has("unknown") => Ok(Flip::Unsolved),
        End::Exit(1) if has("went elsewhere") => {
            Ok(Flip::Elsewhere(said.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n      ")))
        }
        _ => bail!("gimlet flip --at {number}: {}", finished.complaint()),
    }
}

/// Microseconds of the fastest of several runs through one fork server.
pub fn repeat(subject: &Subject, n_runs: u32, limit: Duration) -> Result<f64> {
    let (_, json) = subject.json("trace", &["--json", "--repeat", &n_runs.to_string()], limit)?;
    json["elapsed_us"].as_f64().context("gimlet trace --json --repeat has no elapsed_us")
}
