//! Inputs that are made and run at native speed: mutants of tests, or for a strategy that learns nothing from a run, inputs
//! that are drawn without a look at the program.

use super::super::source::{Side, Source, Spent, Turns, View};
use super::super::Needs;
use crate::strategy::Task;

pub struct Native {
    draws: bool,
    /// False once there was nothing to make any of.
    has_any: bool,
}

impl Native {
    pub fn new(needs: &Needs) -> Native {
        Native { draws: needs.plan.draws, has_any: needs.plan.draws || needs.plan.mutates }
    }
}

impl Source for Native {
    fn name(&self) -> &'static str {
        if self.draws {
            "drawn"
        } else {
            "mutants"
        }
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
        self.has_any.then_some(if self.draws { Task::Draw } else { Task::Mutate })
    }

    fn spent(&mut self, spent: &Spent) {
        // What was made may all have been made before.
        self.has_any &= spent.n_runs > 0 || spent.n_tests > 0;
    }
}
