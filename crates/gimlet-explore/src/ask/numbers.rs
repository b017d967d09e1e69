//! Numbers of the input, written anew.
//!
//! One digit is no number of two. Where the bytes that there are cannot make a comparison come out otherwise, and they are
//! the digits of numbers, the input gets other numbers in their place, with as many digits as they have. Which ones is a
//! guess: that the value compared is a sum of the numbers, each with a weight, which a small change of its digits shows. Of
//! several numbers those with a greater weight come first, as in fields of a word. The counters say whether it is good for
//! anything.

use std::cmp::Reverse;
use std::ops::Range;

use gimlet_expr::{semantics, Evaluator, ExprId, Node, UnOp};
use gimlet_path::{Direction, PathCondition, Step, StepKind};
use gimlet_trace::{Input, Trace};

use crate::ask::lengths;

/// Longer numbers are none that programs compute with.
const N_DIGITS_MAX: usize = 18;
/// Numbers that a value is made of.
const N_NUMBERS_MAX: usize = 8;

/// A number in the input.
#[derive(Debug)]
struct Number {
    source: usize,
    place: Range<usize>,
    /// The number of its last byte.
    last: u32,
    value: i128,
    /// What it counts in a sum.
    weight: i128,
}

/// Inputs of a run with other numbers that may lead a step into a direction: one if the comparison is of numbers with a
/// sign, one if it is not, where that makes a difference.
pub fn other_numbers(path: &PathCondition, trace: &Trace, step: &Step, direction: Direction) -> Vec<Input> {
    let Some((value, wanted)) = wanted(path, step, direction) else { return Vec::new() };
    let mut flat = trace.flatten(&trace.input);
    let mut evaluator = Evaluator::new(&flat);
    let Some(mut numbers) = numbers(path, trace, evaluator.settle(&path.dag, value)) else { return Vec::new() };
    let width = path.dag.width(value);
    let before = evaluator.eval(&path.dag, value);
    for number in &mut numbers {
        let digit = &mut flat[number.last as usize];
        let (kept, sign) = (*digit, if *digit == b'9' { -1 } else { 1 });
        *digit = digit.wrapping_add_signed(sign);
        let after = Evaluator::new(&flat).eval(&path.dag, value);
        flat[number.last as usize] = kept;
        number.weight = signed(after.wrapping_sub(before), width) * i128::from(sign);
    }
    let Some(difference) = signed(wanted, width).checked_sub(signed(before, width)) else { return Vec::new() };
    let mut solutions: Vec<Vec<i128>> = solve(&mut numbers, difference).into_iter().collect();
    if !solutions.iter().flatten().all(|&other| other >= 0) && width < 127 {
        // Where there is no sign, down by so much is up by the rest, in as many bits.
        solutions.extend(solve(&mut numbers, difference + (1 << width)));
    }
    let inputs = solutions.iter().filter_map(|others| written(&trace.input, &numbers, others));
    inputs.filter(|input| *input != trace.input).collect()
}

/// The input with other numbers; `None` if one would have two signs.
fn written(input: &Input, numbers: &[Number], others: &[i128]) -> Option<Input> {
    let mut changes: Vec<(&Number, i128)> = numbers.iter().zip(others.iter().copied()).collect();
    changes.sort_by_key(|(number, _)| Reverse((number.source, number.place.start)));
    let mut input = input.clone();
    for (number, other) in changes.into_iter().filter(|(number, other)| number.value != *other) {
        let bytes = &mut input.sources[number.source].bytes;
        if other < 0 && bytes[..number.place.start].ends_with(b"-") {
            return None;
        }
        bytes.splice(number.place.clone(), other.to_string().into_bytes());
    }
    Some(input)
}

/// Other values of the numbers, so that their sum differs by so much. They are sorted by weight.
fn solve(numbers: &mut [Number], difference: i128) -> Option<Vec<i128>> {
    if let [number] = numbers {
        let is_multiple = number.weight != 0 && difference % number.weight == 0;
        return match is_multiple {
            true => Some(vec![number.value.checked_add(difference / number.weight)?]),
            false => None,
        };
    }
    numbers.sort_by_key(|number| Reverse(number.weight));
    let mut rest = difference;
    for number in numbers.iter() {
        rest = rest.checked_add(number.weight.checked_mul(number.value)?)?;
    }
    let mut others = Vec::new();
    for number in numbers.iter() {
        if number.weight <= 0 || rest < 0 {
            return None;
        }
        others.push(rest / number.weight);
        rest %= number.weight;
    }
    (rest == 0).then_some(others)
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
            let near = [constant, constant.wrapping_add(1), constant.wrapping_sub(1)].map(|it| it & mask(width));
            near.into_iter().find(|&it| is_so(it, constant, is_left)).map(|it| (value, it))
        }
        _ => None,
    }
}

/// The numbers that a value is computed from, if there is nothing else.
fn numbers(path: &PathCondition, trace: &Trace, value: ExprId) -> Option<Vec<Number>> {
    let mut numbers: Vec<Number> = Vec::new();
    for byte in path.dag.support(value) {
        let (source, offset) = trace.locate(byte)?;
        let at = usize::try_from(offset).ok()?;
        let bytes = &trace.input.sources.get(source).filter(|it| lengths::can_change(it.kind))?.bytes;
        let digit = i128::from(bytes.get(at).filter(|byte| byte.is_ascii_digit())? - b'0');
        match numbers.last_mut() {
            Some(number) if number.source == source && number.place.end == at => {
                number.place.end += 1;
                number.value = 10 * number.value + digit;
                number.last = byte;
            }
            _ => numbers.push(Number { source, place: at..at + 1, last: byte, value: digit, weight: 0 }),
        }
        if numbers.len() > N_NUMBERS_MAX || numbers.last()?.place.len() > N_DIGITS_MAX {
            return None;
        }
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// Ones in the low bits.
fn mask(width: u32) -> u128 {
    u128::MAX >> u128::BITS.saturating_sub(width)
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

    /// Inputs with a number for which `left op right` comes out otherwise; `None` is the number of two digits in `x=15;`.
    fn other(op: BinOp, left: Option<u128>, right: Option<u128>, direction: Direction) -> String {
        let trace = trace("x=15;");
        let mut dag = Dag::new();
        let [lhs, rhs] = [left, right].map(|side| match side {
            Some(value) => dag.constant(32, value),
            None => number(&mut dag, 2, 2),
        });
        let test = dag.binary(op, lhs, rhs);
        let kind = StepKind::Branch { test, taken: direction == Direction::False, is_model: false };
        let step = Step { event: 0, site: 0, kind, condition: test, is_loose: false };
        let path = PathCondition { dag, steps: vec![step.clone()], observations: Vec::new(), comparisons: Vec::new() };
        texts(&other_numbers(&path, &trace, &step, direction))
    }

    fn texts(inputs: &[Input]) -> String {
        let text = |input: &Input| String::from_utf8(input.sources[0].bytes.clone()).unwrap();
        inputs.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_get_as_many_digits_as_they_need() {
        assert_eq!(other(BinOp::Eq, None, Some(1234), Direction::True), "x=1234;");
        assert_eq!(other(BinOp::Eq, None, Some(7), Direction::True), "x=7;");
        assert_eq!(other(BinOp::Eq, None, Some(0xffff_fffe), Direction::True), "x=-2; x=4294967294;");
        assert_eq!(other(BinOp::Ne, Some(300), None, Direction::False), "x=300;");
    }

    #[test]
    fn numbers_are_on_the_right_side_of_a_bound() {
        assert_eq!(other(BinOp::Slt, Some(300), None, Direction::True), "x=301;");
        assert_eq!(other(BinOp::Slt, None, Some(0), Direction::True), "x=-1; x=4294967295;");
        assert_eq!(other(BinOp::Ule, None, Some(300), Direction::False), "x=301;");
        assert_eq!(other(BinOp::Ule, Some(300), None, Direction::True), "x=300;");
    }

    #[test]
    fn fields_of_a_word_are_numbers_of_their_own() {
        let trace = trace("127.0.0.1");
        let mut dag = Dag::new();
        let mut word = dag.constant(32, 0);
        for (first, n_digits) in [(0, 3), (4, 1), (6, 1)] {
            let (eight, part) = (dag.constant(32, 8), number(&mut dag, first, n_digits));
            word = dag.binary(BinOp::Shl, word, eight);
            word = dag.binary(BinOp::Or, word, part);
        }
        let network = dag.constant(32, 0x0a_42_06);
        let test = dag.binary(BinOp::Eq, word, network);
        let kind = StepKind::Branch { test, taken: false, is_model: false };
        let step = Step { event: 0, site: 0, kind, condition: test, is_loose: false };
        let path = PathCondition { dag, steps: vec![step.clone()], observations: Vec::new(), comparisons: Vec::new() };
        assert_eq!(texts(&other_numbers(&path, &trace, &step, Direction::True)), "10.66.6.1");
    }

    #[test]
    fn a_number_behind_a_minus_keeps_it() {
        let check = |wanted: i32, expected: &str| {
            let trace = trace("x=-15;");
            let mut dag = Dag::new();
            let (zero, fifteen) = (dag.constant(32, 0), number(&mut dag, 3, 2));
            let negative = dag.binary(BinOp::Sub, zero, fifteen);
            let wanted = dag.constant(32, u128::from(wanted as u32));
            let test = dag.binary(BinOp::Eq, negative, wanted);
            let kind = StepKind::Branch { test, taken: false, is_model: false };
            let step = Step { event: 0, site: 0, kind, condition: test, is_loose: false };
            let path =
                PathCondition { dag, steps: vec![step.clone()], observations: Vec::new(), comparisons: Vec::new() };
            assert_eq!(texts(&other_numbers(&path, &trace, &step, Direction::True)), expected);
        };
        check(-1234567, "x=-1234567;");
        // There are no two signs, but numbers that are the same in as many bits.
        check(3, "x=-4294967293;");
    }

    #[test]
    fn what_is_no_number_stays() {
        let trace = trace("x=1y;");
        let mut dag = Dag::new();
        let [lhs, rhs] = [number(&mut dag, 2, 2), dag.constant(32, 5)];
        let test = dag.binary(BinOp::Eq, lhs, rhs);
        let kind = StepKind::Branch { test, taken: false, is_model: false };
        let step = Step { event: 0, site: 0, kind, condition: test, is_loose: false };
        let path = PathCondition { dag, steps: vec![step.clone()], observations: Vec::new(), comparisons: Vec::new() };
        assert_eq!(other_numbers(&path, &trace, &step, Direction::True), []);
    }
}
