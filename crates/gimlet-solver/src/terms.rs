//! The terms that lowering needs from a backend: the bit-vector operators of SMT-LIB.
//!
//! Everything is a bit-vector; comparisons give width 1. Terms may be wider than the 128 bits of
//! expressions, up to twice that: overflow of a product is decided on the whole product.

use std::fmt;

/// Operators of SMT-LIB's bit-vectors, with their corner cases as defined there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermOp {
    Not,
    Neg,
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    /// The first argument on top.
    Concat,
    /// Bits `hi` down to `lo`, both included.
    Extract {
        hi: u32,
        lo: u32,
    },
    /// So many zeros on top.
    ZeroExtend(u32),
    /// So many copies of the sign bit on top.
    SignExtend(u32),
    /// The second argument if the first is 1, else the third.
    Ite,
}

/// A maker of terms: Z3 terms, SMT-LIB text, circuits.
pub trait Terms {
    type Term: Clone + PartialEq;

    fn constant(&mut self, width: u32, value: u128) -> Self::Term;

    /// A free variable. The same one is asked for once.
    fn variable(&mut self, width: u32, variable: Variable) -> Self::Term;

    /// The arguments have the number and the widths that the operator wants.
    fn apply(&mut self, op: TermOp, args: &[&Self::Term]) -> Self::Term;

    /// Whether so much was made that it is better to stop.
    fn is_full(&self) -> bool {
        false
    }
}

/// What a variable stands for; its text is its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variable {
    /// An input byte.
    Byte(u32),
    /// The value of a load outside the encoded part of its table.
    Outside(u32),
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Byte(index) => write!(f, "in{index}"),
            Variable::Outside(number) => write!(f, "outside{number}"),
        }
    }
}
