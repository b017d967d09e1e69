//! The shape of an expression: ids, operators and nodes.
//!
//! A [`Node`] is 24 bytes and `Copy`. It names its operands by [`ExprId`]; the operands of a node
//! always have smaller ids than the node itself, so ascending ids are a topological order.

/// The widest bit-vector.
pub const WIDTH_MAX: u32 = 128;

/// Index of an expression in its [`crate::Dag`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub(crate) u32);

impl ExprId {
    /// Position among the nodes of the DAG.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of a memory snapshot in its [`crate::Dag`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId(pub(crate) u32);

impl TableId {
    /// Position among the tables of the DAG.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators with one operand; the result has the operand's width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Bitwise complement.
    Not,
    /// Two's complement negation.
    Neg,
    /// Reversal of the bytes; the width is a multiple of 8.
    BSwap,
    /// Number of one bits.
    CtPop,
    /// Number of zero bits above the highest one bit; the width for zero.
    Ctlz,
    /// Number of zero bits below the lowest one bit; the width for zero.
    Cttz,
}

impl UnOp {
    pub const ALL: [UnOp; 6] = [UnOp::Not, UnOp::Neg, UnOp::BSwap, UnOp::CtPop, UnOp::Ctlz, UnOp::Cttz];
}

/// Operators with two operands of the same width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
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
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
    /// Unsigned addition overflows. This one and the rest give width 1.
    UAddO,
    SAddO,
    USubO,
    SSubO,
    UMulO,
    SMulO,
}

impl BinOp {
    pub const ALL: [BinOp; 25] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::UDiv,
        BinOp::SDiv,
        BinOp::URem,
        BinOp::SRem,
        BinOp::Shl,
        BinOp::LShr,
        BinOp::AShr,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Ult,
        BinOp::Ule,
        BinOp::Slt,
        BinOp::Sle,
        BinOp::UAddO,
        BinOp::SAddO,
        BinOp::USubO,
        BinOp::SSubO,
        BinOp::UMulO,
        BinOp::SMulO,
    ];

    /// Whether the operator is a comparison.
    pub fn is_comparison(self) -> bool {
        use BinOp::*;
        matches!(self, Eq | Ne | Ult | Ule | Slt | Sle)
    }

    /// Whether the operator asks if an arithmetic operation overflows.
    pub fn is_overflow_predicate(self) -> bool {
        use BinOp::*;
        matches!(self, UAddO | SAddO | USubO | SSubO | UMulO | SMulO)
    }

    /// Whether the operands may change places.
    pub fn is_commutative(self) -> bool {
        use BinOp::*;
        matches!(self, Add | Mul | And | Or | Xor | Eq | Ne | UAddO | SAddO | UMulO | SMulO)
    }

    /// Width of the result on operands of width `operand_width`.
    pub fn result_width(self, operand_width: u32) -> u32 {
        if self.is_comparison() || self.is_overflow_predicate() {
            1
        } else {
            operand_width
        }
    }
}

/// Funnel shifts: shift the concatenation of two operands and keep one half.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunnelOp {
    /// Shift left, keep the high half.
    Left,
    /// Shift right, keep the low half.
    Right,
}

/// A constant. The value is kept in four-byte words so that a node needs no 16-byte alignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    width: u32,
    words: [u32; 4],
}

impl Constant {
    /// `value` must be masked to `width` already.
    pub(crate) fn new(width: u32, value: u128) -> Constant {
        debug_assert_eq!(value & !crate::semantics::mask(width), 0);
        let words = [0, 32, 64, 96].map(|shift| (value >> shift) as u32);
        Constant { width, words }
    }

    pub fn width(self) -> u32 {
        self.width
    }

    pub fn value(self) -> u128 {
        let words = self.words.into_iter().rev();
        words.fold(0, |value, word| value << 32 | u128::from(word))
    }
}

/// One expression, its operands named by id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Const(Constant),
    /// Input byte number i, 8 bits wide.
    Byte(u32),
    Unary {
        op: UnOp,
        arg: ExprId,
    },
    Binary {
        op: BinOp,
        lhs: ExprId,
        rhs: ExprId,
    },
    /// Zeros above; `width` is greater than the operand's.
    ZExt {
        width: u32,
        arg: ExprId,
    },
    /// Copies of the sign bit above; `width` is greater than the operand's.
    SExt {
        width: u32,
        arg: ExprId,
    },
    /// Bits `lo .. lo + width` of the operand.
    Extract {
        lo: u32,
        width: u32,
        arg: ExprId,
    },
    /// `hi` above `lo`.
    Concat {
        hi: ExprId,
        lo: ExprId,
    },
    /// `then` if the condition (width 1) is 1, else `other`.
    Ite {
        cond: ExprId,
        then: ExprId,
        other: ExprId,
    },
    /// LLVM's `fshl` and `fshr`; the amount counts modulo the width.
    Funnel {
        op: FunnelOp,
        hi: ExprId,
        lo: ExprId,
        amount: ExprId,
    },
    /// Little-endian load of `width / 8` bytes at the 64-bit address `addr`.
    Lookup {
        table: TableId,
        addr: ExprId,
        width: u32,
    },
}

impl Node {
    /// The operands, leftmost first. The symbolic cells of a lookup's table are not operands; see
    /// [`crate::walk`] for a walk that follows them.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        let operands = match *self {
            Node::Const(_) | Node::Byte(_) => [None, None, None],
            Node::Unary { arg, .. }
            | Node::ZExt { arg, .. }
            | Node::SExt { arg, .. }
            | Node::Extract { arg, .. }
            | Node::Lookup { addr: arg, .. } => [Some(arg), None, None],
            Node::Binary { lhs, rhs, .. } => [Some(lhs), Some(rhs), None],
            Node::Concat { hi, lo } => [Some(hi), Some(lo), None],
            Node::Ite { cond, then, other } => [Some(cond), Some(then), Some(other)],
            Node::Funnel { hi, lo, amount, .. } => [Some(hi), Some(lo), Some(amount)],
        };
        operands.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stay_compact() {
        assert_eq!(std::mem::size_of::<Node>(), 24);
    }
}
