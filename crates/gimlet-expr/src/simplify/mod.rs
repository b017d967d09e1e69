//! Local rewriting during construction.
//!
//! A constructor looks at its operands and at most two levels below, and either returns an
//! expression that is equal on every input or interns the node as asked. There is no search and no
//! cost model; the aim is the normal forms that make compiled code legible and cheap to solve:
//!
//! - constants on the right of commutative operators, other operands by ascending id;
//! - sums keep one constant, outermost; subtraction of a constant is an addition;
//! - shifts by constants, masks of low bits and unsigned division by powers of two become
//!   `Extract`, `Concat` and `ZExt`, so that bytes put together with shifts and ors become one
//!   `Concat` again;
//! - comparisons move to the narrowest width and constants to one side;
//! - boolean `Ite`s become connectives, `Ite`s over 0 and 1 become extensions of the condition.
//!
//! Depth: a rule may call a constructor on operands that are narrower, or that a normal form keeps
//! from matching the same rule again; chains that could be as deep as the expression (comparisons
//! of sums of xors of sums ..., extraction through masks) are loops. `tests/all/depth.rs` runs them on
//! half a million nodes with a small stack.
//!
//! Every rule is covered by `tests/all/soundness.rs`, which builds random expressions with and without
//! rewriting and compares their values.

mod arithmetic;
mod bits;
mod bitwise;
mod comparison;
mod equality;
mod overflow;
mod select;
mod structure;
#[cfg(test)]
mod tests;

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, UnOp};
use crate::semantics;

impl Dag {
    pub(crate) fn simplify_unary(&mut self, op: UnOp, arg: ExprId) -> ExprId {
        let width = self.width(arg);
        if let Some(value) = self.as_const(arg) {
            return self.constant(width, semantics::unary(op, width, value));
        }
        let rewritten = match op {
            UnOp::Not => self.rewrite_not(arg),
            UnOp::Neg => self.rewrite_neg(arg),
            UnOp::BSwap => self.rewrite_bswap(arg),
            UnOp::CtPop => (width == 1).then_some(arg),
            UnOp::Ctlz | UnOp::Cttz => None,
        };
        rewritten.unwrap_or_else(|| self.raw_unary(op, arg))
    }

    pub(crate) fn simplify_binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let width = self.width(lhs);
        if let (Some(a), Some(b)) = (self.as_const(lhs), self.as_const(rhs)) {
            let value = semantics::binary(op, width, a, b);
            return self.constant(op.result_width(width), value);
        }
        let (lhs, rhs) = if op.is_commutative() { self.in_order(lhs, rhs) } else { (lhs, rhs) };
        let rewritten = match op {
            BinOp::Add => self.rewrite_add(lhs, rhs),
            BinOp::Sub => self.rewrite_sub(lhs, rhs),
            BinOp::Mul => self.rewrite_mul(lhs, rhs),
            BinOp::UDiv => self.rewrite_udiv(lhs, rhs),
            BinOp::SDiv => self.rewrite_sdiv(lhs, rhs),
            BinOp::URem => self.rewrite_urem(lhs, rhs),
            BinOp::SRem => self.rewrite_srem(lhs, rhs),
            BinOp::Shl => self.rewrite_shl(lhs, rhs),
            BinOp::LShr => self.rewrite_lshr(lhs, rhs),
            BinOp::AShr => self.rewrite_ashr(lhs, rhs),
            BinOp::And => self.rewrite_and(lhs, rhs),
            BinOp::Or => self.rewrite_or(lhs, rhs),
            BinOp::Xor => self.rewrite_xor(lhs, rhs),
            BinOp::Eq => Some(self.simplify_eq(lhs, rhs)),
            BinOp::Ne => {
                let equal = self.simplify_eq(lhs, rhs);
                Some(self.not(equal))
            }
            BinOp::Ult | BinOp::Ule => self.rewrite_unsigned(op, lhs, rhs),
            BinOp::Slt | BinOp::Sle => self.rewrite_signed(op, lhs, rhs),
            BinOp::UAddO | BinOp::SAddO | BinOp::USubO | BinOp::SSubO | BinOp::UMulO | BinOp::SMulO => {
                self.rewrite_overflow(op, lhs, rhs)
            }
        };
        rewritten.unwrap_or_else(|| self.raw_binary(op, lhs, rhs))
    }

    /// The operands of a commutative operator: constants right, otherwise ascending ids.
    fn in_order(&self, lhs: ExprId, rhs: ExprId) -> (ExprId, ExprId) {
        let key = |id| (self.as_const(id).is_some(), id);
        if key(lhs) <= key(rhs) {
            (lhs, rhs)
        } else {
            (rhs, lhs)
        }
    }

    /// `x` and `c` if the expression is `x op c` with a constant `c`.
    fn as_binary_const(&self, op: BinOp, id: ExprId) -> Option<(ExprId, u128)> {
        match self.node(id) {
            Node::Binary { op: found, lhs, rhs } if found == op => Some((lhs, self.as_const(rhs)?)),
            _ => None,
        }
    }

    /// `c` and `x` if the expression is `c - x` with a constant `c`.
    fn as_const_minus(&self, id: ExprId) -> Option<(u128, ExprId)> {
        match self.node(id) {
            Node::Binary { op: BinOp::Sub, lhs, rhs } => Some((self.as_const(lhs)?, rhs)),
            _ => None,
        }
    }

    fn as_unary(&self, op: UnOp, id: ExprId) -> Option<ExprId> {
        match self.node(id) {
            Node::Unary { op: found, arg } if found == op => Some(arg),
            _ => None,
        }
    }

    fn as_zext(&self, id: ExprId) -> Option<ExprId> {
        match self.node(id) {
            Node::ZExt { arg, .. } => Some(arg),
            _ => None,
        }
    }

    fn as_sext(&self, id: ExprId) -> Option<ExprId> {
        match self.node(id) {
            Node::SExt { arg, .. } => Some(arg),
            _ => None,
        }
    }
}
