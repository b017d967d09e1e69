//! The terminals that can follow a reduction, as DeRemer and Pennello find them.
//!
//! All is about transitions by nonterminals. What can follow such a transition is what can be read behind it, past
//! nonterminals that can be empty (the relation *reads*), and what follows the transition of a nonterminal that it is the
//! last part of (*includes*). A reduction is followed by what follows the transitions that it leads to (*lookback*).

use super::automaton::Automaton;
use super::relation::Relation;
use super::rows::Rows;

/// The lookaheads of the reductions of all states that are not consistent.
pub struct Lookaheads {
    /// For each state, the row of its first reduction.
    first_rows: Vec<Option<usize>>,
    pub rows: Rows,
}

impl Lookaheads {
    /// The row of a reduction, by its place among the reductions of the state.
    pub fn row(&self, state: usize, reduction: usize) -> Option<usize> {
        self.first_rows[state].map(|first| first + reduction)
    }
}

/// Numbers for the transitions by nonterminals: those of a state follow each other.
struct Transitions {
    firsts: Vec<u32>,
    n_all: usize,
}

impl Transitions {
    fn new(automaton: &Automaton) -> Transitions {
        let mut n_all = 0;
        let mut firsts = Vec::new();
        for state in &automaton.states {
            firsts.push(n_all as u32);
            n_all += state.gotos.len();
        }
        Transitions { firsts, n_all }
    }

    fn number(&self, automaton: &Automaton, state: u32, nonterminal: u32) -> Option<u32> {
        let gotos = &automaton.states[state as usize].gotos;
        let at = gotos.binary_search_by_key(&nonterminal, |goto| goto.0).ok()?;
        Some(self.firsts[state as usize] + at as u32)
    }
}

pub fn lookaheads(automaton: &Automaton) -> Lookaheads {
    let is_empty = nullable(automaton);
    let transitions = Transitions::new(automaton);
    let mut follows = Rows::new(transitions.n_all, automaton.n_terminals as usize);
    let mut reads = Vec::new();
    for (state, first) in automaton.states.iter().zip(&transitions.firsts) {
        for (transition, &(_, next)) in (*first..).zip(&state.gotos) {
            let target = &automaton.states[next as usize];
            target.shifts.iter().for_each(|&(terminal, _)| follows.insert(transition as usize, terminal));
            let empty = (transitions.firsts[next as usize]..).zip(&target.gotos);
            let empty = empty.filter(|&(_, &(nonterminal, _))| is_empty[nonterminal as usize]);
            reads.extend(empty.map(|(read, _)| (transition, read)));
        }
    }
    Relation::new(transitions.n_all, &reads).spread(&mut follows);
    let mut found = Lookaheads { first_rows: Vec::new(), rows: Rows::new(0, 0) };
    let mut n_rows = 0;
    for state in &automaton.states {
        let needs_rows = !state.is_consistent() && !state.reductions.is_empty();
        found.first_rows.push(needs_rows.then_some(n_rows));
        n_rows += if needs_rows { state.reductions.len() } else { 0 };
    }
    found.rows = Rows::new(n_rows, automaton.n_terminals as usize);
    let walked = walk_rules(automaton, &transitions, &is_empty, &found);
    Relation::new(transitions.n_all, &walked.includes).spread(&mut follows);
    for (row, transition) in walked.lookbacks {
        found.rows.add_from(row, &follows, transition as usize);
    }
    found
}

/// What walks along the rules find.
#[derive(Default)]
struct Walked {
    includes: Vec<(u32, u32)>,
    /// Rows of reductions and transitions.
    lookbacks: Vec<(usize, u32)>,
}

/// Walks from each transition along the rules of its nonterminal.
fn walk_rules(automaton: &Automaton, transitions: &Transitions, is_empty: &[bool], found: &Lookaheads) -> Walked {
    let (mut walked, mut path) = (Walked::default(), Vec::new());
    // What of each rule may be missing at its end.
    let is_nullable = |symbol: u32| symbol.checked_sub(automaton.n_terminals).is_some_and(|n| is_empty[n as usize]);
    let tails: Vec<usize> = automaton
        .rules
        .iter()
        .map(|rule| rule.right.iter().rev().take_while(|&&symbol| is_nullable(symbol)).count())
        .collect();
    for (from, state) in automaton.states.iter().enumerate() {
        for (transition, &(nonterminal, _)) in (transitions.firsts[from]..).zip(&state.gotos) {
            for &rule in &automaton.rules_of[nonterminal as usize] {
                let right = &automaton.rules[rule as usize].right;
                path.clear();
                path.push(from as u32);
                path.extend(right.iter().scan(from as u32, |state, &symbol| {
                    *state = automaton.next(*state, symbol)?;
                    Some(*state)
                }));
                let first = right.len().saturating_sub(tails[rule as usize] + 1);
                for (&state, &symbol) in path[first..].iter().zip(&right[first..]) {
                    let last = symbol.checked_sub(automaton.n_terminals);
                    let last = last.and_then(|nonterminal| transitions.number(automaton, state, nonterminal));
                    walked.includes.extend(last.filter(|&last| last != transition).map(|last| (last, transition)));
                }
                let end = path[path.len() - 1] as usize;
                if found.first_rows[end].is_some() {
                    let reduction = automaton.states[end].reductions.binary_search(&rule).ok();
                    let row = reduction.and_then(|reduction| found.row(end, reduction));
                    walked.lookbacks.extend(row.map(|row| (row, transition)));
                }
            }
        }
    }
    walked.includes.sort_unstable();
    walked.includes.dedup();
    walked
}

/// Which nonterminals derive the empty string.
fn nullable(automaton: &Automaton) -> Vec<bool> {
    let mut is_empty = vec![false; automaton.n_nonterminals as usize];
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); is_empty.len()];
    let mut n_missing: Vec<usize> = automaton.rules.iter().map(|rule| rule.right.len()).collect();
    let mut ready: Vec<u32> = Vec::new();
    for (at, rule) in automaton.rules.iter().enumerate() {
        for nonterminal in rule.right.iter().filter_map(|symbol| symbol.checked_sub(automaton.n_terminals)) {
            waiting[nonterminal as usize].push(at as u32);
        }
        if rule.right.is_empty() {
            ready.push(at as u32);
        }
    }
    while let Some(rule) = ready.pop() {
        let left = automaton.rules[rule as usize].left as usize;
        if std::mem::replace(&mut is_empty[left], true) {
            continue;
        }
        for rule in std::mem::take(&mut waiting[left]) {
            n_missing[rule as usize] -= 1;
            if n_missing[rule as usize] == 0 {
                ready.push(rule);
            }
        }
    }
    is_empty
}
