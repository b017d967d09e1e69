//! What the tasks of a search take, and what comes of them.

use std::time::Duration;

use gimlet_trace::event::TallyKind;
use gimlet_trace::shm::stop;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Trace;

use super::diverge::lost;
use super::Explorer;
use crate::run::job::Origin;
use crate::schedule::Spent;
use crate::time::clock::WorkDone;

/// What was counted at some time.
pub(super) struct Tallied {
    at: Duration,
    /// Spent on looks at runs that met a limit: nobody is charged for these.
    looking: Duration,
    work: WorkDone,
    n_branches: u64,
    n_tests: u64,
    n_directions: u64,
}

impl Tallied {
    /// What was spent since.
    pub(super) fn since(&self, before: &Tallied, is_repeatable: bool) -> Spent {
        let n_runs = self.work.n_runs - before.work.n_runs;
        let spent = if is_repeatable {
            self.work.time() - before.work.time()
        } else {
            (self.at - before.at).saturating_sub(self.looking - before.looking)
        };
        let seconds = spent.as_secs_f64();
        let (n_branches, n_tests) = (self.n_branches - before.n_branches, self.n_tests - before.n_tests);
        let n_directions = self.n_directions - before.n_directions;
        Spent { seconds, n_runs, n_branches, n_tests, n_directions }
    }
}

impl Explorer {
    /// Counts what a run lost, and what else makes it doubtful. Gives the first losses to objects that are not instrumented.
    pub(super) fn count(&mut self, trace: &Trace, origin: &Origin) -> Vec<String> {
        let mut first = Vec::new();
        for tally in &trace.tallies {
            if tally.kind == TallyKind::Pin as u16 {
                self.known.counts.lost.pins += tally.count;
                continue;
            }
            self.known.counts.lost.dependencies += tally.count;
            let loss = self.runner.objects.lost(trace, tally);
            if let Some(loss) = loss.as_ref().filter(|loss| !self.known.losses.contains_key(*loss)) {
                first.push(loss.clone());
            }
            *self.known.losses.entry(loss.unwrap_or_else(|| lost(trace, tally))).or_default() += tally.count;
        }
        let is_cut = trace.stops & !(stop::ASSUMPTION | stop::REACHED_ERROR) != 0;
        self.known.counts.lost.dropped += u64::from(is_cut || trace.forks != 0);
        let is_stopped = match trace.outcome {
            Outcome::TimedOut(_) | Outcome::OutOfMemory(_) => true,
            Outcome::Signalled(signal) => [libc::SIGKILL, libc::SIGXFSZ].contains(&signal),
            _ => false,
        };
        self.known.counts.lost.stopped += u64::from(is_stopped);
        self.known.counts.optimistic += u64::from(matches!(origin, Origin::Optimistic { .. }));
        first
    }

    pub(super) fn tally(&self) -> Tallied {
        Tallied {
            at: self.now(),
            looking: self.runner.looking,
            work: self.work(),
            n_branches: self.coverage().0,
            n_tests: self.makers.mutation.as_ref().map_or(0, |mutation| mutation.breeder.n_tests() as u64),
            n_directions: self.known.seen.n_branches() as u64,
        }
    }
}
