//! Directions that nobody took, and that are impossible where they were asked for: other sentences may lead there.
//!
//! What a program does with a number can hang on a word beside it that no branch ever asks for: a parser's action chose a
//! factor, and all that is left of the word is that factor in what is computed. So no flip leads to another one. Such a
//! *goal* remembers the way on which it was impossible. What is near the texts that it is about is said in other words
//! ([`gimlet_grammar::rephrase`]), and each of these sentences is led along the same way again, as far as it can be, with
//! one flip after the other. That takes a few runs each; they are no part of the search beside it, unless one takes a
//! branch that nobody took before.

use std::collections::VecDeque;

use gimlet_joint::Tokens;
use gimlet_path::Direction;
use gimlet_trace::Input;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expand::Followed;
use crate::job::RunId;
use crate::seen::Seen;
use crate::strategy::{Flip, Ordered};
use crate::walk::{hash, key, Level, Walk};

/// One of so many runs is for goals.
const PART: u64 = 4;
/// Goals that wait.
const N_GOALS_MAX: usize = 128;
/// Ways on which a direction is pursued, and how many of its last steps are known.
const N_WAYS: u32 = 8;
const N_STEPS: usize = 8;

/// A direction at a site.
pub type Turn = (u64, Direction);

pub struct Goal {
    pub run: RunId,
    pub wanted: Turn,
    /// The wanted turn, and those that the run took before, the last first, as far as texts decide them.
    pub way: Vec<Turn>,
    /// What the run computed for its turns.
    pub computed: FxHashSet<u64>,
    pub input: Input,
    /// The tokens whose texts decide whether it can be reached.
    pub tokens: Vec<u32>,
    /// Texts that are still to be tried; none if nobody has made them.
    pub kin: Option<VecDeque<Vec<u8>>>,
}

#[derive(Default)]
pub struct Pursuits {
    goals: VecDeque<Goal>,
    /// By direction, how many goals there were; and those of each context.
    known: FxHashMap<u64, u32>,
    /// Runs for goals.
    n_runs: u64,
}

impl Pursuits {
    /// Whether a direction is worth it: nobody took it, and not too much has been tried, nothing in the same context.
    pub fn is_wanted(&mut self, wanted: Turn, context: u64, seen: &Seen) -> bool {
        let (name, direction) = wanted;
        if self.goals.len() >= N_GOALS_MAX || is_reached(wanted, seen) {
            return false;
        }
        let goal = key(name, direction);
        let n_ways = self.known.get(&goal).copied().unwrap_or(0);
        if n_ways >= N_WAYS || self.known.contains_key(&(goal ^ context)) {
            return false;
        }
        self.known.insert(goal, n_ways + 1);
        self.known.insert(goal ^ context, 1);
        true
    }

    pub fn add(&mut self, goal: Goal) {
        self.goals.push_back(goal);
    }

    pub fn is_turn(&self, n_runs: u64) -> bool {
        !self.goals.is_empty() && n_runs >= self.n_runs * PART
    }

    /// The next goal that nobody has reached.
    pub fn take(&mut self, seen: &Seen) -> Option<Goal> {
        self.goals.retain(|goal| !is_reached(goal.wanted, seen));
        self.goals.pop_front()
    }

    /// Takes a goal back after some runs.
    pub fn put_back(&mut self, goal: Goal, n_runs: u64) {
        self.n_runs += n_runs;
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

impl Goal {
    /// A direction that is impossible at a step of a run.
    pub fn new(followed: &Followed, tokens: &Tokens, step: usize, direction: Direction) -> Goal {
        let walk = &followed.walk;
        let wanted = (walk.stops[step].name(Level::Site), direction);
        let mut way = vec![wanted];
        for earlier in (0..step).rev().filter(|&earlier| tokens.has_texts(earlier)) {
            let stop = &walk.stops[earlier];
            let turn = stop.direction.map(|direction| (stop.name(Level::Site), direction));
            way.extend(turn.filter(|turn| !way.contains(turn)));
            if way.len() > N_STEPS {
                break;
            }
        }
        let computed = (0..walk.stops.len()).map(|step| computed(walk, tokens, step)).collect();
        let (run, input, tokens) = (followed.run, followed.trace.input.clone(), tokens.texts_of(step));
        Goal { run, wanted, way, computed, input, tokens, kin: None }
    }

    /// The flip that leads another run towards the goal: where it computes what was not computed before.
    pub fn flip(&self, walk: &Walk, tokens: &Tokens) -> Option<Flip> {
        self.way.iter().find_map(|&(name, direction)| {
            let is_wanted = |&step: &usize| {
                let stop = &walk.stops[step];
                let can_turn = stop.name(Level::Site) == name && stop.others.contains(&direction);
                can_turn && !self.computed.contains(&computed(walk, tokens, step))
            };
            let step = (0..walk.stops.len()).rev().find(is_wanted)?;
            Some(Flip { step, direction: Some(Ordered(direction)) })
        })
    }
}

/// What a run computes for a turn.
fn computed(walk: &Walk, tokens: &Tokens, step: usize) -> u64 {
    hash(&(walk.stops[step].name(Level::Site), tokens.shape(step)))
}
