//! What PROG.edges and its driver get over: a program that does, again and again, what a fork server could stumble at.

use std::path::Path;
use std::process::Command;

use anyhow::{ensure, Context, Result};
use gimlet_exec::image::beside;
use gimlet_exec::{Confinement, EdgesTarget, Limits, Output, TargetOptions};
use gimlet_trace::builds::Twin;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use crate::process;
use crate::workspace::{release, root};

const TIMEOUT_MS: u64 = 200;
const ABORT: i32 = 6;
const KILL: i32 = 9;

/// What is run, how it ends without and with confinement, and whether it leaves somebody behind.
const CASES: [(&str, Outcome, Outcome, bool); 9] = [
    ("e", Outcome::Exited(0), Outcome::Exited(0), false),
    ("a", Outcome::Signalled(ABORT), Outcome::Signalled(ABORT), false),
    ("d", Outcome::Exited(0), Outcome::Exited(0), true),
    ("z", Outcome::Exited(0), Outcome::Exited(0), false),
    ("g", Outcome::Signalled(KILL), Outcome::Signalled(KILL), false),
    // Its parent is process 1 of a namespace, or dies and takes it along.
    ("p", Outcome::Signalled(KILL), Outcome::Exited(3), false),
    ("h", Outcome::TimedOut(TIMEOUT_MS), Outcome::TimedOut(TIMEOUT_MS), false),
    ("s", Outcome::Exited(0), Outcome::Exited(0), false),
    ("", Outcome::Exited(0), Outcome::Exited(0), false),
];

/// Builds the program and runs everything, unconfined and confined.
pub fn test(scratch: &Path) -> Result<()> {
    let program = scratch.join("restless");
    let source = root().join("tests/edges/restless.c");
    process::run(Command::new(release("gimlet-cc")).arg("-O1").arg(source).arg("-o").arg(&program))?;
    let program = beside(&program, Twin::Edges);
    run_all(&program, Confinement::Off).context("unconfined")?;
    run_all(&program, Confinement::probe()).context("confined")
}

fn run_all(program: &Path, confinement: Confinement) -> Result<()> {
    let limits = Limits { timeout_ms: TIMEOUT_MS, ..Limits::default() };
    let options = TargetOptions { limits, output: Output::Null, confinement, ..TargetOptions::default() };
    let mut target = EdgesTarget::new(program, &[], options)?;
    let usual = run_usual(&mut target)?;
    let has_namespaces = confinement.parts().is_some_and(|parts| parts.namespaces.is_some());
    for (input, free, enclosed, is_daemonised) in CASES {
        let run = target.run_in_place(&Input::stdin(input)).with_context(|| format!("input '{input}'"))?;
        let expected = if has_namespaces { enclosed } else { free };
        ensure!(run.outcome == expected, "input '{input}': {:?}, not {expected:?}", run.outcome);
        ensure!(run.is_daemonised == is_daemonised, "input '{input}': somebody is left: {}", run.is_daemonised);
        let n_counted = target.counters().flat_map(|(_, bytes)| bytes).filter(|&&byte| byte != 0).count();
        ensure!(n_counted > 1, "input '{input}': {n_counted} counters");
        ensure!(run_usual(&mut target)? == usual, "after input '{input}': other counters");
    }
    if confinement != Confinement::Off {
        for _ in 0..2 {
            let run = target.run(&Input::stdin("f"))?;
            ensure!(run.outcome == Outcome::Exited(0), "a file that another run left is there");
        }
    }
    Ok(())
}

/// The counters of a run that does nothing special.
fn run_usual(target: &mut EdgesTarget) -> Result<Vec<u8>> {
    let run = target.run(&Input::stdin("usual xx"))?;
    ensure!(run.outcome == Outcome::Exited(8), "a usual run: {:?}", run.outcome);
    Ok(run.counters.into_iter().flat_map(|counters| counters.bytes).collect())
}
