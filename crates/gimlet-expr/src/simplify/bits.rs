//! Cheap facts about single bits: how many low bits of an expression can be one, and how many are
//! certainly zero. Both walk down through nodes that make the width smaller, so they take at most
//! 128 steps.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, UnOp};
use crate::semantics::bit_length;

impl Dag {
    /// A number `n` such that all bits from `n` upwards are zero; the width if nothing is known.
    pub fn significant_bits(&self, id: ExprId) -> u32 {
        let mut id = id;
        loop {
            match self.node(id) {
                Node::Const(constant) => return bit_length(constant.value()),
                Node::ZExt { arg, .. } => id = arg,
                Node::Unary { op: UnOp::CtPop | UnOp::Ctlz | UnOp::Cttz, arg } => {
                    return bit_length(u128::from(self.width(arg)));
                }
                Node::Binary { op: BinOp::And, rhs, .. } => {
                    let bound = self.as_const(rhs).map(bit_length);
                    return bound.unwrap_or(self.width(id));
                }
                Node::Binary { op: BinOp::URem, rhs, .. } => {
                    let bound = self.as_const(rhs).filter(|&divisor| divisor != 0);
                    return bound.map_or(self.width(id), |divisor| bit_length(divisor - 1));
                }
                Node::Ite { then, other, .. } => {
                    let arms = self.as_const(then).zip(self.as_const(other));
                    return arms.map_or(self.width(id), |(a, b)| bit_length(a | b));
                }
                _ => return self.width(id),
            }
        }
    }

    /// A number of low bits that are zero on every input.
    pub fn trailing_zeros(&self, id: ExprId) -> u32 {
        let mut id = id;
        let mut n_zeros = 0;
        loop {
            match self.node(id) {
                Node::Const(constant) => {
                    return n_zeros + constant.value().trailing_zeros().min(constant.width());
                }
                Node::ZExt { arg, .. } => id = arg,
                Node::Concat { hi, lo } if self.as_const(lo) == Some(0) => {
                    n_zeros += self.width(lo);
                    id = hi;
                }
                Node::Concat { lo, .. } => id = lo,
                Node::Binary { op: BinOp::And, rhs, .. } => {
                    let mask = self.as_const(rhs).filter(|&mask| mask != 0);
                    return n_zeros + mask.map_or(0, u128::trailing_zeros);
                }
                _ => return n_zeros,
            }
        }
    }

    /// Whether the sign bit is zero on every input.
    pub(super) fn is_nonnegative(&self, id: ExprId) -> bool {
        self.significant_bits(id) < self.width(id)
    }

    /// `upper` and `lower` as one concatenation if the one bits of the two cannot overlap because
    /// `lower` ends where the zeros of `upper` do; then their sum, or and exclusive or are the same.
    pub(super) fn join_disjoint(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        self.join_upper_lower(a, b).or_else(|| self.join_upper_lower(b, a))
    }

    fn join_upper_lower(&mut self, upper: ExprId, lower: ExprId) -> Option<ExprId> {
        let width = self.width(upper);
        let split = self.significant_bits(lower);
        if split == 0 || split >= width || self.trailing_zeros(upper) < split {
            return None;
        }
        let hi = self.extract(split, width - split, upper);
        let lo = self.extract(0, split, lower);
        Some(self.concat(hi, lo))
    }
}
