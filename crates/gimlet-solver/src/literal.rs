//! Conditions as literals: an expression has, or has not, a given value.
//!
//! A condition of a path is taken apart into a conjunction of literals, each on its own easier to
//! slice and to decide: both operands of a true `and`, the parts of a concatenation that equals a
//! constant, the arms of an `Ite` of which one can't have the value. A string comparison that is one
//! expression becomes one literal a character where it says "equal". Nothing is added to the DAG.

use gimlet_expr::semantics::{fits_signed, mask, signed, unsigned};
use gimlet_expr::{BinOp, Dag, ExprId, Node, UnOp};

use crate::fingerprint::{mix, Fingerprint};

/// "`expr` is `value`", or its opposite.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    pub expr: ExprId,
    pub value: u128,
    pub is_equal: bool,
}

/// Steps after which a condition is not taken apart any further.
const N_STEPS_MAX: usize = 4096;

impl Literal {
    /// A condition of width 1 with a truth value.
    pub fn truth(expr: ExprId, is_true: bool) -> Literal {
        Literal { expr, value: 1, is_equal: is_true }
    }

    /// Whether the literal is true where `expr` has the value `actual`.
    pub fn holds_for(&self, actual: u128) -> bool {
        (actual == self.value) == self.is_equal
    }

    pub fn negated(self) -> Literal {
        Literal { is_equal: !self.is_equal, ..self }
    }

    /// The fingerprint, given that of the expression.
    pub fn fingerprint(&self, of_expr: Fingerprint) -> Fingerprint {
        mix(mix(of_expr, self.value), u128::from(self.is_equal))
    }
}

/// What a step of taking apart makes of a literal.
enum Step {
    /// The literal is a literal of a simpler expression.
    Same(Literal),
    Both(Literal, Literal),
    True,
    False,
    /// As simple as it gets.
    Stays,
}

/// The literals that together say that `condition` is true; `None` if it never is.
pub fn conjuncts(dag: &Dag, condition: ExprId) -> Option<Vec<Literal>> {
    let mut found = Vec::new();
    let mut pending = vec![Literal::truth(condition, true)];
    let mut n_steps = 0;
    while let Some(literal) = pending.pop() {
        n_steps += 1;
        if n_steps > N_STEPS_MAX {
            found.push(literal);
            continue;
        }
        match step(dag, literal) {
            Step::Same(simpler) => pending.push(simpler),
            Step::Both(a, b) => pending.extend([b, a]),
            Step::True => {}
            Step::False => return None,
            Step::Stays => found.push(literal),
        }
    }
    Some(found)
}

fn step(dag: &Dag, literal: Literal) -> Step {
    let Literal { expr, value, is_equal } = literal;
    let width = dag.width(expr);
    if width == 1 && value == 0 {
        return Step::Same(Literal { expr, value: 1, is_equal: !is_equal });
    }
    match dag.node(expr) {
        Node::Const(constant) if literal.holds_for(constant.value()) => Step::True,
        Node::Const(_) => Step::False,
        Node::Unary { op: UnOp::Not, arg } => Step::Same(Literal { expr: arg, value: !value & mask(width), is_equal }),
        Node::Unary { op: UnOp::Neg, arg } => {
            Step::Same(Literal { expr: arg, value: value.wrapping_neg() & mask(width), is_equal })
        }
        Node::Binary { op, lhs, rhs } => of_binary(dag, literal, op, lhs, rhs),
        Node::ZExt { arg, .. } if value <= mask(dag.width(arg)) => Step::Same(Literal { expr: arg, value, is_equal }),
        Node::SExt { arg, .. } if fits_signed(dag.width(arg), signed(width, value)) => {
            let value = unsigned(dag.width(arg), signed(width, value));
            Step::Same(Literal { expr: arg, value, is_equal })
        }
        Node::ZExt { .. } | Node::SExt { .. } if is_equal => Step::False,
        Node::ZExt { .. } | Node::SExt { .. } => Step::True,
        Node::Concat { hi, lo } => of_concat(dag, literal, hi, lo),
        Node::Ite { cond, then, other } => of_ite(dag, literal, cond, then, other),
        _ => Step::Stays,
    }
}

fn of_binary(dag: &Dag, literal: Literal, op: BinOp, lhs: ExprId, rhs: ExprId) -> Step {
    let Literal { value, is_equal, .. } = literal;
    let width = dag.width(lhs);
    let constant = dag.as_const(rhs);
    let of_lhs = |value: u128| Step::Same(Literal { expr: lhs, value: value & mask(width), is_equal });
    match (op, constant) {
        (BinOp::Add, Some(constant)) => of_lhs(value.wrapping_sub(constant)),
        (BinOp::Sub, Some(constant)) => of_lhs(value.wrapping_add(constant)),
        (BinOp::Xor, Some(constant)) => of_lhs(value ^ constant),
        (BinOp::Eq, Some(constant)) => of_lhs(constant),
        (BinOp::Ne, Some(constant)) => Step::Same(Literal { expr: lhs, value: constant, is_equal: !is_equal }),
        (BinOp::And, None) if width == 1 && is_equal => {
            Step::Both(Literal::truth(lhs, true), Literal::truth(rhs, true))
        }
        (BinOp::Or, None) if width == 1 && !is_equal => {
            Step::Both(Literal::truth(lhs, false), Literal::truth(rhs, false))
        }
        (BinOp::Or, None) if value == 0 && is_equal => {
            let zero = |expr| Literal { expr, value: 0, is_equal: true };
            Step::Both(zero(lhs), zero(rhs))
        }
        _ => Step::Stays,
    }
}

fn of_concat(dag: &Dag, literal: Literal, hi: ExprId, lo: ExprId) -> Step {
    let lo_width = dag.width(lo);
    let high = Literal { expr: hi, value: literal.value >> lo_width, is_equal: true };
    let low = Literal { expr: lo, value: literal.value & mask(lo_width), is_equal: true };
    if literal.is_equal {
        return Step::Both(high, low);
    }
    match (dag.as_const(hi), dag.as_const(lo)) {
        (Some(value), _) if value == high.value => Step::Same(low.negated()),
        (_, Some(value)) if value == low.value => Step::Same(high.negated()),
        (None, None) => Step::Stays,
        _ => Step::True,
    }
}

/// If an arm certainly differs from the wanted value, the condition takes the other one.
fn of_ite(dag: &Dag, literal: Literal, cond: ExprId, then: ExprId, other: ExprId) -> Step {
    let fails = |arm| dag.as_const(arm).is_some_and(|value| !literal.holds_for(value));
    if fails(then) {
        Step::Both(Literal::truth(cond, false), Literal { expr: other, ..literal })
    } else if fails(other) {
        Step::Both(Literal::truth(cond, true), Literal { expr: then, ..literal })
    } else {
        Step::Stays
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::recipe::{build, Limits};
    use gimlet_expr::Evaluator;
    use proptest::prelude::*;

    fn check(make: impl Fn(&mut Dag) -> ExprId, expected: Option<&[(u32, u128, bool)]>) {
        let mut dag = Dag::unsimplified();
        let condition = make(&mut dag);
        let found = conjuncts(&dag, condition).map(|literals| {
            let bytes = literals.iter().map(|literal| match dag.node(literal.expr) {
                Node::Byte(index) => (index, literal.value, literal.is_equal),
                node => panic!("{node:?}"),
            });
            bytes.collect::<Vec<_>>()
        });
        assert_eq!(found.as_deref(), expected);
    }

    fn equals(dag: &mut Dag, expr: ExprId, value: u128) -> ExprId {
        let constant = dag.constant(dag.width(expr), value);
        dag.binary(BinOp::Eq, expr, constant)
    }

    /// `strcmp(input, "no")` with what it returns for the first difference.
    fn compare(dag: &mut Dag) -> ExprId {
        let mut result = dag.constant(32, 0);
        for (index, value) in [(2, 0), (1, b'o'), (0, b'n')] {
            let byte = dag.byte(index);
            let differs = equals(dag, byte, u128::from(value));
            let differs = dag.not(differs);
            let one = dag.constant(32, 1);
            result = dag.ite(differs, one, result);
        }
        result
    }

    #[test]
    fn a_string_comparison_is_one_literal_a_character() {
        check(
            |dag| {
                let result = compare(dag);
                equals(dag, result, 0)
            },
            Some(&[(0, 0x6e, true), (1, 0x6f, true), (2, 0, true)]),
        );
        check(
            |dag| {
                let result = compare(dag);
                equals(dag, result, 7)
            },
            None,
        );
    }

    #[test]
    fn words_are_bytes() {
        check(
            |dag| {
                let (a, b) = (dag.byte(0), dag.byte(1));
                let word = dag.concat(b, a);
                let word = dag.sext(32, word);
                let five = dag.constant(32, 5);
                let sum = dag.binary(BinOp::Add, word, five);
                equals(dag, sum, 0x1239)
            },
            Some(&[(1, 0x12, true), (0, 0x34, true)]),
        );
    }

    proptest! {
        #[test]
        fn the_conjunction_means_the_condition(
            recipe in prop::collection::vec(any::<u8>(), 4..80),
            is_simplifying in any::<bool>(),
            n_more in 0..3u128,
            inputs in prop::collection::vec(prop::collection::vec(any::<u8>(), 2), 8),
        ) {
            let mut dag = if is_simplifying { Dag::new() } else { Dag::unsimplified() };
            let limits = Limits { n_inputs: 2, ..Limits::default() };
            for expr in build(&mut dag, limits, &recipe) {
                let value = Evaluator::new(&inputs[0]).eval(&dag, expr).wrapping_add(n_more);
                let equal = equals(&mut dag, expr, value);
                for condition in [equal, dag.not(equal)] {
                    let literals = conjuncts(&dag, condition);
                    for input in &inputs {
                        let mut evaluator = Evaluator::new(input);
                        let expected = evaluator.holds(&dag, condition);
                        let all = literals.as_ref().is_some_and(|literals| {
                            literals.iter().all(|literal| literal.holds_for(evaluator.eval(&dag, literal.expr)))
                        });
                        prop_assert_eq!(all, expected);
                    }
                }
            }
        }
    }
}
