//! The distinct sentences of a language: how many there are, all of them in order, and some by chance.
//!
//! A sentence is a string of terminals, whatever the number of its derivations. Lengths are counted in what each terminal
//! is made of: one for a token; the bytes of its text. The upper half of a length can count something else besides, as
//! holes: a string has a length only if both come out even. A terminal with several texts of one length counts as often. All of it is a walk through [`Prefixes`], with the number of ways to end a sentence of a given
//! length from each state, which is computed once.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::chance::Chance;
use crate::count::prefixes::{Prefixes, StateId};
use crate::grammar::{Grammar, TerminalId};

/// The number of a terminal's texts by length: few lengths, in ascending order, none with zero.
pub type Texts = Vec<(u32, BigUint)>;

/// A terminal with the length of the text that stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    pub terminal: TerminalId,
    pub len: u32,
}

/// The lower half of a length.
const LOWER: u32 = 0xffff;

/// What is left of a length behind a text; both halves must suffice.
fn less(len: u32, text: u32) -> Option<u32> {
    (len & LOWER >= text & LOWER).then_some(())?;
    len.checked_sub(text)
}

/// The sentences of a grammar.
#[derive(Debug)]
pub struct Sentences {
    prefixes: Prefixes,
    /// By terminal.
    texts: Vec<Texts>,
    /// How many strings of a length lead from a state to the end.
    counts: FxHashMap<(StateId, u32), BigUint>,
    /// Items and counts at most; beyond that everything counts as nothing.
    n_items_max: usize,
    is_too_large: bool,
}

impl Sentences {
    /// `None` if there are none.
    pub fn new(grammar: &Grammar, texts: Vec<Texts>) -> Option<Sentences> {
        // The least by the lower half; the upper one may be anything.
        let length_of = |terminal: TerminalId| texts[terminal.index()].iter().map(|&(len, _)| len & LOWER).min();
        let prefixes = Prefixes::new(grammar, &length_of)?;
        let counts = FxHashMap::default();
        Some(Sentences { prefixes, texts, counts, n_items_max: usize::MAX, is_too_large: false })
    }

    /// Lengths are numbers of tokens.
    pub fn of_tokens(grammar: &Grammar) -> Option<Sentences> {
        Sentences::new(grammar, vec![vec![(1, BigUint::from(1u8))]; grammar.terminals.len()])
    }

    /// With a limit of memory, in items of [`Prefixes`]: about a hundred bytes each.
    pub fn within(self, n_items_max: usize) -> Sentences {
        Sentences { n_items_max, ..self }
    }

    /// Whether the limit was met: then what was counted since, listed or drawn is not all.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    pub fn prefixes(&mut self) -> &mut Prefixes {
        &mut self.prefixes
    }

    /// The length of the shortest.
    pub fn shortest(&self) -> u32 {
        self.prefixes.to_end(Prefixes::FIRST)
    }

    /// How many have this length.
    pub fn count(&mut self, len: u32) -> BigUint {
        self.count_from(Prefixes::FIRST, len)
    }

    /// Depth first without recursion: a long sentence is as deep as it is long.
    fn count_from(&mut self, state: StateId, len: u32) -> BigUint {
        let mut pending = vec![(state, len)];
        while let Some(&(state, len)) = pending.last() {
            if self.counts.contains_key(&(state, len)) {
                pending.pop();
                continue;
            }
            if self.prefixes.n_items() + self.counts.len() > self.n_items_max {
                self.is_too_large = true;
                return BigUint::ZERO;
            }
            let mut sum = BigUint::from(u8::from(len == 0 && self.prefixes.is_accepting(state)));
            let n_pending = pending.len();
            for n in 0..self.prefixes.n_terminals(state) {
                let (terminal, next) = self.prefixes.nth(state, n);
                for (text_len, n_texts) in &self.texts[terminal.index()] {
                    let Some(left) = less(len, *text_len).filter(|left| self.prefixes.to_end(next) <= left & LOWER)
                    else {
                        continue;
                    };
                    match self.counts.get(&(next, left)) {
                        Some(count) => sum += count * n_texts,
                        None => pending.push((next, left)),
                    }
                }
            }
            if pending.len() == n_pending {
                self.counts.insert((state, len), sum);
                pending.pop();
            }
        }
        self.counts.get(&(state, len)).cloned().unwrap_or_default()
    }

    /// Whether some string of a length leads from a state to the end.
    fn has(&mut self, state: StateId, len: u32) -> bool {
        if let Some(count) = self.counts.get(&(state, len)) {
            return *count != BigUint::ZERO;
        }
        self.count_from(state, len) != BigUint::ZERO
    }

    /// One of this length, each as likely as any other; a terminal with several texts is several. `None` if there is none.
    pub fn sample(&mut self, len: u32, chance: &mut Chance) -> Option<Vec<Piece>> {
        let mut left = len;
        let mut state = Prefixes::FIRST;
        let n_all = self.count_from(state, left);
        if n_all == BigUint::ZERO {
            return None;
        }
        let mut pieces = Vec::new();
        let mut number = chance.below_big(&n_all);
        while !(left == 0 && self.prefixes.is_accepting(state) && number == BigUint::ZERO) {
            if left == 0 && self.prefixes.is_accepting(state) {
                number -= 1u8;
            }
            let (piece, next) = self.choose(state, left, &mut number)?;
            left -= piece.len;
            state = next;
            pieces.push(piece);
        }
        Some(pieces)
    }

    /// The piece that the sentence of this number goes on with; the number is then that among those that do.
    fn choose(&mut self, state: StateId, len: u32, number: &mut BigUint) -> Option<(Piece, StateId)> {
        for n in 0..self.prefixes.n_terminals(state) {
            let (terminal, next) = self.prefixes.nth(state, n);
            for at in 0..self.texts[terminal.index()].len() {
                let text_len = self.texts[terminal.index()][at].0;
                let Some(left) = less(len, text_len) else { continue };
                let below = self.count_from(next, left);
                let all = &below * &self.texts[terminal.index()][at].1;
                if *number < all {
                    *number %= &below;
                    return Some((Piece { terminal, len: text_len }, next));
                }
                *number -= all;
            }
        }
        None
    }

    /// All of a length, each once. A terminal with several texts of a length comes once with each length.
    pub fn enumerate(&mut self, len: u32) -> Enumeration<'_> {
        Enumeration { sentences: self, cursor: Cursor::new(len) }
    }
}

/// Where an enumeration stands: which terminal and which of its lengths come next.
#[derive(Clone, Copy, Debug)]
struct Step {
    state: StateId,
    left: u32,
    n_terminal: usize,
    n_text: usize,
    is_given: bool,
}

impl Step {
    fn new(state: StateId, left: u32) -> Step {
        Step { state, left, n_terminal: 0, n_text: 0, is_given: false }
    }
}

/// A place among the sentences of one length.
#[derive(Debug)]
pub struct Cursor {
    path: Vec<Step>,
    pieces: Vec<Piece>,
}

impl Cursor {
    /// Before the first.
    pub fn new(len: u32) -> Cursor {
        Cursor { path: vec![Step::new(Prefixes::FIRST, len)], pieces: Vec::new() }
    }

    /// The next one; it is overwritten by the one after it. Only prefixes are followed that some sentence of the length has.
    pub fn advance(&mut self, sentences: &mut Sentences) -> Option<&[Piece]> {
        loop {
            let step = self.path.last_mut()?;
            let prefixes = &mut sentences.prefixes;
            if step.left == 0 && prefixes.is_accepting(step.state) && !std::mem::replace(&mut step.is_given, true) {
                return Some(&self.pieces);
            }
            if step.n_terminal == prefixes.n_terminals(step.state) {
                self.path.pop();
                self.pieces.pop();
                continue;
            }
            let (terminal, next) = prefixes.nth(step.state, step.n_terminal);
            let texts = &sentences.texts[terminal.index()];
            let len = texts[step.n_text].0;
            let left = less(step.left, len);
            step.n_text += 1;
            if step.n_text == texts.len() {
                (step.n_terminal, step.n_text) = (step.n_terminal + 1, 0);
            }
            let Some(left) = left.filter(|left| prefixes.to_end(next) <= left & LOWER) else { continue };
            if left > 0 && !sentences.has(next, left) {
                continue;
            }
            self.pieces.push(Piece { terminal, len });
            self.path.push(Step::new(next, left));
        }
    }
}

/// The sentences of one length, one after the other.
#[derive(Debug)]
pub struct Enumeration<'a> {
    sentences: &'a mut Sentences,
    cursor: Cursor,
}

impl Enumeration<'_> {
    /// The next one; it is overwritten by the one after it.
    pub fn advance(&mut self) -> Option<&[Piece]> {
        self.cursor.advance(self.sentences)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_grammars::{grammar, texts_of_calculator, CALCULATOR};

    fn counts(sentences: &mut Sentences, lens: std::ops::RangeInclusive<u32>) -> Vec<u64> {
        lens.map(|len| sentences.count(len).try_into().unwrap()).collect()
    }

    #[test]
    fn distinct_sentences_are_counted_once() {
        // Ambiguous: `x x x` has two trees.
        let grammar = grammar("s: s s | 'x' | 'y' ;");
        let mut sentences = Sentences::of_tokens(&grammar).unwrap();
        assert_eq!(counts(&mut sentences, 0..=5), [0, 2, 4, 8, 16, 32]);
    }

    #[test]
    fn sentences_of_the_calculator() {
        let grammar = grammar(CALCULATOR);
        let texts = texts_of_calculator(&grammar);
        let mut sentences = Sentences::new(&grammar, texts).unwrap();
        assert_eq!(counts(&mut sentences, 1..=3), [62, 62, 27_032]);
    }

    #[test]
    fn an_enumeration_is_complete_and_without_doubles() {
        let grammar = grammar("s: 'a' s 'b' | t t ; t: 'a' | 'b' t | ;");
        let mut sentences = Sentences::of_tokens(&grammar).unwrap();
        for len in 0..10 {
            let mut all = std::collections::BTreeSet::new();
            let mut n = 0u32;
            let mut enumeration = sentences.enumerate(len);
            while let Some(pieces) = enumeration.advance() {
                assert_eq!(pieces.iter().map(|piece| piece.len).sum::<u32>(), len);
                all.insert(pieces.iter().map(|piece| piece.terminal).collect::<Vec<_>>());
                n += 1;
            }
            assert_eq!(all.len(), n as usize);
            assert_eq!(sentences.count(len), n.into());
        }
    }

    #[test]
    fn samples_are_uniform() {
        let grammar = grammar("s: s s | 'x' | 'y' ;");
        let mut sentences = Sentences::of_tokens(&grammar).unwrap();
        let mut chance = Chance::new(3);
        let mut seen: FxHashMap<Vec<Piece>, u32> = FxHashMap::default();
        for _ in 0..8_000 {
            *seen.entry(sentences.sample(3, &mut chance).unwrap()).or_default() += 1;
        }
        assert_eq!(seen.len(), 8);
        assert!(seen.values().all(|&count| (880..1_120).contains(&count)), "{seen:?}");
        assert_eq!(sentences.sample(0, &mut chance), None);
    }

    #[test]
    fn the_empty_sentence() {
        let grammar = grammar("s: 'x' s | ;");
        let mut sentences = Sentences::of_tokens(&grammar).unwrap();
        assert_eq!(sentences.sample(0, &mut Chance::new(1)), Some(Vec::new()));
        assert_eq!(sentences.enumerate(0).advance(), Some([].as_slice()));
    }
}
