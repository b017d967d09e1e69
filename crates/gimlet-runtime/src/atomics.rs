//! Atomic operations that read and write at once.

use gimlet_trace::event::PinReason;
use gimlet_trace::node::Op;
use gimlet_trace::Label;

use crate::log;
use crate::memory::label_of;
use crate::ops::choose;
use crate::shadow;
use crate::state::Guard;
use crate::table::{operation, sign_extend, truncate, Operand};

/// `atomicrmw` operations as LLVM's C API numbers them.
mod rmw {
    pub const XCHG: u32 = 0;
    pub const ADD: u32 = 1;
    pub const SUB: u32 = 2;
    pub const AND: u32 = 3;
    pub const NAND: u32 = 4;
    pub const OR: u32 = 5;
    pub const XOR: u32 = 6;
    pub const MAX: u32 = 7;
    pub const MIN: u32 = 8;
    pub const UMAX: u32 = 9;
    pub const UMIN: u32 = 10;
}

fn pair(op: Op, width: u32, a: Operand, b: Operand, value: u128) -> Operand {
    let result = if op.is_predicate() { 1 } else { width };
    let value = truncate(value, result);
    let label = if a.is_symbolic() || b.is_symbolic() {
        operation(op, result, [width, width, 0], &[a, b], value)
    } else {
        Label::NONE
    };
    Operand { label, value }
}

/// What `old op operand` leaves in memory.
fn updated(op: u32, width: u32, old: Operand, operand: Operand) -> Label {
    let (x, y) = (old.value, operand.value);
    let less_signed = (sign_extend(x, width) as i128) < (sign_extend(y, width) as i128);
    let pick = |op, less: bool, first, second| choose(width, pair(op, width, old, operand, less.into()), first, second);
    match op {
        rmw::XCHG => operand.label,
        rmw::ADD => pair(Op::Add, width, old, operand, x.wrapping_add(y)).label,
        rmw::SUB => pair(Op::Sub, width, old, operand, x.wrapping_sub(y)).label,
        rmw::AND => pair(Op::And, width, old, operand, x & y).label,
        rmw::NAND => {
            let and = pair(Op::And, width, old, operand, x & y);
            pair(Op::Xor, width, and, Operand::constant(truncate(u128::MAX, width)), !(x & y)).label
        }
        rmw::OR => pair(Op::Or, width, old, operand, x | y).label,
        rmw::XOR => pair(Op::Xor, width, old, operand, x ^ y).label,
        rmw::MAX => pick(Op::Slt, less_signed, operand, old),
        rmw::MIN => pick(Op::Slt, less_signed, old, operand),
        rmw::UMAX => pick(Op::Ult, x < y, operand, old),
        rmw::UMIN => pick(Op::Ult, x < y, old, operand),
        _ => Label::NONE,
    }
}

/// After an `atomicrmw`: label of the old value; the memory gets that of the new one.
pub extern "C" fn gimlet_rt_atomic(
    op: u32,
    address: *mut u8,
    n: u32,
    laddr: u32,
    site: u32,
    old: u64,
    operand: u64,
    loperand: u32,
) -> u32 {
    let Some(_guard) = Guard::enter() else { return 0 };
    let address = address as u64;
    log::pin(laddr, address.into(), site, PinReason::StoreAddress);
    let old_label = label_of(address, n, old.into(), site);
    let old = Operand { label: old_label, value: old.into() };
    shadow::set_label(address, n.into(), updated(op, 8 * n, old, Operand::new(loperand, operand, 0)));
    old_label.0
}

/// After a `cmpxchg`: label of the old value. Which way it went is pinned, because the memory depends on it.
pub extern "C" fn gimlet_rt_exchange(
    address: *mut u8,
    n: u32,
    laddr: u32,
    site: u32,
    old: u64,
    expected: u64,
    lexpected: u32,
    _new: u64,
    lnew: u32,
    success: u32,
) -> u32 {
    let Some(_guard) = Guard::enter() else { return 0 };
    let address = address as u64;
    log::pin(laddr, address.into(), site, PinReason::StoreAddress);
    let old_label = label_of(address, n, old.into(), site);
    let old_operand = Operand { label: old_label, value: old.into() };
    let equal = u128::from(old == expected);
    let outcome = pair(Op::Eq, 8 * n, old_operand, Operand::new(lexpected, expected, 0), equal);
    log::pin(outcome.label.0, equal, site, PinReason::CompareExchange);
    if success & 1 != 0 {
        shadow::set_label(address, n.into(), Label(lnew));
    }
    old_label.0
}
