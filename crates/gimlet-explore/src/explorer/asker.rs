//! Who asks the solver: all chains, and the questions that wait for them.

use std::collections::VecDeque;

use gimlet_exec::watch::Interrupt;
use gimlet_report::Queries;
use gimlet_solver::{Chain, Config};

use super::questions::{patient_config, quick_config};
use super::Settings;
use crate::hard::Hard;
use crate::job::RunId;
use crate::strategy::{Flip, Task};

/// Flips that were put off and are remembered, 32 bytes each.
const N_UNASKED_MAX: usize = 500_000;

/// The chains, each for questions of its own kind.
pub struct Asker {
    /// For the first attempt at a question, with small limits.
    pub(super) chain: Chain,
    /// For what was too hard for that, and where nothing may be left out.
    pub(super) patient: Chain,
    /// For questions without what comes before them.
    pub(super) optimist: Chain,
    /// For tokens and bytes at once.
    pub(super) joint: Chain,
    pub(super) hard: Hard,
    /// Questions about runs that took too long together.
    pub(super) unasked: Unasked,
    /// What earlier searches have asked.
    pub(super) earlier_queries: Queries,
}

impl Asker {
    pub fn new(settings: &Settings, stop: Interrupt) -> Asker {
        Asker {
            chain: Chain::new(quick_config(settings, stop)),
            patient: Chain::new(patient_config(settings, stop)),
            optimist: Chain::new(Config { stop, ..Config::default() }),
            joint: Chain::new(quick_config(settings, stop)),
            hard: Hard::default(),
            unasked: Unasked::default(),
            earlier_queries: Queries::default(),
        }
    }

    /// Questions by which time is counted: those of first and later attempts, each once.
    pub(super) fn n_timed_queries(&self) -> u64 {
        let (first, patient) = (self.chain.stats(), self.patient.stats());
        let n_unknown = (first.n_unknown + patient.n_unknown).saturating_sub(first.n_unknown + self.hard.n_again());
        let n_answered = first.n_sat + first.n_unsat + patient.n_sat + patient.n_unsat;
        n_answered + n_unknown + self.earlier_queries.n_total
    }

    /// Questions that wait.
    pub(super) fn n_waiting(&self) -> usize {
        self.unasked.runs.len() + self.hard.len()
    }
}

/// Questions that were put off, by run.
#[derive(Default)]
pub(super) struct Unasked {
    runs: VecDeque<(RunId, Vec<Flip>)>,
    n_flips: usize,
    is_turn: bool,
}

impl Unasked {
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn take(&mut self) -> Option<Task> {
        let (run, flips) = self.runs.pop_front()?;
        self.n_flips -= flips.len();
        Some(Task::Expand { run, flips })
    }

    /// Remembers what was not asked any more; the last of it is forgotten where that is too much: gives how much.
    pub fn put_off(&mut self, run: RunId, mut flips: Vec<Flip>) -> u64 {
        let n_room = N_UNASKED_MAX.saturating_sub(self.n_flips);
        let n_forgotten = flips.len().saturating_sub(n_room) as u64;
        flips.truncate(n_room);
        flips.shrink_to_fit();
        if !flips.is_empty() {
            self.n_flips += flips.len();
            self.runs.push_back((run, flips));
        }
        n_forgotten
    }

    /// Where the strategy has a question, every second time it is one that was put off.
    pub fn alternate(&mut self, task: Option<Task>) -> Option<Task> {
        match task {
            Some(Task::Expand { run, flips }) if self.is_turn && !self.is_empty() => {
                self.is_turn = false;
                let unasked = self.take();
                // The strategy's own comes next.
                self.n_flips += flips.len();
                self.runs.push_front((run, flips));
                unasked
            }
            Some(task) => {
                self.is_turn |= matches!(task, Task::Expand { .. });
                Some(task)
            }
            None => self.take(),
        }
    }
}
