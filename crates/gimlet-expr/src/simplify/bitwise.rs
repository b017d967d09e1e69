//! Complement, and, or, exclusive or.
//!
//! Masks of low bits become extractions; masks that treat the halves of a concatenation alike
//! all-or-nothing go to the halves; operators on zero-extended operands move below the extension.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, UnOp};
use crate::semantics::{bit_length, extract, mask};

impl Dag {
    fn is_complement(&self, a: ExprId, b: ExprId) -> bool {
        self.as_unary(UnOp::Not, a) == Some(b) || self.as_unary(UnOp::Not, b) == Some(a)
    }

    pub(super) fn rewrite_not(&mut self, arg: ExprId) -> Option<ExprId> {
        let width = self.width(arg);
        if let Some((x, c)) = self.as_binary_const(BinOp::Xor, arg) {
            let flipped = self.constant(width, !c);
            return Some(self.binary(BinOp::Xor, x, flipped));
        }
        match self.node(arg) {
            Node::Unary { op: UnOp::Not, arg: x } => Some(x),
            Node::Binary { op, lhs, rhs } => match op {
                BinOp::Eq => Some(self.raw_binary(BinOp::Ne, lhs, rhs)),
                BinOp::Ne => Some(self.raw_binary(BinOp::Eq, lhs, rhs)),
                BinOp::Ult => Some(self.raw_binary(BinOp::Ule, rhs, lhs)),
                BinOp::Ule => Some(self.raw_binary(BinOp::Ult, rhs, lhs)),
                BinOp::Slt => Some(self.raw_binary(BinOp::Sle, rhs, lhs)),
                BinOp::Sle => Some(self.raw_binary(BinOp::Slt, rhs, lhs)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn rewrite_and(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        if lhs == rhs {
            return Some(lhs);
        }
        if self.is_complement(lhs, rhs) {
            return Some(self.constant(width, 0));
        }
        let Some(c) = self.as_const(rhs) else {
            return self.below_zext(BinOp::And, lhs, rhs);
        };
        if c == 0 {
            return Some(rhs);
        }
        let possible = match self.significant_bits(lhs) {
            0 => 0,
            n => mask(n),
        };
        if c & possible == possible {
            return Some(lhs);
        }
        if (c & (c + 1)) == 0 {
            let kept = self.extract(0, bit_length(c), lhs);
            return Some(self.zext(width, kept));
        }
        if let Some((x, d)) = self.as_binary_const(BinOp::And, lhs) {
            let both = self.constant(width, c & d);
            return Some(self.binary(BinOp::And, x, both));
        }
        if let Some(x) = self.as_zext(lhs) {
            let narrow_mask = self.constant(self.width(x), c);
            let narrow = self.binary(BinOp::And, x, narrow_mask);
            return Some(self.zext(width, narrow));
        }
        self.on_halves(BinOp::And, lhs, c)
    }

    pub(super) fn rewrite_or(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        if lhs == rhs {
            return Some(lhs);
        }
        if self.is_complement(lhs, rhs) {
            return Some(self.constant(width, mask(width)));
        }
        if let Some(joined) = self.join_disjoint(lhs, rhs) {
            return Some(joined);
        }
        let Some(c) = self.as_const(rhs) else {
            return self.below_zext(BinOp::Or, lhs, rhs);
        };
        if c == 0 {
            return Some(lhs);
        }
        if c == mask(width) {
            return Some(rhs);
        }
        if let Some((x, d)) = self.as_binary_const(BinOp::Or, lhs) {
            let both = self.constant(width, c | d);
            return Some(self.binary(BinOp::Or, x, both));
        }
        self.below_zext_const(BinOp::Or, lhs, c).or_else(|| self.on_halves(BinOp::Or, lhs, c))
    }

    pub(super) fn rewrite_xor(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        if lhs == rhs {
            return Some(self.constant(width, 0));
        }
        if self.is_complement(lhs, rhs) {
            return Some(self.constant(width, mask(width)));
        }
        if let Some(c) = self.as_const(rhs) {
            return self.rewrite_xor_const(lhs, c);
        }
        for (a, b) in [(lhs, rhs), (rhs, lhs)] {
            if let Some(x) = self.as_unary(UnOp::Not, a) {
                let difference = self.binary(BinOp::Xor, x, b);
                return Some(self.not(difference));
            }
            if let Some((x, c)) = self.as_binary_const(BinOp::Xor, a) {
                let difference = self.binary(BinOp::Xor, x, b);
                let constant = self.constant(width, c);
                return Some(self.binary(BinOp::Xor, difference, constant));
            }
            match self.node(a) {
                Node::Binary { op: BinOp::Xor, lhs: x, rhs: y } if y == b => return Some(x),
                Node::Binary { op: BinOp::Xor, lhs: x, rhs: y } if x == b => return Some(y),
                _ => {}
            }
        }
        self.join_disjoint(lhs, rhs).or_else(|| self.below_zext(BinOp::Xor, lhs, rhs))
    }

    fn rewrite_xor_const(&mut self, lhs: ExprId, c: u128) -> Option<ExprId> {
        let width = self.width(lhs);
        if c == 0 {
            return Some(lhs);
        }
        if c == mask(width) {
            return Some(self.not(lhs));
        }
        if let Some((x, d)) = self.as_binary_const(BinOp::Xor, lhs) {
            let both = self.constant(width, c ^ d);
            return Some(self.binary(BinOp::Xor, x, both));
        }
        if let Some(x) = self.as_unary(UnOp::Not, lhs) {
            let flipped = self.constant(width, !c);
            return Some(self.binary(BinOp::Xor, x, flipped));
        }
        self.below_zext_const(BinOp::Xor, lhs, c)
    }

    /// `zext(x) op zext(y)` as `zext(x op y)`.
    fn below_zext(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let (x, y) = (self.as_zext(lhs)?, self.as_zext(rhs)?);
        if self.width(x) != self.width(y) {
            return None;
        }
        let width = self.width(lhs);
        let narrow = self.binary(op, x, y);
        Some(self.zext(width, narrow))
    }

    /// `zext(x) op c` as `zext(x op c)` if `c` fits in the width of `x`; for or and exclusive or.
    fn below_zext_const(&mut self, op: BinOp, lhs: ExprId, c: u128) -> Option<ExprId> {
        let x = self.as_zext(lhs)?;
        let x_width = self.width(x);
        if c > mask(x_width) {
            return None;
        }
        let width = self.width(lhs);
        let constant = self.constant(x_width, c);
        let narrow = self.binary(op, x, constant);
        Some(self.zext(width, narrow))
    }

    /// `concat(h, l) op c` half by half if `c` is all zeros or all ones on one of the halves; for
    /// and and or, where such a half disappears.
    fn on_halves(&mut self, op: BinOp, lhs: ExprId, c: u128) -> Option<ExprId> {
        let Node::Concat { hi, lo } = self.node(lhs) else {
            return None;
        };
        let (hi_width, lo_width) = (self.width(hi), self.width(lo));
        let hi_const = extract(lo_width, hi_width, c);
        let lo_const = extract(0, lo_width, c);
        let is_trivial = |value, width| value == 0 || value == mask(width);
        if !is_trivial(hi_const, hi_width) && !is_trivial(lo_const, lo_width) {
            return None;
        }
        let hi_mask = self.constant(hi_width, hi_const);
        let lo_mask = self.constant(lo_width, lo_const);
        let hi = self.binary(op, hi, hi_mask);
        let lo = self.binary(op, lo, lo_mask);
        Some(self.concat(hi, lo))
    }
}
