//! Directions that nobody took, and that are impossible where they were asked for: other sentences may lead there.
//!
//! What a program does with a number can hang on a word beside it that no branch ever asks for: a parser's action chose a
//! factor, and all that is left of the word is that factor in what is computed. So no flip leads to another one. Such a
//! *goal* remembers the way on which it was impossible. What is near the texts that it is about is said in other words
//! ([`gimlet_grammar::edit::rephrase`]), and each of these sentences is led along the same way again, as far as it can be, with
//! one flip after the other. That takes a few runs each; they are no part of the search beside it, unless one takes a
//! branch that nobody took before.

use std::collections::VecDeque;

use gimlet_joint::Tokens;
use gimlet_path::Direction;
use gimlet_trace::Input;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::ask::expand::Followed;
use crate::run::job::RunId;
use crate::run::seen::Seen;
use crate::run::walk::{hash, Level, Walk};
use crate::strategy::{Flip, Ordered, Task};

/// One of so many turns is for goals that others have reached.
const N_TURNS: usize = 4;
/// Goals that wait.
const N_GOALS_MAX: usize = 128;
/// Ways on which a direction is pursued, and how many of its last steps are known.
const N_WAYS: u32 = 8;
const N_STEPS: usize = 8;

/// A direction at a site.
pub type Turn = (u64, Direction);

pub struct Goal {
    pub run: RunId,
    /// The wanted turn, and those that the run took before, the last first, as far as texts decide them.
    pub way: Vec<Turn>,
    /// What the run computed for its turns.
    pub computed: FxHashSet<u64>,
    pub input: Input,
    /// The tokens whose texts decide whether it can be reached.
    pub tokens: Vec<u32>,
    /// Texts that are still to be tried; none if nobody has made them.
    pub kin: Option<VecDeque<Vec<u8>>>,
    /// Questions about it that no solver answered.
    pub n_too_hard: usize,
    /// One of them came there, or it is given up.
    pub is_over: bool,
}

#[derive(Default)]
pub struct Goals {
    goals: VecDeque<Goal>,
    /// By direction: how many goals there were.
    n_ways: FxHashMap<Turn, u32>,
    /// Directions with their contexts.
    contexts: FxHashSet<(Turn, u64)>,
    n_turns: usize,
}

impl Goals {
    pub fn new(_: &Needs) -> Goals {
        Goals::default()
    }

    /// Whether a direction is worth it: nobody took it, and not too much has been tried, nothing in the same context.
    pub fn is_wanted(&mut self, wanted: Turn, context: u64, seen: &Seen) -> bool {
        if self.goals.len() >= N_GOALS_MAX || is_reached(wanted, seen) {
            return false;
        }
        let n_ways = self.n_ways.entry(wanted).or_default();
        let is_wanted = *n_ways < N_WAYS && self.contexts.insert((wanted, context));
        *n_ways += u32::from(is_wanted);
        is_wanted
    }

    pub fn add(&mut self, goal: Goal) {
        self.goals.push_back(goal);
    }

    /// The next goal: at most turns one that nobody has reached. If others have been there since, it was by another way, and
    /// what comes then may depend on it.
    pub fn take(&mut self, seen: &Seen) -> Option<Goal> {
        self.n_turns += 1;
        let wants_reached = self.n_turns.is_multiple_of(N_TURNS);
        let first = self.goals.iter().position(|goal| is_reached(goal.way[0], seen) == wants_reached);
        self.goals.remove(first.unwrap_or(0))
    }

    /// Takes a goal back after some runs.
    pub fn put_back(&mut self, goal: Goal) {
        if !goal.is_over && goal.kin.as_ref().is_none_or(|kin| !kin.is_empty()) {
            self.goals.push_back(goal);
        }
    }
}

impl Source for Goals {
    fn name(&self) -> &'static str {
        "goals"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::Shared { least: 0.2, most: 0.4 }
    }

    fn n_waiting(&self) -> usize {
        self.goals.len()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        (!self.goals.is_empty()).then_some(Task::Goal)
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
        let steps = (0..walk.stops.len()).filter(|&step| tokens.has_texts(step));
        let computed = steps.map(|step| computed(walk, tokens, step)).collect();
        let (run, input, tokens) = (followed.run, followed.trace.input.clone(), tokens.texts_of(step));
        Goal { run, way, computed, input, tokens, kin: None, n_too_hard: 0, is_over: false }
    }

    /// Whether another run came there.
    pub fn is_reached(&self, walk: &Walk, tokens: &Tokens) -> bool {
        let (name, direction) = self.way[0];
        (0..walk.stops.len()).any(|step| {
            let stop = &walk.stops[step];
            let is_there = stop.name(Level::Site) == name && stop.direction == Some(direction);
            is_there && tokens.has_texts(step) && !self.computed.contains(&computed(walk, tokens, step))
        })
    }

    /// The tokens of another run whose texts decide whether the goal is reached, or the last turn before it that it takes.
    pub fn tokens_of(&self, walk: &Walk, tokens: &Tokens) -> Vec<u32> {
        let last = self.way.iter().find_map(|&(name, _)| {
            let is_there = |&step: &usize| walk.stops[step].name(Level::Site) == name && tokens.has_texts(step);
            (0..walk.stops.len()).rev().find(is_there)
        });
        last.map_or_else(Vec::new, |step| tokens.texts_of(step))
    }

    /// The flip that leads another run towards the goal: where it computes what was not computed before.
    pub fn flip(&self, walk: &Walk, tokens: &Tokens) -> Option<Flip> {
        self.way.iter().find_map(|&(name, direction)| {
            let is_wanted = |&step: &usize| {
                let stop = &walk.stops[step];
                let can_turn = stop.name(Level::Site) == name && stop.others.contains(&direction);
                can_turn && tokens.has_texts(step) && !self.computed.contains(&computed(walk, tokens, step))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::walk::Stop;

    fn goal(site: u64) -> Goal {
        let input = Input::default();
        let (way, computed, tokens) = (vec![(site, Direction::True)], FxHashSet::default(), Vec::new());
        Goal { run: 0, way, computed, input, tokens, kin: None, n_too_hard: 0, is_over: false }
    }

    #[test]
    fn a_direction_is_wanted_once_in_a_context_and_not_for_ever() {
        let (mut goals, mut seen) = (Goals::default(), Seen::default());
        let wanted = |goals: &mut Goals, seen: &Seen, context| goals.is_wanted((7, Direction::True), context, seen);
        assert!(wanted(&mut goals, &seen, 1) && !wanted(&mut goals, &seen, 1));
        let n_wanted = (2..100).filter(|&context| wanted(&mut goals, &seen, context)).count();
        assert_eq!(n_wanted as u32, N_WAYS - 1);
        assert!(goals.is_wanted((8, Direction::True), 1, &seen));
        seen.take(&Stop::of_branch(9, Direction::False, Direction::True), Direction::True);
        assert!(!goals.is_wanted((9, Direction::True), 1, &seen));
    }

    #[test]
    fn what_others_have_reached_has_fewer_turns() {
        let (mut goals, mut seen) = (Goals::default(), Seen::default());
        seen.take(&Stop::of_branch(1, Direction::False, Direction::True), Direction::True);
        [1, 2, 3].into_iter().for_each(|site| goals.add(goal(site)));
        let mut sites = Vec::new();
        for _ in 0..8 {
            let goal = goals.take(&seen).unwrap();
            sites.push(goal.way[0].0);
            goals.put_back(goal);
        }
        assert_eq!(sites, [2, 3, 2, 1, 3, 2, 3, 1]);
        let done = Goal { is_over: true, ..goals.take(&seen).unwrap() };
        goals.put_back(done);
        assert_eq!(goals.n_waiting(), 2);
    }
}
