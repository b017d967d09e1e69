//! The user's inputs: before anything else.

use std::collections::VecDeque;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::job::Job;
use crate::strategy::Task;

pub struct Seeds {
    jobs: VecDeque<Job>,
}

impl Seeds {
    pub fn new(_: &Needs) -> Seeds {
        Seeds { jobs: VecDeque::new() }
    }

    pub fn add(&mut self, job: Job) {
        self.jobs.push_back(job);
    }
}

impl Source for Seeds {
    fn name(&self) -> &'static str {
        "seeds"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::First
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.jobs.pop_front().map(Task::Run)
    }
}
