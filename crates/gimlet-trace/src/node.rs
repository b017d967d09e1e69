//! Expression records: 32 bytes each, appended by the runtime, numbered from 1.
//!
//! ```text
//! offset 0  u8   op       see `Op`
//!        1  u8   flags    bit 0: operand a is the constant imm, bit 1: operand b is, bit 2: operand c is
//!        2  u16  width    of the result, in bits
//!        4  u32  a        label of the first operand (0 if it is imm, or if there is none)
//!        8  u32  b        label of the second operand; for some ops a number
//!       12  u32  c        label of the third operand
//!       16  u64  value    what the run computed (low 64 bits)
//!       24  u64  imm      the constant operand; for results wider than 64 bits the high half of the value
//! ```
//!
//! At most one operand is an immediate; other constants, and every constant of
//! an operation on more than 64 bits, are `Const` records of their own.
//! Operands always have smaller numbers than the record that uses them, so one
//! pass in order evaluates a table.

use crate::label::Label;

/// One record of the node table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct NodeRecord {
    pub op: u8,
    pub flags: u8,
    pub width: u16,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub value: u64,
    pub imm: u64,
}

/// Size of a [`NodeRecord`] in memory and in files.
pub const NODE_LEN: usize = 32;
const _: () = assert!(core::mem::size_of::<NodeRecord>() == NODE_LEN);

/// [`NodeRecord::flags`]: which operand is the immediate.
pub mod imm {
    pub const A: u8 = 1;
    pub const B: u8 = 2;
    pub const C: u8 = 4;
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident = $code:literal),* $(,)?) => {
        /// Operators of records. Codes from 0x80 are kept for floating point.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $name = $code),* }

        impl Op {
            /// Every operator, for tests and tables.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// The operator with this code.
            pub const fn from_code(code: u8) -> Option<Op> {
                match code { $($code => Some(Op::$name),)* _ => None }
            }
        }
    };
}

ops! {
    /// A constant: `value`, and `imm` as its high half.
    Const = 0x01,
    /// `width / 8` consecutive input bytes from number `a`, little-endian.
    Read = 0x02,
    /// a, widened with zeros.
    ZExt = 0x03,
    /// a, widened with its sign.
    SExt = 0x04,
    /// `width` bits of a from bit number `b` (a number).
    Extract = 0x05,
    /// a above b.
    Concat = 0x06,
    /// a (1 bit) ? b : c.
    Ite = 0x07,
    /// Load of `width` bits, little-endian, at address a from snapshot `b` (a number).
    Lookup = 0x08,
    /// *Reserved*: a fresh symbol, number `a` (a number), for labels of loop heads that a driver replaces.
    Fresh = 0x09,
    Add = 0x10,
    Sub = 0x11,
    Mul = 0x12,
    UDiv = 0x13,
    SDiv = 0x14,
    URem = 0x15,
    SRem = 0x16,
    Shl = 0x17,
    LShr = 0x18,
    AShr = 0x19,
    And = 0x1a,
    Or = 0x1b,
    Xor = 0x1c,
    /// Comparisons have width 1; their operands' width is that of the operand that is a label.
    Eq = 0x20,
    Ne = 0x21,
    Ult = 0x22,
    Ule = 0x23,
    Slt = 0x24,
    Sle = 0x25,
    /// Overflow predicates have width 1, as comparisons.
    UAddO = 0x28,
    SAddO = 0x29,
    USubO = 0x2a,
    SSubO = 0x2b,
    UMulO = 0x2c,
    SMulO = 0x2d,
    BSwap = 0x30,
    CtPop = 0x31,
    /// Leading zeros; the width for zero.
    Ctlz = 0x32,
    /// Trailing zeros; the width for zero.
    Cttz = 0x33,
    /// High half of a:b shifted left by c modulo width.
    FShl = 0x34,
    /// Low half of a:b shifted right by c modulo width.
    FShr = 0x35,
}

impl Op {
    /// True for operators whose result is one bit and whose operands share another width.
    pub const fn is_predicate(self) -> bool {
        let code = self as u8;
        code >= Op::Eq as u8 && code <= Op::SMulO as u8
    }

    /// Which of a, b and c are labels (or the immediate), as a mask of [`imm`] bits.
    pub const fn operands(self) -> u8 {
        match self {
            Op::Const | Op::Read | Op::Fresh => 0,
            Op::ZExt | Op::SExt | Op::Extract | Op::Lookup => imm::A,
            Op::BSwap | Op::CtPop | Op::Ctlz | Op::Cttz => imm::A,
            Op::Ite | Op::FShl | Op::FShr => imm::A | imm::B | imm::C,
            _ => imm::A | imm::B,
        }
    }
}

impl NodeRecord {
    /// Operands with their [`imm`] bit, in order: `None` stands for the immediate.
    pub fn operand_labels(&self, op: Op) -> impl Iterator<Item = Option<Label>> + '_ {
        let used = op.operands();
        [(imm::A, self.a), (imm::B, self.b), (imm::C, self.c)]
            .into_iter()
            .filter(move |(bit, _)| used & bit != 0)
            .map(|(bit, label)| (self.flags & bit == 0).then_some(Label(label)))
    }

    /// The bytes of the record as the module doc gives them.
    pub fn to_bytes(&self) -> [u8; NODE_LEN] {
        let mut out = [0; NODE_LEN];
        out[0] = self.op;
        out[1] = self.flags;
        out[2..4].copy_from_slice(&self.width.to_le_bytes());
        out[4..8].copy_from_slice(&self.a.to_le_bytes());
        out[8..12].copy_from_slice(&self.b.to_le_bytes());
        out[12..16].copy_from_slice(&self.c.to_le_bytes());
        out[16..24].copy_from_slice(&self.value.to_le_bytes());
        out[24..32].copy_from_slice(&self.imm.to_le_bytes());
        out
    }

    /// Reads what [`NodeRecord::to_bytes`] wrote; the content is not judged here.
    pub fn from_bytes(bytes: &[u8; NODE_LEN]) -> NodeRecord {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        NodeRecord {
            op: bytes[0],
            flags: bytes[1],
            width: u16::from_le_bytes([bytes[2], bytes[3]]),
            a: u32_at(4),
            b: u32_at(8),
            c: u32_at(12),
            value: u64_at(16),
            imm: u64_at(24),
        }
    }
}
