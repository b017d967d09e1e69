//! Rules such as `Expr ::= Term (("+" | "-") Term)*`, as the W3C's documents have them.
//!
//! A rule ends where the next one begins. Numbers such as `[12]` before rules and remarks such as `[VC: ..]` behind them
//! are passed over, as are comments; names may stand in angle brackets.

use gimlet_grammar::source::cursor::Cursor;
use gimlet_grammar::source::{too_deep, DEPTH_MAX};
use gimlet_grammar::source::{Diagnostic, Span};
use regex_syntax::hir::ClassUnicode;
use rustc_hash::FxHashSet;

use super::names::{self, is_name_start};
use super::rules::{self, Rules};
use crate::characters;
use crate::expression::{Definition, Expression};

/// The rules of a text, and what is wrong with it; some names need no rule.
pub fn read(text: &str, names: &[&str]) -> (Vec<Definition>, Vec<Diagnostic>) {
    let mut known = known_names(text);
    known.extend(names.iter().map(|&name| name.to_owned()));
    rules::read_all(Reader { cursor: Cursor::new(text), known, depth: 0, diagnostics: Vec::new() })
}

/// The names on the left of rules.
fn known_names(text: &str) -> FxHashSet<String> {
    let ends = text.match_indices("::=").map(|(at, _)| text[..at].trim_end());
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let name = |before: &str| {
        let before = before.strip_suffix('>').unwrap_or(before);
        let start =
            before.rfind(|c| !is_part(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        before[start..].to_owned()
    };
    ends.map(name).collect()
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    known: FxHashSet<String>,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Rules for Reader<'_> {
    /// Blanks, comments and remarks.
    fn skip_blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| c.is_whitespace() || c == '\u{feff}');
            let start = self.cursor.at;
            if self.cursor.is_at("/*") {
                if self.cursor.take_past("*/").is_none() {
                    let error = Diagnostic::error(Span::new(start, start + 2), "this comment is never closed");
                    self.diagnostics.push(error.with_hint("it ends with `*/`"));
                    self.cursor.finish();
                }
            } else if !self.take_remark() {
                return;
            }
        }
    }

    fn is_at_end(&self) -> bool {
        self.cursor.is_at_end()
    }

    fn rule(&mut self) -> Result<Definition, Diagnostic> {
        let head = self.take_head();
        let (name, span) = head.ok_or_else(|| self.expected("a rule").with_hint("a rule is `Name ::= expression`"))?;
        let body = self.choice()?;
        self.skip_blanks();
        if !self.cursor.take(";") && !self.cursor.is_at_end() && !self.is_at_head() {
            return Err(self.expected("a name, a string, a set or the next rule"));
        }
        Ok(Definition { name: name.to_owned(), span, body })
    }

    /// After an error: to the next rule.
    fn skip_rule(&mut self) {
        self.depth = 0;
        while !self.cursor.is_at_end() {
            // A rule begins at the beginning of a line.
            self.cursor.take_while(|c| c != '\n');
            self.cursor.take_while(char::is_whitespace);
            if self.is_at_head() {
                return;
            }
        }
    }

    fn diagnostics(&mut self) -> &mut Vec<Diagnostic> {
        &mut self.diagnostics
    }
}

impl<'a> Reader<'a> {
    /// `[VC: Unique Attribute Spec]`
    fn take_remark(&mut self) -> bool {
        let mut ahead = self.cursor;
        if !ahead.take("[") {
            return false;
        }
        ahead.take_while(|c| c == ' ');
        let kind = ahead.take_while(|c| c.is_ascii_alphabetic());
        let is_remark = ["vc", "wfc", "nsc", "ws", "gn", "xgc"].iter().any(|known| kind.eq_ignore_ascii_case(known));
        if !is_remark || !ahead.take(":") || ahead.take_past("]").is_none() {
            return false;
        }
        self.cursor = ahead;
        true
    }

    /// Takes `[12] Name ::=` or a part of it, if a rule begins here.
    fn take_head(&mut self) -> Option<(&'a str, Span)> {
        let before = self.cursor;
        if self.cursor.take("[") {
            self.cursor.take_while(|c| c.is_ascii_alphanumeric());
            if !self.cursor.take("]") {
                self.cursor = before;
                return None;
            }
            self.cursor.take_while(char::is_whitespace);
        }
        let head = self.name();
        self.cursor.take_while(char::is_whitespace);
        if head.is_some() && self.cursor.take("::=") {
            return head;
        }
        self.cursor = before;
        None
    }

    fn is_at_head(&mut self) -> bool {
        let before = self.cursor;
        let is_head = self.take_head().is_some();
        self.cursor = before;
        is_head
    }

    /// A name, perhaps in angle brackets, in which there may be blanks.
    fn name(&mut self) -> Option<(&'a str, Span)> {
        let before = self.cursor;
        if !self.cursor.take("<") {
            return names::take_word(&mut self.cursor);
        }
        let start = self.cursor.at;
        let inside = self.cursor.take_while(|c| is_name_start(c) || c.is_alphanumeric() || c == '-' || c == ' ');
        let span = self.cursor.span_from(start);
        if !inside.starts_with(is_name_start) || !self.cursor.take(">") {
            self.cursor = before;
            return None;
        }
        Some((inside, span))
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.cursor.show_next());
        Diagnostic::error(self.cursor.span_here(), message)
    }

    fn choice(&mut self) -> Result<Expression, Diagnostic> {
        if self.depth >= DEPTH_MAX {
            return Err(too_deep(self.cursor.span_here()));
        }
        self.depth += 1;
        let mut parts = vec![self.sequence()?];
        while self.cursor.take("|") {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(Expression::choice(parts))
    }

    fn sequence(&mut self) -> Result<Expression, Diagnostic> {
        let mut parts = Vec::new();
        loop {
            self.skip_blanks();
            let is_there = match self.cursor.peek() {
                Some('(' | '"' | '\'' | '#') => true,
                Some('[' | '<') => !self.is_at_head(),
                Some(c) => is_name_start(c) && !self.is_at_head(),
                None => false,
            };
            if !is_there {
                return Ok(Expression::sequence(parts));
            }
            parts.push(self.item()?);
        }
    }

    /// `A - B`, or only `A`.
    fn item(&mut self) -> Result<Expression, Diagnostic> {
        let start = self.cursor.at;
        let mut item = self.repeated()?;
        loop {
            self.skip_blanks();
            if !self.cursor.take("-") {
                return Ok(item);
            }
            self.skip_blanks();
            let exception = self.repeated()?;
            item = Expression::Except(Box::new(item), Box::new(exception), self.cursor.span_from(start));
        }
    }

    fn repeated(&mut self) -> Result<Expression, Diagnostic> {
        let mut primary = self.primary()?;
        loop {
            self.skip_blanks();
            primary = match self.cursor.peek() {
                Some('?') => primary.optional(),
                Some('*') => primary.many(),
                Some('+') => primary.at_least_once(),
                _ => return Ok(primary),
            };
            self.cursor.take_char();
        }
    }

    fn primary(&mut self) -> Result<Expression, Diagnostic> {
        let start = self.cursor.at;
        match self.cursor.peek() {
            Some('(') => {
                self.cursor.take_char();
                let inner = self.choice()?;
                self.skip_blanks();
                if !self.cursor.take(")") {
                    let line = self.cursor.text[..start].matches('\n').count() + 1;
                    return Err(self.expected("`)`").with_hint(format!("it closes the `(` in line {line}")));
                }
                Ok(inner)
            }
            Some(quote @ ('"' | '\'')) => {
                self.cursor.take_char();
                let text = self.cursor.take_past(&quote.to_string()).ok_or_else(|| {
                    let error = Diagnostic::error(Span::new(start, start + 1), "this string is never closed");
                    error.with_hint(format!("it ends with `{quote}`"))
                })?;
                Ok(Expression::Text(text.to_owned(), self.cursor.span_from(start)))
            }
            Some('#') => {
                let c = self.code()?;
                Ok(Expression::Set(characters::range(c, c), self.cursor.span_from(start)))
            }
            Some('[') => self.set(),
            Some('<') => match self.name() {
                Some((name, span)) => Ok(Expression::Name(name.to_owned(), span)),
                None => Err(self.expected("a name")),
            },
            Some(c) if is_name_start(c) => {
                let word = names::take_word(&mut self.cursor);
                Ok(names::resolve(word.as_slice(), &self.known))
            }
            _ => Err(self.expected("a name, a string, a set or a bracket")),
        }
    }

    /// `#x20`
    fn code(&mut self) -> Result<char, Diagnostic> {
        let start = self.cursor.at;
        self.cursor.take("#");
        let is_hex = self.cursor.take("x");
        let digits = self.cursor.take_while(|c| c.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex).and_then(char::from_u32);
        code.ok_or_else(|| {
            let error = Diagnostic::error(self.cursor.span_from(start), "this is the number of no character");
            error.with_hint("a character is `#x` with its number in hexadecimal digits, such as `#x20`")
        })
    }

    /// `[a-z#x20]` or `[^<&]`
    fn set(&mut self) -> Result<Expression, Diagnostic> {
        let start = self.cursor.at;
        self.cursor.take_char();
        let is_negated = self.cursor.take("^");
        let mut class = ClassUnicode::empty();
        while !self.cursor.take("]") {
            let first_at = self.cursor.at;
            let first = self.set_character(start)?;
            let mut ahead = self.cursor;
            let mut last = first;
            if ahead.take("-") && ahead.peek().is_some_and(|c| c != ']') {
                self.cursor = ahead;
                last = self.set_character(start)?;
            }
            if last < first {
                return Err(Diagnostic::error(self.cursor.span_from(first_at), "this range ends before it begins"));
            }
            class.union(&characters::range(first, last));
        }
        if is_negated {
            class.negate();
        }
        Ok(Expression::Set(class, self.cursor.span_from(start)))
    }

    fn set_character(&mut self, start: usize) -> Result<char, Diagnostic> {
        if self.cursor.is_at("#x") {
            return self.code();
        }
        self.cursor.take_char().filter(|&c| c != '\n').ok_or_else(|| {
            Diagnostic::error(Span::new(start, start + 1), "this set is never closed").with_hint("it ends with `]`")
        })
    }
}
