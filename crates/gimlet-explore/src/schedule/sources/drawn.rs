//! Inputs that are made without a look at the program.

use super::super::source::{Side, Source, Spent, Turns, View};
use super::super::Needs;
use crate::strategy::Task;

pub struct Drawn {
    /// False once there are no more.
    has_any: bool,
}

impl Drawn {
    pub fn new(needs: &Needs) -> Drawn {
        Drawn { has_any: needs.plan.draws }
    }
}

impl Source for Drawn {
    fn name(&self) -> &'static str {
        "drawn"
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
        self.has_any.then_some(Task::Draw)
    }

    fn spent(&mut self, spent: &Spent) {
        self.has_any &= spent.n_runs > 0;
    }
}
