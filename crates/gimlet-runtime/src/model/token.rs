//! Tokens of a string: the functions write terminators into it, so each character decides.
//!
//! What a character is becomes a branch, before the real function overwrites it.

use core::ffi::c_char;

use gimlet_trace::event::PinReason;
use gimlet_trace::Label;

use crate::lengths;
use crate::shadow;
use crate::term::Term;

use super::search::Set;
use super::{models, Call, Model};

models! {
    strtok,
    strtok_r,
    __strtok_r: strtok_r,
    strsep,
    __strsep_g: strsep,
}

mod real {
    use core::ffi::c_char;

    extern "C" {
        pub fn strsep(text: *mut *mut c_char, delimiters: *const c_char) -> *mut c_char;
    }
}

/// What the real function is going to do.
#[derive(Clone, Copy, Default)]
struct Step {
    /// The token, or null.
    token: u64,
    /// Where the next one is looked for.
    rest: u64,
    /// The delimiter that becomes a terminator.
    cut: Option<u64>,
}

/// The first delimiter or terminator from `text` on; true if it is a delimiter.
unsafe fn token_end(model: &Model, text: u64, set: &Set) -> (u64, bool) {
    // SAFETY: a string.
    let byte = |address| unsafe { model.byte(address) };
    let is_end = |address: &u64| model.branch(set.contains(model, byte(*address)) | byte(*address).is(0));
    let end = (text..).find(is_end).unwrap_or(text);
    (end, !model.branch(byte(end).is(0)))
}

/// The next token of a string, as strtok sees it.
unsafe fn next_token(model: &Model, text: u64, set: &Set) -> Step {
    // SAFETY: a string.
    let byte = |address| unsafe { model.byte(address) };
    let is_other = |address: &u64| !model.branch(set.contains(model, byte(*address)));
    let token = (text..).find(is_other).unwrap_or(text);
    if model.branch(byte(token).is(0)) {
        return Step { token: 0, rest: token, cut: None };
    }
    // SAFETY: a string.
    let (end, is_cut) = unsafe { token_end(model, token, set) };
    Step { token, rest: end + u64::from(is_cut), cut: is_cut.then_some(end) }
}

/// The real function has done its step, with this result.
fn check(model: &Model, token: Term, step: Step, real: *mut c_char) {
    model.answer(if step.token == 0 { Term::constant(0, 64) } else { token }, real as u64);
    if step.token != real as u64 {
        model.lost();
    }
    if let Some(cut) = step.cut {
        shadow::clear(cut, 1);
    }
}

/// An address behind another: what lies between them may be stretches.
fn behind(from: Term, address: u64) -> Term {
    from + lengths::span(from.value, address)
}

/// Where the real strtok goes on.
static mut STRTOK_REST: Term = Term { label: Label::NONE, value: 0, width: 64 };

pub unsafe extern "C" fn strtok(text: *mut c_char, delimiters: *const c_char) -> *mut c_char {
    let call = Call::take(strtok as *const u8);
    // SAFETY: forwards; both are strings, and inside a model a thread is alone.
    unsafe {
        let Some(model) = call.follow() else { return libc::strtok(text, delimiters) };
        let from = if text.is_null() { STRTOK_REST } else { pinned(&model, model.argument(0, text as u64, 64)) };
        if from.value == 0 {
            return libc::strtok(text, delimiters);
        }
        let step = next_token(&model, from.value, &Set::new(&model, 1, delimiters, false));
        STRTOK_REST = behind(from, step.rest);
        let token = behind(from, step.token.max(from.value));
        let real = libc::strtok(text, delimiters);
        check(&model, token, step, real);
        real
    }
}

/// An address that is pinned, but for lengths.
fn pinned(model: &Model, address: Term) -> Term {
    model.pin(address, PinReason::Address);
    address.settled()
}

/// A pointer to the string that the function keeps in the program's memory.
unsafe fn kept(model: &Model, at: u64) -> Term {
    // SAFETY: the real function reads it too.
    pinned(model, unsafe { model.load(at, 8) })
}

pub unsafe extern "C" fn strtok_r(text: *mut c_char, delimiters: *const c_char, rest: *mut *mut c_char) -> *mut c_char {
    let call = Call::take(strtok_r as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let Some(model) = call.follow() else { return libc::strtok_r(text, delimiters, rest) };
        let rest_at = model.address(2, rest as u64);
        let given = model.argument(0, text as u64, 64);
        let from = if text.is_null() { kept(&model, rest_at) } else { pinned(&model, given) };
        if from.value == 0 {
            return libc::strtok_r(text, delimiters, rest);
        }
        let step = next_token(&model, from.value, &Set::new(&model, 1, delimiters, false));
        let (token, rest_term) = (behind(from, step.token.max(from.value)), behind(from, step.rest));
        let real = libc::strtok_r(text, delimiters, rest);
        model.stored(rest_at, rest_term);
        check(&model, token, step, real);
        real
    }
}

pub unsafe extern "C" fn strsep(text: *mut *mut c_char, delimiters: *const c_char) -> *mut c_char {
    let call = Call::take(strsep as *const u8);
    // SAFETY: forwards; `text` leads to a string or null.
    unsafe {
        let Some(model) = call.follow() else { return real::strsep(text, delimiters) };
        let text_at = model.address(0, text as u64);
        let from = kept(&model, text_at);
        let (mut step, mut rest) = (Step::default(), Term::constant(0, 64));
        if from.value != 0 {
            let (end, is_cut) = token_end(&model, from.value, &Set::new(&model, 1, delimiters, false));
            step = Step { token: from.value, rest: end + 1, cut: is_cut.then_some(end) };
            rest = if is_cut { behind(from, end) + Term::constant(1, 64) } else { rest };
        }
        let real = real::strsep(text, delimiters);
        model.stored(text_at, rest);
        check(&model, from, step, real);
        real
    }
}
