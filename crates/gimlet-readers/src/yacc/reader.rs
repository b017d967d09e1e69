//! A grammar file while it is read: its tokens, and what has been found so far.

use gimlet_grammar::source::{Diagnostic, Span};

use super::rules::DraftRule;
use super::scan::{Kind, Token};
use super::symbols::{SymbolIndex, Symbols};
use super::Define;

pub struct Reader<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    pub(super) symbols: Symbols,
    pub(super) rules: Vec<DraftRule>,
    pub(super) start: Option<(SymbolIndex, Span)>,
    /// Precedences so far.
    pub(super) n_levels: u32,
    pub(super) n_midrules: usize,
    pub(super) has_default_prec: bool,
    pub(super) is_glr: bool,
    pub(super) expect: Option<u32>,
    pub(super) expect_rr: Option<u32>,
    pub(super) prefix: Option<String>,
    pub(super) defines: Vec<Define>,
    pub(super) prologues: Vec<Span>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, tokens: Vec<Token>) -> Reader<'a> {
        Reader {
            source,
            tokens,
            at: 0,
            symbols: Symbols::new(),
            rules: Vec::new(),
            start: None,
            n_levels: 0,
            n_midrules: 0,
            has_default_prec: true,
            is_glr: false,
            expect: None,
            expect_rr: None,
            prefix: None,
            defines: Vec::new(),
            prologues: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn text(&self, span: Span) -> &'a str {
        &self.source[span.start..span.end]
    }

    pub(super) fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn take_kind(&mut self, kind: Kind) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.advance();
        Some(token)
    }

    /// Whether a name, perhaps with another in brackets, and a colon come next: semicolons between rules may be missing.
    pub(super) fn is_rule_start(&self) -> bool {
        let kind = |ahead: usize| self.tokens.get(self.at + ahead).map(|token| token.kind);
        kind(0) == Some(Kind::Identifier)
            && (kind(1) == Some(Kind::Colon) || kind(1) == Some(Kind::Bracketed) && kind(2) == Some(Kind::Colon))
    }

    /// The name of a directive as it is written today.
    pub(super) fn directive_name(&self, directive: Token) -> String {
        self.text(directive.span).replace('_', "-").to_ascii_lowercase()
    }

    /// Takes the next token, which names a symbol.
    pub(super) fn take_symbol(&mut self, token: Token) -> SymbolIndex {
        self.advance();
        self.symbol(token)
    }

    pub(super) fn symbol(&mut self, token: Token) -> SymbolIndex {
        let text = self.text(token.span);
        match token.kind {
            Kind::Character(code) => self.symbols.character(code, token.span),
            Kind::String => self.symbols.string(text, token.span),
            _ => self.symbols.get(text, token.span),
        }
    }

    /// An error about a token that can't be here.
    pub(super) fn unexpected(&mut self, token: Token, expected: &str) {
        let text = self.text(token.span);
        let line = text.lines().next().unwrap_or_default();
        let shown =
            if text.len() <= 20 && line == text { line } else { line.split_whitespace().next().unwrap_or(line) };
        self.diagnostics.push(Diagnostic::error(token.span, format!("expected {expected}, found `{shown}`")));
    }

    /// Adds a hint to what was said last.
    pub(super) fn hint(&mut self, hint: &str) {
        if let Some(last) = self.diagnostics.last_mut() {
            last.hint = Some(hint.to_owned());
        }
    }

    /// An error about something that should come next.
    pub(super) fn missing(&mut self, expected: &str) {
        match self.peek() {
            Some(token) => self.unexpected(token, expected),
            None => {
                let end = Span::new(self.source.len(), self.source.len());
                self.diagnostics
                    .push(Diagnostic::error(end, format!("expected {expected}, found the end of the file")));
            }
        }
    }
}
