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
use crate::lengths;
use crate::memory::{copied, filled};
use crate::shadow;
use crate::state::Guard;
use crate::table::Operand;
use crate::term::Term;

use super::compare::orders_by_bytes;
use super::heap::allocated;
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
    extern "C" {
        #[link_name = "gimlet_real_memcpy"]
        pub fn memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
        #[link_name = "gimlet_real_memmove"]
        pub fn memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
        #[link_name = "gimlet_real_memset"]
        pub fn memset(to: *mut c_void, byte: c_int, n: usize) -> *mut c_void;
    }

    extern "C" {
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

/// Follows a copy that has not happened yet; the result is its target.
fn copy(call: Call, to: *mut c_void, from: *const c_void, n: usize) {
    if let Some(_guard) = Guard::enter() {
        copied(call.operand(0, to as u64), call.operand(1, from as u64), call.operand(2, n as u64), call.site);
        call.result(Label(call.label(0)));
    }
}

pub unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    copy(Call::take(memcpy as *const u8), to, from, n);
    // SAFETY: forwards.
    unsafe { real::memcpy(to, from, n) }
}

pub unsafe extern "C" fn __memcpy_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void {
    copy(Call::take(__memcpy_chk as *const u8), to, from, n);
    // SAFETY: forwards.
    unsafe { real::__memcpy_chk(to, from, n, room) }
}

pub unsafe extern "C" fn memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    copy(Call::take(memmove as *const u8), to, from, n);
    // SAFETY: forwards.
    unsafe { real::memmove(to, from, n) }
}

pub unsafe extern "C" fn __memmove_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void {
    copy(Call::take(__memmove_chk as *const u8), to, from, n);
    // SAFETY: forwards.
    unsafe { real::__memmove_chk(to, from, n, room) }
}

/// Follows a copy whose result is the end of its target: both ends are pinned, so it is the same for every input, but for
/// lengths.
fn copy_to_end(call: Call, to: *mut c_void, from: *const c_void, n: usize) {
    if let Some(model) = call.follow() {
        copied(call.operand(0, to as u64), call.operand(1, from as u64), call.operand(2, n as u64), call.site);
        call.result((model.argument(0, to as u64, 64) + model.argument(2, n as u64, 64)).settled().label);
    }
}

pub unsafe extern "C" fn mempcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    copy_to_end(Call::take(mempcpy as *const u8), to, from, n);
    // SAFETY: forwards.
    unsafe { libc::mempcpy(to, from, n) }
}

pub unsafe extern "C" fn __mempcpy_chk(to: *mut c_void, from: *const c_void, n: usize, room: usize) -> *mut c_void {
    copy_to_end(Call::take(__mempcpy_chk as *const u8), to, from, n);
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
            model.fix_stop(&[from], stop.unwrap_or(n), n, |place| unsafe { model.byte(from + place).eq(last_term) });
        }
        shadow::copy(to, from, len);
    }
    // SAFETY: forwards.
    unsafe { libc::memccpy(to, from, last, n) }
}

/// Follows a fill that has not happened yet; the result is its target.
fn fill(call: Call, to: *mut c_void, byte: c_int, n: usize) {
    if let Some(_guard) = Guard::enter() {
        let byte = call.operand(1, u64::from(byte as u32));
        filled(call.operand(0, to as u64), byte, call.operand(2, n as u64), call.site);
        call.result(Label(call.label(0)));
    }
}

pub unsafe extern "C" fn memset(to: *mut c_void, byte: c_int, n: usize) -> *mut c_void {
    fill(Call::take(memset as *const u8), to, byte, n);
    // SAFETY: forwards.
    unsafe { real::memset(to, byte, n) }
}

pub unsafe extern "C" fn __memset_chk(to: *mut c_void, byte: c_int, n: usize, room: usize) -> *mut c_void {
    fill(Call::take(__memset_chk as *const u8), to, byte, n);
    // SAFETY: forwards.
    unsafe { real::__memset_chk(to, byte, n, room) }
}

/// Follows a fill with zeros that has not happened yet.
fn fill_with_zeros(call: Call, to: *mut c_void, n: usize) {
    if let Some(_guard) = Guard::enter() {
        filled(call.operand(0, to as u64), Operand::constant(0), call.operand(1, n as u64), call.site);
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
unsafe fn fixed_length(model: &Model, text: u64, limit: u64) -> u64 {
    // SAFETY: the caller vouches for the string.
    unsafe {
        let len = libc::strnlen(text as *const c_char, limit as usize) as u64;
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
    from: *const c_char,
    limit: u64,
    behind: Behind,
) -> Term {
    let (room, site) = (checks::room(target), model.call.site);
    // SAFETY: the real function wants a string too.
    let len = unsafe {
        if limit == UNLIMITED {
            checks::text(from as u64, room, before, site);
        }
        fixed_length(model, from as u64, limit)
    };
    let from = model.address(1, from as u64);
    let copied = if len == limit { Term::constant(len, 64) } else { lengths::span(from, from + len) };
    if limit != UNLIMITED && behind == Behind::Zero {
        checks::fits(before + copied, room, site);
    }
    let to = target.value + before.value;
    shadow::copy(to, from, len);
    shadow::clear(to + len, if behind == Behind::Zero { 1 } else { limit - len });
    target + before + copied
}

/// Follows a copy of a whole string; `gives_target` says that the result is its target.
unsafe fn follow_copy(call: Call, to: *mut c_char, from: *const c_char, gives_target: bool) {
    let Some(model) = call.follow() else { return };
    let target = model.argument(0, to as u64, 64);
    pin_target(&model, to as u64);
    // SAFETY: the real function wants a string too.
    let end = unsafe { copy_text(&model, (target, NOTHING), from, UNLIMITED, Behind::Zero) };
    call.result(if gives_target { Label(call.label(0)) } else { end.label });
}

pub unsafe extern "C" fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(strcpy as *const u8), to, from, true);
        libc::strcpy(to, from)
    }
}

pub unsafe extern "C" fn __strcpy_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(__strcpy_chk as *const u8), to, from, true);
        real::__strcpy_chk(to, from, room)
    }
}

pub unsafe extern "C" fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(stpcpy as *const u8), to, from, false);
        libc::stpcpy(to, from)
    }
}

pub unsafe extern "C" fn __stpcpy_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(__stpcpy_chk as *const u8), to, from, false);
        real::__stpcpy_chk(to, from, room)
    }
}

/// Follows a copy that fills `n` bytes.
unsafe fn follow_field(call: Call, to: *mut c_char, from: *const c_char, n: usize, gives_target: bool) {
    let Some(model) = call.follow() else { return };
    call.touches((0, to as u64), (2, n as u64));
    let n = model.size(2, n as u64);
    let target = model.argument(0, to as u64, 64);
    pin_target(&model, to as u64);
    // SAFETY: the real function wants a string too, or `n` bytes.
    let end = unsafe { copy_text(&model, (target, NOTHING), from, n, Behind::Zeros) };
    call.result(if gives_target { Label(call.label(0)) } else { end.label });
}

pub unsafe extern "C" fn strncpy(to: *mut c_char, from: *const c_char, n: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(strncpy as *const u8), to, from, n, true);
        libc::strncpy(to, from, n)
    }
}

pub unsafe extern "C" fn __strncpy_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(__strncpy_chk as *const u8), to, from, n, true);
        real::__strncpy_chk(to, from, n, room)
    }
}

pub unsafe extern "C" fn stpncpy(to: *mut c_char, from: *const c_char, n: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(stpncpy as *const u8), to, from, n, false);
        libc::stpncpy(to, from, n)
    }
}

pub unsafe extern "C" fn __stpncpy_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(__stpncpy_chk as *const u8), to, from, n, false);
        real::__stpncpy_chk(to, from, n, room)
    }
}

/// Follows the appending of at most `limit` characters, which is argument 2 if it is one.
unsafe fn follow_append(call: Call, to: *mut c_char, from: *const c_char, limit: Option<usize>) {
    let Some(model) = call.follow() else { return };
    let limit = limit.map_or(UNLIMITED, |n| model.size(2, n as u64).min(UNLIMITED));
    let target = model.argument(0, to as u64, 64);
    let to = pin_target(&model, to as u64);
    // SAFETY: the real function wants strings too.
    unsafe {
        let before = lengths::span(to, to + fixed_length(&model, to, UNLIMITED));
        copy_text(&model, (target, before), from, limit, Behind::Zero);
    }
    call.result(Label(call.label(0)));
}

pub unsafe extern "C" fn strcat(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(strcat as *const u8), to, from, None);
        libc::strcat(to, from)
    }
}

pub unsafe extern "C" fn __strcat_chk(to: *mut c_char, from: *const c_char, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(__strcat_chk as *const u8), to, from, None);
        real::__strcat_chk(to, from, room)
    }
}

pub unsafe extern "C" fn strncat(to: *mut c_char, from: *const c_char, n: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(strncat as *const u8), to, from, Some(n));
        libc::strncat(to, from, n)
    }
}

pub unsafe extern "C" fn __strncat_chk(to: *mut c_char, from: *const c_char, n: usize, room: usize) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(__strncat_chk as *const u8), to, from, Some(n));
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
            unsafe { model.fix_length(from, len, UNLIMITED) };
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
unsafe fn follow_duplicate(model: &Model, from: *const c_char, limit: u64, to: *mut c_char) {
    let from = model.address(0, from as u64);
    // SAFETY: the real function wants a string too.
    let len = unsafe { fixed_length(model, from, limit) };
    let copied = if len == limit { Term::constant(len, 64) } else { lengths::span(from, from + len) };
    let size = copied + Term::constant(1, 64);
    allocated(to.cast(), len + 1, size.label.0, model.call.site);
    if !to.is_null() {
        shadow::copy(to as u64, from, len);
    }
}

pub unsafe extern "C" fn strdup(from: *const c_char) -> *mut c_char {
    let call = Call::take(strdup as *const u8);
    // SAFETY: forwards.
    unsafe {
        let to = libc::strdup(from);
        if let Some(model) = call.follow() {
            follow_duplicate(&model, from, UNLIMITED, to);
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
            follow_duplicate(&model, from, limit, to);
        }
        to
    }
}
