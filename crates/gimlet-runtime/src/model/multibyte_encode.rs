//! Wide characters that become characters of several bytes, one at a time or as strings.
//!
//! How many bytes a character has is branches, and the bytes are expressions of it. UTF-8 is encoded as glibc does: up to
//! six bytes, no surrogates. No state is kept in the encodings that are known here.

use core::ffi::{c_char, c_int};

use gimlet_trace::event::PinReason;

use crate::input::quietly;
use crate::shadow;
use crate::state::Guard;
use crate::term::Term;

use super::multibyte::{lose, Encoding, State};
use super::number::errno_written;
use super::wide_class::{self, Slot};
use super::width::Characters;
use super::{loaded, models, on_demand, Call, Model, UNLIMITED};

models! {
    wcrtomb,
    __wcrtomb_chk,
    wctomb,
    __wctomb_chk,
    wcstombs,
    __wcstombs_chk,
    wcsrtombs,
    __wcsrtombs_chk,
    wcsnrtombs,
    __wcsnrtombs_chk,
}

// Its object needs that of wctomb.
on_demand! {
    __wctomb_chk,
}

/// The library's own.
mod real {
    use super::{c_char, c_int, State};

    unsafe extern "C" {
        pub fn wcrtomb(to: *mut c_char, wide: c_int, state: *mut State) -> usize;
        pub fn __wcrtomb_chk(to: *mut c_char, wide: c_int, state: *mut State, room: usize) -> usize;
        pub fn wctomb(to: *mut c_char, wide: c_int) -> c_int;
        pub fn __wctomb_chk(to: *mut c_char, wide: c_int, room: usize) -> c_int;
        pub fn wcstombs(to: *mut c_char, from: *const c_int, n: usize) -> usize;
        pub fn __wcstombs_chk(to: *mut c_char, from: *const c_int, n: usize, room: usize) -> usize;
        pub fn wcsrtombs(to: *mut c_char, from: *mut *const c_int, n: usize, state: *mut State) -> usize;
        pub fn __wcsrtombs_chk(
            to: *mut c_char,
            from: *mut *const c_int,
            n: usize,
            state: *mut State,
            room: usize,
        ) -> usize;
        pub fn wcsnrtombs(
            to: *mut c_char,
            from: *mut *const c_int,
            n_wide: usize,
            n: usize,
            state: *mut State,
        ) -> usize;
        pub fn __wcsnrtombs_chk(
            to: *mut c_char,
            from: *mut *const c_int,
            n_wide: usize,
            n: usize,
            state: *mut State,
            room: usize,
        ) -> usize;
    }
}

/// Bytes of a character, at most.
const BYTES_MAX: usize = 6;

/// The bytes of a character.
#[derive(Clone, Copy)]
struct Encoded {
    bytes: [Term; BYTES_MAX],
    n: usize,
}

impl Encoded {
    const NOTHING: Encoded = Encoded { bytes: [Term::FALSE; BYTES_MAX], n: 0 };

    fn one(byte: Term) -> Encoded {
        let mut encoded = Encoded::NOTHING;
        (encoded.bytes[0], encoded.n) = (byte, 1);
        encoded
    }

    /// `n` bytes of UTF-8.
    fn several(wide: Term, n: usize) -> Encoded {
        let mut encoded = Encoded { n, ..Encoded::NOTHING };
        let own = 7 - n as u32;
        let lead = Term::constant(0xff << 1, n as u32 + 1);
        encoded.bytes[0] = lead.above(wide.part(6 * (n as u32 - 1), own));
        for place in 1..n {
            let low = 6 * (n - 1 - place) as u32;
            encoded.bytes[place] = Term::constant(0b10, 2).above(wide.part(low, 6));
        }
        encoded
    }
}

/// Where a single-byte encoding has no byte for a character but leaves it out.
const LEFT_OUT: u32 = 0x100;

/// The byte of a character in a single-byte encoding, or all ones.
fn byte_of(wide: u32) -> u32 {
    let mut bytes = [0u8; 32];
    let mut state = State::BEGIN;
    // SAFETY: more room than any character needs.
    let n = quietly(|| unsafe { real::wcrtomb(bytes.as_mut_ptr().cast(), wide as c_int, &mut state) });
    match n {
        1 => bytes[0].into(),
        0 => LEFT_OUT,
        _ => u32::MAX,
    }
}

/// Bits of a character of UTF-8 that has so many bytes.
const SIZES: [(usize, u32); 5] = [(2, 11), (3, 16), (4, 21), (5, 26), (6, 31)];

/// The bytes of a wide character, if it has any in this encoding.
fn encode(model: &Model, encoding: Encoding, wide: Term) -> Option<Encoded> {
    if encoding == Encoding::Single {
        let byte = wide_class::given(model, Slot::ToByte, wide, &byte_of);
        if model.branch(byte.is(u32::MAX.into())) {
            return None;
        }
        let is_left_out = model.branch(byte.is(LEFT_OUT.into()));
        return Some(if is_left_out { Encoded::NOTHING } else { Encoded::one(byte.low(8)) });
    }
    if model.branch(wide.below(Term::constant(0x80, 32))) {
        return Some(Encoded::one(wide.low(8)));
    }
    if encoding == Encoding::Ascii {
        // Tags of languages are left out.
        return model.branch(wide.part(7, 25).is(0xe0000 >> 7)).then_some(Encoded::NOTHING);
    }
    let (n, _) = SIZES.into_iter().find(|&(_, bits)| model.branch(wide.part(bits, 32 - bits).is(0)))?;
    if n == 3 && model.branch(wide.within(0xd800, 0xdfff)) {
        return None;
    }
    Some(Encoded::several(wide, n))
}

/// The real function wrote these bytes.
unsafe fn stored(model: &Model, to: u64, encoded: Encoded) {
    for (address, byte) in (to..).zip(&encoded.bytes[..encoded.n]) {
        // SAFETY: the caller vouches for them.
        unsafe { model.stored(address, *byte) };
    }
}

/// Follows wcrtomb and wctomb, which gave `real`: arguments 0 and 1 are `to` and the character.
unsafe fn follow_one(model: &Model, to: u64, wide: c_int, real: usize) {
    model.pin(model.argument(0, to, 64), PinReason::StoreAddress);
    if to == 0 {
        return;
    }
    if real == usize::MAX {
        errno_written();
    }
    let wide = model.argument(1, wide as u64, 32);
    let encoding = Encoding::current();
    let n_written = if real == usize::MAX { 0 } else { real as u64 };
    // SAFETY: the real function wrote there.
    unsafe {
        if encoding == Encoding::Unknown {
            if wide.is_symbolic() {
                model.lost();
            }
            return shadow::clear(to, n_written);
        }
        match encode(model, encoding, wide) {
            Some(encoded) if encoded.n == real => stored(model, to, encoded),
            None if real == usize::MAX => {}
            _ => {
                model.lost();
                shadow::clear(to, n_written);
            }
        }
    }
}

/// The program's state, if it has one: it says nothing, and is fixed.
unsafe fn pin_state(model: &Model, index: usize, state: *mut State) {
    model.pin(model.argument(index, state as u64, 64), PinReason::Address);
    if !state.is_null() {
        // SAFETY: a state.
        unsafe { model.pin(model.load(state as u64, 8), PinReason::Argument) };
    }
}

unsafe fn restartable(call: Call, to: *mut c_char, wide: c_int, state: *mut State, real: usize) -> usize {
    if let Some(model) = call.follow() {
        // SAFETY: the real function wrote there.
        unsafe {
            pin_state(&model, 2, state);
            follow_one(&model, to as u64, wide, real);
        }
    }
    real
}

unsafe fn plain(call: Call, to: *mut c_char, wide: c_int, real: c_int) -> c_int {
    if let Some(model) = call.follow() {
        // SAFETY: the real function wrote there.
        unsafe { follow_one(&model, to as u64, wide, real as isize as usize) };
    }
    real
}

/// Arguments of a function that converts a string: argument 0, the string, and how many characters and bytes.
#[derive(Clone, Copy)]
struct Conversion {
    to: u64,
    from: u64,
    n_wide: u64,
    n: u64,
}

/// Follows what the real function did: how many bytes there are before the end, or all ones.
unsafe fn convert(model: &Model, encoding: Encoding, conversion: Conversion) -> usize {
    let (text, mut result) = (Characters::wide(conversion.from), 0);
    for place in 0..conversion.n_wide {
        if conversion.to != 0 && result >= conversion.n {
            break;
        }
        // SAFETY: the real function looked at it too.
        let wide = unsafe { model.character(text, place) };
        let is_end = model.branch(wide.is(0));
        let encoded = match is_end {
            true => Some(Encoded::one(Term::constant(0, 8))),
            false => encode(model, encoding, wide),
        };
        let Some(encoded) = encoded else { return usize::MAX };
        if conversion.to != 0 {
            if result + encoded.n as u64 > conversion.n {
                break;
            }
            // SAFETY: the real function wrote there.
            unsafe { stored(model, conversion.to + result, encoded) };
        }
        if is_end {
            break;
        }
        result += encoded.n as u64;
    }
    result as usize
}

/// Follows a function that converted a string and gave `real`.
unsafe fn follow(model: &Model, conversion: Conversion, real: usize) {
    if real == usize::MAX {
        errno_written();
    }
    let encoding = Encoding::current();
    // SAFETY: the real function read and wrote there.
    unsafe {
        if encoding != Encoding::Unknown {
            if convert(model, encoding, conversion) != real {
                model.lost();
            }
            return;
        }
        let text = Characters::wide(conversion.from);
        let n_wide = text.length(conversion.n_wide);
        lose(model, conversion.from, 4 * n_wide.saturating_add(1).min(conversion.n_wide));
        if conversion.to != 0 {
            // What it wrote before it gave up is not known.
            let n = if real == usize::MAX { n_wide.saturating_mul(16) } else { real as u64 };
            shadow::clear(conversion.to, n.saturating_add(1).min(conversion.n));
        }
    }
}

unsafe fn string(call: Call, to: *mut c_char, from: *const c_int, n: usize, real: usize) -> usize {
    if let Some(model) = call.follow() {
        model.pin(model.argument(0, to as u64, 64), PinReason::StoreAddress);
        let (from, n) = (model.address(1, from as u64), model.size(2, n as u64));
        // SAFETY: the caller vouches for the string.
        unsafe { follow(&model, Conversion { to: to as u64, from, n_wide: UNLIMITED, n }, real) };
    }
    real
}

/// Arguments of a function that goes on where it stopped.
#[derive(Clone, Copy)]
struct Restartable {
    to: *mut c_char,
    from: *mut *const c_int,
    n_wide: Option<usize>,
    n: usize,
    state: *mut State,
}

/// Calls a function that goes on where it stopped, and follows it.
unsafe fn restartable_string(call: Call, arguments: Restartable, real: impl FnOnce() -> usize) -> usize {
    let Restartable { to, from, n_wide, n, state } = arguments;
    // SAFETY: a pointer.
    let before = Guard::enter().map(|_guard| unsafe { loaded(from as u64, 8, call.site) });
    let real = real();
    let (Some(at), Some(model)) = (before, call.follow()) else { return real };
    model.pin(model.argument(0, to as u64, 64), PinReason::StoreAddress);
    model.address(1, from as u64);
    let limit = n_wide.map_or(UNLIMITED, |n| model.size(2, n as u64));
    let last = 2 + usize::from(n_wide.is_some());
    let n = model.size(last, n as u64);
    // SAFETY: the real function read and wrote there.
    unsafe {
        pin_state(&model, last + 1, state);
        if limit == 0 {
            return real;
        }
        model.pin(at, PinReason::Address);
        follow(&model, Conversion { to: to as u64, from: at.value, n_wide: limit, n }, real);
    }
    if !to.is_null() {
        shadow::clear(from as u64, 8);
    }
    real
}

pub unsafe extern "C" fn wcrtomb(to: *mut c_char, wide: c_int, state: *mut State) -> usize {
    let call = Call::take(wcrtomb as *const u8);
    // SAFETY: forwards.
    unsafe { restartable(call, to, wide, state, real::wcrtomb(to, wide, state)) }
}

pub unsafe extern "C" fn __wcrtomb_chk(to: *mut c_char, wide: c_int, state: *mut State, room: usize) -> usize {
    let call = Call::take(__wcrtomb_chk as *const u8);
    // SAFETY: forwards.
    unsafe { restartable(call, to, wide, state, real::__wcrtomb_chk(to, wide, state, room)) }
}

pub unsafe extern "C" fn wctomb(to: *mut c_char, wide: c_int) -> c_int {
    let call = Call::take(wctomb as *const u8);
    // SAFETY: forwards.
    unsafe { plain(call, to, wide, real::wctomb(to, wide)) }
}

pub unsafe extern "C" fn __wctomb_chk(to: *mut c_char, wide: c_int, room: usize) -> c_int {
    let call = Call::take(__wctomb_chk as *const u8);
    // SAFETY: forwards.
    unsafe { plain(call, to, wide, real::__wctomb_chk(to, wide, room)) }
}

pub unsafe extern "C" fn wcstombs(to: *mut c_char, from: *const c_int, n: usize) -> usize {
    let call = Call::take(wcstombs as *const u8);
    // SAFETY: forwards.
    unsafe { string(call, to, from, n, real::wcstombs(to, from, n)) }
}

pub unsafe extern "C" fn __wcstombs_chk(to: *mut c_char, from: *const c_int, n: usize, room: usize) -> usize {
    let call = Call::take(__wcstombs_chk as *const u8);
    // SAFETY: forwards.
    unsafe { string(call, to, from, n, real::__wcstombs_chk(to, from, n, room)) }
}

pub unsafe extern "C" fn wcsrtombs(to: *mut c_char, from: *mut *const c_int, n: usize, state: *mut State) -> usize {
    let call = Call::take(wcsrtombs as *const u8);
    let arguments = Restartable { to, from, n_wide: None, n, state };
    // SAFETY: forwards.
    unsafe { restartable_string(call, arguments, || real::wcsrtombs(to, from, n, state)) }
}

pub unsafe extern "C" fn __wcsrtombs_chk(
    to: *mut c_char,
    from: *mut *const c_int,
    n: usize,
    state: *mut State,
    room: usize,
) -> usize {
    let call = Call::take(__wcsrtombs_chk as *const u8);
    let arguments = Restartable { to, from, n_wide: None, n, state };
    // SAFETY: forwards.
    unsafe { restartable_string(call, arguments, || real::__wcsrtombs_chk(to, from, n, state, room)) }
}

pub unsafe extern "C" fn wcsnrtombs(
    to: *mut c_char,
    from: *mut *const c_int,
    n_wide: usize,
    n: usize,
    state: *mut State,
) -> usize {
    let call = Call::take(wcsnrtombs as *const u8);
    let arguments = Restartable { to, from, n_wide: Some(n_wide), n, state };
    // SAFETY: forwards.
    unsafe { restartable_string(call, arguments, || real::wcsnrtombs(to, from, n_wide, n, state)) }
}

pub unsafe extern "C" fn __wcsnrtombs_chk(
    to: *mut c_char,
    from: *mut *const c_int,
    n_wide: usize,
    n: usize,
    state: *mut State,
    room: usize,
) -> usize {
    let call = Call::take(__wcsnrtombs_chk as *const u8);
    let arguments = Restartable { to, from, n_wide: Some(n_wide), n, state };
    // SAFETY: forwards.
    unsafe { restartable_string(call, arguments, || real::__wcsnrtombs_chk(to, from, n_wide, n, state, room)) }
}
