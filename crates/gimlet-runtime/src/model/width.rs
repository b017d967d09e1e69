//! How wide the characters of a string are: models of byte strings and of strings of wide characters share their code.
//!
//! Stretches ([`crate::lengths`]) are followed in bytes only. A wide character that repeats one is counted as lost where
//! it is looked at ([`Model::character`]).

use core::ffi::{c_char, c_int};

use crate::lengths;
use crate::term::Term;
use crate::walks;

use super::{Model, UNLIMITED};

unsafe extern "C" {
    fn wcslen(text: *const c_int) -> usize;
    fn wcsnlen(text: *const c_int, n: usize) -> usize;
}

/// How wide a character is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Byte,
    /// A `wchar_t`.
    Wide,
}

impl Width {
    pub fn bytes(self) -> u64 {
        match self {
            Width::Byte => 1,
            Width::Wide => size_of::<c_int>() as u64,
        }
    }

    pub fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }

    /// How many bytes so many characters have, as the library computes it.
    pub fn size(self, n: Term) -> Term {
        match self {
            Width::Byte => n,
            Width::Wide => n * Term::constant(self.bytes(), n.width),
        }
    }
}

/// Characters in memory.
#[derive(Clone, Copy)]
pub struct Characters {
    /// Address of the first one.
    pub at: u64,
    pub width: Width,
}

impl Characters {
    pub fn bytes(at: u64) -> Characters {
        Characters { at, width: Width::Byte }
    }

    pub fn wide(at: u64) -> Characters {
        Characters { at, width: Width::Wide }
    }

    /// The address of a place.
    pub fn address(self, place: u64) -> u64 {
        self.at + place * self.width.bytes()
    }

    /// The characters from a place on.
    pub fn behind(self, place: u64) -> Characters {
        Characters { at: self.address(place), ..self }
    }

    /// How many characters lie before an address.
    pub fn before(self, address: u64) -> u64 {
        (address - self.at) / self.width.bytes()
    }

    /// How many characters the string has, looking at `limit` at most.
    ///
    /// # Safety
    /// It must be a string, or have so many characters.
    pub unsafe fn length(self, limit: u64) -> u64 {
        // SAFETY: the caller vouches for it.
        let len = unsafe {
            match self.width {
                Width::Byte => libc::strnlen(self.at as *const c_char, limit as usize),
                // Versions of wcsnlen compute in bytes, and more than there are.
                Width::Wide if limit > UNLIMITED / 8 => wcslen(self.at as *const c_int),
                Width::Wide => wcsnlen(self.at as *const c_int, limit as usize),
            }
        };
        len as u64
    }

    /// How many bytes lie before a place: those of stretches count as their lengths.
    pub fn span(self, place: u64) -> Term {
        lengths::span(self.at, self.address(place))
    }
}

impl Model {
    /// The character at a place.
    ///
    /// # Safety
    /// It must be readable.
    pub unsafe fn character(&self, text: Characters, place: u64) -> Term {
        let (address, n) = (text.address(place), text.width.bytes() as u32);
        if text.width == Width::Wide {
            walks::look(address, n, self.call.site);
        }
        // SAFETY: the caller vouches for it.
        unsafe { self.load(address, n) }
    }

    /// True if any of the first `n` characters may be symbolic.
    pub fn is_any_symbolic(&self, text: Characters, n: u64) -> bool {
        self.may_be_symbolic(text.at, n * text.width.bytes())
    }

    /// How far a place is behind a string's beginning: a number that counts stretches as their lengths.
    pub fn distance(&self, text: Characters, place: u64) -> Term {
        match text.width {
            Width::Byte => text.span(place),
            Width::Wide => Term::constant(place, 64),
        }
    }

    /// The address of a place behind a string's beginning.
    pub fn place(&self, text: Characters, place: u64) -> Term {
        Term::constant(text.at, 64) + text.width.size(self.distance(text, place))
    }
}
