//! Numbers of the input, written anew.
//!
//! One digit is no number of two. Where the bytes that there are cannot make a comparison come out otherwise, and they are
//! the digits of a number, the input gets another number in their place, with as many digits as it has. Which one is a
//! guess: that the value compared is the number, up to a difference. The counters say whether it is good for anything.

use std::ops::Range;

use gimlet_expr::{semantics, Evaluator, ExprId, Node, UnOp};
use gimlet_path::{Direction, PathCondition, Step, StepKind};
use gimlet_trace::{Input, Trace};

use crate::lengths;

/// Longer numbers are none that programs compute with.
const N_DIGITS_MAX: usize = 19;

/// The input of a run with another number that may lead a step into a direction.
pub fn other_number(path: &PathCondition, trace: &Trace, step: &Step, direction: Direction) -> Option<Input> {
    let flat = trace.flatten(&trace.input);
    let mut evaluator = Evaluator::new(&flat);
    let (value, wanted) = wanted(path, step, direction)?;
    let (source, place) = digits(path, trace, evaluator.settle(&path.dag, value))?;
    let mut input = trace.input.clone();
    let bytes = &mut input.sources[source].bytes;
    let number: u64 = std::str::from_utf8(&bytes[place.clone()]).ok()?.parse().ok()?;
    let width = path.dag.width(value);
    let difference = evaluator.eval(&path.dag, value).wrapping_sub(u128::from(number));
    let other = signed(wanted.wrapping_sub(difference), width);
    bytes.splice(place, other.to_string().into_bytes());
    (input != trace.input).then_some(input)
}

/// What is compared at a step, and what it is to be.
fn wanted(path: &PathCondition, step: &Step, direction: Direction) -> Option<(ExprId, u128)> {
    let dag = &path.dag;
    match (&step.kind, direction) {
        (&StepKind::Switch { value, .. }, Direction::Case(case)) => Some((value, u128::from(case))),
        (&StepKind::Branch { mut test, is_model: false, .. }, Direction::True | Direction::False) => {
            let mut truth = u128::from(direction == Direction::True);
            while let Node::Unary { op: UnOp::Not, arg } = dag.node(test) {
                (test, truth) = (arg, 1 - truth);
            }
            let Node::Binary { op, lhs, rhs } = dag.node(test) else { return None };
            if !op.is_comparison() {
                return None;
            }
            let width = dag.width(lhs);
            let is_so = |other: u128, constant: u128, is_left: bool| {
                let (lhs, rhs) = if is_left { (other, constant) } else { (constant, other) };
                semantics::binary(op, width, lhs, rhs) == truth
            };
            let (value, constant, is_left) = match (dag.as_const(lhs), dag.as_const(rhs)) {
                (None, Some(constant)) => (lhs, constant, true),
                (Some(constant), None) => (rhs, constant, false),
                _ => return None,
            };
            let near = [constant, constant.wrapping_add(1), constant.wrapping_sub(1)].map(|it| masked(it, width));
            near.into_iter().find(|&it| is_so(it, constant, is_left)).map(|it| (value, it))
        }
        _ => None,
    }
}

/// The digits that a value is computed from, if those are all.
fn digits(path: &PathCondition, trace: &Trace, value: ExprId) -> Option<(usize, Range<usize>)> {
    let support = path.dag.support(value);
    let (&first, &last) = (support.first()?, support.last()?);
    let is_one = (last - first) as usize + 1 == support.len() && support.len() <= N_DIGITS_MAX;
    let ((source, start), (last_source, end)) = (trace.locate(first)?, trace.locate(last)?);
    let place = usize::try_from(start).ok()?..usize::try_from(end).ok()? + 1;
    let bytes = trace.input.sources.get(source).filter(|it| lengths::can_change(it.kind))?.bytes.get(place.clone())?;
    let is_number = is_one && source == last_source && place.len() == support.len();
    (is_number && bytes.iter().all(u8::is_ascii_digit)).then_some((source, place))
}

fn masked(value: u128, width: u32) -> u128 {
    if width >= u128::BITS {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// The low bits as a number with a sign.
fn signed(value: u128, width: u32) -> i128 {
    let n_spare = u128::BITS.saturating_sub(width);
    ((value << n_spare) as i128) >> n_spare
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::{BinOp, Dag};
    use gimlet_trace::shm::SegmentRecord;
    use gimlet_trace::trace::Outcome;

    fn trace(stdin: &str) -> Trace {
        Trace {
            input: Input::stdin(stdin),
            segments: vec![SegmentRecord { source: 0, first: 0, offset: 0, len: stdin.len() as u64 }],
            nodes: Vec::new(),
            snapshots: Vec::new(),
            events: Vec::new(),
            names: Vec::new(),
            tallies: Vec::new(),
            modules: Vec::new(),
            tables: Vec::new(),
            outcome: Outcome::Exited(0),
            stops: 0,
            forks: 0,
            symbolic_operations: 0,
        }
    }

    /// The number that the digits from byte `first` on are, of 32 bits.
    fn number(dag: &mut Dag, first: u32, n_digits: u32) -> ExprId {
        let mut sum = dag.constant(32, 0);
        for index in first..first + n_digits {
            let (ten, zero, byte) = (dag.constant(32, 10), dag.constant(32, b'0'.into()), dag.byte(index));
            let digit = dag.zext(32, byte);
            let digit = dag.binary(BinOp::Sub, digit, zero);
            sum = dag.binary(BinOp::Mul, sum, ten);
            sum = dag.binary(BinOp::Add, sum, digit);
        }
        sum
    }

    /// The input with a number for which `left op right` comes out otherwise; `None` is the number of two digits in
    /// `x=15;`.
    fn other(op: BinOp, left: Option<u128>, right: Option<u128>, direction: Direction) -> Option<String> {
        let trace = trace("x=15;");
        let mut dag = Dag::new();
        let [lhs, rhs] = [left, right].map(|side| match side {
            Some(value) => dag.constant(32, value),
            None => number(&mut dag, 2, 2),
        });
        let test = dag.binary(op, lhs, rhs);
        let kind = StepKind::Branch { test, taken: direction == Direction::False, is_model: false };
        let step = Step { event: 0, site: 0, kind, condition: test };
        let path = PathCondition { dag, steps: vec![step.clone()], observations: Vec::new(), comparisons: Vec::new() };
        let input = other_number(&path, &trace, &step, direction)?;
        Some(String::from_utf8(input.sources[0].bytes.clone()).unwrap())
    }

    #[test]
    fn numbers_get_as_many_digits_as_they_need() {
        assert_eq!(other(BinOp::Eq, None, Some(1234), Direction::True).unwrap(), "x=1234;");
        assert_eq!(other(BinOp::Eq, None, Some(7), Direction::True).unwrap(), "x=7;");
        assert_eq!(other(BinOp::Eq, None, Some(0xffff_fffe), Direction::True).unwrap(), "x=-2;");
        assert_eq!(other(BinOp::Ne, Some(300), None, Direction::False).unwrap(), "x=300;");
    }

    #[test]
    fn numbers_are_on_the_right_side_of_a_bound() {
        assert_eq!(other(BinOp::Slt, Some(300), None, Direction::True).unwrap(), "x=301;");
        assert_eq!(other(BinOp::Slt, None, Some(0), Direction::True).unwrap(), "x=-1;");
        assert_eq!(other(BinOp::Ule, None, Some(300), Direction::False).unwrap(), "x=301;");
        assert_eq!(other(BinOp::Ule, Some(300), None, Direction::True).unwrap(), "x=300;");
    }

    #[test]
    fn what_is_no_number_stays() {
        let trace = trace("x=1y;");
        let mut dag = Dag::new();
        let [lhs, rhs] = [number(&mut dag, 2, 2), dag.constant(32, 5)];
        let test = dag.binary(BinOp::Eq, lhs, rhs);
        let kind = StepKind::Branch { test, taken: false, is_model: false };
        let step = Step { event: 0, site: 0, kind, condition: test };
        let path = PathCondition { dag, steps: vec![step.clone()], observations: Vec::new(), comparisons: Vec::new() };
        assert!(other_number(&path, &trace, &step, Direction::True).is_none());
    }
}
