//! Reads the language of HAMPI: one variable, grammars, expressions, texts, and what is asserted of them.
//!
//! ```text
//! var v : 2 .. 6;                            // its size in bytes, or a range of sizes
//! cfg E := "()" | E E | "(" E ")" | ;        // also ['a'-'z'], \040, (E)?, (E)*, (E)+
//! reg R := concat(star("a"), fix(E, 6));     // also or(..), ['a'-'z'], \040, names
//! val q := concat("((", v, "))");
//! assert q in E;                             // also `not in`
//! assert q contains "())";                   // also `not contains`
//! ```

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::source::cursor::Cursor;
use gimlet_grammar::source::{too_deep, DEPTH_MAX, N_DIAGNOSTICS_MAX};
use gimlet_grammar::source::{Diagnostic, Span};

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    Var { name: Name, from: u64, to: u64, sizes: Span },
    Cfg { name: Name, right: Element },
    Reg { name: Name, expression: Reg },
    Val { name: Name, value: Val },
    In { what: Name, is_not: bool, language: Name },
    Contains { what: Name, is_not: bool, text: Vec<u8> },
}

/// What stands on the right of a grammar's rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Element {
    Text(Vec<u8>),
    Set(ByteSet),
    Name(Name),
    Sequence(Vec<Element>),
    Choice(Vec<Element>),
    Optional(Box<Element>),
    Many(Box<Element>),
    AtLeastOnce(Box<Element>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reg {
    Text(Vec<u8>),
    Set(ByteSet),
    Name(Name),
    /// The strings of a grammar that have a length.
    Fix(Name, u64, Span),
    Star(Box<Reg>),
    Or(Vec<Reg>),
    Concat(Vec<Reg>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Val {
    Text(Vec<u8>),
    Name(Name),
    Concat(Vec<Val>),
}

/// The statements, and what is wrong with the others.
pub fn read(text: &str) -> (Vec<Statement>, Vec<Diagnostic>) {
    let mut reader = Reader { cursor: Cursor::new(text), depth: 0, diagnostics: Vec::new() };
    let mut statements = Vec::new();
    reader.skip_blanks();
    while !reader.cursor.is_at_end() && reader.diagnostics.len() < N_DIAGNOSTICS_MAX {
        match reader.statement() {
            Ok(statement) => statements.push(statement),
            Err(error) => {
                reader.diagnostics.push(error);
                reader.pass_over();
            }
        }
        reader.skip_blanks();
    }
    (statements, reader.diagnostics)
}

const STATEMENTS: [&str; 5] = ["var", "cfg", "reg", "val", "assert"];

type Read<T> = Result<T, Diagnostic>;

struct Reader<'a> {
    cursor: Cursor<'a>,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| c.is_whitespace() || c == '\u{feff}');
            let start = self.cursor.at;
            if self.cursor.is_at("//") {
                self.cursor.take_while(|c| c != '\n');
            } else if self.cursor.is_at("/*") {
                if self.cursor.take_past("*/").is_none() {
                    let error = Diagnostic::error(Span::new(start, start + 2), "this comment is never closed");
                    self.diagnostics.push(error.with_hint("it ends with `*/`"));
                    self.cursor.finish();
                }
            } else {
                return;
            }
        }
    }

    /// To the end of a statement that was not understood: behind its `;`, or where the next one begins.
    fn pass_over(&mut self) {
        self.depth = 0;
        while !self.cursor.is_at_end() {
            if self.cursor.take(";") {
                return;
            }
            if self.cursor.is_at("\"") {
                self.cursor.take_char();
                while self.cursor.peek().is_some_and(|c| c != '"' && c != '\n') {
                    let is_escape = self.cursor.peek() == Some('\\');
                    self.cursor.take_char();
                    if is_escape {
                        self.cursor.take_char();
                    }
                }
                self.cursor.take("\"");
                continue;
            }
            if self.cursor.take_char() == Some('\n') {
                let mut ahead = self.cursor;
                ahead.take_while(char::is_whitespace);
                let word = ahead.take_while(is_name_part);
                if STATEMENTS.contains(&word.to_ascii_lowercase().as_str()) {
                    return;
                }
            }
        }
    }

    fn statement(&mut self) -> Read<Statement> {
        let start = self.cursor.at;
        let word = self.cursor.take_while(is_name_part).to_ascii_lowercase();
        let statement = match word.as_str() {
            "var" => self.variable()?,
            "cfg" => {
                let name = self.definition()?;
                Statement::Cfg { name, right: self.choice()? }
            }
            "reg" => {
                let name = self.definition()?;
                Statement::Reg { name, expression: self.reg()? }
            }
            "val" => {
                let name = self.definition()?;
                Statement::Val { name, value: self.val()? }
            }
            "assert" => self.assertion()?,
            _ => {
                self.cursor.at = start;
                let message = format!("a statement is expected, not {}", self.cursor.show_next());
                let end = if word.is_empty() { self.cursor.span_here().end } else { start + word.len() };
                let hint = "a statement begins with `var`, `cfg`, `reg`, `val` or `assert`";
                return Err(Diagnostic::error(Span::new(start, end), message).with_hint(hint));
            }
        };
        self.expect(";", "a statement ends with `;`")?;
        Ok(statement)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.cursor.span_here(), format!("{what} is expected, not {}", self.cursor.show_next()))
    }

    fn expect(&mut self, sign: &str, hint: &str) -> Read<()> {
        self.skip_blanks();
        match self.cursor.take(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`")).with_hint(hint)),
        }
    }

    fn name(&mut self, what: &str) -> Read<Name> {
        self.skip_blanks();
        let start = self.cursor.at;
        let is_name = self.cursor.peek().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !is_name {
            return Err(self.expected(what));
        }
        let text = self.cursor.take_while(is_name_part).to_owned();
        Ok(Name { text, span: self.cursor.span_from(start) })
    }

    fn number(&mut self) -> Read<u64> {
        self.skip_blanks();
        let start = self.cursor.at;
        let digits = self.cursor.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected("a number"));
        }
        digits.parse().map_err(|_| Diagnostic::error(self.cursor.span_from(start), "this number is too large"))
    }

    fn variable(&mut self) -> Read<Statement> {
        let name = self.name("the name of a variable")?;
        self.expect(":", "its size comes next: `var v : 6;` or `var v : 3 .. 9;`")?;
        self.skip_blanks();
        let start = self.cursor.at;
        let from = self.number()?;
        let mut sizes = self.cursor.span_from(start);
        self.skip_blanks();
        let to = match self.cursor.take("..") {
            true => {
                let to = self.number()?;
                sizes = self.cursor.span_from(start);
                to
            }
            false => from,
        };
        Ok(Statement::Var { name, from, to, sizes })
    }

    fn definition(&mut self) -> Read<Name> {
        let name = self.name("a name")?;
        self.expect(":=", "what it stands for comes behind `:=`")?;
        Ok(name)
    }

    fn assertion(&mut self) -> Read<Statement> {
        let what = self.name("the name of the variable or of a `val`")?;
        let mut word = self.name("`in` or `contains`")?;
        let is_not = word.text == "not";
        if is_not {
            word = self.name("`in` or `contains`")?;
        }
        match word.text.as_str() {
            "in" => Ok(Statement::In { what, is_not, language: self.name("the name of a `cfg` or `reg`")? }),
            "contains" => {
                self.skip_blanks();
                if self.cursor.peek() != Some('"') {
                    return Err(self.expected("a text in quotes"));
                }
                Ok(Statement::Contains { what, is_not, text: self.text()? })
            }
            _ => {
                let message = format!("`in` or `contains` is expected, not `{}`", word.text);
                let hint = "`assert v in E;`, `assert v not in E;`, `assert v contains \"x\";`";
                Err(Diagnostic::error(word.span, message).with_hint(hint))
            }
        }
    }

    /// Runs a reader for something inside of what is read.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH_MAX {
            return Err(too_deep(self.cursor.span_here()));
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    fn choice(&mut self) -> Read<Element> {
        let mut alternatives = vec![self.sequence()?];
        while self.cursor.take("|") {
            alternatives.push(self.sequence()?);
        }
        match alternatives.len() {
            1 => Ok(alternatives.remove(0)),
            _ => Ok(Element::Choice(alternatives)),
        }
    }

    fn sequence(&mut self) -> Read<Element> {
        let mut parts = Vec::new();
        loop {
            self.skip_blanks();
            match self.cursor.peek() {
                None | Some(';' | '|' | ')') => return Ok(Element::Sequence(parts)),
                Some(_) => parts.push(self.element()?),
            }
        }
    }

    fn element(&mut self) -> Read<Element> {
        let mut element = match self.cursor.peek() {
            Some('"') => Element::Text(self.text()?),
            Some('\\') => Element::Text(vec![self.code()?]),
            Some('[') => Element::Set(self.set()?),
            Some('(') => {
                self.cursor.take_char();
                let inner = self.inside(Self::choice)?;
                self.expect(")", "a group ends with `)`")?;
                inner
            }
            _ => Element::Name(self.name("a text, a range, a name or `;`")?),
        };
        loop {
            self.skip_blanks();
            element = match self.cursor.peek() {
                Some('?') => Element::Optional(Box::new(element)),
                Some('*') => Element::Many(Box::new(element)),
                Some('+') => Element::AtLeastOnce(Box::new(element)),
                _ => return Ok(element),
            };
            self.cursor.take_char();
        }
    }

    fn reg(&mut self) -> Read<Reg> {
        self.skip_blanks();
        match self.cursor.peek() {
            Some('"') => return Ok(Reg::Text(self.text()?)),
            Some('\\') => return Ok(Reg::Text(vec![self.code()?])),
            Some('[') => return Ok(Reg::Set(self.set()?)),
            _ => {}
        }
        let name = self.name("a text, a range, a name, `fix`, `star`, `or` or `concat`")?;
        self.skip_blanks();
        if !self.cursor.is_at("(") {
            return Ok(Reg::Name(name));
        }
        match name.text.as_str() {
            "fix" | "fixsize" => {
                self.expect("(", "")?;
                let grammar = self.name("the name of a `cfg`")?;
                self.expect(",", "the size comes next: `fix(E, 6)`")?;
                self.skip_blanks();
                let start = self.cursor.at;
                let len = self.number()?;
                let span = self.cursor.span_from(start);
                self.expect(")", "`fix(E, 6)` ends here")?;
                Ok(Reg::Fix(grammar, len, span))
            }
            "star" => {
                self.expect("(", "")?;
                let inner = self.inside(Self::reg)?;
                self.expect(")", "`star(..)` takes one expression")?;
                Ok(Reg::Star(Box::new(inner)))
            }
            "or" => Ok(Reg::Or(self.list(Self::reg)?)),
            "concat" => Ok(Reg::Concat(self.list(Self::reg)?)),
            other => {
                let error = Diagnostic::error(name.span, format!("`{other}` is no operation on regular languages"));
                Err(error.with_hint("there are `fix`, `star`, `or` and `concat`"))
            }
        }
    }

    fn val(&mut self) -> Read<Val> {
        self.skip_blanks();
        match self.cursor.peek() {
            Some('"') => return Ok(Val::Text(self.text()?)),
            Some('\\') => return Ok(Val::Text(vec![self.code()?])),
            _ => {}
        }
        let name = self.name("a text, a name or `concat`")?;
        self.skip_blanks();
        match (name.text.as_str(), self.cursor.is_at("(")) {
            ("concat", true) => Ok(Val::Concat(self.list(Self::val)?)),
            (other, true) => {
                let error = Diagnostic::error(name.span, format!("`{other}` is no operation on texts"));
                Err(error.with_hint("there is `concat`"))
            }
            (_, false) => Ok(Val::Name(name)),
        }
    }

    /// Things in brackets with commas between them.
    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect("(", "")?;
        let mut all = vec![self.inside(&mut read)?];
        loop {
            self.skip_blanks();
            if self.cursor.take(",") {
                all.push(self.inside(&mut read)?);
            } else {
                self.expect(")", "a list ends with `)`, and has commas between its parts")?;
                return Ok(all);
            }
        }
    }

    /// A text in quotes.
    fn text(&mut self) -> Read<Vec<u8>> {
        let start = self.cursor.at;
        self.cursor.take_char();
        let mut bytes = Vec::new();
        loop {
            match self.cursor.peek() {
                Some('"') => {
                    self.cursor.take_char();
                    return Ok(bytes);
                }
                Some('\\') => bytes.push(self.escape()?),
                None | Some('\n') => {
                    let error = Diagnostic::error(Span::new(start, start + 1), "this text is never closed");
                    return Err(error.with_hint("it ends with `\"` on the same line; a newline is `\\n`"));
                }
                Some(c) => {
                    self.cursor.take_char();
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
    }

    /// `\n`, `\"` or `\065`.
    fn escape(&mut self) -> Read<u8> {
        let start = self.cursor.at;
        let mut ahead = self.cursor;
        ahead.take_char();
        let byte = match ahead.peek() {
            Some(c) if c.is_ascii_digit() => return self.code(),
            Some('n') => b'\n',
            Some('t') => b'\t',
            Some('r') => b'\r',
            Some(c @ ('"' | '\'' | '\\')) => c as u8,
            _ => {
                let span = Span::new(start, start + 1);
                let hint = "there are `\\n`, `\\t`, `\\r`, `\\\"`, `\\'`, `\\\\` and codes such as `\\065`";
                return Err(Diagnostic::error(span, "this escape is not known").with_hint(hint));
            }
        };
        ahead.take_char();
        self.cursor = ahead;
        Ok(byte)
    }

    /// `\065`: three digits, in decimal.
    fn code(&mut self) -> Read<u8> {
        let start = self.cursor.at;
        self.cursor.take_char();
        let digits: String = self.cursor.rest().chars().take(3).take_while(char::is_ascii_digit).collect();
        self.cursor.at += digits.len();
        digits.parse().ok().filter(|_| digits.len() == 3).ok_or_else(|| {
            let error = Diagnostic::error(self.cursor.span_from(start), "a byte is expected by its code");
            error.with_hint("codes have three decimal digits: `\\000` to `\\255`")
        })
    }

    /// `['a'-'z']` or `[\000-\255]`.
    fn set(&mut self) -> Read<ByteSet> {
        let start = self.cursor.at;
        self.cursor.take_char();
        let from = self.end_of_range()?;
        self.expect("-", "a range is `['a'-'z']` or `[\\000-\\255]`")?;
        let to = self.end_of_range()?;
        self.expect("]", "a range is `['a'-'z']` or `[\\000-\\255]`")?;
        if from > to {
            return Err(Diagnostic::error(
                self.cursor.span_from(start),
                "this range is empty: its ends are the wrong way round",
            ));
        }
        Ok(ByteSet::of(|byte| (from..=to).contains(&byte), u8::MAX))
    }

    fn end_of_range(&mut self) -> Read<u8> {
        self.skip_blanks();
        match self.cursor.peek() {
            Some('\\') => self.code(),
            Some('\'') => {
                let start = self.cursor.at;
                self.cursor.take_char();
                let byte = match self.cursor.peek() {
                    Some('\\') => self.escape()?,
                    Some(c) if c.is_ascii() => {
                        self.cursor.take_char();
                        c as u8
                    }
                    _ => {
                        return Err(self.expected("a character of ASCII").with_hint("others are codes such as `\\255`"))
                    }
                };
                match self.cursor.take("'") {
                    true => Ok(byte),
                    false => Err(Diagnostic::error(self.cursor.span_from(start), "this character is never closed")),
                }
            }
            _ => Err(self.expected("`'a'` or `\\097`").with_hint("a range is `['a'-'z']` or `[\\000-\\255]`")),
        }
    }
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_grammar::source::Source;

    #[test]
    fn statements() {
        let text = "/* two */ var v : 2 .. 6; // sizes\ncfg E := \"()\" | E (E)* | \\040 ['a'-'c']? | ;\n\
            reg R := or(star(concat(\"a\", R2)), fix(E, 6), [\\000-\\255]);\nval q := concat(\"\\\"\\009\", v);\n\
            assert q not in R; assert v contains \"x\";";
        let (statements, diagnostics) = read(text);
        assert_eq!(diagnostics, []);
        assert_eq!(statements.len(), 6);
        assert!(matches!(&statements[0], Statement::Var { from: 2, to: 6, .. }));
        let Statement::Cfg { right: Element::Choice(alternatives), .. } = &statements[1] else { panic!() };
        assert_eq!(alternatives[3], Element::Sequence(Vec::new()));
        let Element::Sequence(third) = &alternatives[2] else { panic!() };
        assert_eq!(third[0], Element::Text(b"(".to_vec()));
        let Statement::Val { value: Val::Concat(parts), .. } = &statements[3] else { panic!() };
        assert_eq!(parts[0], Val::Text(b"\"\t".to_vec()));
        assert!(matches!(&statements[4], Statement::In { is_not: true, .. }));
        assert!(matches!(&statements[5], Statement::Contains { is_not: false, text, .. } if text == b"x"));
    }

    /// Line, column and message of the first error, and the number of statements that were understood.
    fn check(text: &str, expected: &str) {
        let (statements, diagnostics) = read(text);
        let source = Source::new("a.hmp", text);
        let (line, column) = source.position(diagnostics[0].span.start);
        assert_eq!(format!("{line}:{column}: {}; {}", diagnostics[0].message, statements.len()), expected, "{text}");
    }

    #[test]
    fn what_is_wrong() {
        check("var v 2;\nassert v in E;", "1:7: `:` is expected, not `2`; 1");
        check("var v : x;\n", "1:9: a number is expected, not `x`; 0");
        check("cfg E := \"a;\nreg R := E;", "1:10: this text is never closed; 1");
        check("cfg E := \"a\" )\nval q := v;", "1:14: `;` is expected, not `)`; 1");
        check("reg R := plus(\"a\");", "1:10: `plus` is no operation on regular languages; 0");
        check("assert v is E;", "1:10: `in` or `contains` is expected, not `is`; 0");
        check("cfg E := \\7;", "1:10: a byte is expected by its code; 0");
        check("cfg E := \\300;", "1:10: a byte is expected by its code; 0");
        check("cfg E := ['z'-'a'];", "1:10: this range is empty: its ends are the wrong way round; 0");
        check("cfg E := \"\\q\";", "1:11: this escape is not known; 0");
        check("let x;", "1:1: a statement is expected, not `let`; 0");
        check("/* x", "1:1: this comment is never closed; 0");
        check("val q := v", "1:11: `;` is expected, not the end of the file; 0");
    }

    #[test]
    fn what_is_nested_deeply_is_told() {
        let text = format!("cfg E := {}{};", "(".repeat(200_000), ")".repeat(200_000));
        assert_eq!(read(&text).1.len(), 1);
        let text = format!("reg R := {}\"a\"{};", "star(".repeat(200_000), ")".repeat(200_000));
        assert_eq!(read(&text).1.len(), 1);
    }
}
