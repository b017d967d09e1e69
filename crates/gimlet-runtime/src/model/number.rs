//! Numbers in text, and the arithmetic that the library does itself.
//!
//! Where the digits begin and end, and whether the value fits, are branches; the
//! value is an expression of the digits. Floating-point values have no labels:
//! what strtod gives is counted as lost, but where it stopped is decided by
//! branches too.

use core::ffi::{c_char, c_int};

use gimlet_trace::event::{LostReason, PinReason};

use crate::log;
use crate::shadow;
use crate::term::Term;

use super::text::{Number, Set, Text};
use super::width::Characters;
use super::{models, weak, Call};

models! {
    atoi,
    atol,
    atoll: atol,
    strtol,
    strtoll: strtol,
    strtoq: strtol,
    strtoimax: strtol,
    strtoul,
    strtoull: strtoul,
    strtouq: strtoul,
    strtoumax: strtoul,
    __isoc23_strtol,
    __isoc23_strtoll: __isoc23_strtol,
    __isoc23_strtoimax: __isoc23_strtol,
    __isoc23_strtoul,
    __isoc23_strtoull: __isoc23_strtoul,
    __isoc23_strtoumax: __isoc23_strtoul,
    __strtol_internal,
    __strtoll_internal: __strtol_internal,
    __strtoul_internal,
    __strtoull_internal: __strtoul_internal,
    wcstol,
    wcstoll: wcstol,
    wcstoq: wcstol,
    wcstoimax: wcstol,
    wcstoul,
    wcstoull: wcstoul,
    wcstouq: wcstoul,
    wcstoumax: wcstoul,
    __isoc23_wcstol,
    __isoc23_wcstoll: __isoc23_wcstol,
    __isoc23_wcstoimax: __isoc23_wcstol,
    __isoc23_wcstoul,
    __isoc23_wcstoull: __isoc23_wcstoul,
    __isoc23_wcstoumax: __isoc23_wcstoul,
    strtod,
    strtof,
    atof,
    abs,
    labs,
    llabs: labs,
    imaxabs: labs,
    div,
    ldiv,
    lldiv: ldiv,
    imaxdiv: ldiv,
}

/// Two results.
#[repr(C)]
pub struct Pair {
    quotient: i64,
    remainder: i64,
}

/// The library's own.
mod real {
    use super::{c_char, c_int, Pair};

    unsafe extern "C" {
        pub fn strtol(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64;
        pub fn strtoul(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64;
        pub fn wcstol(text: *const c_int, end: *mut *mut c_int, base: c_int) -> u64;
        pub fn wcstoul(text: *const c_int, end: *mut *mut c_int, base: c_int) -> u64;
        pub fn ldiv(a: i64, b: i64) -> Pair;
        pub fn div(a: c_int, b: c_int) -> u64;
    }
}

weak! {
    __isoc23_strtol as isoc23_strtol: unsafe extern "C" fn(*const c_char, *mut *mut c_char, c_int) -> u64;
    __isoc23_strtoul as isoc23_strtoul: unsafe extern "C" fn(*const c_char, *mut *mut c_char, c_int) -> u64;
    __isoc23_wcstol as isoc23_wcstol: unsafe extern "C" fn(*const c_int, *mut *mut c_int, c_int) -> u64;
    __isoc23_wcstoul as isoc23_wcstoul: unsafe extern "C" fn(*const c_int, *mut *mut c_int, c_int) -> u64;
}

/// Which of the functions that read an integer.
#[derive(Clone, Copy)]
struct Kind {
    signed: bool,
    /// `0b` begins a binary number, as C23 has it.
    binary: bool,
}

const SIGNED: Kind = Kind { signed: true, binary: false };
const UNSIGNED: Kind = Kind { signed: false, binary: false };

/// How many characters behind a number the library may look at, to know that it ends there: as many as `infinity` has.
const LOOKAHEAD: u64 = 8;

/// An integer as it was read.
struct Integer {
    value: Term,
    /// Where the text goes on.
    end: u64,
    out_of_range: bool,
}

/// What stands before the digits.
struct Prefix {
    base: u32,
    /// It was no prefix but the first digit, a zero.
    is_zero: bool,
    /// Where the number ends if no digit follows.
    end: Option<u64>,
}

/// Reads a prefix that tells the base.
fn prefix(text: &mut Text, base: u32, kind: Kind) -> Prefix {
    let hexadecimal = base == 0 || base == 16;
    let binary = kind.binary && (base == 0 || base == 2);
    let or = |otherwise| if base == 0 { otherwise } else { base };
    if !(hexadecimal || binary) || !text.accept_character(b'0') {
        return Prefix { base: or(10), is_zero: false, end: None };
    }
    let end = Some(text.at);
    if hexadecimal && text.accept_letter(b'x') {
        return Prefix { base: 16, is_zero: false, end };
    }
    if binary && text.accept_letter(b'b') {
        return Prefix { base: 2, is_zero: false, end };
    }
    Prefix { base: or(8), is_zero: true, end: None }
}

/// Follows strtol and its kind.
fn integer(text: &mut Text, base: u32, kind: Kind) -> Integer {
    let start = text.at;
    text.skip_spaces();
    let negative = text.accept_sign() == Some(b'-');
    let prefix = prefix(text, base, kind);
    let mut number = Number::new(prefix.base);
    if prefix.is_zero {
        number.push(text.model, Term::constant(b'0'.into(), 8));
    }
    let digits = Set::digits(prefix.base);
    while let Some(c) = text.accept(&digits) {
        number.push(text.model, c);
    }
    if number.n_digits == 0 {
        return Integer { value: Term::constant(0, 64), end: prefix.end.unwrap_or(start), out_of_range: false };
    }
    let (value, out_of_range) = number.finish(text.model, negative, kind.signed);
    Integer { value, end: text.at, out_of_range }
}

/// The real function has written errno.
pub fn errno_written() {
    // SAFETY: errno of this thread.
    shadow::clear(unsafe { libc::__errno_location() } as u64, 4);
}

type Strtol<C> = unsafe extern "C" fn(*const C, *mut *mut C, c_int) -> u64;

/// Follows `real` on a text of bytes.
unsafe fn parse(
    call: Call,
    text: *const c_char,
    end: *mut *mut c_char,
    base: c_int,
    kind: Kind,
    real: Strtol<c_char>,
) -> u64 {
    // SAFETY: forwards.
    unsafe { parse_text(call, (Characters::bytes(text as u64), text), end, base, kind, real) }
}

/// The same on a text of wide characters.
unsafe fn parse_wide(
    call: Call,
    text: *const c_int,
    end: *mut *mut c_int,
    base: c_int,
    kind: Kind,
    real: Strtol<c_int>,
) -> u64 {
    // SAFETY: forwards.
    unsafe { parse_text(call, (Characters::wide(text as u64), text), end, base, kind, real) }
}

unsafe fn parse_text<C>(
    call: Call,
    (characters, text): (Characters, *const C),
    end: *mut *mut C,
    base: c_int,
    kind: Kind,
    real: Strtol<C>,
) -> u64 {
    let mut stopped = core::ptr::null_mut();
    // SAFETY: forwards. A base that there is not leaves `stopped` as it is.
    unsafe {
        let value = real(text, &mut stopped, base);
        let valid = !stopped.is_null();
        if valid && !end.is_null() {
            *end = stopped;
        }
        let Some(model) = call.follow() else { return value };
        model.pin(model.argument(2, base as u64, 32), PinReason::Argument);
        if !valid {
            errno_written();
            return value;
        }
        if !end.is_null() {
            shadow::clear(model.address(1, end as u64), 8);
        }
        model.address(0, text as u64);
        let n_read = characters.before(stopped as u64);
        if !model.is_any_symbolic(characters, n_read + LOOKAHEAD) {
            return value;
        }
        let integer = integer(&mut Text::string(&model, characters), base as u32, kind);
        if integer.out_of_range {
            errno_written();
        }
        if integer.end != n_read {
            model.lost();
        } else {
            model.answer(integer.value, value);
        }
        value
    }
}

pub unsafe extern "C" fn strtol(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64 {
    // SAFETY: forwards.
    unsafe { parse(Call::take(strtol as *const u8), text, end, base, SIGNED, real::strtol) }
}

pub unsafe extern "C" fn strtoul(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64 {
    // SAFETY: forwards.
    unsafe { parse(Call::take(strtoul as *const u8), text, end, base, UNSIGNED, real::strtoul) }
}

pub unsafe extern "C" fn __isoc23_strtol(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64 {
    let call = Call::take(__isoc23_strtol as *const u8);
    let kind = Kind { binary: true, ..SIGNED };
    // SAFETY: forwards; only a program whose C library has the function calls this.
    unsafe { parse(call, text, end, base, kind, isoc23_strtol().unwrap_or(real::strtol)) }
}

pub unsafe extern "C" fn __isoc23_strtoul(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64 {
    let call = Call::take(__isoc23_strtoul as *const u8);
    let kind = Kind { binary: true, ..UNSIGNED };
    // SAFETY: forwards; only a program whose C library has the function calls this.
    unsafe { parse(call, text, end, base, kind, isoc23_strtoul().unwrap_or(real::strtoul)) }
}

pub unsafe extern "C" fn wcstol(text: *const c_int, end: *mut *mut c_int, base: c_int) -> u64 {
    // SAFETY: forwards.
    unsafe { parse_wide(Call::take(wcstol as *const u8), text, end, base, SIGNED, real::wcstol) }
}

pub unsafe extern "C" fn wcstoul(text: *const c_int, end: *mut *mut c_int, base: c_int) -> u64 {
    // SAFETY: forwards.
    unsafe { parse_wide(Call::take(wcstoul as *const u8), text, end, base, UNSIGNED, real::wcstoul) }
}

pub unsafe extern "C" fn __isoc23_wcstol(text: *const c_int, end: *mut *mut c_int, base: c_int) -> u64 {
    let call = Call::take(__isoc23_wcstol as *const u8);
    let kind = Kind { binary: true, ..SIGNED };
    // SAFETY: forwards; only a program whose C library has the function calls this.
    unsafe { parse_wide(call, text, end, base, kind, isoc23_wcstol().unwrap_or(real::wcstol)) }
}

pub unsafe extern "C" fn __isoc23_wcstoul(text: *const c_int, end: *mut *mut c_int, base: c_int) -> u64 {
    let call = Call::take(__isoc23_wcstoul as *const u8);
    let kind = Kind { binary: true, ..UNSIGNED };
    // SAFETY: forwards; only a program whose C library has the function calls this.
    unsafe { parse_wide(call, text, end, base, kind, isoc23_wcstoul().unwrap_or(real::wcstoul)) }
}

/// What macros of older headers call; `group` is always zero there.
pub unsafe extern "C" fn __strtol_internal(
    text: *const c_char,
    end: *mut *mut c_char,
    base: c_int,
    _group: c_int,
) -> u64 {
    // SAFETY: forwards.
    unsafe { parse(Call::take(__strtol_internal as *const u8), text, end, base, SIGNED, real::strtol) }
}

pub unsafe extern "C" fn __strtoul_internal(
    text: *const c_char,
    end: *mut *mut c_char,
    base: c_int,
    _group: c_int,
) -> u64 {
    // SAFETY: forwards.
    unsafe { parse(Call::take(__strtoul_internal as *const u8), text, end, base, UNSIGNED, real::strtoul) }
}

/// atoi and atol are strtol, cut to size.
unsafe fn parse_decimal(call: Call, text: *const c_char, width: u32) -> u64 {
    // SAFETY: forwards.
    unsafe {
        let mut stopped = core::ptr::null_mut();
        let value = real::strtol(text, &mut stopped, 10);
        let Some(model) = call.follow() else { return value };
        let at = model.address(0, text as u64);
        if !model.may_be_symbolic(at, stopped as u64 - at + LOOKAHEAD) {
            return value;
        }
        let integer = integer(&mut Text::string(&model, Characters::bytes(at)), 10, SIGNED);
        if integer.out_of_range {
            errno_written();
        }
        model.answer(integer.value.low(width), value);
        value
    }
}

pub unsafe extern "C" fn atoi(text: *const c_char) -> c_int {
    // SAFETY: forwards.
    unsafe { parse_decimal(Call::take(atoi as *const u8), text, 32) as c_int }
}

pub unsafe extern "C" fn atol(text: *const c_char) -> u64 {
    // SAFETY: forwards.
    unsafe { parse_decimal(Call::take(atol as *const u8), text, 64) }
}

/// Reads digits, a point, digits; true if there was a digit.
fn mantissa(text: &mut Text, digits: &Set, n_before: u64) -> bool {
    let n_whole = n_before + text.skip(digits);
    // SAFETY: the library's description of the locale.
    let point = unsafe { *(*libc::localeconv()).decimal_point } as u8;
    let n_fraction = if text.accept_character(point) { text.skip(digits) } else { 0 };
    n_whole + n_fraction > 0
}

/// Reads an exponent, if it has digits.
fn exponent(text: &mut Text, letter: u8) -> u64 {
    let without = text.at;
    if !text.accept_letter(letter) {
        return without;
    }
    text.accept_sign();
    if text.skip(&Set::digits(10)) == 0 {
        return without;
    }
    text.at
}

/// Reads `inf`, `infinity`, `nan` or `nan(..)`: where it ends.
fn special(text: &mut Text) -> Option<u64> {
    if text.accept_letter(b'i') {
        if !text.accept_word(b"nf") {
            return None;
        }
        let short = text.at;
        return Some(if text.accept_word(b"inity") { text.at } else { short });
    }
    if !text.accept_word(b"nan") {
        return None;
    }
    let short = text.at;
    if text.accept_character(b'(') {
        text.skip(&Set::of(|c| c.is_ascii_alphanumeric() || c == b'_'));
        if text.accept_character(b')') {
            return Some(text.at);
        }
    }
    Some(short)
}

/// Follows strtod: where it stops.
fn float(text: &mut Text) -> u64 {
    let start = text.at;
    text.skip_spaces();
    text.accept_sign();
    let first = text.at;
    let zero = text.accept_character(b'0');
    let after_zero = text.at;
    if zero && text.accept_letter(b'x') {
        if !mantissa(text, &Set::digits(16), 0) {
            return after_zero;
        }
        return exponent(text, b'p');
    }
    if mantissa(text, &Set::digits(10), zero.into()) {
        return exponent(text, b'e');
    }
    if text.at != first {
        return start;
    }
    special(text).unwrap_or(start)
}

/// Tells the program and the path condition where a floating-point number ended.
unsafe fn follow_float(call: Call, text: *const c_char, end: *mut *mut c_char, stopped: *mut c_char) {
    if !end.is_null() {
        // SAFETY: the program wants to know.
        unsafe { *end = stopped };
    }
    let Some(model) = call.follow() else { return };
    let at = model.address(0, text as u64);
    if !end.is_null() {
        shadow::clear(model.address(1, end as u64), 8);
    }
    // SAFETY: the text goes on where the number ended; without a closing parenthesis that may be far from where the
    // library looked.
    let beyond = unsafe {
        if *stopped as u8 == b'(' {
            libc::strlen(stopped) as u64 + 1
        } else {
            LOOKAHEAD
        }
    };
    if !model.may_be_symbolic(at, stopped as u64 - at + beyond) {
        return;
    }
    log::lost(call.site, LostReason::Float);
    if !end.is_null() && at + float(&mut Text::string(&model, Characters::bytes(at))) != stopped as u64 {
        model.lost();
    }
}

pub unsafe extern "C" fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64 {
    let call = Call::take(strtod as *const u8);
    let mut stopped = core::ptr::null_mut();
    // SAFETY: forwards.
    unsafe {
        let value = libc::strtod(text, &mut stopped);
        follow_float(call, text, end, stopped);
        value
    }
}

pub unsafe extern "C" fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32 {
    let call = Call::take(strtof as *const u8);
    let mut stopped = core::ptr::null_mut();
    // SAFETY: forwards.
    unsafe {
        let value = libc::strtof(text, &mut stopped);
        follow_float(call, text, end, stopped);
        value
    }
}

pub unsafe extern "C" fn atof(text: *const c_char) -> f64 {
    let call = Call::take(atof as *const u8);
    let mut stopped = core::ptr::null_mut();
    // SAFETY: forwards; atof is strtod.
    unsafe {
        let value = libc::strtod(text, &mut stopped);
        follow_float(call, text, core::ptr::null_mut(), stopped);
        value
    }
}

fn magnitude(call: Call, value: i64, width: u32) {
    let Some(model) = call.follow() else { return };
    let term = model.argument(0, value as u64, width);
    let zero = Term::constant(0, width);
    model.answer(Term::choose(term.less(zero), term.negated(), term), value.wrapping_abs() as u64);
}

pub unsafe extern "C" fn abs(value: c_int) -> c_int {
    magnitude(Call::take(abs as *const u8), value.into(), 32);
    value.wrapping_abs()
}

pub unsafe extern "C" fn labs(value: i64) -> i64 {
    magnitude(Call::take(labs as *const u8), value, 64);
    value.wrapping_abs()
}

pub unsafe extern "C" fn div(a: c_int, b: c_int) -> u64 {
    let call = Call::take(div as *const u8);
    // SAFETY: forwards.
    let real = unsafe { real::div(a, b) };
    let Some(model) = call.follow() else { return real };
    let (quotient, remainder) = model.divide(model.argument(0, a as u64, 32), model.argument(1, b as u64, 32));
    model.answer(remainder.above(quotient), real);
    real
}

pub unsafe extern "C" fn ldiv(a: i64, b: i64) -> Pair {
    let call = Call::take(ldiv as *const u8);
    // SAFETY: forwards.
    let real = unsafe { real::ldiv(a, b) };
    let Some(model) = call.follow() else { return real };
    let (quotient, remainder) = model.divide(model.argument(0, a as u64, 64), model.argument(1, b as u64, 64));
    model.answer_part(0, quotient, real.quotient as u64);
    model.answer_part(1, remainder, real.remainder as u64);
    real
}
