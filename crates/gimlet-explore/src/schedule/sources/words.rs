//! Inputs with a word in place of a text that was compared with it.

use std::collections::VecDeque;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::job::Job;
use crate::strategy::Task;

pub struct Words {
    jobs: VecDeque<Job>,
}

impl Words {
    pub fn new(_: &Needs) -> Words {
        Words { jobs: VecDeque::new() }
    }

    pub fn add(&mut self, job: Job) {
        self.jobs.push_back(job);
    }
}

impl Source for Words {
    fn name(&self) -> &'static str {
        "words"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::Shared { least: 0.06, most: 0.6 }
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.jobs.pop_front().map(Task::Run)
    }
}
