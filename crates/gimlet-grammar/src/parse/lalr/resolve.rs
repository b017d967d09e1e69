//! What to do in each state at each terminal, where the automaton leaves a choice.

use std::cmp::Ordering;

use super::automaton::{Automaton, State};
use super::lookahead::Lookaheads;
use super::rows::Rows;
use super::Conflicts;
use crate::grammar::{Associativity, Grammar, Precedence};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Shift(u32),
    /// By a rule of the automaton.
    Reduce(u32),
}

/// What a state does.
#[derive(Clone, Debug)]
pub enum Row {
    /// This reduction, whatever comes.
    Always(u32),
    /// By terminal, in their order; at all others there is an error.
    At(Vec<(u32, Action)>),
}

impl Row {
    pub fn action(&self, terminal: u32) -> Option<Action> {
        match self {
            Row::Always(rule) => Some(Action::Reduce(*rule)),
            Row::At(actions) => actions.binary_search_by_key(&terminal, |action| action.0).ok().map(|at| actions[at].1),
        }
    }
}

/// Where a state had to choose.
#[derive(Clone, Copy, Default, Debug)]
pub struct Choices {
    pub conflicts: Conflicts,
    /// A precedence took something away.
    pub is_decided: bool,
}

/// The rows of all states, and where each had to choose.
pub fn rows(grammar: &Grammar, automaton: &Automaton, mut lookaheads: Lookaheads) -> (Vec<Row>, Vec<Choices>) {
    let states = automaton.states.iter().enumerate();
    states.map(|(number, state)| row(grammar, automaton, number, state, &mut lookaheads)).unzip()
}

fn row(
    grammar: &Grammar,
    automaton: &Automaton,
    number: usize,
    state: &State,
    lookaheads: &mut Lookaheads,
) -> (Row, Choices) {
    if state.is_consistent() {
        return (Row::Always(state.reductions[0]), Choices::default());
    }
    let mut open = Open { shifts: state.shifts.clone(), errors: Vec::new(), is_decided: false };
    for (at, &rule) in state.reductions.iter().enumerate() {
        let precedence = automaton.rules[rule as usize].id.and_then(|id| grammar.precedence_of(id));
        if let (Some(row), Some(precedence)) = (lookaheads.row(number, at), precedence) {
            open.decide(grammar, precedence, row, &mut lookaheads.rows);
        }
    }
    let shifts = open.shifts.iter().map(|&(terminal, next)| (terminal, Action::Shift(next)));
    let mut actions: Vec<(u32, Action)> = shifts.collect();
    for (at, &rule) in state.reductions.iter().enumerate() {
        let Some(row) = lookaheads.row(number, at) else { continue };
        actions.extend(lookaheads.rows.iter(row).map(|terminal| (terminal, Action::Reduce(rule))));
    }
    // Rivals stay in the order of who wins: the shift first, then the reductions by their rules.
    actions.sort_by_key(|action| action.0);
    let mut conflicts = Conflicts::default();
    for rivals in actions.chunk_by(|one, other| one.0 == other.0) {
        let has_shift = matches!(rivals[0].1, Action::Shift(_));
        let n_reductions = rivals.len() - usize::from(has_shift);
        conflicts.n_shift_reduce += usize::from(has_shift && n_reductions > 0);
        conflicts.n_reduce_reduce += n_reductions.saturating_sub(1);
    }
    actions.dedup_by_key(|action| action.0);
    // Such an error also stands against reductions that it was not decided for.
    actions.retain(|action| !open.errors.contains(&action.0));
    (Row::At(actions), Choices { conflicts, is_decided: open.is_decided })
}

/// What precedences have not decided yet.
struct Open {
    shifts: Vec<(u32, u32)>,
    /// Terminals at which neither shift nor reduction is left.
    errors: Vec<u32>,
    /// They have decided something.
    is_decided: bool,
}

impl Open {
    /// Decides between a reduction and the shifts at its lookaheads where both have a precedence.
    fn decide(&mut self, grammar: &Grammar, own: Precedence, row: usize, lookaheads: &mut Rows) {
        let (errors, is_decided) = (&mut self.errors, &mut self.is_decided);
        self.shifts.retain(|&(terminal, _)| {
            let other = grammar.terminals.get(terminal as usize).and_then(|terminal| terminal.precedence);
            let Some(other) = other.filter(|_| lookaheads.contains(row, terminal)) else { return true };
            let (keeps_shift, keeps_reduction) = match other.level.cmp(&own.level) {
                Ordering::Less => (false, true),
                Ordering::Greater => (true, false),
                Ordering::Equal => match other.associativity {
                    Associativity::Left => (false, true),
                    Associativity::Right => (true, false),
                    Associativity::None => (false, false),
                    Associativity::Unspecified => (true, true),
                },
            };
            *is_decided |= !(keeps_shift && keeps_reduction);
            if !keeps_reduction {
                lookaheads.remove(row, terminal);
            }
            if !keeps_shift && !keeps_reduction {
                errors.push(terminal);
            }
            keeps_shift
        });
    }
}

/// Which states are left when shifts are gone.
pub fn reachable(automaton: &Automaton, rows: &[Row]) -> Vec<bool> {
    let mut is_reachable = vec![false; rows.len()];
    let mut next = vec![0u32];
    while let Some(state) = next.pop() {
        if std::mem::replace(&mut is_reachable[state as usize], true) {
            continue;
        }
        next.extend(automaton.states[state as usize].gotos.iter().map(|goto| goto.1));
        if let Row::At(actions) = &rows[state as usize] {
            next.extend(actions.iter().filter_map(|(_, action)| match action {
                Action::Shift(state) => Some(*state),
                Action::Reduce(_) => None,
            }));
        }
    }
    is_reachable
}
