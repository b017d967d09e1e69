//! Which rules can be part of a derivation of a sentence.

use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

/// What of a grammar is of use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Useful {
    /// Those that derive a string of terminals at all.
    pub productive: Vec<bool>,
    /// Those that are part of a derivation from the start symbol.
    pub nonterminals: Vec<bool>,
    pub rules: Vec<bool>,
}

impl Useful {
    pub fn of(grammar: &Grammar) -> Useful {
        let productive = productive(grammar);
        let nonterminals = reachable(grammar, &productive);
        let is_useful = |rule: RuleId| {
            let rule = grammar.rule(rule);
            nonterminals[rule.left.index()] && is_productive(&rule.right, &productive)
        };
        let rules = grammar.rule_ids().map(is_useful).collect();
        Useful { productive, nonterminals, rules }
    }
}

fn is_productive(right: &[Symbol], productive: &[bool]) -> bool {
    right.iter().filter_map(|symbol| symbol.nonterminal()).all(|nonterminal| productive[nonterminal.index()])
}

/// Each rule waits for its nonterminals; one that waits for none makes its own productive.
fn productive(grammar: &Grammar) -> Vec<bool> {
    let mut waiting: Vec<Vec<RuleId>> = vec![Vec::new(); grammar.nonterminals.len()];
    let mut n_missing = vec![0usize; grammar.rules.len()];
    let mut ready = Vec::new();
    for id in grammar.rule_ids() {
        for nonterminal in grammar.rule(id).right.iter().filter_map(|symbol| symbol.nonterminal()) {
            waiting[nonterminal.index()].push(id);
            n_missing[id.index()] += 1;
        }
        if n_missing[id.index()] == 0 {
            ready.push(id);
        }
    }
    let mut productive = vec![false; grammar.nonterminals.len()];
    while let Some(rule) = ready.pop() {
        let left = grammar.rule(rule).left.index();
        if std::mem::replace(&mut productive[left], true) {
            continue;
        }
        for rule in std::mem::take(&mut waiting[left]) {
            n_missing[rule.index()] -= 1;
            if n_missing[rule.index()] == 0 {
                ready.push(rule);
            }
        }
    }
    productive
}

/// From the start symbol, through rules whose nonterminals are all productive.
fn reachable(grammar: &Grammar, productive: &[bool]) -> Vec<bool> {
    let mut reachable = vec![false; grammar.nonterminals.len()];
    let mut next: Vec<NonterminalId> = vec![grammar.start];
    while let Some(nonterminal) = next.pop() {
        if !productive[nonterminal.index()] || std::mem::replace(&mut reachable[nonterminal.index()], true) {
            continue;
        }
        for &rule in grammar.rules_of(nonterminal) {
            let right = &grammar.rule(rule).right;
            if is_productive(right, productive) {
                next.extend(right.iter().filter_map(|symbol| symbol.nonterminal()));
            }
        }
    }
    reachable
}
