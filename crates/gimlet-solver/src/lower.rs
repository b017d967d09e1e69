//! Expressions in the operators of SMT-LIB.
//!
//! Operands have smaller ids than their users, so one pass over the reachable ids in ascending
//! order meets operands first; there is no recursion. Each expression is lowered once.
//!
//! Lookups are lowered in [`crate::lookup`]. They may leave conditions in [`Lowering::bounds`]
//! under which the encoding is faithful; elsewhere a lookup gives an arbitrary value. So a query that
//! is unsatisfiable without the bounds is so for any content of memory.

use gimlet_expr::{BinOp, Dag, ExprId, FunnelOp, Node, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::literal::Literal;
use crate::lookup::reachable_cells;
use crate::terms::{TermOp, Terms, Variable};

/// Number of bits that hold the numbers up to `value`.
pub(crate) fn n_bits_for(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

/// Expressions on their way to a backend.
pub struct Lowering<'a, T: Terms> {
    pub(crate) dag: &'a Dag,
    pub terms: T,
    lowered: FxHashMap<ExprId, T::Term>,
    /// Lookups that may leave the encoded part of their table, with the condition (width 1) under
    /// which they don't.
    pub bounds: Vec<(ExprId, T::Term)>,
    /// `None` for tables encoded whole.
    pub(crate) window: Option<Window<'a>>,
    pub(crate) n_outside: u32,
    lookups: Lookups,
}

/// What becomes of lookups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookups {
    Encoded,
    /// Each gives an arbitrary value, the same wherever it occurs: what is unsatisfiable so, is so.
    Opaque,
}

/// What stays of a [`Lowering`] for the next query on the same DAG.
pub struct Kept<T: Terms> {
    pub terms: T,
    lowered: FxHashMap<ExprId, T::Term>,
    pub bounds: Vec<(ExprId, T::Term)>,
    n_outside: u32,
    lookups: Lookups,
}

impl<T: Terms> Kept<T> {
    pub fn new(terms: T, lookups: Lookups) -> Kept<T> {
        Kept { terms, lowered: FxHashMap::default(), bounds: Vec::new(), n_outside: 0, lookups }
    }
}

/// Which part of a large table is encoded.
pub struct Window<'a> {
    /// The greatest number of addresses for which a lookup is encoded.
    pub n_positions_max: u64,
    /// The value of an address on the hint, around which they lie.
    pub address_on_hint: Box<dyn FnMut(ExprId) -> u64 + 'a>,
}

impl<'a, T: Terms> Lowering<'a, T> {
    /// Without a window, tables are encoded whole.
    pub fn new(dag: &'a Dag, terms: T, window: Option<Window<'a>>) -> Lowering<'a, T> {
        Lowering::resume(dag, Kept::new(terms, Lookups::Encoded), window)
    }

    pub fn resume(dag: &'a Dag, kept: Kept<T>, window: Option<Window<'a>>) -> Lowering<'a, T> {
        let Kept { terms, lowered, bounds, n_outside, lookups } = kept;
        Lowering { dag, terms, lowered, bounds, window, n_outside, lookups }
    }

    pub fn keep(self) -> Kept<T> {
        let Lowering { terms, lowered, bounds, n_outside, lookups, .. } = self;
        Kept { terms, lowered, bounds, n_outside, lookups }
    }

    /// Lowers everything below `roots`; returns the terms of the roots, or `None` if the backend is
    /// full.
    pub fn lower(&mut self, roots: &[ExprId]) -> Option<Vec<T::Term>> {
        for id in self.missing(roots) {
            if self.terms.is_full() {
                return None;
            }
            let term = self.lower_node(id);
            self.lowered.insert(id, term);
        }
        Some(roots.iter().map(|&id| self.term(id)).collect())
    }

    /// What is below `roots` and not lowered yet, operands first.
    fn missing(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut found: FxHashSet<ExprId> = FxHashSet::default();
        let mut pending = roots.to_vec();
        while let Some(id) = pending.pop() {
            if self.lowered.contains_key(&id) || !found.insert(id) {
                continue;
            }
            let node = self.dag.node(id);
            if let Node::Lookup { table, addr, width } = node {
                if self.lookups == Lookups::Opaque {
                    continue;
                }
                pending.extend(reachable_cells(self.dag, table, addr, width));
            }
            pending.extend(node.operands());
        }
        let mut found: Vec<ExprId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Lowers everything below the literals; returns a term of width 1 for each, or `None` if the
    /// backend is full.
    pub fn lower_literals(&mut self, literals: &[Literal]) -> Option<Vec<T::Term>> {
        let roots: Vec<ExprId> = literals.iter().map(|literal| literal.expr).collect();
        let terms = self.lower(&roots)?;
        Some(terms.iter().zip(literals).map(|(term, literal)| self.compare(term, literal)).collect())
    }

    /// Whether a term, that of the literal's expression, is as the literal says.
    fn compare(&mut self, term: &T::Term, literal: &Literal) -> T::Term {
        let width = self.dag.width(literal.expr);
        let is_equal = match (width, literal.value) {
            (1, 1) => term.clone(),
            _ => {
                let value = self.terms.constant(width, literal.value);
                self.apply2(TermOp::Eq, term, &value)
            }
        };
        match literal.is_equal {
            true => is_equal,
            false => self.apply1(TermOp::Not, &is_equal),
        }
    }

    /// The term of an expression that was lowered before.
    pub(crate) fn term(&self, id: ExprId) -> T::Term {
        self.lowered[&id].clone()
    }

    pub(crate) fn apply1(&mut self, op: TermOp, arg: &T::Term) -> T::Term {
        self.terms.apply(op, &[arg])
    }

    pub(crate) fn apply2(&mut self, op: TermOp, lhs: &T::Term, rhs: &T::Term) -> T::Term {
        self.terms.apply(op, &[lhs, rhs])
    }

    pub(crate) fn ite(&mut self, cond: &T::Term, then: &T::Term, other: &T::Term) -> T::Term {
        if then == other {
            return then.clone();
        }
        self.terms.apply(TermOp::Ite, &[cond, then, other])
    }

    pub(crate) fn bit(&mut self, arg: &T::Term, index: u32) -> T::Term {
        self.apply1(TermOp::Extract { hi: index, lo: index }, arg)
    }

    fn lower_node(&mut self, id: ExprId) -> T::Term {
        match self.dag.node(id) {
            Node::Const(constant) => self.terms.constant(constant.width(), constant.value()),
            Node::Byte(index) => self.terms.variable(8, Variable::Byte(index)),
            Node::Unary { op, arg } => self.lower_unary(op, arg),
            Node::Binary { op, lhs, rhs } => self.lower_binary(op, lhs, rhs),
            Node::ZExt { width, arg } => {
                let n_more = width - self.dag.width(arg);
                let arg = self.term(arg);
                self.apply1(TermOp::ZeroExtend(n_more), &arg)
            }
            Node::SExt { width, arg } => {
                let n_more = width - self.dag.width(arg);
                let arg = self.term(arg);
                self.apply1(TermOp::SignExtend(n_more), &arg)
            }
            Node::Extract { lo, width, arg } => {
                let arg = self.term(arg);
                self.apply1(TermOp::Extract { hi: lo + width - 1, lo }, &arg)
            }
            Node::Concat { hi, lo } => {
                let (hi, lo) = (self.term(hi), self.term(lo));
                self.apply2(TermOp::Concat, &hi, &lo)
            }
            Node::Ite { cond, then, other } => {
                let (cond, then, other) = (self.term(cond), self.term(then), self.term(other));
                self.ite(&cond, &then, &other)
            }
            Node::Funnel { op, hi, lo, amount } => self.lower_funnel(op, hi, lo, amount),
            Node::Lookup { width, .. } if self.lookups == Lookups::Opaque => self.outside(width),
            Node::Lookup { table, addr, width } => self.lower_lookup(id, table, addr, width),
        }
    }

    fn lower_unary(&mut self, op: UnOp, arg: ExprId) -> T::Term {
        let width = self.dag.width(arg);
        let arg = self.term(arg);
        match op {
            UnOp::Not => self.apply1(TermOp::Not, &arg),
            UnOp::Neg => self.apply1(TermOp::Neg, &arg),
            UnOp::BSwap => {
                let mut reversed = self.apply1(TermOp::Extract { hi: 7, lo: 0 }, &arg);
                for lo in (8..width).step_by(8) {
                    let byte = self.apply1(TermOp::Extract { hi: lo + 7, lo }, &arg);
                    reversed = self.apply2(TermOp::Concat, &reversed, &byte);
                }
                reversed
            }
            UnOp::CtPop => self.population_count(width, &arg),
            UnOp::Ctlz => self.first_one(width, &arg, (0..width).map(|i| (i, width - 1 - i))),
            UnOp::Cttz => self.first_one(width, &arg, (0..width).rev().map(|i| (i, i))),
        }
    }

    /// The number beside the last bit that is one; the width if none is.
    fn first_one(&mut self, width: u32, arg: &T::Term, bits: impl Iterator<Item = (u32, u32)>) -> T::Term {
        let mut result = self.terms.constant(width, u128::from(width));
        for (index, number) in bits {
            let bit = self.bit(arg, index);
            let number = self.terms.constant(width, u128::from(number));
            result = self.ite(&bit, &number, &result);
        }
        result
    }

    /// Adds the bits up in pairs of pairs, in just as many bits as the count needs.
    fn population_count(&mut self, width: u32, arg: &T::Term) -> T::Term {
        let count_width = n_bits_for(width);
        let mut counts: Vec<T::Term> = Vec::new();
        for index in 0..width {
            let bit = self.bit(arg, index);
            counts.push(self.zero_extend(count_width - 1, &bit));
        }
        while counts.len() > 1 {
            let mut sums = Vec::with_capacity(counts.len().div_ceil(2));
            for pair in counts.chunks(2) {
                sums.push(match pair {
                    [a, b] => self.terms.apply(TermOp::Add, &[a, b]),
                    single => single[0].clone(),
                });
            }
            counts = sums;
        }
        self.zero_extend(width - count_width, &counts[0])
    }

    fn zero_extend(&mut self, n_more: u32, arg: &T::Term) -> T::Term {
        match n_more {
            0 => arg.clone(),
            _ => self.apply1(TermOp::ZeroExtend(n_more), arg),
        }
    }

    fn lower_binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> T::Term {
        let width = self.dag.width(lhs);
        let (lhs, rhs) = (self.term(lhs), self.term(rhs));
        let term_op = match op {
            BinOp::Add => TermOp::Add,
            BinOp::Sub => TermOp::Sub,
            BinOp::Mul => TermOp::Mul,
            BinOp::UDiv => TermOp::UDiv,
            BinOp::SDiv => TermOp::SDiv,
            BinOp::URem => TermOp::URem,
            BinOp::SRem => TermOp::SRem,
            BinOp::Shl => TermOp::Shl,
            BinOp::LShr => TermOp::LShr,
            BinOp::AShr => TermOp::AShr,
            BinOp::And => TermOp::And,
            BinOp::Or => TermOp::Or,
            BinOp::Xor => TermOp::Xor,
            BinOp::Eq => TermOp::Eq,
            BinOp::Ult | BinOp::USubO => TermOp::Ult,
            BinOp::Ule => TermOp::Ule,
            BinOp::Slt => TermOp::Slt,
            BinOp::Sle => TermOp::Sle,
            BinOp::Ne => {
                let equal = self.apply2(TermOp::Eq, &lhs, &rhs);
                return self.apply1(TermOp::Not, &equal);
            }
            BinOp::UAddO => return self.carry(width, &lhs, &rhs),
            BinOp::SAddO => return self.signed_overflow(TermOp::Add, width, 1, &lhs, &rhs),
            BinOp::SSubO => return self.signed_overflow(TermOp::Sub, width, 1, &lhs, &rhs),
            BinOp::SMulO => return self.signed_overflow(TermOp::Mul, width, width, &lhs, &rhs),
            BinOp::UMulO => return self.high_half_of_product(width, &lhs, &rhs),
        };
        self.apply2(term_op, &lhs, &rhs)
    }

    fn carry(&mut self, width: u32, lhs: &T::Term, rhs: &T::Term) -> T::Term {
        let (lhs, rhs) = (self.zero_extend(1, lhs), self.zero_extend(1, rhs));
        let sum = self.apply2(TermOp::Add, &lhs, &rhs);
        self.bit(&sum, width)
    }

    /// Whether the result in `n_more` additional bits, which always fits, differs from the extension
    /// of its low bits.
    fn signed_overflow(&mut self, op: TermOp, width: u32, n_more: u32, lhs: &T::Term, rhs: &T::Term) -> T::Term {
        let lhs = self.apply1(TermOp::SignExtend(n_more), lhs);
        let rhs = self.apply1(TermOp::SignExtend(n_more), rhs);
        let exact = self.apply2(op, &lhs, &rhs);
        let kept = self.apply1(TermOp::Extract { hi: width - 1, lo: 0 }, &exact);
        let extended = self.apply1(TermOp::SignExtend(n_more), &kept);
        let fits = self.apply2(TermOp::Eq, &exact, &extended);
        self.apply1(TermOp::Not, &fits)
    }

    /// Whether the high half of the product is not zero.
    fn high_half_of_product(&mut self, width: u32, lhs: &T::Term, rhs: &T::Term) -> T::Term {
        let (lhs, rhs) = (self.zero_extend(width, lhs), self.zero_extend(width, rhs));
        let product = self.apply2(TermOp::Mul, &lhs, &rhs);
        let high = self.apply1(TermOp::Extract { hi: 2 * width - 1, lo: width }, &product);
        let zero = self.terms.constant(width, 0);
        let fits = self.apply2(TermOp::Eq, &high, &zero);
        self.apply1(TermOp::Not, &fits)
    }

    /// Shifts both halves together; the amount modulo the width.
    fn lower_funnel(&mut self, op: FunnelOp, hi: ExprId, lo: ExprId, amount: ExprId) -> T::Term {
        let width = self.dag.width(hi);
        let (hi, lo, amount) = (self.term(hi), self.term(lo), self.term(amount));
        let n = if width.is_power_of_two() {
            let low_bits = self.terms.constant(width, u128::from(width - 1));
            self.apply2(TermOp::And, &amount, &low_bits)
        } else {
            let modulus = self.terms.constant(width, u128::from(width));
            self.apply2(TermOp::URem, &amount, &modulus)
        };
        let n = self.zero_extend(width, &n);
        let both = self.apply2(TermOp::Concat, &hi, &lo);
        match op {
            FunnelOp::Left => {
                let shifted = self.apply2(TermOp::Shl, &both, &n);
                self.apply1(TermOp::Extract { hi: 2 * width - 1, lo: width }, &shifted)
            }
            FunnelOp::Right => {
                let shifted = self.apply2(TermOp::LShr, &both, &n);
                self.apply1(TermOp::Extract { hi: width - 1, lo: 0 }, &shifted)
            }
        }
    }
}
