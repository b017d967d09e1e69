//! The path condition of a run: its steps, in order, over one DAG.

use std::collections::HashMap;
use std::sync::Arc;

use gimlet_expr::{BinOp, Dag, ExprId, Node};
use gimlet_trace::event::{EventKind, EventRecord, PinReason, PIN_LOOSE, TRAP_BY_ZERO, TRAP_OVERFLOW};
use gimlet_trace::node::Op;
use gimlet_trace::{Label, Trace};

use crate::comparison::{Comparison, Comparisons};
use crate::error::PathError;
use crate::observation::{Observation, Observations};
use crate::step::{equals, inside, none_of, Direction, Step, StepKind};
use crate::translate::{Translation, N_BETWEEN_LOOKS};

/// Bit of [`EventRecord::flags`] that most kinds use: taken, held, write.
const FLAG_YES: u8 = 1;
/// Bit of a branch's flags: decided inside the model of a library function.
const FLAG_MODEL: u8 = 2;

/// An input follows the path of the run as long as the conditions of its steps hold.
#[derive(Debug)]
pub struct PathCondition {
    pub dag: Dag,
    pub steps: Vec<Step>,
    /// What the program let us see on the way.
    pub observations: Vec<Observation>,
    /// Words that it compared parts of the input with.
    pub comparisons: Vec<Comparison>,
}

impl PathCondition {
    /// The path condition of a run, simplified.
    pub fn from_trace(trace: &Trace) -> Result<PathCondition, PathError> {
        PathCondition::with_dag(trace, Dag::new())
    }

    /// The same, as long as nobody says that it is to stop.
    pub fn from_trace_unless(trace: &Trace, is_stopped: &dyn Fn() -> bool) -> Result<PathCondition, PathError> {
        PathCondition::steps(trace, Translation::unless(trace, Dag::new(), is_stopped)?, is_stopped)
    }

    /// The same over a DAG of the caller's choice.
    pub fn with_dag(trace: &Trace, dag: Dag) -> Result<PathCondition, PathError> {
        PathCondition::from_translation(trace, Translation::new(trace, dag)?)
    }

    /// The steps of a trace whose records have been translated.
    pub fn from_translation(trace: &Trace, translation: Translation) -> Result<PathCondition, PathError> {
        PathCondition::steps(trace, translation, &|| false)
    }

    fn steps(
        trace: &Trace,
        mut translation: Translation,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<PathCondition, PathError> {
        let mut cases = CaseLists::default();
        let mut steps = Vec::new();
        let mut observations = Observations::default();
        let mut comparisons = Comparisons::default();
        for (index, event) in trace.events.iter().enumerate() {
            if index % N_BETWEEN_LOOKS == 0 && is_stopped() {
                return Err(PathError::Stopped);
            }
            if let Some((kind, mut condition)) = step_of(trace, event, &mut translation, &mut cases) {
                let is_place = matches!(kind, StepKind::Pin { .. } | StepKind::Access { .. });
                let is_loose_pin = matches!(kind, StepKind::Pin { .. }) && event.flags & PIN_LOOSE != 0;
                let is_loose = is_loose_pin || is_place && translation.depends_on_length(Label(event.a));
                if is_loose && matches!(kind, StepKind::Pin { .. }) {
                    condition = translation.with_lengths(condition);
                }
                steps.push(Step { event: index, site: event.site, kind, condition, is_loose });
            }
            observations.take(trace, index, steps.len(), &mut translation);
            comparisons.take(trace, event, &mut translation);
        }
        let (observations, comparisons) = (observations.found, comparisons.found);
        Ok(PathCondition { dag: translation.dag, steps, observations, comparisons })
    }

    /// The conditions of all steps before number `step`, without those that are constantly true.
    pub fn prefix(&self, step: usize) -> impl Iterator<Item = ExprId> + '_ {
        let conditions = self.steps[..step.min(self.steps.len())].iter().map(|step| step.condition);
        conditions.filter(|&condition| self.dag.as_const(condition) != Some(1))
    }

    /// The steps whose conditions depend on some of the input bytes.
    pub fn steps_on(&self, is_wanted: impl Fn(u32) -> bool) -> Vec<usize> {
        let mut depends = Vec::with_capacity(self.dag.len());
        for position in 0..self.dag.len() {
            let node = self.dag.node(self.dag.id(position));
            let own = matches!(node, Node::Byte(byte) if is_wanted(byte));
            let here = own || node.operands().any(|operand| depends[operand.index()]);
            depends.push(here);
        }
        let is_one = |step: &Step| depends[step.condition.index()];
        self.steps.iter().enumerate().filter(|(_, step)| is_one(step)).map(|(number, _)| number).collect()
    }

    /// Position in `steps` of the step that stands for an event.
    pub fn step_of_event(&self, event: usize) -> Option<usize> {
        self.steps.binary_search_by_key(&event, |step| step.event).ok()
    }
}

/// Case values by site, each list made once.
#[derive(Default)]
struct CaseLists {
    by_site: HashMap<u32, Option<Arc<[u64]>>>,
}

impl CaseLists {
    fn of(&mut self, trace: &Trace, site: u32) -> Option<Arc<[u64]>> {
        let look_up = || trace.site(site).map(|site| site.cases().map(|(value, _)| value).collect());
        self.by_site.entry(site).or_insert_with(look_up).clone()
    }
}

/// What an event contributes to the path condition, if anything.
fn step_of(
    trace: &Trace,
    event: &EventRecord,
    translation: &mut Translation,
    cases: &mut CaseLists,
) -> Option<(StepKind, ExprId)> {
    let yes = event.flags & FLAG_YES != 0;
    Some(match EventKind::from_code(event.kind)? {
        EventKind::Branch => {
            let test = translation.expr(Label(event.a));
            let is_model = event.flags & FLAG_MODEL != 0;
            (StepKind::Branch { test, taken: yes, is_model }, signed_test(&mut translation.dag, test, yes))
        }
        EventKind::Switch => {
            let value = translation.expr(Label(event.a));
            let cases = cases.of(trace, event.site);
            let condition = match &cases {
                Some(cases) if !cases.contains(&event.x) => none_of(&mut translation.dag, value, cases),
                _ => equals(&mut translation.dag, value, u128::from(event.x)),
            };
            (StepKind::Switch { value, taken: event.x, cases }, condition)
        }
        EventKind::Pin => {
            let expr = translation.expr(Label(event.a));
            let value = u128::from(event.x) | u128::from(event.y) << 64;
            let condition = equals(&mut translation.dag, expr, value);
            (StepKind::Pin { expr, value, reason: PinReason::from_code(event.aux) }, condition)
        }
        EventKind::Access => {
            let addr = translation.expr(Label(event.a));
            let condition = inside(&mut translation.dag, addr, event.x, event.y, event.aux);
            let kind = StepKind::Access { addr, n_bytes: event.aux, is_write: yes, base: event.x, size: event.y };
            (kind, condition)
        }
        EventKind::Arith => arith(event, translation)?,
        EventKind::Assume => {
            let test = translation.truth(event.a)?;
            (StepKind::Assume { test, held: yes }, signed_test(&mut translation.dag, test, yes))
        }
        EventKind::Assert => {
            let test = translation.truth(event.a)?;
            (StepKind::Assert { test, held: yes }, signed_test(&mut translation.dag, test, yes))
        }
        EventKind::Read => {
            let kind = StepKind::Read {
                source: event.a,
                offset: event.x,
                wanted: (event.y >> 32) as u32,
                got: event.y as u32,
                is_end: event.b != 0,
            };
            (kind, translation.dag.boolean(true))
        }
        _ => return None,
    })
}

/// A division, which trapped or did not. A constant divisor says nothing.
fn arith(event: &EventRecord, translation: &mut Translation) -> Option<(StepKind, ExprId)> {
    let (a, b) = (Label(event.a), Label(event.b));
    let known = [a, b].into_iter().find(|label| label.is_symbolic())?;
    let known = translation.expr(known);
    let width = translation.dag.width(known);
    let mut operand = |label: Label, value: u64| match label.is_symbolic() {
        true => translation.expr(label),
        false => translation.dag.constant(width, u128::from(value)),
    };
    let (dividend, divisor) = (operand(a, event.x), operand(b, event.y));
    let op = Op::from_code(event.flags);
    let taken = match event.aux {
        aux if aux & TRAP_BY_ZERO != 0 => Direction::ByZero,
        aux if aux & TRAP_OVERFLOW != 0 => Direction::Overflow,
        _ => Direction::Divided,
    };
    let kind = StepKind::Arith { op, dividend, divisor, taken };
    let ways = kind.divisions(&mut translation.dag);
    let happened = ways.iter().find(|way| way.direction == taken).map(|way| way.condition);
    Some((kind, happened.unwrap_or_else(|| translation.dag.boolean(true))))
}

/// `test` or its negation.
fn signed_test(dag: &mut Dag, test: ExprId, holds: bool) -> ExprId {
    if holds {
        test
    } else {
        dag.not(test)
    }
}

impl Translation<'_> {
    /// What a label names as a truth value; `None` for a concrete one.
    fn truth(&mut self, label: u32) -> Option<ExprId> {
        if label == 0 {
            return None;
        }
        let expr = self.expr(Label(label));
        let width = self.dag.width(expr);
        if width == 1 {
            return Some(expr);
        }
        let zero = self.dag.constant(width, 0);
        Some(self.dag.binary(BinOp::Ne, expr, zero))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::step::Direction;
    use gimlet_expr::Evaluator;

    #[test]
    fn branches_and_switches() {
        let trace = sample::run([20, 2]);
        let mut path = PathCondition::from_trace(&trace).unwrap();
        let directions: Vec<_> = path.steps.iter().map(|step| step.direction().unwrap()).collect();
        assert_eq!(directions, [Direction::True, Direction::Case(2)]);
        let check = |path: &PathCondition, input: &[u8], expected: [bool; 2]| {
            let mut evaluator = Evaluator::new(input);
            let holds: Vec<_> = path.steps.iter().map(|step| evaluator.holds(&path.dag, step.condition)).collect();
            assert_eq!(holds, expected, "{input:?}");
        };
        check(&path, &[20, 2], [true, true]);
        check(&path, &[21, 2], [false, true]);
        check(&path, &[20, 9], [true, false]);
        let switch = path.steps[1].clone();
        assert!(switch.is_flippable(&path.dag));
        let alternatives = switch.alternatives(&mut path.dag, &[]);
        for (alternative, witness) in alternatives.iter().zip([1, 7, 9]) {
            assert_eq!(switch.direction_for(witness), Some(alternative.direction));
            let mut evaluator = Evaluator::new(&[20, witness as u8]);
            let holding = alternatives.iter().filter(|other| evaluator.holds(&path.dag, other.condition)).count();
            assert_eq!(holding, 1);
            assert!(evaluator.holds(&path.dag, alternative.condition));
        }
        assert_eq!(alternatives.len(), 3);
    }

    #[test]
    fn the_default_of_a_switch_is_none_of_its_cases() {
        let trace = sample::run([0, 3]);
        let mut path = PathCondition::from_trace(&trace).unwrap();
        let switch = path.steps[1].clone();
        assert_eq!(switch.direction(), Some(Direction::Default));
        for (value, holds) in [(0, true), (1, false), (2, false), (7, false), (200, true)] {
            let mut evaluator = Evaluator::new(&[0, value]);
            assert_eq!(evaluator.holds(&path.dag, switch.condition), holds);
        }
        assert_eq!(switch.alternatives(&mut path.dag, &[]).len(), 3);
    }

    #[test]
    fn pins_accesses_and_divisions() {
        let mut trace = sample::trace(&[4]);
        let wide = sample::node(&mut trace, Op::ZExt, 64, Label::input(0), 0, 4);
        let addr = sample::node(&mut trace, Op::Add, 64, wide, 0x1000, 0x1004);
        sample::event(&mut trace, EventKind::Access, sample::LOAD, addr, 0, 0x1000, 10);
        trace.events[0].aux = 4;
        sample::event(&mut trace, EventKind::Pin, sample::LOAD, addr, 0, 0x1004, 0);
        sample::event(&mut trace, EventKind::Arith, sample::LOAD, Label::NONE, Op::UDiv as u8, 100, 4);
        trace.events[2].b = wide.0;
        let path = PathCondition::from_trace(&trace).unwrap();
        for (input, expected) in
            [(4, [true, true, true]), (6, [true, false, true]), (7, [false, false, true]), (0, [true, false, false])]
        {
            let mut evaluator = Evaluator::new(&[input]);
            let holds: Vec<_> = path.steps.iter().map(|step| evaluator.holds(&path.dag, step.condition)).collect();
            assert_eq!(holds, expected, "{input}");
        }
    }

    #[test]
    fn a_division_traps_or_does_not() {
        for (trap, input, taken, others) in [
            (0, 5, Direction::Divided, vec![Direction::ByZero, Direction::Overflow]),
            (TRAP_BY_ZERO, 0, Direction::ByZero, vec![Direction::Overflow, Direction::Divided]),
            (TRAP_OVERFLOW, 255, Direction::Overflow, vec![Direction::ByZero, Direction::Divided]),
        ] {
            let mut trace = sample::trace(&[input]);
            let event = (Op::SDiv as u8, 0x80, u64::from(input));
            sample::event(&mut trace, EventKind::Arith, sample::LOAD, Label::NONE, event.0, event.1, event.2);
            trace.events[0].b = Label::input(0).0;
            trace.events[0].aux = 8 | trap;
            let mut path = PathCondition::from_trace(&trace).unwrap();
            let step = path.steps[0].clone();
            assert_eq!(step.direction(), Some(taken));
            assert!(Evaluator::new(&[input]).holds(&path.dag, step.condition));
            let found = step.alternatives(&mut path.dag, &[]);
            assert_eq!(found.iter().map(|it| it.direction).collect::<Vec<_>>(), others);
            for input in 0..=u8::MAX {
                let mut evaluator = Evaluator::new(&[input]);
                let ways = found.iter().map(|it| it.condition).chain([step.condition]);
                assert_eq!(ways.filter(|&way| evaluator.holds(&path.dag, way)).count(), 1, "{input}");
            }
        }
    }
}
