//! Parts of the search that other workers have handed over ([`crate::gifts`]): they wait for what comes of them.

use std::collections::VecDeque;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::job::Job;
use crate::strategy::Task;

pub struct Gifts {
    jobs: VecDeque<Job>,
}

impl Gifts {
    pub fn new(_: &Needs) -> Gifts {
        Gifts { jobs: VecDeque::new() }
    }

    pub fn add(&mut self, job: Job) {
        self.jobs.push_back(job);
    }
}

impl Source for Gifts {
    fn name(&self) -> &'static str {
        "gifts"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::First
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len()
    }

    /// The last first, as depth first search has what it makes itself.
    fn next(&mut self, _: &View) -> Option<Task> {
        self.jobs.pop_back().map(Task::Run)
    }
}
