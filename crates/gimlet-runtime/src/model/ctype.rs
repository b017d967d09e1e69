//! Classes and cases of characters: lookups in the tables of the current locale.
//!
//! A table has an entry for each character from -128 to 255. Programs reach it
//! through `__ctype_b_loc` and its like, which is what the macros of `<ctype.h>`
//! call, and index it themselves; or they call functions. Both become the same
//! lookup.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};

use crate::objects;
use crate::state::Guard;
use crate::term::Term;

use super::{models, Call, Model};

models! {
    isalnum,
    isalpha,
    isblank,
    iscntrl,
    isdigit,
    isgraph,
    islower,
    isprint,
    ispunct,
    isspace,
    isupper,
    isxdigit,
    isalnum_l,
    isalpha_l,
    isblank_l,
    iscntrl_l,
    isdigit_l,
    isgraph_l,
    islower_l,
    isprint_l,
    ispunct_l,
    isspace_l,
    isupper_l,
    isxdigit_l,
    isascii,
    toascii,
    tolower,
    toupper,
    tolower_l,
    toupper_l,
    __ctype_b_loc,
    __ctype_tolower_loc,
    __ctype_toupper_loc,
    __ctype_get_mb_cur_max,
}

/// The library's own.
mod real {
    use super::{c_int, Locale};

    unsafe extern "C" {
        pub fn __ctype_b_loc() -> *const *const u16;
        pub fn __ctype_tolower_loc() -> *const *const i32;
        pub fn __ctype_toupper_loc() -> *const *const i32;
        pub fn __ctype_get_mb_cur_max() -> usize;
        pub fn tolower_l(c: c_int, locale: *const Locale) -> c_int;
        pub fn toupper_l(c: c_int, locale: *const Locale) -> c_int;
    }
}

/// What is public of glibc's `locale_t`.
#[repr(C)]
pub struct Locale {
    categories: [*const c_void; 13],
    classes: *const u16,
    lower: *const i32,
    upper: *const i32,
}

/// Entries before the one of character zero, and in all.
const BEFORE: u64 = 128;
const ENTRIES: u64 = 384;

/// The tables that became known last, by kind: of classes, lower case and upper case.
static KNOWN: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Makes the table of kind `kind` known, whose entry for character zero is at `zero`. It is `constant` if it never goes
/// away.
fn know(kind: usize, zero: u64, n: u64, constant: bool) {
    objects::insert(zero - BEFORE * n, ENTRIES * n, constant);
    KNOWN[kind].store(zero, Ordering::Relaxed);
}

/// Makes the tables of the locale in which programs begin known.
///
/// # Safety
/// To be called once, before runs begin.
pub unsafe fn register() {
    // SAFETY: the library's tables.
    unsafe {
        know(0, *real::__ctype_b_loc() as u64, 2, true);
        know(1, *real::__ctype_tolower_loc() as u64, 4, true);
        know(2, *real::__ctype_toupper_loc() as u64, 4, true);
    }
}

/// The program is given the address of a table that it may not have had before.
fn given(kind: usize, zero: u64, n: u64) {
    if KNOWN[kind].load(Ordering::Relaxed) != zero
        && let Some(_guard) = Guard::enter()
    {
        know(kind, zero, n, false);
    }
}

pub unsafe extern "C" fn __ctype_b_loc() -> *const *const u16 {
    Call::take(__ctype_b_loc as *const u8);
    // SAFETY: forwards.
    unsafe {
        let table = real::__ctype_b_loc();
        given(0, *table as u64, 2);
        table
    }
}

pub unsafe extern "C" fn __ctype_tolower_loc() -> *const *const i32 {
    Call::take(__ctype_tolower_loc as *const u8);
    // SAFETY: forwards.
    unsafe {
        let table = real::__ctype_tolower_loc();
        given(1, *table as u64, 4);
        table
    }
}

pub unsafe extern "C" fn __ctype_toupper_loc() -> *const *const i32 {
    Call::take(__ctype_toupper_loc as *const u8);
    // SAFETY: forwards.
    unsafe {
        let table = real::__ctype_toupper_loc();
        given(2, *table as u64, 4);
        table
    }
}

pub unsafe extern "C" fn __ctype_get_mb_cur_max() -> usize {
    Call::take(__ctype_get_mb_cur_max as *const u8);
    // SAFETY: forwards.
    unsafe { real::__ctype_get_mb_cur_max() }
}

/// The entry for `c`, in a table of kind `kind`. That it is one of the table's characters is part of the path
/// condition.
unsafe fn entry(model: &Model, kind: usize, zero: u64, c: Term, n: u32) -> Term {
    if KNOWN[kind].load(Ordering::Relaxed) != zero {
        know(kind, zero, n.into(), false);
    }
    // SAFETY: the caller vouches for the character.
    unsafe { model.lookup(zero, c, n) }
}

/// Bits of the table of classes, as a little-endian machine has them.
mod class {
    pub const UPPER: u16 = 0x100;
    pub const LOWER: u16 = 0x200;
    pub const ALPHA: u16 = 0x400;
    pub const DIGIT: u16 = 0x800;
    pub const XDIGIT: u16 = 0x1000;
    pub const SPACE: u16 = 0x2000;
    pub const PRINT: u16 = 0x4000;
    pub const GRAPH: u16 = 0x8000;
    pub const BLANK: u16 = 0x1;
    pub const CNTRL: u16 = 0x2;
    pub const PUNCT: u16 = 0x4;
    pub const ALNUM: u16 = 0x8;
}

/// isalpha and its kind: the class of a character that is -1 or an unsigned char, as the table has it.
unsafe fn is(call: Call, c: c_int, classes: *const u16, class: u16) -> c_int {
    // SAFETY: other characters are undefined behaviour.
    let real = c_int::from(unsafe { *classes.offset(c as isize) } & class);
    if call.label(0) != 0 {
        let Some(model) = call.follow() else { return real };
        // SAFETY: as above.
        let found = unsafe { entry(&model, 0, classes as u64, model.argument(0, c as u64, 32), 2) };
        model.answer((found & Term::constant(class.into(), 16)).zero_extend(32), real as u64);
    }
    real
}

/// tolower and toupper: other characters than those of the table stay as they are.
unsafe fn convert(call: Call, c: c_int, kind: usize, table: *const i32, real: c_int) {
    if call.label(0) == 0 {
        return;
    }
    let Some(model) = call.follow() else { return };
    let term = model.argument(0, c as u64, 32);
    if !(-128..256).contains(&c) {
        let shifted = term + Term::constant(BEFORE, 32);
        model.branch(shifted.below(Term::constant(ENTRIES, 32)));
        return model.answer(term, real as u64);
    }
    // SAFETY: the character is one of the table.
    let found = unsafe { entry(&model, kind, table as u64, term, 4) };
    model.answer(found, real as u64);
}

pub unsafe extern "C" fn isalnum(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isalnum as *const u8), c, *real::__ctype_b_loc(), class::ALNUM) }
}

pub unsafe extern "C" fn isalnum_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isalnum_l as *const u8), c, (*locale).classes, class::ALNUM) }
}

pub unsafe extern "C" fn isalpha(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isalpha as *const u8), c, *real::__ctype_b_loc(), class::ALPHA) }
}

pub unsafe extern "C" fn isalpha_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isalpha_l as *const u8), c, (*locale).classes, class::ALPHA) }
}

pub unsafe extern "C" fn isblank(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isblank as *const u8), c, *real::__ctype_b_loc(), class::BLANK) }
}

pub unsafe extern "C" fn isblank_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isblank_l as *const u8), c, (*locale).classes, class::BLANK) }
}

pub unsafe extern "C" fn iscntrl(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(iscntrl as *const u8), c, *real::__ctype_b_loc(), class::CNTRL) }
}

pub unsafe extern "C" fn iscntrl_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(iscntrl_l as *const u8), c, (*locale).classes, class::CNTRL) }
}

pub unsafe extern "C" fn isdigit(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isdigit as *const u8), c, *real::__ctype_b_loc(), class::DIGIT) }
}

pub unsafe extern "C" fn isdigit_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isdigit_l as *const u8), c, (*locale).classes, class::DIGIT) }
}

pub unsafe extern "C" fn isgraph(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isgraph as *const u8), c, *real::__ctype_b_loc(), class::GRAPH) }
}

pub unsafe extern "C" fn isgraph_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isgraph_l as *const u8), c, (*locale).classes, class::GRAPH) }
}

pub unsafe extern "C" fn islower(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(islower as *const u8), c, *real::__ctype_b_loc(), class::LOWER) }
}

pub unsafe extern "C" fn islower_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(islower_l as *const u8), c, (*locale).classes, class::LOWER) }
}

pub unsafe extern "C" fn isprint(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isprint as *const u8), c, *real::__ctype_b_loc(), class::PRINT) }
}

pub unsafe extern "C" fn isprint_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isprint_l as *const u8), c, (*locale).classes, class::PRINT) }
}

pub unsafe extern "C" fn ispunct(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(ispunct as *const u8), c, *real::__ctype_b_loc(), class::PUNCT) }
}

pub unsafe extern "C" fn ispunct_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(ispunct_l as *const u8), c, (*locale).classes, class::PUNCT) }
}

pub unsafe extern "C" fn isspace(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isspace as *const u8), c, *real::__ctype_b_loc(), class::SPACE) }
}

pub unsafe extern "C" fn isspace_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isspace_l as *const u8), c, (*locale).classes, class::SPACE) }
}

pub unsafe extern "C" fn isupper(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isupper as *const u8), c, *real::__ctype_b_loc(), class::UPPER) }
}

pub unsafe extern "C" fn isupper_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isupper_l as *const u8), c, (*locale).classes, class::UPPER) }
}

pub unsafe extern "C" fn isxdigit(c: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isxdigit as *const u8), c, *real::__ctype_b_loc(), class::XDIGIT) }
}

pub unsafe extern "C" fn isxdigit_l(c: c_int, locale: *const Locale) -> c_int {
    // SAFETY: forwards.
    unsafe { is(Call::take(isxdigit_l as *const u8), c, (*locale).classes, class::XDIGIT) }
}

pub unsafe extern "C" fn tolower(c: c_int) -> c_int {
    let call = Call::take(tolower as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::tolower(c);
        convert(call, c, 1, *real::__ctype_tolower_loc(), real);
        real
    }
}

pub unsafe extern "C" fn tolower_l(c: c_int, locale: *const Locale) -> c_int {
    let call = Call::take(tolower_l as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::tolower_l(c, locale);
        convert(call, c, 1, (*locale).lower, real);
        real
    }
}

pub unsafe extern "C" fn toupper(c: c_int) -> c_int {
    let call = Call::take(toupper as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::toupper(c);
        convert(call, c, 2, *real::__ctype_toupper_loc(), real);
        real
    }
}

pub unsafe extern "C" fn toupper_l(c: c_int, locale: *const Locale) -> c_int {
    let call = Call::take(toupper_l as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::toupper_l(c, locale);
        convert(call, c, 2, (*locale).upper, real);
        real
    }
}

pub unsafe extern "C" fn isascii(c: c_int) -> c_int {
    let call = Call::take(isascii as *const u8);
    let real = c_int::from(c & !0x7f == 0);
    if let Some(model) = call.follow() {
        let is = model.argument(0, c as u64, 32).below(Term::constant(0x80, 32));
        model.answer(is.zero_extend(32), real as u64);
    }
    real
}

pub unsafe extern "C" fn toascii(c: c_int) -> c_int {
    let call = Call::take(toascii as *const u8);
    if let Some(model) = call.follow() {
        model.answer(model.argument(0, c as u64, 32) & Term::constant(0x7f, 32), (c & 0x7f) as u64);
    }
    c & 0x7f
}
