//! The LR(0) automaton of a grammar.

use rustc_hash::FxHashMap;

use super::rows::Rows;
use crate::grammar::useful::Useful;
use crate::grammar::{Grammar, RuleId, Symbol};

/// A rule with its symbols as numbers: terminals first, then nonterminals.
pub struct FlatRule {
    pub left: u32,
    pub right: Vec<u32>,
    /// None for the rule that leads to the start symbol.
    pub id: Option<RuleId>,
}

/// A state, with what leads out of it in the order of the symbols.
pub struct State {
    /// Terminals and states.
    pub shifts: Vec<(u32, u32)>,
    /// Nonterminals, counted from 0, and states.
    pub gotos: Vec<(u32, u32)>,
    /// Rules that end here, in their order.
    pub reductions: Vec<u32>,
}

impl State {
    /// Whether there is nothing to choose: whatever comes, there is one reduction.
    pub fn is_consistent(&self) -> bool {
        self.reductions.len() == 1 && self.shifts.is_empty()
    }
}

/// The states of a grammar and a rule more, number 0: the start symbol and the end of the input.
pub struct Automaton {
    pub rules: Vec<FlatRule>,
    pub states: Vec<State>,
    pub n_terminals: u32,
    pub n_nonterminals: u32,
    /// The terminal that ends the input. It may be one of the grammar's.
    pub end: u32,
    /// The state after the start symbol and the end.
    pub accepting: u32,
    /// For each nonterminal.
    pub rules_of: Vec<Vec<u32>>,
}

impl Automaton {
    /// The automaton of the rules that are of use.
    pub fn new(grammar: &Grammar) -> Automaton {
        let n_own = grammar.terminals.len() as u32;
        let end = grammar.end.map_or(n_own, |end| end.0);
        let n_terminals = n_own.max(end + 1);
        let number = |symbol: &Symbol| match *symbol {
            Symbol::Terminal(id) => id.0,
            Symbol::Nonterminal(id) => n_terminals + id.0,
        };
        let accept = grammar.nonterminals.len() as u32;
        let useful = Useful::of(grammar);
        let mut rules = vec![FlatRule { left: accept, right: vec![n_terminals + grammar.start.0, end], id: None }];
        for id in grammar.rule_ids().filter(|id| useful.rules[id.index()]) {
            let rule = grammar.rule(id);
            rules.push(FlatRule { left: rule.left.0, right: rule.right.iter().map(number).collect(), id: Some(id) });
        }
        let mut rules_of = vec![Vec::new(); accept as usize + 1];
        for (at, rule) in rules.iter().enumerate() {
            rules_of[rule.left as usize].push(at as u32);
        }
        let mut automaton = Automaton {
            rules,
            states: Vec::new(),
            n_terminals,
            n_nonterminals: accept + 1,
            end,
            accepting: 0,
            rules_of,
        };
        automaton.states = Builder::new(&automaton).build();
        automaton.accepting = automaton.walk(0, &automaton.rules[0].right).unwrap_or(0);
        automaton
    }

    pub fn next(&self, state: u32, symbol: u32) -> Option<u32> {
        let state = &self.states[state as usize];
        let (edges, symbol) = match symbol.checked_sub(self.n_terminals) {
            Some(nonterminal) => (&state.gotos, nonterminal),
            None => (&state.shifts, symbol),
        };
        edges.binary_search_by_key(&symbol, |edge| edge.0).ok().map(|at| edges[at].1)
    }

    /// Where several symbols lead.
    pub fn walk(&self, state: u32, symbols: &[u32]) -> Option<u32> {
        symbols.iter().try_fold(state, |state, &symbol| self.next(state, symbol))
    }
}

/// An item is a place in all rules written one after the other, each with a mark at its end.
struct Builder<'a> {
    automaton: &'a Automaton,
    /// The symbol behind each place, or none at the end of a rule.
    symbols: Vec<Option<u32>>,
    /// The rule of each place.
    rules: Vec<u32>,
    /// Where each rule begins.
    starts: Vec<u32>,
    /// For each nonterminal, those that something derived from it can begin with, itself included.
    corners: Rows,
    kernels: Vec<Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, u32>,
    /// For each symbol, the places behind it while a state is expanded.
    moved: Vec<Vec<u32>>,
}

impl Builder<'_> {
    fn new(automaton: &Automaton) -> Builder<'_> {
        let (mut symbols, mut rules, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for (at, rule) in automaton.rules.iter().enumerate() {
            starts.push(symbols.len() as u32);
            symbols.extend(rule.right.iter().map(|&symbol| Some(symbol)).chain([None]));
            rules.resize(symbols.len(), at as u32);
        }
        let n_symbols = automaton.n_terminals + automaton.n_nonterminals;
        Builder {
            automaton,
            symbols,
            rules,
            starts,
            corners: corners(automaton),
            kernels: Vec::new(),
            numbers: FxHashMap::default(),
            moved: vec![Vec::new(); n_symbols as usize],
        }
    }

    fn build(mut self) -> Vec<State> {
        self.state(Box::new([0]));
        let mut states = Vec::new();
        let mut found = Rows::new(1, self.automaton.n_nonterminals as usize);
        while let Some(kernel) = self.kernels.get(states.len()).cloned() {
            let state = self.expand(&kernel, &mut found);
            states.push(state);
        }
        states
    }

    /// The number of the state with this kernel.
    fn state(&mut self, kernel: Box<[u32]>) -> u32 {
        let next = self.kernels.len() as u32;
        let number = *self.numbers.entry(kernel.clone()).or_insert(next);
        if number == next {
            self.kernels.push(kernel);
        }
        number
    }

    fn expand(&mut self, kernel: &[u32], found: &mut Rows) -> State {
        found.clear(0);
        let (mut used, mut reductions) = (Vec::new(), Vec::new());
        for &place in kernel {
            self.advance(place, &mut used, &mut reductions);
            let symbol = self.symbols[place as usize];
            if let Some(nonterminal) = symbol.and_then(|symbol| symbol.checked_sub(self.automaton.n_terminals)) {
                found.add_from(0, &self.corners, nonterminal as usize);
            }
        }
        for nonterminal in found.iter(0) {
            for &rule in &self.automaton.rules_of[nonterminal as usize] {
                self.advance(self.starts[rule as usize], &mut used, &mut reductions);
            }
        }
        reductions.sort_unstable();
        used.sort_unstable();
        let mut state = State { shifts: Vec::new(), gotos: Vec::new(), reductions };
        for symbol in used {
            let mut kernel = std::mem::take(&mut self.moved[symbol as usize]);
            kernel.sort_unstable();
            let next = self.state(kernel.into());
            match symbol.checked_sub(self.automaton.n_terminals) {
                Some(nonterminal) => state.gotos.push((nonterminal, next)),
                None => state.shifts.push((symbol, next)),
            }
        }
        state
    }

    /// Moves a place behind its symbol, or notes that its rule ends there.
    fn advance(&mut self, place: u32, used: &mut Vec<u32>, reductions: &mut Vec<u32>) {
        let Some(symbol) = self.symbols[place as usize] else {
            return reductions.push(self.rules[place as usize]);
        };
        let moved = &mut self.moved[symbol as usize];
        if moved.is_empty() {
            used.push(symbol);
        }
        moved.push(place + 1);
    }
}

/// See [`Builder::corners`].
fn corners(automaton: &Automaton) -> Rows {
    let n_nonterminals = automaton.n_nonterminals as usize;
    let mut corners = Rows::new(n_nonterminals, n_nonterminals);
    let mut pairs = Vec::new();
    (0..n_nonterminals).for_each(|nonterminal| corners.insert(nonterminal, nonterminal as u32));
    for rule in &automaton.rules {
        let first = rule.right.first().and_then(|symbol| symbol.checked_sub(automaton.n_terminals));
        pairs.extend(first.map(|first| (rule.left, first)));
    }
    super::relation::Relation::new(n_nonterminals, &pairs).spread(&mut corners);
    corners
}
