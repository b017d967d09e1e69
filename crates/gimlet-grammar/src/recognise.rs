//! Whether a string of terminals is a sentence, where nobody asks for its tree.
//!
//! Earley's algorithm as in [`crate::parse`], but an item is not looked at by itself: all positions at which the same part
//! of a rule began are one set, and a nonterminal that comes to its end takes over the whole set of each of its users. In an
//! ambiguous grammar such sets have as many members as there are tokens, and of what a nonterminal brings nearly all is
//! known: with a bit for each position the cubic part of the work is done for 64 of them at a time.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis;
use crate::grammar::{Grammar, NonterminalId, Symbol, TerminalId};
use crate::parse::NoSentence;

/// What sets may take in all.
const N_BYTES_MAX: usize = 1 << 30;
/// What a set takes beside its members.
const SET_BYTES: usize = 64;
/// Nonterminals that come to their ends between two looks at the clock.
const N_UNWATCHED: u32 = 1 << 10;

/// Why there is no answer, or none that the user likes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    NoSentence(NoSentence),
    /// It takes more memory than there is.
    TooLong,
    /// Whoever asked does not want to know any more.
    Stopped,
}

/// A part of a rule that has come, by number: those of one rule follow each other.
type Dotted = u32;

/// Positions in the order of numbers, or a bit for each.
#[derive(Debug)]
enum Origins {
    Few(Box<[u32]>),
    Many(Box<[u64]>),
}

/// What waits at a position, by what it waits for.
type Waiting = FxHashMap<NonterminalId, Vec<(Dotted, Origins)>>;

/// Answers for one grammar.
#[derive(Debug)]
pub struct Recogniser<'a> {
    grammar: &'a Grammar,
    nullable: Vec<bool>,
    /// By rule: its first part.
    first: Vec<Dotted>,
    /// By part: the nonterminal that it makes, and what comes next.
    parts: Vec<(NonterminalId, Option<Symbol>)>,
}

impl<'a> Recogniser<'a> {
    pub fn new(grammar: &'a Grammar) -> Recogniser<'a> {
        let (mut first, mut parts) = (Vec::new(), Vec::new());
        for rule in &grammar.rules {
            first.push(parts.len() as Dotted);
            parts.extend(rule.right.iter().map(|&symbol| (rule.left, Some(symbol))));
            parts.push((rule.left, None));
        }
        Recogniser { grammar, nullable: analysis::nullable(grammar), first, parts }
    }

    /// Whether it is a sentence. `is_stopped` is asked now and then.
    pub fn check(&self, terminals: &[TerminalId], is_stopped: &dyn Fn() -> bool) -> Result<(), Refusal> {
        let start = self.grammar.start;
        let mut chart = Chart::new(self, is_stopped);
        chart.predict(start);
        for (at, &terminal) in terminals.iter().enumerate() {
            chart.close()?;
            let next = chart.behind(terminal);
            if next.is_empty() {
                return Err(Refusal::NoSentence(NoSentence { at, expected: chart.expected() }));
            }
            chart.store()?;
            next.into_iter().for_each(|(part, origin)| chart.current.add(part, origin));
        }
        chart.close()?;
        let is_empty = terminals.is_empty() && self.nullable[start.index()];
        match is_empty || chart.is_complete(start, 0) {
            true => Ok(()),
            false => Err(Refusal::NoSentence(NoSentence { at: terminals.len(), expected: chart.expected() })),
        }
    }
}

/// The set at the position that is looked at, which grows.
#[derive(Default)]
struct Current {
    at: u32,
    /// Parts that begin here; most do, and need no bits.
    own: FxHashSet<Dotted>,
    /// By part: a bit for each origin before this position.
    bits: FxHashMap<Dotted, Vec<u64>>,
    items: Vec<(Dotted, u32)>,
}

impl Current {
    fn add(&mut self, part: Dotted, origin: u32) {
        let is_new = match origin == self.at {
            true => self.own.insert(part),
            false => set_bit(self.bits.entry(part).or_default(), origin),
        };
        if is_new {
            self.items.push((part, origin));
        }
    }

    /// Adds a part for all of some origins.
    fn add_all(&mut self, part: Dotted, origins: &Origins) {
        match origins {
            Origins::Few(origins) => origins.iter().for_each(|&origin| self.add(part, origin)),
            Origins::Many(words) => {
                let bits = self.bits.entry(part).or_default();
                bits.resize(bits.len().max(words.len()), 0);
                for (number, (known, &word)) in (0..).zip(bits.iter_mut().zip(words)) {
                    let mut new = word & !*known;
                    *known |= word;
                    while new != 0 {
                        self.items.push((part, number * 64 + new.trailing_zeros()));
                        new &= new - 1;
                    }
                }
            }
        }
    }
}

fn set_bit(bits: &mut Vec<u64>, number: u32) -> bool {
    let (word, bit) = (number as usize / 64, 1 << (number % 64));
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    let is_new = bits[word] & bit == 0;
    bits[word] |= bit;
    is_new
}

/// All that is known of a string up to a position.
struct Chart<'a> {
    of: &'a Recogniser<'a>,
    is_stopped: &'a dyn Fn() -> bool,
    /// By position, those before the current one.
    waiting: Vec<Waiting>,
    current: Current,
    /// What came to its end at the current position: a bit for each origin.
    complete: FxHashMap<NonterminalId, Vec<u64>>,
    n_bytes: usize,
    n_unwatched: u32,
}

impl<'a> Chart<'a> {
    fn new(of: &'a Recogniser<'a>, is_stopped: &'a dyn Fn() -> bool) -> Chart<'a> {
        Chart {
            of,
            is_stopped,
            waiting: Vec::new(),
            current: Current::default(),
            complete: FxHashMap::default(),
            n_bytes: 0,
            n_unwatched: 0,
        }
    }

    fn predict(&mut self, nonterminal: NonterminalId) {
        let (rules, at) = (self.of.grammar.rules_of(nonterminal).iter(), self.current.at);
        rules.for_each(|&rule| self.current.add(self.of.first[rule.index()], at));
    }

    /// Completes the current set.
    fn close(&mut self) -> Result<(), Refusal> {
        self.complete.clear();
        let mut is_predicted = vec![false; self.of.nullable.len()];
        let mut number = 0;
        while let Some(&(part, origin)) = self.current.items.get(number) {
            number += 1;
            match self.of.parts[part as usize] {
                (_, Some(Symbol::Terminal(_))) => {}
                (_, Some(Symbol::Nonterminal(next))) => {
                    if !std::mem::replace(&mut is_predicted[next.index()], true) {
                        self.predict(next);
                    }
                    if self.of.nullable[next.index()] {
                        self.current.add(part + 1, origin);
                    }
                }
                // What is empty was passed over where it was waited for.
                (_, None) if origin == self.current.at => {}
                (left, None) => {
                    if set_bit(self.complete.entry(left).or_default(), origin) {
                        self.watch()?;
                        for (user, origins) in self.waiting[origin as usize].get(&left).into_iter().flatten() {
                            self.current.add_all(user + 1, origins);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn watch(&mut self) -> Result<(), Refusal> {
        self.n_unwatched += 1;
        if self.n_unwatched == N_UNWATCHED {
            self.n_unwatched = 0;
            if (self.is_stopped)() {
                return Err(Refusal::Stopped);
            }
        }
        Ok(())
    }

    /// What the next terminal leads to.
    fn behind(&self, terminal: TerminalId) -> Vec<(Dotted, u32)> {
        let next = Some(Symbol::Terminal(terminal));
        let items = self.current.items.iter().filter(|(part, _)| self.of.parts[*part as usize].1 == next);
        items.map(|&(part, origin)| (part + 1, origin)).collect()
    }

    /// Puts away what waits in the current set, and goes on with an empty one.
    fn store(&mut self) -> Result<(), Refusal> {
        let next = Current { at: self.current.at + 1, ..Current::default() };
        let Current { at, own, mut bits, items } = std::mem::replace(&mut self.current, next);
        let mut few: FxHashMap<Dotted, Vec<u32>> = FxHashMap::default();
        for (part, origin) in items {
            few.entry(part).or_default().push(origin);
        }
        let mut waiting = Waiting::default();
        for (part, few) in few {
            let Some(Symbol::Nonterminal(next)) = self.of.parts[part as usize].1 else { continue };
            let mut many = bits.remove(&part).unwrap_or_default();
            let origins = match few.len() <= 2 * many.len() || few.len() == 1 {
                true => Origins::Few(few.into()),
                false => {
                    if own.contains(&part) {
                        set_bit(&mut many, at);
                    }
                    Origins::Many(many.into())
                }
            };
            self.n_bytes += SET_BYTES
                + match &origins {
                    Origins::Few(few) => size_of_val(&few[..]),
                    Origins::Many(many) => size_of_val(&many[..]),
                };
            waiting.entry(next).or_default().push((part, origins));
        }
        self.waiting.push(waiting);
        match self.n_bytes <= N_BYTES_MAX {
            true => Ok(()),
            false => Err(Refusal::TooLong),
        }
    }

    fn is_complete(&self, nonterminal: NonterminalId, origin: usize) -> bool {
        let bits = self.complete.get(&nonterminal);
        bits.and_then(|bits| bits.get(origin / 64)).is_some_and(|word| word >> (origin % 64) & 1 == 1)
    }

    /// The terminals that can come behind the current set, in ascending order.
    fn expected(&self) -> Vec<TerminalId> {
        let next = |(part, _): &(Dotted, u32)| self.of.parts[*part as usize].1?.terminal();
        let mut expected: Vec<TerminalId> = self.current.items.iter().filter_map(next).collect();
        expected.sort_unstable();
        expected.dedup();
        expected
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::chance::Chance;
    use crate::parse::Parser;
    use crate::sentences::{Piece, Sentences};
    use crate::test_grammars::{grammar, CALCULATOR};

    const GRAMMARS: [&str; 5] = [
        CALCULATOR,
        "s: s s | 'a' s 'b' | ;",
        "s: a s b | s | 'x' ; a: | 'x' | a ; b: a a | 'y' ;",
        "s: 'a' s 'a' | 'b' s 'b' | 'a' | 'b' | ;",
        "s: l l ; l: l e | ; e: 'x' | e 'y' | l 'z' ;",
    ];

    const AMBIGUOUS: &str = "e: e '+' e | 'x' ;";

    /// `x + x + .. x`, of a number of terms.
    fn sum(grammar: &Grammar, n_terms: usize) -> Vec<TerminalId> {
        let terminal = |name: &str| grammar.symbol(name).and_then(Symbol::terminal).unwrap();
        let (plus, x) = (terminal("'+'"), terminal("'x'"));
        (0..2 * n_terms - 1).map(|at| if at % 2 == 0 { x } else { plus }).collect()
    }

    #[test]
    fn long_strings_of_an_ambiguous_grammar() {
        let grammar = grammar(AMBIGUOUS);
        let recogniser = Recogniser::new(&grammar);
        let mut sentence = sum(&grammar, 400);
        assert_eq!(recogniser.check(&sentence, &|| false), Ok(()));
        sentence.push(sentence[0]);
        let expected = vec![sentence[1]];
        let refusal = Refusal::NoSentence(NoSentence { at: sentence.len() - 1, expected });
        assert_eq!(recogniser.check(&sentence, &|| false), Err(refusal));
    }

    #[test]
    fn ends_when_it_is_told_to() {
        let grammar = grammar(AMBIGUOUS);
        let n_asked = Cell::new(0);
        let is_stopped = || {
            n_asked.set(n_asked.get() + 1);
            n_asked.get() == 3
        };
        let stopped = Recogniser::new(&grammar).check(&sum(&grammar, 400), &is_stopped);
        assert_eq!((stopped, n_asked.get()), (Err(Refusal::Stopped), 3));
    }

    proptest! {
        /// Sentences, and strings that are not, some of more than 64 tokens.
        #[test]
        fn agrees_with_the_parser(which in 0..GRAMMARS.len(), seed in any::<u64>(), len in 0u32..90, n_wrong in 0u32..3) {
            let grammar = grammar(GRAMMARS[which]);
            let mut chance = Chance::new(seed);
            let n_terminals = grammar.terminals.len() as u64;
            let any = |chance: &mut Chance| TerminalId(chance.below(n_terminals) as u32);
            let drawn = Sentences::of_tokens(&grammar).unwrap().sample(len % 12, &mut chance);
            let drawn: Vec<TerminalId> = drawn.unwrap_or_default().iter().map(|piece| piece.terminal).collect();
            let mut terminals: Vec<TerminalId> = drawn.iter().copied().cycle().take(len as usize).collect();
            for _ in 0..n_wrong.min(terminals.len() as u32) {
                let at = chance.below(terminals.len() as u64) as usize;
                terminals[at] = any(&mut chance);
            }
            let pieces: Vec<Piece> = terminals.iter().map(|&terminal| Piece { terminal, len: 1 }).collect();
            let expected = Parser::new(&grammar).parse(&pieces).map(drop).map_err(Refusal::NoSentence);
            prop_assert_eq!(Recogniser::new(&grammar).check(&terminals, &|| false), expected);
        }
    }
}
