//! What the tasks of a search take, and what comes of them.

use std::time::Instant;

use super::Explorer;
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
