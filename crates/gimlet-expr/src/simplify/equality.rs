//! Equality, and through its negation inequality.
//!
//! `x op c == d` is solved for `x` wherever `op` can be undone, one layer after the other in a loop:
//! expressions such as `((x + 1) ^ 2) + 3` can be as deep as the DAG.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, UnOp};
use crate::semantics::{self, extract, mask, sext};

/// What one layer of an equality came to.
enum Layer {
    /// The same as the equality of these two.
    Equal(ExprId, ExprId),
    /// The same as this condition.
    Condition(ExprId),
    /// Nothing to undo.
    Irreducible,
}

impl Dag {
    pub(super) fn simplify_eq(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let (mut lhs, mut rhs) = (lhs, rhs);
        loop {
            (lhs, rhs) = self.in_order(lhs, rhs);
            if lhs == rhs {
                return self.boolean(true);
            }
            let layer = match (self.as_const(lhs), self.as_const(rhs)) {
                (Some(_), Some(_)) => return self.boolean(false),
                (_, Some(d)) => self.undo_layer(lhs, d),
                _ => self.undo_common_layer(lhs, rhs),
            };
            match layer {
                Layer::Equal(a, b) => (lhs, rhs) = (a, b),
                Layer::Condition(condition) => return condition,
                Layer::Irreducible => return self.raw_binary(BinOp::Eq, lhs, rhs),
            }
        }
    }

    fn equal_to(&mut self, id: ExprId, value: u128) -> Layer {
        let width = self.width(id);
        Layer::Equal(id, self.constant(width, value))
    }

    fn never(&mut self) -> Layer {
        Layer::Condition(self.boolean(false))
    }

    /// One layer of `lhs == d`.
    fn undo_layer(&mut self, lhs: ExprId, d: u128) -> Layer {
        let width = self.width(lhs);
        if width == 1 {
            let condition = if d == 1 { lhs } else { self.not(lhs) };
            return Layer::Condition(condition);
        }
        match self.node(lhs) {
            Node::Unary { op: op @ (UnOp::Not | UnOp::Neg | UnOp::BSwap), arg } => {
                self.equal_to(arg, semantics::unary(op, width, d))
            }
            Node::Binary { op, lhs: x, rhs: y } => self.undo_binary(op, x, y, d),
            Node::ZExt { arg, .. } if d > mask(self.width(arg)) => self.never(),
            Node::ZExt { arg, .. } => self.equal_to(arg, d),
            Node::SExt { arg, .. } => {
                let narrow = d & mask(self.width(arg));
                if sext(self.width(arg), width, narrow) == d {
                    self.equal_to(arg, narrow)
                } else {
                    self.never()
                }
            }
            Node::Concat { hi, lo } => self.undo_concat(hi, lo, d),
            Node::Ite { cond, then, other } => self.undo_ite(cond, then, other, d),
            _ => Layer::Irreducible,
        }
    }

    /// One layer of `x op y == d`.
    fn undo_binary(&mut self, op: BinOp, x: ExprId, y: ExprId, d: u128) -> Layer {
        match (op, self.as_const(x), self.as_const(y)) {
            (BinOp::Add, _, Some(c)) => self.equal_to(x, d.wrapping_sub(c)),
            (BinOp::Sub, Some(c), _) => self.equal_to(y, c.wrapping_sub(d)),
            (BinOp::Xor, _, Some(c)) => self.equal_to(x, d ^ c),
            (BinOp::Sub | BinOp::Xor, _, _) if d == 0 => Layer::Equal(x, y),
            (BinOp::And, _, Some(c)) if d & !c != 0 => self.never(),
            (BinOp::Or, _, Some(c)) if c & !d != 0 => self.never(),
            _ => Layer::Irreducible,
        }
    }

    /// One layer of `concat(hi, lo) == d`: a constant half decides or disappears.
    fn undo_concat(&mut self, hi: ExprId, lo: ExprId, d: u128) -> Layer {
        let (hi_width, lo_width) = (self.width(hi), self.width(lo));
        let hi_wanted = extract(lo_width, hi_width, d);
        let lo_wanted = extract(0, lo_width, d);
        match (self.as_const(hi), self.as_const(lo)) {
            (Some(value), _) if value != hi_wanted => self.never(),
            (_, Some(value)) if value != lo_wanted => self.never(),
            (Some(_), _) => self.equal_to(lo, lo_wanted),
            (_, Some(_)) => self.equal_to(hi, hi_wanted),
            _ => Layer::Irreducible,
        }
    }

    /// One layer of `ite(cond, then, other) == d` for different constant arms.
    fn undo_ite(&mut self, cond: ExprId, then: ExprId, other: ExprId, d: u128) -> Layer {
        match (self.as_const(then), self.as_const(other)) {
            (Some(a), Some(_)) if a == d => Layer::Condition(cond),
            (Some(_), Some(b)) if b == d => Layer::Condition(self.not(cond)),
            (Some(_), Some(_)) => self.never(),
            _ => Layer::Irreducible,
        }
    }

    /// One layer that both sides of an equality without constants share.
    fn undo_common_layer(&mut self, lhs: ExprId, rhs: ExprId) -> Layer {
        if let (Some(x), Some(y)) = (self.as_zext(lhs), self.as_zext(rhs)) {
            let width = self.width(x).max(self.width(y));
            return Layer::Equal(self.zext(width, x), self.zext(width, y));
        }
        if let (Some(x), Some(y)) = (self.as_sext(lhs), self.as_sext(rhs)) {
            let width = self.width(x).max(self.width(y));
            return Layer::Equal(self.sext(width, x), self.sext(width, y));
        }
        let lhs_sum = self.as_binary_const(BinOp::Add, lhs);
        let rhs_sum = self.as_binary_const(BinOp::Add, rhs);
        match (lhs_sum, rhs_sum) {
            (Some((x, c)), Some((y, d))) if c == d => Layer::Equal(x, y),
            (Some((x, _)), _) if x == rhs => self.never(),
            (_, Some((y, _))) if y == lhs => self.never(),
            _ => Layer::Irreducible,
        }
    }
}
