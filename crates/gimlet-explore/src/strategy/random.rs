//! A flip of any run, by chance: the measure that others have to beat.

use std::collections::VecDeque;

use gimlet_grammar::chance::Chance;

use super::{Flip, Priority, Ran, Strategy, Task};
use crate::run::job::{Job, RunId};
use crate::run::seen::Seen;

pub struct Random {
    chance: Chance,
    jobs: VecDeque<Job>,
    /// Runs with flips that have not been asked.
    runs: Vec<(RunId, Vec<Flip>)>,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { chance: Chance::new(seed), jobs: VecDeque::new(), runs: Vec::new() }
    }
}

impl Strategy for Random {
    fn offer(&mut self, job: Job, _: Priority) {
        self.jobs.push_back(job);
    }

    fn ran(&mut self, ran: &Ran, _seen: &Seen) {
        let flips: Vec<Flip> = ran.flips().collect();
        if !flips.is_empty() {
            self.runs.push((ran.run, flips));
        }
    }

    fn next(&mut self, _seen: &Seen) -> Option<Task> {
        if let Some(job) = self.jobs.pop_front() {
            return Some(Task::Run(job));
        }
        if self.runs.is_empty() {
            return None;
        }
        let at = self.chance.pick(self.runs.len());
        let (run, flips) = &mut self.runs[at];
        let run = *run;
        let flip = flips.swap_remove(self.chance.pick(flips.len()));
        if flips.is_empty() {
            self.runs.swap_remove(at);
        }
        Some(Task::Expand { run, flips: vec![flip] })
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len() + self.runs.len()
    }
}
