//! Which values an expression can have at all: from one number to another, in steps.
//!
//! `10 * a` is never `30 * b + 7`, whatever numbers `a` and `b` are: one is a multiple of ten, and the other leaves seven. To a
//! SAT solver that is hard, as it knows bits and not remainders; programs ask it whenever a unit is multiplied in. So each
//! expression gets an interval and a step, from the domains of the bytes up, and a literal that these rule out is false.
//! What is computed modulo the width is followed as long as all values wrap around equally often.

use gimlet_expr::{BinOp, Dag, ExprId, Node, UnOp};
use rustc_hash::FxHashMap;

use crate::byte_set::ByteSet;
use crate::literal::Literal;

/// Expressions that are looked at for one literal.
const N_NODES_MAX: usize = 4096;
/// Wider ones can be anything.
const WIDTH_MAX: u32 = 64;

/// Values from `low` to `high`, each `low` and a multiple of `step`. A single value has the step 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stride {
    low: i128,
    high: i128,
    step: i128,
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl Stride {
    fn only(value: i128) -> Stride {
        Stride { low: value, high: value, step: 0 }
    }

    fn any(width: u32) -> Stride {
        Stride { low: 0, high: (1 << width.min(WIDTH_MAX)) - 1, step: 1 }
    }

    fn of_domain(domain: &ByteSet) -> Stride {
        let mut values = domain.iter().map(i128::from);
        let Some(low) = values.next() else { return Stride::any(8) };
        values.fold(Stride::only(low), |so_far, value| Stride {
            high: value,
            step: gcd(so_far.step, value - low),
            ..so_far
        })
    }

    fn truth(value: Option<bool>) -> Stride {
        value.map_or(Stride::any(1), |value| Stride::only(value.into()))
    }

    fn has(&self, value: i128) -> bool {
        match self.step {
            0 => value == self.low,
            step => (self.low..=self.high).contains(&value) && (value - self.low) % step == 0,
        }
    }

    fn single(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    fn plus(self, other: Stride) -> Stride {
        Stride { low: self.low + other.low, high: self.high + other.high, step: gcd(self.step, other.step) }
    }

    fn negated(self) -> Stride {
        Stride { low: -self.high, high: -self.low, step: self.step }
    }

    fn times(self, other: Stride) -> Option<Stride> {
        let ends = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        let steps =
            [self.low.checked_mul(other.step)?, other.low.checked_mul(self.step)?, self.step.checked_mul(other.step)?];
        let step = steps.into_iter().fold(0, gcd);
        Some(Stride { low: ends.into_iter().min()?, high: ends.into_iter().max()?, step })
    }

    fn joined(self, other: Stride) -> Stride {
        let step = gcd(gcd(self.step, other.step), self.low - other.low);
        Stride { low: self.low.min(other.low), high: self.high.max(other.high), step }
    }

    /// Modulo the width.
    fn wrapped(self, width: u32) -> Stride {
        let modulus = 1i128 << width;
        let (first, last) = (self.low.div_euclid(modulus), self.high.div_euclid(modulus));
        if first == last {
            return Stride { low: self.low - first * modulus, high: self.high - first * modulus, ..self };
        }
        // What is left of the step are its powers of two.
        let step = gcd(self.step, modulus);
        let low = self.low.rem_euclid(step);
        Stride { low, high: modulus - step + low, step }
    }

    /// Whether the two have no value in common.
    fn is_apart(self, other: Stride) -> bool {
        if self.high < other.low || other.high < self.low {
            return true;
        }
        match gcd(self.step, other.step) {
            0 => self.low != other.low,
            step => (self.low - other.low) % step != 0,
        }
    }

    /// As signed numbers of this width, if none or all are negative.
    fn signed(self, width: u32) -> Option<Stride> {
        let half = 1i128 << (width - 1);
        match (self.low >= half, self.high >= half) {
            (false, false) => Some(self),
            (true, true) => Some(Stride { low: self.low - 2 * half, high: self.high - 2 * half, ..self }),
            _ => None,
        }
    }
}

/// Whether a literal is false for all values that bytes have in their domains.
pub fn is_ruled_out(dag: &Dag, literal: &Literal, domain: &mut dyn FnMut(u32) -> ByteSet) -> bool {
    if dag.width(literal.expr) > WIDTH_MAX {
        return false;
    }
    let Some(stride) = stride(dag, literal.expr, domain) else { return false };
    let Ok(value) = i128::try_from(literal.value) else { return false };
    match literal.is_equal {
        true => !stride.has(value),
        false => stride.single() == Some(value),
    }
}

/// `None` if there is too much to look at.
fn stride(dag: &Dag, root: ExprId, domain: &mut dyn FnMut(u32) -> ByteSet) -> Option<Stride> {
    let mut known: FxHashMap<ExprId, Stride> = FxHashMap::default();
    let mut pending = vec![root];
    while let Some(&id) = pending.last() {
        if known.contains_key(&id) {
            pending.pop();
            continue;
        }
        if known.len() > N_NODES_MAX || pending.len() > N_NODES_MAX {
            return None;
        }
        let node = dag.node(id);
        let width = dag.width(id);
        let is_followed = width <= WIDTH_MAX && !matches!(node, Node::Lookup { .. } | Node::Funnel { .. });
        let n_before = pending.len();
        if is_followed {
            pending.extend(node.operands().filter(|operand| !known.contains_key(operand)));
        }
        if pending.len() == n_before {
            let stride = match is_followed {
                true => of_node(dag, node, width, &known, domain).unwrap_or(Stride::any(width)),
                false => Stride::any(width),
            };
            known.insert(id, stride);
            pending.pop();
        }
    }
    known.get(&root).copied()
}

/// From those of the operands.
fn of_node(
    dag: &Dag,
    node: Node,
    width: u32,
    known: &FxHashMap<ExprId, Stride>,
    domain: &mut dyn FnMut(u32) -> ByteSet,
) -> Option<Stride> {
    let of = |id: ExprId| known.get(&id).copied().filter(|_| dag.width(id) <= WIDTH_MAX);
    Some(match node {
        Node::Const(constant) => Stride::only(i128::try_from(constant.value()).ok()?),
        Node::Byte(byte) => Stride::of_domain(&domain(byte)),
        Node::Unary { op: UnOp::Neg, arg } => of(arg)?.negated().wrapped(width),
        Node::Unary { op: UnOp::Not, arg } => of(arg)?.negated().plus(Stride::only((1 << width) - 1)),
        Node::Unary { .. } => return None,
        Node::Binary { op, lhs, rhs } => of_binary(op, [of(lhs)?, of(rhs)?], dag.width(lhs), width)?,
        Node::ZExt { arg, .. } => of(arg)?,
        Node::SExt { arg, .. } => of(arg)?.signed(dag.width(arg))?.wrapped(width),
        Node::Extract { lo: 0, arg, .. } => of(arg)?.wrapped(width),
        Node::Extract { lo, arg, .. } => {
            let Stride { low, high, .. } = of(arg)?;
            Stride { low: low >> lo, high: high >> lo, step: i128::from(low >> lo != high >> lo) }.wrapped(width)
        }
        Node::Concat { hi, lo } => of(hi)?.times(Stride::only(1 << dag.width(lo)))?.plus(of(lo)?),
        Node::Ite { cond, then, other } => match of(cond)?.single() {
            Some(0) => of(other)?,
            Some(_) => of(then)?,
            None => of(then)?.joined(of(other)?),
        },
        Node::Funnel { .. } | Node::Lookup { .. } => return None,
    })
}

fn of_binary(op: BinOp, [lhs, rhs]: [Stride; 2], width_of_operands: u32, width: u32) -> Option<Stride> {
    let less = |is_certain: bool, is_impossible: bool| {
        Stride::truth(is_certain.then_some(true).or(is_impossible.then_some(false)))
    };
    let signed = || Some([lhs.signed(width_of_operands)?, rhs.signed(width_of_operands)?]);
    Some(match op {
        BinOp::Add => lhs.plus(rhs).wrapped(width),
        BinOp::Sub => lhs.plus(rhs.negated()).wrapped(width),
        BinOp::Mul => lhs.times(rhs)?.wrapped(width),
        BinOp::Shl => match rhs.single()? {
            amount if amount < i128::from(width) => lhs.times(Stride::only(1 << amount))?.wrapped(width),
            _ => return None,
        },
        BinOp::LShr => match rhs.single()? {
            amount if amount < i128::from(width) => {
                let (low, high) = (lhs.low >> amount, lhs.high >> amount);
                Stride { low, high, step: i128::from(low != high) }
            }
            _ => return None,
        },
        BinOp::URem => match rhs.single()? {
            0 => return None,
            divisor if lhs.high < divisor => Stride { ..lhs },
            divisor => {
                let step = gcd(lhs.step, divisor);
                let low = lhs.low % step;
                Stride { low, high: divisor - step + low, step: if step == divisor { 0 } else { step } }
            }
        },
        BinOp::UDiv => match rhs.single()? {
            0 => return None,
            divisor => {
                let (low, high) = (lhs.low / divisor, lhs.high / divisor);
                Stride { low, high, step: i128::from(low != high) }
            }
        },
        BinOp::And => match (lhs.single(), rhs.single()) {
            (Some(mask), _) => masked(rhs, mask)?,
            (_, Some(mask)) => masked(lhs, mask)?,
            _ => return None,
        },
        BinOp::Eq | BinOp::Ne => {
            let is_same = lhs.single().is_some() && lhs.single() == rhs.single();
            let is_equal = if lhs.is_apart(rhs) { Some(false) } else { is_same.then_some(true) };
            Stride::truth(is_equal.map(|is_equal| is_equal == (op == BinOp::Eq)))
        }
        BinOp::Ult => less(lhs.high < rhs.low, lhs.low >= rhs.high),
        BinOp::Ule => less(lhs.high <= rhs.low, lhs.low > rhs.high),
        BinOp::Slt => signed().map(|[lhs, rhs]| less(lhs.high < rhs.low, lhs.low >= rhs.high))?,
        BinOp::Sle => signed().map(|[lhs, rhs]| less(lhs.high <= rhs.low, lhs.low > rhs.high))?,
        _ => return None,
    })
}

/// The low bits, if that is what a mask leaves.
fn masked(stride: Stride, mask: i128) -> Option<Stride> {
    let width = (mask + 1).trailing_zeros();
    (mask >= 0 && mask + 1 == 1 << width && width > 0).then(|| stride.wrapped(width))
}

#[cfg(test)]
mod tests {
    use gimlet_expr::Evaluator;
    use proptest::prelude::*;

    use super::*;

    fn digits() -> ByteSet {
        let mut set = ByteSet::EMPTY;
        (b'0'..=b'9').for_each(|digit| set.insert(digit));
        set
    }

    /// The number that some digits are, times a factor.
    fn number(dag: &mut Dag, bytes: std::ops::Range<u32>, factor: u128) -> ExprId {
        let (ten, nought) = (dag.constant(64, 10), dag.constant(64, u64::MAX.wrapping_sub(47).into()));
        let mut value = dag.constant(64, 0);
        for byte in bytes {
            let byte = dag.byte(byte);
            let byte = dag.zext(64, byte);
            let digit = dag.binary(BinOp::Add, byte, nought);
            value = dag.binary(BinOp::Mul, value, ten);
            value = dag.binary(BinOp::Add, value, digit);
        }
        let factor = dag.constant(64, factor);
        dag.binary(BinOp::Mul, value, factor)
    }

    #[test]
    fn units_leave_remainders() {
        let check = |factors: [u128; 2], constant: u128, is_impossible: bool| {
            let mut dag = Dag::unsimplified();
            let (one, other) = (number(&mut dag, 0..6, factors[0]), number(&mut dag, 6..10, factors[1]));
            let constant = dag.constant(64, constant);
            let sum = dag.binary(BinOp::Add, other, constant);
            let is_equal = dag.binary(BinOp::Eq, one, sum);
            let literal = Literal::truth(is_equal, true);
            assert_eq!(is_ruled_out(&dag, &literal, &mut |_| digits()), is_impossible);
            assert!(!is_ruled_out(&dag, &literal.negated(), &mut |_| digits()));
        };
        check([10, 30], 7, true);
        check([60, 7200], 17, true);
        check([1, 7200], 17, false);
        check([10, 30], 20, false);
        // Too large a number for six digits.
        check([1, 1], 2_000_000, true);
    }

    /// An expression by a list of choices.
    fn build(dag: &mut Dag, choices: &[(u8, u8, u8)]) -> ExprId {
        let mut all: Vec<ExprId> = vec![dag.byte(0), dag.byte(1), dag.constant(8, 10), dag.constant(8, 250)];
        let ops = [
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::Shl,
            BinOp::LShr,
            BinOp::URem,
            BinOp::UDiv,
            BinOp::And,
            BinOp::Eq,
            BinOp::Ne,
            BinOp::Ult,
            BinOp::Ule,
            BinOp::Slt,
            BinOp::Sle,
            BinOp::Or,
            BinOp::SDiv,
        ];
        for &(what, a, b) in choices {
            let pick = |at: u8| all[usize::from(at) % all.len()];
            let (one, other) = (pick(a), pick(b));
            let width = dag.width(one);
            let other = match dag.width(other) {
                same if same == width => other,
                less if less < width => dag.zext(width, other),
                _ => dag.extract(0, width, other),
            };
            let new = match what % 24 {
                at if usize::from(at) < ops.len() => dag.binary(ops[usize::from(at)], one, other),
                16 if width < 32 => dag.zext(width + 8, one),
                17 if width < 32 => dag.sext(width + 8, one),
                18 if width > 4 => dag.extract(u32::from(b % 3), width - 3, one),
                19 if width < 24 => dag.concat(one, other),
                20 => dag.unary(UnOp::Neg, one),
                21 => dag.unary(UnOp::Not, one),
                22 => dag.constant(width, u128::from(b) & ((1 << width) - 1)),
                _ => {
                    let condition = dag.binary(BinOp::Ult, one, other);
                    dag.ite(condition, one, other)
                }
            };
            all.push(new);
        }
        all[all.len() - 1]
    }

    proptest! {
        #[test]
        fn no_value_is_left_out(
            choices in proptest::collection::vec(any::<(u8, u8, u8)>(), 1..14),
            first in proptest::collection::vec(any::<u8>(), 1..5),
            second in proptest::collection::vec(any::<u8>(), 1..5),
        ) {
            let mut dag = Dag::unsimplified();
            let root = build(&mut dag, &choices);
            let set = |values: &[u8]| {
                let mut set = ByteSet::EMPTY;
                values.iter().for_each(|&value| set.insert(value));
                set
            };
            let domains = [set(&first), set(&second)];
            let found = stride(&dag, root, &mut |byte| domains[byte as usize]).unwrap();
            for &one in &first {
                for &other in &second {
                    let value = Evaluator::new(&[one, other]).eval(&dag, root);
                    prop_assert!(found.has(value as i128), "{value} is not in {found:?}");
                }
            }
        }
    }
}
