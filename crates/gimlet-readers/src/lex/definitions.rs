//! The first section: names, start conditions, options and C code.

use gimlet_grammar::scanner::{Condition, Definition, Lex};
use gimlet_grammar::source::{Diagnostic, Source, Span};

use super::code::{comment_end, is_at_line_end, is_blank, line_end, name_length, next_line, skip_blanks};
use super::options;

/// Returns where the rules begin, if there are any.
pub(super) fn read(source: &Source, lex: &mut Lex) -> Option<usize> {
    let mut section = Section { text: source.text.as_bytes(), source, lex };
    let mut at = 0;
    while at < section.text.len() {
        if section.text[at..].starts_with(b"%%") {
            return Some(next_line(section.text, at));
        }
        // Whatever is wrong with a line, it is left behind.
        at = section.line(at).max(at + 1);
    }
    let end = Span::new(at, at);
    lex.diagnostics.push(
        Diagnostic::error(end, "the file has no rules").with_hint("a line that begins with %% stands before the rules"),
    );
    None
}

struct Section<'a> {
    text: &'a [u8],
    source: &'a Source,
    lex: &'a mut Lex,
}

impl Section<'_> {
    /// Reads what begins with a line, and returns where the next begins.
    fn line(&mut self, start: usize) -> usize {
        let rest = &self.text[start..];
        let next = next_line(self.text, start);
        match rest {
            _ if is_at_line_end(self.text, skip_blanks(self.text, start)) => next,
            [first, ..] if is_blank(*first) => {
                self.lex.code.push(Span::new(start, next));
                next
            }
            [b'/', b'*', ..] => self.comment(start),
            [b'#', ..] => self.hash(start),
            [b'%', ..] => self.directive(start),
            _ if name_length(rest) > 0 => {
                self.definition(start);
                next
            }
            _ => {
                self.unexpected(start);
                next
            }
        }
    }

    fn error(&mut self, start: usize, end: usize, message: impl Into<String>) -> &mut Diagnostic {
        self.lex.diagnostics.push(Diagnostic::error(Span::new(start, end), message));
        let last = self.lex.diagnostics.len() - 1;
        &mut self.lex.diagnostics[last]
    }

    fn comment(&mut self, start: usize) -> usize {
        let Some(end) = comment_end(self.text, start) else {
            self.error(start, start + 2, "the comment does not end");
            return self.text.len();
        };
        let after = skip_blanks(self.text, end);
        if !is_at_line_end(self.text, after) {
            self.unexpected(after);
        }
        next_line(self.text, end)
    }

    /// Of preprocessor lines, flex knows only `#line` here.
    fn hash(&mut self, start: usize) -> usize {
        let name = skip_blanks(self.text, start + 1);
        if !(self.text[name..].starts_with(b"line") && self.text.get(name + 4).is_some_and(|&byte| is_blank(byte))) {
            self.unexpected(start);
        }
        next_line(self.text, start)
    }

    fn unexpected(&mut self, at: usize) {
        let end = line_end(self.text, at);
        let end = self.source.text[at..end].trim_end().len() + at;
        self.error(at, end, "this is no definition").hint =
            Some("C code is indented, or stands between lines with %{ and %}".to_owned());
    }

    fn directive(&mut self, start: usize) -> usize {
        let next = next_line(self.text, start);
        let end = line_end(self.text, start);
        let line = &self.source.text[start..end];
        let lower = line.to_ascii_lowercase();
        let after = |prefix: &str| lower.starts_with(prefix).then_some(start + prefix.len());
        if after("%{").is_some() {
            return self.block(start);
        }
        if after("%top").is_some() {
            return self.top(start);
        }
        if after("%pointer").is_some() || after("%array").is_some() {
            return next;
        }
        if let Some(at) = after("%option") {
            options::read(&self.source.text[at..end], at, &mut self.lex.options, &mut self.lex.diagnostics);
            return next;
        }
        if let Some(at) = after("%s").or_else(|| after("%x")) {
            self.conditions(at + name_length(&self.text[at..]), end, lower.starts_with("%x"));
            return next;
        }
        if !is_table_size(lower.as_bytes()) {
            let word = line.find([' ', '\t']).unwrap_or(line.trim_end().len());
            self.error(start, start + word, format!("unknown directive {}", &line[..word]));
        }
        next
    }

    /// `%{` to a line with `%}`.
    fn block(&mut self, start: usize) -> usize {
        let inside = next_line(self.text, start);
        let mut at = inside;
        while at < self.text.len() {
            if self.text[at..].starts_with(b"%}") {
                self.lex.code.push(Span::new(inside, at));
                return next_line(self.text, at);
            }
            at = next_line(self.text, at);
        }
        self.error(start, start + 2, "there is no %} for this");
        self.text.len()
    }

    /// `%top{` to its brace; flex looks at nothing but braces.
    fn top(&mut self, start: usize) -> usize {
        let brace = skip_blanks(self.text, start + 4);
        if self.text.get(brace) != Some(&b'{') || !is_at_line_end(self.text, skip_blanks(self.text, brace + 1)) {
            let end = line_end(self.text, start);
            self.error(start, end, "%top is not followed by { and the end of the line");
            return next_line(self.text, start);
        }
        let mut depth = 0;
        for (n, byte) in self.text[brace..].iter().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.lex.code.push(Span::new(brace + 1, brace + n));
                return next_line(self.text, brace + n);
            }
        }
        self.error(start, brace + 1, "there is no } for this");
        self.text.len()
    }

    fn conditions(&mut self, start: usize, end: usize, is_exclusive: bool) {
        let mut at = start;
        let mut n_names = 0;
        loop {
            at = skip_blanks(self.text, at);
            if is_at_line_end(self.text, at) || at >= end {
                break;
            }
            let length = name_length(&self.text[at..end]);
            if length == 0 {
                let message = "this is no name of a start condition";
                self.error(at, end, message).hint = Some("names are divided by blanks; no comments".to_owned());
                return;
            }
            let span = Span::new(at, at + length);
            let name = &self.source.text[at..at + length];
            if self.lex.condition_named(name).is_some() {
                self.error(at, at + length, format!("start condition {name} is declared twice"));
            } else {
                self.lex.conditions.push(Condition { name: name.to_owned(), is_exclusive, span });
            }
            n_names += 1;
            at += length;
        }
        if n_names == 0 {
            self.error(start, end, "start conditions are missing");
        }
    }

    fn definition(&mut self, start: usize) {
        let name_end = start + name_length(&self.text[start..]);
        let name = self.source.text[start..name_end].to_owned();
        let text_start = skip_blanks(self.text, name_end);
        let end = line_end(self.text, start);
        let text = self.source.text[text_start..end].trim_end_matches('\r').trim_end_matches([' ', '\t']);
        if text.is_empty() {
            self.error(start, name_end, format!("{name} has no definition"));
            return;
        }
        if self.lex.definitions.iter().any(|definition| definition.name == name) {
            self.error(start, name_end, format!("{name} is defined twice"));
            return;
        }
        let span = Span::new(text_start, text_start + text.len());
        self.lex.definitions.push(Definition { name, span });
    }
}

/// `%p 3000` and the like, which lex needed once.
fn is_table_size(line: &[u8]) -> bool {
    matches!(line, [_, b'a' | b'c' | b'e' | b'k' | b'n' | b'o' | b'p' | b'r', rest @ ..]
        if rest.first().is_none_or(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()))
}

#[cfg(test)]
mod tests {
    use crate::lex;
    use gimlet_grammar::source::Source;

    fn check(definitions: &str, expected: &[&str]) {
        let source = Source::new("a.l", format!("{definitions}\n%%\n"));
        let lex = lex::read(&source);
        let text = |span: gimlet_grammar::Span| &source.text[span.start..span.end];
        let conditions =
            lex.conditions[1..].iter().map(|c| format!("{} {}", if c.is_exclusive { "%x" } else { "%s" }, c.name));
        let names = lex.definitions.iter().map(|definition| format!("{} = {}", definition.name, text(definition.span)));
        let code = lex.code.iter().map(|&span| format!("code {:?}", text(span)));
        let messages = lex.diagnostics.iter().map(|diagnostic| diagnostic.message.clone());
        let found: Vec<String> = conditions.chain(names).chain(code).chain(messages).collect();
        assert_eq!(found, expected, "{definitions}");
    }

    #[test]
    fn definitions_of_all_kinds() {
        check("D\t[0-9] \nword-1 {D} x\r\n", &["D = [0-9]", "word-1 = {D} x"]);
        check("%s A B\n%xtate C\n%START D", &["%s A", "%s B", "%x C", "%s D"]);
        check(
            "%{\na\n%}\n%top{\nb {}\n}\n  c\n/* d\n */\n",
            &["code \"a\\n\"", "code \"\\nb {}\\n\"", "code \"  c\\n\""],
        );
        check("%p 3000\n%n2\n%array\n%pointer\n%option stack\n# line 1 \"a\"\n", &[]);
    }

    #[test]
    fn mistakes() {
        check("D", &["D has no definition"]);
        check("D a\nD b", &["D = a", "D is defined twice"]);
        check(
            "%x A A /* c */",
            &["%x A", "start condition A is declared twice", "this is no name of a start condition"],
        );
        check("%s", &["start conditions are missing"]);
        check("%what is", &["unknown directive %what"]);
        check("#include <a>\n=", &["this is no definition", "this is no definition"]);
        check("/* a", &["the comment does not end", "the file has no rules"]);
        check("%{", &["there is no %} for this", "the file has no rules"]);
        check("%top {\n{", &["there is no } for this", "the file has no rules"]);
        check("%top a", &["%top is not followed by { and the end of the line"]);
    }
}
