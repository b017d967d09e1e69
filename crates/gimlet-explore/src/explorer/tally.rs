//! What the tasks of a search take, and what comes of them.

use std::time::Instant;

use gimlet_trace::event::TallyKind;
use gimlet_trace::shm::stop;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Trace;

use super::diverge::lost;
use super::Explorer;
use crate::job::Origin;
use crate::strategy::Spent;

/// What was counted at some time.
pub(super) struct Tallied {
    at: Instant,
    n_runs: u64,
    n_mutants: u64,
    n_queries: u64,
    n_branches: u64,
    n_tests: u64,
}

/// Seconds that a mutant, a traced run and a question are taken to last, where the clock must not decide.
const MUTANT_SECONDS: f64 = 0.0005;
const TRACE_SECONDS: f64 = 0.01;
const QUERY_SECONDS: f64 = 0.001;

impl Tallied {
    /// What was spent since.
    pub(super) fn since(&self, before: &Tallied, is_repeatable: bool) -> Spent {
        let n_runs = self.n_runs - before.n_runs;
        let n_mutants = self.n_mutants - before.n_mutants;
        let seconds = if is_repeatable {
            n_mutants as f64 * MUTANT_SECONDS
                + (n_runs - n_mutants) as f64 * TRACE_SECONDS
                + self.n_queries.saturating_sub(before.n_queries) as f64 * QUERY_SECONDS
        } else {
            (self.at - before.at).as_secs_f64()
        };
        let (n_branches, n_tests) = (self.n_branches - before.n_branches, self.n_tests - before.n_tests);
        Spent { seconds, n_runs, n_branches, n_tests }
    }
}

impl Explorer {
    /// Counts what a run lost, and what else makes it doubtful. Gives the first losses to objects that are not instrumented.
    pub(super) fn count(&mut self, trace: &Trace, origin: &Origin) -> Vec<String> {
        let mut first = Vec::new();
        for tally in &trace.tallies {
            if tally.kind == TallyKind::Pin as u16 {
                self.counts.pins += tally.count;
                continue;
            }
            self.counts.losses += tally.count;
            let loss = self.objects.lost(trace, tally);
            if let Some(loss) = loss.as_ref().filter(|loss| !self.losses.contains_key(*loss)) {
                first.push(loss.clone());
            }
            *self.losses.entry(loss.unwrap_or_else(|| lost(trace, tally))).or_default() += tally.count;
        }
        let is_cut = trace.stops & !(stop::ASSUMPTION | stop::REACHED_ERROR) != 0;
        self.counts.dropped += u64::from(is_cut || trace.forks != 0);
        let is_stopped = match trace.outcome {
            Outcome::TimedOut(_) | Outcome::OutOfMemory(_) => true,
            Outcome::Signalled(signal) => [libc::SIGKILL, libc::SIGXFSZ].contains(&signal),
            _ => false,
        };
        self.counts.stopped += u64::from(is_stopped);
        self.counts.optimistic += u64::from(matches!(origin, Origin::Optimistic { .. }));
        first
    }

    pub(super) fn tally(&self) -> Tallied {
        Tallied {
            at: Instant::now(),
            n_runs: self.counts.executions,
            n_mutants: self.counts.mutants,
            n_queries: self.queries().n_total,
            n_branches: self.coverage().0,
            n_tests: self.mutation.as_ref().map_or(0, |mutation| mutation.breeder.n_tests() as u64),
        }
    }
}
