//! Runs of an earlier search that have something left to ask. They are no tests, and wait until nothing else is left.

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::job::RunId;
use crate::strategy::Task;

pub struct Backlog {
    /// The last one first.
    runs: Vec<RunId>,
}

impl Backlog {
    pub fn new(_: &Needs) -> Backlog {
        Backlog { runs: Vec::new() }
    }

    /// Takes runs, of which the last comes first.
    pub fn fill(&mut self, runs: Vec<RunId>) {
        self.runs = runs;
    }
}

impl Source for Backlog {
    fn name(&self) -> &'static str {
        "backlog"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::Spare
    }

    fn n_waiting(&self) -> usize {
        self.runs.len()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.runs.pop().map(Task::TakeUp)
    }
}
