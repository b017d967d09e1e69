//! A scanner and the grammar that takes its tokens: what a text is to the parser.
//!
//! The scanner is the program's own, read from its `.l` file, or one that is made of the texts that the terminals have: then
//! the longest match wins, and of equally long ones a literal text, or one of several.

pub mod automaton;
pub(crate) mod conditions;
pub mod effect;
pub mod lexer;
mod rules;

use regex_syntax::hir::{Hir, Repetition};
use rustc_hash::FxHashMap;
use thiserror::Error;

use self::automaton::{Automaton, AutomatonError};
use self::effect::{Effect, Effects, Outcome, Token};
use self::lexer::{Given, Lexeme, Lexer, Stopped};
use crate::grammar::{Grammar, TerminalId};
use crate::regular::dfa::{Dfa, DfaError};
use crate::source::{Diagnostic, Span};

pub use rules::{Action, Condition, ConditionId, Cut, Definition, Lex, Options, Rule, RuleId, Trailing};

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScannerError {
    #[error(transparent)]
    Automaton(#[from] AutomatonError),
    #[error("the texts of {name}: {error}")]
    Text { name: String, error: DfaError },
}

/// A piece of text that the parser sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scanned {
    /// What it may be, in ascending order: several if that depends on more than the scanner, none if nobody knows.
    pub terminals: Vec<TerminalId>,
    /// The scanner may as well go on without a token.
    pub may_be_nothing: bool,
    pub span: Span,
}

impl Scanned {
    /// The terminal, if there is no doubt.
    pub fn only(&self) -> Option<TerminalId> {
        match self.terminals[..] {
            [terminal] if !self.may_be_nothing => Some(terminal),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Scanner {
    pub lex: Lex,
    pub effects: Effects,
    pub automaton: Automaton,
    by_name: FxHashMap<String, TerminalId>,
    by_number: FxHashMap<i64, TerminalId>,
    /// By terminal: its texts, where the user has said them.
    said: Vec<Option<Dfa>>,
}

impl Scanner {
    /// The program's own; actions have been looked at.
    pub fn new(
        grammar: &Grammar,
        lex: Lex,
        effects: Effects,
        texts: &[(String, Hir)],
    ) -> Result<Scanner, ScannerError> {
        let automaton = Automaton::new(&lex)?;
        Scanner::with_automaton(grammar, lex, automaton, effects, texts)
    }

    /// The program's own; its automata have been made as well.
    pub fn with_automaton(
        grammar: &Grammar,
        lex: Lex,
        automaton: Automaton,
        effects: Effects,
        texts: &[(String, Hir)],
    ) -> Result<Scanner, ScannerError> {
        let names = |id: TerminalId| {
            let terminal = grammar.terminal(id);
            std::iter::once(&terminal.name).chain(&terminal.alias).map(move |name| (name.clone(), id))
        };
        let by_name: FxHashMap<String, TerminalId> = grammar.terminal_ids().flat_map(names).collect();
        let by_number = grammar.terminal_ids().map(|id| (i64::from(grammar.terminal(id).number), id)).collect();
        let mut said = vec![None; grammar.terminals.len()];
        for (name, text) in texts {
            let Some(terminal) = by_name.get(name) else { continue };
            let dfa = Dfa::new(text).map_err(|error| ScannerError::Text { name: name.clone(), error })?;
            said[terminal.index()] = Some(dfa);
        }
        Ok(Scanner { lex, effects, automaton, by_name, by_number, said })
    }

    /// One that is made of the texts of terminals. Those that are said here come before the grammar's; a character stands for itself, and
    /// so does what a grammar file has as another name.
    pub fn of_texts(grammar: &Grammar, skipped: &[Hir], said: &[(String, Hir)]) -> Result<Scanner, ScannerError> {
        let said = |name: &str| said.iter().find(|(said, _)| said == name).map(|(_, text)| text.clone());
        let text_of = |id: TerminalId| {
            let terminal = grammar.terminal(id);
            let alias = terminal.alias.as_deref();
            let alias_text = || Some(Hir::literal(alias?.strip_prefix('"')?.strip_suffix('"')?.as_bytes()));
            let is_char = terminal.number < 256 && terminal.name.starts_with('\'');
            let char_text = || is_char.then(|| Hir::literal([terminal.number as u8]));
            said(&terminal.name)
                .or_else(|| alias.and_then(said))
                .or_else(|| terminal.text.clone())
                .or_else(char_text)
                .or_else(alias_text)
        };
        let mut texts: Vec<(Option<TerminalId>, Hir)> =
            grammar.terminal_ids().filter_map(|id| Some((Some(id), text_of(id)?))).collect();
        texts.sort_by_key(|(_, text)| !is_literal(text));
        texts.extend(skipped.iter().map(|text| (None, text.clone())));
        let rules = texts.iter().map(|(_, text)| Rule {
            conditions: vec![ConditionId::INITIAL],
            at_line_start: false,
            pattern: text.clone(),
            trailing: None,
            action: Action { text: String::new(), span: Span::default(), is_continued: false },
            is_eof: false,
            span: Span::default(),
        });
        let lex = Lex {
            conditions: vec![Condition { name: "INITIAL".to_owned(), is_exclusive: false, span: Span::default() }],
            definitions: Vec::new(),
            rules: rules.collect(),
            options: Options { has_default: false, ..Options::default() },
            code: Vec::new(),
            prologue: Vec::new(),
            user_code: Span::default(),
            diagnostics: Vec::new(),
        };
        let mut effects = Effects::none(&lex);
        for (effect, (terminal, _)) in effects.rules.iter_mut().zip(&texts) {
            let token = terminal.map(|id| Token::Number(i64::from(grammar.terminal(id).number)));
            *effect = Effect::of(Outcome { token, ..Outcome::default() });
        }
        Scanner::new(grammar, lex, effects, &[])
    }

    /// What the user says that the texts of a terminal are.
    pub fn said(&self, terminal: TerminalId) -> Option<&Dfa> {
        self.said[terminal.index()].as_ref()
    }

    /// The terminal that a token is to the parser. The first byte of the text is its own.
    pub fn terminal(&self, token: &Token) -> Option<TerminalId> {
        match token {
            Token::Named(name) => self.by_name.get(name).copied(),
            Token::Char(byte) => self.by_number.get(&i64::from(*byte)).copied(),
            Token::Number(number) => self.by_number.get(number).copied(),
            Token::End => self.by_number.get(&0).copied(),
            Token::FirstByte | Token::Stop | Token::Unknown => None,
        }
    }

    /// Says of each rule that returns a token which the grammar has not.
    pub fn strangers(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        for (rule, effect) in self.lex.rules.iter().zip(&self.effects.rules) {
            for token in effect.outcomes.iter().filter_map(|outcome| outcome.token.as_ref()) {
                let shown = match token {
                    Token::Named(name) => name.clone(),
                    Token::Number(number) => number.to_string(),
                    _ => continue,
                };
                if self.terminal(token).is_none() && !rule.action.is_continued {
                    let message = format!("the grammar has no token {shown}");
                    warnings.push(
                        Diagnostic::warning(rule.span, message)
                            .with_hint("texts of this rule are no part of any sentence"),
                    );
                }
            }
        }
        warnings
    }

    /// What the parser sees of a text, up to the token that ends it, which is left out.
    pub fn scan(&self, text: &[u8]) -> Result<Vec<Scanned>, Stopped> {
        Ok(self.seen(self.lexer().lex(text)?, text))
    }

    /// What the parser sees behind the end of a text, if the scanner is in this condition there.
    pub fn at_end(&self, condition: ConditionId) -> Vec<Scanned> {
        self.lexer().lex_from(condition, b"").map_or_else(|_| Vec::new(), |lexemes| self.seen(lexemes, b""))
    }

    fn lexer(&self) -> Lexer<'_> {
        Lexer { lex: &self.lex, automaton: &self.automaton, effects: &self.effects }
    }

    fn seen(&self, lexemes: Vec<Lexeme>, text: &[u8]) -> Vec<Scanned> {
        let mut scanned = Vec::new();
        for lexeme in lexemes {
            let tokens = match lexeme.given {
                Given::Nothing => continue,
                Given::Token(Token::End) => break,
                Given::Token(token) => vec![Some(token)],
                Given::OneOf(tokens) => tokens,
            };
            let may_be_nothing = tokens.contains(&None);
            let is_possible = |terminal: &TerminalId| {
                let own = &text[lexeme.span.start..lexeme.span.end];
                self.said(*terminal).is_none_or(|said| said.accepts(own))
            };
            let known = tokens.iter().flatten().filter_map(|token| self.terminal(token));
            let mut terminals: Vec<TerminalId> = known.filter(is_possible).collect();
            // A text that was said to be of one of them is not of those whose texts nobody knows.
            if terminals.iter().any(|&terminal| self.said(terminal).is_some()) {
                terminals.retain(|&terminal| self.said(terminal).is_some());
            }
            terminals.sort_unstable();
            terminals.dedup();
            scanned.push(Scanned { terminals, may_be_nothing, span: lexeme.span });
        }
        scanned
    }
}

/// Spaces and tabs, which most languages have between tokens.
pub fn blanks() -> Hir {
    let blank = Hir::alternation(vec![Hir::literal([b' ']), Hir::literal([b'\t'])]);
    Hir::repetition(Repetition { min: 1, max: None, greedy: true, sub: Box::new(blank) })
}

fn is_literal(text: &Hir) -> bool {
    text.properties().is_alternation_literal()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::byte_set::ByteSet;
    use crate::test_grammars::grammar;

    #[test]
    fn literal_texts_come_first() {
        let grammar = grammar("s: NAME IF SIN ;");
        let literals =
            |words: &[&str]| Hir::alternation(words.iter().map(|word| Hir::literal(word.as_bytes())).collect());
        let letter = ByteSet::of(|byte| byte.is_ascii_lowercase(), u8::MAX).hir();
        let name = Hir::repetition(Repetition { min: 1, max: None, greedy: true, sub: Box::new(letter) });
        let said = [("NAME", name), ("IF", literals(&["if"])), ("SIN", literals(&["sin", "exp"]))];
        let said = said.map(|(name, text)| (name.to_owned(), text));
        let scanner = Scanner::of_texts(&grammar, &[blanks()], &said).unwrap();
        let scanned = scanner.scan(b"sin exp if sins").unwrap();
        let names: Vec<&str> =
            scanned.iter().map(|it| it.only().map_or("", |id| &*grammar.terminal(id).name)).collect();
        assert_eq!(names, ["SIN", "SIN", "IF", "NAME"]);
    }
}
