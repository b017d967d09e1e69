//! `gimlet flip`: negate one branch of a run, solve, run the result, and see whether it went there.
//! [`all`] does so with every branch.

mod all;

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};
use gimlet_exec::error::describe;
use gimlet_exec::{ExecError, Output};
use gimlet_expr::Evaluator;
use gimlet_path::arrival::{self, Arrival};
use gimlet_path::{PathCondition, Place, Step, StepKind};
use gimlet_solver::{Answer, Query, Solver, Z3Solver};
use gimlet_trace::event::TallyKind;
use gimlet_trace::{Input, Trace};

use crate::exit::{hinted, Verdict};
use crate::options::{FlipPlan, Flips};
use crate::{interrupt, outputs, problem, subject, tallies, text};

pub fn flip(plan: &FlipPlan) -> Result<Verdict> {
    match plan.flips {
        Flips::One { at } => flip_one(plan, at),
        Flips::All { limit } => all::flip(plan, limit),
    }
}

fn flip_one(plan: &FlipPlan, at: Option<usize>) -> Result<Verdict> {
    let mut target = subject::target(&plan.subject, Output::Stderr)?;
    let input = subject::input(&plan.subject)?;
    let run = subject::run(&mut target, &input)?;
    let verdict = problem::conclude(&problem::of_run(&run));
    let trace = run.trace;
    problem::note_unread(&trace);
    let mut path = PathCondition::from_trace(&trace)?;
    let Some(number) = choose(&path, at)? else {
        say!("nothing to flip: no branch of this run depends on its input");
        return Ok(verdict);
    };
    let step = path.steps[number].clone();
    let place = Place::text(&trace, step.site);
    say!("event {}: {} at {place}", number + 1, went(&step));
    say!("  {}", text::condition(&trace, &path, &step));

    let mut constraints: Vec<_> = path.prefix(number).collect();
    constraints.push(step.negated(&mut path.dag));
    let flat = trace.flatten(&trace.input);
    let start = Instant::now();
    let (path, answer) = solve(path, Query::new(constraints.clone()), flat.clone())?;
    let elapsed_ms = start.elapsed().as_millis();
    let model = match answer {
        Answer::Sat(model) => model,
        Answer::Unsat => {
            say!("impossible: no input goes elsewhere here on the same path (unsat, {elapsed_ms} ms)");
            return Ok(verdict);
        }
        Answer::Unknown(reason) => {
            say!("unknown: {reason} ({elapsed_ms} ms)");
            return Ok(if verdict == Verdict::Good { Verdict::Bad } else { verdict });
        }
    };
    say!("solved in {elapsed_ms} ms");
    let new_flat = model.overlay(&flat);
    let mut evaluator = Evaluator::new(&new_flat);
    if !constraints.iter().all(|&constraint| evaluator.holds(&path.dag, constraint)) {
        bail!("the solver's input does not satisfy its own query");
    }
    let new_input = trace.unflatten(&new_flat);
    print_changes(&trace, &new_input);
    if let Some(output) = &plan.output {
        write_input(output, &trace.input, &new_input)?;
    }
    let value = step.subject().map(|expr| evaluator.eval(&path.dag, expr));
    let Some(predicted) = value.and_then(|value| step.direction_for(value)) else {
        bail!("event {} has no direction", number + 1);
    };
    let new_run = subject::run(&mut target, &new_input)?;
    say!("the program {}", describe(new_run.trace.outcome));
    let arrival = arrival::check(&trace, &path, number, predicted, &new_run.trace)?;
    let new_verdict = problem::conclude(&problem::of_run(&new_run));
    Ok(match print_arrival(&arrival, &new_run.trace, &format!("{predicted} at {place}")) {
        Verdict::Good if verdict == Verdict::Good => new_verdict,
        Verdict::Good => verdict,
        bad => bad,
    })
}

fn print_arrival(arrival: &Arrival, trace: &Trace, predicted: &str) -> Verdict {
    match arrival {
        Arrival::Predicted => {
            say!("went as predicted: {predicted}");
            return Verdict::Good;
        }
        Arrival::Elsewhere(event) => {
            say!("went elsewhere: {}", parted(event, trace));
            let lost = [TallyKind::Lost, TallyKind::Stale, TallyKind::Unmodelled];
            let n_lost: u64 = lost.iter().map(|&kind| tallies::total(trace, kind)).sum();
            if n_lost > 0 {
                say!("  dependencies were lost {n_lost} times, which may be why; `gimlet trace` lists them");
            }
        }
        Arrival::Untold(event) => {
            say!("cannot tell where it went, its symbolic branches are others: {}", parted(event, trace));
            say!("  hint: gimlet-cc -fgimlet=branch-log builds a program that logs concrete branches too");
        }
    }
    Verdict::Bad
}

/// Where a run left the path of another, at an event of its own.
fn parted(event: &Option<usize>, trace: &Trace) -> String {
    match event.and_then(|event| trace.events.get(event)) {
        Some(event) => format!("parted at {}", Place::text(trace, event.site)),
        None => "it has no event for that".to_string(),
    }
}

/// The step to flip: the one with the number that `gimlet trace` prints, or the last branch or switch, or the last
/// pin.
fn choose(path: &PathCondition, at: Option<usize>) -> Result<Option<usize>> {
    let can_flip = |index: &usize| path.steps[*index].is_flippable(&path.dag);
    if let Some(number) = at {
        let index = number.wrapping_sub(1);
        if index >= path.steps.len() {
            let message = format!("there is no event {number}: the path condition has {}", path.steps.len());
            return Err(hinted(message, "`gimlet trace` numbers them"));
        }
        if !can_flip(&index) {
            let what = text::action(&path.steps[index]);
            let message = format!("event {number} ({what}) cannot be flipped");
            return Err(hinted(message, "branches, switches and pins that depend on the input can"));
        }
        return Ok(Some(index));
    }
    let is_pin = |index: &usize| matches!(path.steps[*index].kind, StepKind::Pin { .. });
    let all = || (0..path.steps.len()).rev().filter(can_flip);
    Ok(all().find(|index| !is_pin(index)).or_else(|| all().next()))
}

/// Solves in a thread of its own: Z3 does not look at our flag, so on Ctrl-C it is left alone.
fn solve(path: PathCondition, query: Query, hint: Vec<u8>) -> Result<(PathCondition, Answer)> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let answer = Z3Solver::default().solve(&path.dag, &query, &hint);
        // Nobody listens after an interrupt.
        let _ = sender.send((path, answer));
    });
    loop {
        match receiver.recv_timeout(Duration::from_millis(20)) {
            Ok(result) => return Ok(result),
            Err(mpsc::RecvTimeoutError::Timeout) if interrupt::received().is_some() => {
                return Err(ExecError::Interrupted.into());
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the solver failed"),
        }
    }
}

fn went(step: &Step) -> String {
    step.direction().map_or_else(String::new, |direction| direction.to_string())
}

fn print_changes(trace: &Trace, new: &Input) {
    for (old_source, new_source) in trace.input.sources.iter().zip(&new.sources) {
        let pairs = old_source.bytes.iter().zip(&new_source.bytes).enumerate();
        for (offset, (old, new)) in pairs.filter(|(_, (old, new))| old != new) {
            say!("  {}[{offset}]  {} -> {}", old_source.name, byte(*old), byte(*new));
        }
    }
    say!("new input:");
    for source in &new.sources {
        say!("  {} {}", source.name, text::escaped(&source.bytes));
    }
}

fn byte(value: u8) -> String {
    if value.is_ascii_graphic() || value == b' ' {
        format!("{value:#04x} '{}'", char::from(value))
    } else {
        format!("{value:#04x}")
    }
}

/// A directory gets one file for each source; a file gets the first source that changed.
fn write_input(output: &Path, old: &Input, new: &Input) -> Result<()> {
    if output.is_dir() || output.as_os_str().to_string_lossy().ends_with('/') {
        outputs::check_folder(output)?;
        fs::create_dir_all(output).with_context(|| format!("making {}", output.display()))?;
        for source in &new.sources {
            outputs::write(&output.join(source.name.replace(['/', '\0'], "_")), &source.bytes)?;
        }
        return Ok(());
    }
    let changed = new.sources.iter().zip(&old.sources).find(|(new, old)| new != old);
    match changed.map(|(new, _)| new).or(new.sources.first()) {
        Some(source) => outputs::write(output, &source.bytes),
        None => Ok(()),
    }
}

/// The input of one flip of many: a file with its number, or a folder where there are several sources.
fn write_numbered(folder: &Path, number: usize, old: &Input, new: &Input) -> Result<()> {
    outputs::check_folder(folder)?;
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let path = folder.join(format!("{number:06}"));
    if new.sources.len() > 1 {
        fs::create_dir_all(&path).with_context(|| format!("making {}", path.display()))?;
    }
    write_input(&path, old, new)
}
