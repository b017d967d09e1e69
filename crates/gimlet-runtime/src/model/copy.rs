//! Copies and fills of memory and strings: labels go along.
//!
//! How much of a string is copied depends on where it ends. Its length is fixed
//! ([`Model::fix_length`]), and then a copy of a string is one of memory, with a
//! terminator that no input changes.
//!
//! All of this happens before the real function writes: labels are compared with
//! the content of memory, and a copy may overwrite what decided its length.

use core::ffi::{c_char, c_int, c_void};

use gimlet_trace::event::PinReason;
use gimlet_trace::Label;

use crate::checks;
use crate::memory::{copied, filled};
use crate::shadow;
use crate::state::Guard;
use crate::table::Operand;
use crate::term::Term;

use super::compare::orders_by_bytes;
use super::heap::allocated;
use super::width::{Characters, Width};
use super::{models, Call, Model, UNLIMITED};

models! {
    memcpy,
    __memcpy_chk,
    memmove,
    __memmove_chk,
    mempcpy,
    __mempcpy: mempcpy,
    __mempcpy_chk,
    memccpy,
    bcopy,
    memset,
    __memset_chk,
    bzero,
    __bzero: bzero,
    explicit_bzero,
    __explicit_bzero_chk,
    strcpy,
    __strcpy_chk,
    stpcpy,
    __stpcpy: stpcpy,
    __stpcpy_chk,
    strncpy,
    __strncpy_chk,
    stpncpy,
    __stpncpy: stpncpy,
    __stpncpy_chk,
    strcat,
    __strcat_chk,
    strncat,
    __strncat_chk,
    strxfrm,
    strdup,
    __strdup: strdup,
    strndup,
    __strndup: strndup,
}

mod real {
    use core::ffi::{c_char, c_int, c_void};

    // The program's, if it has them: those stay native. By their plain names compilers call the library's
    // (`runtime.rs` of `gimlet-cc`).
    unsafe extern "C" {
        #[link_name = "gimlet_real_memcpy"]
        pub fn memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
        #[link_name = "gimlet_real_memmove"]
        pub fn memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
        #[link_name = "gimlet_real_memset"]
        pub fn memset(to: *mut c_void, byte: c_int, n: usize) -> *mut c_void;
    }

    unsafe extern "C" {
        pub fn bcopy(from: *const c_void, to: *mut c_void, n: usize);
        pub fn bzero(to: *mut c_void, n: usize);
        pub fn __explicit_bzero_chk(to: *mut c_void, n: usize, room: usize);
        pub fn __memcpy_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void;
        pub fn __memmove_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void;
        pub fn __mempcpy_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void;
        pub fn __memset_chk(to: *mut c_void, byte: c_int, n: usize, room: usize) -> *mut c_void;
        pub fn __strcpy_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char;
        pub fn __stpcpy_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char;
        pub fn __strncpy_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char;
        pub fn __stpncpy_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char;
        pub fn __strcat_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char;
        pub fn __strncat_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char;
    }
}

/// Follows a copy of `n` characters that has not happened yet; the result is its target.
pub fn copy(call: Call, width: Width, to: *mut c_void, from: *const c_void, n: usize) {
    if let Some(model) = call.follow() {
        let n = width.size(model.argument(2, n as u64, 64)).operand();
        copied(call.operand(0, to as u64), call.operand(1, from as u64), n, call.site);
        call.result(Label(call.label(0)));
    }
}

pub unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    copy(Call::take(memcpy as *const u8), Width::Byte, to, from, n);
    // SAFETY: forwards.
    unsafe { real::memcpy(to, from, n) }
}

pub unsafe extern "C" fn __memcpy_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void {
    copy(Call::take(__memcpy_chk as *const u8), Width::Byte, to, from, n);
    // SAFETY: forwards.
    unsafe { real::__memcpy_chk(to, from, n, room) }
}

pub unsafe extern "C" fn memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    copy(Call::take(memmove as *const u8), Width::Byte, to, from, n);
    // SAFETY: forwards.
    unsafe { real::memmove(to, from, n) }
}

pub unsafe extern "C" fn __memmove_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void {
    copy(Call::take(__memmove_chk as *const u8), Width::Byte, to, from, n);
    // SAFETY: forwards.
    unsafe { real::__memmove_chk(to, from, n, room) }
}

/// Follows a copy whose result is the end of its target: both ends are pinned, so it is the same for every input, but for
/// lengths.
pub fn copy_to_end(call: Call, width: Width, to: *mut c_void, from: *const c_void, n: usize) {
    if let Some(model) = call.follow() {
        let n = width.size(model.argument(2, n as u64, 64));
        copied(call.operand(0, to as u64), call.operand(1, from as u64), n.operand(), call.site);
        call.result((model.argument(0, to as u64, 64) + n).settled().label);
    }
}

pub unsafe extern "C" fn mempcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    copy_to_end(Call::take(mempcpy as *const u8), Width::Byte, to, from, n);
    // SAFETY: forwards.
    unsafe { libc::mempcpy(to, from, n) }
}

pub unsafe extern "C" fn __mempcpy_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void {
    copy_to_end(Call::take(__mempcpy_chk as *const u8), Width::Byte, to, from, n);
    // SAFETY: forwards.
    unsafe { real::__mempcpy_chk(to, from, n, room) }
}

pub unsafe extern "C" fn bcopy(from: *const c_void, to: *mut c_void, n: usize) {
    let call = Call::take(bcopy as *const u8);
    if let Some(_guard) = Guard::enter() {
        copied(call.operand(1, to as u64), call.operand(0, from as u64), call.operand(2, n as u64), call.site);
    }
    // SAFETY: forwards.
    unsafe { real::bcopy(from, to, n) }
}

pub unsafe extern "C" fn memccpy(to: *mut c_void, from: *const c_void, last: c_int, n: usize) -> *mut c_void {
    let call = Call::take(memccpy as *const u8);
    if let Some(model) = call.follow() {
        let (to, from) = (pin_target(&model, to as u64), model.address(1, from as u64));
        let n = model.size(3, n as u64);
        let last_term = model.argument(2, last as u64, 32).low(8);
        // SAFETY: what the real function will read.
        let stop = unsafe { (0..n).find(|&at| *((from + at) as *const u8) == last as u8) };
        let len = stop.map_or(n, |stop| stop + 1);
        if last_term.is_symbolic() || model.may_be_symbolic(from, len) {
            // SAFETY: as above.
            let found = |place| unsafe { model.byte(from + place).eq(last_term) };
            model.fix_stop(Characters::bytes(from), stop.unwrap_or(n), n, found);
        }
        shadow::copy(to, from, len);
    }
    // SAFETY: forwards.
    unsafe { libc::memccpy(to, from, last, n) }
}

/// Follows a fill with `n` characters that has not happened yet; the result is its target.
pub fn fill(call: Call, width: Width, to: *mut c_void, character: c_int, n: usize) {
    if let Some(model) = call.follow() {
        let character = model.argument(1, character as u64, 32).operand();
        let n = width.size(model.argument(2, n as u64, 64)).operand();
        filled(call.operand(0, to as u64), (character, width.bytes()), n, call.site);
        call.result(Label(call.label(0)));
    }
}

pub unsafe extern "C" fn memset(to: *mut c_void, byte: c_int, n: usize) -> *mut c_void {
    fill(Call::take(memset as *const u8), Width::Byte, to, byte, n);
    // SAFETY: forwards.
    unsafe { real::memset(to, byte, n) }
}

pub unsafe extern "C" fn __memset_chk(to: *mut c_void, byte: c_int, n: usize, room: usize) -> *mut c_void {
    fill(Call::take(__memset_chk as *const u8), Width::Byte, to, byte, n);
    // SAFETY: forwards.
    unsafe { real::__memset_chk(to, byte, n, room) }
}

/// Follows a fill with zeros that has not happened yet.
fn fill_with_zeros(call: Call, to: *mut c_void, n: usize) {
    if let Some(_guard) = Guard::enter() {
        filled(call.operand(0, to as u64), (Operand::constant(0), 1), call.operand(1, n as u64), call.site);
    }
}

pub unsafe extern "C" fn bzero(to: *mut c_void, n: usize) {
    fill_with_zeros(Call::take(bzero as *const u8), to, n);
    // SAFETY: forwards.
    unsafe { real::bzero(to, n) }
}

pub unsafe extern "C" fn explicit_bzero(to: *mut c_void, n: usize) {
    fill_with_zeros(Call::take(explicit_bzero as *const u8), to, n);
    // SAFETY: forwards.
    unsafe { libc::explicit_bzero(to, n) }
}

pub unsafe extern "C" fn __explicit_bzero_chk(to: *mut c_void, n: usize, room: usize) {
    fill_with_zeros(Call::take(__explicit_bzero_chk as *const u8), to, n);
    // SAFETY: forwards.
    unsafe { real::__explicit_bzero_chk(to, n, room) }
}

/// The first argument is where the function writes.
fn pin_target(model: &Model, to: u64) -> u64 {
    model.pin(model.argument(0, to, 64), PinReason::StoreAddress);
    to
}

/// The length of a string, looking at `limit` characters; it is fixed.
unsafe fn fixed_length(model: &Model, text: Characters, limit: u64) -> u64 {
    // SAFETY: the caller vouches for the string.
    unsafe {
        let len = text.length(limit);
        model.fix_length(text, len, limit);
        len
    }
}

const NOTHING: Term = Term { label: Label::NONE, value: 0, width: 64 };

/// What a copy of a string does behind its last character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// A terminator.
    Zero,
    /// Zeros as far as the limit.
    Zeros,
}

/// Follows a copy of at most `limit` characters of a string that has not happened yet: behind so many bytes at `to`, as a
/// term, and gives where it ends.
unsafe fn copy_text(
    model: &Model,
    (target, before): (Term, Term),
    from: Characters,
    limit: u64,
    behind: Behind,
) -> Term {
    let (room, site) = (checks::room(target), model.call.site);
    // SAFETY: the real function wants a string too.
    let len = unsafe {
        if limit == UNLIMITED {
            checks::text(from, room, before, site);
        }
        fixed_length(model, from, limit)
    };
    model.address(1, from.at);
    let n_bytes = len * from.width.bytes();
    let copied = if len == limit { Term::constant(n_bytes, 64) } else { from.span(len) };
    if limit != UNLIMITED && behind == Behind::Zero {
        checks::fits(before + copied, room, site);
    }
    let to = target.value + before.value;
    shadow::copy(to, from.at, n_bytes);
    let n_zeros = if behind == Behind::Zero { 1 } else { limit - len };
    shadow::clear(to + n_bytes, n_zeros * from.width.bytes());
    target + before + copied
}

/// What a copy of a string gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Target,
    /// Where the terminator is, or would be.
    End,
}

/// Follows a copy of a whole string that has not happened yet.
///
/// # Safety
/// `from` must be a string.
pub unsafe fn follow_copy(call: Call, to: u64, from: Characters, gives: Gives) {
    let Some(model) = call.follow() else { return };
    let target = model.argument(0, to, 64);
    pin_target(&model, to);
    // SAFETY: the real function wants a string too.
    let end = unsafe { copy_text(&model, (target, NOTHING), from, UNLIMITED, Behind::Zero) };
    call.result(if gives == Gives::Target { Label(call.label(0)) } else { end.label });
}

pub unsafe extern "C" fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(strcpy as *const u8), to as u64, Characters::bytes(from as u64), Gives::Target);
        libc::strcpy(to, from)
    }
}

pub unsafe extern "C" fn __strcpy_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(__strcpy_chk as *const u8), to as u64, Characters::bytes(from as u64), Gives::Target);
        real::__strcpy_chk(to, from, room)
    }
}

pub unsafe extern "C" fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(stpcpy as *const u8), to as u64, Characters::bytes(from as u64), Gives::End);
        libc::stpcpy(to, from)
    }
}

pub unsafe extern "C" fn __stpcpy_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(__stpcpy_chk as *const u8), to as u64, Characters::bytes(from as u64), Gives::End);
        real::__stpcpy_chk(to, from, room)
    }
}

/// Follows a copy that fills `n` characters.
///
/// # Safety
/// `from` must be a string, or have as many.
pub unsafe fn follow_field(call: Call, to: u64, from: Characters, n: usize, gives: Gives) {
    let Some(model) = call.follow() else { return };
    model.touches((0, to), from.width.size(model.argument(2, n as u64, 64)));
    let n = model.size(2, n as u64);
    let target = model.argument(0, to, 64);
    pin_target(&model, to);
    // SAFETY: the real function wants a string too, or `n` characters.
    let end = unsafe { copy_text(&model, (target, NOTHING), from, n, Behind::Zeros) };
    call.result(if gives == Gives::Target { Label(call.label(0)) } else { end.label });
}

pub unsafe extern "C" fn strncpy(to: *mut c_char, from: *const c_char, n: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(strncpy as *const u8), to as u64, Characters::bytes(from as u64), n, Gives::Target);
        libc::strncpy(to, from, n)
    }
}

pub unsafe extern "C" fn __strncpy_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(
            Call::take(__strncpy_chk as *const u8),
            to as u64,
            Characters::bytes(from as u64),
            n,
            Gives::Target,
        );
        real::__strncpy_chk(to, from, n, room)
    }
}

pub unsafe extern "C" fn stpncpy(to: *mut c_char, from: *const c_char, n: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(stpncpy as *const u8), to as u64, Characters::bytes(from as u64), n, Gives::End);
        libc::stpncpy(to, from, n)
    }
}

pub unsafe extern "C" fn __stpncpy_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(__stpncpy_chk as *const u8), to as u64, Characters::bytes(from as u64), n, Gives::End);
        real::__stpncpy_chk(to, from, n, room)
    }
}

/// Follows the appending of at most `limit` characters, which is argument 2 if it is one.
///
/// # Safety
/// Both must be strings; `from` can also have `limit` characters.
pub unsafe fn follow_append(call: Call, to: u64, from: Characters, limit: Option<usize>) {
    let Some(model) = call.follow() else { return };
    let limit = limit.map_or(UNLIMITED, |n| model.size(2, n as u64).min(UNLIMITED));
    let target = model.argument(0, to, 64);
    let text = Characters { at: pin_target(&model, to), ..from };
    // SAFETY: the real function wants strings too.
    unsafe {
        let before = text.span(fixed_length(&model, text, UNLIMITED));
        copy_text(&model, (target, before), from, limit, Behind::Zero);
    }
    call.result(Label(call.label(0)));
}

pub unsafe extern "C" fn strcat(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(strcat as *const u8), to as u64, Characters::bytes(from as u64), None);
        libc::strcat(to, from)
    }
}

pub unsafe extern "C" fn __strcat_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(__strcat_chk as *const u8), to as u64, Characters::bytes(from as u64), None);
        real::__strcat_chk(to, from, room)
    }
}

pub unsafe extern "C" fn strncat(to: *mut c_char, from: *const c_char, n: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(strncat as *const u8), to as u64, Characters::bytes(from as u64), Some(n));
        libc::strncat(to, from, n)
    }
}

pub unsafe extern "C" fn __strncat_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(__strncat_chk as *const u8), to as u64, Characters::bytes(from as u64), Some(n));
        real::__strncat_chk(to, from, n, room)
    }
}

pub unsafe extern "C" fn strxfrm(to: *mut c_char, from: *const c_char, n: usize) -> usize {
    let call = Call::take(strxfrm as *const u8);
    if let Some(model) = call.follow() {
        let (to, n) = (pin_target(&model, to as u64), model.size(2, n as u64));
        // SAFETY: the real function wants a string too.
        let len = unsafe { libc::strlen(from) } as u64;
        let from = model.address(1, from as u64);
        if orders_by_bytes() {
            // SAFETY: as above.
            unsafe { model.fix_length(Characters::bytes(from), len, UNLIMITED) };
            shadow::copy(to, from, len.min(n));
            shadow::clear(to + len.min(n), u64::from(n > len));
        } else {
            if model.may_be_symbolic(from, len + 1) {
                model.lost();
            }
            shadow::clear(to, n);
        }
    }
    // SAFETY: forwards.
    unsafe { libc::strxfrm(to, from, n) }
}

/// Follows a copy of `from`, of at most `limit` characters, to fresh memory.
///
/// # Safety
/// `from` must be a string, or have as many characters.
pub unsafe fn follow_duplicate(model: &Model, from: Characters, limit: u64, to: u64) {
    model.address(0, from.at);
    // SAFETY: the real function wants a string too.
    let len = unsafe { fixed_length(model, from, limit) };
    let (width, n_bytes) = (from.width.bytes(), len * from.width.bytes());
    let copied = if len == limit { Term::constant(n_bytes, 64) } else { from.span(len) };
    let size = copied + Term::constant(width, 64);
    allocated(to as *mut c_void, n_bytes + width, size.label.0, model.call.site);
    if to != 0 {
        shadow::copy(to, from.at, n_bytes);
    }
}

pub unsafe extern "C" fn strdup(from: *const c_char) -> *mut c_char {
    let call = Call::take(strdup as *const u8);
    // SAFETY: forwards.
    unsafe {
        let to = libc::strdup(from);
        if let Some(model) = call.follow() {
            follow_duplicate(&model, Characters::bytes(from as u64), UNLIMITED, to as u64);
        }
        to
    }
}

pub unsafe extern "C" fn strndup(from: *const c_char, n: usize) -> *mut c_char {
    let call = Call::take(strndup as *const u8);
    // SAFETY: forwards.
    unsafe {
        let to = libc::strndup(from, n);
        if let Some(model) = call.follow() {
            let limit = model.size(1, n as u64).min(UNLIMITED);
            follow_duplicate(&model, Characters::bytes(from as u64), limit, to as u64);
        }
        to
    }
}
