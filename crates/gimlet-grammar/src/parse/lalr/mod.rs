//! What the parser that yacc makes of a grammar accepts.
//!
//! This is not the language of the grammar: where two derivations are possible, the parser goes for one of them, by
//! precedence, else by shifting rather than reducing, else by the rule that comes first. A sentence that only the other
//! way leads through is refused. So the same tables are made here: the LR(0) automaton of the useful rules, with the
//! lookaheads of DeRemer and Pennello ("Efficient computation of LALR(1) look-ahead sets", TOPLAS 4(4), 1982), which take
//! time about linear in the number of transitions. To build a canonical LR(1) automaton and merge its states would give
//! the same tables at ten times the cost.
//!
//! A state with one reduction and no shifts reduces whatever comes, as yacc's parsers do. That finds an error later, but
//! before the next shift, so it accepts the same. Rules with the token `error` are in the tables, but as no sentence has
//! this token they are never used: a sentence that needs recovery is refused.

mod automaton;
mod lookahead;
mod parse;
mod relation;
mod resolve;
mod rows;

use crate::grammar::{Grammar, RuleId, TerminalId};

pub use parse::{Expected, Refusal, Stack};

use automaton::Automaton;
use resolve::Row;

/// How often the tables had to choose without a precedence to say how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Conflicts {
    pub n_shift_reduce: usize,
    pub n_reduce_reduce: usize,
}

/// The tables of a parser.
#[derive(Clone, Debug)]
pub struct Tables {
    rows: Vec<Row>,
    /// For each state, where each nonterminal leads to, in their order.
    gotos: Vec<Vec<(u32, u32)>>,
    /// The nonterminal and the length of each rule of the automaton.
    shapes: Vec<(u32, u32)>,
    /// The rules of the grammar; the first one of the automaton is none of them.
    rules: Vec<Option<RuleId>>,
    end: u32,
    error: Option<TerminalId>,
    n_terminals: u32,
    n_nonterminals: u32,
    accepting: u32,
    n_states: usize,
    conflicts: Conflicts,
    is_exact: bool,
}

impl Tables {
    pub fn new(grammar: &Grammar) -> Tables {
        let automaton = Automaton::new(grammar);
        let lookaheads = lookahead::lookaheads(&automaton);
        let (rows, choices) = resolve::rows(grammar, &automaton, lookaheads);
        let is_reachable = resolve::reachable(&automaton, &rows);
        let choices = choices.iter().zip(&is_reachable).filter(|&(_, &is_reachable)| is_reachable);
        let choices: Vec<_> = choices.map(|(choices, _)| choices).collect();
        let conflicts = choices.iter().fold(Conflicts::default(), |sum, one| Conflicts {
            n_shift_reduce: sum.n_shift_reduce + one.conflicts.n_shift_reduce,
            n_reduce_reduce: sum.n_reduce_reduce + one.conflicts.n_reduce_reduce,
        });
        let is_exact = conflicts == Conflicts::default() && choices.iter().all(|choices| !choices.is_decided);
        Tables {
            rows,
            gotos: automaton.states.iter().map(|state| state.gotos.clone()).collect(),
            shapes: automaton.rules.iter().map(|rule| (rule.left, rule.right.len() as u32)).collect(),
            rules: automaton.rules.iter().map(|rule| rule.id).collect(),
            end: automaton.end,
            error: grammar.error,
            n_terminals: grammar.terminals.len() as u32,
            n_nonterminals: automaton.n_nonterminals,
            accepting: automaton.accepting,
            n_states: is_reachable.iter().filter(|&&is_reachable| is_reachable).count(),
            conflicts,
            is_exact,
        }
    }

    /// States that the parser can be in.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// Those that precedences left open.
    pub fn conflicts(&self) -> Conflicts {
        self.conflicts
    }

    /// A parser that never chooses accepts the language of the grammar.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }
}
