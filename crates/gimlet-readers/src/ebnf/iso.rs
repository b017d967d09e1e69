//! Rules such as `expr = term, { ("+" | "-"), term } ;`.
//!
//! What many files do though the standard does not know it is read as well: commas left out, `:=`, and `*`, `+` and `?`
//! behind what they repeat.

use gimlet_grammar::source::cursor::Cursor;
use gimlet_grammar::source::{too_deep, DEPTH_MAX};
use gimlet_grammar::source::{Diagnostic, Span};
use rustc_hash::FxHashSet;

use super::names::{self, is_name_start};
use super::rules::{self, Rules};
use crate::characters;
use crate::expression::{Definition, Expression};

/// More of the same is a slip.
const N_TIMES_MAX: u32 = 65_536;

/// The rules of a text, and what is wrong with it; some names need no rule.
pub fn read(text: &str, names: &[&str]) -> (Vec<Definition>, Vec<Diagnostic>) {
    let mut known = known_names(text);
    known.extend(names.iter().map(|&name| name.to_owned()));
    rules::read_all(Reader { cursor: Cursor::new(text), known, depth: 0, diagnostics: Vec::new() })
}

/// The names on the left of rules, found without reading what is on the right.
fn known_names(text: &str) -> FxHashSet<String> {
    let empty = Reader { cursor: Cursor::new(text), known: FxHashSet::default(), depth: 0, diagnostics: Vec::new() };
    let mut reader = empty;
    let mut known = FxHashSet::default();
    loop {
        reader.skip_blanks();
        if reader.cursor.is_at_end() {
            return known;
        }
        let words = reader.words();
        if words.is_empty() {
            reader.skip_one();
        } else if reader.is_at_definition() {
            known.insert(words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" "));
        }
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    known: FxHashSet<String>,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Rules for Reader<'_> {
    /// Blanks and comments, which may contain others.
    fn skip_blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| c.is_whitespace() || c == '\u{feff}');
            let start = self.cursor.at;
            if !self.cursor.take("(*") {
                return;
            }
            let mut depth = 1;
            while depth > 0 {
                if self.cursor.take("(*") {
                    depth += 1;
                } else if self.cursor.take("*)") {
                    depth -= 1;
                } else if self.cursor.take_char().is_none() {
                    let span = Span::new(start, start + 2);
                    let error = Diagnostic::error(span, "this comment is never closed");
                    self.diagnostics.push(error.with_hint("it ends with `*)`"));
                    return;
                }
            }
        }
    }

    fn is_at_end(&self) -> bool {
        self.cursor.is_at_end()
    }

    fn rule(&mut self) -> Result<Definition, Diagnostic> {
        let words = self.words();
        let (Some((_, first)), Some((_, last))) = (words.first(), words.last()) else {
            return Err(self.expected("the name of a rule"));
        };
        let span = first.to(*last);
        let name = words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
        if !self.cursor.take(":=") && !self.cursor.take("=") {
            return Err(self.expected("`=`").with_hint("a rule is `name = expression ;`"));
        }
        let body = self.choice()?;
        self.skip_blanks();
        if !self.cursor.take(";") && !self.cursor.take(".") {
            return Err(self.expected("`;`").with_hint("a rule ends with `;`"));
        }
        Ok(Definition { name, span, body })
    }

    /// After an error: behind the end of the rule.
    fn skip_rule(&mut self) {
        self.depth = 0;
        loop {
            self.skip_blanks();
            match self.cursor.peek() {
                None => return,
                Some(';') => {
                    self.cursor.take_char();
                    return;
                }
                Some(_) => self.skip_one(),
            }
        }
    }

    fn diagnostics(&mut self) -> &mut Vec<Diagnostic> {
        &mut self.diagnostics
    }
}

impl<'a> Reader<'a> {
    /// Passes over a string or one character.
    fn skip_one(&mut self) {
        if let Some(quote @ ('"' | '\'')) = self.cursor.take_char() {
            let mut ahead = self.cursor;
            if ahead.take_past(&quote.to_string()).is_some() {
                self.cursor = ahead;
            }
        }
    }

    /// Words next to each other.
    fn words(&mut self) -> Vec<(&'a str, Span)> {
        let mut words = Vec::new();
        while let Some(word) = names::take_word(&mut self.cursor) {
            words.push(word);
            self.skip_blanks();
        }
        words
    }

    fn is_at_definition(&self) -> bool {
        self.cursor.is_at("=") || self.cursor.is_at(":=")
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
        while self.take_bar() {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(Expression::choice(parts))
    }

    /// `|`, which is `/` or `!` where there is none on the keyboard.
    fn take_bar(&mut self) -> bool {
        self.skip_blanks();
        self.cursor.take("|") || !self.cursor.is_at("/)") && self.cursor.take("/") || self.cursor.take("!")
    }

    fn sequence(&mut self) -> Result<Expression, Diagnostic> {
        let mut parts = Vec::new();
        loop {
            self.skip_blanks();
            if self.cursor.take(",") {
                continue;
            }
            match self.cursor.peek() {
                Some('(' | '[' | '{' | '"' | '\'' | '?') => parts.push(self.term()?),
                Some(c) if is_name_start(c) || c.is_ascii_digit() => parts.push(self.term()?),
                _ => return Ok(Expression::sequence(parts)),
            }
        }
    }

    /// A factor, perhaps without some of its texts.
    fn term(&mut self) -> Result<Expression, Diagnostic> {
        let start = self.cursor.at;
        let factor = self.factor()?;
        self.skip_blanks();
        if !self.cursor.take("-") {
            return Ok(factor);
        }
        self.skip_blanks();
        let is_there = self.cursor.peek().is_some_and(|c| "([{\"'?".contains(c) || is_name_start(c));
        let exception = if is_there { self.factor()? } else { Expression::empty() };
        let span = self.cursor.span_from(start);
        Ok(match factor {
            // `{ x }-`: at least one.
            Expression::Repeat(repeat, part) if exception.is_empty() && repeat.is_unbounded => part.at_least_once(),
            factor => Expression::Except(Box::new(factor), Box::new(exception), span),
        })
    }

    /// `3 * x`, or `x` with what repeats it behind it.
    fn factor(&mut self) -> Result<Expression, Diagnostic> {
        let start = self.cursor.at;
        let digits = self.cursor.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            let mut primary = self.primary()?;
            loop {
                self.skip_blanks();
                primary = match self.cursor.peek() {
                    Some('*') => primary.many(),
                    Some('+') => primary.at_least_once(),
                    Some('?') if !self.is_at_special() => primary.optional(),
                    _ => return Ok(primary),
                };
                self.cursor.take_char();
            }
        }
        let span = self.cursor.span_from(start);
        self.skip_blanks();
        if !self.cursor.take("*") {
            return Err(self.expected("`*`").with_hint("a number says how often something stands there: `3 * x`"));
        }
        self.skip_blanks();
        let n_times = digits.parse::<u32>().ok().filter(|&n_times| n_times <= N_TIMES_MAX);
        let n_times = n_times
            .ok_or_else(|| Diagnostic::error(span, format!("no more than {N_TIMES_MAX} times are possible here")))?;
        Ok(Expression::Times(n_times, Box::new(self.primary()?)))
    }

    /// Whether a question mark begins `? .. ?`.
    fn is_at_special(&self) -> bool {
        let mut ahead = self.cursor;
        ahead.take_char();
        let line = ahead.rest().lines().next().unwrap_or_default();
        line.find('?').is_some_and(|end| !line[..end].contains(['"', '\'', ';', '|', ',']) && end > 0)
    }

    fn primary(&mut self) -> Result<Expression, Diagnostic> {
        let start = self.cursor.at;
        for (open, close) in [("(/", "/)"), ("(:", ":)"), ("[", "]"), ("{", "}"), ("(", ")")] {
            if self.cursor.take(open) {
                return self.bracketed(open, close, start);
            }
        }
        match self.cursor.peek() {
            Some(quote @ ('"' | '\'')) => self.text_or_range(quote),
            Some('?') => {
                self.cursor.take_char();
                let is_closed = self.cursor.take_past("?").is_some();
                let span = if is_closed { self.cursor.span_from(start) } else { Span::new(start, start + 1) };
                let shown = self.cursor.text[span.start..span.end].split_whitespace().collect::<Vec<_>>().join(" ");
                let error = Diagnostic::error(span, format!("what `{shown}` stands for is not said in the file"));
                Err(error.with_hint("write rules for it instead"))
            }
            Some(c) if is_name_start(c) => {
                let words = self.words();
                Ok(names::resolve(&words, &self.known))
            }
            _ => Err(self.expected("a name, a string or a bracket")),
        }
    }

    fn bracketed(&mut self, open: &str, close: &str, start: usize) -> Result<Expression, Diagnostic> {
        let inner = self.choice()?;
        self.skip_blanks();
        if !self.cursor.take(close) {
            let error = self.expected(&format!("`{close}`"));
            let before = &self.cursor.text[..start];
            let line = before.matches('\n').count() + 1;
            return Err(error.with_hint(format!("it closes the `{open}` in line {line}")));
        }
        Ok(match open {
            "[" | "(/" => inner.optional(),
            "{" | "(:" => inner.many(),
            _ => inner,
        })
    }

    fn text(&mut self, quote: char) -> Result<(&'a str, Span), Diagnostic> {
        let start = self.cursor.at;
        self.cursor.take_char();
        let inside = self.cursor.take_past(&quote.to_string()).ok_or_else(|| {
            let error = Diagnostic::error(Span::new(start, start + 1), "this string is never closed");
            error.with_hint(format!("it ends with `{quote}`"))
        })?;
        Ok((inside, self.cursor.span_from(start)))
    }

    /// A string, or all characters from one to another: `"a" .. "z"`.
    fn text_or_range(&mut self, quote: char) -> Result<Expression, Diagnostic> {
        let (text, span) = self.text(quote)?;
        let mut ahead = self.cursor;
        ahead.take_while(char::is_whitespace);
        if ahead.take("...") || ahead.take("..") || ahead.take("…") {
            ahead.take_while(char::is_whitespace);
            if let Some(quote @ ('"' | '\'')) = ahead.peek() {
                self.cursor = ahead;
                let (last, last_span) = self.text(quote)?;
                let span = span.to(last_span);
                let one = |text: &str| text.chars().next().filter(|c| text.len() == c.len_utf8());
                let ends = one(text).zip(one(last)).filter(|(first, last)| first <= last);
                let (first, last) =
                    ends.ok_or_else(|| Diagnostic::error(span, "a range needs two characters in their order"))?;
                return Ok(Expression::Set(characters::range(first, last), span));
            }
        }
        Ok(Expression::Text(text.to_owned(), span))
    }
}
