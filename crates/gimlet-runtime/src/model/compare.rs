//! Comparisons of memory and strings: one expression each.
//!
//! A comparison looks for the first place where characters differ or both
//! strings end ([`Model::first`]); the result is the difference there. What
//! ignores case folds as the locale does: by an expression where only the
//! letters of ASCII have two cases, or else by a lookup in the locale's table.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::ShadowWord;

use crate::log::{self, blank};
use crate::memory::{content, label_of};
use crate::observe::name_offset;
use crate::shadow;
use crate::term::Term;

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

extern "C" {
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
}

impl Case {
    /// How the locale of this thread folds.
    pub fn folded() -> Case {
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

    pub fn fold(self, model: &Model, byte: Term) -> Term {
        match self {
            Case::Kept => byte,
            Case::Ascii => {
                let is_upper = byte.within(b'A'.into(), b'Z'.into());
                Term::choose(is_upper, byte + Term::constant(0x20, 8), byte)
            }
            // SAFETY: the table has entries for all bytes.
            Case::Table(table) => unsafe { model.lookup(table, byte.zero_extend(32), 4).low(8) },
        }
    }

    /// The same for a byte that no input changes.
    fn fold_byte(self, byte: u8) -> u8 {
        match self {
            Case::Kept => byte,
            Case::Ascii => byte.to_ascii_lowercase(),
            // SAFETY: the table has entries for all bytes.
            Case::Table(table) => unsafe { *(table as *const i32).add(byte.into()) as u8 },
        }
    }
}

/// Two strings, of which at most `limit` characters are compared.
#[derive(Clone, Copy)]
struct Pair {
    a: u64,
    b: u64,
    limit: u64,
    case: Case,
}

impl Pair {
    /// True if a byte that the real function looked at is symbolic.
    ///
    /// # Safety
    /// Both must be strings, or have `limit` bytes.
    unsafe fn may_be_symbolic(self) -> bool {
        for place in 0..self.limit {
            let (x, y) = (self.a + place, self.b + place);
            if shadow::get(x) != ShadowWord::NONE || shadow::get(y) != ShadowWord::NONE {
                return true;
            }
            // SAFETY: the real function went as far.
            let (x, y) = unsafe { (*(x as *const u8), *(y as *const u8)) };
            if x == 0 || self.case.fold_byte(x) != self.case.fold_byte(y) {
                return false;
            }
        }
        false
    }

    /// The difference where the two differ first, or zero.
    ///
    /// # Safety
    /// Both must be strings, or have `limit` bytes.
    unsafe fn difference(self, model: &Model) -> Term {
        // SAFETY: places that may be read.
        let byte = |address| unsafe { self.case.fold(model, model.byte(address)) };
        let pair = |place| (byte(self.a + place), byte(self.b + place));
        let found = |place| {
            let (x, y) = pair(place);
            // A constant beside a symbol: if they are equal, both strings end here or neither does.
            x.ne(y) | if y.is_symbolic() { x.is(0) } else { y.is(0) }
        };
        let search = Search { regions: &[self.a, self.b], limit: self.limit, extent: Extent::String, n_ahead: 0 };
        model.first(search, found, |place| difference(pair(place)), Term::constant(0, 32))
    }
}

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
    let pair = Pair { a, b, limit: UNLIMITED, case: Case::Kept };
    // SAFETY: the caller vouches for them.
    unsafe {
        if pair.may_be_symbolic() {
            pair.difference(model).is(0)
        } else {
            Term::constant((libc::strcmp(a as *const c_char, b as *const c_char) == 0).into(), 1)
        }
    }
}

/// The difference of two bytes, as an int.
fn difference((a, b): (Term, Term)) -> Term {
    a.zero_extend(32) - b.zero_extend(32)
}

pub unsafe extern "C" fn memcmp(a: *const c_void, b: *const c_void, n: usize) -> c_int {
    let call = Call::take(memcmp as *const u8);
    // SAFETY: forwards; memcmp's result is one of those that bcmp may give.
    let real = unsafe { libc::memcmp(a, b, n) };
    let Some(model) = call.follow() else { return real };
    call.touches((0, a as u64), (2, n as u64));
    call.touches((1, b as u64), (2, n as u64));
    let (a, b, n) = (model.address(0, a as u64), model.address(1, b as u64), model.size(2, n as u64));
    if model.may_be_symbolic(a, n) || model.may_be_symbolic(b, n) {
        // SAFETY: the real function may read them all.
        let pair = |place| unsafe { (model.byte(a + place), model.byte(b + place)) };
        let found = |place| {
            let (x, y) = pair(place);
            x.ne(y)
        };
        let search = Search { regions: &[a, b], limit: n, extent: Extent::Whole, n_ahead: 0 };
        let result = model.first(search, found, |place| difference(pair(place)), Term::constant(0, 32));
        model.answer(result, real as u64);
    }
    real
}

/// Follows a comparison of two strings that gave `real`.
unsafe fn compare(model: &Model, a: *const c_char, b: *const c_char, limit: u64, case: Case, real: c_int) {
    let pair = Pair { a: model.address(0, a as u64), b: model.address(1, b as u64), limit, case };
    // SAFETY: the real function wants the same.
    unsafe {
        if pair.may_be_symbolic() {
            // Both have a first byte, or they would be equal.
            if real != 0 {
                tell(pair.a, pair.b, limit, model.call.site);
                tell(pair.b, pair.a, limit, model.call.site);
            }
            model.answer(pair.difference(model), real as u64);
        }
    }
}

pub unsafe extern "C" fn strcmp(a: *const c_char, b: *const c_char) -> c_int {
    let call = Call::take(strcmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = libc::strcmp(a, b);
        if let Some(model) = call.follow() {
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
            compare(&model, a, b, UNLIMITED, Case::folded(), real);
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
            compare(&model, a, b, limit, Case::folded(), real);
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
        let Some(model) = call.follow() else { return real };
        if orders_by_bytes() {
            compare(&model, a, b, UNLIMITED, Case::Kept, real);
            return real;
        }
        let is_symbolic = |text| model.may_be_symbolic(text as u64, libc::strlen(text) as u64 + 1);
        if is_symbolic(a) || is_symbolic(b) {
            model.lost();
        }
        real
    }
}
