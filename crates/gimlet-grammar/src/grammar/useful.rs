//! Which rules can be part of a derivation of a sentence.

use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, TerminalId};

/// Which terminals can occur at all.
pub type IsPossible<'a> = &'a dyn Fn(TerminalId) -> bool;

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
        Useful::with(grammar, &|_| true)
    }

    /// The same if only some terminals can occur.
    pub fn with(grammar: &Grammar, is_possible: IsPossible) -> Useful {
        let productive = productive(grammar, is_possible);
        let nonterminals = reachable(grammar, &productive, is_possible);
        let is_useful = |rule: RuleId| {
            let rule = grammar.rule(rule);
            nonterminals[rule.left.index()] && is_productive(&rule.right, &productive, is_possible)
        };
        let rules = grammar.rule_ids().map(is_useful).collect();
        Useful { productive, nonterminals, rules }
    }
}

/// The grammar without the rules that no sentence needs; its symbols are the same. `None` if it has no sentences.
pub fn reduced(grammar: &Grammar, is_possible: IsPossible) -> Option<Grammar> {
    let useful = Useful::with(grammar, is_possible);
    let is_kept = |rule: &RuleId| useful.rules[rule.index()];
    let rules = grammar.rule_ids().filter(is_kept).map(|rule| grammar.rule(rule).clone()).collect();
    useful.productive[grammar.start.index()]
        .then(|| grammar.with_rules(grammar.nonterminals.clone(), rules, grammar.start))
}

fn is_productive(right: &[Symbol], productive: &[bool], is_possible: IsPossible) -> bool {
    right.iter().all(|&symbol| match symbol {
        Symbol::Terminal(terminal) => is_possible(terminal),
        Symbol::Nonterminal(nonterminal) => productive[nonterminal.index()],
    })
}

/// Each rule waits for its nonterminals; one that waits for none makes its own productive.
fn productive(grammar: &Grammar, is_possible: IsPossible) -> Vec<bool> {
    let mut waiting: Vec<Vec<RuleId>> = vec![Vec::new(); grammar.nonterminals.len()];
    let mut n_missing = vec![0usize; grammar.rules.len()];
    let mut ready = Vec::new();
    for id in grammar.rule_ids() {
        for nonterminal in grammar.rule(id).right.iter().filter_map(|symbol| symbol.nonterminal()) {
            waiting[nonterminal.index()].push(id);
            n_missing[id.index()] += 1;
        }
        if !grammar.rule(id).right.iter().filter_map(|symbol| symbol.terminal()).all(is_possible) {
            n_missing[id.index()] = usize::MAX;
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
fn reachable(grammar: &Grammar, productive: &[bool], is_possible: IsPossible) -> Vec<bool> {
    let mut reachable = vec![false; grammar.nonterminals.len()];
    let mut next: Vec<NonterminalId> = vec![grammar.start];
    while let Some(nonterminal) = next.pop() {
        if !productive[nonterminal.index()] || std::mem::replace(&mut reachable[nonterminal.index()], true) {
            continue;
        }
        for &rule in grammar.rules_of(nonterminal) {
            let right = &grammar.rule(rule).right;
            if is_productive(right, productive, is_possible) {
                next.extend(right.iter().filter_map(|symbol| symbol.nonterminal()));
            }
        }
    }
    reachable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_grammars::grammar;

    #[test]
    fn what_no_sentence_needs() {
        let grammar = grammar("s: 'x' | l 'y' ; l: 'z' l ; u: 'x' ; w: u ;");
        let useful = Useful::of(&grammar);
        assert_eq!(useful.productive, [true, false, true, true]);
        assert_eq!(useful.nonterminals, [true, false, false, false]);
        assert_eq!(useful.rules, [true, false, false, false, false]);
        assert_eq!(reduced(&grammar, &|_| true).unwrap().to_string(), "start: s\n   1  s: 'x'\n");
        assert!(reduced(&grammar, &|terminal| grammar.terminal(terminal).name != "'x'").is_none());
    }
}
