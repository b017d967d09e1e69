//! What stands between brackets.

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::source::Span;

use super::escape;
use crate::lex::class::{other_case, posix};

pub(super) struct Set {
    /// As written, without regard to `^`.
    pub listed: ByteSet,
    pub is_negated: bool,
    pub length: usize,
    /// Places count from the bracket.
    pub problems: Vec<(Span, String)>,
}

impl Set {
    pub fn has(&self, byte: u8) -> bool {
        self.listed.contains(byte) != self.is_negated
    }
}

enum Item {
    Byte(u8),
    /// A `-` that is no byte.
    Dash,
    Named(ByteSet),
    Bad(String),
}

/// Whether a bracket begins a class; at the end of a line it stands for itself.
pub(super) fn begins(text: &[u8]) -> bool {
    match text {
        [b'[', b'\\', rest @ ..] => !matches!(rest, [] | [b'\n', ..]),
        [b'[', rest @ ..] => !matches!(rest, [] | [b'\n', ..]),
        _ => false,
    }
}

/// Reads a class; `text` begins with its bracket.
pub(super) fn read(text: &[u8], is_caseless: bool, max: u8) -> Set {
    let mut reader = Reader { text, at: 1, is_caseless, max, set: ByteSet::default(), problems: Vec::new() };
    let is_negated = matches!(text, [_, b'^', second, ..] if *second != b'\n');
    if is_negated {
        reader.at += 1;
    }
    // Only a bracket or dash in the first place is a byte.
    let mut is_first = !is_negated || matches!(text[2], b'-' | b']');
    let mut is_closed = false;
    while let Some(&byte) = text.get(reader.at) {
        if byte == b']' && !is_first {
            reader.at += 1;
            is_closed = true;
            break;
        }
        if byte == b'\n' {
            break;
        }
        reader.element(is_first);
        is_first = false;
    }
    if !is_closed {
        reader.problems.push((Span::new(0, 1), "there is no ] for this".to_owned()));
    }
    Set { listed: reader.set, is_negated, length: reader.at, problems: reader.problems }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    is_caseless: bool,
    max: u8,
    set: ByteSet,
    problems: Vec<(Span, String)>,
}

impl Reader<'_> {
    /// A byte, a range or a named class.
    fn element(&mut self, is_first: bool) {
        let start = self.at;
        match self.item(is_first) {
            Item::Named(named) => self.set = self.set.union(&named),
            Item::Bad(message) => self.problem(start, message),
            Item::Dash => {
                self.problem(start, "this - has no beginning; write \\- for the character");
                self.set.insert(b'-');
            }
            Item::Byte(byte) => {
                if !self.is_at_dash() {
                    self.insert(byte);
                    return;
                }
                self.at += 1;
                match self.item(false) {
                    Item::Byte(last) => self.range(byte, last, start),
                    Item::Bad(message) => self.problem(start, message),
                    _ => self.problem(start, "the range has no end"),
                }
            }
        }
    }

    fn item(&mut self, is_first: bool) -> Item {
        let rest = &self.text[self.at..];
        if let Some((byte, length)) = escape(rest) {
            self.at += length;
            return Item::Byte(byte);
        }
        if let Some(name) = class_name(rest) {
            self.at += name.len() + 4;
            return match posix(name, self.is_caseless, self.max) {
                Some(set) => Item::Named(set),
                None => Item::Bad(format!("there is no class [:{name}:]")),
            };
        }
        let is_dash = !is_first && self.is_at_dash();
        self.at += 1;
        if is_dash {
            Item::Dash
        } else {
            Item::Byte(rest[0])
        }
    }

    fn is_at_dash(&self) -> bool {
        matches!(self.text[self.at..], [b'-', next, ..] if next != b']' && next != b'\n')
    }

    fn insert(&mut self, byte: u8) {
        self.set.insert(byte);
        if let Some(other) = other_case(byte).filter(|_| self.is_caseless) {
            self.set.insert(other);
        }
    }

    fn range(&mut self, first: u8, last: u8, start: usize) {
        if first > last {
            self.problem(start, "the range ends before it begins");
            return;
        }
        (first..=last).for_each(|byte| self.set.insert(byte));
        if let (true, Some(first), Some(last)) = (self.is_caseless, other_case(first), other_case(last)) {
            (first..=last).for_each(|byte| self.set.insert(byte));
        }
    }

    fn problem(&mut self, start: usize, message: impl Into<String>) {
        self.problems.push((Span::new(start, self.at.max(start + 1)), message.into()));
    }
}

/// The name in `[:name:]`.
fn class_name(text: &[u8]) -> Option<&str> {
    let inside = text.strip_prefix(b"[:")?;
    let length = usize::from(inside.first() == Some(&b'^'));
    let length = length + inside[length..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let name = std::str::from_utf8(&inside[..length]).ok()?;
    (inside[length..].starts_with(b":]") && !name.trim_start_matches('^').is_empty()).then_some(name)
}
