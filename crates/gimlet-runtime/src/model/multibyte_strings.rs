//! Strings of characters of several bytes that become strings of wide characters.
//!
//! Each character is decided as mbrtowc decides it ([`super::multibyte`]), so how many there are is concrete, and each is
//! an expression of its bytes.

use core::ffi::{c_char, c_int};

use gimlet_trace::event::PinReason;

use crate::shadow;
use crate::state::Guard;
use crate::term::Term;

use super::multibyte::{lose, own_or, Decoder, Encoding, Outcome, State};
use super::number::errno_written;
use super::width::Characters;
use super::{loaded, models, Call, Model, UNLIMITED};

models! {
    mbstowcs,
    __mbstowcs_chk,
    mbsrtowcs,
    __mbsrtowcs_chk,
    mbsnrtowcs,
    __mbsnrtowcs_chk,
}

/// The library's own.
mod real {
    use super::{c_char, c_int, State};

    unsafe extern "C" {
        pub fn mbstowcs(to: *mut c_int, from: *const c_char, n: usize) -> usize;
        pub fn __mbstowcs_chk(to: *mut c_int, from: *const c_char, n: usize, room: usize) -> usize;
        pub fn mbsrtowcs(to: *mut c_int, from: *mut *const c_char, n: usize, state: *mut State) -> usize;
        pub fn __mbsrtowcs_chk(
            to: *mut c_int,
            from: *mut *const c_char,
            n: usize,
            state: *mut State,
            room: usize,
        ) -> usize;
        pub fn mbsnrtowcs(
            to: *mut c_int,
            from: *mut *const c_char,
            n_bytes: usize,
            n: usize,
            state: *mut State,
        ) -> usize;
        pub fn __mbsnrtowcs_chk(
            to: *mut c_int,
            from: *mut *const c_char,
            n_bytes: usize,
            n: usize,
            state: *mut State,
            room: usize,
        ) -> usize;
    }
}

/// What a function converts.
#[derive(Clone, Copy)]
struct Source {
    at: u64,
    /// It looks at so many bytes at most.
    limit: u64,
    /// What has been read of a character before, and its bits.
    state: State,
    bits: Term,
}

/// Where the characters go, if they do, and how many of them.
#[derive(Clone, Copy)]
struct Target {
    at: u64,
    n: u64,
}

/// What the real function did.
struct Converted {
    /// How many characters there are before the end, or all ones.
    result: usize,
    /// Bits of the last character that was read in parts: what the state keeps of it, also when it is complete.
    part: Option<Term>,
}

/// Where the library ends a piece of its source: of a whole string it takes as many bytes at a time as there is room for
/// characters, and one.
unsafe fn piece_end(source: Source, offset: u64, room: Option<u64>) -> u64 {
    match room {
        // SAFETY: the caller vouches for the string.
        Some(room) if source.limit == UNLIMITED => unsafe {
            offset + Characters::bytes(source.at + offset).length(room) + 1
        },
        _ => source.limit,
    }
}

/// Follows what the real function did.
unsafe fn convert(model: &Model, encoding: Encoding, source: Source, target: Option<Target>) -> Converted {
    let (mut state, mut bits) = (source.state, source.bits);
    let mut converted = Converted { result: 0, part: None };
    let (mut offset, mut end) = (0, 0);
    loop {
        let room = target.map(|target| target.n - converted.result as u64);
        if room == Some(0) {
            return converted;
        }
        if offset == end {
            // SAFETY: the caller vouches for the string.
            end = unsafe { piece_end(source, offset, room) };
        }
        let limit = Term::constant(end - offset, 64);
        let decoder = Decoder { model, at: source.at + offset, limit, encoding, is_text: false };
        match decoder.decode(state, bits) {
            Outcome::Character(wide, n) => {
                if let Some(target) = target {
                    // SAFETY: the real function wrote there.
                    unsafe { model.stored(Characters::wide(target.at).address(converted.result as u64), wide) };
                }
                if wide.value == 0 {
                    return converted;
                }
                (state, bits) = (State::BEGIN, Term::constant(0, 32));
                converted.result += 1;
                offset += n;
            }
            Outcome::Incomplete(new, part) => {
                (state, bits, converted.part) = (new, part, Some(part));
                offset = end;
            }
            Outcome::Invalid => return Converted { result: usize::MAX, ..converted },
        }
        if offset == source.limit {
            return converted;
        }
    }
}

/// Follows a function that gave `real`: what it wrote, and whether that is what was to be expected.
unsafe fn follow(model: &Model, source: Source, target: Option<Target>, real: usize) -> Option<Converted> {
    if real == usize::MAX {
        errno_written();
    }
    let encoding = Encoding::current();
    // SAFETY: the real function read and wrote there.
    unsafe {
        if encoding == Encoding::Unknown {
            let text = Characters::bytes(source.at);
            lose(model, source.at, text.length(source.limit).saturating_add(1).min(source.limit));
            if let Some(target) = target {
                // What it wrote before it gave up is not known.
                let n = if real == usize::MAX { target.n.min(text.length(source.limit)) } else { real as u64 };
                shadow::clear(target.at, 4 * n.saturating_add(1).min(target.n));
            }
            return None;
        }
        let converted = convert(model, encoding, source, target);
        if converted.result != real {
            model.lost();
        }
        Some(converted)
    }
}

/// The target, argument 0 of the call, and its size, argument `size`.
fn target(model: &Model, to: *mut c_int, (size, n): (usize, usize)) -> Option<Target> {
    model.pin(model.argument(0, to as u64, 64), PinReason::StoreAddress);
    let n = model.size(size, n as u64);
    (!to.is_null()).then_some(Target { at: to as u64, n })
}

unsafe fn plain(call: Call, to: *mut c_int, from: *const c_char, n: usize, real: usize) -> usize {
    if let Some(model) = call.follow() {
        let source = Source {
            at: model.address(1, from as u64),
            limit: UNLIMITED,
            state: State::BEGIN,
            bits: Term::constant(0, 32),
        };
        let target = target(&model, to, (2, n));
        // SAFETY: the caller vouches for the string.
        unsafe { follow(&model, source, target, real) };
    }
    real
}

/// Arguments of a function that goes on where it stopped: the limit of bytes, the size and the state, with their numbers.
#[derive(Clone, Copy)]
struct Restartable {
    to: *mut c_int,
    from: *mut *const c_char,
    n_bytes: Option<usize>,
    n: usize,
    state: *mut State,
}

/// Calls a function that goes on where it stopped, and follows it.
unsafe fn restartable(call: Call, arguments: Restartable, real: impl FnOnce() -> usize) -> usize {
    let Restartable { to, from, n_bytes, n, state } = arguments;
    let before = Guard::enter().map(|_guard| {
        let (from_at, state_at) = (from as u64, state as u64);
        // SAFETY: a pointer and a state.
        unsafe {
            let labels = [(from_at, 8), (state_at, 4), (state_at + 4, 4)];
            (state.read(), labels.map(|(at, n)| loaded(at, n, call.site)))
        }
    });
    let real = real();
    let (Some((old, [at, count, bits])), Some(model)) = (before, call.follow()) else { return real };
    model.address(1, from as u64);
    let limit = n_bytes.map_or(UNLIMITED, |n| model.size(2, n as u64));
    let last = 2 + usize::from(n_bytes.is_some());
    let target = target(&model, to, (last, n));
    model.pin(model.argument(last + 1, state as u64, 64), PinReason::Address);
    if limit == 0 {
        return real;
    }
    model.pin(at, PinReason::Address);
    model.pin(count, PinReason::Argument);
    let source = Source { at: at.value, limit, state: old, bits };
    // SAFETY: the real function read and wrote there.
    unsafe {
        let converted = follow(&model, source, target, real);
        if target.is_none() {
            return real;
        }
        shadow::clear(from as u64, 8);
        shadow::clear(state as u64, 4);
        match converted {
            Some(Converted { part: Some(part), .. }) => model.stored(state as u64 + 4, part),
            Some(_) => {}
            None => shadow::clear(state as u64 + 4, 4),
        }
    }
    real
}

pub unsafe extern "C" fn mbstowcs(to: *mut c_int, from: *const c_char, n: usize) -> usize {
    let call = Call::take(mbstowcs as *const u8);
    // SAFETY: forwards.
    unsafe { plain(call, to, from, n, real::mbstowcs(to, from, n)) }
}

pub unsafe extern "C" fn __mbstowcs_chk(to: *mut c_int, from: *const c_char, n: usize, room: usize) -> usize {
    let call = Call::take(__mbstowcs_chk as *const u8);
    // SAFETY: forwards.
    unsafe { plain(call, to, from, n, real::__mbstowcs_chk(to, from, n, room)) }
}

pub unsafe extern "C" fn mbsrtowcs(to: *mut c_int, from: *mut *const c_char, n: usize, state: *mut State) -> usize {
    let call = Call::take(mbsrtowcs as *const u8);
    let state = own_or(state, 2);
    let arguments = Restartable { to, from, n_bytes: None, n, state };
    // SAFETY: forwards.
    unsafe { restartable(call, arguments, || real::mbsrtowcs(to, from, n, state)) }
}

pub unsafe extern "C" fn __mbsrtowcs_chk(
    to: *mut c_int,
    from: *mut *const c_char,
    n: usize,
    state: *mut State,
    room: usize,
) -> usize {
    let call = Call::take(__mbsrtowcs_chk as *const u8);
    let state = own_or(state, 2);
    let arguments = Restartable { to, from, n_bytes: None, n, state };
    // SAFETY: forwards.
    unsafe { restartable(call, arguments, || real::__mbsrtowcs_chk(to, from, n, state, room)) }
}

pub unsafe extern "C" fn mbsnrtowcs(
    to: *mut c_int,
    from: *mut *const c_char,
    n_bytes: usize,
    n: usize,
    state: *mut State,
) -> usize {
    let call = Call::take(mbsnrtowcs as *const u8);
    let state = own_or(state, 3);
    let arguments = Restartable { to, from, n_bytes: Some(n_bytes), n, state };
    // SAFETY: forwards.
    unsafe { restartable(call, arguments, || real::mbsnrtowcs(to, from, n_bytes, n, state)) }
}

pub unsafe extern "C" fn __mbsnrtowcs_chk(
    to: *mut c_int,
    from: *mut *const c_char,
    n_bytes: usize,
    n: usize,
    state: *mut State,
    room: usize,
) -> usize {
    let call = Call::take(__mbsnrtowcs_chk as *const u8);
    let state = own_or(state, 3);
    let arguments = Restartable { to, from, n_bytes: Some(n_bytes), n, state };
    // SAFETY: forwards.
    unsafe { restartable(call, arguments, || real::__mbsnrtowcs_chk(to, from, n_bytes, n, state, room)) }
}
