//! How it goes, and time that does not count.

use super::{Explorer, Totals, Watcher};
use crate::mutation::Mutation;
use crate::snapshot::{Found, Snapshot};

impl Explorer {
    /// How it goes here, without findings.
    pub(crate) fn figures(&self) -> Snapshot {
        let (n_covered, n_branches) = self.coverage();
        Snapshot {
            elapsed: self.elapsed(),
            left: self.settings.budget.map(|budget| budget.saturating_sub(self.now())),
            since_new: self.now().saturating_sub(self.time.last_new),
            counts: self.known.counts.clone(),
            tests: self.known.corpus.tests_by_maker(),
            n_paths: self.known.seen.n_paths() as u64,
            n_covered,
            n_branches,
            queries: self.queries(),
            made_by: self.scheduler.made_by,
            n_waiting: self.n_waiting() as u64,
            stability: self.scheduler.mutation.as_ref().map(Mutation::stability),
            findings: Vec::new(),
        }
    }

    /// The same with what other workers have counted.
    pub(crate) fn total_figures(&self) -> Snapshot {
        let Totals { counts, queries, made_by, n_paths, n_waiting, .. } = self.totals();
        let (n_paths, n_waiting) = (n_paths as u64, n_waiting as u64);
        Snapshot { counts, queries, made_by, n_paths, n_waiting, ..self.figures() }
    }

    /// How it goes, for all workers.
    pub fn snapshot(&self) -> Snapshot {
        let found = |finding| Found { n_runs: self.n_runs(finding), ..Found::from(finding) };
        Snapshot { findings: self.known.findings.all.iter().map(found).collect(), ..self.total_figures() }
    }

    /// Lets somebody see how it goes. If that takes its time, it is at the user's wish: no clock has seen it.
    pub(super) fn show(&mut self, watcher: &mut dyn Watcher) {
        let waited = watcher.progress(self);
        self.time.clock.wait(waited);
    }

    /// A test or finding is kept.
    pub(super) fn note_kept(&mut self) {
        let now = self.now();
        (self.time.last_new, self.time.last_kept) = (now, now);
    }
}
