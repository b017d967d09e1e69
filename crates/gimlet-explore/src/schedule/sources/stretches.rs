//! Tests that wait for a stretch ([`crate::explorer`] makes them): those that took a new branch, and others.

use std::collections::VecDeque;
use std::time::Duration;

use gimlet_trace::{Input, SourceKind};
use rustc_hash::FxHashSet;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::walk::hash;
use crate::strategy::Task;

/// So long stretches have half of the time: what is too long is often found at once.
const HEAD_START: Duration = Duration::from_secs(2);
/// Runs of one trial, and its time.
const N_RUNS: usize = 16;
const LONGEST_TRIAL: Duration = Duration::from_millis(250);
/// Tests that wait.
const N_WAITING: usize = 10_000;
/// Longer tests are left alone: a run of them takes long, and says little.
const LEN_MAX: usize = 4096;

/// Tests that wait for a stretch.
#[derive(Default)]
pub struct Stretches {
    /// Whether tests get stretches.
    is_wanted: bool,
    /// Those that took a new branch, which are few, and the rest; they take turns.
    lanes: [Lane; 2],
    /// What is being tried.
    trial: Option<Trial>,
    n_turns: usize,
}

/// Tests of one kind.
#[derive(Default)]
struct Lane {
    /// Those that nothing was tried with, the newest last.
    fresh: Vec<Input>,
    /// Those of which ends of lines are left to try, and others, with the number of tries; each in the order in which they
    /// have their turns.
    ends: VecDeque<(Input, usize)>,
    others: VecDeque<(Input, usize)>,
}

impl Lane {
    /// The next test to ask about, with the number of tries.
    fn next(&mut self, turn: usize) -> Option<(Input, usize)> {
        let (first, second) = if turn.is_multiple_of(2) {
            (&mut self.ends, &mut self.others)
        } else {
            (&mut self.others, &mut self.ends)
        };
        first.pop_front().or_else(|| second.pop_front())
    }

    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.ends.is_empty() && self.others.is_empty()
    }
}

/// One choice of stretches in a test.
pub struct Trial {
    /// Inputs that came of it by other lengths, and by other units, which take turns; the newest last.
    waiting: [Vec<Input>; 2],
    /// Hashes of all that waited.
    known: FxHashSet<u64>,
    /// Paths that were taken.
    paths: FxHashSet<u64>,
    n_runs: usize,
    spent: Duration,
}

impl Trial {
    pub fn new(input: Input) -> Trial {
        let known = FxHashSet::from_iter([hash(&input)]);
        Trial {
            waiting: [vec![input], Vec::new()],
            known,
            paths: FxHashSet::default(),
            n_runs: 0,
            spent: Duration::ZERO,
        }
    }

    pub fn next_input(&mut self) -> Option<Input> {
        let turn = self.n_runs % 2;
        self.n_runs += 1;
        self.waiting[turn].pop().or_else(|| self.waiting[1 - turn].pop())
    }

    /// Whether a path is new to it.
    pub fn is_new_path(&mut self, path: u64) -> bool {
        self.paths.insert(path)
    }

    /// Takes in an input that came of it by other lengths, or by other units; whether it is new.
    pub fn add(&mut self, input: &Input, by_units: bool) -> bool {
        let is_new = self.known.insert(hash(input));
        if is_new {
            self.waiting[usize::from(by_units)].push(input.clone());
        }
        is_new
    }

    pub fn took(&mut self, elapsed: Duration) {
        self.spent += elapsed;
    }

    fn is_over(&self) -> bool {
        self.waiting.iter().all(Vec::is_empty) || self.n_runs == N_RUNS || self.spent >= LONGEST_TRIAL
    }
}

/// What a turn is used for.
pub enum StretchTurn {
    /// A test that nothing was tried with.
    Begin { input: Input, lane: usize },
    /// One to ask about, with the number of tries.
    Ask { input: Input, n_tried: usize, lane: usize },
}

impl Stretches {
    pub fn new(needs: &Needs) -> Stretches {
        Stretches { is_wanted: needs.stretches, ..Stretches::default() }
    }

    /// A test is new; it may have taken a branch that nobody took before.
    pub fn note(&mut self, input: &Input, is_landmark: bool) {
        let waiting = &mut self.lanes[usize::from(!is_landmark)].fresh;
        let has_own = input.sources.iter().any(|source| source.kind == SourceKind::Length);
        if self.is_wanted && !has_own && input.len() <= LEN_MAX && waiting.len() < N_WAITING {
            waiting.push(input.clone());
        }
    }

    /// What is being tried, until it is put back.
    pub fn take_trial(&mut self) -> Option<Trial> {
        self.trial.take()
    }

    pub fn put_trial(&mut self, trial: Trial) {
        self.trial = Some(trial).filter(|trial| !trial.is_over());
    }

    /// Takes a test back of which ends of lines are left to try, with the number of tries,
    pub fn put_end(&mut self, lane: usize, input: Input, n_tried: usize) {
        self.lanes[lane].ends.push_back((input, n_tried));
    }

    /// or other places.
    pub fn put_other(&mut self, lane: usize, input: Input, n_tried: usize) {
        self.lanes[lane].others.push_back((input, n_tried));
    }

    /// What is tried next. New branches are looked at first; everything else has turns.
    pub fn next_turn(&mut self) -> Option<StretchTurn> {
        if let Some(input) = self.lanes[0].fresh.pop() {
            return Some(StretchTurn::Begin { input, lane: 0 });
        }
        let turn = self.n_turns;
        self.n_turns += 1;
        (turn..turn + 3).find_map(|kind| match kind % 3 {
            1 => self.lanes[1].fresh.pop().map(|input| StretchTurn::Begin { input, lane: 1 }),
            kind => {
                let lane = kind / 2;
                let (input, n_tried) = self.lanes[lane].next(turn / 3)?;
                Some(StretchTurn::Ask { input, n_tried, lane })
            }
        })
    }

    fn is_idle(&self) -> bool {
        self.trial.is_none() && self.lanes.iter().all(Lane::is_empty)
    }
}

impl Source for Stretches {
    fn name(&self) -> &'static str {
        "stretches"
    }

    fn turns(&self, view: &View) -> Turns {
        match view.now < HEAD_START {
            true => Turns::Shared { least: 0.17, most: 0.6 },
            false => Turns::Shared { least: 0.12, most: 0.3 },
        }
    }

    fn is_ready(&self) -> bool {
        !self.is_idle()
    }

    /// Tests that nothing was tried with, or not everything, and what waits of the trial.
    fn n_waiting(&self) -> usize {
        let lanes = self.lanes.iter().map(|lane| lane.fresh.len() + lane.ends.len() + lane.others.len());
        let of_trial = self.trial.iter().flat_map(|trial| &trial.waiting).map(Vec::len);
        lanes.chain(of_trial).sum()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        (!self.is_idle()).then_some(Task::Stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_branches_come_first_and_nobody_waits_for_ever() {
        let mut stretching = Stretches::default();
        stretching.lanes[0].fresh.push(Input::stdin("branch"));
        stretching.lanes[0].ends.extend((0..9).map(|number| (Input::stdin("end"), number)));
        stretching.lanes[1].fresh.extend((0..9).map(|_| Input::stdin("path")));
        stretching.lanes[1].others.push_back((Input::stdin("other"), 5));
        let mut turns = std::iter::from_fn(|| stretching.next_turn()).map(|turn| match turn {
            StretchTurn::Begin { lane, .. } => (lane, None),
            StretchTurn::Ask { lane, n_tried, .. } => (lane, Some(n_tried)),
        });
        let first: Vec<_> = turns.by_ref().take(4).collect();
        assert_eq!(first, [(0, None), (0, Some(0)), (1, None), (1, Some(5))]);
        assert_eq!(turns.count(), 16);
        assert!(stretching.is_idle());
    }

    #[test]
    fn what_waits_for_a_stretch_is_counted() {
        let mut stretching = Stretches::default();
        assert_eq!(stretching.n_waiting(), 0);
        let input = Input::stdin("x");
        stretching.lanes[0].fresh.push(input.clone());
        stretching.lanes[1].ends.push_back((input.clone(), 1));
        stretching.lanes[1].others.push_back((input.clone(), 2));
        stretching.trial = Some(Trial::new(input));
        assert_eq!(stretching.n_waiting(), 4);
        while stretching.next_turn().is_some() {}
        assert_eq!(stretching.n_waiting(), 1);
    }
}
