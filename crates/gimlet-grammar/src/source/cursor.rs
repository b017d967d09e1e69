//! A place in a text that is read from the beginning to the end.

use super::Span;

#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0 }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub fn take_char(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub fn is_at(&self, word: &str) -> bool {
        self.rest().starts_with(word)
    }

    pub fn take(&mut self, word: &str) -> bool {
        let is_there = self.is_at(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    /// Takes characters as long as they are of a kind.
    pub fn take_while(&mut self, is_kind: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !is_kind(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Takes everything up to a word and the word itself; what came before it.
    pub fn take_past(&mut self, word: &str) -> Option<&'a str> {
        let before = self.rest().split_once(word)?.0;
        self.at += before.len() + word.len();
        Some(before)
    }

    pub fn finish(&mut self) {
        self.at = self.text.len();
    }

    /// From a place to this one.
    pub fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// The next character, or the end of the text.
    pub fn span_here(&self) -> Span {
        Span::new(self.at, self.at + self.peek().map_or(0, char::len_utf8))
    }

    /// What comes next, for messages.
    pub fn show_next(&self) -> String {
        match self.peek() {
            None => "the end of the file".to_owned(),
            Some(c) if c.is_alphanumeric() => {
                let word: String =
                    self.rest().chars().take_while(|c| c.is_alphanumeric() || *c == '_').take(30).collect();
                format!("`{word}`")
            }
            Some(c) => format!("`{}`", c.escape_debug()),
        }
    }
}
