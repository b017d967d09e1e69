//! Mutants of tests, at native speed.

use super::super::source::{Side, Source, Spent, Turns, View};
use super::super::Needs;
use crate::strategy::Task;

pub struct Mutants {
    /// False once there was nothing to mutate.
    has_any: bool,
}

impl Mutants {
    pub fn new(needs: &Needs) -> Mutants {
        Mutants { has_any: needs.plan.mutates }
    }
}

impl Source for Mutants {
    fn name(&self) -> &'static str {
        "mutants"
    }

    fn side(&self) -> Side {
        Side::Mutation
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::Shared { least: 0.5, most: 1.0 }
    }

    fn is_ready(&self) -> bool {
        self.has_any
    }

    fn n_waiting(&self) -> usize {
        0
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.has_any.then_some(Task::Mutate)
    }

    fn spent(&mut self, spent: &Spent) {
        self.has_any &= spent.n_runs > 0 || spent.n_tests > 0;
    }
}
