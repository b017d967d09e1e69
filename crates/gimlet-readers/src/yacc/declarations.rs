//! The first section: what the symbols are, and how the parser is to be made.
//!
//! Most directives say something about the parser's C code. They are read so that what follows them is found, and what
//! they say is kept where it changes the language or the names of functions.

use gimlet_grammar::grammar::Precedence;
use gimlet_grammar::source::spelling::nearest;
use gimlet_grammar::source::{Diagnostic, Span};

use super::reader::Reader;
use super::scan::{Kind, Token};
use super::symbols::{associativity, Class, SymbolIndex};
use super::Define;

/// Directives that stand alone.
const FLAGS: &[&str] = &[
    "%debug",
    "%error-verbose",
    "%fixed-output-files",
    "%glr-parser",
    "%locations",
    "%no-lines",
    "%no-parser",
    "%nondeterministic-parser",
    "%pure-parser",
    "%raw",
    "%token-table",
    "%verbose",
    "%yacc",
];

/// Directives with a string, which an `=` may precede.
const WITH_STRING: &[&str] =
    &["%file-prefix", "%ident", "%language", "%name-prefix", "%output", "%require", "%skeleton"];

/// Directives with code in braces, once or more often.
const WITH_CODE: &[&str] = &["%initial-action", "%lex-param", "%param", "%parse-param"];

/// The rest, for hints only.
const OTHERS: &[&str] = &[
    "%binary",
    "%code",
    "%default-prec",
    "%define",
    "%defines",
    "%destructor",
    "%dprec",
    "%empty",
    "%expect",
    "%expect-rr",
    "%header",
    "%left",
    "%merge",
    "%no-default-prec",
    "%nonassoc",
    "%nterm",
    "%prec",
    "%precedence",
    "%printer",
    "%right",
    "%start",
    "%term",
    "%token",
    "%type",
    "%union",
];

impl Reader<'_> {
    /// Everything up to the first `%%`.
    pub(super) fn declarations(&mut self) {
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Mark => return,
                Kind::Prologue => {
                    self.prologues.push(token.span);
                    self.advance();
                }
                Kind::Semicolon => self.advance(),
                Kind::Directive => self.declaration(token),
                _ => {
                    self.unexpected(token, "a declaration");
                    if self.is_rule_start() {
                        return self.hint("rules begin behind a line `%%`");
                    }
                    self.advance();
                    self.skip_declaration();
                }
            }
        }
    }

    /// One declaration, with everything that belongs to it.
    pub(super) fn declaration(&mut self, directive: Token) {
        self.advance();
        let name = self.directive_name(directive);
        match name.as_str() {
            "%token" | "%term" | "%0" => self.declared_symbols(Class::Token),
            "%nterm" => self.declared_symbols(Class::Nonterminal),
            "%type" => {
                self.symbols_and_tags();
            }
            "%start" => self.start_symbol(directive),
            "%define" => self.define(directive),
            "%union" => {
                self.take_kind(Kind::Identifier);
                self.code_block();
            }
            "%code" => {
                self.take_kind(Kind::Identifier);
                if let Some(span) = self.code_block() {
                    self.prologues.push(span);
                }
            }
            "%destructor" | "%printer" => {
                self.code_block();
                self.symbols_and_tags();
            }
            "%expect" => self.expect = self.number().or(self.expect),
            "%expect-rr" => self.expect_rr = self.number().or(self.expect_rr),
            "%default-prec" => self.has_default_prec = true,
            "%no-default-prec" => self.has_default_prec = false,
            "%defines" | "%header" => {
                self.take_kind(Kind::Equals);
                self.take_kind(Kind::String);
            }
            "%glr-parser" | "%nondeterministic-parser" => self.is_glr = true,
            name if FLAGS.contains(&name) => {}
            name if WITH_STRING.contains(&name) => self.string_setting(name),
            name if WITH_CODE.contains(&name) => {
                self.code_block();
                while self.take_kind(Kind::Braced).is_some() {}
            }
            name if associativity(name).is_some() => self.precedence_level(name),
            name => self.unknown_directive(name, directive),
        }
    }

    fn unknown_directive(&mut self, name: &str, directive: Token) {
        let known = [FLAGS, WITH_STRING, WITH_CODE, OTHERS].concat();
        let error = if known.contains(&name) {
            Diagnostic::error(directive.span, format!("`{name}` has no place here")).with_hint("it is part of a rule")
        } else {
            let error = Diagnostic::error(directive.span, format!("`{name}` is no directive that is known here"));
            match nearest(name, known.into_iter()) {
                Some(other) => error.with_hint(format!("did you mean `{other}`?")),
                None => error,
            }
        };
        self.diagnostics.push(error);
        self.skip_declaration();
    }

    /// After an error: to what surely begins something else.
    pub(super) fn skip_declaration(&mut self) {
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Semicolon | Kind::Directive | Kind::Mark | Kind::Prologue => return,
                _ if self.is_rule_start() => return,
                _ => self.advance(),
            }
        }
    }

    /// Names with numbers and strings that stand for them.
    fn declared_symbols(&mut self, class: Class) {
        let mut n_symbols = 0;
        while let Some(token) = self.peek().filter(|_| !self.is_rule_start()) {
            match token.kind {
                Kind::Tag => self.advance(),
                Kind::Identifier | Kind::Character(_) => {
                    let symbol = self.take_symbol(token);
                    self.symbols.classify(symbol, class, token.span, true);
                    self.explicit_number(symbol);
                    if let Some(alias) = self.take_kind(Kind::String) {
                        let string = self.symbol(alias);
                        self.symbols.set_alias(symbol, string, alias.span);
                    }
                    n_symbols += 1;
                }
                Kind::String => {
                    let error = Diagnostic::error(token.span, "a string needs a token that it stands for");
                    self.diagnostics.push(error.with_hint("write a name before it"));
                    self.advance();
                    n_symbols += 1;
                }
                _ => break,
            }
        }
        if n_symbols == 0 {
            self.missing("a name");
        }
    }

    /// The number behind a token, if there is one.
    fn explicit_number(&mut self, symbol: SymbolIndex) {
        let Some(Token { kind: Kind::Integer(number), span }) = self.peek() else { return };
        self.symbols.set_number(symbol, number, span);
        self.advance();
    }

    /// The symbols behind `%left` and its like: they bind tighter than all before.
    fn precedence_level(&mut self, name: &str) {
        self.n_levels += 1;
        let Some(associativity) = associativity(name) else { return };
        let precedence = Precedence { level: self.n_levels, associativity };
        let mut n_symbols = 0;
        while let Some(token) = self.peek().filter(|_| !self.is_rule_start()) {
            match token.kind {
                Kind::Tag => self.advance(),
                Kind::Identifier | Kind::Character(_) | Kind::String => {
                    let symbol = self.take_symbol(token);
                    self.symbols.classify(symbol, Class::Token, token.span, false);
                    if token.kind != Kind::String {
                        self.explicit_number(symbol);
                    }
                    self.symbols.set_precedence(symbol, precedence, token.span);
                    n_symbols += 1;
                }
                _ => break,
            }
        }
        if n_symbols == 0 {
            self.missing("a token");
        }
    }

    /// Symbols that nothing is said about but their types.
    fn symbols_and_tags(&mut self) -> Vec<(SymbolIndex, Span)> {
        let mut symbols = Vec::new();
        while let Some(token) = self.peek().filter(|_| !self.is_rule_start()) {
            match token.kind {
                Kind::Tag => self.advance(),
                Kind::Identifier | Kind::Character(_) | Kind::String => {
                    symbols.push((self.take_symbol(token), token.span));
                }
                _ => break,
            }
        }
        symbols
    }

    fn start_symbol(&mut self, directive: Token) {
        let symbols = self.symbols_and_tags();
        match symbols.first() {
            Some(&start) if self.start.is_none() => self.start = Some(start),
            Some(_) => self.diagnostics.push(Diagnostic::error(directive.span, "there is a `%start` already")),
            None => self.missing("a nonterminal"),
        }
        if let Some(&(_, span)) = symbols.get(1) {
            let warning = Diagnostic::warning(span, "only the first start symbol is used");
            self.diagnostics.push(warning);
        }
    }

    fn define(&mut self, directive: Token) {
        let Some(name) = self.take_kind(Kind::Identifier).or_else(|| self.take_kind(Kind::String)) else {
            return self.missing("a name");
        };
        let is_value = |kind| matches!(kind, Kind::Identifier | Kind::String | Kind::Braced | Kind::Integer(_));
        let value = self.peek().filter(|token| is_value(token.kind) && !self.is_rule_start());
        if value.is_some() {
            self.advance();
        }
        let define = Define {
            name: self.text(name.span).trim_matches('"').to_owned(),
            value: value.map(|value| self.bare(value).to_owned()).unwrap_or_default(),
            span: directive.span.to(value.unwrap_or(name).span),
        };
        if define.name == "api.prefix" {
            self.prefix = Some(define.value.clone());
        }
        self.defines.push(define);
    }

    fn string_setting(&mut self, name: &str) {
        self.take_kind(Kind::Equals);
        // Old versions take a bare word as well.
        let value = self.take_kind(Kind::String).or_else(|| self.take_kind(Kind::Identifier));
        let Some(value) = value.map(|value| self.bare(value).to_owned()) else { return self.missing("a string") };
        match name {
            "%name-prefix" => self.prefix = Some(value),
            "%skeleton" => self.is_glr |= value.contains("glr"),
            _ => {}
        }
    }

    /// A value without its quotes or braces.
    fn bare(&self, value: Token) -> &str {
        let text = self.text(value.span);
        let is_wrapped = matches!(value.kind, Kind::String | Kind::Braced);
        let inside = text.get(1..text.len().saturating_sub(1)).filter(|_| is_wrapped);
        inside.unwrap_or(text).trim()
    }

    fn number(&mut self) -> Option<u32> {
        let Some(Token { kind: Kind::Integer(number), .. }) = self.peek() else {
            self.missing("a number");
            return None;
        };
        self.advance();
        Some(number)
    }

    pub(super) fn code_block(&mut self) -> Option<Span> {
        let block = self.take_kind(Kind::Braced);
        if block.is_none() {
            self.missing("code in braces");
        }
        block.map(|token| token.span)
    }
}
