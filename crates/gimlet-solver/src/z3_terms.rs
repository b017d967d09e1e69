//! Terms of Z3.

use z3::ast::{Ast, Bool, BV};
use z3::Context;

use crate::terms::{TermOp, Terms, Variable};

pub(crate) struct Z3Terms<'ctx> {
    context: &'ctx Context,
    zero: BV,
    one: BV,
    n_made: usize,
    n_max: usize,
}

impl<'ctx> Z3Terms<'ctx> {
    /// Beyond `n_max` terms, no more is encoded.
    pub fn new(context: &'ctx Context, n_max: usize) -> Z3Terms<'ctx> {
        let [zero, one] = [0, 1].map(|value| BV::from_u64(context, value, 1));
        Z3Terms { context, zero, one, n_made: 0, n_max }
    }

    /// A term of width 1 as a proposition.
    pub fn is_true(&self, term: &BV) -> Bool {
        term._eq(&self.one)
    }

    fn truth(&self, condition: Bool) -> BV {
        condition.ite(&self.one, &self.zero)
    }
}

impl Terms for Z3Terms<'_> {
    type Term = BV;

    fn constant(&mut self, width: u32, value: u128) -> BV {
        match u64::try_from(value) {
            Ok(value) => BV::from_u64(self.context, value, width),
            Err(_) => BV::from_str(self.context, width, &value.to_string()).expect("a decimal number is a numeral"),
        }
    }

    fn variable(&mut self, width: u32, variable: Variable) -> BV {
        BV::new_const(self.context, variable.to_string(), width)
    }

    fn apply(&mut self, op: TermOp, args: &[&BV]) -> BV {
        self.n_made += 1;
        let first = args[0];
        match op {
            TermOp::Not => first.bvnot(),
            TermOp::Neg => first.bvneg(),
            TermOp::Add => first.bvadd(args[1]),
            TermOp::Sub => first.bvsub(args[1]),
            TermOp::Mul => first.bvmul(args[1]),
            TermOp::UDiv => first.bvudiv(args[1]),
            TermOp::SDiv => first.bvsdiv(args[1]),
            TermOp::URem => first.bvurem(args[1]),
            TermOp::SRem => first.bvsrem(args[1]),
            TermOp::Shl => first.bvshl(args[1]),
            TermOp::LShr => first.bvlshr(args[1]),
            TermOp::AShr => first.bvashr(args[1]),
            TermOp::And => first.bvand(args[1]),
            TermOp::Or => first.bvor(args[1]),
            TermOp::Xor => first.bvxor(args[1]),
            TermOp::Eq => self.truth(first._eq(args[1])),
            TermOp::Ult => self.truth(first.bvult(args[1])),
            TermOp::Ule => self.truth(first.bvule(args[1])),
            TermOp::Slt => self.truth(first.bvslt(args[1])),
            TermOp::Sle => self.truth(first.bvsle(args[1])),
            TermOp::Concat => first.concat(args[1]),
            TermOp::Extract { hi, lo } => first.extract(hi, lo),
            TermOp::ZeroExtend(n_more) => first.zero_ext(n_more),
            TermOp::SignExtend(n_more) => first.sign_ext(n_more),
            TermOp::Ite => self.is_true(first).ite(args[1], args[2]),
        }
    }

    fn is_full(&self) -> bool {
        self.n_made > self.n_max
    }
}
