//! `gimlet trace` and `gimlet show`.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use gimlet_exec::Output;
use gimlet_path::PathCondition;
use gimlet_trace::Trace;

use crate::exit::{hinted, Verdict};
use crate::options::{Printing, ShowPlan, TracePlan};
use crate::problem::{self, Problem};
use crate::{json, subject, text, unmodelled};

/// Runs once and prints what happened.
pub fn trace(plan: &TracePlan) -> Result<Verdict> {
    // Before the input is read: a missing program should not wait for a terminal.
    let mut target = subject::target(&plan.subject, Output::Stderr)?;
    let input = subject::input(&plan.subject)?;
    let mut run = target.run(&input)?;
    let mut fastest = run.elapsed;
    for _ in 1..plan.n_runs {
        run = target.run(&input)?;
        fastest = fastest.min(run.elapsed);
    }
    let problems = problem::of_run(&run);
    if let Some(path) = &plan.output {
        fs::write(path, run.trace.to_bytes()).with_context(|| format!("writing {}", path.display()))?;
    }
    print(&run.trace, &problems, plan.printing, (plan.n_runs > 1).then_some(fastest))?;
    Ok(problem::conclude(&problems))
}

/// Prints a saved trace.
pub fn show(plan: &ShowPlan) -> Result<Verdict> {
    let path = plan.trace.display();
    let bytes = fs::read(&plan.trace)
        .map_err(|error| hinted(format!("cannot read {path}: {error}"), "name a file that `gimlet trace -o` wrote"))?;
    let trace = Trace::from_bytes(&bytes)
        .map_err(|error| hinted(format!("{path}: {error}"), "make it again with `gimlet trace -o`"))?;
    let problems = problem::of_trace(&trace);
    print(&trace, &problems, plan.printing, None)?;
    Ok(problem::conclude(&problems))
}

fn print(trace: &Trace, problems: &[Problem], printing: Printing, elapsed: Option<Duration>) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    if printing.is_unmodelled_only {
        if printing.is_json {
            serde_json::to_writer(&mut out, &json::of_unmodelled(trace, problems)).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            unmodelled::write(&mut out, trace)?;
        }
        return Ok(out.flush()?);
    }
    let path = PathCondition::from_trace(trace)?;
    if printing.is_json {
        let mut value = json::of_trace(trace, &path, problems, printing.n_lines_max);
        value["elapsed_us"] = elapsed.map(|elapsed| elapsed.as_secs_f64() * 1e6).into();
        serde_json::to_writer(&mut out, &value).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        text::write_steps(&mut out, trace, &path, printing.n_lines_max)?;
        text::write_counts(&mut out, trace, &path)?;
        if let Some(elapsed) = elapsed {
            writeln!(out, "run through the fork server  {:.3} ms", elapsed.as_secs_f64() * 1e3)?;
        }
    }
    Ok(out.flush()?)
}
