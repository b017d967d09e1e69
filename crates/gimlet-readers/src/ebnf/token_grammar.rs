//! Makes a grammar over tokens of rules and a token map.
//!
//! Strings in rules are tokens, and so is every name that the map has texts for, or that it calls a token: then its texts are
//! those that its rule derives. What such rules alone are made of is no part of the grammar.

use gimlet_grammar::grammar::builder::{GrammarBuilder, Part};
use gimlet_grammar::grammar::{Terminal, TerminalId};
use gimlet_grammar::source::spelling::nearest;
use gimlet_grammar::source::N_DIAGNOSTICS_MAX;
use gimlet_grammar::source::{Diagnostic, Severity, Span};
use regex_syntax::hir::{Hir, HirKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::FIRST_NUMBER;
use crate::characters;
use crate::expression::{Definition, Expression};
use crate::format::Read;
use crate::lex::token_map::TokenMap;
use crate::regular::Regular;

pub fn assemble(definitions: &[Definition], map: &TokenMap, start: Option<&str>) -> Read {
    let bodies = bodies(definitions);
    let names: FxHashSet<&str> = map.names().collect();
    // What tokens are made of is no start symbol: files may begin with it.
    let inner = reached(names.iter().copied(), &bodies, &FxHashSet::default());
    let Some(first) = definitions.iter().find(|definition| !inner.contains(definition.name.as_str())) else {
        let error = Diagnostic::error(definitions[0].span, "every rule is that of a token, or a part of one");
        return Read::new(None, Vec::new(), vec![error.with_hint("write a rule that says in which order tokens come")]);
    };
    let starts = std::iter::once(first.name.as_str()).chain(start);
    let outer = reached(starts, &bodies, &names);
    let is_rule = |definition: &&Definition| {
        let name = definition.name.as_str();
        outer.contains(name) && !names.contains(name)
    };
    let rules: Vec<&Definition> = definitions.iter().filter(is_rule).collect();

    let mut diagnostics = super::report_twice(definitions);
    report_left_out(definitions, map, &|name| outer.contains(name) || inner.contains(name), &mut diagnostics);
    let mut assembler = Assembler {
        map,
        bodies: &bodies,
        names,
        tokens: Tokens::default(),
        draft: GrammarBuilder::default(),
        diagnostics,
    };
    assembler.tokens(&rules);
    for definition in &rules {
        assembler.draft.nonterminal(&definition.name, definition.span);
    }
    for definition in &rules {
        let left = assembler.draft.nonterminal(&definition.name, definition.span);
        match assembler.part(&definition.body) {
            Ok(part) => assembler.draft.define(left, &part, definition.span),
            Err(error) => assembler.diagnostics.push(error),
        }
        if assembler.diagnostics.len() >= N_DIAGNOSTICS_MAX {
            break;
        }
    }
    let start = assembler.draft.nonterminal(&first.name, first.span);
    let Assembler { tokens, draft, mut diagnostics, .. } = assembler;
    let is_sound = diagnostics.iter().all(|found| found.severity == Severity::Warning);
    let grammar = if is_sound { draft.finish(tokens.terminals, start, &mut diagnostics) } else { None };
    Read::new(grammar, Vec::new(), diagnostics)
}

type Bodies<'a> = FxHashMap<&'a str, Expression>;

/// What names stand for: all rules of a name together, without those recursions that are repetitions.
fn bodies(definitions: &[Definition]) -> Bodies<'_> {
    let mut all: FxHashMap<&str, Vec<Expression>> = FxHashMap::default();
    for definition in definitions {
        let alternatives = all.entry(&definition.name).or_default();
        match &definition.body {
            Expression::Choice(parts) => alternatives.extend(parts.iter().cloned()),
            body => alternatives.push(body.clone()),
        }
    }
    all.into_iter().map(|(name, alternatives)| (name, unrolled(name, alternatives))).collect()
}

/// `a = a x | y a | z` is any number of `y`, a `z` and any number of `x`.
fn unrolled(name: &str, alternatives: Vec<Expression>) -> Expression {
    let is_own = |part: Option<&Expression>| matches!(part, Some(Expression::Name(other, _)) if other == name);
    let (mut heads, mut middles, mut tails) = (Vec::new(), Vec::new(), Vec::new());
    for alternative in &alternatives {
        match alternative {
            Expression::Sequence(parts) if is_own(parts.first()) => {
                tails.push(Expression::sequence(parts[1..].to_vec()));
            }
            Expression::Sequence(parts) if is_own(parts.last()) => {
                heads.push(Expression::sequence(parts[..parts.len() - 1].to_vec()));
            }
            alternative => middles.push(alternative.clone()),
        }
    }
    let mut is_left = middles.is_empty();
    for part in heads.iter().chain(&middles).chain(&tails) {
        part.visit(&mut |part| is_left |= is_own(Some(part)));
    }
    if is_left || (heads.is_empty() && tails.is_empty()) {
        return Expression::choice(alternatives);
    }
    let [heads, tails] = [heads, tails].map(|parts| match parts.is_empty() {
        true => Expression::empty(),
        false => Expression::choice(parts).many(),
    });
    Expression::sequence(vec![heads, Expression::choice(middles), tails])
}

/// The names that some names lead to, and those themselves; what the rules of some have in them does not count.
fn reached<'a>(
    names: impl Iterator<Item = &'a str>,
    bodies: &'a Bodies<'_>,
    leaves: &FxHashSet<&str>,
) -> FxHashSet<&'a str> {
    let mut pending: Vec<&str> = names.collect();
    let mut seen = FxHashSet::default();
    while let Some(name) = pending.pop() {
        if !seen.insert(name) || leaves.contains(name) {
            continue;
        }
        if let Some(body) = bodies.get(name) {
            body.visit(&mut |part| {
                if let Expression::Name(name, _) = part {
                    pending.push(name);
                }
            });
        }
    }
    seen
}

/// Rules that are no part of the grammar and of no token.
fn report_left_out(
    definitions: &[Definition],
    map: &TokenMap,
    is_used: &dyn Fn(&str) -> bool,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for Definition { name, span, .. } in definitions {
        if map.texts.iter().any(|(said, _)| said == name) {
            let message = format!("the token map has texts of `{name}`: this rule does not count");
            diagnostics.push(Diagnostic::warning(*span, message));
        } else if !is_used(name) {
            diagnostics.push(Diagnostic::warning(*span, format!("`{name}` is never reached")));
        }
    }
}

#[derive(Default)]
struct Tokens {
    terminals: Vec<Terminal>,
    by_name: FxHashMap<String, TerminalId>,
    by_text: FxHashMap<String, TerminalId>,
}

impl Tokens {
    fn push(&mut self, name: String, text: Hir, span: Span) -> TerminalId {
        let id = TerminalId(self.terminals.len() as u32);
        // Scanners return characters as they are.
        let byte = match text.kind() {
            HirKind::Literal(literal) if name.starts_with('\'') => match *literal.0 {
                [byte] => Some(byte).filter(|&byte| byte != 0),
                _ => None,
            },
            _ => None,
        };
        let number = byte.map_or(FIRST_NUMBER + id.0, u32::from);
        self.terminals.push(Terminal { name, alias: None, number, precedence: None, text: Some(text), span });
        id
    }
}

struct Assembler<'a> {
    map: &'a TokenMap,
    bodies: &'a Bodies<'a>,
    /// All that the map says to be tokens.
    names: FxHashSet<&'a str>,
    tokens: Tokens,
    draft: GrammarBuilder,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Assembler<'a> {
    /// All tokens: strings come before those with a name.
    fn tokens(&mut self, rules: &[&Definition]) {
        let mut strings: Vec<(&str, Span)> = Vec::new();
        let mut places: FxHashMap<&str, Span> = FxHashMap::default();
        for definition in rules {
            definition.body.visit(&mut |part| match part {
                Expression::Text(text, span) => strings.push((text, *span)),
                Expression::Name(name, span) => {
                    places.entry(name).or_insert(*span);
                }
                _ => {}
            });
        }
        let named = self.named(&places);
        // One that is nothing but a string is what the string stands for.
        let literal = |text: &Hir| match text.kind() {
            HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
            _ => None,
        };
        let taken: FxHashSet<String> = named.iter().filter_map(|(_, text, _)| literal(text)).collect();
        for (text, span) in strings {
            if !text.is_empty() && !taken.contains(text) && !self.tokens.by_text.contains_key(text) {
                let id = self.tokens.push(quoted(text), characters::text(text, false), span);
                self.tokens.by_text.insert(text.to_owned(), id);
            }
        }
        for (name, text, span) in named {
            let string = literal(&text);
            let id = self.tokens.push(name.to_owned(), text, span);
            self.tokens.by_name.insert(name.to_owned(), id);
            if let Some(string) = string.filter(|string| !self.tokens.by_text.contains_key(string)) {
                self.tokens.terminals[id.index()].alias = Some(quoted(&string));
                self.tokens.by_text.insert(string, id);
            }
        }
    }

    /// Tokens with names, in the order of the map.
    fn named(&mut self, places: &FxHashMap<&str, Span>) -> Vec<(&'a str, Hir, Span)> {
        let (map, bodies) = (self.map, self.bodies);
        let is_said = |name: &str| map.texts.iter().any(|(said, _)| said == name);
        let own = bodies.iter().filter(|(name, _)| !is_said(name)).map(|(&name, body)| (name, body));
        let mut regular = Regular::new(own.collect());
        regular.hint = "a token needs a rule without recursion, or a line of the token map: NAME = /regex/";
        for (name, text) in &map.texts {
            regular.insert(name, text.clone());
        }
        let mut named: Vec<(&str, Hir, Span)> = Vec::new();
        for n_before in 0..=map.texts.len() {
            for token in map.tokens.iter().filter(|token| token.n_before == n_before && !is_said(&token.name)) {
                let Some(body) = bodies.get(token.name.as_str()) else { continue };
                let span = places.get(token.name.as_str()).copied().unwrap_or_default();
                match self.texts(&token.name, body, &mut regular, span) {
                    Ok(text) if named.iter().all(|(name, ..)| *name != token.name) => {
                        named.push((&token.name, text, span));
                    }
                    Ok(_) => {}
                    Err(error) => self.diagnostics.push(error),
                }
            }
            let Some((name, text)) = map.texts.get(n_before) else { continue };
            // A quoted one is a string, and other ones the scanner takes even if no rule does.
            if !name.starts_with('\'') {
                named.push((name, text.clone(), places.get(name.as_str()).copied().unwrap_or_default()));
            }
        }
        named
    }

    /// What a rule derives.
    fn texts(
        &mut self,
        name: &str,
        body: &'a Expression,
        regular: &mut Regular<'a>,
        span: Span,
    ) -> Result<Hir, Diagnostic> {
        let mut unknown = None;
        regular.visit(body, &mut |part| match part {
            Expression::Name(name, span) if !regular.has(name) => unknown = Some((name, *span)),
            _ => {}
        });
        if let Some((name, span)) = unknown {
            return Err(self.undefined(name, span));
        }
        let (text, _) = regular.texts(body, span)?;
        if text.properties().minimum_len() == Some(0) {
            self.diagnostics.push(Diagnostic::warning(span, format!("the text of `{name}` can be empty")));
        }
        Ok(text)
    }

    fn part(&self, expression: &Expression) -> Result<Part, Diagnostic> {
        let parts = |parts: &[Expression]| -> Result<Vec<Part>, Diagnostic> {
            parts.iter().map(|part| self.part(part)).collect()
        };
        Ok(match expression {
            Expression::Name(name, span) => match (self.tokens.by_name.get(name), self.draft.named(name)) {
                (Some(&token), _) => Part::Terminal(token),
                (None, Some(nonterminal)) => Part::Nonterminal(nonterminal),
                // What is wrong with its texts has been said.
                (None, None) if self.names.contains(name.as_str()) && self.bodies.contains_key(name.as_str()) => {
                    Part::empty()
                }
                (None, None) => return Err(self.undefined(name, *span)),
            },
            Expression::Text(text, _) => self.tokens.by_text.get(text).map_or(Part::empty(), |&id| Part::Terminal(id)),
            Expression::Sequence(inner) => Part::sequence(parts(inner)?),
            Expression::Choice(inner) => Part::choice(parts(inner)?),
            Expression::Repeat(repeat, part) => {
                let part = self.part(part)?;
                match (repeat.is_optional, repeat.is_unbounded) {
                    (true, true) => Part::many(part),
                    (true, false) => Part::optional(part),
                    (false, _) => Part::at_least_once(part),
                }
            }
            Expression::Times(n_times, part) => Part::times(*n_times, self.part(part)?),
            Expression::Except(_, _, span) => {
                let error = Diagnostic::error(*span, "an exception is about texts, and this rule consists of tokens");
                return Err(error
                    .with_hint("make the rule that it stands in a token, with a line of the token map: token NAME"));
            }
            Expression::Set(_, span) | Expression::Not(_, span) | Expression::End(span) => return Err(no_token(*span)),
            Expression::Any => return Err(no_token(Span::default())),
        })
    }

    fn undefined(&self, name: &str, span: Span) -> Diagnostic {
        let both = format!("write a rule for it, or its texts into the token map: {name} = /regex/");
        let known = self.bodies.keys().chain(&self.names).copied().filter(|&known| known != name);
        let hint = match nearest(name, known) {
            Some(other) => format!("did you mean `{other}`? if not, {both}"),
            None => both,
        };
        Diagnostic::error(span, format!("`{name}` has neither rules nor texts")).with_hint(hint)
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.escape_debug())
}

fn no_token(span: Span) -> Diagnostic {
    Diagnostic::error(span, "with a token map, rules consist of tokens, not of characters")
        .with_hint("make it a token of the map: NAME = /[a-z]+/, or token NAME for a rule of such characters")
}
