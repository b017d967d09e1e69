//! A table that finds the longest match of several patterns at once.

use regex_automata::dfa::{dense, Automaton as _, StartKind};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::Hir;
use rustc_hash::FxHashMap;

use crate::regular::readability::rank;

/// A state, by its place.
pub type State = u32;

/// A minimal automaton that knows, for each state, the first pattern that matches there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dfa {
    pub start: State,
    /// For each byte.
    class_of: Box<[u8; 256]>,
    n_classes: usize,
    /// For each state, as many as there are classes.
    next: Vec<State>,
    accepts: Vec<Option<u32>>,
    /// Whether anything that matches is still ahead.
    is_live: Vec<bool>,
}

impl Dfa {
    /// No step needs more than `n_bytes_max`; the error says which would.
    pub fn new(patterns: &[Hir], n_bytes_max: usize) -> Result<Dfa, String> {
        let nfa = thompson::Compiler::new()
            .configure(thompson::Config::new().utf8(false).nfa_size_limit(Some(n_bytes_max)))
            .build_many_from_hir(patterns)
            .map_err(|error| error.to_string())?;
        let dense = dense::Builder::new()
            .configure(
                dense::Config::new()
                    .match_kind(MatchKind::All)
                    .start_kind(StartKind::Anchored)
                    .accelerate(false)
                    .dfa_size_limit(Some(n_bytes_max))
                    .determinize_size_limit(Some(n_bytes_max)),
            )
            .build_from_nfa(&nfa)
            .map_err(|error| error.to_string())?;
        let begin =
            dense.start_state(&start::Config::new().anchored(Anchored::Yes)).map_err(|error| error.to_string())?;
        Ok(from_dense(&dense, begin, &nfa).minimised().with_live_states())
    }

    pub fn step(&self, state: State, byte: u8) -> State {
        self.next[state as usize * self.n_classes + usize::from(self.class_of[usize::from(byte)])]
    }

    /// The lowest pattern that matches what led here.
    pub fn accepts(&self, state: State) -> Option<u32> {
        self.accepts[state as usize]
    }

    /// A number for each byte: those with the same are not told apart.
    pub fn class_of(&self, byte: u8) -> u8 {
        self.class_of[usize::from(byte)]
    }

    /// Whether a longer text may match.
    pub fn is_live(&self, state: State) -> bool {
        self.is_live[state as usize]
    }

    pub fn n_states(&self) -> usize {
        self.accepts.len()
    }

    /// The longest match at the beginning of a text that has at least one byte: its length and pattern.
    pub fn longest_match(&self, text: &[u8]) -> Option<(usize, u32)> {
        let mut state = self.start;
        let mut best = None;
        for (n, &byte) in text.iter().enumerate() {
            state = self.step(state, byte);
            if let Some(pattern) = self.accepts(state) {
                best = Some((n + 1, pattern));
            }
            if !self.is_live(state) {
                break;
            }
        }
        best
    }

    /// For each pattern that can win, a shortest text for it; of equally short ones the most readable.
    pub fn shortest_texts(&self) -> FxHashMap<u32, Vec<u8>> {
        let representatives = self.representatives();
        let mut before: Vec<Option<(State, u8)>> = vec![None; self.n_states()];
        let mut seen = vec![false; self.n_states()];
        let mut found: FxHashMap<u32, Vec<u8>> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::new();
        // The beginning is no text of any pattern, unless one comes back to it.
        queue.push_back((self.start, 0usize));
        while let Some((state, n)) = queue.pop_front() {
            for &byte in &representatives {
                let next = self.step(state, byte);
                if let Some(pattern) = self.accepts(next) {
                    found.entry(pattern).or_insert_with(|| {
                        let mut text = self.text_to(state, n, &before);
                        text.push(byte);
                        text
                    });
                }
                if !seen[next as usize] && next != self.start && self.is_live(next) {
                    seen[next as usize] = true;
                    before[next as usize] = Some((state, byte));
                    queue.push_back((next, n + 1));
                }
            }
        }
        found
    }

    fn text_to(&self, state: State, n: usize, before: &[Option<(State, u8)>]) -> Vec<u8> {
        let mut text = Vec::with_capacity(n + 1);
        let mut state = state;
        while let Some((previous, byte)) = before[state as usize] {
            text.push(byte);
            state = previous;
        }
        text.reverse();
        text
    }

    /// A byte of each class, the more readable ones first.
    fn representatives(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
        bytes.sort_by_key(|&byte| (rank(byte), byte));
        let mut has = vec![false; self.n_classes];
        bytes.retain(|&byte| !std::mem::replace(&mut has[usize::from(self.class_of[usize::from(byte)])], true));
        bytes
    }

    /// Merges states that can't be told apart, by refining a partition until it is stable.
    fn minimised(&self) -> Dfa {
        let mut block: Vec<u32> = Vec::new();
        let mut n_blocks = number(self.accepts.iter(), &mut block);
        loop {
            let mut refined = Vec::new();
            let keys = (0..self.n_states()).map(|state| {
                let row = &self.next[state * self.n_classes..][..self.n_classes];
                std::iter::once(block[state]).chain(row.iter().map(|&next| block[next as usize])).collect::<Vec<_>>()
            });
            let n_refined = number(keys, &mut refined);
            block = refined;
            if n_refined == n_blocks {
                break;
            }
            n_blocks = n_refined;
        }
        let mut next = vec![0; n_blocks * self.n_classes];
        let mut accepts = vec![None; n_blocks];
        for state in 0..self.n_states() {
            let target = block[state] as usize;
            accepts[target] = self.accepts[state];
            for class in 0..self.n_classes {
                next[target * self.n_classes + class] = block[self.next[state * self.n_classes + class] as usize];
            }
        }
        let start = block[self.start as usize];
        Dfa { start, next, accepts, is_live: Vec::new(), class_of: self.class_of.clone(), n_classes: self.n_classes }
    }

    fn with_live_states(mut self) -> Dfa {
        let mut sources: Vec<Vec<State>> = vec![Vec::new(); self.n_states()];
        for state in 0..self.n_states() {
            for &next in &self.next[state * self.n_classes..][..self.n_classes] {
                if sources[next as usize].last() != Some(&(state as State)) {
                    sources[next as usize].push(state as State);
                }
            }
        }
        self.is_live = vec![false; self.n_states()];
        let mut queue: Vec<State> = (0..self.n_states() as State).filter(|&s| self.accepts(s).is_some()).collect();
        while let Some(state) = queue.pop() {
            for &source in &sources[state as usize] {
                if !std::mem::replace(&mut self.is_live[source as usize], true) {
                    queue.push(source);
                }
            }
        }
        self
    }
}

/// Numbers the keys from 0 in the order of their first occurrence, and returns how many there are.
fn number<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>, numbers: &mut Vec<u32>) -> usize {
    let mut known: FxHashMap<K, u32> = FxHashMap::default();
    for key in keys {
        let n = known.len() as u32;
        numbers.push(*known.entry(key).or_insert(n));
    }
    known.len()
}

/// Copies what can be reached. Matches come one byte late there, so a state accepts what the end of the input shows.
fn from_dense(dense: &dense::DFA<Vec<u32>>, begin: StateID, nfa: &thompson::NFA) -> Dfa {
    let classes = nfa.byte_classes();
    let class_of = Box::new(std::array::from_fn(|byte| classes.get(byte as u8)));
    let n_classes = classes.alphabet_len() - 1;
    let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
    bytes.dedup_by_key(|byte| classes.get(*byte));
    let mut dfa = Dfa { start: 0, class_of, n_classes, next: Vec::new(), accepts: Vec::new(), is_live: Vec::new() };
    let mut number_of: FxHashMap<StateID, State> = FxHashMap::from_iter([(begin, 0)]);
    let mut states = vec![begin];
    let mut at = 0;
    while at < states.len() {
        let state = states[at];
        let end = dense.next_eoi_state(state);
        let accepted = dense
            .is_match_state(end)
            .then(|| (0..dense.match_len(end)).map(|index| dense.match_pattern(end, index).as_u32()).min());
        dfa.accepts.push(accepted.flatten());
        for &byte in &bytes {
            let next = dense.next_state(state, byte);
            let n = states.len() as State;
            dfa.next.push(*number_of.entry(next).or_insert_with(|| {
                states.push(next);
                n
            }));
        }
        at += 1;
    }
    dfa
}
