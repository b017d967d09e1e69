//! What time it is for the search.

use std::time::{Duration, Instant};

use gimlet_report::note::Phases;

use super::{Explorer, Settings};
use crate::time::alarm::Alarm;
use crate::time::clock::{self, Clock, WorkDone};

/// When a search began, and when something last came of it.
pub(super) struct Time {
    /// Ends the search in time.
    pub alarm: Option<Alarm>,
    pub clock: Clock,
    /// When the last new path was found.
    pub last_new: Duration,
    /// When the last test or finding was kept.
    pub last_kept: Duration,
    /// What earlier searches have used.
    pub earlier: Duration,
    pub n_earlier_runs: u64,
    /// What the time of symbolic execution went to, here and in earlier searches.
    pub symbolic: Phases,
    /// When the counters are noted again.
    pub next_progress: Instant,
}

impl Time {
    pub fn new(clock: clock::Kind) -> Time {
        Time {
            alarm: None,
            clock: Clock::new(clock),
            last_new: Duration::ZERO,
            last_kept: Duration::ZERO,
            earlier: Duration::ZERO,
            n_earlier_runs: 0,
            symbolic: Phases::default(),
            next_progress: Instant::now(),
        }
    }
}

impl Settings {
    /// Whether how long something takes may decide what is done.
    pub(crate) fn is_timed(&self) -> bool {
        self.stop.steps.is_none() && self.stop.clock.unwrap_or_default() == clock::Kind::Wall
    }
}

impl Explorer {
    /// What was done so far.
    pub(super) fn work(&self) -> WorkDone {
        WorkDone {
            n_runs: self.known.counts.executions,
            n_mutants: self.known.counts.mutants,
            n_queries: self.asker.n_timed_queries(self.scheduler.sources.hard.n_again()),
        }
    }

    /// The time since the search began.
    pub(super) fn now(&self) -> Duration {
        self.time.clock.now(|| self.work())
    }

    /// When the budget is over, if a clock tells while a step goes on.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.time.clock.deadline(self.settings.stop.budget?)
    }

    pub(super) fn is_timed(&self) -> bool {
        self.settings.is_timed()
    }
}
