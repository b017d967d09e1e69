//! Sentences that are made of the grammar alone.

use super::super::source::{Source, Spent, Turns, View};
use super::super::Needs;
use crate::strategy::Task;

/// So many turns without anything new are enough, where nothing else has come either.
const N_IDLE: usize = 200;

pub struct Sentences {
    /// Whether there are to be any.
    is_wanted: bool,
    /// Turns since anything was new.
    n_idle: usize,
}

impl Sentences {
    pub fn new(needs: &Needs) -> Sentences {
        Sentences { is_wanted: needs.plan.only_sentences, n_idle: 0 }
    }

    /// Something new came, from wherever: others may come of it.
    pub fn wake(&mut self) {
        self.n_idle = 0;
    }
}

impl Source for Sentences {
    fn name(&self) -> &'static str {
        "sentences"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::Shared { least: 0.02, most: 0.2 }
    }

    fn is_ready(&self) -> bool {
        self.is_wanted && self.n_idle < N_IDLE
    }

    fn n_waiting(&self) -> usize {
        0
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.is_ready().then_some(Task::Grow)
    }

    fn spent(&mut self, _: &Spent) {
        self.n_idle += 1;
    }
}
