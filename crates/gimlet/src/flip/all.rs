//! `gimlet flip --all`: every branch and switch of a run, each flipped by itself.
//!
//! The program is traced once and the path walked forward: before a step's condition joins the
//! conditions that the solver chain knows, the chain is asked for an input on which it fails. Each
//! such input is run, and where it went is told as for a single flip. What the chain calls impossible
//! is asked of Z3 alone as well, which has none of the chain's layers: an input from there disputes
//! the chain's answer, which is a bug of Gimlet.
//!
//! JSON fields: `flips` [a step as of `gimlet trace --json`, and `answer` (solved, impossible, unknown,
//! disputed), `reason` (of unknown), `arrival` (predicted, elsewhere, untold), `went` (in words), `said`
//! (how the new run ended)], `left_out` (flips beyond --limit), `problems` as of a trace.

use std::path::Path;
use std::time::Duration;

use anyhow::{bail, Result};
use gimlet_exec::error::describe;
use gimlet_exec::{ExecError, Output, Target};
use gimlet_expr::{Evaluator, ExprId};
use gimlet_path::arrival::{self, Arrival};
use gimlet_path::{PathCondition, Place, Step, StepKind};
use gimlet_solver::chain::Chain;
use gimlet_solver::config::Config;
use gimlet_solver::z3_solver::Options;
use gimlet_solver::{Answer, Model, Query, Solver, Z3Solver};
use gimlet_trace::Trace;
use serde_json::{json, Value};

use crate::exit::Verdict;
use crate::options::FlipPlan;
use crate::{interrupt, json, problem, subject};

/// What Z3 may take to dispute an answer.
const DISPUTE_RLIMIT: u32 = 2_000_000;
const DISPUTE_TIMEOUT: Duration = Duration::from_secs(5);

pub fn flip(plan: &FlipPlan, limit: usize) -> Result<Verdict> {
    // Many runs one after the other: what they print would tell nobody anything.
    let mut target = subject::target(&plan.subject, Output::Null)?;
    let input = subject::input(&plan.subject)?;
    let run = subject::run(&mut target, &input)?;
    let problems = problem::of_run(&run);
    let trace = run.trace;
    problem::note_unread(&trace);
    let mut walk = Walk::new(&trace, &mut target)?;
    let mut tally = Tally::default();
    let mut told = Vec::new();
    for number in 0..walk.path.steps.len() {
        let step = walk.path.steps[number].clone();
        if is_choice(&step) && step.is_flippable(&walk.path.dag) {
            if tally.n_flips == limit && limit > 0 {
                tally.n_left_out += 1;
                continue;
            }
            let flipped = walk.flip(number, &step, plan.output.as_deref())?;
            tally.add(&flipped);
            if plan.is_json {
                told.push(flipped.to_json(&trace, &walk.path, number, &step));
            } else {
                flipped.print(&trace, number, &step);
            }
        }
        walk.go_on(&step);
    }
    if plan.is_json {
        let problems = json::of_problems(&problems);
        say!("{}", json!({ "flips": told, "left_out": tally.n_left_out, "problems": problems }));
    } else {
        tally.print();
    }
    match problem::conclude(&problems) {
        Verdict::Good if tally.is_good() => Ok(Verdict::Good),
        Verdict::Good => Ok(Verdict::Bad),
        verdict => Ok(verdict),
    }
}

fn is_choice(step: &Step) -> bool {
    matches!(step.kind, StepKind::Branch { .. } | StepKind::Switch { .. })
}

/// A run whose steps are flipped one after the other.
struct Walk<'a> {
    trace: &'a Trace,
    target: &'a mut Target,
    path: PathCondition,
    chain: Chain,
    z3: Z3Solver,
    /// The input, all sources in one.
    flat: Vec<u8>,
}

/// What came of one flip.
struct Flipped {
    answer: Answer,
    /// Z3 has an input where the chain has none.
    is_disputed: bool,
    arrival: Option<Arrived>,
}

/// Where the new run went.
struct Arrived {
    arrival: Arrival,
    went: String,
    said: String,
}

impl Walk<'_> {
    fn new<'a>(trace: &'a Trace, target: &'a mut Target) -> Result<Walk<'a>> {
        let stop = Some(&interrupt::INTERRUPTED);
        let options =
            Options { rlimit: Some(DISPUTE_RLIMIT), timeout: Some(DISPUTE_TIMEOUT), stop, ..Options::default() };
        let path = PathCondition::from_trace(trace)?;
        let flat = trace.flatten(&trace.input);
        let mut chain = Chain::new(Config { stop, ..Config::default() });
        chain.begin_path(&path.dag, &flat);
        Ok(Walk { trace, target, path, chain, z3: Z3Solver::new(options), flat })
    }

    /// The step happened as it did in all runs that are asked for from now on.
    fn go_on(&mut self, step: &Step) {
        if self.path.dag.as_const(step.condition) != Some(1) {
            self.chain.push(&self.path.dag, step.condition);
        }
    }

    fn flip(&mut self, number: usize, step: &Step, output: Option<&Path>) -> Result<Flipped> {
        let negated = step.negated(&mut self.path.dag);
        let answer = self.chain.ask(&self.path.dag, negated);
        let constraints: Vec<ExprId> = self.path.prefix(number).chain([negated]).collect();
        let is_disputed = answer == Answer::Unsat && {
            let query = Query::new(constraints.clone());
            matches!(self.z3.solve(&self.path.dag, &query, &self.flat), Answer::Sat(_))
        };
        if interrupt::received().is_some() {
            return Err(ExecError::Interrupted.into());
        }
        let arrival = match &answer {
            Answer::Sat(model) => Some(self.run(number, step, model, &constraints, output)?),
            Answer::Unsat | Answer::Unknown(_) => None,
        };
        Ok(Flipped { answer, is_disputed, arrival })
    }

    /// Runs a solved input, and looks where it went.
    fn run(
        &mut self,
        number: usize,
        step: &Step,
        model: &Model,
        constraints: &[ExprId],
        output: Option<&Path>,
    ) -> Result<Arrived> {
        let new_flat = model.overlay(&self.flat);
        let mut evaluator = Evaluator::new(&new_flat);
        if !constraints.iter().all(|&constraint| evaluator.holds(&self.path.dag, constraint)) {
            bail!("the solver's input for event {} does not satisfy its own query", number + 1);
        }
        let value = step.subject().map(|expr| evaluator.eval(&self.path.dag, expr));
        let Some(predicted) = value.and_then(|value| step.direction_for(value)) else {
            bail!("event {} has no direction", number + 1);
        };
        let new_input = self.trace.unflatten(&new_flat);
        if let Some(folder) = output {
            super::write_numbered(folder, number + 1, &self.trace.input, &new_input)?;
        }
        let new_run = subject::run(self.target, &new_input)?;
        let arrival = arrival::check(self.trace, &self.path, number, predicted, &new_run.trace)?;
        let went = match &arrival {
            Arrival::Predicted => format!("went to {predicted}"),
            Arrival::Elsewhere(event) => format!("went elsewhere, {}", super::parted(event, &new_run.trace)),
            Arrival::Untold(event) => format!("cannot tell where it went, {}", super::parted(event, &new_run.trace)),
        };
        Ok(Arrived { arrival, went, said: describe(new_run.trace.outcome) })
    }
}

impl Flipped {
    fn answer(&self) -> &'static str {
        match self.answer {
            _ if self.is_disputed => "disputed",
            Answer::Sat(_) => "solved",
            Answer::Unsat => "impossible",
            Answer::Unknown(_) => "unknown",
        }
    }

    fn reason(&self) -> Option<String> {
        match &self.answer {
            Answer::Unknown(reason) => Some(reason.to_string()),
            _ => None,
        }
    }

    fn print(&self, trace: &Trace, number: usize, step: &Step) {
        let what = match (&self.arrival, self.reason()) {
            (Some(arrived), _) => arrived.went.clone(),
            (None, Some(reason)) => format!("unknown: {reason}"),
            (None, None) if self.is_disputed => {
                "called impossible, but Z3 has an input: please report this".to_string()
            }
            (None, None) => "impossible".to_string(),
        };
        say!("{:>6}  {:<24} {:<8} {what}", number + 1, Place::text(trace, step.site), super::went(step));
    }

    fn to_json(&self, trace: &Trace, path: &PathCondition, number: usize, step: &Step) -> Value {
        let mut value = json::of_step(trace, path, number, step);
        let arrival = self.arrival.as_ref().map(|arrived| match arrived.arrival {
            Arrival::Predicted => "predicted",
            Arrival::Elsewhere(_) => "elsewhere",
            Arrival::Untold(_) => "untold",
        });
        value["answer"] = json!(self.answer());
        value["reason"] = json!(self.reason());
        value["arrival"] = json!(arrival);
        value["went"] = json!(self.arrival.as_ref().map(|arrived| &arrived.went));
        value["said"] = json!(self.arrival.as_ref().map(|arrived| &arrived.said));
        value
    }
}

/// What all flips gave.
#[derive(Default)]
struct Tally {
    n_flips: usize,
    n_left_out: usize,
    n_predicted: usize,
    n_elsewhere: usize,
    n_untold: usize,
    n_impossible: usize,
    n_unknown: usize,
    n_disputed: usize,
}

impl Tally {
    fn add(&mut self, flipped: &Flipped) {
        self.n_flips += 1;
        let count = match (&flipped.answer, &flipped.arrival) {
            (_, Some(Arrived { arrival: Arrival::Predicted, .. })) => &mut self.n_predicted,
            (_, Some(Arrived { arrival: Arrival::Elsewhere(_), .. })) => &mut self.n_elsewhere,
            (_, Some(Arrived { arrival: Arrival::Untold(_), .. })) => &mut self.n_untold,
            _ if flipped.is_disputed => &mut self.n_disputed,
            (Answer::Unknown(_), _) => &mut self.n_unknown,
            (Answer::Unsat | Answer::Sat(_), _) => &mut self.n_impossible,
        };
        *count += 1;
    }

    /// All flips went where they were to go, or can't go anywhere.
    fn is_good(&self) -> bool {
        self.n_predicted + self.n_impossible == self.n_flips
    }

    fn print(&self) {
        let counts = [
            (self.n_predicted, "went as predicted"),
            (self.n_impossible, "impossible"),
            (self.n_unknown, "unknown"),
            (self.n_elsewhere, "went elsewhere"),
            (self.n_untold, "cannot be told"),
            (self.n_disputed, "disputed"),
            (self.n_left_out, "left out"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let colon = if counts.is_empty() { "" } else { ": " };
        say!("{} flips{colon}{}", self.n_flips, counts.join(", "));
    }
}
