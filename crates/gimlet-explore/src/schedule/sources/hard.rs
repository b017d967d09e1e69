//! Questions that were too hard at the first attempt, and how much time they get.
//!
//! A question that no solver answers (a hash that must come out) takes all the time that it is given, and a program has
//! many of them. So they have a small part of the time of asking, each is given little at first, and more only when all
//! others have had theirs. The direction that was asked for in vain least often comes first, and one
//! that was too hard several times has no first attempts any more, whatever run asks for it.

use std::time::Duration;

use rustc_hash::FxHashMap;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::job::RunId;
use crate::run::walk::{key, Level, Walk};
use crate::strategy::{Flip, Ordered, Task};

/// What each attempt may take.
const LIMITS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// After so many first attempts in vain, a direction is taken for a hard one.
const N_FAILURES: u32 = 3;

/// Questions that wait and ask for the same direction.
const N_WAITING_MAX: usize = 64;

/// New ones come all the time: in one of so many turns those with more attempts behind them are first.
const N_TURNS_TO_LATER: usize = 4;

/// The direction that a flip asks for, at its site: what is hard in one run is so in the next.
pub fn name(walk: &Walk, flip: Flip) -> u64 {
    let site = walk.stops[flip.step].name(Level::Site);
    flip.direction.map_or(site, |Ordered(direction)| key(site, direction))
}

/// A question that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HardQuestion {
    pub run: RunId,
    pub flip: Flip,
    pub name: u64,
    /// How often it was asked with patience.
    n_attempts: usize,
}

impl HardQuestion {
    /// How long it may take.
    pub fn limit(&self) -> Duration {
        LIMITS[self.n_attempts.min(LIMITS.len() - 1)]
    }

    pub fn is_first_attempt(&self) -> bool {
        self.n_attempts == 0
    }
}

#[derive(Default, Debug)]
pub struct Hard {
    /// By the number of attempts.
    waiting: [Vec<HardQuestion>; LIMITS.len()],
    /// How often each direction was too hard since there was an answer: at first attempts, and at later ones.
    n_failures: FxHashMap<u64, [u32; 2]>,
    /// How many wait for each direction.
    n_waiting: FxHashMap<u64, usize>,
    n_turns: usize,
    n_again: u64,
}

impl Hard {
    pub fn new(_: &Needs) -> Hard {
        Hard::default()
    }

    /// Adds a question; false if enough wait that ask for the same direction.
    pub fn add(&mut self, run: RunId, flip: Flip, name: u64) -> bool {
        let n_waiting = self.n_waiting.entry(name).or_default();
        let is_wanted = *n_waiting < N_WAITING_MAX;
        if is_wanted {
            *n_waiting += 1;
            self.waiting[0].push(HardQuestion { run, flip, name, n_attempts: 0 });
        }
        is_wanted
    }

    /// Notes whether an attempt had an answer, and whether it was the first at its question.
    pub fn tried(&mut self, name: u64, is_first: bool, has_answer: bool) {
        if has_answer {
            self.n_failures.remove(&name);
        } else {
            self.n_failures.entry(name).or_default()[usize::from(!is_first)] += 1;
        }
    }

    /// Whether a first attempt is in vain, as far as can be told.
    pub fn is_known(&self, name: u64) -> bool {
        self.n_failures(name)[0] >= N_FAILURES
    }

    fn n_failures(&self, name: u64) -> [u32; 2] {
        self.n_failures.get(&name).copied().unwrap_or_default()
    }

    /// Takes back what was not answered in time; returns whether it gets another attempt.
    pub fn add_again(&mut self, asked: HardQuestion) -> bool {
        let n_attempts = asked.n_attempts + 1;
        let Some(waiting) = self.waiting.get_mut(n_attempts) else { return false };
        waiting.push(HardQuestion { n_attempts, ..asked });
        *self.n_waiting.entry(asked.name).or_default() += 1;
        self.n_again += 1;
        true
    }

    /// Attempts that were followed, or will be, by another.
    pub fn n_again(&self) -> u64 {
        self.n_again
    }

    pub fn iter(&self) -> impl Iterator<Item = &HardQuestion> {
        self.waiting.iter().flatten()
    }

    fn take(&mut self) -> Option<HardQuestion> {
        self.n_turns += 1;
        let mut levels: Vec<usize> = (0..LIMITS.len()).filter(|&level| !self.waiting[level].is_empty()).collect();
        if self.n_turns.is_multiple_of(N_TURNS_TO_LATER) {
            levels.reverse();
        }
        let level = *levels.first()?;
        let of_name = |name: u64| self.n_failures(name).into_iter().rev().collect::<Vec<_>>();
        let waiting = self.waiting[level].iter().enumerate();
        let (at, _) = waiting.min_by_key(|(_, asked)| of_name(asked.name))?;
        let asked = self.waiting[level].remove(at);
        if let Some(n_waiting) = self.n_waiting.get_mut(&asked.name) {
            *n_waiting -= 1;
        }
        Some(asked)
    }
}

impl Source for Hard {
    fn name(&self) -> &'static str {
        "hard"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::Shared { least: 0.04, most: 0.2 }
    }

    fn n_waiting(&self) -> usize {
        self.waiting.iter().map(Vec::len).sum()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.take().map(Task::Retry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flip(step: usize) -> Flip {
        Flip { step, direction: None }
    }

    #[test]
    fn each_has_its_first_attempt_before_one_has_its_second() {
        let mut hard = Hard::default();
        hard.add(1, flip(0), 1);
        hard.add(2, flip(0), 2);
        let first = hard.take().unwrap();
        assert_eq!((first.run, first.limit()), (1, LIMITS[0]));
        assert!(hard.add_again(first));
        assert_eq!(hard.n_waiting(), 2);
        assert_eq!(hard.take().unwrap().run, 2);
        let again = hard.take().unwrap();
        assert_eq!((again.run, again.limit(), again.is_first_attempt()), (1, LIMITS[1], false));
        assert!(!hard.add_again(again));
        assert_eq!(hard.n_waiting(), 0);
    }

    #[test]
    fn what_failed_often_comes_last() {
        let mut hard = Hard::default();
        hard.add(1, flip(0), 1);
        hard.add(2, flip(0), 2);
        (1..N_FAILURES).for_each(|_| hard.tried(1, true, false));
        assert!(!hard.is_known(1));
        hard.tried(1, true, false);
        assert!(hard.is_known(1) && !hard.is_known(2));
        assert_eq!(hard.take().unwrap().run, 2);
        hard.tried(1, false, true);
        assert!(!hard.is_known(1));
    }

    #[test]
    fn not_too_many_wait_and_later_attempts_have_their_turn() {
        let mut hard = Hard::default();
        assert!((0..N_WAITING_MAX).all(|step| hard.add(1, flip(step), 1)));
        assert!(!hard.add(1, flip(0), 1) && hard.add(1, flip(0), 2));
        let first = hard.take().unwrap();
        assert!(hard.add_again(first));
        let turns: Vec<bool> = (0..4).map(|_| hard.take().unwrap().is_first_attempt()).collect();
        assert_eq!(turns, [true, true, false, true]);
        assert!(hard.add(1, flip(0), 1));
    }
}
