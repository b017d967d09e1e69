//! Memory and string functions whose results are one expression.
//!
//! A comparison is a chain of if-then-elses from the first character on: the
//! difference where characters differ, zero where a string ends. `strlen` is a
//! chain over the possible places of the terminator. Both hold for every input
//! that leaves the last terminator in place; if that byte is symbolic itself,
//! being zero becomes part of the path condition.

use core::ffi::{c_char, c_int, c_void};

use gimlet_trace::event::{LostReason, PinReason};
use gimlet_trace::node::Op;
use gimlet_trace::Label;

use crate::log;
use crate::memory::{content, copied, filled, label_of};
use crate::ops::choose;
use crate::shadow;
use crate::state::Guard;
use crate::table::{extend, operation, truncate, Operand};

use super::Call;

/// A byte of memory with its label.
unsafe fn byte(address: u64, site: u32) -> Operand {
    // SAFETY: the caller vouches for the byte.
    let value = unsafe { content(address, 1) };
    Operand { label: label_of(address, 1, value, site), value }
}

fn equal(width: u32, a: Operand, b: Operand) -> Operand {
    let value = u128::from(a.value == b.value);
    let label = if a.is_symbolic() || b.is_symbolic() {
        operation(Op::Eq, 1, [width, width, 0], &[a, b], value)
    } else {
        Label::NONE
    };
    Operand { label, value }
}

/// a - b of two bytes, as an int.
fn difference(a: Operand, b: Operand) -> Operand {
    let value = truncate(a.value.wrapping_sub(b.value), 32);
    let widen = |x: Operand| Operand { label: extend(Op::ZExt, x.label, 32), value: x.value };
    let label = if a.is_symbolic() || b.is_symbolic() {
        operation(Op::Sub, 32, [32, 32, 0], &[widen(a), widen(b)], value)
    } else {
        Label::NONE
    };
    Operand { label, value }
}

/// The first difference of `n` bytes; with `strings`, equal zeros end the comparison.
unsafe fn compare(a: u64, b: u64, n: u64, strings: bool, site: u32) -> Operand {
    let zero = Operand::constant(0);
    let mut result = zero;
    for index in (0..n).rev() {
        // SAFETY: the caller vouches for `n` bytes of both.
        let (x, y) = unsafe { (byte(a + index, site), byte(b + index, site)) };
        let same = equal(8, x, y);
        let mut rest = result;
        if strings {
            let ended = equal(8, x, zero);
            let value = if ended.value == 1 { 0 } else { rest.value };
            rest = Operand { label: choose(32, ended, zero, rest), value };
        }
        let apart = difference(x, y);
        let value = if same.value == 1 { rest.value } else { apart.value };
        result = Operand { label: choose(32, same, rest, apart), value };
    }
    result
}

/// Labels the result of a comparison, if the library computes what the expression says.
fn compared(call: Call, expression: Operand, real: c_int) {
    if expression.value == u128::from(real as u32) {
        call.result(expression.label);
    } else if expression.is_symbolic() {
        log::lost(call.site, LostReason::Intrinsic);
    }
}

unsafe fn compare_memory(call: Call, a: *const c_void, b: *const c_void, n: usize) -> c_int {
    // SAFETY: forwards.
    let real = unsafe { libc::memcmp(a, b, n) };
    let Some(_guard) = Guard::enter() else { return real };
    let (a, b, n) = (a as u64, b as u64, n as u64);
    call.pin_address(0, a);
    call.pin_address(1, b);
    call.pin_size(2, n);
    if shadow::may_be_labelled(a, n) || shadow::may_be_labelled(b, n) {
        // SAFETY: the real function has read them.
        compared(call, unsafe { compare(a, b, n, false, call.site) }, real);
    }
    real
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_memcmp(a: *const c_void, b: *const c_void, n: usize) -> c_int {
    // SAFETY: forwards.
    unsafe { compare_memory(Call::take(gimlet_fn_memcmp as *const u8), a, b, n) }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_bcmp(a: *const c_void, b: *const c_void, n: usize) -> c_int {
    // SAFETY: forwards; memcmp is one of the results that bcmp may give.
    unsafe { compare_memory(Call::take(gimlet_fn_bcmp as *const u8), a, b, n) }
}

/// The byte at `address` is what ends a string, and has to stay so.
unsafe fn pin_terminator(address: u64, site: u32) {
    // SAFETY: the caller has read the byte.
    let end = unsafe { byte(address, site) };
    log::pin(end.label.0, 0, site, PinReason::Length);
}

unsafe fn compare_strings(call: Call, a: *const c_char, b: *const c_char, limit: u64, real: c_int) {
    let Some(_guard) = Guard::enter() else { return };
    // SAFETY: both are strings, or have `limit` bytes.
    unsafe {
        let (len_a, len_b) = (libc::strnlen(a, limit as usize) as u64, libc::strnlen(b, limit as usize) as u64);
        let (a, b) = (a as u64, b as u64);
        call.pin_address(0, a);
        call.pin_address(1, b);
        let shorter = len_a.min(len_b);
        let n = (shorter + 1).min(limit);
        if !shadow::may_be_labelled(a, n) && !shadow::may_be_labelled(b, n) {
            return;
        }
        if shorter < limit {
            pin_terminator(if len_a <= len_b { a + len_a } else { b + len_b }, call.site);
        }
        compared(call, compare(a, b, n, true, call.site), real);
    }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_strcmp(a: *const c_char, b: *const c_char) -> c_int {
    let call = Call::take(gimlet_fn_strcmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strcmp(a, b);
        compare_strings(call, a, b, u64::MAX >> 1, real);
        real
    }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_strncmp(a: *const c_char, b: *const c_char, n: usize) -> c_int {
    let call = Call::take(gimlet_fn_strncmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strncmp(a, b, n);
        if let Some(_guard) = Guard::enter() {
            call.pin_size(2, n as u64);
        }
        compare_strings(call, a, b, (n as u64).min(u64::MAX >> 1), real);
        real
    }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_strlen(text: *const c_char) -> usize {
    let call = Call::take(gimlet_fn_strlen as *const u8);
    // SAFETY: forwards.
    let len = unsafe { libc::strlen(text) };
    let Some(_guard) = Guard::enter() else { return len };
    let at = text as u64;
    call.pin_address(0, at);
    if !shadow::may_be_labelled(at, len as u64 + 1) {
        return len;
    }
    // SAFETY: strlen has read them.
    unsafe {
        pin_terminator(at + len as u64, call.site);
        let mut result = Operand::constant(len as u128);
        for index in (0..len as u64).rev() {
            let here = equal(8, byte(at + index, call.site), Operand::constant(0));
            let label = choose(64, here, Operand::constant(index.into()), result);
            result = Operand { label, value: len as u128 };
        }
        call.result(result.label);
    }
    len
}

unsafe fn copy(call: Call, to: *mut c_void, from: *const c_void, n: usize) {
    if let Some(_guard) = Guard::enter() {
        let operand = |index: usize, value: u64| Operand::new(call.label(index), value, 0);
        copied(operand(0, to as u64), operand(1, from as u64), operand(2, n as u64), call.site);
        call.result(Label(call.label(0)));
    }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    // SAFETY: forwards.
    unsafe {
        copy(Call::take(gimlet_fn_memcpy as *const u8), to, from, n);
        libc::memcpy(to, from, n)
    }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    // SAFETY: forwards.
    unsafe {
        copy(Call::take(gimlet_fn_memmove as *const u8), to, from, n);
        libc::memmove(to, from, n)
    }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_memset(to: *mut c_void, byte: c_int, n: usize) -> *mut c_void {
    let call = Call::take(gimlet_fn_memset as *const u8);
    if let Some(_guard) = Guard::enter() {
        let operand = |index: usize, value: u64| Operand::new(call.label(index), value, 0);
        filled(operand(0, to as u64), operand(1, u64::from(byte as u32)), operand(2, n as u64), call.site);
        call.result(Label(call.label(0)));
    }
    // SAFETY: forwards.
    unsafe { libc::memset(to, byte, n) }
}
