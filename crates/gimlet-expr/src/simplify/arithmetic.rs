//! Sums, products, divisions and shifts.
//!
//! The normal form of a sum has its constant outermost and on the right: `(x + y) + c`. `c - x` is
//! kept as it is. Arithmetic on one bit becomes logic.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, UnOp};
use crate::semantics::mask;

impl Dag {
    fn add_const(&mut self, id: ExprId, value: u128) -> ExprId {
        let width = self.width(id);
        let constant = self.constant(width, value);
        self.binary(BinOp::Add, id, constant)
    }

    /// `value - id`.
    fn const_sub(&mut self, value: u128, id: ExprId) -> ExprId {
        let width = self.width(id);
        let constant = self.constant(width, value);
        self.binary(BinOp::Sub, constant, id)
    }

    pub(super) fn rewrite_add(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        if self.width(lhs) == 1 {
            return Some(self.binary(BinOp::Xor, lhs, rhs));
        }
        if let Some(c) = self.as_const(rhs) {
            return self.rewrite_add_const(lhs, c);
        }
        for (a, b) in [(lhs, rhs), (rhs, lhs)] {
            if let Some(x) = self.as_unary(UnOp::Neg, a) {
                return Some(self.binary(BinOp::Sub, b, x));
            }
            match self.node(a) {
                Node::Binary { op: BinOp::Sub, lhs: x, rhs: y } if y == b => return Some(x),
                _ => {}
            }
            if let Some((x, c)) = self.as_binary_const(BinOp::Add, a) {
                let sum = self.binary(BinOp::Add, x, b);
                return Some(self.add_const(sum, c));
            }
        }
        self.join_disjoint(lhs, rhs)
    }

    fn rewrite_add_const(&mut self, lhs: ExprId, c: u128) -> Option<ExprId> {
        if c == 0 {
            return Some(lhs);
        }
        if let Some((x, d)) = self.as_binary_const(BinOp::Add, lhs) {
            return Some(self.add_const(x, c.wrapping_add(d)));
        }
        if let Some((d, x)) = self.as_const_minus(lhs) {
            return Some(self.const_sub(c.wrapping_add(d), x));
        }
        match self.node(lhs) {
            Node::Unary { op: UnOp::Neg, arg } => Some(self.const_sub(c, arg)),
            Node::Unary { op: UnOp::Not, arg } => Some(self.const_sub(c.wrapping_sub(1), arg)),
            _ => None,
        }
    }

    pub(super) fn rewrite_sub(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        if width == 1 {
            return Some(self.binary(BinOp::Xor, lhs, rhs));
        }
        if lhs == rhs {
            return Some(self.constant(width, 0));
        }
        if let Some(c) = self.as_const(rhs) {
            return Some(self.add_const(lhs, c.wrapping_neg()));
        }
        if let Some(c) = self.as_const(lhs) {
            return self.rewrite_const_sub(c, rhs);
        }
        if let Some(x) = self.as_unary(UnOp::Neg, rhs) {
            return Some(self.binary(BinOp::Add, lhs, x));
        }
        if let Node::Binary { op: BinOp::Add, lhs: x, rhs: y } = self.node(lhs) {
            if x == rhs {
                return Some(y);
            }
            if y == rhs {
                return Some(x);
            }
        }
        if let Some((x, c)) = self.as_binary_const(BinOp::Add, lhs) {
            let difference = self.binary(BinOp::Sub, x, rhs);
            return Some(self.add_const(difference, c));
        }
        let (y, c) = self.as_binary_const(BinOp::Add, rhs)?;
        let difference = self.binary(BinOp::Sub, lhs, y);
        Some(self.add_const(difference, c.wrapping_neg()))
    }

    fn rewrite_const_sub(&mut self, c: u128, rhs: ExprId) -> Option<ExprId> {
        if c == 0 {
            return Some(self.unary(UnOp::Neg, rhs));
        }
        if c == mask(self.width(rhs)) {
            return Some(self.not(rhs));
        }
        if let Some((x, d)) = self.as_binary_const(BinOp::Add, rhs) {
            return Some(self.const_sub(c.wrapping_sub(d), x));
        }
        if let Some((d, x)) = self.as_const_minus(rhs) {
            return Some(self.add_const(x, c.wrapping_sub(d)));
        }
        match self.node(rhs) {
            Node::Unary { op: UnOp::Neg, arg } => Some(self.add_const(arg, c)),
            Node::Unary { op: UnOp::Not, arg } => Some(self.add_const(arg, c.wrapping_add(1))),
            _ => None,
        }
    }

    pub(super) fn rewrite_neg(&mut self, arg: ExprId) -> Option<ExprId> {
        if self.width(arg) == 1 {
            return Some(arg);
        }
        if let Some((x, c)) = self.as_binary_const(BinOp::Add, arg) {
            return Some(self.const_sub(c.wrapping_neg(), x));
        }
        match self.node(arg) {
            Node::Unary { op: UnOp::Neg, arg: x } => Some(x),
            Node::Unary { op: UnOp::Not, arg: x } => Some(self.add_const(x, 1)),
            Node::Binary { op: BinOp::Sub, lhs, rhs } => Some(self.binary(BinOp::Sub, rhs, lhs)),
            _ => None,
        }
    }

    pub(super) fn rewrite_mul(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        if width == 1 {
            return Some(self.binary(BinOp::And, lhs, rhs));
        }
        let c = self.as_const(rhs)?;
        if c == 0 {
            return Some(rhs);
        }
        if c == mask(width) {
            return Some(self.unary(UnOp::Neg, lhs));
        }
        if c.is_power_of_two() {
            return Some(self.shl_const(lhs, c.trailing_zeros()));
        }
        if let Some((x, d)) = self.as_binary_const(BinOp::Mul, lhs) {
            let factor = self.constant(width, c.wrapping_mul(d));
            return Some(self.binary(BinOp::Mul, x, factor));
        }
        let x = self.as_unary(UnOp::Neg, lhs)?;
        let factor = self.constant(width, c.wrapping_neg());
        Some(self.binary(BinOp::Mul, x, factor))
    }

    pub(super) fn rewrite_udiv(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        let c = self.as_const(rhs)?;
        if c == 0 {
            return Some(self.constant(width, mask(width)));
        }
        if c.is_power_of_two() {
            return Some(self.lshr_const(lhs, c.trailing_zeros()));
        }
        let x = self.as_zext(lhs)?;
        let x_width = self.width(x);
        if c > mask(x_width) {
            return Some(self.constant(width, 0));
        }
        let divisor = self.constant(x_width, c);
        let quotient = self.binary(BinOp::UDiv, x, divisor);
        Some(self.zext(width, quotient))
    }

    pub(super) fn rewrite_urem(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        if lhs == rhs || self.as_const(lhs) == Some(0) {
            return Some(self.constant(width, 0));
        }
        let c = self.as_const(rhs)?;
        if c == 0 {
            return Some(lhs);
        }
        if c.is_power_of_two() {
            let low_bits = self.constant(width, c - 1);
            return Some(self.binary(BinOp::And, lhs, low_bits));
        }
        let x = self.as_zext(lhs)?;
        let x_width = self.width(x);
        if c > mask(x_width) {
            return Some(lhs);
        }
        let divisor = self.constant(x_width, c);
        let remainder = self.binary(BinOp::URem, x, divisor);
        Some(self.zext(width, remainder))
    }

    pub(super) fn rewrite_sdiv(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        if self.as_const(rhs) == Some(mask(self.width(rhs))) {
            return Some(self.unary(UnOp::Neg, lhs));
        }
        if self.as_const(rhs) == Some(1) {
            return Some(lhs);
        }
        (self.is_nonnegative(lhs) && self.is_nonnegative(rhs)).then(|| self.binary(BinOp::UDiv, lhs, rhs))
    }

    pub(super) fn rewrite_srem(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        match self.as_const(rhs) {
            Some(0) => return Some(lhs),
            Some(1) => return Some(self.constant(width, 0)),
            Some(c) if c == mask(width) => return Some(self.constant(width, 0)),
            _ => {}
        }
        (self.is_nonnegative(lhs) && self.is_nonnegative(rhs)).then(|| self.binary(BinOp::URem, lhs, rhs))
    }

    /// `id << n`, for `n` less than the width.
    fn shl_const(&mut self, id: ExprId, n: u32) -> ExprId {
        if n == 0 {
            return id;
        }
        let width = self.width(id);
        let kept = self.extract(0, width - n, id);
        let zeros = self.constant(n, 0);
        self.concat(kept, zeros)
    }

    /// `id >>u n`, for `n` less than the width.
    fn lshr_const(&mut self, id: ExprId, n: u32) -> ExprId {
        let width = self.width(id);
        let kept = self.extract(n, width - n, id);
        self.zext(width, kept)
    }

    pub(super) fn rewrite_shl(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        if self.as_const(lhs) == Some(0) {
            return Some(lhs);
        }
        let width = self.width(lhs);
        let amount = self.as_const(rhs)?;
        Some(if amount >= u128::from(width) { self.constant(width, 0) } else { self.shl_const(lhs, amount as u32) })
    }

    pub(super) fn rewrite_lshr(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        if self.as_const(lhs) == Some(0) {
            return Some(lhs);
        }
        let width = self.width(lhs);
        let amount = self.as_const(rhs)?;
        Some(if amount >= u128::from(width) { self.constant(width, 0) } else { self.lshr_const(lhs, amount as u32) })
    }

    pub(super) fn rewrite_ashr(&mut self, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let width = self.width(lhs);
        if self.as_const(lhs) == Some(mask(width)) {
            return Some(lhs);
        }
        if self.is_nonnegative(lhs) {
            return Some(self.binary(BinOp::LShr, lhs, rhs));
        }
        let amount = self.as_const(rhs)?.min(u128::from(width - 1)) as u32;
        let kept = self.extract(amount, width - amount, lhs);
        Some(self.sext(width, kept))
    }
}
