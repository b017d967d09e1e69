//! Directives of printf: `%`, flags, width, precision, length, conversion.

use crate::format::{Format, Length, Text};

/// A width or a precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Amount {
    #[default]
    None,
    Number(u64),
    /// `*`: the next argument says it.
    Argument,
}

/// What stands behind a `%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directive {
    pub minus: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub zero: bool,
    /// `'`: thousands are set apart, as the locale has it.
    pub groups: bool,
    /// `I`: digits are those of the locale.
    pub has_other_digits: bool,
    /// Arguments are named by number, as in `%1$d`.
    pub is_positional: bool,
    pub width: Amount,
    pub precision: Amount,
    pub length: Length,
    /// Zero if the format ends before it.
    pub conversion: u8,
}

impl Directive {
    /// The bits of an integer that are printed; what a pointer holds is not told.
    pub fn printed(&self, value: u64) -> u64 {
        match self.conversion {
            b'p' | b's' | b'S' => 0,
            _ => value & (u64::MAX >> (64 - self.length.bits())),
        }
    }
}

impl<T: Text> Format<T> {
    /// Reads a directive, whose `%` has been read.
    pub fn printf(&mut self) -> Directive {
        let mut directive = Directive {
            minus: false,
            plus: false,
            space: false,
            alternate: false,
            zero: false,
            groups: false,
            has_other_digits: false,
            is_positional: false,
            width: Amount::None,
            precision: Amount::None,
            length: Length::Int,
            conversion: 0,
        };
        loop {
            self.flags(&mut directive);
            let (width, is_numbered) = self.amount();
            directive.is_positional |= is_numbered;
            // In `%1$-5d` the first number is that of the argument.
            if !is_numbered || width == Amount::Argument {
                directive.width = width;
                break;
            }
        }
        if self.accept(b'.') {
            let (precision, is_numbered) = self.amount();
            directive.is_positional |= is_numbered;
            directive.precision = if precision == Amount::None { Amount::Number(0) } else { precision };
        }
        directive.length = self.length();
        directive.conversion = self.take();
        directive
    }

    fn flags(&mut self, directive: &mut Directive) {
        loop {
            match self.peek() {
                b'-' => directive.minus = true,
                b'+' => directive.plus = true,
                b' ' => directive.space = true,
                b'#' => directive.alternate = true,
                b'0' => directive.zero = true,
                b'\'' => directive.groups = true,
                b'I' => directive.has_other_digits = true,
                _ => return,
            }
            self.take();
        }
    }

    /// An amount, and whether a `$` follows.
    fn amount(&mut self) -> (Amount, bool) {
        let is_argument = self.accept(b'*');
        let amount = match self.number() {
            _ if is_argument => Amount::Argument,
            Some(number) => Amount::Number(number),
            None => Amount::None,
        };
        (amount, self.accept(b'$'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::of_bytes::format;

    /// The first directive, and what is left behind it.
    fn read(text: &str) -> (Directive, &str) {
        let mut format = format(text);
        assert!(format.find_directive());
        let directive = format.printf();
        (directive, &text[format.at as usize..])
    }

    #[test]
    fn plain_directives() {
        let (directive, rest) = read("n: %d, ");
        assert_eq!((directive.conversion, directive.length, rest), (b'd', Length::Int, ", "));
        assert_eq!((directive.width, directive.precision), (Amount::None, Amount::None));
        assert_eq!(read("%%d").0.conversion, b'%');
    }

    #[test]
    fn flags_width_and_precision() {
        let (directive, rest) = read("%-+ #0'I12.34hhx%");
        assert!(directive.minus && directive.plus && directive.space && directive.alternate && directive.zero);
        assert!(directive.groups && directive.has_other_digits && !directive.is_positional);
        assert_eq!((directive.width, directive.precision), (Amount::Number(12), Amount::Number(34)));
        assert_eq!((directive.length, directive.conversion, rest), (Length::Char, b'x', "%"));
        assert_eq!(read("%.s").0.precision, Amount::Number(0));
        assert_eq!(read("%08d").0.width, Amount::Number(8));
    }

    #[test]
    fn stars_are_arguments() {
        let (directive, rest) = read("%*.*Lf.");
        assert_eq!((directive.width, directive.precision), (Amount::Argument, Amount::Argument));
        assert_eq!((directive.length, directive.conversion, rest), (Length::LongDouble, b'f', "."));
    }

    #[test]
    fn numbered_arguments_are_named_as_such() {
        for text in ["%1$d", "%2$*1$d", "%1$-5d", "%1$.*2$d", "%*1$d"] {
            let (directive, rest) = read(text);
            assert!(directive.is_positional && directive.conversion == b'd' && rest.is_empty(), "{text}");
        }
        assert_eq!(read("%1$-5d").0.width, Amount::Number(5));
    }

    #[test]
    fn formats_may_end_anywhere() {
        for text in ["%", "%-", "%1", "%1$", "%*", "%.", "%.*", "%ll"] {
            let (directive, rest) = read(text);
            assert_eq!((directive.conversion, rest), (0, ""), "{text}");
        }
    }

    #[test]
    fn bits_that_are_printed() {
        let printed = |text: &str| read(text).0.printed(0x1122_3344_5566_7788);
        assert_eq!(printed("%hhd"), 0x88);
        assert_eq!(printed("%hd"), 0x7788);
        assert_eq!(printed("%c"), 0x5566_7788);
        assert_eq!(printed("%zu"), 0x1122_3344_5566_7788);
        assert_eq!((printed("%p"), printed("%ls")), (0, 0));
    }
}
