//! Classes and cases of wide characters.
//!
//! Characters below 256 are a lookup in a table that the real function fills.
//! Whether a character is one of those is a branch; any other is pinned to the
//! stretch of characters around it that the function gives the same for, or
//! moves as far.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};

use gimlet_trace::event::PinReason;

use crate::objects;
use crate::state::Guard;
use crate::term::Term;

use super::width::Characters;
use super::{models, Call, Model};

models! {
    iswalnum,
    iswalpha,
    iswblank,
    iswcntrl,
    iswdigit,
    iswgraph,
    iswlower,
    iswprint,
    iswpunct,
    iswspace,
    iswupper,
    iswxdigit,
    iswctype,
    towlower,
    towupper,
    towctrans,
    iswalnum_l,
    iswalpha_l,
    iswblank_l,
    iswcntrl_l,
    iswdigit_l,
    iswgraph_l,
    iswlower_l,
    iswprint_l,
    iswpunct_l,
    iswspace_l,
    iswupper_l,
    iswxdigit_l,
    towlower_l,
    towupper_l,
    wcwidth,
    wcswidth,
}

/// The library's own.
mod real {
    use super::c_int;

    unsafe extern "C" {
        pub fn iswalnum(wide: u32) -> u32;
        pub fn iswalpha(wide: u32) -> u32;
        pub fn iswblank(wide: u32) -> u32;
        pub fn iswcntrl(wide: u32) -> u32;
        pub fn iswdigit(wide: u32) -> u32;
        pub fn iswgraph(wide: u32) -> u32;
        pub fn iswlower(wide: u32) -> u32;
        pub fn iswprint(wide: u32) -> u32;
        pub fn iswpunct(wide: u32) -> u32;
        pub fn iswspace(wide: u32) -> u32;
        pub fn iswupper(wide: u32) -> u32;
        pub fn iswxdigit(wide: u32) -> u32;
        pub fn iswctype(wide: u32, class: u64) -> u32;
        pub fn towlower(wide: u32) -> u32;
        pub fn towupper(wide: u32) -> u32;
        pub fn towctrans(wide: u32, mapping: *const u8) -> u32;
        pub fn iswalnum_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswalpha_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswblank_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswcntrl_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswdigit_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswgraph_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswlower_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswprint_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswpunct_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswspace_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswupper_l(wide: u32, locale: *const u8) -> u32;
        pub fn iswxdigit_l(wide: u32, locale: *const u8) -> u32;
        pub fn towlower_l(wide: u32, locale: *const u8) -> u32;
        pub fn towupper_l(wide: u32, locale: *const u8) -> u32;
        pub fn wcwidth(wide: u32) -> c_int;
        pub fn wcswidth(text: *const c_int, n: usize) -> c_int;
    }
}

/// Which table.
#[derive(Clone, Copy)]
pub enum Slot {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
    Class,
    ToLower,
    ToUpper,
    Mapping,
    AlnumOf,
    AlphaOf,
    BlankOf,
    CntrlOf,
    DigitOf,
    GraphOf,
    LowerOf,
    PrintOf,
    PunctOf,
    SpaceOf,
    UpperOf,
    XdigitOf,
    ToLowerOf,
    ToUpperOf,
    Single,
    Btowc,
    Wctob,
    ToByte,
    Columns,
}

const SLOTS: usize = Slot::Columns as usize + 1;
/// Characters of a table.
const ENTRIES: usize = 256;

/// Tables, made when they are needed: what a function gives depends on the locale.
static mut TABLES: [[u32; ENTRIES]; SLOTS] = [[0; ENTRIES]; SLOTS];
/// Those that are known as objects.
static KNOWN: [AtomicBool; SLOTS] = [const { AtomicBool::new(false) }; SLOTS];

/// What a function gives for a character of eight bits.
pub fn looked_up(model: &Model, slot: Slot, character: Term, map: &dyn Fn(u32) -> u32) -> Term {
    let (slot, n) = (slot as usize, ENTRIES as u64 * 4);
    // SAFETY: a slot of the array, and only one thread is in the runtime.
    let table = unsafe { &mut *(&raw mut TABLES).cast::<[u32; ENTRIES]>().add(slot) };
    for (c, entry) in table.iter_mut().enumerate() {
        *entry = map(c as u32);
    }
    let zero = table.as_ptr() as u64;
    if !KNOWN[slot].swap(true, Ordering::Relaxed) {
        objects::insert(zero, n, false);
    }
    // SAFETY: eight bits are an index of the table.
    unsafe { model.lookup(zero, character.zero_extend(32), 4) }
}

/// Characters on each side that a stretch is looked for among.
const NEAR: u32 = 2048;

/// The stretch of characters around `wide` for which a condition holds.
fn stretch(wide: u32, holds: impl Fn(u32) -> bool) -> (u32, u32) {
    let first = (ENTRIES as u32..wide).rev().take(NEAR as usize).take_while(|&c| holds(c)).last();
    let last = (wide..u32::MAX).take(NEAR as usize).map(|c| c + 1).take_while(|&c| holds(c)).last();
    (first.unwrap_or(wide), last.unwrap_or(wide))
}

/// Argument 1 is a class, a mapping or a locale: it is pinned if it is symbolic.
fn pin_second(call: Call, value: u64) {
    if call.label(1) != 0
        && let Some(_guard) = Guard::enter()
    {
        call.pin_number(1, value);
    }
}

/// What a function gives for a character.
pub fn given(model: &Model, slot: Slot, character: Term, map: &dyn Fn(u32) -> u32) -> Term {
    let wide = character.value as u32;
    let real = map(wide);
    if !character.is_symbolic() {
        return Term::constant(real.into(), 32);
    }
    if model.branch(character.part(8, 24).is(0)) {
        return looked_up(model, slot, character.low(8), map);
    }
    let moved = real.wrapping_sub(wide);
    let same = stretch(wide, |c| map(c) == real);
    let shifted = stretch(wide, |c| map(c).wrapping_sub(c) == moved);
    let is_shifted = shifted.1 - shifted.0 > same.1 - same.0;
    let (first, last) = if is_shifted { shifted } else { same };
    model.pin(character.within(first.into(), last.into()), PinReason::Argument);
    match is_shifted {
        true => character + Term::constant(moved.into(), 32),
        false => Term::constant(real.into(), 32),
    }
}

/// Follows a function of a wide character, argument 0 of the call, that gave `real`.
pub fn mapped(call: Call, slot: Slot, wide: u32, real: u32, map: impl Fn(u32) -> u32) {
    if call.label(0) == 0 {
        return;
    }
    let Some(model) = call.follow() else { return };
    let character = model.argument(0, wide.into(), 32);
    model.answer(given(&model, slot, character, &map), real.into());
}

/// Whether a character is white space.
pub fn is_space(model: &Model, character: Term) -> Term {
    // SAFETY: a function of any number.
    let map = |wide| unsafe { real::iswspace(wide) };
    !given(model, Slot::Space, character, &map).is(0)
}

/// The lower case of a character.
pub fn lower(model: &Model, character: Term) -> Term {
    given(model, Slot::ToLower, character, &lower_value)
}

/// The same for a character that no input changes.
pub fn lower_value(wide: u32) -> u32 {
    // SAFETY: a function of any number.
    unsafe { real::towlower(wide) }
}

pub unsafe extern "C" fn iswalnum(wide: u32) -> c_int {
    let call = Call::take(iswalnum as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswalnum(wide) };
    let real = map(wide);
    mapped(call, Slot::Alnum, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswalpha(wide: u32) -> c_int {
    let call = Call::take(iswalpha as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswalpha(wide) };
    let real = map(wide);
    mapped(call, Slot::Alpha, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswblank(wide: u32) -> c_int {
    let call = Call::take(iswblank as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswblank(wide) };
    let real = map(wide);
    mapped(call, Slot::Blank, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswcntrl(wide: u32) -> c_int {
    let call = Call::take(iswcntrl as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswcntrl(wide) };
    let real = map(wide);
    mapped(call, Slot::Cntrl, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswdigit(wide: u32) -> c_int {
    let call = Call::take(iswdigit as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswdigit(wide) };
    let real = map(wide);
    mapped(call, Slot::Digit, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswgraph(wide: u32) -> c_int {
    let call = Call::take(iswgraph as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswgraph(wide) };
    let real = map(wide);
    mapped(call, Slot::Graph, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswlower(wide: u32) -> c_int {
    let call = Call::take(iswlower as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswlower(wide) };
    let real = map(wide);
    mapped(call, Slot::Lower, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswprint(wide: u32) -> c_int {
    let call = Call::take(iswprint as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswprint(wide) };
    let real = map(wide);
    mapped(call, Slot::Print, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswpunct(wide: u32) -> c_int {
    let call = Call::take(iswpunct as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswpunct(wide) };
    let real = map(wide);
    mapped(call, Slot::Punct, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswspace(wide: u32) -> c_int {
    let call = Call::take(iswspace as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswspace(wide) };
    let real = map(wide);
    mapped(call, Slot::Space, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswupper(wide: u32) -> c_int {
    let call = Call::take(iswupper as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswupper(wide) };
    let real = map(wide);
    mapped(call, Slot::Upper, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswxdigit(wide: u32) -> c_int {
    let call = Call::take(iswxdigit as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswxdigit(wide) };
    let real = map(wide);
    mapped(call, Slot::Xdigit, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswctype(wide: u32, class: u64) -> c_int {
    let call = Call::take(iswctype as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswctype(wide, class) };
    let real = map(wide);
    pin_second(call, class);
    mapped(call, Slot::Class, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn towlower(wide: u32) -> u32 {
    let call = Call::take(towlower as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::towlower(wide) };
    let real = map(wide);
    mapped(call, Slot::ToLower, wide, real, map);
    real
}

pub unsafe extern "C" fn towupper(wide: u32) -> u32 {
    let call = Call::take(towupper as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::towupper(wide) };
    let real = map(wide);
    mapped(call, Slot::ToUpper, wide, real, map);
    real
}

pub unsafe extern "C" fn towctrans(wide: u32, mapping: *const u8) -> u32 {
    let call = Call::take(towctrans as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::towctrans(wide, mapping) };
    let real = map(wide);
    pin_second(call, mapping as u64);
    mapped(call, Slot::Mapping, wide, real, map);
    real
}

pub unsafe extern "C" fn iswalnum_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswalnum_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswalnum_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::AlnumOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswalpha_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswalpha_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswalpha_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::AlphaOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswblank_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswblank_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswblank_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::BlankOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswcntrl_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswcntrl_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswcntrl_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::CntrlOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswdigit_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswdigit_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswdigit_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::DigitOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswgraph_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswgraph_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswgraph_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::GraphOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswlower_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswlower_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswlower_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::LowerOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswprint_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswprint_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswprint_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::PrintOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswpunct_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswpunct_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswpunct_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::PunctOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswspace_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswspace_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswspace_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::SpaceOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswupper_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswupper_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswupper_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::UpperOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn iswxdigit_l(wide: u32, locale: *const u8) -> c_int {
    let call = Call::take(iswxdigit_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::iswxdigit_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::XdigitOf, wide, real, map);
    real as c_int
}

pub unsafe extern "C" fn towlower_l(wide: u32, locale: *const u8) -> u32 {
    let call = Call::take(towlower_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::towlower_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::ToLowerOf, wide, real, map);
    real
}

pub unsafe extern "C" fn towupper_l(wide: u32, locale: *const u8) -> u32 {
    let call = Call::take(towupper_l as *const u8);
    // SAFETY: forwards.
    let map = |wide| unsafe { real::towupper_l(wide, locale) };
    let real = map(wide);
    pin_second(call, locale as u64);
    mapped(call, Slot::ToUpperOf, wide, real, map);
    real
}

/// How many columns a character has, or all ones.
fn columns(wide: u32) -> u32 {
    // SAFETY: a function of any number.
    unsafe { real::wcwidth(wide) as u32 }
}

pub unsafe extern "C" fn wcwidth(wide: u32) -> c_int {
    let call = Call::take(wcwidth as *const u8);
    let real = columns(wide);
    mapped(call, Slot::Columns, wide, real, columns);
    real as c_int
}

pub unsafe extern "C" fn wcswidth(text: *const c_int, n: usize) -> c_int {
    let call = Call::take(wcswidth as *const u8);
    // SAFETY: forwards; what is followed is what the real function looked at.
    unsafe {
        let real = real::wcswidth(text, n);
        let Some(model) = call.follow() else { return real };
        let (text, n) = (Characters::wide(model.address(0, text as u64)), model.size(1, n as u64));
        let mut sum = Term::constant(0, 32);
        for place in 0..n {
            let character = model.character(text, place);
            if model.branch(character.is(0)) {
                break;
            }
            let columns = given(&model, Slot::Columns, character, &columns);
            if model.branch(columns.is(u32::MAX.into())) {
                sum = Term::constant(u32::MAX.into(), 32);
                break;
            }
            sum = sum + columns;
        }
        model.answer(sum, real as u64);
        real
    }
}
