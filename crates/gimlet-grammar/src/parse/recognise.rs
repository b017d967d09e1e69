//! Whether a string of terminals is a sentence, where nobody asks for its tree.
//!
//! [`crate::parse::parser`] keeps every item for the tree; here only what a later nonterminal may have to come back to is kept, so
//! that long strings have room.

use crate::grammar::{Grammar, TerminalId};
use crate::parse::earley::{Closer, Earley, Set, Stopped};
use crate::parse::parser::NoSentence;

/// What sets may take in all.
const N_BYTES_MAX: usize = 1 << 30;

/// Why there is no answer, or none that the user likes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    NoSentence(NoSentence),
    /// It takes more memory than there is.
    TooLong,
    /// Whoever asked does not want to know any more.
    Stopped,
}

/// Answers for one grammar.
#[derive(Debug)]
pub struct Recogniser {
    earley: Earley,
}

impl Recogniser {
    pub fn new(grammar: &Grammar) -> Recogniser {
        Recogniser { earley: Earley::new(grammar) }
    }

    /// Whether it is a sentence. `is_stopped` is asked now and then.
    pub fn check(&self, terminals: &[TerminalId], is_stopped: &dyn Fn() -> bool) -> Result<(), Refusal> {
        self.check_any(terminals.iter().map(std::slice::from_ref), is_stopped)
    }

    /// The same if one of several terminals may stand at each position.
    pub fn check_any<'t>(
        &self,
        choices: impl ExactSizeIterator<Item = &'t [TerminalId]>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Refusal> {
        let n_positions = choices.len();
        let mut closer = Closer::new(&self.earley);
        // By position, what waits there.
        let mut sets: Vec<Set> = Vec::new();
        let mut current = self.close(&mut closer, &sets, &[], is_stopped)?;
        let mut n_bytes = 0;
        for (at, terminals) in choices.enumerate() {
            if terminals.iter().all(|&terminal| current.behind(terminal).is_empty()) {
                return Err(no_sentence(at, &current));
            }
            sets.push(std::mem::take(&mut current));
            current = self.close(&mut closer, &sets, terminals, is_stopped)?;
            sets[at].scans = Vec::new();
            n_bytes += sets[at].n_bytes();
            if n_bytes > N_BYTES_MAX {
                return Err(Refusal::TooLong);
            }
        }
        match current.is_accepting {
            true => Ok(()),
            false => Err(no_sentence(n_positions, &current)),
        }
    }

    /// The set behind those that are known.
    fn close(
        &self,
        closer: &mut Closer,
        sets: &[Set],
        terminals: &[TerminalId],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Set, Refusal> {
        let kernel = sets.last().into_iter().flat_map(|last| terminals.iter().flat_map(|&it| last.behind(it)));
        let closed = closer.close(&self.earley, sets.len() as u32, kernel, &|at| &sets[at as usize], is_stopped);
        closed.map_err(|Stopped| Refusal::Stopped)
    }
}

fn no_sentence(at: usize, set: &Set) -> Refusal {
    Refusal::NoSentence(NoSentence { at, expected: set.scans.iter().map(|&(terminal, _)| terminal).collect() })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::chance::Chance;
    use crate::count::sentences::{Piece, Sentences};
    use crate::grammar::Symbol;
    use crate::parse::parser::Parser;
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
