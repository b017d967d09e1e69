//! Conditionals, funnel shifts, byte reversal and lookups.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, FunnelOp, Node, TableId, UnOp};
use crate::semantics::mask;
use crate::table::Cell;

impl Dag {
    pub(crate) fn simplify_ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
        let (mut cond, mut then, mut other) = (cond, then, other);
        if let Some(positive) = self.as_unary(UnOp::Not, cond) {
            cond = positive;
            std::mem::swap(&mut then, &mut other);
        }
        if let Node::Ite { cond: inner, then: taken, .. } = self.node(then)
            && inner == cond
        {
            then = taken;
        }
        if let Node::Ite { cond: inner, other: taken, .. } = self.node(other)
            && inner == cond
        {
            other = taken;
        }
        match self.as_const(cond) {
            Some(1) => return then,
            Some(_) => return other,
            None if then == other => return then,
            None => {}
        }
        let rewritten = if self.width(then) == 1 {
            self.rewrite_bool_ite(cond, then, other)
        } else {
            self.rewrite_const_ite(cond, then, other)
        };
        rewritten.unwrap_or_else(|| self.raw_ite(cond, then, other))
    }

    /// An `Ite` of width 1 with a constant arm is a connective.
    fn rewrite_bool_ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> Option<ExprId> {
        match (self.as_const(then), self.as_const(other)) {
            (Some(1), _) => Some(self.binary(BinOp::Or, cond, other)),
            (_, Some(0)) => Some(self.binary(BinOp::And, cond, then)),
            (Some(_), _) => {
                let negated = self.not(cond);
                Some(self.binary(BinOp::And, negated, other))
            }
            (_, Some(_)) => {
                let negated = self.not(cond);
                Some(self.binary(BinOp::Or, negated, then))
            }
            _ => None,
        }
    }

    /// An `Ite` over 0 and 1, or over zeros and ones, is an extension of its condition.
    fn rewrite_const_ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> Option<ExprId> {
        let width = self.width(then);
        let ones = mask(width);
        let (a, b) = (self.as_const(then)?, self.as_const(other)?);
        let bit = if b == 0 {
            cond
        } else if a == 0 {
            self.not(cond)
        } else {
            return None;
        };
        match a | b {
            1 => Some(self.zext(width, bit)),
            value if value == ones => Some(self.sext(width, bit)),
            _ => None,
        }
    }

    /// A funnel shift by a constant is a concatenation.
    pub(crate) fn simplify_funnel(&mut self, op: FunnelOp, hi: ExprId, lo: ExprId, amount: ExprId) -> ExprId {
        let Some(amount) = self.as_const(amount) else {
            return self.raw_funnel(op, hi, lo, amount);
        };
        let width = self.width(hi);
        let n = (amount % u128::from(width)) as u32;
        let n_from_lo = match (op, n) {
            (FunnelOp::Left, 0) => return hi,
            (FunnelOp::Right, 0) => return lo,
            (FunnelOp::Left, _) => n,
            (FunnelOp::Right, _) => width - n,
        };
        let upper = self.extract(0, width - n_from_lo, hi);
        let lower = self.extract(width - n_from_lo, n_from_lo, lo);
        self.concat(upper, lower)
    }

    /// Byte reversal of something put together from bytes is put together the other way round.
    pub(super) fn rewrite_bswap(&mut self, arg: ExprId) -> Option<ExprId> {
        let width = self.width(arg);
        if width == 8 {
            return Some(arg);
        }
        match self.node(arg) {
            Node::Unary { op: UnOp::BSwap, arg } => Some(arg),
            Node::Concat { .. } | Node::ZExt { .. } => {
                let mut reversed = self.extract(0, 8, arg);
                for lo in (8..width).step_by(8) {
                    let byte = self.extract(lo, 8, arg);
                    reversed = self.concat(reversed, byte);
                }
                Some(reversed)
            }
            _ => None,
        }
    }

    /// A lookup at a constant address is the concatenation of the cells.
    pub(crate) fn simplify_lookup(&mut self, table: TableId, addr: ExprId, width: u32) -> ExprId {
        let Some(concrete) = self.as_const(addr) else {
            return self.raw_lookup(table, addr, width);
        };
        let cells: Vec<Cell> = self.table(table).load(concrete as u64, width / 8).collect();
        let mut word = None;
        for cell in cells {
            let byte = match cell {
                Cell::Byte(value) => self.constant(8, u128::from(value)),
                Cell::Expr(id) => id,
            };
            word = Some(match word {
                None => byte,
                Some(lower) => self.concat(byte, lower),
            });
        }
        word.expect("a lookup reads at least one byte")
    }
}
