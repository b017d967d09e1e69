//! The text of a grammar file, places in it, and what there is to say about them.

use std::fmt::{self, Write};

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

    /// The message with the line it is about, as compilers show it.
    pub fn render(&self, source: &Source) -> String {
        let (line, column) = source.position(self.span.start);
        let text = source.line(line);
        let n_digits = line.to_string().len();
        let (last_line, last_column) = source.position(self.span.end);
        let n_marked = if last_line == line { last_column - column } else { text.chars().count() + 1 - column };
        // Tabs stay tabs, so that the mark stands below what it marks.
        let indent: String = text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let mut shown = String::new();
        let _ = writeln!(shown, "{}:{line}:{column}: {}: {}", source.name, self.severity, self.message);
        let _ = writeln!(shown, "{line} | {text}");
        let _ = write!(shown, "{:n_digits$} | {indent}{}", "", "^".repeat(n_marked.max(1)));
        if let Some(hint) = &self.hint {
            let _ = write!(shown, "\n{:n_digits$} = hint: {hint}", "");
        }
        shown
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
    fn columns_are_characters() {
        assert_eq!(Source::new("a", "é=x").position(3), (1, 3));
    }
}
