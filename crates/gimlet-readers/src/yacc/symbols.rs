//! The symbols of a grammar file while it is read.
//!
//! A name is a token, a nonterminal or not known yet: all three can be used before they are declared. A string that stands
//! for a token and the token itself are two symbols here, of which the token counts.

use gimlet_grammar::grammar::{Associativity, Precedence};
use gimlet_grammar::source::spelling::nearest;
use gimlet_grammar::source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// A symbol, by its place in [`Symbols::all`].
pub type SymbolIndex = usize;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Token,
    Nonterminal,
}

#[derive(Clone, Debug)]
pub struct DraftSymbol {
    pub name: String,
    pub class: Option<Class>,
    /// Symbols are in the order of their places: of its declaration or first rule where it has one, else of its first use.
    pub place: Span,
    pub is_declared: bool,
    pub has_rules: bool,
    /// The first time that it is in a rule.
    pub first_use: Option<Span>,
    pub number: Option<u32>,
    pub precedence: Option<Precedence>,
    /// The character that it is.
    pub character: Option<u8>,
    /// The string that stands for this token.
    pub alias: Option<SymbolIndex>,
    /// The token that this string stands for.
    pub stands_for: Option<SymbolIndex>,
}

pub struct Symbols {
    pub all: Vec<DraftSymbol>,
    by_name: FxHashMap<String, SymbolIndex>,
    /// What has the number 0.
    pub end: SymbolIndex,
    pub diagnostics: Vec<Diagnostic>,
}

/// Tokens that every grammar has.
pub const END: SymbolIndex = 0;
pub const ERROR: SymbolIndex = 1;
pub const UNDEFINED: SymbolIndex = 2;

impl Symbols {
    pub fn new() -> Symbols {
        let mut symbols = Symbols { all: Vec::new(), by_name: FxHashMap::default(), end: END, diagnostics: Vec::new() };
        for name in ["$end", "error", "$undefined"] {
            let symbol = symbols.get(name, Span::default());
            symbols.all[symbol].class = Some(Class::Token);
        }
        symbols.all[END].number = Some(0);
        symbols
    }

    /// The symbol of a name, which this may be the first use of.
    pub fn get(&mut self, name: &str, span: Span) -> SymbolIndex {
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = self.add(name.to_owned(), span);
        self.by_name.insert(name.to_owned(), symbol);
        symbol
    }

    /// A symbol that no name leads to.
    pub fn add(&mut self, name: String, place: Span) -> SymbolIndex {
        self.all.push(DraftSymbol {
            name,
            class: None,
            place,
            is_declared: false,
            has_rules: false,
            first_use: None,
            number: None,
            precedence: None,
            character: None,
            alias: None,
            stands_for: None,
        });
        self.all.len() - 1
    }

    pub fn character(&mut self, code: u8, span: Span) -> SymbolIndex {
        let symbol = self.get(&character_name(code), span);
        let draft = &mut self.all[symbol];
        draft.class = Some(Class::Token);
        draft.character = Some(code);
        draft.number = draft.number.or(Some(u32::from(code)));
        symbol
    }

    pub fn string(&mut self, text: &str, span: Span) -> SymbolIndex {
        let symbol = self.get(text, span);
        self.all[symbol].class = Some(Class::Token);
        symbol
    }

    /// The token that a string stands for; any other symbol is itself.
    pub fn resolve(&self, symbol: SymbolIndex) -> SymbolIndex {
        self.all[symbol].stands_for.unwrap_or(symbol)
    }

    fn error(&mut self, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn warning(&mut self, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    /// Says what a symbol is. A declaration, unlike a use as a token, also gives it its place.
    pub fn classify(&mut self, symbol: SymbolIndex, class: Class, span: Span, is_declaration: bool) {
        let draft = &mut self.all[symbol];
        if draft.class.is_some_and(|known| known != class) {
            let known = if class == Class::Token { "a nonterminal" } else { "a token" };
            let message = format!("`{}` is {known} already", draft.name);
            return self.error(span, message);
        }
        draft.class = Some(class);
        if !is_declaration {
            return;
        }
        if std::mem::replace(&mut draft.is_declared, true) {
            let message = format!("`{}` is declared twice", draft.name);
            return self.warning(span, message);
        }
        draft.place = span;
    }

    /// A rule for the symbol begins here.
    pub fn begin_rule(&mut self, symbol: SymbolIndex, span: Span) {
        let draft = &mut self.all[symbol];
        if draft.class == Some(Class::Token) {
            let message = format!("`{}` is a token and can't have rules", draft.name);
            return self.error(span, message);
        }
        draft.class = Some(Class::Nonterminal);
        if !std::mem::replace(&mut draft.has_rules, true) {
            draft.place = span;
        }
    }

    pub fn set_number(&mut self, symbol: SymbolIndex, number: u32, span: Span) {
        let draft = &mut self.all[symbol];
        if let Some(known) = draft.number.filter(|&known| known != number) {
            let message = format!("`{}` has the number {known} already", draft.name);
            return self.error(span, message);
        }
        draft.number = Some(number);
        if number == 0 && self.end == END && symbol != END {
            self.all[END].number = None;
            self.end = symbol;
        }
    }

    pub fn set_alias(&mut self, token: SymbolIndex, string: SymbolIndex, span: Span) {
        if self.all[string].stands_for == Some(token) {
            return;
        }
        if self.all[token].alias.is_some() || self.all[string].stands_for.is_some() {
            let message = format!(
                "{} can't stand for `{}`: one of the two has another partner",
                self.all[string].name, self.all[token].name
            );
            return self.warning(span, message);
        }
        self.all[token].precedence = self.all[token].precedence.or(self.all[string].precedence);
        self.all[token].alias = Some(string);
        self.all[string].stands_for = Some(token);
    }

    pub fn set_precedence(&mut self, symbol: SymbolIndex, precedence: Precedence, span: Span) {
        let symbol = self.resolve(symbol);
        let draft = &mut self.all[symbol];
        if draft.precedence.is_some() {
            let message = format!("`{}` has a precedence already", draft.name);
            return self.error(span, message);
        }
        draft.precedence = Some(precedence);
    }

    /// The declared name that differs least from a wrong one.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let known = self.all.iter().filter(|draft| draft.class.is_some() && draft.name != name);
        let named = known.filter(|draft| draft.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        nearest(name, named.map(|draft| draft.name.as_str()))
    }
}

/// A character as C writes it.
pub fn character_name(code: u8) -> String {
    match code {
        0x07 => "'\\a'".to_owned(),
        0x08 => "'\\b'".to_owned(),
        b'\t' => "'\\t'".to_owned(),
        b'\n' => "'\\n'".to_owned(),
        0x0b => "'\\v'".to_owned(),
        0x0c => "'\\f'".to_owned(),
        b'\r' => "'\\r'".to_owned(),
        b'\'' => "'\\''".to_owned(),
        b'\\' => "'\\\\'".to_owned(),
        b' '..=b'~' => format!("'{}'", code as char),
        _ => format!("'\\{code:03o}'"),
    }
}

pub fn associativity(directive: &str) -> Option<Associativity> {
    Some(match directive {
        "%left" | "%<" => Associativity::Left,
        "%right" | "%>" => Associativity::Right,
        "%nonassoc" | "%binary" | "%2" => Associativity::None,
        "%precedence" => Associativity::Unspecified,
        _ => return None,
    })
}
