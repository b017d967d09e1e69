//! What time it is for the search.

use std::time::{Duration, Instant};

use super::{Explorer, Settings};
use crate::clock::{self, Work};

impl Settings {
    /// Whether how long something takes may decide what is done.
    pub(crate) fn is_timed(&self) -> bool {
        self.steps.is_none() && self.clock == clock::Kind::Wall
    }
}

impl Explorer {
    /// What was done so far.
    pub(super) fn work(&self) -> Work {
        Work { n_runs: self.counts.executions, n_mutants: self.counts.mutants, n_queries: self.queries().n_total }
    }

    /// The time since the search began.
    pub(super) fn now(&self) -> Duration {
        self.clock.now(|| self.work())
    }

    /// When the budget is over, if a clock tells while a step goes on.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.clock.deadline(self.settings.budget?)
    }

    pub(super) fn is_timed(&self) -> bool {
        self.settings.is_timed()
    }
}
