//! A grammar in the making: rules with groups, options and repetitions become plain ones.
//!
//! Whatever is more than a string of symbols gets a nonterminal of its own, named after the rule in which it occurs first:
//! `expr.1`. Equal parts share one. A repetition is recursive on the left, so that a parser needs no stack for it.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::grammar::useful::Useful;
use crate::grammar::{Grammar, Nonterminal, NonterminalId, Rule, Symbol, Terminal, TerminalId};
use crate::source::{Diagnostic, Span};

/// What stands on the right of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    Terminal(TerminalId),
    Nonterminal(NonterminalId),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    /// Any number of times.
    Many(Box<Part>),
    /// Any number of times but none.
    AtLeastOnce(Box<Part>),
    Times(u32, Box<Part>),
}

impl Part {
    pub fn empty() -> Part {
        Part::Sequence(Vec::new())
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Part::Sequence(parts) if parts.is_empty())
    }

    /// The parts one after the other; those that are sequences become part of it.
    pub fn sequence(parts: impl IntoIterator<Item = Part>) -> Part {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Part::Sequence(inner) => all.extend(inner),
                part => all.push(part),
            }
        }
        match all.len() {
            1 => all.remove(0),
            _ => Part::Sequence(all),
        }
    }

    /// One of the parts; those that are choices become part of it.
    pub fn choice(parts: impl IntoIterator<Item = Part>) -> Part {
        let mut seen = FxHashSet::default();
        let mut all = Vec::new();
        for part in parts {
            let inner = match part {
                Part::Choice(inner) => inner,
                part => vec![part],
            };
            all.extend(inner.into_iter().filter(|part| seen.insert(part.clone())));
        }
        match all.len() {
            1 => all.remove(0),
            _ => Part::Choice(all),
        }
    }

    pub fn optional(part: Part) -> Part {
        match part {
            Part::Many(_) => part,
            Part::AtLeastOnce(part) => Part::Many(part),
            part => Part::choice([Part::empty(), part]),
        }
    }

    /// What is empty in itself is not repeated: each sentence would have any number of derivations.
    pub fn many(part: Part) -> Part {
        match part {
            Part::Many(part) | Part::AtLeastOnce(part) => Part::Many(part),
            Part::Choice(mut parts) => {
                parts.retain(|part| !part.is_empty());
                match Part::choice(parts) {
                    Part::Choice(parts) => Part::Many(Box::new(Part::Choice(parts))),
                    part => Part::many(part),
                }
            }
            part if part.is_empty() => part,
            part => Part::Many(Box::new(part)),
        }
    }

    pub fn at_least_once(part: Part) -> Part {
        match part {
            Part::Many(_) | Part::AtLeastOnce(_) => part,
            Part::Choice(ref parts) if parts.iter().any(Part::is_empty) => Part::many(part),
            part if part.is_empty() => part,
            part => Part::AtLeastOnce(Box::new(part)),
        }
    }

    pub fn times(n_times: u32, part: Part) -> Part {
        match n_times {
            0 => Part::empty(),
            1 => part,
            _ if part.is_empty() => part,
            _ => Part::Times(n_times, Box::new(part)),
        }
    }
}

/// The rules so far.
#[derive(Default)]
pub struct GrammarBuilder {
    nonterminals: Vec<Nonterminal>,
    names: FxHashMap<String, NonterminalId>,
    pub rules: Vec<Rule>,
    seen: FxHashSet<(NonterminalId, Vec<Symbol>)>,
    /// Nonterminals that stand for parts.
    made: FxHashMap<Part, NonterminalId>,
    /// Nonterminals that need not be reached.
    quiet: FxHashSet<NonterminalId>,
    /// By the nonterminal after which they are named.
    n_made: FxHashMap<NonterminalId, u32>,
    /// Parts whose rules are still to be written, and in which nonterminal they occur.
    pending: VecDeque<(NonterminalId, NonterminalId, Part, Span)>,
}

impl GrammarBuilder {
    /// The nonterminal of a name, which need not be known before.
    pub fn nonterminal(&mut self, name: &str, span: Span) -> NonterminalId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = NonterminalId(self.nonterminals.len() as u32);
        self.nonterminals.push(Nonterminal { name: name.to_owned(), span });
        self.names.insert(name.to_owned(), id);
        id
    }

    /// Says nothing about a nonterminal that is never reached.
    pub fn keep_quiet(&mut self, nonterminal: NonterminalId) {
        self.quiet.insert(nonterminal);
    }

    pub fn named(&self, name: &str) -> Option<NonterminalId> {
        self.names.get(name).copied()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// A new nonterminal, named after another.
    pub fn fresh(&mut self, owner: NonterminalId, span: Span) -> NonterminalId {
        let base = self.nonterminals[owner.index()].name.clone();
        loop {
            let number = self.n_made.entry(owner).or_default();
            *number += 1;
            let name = format!("{base}.{number}");
            if !self.names.contains_key(&name) {
                let id = self.nonterminal(&name, span);
                self.quiet.insert(id);
                return id;
            }
        }
    }

    /// Adds the rules by which a nonterminal becomes a part.
    pub fn define(&mut self, left: NonterminalId, part: &Part, span: Span) {
        self.alternatives(left, left, part, &[], span);
        while let Some((left, owner, part, span)) = self.pending.pop_front() {
            let own = Symbol::Nonterminal(left);
            match &part {
                Part::Many(inner) => {
                    self.push_rule(left, Vec::new(), span);
                    self.alternatives(left, owner, inner, &[own], span);
                }
                Part::AtLeastOnce(inner) => {
                    self.alternatives(left, owner, inner, &[], span);
                    self.alternatives(left, owner, inner, &[own], span);
                }
                Part::Times(n_times, inner) => {
                    let half = Part::times(n_times / 2, (**inner).clone());
                    let odd = Part::times(n_times % 2, (**inner).clone());
                    let whole = Part::sequence([half.clone(), half, odd]);
                    self.alternatives(left, owner, &whole, &[], span);
                }
                part => self.alternatives(left, owner, part, &[], span),
            }
        }
    }

    pub fn push_rule(&mut self, left: NonterminalId, right: Vec<Symbol>, span: Span) {
        if self.seen.insert((left, right.clone())) {
            self.rules.push(Rule { left, right, prec: None, weight: 1.0, span });
        }
    }

    /// A rule for each alternative, each of which begins with some symbols.
    fn alternatives(&mut self, left: NonterminalId, owner: NonterminalId, part: &Part, begin: &[Symbol], span: Span) {
        let alternatives = match part {
            Part::Choice(parts) => parts.as_slice(),
            part => std::slice::from_ref(part),
        };
        for alternative in alternatives {
            let mut right = begin.to_vec();
            self.symbols(owner, alternative, &mut right, span);
            self.push_rule(left, right, span);
        }
    }

    fn symbols(&mut self, owner: NonterminalId, part: &Part, right: &mut Vec<Symbol>, span: Span) {
        match part {
            Part::Terminal(terminal) => right.push(Symbol::Terminal(*terminal)),
            Part::Nonterminal(nonterminal) => right.push(Symbol::Nonterminal(*nonterminal)),
            Part::Sequence(parts) => parts.iter().for_each(|part| self.symbols(owner, part, right, span)),
            part => {
                let made = match self.made.get(part) {
                    Some(&made) => made,
                    None => {
                        let made = self.fresh(owner, span);
                        self.made.insert(part.clone(), made);
                        self.pending.push_back((made, owner, part.clone(), span));
                        made
                    }
                };
                right.push(Symbol::Nonterminal(made));
            }
        }
    }

    /// The grammar as it is.
    pub fn grammar(self, terminals: Vec<Terminal>, start: NonterminalId) -> Grammar {
        Grammar::new(terminals, self.nonterminals, self.rules, start)
    }

    /// The grammar. `None` if it has no sentences; what is of no use is told.
    pub fn finish(
        self,
        terminals: Vec<Terminal>,
        start: NonterminalId,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Grammar> {
        let quiet = self.quiet;
        let grammar = Grammar::new(terminals, self.nonterminals, self.rules, start);
        let useful = Useful::of(&grammar);
        if !useful.productive[start.index()] {
            let start = grammar.nonterminal(start);
            let message = format!("no sentence can be derived from the start symbol `{}`", start.name);
            diagnostics.push(Diagnostic::error(start.span, message).with_hint("some rule has to end the recursion"));
            return None;
        }
        for id in grammar.nonterminal_ids().filter(|id| !useful.nonterminals[id.index()] && !quiet.contains(id)) {
            let nonterminal = grammar.nonterminal(id);
            let why = if useful.productive[id.index()] { "is never reached" } else { "derives no sentence" };
            diagnostics.push(Diagnostic::warning(nonterminal.span, format!("`{}` {why}", nonterminal.name)));
        }
        Some(grammar)
    }
}

/// Some names for a message, and how many more there are. `None` if there are none.
pub fn list<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    const N_NAMES_MAX: usize = 8;
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let shown = names.iter().take(N_NAMES_MAX).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        n_names if n_names > N_NAMES_MAX => Some(format!("{shown} and {} more", n_names - N_NAMES_MAX)),
        _ => Some(shown),
    }
}
