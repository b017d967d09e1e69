//! Parts of the search that other workers have handed over ([`crate::team::handoff`]): they wait for what comes of them.

use std::collections::VecDeque;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::job::Job;
use crate::strategy::Task;

pub struct Handoff {
    jobs: VecDeque<Job>,
}

impl Handoff {
    pub fn new(_: &Needs) -> Handoff {
        Handoff { jobs: VecDeque::new() }
    }

    pub fn add(&mut self, job: Job) {
        self.jobs.push_back(job);
    }
}

impl Source for Handoff {
    fn name(&self) -> &'static str {
        "handoff"
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
