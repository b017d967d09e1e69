//! Tests of others, taken over while the search goes on.

use std::time::Instant;

use gimlet_trace::Input;

use super::cover::Counted;
use super::examine::met_limit;
use super::Explorer;
use crate::corpus::content;
use crate::error::ExploreError;
use crate::run::job::{Job, Origin};
use crate::strategy::Priority;
use crate::team::sync::Imported;

impl Explorer {
    /// Looks for tests of others, if it is time.
    pub(super) fn synchronise(&mut self) -> Result<(), ExploreError> {
        let Some(sync) = self.team.sync.as_mut().filter(|sync| sync.is_due()) else { return Ok(()) };
        let imported = sync.look(&self.settings.given.layout);
        let folder = self.settings.sync.clone().unwrap_or_default();
        for test in imported.map_err(|error| ExploreError::Read { path: folder, error })? {
            let Imported { member, number, input, .. } = test;
            let place = self.known.corpus.member(&member);
            if let Some(input) = input {
                self.import(input, Origin::Sync { member: place, number, n_covered: None })?;
            }
            self.known.corpus.synced(&member, number);
        }
        Ok(())
    }

    /// Takes over a test. Where mutants are counted it is as well, and so is one of another length: it is of no use if it
    /// counts nothing new. One of another length takes some branch more often than any other test, which says little: it
    /// has to take a new one.
    pub(super) fn import(&mut self, input: Input, origin: Origin) -> Result<(), ExploreError> {
        let mut job = Job::of(input, origin);
        let is_resized = matches!(job.origin, Origin::Length { .. });
        let is_counted = self.plan().mutates || is_resized && self.runner.covered.is_some();
        if !is_counted {
            self.offer(job);
            return Ok(());
        }
        if !self.known.corpus.is_new(&job.input) {
            return Ok(());
        }
        let is_enough = if is_resized { |n_new| n_new > 0 } else { |_| true };
        let start = Instant::now();
        let counted = self.count_if(&job.input, is_enough)?;
        self.time.symbolic.counting += start.elapsed().as_secs_f64();
        let Some(counted) = counted else { return Ok(()) };
        // Many a test becomes slow with its length.
        if is_resized && met_limit(counted.run.outcome) {
            if !self.has_time_for_limits() {
                self.known.counts.lost.stopped += 1;
                return Ok(());
            }
            self.runner.looks.insert(content(&job.input));
        }
        let (is_suspicious, Counted { n_new, is_test, .. }) = (counted.is_suspicious(), counted);
        match &mut job.origin {
            Origin::Sync { n_covered, .. } => *n_covered = Some(n_new),
            // What ends badly is looked at first.
            Origin::Length { n_covered, .. } if !is_suspicious => *n_covered = Some(n_new),
            _ => {}
        }
        if is_test || is_resized && n_new > 0 && !is_suspicious {
            self.known.corpus.keep(&job.input, job.origin, self.moment());
            if !is_suspicious {
                self.note_frontiers(&job.input)?;
            }
            self.scheduler.offer(job, Priority::High);
        } else if is_suspicious {
            self.known.corpus.made(&job);
            self.scheduler.offer(job, Priority::High);
        }
        Ok(())
    }
}
