//! Text that a library function reads character by character: strings, and streams that are input.
//!
//! A decision about a character ("is it a digit?") is one branch of the path
//! condition, over the [`Set`] of characters for which it goes the same way.
//! [`Number`] is the value of the digits, as one expression.

use core::cell::Cell;

use crate::term::Term;

use super::wide_class;
use super::width::{Characters, Width};
use super::Model;

/// A set of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Set([u64; 4]);

impl Set {
    pub const EMPTY: Set = Set([0; 4]);

    pub fn of(is_member: impl Fn(u8) -> bool) -> Set {
        let mut set = Set::EMPTY;
        (0..=255).filter(|&c| is_member(c)).for_each(|c| set.add(c));
        set
    }

    /// Neighbours, from `first` to `last`.
    fn range(first: u8, last: u8) -> Set {
        let mut set = Set::EMPTY;
        (first..=last).for_each(|c| set.add(c));
        set
    }

    /// White space of the current locale.
    pub fn spaces() -> Set {
        Set::of(is_space)
    }

    /// The digits of a base, at most 36.
    pub fn digits(base: u32) -> Set {
        let base = base as u8;
        if base <= 10 {
            return Set::range(b'0', b'0' + base - 1);
        }
        let letters = base - 10;
        let either = |a: Set, b: Set| Set(core::array::from_fn(|index| a.0[index] | b.0[index]));
        let letters = either(Set::range(b'a', b'a' + letters - 1), Set::range(b'A', b'A' + letters - 1));
        either(Set::range(b'0', b'9'), letters)
    }

    /// A letter, of either case.
    pub fn letter(letter: u8) -> Set {
        let mut set = Set::range(letter.to_ascii_lowercase(), letter.to_ascii_lowercase());
        set.add(letter.to_ascii_uppercase());
        set
    }

    pub fn add(&mut self, c: u8) {
        self.0[usize::from(c / 64)] |= 1 << (c % 64);
    }

    pub fn has(&self, c: u8) -> bool {
        self.0[usize::from(c / 64)] >> (c % 64) & 1 != 0
    }

    pub fn complement(&self) -> Set {
        Set(self.0.map(|bits| !bits))
    }

    /// Calls `each` for every stretch of neighbours, with its first and last.
    fn ranges(&self, mut each: impl FnMut(u8, u8)) {
        let mut first = None;
        for c in 0..=255 {
            if self.has(c) {
                let first = *first.get_or_insert(c);
                if c == 255 || !self.has(c + 1) {
                    each(first, c);
                }
            } else {
                first = None;
            }
        }
    }

    /// True if `c` is one of them.
    pub fn contains(&self, c: Term) -> Term {
        if !c.is_symbolic() {
            let is_member = u8::try_from(c.value).is_ok_and(|c| self.has(c));
            return if is_member { Term::TRUE } else { Term::FALSE };
        }
        if c.width == 8 && self.has(0) && self.has(255) && *self != Set::EMPTY.complement() {
            return !self.complement().contains(c);
        }
        let mut found = Term::FALSE;
        self.ranges(|first, last| {
            let here = match (first, last) {
                (0, 255) if c.width == 8 => Term::TRUE,
                _ if first == last => c.is(first.into()),
                _ => c.within(first.into(), last.into()),
            };
            found = found | here;
        });
        found
    }
}

/// True for white space of the current locale.
pub fn is_space(c: u8) -> bool {
    // SAFETY: any character may be asked about.
    unsafe { libc::isspace(c.into()) != 0 }
}

/// How many characters that were pushed back are followed.
pub const PUSHED_MAX: usize = 8;

/// A stream at the beginning of a call.
#[derive(Clone, Copy)]
pub struct Stream {
    /// Characters that were pushed back, in the order in which they will be read.
    pub pushed: [Term; PUSHED_MAX],
    pub n_pushed: u64,
    /// The rest of the file, by what [`crate::input::byte_of`] gives.
    pub source: u32,
    pub offset: u64,
}

/// Where characters come from.
#[derive(Clone, Copy)]
pub enum Origin {
    /// A string, which a zero ends.
    Memory(Characters),
    Stream(Stream),
}

impl Origin {
    /// The character at `index`; `None` at the end of a file.
    fn at(&self, model: &Model, index: u64) -> Option<Term> {
        match self {
            // SAFETY: the function that is followed reads up to the terminator.
            Origin::Memory(text) => Some(unsafe { model.character(*text, index) }),
            Origin::Stream(stream) if index < stream.n_pushed => Some(stream.pushed[index as usize]),
            Origin::Stream(stream) => crate::input::byte_of(stream.source, stream.offset + index - stream.n_pushed),
        }
    }
}

/// A text and how far it has been read.
pub struct Text<'m> {
    pub model: &'m Model,
    origin: Origin,
    /// Index of the next character.
    pub at: u64,
    /// Nothing is read from here on: the end of a field.
    pub stop: u64,
    /// Characters looked at, an end of file included.
    seen: Cell<u64>,
}

impl<'m> Text<'m> {
    pub fn new(model: &'m Model, origin: Origin) -> Text<'m> {
        Text { model, origin, at: 0, stop: u64::MAX, seen: Cell::new(0) }
    }

    /// A string in memory.
    pub fn string(model: &'m Model, text: Characters) -> Text<'m> {
        Text::new(model, Origin::Memory(text))
    }

    /// How many characters have been looked at; an end of file counts as one.
    pub fn seen(&self) -> u64 {
        self.seen.get()
    }

    fn current(&self) -> Option<Term> {
        self.seen.set(self.seen.get().max(self.at + 1));
        self.origin.at(self.model, self.at)
    }

    /// True if the text is over; a decision.
    pub fn is_over(&self) -> bool {
        match (self.current(), self.origin) {
            (None, _) => true,
            (Some(c), Origin::Memory(_)) => self.model.branch(c.is(0)),
            (Some(_), Origin::Stream(_)) => false,
        }
    }

    /// The next character, of 8 bits, if there is one and it belongs to the set; a decision.
    pub fn accept(&mut self, set: &Set) -> Option<Term> {
        if self.at >= self.stop {
            return None;
        }
        let c = self.current()?;
        let mut set = *set;
        if let Origin::Memory(_) = self.origin {
            set.0[0] &= !1;
        }
        self.model.branch(set.contains(c)).then(|| {
            self.at += 1;
            c.low(8)
        })
    }

    /// Reads this character, if it is the next one.
    pub fn accept_character(&mut self, c: u8) -> bool {
        self.accept(&Set::range(c, c)).is_some()
    }

    /// Reads this letter, in either case.
    pub fn accept_letter(&mut self, letter: u8) -> bool {
        self.accept(&Set::letter(letter)).is_some()
    }

    /// Reads a word letter by letter, in either case, as far as it goes; true if it is all there.
    pub fn accept_word(&mut self, word: &[u8]) -> bool {
        word.iter().all(|&letter| self.accept_letter(letter))
    }

    /// Reads characters of a set; how many there were.
    pub fn skip(&mut self, set: &Set) -> u64 {
        let before = self.at;
        while self.accept(set).is_some() {}
        self.at - before
    }

    /// Reads white space.
    pub fn skip_spaces(&mut self) {
        if let Origin::Memory(Characters { width: Width::Wide, .. }) = self.origin {
            while self.current().is_some_and(|c| self.model.branch(wide_class::is_space(self.model, c))) {
                self.at += 1;
            }
            return;
        }
        let mut spaces = None;
        while let Some(c) = self.current() {
            if !c.is_symbolic() {
                if !is_space(c.value as u8) {
                    return;
                }
                self.at += 1;
            } else if self.accept(spaces.get_or_insert_with(Set::spaces)).is_none() {
                return;
            }
        }
    }

    /// Reads a sign, if there is one: the character.
    pub fn accept_sign(&mut self) -> Option<u8> {
        [b'-', b'+'].into_iter().find(|&sign| self.accept_character(sign))
    }

    /// True if a character from `from` up to the current one may be symbolic.
    pub fn is_symbolic(&self, from: u64) -> bool {
        (from..=self.at).any(|index| self.origin.at(self.model, index).is_some_and(Term::is_symbolic))
    }
}

/// The value of a digit, of 8 bits.
fn digit_value(c: Term, base: u32) -> Term {
    let byte = |value: u8| Term::constant(value.into(), 8);
    let decimal = c - byte(b'0');
    if base <= 10 {
        return decimal;
    }
    Term::choose(c.below(byte(b'9' + 1)), decimal, (c | byte(0x20)) - byte(b'a' - 10))
}

/// The smallest width that is used for values up to `most`.
pub fn width_for(most: u64) -> u32 {
    [8, 16, 32].into_iter().find(|&width| most >> width == 0).unwrap_or(64)
}

/// The value of a row of digits. It is computed with as few bits as its digits may need.
pub struct Number {
    base: u32,
    value: Term,
    /// The value is not above this, whatever the digits.
    most: u64,
    pub n_digits: u64,
    overflowed: bool,
}

impl Number {
    pub fn new(base: u32) -> Number {
        Number { base, value: Term::constant(0, 8), most: 0, n_digits: 0, overflowed: false }
    }

    /// Appends a digit of the base. Whether the value still fits 64 bits is a decision.
    pub fn push(&mut self, model: &Model, c: Term) {
        self.n_digits += 1;
        if self.overflowed {
            return;
        }
        let base = u64::from(self.base);
        let digit = digit_value(c, self.base);
        let digit_most = if digit.is_symbolic() { base - 1 } else { digit.value };
        let most = self.most.checked_mul(base).and_then(|most| most.checked_add(digit_most));
        if most.is_none() {
            let (value, digit) = (self.value.zero_extend(64), digit.zero_extend(64));
            let limit = Term::constant(u64::MAX / base, 64);
            let at_limit = value.eq(limit) & Term::constant(u64::MAX % base, 64).below(digit);
            if model.branch(limit.below(value) | at_limit) {
                self.overflowed = true;
                return;
            }
        }
        let width = width_for(most.unwrap_or(u64::MAX)).max(self.value.width);
        self.value = self.value.zero_extend(width) * Term::constant(base, width) + digit.zero_extend(width);
        self.most = if self.value.is_symbolic() { most.unwrap_or(u64::MAX) } else { self.value.value };
    }

    /// What strtoul (strtol, if `signed`) makes of it, 64 bits, and whether it was out of range.
    pub fn finish(&self, model: &Model, negative: bool, signed: bool) -> (Term, bool) {
        let value = self.value.zero_extend(64);
        let limit = match (signed, negative) {
            (false, _) => u64::MAX,
            (true, false) => i64::MAX as u64,
            (true, true) => 1 << 63,
        };
        let outside = self.overflowed || (self.most > limit && model.branch(Term::constant(limit, 64).below(value)));
        if outside {
            return (Term::constant(limit, 64), true);
        }
        (if negative { value.negated() } else { value }, false)
    }
}
