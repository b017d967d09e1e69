//! Makes a grammar of the parser rules, over the tokens of the lexer rules.

use gimlet_grammar::grammar::builder::{list, GrammarBuilder, Part};
use gimlet_grammar::grammar::{NonterminalId, TerminalId};
use gimlet_grammar::source::spelling::nearest;
use gimlet_grammar::source::N_DIAGNOSTICS_MAX;
use gimlet_grammar::source::{Diagnostic, Severity, Span};
use rustc_hash::FxHashSet;

use super::tokens::Tokens;
use super::{AntlrRule, File};
use crate::expression::Expression;
use crate::format::Read;

pub fn assemble(file: &File) -> Read {
    let mut tokens = Tokens::new(file);
    let mut diagnostics = std::mem::take(&mut tokens.diagnostics);
    report_left_out(file, &mut diagnostics);
    let mut assembler = Assembler { tokens, draft: GrammarBuilder::default(), diagnostics };
    let parser_rules: Vec<&AntlrRule> = file.rules.iter().filter(|rule| !rule.is_lexer_rule()).collect();
    assembler.foreign_tokens(file, &parser_rules);
    let start = assembler.rules(&parser_rules).or_else(|| assembler.any_tokens(file));
    let Assembler { tokens, draft, mut diagnostics } = assembler;
    let is_sound = diagnostics.iter().all(|found| found.severity == Severity::Warning);
    let grammar = start.filter(|_| is_sound).and_then(|start| draft.finish(tokens.terminals, start, &mut diagnostics));
    Read::new(grammar, tokens.skipped, diagnostics)
}

/// What is in the file but not in the grammar.
fn report_left_out(file: &File, diagnostics: &mut Vec<Diagnostic>) {
    if let [first, rest @ ..] = file.predicates.as_slice() {
        let message = match rest.len() {
            0 => "this predicate is taken to be true".to_owned(),
            n_rest => format!("this predicate and {n_rest} more are taken to be true"),
        };
        diagnostics.push(Diagnostic::warning(*first, message));
    }
    if let [(_, span), ..] = file.modes.as_slice() {
        let names = list(file.modes.iter().map(|(name, _)| name.as_str())).unwrap_or_default();
        let message = format!("the rules of all modes are taken together: {names}");
        diagnostics
            .push(Diagnostic::warning(*span, message).with_hint("texts may be read as other tokens than ANTLR's"));
    }
    let known = ["skip", "more", "channel", "type", "mode", "pushMode", "popMode"];
    let commands = file.rules.iter().flat_map(|rule| &rule.alternatives).flat_map(|alternative| &alternative.commands);
    for (name, _, span) in commands.filter(|(name, _, _)| !known.contains(&name.as_str())) {
        let error = Diagnostic::error(*span, format!("there is no command `{name}`"));
        diagnostics.push(error.with_hint(format!("those that there are: {}", known.join(", "))));
    }
}

struct Assembler {
    tokens: Tokens,
    draft: GrammarBuilder,
    diagnostics: Vec<Diagnostic>,
}

impl Assembler {
    /// Tokens that are declared or used, but have no rule.
    fn foreign_tokens(&mut self, file: &File, parser_rules: &[&AntlrRule]) {
        let mut foreign: Vec<(&str, Span)> = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let is_foreign = |tokens: &Tokens, name: &str| {
            !tokens.by_name.contains_key(name) && !tokens.unseen.contains(name) && !tokens.fragments.contains(name)
        };
        for (name, span) in &file.tokens {
            if is_foreign(&self.tokens, name) && seen.insert(name) {
                foreign.push((name, *span));
            }
        }
        for alternative in parser_rules.iter().flat_map(|rule| &rule.alternatives) {
            alternative.body.visit(&mut |part| {
                let Expression::Name(name, span) = part else { return };
                if name.starts_with(char::is_uppercase) && is_foreign(&self.tokens, name) && seen.insert(name) {
                    foreign.push((name, *span));
                }
            });
        }
        let Some(&(first, span)) = foreign.first() else { return };
        let names = list(foreign.iter().map(|(name, _)| *name)).unwrap_or_default();
        let hint = match &file.vocabulary {
            Some((vocabulary, _)) => format!("put the rules of `{vocabulary}` before this grammar, in the same file"),
            None => match nearest(first, self.tokens.by_name.keys().map(String::as_str)) {
                Some(other) => format!("did you mean `{other}`?"),
                None => format!("write a rule such as `{first} : 'text' ;`"),
            },
        };
        self.diagnostics.push(Diagnostic::warning(span, format!("tokens of unknown text: {names}")).with_hint(hint));
        for (name, span) in foreign {
            let id = self.tokens.push(name, None, span);
            self.tokens.by_name.insert(name.to_owned(), vec![id]);
        }
    }

    /// The first rule's nonterminal.
    fn rules(&mut self, parser_rules: &[&AntlrRule]) -> Option<NonterminalId> {
        let mut seen = FxHashSet::default();
        for rule in parser_rules {
            if !seen.insert(&rule.name) {
                let message = format!("there is a rule `{}` already", rule.name);
                self.diagnostics.push(Diagnostic::error(rule.span, message));
            }
            self.draft.nonterminal(&rule.name, rule.span);
        }
        for rule in parser_rules {
            let left = self.draft.nonterminal(&rule.name, rule.span);
            for alternative in &rule.alternatives {
                self.check_end(&alternative.body);
                match self.part(&alternative.body) {
                    Ok(part) => self.draft.define(left, &part, rule.span),
                    Err(error) => self.diagnostics.push(error),
                }
            }
            if self.diagnostics.len() >= N_DIAGNOSTICS_MAX {
                break;
            }
        }
        parser_rules.first().and_then(|rule| self.draft.named(&rule.name))
    }

    /// A scanner alone: any tokens in any order.
    fn any_tokens(&mut self, file: &File) -> Option<NonterminalId> {
        let first = file.rules.iter().find(|rule| rule.is_lexer_rule());
        let Some(first) = first else {
            if self.diagnostics.iter().all(|found| found.severity == Severity::Warning) {
                let error = Diagnostic::error(Span::default(), "there are no rules");
                self.diagnostics.push(error.with_hint("a rule is `name : elements ;`"));
            }
            return None;
        };
        let warning = Diagnostic::warning(first.span, "there are no parser rules: tokens may come in any order");
        self.diagnostics.push(warning.with_hint("put the parser's rules behind these, in the same file"));
        let start = self.draft.nonterminal("tokens", first.span);
        let all = self.all_but(&FxHashSet::default());
        self.draft.define(start, &Part::many(all), first.span);
        Some(start)
    }

    /// The end of the input is no token here: it takes a place where nothing can follow.
    fn check_end(&mut self, body: &Expression) {
        let last = match body {
            Expression::Sequence(parts) => parts.last(),
            part => Some(part),
        };
        let allowed = match last {
            Some(Expression::End(span)) => Some(*span),
            _ => None,
        };
        body.visit(&mut |part| match part {
            Expression::End(span) if Some(*span) != allowed => {
                let warning = Diagnostic::warning(*span, "the end of the input is taken to be empty here");
                self.diagnostics.push(warning.with_hint("more may follow than ANTLR's parser allows"));
            }
            _ => {}
        });
    }

    fn all_but(&self, some: &FxHashSet<TerminalId>) -> Part {
        let all = (0..self.tokens.terminals.len() as u32).map(TerminalId);
        Part::choice(all.filter(|id| !some.contains(id)).map(Part::Terminal))
    }

    fn part(&mut self, expression: &Expression) -> Result<Part, Diagnostic> {
        Ok(match expression {
            Expression::Name(name, span) if name.starts_with(char::is_uppercase) => self.token(name, *span)?,
            Expression::Name(name, span) => match self.draft.named(name) {
                Some(nonterminal) => Part::Nonterminal(nonterminal),
                None => return Err(self.undefined(name, *span)),
            },
            Expression::Text(text, _) => self.tokens.by_text.get(text).map_or(Part::empty(), |&id| Part::Terminal(id)),
            Expression::Any => self.all_but(&FxHashSet::default()),
            Expression::Not(inner, span) => {
                let part = self.part(inner)?;
                let mut some = FxHashSet::default();
                if !collect(&part, &mut some) {
                    let error = Diagnostic::error(*span, "`~` needs a token or several, with `|` between them");
                    return Err(error);
                }
                self.all_but(&some)
            }
            Expression::Sequence(parts) => {
                let parts: Result<Vec<Part>, _> = parts.iter().map(|part| self.part(part)).collect();
                Part::sequence(parts?)
            }
            Expression::Choice(parts) => {
                let parts: Result<Vec<Part>, _> = parts.iter().map(|part| self.part(part)).collect();
                Part::choice(parts?)
            }
            Expression::Repeat(repeat, part) => {
                let part = self.part(part)?;
                match (repeat.is_optional, repeat.is_unbounded) {
                    (true, true) => Part::many(part),
                    (true, false) => Part::optional(part),
                    (false, _) => Part::at_least_once(part),
                }
            }
            Expression::Set(_, span) => {
                let error = Diagnostic::error(*span, "a parser rule consists of tokens, not of characters");
                return Err(error.with_hint("give the set a lexer rule, whose name begins with a capital letter"));
            }
            Expression::End(_) | Expression::Times(..) | Expression::Except(..) => Part::empty(),
        })
    }

    fn token(&mut self, name: &str, span: Span) -> Result<Part, Diagnostic> {
        if let Some(ids) = self.tokens.by_name.get(name) {
            return Ok(Part::choice(ids.iter().map(|&id| Part::Terminal(id))));
        }
        if self.tokens.unseen.contains(name) {
            let message = format!("`{name}` is skipped or renamed: no parser ever sees it");
            self.diagnostics.push(Diagnostic::warning(span, message));
            return Ok(Part::choice([]));
        }
        let error = Diagnostic::error(span, format!("`{name}` is a fragment, and so no token"));
        Err(error.with_hint("leave out the word `fragment` before its rule"))
    }

    fn undefined(&self, name: &str, span: Span) -> Diagnostic {
        let error = Diagnostic::error(span, format!("`{name}` has no rule"));
        match nearest(name, self.draft.names()) {
            Some(other) => error.with_hint(format!("did you mean `{other}`?")),
            None => error,
        }
    }
}

/// The terminals of a part, if it is nothing but one of them.
fn collect(part: &Part, some: &mut FxHashSet<TerminalId>) -> bool {
    match part {
        Part::Terminal(id) => {
            some.insert(*id);
            true
        }
        Part::Choice(parts) => parts.iter().all(|part| collect(part, some)),
        _ => false,
    }
}
