//! `gimlet audit`: is the trace of a program exact and complete?
//!
//! JSON fields: `exact` {expressions, branches, switches, pins, accesses, others, mismatches, first}, `complete`
//! (null without a log of branches) {changes, same, predicted, explained, lost, truncated, wrong, unexplained,
//! nondeterministic, causes {text: number}, failures [{input, changes, verdict}], deterministic}, `observed` (null
//! without --observed; see [`crate::observed`]), `tallies` as for a trace, `problems`, `passed`.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use gimlet_exec::{Output, Run, Target};
use gimlet_grammar::chance::Chance;
use gimlet_path::complete::{self, Baseline, Verdict as Comparison};
use gimlet_path::exact::{self, Report};
use gimlet_trace::Input;
use serde_json::{json, Value};

use crate::changes::{change, Change};
use crate::exit::Verdict;
use crate::options::AuditPlan;
use crate::problem;
use crate::{json, observed, subject, text};

/// Failures that are shown.
const N_FAILURES_SHOWN: usize = 10;
/// Runs of the old input after a failure, to see whether it still does the same.
const N_REPEATS: usize = 3;
/// A failure of a program that does not do the same twice: threads, clocks. Nothing follows from it.
const NONDETERMINISTIC: &str = "nondeterministic";
/// How often a run may ask for more input than the last one before it is taken as it is.
const N_COMPLETIONS_MAX: usize = 4;

/// What the comparisons gave.
#[derive(Default)]
struct Tested {
    n_changes: u32,
    /// By the name of the verdict.
    verdicts: BTreeMap<&'static str, u32>,
    /// By the text of what explains or lost.
    causes: BTreeMap<String, u32>,
    failures: Vec<(Input, Vec<Change>, String)>,
    n_failures: u32,
}

impl Tested {
    /// False if the program was seen to do something else on the same input.
    fn is_deterministic(&self) -> bool {
        !self.verdicts.contains_key(NONDETERMINISTIC)
    }
}

pub fn audit(plan: &AuditPlan) -> Result<Verdict> {
    let mut target = subject::target(&plan.subject, Output::Null)?;
    let input = subject::input(&plan.subject)?;
    let start = Instant::now();
    let run = complete_run(&mut target, input)?;
    let report = exact::check(&run.trace)?;
    let tested = match complete::has_branch_log(&run.trace) {
        true => Some(test_changes(plan, &mut target, &run)?),
        false => None,
    };
    let observed = match plan.n_observed {
        0 => None,
        n_wanted => Some(observed::check(&mut target, &run, n_wanted, plan.seed)?),
    };
    let problems = problem::of_run(&run);
    let passed = report.is_exact()
        && tested.as_ref().is_none_or(|tested| tested.n_failures == 0)
        && observed.as_ref().is_none_or(|observed| !observed.has_failed());
    if plan.is_json {
        let value = json!({
            "exact": exact_json(&report),
            "complete": tested.as_ref().map(complete_json),
            "observed": observed.as_ref().map(observed::to_json),
            "tallies": json::of_tallies(&run.trace),
            "problems": json::of_problems(&problems),
            "passed": passed,
        });
        say!("{value}");
    } else {
        print_exact(&report);
        match &tested {
            Some(tested) => print_complete(tested),
            None if observed.is_some() => {}
            None => say!("complete: not checked; build with gimlet-cc -fgimlet=branch-log for that"),
        }
        if let Some(observed) = &observed {
            observed::print(observed);
        }
        say!("{} in {:.1} s", if passed { "passed" } else { "FAILED" }, start.elapsed().as_secs_f64());
    }
    problem::note_unread(&run.trace);
    let verdict = problem::conclude(&problems);
    Ok(if passed { verdict } else { Verdict::Bad })
}

/// A run on an input that has everything that the program asks for.
fn complete_run(target: &mut Target, input: Input) -> Result<Run> {
    let mut run = subject::run(target, &input)?;
    let mut given = input;
    for _ in 0..N_COMPLETIONS_MAX {
        if run.trace.input == given {
            break;
        }
        given = run.trace.input.clone();
        run = subject::run(target, &given)?;
    }
    Ok(run)
}

fn test_changes(plan: &AuditPlan, target: &mut Target, run: &Run) -> Result<Tested> {
    let baseline = Baseline::new(&run.trace)?;
    let mut tested = Tested::default();
    if run.trace.input.is_empty() {
        return Ok(tested);
    }
    let mut random = Chance::new(plan.seed);
    for _ in 0..plan.n_changes {
        let (input, changes) = change(&run.trace.input, &mut random);
        let new = subject::run(target, &input)?;
        let verdict = baseline.compare(&new.trace);
        tested.n_changes += 1;
        let name = match &verdict {
            failure if failure.is_failure() && !is_repeatable(target, run, &new)? => NONDETERMINISTIC,
            Comparison::Same => "same",
            Comparison::Predicted => "predicted",
            Comparison::Explained { cause, .. } => {
                *tested.causes.entry(cause.to_string()).or_default() += 1;
                "explained"
            }
            Comparison::Lost(loss) => {
                *tested.causes.entry(loss.to_string()).or_default() += 1;
                "lost"
            }
            Comparison::Truncated => "truncated",
            Comparison::Wrong { .. } => "wrong",
            Comparison::Unexplained { .. } => "unexplained",
        };
        *tested.verdicts.entry(name).or_default() += 1;
        if verdict.is_failure() && name != NONDETERMINISTIC {
            tested.n_failures += 1;
            if tested.failures.len() < N_FAILURES_SHOWN {
                tested.failures.push((input, changes, complete::explain(&verdict, &run.trace, &new.trace)));
            }
        }
    }
    Ok(tested)
}

/// Whether both inputs still take the paths that they took.
fn is_repeatable(target: &mut Target, old: &Run, new: &Run) -> Result<bool> {
    for _ in 0..N_REPEATS {
        for run in [old, new] {
            let again = target.run(&run.trace.input)?;
            if !complete::same_log(&run.trace, &again.trace) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn print_exact(report: &Report) {
    say!(
        "exact: {} expressions, {} branches, {} switches, {} pins, {} accesses, {} others: {} mismatches",
        report.n_nodes,
        report.n_branches,
        report.n_switches,
        report.n_pins,
        report.n_accesses,
        report.n_others,
        report.n_mismatches
    );
    for mismatch in &report.mismatches {
        say!("  {mismatch}");
    }
}

fn print_complete(tested: &Tested) {
    if !tested.is_deterministic() {
        say!("the program does not do the same twice on the same input: nothing follows from that part");
    }
    let verdicts: Vec<String> = tested.verdicts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    say!("complete: {} changes: {}", tested.n_changes, verdicts.join(", "));
    for (cause, count) in &tested.causes {
        say!("  {count:>5} x {cause}");
    }
    for (input, changes, text) in &tested.failures {
        say!("  {text}");
        for change in changes {
            let name = &input.sources[change.source].name;
            say!("    {name}[{}] {:#04x} -> {:#04x}", change.offset, change.old, change.new);
        }
        for source in input.sources.iter().filter(|source| source.bytes.len() <= 64) {
            say!("    {} {}", source.name, text::escaped(&source.bytes));
        }
    }
}

fn exact_json(report: &Report) -> Value {
    let first: Vec<String> = report.mismatches.iter().map(ToString::to_string).collect();
    json!({
        "expressions": report.n_nodes,
        "branches": report.n_branches,
        "switches": report.n_switches,
        "pins": report.n_pins,
        "accesses": report.n_accesses,
        "others": report.n_others,
        "mismatches": report.n_mismatches,
        "first": first,
    })
}

fn complete_json(tested: &Tested) -> Value {
    let count = |name: &str| tested.verdicts.get(name).copied().unwrap_or(0);
    let failure = |(input, changes, text): &(Input, Vec<Change>, String)| {
        let changes: Vec<Value> = changes
            .iter()
            .map(|change| {
                let name = &input.sources[change.source].name;
                json!({ "source": name, "offset": change.offset, "old": change.old, "new": change.new })
            })
            .collect();
        json!({ "verdict": text, "changes": changes, "input": json::of_input(input) })
    };
    json!({
        "changes": tested.n_changes,
        "same": count("same"),
        "predicted": count("predicted"),
        "explained": count("explained"),
        "lost": count("lost"),
        "truncated": count("truncated"),
        "wrong": count("wrong"),
        "unexplained": count("unexplained"),
        "causes": tested.causes,
        "failures": tested.failures.iter().map(failure).collect::<Vec<_>>(),
        "nondeterministic": count(NONDETERMINISTIC),
        "deterministic": tested.is_deterministic(),
    })
}
