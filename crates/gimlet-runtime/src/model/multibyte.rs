//! Characters of several bytes, one at a time: from bytes to a wide character and back.
//!
//! Where a character ends decides where the program reads next, so it is
//! branches: the class of the first byte, whether each further one continues it,
//! and whether the code point may be written so. The code point is an expression
//! of the bytes. A sequence that is cut off leaves its bits in the program's
//! `mbstate_t`, which is memory like any other: its labels are those of the bits.
//!
//! Locales whose characters are single bytes are a table, UTF-8 is decoded as
//! glibc does: up to six bytes, no surrogates, nothing longer than it must be.
//! What symbolic bytes are in another encoding is counted as lost.

use core::ffi::{c_char, c_int, CStr};
use core::sync::atomic::{AtomicBool, Ordering};

use gimlet_trace::event::PinReason;

use crate::shadow;
use crate::state::Guard;
use crate::term::Term;
use crate::walks;

use super::number::errno_written;
use super::wide_class::{self, Slot};
use super::{models, Call, Model};

models! {
    mbrlen,
    __mbrlen: mbrlen,
    mbrtowc,
    mbtowc,
    mblen,
    mbsinit,
    btowc,
    wctob,
}

/// glibc's `mbstate_t`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct State {
    /// How many bytes of a character have been read, and in the second byte how many it has.
    pub count: u32,
    /// Their bits, where they will be in the code point.
    pub bits: u32,
}

/// The library's own.
mod real {
    use super::{c_char, c_int, State};

    unsafe extern "C" {
        pub fn mbrtowc(to: *mut c_int, from: *const c_char, n: usize, state: *mut State) -> usize;
        pub fn mbtowc(to: *mut c_int, from: *const c_char, n: usize) -> c_int;
        pub fn mblen(from: *const c_char, n: usize) -> c_int;
        pub fn mbsinit(state: *const State) -> c_int;
        pub fn btowc(c: c_int) -> u32;
        pub fn wctob(wide: u32) -> c_int;
        pub fn __ctype_get_mb_cur_max() -> usize;
    }
}

/// How bytes are characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// A byte below 0x80 is a character, others are none: "C".
    Ascii,
    /// A byte is a character, by a table.
    Single,
    Utf8,
    Unknown,
}

impl Encoding {
    /// That of this thread's locale.
    pub fn current() -> Encoding {
        // SAFETY: asks only; the name of an encoding is a string.
        unsafe {
            if CStr::from_ptr(libc::nl_langinfo(libc::CODESET)) == c"UTF-8" {
                return Encoding::Utf8;
            }
            if real::__ctype_get_mb_cur_max() != 1 {
                return Encoding::Unknown;
            }
        }
        let is_ascii = |c: u32| wide_of(c) == if c < 0x80 { c } else { u32::MAX };
        if (0..256).all(is_ascii) {
            Encoding::Ascii
        } else {
            Encoding::Single
        }
    }
}

/// The wide character of a byte, or all ones.
fn wide_of(byte: u32) -> u32 {
    // SAFETY: a function of any number.
    unsafe { real::btowc(byte as c_int) }
}

/// What was found at some bytes.
#[derive(Clone, Copy)]
pub enum Outcome {
    /// A character, and how many bytes of it were there.
    Character(Term, u64),
    /// A character that goes on behind them, and the state that it leaves.
    Incomplete(State, Term),
    Invalid,
}

impl Outcome {
    /// What mbrtowc gives.
    fn result(self) -> usize {
        match self {
            Outcome::Character(wide, _) if wide.value == 0 => 0,
            Outcome::Character(_, n) => n as usize,
            Outcome::Incomplete(..) => -2_isize as usize,
            Outcome::Invalid => -1_isize as usize,
        }
    }
}

/// Stretches of first bytes, how many bytes a character has that begins so, and which bits of the first are its own.
const LEADS: [(u64, u64, u32, u64); 5] =
    [(0xc2, 0xdf, 2, 0x1f), (0xe0, 0xef, 3, 0x0f), (0xf0, 0xf7, 4, 0x07), (0xf8, 0xfb, 5, 0x03), (0xfc, 0xfd, 6, 0x01)];

/// What the bytes at an address, `limit` at most, begin with.
pub struct Decoder<'m> {
    pub model: &'m Model,
    pub at: u64,
    pub limit: Term,
    pub encoding: Encoding,
    /// The path condition knows that the first byte is not zero.
    pub is_text: bool,
}

impl Decoder<'_> {
    fn byte(&self, place: u64) -> Term {
        walks::look(self.at + place, 1, self.model.call.site);
        // SAFETY: the real function looked at it too.
        unsafe { self.model.byte(self.at + place) }
    }

    /// That all bytes have been looked at.
    fn is_end(&self, place: u64) -> bool {
        self.model.branch(self.limit.is(place))
    }

    pub fn decode(&self, state: State, bits: Term) -> Outcome {
        if self.is_end(0) {
            return Outcome::Incomplete(state, bits);
        }
        if state.count != 0 {
            let (n_read, n) = (state.count & 0xff, state.count >> 8 & 0xff);
            let shift = 6 * n.saturating_sub(n_read).min(5);
            return self.continued(bits.part(shift, 32 - shift).zero_extend(32), n_read, n, 0);
        }
        let model = self.model;
        let lead = self.byte(0);
        if !self.is_text && model.branch(lead.is(0)) {
            return Outcome::Character(Term::constant(0, 32), 1);
        }
        if self.encoding == Encoding::Single {
            let wide = wide_class::looked_up(model, Slot::Single, lead, &wide_of);
            return if model.branch(wide.is(u32::MAX.into())) { Outcome::Invalid } else { Outcome::Character(wide, 1) };
        }
        if model.branch(lead.below(Term::constant(0x80, 8))) {
            return Outcome::Character(lead.zero_extend(32), 1);
        }
        if self.encoding == Encoding::Ascii {
            return Outcome::Invalid;
        }
        for (first, last, n, mask) in LEADS {
            if model.branch(lead.within(first, last)) {
                return self.continued((lead & Term::constant(mask, 8)).zero_extend(32), 1, n, 1);
            }
        }
        Outcome::Invalid
    }

    /// Goes on at `place` behind `n_read` of `n` bytes of a character.
    fn continued(&self, mut code: Term, n_read: u32, n: u32, mut place: u64) -> Outcome {
        let model = self.model;
        for read in n_read..n {
            // That there is a first byte is known.
            if place > 0 && self.is_end(place) {
                let state = State { count: n << 8 | read, bits: 0 };
                let shift = 6 * (n - read);
                return Outcome::Incomplete(state, code.low(32 - shift).above(Term::constant(0, shift)));
            }
            let byte = self.byte(place);
            if !model.branch(byte.part(6, 2).is(0b10)) {
                return Outcome::Invalid;
            }
            code = code.low(26).above(byte.low(6));
            place += 1;
        }
        // Fewer bytes would do.
        let is_too_long = n > 2 && model.branch(code.below(Term::constant(1 << (5 * n - 4), 32)));
        if is_too_long || (n == 3 && model.branch(code.within(0xd800, 0xdfff))) {
            Outcome::Invalid
        } else {
            Outcome::Character(code, place)
        }
    }
}

impl State {
    pub const BEGIN: State = State { count: 0, bits: 0 };
}

/// The states that functions keep by themselves, in place of the library's: those have no address. They are mbrlen's,
/// mbrtowc's, mbsrtowcs's and mbsnrtowcs's.
static mut OWN: [State; 4] = [State::BEGIN; 4];

pub fn own_or(state: *mut State, own: usize) -> *mut State {
    if state.is_null() {
        // SAFETY: takes an address.
        unsafe { (&raw mut OWN).cast::<State>().add(own) }
    } else {
        state
    }
}

/// Calls mbrtowc and follows it. Argument 0 of the call is `to`, if it has one, and the others follow.
unsafe fn restartable(call: Call, to: Option<*mut c_int>, from: *const c_char, n: usize, state: *mut State) -> usize {
    let first = usize::from(to.is_some());
    let before = {
        let at = state as u64;
        Guard::enter().map(|_guard| {
            // SAFETY: a state.
            unsafe { (state.read(), super::loaded(at, 4, call.site), super::loaded(at + 4, 4, call.site)) }
        })
    };
    // SAFETY: forwards.
    let real = unsafe { real::mbrtowc(to.unwrap_or(core::ptr::null_mut()), from, n, state) };
    let (Some((old, count, bits)), Some(model)) = (before, call.follow()) else { return real };
    let to = to.filter(|to| !to.is_null()).map(|to| to as u64);
    model.pin(model.argument(first + 2, state as u64, 64), PinReason::Address);
    model.pin(count, PinReason::Argument);
    if first == 1 {
        model.pin(model.argument(0, to.unwrap_or(0), 64), PinReason::StoreAddress);
    }
    if real == usize::MAX {
        errno_written();
    }
    let at = model.address(first, from as u64);
    let encoding = Encoding::current();
    // Without bytes it is the end of a string that is read, and the result nobody's.
    let (at, limit, to) = match from.is_null() {
        true => (c"".as_ptr() as u64, Term::constant(1, 64), None),
        false => (at, model.argument(first + 1, n as u64, 64), to),
    };
    let decoder = Decoder { model: &model, at, limit, encoding, is_text: false };
    // SAFETY: the real function wrote them.
    unsafe {
        if encoding == Encoding::Unknown {
            lose(&model, at, limit.value.min(BYTES_LOST));
            shadow::clear(state as u64, 8);
            if let (Some(to), true) = (to, real as isize >= 0) {
                shadow::clear(to, 4);
            }
            return real;
        }
        let outcome = decoder.decode(old, bits);
        let new = state.read();
        shadow::clear(state as u64, 4);
        let agrees = outcome.result() == real;
        if !agrees {
            model.lost();
        }
        match outcome {
            Outcome::Incomplete(_, bits) if agrees => model.stored(state as u64 + 4, bits),
            // The library keeps what it had before the last byte.
            Outcome::Character(wide, _) if agrees && new.bits != old.bits => {
                model.stored(state as u64 + 4, wide & Term::constant(!0x3f, 32));
            }
            _ if new.bits != old.bits => model.stored(state as u64 + 4, bits),
            _ => {}
        }
        match (outcome, to) {
            (Outcome::Character(wide, _), Some(to)) if agrees => model.stored(to, wide),
            (_, Some(to)) if real as isize >= 0 => shadow::clear(to, 4),
            _ => {}
        }
    }
    real
}

/// Bytes of a character, in whatever encoding.
const BYTES_LOST: u64 = 16;

/// Bytes in an encoding that is not known here: if one may be symbolic, that is counted.
pub fn lose(model: &Model, at: u64, n: u64) {
    if model.may_be_symbolic(at, n) {
        model.lost();
    }
}

pub unsafe extern "C" fn mbrlen(from: *const c_char, n: usize, state: *mut State) -> usize {
    let call = Call::take(mbrlen as *const u8);
    // SAFETY: forwards; mbrlen is mbrtowc with a state of its own.
    unsafe { restartable(call, None, from, n, own_or(state, 0)) }
}

pub unsafe extern "C" fn mbrtowc(to: *mut c_int, from: *const c_char, n: usize, state: *mut State) -> usize {
    let call = Call::take(mbrtowc as *const u8);
    // SAFETY: forwards.
    unsafe { restartable(call, Some(to), from, n, own_or(state, 1)) }
}

pub unsafe extern "C" fn mbsinit(state: *const State) -> c_int {
    let call = Call::take(mbsinit as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::mbsinit(state);
        let Some(model) = call.follow() else { return real };
        let state = model.address(0, state as u64);
        if state != 0 {
            model.answer(model.load(state, 4).is(0).zero_extend(32), real as u64);
        }
        real
    }
}

/// The library keeps a part of a character that mbtowc was given; its bytes are pinned.
static HAS_PART: AtomicBool = AtomicBool::new(false);

/// Bytes of a character that may be looked at.
const BYTES_MAX: u64 = 6;

/// Follows mblen, or mbtowc behind a part of a character or not, which gave `real` for `n` bytes: what was there.
unsafe fn plain(model: &Model, first: usize, from: *const c_char, n: usize, real: c_int, has_part: bool) -> Outcome {
    let (at, limit) = (model.address(first, from as u64), model.argument(first + 1, n as u64, 64));
    let encoding = Encoding::current();
    let decoder = Decoder { model, at, limit, encoding, is_text: true };
    if real == -1 {
        errno_written();
    }
    if encoding == Encoding::Unknown {
        lose(model, at, (n as u64).clamp(1, BYTES_LOST));
        return Outcome::Invalid;
    }
    if model.branch(decoder.byte(0).is(0)) {
        return Outcome::Character(Term::constant(0, 32), 1);
    }
    if !has_part {
        return decoder.decode(State::BEGIN, Term::constant(0, 32));
    }
    model.pin(limit, PinReason::Size);
    for place in 0..limit.value.min(BYTES_MAX) {
        let byte = decoder.byte(place);
        model.pin(byte, PinReason::Argument);
        if byte.value & 0xc0 != 0x80 {
            break;
        }
    }
    Outcome::Invalid
}

pub unsafe extern "C" fn mblen(from: *const c_char, n: usize) -> c_int {
    let call = Call::take(mblen as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::mblen(from, n);
        let Some(model) = call.follow() else { return real };
        if !from.is_null() {
            let outcome = plain(&model, 0, from, n, real, false);
            if (outcome.result() as isize).max(-1) != real as isize && Encoding::current() != Encoding::Unknown {
                model.lost();
            }
        }
        real
    }
}

pub unsafe extern "C" fn mbtowc(to: *mut c_int, from: *const c_char, n: usize) -> c_int {
    let call = Call::take(mbtowc as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::mbtowc(to, from, n);
        let Some(model) = call.follow() else { return real };
        if from.is_null() {
            HAS_PART.store(false, Ordering::Relaxed);
            return real;
        }
        model.pin(model.argument(0, to as u64, 64), PinReason::StoreAddress);
        let has_part = HAS_PART.load(Ordering::Relaxed);
        let outcome = plain(&model, 1, from, n, real, has_part);
        if has_part || Encoding::current() == Encoding::Unknown {
            if real >= 0 && !to.is_null() {
                shadow::clear(to as u64, 4);
            }
            HAS_PART.store(has_part && real <= 0, Ordering::Relaxed);
            return real;
        }
        match outcome {
            _ if (outcome.result() as isize).max(-1) != real as isize => model.lost(),
            Outcome::Character(wide, _) if !to.is_null() => return stored(&model, to, wide, real),
            Outcome::Incomplete(state, _) if state.count != 0 => {
                for place in 0..u64::from(state.count & 0xff) {
                    model.pin(model.byte(from as u64 + place), PinReason::Argument);
                }
                HAS_PART.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
        if real >= 0 && !to.is_null() {
            shadow::clear(to as u64, 4);
        }
        real
    }
}

/// The real function, which gives `real`, wrote a wide character.
unsafe fn stored(model: &Model, to: *mut c_int, wide: Term, real: c_int) -> c_int {
    // SAFETY: the real function wrote there.
    unsafe { model.stored(to as u64, wide) };
    real
}

pub unsafe extern "C" fn btowc(c: c_int) -> u32 {
    let call = Call::take(btowc as *const u8);
    let real = wide_of(c as u32);
    wide_class::mapped(call, Slot::Btowc, c as u32, real, wide_of);
    real
}

pub unsafe extern "C" fn wctob(wide: u32) -> c_int {
    let call = Call::take(wctob as *const u8);
    // SAFETY: a function of any number.
    let byte_of = |wide| unsafe { real::wctob(wide) as u32 };
    let real = byte_of(wide);
    wide_class::mapped(call, Slot::Wctob, wide, real, byte_of);
    real as c_int
}
