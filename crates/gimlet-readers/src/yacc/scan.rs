//! The tokens of a grammar file.
//!
//! The whole file is cut up at once: what a character begins does not depend on where it stands, except that everything
//! behind the second `%%` is C code.

use gimlet_grammar::source::{Diagnostic, Span};

use super::code;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Identifier,
    /// `'+'`, and its code.
    Character(u8),
    /// With its quotes.
    String,
    Integer(u32),
    /// `<type>`
    Tag,
    /// `%token`
    Directive,
    /// `%%`
    Mark,
    /// `%{ ... %}`
    Prologue,
    /// `{ ... }`
    Braced,
    /// `%?{ ... }`
    Predicate,
    /// `[name]`
    Bracketed,
    Colon,
    Semicolon,
    Bar,
    Equals,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// What a file is made of.
pub struct Scanned {
    pub tokens: Vec<Token>,
    /// What follows the second `%%`.
    pub epilogue: Option<Span>,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn scan(text: &str) -> Scanned {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        n_marks: 0,
        has_open_tag: false,
        tokens: Vec::new(),
        diagnostics: vec![],
    };
    let mut epilogue = None;
    while scanner.at < scanner.bytes.len() {
        if scanner.n_marks == 2 {
            epilogue = Some(Span::new(scanner.at, text.len()));
            break;
        }
        scanner.step();
    }
    Scanned { tokens: scanner.tokens, epilogue, diagnostics: scanner.diagnostics }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    n_marks: usize,
    /// Whether this line has a `<` without a `>`.
    has_open_tag: bool,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Scanner<'_> {
    /// Takes a token, a comment or a blank.
    fn step(&mut self) {
        match &self.bytes[self.at..] {
            [b'\n', ..] => {
                self.has_open_tag = false;
                self.at += 1;
            }
            // Commas between names are as good as blanks.
            [b' ' | b'\t' | b'\r' | 0x0b | 0x0c | b',', ..] => self.at += 1,
            [b'/', b'*', ..] => self.comment(),
            [b'/', b'/', ..] => self.at = code::line_end(self.bytes, self.at),
            [b'%', ..] => self.percent(),
            [b'{', ..] => self.braced(Kind::Braced, 0),
            [b'<', ..] => self.tag(),
            [b'[', ..] => self.bracketed(),
            [b'\'', ..] => self.character(),
            [b'"', ..] => self.string(0),
            // The mark of a string that is to be translated.
            [b'_', b'(', b'"', ..] => self.string(2),
            [b'0'..=b'9', ..] => self.integer(),
            [b':', ..] => self.token(Kind::Colon, 1),
            [b';', ..] => self.token(Kind::Semicolon, 1),
            [b'|', ..] => self.token(Kind::Bar, 1),
            [b'=', ..] => self.token(Kind::Equals, 1),
            // A line that says where the text came from.
            [b'#', ..] if self.is_line_start() => self.at = code::line_end(self.bytes, self.at),
            [b'@', ..] if self.is_line_start() => self.placeholder(),
            [byte, ..] if is_letter(*byte) => self.token(Kind::Identifier, name_length(&self.bytes[self.at..])),
            _ => self.unknown(),
        }
    }

    fn token(&mut self, kind: Kind, length: usize) {
        let span = Span::new(self.at, (self.at + length).min(self.bytes.len()));
        self.at = span.end;
        self.tokens.push(Token { kind, span });
    }

    fn error(&mut self, length: usize, message: impl Into<String>) {
        let span = Span::new(self.at, (self.at + length).min(self.bytes.len()));
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn is_line_start(&self) -> bool {
        self.at == 0 || self.bytes[self.at - 1] == b'\n'
    }

    fn comment(&mut self) {
        let end = code::comment_end(self.bytes, self.at);
        if end.is_none() {
            self.error(2, "this comment is never closed");
        }
        self.at = end.unwrap_or(self.bytes.len());
    }

    fn percent(&mut self) {
        let rest = &self.bytes[self.at..];
        match rest {
            [b'%', b'%', ..] => {
                self.n_marks += 1;
                self.token(Kind::Mark, 2);
            }
            [b'%', b'{', ..] => self.prologue(),
            [b'%', b'?', ..] => {
                let n_blank = rest[2..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                match rest.get(2 + n_blank) {
                    Some(b'{') => self.braced(Kind::Predicate, 2 + n_blank),
                    _ => self.unknown(),
                }
            }
            // Names of directives from before they had any letters.
            [b'%', b'<' | b'>' | b'0' | b'2', ..] => self.token(Kind::Directive, 2),
            [b'%', byte, ..] if is_letter(*byte) => {
                self.token(Kind::Directive, 1 + name_length(&self.bytes[self.at + 1..]));
            }
            _ => self.unknown(),
        }
    }

    fn prologue(&mut self) {
        let end = code::prologue_end(self.bytes, self.at);
        if end.is_none() {
            self.error(2, "this `%{` is never closed by a `%}`");
        }
        self.token(Kind::Prologue, end.unwrap_or_else(|| self.next_mark()) - self.at);
    }

    /// Code in braces; the first brace stands `before` bytes behind the place of the scanner.
    fn braced(&mut self, kind: Kind, before: usize) {
        let end = code::braces_end(self.bytes, self.at + before);
        if end.is_none() {
            self.error(before + 1, "this `{` is never closed");
        }
        self.token(kind, end.unwrap_or_else(|| self.next_mark()) - self.at);
    }

    /// Where it goes on after code without an end: a line that begins with `%%` is hardly C.
    fn next_mark(&self) -> usize {
        self.text[self.at..].find("\n%%").map_or(self.bytes.len(), |length| self.at + length)
    }

    fn tag(&mut self) {
        let mut depth = 0usize;
        let mut last = b'<';
        let mut n_seen = 0;
        for &byte in self.bytes[self.at..].iter().take_while(|&&byte| byte != b'\n') {
            n_seen += 1;
            match byte {
                b'<' => depth += 1,
                b'>' if last != b'-' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.token(Kind::Tag, n_seen);
            }
            last = byte;
        }
        self.error(1, "no `>` closes this `<` on its line");
        // The second time on a line, the rest is not worth looking at.
        let is_first = !std::mem::replace(&mut self.has_open_tag, true);
        self.at += if is_first { 1 } else { n_seen };
    }

    fn bracketed(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let n_blank = |bytes: &[u8]| bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let begin = n_blank(rest);
        let end = begin + name_length(&rest[begin..]);
        let close = end + n_blank(&rest[end..]);
        let is_closed = rest.get(close) == Some(&b']');
        if is_closed && is_letter(rest[begin]) {
            return self.token(Kind::Bracketed, close + 2);
        }
        self.error(1, "a `[` has to be followed by a name and a `]`");
        self.at += 1 + close + usize::from(is_closed);
    }

    fn integer(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let digits = &rest[..length];
        let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(digits) => i32::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        match value {
            Ok(value) => self.token(Kind::Integer(value.unsigned_abs()), length),
            Err(_) => {
                self.error(length, "a number has to be decimal or begin with `0x`, and to be less than 2147483648");
                self.at += length;
            }
        }
    }

    /// A string, `before` bytes behind the place of the scanner.
    fn string(&mut self, before: usize) {
        let begin = self.at + before;
        let end = code::literal_end(self.bytes, begin, b'"').unwrap_or_else(|end| {
            self.error(end - self.at, "no `\"` closes this string on its line");
            end
        });
        self.tokens.push(Token { kind: Kind::String, span: Span::new(begin, end) });
        let is_wrapped = before > 0 && self.bytes.get(end) == Some(&b')');
        self.at = end + usize::from(is_wrapped);
    }

    fn character(&mut self) {
        let end = match code::literal_end(self.bytes, self.at, b'\'') {
            Ok(end) => end,
            Err(end) => {
                self.error(1, "no `'` closes this character on its line");
                self.at = end;
                return;
            }
        };
        let length = end - self.at;
        match character_code(&self.text[self.at + 1..end - 1]) {
            Ok(code) => self.token(Kind::Character(code), length),
            Err(message) => {
                self.error(length, message);
                self.at = end;
            }
        }
    }

    /// `@WORD@`, which a configuration script replaces by a directive or nothing.
    fn placeholder(&mut self) {
        let length = 1 + name_length(&self.bytes[self.at + 1..]);
        if length == 1 || self.bytes.get(self.at + length) != Some(&b'@') {
            return self.unknown();
        }
        let span = Span::new(self.at, self.at + length + 1);
        let warning = Diagnostic::warning(span, "nothing is known of what a script puts here");
        self.diagnostics.push(warning.with_hint("read the file that is made of this one, if that matters"));
        self.at = span.end;
    }

    /// Leaves out what begins nothing, all of it at once.
    fn unknown(&mut self) {
        let is_known = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "%{<['\"_:;|=/,#.".contains(c);
        let rest = &self.text[self.at..];
        let length = rest.char_indices().skip(1).find(|&(_, c)| is_known(c)).map_or(rest.len(), |(at, _)| at);
        let message = format!("`{}` is nothing that a grammar is made of", rest[..length].escape_debug());
        self.error(length, message);
        self.at += length;
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'.'
}

/// The length of the name that the bytes begin with.
fn name_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit() || byte == b'-').count()
}

/// The code of a character as C writes it, without its quotes.
fn character_code(inside: &str) -> Result<u8, &'static str> {
    const TOO_MANY: &str = "a character literal is one character";
    const TOO_LARGE: &str = "this character has no code from 1 to 255";
    const UNKNOWN: &str = "C has no such escape";
    let Some(escape) = inside.strip_prefix('\\') else {
        return match inside.as_bytes() {
            [] => Err("a character literal is not empty"),
            [byte] => Ok(*byte),
            _ => Err(TOO_MANY),
        };
    };
    let number = |digits: &str, radix| match u32::from_str_radix(digits, radix) {
        Ok(code @ 1..=255) => Ok(code as u8),
        Ok(_) => Err(TOO_LARGE),
        Err(_) => Err(UNKNOWN),
    };
    let first = escape.chars().next().ok_or(UNKNOWN)?;
    match first {
        '0'..='7' if escape.len() <= 3 => return number(escape, 8),
        'x' | 'u' | 'U' => return number(&escape[1..], 16),
        _ if escape.chars().count() > 1 => return Err(TOO_MANY),
        _ => {}
    }
    Ok(match first {
        'a' => 0x07,
        'b' => 0x08,
        't' => b'\t',
        'n' => b'\n',
        'v' => 0x0b,
        'f' => 0x0c,
        'r' => b'\r',
        '\\' | '\'' | '"' | '?' => first as u8,
        _ => return Err(UNKNOWN),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let scanned = scan(text);
        let found: Vec<(Kind, &str)> =
            scanned.tokens.iter().map(|token| (token.kind, &text[token.span.start..token.span.end])).collect();
        assert_eq!(found, expected);
        assert_eq!(scanned.diagnostics, []);
    }

    fn check_error(text: &str, expected: &str) {
        let scanned = scan(text);
        assert_eq!(scanned.diagnostics.iter().map(|diagnostic| &diagnostic.message).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn every_kind_is_told_apart() {
        use Kind::*;
        check(
            "%{ int a; %} %token<x->y> A 0x102, B _(\"b\") %%\na.b-c[ n ]: 'x'| {f('}');} %?{1} = ; %%rest {",
            &[
                (Prologue, "%{ int a; %}"),
                (Directive, "%token"),
                (Tag, "<x->y>"),
                (Identifier, "A"),
                (Integer(258), "0x102"),
                (Identifier, "B"),
                (String, "\"b\""),
                (Mark, "%%"),
                (Identifier, "a.b-c"),
                (Bracketed, "[ n ]"),
                (Colon, ":"),
                (Character(b'x'), "'x'"),
                (Bar, "|"),
                (Braced, "{f('}');}"),
                (Predicate, "%?{1}"),
                (Equals, "="),
                (Semicolon, ";"),
                (Mark, "%%"),
            ],
        );
    }

    #[test]
    fn characters_are_those_of_c() {
        for (inside, code) in [
            ("a", b'a'),
            ("\"", b'"'),
            ("\\'", b'\''),
            ("\\\\", b'\\'),
            ("\\n", 10),
            ("\\0101", 0),
            ("\\101", b'A'),
            ("\\x41", b'A'),
            ("\\u00e9", 233),
            ("\\0", 0),
            ("\\e", 0),
            ("é", 0),
            ("ab", 0),
            ("", 0),
        ] {
            assert_eq!(character_code(inside).ok(), Some(code).filter(|&code| code != 0), "{inside}");
        }
    }

    #[test]
    fn what_has_no_end_is_told() {
        check_error("%{ a", "this `%{` is never closed by a `%}`");
        check_error("%%\na: { \n", "this `{` is never closed");
        check_error("a: \"b", "no `\"` closes this string on its line");
        check_error("a: 'b\n;", "no `'` closes this character on its line");
        check_error("/* a", "this comment is never closed");
        check_error("a: <b\n;", "no `>` closes this `<` on its line");
        check_error("a: [1] ;", "a `[` has to be followed by a name and a `]`");
        check_error("a @€ b", "`@€` is nothing that a grammar is made of");
        check_error("a 99999999999", "a number has to be decimal or begin with `0x`, and to be less than 2147483648");
    }

    #[test]
    fn the_rules_are_found_again_after_code_without_an_end() {
        let scanned = scan("%union { int\n%%\na: B ;\n");
        let kinds: Vec<Kind> = scanned.tokens.iter().map(|token| token.kind).collect();
        assert_eq!(kinds[..3], [Kind::Directive, Kind::Braced, Kind::Mark]);
    }
}
