//! Mutants: made, run on the build with counters, and kept if they are new.

use std::time::Duration;

use gimlet_exec::ExecError;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_mutate::Mutant;
use gimlet_report::note;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, SourceKind};

use super::cover::{Covered, Passed};
use super::examine::BadEnd;
use super::{Explorer, Watcher};
use crate::corpus::content;
use crate::error::ExploreError;
use crate::findings;
use crate::run::job::{Job, Origin};
use crate::strategy::Priority;

/// How long mutants are run for at a time; or how many, where the clock must not decide.
const MUTANTS_TURN: Duration = Duration::from_millis(30);
pub(super) const N_MUTANTS_A_TURN: usize = 64;

/// Runs to make a new test shorter, and the first part of it that is left out.
const N_TRIM_RUNS: usize = 48;
const TRIM_PARTS: usize = 8;
/// So many of those that do not end are enough.
const N_TRIM_HANGS: usize = 2;

/// Runs to see whether a new test does the same every time; more if it does not, and as long as so few were made of all
/// tests that a program whose runs differ by half could be taken for a steady one.
const N_REPEATS: usize = 1;
const N_REPEATS_MAX: usize = 8;
const N_REPEATS_IN_ALL: u64 = 24;

/// Mutants without a new test after which nothing more is expected of them, once nothing is left to ask: if every question
/// was answered, and otherwise, if the user sets no limit.
const N_IDLE_SURE: u64 = 1_000;
const N_IDLE_UNSURE: u64 = 100_000;

impl Explorer {
    /// Whether nothing is left to do that is worth it.
    pub(super) fn is_complete(&self) -> bool {
        let Some(n_idle) = self.scheduler.n_idle_mutants() else { return false };
        let settings = &self.settings;
        if settings.sync.is_some() {
            // Others may bring something new at any time.
            return false;
        }
        let is_limited =
            settings.stop.budget.is_some() || settings.stop.idle.is_some() || settings.stop.steps.is_some();
        let is_sure = note::Counts::from(&self.known.counts).uncertainties().is_empty();
        let n_idle_enough = if is_sure { N_IDLE_SURE } else { N_IDLE_UNSURE };
        n_idle >= n_idle_enough && (is_sure || !is_limited)
    }

    /// Makes mutants along derivation trees, too.
    pub fn mutate_subtrees_with(&mut self, subtree_mutator: SubtreeMutator) {
        self.makers.subtree_mutator = Some(subtree_mutator);
    }

    /// Runs mutants for a while.
    pub(super) fn mutate(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let is_repeatable = self.settings.stop.steps.is_some();
        let start = self.now();
        for number in 0.. {
            let is_over = if is_repeatable { number >= N_MUTANTS_A_TURN } else { self.now() - start >= MUTANTS_TURN };
            if is_over || self.end().is_some() {
                break;
            }
            if !self.run_mutant(watcher)? {
                break;
            }
        }
        Ok(())
    }

    /// Makes a mutant and runs it; false if there is none.
    fn run_mutant(&mut self, watcher: &mut dyn Watcher) -> Result<bool, ExploreError> {
        let mutant = self.makers.mutation.as_mut().and_then(|mutation| mutation.breeder.breed());
        match mutant {
            Some(mutant) => self.run_mutant_with(mutant, watcher, |_| {}),
            None => Ok(false),
        }
    }

    /// Runs a mutant, and keeps it if it is new. `look` sees what the run counted; false if there is no way to run any.
    pub(super) fn run_mutant_with(
        &mut self,
        mutant: Mutant,
        watcher: &mut dyn Watcher,
        look: impl FnOnce(&Covered),
    ) -> Result<bool, ExploreError> {
        let (is_timed, longest) = (self.is_timed(), self.runner.longest());
        let (Some(mutation), Some(covered)) = (&mut self.makers.mutation, &mut self.runner.covered) else {
            return Ok(false);
        };
        self.known.counts.executions += 1;
        self.known.counts.mutants += 1;
        let limit = if is_timed { mutation.limit(longest) } else { longest };
        let Passed { run, stopped } = match covered.run_in_place(limit, longest, &mutant.input) {
            Ok(run) => run,
            Err(ExecError::Interrupted) => return Err(ExecError::Interrupted.into()),
            // One of many.
            Err(_) => return Ok(true),
        };
        look(covered);
        self.note_mutant_reached();
        if let Some(outcome) = stopped {
            self.note_stopped(&mutant, outcome, watcher)?;
        }
        let (Some(mutation), Some(covered)) = (&mut self.makers.mutation, &mut self.runner.covered) else {
            return Ok(false);
        };
        if mutant.is_grafted() {
            self.tokens.fit.end(run.outcome).iter().for_each(|doubt| watcher.note(doubt));
        }
        let is_bad = findings::is_suspicious(run.outcome);
        let (input, parent, is_grafted) = (mutant.input.clone(), mutant.parent, mutant.is_grafted());
        let end = if is_bad { gimlet_mutate::End::Bad } else { gimlet_mutate::End::Normal };
        let Some(number) = mutation.ran(mutant, covered.last(), end, run.elapsed) else { return Ok(true) };
        let last_seen = mutation.look(covered.last());
        let n_covered = covered.merge_last();
        self.note_taken(&input);
        if is_bad {
            let (outcome, last_seen) = match run.outcome {
                // To see whether it ever ends takes long, and most of them hang at the same place.
                Outcome::TimedOut(_) => (Outcome::TimedOut(self.runner.options.limits.timeout_ms), 0),
                outcome => (outcome, last_seen),
            };
            let origin = Origin::Mutant { source: self.test_of_breeder(parent), n_covered, is_grafted };
            let end = BadEnd { input: &input, outcome, last_seen, origin, run: None };
            match stopped {
                Some(_) => self.examine_behind(end, watcher)?,
                None => self.examine(end, watcher)?,
            }
            return Ok(true);
        }
        let last_seen = self.repeat(&input)?.unwrap_or(last_seen);
        let input = self.trim(input, last_seen)?;
        if n_covered > 0 {
            self.known.directions.last_is(content(&input));
        }
        if let Some(mutation) = &mut self.makers.mutation {
            mutation.breeder.replace(number, &input);
        }
        if !self.known.corpus.is_new(&input) {
            return Ok(true);
        }
        self.note_kept();
        let origin = Origin::Mutant { source: self.test_of_breeder(parent), n_covered, is_grafted };
        self.known.corpus.keep(&input, origin, self.moment());
        self.scheduler.sources.stretches.note(&input, n_covered > 0);
        self.note_frontiers(&input)?;
        self.compare_fills(&input, origin, None, watcher)?;
        self.scheduler.offer(Job::of(input, origin), Priority::High);
        Ok(true)
    }

    /// The build with checks stopped a mutant, and another one went on with it.
    fn note_stopped(
        &mut self,
        mutant: &Mutant,
        outcome: Outcome,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let (Some(mutation), Some(covered)) = (&mut self.makers.mutation, &mut self.runner.covered) else {
            return Ok(());
        };
        if !mutation.is_new_end(mutant, covered.first()) {
            return Ok(());
        }
        let (last_seen, n_covered) = (mutation.look(covered.first()), covered.merge_first());
        self.note_taken(&mutant.input);
        let source = self.test_of_breeder(mutant.parent);
        let origin = Origin::Mutant { source, n_covered, is_grafted: mutant.is_grafted() };
        self.examine(BadEnd { input: &mutant.input, outcome, last_seen, origin, run: None }, watcher)
    }

    /// Runs a new test again, the target's last run: what differs is not the input's doing. What the counters say of it in
    /// the end, if they say anything else.
    pub(super) fn repeat(&mut self, input: &Input) -> Result<Option<u64>, ExploreError> {
        let (Some(mutation), Some(covered)) = (&mut self.makers.mutation, &self.runner.covered) else {
            return Ok(None);
        };
        let classes = mutation.classes(covered.last());
        let mut is_unstable = false;
        for number in 0..N_REPEATS_MAX {
            if self.look_at(input)?.is_err() {
                break;
            }
            let (Some(mutation), Some(covered)) = (&mut self.makers.mutation, &self.runner.covered) else {
                return Ok(None);
            };
            is_unstable |= mutation.compare(&classes, covered.last());
            let is_soon = mutation.n_repeats < N_REPEATS_IN_ALL;
            self.known.counts.unstable = mutation.unstable().count() as u64;
            if !is_unstable && !is_soon && number + 1 >= N_REPEATS {
                return Ok(None);
            }
        }
        let (Some(mutation), Some(covered)) = (&mut self.makers.mutation, &self.runner.covered) else {
            return Ok(None);
        };
        Ok(is_unstable.then(|| mutation.look(covered.last())))
    }

    /// The number that a test of the breeder's has among all.
    fn test_of_breeder(&self, number: Option<usize>) -> Option<u64> {
        self.known.corpus.test(&self.makers.mutation.as_ref()?.breeder.input(number?)?)
    }

    /// Leaves out what makes no difference to the counters: short tests are fast, and mutations hit what matters.
    fn trim(&mut self, mut input: Input, look: u64) -> Result<Input, ExploreError> {
        let (mut n_runs_left, mut n_hangs_left) = (N_TRIM_RUNS, N_TRIM_HANGS);
        for number in 0..input.sources.len() {
            if input.sources[number].kind == SourceKind::Named {
                // The program says how many bytes of those there are.
                continue;
            }
            let mut n_removed = input.sources[number].bytes.len().next_power_of_two() / TRIM_PARTS;
            while n_removed > 0 {
                let mut at = 0;
                while at < input.sources[number].bytes.len() {
                    if n_runs_left == 0 || n_hangs_left == 0 || self.end().is_some() {
                        return Ok(input);
                    }
                    n_runs_left -= 1;
                    let end = (at + n_removed).min(input.sources[number].bytes.len());
                    let removed: Vec<u8> = input.sources[number].bytes.drain(at..end).collect();
                    let found = self.looks(&input)?;
                    n_hangs_left -= usize::from(found == Err(Ending::Late));
                    if found != Ok(look) {
                        input.sources[number].bytes.splice(at..at, removed);
                        at += n_removed;
                    }
                }
                n_removed /= 2;
            }
        }
        Ok(input)
    }

    /// What the counters say of a run that ends well.
    fn looks(&mut self, input: &Input) -> Result<Result<u64, Ending>, ExploreError> {
        self.known.counts.executions += 1;
        self.known.counts.mutants += 1;
        self.look_at(input)
    }

    /// The same of a run that is no step of the search.
    pub(super) fn look_at(&mut self, input: &Input) -> Result<Result<u64, Ending>, ExploreError> {
        let (is_timed, longest) = (self.is_timed(), self.runner.longest());
        let (Some(mutation), Some(covered)) = (&mut self.makers.mutation, &mut self.runner.covered) else {
            return Ok(Err(Ending::Bad));
        };
        let limit = if is_timed { mutation.limit(longest) } else { longest };
        match covered.run_in_place(limit, longest, input).map(|passed| passed.run.outcome) {
            Ok(outcome) if !findings::is_suspicious(outcome) => Ok(Ok(mutation.look(covered.last()))),
            Ok(Outcome::TimedOut(_)) => Ok(Err(Ending::Late)),
            Err(ExecError::Interrupted) => Err(ExecError::Interrupted.into()),
            Ok(_) | Err(_) => Ok(Err(Ending::Bad)),
        }
    }
}

/// How a run ends that does not end well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// It was given up.
    Late,
    Bad,
}
