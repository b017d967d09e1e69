//! All sentences that are as a constraint says, the shortest first.
//!
//! A beginning is worth the length of the shortest sentence that it can become, which a chart tells; the best is taken up,
//! and each of its next tokens makes a longer one. None is ever taken up in vain, unless positions are to be equal or a
//! parser has a say.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::chart::{Charts, NodeId};
use super::{Constraint, Failure, Gap};
use crate::grammar::{Grammar, TerminalId};
use crate::parse::lalr::{Stack, Tables};

/// A beginning, or a whole sentence.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Beginning {
    /// The length of the shortest sentence that it can become.
    length: usize,
    /// A sentence goes before beginnings that are no better.
    is_open: bool,
    tokens: Vec<TerminalId>,
    node: NodeId,
}

/// See [`super::Solver::solutions`].
pub struct Solutions<'s> {
    grammar: &'s Grammar,
    charts: Option<&'s mut Charts>,
    tables: Option<&'s Tables>,
    constraint: Constraint,
    classes: Vec<Vec<usize>>,
    pending: BinaryHeap<Reverse<Beginning>>,
    is_begun: bool,
    n_left: usize,
}

impl<'s> Solutions<'s> {
    pub(super) fn new(
        grammar: &'s Grammar,
        charts: Option<&'s mut Charts>,
        tables: Option<&'s Tables>,
        constraint: Constraint,
    ) -> Solutions<'s> {
        let (classes, pending) = (constraint.classes(), BinaryHeap::new());
        Solutions { grammar, charts, tables, constraint, classes, pending, is_begun: false, n_left: usize::MAX }
    }

    /// Beginnings that are tried for each sentence.
    pub fn within(self, n_tried_max: usize) -> Solutions<'s> {
        Solutions { n_left: n_tried_max, ..self }
    }

    /// The next one; none if there are no more.
    pub fn advance(&mut self) -> Result<Option<Vec<TerminalId>>, Gap> {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.push(Vec::new(), Charts::ROOT)?;
        }
        while let Some(Reverse(best)) = self.pending.pop() {
            if !best.is_open {
                return Ok(Some(best.tokens));
            }
            self.n_left = self.n_left.checked_sub(1).ok_or(Gap::TooManyCases)?;
            self.take_up(best)?;
        }
        Ok(None)
    }

    /// Adds a beginning, if it can become a sentence.
    fn push(&mut self, tokens: Vec<TerminalId>, node: NodeId) -> Result<(), Gap> {
        let Some(charts) = self.charts.as_deref_mut() else { return Ok(()) };
        let said = self.constraint.tokens.get(tokens.len()..).unwrap_or_default();
        match charts.decide(node, said, &self.constraint.length) {
            Ok(found) => self.pending.push(Reverse(Beginning { length: found.length, is_open: true, tokens, node })),
            Err(Failure::None(_)) => {}
            Err(Failure::Unknown(gap)) => return Err(gap),
        }
        Ok(())
    }

    /// Adds what a beginning may be, and may become.
    fn take_up(&mut self, best: Beginning) -> Result<(), Gap> {
        let Some(charts) = self.charts.as_deref_mut() else { return Ok(()) };
        let Beginning { tokens, node, .. } = best;
        let stack = self.tables.map(|tables| stack_of(tables, &tokens));
        let accepts_end = match (self.tables, &stack) {
            (Some(tables), Some(stack)) => stack.as_ref().is_some_and(|stack| tables.accepts_end(stack)),
            _ => true,
        };
        if charts.is_accepting(node) && accepts_end && self.constraint.holds(&tokens) {
            let length = tokens.len();
            self.pending.push(Reverse(Beginning { length, is_open: false, tokens: tokens.clone(), node }));
        }
        let wanted = self.constraint.tokens.get(tokens.len());
        let possible = wanted.map_or_else(|| charts.next(node).clone(), |set| set.intersection(charts.next(node)));
        let same = self.classes.iter().find_map(|class| {
            let first = *class.first().filter(|_| class.contains(&tokens.len()))?;
            tokens.get(first).copied()
        });
        let mut next = Vec::new();
        for terminal in possible.iter().filter(|&it| same.is_none_or(|same| same == it)) {
            let is_taken = match (self.tables, &stack) {
                (Some(tables), Some(stack)) => {
                    stack.clone().is_some_and(|mut stack| tables.shift(&mut stack, terminal))
                }
                _ => true,
            };
            let set = super::TokenSet::of(self.grammar, [terminal]);
            if let Some(node) = is_taken.then(|| charts.after(node, &set)).transpose()?.flatten() {
                next.push((terminal, node));
            }
        }
        for (terminal, node) in next {
            let mut longer = tokens.clone();
            longer.push(terminal);
            self.push(longer, node)?;
        }
        Ok(())
    }
}

/// None if the parser does not get so far.
fn stack_of(tables: &Tables, tokens: &[TerminalId]) -> Option<Stack> {
    let mut stack = Stack::default();
    tokens.iter().all(|&token| tables.shift(&mut stack, token)).then_some(stack)
}
