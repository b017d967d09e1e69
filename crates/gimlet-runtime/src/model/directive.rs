//! What formats of printf and of scanf have in common.

use gimlet_trace::event::PinReason;

use super::Model;

/// A format and how far it has been read.
pub struct Format<'m> {
    model: &'m Model,
    /// Address of the next character.
    pub at: u64,
}

/// A length modifier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Char,
    Short,
    Int,
    Long,
    LongDouble,
}

impl Length {
    /// Of an integer.
    pub fn bits(self) -> u32 {
        match self {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long | Length::LongDouble => 64,
        }
    }

    /// True for characters and strings of wide characters.
    pub fn is_wide(self) -> bool {
        matches!(self, Length::Long | Length::LongDouble)
    }
}

impl<'m> Format<'m> {
    /// # Safety
    /// `at` must be a string.
    pub unsafe fn new(model: &'m Model, at: u64) -> Format<'m> {
        Format { model, at }
    }

    /// The next character, or zero at the end. One that is symbolic is pinned.
    pub fn peek(&self) -> u8 {
        // SAFETY: a string, and nobody goes on behind its end.
        let c = unsafe { self.model.byte(self.at) };
        self.model.pin(c, PinReason::Argument);
        c.value as u8
    }

    /// Reads the next character; the end is never passed.
    pub fn next(&mut self) -> u8 {
        let c = self.peek();
        self.at += u64::from(c != 0);
        c
    }

    /// Reads this character, if it is the next one.
    pub fn accept(&mut self, c: u8) -> bool {
        let found = self.peek() == c;
        self.at += u64::from(found);
        found
    }

    /// Reads a number, if there is one.
    pub fn number(&mut self) -> Option<i64> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            let digit = i64::from(self.next() - b'0');
            number = Some(number.unwrap_or(0i64).saturating_mul(10).saturating_add(digit));
        }
        number
    }

    /// Reads length modifiers.
    pub fn length(&mut self) -> Length {
        let mut length = Length::Int;
        loop {
            length = match (self.peek(), length) {
                (b'h', Length::Short) => Length::Char,
                (b'h', _) => Length::Short,
                (b'l' | b'q' | b'z' | b'Z' | b'j' | b't', _) => Length::Long,
                (b'L', _) => Length::LongDouble,
                _ => return length,
            };
            self.next();
        }
    }
}
