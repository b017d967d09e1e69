//! The automata of a scanner: one for each start condition, within a line and at its beginning.
//!
//! One for all conditions together would hide rules behind others that are never active at the same time. The winner is
//! the longest match, and of rules with the same text the first; so keywords win against identifiers by themselves. Where
//! the same rules are active, conditions share an automaton.

mod dfa;

use regex_syntax::hir::Hir;
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::{ConditionId, Cut, Lex, RuleId};
use crate::regular::byte_set::ByteSet;
use crate::source::{Diagnostic, Span};

pub use dfa::{Dfa, State};

/// What an automaton may need while it is made.
const N_BYTES_MAX: usize = 64 << 20;

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AutomatonError {
    #[error("the automaton of start condition {condition} is too large: {reason}")]
    TooLarge { condition: String, reason: String },
}

/// A longest match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    /// `None` is flex's own rule for a byte that no other matches.
    pub rule: Option<RuleId>,
    /// Bytes of the rule's text.
    pub n_bytes: usize,
    /// With the trailing context.
    pub n_bytes_seen: usize,
}

/// A text that makes a rule win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub rule: RuleId,
    pub condition: ConditionId,
    pub at_line_start: bool,
    /// With the trailing context.
    pub text: Vec<u8>,
    /// Of them, those that the rule keeps.
    pub n_bytes: usize,
}

/// An automaton and the rules that its patterns stand for.
#[derive(Clone, Debug)]
struct Table {
    dfa: Dfa,
    /// flex's own rule is the last.
    rules: Vec<Option<RuleId>>,
}

#[derive(Clone, Debug)]
pub struct Automaton {
    tables: Vec<Table>,
    /// For each condition: within a line, at its beginning.
    table_of: Vec<[usize; 2]>,
    /// How the rules with trailing context are cut.
    cuts: FxHashMap<RuleId, Cut>,
    /// For those that are cut by their pattern.
    heads: FxHashMap<RuleId, Dfa>,
}

impl Automaton {
    pub fn new(lex: &Lex) -> Result<Automaton, AutomatonError> {
        Automaton::within(lex, N_BYTES_MAX)
    }

    /// With another limit for what an automaton may need while it is made.
    pub fn within(lex: &Lex, n_bytes_max: usize) -> Result<Automaton, AutomatonError> {
        let mut automaton = Automaton {
            tables: Vec::new(),
            table_of: Vec::new(),
            cuts: FxHashMap::default(),
            heads: FxHashMap::default(),
        };
        let mut known: FxHashMap<Vec<RuleId>, usize> = FxHashMap::default();
        for condition in lex.condition_ids() {
            let too_large =
                |reason| AutomatonError::TooLarge { condition: lex.condition(condition).name.clone(), reason };
            let mut pair = [0; 2];
            for (at_line_start, place) in [false, true].into_iter().zip(&mut pair) {
                let active = active_rules(lex, condition, at_line_start);
                *place = match known.get(&active) {
                    Some(&table) => table,
                    None => {
                        automaton.tables.push(Table::new(lex, &active, n_bytes_max).map_err(too_large)?);
                        known.insert(active, automaton.tables.len() - 1);
                        automaton.tables.len() - 1
                    }
                };
            }
            automaton.table_of.push(pair);
        }
        for id in lex.rule_ids() {
            let Some(trailing) = &lex.rule(id).trailing else { continue };
            automaton.cuts.insert(id, trailing.cut);
            if trailing.cut == Cut::Longest {
                let too_large = |reason| AutomatonError::TooLarge { condition: "of a trailing context".into(), reason };
                let head = Dfa::new(std::slice::from_ref(&lex.rule(id).pattern), n_bytes_max).map_err(too_large)?;
                automaton.heads.insert(id, head);
            }
        }
        Ok(automaton)
    }

    fn table(&self, condition: ConditionId, at_line_start: bool) -> &Table {
        &self.tables[self.table_of[condition.index()][usize::from(at_line_start)]]
    }

    /// The table itself, for walks through it.
    pub fn dfa(&self, condition: ConditionId, at_line_start: bool) -> &Dfa {
        &self.table(condition, at_line_start).dfa
    }

    /// Conditions with the same number have the same table.
    pub fn table_number(&self, condition: ConditionId, at_line_start: bool) -> usize {
        self.table_of[condition.index()][usize::from(at_line_start)]
    }

    /// The rule that a state of a table accepts; flex's own rule is `Some(None)`.
    pub fn accepts(&self, condition: ConditionId, at_line_start: bool, state: State) -> Option<Option<RuleId>> {
        let table = self.table(condition, at_line_start);
        table.dfa.accepts(state).map(|pattern| table.rules[pattern as usize])
    }

    /// The rule that wins at the beginning of a text.
    pub fn longest_match(&self, condition: ConditionId, at_line_start: bool, text: &[u8]) -> Option<Match> {
        let table = self.table(condition, at_line_start);
        let (n_bytes_seen, pattern) = table.dfa.longest_match(text)?;
        let rule = table.rules[pattern as usize];
        let n_bytes = rule.map_or(n_bytes_seen, |rule| self.cut(rule, &text[..n_bytes_seen]));
        Some(Match { rule, n_bytes, n_bytes_seen })
    }

    /// Bytes of a rule's text in what matched with its context.
    fn cut(&self, rule: RuleId, seen: &[u8]) -> usize {
        match self.cuts.get(&rule) {
            None => seen.len(),
            Some(Cut::Head(n)) => (*n).min(seen.len()),
            Some(Cut::Trail(n)) => seen.len().saturating_sub(*n),
            Some(Cut::Longest) => {
                self.heads.get(&rule).and_then(|head| head.longest_match(seen)).map_or(0, |(n_bytes, _)| n_bytes)
            }
        }
    }

    /// A shortest text for each rule in each place where it can win.
    pub fn witnesses(&self, lex: &Lex) -> Vec<Witness> {
        let texts: Vec<_> = self.tables.iter().map(|table| table.dfa.shortest_texts()).collect();
        let mut witnesses = Vec::new();
        for condition in lex.condition_ids() {
            let [inside, at_start] = self.table_of[condition.index()];
            let places =
                if inside == at_start { vec![(false, inside)] } else { vec![(false, inside), (true, at_start)] };
            for (at_line_start, table) in places {
                for (pattern, rule) in self.tables[table].rules.iter().enumerate() {
                    let (Some(rule), Some(text)) = (*rule, texts[table].get(&(pattern as u32))) else { continue };
                    let n_bytes = self.cut(rule, text);
                    witnesses.push(Witness { rule, condition, at_line_start, text: text.clone(), n_bytes });
                }
            }
        }
        witnesses
    }

    /// Says of each rule that never wins that it doesn't.
    pub fn never_winning(&self, lex: &Lex) -> Vec<Diagnostic> {
        let mut wins = vec![false; lex.rules.len()];
        for table in &self.tables {
            for pattern in (0..table.dfa.n_states() as State).filter_map(|state| table.dfa.accepts(state)) {
                if let Some(rule) = table.rules[pattern as usize] {
                    wins[rule.index()] = true;
                }
            }
        }
        let is_silent = |id: &RuleId| !wins[id.index()] && !lex.rule(*id).is_eof;
        let warning = |id| {
            let span: Span = lex.rule(id).span;
            Diagnostic::warning(span, "this rule never wins").with_hint("others match the same, and come first")
        };
        lex.rule_ids().filter(is_silent).map(warning).collect()
    }

    /// States of all tables.
    pub fn n_states(&self) -> usize {
        self.tables.iter().map(|table| table.dfa.n_states()).sum()
    }
}

impl Table {
    fn new(lex: &Lex, active: &[RuleId], n_bytes_max: usize) -> Result<Table, String> {
        let pattern = |&id: &RuleId| match &lex.rule(id).trailing {
            Some(trailing) => Hir::concat(vec![lex.rule(id).pattern.clone(), trailing.pattern.clone()]),
            None => lex.rule(id).pattern.clone(),
        };
        let default = ByteSet::of(|_| true, lex.options.byte_max()).hir();
        let patterns: Vec<Hir> = active.iter().map(pattern).chain([default]).collect();
        let rules = active.iter().copied().map(Some).chain([None]).collect();
        Ok(Table { dfa: Dfa::new(&patterns, n_bytes_max)?, rules })
    }
}

fn active_rules(lex: &Lex, condition: ConditionId, at_line_start: bool) -> Vec<RuleId> {
    let is_active = |id: &RuleId| {
        let rule = lex.rule(*id);
        !rule.is_eof && (at_line_start || !rule.at_line_start) && rule.conditions.contains(&condition)
    };
    lex.rule_ids().filter(is_active).collect()
}
