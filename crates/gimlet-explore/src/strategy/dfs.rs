//! Depth first over the tree of paths, as CUTE: the deepest flip of the last run comes next. Nothing is left out, and no
//! path comes twice, because a run looks only at the steps behind the one that it was made for.

use super::{Flip, Priority, Ran, Strategy, Task};
use crate::run::job::{Job, RunId};
use crate::run::seen::Seen;

/// What waits, the next one last.
#[derive(Default)]
pub struct Dfs {
    jobs: Vec<Job>,
    /// Runs with their flips, the last one last. There are several only where an earlier search left them.
    runs: Vec<(RunId, Vec<Flip>)>,
}

impl Strategy for Dfs {
    fn offer(&mut self, job: Job, _: Priority) {
        self.jobs.push(job);
    }

    fn ran(&mut self, ran: &Ran, _seen: &Seen) {
        let flips: Vec<Flip> = ran.flips().collect();
        if !flips.is_empty() {
            self.runs.push((ran.run, flips));
        }
    }

    fn next(&mut self, _seen: &Seen) -> Option<Task> {
        match self.runs.pop() {
            Some((run, flips)) => Some(Task::Expand { run, flips }),
            None => self.jobs.pop().map(Task::Run),
        }
    }

    /// The first of several: it has most of the tree before it. What is excluded there stays here.
    fn spare(&mut self) -> Option<Job> {
        let first = self.jobs.iter().position(|job| job.visited.is_empty())?;
        (self.jobs.len() > 1).then(|| self.jobs.remove(first))
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len() + self.runs.len()
    }
}
