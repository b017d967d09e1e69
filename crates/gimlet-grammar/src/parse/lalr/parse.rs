//! Parses sentences with the tables.

use super::resolve::Action;
use super::Tables;
use crate::grammar::{RuleId, TerminalId};

/// What can come next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    pub terminals: Vec<TerminalId>,
    /// The sentence can end here.
    pub is_end: bool,
}

/// Why a sentence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The first token that can't be where it is; the length of the sentence if it ends too early.
    pub at: usize,
    /// What could be there instead.
    pub expected: Expected,
}

/// What happens when a token comes.
enum Outcome {
    Shifted,
    Accepted,
    Refused,
}

/// What the parser has on its stack behind the first tokens of a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack(Vec<u32>);

impl Default for Stack {
    fn default() -> Stack {
        Stack(vec![0])
    }
}

impl Tables {
    /// Whether the parser takes one more token; the stack stays as it is if it does not.
    pub fn shift(&self, stack: &mut Stack, terminal: TerminalId) -> bool {
        self.feed_to(&mut stack.0, terminal, &mut |_| {})
    }

    /// Whether the parser accepts what it has, if nothing else comes.
    pub fn accepts_end(&self, stack: &Stack) -> bool {
        self.end(&mut stack.0.clone(), &mut |_| {})
    }

    /// Whether the parser accepts the tokens, without recovering from an error.
    pub fn accepts(&self, sentence: &[TerminalId]) -> bool {
        self.run(sentence, |_| {}).is_ok()
    }

    /// The rules in the order in which the parser reduces by them: a rightmost derivation from its end.
    pub fn parse(&self, sentence: &[TerminalId]) -> Result<Vec<RuleId>, Refusal> {
        let mut reductions = Vec::new();
        let run = self.run(sentence, |rule| reductions.push(rule));
        run.map(|()| reductions).map_err(|(at, stack)| Refusal { at, expected: self.possible(&stack) })
    }

    /// What can come behind the first tokens of a sentence.
    pub fn expected(&self, prefix: &[TerminalId]) -> Result<Expected, Refusal> {
        let fed = self.feed(prefix, |_| {});
        let stack = fed.map_err(|(at, stack)| Refusal { at, expected: self.possible(&stack) })?;
        Ok(self.possible(&stack))
    }

    /// The place of the token that is refused and the stack before it, if one is.
    ///
    /// A scanner returns the end as often as it is asked, which matters where rules have it as well.
    fn run(&self, sentence: &[TerminalId], reduced: impl FnMut(RuleId)) -> Result<(), (usize, Vec<u32>)> {
        let mut reduced = reduced;
        let mut stack = self.feed(sentence, &mut reduced)?;
        match self.end(&mut stack, &mut reduced) {
            true => Ok(()),
            false => Err((sentence.len(), stack)),
        }
    }

    fn end(&self, stack: &mut Vec<u32>, reduced: &mut impl FnMut(RuleId)) -> bool {
        for _ in 0..=self.rows.len() {
            match self.advance(stack, self.end, reduced) {
                Outcome::Accepted => return true,
                Outcome::Refused => break,
                Outcome::Shifted => {}
            }
        }
        false
    }

    fn feed(&self, sentence: &[TerminalId], mut reduced: impl FnMut(RuleId)) -> Result<Vec<u32>, (usize, Vec<u32>)> {
        let mut stack = vec![0];
        for (at, &terminal) in sentence.iter().enumerate() {
            if !self.feed_to(&mut stack, terminal, &mut reduced) {
                return Err((at, stack));
            }
        }
        Ok(stack)
    }

    fn feed_to(&self, stack: &mut Vec<u32>, terminal: TerminalId, reduced: &mut impl FnMut(RuleId)) -> bool {
        let is_known = terminal.0 < self.n_terminals && Some(terminal) != self.error;
        // What is accepted is the end of the input, before the end of the sentence.
        is_known && matches!(self.advance(stack, terminal.0, reduced), Outcome::Shifted)
    }

    /// Takes a terminal. The stack stays as it is if that is refused.
    fn advance(&self, stack: &mut Vec<u32>, terminal: u32, reduced: &mut impl FnMut(RuleId)) -> Outcome {
        let mut simulated = Simulated::new(stack);
        let outcome = self.step(&mut simulated, terminal, reduced);
        if !matches!(outcome, Outcome::Refused) {
            let Simulated { n_kept, above, .. } = simulated;
            stack.truncate(n_kept);
            stack.extend(above);
        }
        outcome
    }

    /// By trying, as reductions that take whatever comes say nothing about it.
    fn possible(&self, stack: &[u32]) -> Expected {
        let is_possible = |terminal: u32| {
            let outcome = self.step(&mut Simulated::new(stack), terminal, &mut |_| {});
            !matches!(outcome, Outcome::Refused)
        };
        let is_listed = |terminal: &TerminalId| terminal.0 != self.end && Some(*terminal) != self.error;
        let terminals = (0..self.n_terminals).map(TerminalId).filter(is_listed).filter(|id| is_possible(id.0));
        Expected { terminals: terminals.collect(), is_end: is_possible(self.end) }
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
