//! Searches in memory and strings: where something is, as one expression.
//!
//! A result is a chain of if-then-elses over the places where the search may
//! stop ([`Model::first`]). Sets of characters and the length of what is looked
//! for in a text are mostly constant; where they are not, the length is fixed.

use core::ffi::{c_char, c_int, c_void};

use gimlet_trace::event::PinReason;

use crate::lengths;
use crate::objects;
use crate::term::Term;

use super::compare::Case;
use super::{models, Call, Extent, Model, Search, UNLIMITED};

models! {
    strlen,
    strnlen,
    strchr,
    index: strchr,
    strchrnul,
    strrchr,
    rindex: strrchr,
    memchr,
    memrchr,
    rawmemchr,
    __rawmemchr: rawmemchr,
    strspn,
    strcspn,
    strpbrk,
    strstr,
    strcasestr,
    __strcasestr: strcasestr,
    memmem,
}

mod real {
    use core::ffi::{c_int, c_void};

    extern "C" {
        pub fn rawmemchr(memory: *const c_void, wanted: c_int) -> *mut c_void;
    }
}

const NULL: Term = Term { label: gimlet_trace::Label::NONE, value: 0, width: 64 };

fn number(value: u64) -> Term {
    Term::constant(value, 64)
}

/// Length of the string at `text`, looking at `limit` characters.
unsafe fn follow_length(model: &Model, text: *const c_char, limit: u64, real: u64) {
    let text = model.address(0, text as u64);
    if !model.may_be_symbolic(text, (real + 1).min(limit)) {
        return;
    }
    // SAFETY: places that may be read.
    let ends = |place| unsafe { model.byte(text + place).is(0) };
    let search = Search { regions: &[text], limit, extent: Extent::String, n_ahead: 0 };
    model.answer(model.first(search, ends, |place| model.distance(text, place), number(limit)), real);
}

pub unsafe extern "C" fn strlen(text: *const c_char) -> usize {
    let call = Call::take(strlen as *const u8);
    // SAFETY: forwards.
    unsafe {
        let len = libc::strlen(text);
        if let Some(model) = call.follow() {
            follow_length(&model, text, UNLIMITED, len as u64);
        }
        len
    }
}

pub unsafe extern "C" fn strnlen(text: *const c_char, n: usize) -> usize {
    let call = Call::take(strnlen as *const u8);
    // SAFETY: forwards.
    unsafe {
        let len = libc::strnlen(text, n);
        if let Some(model) = call.follow() {
            follow_length(&model, text, model.size(1, n as u64), len as u64);
        }
        len
    }
}

/// What a search for a character gives at the end of the string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtEnd {
    Null,
    Place,
}

/// Follows a search for a character from the left; the real function stopped at `stopped`.
unsafe fn follow_character(model: &Model, text: u64, wanted: Term, stopped: u64, at_end: AtEnd, real: u64) {
    let text = model.address(0, text);
    if !wanted.is_symbolic() && !model.may_be_symbolic(text, stopped + 1) {
        return;
    }
    // SAFETY: places that may be read.
    let byte = |place| unsafe { model.byte(text + place) };
    let found = |place| byte(place).eq(wanted) | byte(place).is(0);
    let here = |place| match at_end {
        AtEnd::Null => model.either(byte(place).eq(wanted), model.place(text, place), NULL),
        AtEnd::Place => model.place(text, place),
    };
    let search = Search { regions: &[text], limit: UNLIMITED, extent: Extent::String, n_ahead: 0 };
    model.answer(model.first(search, found, here, NULL), real);
}

pub unsafe extern "C" fn strchr(text: *const c_char, wanted: c_int) -> *mut c_char {
    let call = Call::take(strchr as *const u8);
    // SAFETY: forwards; the text is a string.
    unsafe {
        let real = libc::strchr(text, wanted);
        let Some(model) = call.follow() else { return real };
        let stopped = if real.is_null() { libc::strlen(text) as u64 } else { real as u64 - text as u64 };
        let wanted = model.argument(1, wanted as u64, 32).low(8);
        follow_character(&model, text as u64, wanted, stopped, AtEnd::Null, real as u64);
        real
    }
}

pub unsafe extern "C" fn strchrnul(text: *const c_char, wanted: c_int) -> *mut c_char {
    let call = Call::take(strchrnul as *const u8);
    // SAFETY: forwards; the text is a string.
    unsafe {
        let real = libc::strchrnul(text, wanted);
        let Some(model) = call.follow() else { return real };
        let wanted = model.argument(1, wanted as u64, 32).low(8);
        follow_character(&model, text as u64, wanted, real as u64 - text as u64, AtEnd::Place, real as u64);
        real
    }
}

/// The last place of a character in a string that ends before `end`: from the end on, whether it is found and where.
unsafe fn last_character(model: &Model, text: u64, end: u64, wanted: Term) -> Term {
    let (mut is_found, mut result) = (Term::FALSE, NULL);
    for address in (text..end).rev() {
        // SAFETY: the caller vouches for the bytes.
        let byte = unsafe { model.byte(address) };
        let (is_end, is_it) = (byte.is(0), byte.eq(wanted));
        let here = Term::choose(is_it, number(address), NULL);
        // What lies behind counts only if the string does not end here.
        let goes_on = is_found & !is_end;
        result = Term::choose(goes_on, result, here);
        is_found = goes_on | is_it;
    }
    result
}

/// The same in branches: the string has `len` characters, and where the last one is they decide from its end.
unsafe fn last_by_branches(model: &Model, text: u64, len: u64, wanted: Term) -> Term {
    // SAFETY: a string of this length.
    let is_it = |address: &u64| unsafe { model.branch(model.byte(*address).eq(wanted)) };
    // SAFETY: as above.
    unsafe { model.fix_length(text, len, UNLIMITED) };
    (text..=text + len).rev().find(is_it).map_or(NULL, number)
}

/// The same where stretches are in it: from the beginning of a string of `len` characters.
unsafe fn last_behind_stretches(model: &Model, text: u64, len: u64, wanted: Term) -> Term {
    let (mut goes_on, mut result, mut place) = (Term::TRUE, NULL, 0);
    while place <= len {
        // SAFETY: a string of this length.
        let byte = unsafe { model.byte(text + place) };
        let run = lengths::run_at(text + place);
        let last = run.map_or(place, |run| place + run.len - 1);
        let here = model.place(text, last + 1) - number(1);
        result = Term::choose(goes_on & byte.eq(wanted), here, result);
        goes_on = goes_on & !byte.is(0);
        place = last + 1;
    }
    result
}

pub unsafe extern "C" fn strrchr(text: *const c_char, wanted: c_int) -> *mut c_char {
    let call = Call::take(strrchr as *const u8);
    // SAFETY: forwards; the text is a string, and `end` is behind a terminator in every run that is meant.
    unsafe {
        let real = libc::strrchr(text, wanted);
        let Some(model) = call.follow() else { return real };
        let len = libc::strlen(text) as u64;
        let wanted = model.argument(1, wanted as u64, 32).low(8);
        let text = model.address(0, text as u64);
        if !wanted.is_symbolic() && !model.may_be_symbolic(text, len + 1) {
            return real;
        }
        let result = if model.forks() {
            last_by_branches(&model, text, len, wanted)
        } else if lengths::are_there() {
            last_behind_stretches(&model, text, len, wanted)
        } else {
            last_character(&model, text, certain_end(&model, text), wanted)
        };
        model.answer(result, real as u64);
        real
    }
}

/// An address before which a string ends, whatever the input.
unsafe fn certain_end(model: &Model, text: u64) -> u64 {
    let mut end = text;
    // SAFETY: places that may be read.
    let ends = |place| unsafe {
        end = text + place + 1;
        model.byte(text + place).is(0)
    };
    let search = Search { regions: &[text], limit: UNLIMITED, extent: Extent::String, n_ahead: 0 };
    model.first(search, ends, |_| NULL, NULL);
    end
}

/// Follows a search for a byte among `limit`, from the left.
unsafe fn follow_byte(model: &Model, memory: u64, wanted: Term, limit: u64, real: u64) {
    let memory = model.address(0, memory);
    let looked_at = if real == 0 { limit } else { real - memory + 1 };
    if !wanted.is_symbolic() && !model.may_be_symbolic(memory, looked_at) {
        return;
    }
    // SAFETY: places that may be read.
    let found = |place| unsafe { model.byte(memory + place).eq(wanted) };
    let search = Search { regions: &[memory], limit, extent: Extent::Stop, n_ahead: 0 };
    model.answer(model.first(search, found, |place| model.place(memory, place), NULL), real);
}

pub unsafe extern "C" fn memchr(memory: *const c_void, wanted: c_int, n: usize) -> *mut c_void {
    let call = Call::take(memchr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::memchr(memory, wanted, n);
        if let Some(model) = call.follow() {
            let wanted = model.argument(1, wanted as u64, 32).low(8);
            let limit = model.size(2, n as u64).min(UNLIMITED);
            follow_byte(&model, memory as u64, wanted, limit, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn rawmemchr(memory: *const c_void, wanted: c_int) -> *mut c_void {
    let call = Call::take(rawmemchr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::rawmemchr(memory, wanted);
        if let Some(model) = call.follow() {
            let wanted = model.argument(1, wanted as u64, 32).low(8);
            follow_byte(&model, memory as u64, wanted, UNLIMITED, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn memrchr(memory: *const c_void, wanted: c_int, n: usize) -> *mut c_void {
    let call = Call::take(memrchr as *const u8);
    // SAFETY: forwards.
    let real = unsafe { libc::memrchr(memory, wanted, n) };
    let Some(model) = call.follow() else { return real };
    let wanted = model.argument(1, wanted as u64, 32).low(8);
    let (memory, n) = (model.address(0, memory as u64), model.size(2, n as u64));
    let stopped = if real.is_null() { memory } else { real as u64 };
    if wanted.is_symbolic() || model.may_be_symbolic(stopped, memory + n - stopped) {
        let at = |place| memory + n - 1 - place;
        // SAFETY: the real function may read them all.
        let found = |place| unsafe { model.byte(at(place)).eq(wanted) };
        let search = Search { regions: &[], limit: n, extent: Extent::Whole, n_ahead: 0 };
        model.answer(model.first(search, found, |place| number(at(place)), NULL), real as u64);
    }
    real
}

/// A set of characters: those that no input changes, and where the others are.
pub struct Set {
    /// First and last character of each stretch of constant ones.
    stretches: [(u8, u8); 128],
    n_stretches: usize,
    text: u64,
    len: u64,
    is_symbolic: bool,
}

impl Set {
    /// The characters of a string, argument `index` of the call, and perhaps zero. A symbolic length is fixed.
    ///
    /// # Safety
    /// It must be a string.
    pub unsafe fn new(model: &Model, index: usize, text: *const c_char, with_zero: bool) -> Set {
        let mut is_member = [false; 256];
        is_member[0] = with_zero;
        let (at, mut is_symbolic) = (model.address(index, text as u64), false);
        // SAFETY: a string.
        let len = unsafe { libc::strlen(text) } as u64;
        // SAFETY: as above.
        unsafe { model.fix_length(at, len, UNLIMITED) };
        for address in at..at + len {
            // SAFETY: as above.
            let byte = unsafe { model.byte(address) };
            is_symbolic |= byte.is_symbolic();
            is_member[byte.value as usize] |= !byte.is_symbolic();
        }
        let mut set = Set { stretches: [(0, 0); 128], n_stretches: 0, text: at, len, is_symbolic };
        for c in (0..=u8::MAX).filter(|&c| is_member[usize::from(c)]) {
            match set.stretches[..set.n_stretches].last_mut() {
                Some(stretch) if stretch.1 + 1 == c => stretch.1 = c,
                _ => {
                    set.stretches[set.n_stretches] = (c, c);
                    set.n_stretches += 1;
                }
            }
        }
        set
    }

    /// True if the set has this byte.
    pub fn contains(&self, model: &Model, byte: Term) -> Term {
        let mut result = Term::FALSE;
        for &(first, last) in &self.stretches[..self.n_stretches] {
            result =
                result | if first == last { byte.is(first.into()) } else { byte.within(first.into(), last.into()) };
        }
        if self.is_symbolic {
            for address in self.text..self.text + self.len {
                // SAFETY: a string of this length.
                let member = unsafe { model.byte(address) };
                if member.is_symbolic() {
                    result = result | byte.eq(member);
                }
            }
        }
        result
    }
}

/// What a search for characters of a set gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Distance,
    /// The place, or null at the end of the string.
    Place,
}

/// Follows a search in the string `text`, which stopped `stopped` bytes behind, for a character that is in a set, or
/// that is not.
unsafe fn follow_set(model: &Model, text: u64, set: &Set, is_in: bool, stopped: u64, gives: Gives, real: u64) {
    let text = model.address(0, text);
    if !set.is_symbolic && !model.may_be_symbolic(text, stopped + 1) {
        return;
    }
    // SAFETY: places that may be read.
    let byte = |place| unsafe { model.byte(text + place) };
    let found = |place| {
        let contains = set.contains(model, byte(place));
        match is_in {
            true => contains,
            // Its length is fixed, so zero is no member; only the symbolic ones don't say so themselves.
            false if set.is_symbolic => !contains | byte(place).is(0),
            false => !contains,
        }
    };
    let here = |place| match gives {
        Gives::Distance => model.distance(text, place),
        Gives::Place => model.either(byte(place).is(0), NULL, model.place(text, place)),
    };
    let search = Search { regions: &[text], limit: UNLIMITED, extent: Extent::String, n_ahead: 0 };
    model.answer(model.first(search, found, here, NULL), real);
}

pub unsafe extern "C" fn strspn(text: *const c_char, accept: *const c_char) -> usize {
    let call = Call::take(strspn as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = libc::strspn(text, accept);
        if let Some(model) = call.follow() {
            let set = Set::new(&model, 1, accept, false);
            follow_set(&model, text as u64, &set, false, real as u64, Gives::Distance, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn strcspn(text: *const c_char, reject: *const c_char) -> usize {
    let call = Call::take(strcspn as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = libc::strcspn(text, reject);
        if let Some(model) = call.follow() {
            let set = Set::new(&model, 1, reject, true);
            follow_set(&model, text as u64, &set, true, real as u64, Gives::Distance, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn strpbrk(text: *const c_char, accept: *const c_char) -> *mut c_char {
    let call = Call::take(strpbrk as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = libc::strpbrk(text, accept);
        let Some(model) = call.follow() else { return real };
        let stopped = if real.is_null() { libc::strlen(text) as u64 } else { real as u64 - text as u64 };
        let set = Set::new(&model, 1, accept, true);
        follow_set(&model, text as u64, &set, true, stopped, Gives::Place, real as u64);
        real
    }
}

/// What is looked for in a text.
#[derive(Clone, Copy)]
struct Needle {
    at: u64,
    len: u64,
    case: Case,
}

impl Needle {
    /// True if it is at `address`, of what lies before `end`.
    unsafe fn is_at(self, model: &Model, address: u64, end: u64) -> Term {
        if address + self.len > end {
            return Term::FALSE;
        }
        let mut result = Term::TRUE;
        for index in 0..self.len {
            // SAFETY: before `end`, which the caller vouches for.
            let pair = unsafe { (model.byte(address + index), model.byte(self.at + index)) };
            result = result & self.case.fold(model, pair.0).eq(self.case.fold(model, pair.1));
            if !result.is_symbolic() && !result.holds() {
                break;
            }
        }
        result
    }
}

/// Follows a search for one string in another.
unsafe fn follow_text(model: &Model, text: *const c_char, wanted: *const c_char, case: Case, real: u64) {
    // SAFETY: both are strings.
    unsafe {
        let (text_len, len) = (libc::strlen(text) as u64, libc::strlen(wanted) as u64);
        let (text, wanted) = (model.address(0, text as u64), model.address(1, wanted as u64));
        let looked_at = if real == 0 { text_len + 1 } else { real - text + len };
        if !model.may_be_symbolic(text, looked_at) && !model.may_be_symbolic(wanted, len + 1) {
            return;
        }
        model.fix_length(wanted, len, UNLIMITED);
        let needle = Needle { at: wanted, len, case };
        let end = match objects::find(text) {
            Some(object) => (object.base + object.size).max(text + text_len + 1),
            None => {
                if !model.forks() {
                    // What would follow a longer text is not known.
                    model.pin(model.byte(text + text_len), PinReason::Length);
                }
                text + text_len + 1
            }
        };
        let is_at = |place| needle.is_at(model, text + place, end);
        let found = |place| is_at(place) | model.byte(text + place).is(0);
        // What it is at the end of a stretch is behind it.
        let begin = |place| model.place(text, place + len) - number(len);
        let here = |place| model.either(is_at(place), begin(place), NULL);
        let n_ahead = len.saturating_sub(1);
        let search = Search { regions: &[text], limit: UNLIMITED, extent: Extent::String, n_ahead };
        model.answer(model.first(search, found, here, NULL), real);
    }
}

pub unsafe extern "C" fn strstr(text: *const c_char, wanted: *const c_char) -> *mut c_char {
    let call = Call::take(strstr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strstr(text, wanted);
        if let Some(model) = call.follow() {
            follow_text(&model, text, wanted, Case::Kept, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn strcasestr(text: *const c_char, wanted: *const c_char) -> *mut c_char {
    let call = Call::take(strcasestr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strcasestr(text, wanted);
        if let Some(model) = call.follow() {
            follow_text(&model, text, wanted, Case::folded(), real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn memmem(
    memory: *const c_void,
    n: usize,
    wanted: *const c_void,
    wanted_len: usize,
) -> *mut c_void {
    let call = Call::take(memmem as *const u8);
    // SAFETY: forwards.
    let real = unsafe { libc::memmem(memory, n, wanted, wanted_len) };
    let Some(model) = call.follow() else { return real };
    let (memory, n) = (model.address(0, memory as u64), model.size(1, n as u64));
    let needle =
        Needle { at: model.address(2, wanted as u64), len: model.size(3, wanted_len as u64), case: Case::Kept };
    let looked_at = if real.is_null() { n } else { real as u64 - memory + needle.len };
    if needle.len > n || (!model.may_be_symbolic(memory, looked_at) && !model.may_be_symbolic(needle.at, needle.len)) {
        return real;
    }
    // SAFETY: the real function may read them all.
    let found = |place| unsafe { needle.is_at(&model, memory + place, memory + n) };
    let n_ahead = needle.len.saturating_sub(1);
    let search = Search { regions: &[memory], limit: n - needle.len + 1, extent: Extent::Whole, n_ahead };
    let begin = |place| model.place(memory, place + needle.len) - number(needle.len);
    model.answer(model.first(search, found, begin, NULL), real as u64);
    real
}
