//! The syntax of a grammar file.

use gimlet_grammar::source::cursor::Cursor;
use gimlet_grammar::source::{too_deep, DEPTH_MAX, N_DIAGNOSTICS_MAX};
use gimlet_grammar::source::{Diagnostic, Span};

use super::{code, set, Alternative, AntlrRule, File};
use crate::characters;
use crate::expression::Expression;

pub fn read(text: &str) -> (File, Vec<Diagnostic>) {
    let mut reader = Reader {
        cursor: Cursor::new(text),
        file: File::default(),
        is_caseless: false,
        is_in_lexer: false,
        depth: 0,
        diagnostics: Vec::new(),
    };
    reader.skip_blanks();
    while !reader.cursor.is_at_end() && reader.diagnostics.len() < N_DIAGNOSTICS_MAX {
        reader.depth = 0;
        if let Err(error) = reader.item() {
            reader.diagnostics.push(error);
            reader.skip_rule();
        }
        reader.skip_blanks();
    }
    (reader.file, reader.diagnostics)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    file: File,
    /// What the options of the grammar say.
    is_caseless: bool,
    /// The rule that is being read is a lexer rule.
    is_in_lexer: bool,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

impl<'a> Reader<'a> {
    fn skip_blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| c.is_whitespace() || c == '\u{feff}');
            let start = self.cursor.at;
            if self.cursor.is_at("//") {
                self.cursor.take_while(|c| c != '\n');
            } else if self.cursor.take("/*") {
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

    /// Takes a word of punctuation and the blanks before it.
    fn take(&mut self, word: &str) -> bool {
        self.skip_blanks();
        self.cursor.take(word)
    }

    fn name(&mut self) -> Option<(&'a str, Span)> {
        self.skip_blanks();
        let start = self.cursor.at;
        self.cursor.peek().filter(|&c| is_name_start(c))?;
        let name = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        Some((name, self.cursor.span_from(start)))
    }

    /// A name that stands before a given word, neither of which is taken otherwise.
    fn take_word(&mut self, word: &str) -> bool {
        let before = self.cursor;
        if self.name().is_some_and(|(name, _)| name == word) {
            return true;
        }
        self.cursor = before;
        false
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.cursor.show_next());
        Diagnostic::error(self.cursor.span_here(), message)
    }

    fn expect(&mut self, word: &str, hint: &str) -> Result<(), Diagnostic> {
        match self.take(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`")).with_hint(hint)),
        }
    }

    /// Passes over code in brackets.
    fn code(&mut self) -> Result<Span, Diagnostic> {
        let start = self.cursor.at;
        match code::end(self.cursor.text.as_bytes(), start).filter(|&end| self.cursor.text.is_char_boundary(end)) {
            Some(end) => {
                self.cursor.at = end;
                Ok(Span::new(start, end))
            }
            None => Err(Diagnostic::error(Span::new(start, start + 1), "this bracket is never closed")),
        }
    }

    /// After an error: behind the next semicolon that is in no string, set or action.
    fn skip_rule(&mut self) {
        loop {
            self.skip_blanks();
            let before = self.cursor;
            let is_passed = match self.cursor.peek() {
                None => return,
                Some(';') => {
                    self.cursor.take_char();
                    return;
                }
                Some('\'') => set::take_literal(&mut self.cursor).is_ok(),
                Some('[') if self.is_in_lexer => set::take_set(&mut self.cursor).is_ok(),
                Some('{' | '[') => self.code().is_ok(),
                Some(_) => false,
            };
            if !is_passed {
                self.cursor = before;
                self.cursor.take_char();
            }
        }
    }

    /// A declaration or a rule.
    fn item(&mut self) -> Result<(), Diagnostic> {
        if self.cursor.is_at("@") {
            return self.named_action();
        }
        let before = self.cursor;
        let Some((name, span)) = self.name() else {
            return Err(self.expected("a rule").with_hint("a rule is `name : elements ;`"));
        };
        match name {
            "lexer" | "parser" if self.take_word("grammar") => self.grammar(),
            "grammar" => self.grammar(),
            "options" if self.take("{") => self.options(None),
            "tokens" if self.take("{") => self.names(true),
            "channels" if self.take("{") => self.names(false),
            "import" => {
                let imported = self.cursor.take_past(";").unwrap_or_default().trim();
                let error = Diagnostic::error(span, format!("the rules of `{imported}` are in another file"));
                self.diagnostics.push(error.with_hint("put them in this file, in the place of the import"));
                Ok(())
            }
            "mode" => {
                let Some((mode, span)) = self.name() else { return Err(self.expected("the name of a mode")) };
                self.file.modes.push((mode.to_owned(), span));
                self.expect(";", "a mode is declared with `mode NAME;`")
            }
            _ => {
                self.cursor = before;
                self.rule()
            }
        }
    }

    fn grammar(&mut self) -> Result<(), Diagnostic> {
        self.is_caseless = false;
        if self.name().is_none() {
            return Err(self.expected("the name of the grammar"));
        }
        self.expect(";", "a grammar begins with `grammar Name;`")
    }

    /// `@header {..}`, `@lexer::members {..}`
    fn named_action(&mut self) -> Result<(), Diagnostic> {
        self.cursor.take("@");
        while self.name().is_some() || self.take("::") {}
        self.skip_blanks();
        if !self.cursor.is_at("{") {
            return Err(self.expected("`{`").with_hint("an action is `@name { code }`"));
        }
        self.code().map(drop)
    }

    /// What stands in the braces of options. Those of a rule change its case.
    fn options(&mut self, mut is_caseless: Option<&mut bool>) -> Result<(), Diagnostic> {
        while !self.take("}") {
            let Some((name, _)) = self.name() else { return Err(self.expected("the name of an option")) };
            self.expect("=", "an option is `name = value;`")?;
            self.skip_blanks();
            let start = self.cursor.at;
            if self.cursor.is_at("'") {
                set::take_literal(&mut self.cursor)?;
            } else if self.cursor.is_at("{") {
                self.code()?;
            } else {
                self.cursor.take_while(|c| !c.is_whitespace() && c != ';' && c != '}');
            }
            let span = self.cursor.span_from(start);
            let value = &self.cursor.text[span.start..span.end];
            match name {
                "caseInsensitive" => *is_caseless.as_deref_mut().unwrap_or(&mut self.is_caseless) = value == "true",
                "tokenVocab" => self.file.vocabulary = Some((value.to_owned(), span)),
                _ => {}
            }
            self.expect(";", "an option is `name = value;`")?;
        }
        Ok(())
    }

    fn names(&mut self, are_tokens: bool) -> Result<(), Diagnostic> {
        while !self.take("}") {
            let Some((name, span)) = self.name() else { return Err(self.expected("a name or `}`")) };
            if are_tokens {
                self.file.tokens.push((name.to_owned(), span));
            }
            self.take(",");
        }
        Ok(())
    }

    fn rule(&mut self) -> Result<(), Diagnostic> {
        while ["public", "private", "protected"].iter().any(|word| self.take_word(word)) {}
        let is_fragment = self.take_word("fragment");
        let Some((name, span)) = self.name() else { return Err(self.expected("the name of a rule")) };
        self.is_in_lexer = name.starts_with(char::is_uppercase);
        let mut is_caseless = self.is_caseless;
        self.prequel(&mut is_caseless)?;
        self.expect(":", "a rule is `name : elements ;`")?;
        let mut alternatives = vec![self.alternative()?];
        while self.take("|") {
            alternatives.push(self.alternative()?);
        }
        self.expect(";", "a rule ends with `;`")?;
        self.handlers()?;
        self.file.rules.push(AntlrRule { name: name.to_owned(), span, is_fragment, is_caseless, alternatives });
        Ok(())
    }

    /// What may stand between the name of a rule and its colon.
    fn prequel(&mut self, is_caseless: &mut bool) -> Result<(), Diagnostic> {
        loop {
            self.skip_blanks();
            if self.cursor.is_at("[") {
                self.code()?;
            } else if self.cursor.is_at("@") {
                self.named_action()?;
            } else if self.take_word("returns") || self.take_word("locals") {
                continue;
            } else if self.take_word("throws") {
                while self.name().is_some() || self.take(",") || self.take(".") {}
            } else if self.take_word("options") {
                self.expect("{", "options are `options { name = value; }`")?;
                self.options(Some(is_caseless))?;
            } else {
                return Ok(());
            }
        }
    }

    /// `catch [..] {..}` and `finally {..}` behind a rule.
    fn handlers(&mut self) -> Result<(), Diagnostic> {
        loop {
            let before = self.cursor;
            let is_catch = self.take_word("catch");
            if !is_catch && !self.take_word("finally") {
                return Ok(());
            }
            self.skip_blanks();
            if !self.cursor.is_at(if is_catch { "[" } else { "{" }) {
                // A rule of that name.
                self.cursor = before;
                return Ok(());
            }
            if is_catch {
                self.code()?;
                self.skip_blanks();
            }
            self.code()?;
        }
    }

    /// One alternative of a rule with its label or commands.
    fn alternative(&mut self) -> Result<Alternative, Diagnostic> {
        let body = self.sequence()?;
        if self.take("#") && self.name().is_none() {
            return Err(self.expected("the name of the alternative"));
        }
        let mut commands = Vec::new();
        if self.take("->") {
            loop {
                let Some((name, span)) = self.name() else { return Err(self.expected("a command such as `skip`")) };
                let mut argument = None;
                if self.take("(") {
                    self.skip_blanks();
                    let word = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '.');
                    argument = Some(word.to_owned());
                    self.expect(")", "a command is `name(argument)`")?;
                }
                commands.push((name.to_owned(), argument, span));
                if !self.take(",") {
                    break;
                }
            }
        }
        Ok(Alternative { body, commands })
    }

    fn choice(&mut self) -> Result<Expression, Diagnostic> {
        if self.depth >= DEPTH_MAX {
            return Err(too_deep(self.cursor.span_here()));
        }
        self.depth += 1;
        let mut parts = vec![self.sequence()?];
        while self.take("|") {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(Expression::choice(parts))
    }

    fn sequence(&mut self) -> Result<Expression, Diagnostic> {
        let mut parts = Vec::new();
        loop {
            self.skip_blanks();
            match self.cursor.peek() {
                // Actions and predicates.
                Some('{') => {
                    let span = self.code()?;
                    if self.take("?") {
                        self.file.predicates.push(span);
                        // `{..}?=>` is how older versions wrote it.
                        self.take("=>");
                    }
                    self.element_options()?;
                }
                Some('<') => self.element_options()?,
                Some('\'' | '(' | '[' | '~' | '.') => parts.push(self.element()?),
                Some(c) if is_name_start(c) => parts.push(self.element()?),
                _ => return Ok(Expression::sequence(parts)),
            }
        }
    }

    /// `<assoc=right>`
    fn element_options(&mut self) -> Result<(), Diagnostic> {
        self.skip_blanks();
        let start = self.cursor.at;
        if self.cursor.take("<") && self.cursor.take_past(">").is_none() {
            let error = Diagnostic::error(Span::new(start, start + 1), "these options are never closed");
            return Err(error.with_hint("options of an element are `<name=value>`"));
        }
        Ok(())
    }

    /// Something with its label, and what says how often it stands there.
    fn element(&mut self) -> Result<Expression, Diagnostic> {
        let before = self.cursor;
        if self.name().is_none() || !(self.take("+=") || self.take("=")) {
            self.cursor = before;
        }
        let mut atom = self.atom()?;
        self.element_options()?;
        self.skip_blanks();
        let (is_optional, is_unbounded) = match self.cursor.peek() {
            Some('?') => (true, false),
            Some('*') => (true, true),
            Some('+') if !self.cursor.is_at("+=") => (false, true),
            _ => return Ok(atom),
        };
        self.cursor.take_char();
        let is_lazy = self.take("?");
        atom = atom.repeat(is_optional, is_unbounded, is_lazy);
        Ok(atom)
    }

    fn atom(&mut self) -> Result<Expression, Diagnostic> {
        self.skip_blanks();
        let start = self.cursor.at;
        match self.cursor.peek() {
            Some('~') => {
                if self.depth >= DEPTH_MAX {
                    return Err(too_deep(self.cursor.span_here()));
                }
                self.cursor.take_char();
                self.depth += 1;
                let inner = self.atom()?;
                self.depth -= 1;
                Ok(Expression::Not(Box::new(inner), self.cursor.span_from(start)))
            }
            Some('(') => {
                self.cursor.take_char();
                self.block_prequel()?;
                let inner = self.choice()?;
                if !self.take(")") {
                    let line = self.cursor.text[..start].matches('\n').count() + 1;
                    return Err(self.expected("`)`").with_hint(format!("it closes the `(` in line {line}")));
                }
                Ok(inner)
            }
            Some('.') => {
                self.cursor.take_char();
                Ok(Expression::Any)
            }
            Some('[') if self.is_in_lexer => {
                let (class, span) = set::take_set(&mut self.cursor)?;
                Ok(Expression::Set(class, span))
            }
            Some('\'') => self.literal_or_range(),
            Some(c) if is_name_start(c) => {
                let Some((name, span)) = self.name() else { return Err(self.expected("a name")) };
                self.skip_blanks();
                if !self.is_in_lexer && self.cursor.is_at("[") {
                    self.code()?;
                }
                Ok(if name == "EOF" { Expression::End(span) } else { Expression::Name(name.to_owned(), span) })
            }
            _ => Err(self.expected("a name, a string or a bracket")),
        }
    }

    /// `(options {..} : ..)` and `(@init {..} : ..)`
    fn block_prequel(&mut self) -> Result<(), Diagnostic> {
        let before = self.cursor;
        if self.take_word("options") {
            if !self.take("{") {
                self.cursor = before;
                return Ok(());
            }
            self.options(Some(&mut false))?;
        }
        self.skip_blanks();
        while self.cursor.is_at("@") {
            self.named_action()?;
            self.skip_blanks();
        }
        self.take(":");
        Ok(())
    }

    /// `'text'` or `'a'..'z'`
    fn literal_or_range(&mut self) -> Result<Expression, Diagnostic> {
        let (text, span) = set::take_literal(&mut self.cursor)?;
        if !self.take("..") {
            return Ok(Expression::Text(text, span));
        }
        self.skip_blanks();
        if !self.cursor.is_at("'") {
            return Err(self.expected("a character").with_hint("a range is `'a'..'z'`"));
        }
        let (last, last_span) = set::take_literal(&mut self.cursor)?;
        let span = span.to(last_span);
        let one = |text: &str| text.chars().next().filter(|c| text.len() == c.len_utf8());
        let ends = one(&text).zip(one(&last)).filter(|(first, last)| first <= last);
        let (first, last) =
            ends.ok_or_else(|| Diagnostic::error(span, "a range needs two characters in their order"))?;
        Ok(Expression::Set(characters::range(first, last), span))
    }
}
