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
use super::width::{Characters, Width};
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

    unsafe extern "C" {
        pub fn rawmemchr(memory: *const c_void, wanted: c_int) -> *mut c_void;
    }
}

const NULL: Term = Term { label: gimlet_trace::Label::NONE, value: 0, width: 64 };

fn number(value: u64) -> Term {
    Term::constant(value, 64)
}

/// A search in one text.
fn search_in(text: &Characters, limit: u64, extent: Extent) -> Search<'_> {
    Search { regions: core::slice::from_ref(&text.at), width: text.width, limit, extent, n_ahead: 0 }
}

/// Length of the string at `text`, looking at `limit` characters.
///
/// # Safety
/// It must be a string of `real` characters, or have as many.
pub unsafe fn follow_length(model: &Model, text: Characters, limit: u64, real: u64) {
    model.address(0, text.at);
    if !model.is_any_symbolic(text, (real + 1).min(limit)) {
        return;
    }
    // SAFETY: places that may be read.
    let ends = |place| unsafe { model.character(text, place).is(0) };
    let search = search_in(&text, limit, Extent::String);
    model.answer(model.first(search, ends, |place| model.distance(text, place), number(limit)), real);
}

pub unsafe extern "C" fn strlen(text: *const c_char) -> usize {
    let call = Call::take(strlen as *const u8);
    // SAFETY: forwards.
    unsafe {
        let len = libc::strlen(text);
        if let Some(model) = call.follow() {
            follow_length(&model, Characters::bytes(text as u64), UNLIMITED, len as u64);
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
            follow_length(&model, Characters::bytes(text as u64), model.size(1, n as u64), len as u64);
        }
        len
    }
}

/// What a search for a character gives at the end of the string.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    Null,
    Place,
}

/// Follows a search for a character, argument 1 of the call, from the left; the real function gave `real`.
///
/// # Safety
/// `text` must be a string.
pub unsafe fn follow_character(model: &Model, text: Characters, wanted: c_int, at_end: AtEnd, real: u64) {
    let wanted = model.argument(1, wanted as u64, 32).low(text.width.bits());
    // SAFETY: a string.
    let stopped = if real == 0 { unsafe { text.length(UNLIMITED) } } else { text.before(real) };
    model.address(0, text.at);
    if !wanted.is_symbolic() && !model.is_any_symbolic(text, stopped + 1) {
        return;
    }
    // SAFETY: places that may be read.
    let character = |place| unsafe { model.character(text, place) };
    let found = |place| character(place).eq(wanted) | character(place).is(0);
    let here = |place| match at_end {
        AtEnd::Null => model.either(character(place).eq(wanted), model.place(text, place), NULL),
        AtEnd::Place => model.place(text, place),
    };
    let search = search_in(&text, UNLIMITED, Extent::String);
    model.answer(model.first(search, found, here, NULL), real);
}

pub unsafe extern "C" fn strchr(text: *const c_char, wanted: c_int) -> *mut c_char {
    let call = Call::take(strchr as *const u8);
    // SAFETY: forwards; the text is a string.
    unsafe {
        let real = libc::strchr(text, wanted);
        if let Some(model) = call.follow() {
            follow_character(&model, Characters::bytes(text as u64), wanted, AtEnd::Null, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn strchrnul(text: *const c_char, wanted: c_int) -> *mut c_char {
    let call = Call::take(strchrnul as *const u8);
    // SAFETY: forwards; the text is a string.
    unsafe {
        let real = libc::strchrnul(text, wanted);
        if let Some(model) = call.follow() {
            follow_character(&model, Characters::bytes(text as u64), wanted, AtEnd::Place, real as u64);
        }
        real
    }
}

/// The last place of a character in a string that ends before place `end`: from the end on, whether it is found and where.
unsafe fn last_character(model: &Model, text: Characters, end: u64, wanted: Term) -> Term {
    let (mut is_found, mut result) = (Term::FALSE, NULL);
    for place in (0..end).rev() {
        // SAFETY: the caller vouches for them.
        let character = unsafe { model.character(text, place) };
        let (is_end, is_it) = (character.is(0), character.eq(wanted));
        let here = Term::choose(is_it, number(text.address(place)), NULL);
        // What lies behind counts only if the string does not end here.
        let goes_on = is_found & !is_end;
        result = Term::choose(goes_on, result, here);
        is_found = goes_on | is_it;
    }
    result
}

/// The same in branches: the string has `len` characters, and where the last one is they decide from its end.
unsafe fn last_by_branches(model: &Model, text: Characters, len: u64, wanted: Term) -> Term {
    // SAFETY: a string of this length.
    let is_it = |place: &u64| unsafe { model.branch(model.character(text, *place).eq(wanted)) };
    // SAFETY: as above.
    unsafe { model.fix_length(text, len, UNLIMITED) };
    (0..=len).rev().find(is_it).map_or(NULL, |place| number(text.address(place)))
}

/// The same where stretches are in it: from the beginning of a string of `len` bytes.
unsafe fn last_behind_stretches(model: &Model, text: Characters, len: u64, wanted: Term) -> Term {
    let (mut goes_on, mut result, mut place) = (Term::TRUE, NULL, 0);
    while place <= len {
        // SAFETY: a string of this length.
        let byte = unsafe { model.character(text, place) };
        let run = lengths::run_at(text.address(place));
        let last = run.map_or(place, |run| place + run.len - 1);
        let here = model.place(text, last + 1) - number(1);
        result = Term::choose(goes_on & byte.eq(wanted), here, result);
        goes_on = goes_on & !byte.is(0);
        place = last + 1;
    }
    result
}

/// Follows a search for a character, argument 1 of the call, from the right.
///
/// # Safety
/// `text` must be a string.
pub unsafe fn follow_last_character(model: &Model, text: Characters, wanted: c_int, real: u64) {
    // SAFETY: a string, and `certain_end` is behind a terminator in every run that is meant.
    unsafe {
        let len = text.length(UNLIMITED);
        let wanted = model.argument(1, wanted as u64, 32).low(text.width.bits());
        model.address(0, text.at);
        if !wanted.is_symbolic() && !model.is_any_symbolic(text, len + 1) {
            return;
        }
        let result = if model.forks() {
            last_by_branches(model, text, len, wanted)
        } else if lengths::are_there() && text.width == Width::Byte {
            last_behind_stretches(model, text, len, wanted)
        } else {
            last_character(model, text, certain_end(model, text), wanted)
        };
        model.answer(result, real);
    }
}

pub unsafe extern "C" fn strrchr(text: *const c_char, wanted: c_int) -> *mut c_char {
    let call = Call::take(strrchr as *const u8);
    // SAFETY: forwards; the text is a string.
    unsafe {
        let real = libc::strrchr(text, wanted);
        if let Some(model) = call.follow() {
            follow_last_character(&model, Characters::bytes(text as u64), wanted, real as u64);
        }
        real
    }
}

/// A place before which a string ends, whatever the input.
unsafe fn certain_end(model: &Model, text: Characters) -> u64 {
    let mut end = 0;
    // SAFETY: places that may be read.
    let ends = |place| unsafe {
        end = place + 1;
        model.character(text, place).is(0)
    };
    let search = search_in(&text, UNLIMITED, Extent::String);
    model.first(search, ends, |_| NULL, NULL);
    end
}

/// Follows a search for a character, argument 1 of the call, among `limit`, from the left.
///
/// # Safety
/// As many must be readable as the real function looked at.
pub unsafe fn follow_one_of(model: &Model, memory: Characters, wanted: c_int, limit: u64, real: u64) {
    let wanted = model.argument(1, wanted as u64, 32).low(memory.width.bits());
    model.address(0, memory.at);
    let looked_at = if real == 0 { limit } else { memory.before(real) + 1 };
    if !wanted.is_symbolic() && !model.is_any_symbolic(memory, looked_at) {
        return;
    }
    // SAFETY: places that may be read.
    let found = |place| unsafe { model.character(memory, place).eq(wanted) };
    let search = search_in(&memory, limit, Extent::Stop);
    model.answer(model.first(search, found, |place| model.place(memory, place), NULL), real);
}

pub unsafe extern "C" fn memchr(memory: *const c_void, wanted: c_int, n: usize) -> *mut c_void {
    let call = Call::take(memchr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::memchr(memory, wanted, n);
        if let Some(model) = call.follow() {
            let limit = model.size(2, n as u64).min(UNLIMITED);
            follow_one_of(&model, Characters::bytes(memory as u64), wanted, limit, real as u64);
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
            follow_one_of(&model, Characters::bytes(memory as u64), wanted, UNLIMITED, real as u64);
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
        let search = Search { regions: &[], width: Width::Byte, limit: n, extent: Extent::Whole, n_ahead: 0 };
        model.answer(model.first(search, found, |place| number(at(place)), NULL), real as u64);
    }
    real
}

/// Stretches of characters that no input changes.
const STRETCHES_MAX: usize = 128;

/// A set of characters: those that no input changes, and where the others are.
pub struct Set {
    /// First and last character of each stretch of constant ones.
    stretches: [(u32, u32); STRETCHES_MAX],
    n_stretches: usize,
    text: Characters,
    len: u64,
    is_symbolic: bool,
    /// The stretches have all constant characters.
    is_complete: bool,
}

impl Set {
    /// The characters of a string, argument 1 of the call, and perhaps zero. A symbolic length is fixed.
    ///
    /// # Safety
    /// It must be a string.
    pub unsafe fn new(model: &Model, text: Characters, with_zero: bool) -> Set {
        model.address(1, text.at);
        // SAFETY: a string.
        let len = unsafe { text.length(UNLIMITED) };
        // SAFETY: as above.
        unsafe { model.fix_length(text, len, UNLIMITED) };
        let stretches = [(0, 0); STRETCHES_MAX];
        let mut set = Set { stretches, n_stretches: 0, text, len, is_symbolic: false, is_complete: true };
        if with_zero {
            set.add(0);
        }
        for place in 0..len {
            // SAFETY: as above.
            let member = unsafe { model.character(text, place) };
            if member.is_symbolic() {
                set.is_symbolic = true;
            } else {
                set.add(member.value as u32);
            }
        }
        set
    }

    /// Adds a character to the stretches, if there is room.
    fn add(&mut self, c: u32) {
        let n = self.n_stretches;
        let stretches = &mut self.stretches;
        let at = stretches[..n].partition_point(|stretch| stretch.1 < c);
        if at < n && stretches[at].0 <= c {
            return;
        }
        let follows = at > 0 && stretches[at - 1].1 + 1 == c;
        let precedes = at < n && stretches[at].0 == c + 1;
        match (follows, precedes) {
            (true, true) => {
                stretches[at - 1].1 = stretches[at].1;
                stretches.copy_within(at + 1..n, at);
                self.n_stretches -= 1;
            }
            (true, false) => stretches[at - 1].1 = c,
            (false, true) => stretches[at].0 = c,
            (false, false) if n == STRETCHES_MAX => self.is_complete = false,
            (false, false) => {
                stretches.copy_within(at..n, at + 1);
                stretches[at] = (c, c);
                self.n_stretches += 1;
            }
        }
    }

    /// True if the set has this character.
    pub fn contains(&self, model: &Model, character: Term) -> Term {
        let mut result = Term::FALSE;
        for &(first, last) in &self.stretches[..self.n_stretches] {
            let (first, last) = (first.into(), last.into());
            result = result | if first == last { character.is(first) } else { character.within(first, last) };
        }
        if self.is_symbolic || !self.is_complete {
            for place in 0..self.len {
                // SAFETY: whoever made the set has vouched for a string of this length.
                let member = unsafe { model.character(self.text, place) };
                if member.is_symbolic() || !self.is_complete {
                    result = result | character.eq(member);
                }
            }
        }
        result
    }
}

/// What a search for characters of a set gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Distance,
    /// The place, or null at the end of the string.
    Place,
}

/// Follows a search in the string `text` for a character that is in the set of `members`, or that is not.
///
/// # Safety
/// Both must be strings.
pub unsafe fn follow_set(model: &Model, text: Characters, members: Characters, is_in: bool, gives: Gives, real: u64) {
    // SAFETY: strings.
    let (set, stopped) = unsafe {
        let stopped = match gives {
            Gives::Distance => real,
            Gives::Place if real == 0 => text.length(UNLIMITED),
            Gives::Place => text.before(real),
        };
        (Set::new(model, members, is_in), stopped)
    };
    model.address(0, text.at);
    if !set.is_symbolic && !model.is_any_symbolic(text, stopped + 1) {
        return;
    }
    // SAFETY: places that may be read.
    let character = |place| unsafe { model.character(text, place) };
    let found = |place| {
        let contains = set.contains(model, character(place));
        match is_in {
            true => contains,
            // Its length is fixed, so zero is no member; only the symbolic ones don't say so themselves.
            false if set.is_symbolic => !contains | character(place).is(0),
            false => !contains,
        }
    };
    let here = |place| match gives {
        Gives::Distance => model.distance(text, place),
        Gives::Place => model.either(character(place).is(0), NULL, model.place(text, place)),
    };
    let search = search_in(&text, UNLIMITED, Extent::String);
    model.answer(model.first(search, found, here, NULL), real);
}

pub unsafe extern "C" fn strspn(text: *const c_char, accept: *const c_char) -> usize {
    let call = Call::take(strspn as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = libc::strspn(text, accept);
        if let Some(model) = call.follow() {
            let (text, accept) = (Characters::bytes(text as u64), Characters::bytes(accept as u64));
            follow_set(&model, text, accept, false, Gives::Distance, real as u64);
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
            let (text, reject) = (Characters::bytes(text as u64), Characters::bytes(reject as u64));
            follow_set(&model, text, reject, true, Gives::Distance, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn strpbrk(text: *const c_char, accept: *const c_char) -> *mut c_char {
    let call = Call::take(strpbrk as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = libc::strpbrk(text, accept);
        if let Some(model) = call.follow() {
            let (text, accept) = (Characters::bytes(text as u64), Characters::bytes(accept as u64));
            follow_set(&model, text, accept, true, Gives::Place, real as u64);
        }
        real
    }
}

/// What is looked for in a text.
#[derive(Clone, Copy)]
struct Needle {
    text: Characters,
    len: u64,
    case: Case,
}

impl Needle {
    /// True if it is at the beginning of `text`, of which `n` characters are there.
    unsafe fn is_at(self, model: &Model, text: Characters, n: u64) -> Term {
        if self.len > n {
            return Term::FALSE;
        }
        let mut result = Term::TRUE;
        for place in 0..self.len {
            // SAFETY: so many are there, which the caller vouches for.
            let pair = unsafe { (model.character(text, place), model.character(self.text, place)) };
            result = result & self.case.fold(model, pair.0).eq(self.case.fold(model, pair.1));
            if !result.is_symbolic() && !result.holds() {
                break;
            }
        }
        result
    }
}

/// Follows a search for one string in another.
///
/// # Safety
/// Both must be strings.
pub unsafe fn follow_text(model: &Model, text: Characters, wanted: Characters, case: Case, real: u64) {
    // SAFETY: both are strings.
    unsafe {
        let (text_len, len) = (text.length(UNLIMITED), wanted.length(UNLIMITED));
        model.address(0, text.at);
        model.address(1, wanted.at);
        let looked_at = if real == 0 { text_len + 1 } else { text.before(real) + len };
        if !model.is_any_symbolic(text, looked_at) && !model.is_any_symbolic(wanted, len + 1) {
            return;
        }
        model.fix_length(wanted, len, UNLIMITED);
        let needle = Needle { text: wanted, len, case };
        let n = match objects::find(text.at) {
            Some(object) => text.before(object.base + object.size).max(text_len + 1),
            None => {
                if !model.forks() {
                    // What would follow a longer text is not known.
                    model.pin(model.character(text, text_len), PinReason::Length);
                }
                text_len + 1
            }
        };
        let is_at = |place: u64| needle.is_at(model, text.behind(place), n.saturating_sub(place));
        let found = |place| is_at(place) | model.character(text, place).is(0);
        // What it is at the end of a stretch is behind it.
        let begin = |place| model.place(text, place + len) - text.width.size(number(len));
        let here = |place| model.either(is_at(place), begin(place), NULL);
        let n_ahead = len.saturating_sub(1);
        let search = Search { n_ahead, ..search_in(&text, UNLIMITED, Extent::String) };
        model.answer(model.first(search, found, here, NULL), real);
    }
}

pub unsafe extern "C" fn strstr(text: *const c_char, wanted: *const c_char) -> *mut c_char {
    let call = Call::take(strstr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strstr(text, wanted);
        if let Some(model) = call.follow() {
            let (text, wanted) = (Characters::bytes(text as u64), Characters::bytes(wanted as u64));
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
            let (text, wanted) = (Characters::bytes(text as u64), Characters::bytes(wanted as u64));
            follow_text(&model, text, wanted, Case::folded(Width::Byte), real as u64);
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
    let (memory, n) = (Characters::bytes(model.address(0, memory as u64)), model.size(1, n as u64));
    let text = Characters::bytes(model.address(2, wanted as u64));
    let needle = Needle { text, len: model.size(3, wanted_len as u64), case: Case::Kept };
    let looked_at = if real.is_null() { n } else { memory.before(real as u64) + needle.len };
    if needle.len > n || (!model.is_any_symbolic(memory, looked_at) && !model.is_any_symbolic(text, needle.len)) {
        return real;
    }
    // SAFETY: the real function may read them all.
    let found = |place| unsafe { needle.is_at(&model, memory.behind(place), n - place) };
    let n_ahead = needle.len.saturating_sub(1);
    let search = Search { n_ahead, ..search_in(&memory, n - needle.len + 1, Extent::Whole) };
    let begin = |place| model.place(memory, place + needle.len) - number(needle.len);
    model.answer(model.first(search, found, begin, NULL), real as u64);
    real
}
