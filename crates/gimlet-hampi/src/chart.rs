//! One grammar and one automaton: which strings of a length do both have?
//!
//! For each nonterminal, length and state of the automaton, the states that its strings of that length lead to: a set of
//! bits, found from those of its parts when it is asked for. That is the construction of Bar-Hillel with lengths instead of
//! positions, so that what is known of a part holds wherever it stands, and with only those states that the automaton can
//! be in. HAMPI itself writes down all strings of a length as one formula of bits for a solver.
//!
//! A set is found from sets of shorter strings only. Where a nonterminal derives another alone, they have the same length;
//! those that derive each other so have the same strings, and are one.

use std::rc::Rc;

use gimlet_grammar::grammar::analysis;
use gimlet_grammar::grammar::suffixes::{RuleSuffixes, SuffixId};
use gimlet_grammar::grammar::{NonterminalId, Symbol};
use gimlet_grammar::regular::dfa::Dfa;
use gimlet_grammar::regular::readability::rank;
use rustc_hash::FxHashMap;

use super::problem::{lengths, sums, Cfg, Lengths};
use super::Gap;

/// Parts of sets that are looked at before it is too much.
const N_STEPS_MAX: u64 = 1_000_000_000;
/// Sets that are kept.
const N_SETS_MAX: usize = 20_000_000;
/// What each level of a derivation may take of the stack.
const FRAME_BYTES: usize = 1 << 10;
const STACK_BYTES_MAX: usize = 1 << 30;

/// States, with a bit for each.
pub(super) type States = Rc<[u64]>;

fn contains(states: &[u64], state: u32) -> bool {
    states[state as usize / 64] >> (state % 64) & 1 == 1
}

pub(super) fn members(states: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..)
        .step_by(64)
        .zip(states)
        .flat_map(|(first, &word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit))
}

/// A question that was asked before: what, how long, from which state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Whole {
        class: u32,
        len: u32,
        from: u32,
    },
    /// Whether nothing of the rule has come that is not empty.
    Rest {
        rest: SuffixId,
        len: u32,
        from: u32,
        is_fresh: bool,
    },
}

/// Strings that a grammar and an automaton have in common.
pub(super) struct Chart<'a> {
    cfg: &'a Cfg,
    dfa: &'a Dfa,
    rests: RuleSuffixes,
    nullable: Vec<bool>,
    /// By nonterminal: those that derive each other alone have the same number.
    class_of: Vec<u32>,
    /// By class: right sides.
    rules_of: Vec<Vec<SuffixId>>,
    /// By nonterminal and by rest: the lengths of their strings.
    lengths: Vec<Lengths>,
    rest_lengths: Vec<Lengths>,
    /// By terminal: a byte of each class of the automaton that it has, the most readable.
    bytes: Vec<Vec<u8>>,
    known: FxHashMap<Key, States>,
    n_words: usize,
    depth: usize,
    depth_max: usize,
    n_steps: u64,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// Calls a function on a stack that is large enough for strings of a length.
pub(super) fn with_stack<T: Send>(
    cfg: &Cfg,
    len_max: usize,
    call: impl FnOnce(usize) -> Result<T, Gap> + Send,
) -> Result<T, Gap> {
    let n_rests: usize = cfg.grammar.rules.iter().map(|rule| rule.right.len() + 2).sum();
    let wanted = len_max.saturating_add(2).saturating_mul(n_rests.min(4_000)).saturating_mul(FRAME_BYTES);
    let n_bytes = wanted.clamp(8 << 20, STACK_BYTES_MAX);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(n_bytes + (4 << 20));
        let Ok(thread) = thread.spawn_scoped(scope, || call(n_bytes / FRAME_BYTES)) else { return Err(Gap::TooLarge) };
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

impl<'a> Chart<'a> {
    pub fn new(
        cfg: &'a Cfg,
        dfa: &'a Dfa,
        len_max: usize,
        depth_max: usize,
        is_stopped: &'a (dyn Fn() -> bool + Sync),
    ) -> Chart<'a> {
        let grammar = &cfg.grammar;
        let rests = RuleSuffixes::new(grammar, &analysis::shortest(grammar, &|_| 1), &|_| 1);
        let nullable = analysis::nullable(grammar);
        let lengths = lengths(grammar, len_max);
        let rest_lengths = rests.all.iter().map(|rest| sums(&rest.symbols, len_max, &lengths)).collect();
        let class_of = classes(cfg, &nullable);
        let n_classes = class_of.iter().map(|&class| class + 1).max().unwrap_or(0);
        let mut rules_of = vec![Vec::new(); n_classes as usize];
        for (nonterminal, class) in class_of.iter().enumerate() {
            rules_of[*class as usize].extend(&rests.rules_of[nonterminal]);
        }
        let bytes = cfg.sets.iter().map(|set| {
            let mut best: FxHashMap<u8, u8> = FxHashMap::default();
            for byte in (0..=u8::MAX).filter(|&byte| set.contains(byte)) {
                let known = best.entry(dfa.class_of(byte)).or_insert(byte);
                if (rank(byte), byte) < (rank(*known), *known) {
                    *known = byte;
                }
            }
            let mut bytes: Vec<u8> = best.into_values().collect();
            bytes.sort_unstable_by_key(|&byte| (rank(byte), byte));
            bytes
        });
        Chart {
            cfg,
            dfa,
            nullable,
            class_of,
            rules_of,
            lengths,
            rest_lengths,
            bytes: bytes.collect(),
            known: FxHashMap::default(),
            n_words: dfa.n_states().div_ceil(64),
            depth: 0,
            depth_max,
            n_steps: 0,
            is_stopped,
            rests,
        }
    }

    /// A string of a length that both have.
    pub fn find(&mut self, len: usize) -> Result<Option<Vec<u8>>, Gap> {
        let start = self.cfg.grammar.start;
        let reached = self.states(start, len as u32, Dfa::START)?;
        let end = members(&reached).find(|&state| self.dfa.is_accepting(state));
        let Some(end) = end else { return Ok(None) };
        let mut text = Vec::with_capacity(len);
        if len > 0 {
            self.tell(self.class_of[start.index()], len as u32, Dfa::START, end, &mut text)?;
        }
        Ok(Some(text))
    }

    /// The states that the strings of a nonterminal lead to.
    pub fn states(&mut self, nonterminal: NonterminalId, len: u32, from: u32) -> Result<States, Gap> {
        match len {
            0 if self.nullable[nonterminal.index()] => Ok(self.only(from)),
            0 => Ok(self.none()),
            _ if !self.lengths[nonterminal.index()].has(len as usize) => Ok(self.none()),
            _ => self.whole(self.class_of[nonterminal.index()], len, from),
        }
    }

    /// The same for what is left of a rule.
    pub fn states_of_rest(&mut self, rest: SuffixId, len: u32, from: u32) -> Result<States, Gap> {
        self.rest(rest, len, from, false)
    }

    pub fn rests(&self) -> &RuleSuffixes {
        &self.rests
    }

    fn none(&self) -> States {
        vec![0; self.n_words].into()
    }

    fn only(&self, state: u32) -> States {
        let mut words = vec![0; self.n_words];
        words[state as usize / 64] |= 1 << (state % 64);
        words.into()
    }

    fn step(&mut self) -> Result<(), Gap> {
        self.n_steps += 1;
        if self.n_steps > N_STEPS_MAX || self.known.len() > N_SETS_MAX {
            return Err(Gap::TooLarge);
        }
        match self.n_steps.is_multiple_of(4096) && (self.is_stopped)() {
            true => Err(Gap::Stopped),
            false => Ok(()),
        }
    }

    /// Strings of a class that are not empty.
    fn whole(&mut self, class: u32, len: u32, from: u32) -> Result<States, Gap> {
        let key = Key::Whole { class, len, from };
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        self.enter()?;
        let mut reached = vec![0; self.n_words];
        for rule in self.rules_of[class as usize].clone() {
            if self.rest_lengths[rule.index()].has(len as usize) {
                add(&mut reached, &self.rest(rule, len, from, true)?);
            }
        }
        self.depth -= 1;
        let reached: States = reached.into();
        self.known.insert(key, reached.clone());
        Ok(reached)
    }

    fn enter(&mut self) -> Result<(), Gap> {
        self.depth += 1;
        match self.depth < self.depth_max {
            true => Ok(()),
            false => Err(Gap::TooLarge),
        }
    }

    fn rest(&mut self, rest: SuffixId, len: u32, from: u32, is_fresh: bool) -> Result<States, Gap> {
        let (symbols, next) = (self.rests.get(rest).symbols.clone(), self.rests.get(rest).next);
        let (Some(&first), Some(next)) = (symbols.first(), next) else {
            return Ok(if len == 0 { self.only(from) } else { self.none() });
        };
        if !self.rest_lengths[rest.index()].has(len as usize) {
            return Ok(self.none());
        }
        let key = Key::Rest { rest, len, from, is_fresh };
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        self.enter()?;
        let mut reached = vec![0; self.n_words];
        match first {
            Symbol::Terminal(terminal) => {
                for at in 0..self.bytes[terminal.index()].len() {
                    self.step()?;
                    if let Some(to) = self.dfa.step(from, self.bytes[terminal.index()][at]) {
                        add(&mut reached, &self.rest(next, len - 1, to, false)?);
                    }
                }
            }
            Symbol::Nonterminal(inner) => {
                if self.nullable[inner.index()] {
                    add(&mut reached, &self.rest(next, len, from, is_fresh)?);
                }
                for own in self.splits(rest, inner, next, len, is_fresh) {
                    let states = self.whole(self.class_of[inner.index()], own, from)?;
                    for to in members(&states) {
                        self.step()?;
                        add(&mut reached, &self.rest(next, len - own, to, false)?);
                    }
                }
            }
        }
        self.depth -= 1;
        let reached: States = reached.into();
        self.known.insert(key, reached.clone());
        Ok(reached)
    }

    /// The lengths that the first nonterminal of a rest can have, without that which would ask for the whole again.
    fn splits(&self, rest: SuffixId, inner: NonterminalId, next: SuffixId, len: u32, is_fresh: bool) -> Vec<u32> {
        let class = self.class_of[inner.index()];
        let is_own = class == self.class_of[self.rests.get(rest).left.index()];
        let (own, behind) = (&self.lengths[inner.index()], &self.rest_lengths[next.index()]);
        let is_possible = |&split: &u32| {
            own.has(split as usize) && behind.has((len - split) as usize) && !(split == len && is_fresh && is_own)
        };
        (1..=len).filter(is_possible).collect()
    }

    /// Adds a string of a class that leads from one state to another.
    fn tell(&mut self, class: u32, len: u32, from: u32, to: u32, text: &mut Vec<u8>) -> Result<(), Gap> {
        self.enter()?;
        for rule in self.rules_of[class as usize].clone() {
            if self.rest_lengths[rule.index()].has(len as usize) && contains(&self.rest(rule, len, from, true)?, to) {
                self.tell_rest(rule, len, from, to, text)?;
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn tell_rest(&mut self, rest: SuffixId, len: u32, from: u32, to: u32, text: &mut Vec<u8>) -> Result<(), Gap> {
        let (mut rest, mut len, mut from, mut is_fresh) = (rest, len, from, true);
        'symbols: loop {
            let (symbols, next) = (self.rests.get(rest).symbols.clone(), self.rests.get(rest).next);
            let (Some(&first), Some(next)) = (symbols.first(), next) else { return Ok(()) };
            match first {
                Symbol::Terminal(terminal) => {
                    for byte in self.bytes[terminal.index()].clone() {
                        let Some(state) = self.dfa.step(from, byte) else { continue };
                        if contains(&self.rest(next, len - 1, state, false)?, to) {
                            text.push(byte);
                            (rest, len, from, is_fresh) = (next, len - 1, state, false);
                            continue 'symbols;
                        }
                    }
                }
                Symbol::Nonterminal(inner) => {
                    if self.nullable[inner.index()] && contains(&self.rest(next, len, from, is_fresh)?, to) {
                        rest = next;
                        continue 'symbols;
                    }
                    let class = self.class_of[inner.index()];
                    for own in self.splits(rest, inner, next, len, is_fresh) {
                        for state in members(&self.whole(class, own, from)?) {
                            if contains(&self.rest(next, len - own, state, false)?, to) {
                                self.tell(class, own, from, state, text)?;
                                (rest, len, from, is_fresh) = (next, len - own, state, false);
                                continue 'symbols;
                            }
                        }
                    }
                }
            }
            unreachable!("a set was made of others");
        }
    }
}

fn add(all: &mut [u64], some: &[u64]) {
    all.iter_mut().zip(some).for_each(|(all, some)| *all |= some);
}

/// Nonterminals that derive each other alone, with nothing but empty strings beside them, have the same number.
pub(super) fn classes(cfg: &Cfg, nullable: &[bool]) -> Vec<u32> {
    let grammar = &cfg.grammar;
    let n = grammar.nonterminals.len();
    let is_empty = |symbol: &Symbol| symbol.nonterminal().is_some_and(|it| nullable[it.index()]);
    let mut alone: Vec<Vec<u32>> = vec![Vec::new(); n];
    for rule in &grammar.rules {
        let n_solid = rule.right.iter().filter(|symbol| !is_empty(symbol)).count();
        for symbol in &rule.right {
            let is_alone = n_solid == usize::from(!is_empty(symbol));
            alone[rule.left.index()].extend(symbol.nonterminal().filter(|_| is_alone).map(|it| it.0));
        }
    }
    components(&alone)
}

/// Numbers of strongly connected components (Tarjan 1972), without recursion.
fn components(next: &[Vec<u32>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let n = next.len();
    let (mut index, mut low, mut component) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
    let (mut n_seen, mut n_components) = (0, 0);
    let mut stack: Vec<u32> = Vec::new();
    for root in 0..n as u32 {
        if index[root as usize] != NONE {
            continue;
        }
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((at, n_done)) = path.last_mut() {
            let node = *at as usize;
            if *n_done == 0 && index[node] == NONE {
                (index[node], low[node]) = (n_seen, n_seen);
                n_seen += 1;
                stack.push(node as u32);
            }
            if let Some(&to) = next[node].get(*n_done) {
                *n_done += 1;
                if index[to as usize] == NONE {
                    path.push((to, 0));
                } else if component[to as usize] == NONE {
                    low[node] = low[node].min(index[to as usize]);
                }
                continue;
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = n_components;
                    if member as usize == node {
                        break;
                    }
                }
                n_components += 1;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[node]);
            }
        }
    }
    component
}
