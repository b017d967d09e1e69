//! Tests that were counted before they were followed: mutants, tests of other lengths, those of other searches. Questions
//! go on from there. Those that brought a branch come first, then short ones, then old ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::source::{Source, Turns, View};
use super::super::Needs;
use crate::run::job::{Job, Origin};
use crate::strategy::Task;

/// One that waits. The greatest comes first.
#[derive(Debug)]
struct Import {
    n_covered: u64,
    len: Reverse<usize>,
    number: Reverse<usize>,
    job: Job,
}

impl Import {
    fn rank(&self) -> (bool, Reverse<usize>, Reverse<usize>) {
        (self.n_covered > 0, self.len, self.number)
    }
}

impl PartialEq for Import {
    fn eq(&self, other: &Import) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Import {}

impl PartialOrd for Import {
    fn partial_cmp(&self, other: &Import) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Import {
    fn cmp(&self, other: &Import) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

pub struct Imports {
    heap: BinaryHeap<Import>,
    n_added: usize,
}

impl Imports {
    pub fn new(_: &Needs) -> Imports {
        Imports { heap: BinaryHeap::new(), n_added: 0 }
    }

    pub fn add(&mut self, job: Job, n_covered: u64) {
        // What is new in a longer test is what the program does about its length, and its path is long.
        let is_longer = matches!(job.origin, Origin::Length { .. });
        let n_covered = if is_longer { n_covered.min(1) } else { n_covered };
        let (len, number) = (Reverse(job.input.len()), Reverse(self.n_added));
        self.n_added += 1;
        self.heap.push(Import { n_covered, len, number, job });
    }

    /// Whether tests wait that brought a branch.
    pub fn has_landmarks(&self) -> bool {
        self.heap.peek().is_some_and(|import| import.n_covered > 0)
    }
}

impl Source for Imports {
    fn name(&self) -> &'static str {
        "imports"
    }

    /// What those that brought a branch do nobody has looked at.
    fn turns(&self, _: &View) -> Turns {
        match self.has_landmarks() {
            true => Turns::Shared { least: 0.08, most: 0.6 },
            false => Turns::Shared { least: 0.03, most: 0.3 },
        }
    }

    fn n_waiting(&self) -> usize {
        self.heap.len()
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.heap.pop().map(|import| Task::Run(import.job))
    }
}
