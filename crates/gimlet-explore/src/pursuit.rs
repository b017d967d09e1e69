//! Directions that nobody took, and that are impossible where they were asked for: other sentences may lead there.
//!
//! What a program does with a number can hang on a word beside it that no branch ever asks for: a parser's action chose a
//! factor, and all that is left of the word is that factor in what is computed. So no flip leads to another one. Such a
//! *goal* remembers the way on which it was impossible. What is near the texts that it is about is said in other words
//! ([`gimlet_grammar::rephrase`]), and each of these sentences is led along the same way again, as far as it can be, with
//! one flip after the other. That takes a few runs each; they are no part of the search beside it, unless one takes a
//! branch that nobody took before.

use std::collections::VecDeque;

use gimlet_path::Direction;
use gimlet_trace::Input;
use rustc_hash::FxHashMap;

use crate::job::RunId;
use crate::seen::Seen;
use crate::walk::{key, Level, Walk};

/// Runs between two sentences.
const N_BETWEEN: u64 = 8;
/// Goals that wait.
const N_GOALS_MAX: usize = 128;
/// Ways on which a direction is pursued, and how many of its last steps are known.
const N_WAYS: u32 = 4;
const N_STEPS: usize = 8;

/// A direction at a site.
pub type Turn = (u64, Direction);

pub struct Goal {
    pub run: RunId,
    pub wanted: Turn,
    /// Where the run went before, the last first: turns that texts decide.
    pub way: Vec<Turn>,
    pub input: Input,
    /// The tokens whose texts decide whether it can be reached.
    pub tokens: Vec<u32>,
    /// Texts that are still to be tried; none if nobody has made them.
    pub kin: Option<VecDeque<Vec<u8>>>,
}

#[derive(Default)]
pub struct Pursuits {
    goals: VecDeque<Goal>,
    /// By what is computed: how often a goal was of it; and the same for each direction.
    known: FxHashMap<u64, u32>,
    /// When the last sentence had its turn.
    n_runs: u64,
}

impl Pursuits {
    /// Whether a direction is worth it: nobody took it, and not too much has been tried.
    pub fn is_wanted(&mut self, wanted: Turn, shape: u64, seen: &Seen) -> bool {
        let (name, direction) = wanted;
        if self.goals.len() >= N_GOALS_MAX || is_reached(wanted, seen) {
            return false;
        }
        let goal = key(name, direction);
        let n_ways = self.known.get(&goal).copied().unwrap_or(0);
        if n_ways >= N_WAYS || self.known.contains_key(&key(goal ^ shape, direction)) {
            return false;
        }
        self.known.insert(goal, n_ways + 1);
        self.known.insert(key(goal ^ shape, direction), 1);
        true
    }

    pub fn add(&mut self, goal: Goal) {
        self.goals.push_back(goal);
    }

    pub fn is_turn(&self, n_runs: u64) -> bool {
        !self.goals.is_empty() && n_runs >= self.n_runs + N_BETWEEN
    }

    /// The next goal that nobody has reached.
    pub fn take(&mut self, seen: &Seen) -> Option<Goal> {
        self.goals.retain(|goal| !is_reached(goal.wanted, seen));
        self.goals.pop_front()
    }

    /// Takes a goal back after so many runs in all.
    pub fn put_back(&mut self, goal: Goal, n_runs: u64) {
        self.n_runs = n_runs;
        if goal.kin.as_ref().is_none_or(|kin| !kin.is_empty()) {
            self.goals.push_back(goal);
        }
    }

    pub fn len(&self) -> usize {
        self.goals.len()
    }
}

fn is_reached((name, direction): Turn, seen: &Seen) -> bool {
    seen.n_taken(Level::Site, name, direction) > 0
}

/// The last turns of a run before a step, the last first, as far as they are wanted.
pub fn way(walk: &Walk, step: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<Turn> {
    let steps = (0..step).rev().filter(|&step| is_wanted(step));
    let turns = steps.filter_map(|step| Some((walk.stops[step].name(Level::Site), walk.stops[step].direction?)));
    let mut way: Vec<Turn> = Vec::new();
    for turn in turns {
        if way.len() >= N_STEPS {
            break;
        }
        if !way.contains(&turn) {
            way.push(turn);
        }
    }
    way
}
