//! Runs that ended as none should: what is wrong, whether it is known, whether the plain build does the same.

use std::time::Instant;

use gimlet_exec::error::describe;
use gimlet_exec::locate::locate;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use super::{Explorer, Watcher};
use crate::error::ExploreError;
use crate::findings::{self, Finding};
use crate::job::{Origin, RunId};

/// Times as long as others a run may take that is looked at.
const LEISURE: u64 = 5;

/// A run that ended as none should.
pub(super) struct BadEnd<'a> {
    pub input: &'a Input,
    pub outcome: Outcome,
    /// What is known of where it was: runs with the same are taken for the same.
    pub last_seen: u64,
    pub origin: Origin,
    /// On the instrumented build.
    pub run: Option<RunId>,
}

impl Explorer {
    /// Finds out what is wrong, whether it is known, and whether the plain build does the same.
    pub(super) fn examine(&mut self, end: BadEnd, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let BadEnd { input, outcome, last_seen, origin, run } = end;
        if !self.triage.is_worth_a_look(outcome, last_seen) {
            return Ok(());
        }
        let program = self.settings.plain.clone().unwrap_or_else(|| self.target.program().to_owned());
        let mut options = self.options.clone();
        if matches!(outcome, Outcome::Signalled(_)) {
            // Whether it crashes is asked here, not whether it is fast while somebody looks.
            options.limits.timeout_ms *= LEISURE;
        }
        let crash = locate(&program, &self.args, input, &options)?;
        if crash.frames.is_empty() && same_end(crash.outcome, outcome) && self.triage.is_known(outcome, last_seen) {
            // It was too fast to be looked at, and is most likely what was found there before.
            return Ok(());
        }
        let is_confirmed = same_end(crash.outcome, outcome);
        let kind = findings::kind_of(&gimlet_exec::locate::Crash { outcome, ..crash.clone() });
        let signature = findings::signature(kind, &crash.frames);
        if !is_confirmed && matches!(outcome, Outcome::TimedOut(_) | Outcome::OutOfMemory(_)) {
            // The labels cost time and memory; without them it keeps within its limits.
            return Ok(());
        }
        if let Some(known) = self.findings.get(signature) {
            known.n_runs += 1;
            if is_confirmed && (!known.is_confirmed || input.len() < known.input.len()) {
                (known.input, known.is_confirmed) = (input.clone(), true);
                self.corpus.found(signature, known, run);
            } else {
                self.corpus.found_again(known);
            }
            return Ok(());
        }
        let id = self.findings.all.len();
        let story = self.corpus.story(origin, self.moment());
        let signal = if let Outcome::Signalled(signal) = outcome { Some(signal) } else { None };
        let path = self.corpus.finding_path(kind, id, signal, input, &story);
        let finding = Finding {
            id,
            kind,
            frame: findings::culprit(&crash.frames).cloned(),
            stack: crash.frames,
            is_confirmed,
            input: input.clone(),
            path,
            n_runs: 1,
            ended: describe(outcome),
        };
        watcher.found(&finding);
        self.corpus.found(signature, &finding, run);
        self.findings.add(signature, finding);
        self.last_new = Instant::now();
        Ok(())
    }
}

/// Whether two builds end alike. A limit of time or memory may be met by one and not quite by the other.
fn same_end(plain: Outcome, instrumented: Outcome) -> bool {
    match (plain, instrumented) {
        (Outcome::TimedOut(_), Outcome::TimedOut(_)) | (Outcome::OutOfMemory(_), Outcome::OutOfMemory(_)) => true,
        (plain, instrumented) => plain == instrumented,
    }
}
