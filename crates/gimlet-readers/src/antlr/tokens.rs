//! The tokens that lexer rules make, with their texts.

use gimlet_grammar::grammar::{Terminal, TerminalId};
use gimlet_grammar::source::{Diagnostic, Span};
use regex_syntax::hir::Hir;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Alternative, AntlrRule, File};
use crate::characters;
use crate::expression::Expression;
use crate::regular::Regular;

/// Tokens in the order in which ties between equally long texts are decided.
#[derive(Default)]
pub struct Tokens {
    pub terminals: Vec<Terminal>,
    pub skipped: Vec<Hir>,
    /// By name; `type` can make several rules one token.
    pub by_name: FxHashMap<String, Vec<TerminalId>>,
    /// By the text between quotes in parser rules.
    pub by_text: FxHashMap<String, TerminalId>,
    /// Names that never become a token the parser sees.
    pub unseen: FxHashSet<String>,
    pub fragments: FxHashSet<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What becomes of a text.
#[derive(Clone, PartialEq, Eq)]
enum Fate {
    Token(String),
    Skipped,
    /// It is only the beginning of another.
    More,
}

impl Tokens {
    pub fn new(file: &File) -> Tokens {
        let mut tokens = Tokens::default();
        let lexer_rules: Vec<&AntlrRule> = file.rules.iter().filter(|rule| rule.is_lexer_rule()).collect();
        let whole = |rule: &&AntlrRule| (rule.name.clone(), body_of(rule.alternatives.iter()));
        let bodies: Vec<(String, Expression)> = lexer_rules.iter().map(whole).collect();
        let pieces: Vec<(&AntlrRule, Fate, Expression)> =
            lexer_rules.iter().filter(|rule| !rule.is_fragment).flat_map(|rule| pieces(rule)).collect();
        tokens.fragments = lexer_rules.iter().filter(|rule| rule.is_fragment).map(|rule| rule.name.clone()).collect();
        tokens.report_twice(&lexer_rules);
        tokens.literals(file, &pieces);
        let mut regular = Regular::new(bodies.iter().map(|(name, body)| (name.as_str(), body)).collect());
        regular.is_recursive = true;
        for (rule, fate, body) in &pieces {
            tokens.piece(rule, fate, body, &mut regular);
        }
        for (rule, _, _) in &pieces {
            if !tokens.by_name.contains_key(&rule.name) {
                tokens.unseen.insert(rule.name.clone());
            }
        }
        tokens
    }

    pub fn push(&mut self, name: &str, text: Option<Hir>, span: Span) -> TerminalId {
        let id = TerminalId(self.terminals.len() as u32);
        let number = self.terminals.len() as u32 + 1;
        self.terminals.push(Terminal { name: name.to_owned(), alias: None, number, precedence: None, text, span });
        id
    }

    fn report_twice(&mut self, lexer_rules: &[&AntlrRule]) {
        let mut seen = FxHashSet::default();
        for rule in lexer_rules.iter().filter(|rule| !seen.insert(&rule.name)) {
            let message = format!("there is a rule `{}` already", rule.name);
            self.diagnostics.push(Diagnostic::error(rule.span, message));
        }
    }

    /// Texts in quotes in parser rules for which there is no lexer rule: tokens that come before all others.
    fn literals(&mut self, file: &File, pieces: &[(&AntlrRule, Fate, Expression)]) {
        let mut of_rules: FxHashSet<&str> = FxHashSet::default();
        for (_, fate, body) in pieces {
            if let (Fate::Token(_), Expression::Text(text, _)) = (fate, body) {
                of_rules.insert(text);
            }
        }
        for rule in file.rules.iter().filter(|rule| !rule.is_lexer_rule()) {
            for alternative in &rule.alternatives {
                alternative.body.visit(&mut |part| {
                    let Expression::Text(text, span) = part else { return };
                    if text.is_empty() || of_rules.contains(text.as_str()) || self.by_text.contains_key(text) {
                        return;
                    }
                    let hir = characters::text(text, rule.is_caseless);
                    let id = self.push(&format!("'{}'", text.escape_debug()), Some(hir), *span);
                    self.by_text.insert(text.clone(), id);
                });
            }
        }
    }

    fn piece<'a>(&mut self, rule: &AntlrRule, fate: &Fate, body: &'a Expression, regular: &mut Regular<'a>) {
        if *fate == Fate::More {
            let message = format!("the texts that `{}` begins are left out", rule.name);
            let warning = Diagnostic::warning(rule.span, message);
            self.diagnostics.push(warning.with_hint("write the whole text as one rule, without `more`"));
            return;
        }
        regular.is_caseless = rule.is_caseless;
        let (text, is_whole) = match regular.lazy_texts(body, rule.span) {
            Ok(texts) => texts,
            Err(error) => return self.diagnostics.push(error),
        };
        if !is_whole {
            let message = format!("`{}` refers to itself: texts that are nested deeply are left out", rule.name);
            self.diagnostics.push(Diagnostic::warning(rule.span, message));
        }
        let is_empty = text.properties().minimum_len() == Some(0);
        if is_empty {
            let message = format!("the text of `{}` can be empty", rule.name);
            self.diagnostics.push(Diagnostic::warning(rule.span, message));
        }
        let Fate::Token(name) = fate else { return self.skipped.push(text) };
        let id = self.push(&rule.name, Some(text), rule.span);
        self.by_name.entry(name.clone()).or_default().push(id);
        if let Expression::Text(literal, _) = body
            && !self.by_text.contains_key(literal)
        {
            self.by_text.insert(literal.clone(), id);
            self.terminals[id.index()].alias = Some(format!("'{}'", literal.escape_debug()));
        }
    }
}

fn body_of<'a>(alternatives: impl Iterator<Item = &'a Alternative>) -> Expression {
    Expression::choice(alternatives.map(|alternative| alternative.body.clone()).collect())
}

/// The alternatives of a rule, those of one fate together.
fn pieces(rule: &AntlrRule) -> Vec<(&AntlrRule, Fate, Expression)> {
    let fates: Vec<Fate> = rule.alternatives.iter().map(|alternative| fate(rule, alternative)).collect();
    let mut distinct: Vec<&Fate> = Vec::new();
    fates.iter().for_each(|fate| {
        if !distinct.contains(&fate) {
            distinct.push(fate);
        }
    });
    let of_fate = |fate: &Fate| {
        let alternatives = rule.alternatives.iter().zip(&fates).filter(|(_, its)| *its == fate);
        (rule, fate.clone(), body_of(alternatives.map(|(alternative, _)| alternative)))
    };
    distinct.into_iter().map(of_fate).collect()
}

fn fate(rule: &AntlrRule, alternative: &Alternative) -> Fate {
    let mut fate = Fate::Token(rule.name.clone());
    for (command, argument, _) in &alternative.commands {
        match (command.as_str(), argument.as_deref()) {
            ("skip", _) => fate = Fate::Skipped,
            ("more", _) => fate = Fate::More,
            ("channel", Some(channel)) if !matches!(channel, "0" | "DEFAULT_TOKEN_CHANNEL") => fate = Fate::Skipped,
            ("type", Some(name)) => fate = Fate::Token(name.to_owned()),
            _ => {}
        }
    }
    fate
}
