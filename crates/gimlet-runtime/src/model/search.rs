//! Searches in memory and strings: where something is, as one expression.
//!
//! A result is a chain of if-then-elses over the places where the search may
//! stop ([`Model::first`]).

use core::ffi::{c_char, c_int};

use crate::term::Term;

use super::compare::pin_terminator;
use super::{models, Call, Model, Search};

models! {
    strlen,
    strchr,
}

/// The length of the string at `text`, whose terminator is `len` bytes behind.
unsafe fn length(model: &Model, text: u64, len: u64) -> Term {
    // SAFETY: the real function has read them.
    unsafe {
        if !model.forks() {
            pin_terminator(model, text + len);
        }
        let range = Search { stopped: len, end: len + 1, complete: true };
        let offset = |index| Term::constant(index, 64);
        model.first(range, |index| model.byte(text + index).is(0), offset, offset(len))
    }
}

pub unsafe extern "C" fn strlen(text: *const c_char) -> usize {
    let call = Call::take(strlen as *const u8);
    // SAFETY: forwards.
    let len = unsafe { libc::strlen(text) };
    let Some(model) = call.follow() else { return len };
    let text = model.address(0, text as u64);
    if model.may_be_symbolic(text, len as u64 + 1) {
        // SAFETY: the real function has read them.
        model.answer(unsafe { length(&model, text, len as u64) }, len as u64);
    }
    len
}

pub unsafe extern "C" fn strchr(text: *const c_char, wanted: c_int) -> *mut c_char {
    let call = Call::take(strchr as *const u8);
    // SAFETY: forwards; the text is a string.
    unsafe {
        let real = libc::strchr(text, wanted);
        let Some(model) = call.follow() else { return real };
        let len = libc::strlen(text) as u64;
        let wanted = model.argument(1, wanted as u64, 32).low(8);
        let at = model.address(0, text as u64);
        if !wanted.is_symbolic() && !model.may_be_symbolic(at, len + 1) {
            return real;
        }
        if !model.forks() {
            pin_terminator(&model, at + len);
        }
        let stopped = if real.is_null() { len } else { real as u64 - at };
        let range = Search { stopped, end: len + 1, complete: true };
        let null = Term::constant(0, 64);
        let found = |index| {
            let byte = model.byte(at + index);
            byte.eq(wanted) | byte.is(0)
        };
        let place = |index| Term::choose(model.byte(at + index).eq(wanted), Term::constant(at + index, 64), null);
        model.answer(model.first(range, found, place, null), real as u64);
        real
    }
}
