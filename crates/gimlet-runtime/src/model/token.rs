//! Tokens of a string: the functions write terminators into it, so each character decides.
//!
//! What a character is becomes a branch, before the real function overwrites it.

use core::ffi::{c_char, c_int};

use gimlet_trace::event::PinReason;
use gimlet_trace::Label;

use crate::lengths;
use crate::shadow;
use crate::term::Term;

use super::search::Set;
use super::width::{Characters, Width};
use super::{models, Call, Model};

models! {
    strtok,
    strtok_r,
    __strtok_r: strtok_r,
    strsep,
    __strsep_g: strsep,
    wcstok,
}

mod real {
    use core::ffi::{c_char, c_int};

    unsafe extern "C" {
        pub fn wcstok(text: *mut c_int, delimiters: *const c_int, rest: *mut *mut c_int) -> *mut c_int;
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
unsafe fn token_end(model: &Model, text: Characters, set: &Set) -> (u64, bool) {
    // SAFETY: a string.
    let character = |place| unsafe { model.character(text, place) };
    let is_end = |place: &u64| model.branch(set.contains(model, character(*place)) | character(*place).is(0));
    let end = (0..).find(is_end).unwrap_or(0);
    (text.address(end), !model.branch(character(end).is(0)))
}

/// The next token of a string, as strtok sees it.
unsafe fn next_token(model: &Model, text: Characters, set: &Set) -> Step {
    // SAFETY: a string.
    let character = |place| unsafe { model.character(text, place) };
    let is_other = |place: &u64| !model.branch(set.contains(model, character(*place)));
    let token = (0..).find(is_other).unwrap_or(0);
    if model.branch(character(token).is(0)) {
        return Step { token: 0, rest: text.address(token), cut: None };
    }
    // SAFETY: a string.
    let (end, is_cut) = unsafe { token_end(model, text.behind(token), set) };
    let rest = if is_cut { end + text.width.bytes() } else { end };
    Step { token: text.address(token), rest, cut: is_cut.then_some(end) }
}

/// The real function has done its step, with this result.
fn check(model: &Model, token: Term, step: Step, width: Width, real: u64) {
    model.answer(if step.token == 0 { Term::constant(0, 64) } else { token }, real);
    if step.token != real {
        model.lost();
    }
    if let Some(cut) = step.cut {
        shadow::clear(cut, width.bytes());
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
        let step = next_token(
            &model,
            Characters::bytes(from.value),
            &Set::new(&model, Characters::bytes(delimiters as u64), false),
        );
        STRTOK_REST = behind(from, step.rest);
        let token = behind(from, step.token.max(from.value));
        let real = libc::strtok(text, delimiters);
        check(&model, token, step, Width::Byte, real as u64);
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

/// Follows `real`, which takes the next token of `text` (argument 0), or of what `rest` (argument 2) leads to.
unsafe fn follow_kept(call: Call, text: Characters, delimiters: u64, rest: u64, real: impl FnOnce() -> u64) -> u64 {
    let Some(model) = call.follow() else { return real() };
    let width = text.width;
    // SAFETY: both are strings, and the real function reads what is kept.
    unsafe {
        model.address(2, rest);
        let given = model.argument(0, text.at, 64);
        let from = if text.at == 0 { kept(&model, rest) } else { pinned(&model, given) };
        if from.value == 0 {
            return real();
        }
        let set = Set::new(&model, Characters { at: delimiters, width }, false);
        let step = next_token(&model, Characters { at: from.value, width }, &set);
        let token = behind(from, step.token.max(from.value));
        // Where no text is left, wcstok keeps a null pointer.
        let rest_term = match width {
            Width::Wide if step.cut.is_none() => Term::constant(0, 64),
            _ => behind(from, step.rest),
        };
        let real = real();
        model.stored(rest, rest_term);
        check(&model, token, step, width, real);
        real
    }
}

pub unsafe extern "C" fn strtok_r(text: *mut c_char, delimiters: *const c_char, rest: *mut *mut c_char) -> *mut c_char {
    let call = Call::take(strtok_r as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = || libc::strtok_r(text, delimiters, rest) as u64;
        follow_kept(call, Characters::bytes(text as u64), delimiters as u64, rest as u64, real) as *mut c_char
    }
}

pub unsafe extern "C" fn wcstok(text: *mut c_int, delimiters: *const c_int, rest: *mut *mut c_int) -> *mut c_int {
    let call = Call::take(wcstok as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = || real::wcstok(text, delimiters, rest) as u64;
        follow_kept(call, Characters::wide(text as u64), delimiters as u64, rest as u64, real) as *mut c_int
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
            let set = Set::new(&model, Characters::bytes(delimiters as u64), false);
            let (end, is_cut) = token_end(&model, Characters::bytes(from.value), &set);
            step = Step { token: from.value, rest: end + 1, cut: is_cut.then_some(end) };
            rest = if is_cut { behind(from, end) + Term::constant(1, 64) } else { rest };
        }
        let real = real::strsep(text, delimiters);
        model.stored(text_at, rest);
        check(&model, from, step, Width::Byte, real as u64);
        real
    }
}
