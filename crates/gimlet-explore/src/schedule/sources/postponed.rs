//! Questions about runs that took too long together: what was not asked any more.

use std::collections::VecDeque;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::job::RunId;
use crate::strategy::{Flip, Task};

/// Flips that are remembered, 32 bytes each.
const N_FLIPS_MAX: usize = 500_000;

pub struct Postponed {
    /// By run, the first one first.
    runs: VecDeque<(RunId, Vec<Flip>)>,
    n_flips: usize,
}

impl Postponed {
    pub fn new(_: &Needs) -> Postponed {
        Postponed { runs: VecDeque::new(), n_flips: 0 }
    }

    /// Remembers what was not asked any more; the last of it is forgotten where that is too much: gives how much.
    pub fn add(&mut self, run: RunId, mut flips: Vec<Flip>) -> u64 {
        let n_room = N_FLIPS_MAX.saturating_sub(self.n_flips);
        let n_forgotten = flips.len().saturating_sub(n_room) as u64;
        flips.truncate(n_room);
        flips.shrink_to_fit();
        if !flips.is_empty() {
            self.n_flips += flips.len();
            self.runs.push_back((run, flips));
        }
        n_forgotten
    }
}

impl Source for Postponed {
    fn name(&self) -> &'static str {
        "postponed"
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::Shared { least: 0.05, most: 0.5 }
    }

    fn n_waiting(&self) -> usize {
        self.runs.len()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        let (run, flips) = self.runs.pop_front()?;
        self.n_flips -= flips.len();
        Some(Task::Expand { run, flips })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::needs;
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut postponed = Postponed::new(&needs());
        let flips = |n: usize| (0..n).map(|step| Flip { step, direction: None }).collect::<Vec<_>>();
        assert_eq!(postponed.add(1, flips(N_FLIPS_MAX - 1)), 0);
        assert_eq!((postponed.add(2, flips(3)), postponed.add(3, flips(1)), postponed.n_waiting()), (2, 1, 2));
    }
}
