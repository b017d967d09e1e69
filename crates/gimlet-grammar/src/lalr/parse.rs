//! Parses sentences with the tables.

use crate::grammar::{RuleId, TerminalId};

use super::resolve::Action;
use super::Tables;

/// Why a sentence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The first token that can't be where it is; the length of the sentence if it ends too early.
    pub at: usize,
    /// The tokens that could be there instead.
    pub expected: Vec<TerminalId>,
    /// Whether the sentence could end there.
    pub is_end_expected: bool,
}

/// What happens when a token comes.
enum Outcome {
    Shifted,
    Accepted,
    Refused,
}

impl Tables {
    /// Whether the parser accepts the tokens, without recovering from an error.
    pub fn accepts(&self, sentence: &[TerminalId]) -> bool {
        self.run(sentence, |_| {}).is_ok()
    }

    /// The rules in the order in which the parser reduces by them: a rightmost derivation from its end.
    pub fn parse(&self, sentence: &[TerminalId]) -> Result<Vec<RuleId>, Refusal> {
        let mut reductions = Vec::new();
        let run = self.run(sentence, |rule| reductions.push(rule));
        match run {
            Ok(()) => Ok(reductions),
            Err((at, stack)) => Err(self.refusal(at, &stack)),
        }
    }

    /// What can come behind some tokens that the parser takes: the tokens, and whether the sentence can end there.
    pub fn expected(&self, prefix: &[TerminalId]) -> Refusal {
        match self.feed(prefix, |_| {}) {
            Ok(stack) => self.refusal(prefix.len(), &stack),
            Err((at, stack)) => self.refusal(at, &stack),
        }
    }

    /// The place of the token that is refused and the stack before it, if one is.
    ///
    /// A scanner returns the end as often as it is asked, which matters where rules have it as well.
    fn run(&self, sentence: &[TerminalId], reduced: impl FnMut(RuleId)) -> Result<(), (usize, Vec<u32>)> {
        let mut reduced = reduced;
        let mut stack = self.feed(sentence, &mut reduced)?;
        for _ in 0..=self.rows.len() {
            let mut simulated = Simulated::new(&stack);
            match self.step(&mut simulated, self.end, &mut reduced) {
                Outcome::Accepted => return Ok(()),
                Outcome::Refused => break,
                Outcome::Shifted => simulated.settle().apply(&mut stack),
            }
        }
        Err((sentence.len(), stack))
    }

    fn feed(&self, sentence: &[TerminalId], mut reduced: impl FnMut(RuleId)) -> Result<Vec<u32>, (usize, Vec<u32>)> {
        let mut stack = vec![0];
        for (at, terminal) in sentence.iter().enumerate() {
            if terminal.0 >= self.n_terminals || Some(*terminal) == self.error {
                return Err((at, stack));
            }
            let mut simulated = Simulated::new(&stack);
            match self.step(&mut simulated, terminal.0, &mut reduced) {
                Outcome::Shifted => simulated.settle().apply(&mut stack),
                // The end of the input, before the end of the sentence.
                Outcome::Accepted | Outcome::Refused => return Err((at, stack)),
            }
        }
        Ok(stack)
    }

    fn refusal(&self, at: usize, stack: &[u32]) -> Refusal {
        let is_possible =
            |terminal: u32| !matches!(self.step(&mut Simulated::new(stack), terminal, &mut |_| {}), Outcome::Refused);
        let is_listed = |terminal: &TerminalId| terminal.0 != self.end && Some(*terminal) != self.error;
        let expected = (0..self.n_terminals).map(TerminalId).filter(is_listed).filter(|id| is_possible(id.0)).collect();
        Refusal { at, expected, is_end_expected: is_possible(self.end) }
    }

    /// Reduces until the terminal is shifted or refused.
    ///
    /// A grammar in which something derives itself, or begins with any number of empty parts, can make a parser reduce
    /// for ever. Then the terminal is refused.
    fn step(&self, stack: &mut Simulated<'_>, terminal: u32, reduced: &mut impl FnMut(RuleId)) -> Outcome {
        let n_most = (stack.depth() + self.rows.len()).saturating_mul(self.n_nonterminals as usize + 1);
        for _ in 0..=n_most {
            match self.rows[stack.top() as usize].action(terminal) {
                None => return Outcome::Refused,
                Some(Action::Shift(state)) => {
                    stack.push(state);
                    return if state == self.accepting { Outcome::Accepted } else { Outcome::Shifted };
                }
                Some(Action::Reduce(rule)) => {
                    let (left, length) = self.shapes[rule as usize];
                    stack.pop(length as usize);
                    let gotos = &self.gotos[stack.top() as usize];
                    let Ok(at) = gotos.binary_search_by_key(&left, |goto| goto.0) else { return Outcome::Refused };
                    stack.push(gotos[at].1);
                    self.rules[rule as usize].into_iter().for_each(&mut *reduced);
                }
            }
        }
        Outcome::Refused
    }
}

/// A stack that leaves the one it is made of as it is.
struct Simulated<'a> {
    base: &'a [u32],
    /// How much of the base is left.
    n_kept: usize,
    above: Vec<u32>,
}

impl Simulated<'_> {
    fn new(base: &[u32]) -> Simulated<'_> {
        Simulated { base, n_kept: base.len(), above: Vec::new() }
    }

    /// What is to be done to the base.
    fn settle(self) -> Settled {
        Settled { n_kept: self.n_kept, above: self.above }
    }

    fn depth(&self) -> usize {
        self.n_kept + self.above.len()
    }

    fn top(&self) -> u32 {
        self.above.last().or(self.base[..self.n_kept].last()).copied().unwrap_or(0)
    }

    fn push(&mut self, state: u32) {
        self.above.push(state);
    }

    fn pop(&mut self, length: usize) {
        let n_above = self.above.len().min(length);
        self.above.truncate(self.above.len() - n_above);
        self.n_kept = self.n_kept.saturating_sub(length - n_above);
    }
}

/// What a simulation makes of a stack.
struct Settled {
    n_kept: usize,
    above: Vec<u32>,
}

impl Settled {
    fn apply(self, stack: &mut Vec<u32>) {
        stack.truncate(self.n_kept);
        stack.extend(self.above);
    }
}
