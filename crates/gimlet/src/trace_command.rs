//! `gimlet trace` and `gimlet show`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use gimlet_exec::objects::{loss_line, Objects};
use gimlet_exec::{ExecError, Output, Target, TargetOptions};
use gimlet_path::PathCondition;
use gimlet_trace::stretch::STRETCH_MAX;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Trace};

use crate::exit::{hinted, note, Verdict};
use crate::options::{Printing, Repetition, ShowPlan, TracePlan};
use crate::problem::{self, Problem};
use crate::{json, outputs, subject, text, unmodelled};

/// Runs once and prints what happened.
pub fn trace(plan: &TracePlan) -> Result<Verdict> {
    // Before the input is read: a missing program should not wait for a terminal.
    let options =
        TargetOptions { tokens: plan.tokens.clone(), ..subject::target_options(&plan.subject, Output::Stderr) };
    let mut target = Target::new(&plan.subject.program, &plan.subject.args, options)?;
    let output = plan.output.as_deref().map(SavedTrace::create).transpose()?;
    let input = stretched(subject::input(&plan.subject)?, &plan.stretches)?;
    let mut run = target.run(&input)?;
    let mut fastest = run.elapsed;
    for _ in 1..plan.n_runs {
        run = target.run(&input)?;
        fastest = fastest.min(run.elapsed);
    }
    let problems = problem::of_run(&run);
    if let Some(output) = output {
        output.write(&run.trace)?;
    }
    if run.trace.outcome == Outcome::Interrupted {
        if let Some(path) = &plan.output {
            note(&format!("the trace up to the interruption is in {}", path.display()));
        }
        return Err(ExecError::Interrupted.into());
    }
    problem::note_unread(&run.trace);
    note_foreign(&Objects::of(target.program()), &run.trace);
    print(&run.trace, &problems, plan.printing, (plan.n_runs > 1).then_some(fastest))?;
    Ok(problem::conclude(&problems))
}

/// Says which shared objects are not instrumented and got input.
fn note_foreign(objects: &Objects, trace: &Trace) {
    objects.advice().iter().for_each(|advice| note(advice));
    let mut losses = BTreeMap::new();
    for tally in &trace.tallies {
        if let Some(loss) = objects.lost(trace, tally) {
            *losses.entry(loss).or_default() += tally.count;
        }
    }
    losses.iter().for_each(|(loss, &count)| note(&loss_line(loss, count)));
}

/// The input with the stretches that are wanted.
fn stretched(mut input: Input, wanted: &[Repetition]) -> Result<Input> {
    for &Repetition { at, .. } in wanted {
        let source = input.sources.iter().position(|source| source.bytes.len() > at);
        if !source.is_some_and(|source| input.stretch(source, at, 1, STRETCH_MAX)) {
            let message = format!("--stretch: the input has no byte {at}, or has a stretch there already");
            return Err(hinted(message, "bytes are counted from 0, those of the first source that has so many"));
        }
    }
    // From the last to the first, so that each is where it was said to be.
    let mut ordered = wanted.to_vec();
    ordered.sort_by_key(|repetition| std::cmp::Reverse(repetition.at));
    for Repetition { at, len } in ordered {
        if let Some(stretch) = input.stretches().into_iter().find(|stretch| stretch.at == at) {
            input = input.with_length(&stretch, len);
        }
    }
    Ok(input)
}

/// The file that a trace goes to. It is opened before the program runs, so that a wrong path costs nothing, and keeps
/// its content until there is a trace; one that was not there before goes away if none comes.
struct SavedTrace {
    path: PathBuf,
    file: File,
    goes_away: bool,
}

impl SavedTrace {
    fn create(path: &Path) -> Result<SavedTrace> {
        let goes_away = !path.exists();
        let file = File::options().write(true).create(true).truncate(false).open(path).map_err(|error| {
            let message = format!("cannot write {}: {error}", path.display());
            hinted(message, "name a file in a directory that exists and can be written to")
        })?;
        Ok(SavedTrace { path: path.into(), file, goes_away })
    }

    fn write(mut self, trace: &Trace) -> Result<()> {
        if self.file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            outputs::write(&self.path, trace.to_bytes())?;
        } else {
            let written = self.file.write_all(&trace.to_bytes());
            written.with_context(|| format!("writing {}", self.path.display()))?;
        }
        self.goes_away = false;
        Ok(())
    }
}

impl Drop for SavedTrace {
    fn drop(&mut self) {
        if self.goes_away {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Prints a saved trace.
pub fn show(plan: &ShowPlan) -> Result<Verdict> {
    let path = plan.trace.display();
    let bytes = fs::read(&plan.trace)
        .map_err(|error| hinted(format!("cannot read {path}: {error}"), "name a file that `gimlet trace -o` wrote"))?;
    let trace = Trace::from_bytes(&bytes)
        .map_err(|error| hinted(format!("{path}: {error}"), "make it again with `gimlet trace -o`"))?;
    let problems = problem::of_trace(&trace);
    problem::note_unread(&trace);
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
