//! Entry points for operations on values: arithmetic, casts, selects, pointers, branches.

use gimlet_trace::event::{EventKind, EventRecord, LostReason, PinReason, NO_SITE, TRAP_BY_ZERO, TRAP_OVERFLOW};
use gimlet_trace::node::Op;
use gimlet_trace::Label;

use crate::implied::{fix, settle};
use crate::log::{self, blank};
use crate::state::Guard;
use crate::table::{self, operation, sign_extend, truncate, Operand};
use crate::tls;
use crate::tokens;

/// An operator and the width of its operands, as the pass packs them.
#[derive(Clone, Copy)]
pub struct Shape {
    pub op: Op,
    pub width: u32,
}

/// What the pass has packed.
pub fn shape(packed: u32) -> Option<Shape> {
    Some(Shape { op: Op::from_code(packed as u8)?, width: packed >> 8 })
}

/// Operations whose result needs no record: neutral and absorbing constants.
fn shortcut(shape: Shape, a: Operand, b: Operand) -> Option<Label> {
    if a.is_symbolic() == b.is_symbolic() {
        return None;
    }
    let (symbolic, constant) = if a.is_symbolic() { (a.label, b.value) } else { (b.label, a.value) };
    let ones = truncate(u128::MAX, shape.width);
    let right = a.is_symbolic();
    match shape.op {
        Op::And | Op::Mul if constant == 0 => Some(Label::NONE),
        Op::Or if constant == ones => Some(Label::NONE),
        Op::Add | Op::Or | Op::Xor if constant == 0 => Some(symbolic),
        Op::Sub | Op::Shl | Op::LShr | Op::AShr if constant == 0 && right => Some(symbolic),
        Op::And if constant == ones => Some(symbolic),
        Op::Mul if constant == 1 => Some(symbolic),
        _ => None,
    }
}

/// Label of `a op b`, which is `value`.
pub fn binary(shape: Shape, a: Operand, b: Operand, value: u128) -> Label {
    let (a, b) = (a.settled(), b.settled());
    if !a.is_symbolic() && !b.is_symbolic() {
        return Label::NONE;
    }
    if let Some(label) = shortcut(shape, a, b) {
        return label;
    }
    let width = if shape.op.is_predicate() { 1 } else { shape.width };
    operation(shape.op, width, [shape.width, shape.width, 0], &[a, b], value)
}

pub extern "C" fn gimlet_rt_binary(packed: u32, la: u32, lb: u32, a: u64, b: u64, value: u64) -> u32 {
    if la | lb == 0 {
        return 0;
    }
    let (Some(_guard), Some(shape)) = (Guard::enter(), shape(packed)) else { return 0 };
    binary(shape, Operand::new(la, a, 0), Operand::new(lb, b, 0), value.into()).0
}

pub extern "C" fn gimlet_rt_binary_wide(
    packed: u32,
    la: u32,
    lb: u32,
    a_lo: u64,
    a_hi: u64,
    b_lo: u64,
    b_hi: u64,
    value_lo: u64,
    value_hi: u64,
) -> u32 {
    if la | lb == 0 {
        return 0;
    }
    let (Some(_guard), Some(shape)) = (Guard::enter(), shape(packed)) else { return 0 };
    let value = Operand::new(0, value_lo, value_hi).value;
    binary(shape, Operand::new(la, a_lo, a_hi), Operand::new(lb, b_lo, b_hi), value).0
}

/// A division, which is logged.
pub fn divide(shape: Shape, a: Operand, b: Operand, value: u128, site: u32) -> Label {
    let (a, b) = (a.settled(), b.settled());
    if !a.is_symbolic() && !b.is_symbolic() {
        return Label::NONE;
    }
    log_division(shape, a, b, 0, site);
    binary(shape, a, b, value)
}

fn log_division(shape: Shape, a: Operand, b: Operand, trap: u16, site: u32) {
    if tokens::is_quiet() {
        return;
    }
    let record = blank(EventKind::Arith, site);
    log::event(EventRecord {
        flags: shape.op as u8,
        aux: shape.width as u16 | trap,
        a: a.label.0,
        b: b.label.0,
        x: a.value as u64,
        y: b.value as u64,
        ..record
    });
}

/// How a division is going to trap, if it is.
fn trap(shape: Shape, a: u128, b: u128) -> Option<u16> {
    let (a, b) = (truncate(a, shape.width), truncate(b, shape.width));
    let is_signed = matches!(shape.op, Op::SDiv | Op::SRem);
    if b == 0 {
        Some(TRAP_BY_ZERO)
    } else if is_signed && a == 1 << (shape.width - 1) && b == truncate(u128::MAX, shape.width) {
        Some(TRAP_OVERFLOW)
    } else {
        None
    }
}

pub extern "C" fn gimlet_rt_dividing(
    packed: u32,
    la: u32,
    lb: u32,
    a_lo: u64,
    a_hi: u64,
    b_lo: u64,
    b_hi: u64,
    site: u32,
) {
    if la | lb == 0 {
        return;
    }
    let (Some(_guard), Some(shape)) = (Guard::enter(), shape(packed)) else { return };
    let (a, b) = (Operand::new(la, a_lo, a_hi).settled(), Operand::new(lb, b_lo, b_hi).settled());
    if let Some(trap) = trap(shape, a.value, b.value).filter(|_| a.is_symbolic() || b.is_symbolic()) {
        log_division(shape, a, b, trap, site);
    }
}

/// An amount that is not below the width is undefined behaviour: the value is whatever the machine made of it.
fn shift(shape: Shape, a: Operand, b: Operand, value: u128, site: u32) -> Label {
    if b.value >= u128::from(shape.width) {
        log::lost(site, LostReason::Shift);
        return Label::NONE;
    }
    binary(shape, a, b, value)
}

fn checked(shape: Shape, a: Operand, b: Operand, value: u128, site: u32) -> Label {
    match shape.op {
        Op::Shl | Op::LShr | Op::AShr => shift(shape, a, b, value, site),
        _ => divide(shape, a, b, value, site),
    }
}

pub extern "C" fn gimlet_rt_checked(packed: u32, la: u32, lb: u32, a: u64, b: u64, value: u64, site: u32) -> u32 {
    if la | lb == 0 {
        return 0;
    }
    let (Some(_guard), Some(shape)) = (Guard::enter(), shape(packed)) else { return 0 };
    checked(shape, Operand::new(la, a, 0), Operand::new(lb, b, 0), value.into(), site).0
}

pub extern "C" fn gimlet_rt_checked_wide(
    packed: u32,
    la: u32,
    lb: u32,
    a_lo: u64,
    a_hi: u64,
    b_lo: u64,
    b_hi: u64,
    value_lo: u64,
    value_hi: u64,
    site: u32,
) -> u32 {
    if la | lb == 0 {
        return 0;
    }
    let (Some(_guard), Some(shape)) = (Guard::enter(), shape(packed)) else { return 0 };
    let value = Operand::new(0, value_lo, value_hi).value;
    checked(shape, Operand::new(la, a_lo, a_hi), Operand::new(lb, b_lo, b_hi), value, site).0
}

pub extern "C" fn gimlet_rt_unary(packed: u32, from: u32, la: u32, value_lo: u64, value_hi: u64) -> u32 {
    if la == 0 {
        return 0;
    }
    let (Some(_guard), Some(shape)) = (Guard::enter(), shape(packed)) else { return 0 };
    let label = Label(la);
    match shape.op {
        Op::ZExt | Op::SExt => table::extend(shape.op, label, shape.width).0,
        op => {
            let value = Operand::new(0, value_lo, value_hi).value;
            operation(op, shape.width, [from, 0, 0], &[Operand::of(label)], value).0
        }
    }
}

pub extern "C" fn gimlet_rt_extract(width: u32, low: u32, la: u32) -> u32 {
    if la == 0 {
        return 0;
    }
    let Some(_guard) = Guard::enter() else { return 0 };
    table::extract(Label(la), low, width).0
}

pub extern "C" fn gimlet_rt_bit_reverse(width: u32, la: u32, a: u64) -> u32 {
    if la == 0 {
        return 0;
    }
    let Some(_guard) = Guard::enter() else { return 0 };
    // Neighbouring bits change places, then pairs, then halves of bytes; last the bytes.
    let mut x = Operand::new(la, a, 0);
    for (amount, pattern) in [(1, 0x5555_5555_5555_5555u64), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)] {
        let mask = truncate(pattern.into(), width);
        let apply = |op: Op, x: Operand, constant: u128, value: u128| {
            let label = binary(Shape { op, width }, x, Operand::constant(constant), value);
            Operand { label, value }
        };
        let right = apply(Op::LShr, x, amount, x.value >> amount);
        let right = apply(Op::And, right, mask, right.value & mask);
        let left = apply(Op::And, x, mask, x.value & mask);
        let left = apply(Op::Shl, left, amount, truncate(left.value << amount, width));
        let value = right.value | left.value;
        x = Operand { label: binary(Shape { op: Op::Or, width }, right, left, value), value };
    }
    if width == 8 || !x.is_symbolic() {
        return x.label.0;
    }
    let value = x.value.swap_bytes() >> (128 - width);
    operation(Op::BSwap, width, [width, 0, 0], &[x], value).0
}

pub extern "C" fn gimlet_rt_funnel(packed: u32, la: u32, lb: u32, lc: u32, a: u64, b: u64, c: u64, value: u64) -> u32 {
    if la | lb | lc == 0 {
        return 0;
    }
    let (Some(_guard), Some(shape)) = (Guard::enter(), shape(packed)) else { return 0 };
    let operands = [Operand::new(la, a, 0), Operand::new(lb, b, 0), Operand::new(lc, c, 0)];
    operation(shape.op, shape.width, [shape.width; 3], &operands, value.into()).0
}

/// `c ? a : b`; concrete conditions choose a label, symbolic ones make an if-then-else.
pub fn choose(width: u32, c: Operand, a: Operand, b: Operand) -> Label {
    let taken = if c.value & 1 != 0 { a } else { b };
    let c = c.settled();
    if !c.is_symbolic() {
        return taken.label;
    }
    if a.label == b.label && (a.is_symbolic() || a.value == b.value) {
        return a.label;
    }
    operation(Op::Ite, width, [1, width, width], &[c, a, b], taken.value)
}

pub extern "C" fn gimlet_rt_select(
    width: u32,
    lc: u32,
    la: u32,
    lb: u32,
    c: u32,
    a_lo: u64,
    a_hi: u64,
    b_lo: u64,
    b_hi: u64,
) -> u32 {
    if lc | la | lb == 0 {
        return 0;
    }
    let Some(_guard) = Guard::enter() else { return 0 };
    choose(width, Operand::new(lc, c.into(), 0), Operand::new(la, a_lo, a_hi), Operand::new(lb, b_lo, b_hi)).0
}

/// Label of `base + index * scale` at 64 bits; the index has `width` bits and is signed.
pub fn pointer_add(width: u32, base: Operand, index: Operand, scale: u64) -> Label {
    let index_value = truncate(sign_extend(index.value, width), 64);
    let mut index = Operand { label: index.label, value: index_value };
    if index.is_symbolic() {
        index.label =
            if width < 64 { table::extend(Op::SExt, index.label, 64) } else { table::extract(index.label, 0, 64) };
    }
    let scaled = truncate(index.value.wrapping_mul(u128::from(scale)), 64);
    let times = Shape { op: Op::Mul, width: 64 };
    let offset = Operand { label: binary(times, index, Operand::constant(scale.into()), scaled), value: scaled };
    let sum = truncate(base.value.wrapping_add(scaled), 64);
    binary(Shape { op: Op::Add, width: 64 }, base, offset, sum)
}

pub extern "C" fn gimlet_rt_ptr_add(width: u32, lbase: u32, lindex: u32, base: u64, index: u64, scale: u64) -> u32 {
    if lbase | lindex == 0 {
        return 0;
    }
    let Some(_guard) = Guard::enter() else { return 0 };
    pointer_add(width, Operand::new(lbase, base, 0), Operand::new(lindex, index, 0), scale).0
}

pub extern "C" fn gimlet_rt_branch(label: u32, taken: u32, site: u32) {
    if label == 0 {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    log::branch(Label(label), taken & 1 != 0, false, site);
}

/// `cases` are `n` values in ascending order.
pub extern "C" fn gimlet_rt_switch(label: u32, value: u64, site: u32, cases: *mut u8, n: u64) {
    if label == 0 {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    let label = settle(Label(label));
    if !label.is_symbolic() || tokens::hides_decision() {
        return;
    }
    let y = log::stack_pointer();
    log::event(EventRecord { a: label.0, x: value, y, ..blank(EventKind::Switch, site) });
    // SAFETY: the pass's table.
    let cases = unsafe { core::slice::from_raw_parts(cases.cast::<u64>(), n as usize) };
    if cases.binary_search(&value).is_ok() {
        fix(label);
    }
}

pub extern "C" fn gimlet_rt_log_branch(label: u32, taken: u32, site: u32, kind: u32, value: u64) {
    let Some(_guard) = Guard::enter() else { return };
    let flags = (taken & 1) as u8;
    let record = EventRecord { b: tls::thread(), ..blank(EventKind::BranchLog, site) };
    let a = settle(Label(label)).0;
    log::logged_branch(EventRecord { a, flags, aux: u16::from(kind != 0), x: value, ..record });
}

pub extern "C" fn gimlet_rt_pin(label: u32, value_lo: u64, value_hi: u64, site: u32, reason: u32) {
    if label == 0 {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    let reason = PinReason::from_code(reason as u16).unwrap_or(PinReason::Argument);
    log::pin(label, Operand::new(0, value_lo, value_hi).value, site, reason);
}

pub extern "C" fn gimlet_rt_lost(site: u32, reason: u32) {
    let Some(_guard) = Guard::enter() else { return };
    if let Some(reason) = LostReason::from_code(reason as u16) {
        log::lost(site, reason);
    }
}

/// Functions are called through pointers of other types more often than they should: a wider label loses its upper
/// bits as the value does; a narrower one says nothing of the bits above.
pub fn fit(label: Label, width: u32, site: u32) -> Label {
    if label.is_symbolic() && table::width(label) < width {
        log::lost(site, LostReason::Arguments);
        return Label::NONE;
    }
    table::extract(label, 0, width)
}

pub extern "C" fn gimlet_rt_fit(label: u32, width: u32) -> u32 {
    if label == 0 {
        return 0;
    }
    let Some(_guard) = Guard::enter() else { return 0 };
    fit(Label(label), width, NO_SITE).0
}
