//! What a source of work is.

use std::time::Duration;

use crate::run::seen::Seen;
use crate::strategy::Task;

/// The two sides of a search. How time is divided between them is decided before anything else: [`super::sides`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Mutation,
    Symbolic,
}

impl Side {
    pub const ALL: [Side; 2] = [Side::Mutation, Side::Symbolic];

    pub fn name(self) -> &'static str {
        match self {
            Side::Mutation => "mutation",
            Side::Symbolic => "symbolic",
        }
    }
}

/// When a source that has something to do has its turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Turns {
    /// At once.
    First,
    /// A share of its side's time: more where it finds more, within these bounds. The sum of the least shares of a side is
    /// below 1, so that nobody starves.
    Shared { least: f64, most: f64 },
    /// A share of all time, before it is divided between the sides: [`super::focus`].
    OfWhole,
    /// Where nobody else of its side has anything to do.
    Spare,
}

/// What a source may look at when it is asked.
pub struct View<'a> {
    /// What runs have done.
    pub seen: &'a Seen,
    /// Since the search began.
    pub now: Duration,
}

/// What a task took, and what came of it.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Spent {
    pub seconds: f64,
    pub n_runs: u64,
    /// Branches that no run had taken before.
    pub n_branches: u64,
    /// Tests that are new to mutation, whoever made them.
    pub n_tests: u64,
    /// Directions of conditions that no followed run had taken before.
    pub n_directions: u64,
}

/// A new test counts as so many new branches.
const WORTH_OF_TEST: f64 = 0.1;
/// A direction that was followed for the first time: questions can go on from there.
const WORTH_OF_DIRECTION: f64 = 0.2;

impl Spent {
    pub fn add(&mut self, other: Spent) {
        self.seconds += other.seconds;
        self.n_runs += other.n_runs;
        self.n_branches += other.n_branches;
        self.n_tests += other.n_tests;
        self.n_directions += other.n_directions;
    }

    /// What it found, in branches.
    pub fn found(&self) -> f64 {
        self.n_branches as f64 + self.n_tests as f64 * WORTH_OF_TEST
    }

    /// What it found, or made known for questions.
    pub fn learnt(&self) -> f64 {
        self.found() + self.n_directions as f64 * WORTH_OF_DIRECTION
    }
}

/// Somebody who has work for the search.
///
/// # A new source
///
/// 1. A file in `schedule/sources` and its line in the list of [`super::sources`]: it is charged, credited, shown and
///    resumed as all others are. One whose jobs are ready proposes [`Task::Run`], as `words.rs` does.
/// 2. One that has to make its jobs needs a variant of [`Task`], with its arms in `do_task` of the explorer and in
///    `Work::of`, and a method in `explorer`, as `stretches.rs` there is. A source does not see the corpus: it is told of new
///    tests (`Stretches::note`), and keeps what it wants of them.
/// 3. Inputs with a name of their own need an `Origin`, a `Maker` of gimlet-report and a word in `docs/summary.md`.
///
/// Some day it has nothing to do any more, or no search ends ([`is_ready`](Source::is_ready)). The least shares of a side stay
/// below 1, which a test in `schedule/tests.rs` checks.
pub trait Source {
    /// What users know it by.
    fn name(&self) -> &'static str;

    fn side(&self) -> Side {
        Side::Symbolic
    }

    fn turns(&self, view: &View) -> Turns;

    /// A long task is made up for: others have their turns first. Not longer than so many seconds of the side's time.
    fn most_ahead(&self) -> f64 {
        60.0
    }

    /// Whether it has something to do.
    fn is_ready(&self) -> bool {
        self.n_waiting() > 0
    }

    /// Inputs, runs and questions that wait here.
    fn n_waiting(&self) -> usize;

    /// What it wants now; `None` if it finds that there is nothing.
    fn next(&mut self, view: &View) -> Option<Task>;

    /// What its last task took.
    fn spent(&mut self, _spent: &Spent) {}
}
