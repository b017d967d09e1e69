//! What each operator means, as pure functions on masked values.
//!
//! The evaluator and the constant folder both call these; nothing else defines an operator. Corner
//! cases follow SMT-LIB, so that a solver and the evaluator agree: `x /u 0` is all ones, `x %u 0` is
//! `x`, signed division truncates and `x /s 0` is 1 for negative `x` and all ones otherwise, a shift
//! by the width or more gives zero (sign copies for `AShr`).
//!
//! Every function takes values whose bits above the width are zero and returns such a value.
//! `tests/all/semantics.rs` checks them against bit-by-bit formulations.

use crate::node::{BinOp, FunnelOp, UnOp};

/// Ones in the low `width` bits.
pub fn mask(width: u32) -> u128 {
    debug_assert!((1..=128).contains(&width));
    u128::MAX >> (128 - width)
}

/// The value read as a two's complement number of `width` bits.
pub fn signed(width: u32, value: u128) -> i128 {
    let n_spare = 128 - width;
    ((value << n_spare) as i128) >> n_spare
}

/// The two's complement number as a value of `width` bits.
pub fn unsigned(width: u32, value: i128) -> u128 {
    value as u128 & mask(width)
}

/// The least signed number of `width` bits.
pub fn signed_min(width: u32) -> i128 {
    i128::MIN >> (128 - width)
}

/// The greatest signed number of `width` bits.
pub fn signed_max(width: u32) -> i128 {
    i128::MAX >> (128 - width)
}

/// Whether the number can be written in `width` bits of two's complement.
pub fn fits_signed(width: u32, value: i128) -> bool {
    (signed_min(width)..=signed_max(width)).contains(&value)
}

/// Number of bits up to and including the highest one bit.
pub fn bit_length(value: u128) -> u32 {
    128 - value.leading_zeros()
}

pub fn unary(op: UnOp, width: u32, value: u128) -> u128 {
    match op {
        UnOp::Not => !value & mask(width),
        UnOp::Neg => value.wrapping_neg() & mask(width),
        UnOp::BSwap => value.swap_bytes() >> (128 - width),
        UnOp::CtPop => u128::from(value.count_ones()),
        UnOp::Ctlz => u128::from(width - bit_length(value)),
        UnOp::Cttz => u128::from(value.trailing_zeros().min(width)),
    }
}

pub fn binary(op: BinOp, width: u32, lhs: u128, rhs: u128) -> u128 {
    let (slhs, srhs) = (signed(width, lhs), signed(width, rhs));
    match op {
        BinOp::Add => lhs.wrapping_add(rhs) & mask(width),
        BinOp::Sub => lhs.wrapping_sub(rhs) & mask(width),
        BinOp::Mul => lhs.wrapping_mul(rhs) & mask(width),
        BinOp::UDiv => lhs.checked_div(rhs).unwrap_or(mask(width)),
        BinOp::SDiv => sdiv(width, slhs, srhs),
        BinOp::URem => lhs.checked_rem(rhs).unwrap_or(lhs),
        BinOp::SRem if rhs == 0 => lhs,
        BinOp::SRem => unsigned(width, slhs.wrapping_rem(srhs)),
        BinOp::Shl => shift_amount(width, rhs).map_or(0, |n| (lhs << n) & mask(width)),
        BinOp::LShr => shift_amount(width, rhs).map_or(0, |n| lhs >> n),
        BinOp::AShr => unsigned(width, slhs >> shift_amount(width, rhs).unwrap_or(width - 1)),
        BinOp::And => lhs & rhs,
        BinOp::Or => lhs | rhs,
        BinOp::Xor => lhs ^ rhs,
        BinOp::Eq => u128::from(lhs == rhs),
        BinOp::Ne => u128::from(lhs != rhs),
        BinOp::Ult => u128::from(lhs < rhs),
        BinOp::Ule => u128::from(lhs <= rhs),
        BinOp::Slt => u128::from(slhs < srhs),
        BinOp::Sle => u128::from(slhs <= srhs),
        BinOp::UAddO => unsigned_overflow(width, lhs.checked_add(rhs)),
        BinOp::SAddO => signed_overflow(width, slhs.checked_add(srhs)),
        BinOp::USubO => u128::from(lhs < rhs),
        BinOp::SSubO => signed_overflow(width, slhs.checked_sub(srhs)),
        BinOp::UMulO => unsigned_overflow(width, lhs.checked_mul(rhs)),
        BinOp::SMulO => signed_overflow(width, slhs.checked_mul(srhs)),
    }
}

fn sdiv(width: u32, lhs: i128, rhs: i128) -> u128 {
    match (rhs, lhs < 0) {
        (0, true) => 1,
        (0, false) => mask(width),
        _ => unsigned(width, lhs.wrapping_div(rhs)),
    }
}

/// The amount if it is less than the width.
fn shift_amount(width: u32, amount: u128) -> Option<u32> {
    (amount < u128::from(width)).then_some(amount as u32)
}

/// `exact` is the result in 128 bits, if it fits there.
fn unsigned_overflow(width: u32, exact: Option<u128>) -> u128 {
    u128::from(exact.is_none_or(|value| value > mask(width)))
}

fn signed_overflow(width: u32, exact: Option<i128>) -> u128 {
    u128::from(exact.is_none_or(|value| !fits_signed(width, value)))
}

pub fn sext(from_width: u32, to_width: u32, value: u128) -> u128 {
    unsigned(to_width, signed(from_width, value))
}

pub fn extract(lo: u32, width: u32, value: u128) -> u128 {
    (value >> lo) & mask(width)
}

/// The sum of the widths is at most 128.
pub fn concat(lo_width: u32, hi: u128, lo: u128) -> u128 {
    hi << lo_width | lo
}

pub fn funnel(op: FunnelOp, width: u32, hi: u128, lo: u128, amount: u128) -> u128 {
    let n = (amount % u128::from(width)) as u32;
    match (op, n) {
        (FunnelOp::Left, 0) => hi,
        (FunnelOp::Right, 0) => lo,
        (FunnelOp::Left, _) => (hi << n | lo >> (width - n)) & mask(width),
        (FunnelOp::Right, _) => (hi << (width - n) | lo >> n) & mask(width),
    }
}
