//! Overflow predicates.
//!
//! With a constant operand, an overflow is a comparison with a bound; with operands whose high bits
//! are known to be zero it may be impossible.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId};
use crate::semantics::{mask, signed, signed_max, signed_min};

impl Dag {
    pub(super) fn rewrite_overflow(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        if self.cannot_overflow(op, lhs, rhs) {
            return Some(self.boolean(false));
        }
        if op == BinOp::USubO {
            return Some(self.binary(BinOp::Ult, lhs, rhs));
        }
        let width = self.width(lhs);
        let c = self.as_const(rhs)?;
        match op {
            BinOp::UAddO => Some(self.above(BinOp::Ult, (mask(width) - c) as i128, lhs)),
            BinOp::UMulO if c > 1 => Some(self.above(BinOp::Ult, (mask(width) / c) as i128, lhs)),
            BinOp::SAddO => Some(match signed(width, c) {
                c if c > 0 => self.above(BinOp::Slt, signed_max(width) - c, lhs),
                c => self.below(lhs, signed_min(width) - c),
            }),
            BinOp::SSubO => Some(match signed(width, c) {
                c if c > 0 => self.below(lhs, signed_min(width) + c),
                c => self.above(BinOp::Slt, signed_max(width) + c, lhs),
            }),
            _ => None,
        }
    }

    /// `bound < id`.
    fn above(&mut self, less: BinOp, bound: i128, id: ExprId) -> ExprId {
        let bound = self.constant(self.width(id), bound as u128);
        self.binary(less, bound, id)
    }

    /// `id <s bound`.
    fn below(&mut self, id: ExprId, bound: i128) -> ExprId {
        let bound = self.constant(self.width(id), bound as u128);
        self.binary(BinOp::Slt, id, bound)
    }

    fn cannot_overflow(&self, op: BinOp, lhs: ExprId, rhs: ExprId) -> bool {
        let width = self.width(lhs);
        let (lhs_bits, rhs_bits) = (self.significant_bits(lhs), self.significant_bits(rhs));
        let wider_bits = lhs_bits.max(rhs_bits);
        match op {
            BinOp::UAddO => rhs_bits == 0 || wider_bits < width,
            BinOp::SAddO => rhs_bits == 0 || wider_bits + 1 < width,
            BinOp::USubO => rhs_bits == 0 || lhs == rhs,
            BinOp::SSubO => rhs_bits == 0 || lhs == rhs || wider_bits < width,
            BinOp::UMulO => lhs_bits + rhs_bits <= width || rhs_bits == 0 || self.as_const(rhs) == Some(1),
            BinOp::SMulO => {
                lhs_bits + rhs_bits < width || rhs_bits == 0 || (self.as_const(rhs) == Some(1) && width > 1)
            }
            _ => false,
        }
    }
}
