//! A place in a pattern with its definitions put in.

use gimlet_grammar::source::{Source, Span};

use crate::lex::code::is_blank;

/// A text that is read before the one below it goes on.
struct Frame<'a> {
    text: &'a [u8],
    at: usize,
    /// Where the text stands in the source; if it stands nowhere, where it is used.
    origin: usize,
    is_in_source: bool,
    definition: Option<usize>,
}

pub(super) struct Cursor<'a> {
    source: &'a Source,
    start: usize,
    /// The file from the pattern on is at the bottom.
    frames: Vec<Frame<'a>>,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a Source, start: usize) -> Cursor<'a> {
        let text = &source.text.as_bytes()[start..];
        let base = Frame { text, at: 0, origin: start, is_in_source: true, definition: None };
        Cursor { source, start, frames: vec![base] }
    }

    pub fn bytes(&self, span: Span) -> &'a [u8] {
        &self.source.text.as_bytes()[span.start..span.end]
    }

    /// What is left of the uppermost text.
    pub fn rest(&self) -> &'a [u8] {
        self.frames.last().map_or(&[], |frame| &frame.text[frame.at..])
    }

    /// Forgets texts that were read.
    pub fn leave(&mut self) {
        while self.frames.len() > 1 && self.rest().is_empty() {
            self.frames.pop();
        }
    }

    pub fn peek(&mut self) -> Option<u8> {
        self.leave();
        self.rest().first().copied()
    }

    pub fn bump(&mut self, length: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = (frame.at + length).min(frame.text.len());
        }
    }

    /// Puts in a definition; what closes its parentheses remembers it as long as it is being read.
    pub fn enter(&mut self, definition: usize, span: Span, in_parentheses: bool) {
        let origin = self.place();
        let text = self.bytes(span);
        let outside = |text| Frame { text, at: 0, origin, is_in_source: false, definition: Some(definition) };
        if in_parentheses {
            self.frames.push(outside(b")"));
        }
        self.frames.push(Frame { text, at: 0, origin: span.start, is_in_source: true, definition: Some(definition) });
        if in_parentheses {
            self.frames.push(outside(b"("));
        }
    }

    pub fn is_inside(&self, definition: usize) -> bool {
        self.frames.iter().any(|frame| frame.definition == Some(definition))
    }

    /// Only the file is left to read.
    pub fn is_in_base(&self) -> bool {
        self.frames.len() == 1
    }

    pub fn is_at_start(&self) -> bool {
        self.is_in_base() && self.frames[0].at == 0
    }

    pub fn is_at_newline(&self) -> bool {
        matches!(self.rest(), [b'\n', ..] | [b'\r', b'\n', ..])
    }

    /// A `$` that is followed by a blank or the end of the line.
    pub fn is_at_dollar(&self) -> bool {
        let mut following = self.frames.iter().rev().flat_map(|frame| &frame.text[frame.at..]);
        following.next() == Some(&b'$')
            && match following.next() {
                Some(b'\r') => following.next() == Some(&b'\n'),
                Some(&byte) => byte == b'\n' || is_blank(byte),
                None => false,
            }
    }

    /// Stops reading: the pattern ends with its line, or before the next blank.
    pub fn finish(&mut self) {
        self.frames.truncate(1);
        let length = self.rest().iter().take_while(|&&byte| byte != b'\n' && !is_blank(byte)).count();
        self.bump(length);
    }

    /// Where the reader is in the source.
    pub fn place(&self) -> usize {
        self.span(0).start
    }

    pub fn span(&self, length: usize) -> Span {
        let Some(frame) = self.frames.last() else { return Span::new(self.start, self.start) };
        match frame.is_in_source {
            true => {
                let at = frame.origin + frame.at;
                Span::new(at, (at + length).min(frame.origin + frame.text.len()))
            }
            false => Span::new(frame.origin, frame.origin + length),
        }
    }

    /// Where the reader is in the file.
    pub fn base(&self) -> usize {
        self.start + self.frames[0].at
    }
}
