//! `cargo xtask demo`: from nothing to a flipped branch.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};

use crate::process::{self, capture};
use crate::workspace::{self, release, root};

const LIMIT: Duration = Duration::from_secs(60);
/// What the demo program prints in its hidden branch.
const HIDDEN: &str = "you found the hidden branch";

/// Shows each step; true if the hidden branch was reached.
pub fn demo() -> Result<bool> {
    step("Build Gimlet");
    workspace::build_release()?;
    let scratch = workspace::scratch("demo")?;
    let source = root().join("demo/times_three.c");
    let program = scratch.join("times_three");

    step("A program with a branch that guessing won't take");
    let text = std::fs::read_to_string(&source).context("the demo program")?;
    text.lines().filter(|line| !line.starts_with("#include")).for_each(|line| println!("    {line}"));

    step("Compile it as with clang: this makes times_three, and times_three.plain to replay on");
    shown(Command::new(release("gimlet-cc")).args(["-O2", "-o"]).arg(&program).arg(&source))?;

    let input = scratch.join("input");
    std::fs::write(&input, b"AAAA")?;
    step("Run it on \"AAAA\" and print what the run depended on");
    shown(gimlet("trace").arg("--stdin").arg(&input).arg("--").arg(&program))?;

    step("Negate the last branch, solve, and run the answer");
    let found = scratch.join("found");
    shown(gimlet("flip").arg("-o").arg(&found).arg("--stdin").arg(&input).arg("--").arg(&program))?;

    step("Check: the plain build, which knows nothing of Gimlet, on the new input");
    is_found(&scratch, &program.with_extension("plain"), &found)
}

fn is_found(scratch: &Path, plain: &Path, found: &Path) -> Result<bool> {
    let input = std::fs::read(found).context("gimlet flip wrote no input")?;
    ensure!(input != b"AAAA", "the input has not changed");
    let finished = capture(&mut Command::new(plain), &input, LIMIT, scratch)?;
    print!("{}", finished.text());
    let is_found = finished.text().contains(HIDDEN);
    if is_found {
        println!("\nThe input is {input:02x?}: as a number, times three is 0x1234 modulo 2^32.");
        println!("Next: README.md has a tour of five minutes.");
    } else {
        println!("\nThe hidden branch was not reached.");
    }
    Ok(is_found)
}

fn gimlet(command: &str) -> Command {
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.arg(command);
    gimlet
}

fn step(title: &str) {
    println!("\n== {title}");
}

/// Prints the command and runs it.
fn shown(command: &mut Command) -> Result<()> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let short = |word: &std::ffi::OsStr| {
        let path = Path::new(word);
        path.strip_prefix(root()).unwrap_or(path).display().to_string()
    };
    println!("$ {}", words.map(short).collect::<Vec<_>>().join(" "));
    process::run(command)
}
