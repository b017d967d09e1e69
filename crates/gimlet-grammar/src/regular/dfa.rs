//! Regular languages of bytes, as deterministic automata that can be counted, cut and searched.
//!
//! The determinisation is `regex-automata`'s; its automata are made for searching, where a match is seen one byte late and
//! states are packed. Here each is unpacked once into a plain table, without states that lead nowhere.

mod algebra;

use std::collections::VecDeque;

use num_bigint::BigUint;
use regex_automata::dfa::dense::{self, DFA};
use regex_automata::dfa::{Automaton, StartKind};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::Hir;
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::chance::Chance;

/// Memory of an automaton in the making.
const SIZE_MAX: usize = 64 << 20;

#[derive(Error, Clone, PartialEq, Eq, Debug)]
pub enum DfaError {
    #[error("the pattern needs too large an automaton: {0}")]
    TooLarge(String),
}

/// A regular language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dfa {
    /// Bytes that no state tells apart have the same class.
    class_of: [u8; 256],
    /// The bytes of each class.
    classes: Vec<Vec<u8>>,
    /// By state: where each class leads.
    next: Vec<Vec<Option<u32>>>,
    accepting: Vec<bool>,
}

impl Dfa {
    pub const START: u32 = 0;

    /// The language of a pattern. The empty language has one state.
    pub fn new(pattern: &Hir) -> Result<Dfa, DfaError> {
        Dfa::within(pattern, SIZE_MAX)
    }

    /// The same with less memory.
    pub fn within(pattern: &Hir, size_max: usize) -> Result<Dfa, DfaError> {
        Dfa::determinized(pattern, MatchKind::All, size_max)
    }

    fn determinized(pattern: &Hir, match_kind: MatchKind, size_max: usize) -> Result<Dfa, DfaError> {
        let too_large = |error: &dyn std::fmt::Display| DfaError::TooLarge(error.to_string());
        let config = thompson::Config::new().utf8(false).nfa_size_limit(Some(size_max));
        let nfa: NFA =
            thompson::Compiler::new().configure(config).build_from_hir(pattern).map_err(|error| too_large(&error))?;
        let config = dense::Config::new()
            .match_kind(match_kind)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(size_max))
            .determinize_size_limit(Some(size_max));
        let packed = dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|error| too_large(&error))?;
        Ok(Dfa::unpack(&packed))
    }

    /// What can be reached from a state in the sense of whoever calls, with those states by their places. A byte is as good
    /// as the others of its set. Not more than `n_states_max` are made: `None` if there are more.
    pub fn explored<S: Clone + Eq + std::hash::Hash>(
        start: S,
        sets: &[Vec<u8>],
        step: impl Fn(&S, u8) -> Option<S>,
        accepts: impl Fn(&S) -> bool,
        n_states_max: usize,
    ) -> Option<(Dfa, Vec<S>)> {
        let mut numbers: FxHashMap<S, u32> = FxHashMap::from_iter([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut rows: Vec<Vec<Option<u32>>> = Vec::new();
        while let Some(state) = states.get(rows.len()).cloned() {
            let lead = |set: &Vec<u8>| {
                let next = step(&state, *set.first()?)?;
                Some(*numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() as u32 - 1
                }))
            };
            let row = sets.iter().map(lead).collect();
            if states.len() > n_states_max {
                return None;
            }
            rows.push(row);
        }
        let accepting: Vec<bool> = states.iter().map(&accepts).collect();
        let numbers = number(&rows, &live(&rows, &accepting));
        let labels = states.into_iter().zip(&numbers).filter(|(_, it)| it.is_some()).map(|(state, _)| state).collect();
        Some((Dfa::from_rows(&rows, sets, &accepting), labels))
    }

    /// A number for each byte: those with the same are not told apart.
    pub fn class_of(&self, byte: u8) -> u8 {
        self.class_of[usize::from(byte)]
    }

    fn unpack(packed: &DFA<Vec<u32>>) -> Dfa {
        let start =
            packed.start_state(&start::Config::new().anchored(Anchored::Yes)).expect("a start for anchored searches");
        let mut numbers: FxHashMap<StateID, u32> = FxHashMap::from_iter([(start, 0)]);
        let mut states = vec![start];
        let mut rows: Vec<Vec<Option<u32>>> = Vec::new();
        let bytes: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        while let Some(&state) = states.get(rows.len()) {
            let lead = |byte: u8| {
                let next = packed.next_state(state, byte);
                Some(*numbers.entry(next).or_insert_with(|| {
                    states.push(next);
                    states.len() as u32 - 1
                }))
            };
            rows.push((0..=u8::MAX).map(lead).collect());
        }
        let accepting: Vec<bool> =
            states.iter().map(|&state| packed.is_match_state(packed.next_eoi_state(state))).collect();
        Dfa::from_rows(&rows, &bytes, &accepting)
    }

    /// Drops what leads nowhere, and joins bytes that no state tells apart. By state, where each set of bytes leads.
    fn from_rows(rows: &[Vec<Option<u32>>], sets: &[Vec<u8>], accepting: &[bool]) -> Dfa {
        let is_live = live(rows, accepting);
        let numbers: Vec<Option<u32>> = number(rows, &is_live);
        let kept: Vec<usize> = (0..rows.len()).filter(|&state| numbers[state].is_some()).collect();
        let mut columns: FxHashMap<Vec<Option<u32>>, u8> = FxHashMap::default();
        let mut class_of = [0; 256];
        let mut classes: Vec<Vec<u8>> = Vec::new();
        let mut leads: Vec<Vec<Option<u32>>> = Vec::new();
        for (at, set) in sets.iter().enumerate() {
            let lead = |&state: &usize| {
                let next = rows[state][at]? as usize;
                numbers[next].filter(|_| is_live[next])
            };
            let column: Vec<Option<u32>> = kept.iter().map(lead).collect();
            let class = *columns.entry(column).or_insert_with_key(|column| {
                leads.push(column.clone());
                classes.push(Vec::new());
                (classes.len() - 1) as u8
            });
            set.iter().for_each(|&byte| class_of[usize::from(byte)] = class);
            classes[usize::from(class)].extend(set);
        }
        classes.iter_mut().for_each(|class| class.sort_unstable());
        let next = (0..kept.len()).map(|at| leads.iter().map(|column| column[at]).collect()).collect();
        Dfa { class_of, classes, next, accepting: kept.iter().map(|&state| accepting[state]).collect() }
    }

    pub fn n_states(&self) -> usize {
        self.next.len()
    }

    pub fn is_empty(&self) -> bool {
        !self.accepting[0] && self.next[0].iter().all(Option::is_none)
    }

    /// Where a byte leads.
    pub fn step(&self, state: u32, byte: u8) -> Option<u32> {
        self.next[state as usize][self.class_of[usize::from(byte)] as usize]
    }

    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// Sets of bytes that lead from a state to others.
    pub fn steps(&self, state: u32) -> impl Iterator<Item = (&[u8], u32)> + '_ {
        let leads = self.classes.iter().zip(&self.next[state as usize]);
        leads.filter_map(|(class, next)| next.map(|next| (class.as_slice(), next)))
    }

    /// By the number of bytes that are left: whether as many lead from a state to an end.
    pub fn leads_to_end(&self, len: u32) -> Vec<Vec<bool>> {
        self.leads_to(len, self.accepting.clone())
    }

    /// The same for these states.
    pub fn leads_to(&self, len: u32, ends: Vec<bool>) -> Vec<Vec<bool>> {
        let mut rows = vec![ends];
        for left in 0..len as usize {
            let leads = |state: &Vec<Option<u32>>| state.iter().flatten().any(|&next| rows[left][next as usize]);
            let row = self.next.iter().map(leads).collect();
            rows.push(row);
        }
        rows
    }

    /// Whether a text is in the language.
    pub fn accepts(&self, text: &[u8]) -> bool {
        text.iter().try_fold(Dfa::START, |state, &byte| self.step(state, byte)).is_some_and(|it| self.is_accepting(it))
    }

    /// The length of the longest text; `None` if there are ever longer ones.
    pub fn longest(&self) -> Option<u32> {
        let n_states = self.n_states() as u32;
        // Every state leads to an end, so a way as long as there are states goes round in a circle.
        let mut reached = vec![Dfa::START];
        for len in 0..=n_states {
            if reached.is_empty() {
                return Some(len.saturating_sub(1));
            }
            let mut next: Vec<u32> =
                reached.iter().flat_map(|&state| self.next[state as usize].iter().flatten().copied()).collect();
            next.sort_unstable();
            next.dedup();
            reached = next;
        }
        None
    }

    /// The number of texts of each length up to one.
    pub fn counts(&self, len_max: u32) -> Vec<BigUint> {
        let ends = self.ends(len_max);
        (0..=len_max as usize).map(|len| ends[len][0].clone()).collect()
    }

    /// By length and state: the number of texts from there to an end.
    fn ends(&self, len_max: u32) -> Vec<Vec<BigUint>> {
        let mut ends: Vec<Vec<BigUint>> = vec![self.accepting.iter().map(|&is| BigUint::from(u8::from(is))).collect()];
        for len in 1..=len_max as usize {
            let of_state = |next: &Vec<Option<u32>>| {
                let of_class = |(class, next): (&Vec<u8>, &Option<u32>)| {
                    next.map(|next| &ends[len - 1][next as usize] * class.len())
                };
                self.classes.iter().zip(next).filter_map(of_class).sum()
            };
            let row = self.next.iter().map(of_state).collect();
            ends.push(row);
        }
        ends
    }

    /// The shortest text; of several, that with the smallest bytes. `None` if there is none.
    pub fn shortest(&self) -> Option<Vec<u8>> {
        let mut from: Vec<Option<(u32, u8)>> = vec![None; self.n_states()];
        let mut pending = VecDeque::from([Dfa::START]);
        while let Some(state) = pending.pop_front() {
            if self.accepting[state as usize] {
                return Some(way_to(state, &from));
            }
            for byte in 0..=255u8 {
                let Some(next) = self.next[state as usize][self.class_of[byte as usize] as usize] else { continue };
                if next != Dfa::START && from[next as usize].is_none() {
                    from[next as usize] = Some((state, byte));
                    pending.push_back(next);
                }
            }
        }
        None
    }

    /// The text, if there is but one.
    pub fn only(&self) -> Option<Vec<u8>> {
        let text = self.shortest()?;
        let longest = self.longest()?;
        let n_texts: BigUint = self.counts(longest).iter().sum();
        (n_texts == BigUint::from(1u8)).then_some(text)
    }

    /// A text of a length, each as likely as any other; `None` if there is none.
    pub fn sample(&self, len: u32, chance: &mut Chance) -> Option<Vec<u8>> {
        let ends = self.ends(len);
        let mut state = Dfa::START;
        let mut text = Vec::with_capacity(len as usize);
        let n_all = &ends[len as usize][0];
        if *n_all == BigUint::ZERO {
            return None;
        }
        let mut number = chance.below_big(n_all);
        for left in (0..len as usize).rev() {
            for (class, next) in self.classes.iter().zip(&self.next[state as usize]) {
                let Some(next) = *next else { continue };
                let behind = &ends[left][next as usize];
                let all = behind * class.len();
                if number < all {
                    let at = u64::try_from(&number / behind).unwrap_or(0);
                    number %= behind;
                    text.push(class[at as usize]);
                    state = next;
                    break;
                }
                number -= all;
            }
        }
        Some(text)
    }
}

/// Bytes that have the same in common.
pub fn sets<K: Eq + std::hash::Hash>(key: impl Fn(u8) -> K) -> Vec<Vec<u8>> {
    let mut numbers: FxHashMap<K, usize> = FxHashMap::default();
    let mut sets: Vec<Vec<u8>> = Vec::new();
    for byte in 0..=u8::MAX {
        let number = *numbers.entry(key(byte)).or_insert(sets.len());
        if number == sets.len() {
            sets.push(Vec::new());
        }
        sets[number].push(byte);
    }
    sets
}

fn way_to(state: u32, from: &[Option<(u32, u8)>]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut at = state;
    while let Some((before, byte)) = from[at as usize] {
        text.push(byte);
        at = before;
    }
    text.reverse();
    text
}

/// Which states lead to an end.
fn live(rows: &[Vec<Option<u32>>], accepting: &[bool]) -> Vec<bool> {
    let mut is_live = accepting.to_vec();
    loop {
        let mut has_changed = false;
        for state in (0..rows.len()).rev() {
            if !is_live[state] && rows[state].iter().flatten().any(|&next| is_live[next as usize]) {
                is_live[state] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return is_live;
        }
    }
}

/// New numbers for the states that are live and reached, in the order in which they are; the first is kept in any case.
fn number(rows: &[Vec<Option<u32>>], is_live: &[bool]) -> Vec<Option<u32>> {
    let mut numbers: Vec<Option<u32>> = vec![None; rows.len()];
    let mut n_kept = 0..;
    for state in 0..rows.len() {
        if state == 0 || is_live[state] {
            numbers[state] = n_kept.next();
        }
    }
    if !is_live[0] {
        numbers[1..].fill(None);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dfa(pattern: &str) -> Dfa {
        let hir = regex_syntax::ParserBuilder::new().utf8(false).unicode(false).build().parse(pattern).unwrap();
        Dfa::new(&hir).unwrap()
    }

    /// Numbers of texts by length, the longest, and the shortest text.
    fn check(pattern: &str, counts: &[u32], longest: Option<u32>, shortest: Option<&str>) {
        let dfa = dfa(pattern);
        let counted = dfa.counts(counts.len() as u32 - 1);
        assert_eq!(counted, counts.iter().map(|&count| BigUint::from(count)).collect::<Vec<_>>(), "{pattern}");
        assert_eq!(dfa.longest(), longest, "{pattern}");
        assert_eq!(dfa.shortest().as_deref(), shortest.map(str::as_bytes), "{pattern}");
    }

    #[test]
    fn languages() {
        check("while", &[0, 0, 0, 0, 0, 1, 0], Some(5), Some("while"));
        check("[a-z][a-z0-9]*", &[0, 26, 936], None, Some("a"));
        check("(0|[1-9][0-9]{0,2})", &[0, 10, 90, 900, 0], Some(3), Some("0"));
        check("", &[1, 0], Some(0), Some(""));
        check("[a&&b]", &[0, 0], Some(0), None);
        check("a*[a&&b]", &[0, 0], Some(0), None);
        check(r"[\x00-\xff]", &[0, 256], Some(1), Some("\0"));
    }

    #[test]
    fn texts() {
        assert_eq!(dfa("if").only(), Some(b"if".to_vec()));
        assert_eq!(dfa("i?f").only(), None);
        assert_eq!(dfa("x+").only(), None);
        let number = dfa("-?[0-9]+");
        assert!(number.accepts(b"-10") && !number.accepts(b"1-") && !number.accepts(b""));
        assert!(dfa("[a&&b]").is_empty());
    }

    #[test]
    fn samples_are_uniform() {
        let dfa = dfa("a[bcd]|[ef]g|hh");
        let mut chance = Chance::new(7);
        let mut seen: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
        for _ in 0..6_000 {
            let text = dfa.sample(2, &mut chance).unwrap();
            assert!(dfa.accepts(&text));
            *seen.entry(text).or_default() += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|&count| (860..1_140).contains(&count)), "{seen:?}");
        assert_eq!(dfa.sample(1, &mut chance), None);
    }
}
