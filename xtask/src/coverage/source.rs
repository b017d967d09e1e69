//! The text of a C file: its lines without comments, and which of them are one statement.

use std::path::Path;

use anyhow::{Context, Result};

/// A file.
pub struct Source {
    /// Lines as they are, for columns.
    lines: Vec<String>,
    /// The first line of the statement that each line belongs to.
    statements: Vec<u32>,
}

impl Source {
    pub fn read(path: &Path) -> Result<Source> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        Ok(Source::new(&String::from_utf8_lossy(&bytes)))
    }

    pub fn new(text: &str) -> Source {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let bare = without_comments(text);
        let mut statements = Vec::new();
        let (mut first, mut depth, mut previous, mut is_head) = (1, 0i32, "", false);
        for (number, line) in (1..).zip(bare.lines()) {
            let line = line.trim();
            // The condition of a loop that ends here stands for its body, too.
            let is_tail = previous == "}" && line.starts_with("while") && line.ends_with(';');
            if depth <= 0 && is_end(previous, is_head) && !is_tail {
                (first, depth, is_head) = (number, 0, starts_head(line));
            }
            statements.push(first);
            if !line.starts_with('#') {
                depth += line.matches('(').count() as i32 - line.matches(')').count() as i32;
            }
            if !line.is_empty() {
                previous = line;
            }
        }
        Source { lines, statements }
    }

    /// The first line of the statement that has this one.
    pub fn statement(&self, line: u32) -> u32 {
        self.statements.get((line as usize).wrapping_sub(1)).copied().unwrap_or(line)
    }

    /// The text of a statement.
    pub fn text_of(&self, statement: u32) -> String {
        let lines = self.statements.iter().zip(&self.lines).filter(|(of, _)| **of == statement);
        lines.map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The text between two places: line and column of the first character, and of the one behind the last.
    pub fn between(&self, [line, column, end_line, end_column]: [u32; 4]) -> String {
        let mut text = String::new();
        for number in line..=end_line {
            let whole = self.line(number);
            let from = if number == line { column as usize - 1 } else { 0 };
            let to = if number == end_line { whole.len().min(end_column as usize - 1) } else { whole.len() };
            text.push_str(whole.get(from..to.max(from)).unwrap_or(""));
            text.push('\n');
        }
        text.trim().to_owned()
    }

    /// What stands behind a place, on its line and the next.
    pub fn after(&self, line: u32, column: u32) -> String {
        self.between([line, column, line + 1, u32::MAX])
    }

    /// What stands before a place, on its line and those before it.
    pub fn before(&self, line: u32, column: u32) -> String {
        let first = line.saturating_sub(3).max(1);
        self.between([first, 1, line, column])
    }

    fn line(&self, number: u32) -> &str {
        self.lines.get((number as usize).wrapping_sub(1)).map_or("", String::as_str)
    }

    /// True if the text is `!` before something that takes all the rest.
    pub fn is_negation(text: &str) -> bool {
        let text = unwrapped(text.trim());
        let Some(rest) = text.strip_prefix('!') else { return false };
        let mut depth = 0;
        let mut last = ' ';
        for c in rest.chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                '=' | '<' | '&' | '|' | '^' | '+' | '%' | '/' | '?' if depth == 0 => return false,
                // As in `->`, and not otherwise.
                '>' if depth == 0 && last != '-' => return false,
                _ => {}
            }
            last = c;
        }
        true
    }
}

/// The text without parentheses around all of it.
fn unwrapped(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    unwrapped(inner.trim())
}

/// Whether a statement begins here whose condition other statements follow.
fn starts_head(line: &str) -> bool {
    let line = line.trim_start_matches(['}', ' ']);
    let line = line.strip_prefix("else").map_or(line, str::trim_start);
    ["if", "while", "for", "switch"].iter().any(|word| line.starts_with(word))
}

/// Whether a statement ends with this line.
fn is_end(line: &str, is_head: bool) -> bool {
    line.is_empty()
        || line.starts_with('#')
        || line.ends_with([';', '{', '}', ':', ','])
        || line.ends_with(')') && is_head
        || line.ends_with("else")
        || line == "do"
}

/// Comments and the inside of literals become blanks.
fn without_comments(text: &str) -> String {
    #[derive(PartialEq)]
    enum In {
        Code,
        Line,
        Block,
        Literal(char),
    }
    let mut state = In::Code;
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let shown = match (&state, c, next) {
            (_, '\n', _) => {
                if state == In::Line {
                    state = In::Code;
                }
                '\n'
            }
            (In::Code, '/', Some('/')) => {
                state = In::Line;
                ' '
            }
            (In::Code, '/', Some('*')) => {
                state = In::Block;
                chars.next();
                ' '
            }
            (In::Block, '*', Some('/')) => {
                state = In::Code;
                chars.next();
                ' '
            }
            (In::Code, '"' | '\'', _) => {
                state = In::Literal(c);
                c
            }
            (In::Literal(_), '\\', _) => {
                chars.next();
                ' '
            }
            (In::Literal(quote), c, _) if *quote == c => {
                state = In::Code;
                c
            }
            (In::Code, c, _) => c,
            _ => ' ',
        };
        out.push(shown);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        let text = "int f(void)\n{\n    if (a &&\n        b) // (\n        g();\n    x = a\n        ? b : c;\n    while (x)\n        y();\n}\n";
        let source = Source::new(text);
        let of: Vec<u32> = (1..=10).map(|line| source.statement(line)).collect();
        assert_eq!(of, [1, 1, 3, 3, 5, 6, 6, 8, 9, 10]);
    }

    #[test]
    fn negations() {
        for text in ["!a", "(!a)", "!f(x, y == 3)", "!p->x", "!(a && b)", "!!a"] {
            assert!(Source::is_negation(text), "{text}");
        }
        for text in ["a", "!a == b", "(!a) != (!b)", "!a & b", "a->b"] {
            assert!(!Source::is_negation(text), "{text}");
        }
    }

    #[test]
    fn places() {
        let source = Source::new("if (x &&\n    !y)\n");
        assert_eq!(source.between([2, 5, 2, 7]), "!y");
        assert!(source.before(2, 5).ends_with("&&"));
        assert_eq!(source.after(1, 7), "&&\n    !y)");
    }
}
