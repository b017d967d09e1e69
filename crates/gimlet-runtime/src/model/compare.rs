//! Comparisons of memory and strings: one expression each.
//!
//! A comparison looks for the first place where characters differ or both
//! strings end ([`Model::first`]); the result is the difference there. What
//! ignores case folds as the locale does: by an expression where only the
//! letters of ASCII have two cases, or else by a lookup in the locale's table.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use gimlet_trace::event::{EventKind, EventRecord, PinReason};
use gimlet_trace::ShadowWord;

use crate::log::{self, blank};
use crate::memory::{content, label_of};
use crate::observe::name_offset;
use crate::shadow;
use crate::term::Term;

use super::wide_class;
use super::width::{Characters, Width};
use super::{models, Call, Extent, Model, Search, UNLIMITED};

models! {
    memcmp,
    bcmp: memcmp,
    __memcmpeq: memcmp,
    strcmp,
    strncmp,
    strcasecmp,
    __strcasecmp: strcasecmp,
    strncasecmp,
    strcoll,
}

unsafe extern "C" {
    fn __ctype_tolower_loc() -> *const *const i32;
}

/// What becomes of letters before they are compared.
#[derive(Clone, Copy)]
pub enum Case {
    Kept,
    /// A to Z become a to z.
    Ascii,
    /// Entry `c` of the table at this address takes the place of `c`.
    Table(u64),
    /// What the locale does to wide characters.
    Wide,
}

impl Case {
    /// How the locale of this thread folds.
    pub fn folded(width: Width) -> Case {
        if width == Width::Wide {
            return Case::Wide;
        }
        // SAFETY: the tables of libc have entries for all bytes.
        unsafe {
            let table = *__ctype_tolower_loc();
            let is_ascii = |c: u8| i32::from(c.to_ascii_lowercase()) == *table.add(c.into());
            if (0..=u8::MAX).all(is_ascii) {
                Case::Ascii
            } else {
                Case::Table(table as u64)
            }
        }
    }

    pub fn fold(self, model: &Model, character: Term) -> Term {
        match self {
            Case::Kept => character,
            Case::Ascii => {
                let is_upper = character.within(b'A'.into(), b'Z'.into());
                Term::choose(is_upper, character + Term::constant(0x20, character.width), character)
            }
            // SAFETY: the table has entries for all bytes.
            Case::Table(table) => unsafe { model.lookup(table, character.zero_extend(32), 4).low(8) },
            Case::Wide => wide_class::lower(model, character),
        }
    }

    /// The same for a character that no input changes.
    fn fold_value(self, character: u32) -> u32 {
        match self {
            Case::Kept => character,
            Case::Ascii => (character as u8).to_ascii_lowercase().into(),
            // SAFETY: the table has entries for all bytes.
            Case::Table(table) => unsafe { *(table as *const i32).add(character as usize) as u8 }.into(),
            Case::Wide => wide_class::lower_value(character),
        }
    }
}

/// Two strings, of which at most `limit` characters are compared.
#[derive(Clone, Copy)]
struct Pair {
    a: Characters,
    b: Characters,
    limit: u64,
    case: Case,
}

impl Pair {
    /// True if a character that the real function looked at is symbolic.
    ///
    /// # Safety
    /// Both must be strings, or have `limit` characters.
    unsafe fn may_be_symbolic(self) -> bool {
        let n = self.a.width.bytes();
        for place in 0..self.limit {
            let (x, y) = (self.a.address(place), self.b.address(place));
            let is_labelled = |address: u64| (0..n).any(|at| shadow::get(address + at) != ShadowWord::NONE);
            if is_labelled(x) || is_labelled(y) {
                return true;
            }
            // SAFETY: the real function went as far.
            let (x, y) = unsafe { (content(x, n as u32) as u32, content(y, n as u32) as u32) };
            if x == 0 || self.case.fold_value(x) != self.case.fold_value(y) {
                return false;
            }
        }
        false
    }

    /// The characters at a place, as they are compared.
    ///
    /// # Safety
    /// They must be readable.
    unsafe fn at(self, model: &Model, place: u64) -> (Term, Term) {
        // SAFETY: the caller vouches for them.
        let character = |text| unsafe { self.case.fold(model, model.character(text, place)) };
        (character(self.a), character(self.b))
    }

    /// True if the two differ at a place, or end there.
    ///
    /// # Safety
    /// That of [`Pair::at`].
    unsafe fn stops(self, model: &Model, place: u64) -> Term {
        // SAFETY: the caller vouches for them.
        let (x, y) = unsafe { self.at(model, place) };
        // A constant beside a symbol: if they are equal, both strings end here or neither does.
        x.ne(y) | if y.is_symbolic() { x.is(0) } else { y.is(0) }
    }

    /// What `gives` says of the first place where the two differ, or else `none`; also if they stop there at the latest
    /// in every run.
    ///
    /// # Safety
    /// Both must be strings, or have `limit` characters.
    unsafe fn first(self, model: &Model, gives: fn((Term, Term)) -> Term, none: Term) -> (Term, bool) {
        let mut is_certain = false;
        // SAFETY: places that may be read.
        let stops = |place| unsafe {
            let stops = self.stops(model, place).settled();
            is_certain |= stops.holds() && !stops.is_symbolic();
            stops
        };
        // SAFETY: as above.
        let value = |place| unsafe { gives(self.at(model, place)) };
        let (regions, width) = (&[self.a.at, self.b.at], self.a.width);
        let search = Search { regions, width, limit: self.limit, extent: Extent::String, n_ahead: 0 };
        (model.first(search, stops, value, none), is_certain)
    }

    /// The difference where the two differ first, or zero.
    ///
    /// # Safety
    /// Both must be strings, or have `limit` characters.
    unsafe fn difference(self, model: &Model) -> Term {
        // SAFETY: the caller vouches for them.
        unsafe { self.first(model, difference, Term::constant(0, 32)).0 }
    }

    /// Labels the result of wcscmp, which is -1, 0 or 1; behind the first characters glibc gives the difference in place
    /// of these, depending on the processor. So there the order is branches, and where they differ is pinned.
    ///
    /// # Safety
    /// Both must be strings, or have `limit` characters.
    unsafe fn answer_order(self, model: &Model, real: c_int) {
        let equal = Term::constant(0, 32);
        let behind = |text: Characters| text.behind(NEAR);
        let near = Pair { limit: self.limit.min(NEAR), ..self };
        let far = Pair { a: behind(self.a), b: behind(self.b), limit: self.limit - near.limit, ..self };
        let none = if far.limit == 0 { equal } else { Term::constant(2, 32) };
        // SAFETY: the caller vouches for them; the real function looked at what is far if they are equal before.
        unsafe {
            let (result, is_certain) = near.first(model, order, none);
            if is_certain || far.limit == 0 || !model.branch(result.is(none.value)) {
                return model.answer(result, real as u64);
            }
            let (result, _) = far.first(model, order, equal);
            if !model.branch(result.is(0)) {
                model.branch(result.less(equal));
                let stops = |place| far.stops(model, place);
                let stop = (0..far.limit).find(|&place| stops(place).holds()).unwrap_or(far.limit);
                model.fix_stop(far.a, stop, far.limit, stops);
                model.pin(difference(far.at(model, stop)), PinReason::Argument);
            }
        }
    }
}

/// How many characters of a wide string are sure to be compared to -1, 0 or 1.
const NEAR: u64 = 16;

/// Longer texts and words are not told.
const WORD_MAX: u64 = 64;
/// Comparisons that are told in one run, and how many were.
const N_TOLD_MAX: u32 = 2048;
static N_TOLD: AtomicU32 = AtomicU32::new(0);

/// Reads do not go on into another page, which may not be there.
const PAGE: u64 = 4096;

/// How long a string is, up to `limit` and to more than anybody wants; `None` if its page ends before it does. The real
/// function may have stopped long before.
///
/// # Safety
/// The first byte must be readable.
unsafe fn length(string: u64, limit: u64) -> Option<u64> {
    let wanted = limit.min(WORD_MAX + 1);
    let readable = wanted.min(PAGE - string % PAGE);
    // SAFETY: within a page of which a byte can be read.
    let n = unsafe { libc::strnlen(string as *const c_char, readable as usize) as u64 };
    (n < readable || readable == wanted).then_some(n)
}

/// Tells the driver that a text, which depends on the input, was compared with a word, which does not, of another length:
/// no values of its bytes make the two equal.
///
/// # Safety
/// The first byte of both must be readable.
unsafe fn tell(text: u64, word: u64, limit: u64, site: u32) {
    if shadow::get(text) == ShadowWord::NONE || shadow::get(word) != ShadowWord::NONE {
        return;
    }
    // SAFETY: the caller vouches for both.
    unsafe {
        let (Some(n_text), Some(n_word)) = (length(text, limit), length(word, limit)) else { return };
        let is_wanted = |n| (1..=WORD_MAX).contains(&n);
        let is_fixed = |place| shadow::get(word + place) == ShadowWord::NONE;
        if n_text == n_word || !is_wanted(n_text) || !is_wanted(n_word) || !(0..n_word).all(is_fixed) {
            return;
        }
        // What is told is of use, but what else is logged must have room.
        if N_TOLD.fetch_add(1, Ordering::Relaxed) >= N_TOLD_MAX {
            return;
        }
        let character = |address| label_of(address, 1, content(address, 1), site);
        let (first, last) = (character(text), character(text + n_text - 1));
        if first.is_symbolic() && last.is_symbolic() {
            let word = core::slice::from_raw_parts(word as *const u8, n_word as usize);
            if let Some(offset) = name_offset(word) {
                let y = u64::from(offset) << 32 | n_word;
                let record = blank(EventKind::Compare, site);
                log::event(EventRecord { a: first.0, b: last.0, x: n_text, y, ..record });
            }
        }
    }
}

/// True if two strings are equal.
///
/// # Safety
/// Both must be strings.
pub unsafe fn is_same(model: &Model, a: u64, b: u64) -> Term {
    let (a, b) = (Characters::bytes(a), Characters::bytes(b));
    let pair = Pair { a, b, limit: UNLIMITED, case: Case::Kept };
    // SAFETY: the caller vouches for them.
    unsafe {
        if pair.may_be_symbolic() {
            pair.difference(model).is(0)
        } else {
            Term::constant((libc::strcmp(a.at as *const c_char, b.at as *const c_char) == 0).into(), 1)
        }
    }
}

/// The difference of two characters, as an int.
fn difference((a, b): (Term, Term)) -> Term {
    a.zero_extend(32) - b.zero_extend(32)
}

/// Which of two wide characters is larger: -1, 0 or 1.
fn order((a, b): (Term, Term)) -> Term {
    let number = |value: i32| Term::constant(value as u64, 32);
    Term::choose(a.less(b), number(-1), Term::choose(a.eq(b), number(0), number(1)))
}

pub unsafe extern "C" fn memcmp(a: *const c_void, b: *const c_void, n: usize) -> c_int {
    let call = Call::take(memcmp as *const u8);
    // SAFETY: forwards; memcmp's result is one of those that bcmp may give.
    let real = unsafe { libc::memcmp(a, b, n) };
    if let Some(model) = call.follow() {
        // SAFETY: the real function may read them all.
        unsafe { compare_memory(&model, Characters::bytes(a as u64), Characters::bytes(b as u64), n, real) };
    }
    real
}

/// Follows a comparison of `n` characters, argument 2 of the call, that gave `real`.
///
/// # Safety
/// They must be readable.
pub unsafe fn compare_memory(model: &Model, a: Characters, b: Characters, n: usize, real: c_int) {
    let width = a.width;
    let size = width.size(model.argument(2, n as u64, 64));
    model.touches((0, a.at), size);
    model.touches((1, b.at), size);
    model.address(0, a.at);
    model.address(1, b.at);
    let n = model.size(2, n as u64);
    if model.is_any_symbolic(a, n) || model.is_any_symbolic(b, n) {
        // SAFETY: the real function may read them all.
        let pair = |place| unsafe { (model.character(a, place), model.character(b, place)) };
        let found = |place| {
            let (x, y) = pair(place);
            x.ne(y)
        };
        let search = Search { regions: &[a.at, b.at], width, limit: n, extent: Extent::Whole, n_ahead: 0 };
        let gives = |place| if width == Width::Byte { difference(pair(place)) } else { order(pair(place)) };
        let result = model.first(search, found, gives, Term::constant(0, 32));
        model.answer(result, real as u64);
    }
}

/// Follows a comparison of two strings that gave `real`.
///
/// # Safety
/// Both must be strings, or have `limit` characters.
pub unsafe fn compare(model: &Model, a: Characters, b: Characters, limit: u64, case: Case, real: c_int) {
    model.address(0, a.at);
    model.address(1, b.at);
    let pair = Pair { a, b, limit, case };
    // SAFETY: the caller vouches for them.
    unsafe {
        if pair.may_be_symbolic() {
            // Both have a first byte, or they would be equal.
            if real != 0 && a.width == Width::Byte {
                tell(a.at, b.at, limit, model.call.site);
                tell(b.at, a.at, limit, model.call.site);
            }
            match (a.width, case) {
                (Width::Wide, Case::Kept) => pair.answer_order(model, real),
                _ => model.answer(pair.difference(model), real as u64),
            }
        }
    }
}

/// The same by the rules of the locale, if it has any.
///
/// # Safety
/// Both must be strings.
pub unsafe fn collate(model: &Model, a: Characters, b: Characters, real: c_int) {
    // SAFETY: strings.
    unsafe {
        if orders_by_bytes() {
            return compare(model, a, b, UNLIMITED, Case::Kept, real);
        }
        let is_symbolic = |text: Characters| model.is_any_symbolic(text, text.length(UNLIMITED) + 1);
        if is_symbolic(a) || is_symbolic(b) {
            model.lost();
        }
    }
}

pub unsafe extern "C" fn strcmp(a: *const c_char, b: *const c_char) -> c_int {
    let call = Call::take(strcmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strcmp(a, b);
        if let Some(model) = call.follow() {
            let (a, b) = (Characters::bytes(a as u64), Characters::bytes(b as u64));
            compare(&model, a, b, UNLIMITED, Case::Kept, real);
        }
        real
    }
}

pub unsafe extern "C" fn strncmp(a: *const c_char, b: *const c_char, n: usize) -> c_int {
    let call = Call::take(strncmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strncmp(a, b, n);
        if let Some(model) = call.follow() {
            let limit = model.size(2, n as u64).min(UNLIMITED);
            let (a, b) = (Characters::bytes(a as u64), Characters::bytes(b as u64));
            compare(&model, a, b, limit, Case::Kept, real);
        }
        real
    }
}

pub unsafe extern "C" fn strcasecmp(a: *const c_char, b: *const c_char) -> c_int {
    let call = Call::take(strcasecmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strcasecmp(a, b);
        if let Some(model) = call.follow() {
            let (a, b) = (Characters::bytes(a as u64), Characters::bytes(b as u64));
            compare(&model, a, b, UNLIMITED, Case::folded(Width::Byte), real);
        }
        real
    }
}

pub unsafe extern "C" fn strncasecmp(a: *const c_char, b: *const c_char, n: usize) -> c_int {
    let call = Call::take(strncasecmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strncasecmp(a, b, n);
        if let Some(model) = call.follow() {
            let limit = model.size(2, n as u64).min(UNLIMITED);
            let (a, b) = (Characters::bytes(a as u64), Characters::bytes(b as u64));
            compare(&model, a, b, limit, Case::folded(Width::Byte), real);
        }
        real
    }
}

/// Number of collation rules of the locale: none if strings are ordered by their bytes.
const COLLATION_RULES: libc::nl_item = libc::LC_COLLATE << 16;

/// True if the locale of this thread orders strings by their bytes, as "C" does.
pub fn orders_by_bytes() -> bool {
    // SAFETY: asks only; items that are numbers come in the low half of the result.
    unsafe { libc::nl_langinfo(COLLATION_RULES) as usize as u32 == 0 }
}

pub unsafe extern "C" fn strcoll(a: *const c_char, b: *const c_char) -> c_int {
    let call = Call::take(strcoll as *const u8);
    // SAFETY: forwards; both are strings.
    unsafe {
        let real = libc::strcoll(a, b);
        if let Some(model) = call.follow() {
            collate(&model, Characters::bytes(a as u64), Characters::bytes(b as u64), real);
        }
        real
    }
}
