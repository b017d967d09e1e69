//! Comparisons of memory and strings: one expression each.
//!
//! A chain of if-then-elses from the first character on: the difference where
//! characters differ, zero where both strings end. It holds for every input that
//! leaves the last terminator in place; if that byte is symbolic itself, being
//! zero becomes part of the path condition. A driver can ask for a branch at each
//! character instead ([`Model::forks`]).

use core::ffi::{c_char, c_int, c_void};

use gimlet_trace::event::PinReason;

use crate::term::Term;

use super::{models, Call, Model};

models! {
    memcmp,
    bcmp: memcmp,
    strcmp,
    strncmp,
}

/// The difference of two bytes, as an int.
fn difference(a: Term, b: Term) -> Term {
    a.zero_extend(32) - b.zero_extend(32)
}

/// How two stretches of bytes compare: the first difference of `n` bytes after `fold`; with `strings`, equal zeros end
/// the comparison.
unsafe fn compare(model: &Model, a: u64, b: u64, n: u64, strings: bool, fold: impl Fn(Term) -> Term) -> Term {
    let zero = Term::constant(0, 32);
    // SAFETY: the caller vouches for `n` bytes of both.
    let pair = |index: u64| unsafe { (fold(model.byte(a + index)), fold(model.byte(b + index))) };
    if model.forks() {
        for index in 0..n {
            let (x, y) = pair(index);
            if model.branch(x.ne(y)) {
                return difference(x, y);
            }
            if strings && model.branch(x.is(0)) {
                return zero;
            }
        }
        return zero;
    }
    let mut result = zero;
    for index in (0..n).rev() {
        let (x, y) = pair(index);
        let rest = if strings { Term::choose(x.is(0), zero, result) } else { result };
        result = Term::choose(x.eq(y), rest, difference(x, y));
    }
    result
}

/// The byte at `address` is what ends a string, and has to stay so.
///
/// # Safety
/// It must be readable.
pub unsafe fn pin_terminator(model: &Model, address: u64) {
    // SAFETY: the caller vouches for it.
    model.pin(unsafe { model.byte(address) }, PinReason::Length);
}

pub unsafe extern "C" fn memcmp(a: *const c_void, b: *const c_void, n: usize) -> c_int {
    let call = Call::take(memcmp as *const u8);
    // SAFETY: forwards; memcmp's result is one of those that bcmp may give.
    let real = unsafe { libc::memcmp(a, b, n) };
    let Some(model) = call.follow() else { return real };
    let (a, b, n) = (model.address(0, a as u64), model.address(1, b as u64), model.size(2, n as u64));
    if model.may_be_symbolic(a, n) || model.may_be_symbolic(b, n) {
        // SAFETY: the real function may read them all.
        model.answer(unsafe { compare(&model, a, b, n, false, |byte| byte) }, real as u64);
    }
    real
}

/// Follows a comparison of at most `limit` characters.
unsafe fn compare_strings(
    model: &Model,
    a: *const c_char,
    b: *const c_char,
    limit: u64,
    real: c_int,
    fold: impl Fn(Term) -> Term,
) {
    // SAFETY: both are strings, or have `limit` bytes.
    unsafe {
        let (len_a, len_b) = (libc::strnlen(a, limit as usize) as u64, libc::strnlen(b, limit as usize) as u64);
        let (a, b) = (model.address(0, a as u64), model.address(1, b as u64));
        let shorter = len_a.min(len_b);
        let n = (shorter + 1).min(limit);
        if !model.may_be_symbolic(a, n) && !model.may_be_symbolic(b, n) {
            return;
        }
        if shorter < limit && !model.forks() {
            pin_terminator(model, if len_a <= len_b { a + len_a } else { b + len_b });
        }
        model.answer(compare(model, a, b, n, true, fold), real as u64);
    }
}

/// Longer than any string.
const UNLIMITED: u64 = u64::MAX >> 1;

pub unsafe extern "C" fn strcmp(a: *const c_char, b: *const c_char) -> c_int {
    let call = Call::take(strcmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strcmp(a, b);
        if let Some(model) = call.follow() {
            compare_strings(&model, a, b, UNLIMITED, real, |byte| byte);
        }
        real
    }
}

pub unsafe extern "C" fn strncmp(a: *const c_char, b: *const c_char, n: usize) -> c_int {
    let call = Call::take(strncmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strncmp(a, b, n);
        if let Some(model) = call.follow() {
            let limit = model.size(2, n as u64).min(UNLIMITED);
            compare_strings(&model, a, b, limit, real, |byte| byte);
        }
        real
    }
}
