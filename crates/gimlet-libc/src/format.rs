//! What formats of printf and of scanf have in common.
//!
//! A [`Format`] is read character by character from a [`Text`], because what a character is to a reader differs: the memory
//! build reads it where it is, the runtime pins the input that it comes from.

/// Where the characters of a format come from.
pub trait Text {
    /// The character at an address. None behind the zero at the end is ever asked for.
    fn character(&self, at: u64) -> u8;
}

/// A string in memory.
pub struct InMemory(());

impl Text for InMemory {
    fn character(&self, at: u64) -> u8 {
        // SAFETY: whoever made it has vouched for the string, and nobody goes on behind its end.
        unsafe { *(at as *const u8) }
    }
}

/// A format, and how far it has been read.
pub struct Format<T> {
    text: T,
    /// Address of the next character.
    pub at: u64,
}

impl Format<InMemory> {
    /// The format at an address.
    ///
    /// # Safety
    /// A string must be there, for as long as this is used.
    pub unsafe fn in_memory(at: u64) -> Format<InMemory> {
        Format { text: InMemory(()), at }
    }
}

/// A length modifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    Char,
    Short,
    Int,
    /// Of `l`, `ll` and the likes of `z`, which are the same on this machine.
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

    /// The same in bytes.
    pub fn bytes(self) -> u64 {
        u64::from(self.bits() / 8)
    }

    /// True for characters and strings of wide characters.
    pub fn is_wide(self) -> bool {
        matches!(self, Length::Long | Length::LongDouble)
    }
}

/// Whether a conversion is of a number with a point.
pub fn is_float(conversion: u8) -> bool {
    matches!(conversion, b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G')
}

impl<T: Text> Format<T> {
    /// The format that begins at an address of a text.
    pub fn new(text: T, at: u64) -> Format<T> {
        Format { text, at }
    }

    /// The next character, or zero at the end.
    pub fn peek(&self) -> u8 {
        self.text.character(self.at)
    }

    /// The one behind the next, which is not the end.
    pub(crate) fn peek_second(&self) -> u8 {
        self.text.character(self.at + 1)
    }

    /// Reads the next character; the end is never passed.
    pub fn take(&mut self) -> u8 {
        let c = self.peek();
        self.at += u64::from(c != 0);
        c
    }

    /// Reads this character, if it is the next one.
    pub fn accept(&mut self, c: u8) -> bool {
        // Not `self.at += u64::from(found)`: rustc 1.95.0 loses the addition where `c` is constant (SimplifyComparisonIntegral).
        if self.peek() != c {
            return false;
        }
        self.at += 1;
        true
    }

    /// Reads ordinary characters and the `%` of the next directive; false if there is none.
    pub fn find_directive(&mut self) -> bool {
        loop {
            match self.take() {
                0 => return false,
                b'%' => return true,
                _ => {}
            }
        }
    }

    /// Reads a number, if there is one. More than an `i64` holds is its maximum.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            let digit = i64::from(self.take() - b'0');
            number = Some(number.unwrap_or(0i64).saturating_mul(10).saturating_add(digit));
        }
        number.map(|number| number as u64)
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
            self.take();
        }
    }
}

/// Formats for tests: a format of these bytes, with addresses from zero on.
#[cfg(test)]
pub(crate) mod of_bytes {
    use super::{Format, Text};

    pub struct Bytes<'a>(&'a [u8]);

    impl Text for Bytes<'_> {
        fn character(&self, at: u64) -> u8 {
            match self.0.get(at as usize) {
                Some(&c) => c,
                None if at as usize == self.0.len() => 0,
                None => panic!("read behind the end"),
            }
        }
    }

    pub fn format(text: &str) -> Format<Bytes<'_>> {
        Format::new(Bytes(text.as_bytes()), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::of_bytes::format;
    use super::*;

    #[test]
    fn lengths() {
        let length = |text: &str| {
            let mut format = format(text);
            let length = format.length();
            (length, format.take())
        };
        assert_eq!(length("d"), (Length::Int, b'd'));
        assert_eq!(length("hd"), (Length::Short, b'd'));
        assert_eq!(length("hhu"), (Length::Char, b'u'));
        for text in ["ld", "lld", "qd", "zd", "Zd", "jd", "td"] {
            assert_eq!(length(text), (Length::Long, b'd'), "{text}");
        }
        assert_eq!(length("Lf"), (Length::LongDouble, b'f'));
        assert_eq!(length(""), (Length::Int, 0));
        assert_eq!(
            (Length::Char.bytes(), Length::Short.bytes(), Length::Int.bytes(), Length::Long.bytes()),
            (1, 2, 4, 8)
        );
        assert!(Length::Long.is_wide() && !Length::Short.is_wide());
    }

    #[test]
    fn numbers_do_not_overflow() {
        assert_eq!(format("").number(), None);
        assert_eq!(format("x1").number(), None);
        assert_eq!(format("0042d").number(), Some(42));
        assert_eq!(format("99999999999999999999999").number(), Some(i64::MAX as u64));
    }

    #[test]
    fn the_end_is_never_passed() {
        let mut format = format("a%");
        assert!(format.find_directive());
        assert_eq!((format.take(), format.take(), format.at), (0, 0, 2));
        assert!(!format.find_directive() && !format.accept(b'%'));
    }

    #[test]
    fn strings_in_memory_are_read_where_they_are() {
        // SAFETY: a string.
        let mut format = unsafe { Format::in_memory(c"ab%d".as_ptr() as u64) };
        assert!(format.find_directive());
        assert_eq!((format.take(), format.peek()), (b'd', 0));
    }
}
