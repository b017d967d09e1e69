//! Directives of scanf: `%`, `*`, width, `m`, length, conversion, and the set of `%[`.

use crate::format::{is_float, Format, Length, Text};

/// What stands behind a `%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directive {
    /// `*`: what is read is not stored.
    pub is_suppressed: bool,
    /// Thousands are set apart, or digits are those of the locale.
    pub is_local: bool,
    /// Arguments are named by number, as in `%1$d`.
    pub is_positional: bool,
    /// The most characters that are read.
    pub width: Option<u64>,
    /// `m`: the argument is where the address of new memory is stored.
    pub allocates: bool,
    pub length: Length,
    /// Zero if the format ends before it. Behind `[` the set is next ([`Format::set`]).
    pub conversion: u8,
}

impl Directive {
    /// Whether it reads characters: one, a word, or those of a set.
    pub fn is_text(&self) -> bool {
        matches!(self.conversion, b's' | b'c' | b'[')
    }

    /// Bytes that a conversion stores which is not text.
    pub fn n_bytes(&self) -> u64 {
        match self.conversion {
            b'p' => 8,
            conversion if is_float(conversion) => match self.length {
                Length::Long => 8,
                Length::LongDouble => 16,
                _ => 4,
            },
            _ => self.length.bytes(),
        }
    }
}

impl<T: Text> Format<T> {
    /// Reads a directive, whose `%` has been read. Before C99, `%as` allocated (`has_old_a`).
    pub fn scanf(&mut self, has_old_a: bool) -> Directive {
        let mut directive = Directive {
            is_suppressed: false,
            is_local: false,
            is_positional: false,
            width: self.number(),
            allocates: false,
            length: Length::Int,
            conversion: 0,
        };
        if directive.width.is_some() && self.accept(b'$') {
            (directive.is_positional, directive.width) = (true, None);
        }
        if directive.width.is_none() {
            loop {
                match self.peek() {
                    b'*' => directive.is_suppressed = true,
                    b'\'' | b'I' => directive.is_local = true,
                    _ => break,
                }
                self.take();
            }
            directive.width = self.number();
        }
        directive.width = directive.width.filter(|&width| width > 0);
        directive.allocates = self.accept(b'm');
        if has_old_a && self.peek() == b'a' && matches!(self.peek_second(), b's' | b'S' | b'[') {
            self.take();
            directive.allocates = true;
        }
        directive.length = self.length();
        directive.conversion = self.take();
        directive
    }

    /// Reads the characters between brackets, of which the first has been read: gives each to `add`, and says whether those
    /// are meant that are not among them. `None` if there is no second bracket.
    pub fn set(&mut self, mut add: impl FnMut(u8)) -> Option<bool> {
        let is_inverted = self.accept(b'^');
        let mut c = self.take();
        let mut is_first = true;
        let mut previous = c;
        loop {
            match c {
                0 => return None,
                b']' if !is_first => return Some(is_inverted),
                b'-' if !is_first && !matches!(self.peek(), 0 | b']') && previous <= self.peek() => {
                    // The last one of a range is the next character.
                    (previous..self.peek()).for_each(&mut add);
                }
                _ => add(c),
            }
            is_first = false;
            previous = c;
            c = self.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;
    use crate::format::of_bytes::format;

    /// The first directive, and what is left behind it.
    fn read(text: &str, has_old_a: bool) -> (Directive, &str) {
        let mut format = format(text);
        assert!(format.find_directive());
        let directive = format.scanf(has_old_a);
        (directive, &text[format.at as usize..])
    }

    #[test]
    fn plain_directives() {
        let (directive, rest) = read(" %d,", false);
        assert_eq!((directive.conversion, directive.width, rest), (b'd', None, ","));
        assert!(!directive.is_suppressed && !directive.is_positional && !directive.is_text());
        let (directive, _) = read("%*12lu", false);
        assert!(directive.is_suppressed);
        assert_eq!((directive.width, directive.length, directive.conversion), (Some(12), Length::Long, b'u'));
        assert_eq!(read("%0s", false).0.width, None);
    }

    #[test]
    fn allocation_is_by_m_or_once_by_a() {
        assert!(read("%ms", false).0.allocates && read("%20m[a-z]", false).0.allocates);
        let (directive, _) = read("%as", true);
        assert!(directive.allocates && directive.conversion == b's');
        let (directive, rest) = read("%as", false);
        assert!(!directive.allocates && directive.conversion == b'a' && rest == "s");
        let (directive, _) = read("%a", true);
        assert!(!directive.allocates && directive.conversion == b'a');
    }

    #[test]
    fn numbered_and_local_directives_are_named_as_such() {
        let (directive, _) = read("%2$*5d", false);
        assert!(directive.is_positional && directive.is_suppressed && directive.width == Some(5));
        assert!(read("%'d", false).0.is_local && read("%Id", false).0.is_local);
    }

    #[test]
    fn formats_may_end_anywhere() {
        for text in ["%", "%*", "%3", "%1$", "%m", "%l"] {
            assert_eq!(read(text, true).0.conversion, 0, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_stored() {
        let n_bytes = |text: &str| read(text, false).0.n_bytes();
        assert_eq!((n_bytes("%hhd"), n_bytes("%hx"), n_bytes("%i"), n_bytes("%lld"), n_bytes("%p")), (1, 2, 4, 8, 8));
        assert_eq!((n_bytes("%f"), n_bytes("%lg"), n_bytes("%Le")), (4, 8, 16));
    }

    #[test]
    fn sets() {
        fn set(text: &str) -> Option<(bool, String, &str)> {
            let mut format = format(text);
            let mut members = String::new();
            let is_inverted = format.set(|c| members.push(c.into()))?;
            Some((is_inverted, members, &text[format.at as usize..]))
        }
        assert_eq!(set("abc]d"), Some((false, "abc".into(), "d")));
        assert_eq!(set("^a-e]"), Some((true, "aabcde".into(), "")));
        assert_eq!(set("]x]"), Some((false, "]x".into(), "")));
        assert_eq!(set("^]x]"), Some((true, "]x".into(), "")));
        assert_eq!(set("a-]"), Some((false, "a-".into(), "")));
        assert_eq!(set("-a]"), Some((false, "-a".into(), "")));
        assert_eq!(set("z-a]"), Some((false, "z-a".into(), "")));
        assert_eq!((set("abc"), set(""), set("^"), set("a-")), (None, None, None, None));
    }
}
