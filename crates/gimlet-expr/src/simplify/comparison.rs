//! Order comparisons.
//!
//! Extended operands move to the narrower width, comparisons with the ends of the range become
//! equalities or constants, and signed comparisons of non-negative operands become unsigned.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId};
use crate::semantics::{fits_signed, mask, signed, signed_max, signed_min, unsigned};

impl Dag {
    pub(super) fn rewrite_unsigned(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let is_strict = op == BinOp::Ult;
        if lhs == rhs {
            return Some(self.boolean(!is_strict));
        }
        let width = self.width(lhs);
        let decided = self.at_ends(is_strict, 0, mask(width), lhs, rhs);
        if decided.is_some() {
            return decided;
        }
        match (self.as_zext(lhs), self.as_zext(rhs)) {
            (Some(x), Some(y)) => {
                let narrow_width = self.width(x).max(self.width(y));
                let (x, y) = (self.zext(narrow_width, x), self.zext(narrow_width, y));
                Some(self.binary(op, x, y))
            }
            (Some(x), None) => {
                let c = self.as_const(rhs)?;
                if c > mask(self.width(x)) {
                    return Some(self.boolean(true));
                }
                let narrow = self.constant(self.width(x), c);
                Some(self.binary(op, x, narrow))
            }
            (None, Some(y)) => {
                let c = self.as_const(lhs)?;
                if c > mask(self.width(y)) {
                    return Some(self.boolean(false));
                }
                let narrow = self.constant(self.width(y), c);
                Some(self.binary(op, narrow, y))
            }
            (None, None) => None,
        }
    }

    pub(super) fn rewrite_signed(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let is_strict = op == BinOp::Slt;
        if lhs == rhs {
            return Some(self.boolean(!is_strict));
        }
        let width = self.width(lhs);
        let min = unsigned(width, signed_min(width));
        let max = unsigned(width, signed_max(width));
        let decided = self.at_ends(is_strict, min, max, lhs, rhs);
        if decided.is_some() {
            return decided;
        }
        let is_negative = |c: Option<u128>| c.is_some_and(|c| signed(width, c) < 0);
        match (self.is_nonnegative(lhs), self.is_nonnegative(rhs)) {
            (true, true) => {
                let unsigned_op = if is_strict { BinOp::Ult } else { BinOp::Ule };
                return Some(self.binary(unsigned_op, lhs, rhs));
            }
            (true, _) if is_negative(self.as_const(rhs)) => return Some(self.boolean(false)),
            (_, true) if is_negative(self.as_const(lhs)) => return Some(self.boolean(true)),
            _ => {}
        }
        self.rewrite_sext_operands(op, lhs, rhs)
    }

    fn rewrite_sext_operands(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        match (self.as_sext(lhs), self.as_sext(rhs)) {
            (Some(x), Some(y)) => {
                let narrow_width = self.width(x).max(self.width(y));
                let (x, y) = (self.sext(narrow_width, x), self.sext(narrow_width, y));
                Some(self.binary(op, x, y))
            }
            (Some(x), None) => {
                let c = signed(width, self.as_const(rhs)?);
                if !fits_signed(self.width(x), c) {
                    return Some(self.boolean(c > 0));
                }
                let narrow = self.constant(self.width(x), c as u128);
                Some(self.binary(op, x, narrow))
            }
            (None, Some(y)) => {
                let c = signed(width, self.as_const(lhs)?);
                if !fits_signed(self.width(y), c) {
                    return Some(self.boolean(c < 0));
                }
                let narrow = self.constant(self.width(y), c as u128);
                Some(self.binary(op, narrow, y))
            }
            (None, None) => None,
        }
    }

    /// Comparisons with the least and greatest values of the order, and their neighbours.
    fn at_ends(&mut self, is_strict: bool, min: u128, max: u128, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        let (bound, x, is_upper) = match (self.as_const(lhs), self.as_const(rhs)) {
            (_, Some(c)) => (c, lhs, true),
            (Some(c), _) => (c, rhs, false),
            _ => return None,
        };
        // `x` is compared with `bound`; `near` is the end that the comparison points towards.
        let (near, far) = if is_upper { (min, max) } else { (max, min) };
        let inner = if is_upper { min.wrapping_add(1) & mask(width) } else { max.wrapping_sub(1) & mask(width) };
        if is_strict {
            if bound == near {
                return Some(self.boolean(false));
            }
            if bound == far {
                let end = self.constant(width, far);
                return Some(self.binary(BinOp::Ne, x, end));
            }
            if bound == inner {
                let end = self.constant(width, near);
                return Some(self.binary(BinOp::Eq, x, end));
            }
        } else {
            if bound == far {
                return Some(self.boolean(true));
            }
            if bound == near {
                let end = self.constant(width, near);
                return Some(self.binary(BinOp::Eq, x, end));
            }
        }
        None
    }
}
