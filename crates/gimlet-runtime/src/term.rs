//! Values of at most 64 bits with their labels: what models of library functions compute with.
//!
//! A model follows the real function once more, on [`Term`]s: each operator
//! computes the concrete value and, if an operand is symbolic, an expression. A
//! value of one bit is a truth value. Nothing here reads memory or logs events;
//! that is the business of [`crate::model::Model`].

use core::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Sub};

use gimlet_trace::node::Op;
use gimlet_trace::Label;

use crate::implied;
use crate::ops::{binary, choose, Shape};
use crate::table::{self, operation, sign_extend, truncate, Operand};

/// A value, how many bits it has, and which expression it is.
#[derive(Clone, Copy)]
pub struct Term {
    pub label: Label,
    pub value: u64,
    pub width: u32,
}

impl Term {
    /// A value that no input changes.
    pub fn constant(value: u64, width: u32) -> Term {
        Term { label: Label::NONE, value: truncate(value.into(), width) as u64, width }
    }

    pub const TRUE: Term = Term { label: Label::NONE, value: 1, width: 1 };
    pub const FALSE: Term = Term { label: Label::NONE, value: 0, width: 1 };

    pub fn is_symbolic(self) -> bool {
        self.label.is_symbolic()
    }

    /// What a truth value is in this run.
    pub fn holds(self) -> bool {
        self.value & 1 != 0
    }

    /// The value as a signed number.
    pub fn signed(self) -> i64 {
        sign_extend(self.value.into(), self.width) as i64
    }

    /// The same without its width.
    pub fn operand(self) -> Operand {
        Operand { label: self.label, value: self.value.into() }
    }

    fn operate(self, op: Op, other: Term, value: u64) -> Term {
        debug_assert_eq!(self.width, other.width);
        let width = if op.is_predicate() { 1 } else { self.width };
        let result = Term::constant(value, width);
        if !self.is_symbolic() && !other.is_symbolic() {
            return result;
        }
        let label = binary(Shape { op, width: self.width }, self.operand(), other.operand(), result.value.into());
        Term { label, ..result }
    }

    pub fn eq(self, other: Term) -> Term {
        self.operate(Op::Eq, other, (self.value == other.value).into())
    }

    pub fn ne(self, other: Term) -> Term {
        self.operate(Op::Ne, other, (self.value != other.value).into())
    }

    /// Unsigned comparison.
    pub fn below(self, other: Term) -> Term {
        self.operate(Op::Ult, other, (self.value < other.value).into())
    }

    /// Signed comparison.
    pub fn less(self, other: Term) -> Term {
        self.operate(Op::Slt, other, (self.signed() < other.signed()).into())
    }

    /// Without a label that the path condition makes superfluous.
    pub fn settled(self) -> Term {
        Term { label: implied::settle(self.label), ..self }
    }

    /// True if the value is `constant`.
    pub fn is(self, constant: u64) -> Term {
        self.eq(Term::constant(constant, self.width))
    }

    /// True if `low <= self <= high`, all unsigned.
    pub fn within(self, low: u64, high: u64) -> Term {
        if low == 0 && high == Term::constant(u64::MAX, self.width).value {
            return Term::TRUE;
        }
        let distance = self - Term::constant(low, self.width);
        distance.below(Term::constant(high - low + 1, self.width))
    }

    /// Quotient and remainder, unsigned; the divisor is a constant that is not zero.
    pub fn divide(self, by: u64) -> (Term, Term) {
        let divisor = Term::constant(by, self.width);
        (self.operate(Op::UDiv, divisor, self.value / by), self.operate(Op::URem, divisor, self.value % by))
    }

    /// `self`, if the condition holds, else `other`.
    pub fn choose(condition: Term, then: Term, otherwise: Term) -> Term {
        debug_assert_eq!(then.width, otherwise.width);
        let taken = if condition.holds() { then } else { otherwise };
        let label = choose(then.width, condition.operand(), then.operand(), otherwise.operand());
        Term { label, ..taken }
    }

    /// Widened to `width` bits, with zeros.
    pub fn zero_extend(self, width: u32) -> Term {
        let label = table::extend(Op::ZExt, self.label, width);
        Term { label, value: self.value, width }
    }

    /// Widened to `width` bits, with copies of the sign.
    pub fn sign_extend(self, width: u32) -> Term {
        let label = table::extend(Op::SExt, self.label, width);
        Term { label, ..Term::constant(self.signed() as u64, width) }
    }

    /// The low `width` bits.
    pub fn low(self, width: u32) -> Term {
        self.part(0, width)
    }

    /// `width` bits from number `low` on.
    pub fn part(self, low: u32, width: u32) -> Term {
        Term { label: table::extract(self.label, low, width), ..Term::constant(self.value >> low, width) }
    }

    /// `self` above `low`, as one value.
    pub fn above(self, low: Term) -> Term {
        let width = self.width + low.width;
        let result = Term::constant(self.value << low.width | low.value, width);
        if !self.is_symbolic() && !low.is_symbolic() {
            return result;
        }
        let widths = [self.width, low.width, 0];
        let label = operation(Op::Concat, width, widths, &[self.operand(), low.operand()], result.value.into());
        Term { label, ..result }
    }

    /// 0 - self.
    pub fn negated(self) -> Term {
        Term::constant(0, self.width) - self
    }
}

macro_rules! operators {
    ($($trait:ident::$method:ident => $op:ident, $compute:expr;)*) => {$(
        impl $trait for Term {
            type Output = Term;
            fn $method(self, other: Term) -> Term {
                let compute: fn(u64, u64) -> u64 = $compute;
                self.operate(Op::$op, other, compute(self.value, other.value))
            }
        }
    )*};
}

operators! {
    Add::add => Add, u64::wrapping_add;
    Sub::sub => Sub, u64::wrapping_sub;
    Mul::mul => Mul, u64::wrapping_mul;
    BitAnd::bitand => And, |a, b| a & b;
    BitOr::bitor => Or, |a, b| a | b;
    BitXor::bitxor => Xor, |a, b| a ^ b;
}

impl Not for Term {
    type Output = Term;
    fn not(self) -> Term {
        self ^ Term::constant(u64::MAX, self.width)
    }
}
