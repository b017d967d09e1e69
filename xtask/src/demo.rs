//! `cargo xtask demo`: from nothing to a bug, with an input that shows it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use gimlet_exec::image::beside;
use gimlet_trace::builds::Twin;
use gimlet_trace::status::Status;

use crate::explore::Summary;
use crate::process::{capture, End};
use crate::workspace::{self, release, root};

const LIMIT: Duration = Duration::from_secs(60);
/// Unconstrained bytes that the search starts from: no seed, no hint.
const LEN: &str = "32";
const BUDGET: &str = "10s";
/// Division by zero, to the plain build.
const SIGFPE: i32 = 8;

/// Shows each step; true if the bug was found and is real.
pub fn demo() -> Result<bool> {
    step("Build Gimlet");
    workspace::build_release()?;
    let scratch = workspace::scratch("demo")?;
    let source = root().join("demo/cookies.c");
    let program = scratch.join("cookies");

    step("A program with a bug behind its parser");
    let text = std::fs::read_to_string(&source).context("the demo program")?;
    text.lines().filter(|line| !line.starts_with("#include")).for_each(|line| println!("    {line}"));

    step("Compile it as with clang: this makes cookies, and cookies.plain to replay on");
    shown(Command::new(release("gimlet-cc")).args(["-O2", "-g", "-o"]).arg(&program).arg(&source), &[Status::Good])?;

    step("Explore it from 32 bytes that nothing is known of");
    let (out, summary) = (scratch.join("out"), scratch.join("summary.json"));
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.args(["run", "--len", LEN, "--budget", BUDGET, "-o"]).arg(&out).arg("--summary").arg(&summary);
    shown(gimlet.arg("--").arg(&program), &[Status::Good, Status::Found])?;

    step("What it found, and whether the plain build, which knows nothing of Gimlet, does the same");
    told(&Summary::read(&summary)?, &out, &beside(&program, Twin::Plain), &scratch)
}

/// Prints what was found; true if it is the bug.
fn told(summary: &Summary, out: &Path, plain: &Path, scratch: &Path) -> Result<bool> {
    let mut is_real = false;
    for finding in &summary.findings {
        let input = std::fs::read(out.join(&finding.input)).context("the input of a finding")?;
        let end = capture(&mut Command::new(plain), &input, LIMIT, scratch)?.end;
        println!("{}", finding.text());
        println!("    on {:?}", String::from_utf8_lossy(&input));
        println!("    the plain build ends with {end}");
        is_real |= end == End::Signal(SIGFPE);
    }
    println!("\ncovered   {} of {} branches", summary.branches_covered, summary.branches_total);
    println!("explored  {} paths in {:.1} s", summary.n_paths, summary.seconds);
    println!("tests     {} in {}", summary.n_tests, short(&out.join("queue")));
    println!("          try: {} < a test", short(plain));
    if is_real {
        println!("\nOne person at the party, who is the baker: the cookies are divided among nobody.");
        println!("Next: README.md has a tour of five minutes.");
    } else {
        println!("\nThe bug was not found.");
    }
    Ok(is_real)
}

fn step(title: &str) {
    println!("\n== {title}");
}

/// Prints the command and runs it; it may end with one of these.
fn shown(command: &mut Command, statuses: &[Status]) -> Result<()> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    println!("$ {}", words.map(|word| short(Path::new(word))).collect::<Vec<_>>().join(" "));
    let status =
        command.status().with_context(|| format!("can't start {}", short(Path::new(command.get_program()))))?;
    ensure!(
        status.code().and_then(Status::from_code).is_some_and(|status| statuses.contains(&status)),
        "it failed: {status}"
    );
    Ok(())
}

/// A path as seen from the repository.
fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
