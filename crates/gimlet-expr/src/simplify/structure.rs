//! Extensions, extraction and concatenation.
//!
//! Extraction sinks to the part that the bits come from; adjacent extractions from the same
//! expression join; zeros on top are a `ZExt`, never a `Concat`.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node};
use crate::semantics::{self, mask};

impl Dag {
    pub(crate) fn simplify_zext(&mut self, width: u32, arg: ExprId) -> ExprId {
        if let Some(value) = self.as_const(arg) {
            return self.constant(width, value);
        }
        let innermost = self.as_zext(arg).unwrap_or(arg);
        self.raw_zext(width, innermost)
    }

    pub(crate) fn simplify_sext(&mut self, width: u32, arg: ExprId) -> ExprId {
        let arg_width = self.width(arg);
        if self.is_nonnegative(arg) {
            return self.simplify_zext(width, arg);
        }
        if let Some(value) = self.as_const(arg) {
            return self.constant(width, semantics::sext(arg_width, width, value));
        }
        let innermost = self.as_sext(arg).unwrap_or(arg);
        self.raw_sext(width, innermost)
    }

    pub(crate) fn simplify_extract(&mut self, lo: u32, width: u32, arg: ExprId) -> ExprId {
        let (mut lo, mut arg) = (lo, arg);
        loop {
            if lo == 0 && width == self.width(arg) {
                return arg;
            }
            match self.node(arg) {
                Node::Const(constant) => {
                    return self.constant(width, semantics::extract(lo, width, constant.value()));
                }
                Node::Extract { lo: inner_lo, arg: inner, .. } => (lo, arg) = (lo + inner_lo, inner),
                Node::ZExt { arg: inner, .. } | Node::SExt { arg: inner, .. } if lo + width <= self.width(inner) => {
                    arg = inner;
                }
                Node::ZExt { arg: inner, .. } => return self.extract_across_zext(lo, width, inner),
                Node::SExt { arg: inner, .. } => return self.extract_across_sext(lo, width, inner),
                Node::Concat { hi, lo: low } => {
                    let low_width = self.width(low);
                    if lo >= low_width {
                        (lo, arg) = (lo - low_width, hi);
                    } else if lo + width <= low_width {
                        arg = low;
                    } else {
                        let upper = self.extract(0, lo + width - low_width, hi);
                        let lower = self.extract(lo, low_width - lo, low);
                        return self.concat(upper, lower);
                    }
                }
                Node::Ite { cond, then, other } => {
                    return self
                        .extract_from_ite(lo, width, cond, then, other)
                        .unwrap_or_else(|| self.raw_extract(lo, width, arg));
                }
                Node::Binary { op, lhs, rhs } => {
                    if let Some(unmasked) = self.skip_mask(lo, width, op, lhs, rhs) {
                        arg = unmasked;
                    } else {
                        return self
                            .truncate_operands(lo, width, op, lhs, rhs)
                            .unwrap_or_else(|| self.extract_masked(lo, width, arg));
                    }
                }
                _ => return self.raw_extract(lo, width, arg),
            }
        }
    }

    /// Bits of `zext(inner)` that reach above `inner`.
    fn extract_across_zext(&mut self, lo: u32, width: u32, inner: ExprId) -> ExprId {
        let inner_width = self.width(inner);
        if lo >= inner_width {
            return self.constant(width, 0);
        }
        let kept = self.extract(lo, inner_width - lo, inner);
        self.zext(width, kept)
    }

    /// Bits of `sext(inner)` that reach above `inner`.
    fn extract_across_sext(&mut self, lo: u32, width: u32, inner: ExprId) -> ExprId {
        let inner_width = self.width(inner);
        let lo = lo.min(inner_width - 1);
        let kept = self.extract(lo, inner_width - lo, inner);
        self.sext(width, kept)
    }

    fn extract_from_ite(&mut self, lo: u32, width: u32, cond: ExprId, then: ExprId, other: ExprId) -> Option<ExprId> {
        let (a, b) = (self.as_const(then)?, self.as_const(other)?);
        let then = self.constant(width, semantics::extract(lo, width, a));
        let other = self.constant(width, semantics::extract(lo, width, b));
        Some(self.ite(cond, then, other))
    }

    /// `lhs` if `lhs op rhs` with a constant `rhs` leaves the bits in question as they are.
    fn skip_mask(&self, lo: u32, width: u32, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let bits = semantics::extract(lo, width, self.as_const(rhs)?);
        let is_neutral = match op {
            BinOp::And => bits == mask(width),
            BinOp::Or | BinOp::Xor => bits == 0,
            _ => false,
        };
        is_neutral.then_some(lhs)
    }

    /// Extraction from a binary node; a constant if a mask decides all the bits.
    fn extract_masked(&mut self, lo: u32, width: u32, arg: ExprId) -> ExprId {
        let bits_of = |c: u128| semantics::extract(lo, width, c);
        if let Some((_, c)) = self.as_binary_const(BinOp::And, arg)
            && bits_of(c) == 0
        {
            return self.constant(width, 0);
        }
        if let Some((_, c)) = self.as_binary_const(BinOp::Or, arg)
            && bits_of(c) == mask(width)
        {
            return self.constant(width, mask(width));
        }
        self.raw_extract(lo, width, arg)
    }

    /// The low bits of a sum, difference or product of extended operands, computed in the narrow
    /// width: C computes `(uint8_t)(a + b)` in 32 bits.
    fn truncate_operands(&mut self, lo: u32, width: u32, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let is_modular = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul);
        let is_extended = |id| matches!(self.node(id), Node::ZExt { .. } | Node::SExt { .. } | Node::Const(_));
        if lo != 0 || !is_modular || !is_extended(lhs) || !is_extended(rhs) {
            return None;
        }
        let lhs = self.extract(0, width, lhs);
        let rhs = self.extract(0, width, rhs);
        Some(self.binary(op, lhs, rhs))
    }

    pub(crate) fn simplify_concat(&mut self, hi: ExprId, lo: ExprId) -> ExprId {
        let width = self.width(hi) + self.width(lo);
        match (self.as_const(hi), self.as_const(lo)) {
            (Some(a), Some(b)) => {
                return self.constant(width, semantics::concat(self.width(lo), a, b));
            }
            (Some(0), _) => return self.zext(width, lo),
            _ => {}
        }
        if let Some(x) = self.as_zext(hi) {
            let kept = self.concat(x, lo);
            return self.zext(width, kept);
        }
        if let Some(joined) = self.join_adjacent(hi, lo) {
            return joined;
        }
        if let Node::Concat { hi: middle, lo: low } = self.node(lo)
            && let Some(joined) = self.join_adjacent(hi, middle)
        {
            return self.concat(joined, low);
        }
        if let Node::Concat { hi: high, lo: middle } = self.node(hi)
            && let Some(joined) = self.join_adjacent(middle, lo)
        {
            return self.concat(high, joined);
        }
        self.raw_concat(hi, lo)
    }

    /// One expression for two constants, or for adjacent extractions from the same expression.
    fn join_adjacent(&mut self, hi: ExprId, lo: ExprId) -> Option<ExprId> {
        if let (Some(a), Some(b)) = (self.as_const(hi), self.as_const(lo)) {
            let (hi_width, lo_width) = (self.width(hi), self.width(lo));
            return Some(self.constant(hi_width + lo_width, semantics::concat(lo_width, a, b)));
        }
        let Node::Extract { lo: upper_lo, width: upper_width, arg: upper } = self.node(hi) else {
            return None;
        };
        let Node::Extract { lo: lower_lo, width: lower_width, arg: lower } = self.node(lo) else {
            return None;
        };
        (upper == lower && upper_lo == lower_lo + lower_width)
            .then(|| self.extract(lower_lo, lower_width + upper_width, upper))
    }
}
