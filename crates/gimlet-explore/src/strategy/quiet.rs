//! No questions: inputs are run in the order in which they come.

use std::collections::VecDeque;

use super::{Priority, Ran, Strategy, Task};
use crate::run::job::Job;
use crate::run::seen::Seen;

#[derive(Default)]
pub struct Quiet {
    jobs: VecDeque<Job>,
}

impl Strategy for Quiet {
    fn offer(&mut self, job: Job, _: Priority) {
        self.jobs.push_back(job);
    }

    fn ran(&mut self, _: &Ran, _: &Seen) {}

    fn next(&mut self, _: &Seen) -> Option<Task> {
        self.jobs.pop_front().map(Task::Run)
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len()
    }
}
