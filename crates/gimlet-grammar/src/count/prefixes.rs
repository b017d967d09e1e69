//! The viable prefixes of a language, as a deterministic automaton that is built while it is walked.
//!
//! A state is an Earley set (Earley 1970) that knows no positions: an item is what is left of a rule with the nonterminal
//! that it makes, and where it began is the state that stood there. So a state is determined by what was scanned into it,
//! states that are equal have the same future, and each is made once however many prefixes lead to it: after `a +` and
//! after `b *` a calculator expects the same. Counting, enumerating and sampling distinct sentences is then a matter of
//! walking a graph; an ambiguous grammar, left recursion and empty rules are no special case. The rivals are a chart for
//! each string, which does the same work for every prefix again, and LR tables, which conflicts make ambiguous.
//!
//! The number of states grows with the nesting, not with the number of strings. What remains of a rule is shared: two
//! rules with the same rest are one item.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::grammar::analysis;
use crate::grammar::suffixes::{RuleSuffixes, SuffixId};
use crate::grammar::useful;
use crate::grammar::{Grammar, NonterminalId, Symbol, TerminalId};

/// A state, by its place in [`Prefixes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(u32);

impl StateId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is still to come, for which nonterminal, and the state in which that began.
type Item = (SuffixId, StateId);

#[derive(Debug)]
struct State {
    /// What waits for a nonterminal that begins here.
    waiting: FxHashMap<NonterminalId, Vec<Item>>,
    /// What each terminal leads to, before it is closed.
    scans: Vec<(TerminalId, Vec<Item>)>,
    /// The states behind those, as far as they were asked for.
    next: Vec<Option<StateId>>,
    is_accepting: bool,
    /// The shortest string that completes a nonterminal's user, and all around it, once the nonterminal is complete.
    above: FxHashMap<NonterminalId, u32>,
    /// The shortest string to the end of a sentence.
    to_end: u32,
}

/// The prefixes of a grammar's sentences.
#[derive(Debug)]
pub struct Prefixes {
    start: NonterminalId,
    nullable: Vec<bool>,
    rests: RuleSuffixes,
    states: Vec<State>,
    by_kernel: FxHashMap<Box<[Item]>, StateId>,
    /// Items of all states.
    n_items: usize,
}

impl Prefixes {
    /// The state before anything was read.
    pub const FIRST: StateId = StateId(0);

    /// Terminals are of the lengths given, or not possible at all. `None` if there are no sentences.
    pub fn new(grammar: &Grammar, length_of: &dyn Fn(TerminalId) -> Option<u32>) -> Option<Prefixes> {
        let grammar = useful::reduced(grammar, &|terminal| length_of(terminal).is_some())?;
        let length_of = |terminal| length_of(terminal).unwrap_or(u32::MAX);
        let shortest = analysis::shortest(&grammar, &length_of);
        let rests = RuleSuffixes::new(&grammar, &shortest, &length_of);
        let nullable = analysis::nullable(&grammar);
        let mut prefixes = Prefixes {
            start: grammar.start,
            nullable,
            rests,
            states: Vec::new(),
            by_kernel: FxHashMap::default(),
            n_items: 0,
        };
        prefixes.close(&[]);
        Some(prefixes)
    }

    /// Items of all states that were made: memory is in proportion to them.
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    pub fn n_states(&self) -> usize {
        self.states.len()
    }

    /// Whether a sentence may end here.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.states[state.index()].is_accepting
    }

    /// The length of the shortest string from here to the end of a sentence.
    pub fn to_end(&self, state: StateId) -> u32 {
        self.states[state.index()].to_end
    }

    /// The terminals that may come next, in ascending order.
    pub fn terminals(&self, state: StateId) -> impl Iterator<Item = TerminalId> + '_ {
        self.states[state.index()].scans.iter().map(|&(terminal, _)| terminal)
    }

    pub fn n_terminals(&self, state: StateId) -> usize {
        self.states[state.index()].scans.len()
    }

    /// What comes after the n-th of the terminals that may come next.
    pub fn nth(&mut self, state: StateId, n: usize) -> (TerminalId, StateId) {
        let from = &self.states[state.index()];
        let terminal = from.scans[n].0;
        if let Some(next) = from.next[n] {
            return (terminal, next);
        }
        let kernel = from.scans[n].1.clone();
        let next = match self.by_kernel.get(kernel.as_slice()) {
            Some(&known) => known,
            None => {
                let made = self.close(&kernel);
                self.by_kernel.insert(kernel.into(), made);
                made
            }
        };
        self.states[state.index()].next[n] = Some(next);
        (terminal, next)
    }

    /// The state after a terminal, if it may come next.
    pub fn after(&mut self, state: StateId, terminal: TerminalId) -> Option<StateId> {
        let n = self.states[state.index()].scans.binary_search_by_key(&terminal, |&(it, _)| it).ok()?;
        Some(self.nth(state, n).1)
    }

    /// Makes the state that a kernel determines; none is the first state.
    fn close(&mut self, kernel: &[Item]) -> StateId {
        let here = StateId(self.states.len() as u32);
        let mut closing =
            Closing { here, known: FxHashSet::default(), pending: Vec::new(), predicted: FxHashSet::default() };
        kernel.iter().for_each(|&item| closing.add(item));
        if kernel.is_empty() {
            self.predict(self.start, &mut closing);
        }
        let mut waiting: FxHashMap<NonterminalId, Vec<Item>> = FxHashMap::default();
        let mut scans: FxHashMap<TerminalId, Vec<Item>> = FxHashMap::default();
        let mut is_accepting = kernel.is_empty() && self.nullable[self.start.index()];
        while let Some((rest_id, origin)) = closing.pending.pop() {
            let rest = self.rests.get(rest_id);
            match (rest.symbols.first(), rest.next) {
                (Some(&Symbol::Terminal(terminal)), Some(next)) => {
                    scans.entry(terminal).or_default().push((next, origin))
                }
                (Some(&Symbol::Nonterminal(nonterminal)), Some(next)) => {
                    waiting.entry(nonterminal).or_default().push((next, origin));
                    if self.nullable[nonterminal.index()] {
                        closing.add((next, origin));
                    }
                    self.predict(nonterminal, &mut closing);
                }
                // What begins and ends here is empty, and was passed over where it was predicted.
                _ if origin == here => {}
                _ => {
                    is_accepting |= origin == Prefixes::FIRST && rest.left == self.start;
                    let users = self.states[origin.index()].waiting.get(&rest.left);
                    users.into_iter().flatten().for_each(|&item| closing.add(item));
                }
            }
        }
        self.n_items += closing.known.len() + 1;
        let above = self.above(here, &waiting);
        let mut scans: Vec<(TerminalId, Vec<Item>)> = scans.into_iter().collect();
        scans.sort_unstable_by_key(|&(terminal, _)| terminal);
        scans.iter_mut().for_each(|(_, items)| items.sort_unstable());
        let next = vec![None; scans.len()];
        self.states.push(State { waiting, scans, next, is_accepting, above, to_end: u32::MAX });
        self.states[here.index()].to_end = self.shortest_end(here, &closing.known);
        here
    }

    fn predict(&self, nonterminal: NonterminalId, closing: &mut Closing) {
        if closing.predicted.insert(nonterminal) {
            let here = closing.here;
            self.rests.rules_of[nonterminal.index()].iter().for_each(|&rest| closing.add((rest, here)));
        }
    }

    /// For each nonterminal that is waited for here, the shortest string behind it to the end of a sentence.
    fn above(&self, here: StateId, waiting: &FxHashMap<NonterminalId, Vec<Item>>) -> FxHashMap<NonterminalId, u32> {
        let mut above: FxHashMap<NonterminalId, u32> = FxHashMap::default();
        if here == Prefixes::FIRST {
            above.insert(self.start, 0);
        }
        loop {
            let mut has_changed = false;
            for (&nonterminal, users) in waiting {
                for &(rest, origin) in users {
                    let rest = self.rests.get(rest);
                    let of_origin = if origin == here { &above } else { &self.states[origin.index()].above };
                    let Some(&behind) = of_origin.get(&rest.left) else { continue };
                    let length = rest.shortest.saturating_add(behind);
                    let known = above.entry(nonterminal).or_insert(u32::MAX);
                    if length < *known {
                        *known = length;
                        has_changed = true;
                    }
                }
            }
            if !has_changed {
                return above;
            }
        }
    }

    fn shortest_end(&self, here: StateId, items: &FxHashSet<Item>) -> u32 {
        if self.states[here.index()].is_accepting {
            return 0;
        }
        let length = |&(rest, origin): &Item| {
            let rest = self.rests.get(rest);
            let above = self.states[origin.index()].above.get(&rest.left)?;
            Some(rest.shortest.saturating_add(*above))
        };
        items.iter().filter_map(length).min().unwrap_or(u32::MAX)
    }
}

/// A state in the making.
struct Closing {
    here: StateId,
    known: FxHashSet<Item>,
    pending: Vec<Item>,
    predicted: FxHashSet<NonterminalId>,
}

impl Closing {
    fn add(&mut self, item: Item) {
        if self.known.insert(item) {
            self.pending.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_grammars::{grammar, CALCULATOR};

    /// What may follow the terminals, and the shortest string to the end.
    fn check(text: &str, read: &[&str], expected: &str) {
        let grammar = grammar(text);
        let mut prefixes = Prefixes::new(&grammar, &|_| Some(1)).unwrap();
        let mut state = Prefixes::FIRST;
        for name in read {
            let terminal = grammar.symbol(name).and_then(Symbol::terminal).unwrap();
            state = prefixes.after(state, terminal).unwrap();
        }
        let names: Vec<&str> = prefixes.terminals(state).map(|it| grammar.terminal(it).name.as_str()).collect();
        assert_eq!(format!("{} {}", prefixes.to_end(state), names.join(" ")), expected);
    }

    #[test]
    fn what_may_come_next() {
        check(CALCULATOR, &[], "1 '(' '-' LETTER DIGIT");
        check(CALCULATOR, &["'('", "DIGIT"], "1 ')' '*' '/' '%' '+' '-' '|' '&'");
        check(CALCULATOR, &["'('", "DIGIT", "')'"], "0 '*' '/' '%' '+' '-' '|' '&'");
        check(CALCULATOR, &["'('", "'('", "'-'"], "3 '(' '-' LETTER DIGIT");
    }

    #[test]
    fn empty_rules_and_right_recursion() {
        let text = "s: a b 'x' | s s ; a: | 'y' ; b: | 'z' b ;";
        check(text, &[], "1 'x' 'y' 'z'");
        check(text, &["'z'", "'z'"], "1 'x' 'z'");
        check(text, &["'z'", "'x'"], "0 'x' 'y' 'z'");
        check("s: 'a' s | ;", &["'a'", "'a'"], "0 'a'");
        check("s: n n n 'x' n | n ; n: ;", &[], "0 'x'");
        check("s: n n n 'x' n | n ; n: ;", &["'x'"], "0 ");
    }

    #[test]
    fn equal_futures_are_one_state() {
        let grammar = grammar(CALCULATOR);
        let terminal = |name: &str| grammar.symbol(name).and_then(Symbol::terminal).unwrap();
        let mut prefixes = Prefixes::new(&grammar, &|_| Some(1)).unwrap();
        let mut read = |names: &[&str]| {
            names.iter().try_fold(Prefixes::FIRST, |state, name| prefixes.after(state, terminal(name)))
        };
        assert_eq!(read(&["DIGIT", "'+'"]), read(&["LETTER", "'*'"]));
        assert_ne!(read(&["DIGIT", "'+'"]), read(&["'('"]));
        assert_eq!(read(&["DIGIT", "')'"]), None);
    }

    #[test]
    fn no_sentences() {
        assert!(Prefixes::new(&grammar("s: 'x' s ;"), &|_| Some(1)).is_none());
        assert!(Prefixes::new(&grammar("s: 'x' ;"), &|_| None).is_none());
    }
}
