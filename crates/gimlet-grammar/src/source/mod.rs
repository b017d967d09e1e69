//! The text of a grammar file, places in it, and what there is to say about them.

pub mod cursor;
pub mod spelling;

use std::fmt::{self, Write};

/// Expressions inside of expressions.
pub const DEPTH_MAX: usize = 100;
/// After so many messages a file is not read on.
pub const N_DIAGNOSTICS_MAX: usize = 100;

/// A part of a text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// From the beginning of one to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
    /// Where each line begins.
    line_starts: Vec<usize>,
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { name: name.into(), text, line_starts }
    }

    /// Line and column, both from 1; a column is a character.
    pub fn position(&self, at: usize) -> (usize, usize) {
        let at = at.min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start <= at);
        let before = self.text.get(self.line_starts[line - 1]..at).unwrap_or_default();
        (line, before.chars().count() + 1)
    }

    /// A line without its end, from 1.
    pub fn line(&self, number: usize) -> &str {
        let start = self.line_starts[number - 1];
        let end = self.line_starts.get(number).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Warning,
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Something about a place in a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub span: Span,
    /// What could be done about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, message: message.into(), span, hint: None }
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    pub fn with_hint(self, hint: impl Into<String>) -> Diagnostic {
        Diagnostic { hint: Some(hint.into()), ..self }
    }

    /// The message with the line it is about, as compilers show it: what a terminal would not show is escaped, and of a
    /// long line there is what is near.
    pub fn render(&self, source: &Source) -> String {
        let (line, column) = source.position(self.span.start);
        let text = source.line(line);
        let n_digits = line.to_string().len();
        let (last_line, last_column) = source.position(self.span.end);
        // Of a file that ends too early, what is missing may end before it begins.
        let end = if last_line == line { last_column } else { text.chars().count() + 1 };
        let n_marked = end.saturating_sub(column);
        let first = (column - 1).saturating_sub(N_BEFORE_MAX);
        let (mut excerpt, mut indent, mut mark) = (String::new(), String::new(), String::new());
        for (at, c) in text.chars().enumerate().skip(first).take(N_BEFORE_MAX + N_BEHIND_MAX) {
            let shown = visible_char(c);
            let width = shown.chars().count();
            excerpt.push_str(&shown);
            match at + 1 {
                // Tabs stay tabs, so that the mark stands below what it marks.
                at if at < column => indent.push_str(&if c == '\t' { "\t".to_owned() } else { " ".repeat(width) }),
                at if at < column + n_marked => mark.push_str(&"^".repeat(width)),
                _ => {}
            }
        }
        let mark = if mark.is_empty() { "^" } else { &mark };
        let (name, message) = (visible(&source.name), visible(&self.message));
        let mut shown = String::new();
        let _ = writeln!(shown, "{name}:{line}:{column}: {}: {message}", self.severity);
        let _ = writeln!(shown, "{line} | {excerpt}");
        let _ = write!(shown, "{:n_digits$} | {indent}{mark}", "");
        if let Some(hint) = &self.hint {
            let _ = write!(shown, "\n{:n_digits$} = hint: {}", "", visible(hint));
        }
        shown
    }
}

/// Nobody writes that by hand, and it would not fit on the stack.
pub fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("this is nested more than {DEPTH_MAX} times"))
        .with_hint("give a part of it a name of its own")
}

/// Characters of a line that are shown before the place of a message, and from there on.
const N_BEFORE_MAX: usize = 100;
const N_BEHIND_MAX: usize = 100;

/// A text without anything that a terminal would obey.
pub fn visible(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

fn visible_char(c: char) -> String {
    match c {
        '\t' => c.to_string(),
        '\0'..='\u{9f}' if c.is_control() => format!("\\x{:02x}", u32::from(c)),
        _ => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, span: Span, expected: &str) {
        let source = Source::new("calc.y", text);
        assert_eq!(Diagnostic::error(span, "no such thing").with_hint("leave it out").render(&source), expected);
    }

    #[test]
    fn a_message_shows_its_line() {
        check(
            "%%\n\texpr: term ;\r\n",
            Span::new(10, 14),
            "calc.y:2:8: error: no such thing\n2 | \texpr: term ;\n  | \t      ^^^^\n  = hint: leave it out",
        );
    }

    #[test]
    fn a_place_may_be_the_end_or_several_lines() {
        check("ab", Span::new(2, 2), "calc.y:1:3: error: no such thing\n1 | ab\n  |   ^\n  = hint: leave it out");
        check("ab\ncd", Span::new(1, 4), "calc.y:1:2: error: no such thing\n1 | ab\n  |  ^\n  = hint: leave it out");
    }

    #[test]
    fn what_is_no_text_is_escaped() {
        check(
            "a\u{1b}[2J\0b",
            Span::new(1, 2),
            "calc.y:1:2: error: no such thing\n1 | a\\x1b[2J\\x00b\n  |  ^^^^\n  = hint: leave it out",
        );
        let source = Source::new("calc.y", "x");
        let shown = Diagnostic::error(Span::new(0, 1), "no \u{7}").render(&source);
        assert!(shown.starts_with("calc.y:1:1: error: no \\x07\n"), "{shown}");
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = "a".repeat(1_000_000);
        let shown =
            Diagnostic::error(Span::new(500_000, 900_000), "no such thing").render(&Source::new("calc.y", text));
        let marked = format!("\n  | {}{}", " ".repeat(N_BEFORE_MAX), "^".repeat(N_BEHIND_MAX));
        assert!(shown.len() < 1_000 && shown.ends_with(&marked), "{shown}");
    }

    #[test]
    fn columns_are_characters() {
        assert_eq!(Source::new("a", "é=x").position(3), (1, 3));
    }
}
