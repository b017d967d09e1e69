//! Oracle: everything in a trace evaluates to what the run did.
//!
//! Each expression record holds the value that the program computed. Evaluated
//! on the run's own input, the record's translation must give the same, and so
//! must each branch, switch, pin, access, assumption and assertion hold, and
//! everything observed be what it was. All is checked over an unsimplified DAG,
//! which tests the pass, the runtime and the translation; conditions and
//! observations then once more over the simplified one, which tests the rewrite
//! rules.

use std::fmt;

use gimlet_expr::{Dag, Evaluator, ExprId};
use gimlet_trace::node::Op;
use gimlet_trace::{Label, Trace};

use crate::condition::PathCondition;
use crate::error::PathError;
use crate::place::Place;
use crate::step::{Step, StepKind};
use crate::translate::{value_of, Translation};

/// Mismatches that are kept; the rest are only counted.
const N_KEPT: usize = 20;

/// What was compared and what did not fit.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub n_nodes: usize,
    /// Conditions of each kind.
    pub n_branches: usize,
    pub n_switches: usize,
    pub n_pins: usize,
    pub n_accesses: usize,
    pub n_others: usize,
    pub n_mismatches: usize,
    /// The first of them.
    pub mismatches: Vec<Mismatch>,
}

/// One thing that evaluates to something else than the run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// What it is, with its place.
    pub what: String,
    pub recorded: u128,
    pub evaluated: u128,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: the run has {:#x}, evaluation gives {:#x}", self.what, self.recorded, self.evaluated)
    }
}

impl Report {
    pub fn is_exact(&self) -> bool {
        self.n_mismatches == 0
    }

    fn compare(&mut self, recorded: u128, evaluated: u128, what: impl FnOnce() -> String) {
        if recorded == evaluated {
            return;
        }
        self.n_mismatches += 1;
        if self.mismatches.len() < N_KEPT {
            self.mismatches.push(Mismatch { what: what(), recorded, evaluated });
        }
    }

    fn count(&mut self, step: &Step) {
        match step.kind {
            StepKind::Branch { .. } => self.n_branches += 1,
            StepKind::Switch { .. } => self.n_switches += 1,
            StepKind::Pin { .. } => self.n_pins += 1,
            StepKind::Access { .. } => self.n_accesses += 1,
            _ => self.n_others += 1,
        }
    }
}

/// Checks a whole trace.
pub fn check(trace: &Trace) -> Result<Report, PathError> {
    let mut report = Report::default();
    let mut evaluator = Evaluator::new(&trace.flatten(&trace.input));
    let mut translation = Translation::whole(trace, Dag::unsimplified())?;
    for (index, record) in trace.nodes.iter().enumerate().skip(1) {
        let expr = translation.expr(Label(index as u32));
        let evaluated = evaluator.eval(&translation.dag, expr);
        report.n_nodes += 1;
        report.compare(value_of(record), evaluated, || {
            let op = Op::from_code(record.op).map_or_else(String::new, |op| format!("{op:?}"));
            format!("expression {index}, {op} of {} bits", record.width)
        });
    }
    let path = PathCondition::from_translation(trace, translation)?;
    check_steps(trace, &path, &mut evaluator, "", &mut report);
    check_observations(&path, &mut evaluator, "", &mut report);
    for step in &path.steps {
        report.count(step);
    }
    drop(path);
    let simplified = PathCondition::from_trace(trace)?;
    check_steps(trace, &simplified, &mut evaluator, "simplified ", &mut report);
    check_observations(&simplified, &mut evaluator, "simplified ", &mut report);
    Ok(report)
}

fn check_observations(path: &PathCondition, evaluator: &mut Evaluator, form: &str, report: &mut Report) {
    for observation in &path.observations {
        for part in &observation.parts {
            let Some(expr) = part.expr else { continue };
            report.compare(part.value, evaluator.eval(&path.dag, expr), || {
                format!("event {}, {form}observation of {}, byte {}", observation.event, observation.name, part.offset)
            });
        }
    }
}

fn check_steps(trace: &Trace, path: &PathCondition, evaluator: &mut Evaluator, form: &str, report: &mut Report) {
    for step in &path.steps {
        let what = |part: &str| {
            let kind = match step.kind {
                StepKind::Branch { .. } => "branch",
                StepKind::Switch { .. } => "switch",
                StepKind::Pin { .. } => "pin",
                StepKind::Access { .. } => "access",
                StepKind::Arith { .. } => "division",
                StepKind::Assume { .. } => "assumption",
                StepKind::Assert { .. } => "assertion",
                StepKind::Read { .. } => "read",
            };
            format!("event {}, {form}{kind}{part} at {}", step.event, Place::text(trace, step.site))
        };
        let mut eval = |expr: ExprId| evaluator.eval(&path.dag, expr);
        report.compare(1, eval(step.condition), || what(""));
        match step.kind {
            // The default of a switch holds for many values; this one was taken.
            StepKind::Switch { value, taken, .. } => {
                report.compare(u128::from(taken), eval(value), || what(", its value"));
            }
            StepKind::Arith { dividend, divisor, .. } if path.dag.width(divisor) <= 64 => {
                let event = &trace.events[step.event];
                report.compare(u128::from(event.x), eval(dividend), || what(", its dividend"));
                report.compare(u128::from(event.y), eval(divisor), || what(", its divisor"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn true_traces_are_exact_and_false_ones_are_not() {
        for stdin in [[20, 2], [7, 99]] {
            let report = check(&sample::run(stdin)).unwrap();
            assert!(report.is_exact(), "{:?}", report.mismatches);
            assert_eq!((report.n_nodes, report.n_branches, report.n_switches), (4, 1, 1));
        }
        let mut trace = sample::run([20, 2]);
        trace.nodes[2].value += 1;
        let report = check(&trace).unwrap();
        let text: Vec<_> = report.mismatches.iter().map(Mismatch::to_string).collect();
        assert_eq!(text, ["expression 2, Mul of 32 bits: the run has 0x3d, evaluation gives 0x3c"]);
        let mut trace = sample::run([20, 2]);
        trace.events[1].flags = 0;
        let report = check(&trace).unwrap();
        let text: Vec<_> = report.mismatches.iter().map(Mismatch::to_string).collect();
        assert_eq!(text[0], "event 1, branch at a.c:10:5 in f: the run has 0x1, evaluation gives 0x0");
        assert_eq!(report.n_mismatches, 2);
    }

    #[test]
    fn tables_with_labelled_cells() {
        // Three bytes at 0x100: 5, input byte 1, 7; loaded at 0x100 + input byte 0.
        let mut trace = sample::trace(&[1, 0xaa]);
        trace.snapshots =
            [0x100u64.to_le_bytes().as_slice(), &[3, 0, 0, 0, 1, 0, 0, 0], &[5, 0xaa, 7, 0, 0, 0, 0, 0]].concat();
        trace.snapshots.extend_from_slice(&[0, 0, 0, 0, 1, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]);
        let wide = sample::node(&mut trace, Op::ZExt, 64, Label::input(0), 0, 1);
        let addr = sample::node(&mut trace, Op::Add, 64, wide, 0x100, 0x101);
        let cell = sample::node(&mut trace, Op::Lookup, 8, addr, 0, 0xaa);
        let test = sample::node(&mut trace, Op::Eq, 1, cell, 0xaa, 1);
        sample::branch(&mut trace, test, true);
        let report = check(&trace).unwrap();
        assert!(report.is_exact(), "{:?}", report.mismatches);
        let path = PathCondition::from_trace(&trace).unwrap();
        for (input, holds) in [([1, 0xaa], true), ([1, 0xab], false), ([0, 0xaa], false), ([2, 7], false)] {
            assert_eq!(Evaluator::new(&input).holds(&path.dag, path.steps[0].condition), holds, "{input:?}");
        }
    }
}
