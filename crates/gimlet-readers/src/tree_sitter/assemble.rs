//! Makes a grammar of the rules.

use gimlet_grammar::grammar::builder::{list, GrammarBuilder, Part};
use gimlet_grammar::grammar::{Terminal, TerminalId};
use gimlet_grammar::source::spelling::nearest;
use gimlet_grammar::source::N_DIAGNOSTICS_MAX;
use gimlet_grammar::source::{Diagnostic, Severity, Span};
use regex_syntax::hir::Hir;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::texts::Texts;
use super::tokens::{is_token, Bodies, Tokens};
use super::{children, field, is_wrapper, kind, pattern};
use crate::format::Read;

pub fn assemble(grammar: &Value, places: &[(String, Span)]) -> Read {
    let mut seen = FxHashSet::default();
    let rule = |(name, span): &'_ (String, Span)| grammar["rules"].get(name).map(|body| (body, *span));
    let mut rules: Vec<(&str, &Value, Span)> = Vec::new();
    for place in places {
        if let Some((body, span)) = rule(place).filter(|_| seen.insert(place.0.as_str())) {
            rules.push((&place.0, body, span));
        }
    }
    let bodies: Bodies<'_> = rules.iter().map(|(name, body, _)| (*name, *body)).collect();
    let mut diagnostics = Vec::new();
    let mut texts = Texts::new(bodies.clone());
    let start = rules[0].2;
    let skipped = skipped(grammar, &mut texts, start, &mut diagnostics);
    let rules = used(grammar, &rules, &mut diagnostics);
    let tokens = Tokens::new(&rules, &bodies);
    let terminals = terminals(&tokens, &mut texts, &mut diagnostics);
    let mut assembler = Assembler {
        bodies,
        tokens,
        terminals,
        externals: FxHashMap::default(),
        draft: GrammarBuilder::default(),
        diagnostics,
    };
    assembler.externals(grammar, start);
    assembler.report_left_out();
    assembler.rules(&rules);
    let Assembler { terminals, draft, mut diagnostics, .. } = assembler;
    let is_sound = diagnostics.iter().all(|found| found.severity == Severity::Warning);
    let start = draft.named(rules[0].0).filter(|_| is_sound);
    let grammar = start.and_then(|start| draft.finish(terminals, start, &mut diagnostics));
    Read::new(grammar, skipped, diagnostics)
}

/// Texts that may stand between tokens; blanks if nothing is said.
fn skipped<'a>(grammar: &'a Value, texts: &mut Texts<'a>, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Vec<Hir> {
    let Some(extras) = grammar.get("extras").and_then(Value::as_array) else {
        return pattern::read("\\s", "").map(|(hir, _)| hir).into_iter().collect();
    };
    let mut skipped = Vec::new();
    for extra in extras {
        match texts.of(extra) {
            Ok(hir) => skipped.push(hir),
            Err(why) => {
                let name = field(extra, "name");
                let message = format!("texts of `{name}` between tokens are left out: {why}");
                diagnostics.push(Diagnostic::warning(span, message));
            }
        }
    }
    skipped
}

/// The rules that sentences need. Others are told, but for those of what stands between tokens.
fn used<'a>(
    grammar: &'a Value,
    rules: &[(&'a str, &'a Value, Span)],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(&'a str, &'a Value, Span)> {
    let bodies: Bodies<'_> = rules.iter().map(|(name, body, _)| (*name, *body)).collect();
    let extras = grammar.get("extras").and_then(Value::as_array);
    let extras = extras.into_iter().flatten().filter(|extra| kind(extra) == "SYMBOL").map(|extra| field(extra, "name"));
    let between = reached(extras.collect(), &bodies);
    let mentioned: FxHashSet<&str> = rules.iter().flat_map(|(_, body, _)| names(body)).collect();
    let reached = reached(rules.first().map(|(name, _, _)| *name).into_iter().collect(), &bodies);
    for (name, _, span) in rules
        .iter()
        .filter(|(name, _, _)| !reached.contains(name) && !between.contains(name) && !mentioned.contains(name))
    {
        diagnostics.push(Diagnostic::warning(*span, format!("`{name}` is never reached")));
    }
    rules.iter().copied().filter(|(name, _, _)| reached.contains(name)).collect()
}

/// All names in a node.
fn names(node: &Value) -> FxHashSet<&str> {
    let own = Some(field(node, "name")).filter(|_| kind(node) == "SYMBOL");
    own.into_iter().chain(children(node).iter().flat_map(names)).collect()
}

fn reached<'a>(from: Vec<&'a str>, bodies: &Bodies<'a>) -> FxHashSet<&'a str> {
    let mut reached: FxHashSet<&str> = FxHashSet::default();
    let mut pending = from;
    while let Some(name) = pending.pop() {
        let Some(&body) = bodies.get(name).filter(|_| reached.insert(name)) else { continue };
        symbols(body, bodies, &mut pending);
    }
    reached
}

/// The rules that a node needs, but for those that are part of a token.
fn symbols<'a>(node: &'a Value, bodies: &Bodies<'a>, found: &mut Vec<&'a str>) {
    if kind(node) == "SYMBOL" {
        found.push(field(node, "name"));
    } else if !is_token(node, bodies) {
        children(node).iter().for_each(|child| symbols(child, bodies, found));
    }
}

fn terminals<'a>(tokens: &Tokens<'a>, texts: &mut Texts<'a>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Terminal> {
    let mut terminals = Vec::new();
    for (token, number) in tokens.all.iter().zip(1..) {
        let text = match texts.of(token.node) {
            Ok(hir) => {
                if texts.has_looks {
                    let message = format!("what `{}` looks for around its text is left out", token.name);
                    diagnostics.push(Diagnostic::warning(token.span, message));
                }
                Some(hir)
            }
            Err(why) => {
                diagnostics.push(Diagnostic::error(token.span, why));
                None
            }
        };
        let name = token.name.clone();
        terminals.push(Terminal { name, alias: None, number, precedence: None, text, span: token.span });
    }
    terminals
}

struct Assembler<'a> {
    bodies: Bodies<'a>,
    tokens: Tokens<'a>,
    terminals: Vec<Terminal>,
    externals: FxHashMap<&'a str, TerminalId>,
    draft: GrammarBuilder,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Assembler<'a> {
    /// Tokens that a scanner in C makes.
    fn externals(&mut self, grammar: &'a Value, span: Span) {
        let externals = grammar.get("externals").and_then(Value::as_array);
        let symbols = externals.into_iter().flatten().filter(|external| kind(external) == "SYMBOL");
        let mut unknown = Vec::new();
        for name in symbols.map(|external| field(external, "name")) {
            if self.bodies.contains_key(name) || self.externals.contains_key(name) {
                continue;
            }
            let id = TerminalId(self.terminals.len() as u32);
            let number = id.0 + 1;
            let name_owned = name.to_owned();
            self.terminals.push(Terminal { name: name_owned, alias: None, number, precedence: None, text: None, span });
            self.externals.insert(name, id);
            unknown.push(name);
        }
        if let Some(names) = list(unknown.into_iter()) {
            let message = format!("tokens that a scanner in C makes have no known text: {names}");
            self.diagnostics.push(Diagnostic::warning(span, message));
        }
    }

    /// What of the tokens the grammar does not say.
    fn report_left_out(&mut self) {
        let all = &self.tokens.all;
        let preferred = all.iter().filter(|token| token.precedence != 0);
        let first = preferred.clone().next().map_or(Span::default(), |token| token.span);
        if let Some(names) = list(preferred.map(|token| token.name.as_str())) {
            let message = format!("precedences of tokens only count between texts of the same length: {names}");
            self.diagnostics.push(Diagnostic::warning(first, message));
        }
        let immediate = all.iter().filter(|token| token.is_immediate);
        let first = immediate.clone().next().map_or(Span::default(), |token| token.span);
        if let Some(names) = list(immediate.map(|token| token.name.as_str())) {
            let message = format!("tokens that nothing may stand before are taken as others: {names}");
            self.diagnostics.push(Diagnostic::warning(first, message));
        }
    }

    fn rules(&mut self, rules: &[(&'a str, &'a Value, Span)]) {
        let is_rule = |(name, _, _): &(&str, &Value, Span)| !self.tokens.of_rules.contains_key(name);
        let rules: Vec<(&str, &Value, Span)> = rules.iter().copied().filter(is_rule).collect();
        for (name, _, span) in &rules {
            self.draft.nonterminal(name, *span);
        }
        for (name, body, span) in rules {
            let left = self.draft.nonterminal(name, span);
            match self.part(body, span) {
                Ok(part) => self.draft.define(left, &part, span),
                Err(error) => self.diagnostics.push(error),
            }
            if self.diagnostics.len() >= N_DIAGNOSTICS_MAX {
                break;
            }
        }
    }

    fn part(&mut self, node: &Value, span: Span) -> Result<Part, Diagnostic> {
        if is_token(node, &self.bodies) {
            let is_empty = kind(node) == "STRING" && field(node, "value").is_empty();
            let number = self.tokens.number(node).filter(|_| !is_empty);
            return Ok(number.map_or(Part::empty(), |number| Part::Terminal(TerminalId(number as u32))));
        }
        match kind(node) {
            "SYMBOL" => self.symbol(field(node, "name"), span),
            "CHOICE" => Ok(Part::choice(self.parts(node, span)?)),
            "REPEAT" => Ok(Part::many(Part::sequence(self.parts(node, span)?))),
            "REPEAT1" => Ok(Part::at_least_once(Part::sequence(self.parts(node, span)?))),
            "BLANK" => Ok(Part::empty()),
            "SEQ" => Ok(Part::sequence(self.parts(node, span)?)),
            kind if is_wrapper(kind) => Ok(Part::sequence(self.parts(node, span)?)),
            "" => Err(Diagnostic::error(span, "a part of this rule has no `type`")),
            other => Err(Diagnostic::error(span, format!("there is no kind of rule `{other}`"))),
        }
    }

    fn parts(&mut self, node: &Value, span: Span) -> Result<Vec<Part>, Diagnostic> {
        children(node).iter().map(|child| self.part(child, span)).collect()
    }

    fn symbol(&self, name: &str, span: Span) -> Result<Part, Diagnostic> {
        if let Some(&number) = self.tokens.of_rules.get(name) {
            return Ok(Part::Terminal(TerminalId(number as u32)));
        }
        if let Some(nonterminal) = self.draft.named(name) {
            return Ok(Part::Nonterminal(nonterminal));
        }
        if let Some(&terminal) = self.externals.get(name) {
            return Ok(Part::Terminal(terminal));
        }
        let error = Diagnostic::error(span, format!("`{name}` has no rule"));
        let known = self.draft.names().chain(self.tokens.of_rules.keys().copied());
        Err(match nearest(name, known) {
            Some(other) => error.with_hint(format!("did you mean `{other}`?")),
            None => error,
        })
    }
}
