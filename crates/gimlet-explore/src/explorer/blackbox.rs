//! Inputs that are made without a look at the program, run at native speed.

use std::time::Duration;

use gimlet_exec::ExecError;
use gimlet_grammar::chance::Chance;
use gimlet_grammar::sample::uniform::Uniform;
use gimlet_mutate::Breeder;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use super::cover::Passed;
use super::examine::BadEnd;
use super::{Explorer, Watcher};
use crate::error::ExploreError;
use crate::findings;
use crate::make::blackbox::Blackbox;
use crate::run::walk::hash;
use crate::strategy::Kind;

/// How long they are run for at a time.
const TURN: Duration = Duration::from_millis(30);
/// A run may take at least so long.
const SHORTEST_LIMIT: Duration = Duration::from_millis(20);
/// Longest input where nobody says anything.
const LEN_MAX_DEFAULT: usize = 1024;

impl Explorer {
    /// Draws inputs from a grammar, for the strategy that does so.
    pub fn draw_from(&mut self, uniform: Uniform) {
        let (layout, source) = (self.settings.given.layout.clone(), self.settings.given.primary.clone());
        let chance = Chance::new(self.settings.seed);
        self.makers.blackbox = Some(Blackbox::Sentences { uniform: Box::new(uniform), chance, layout, source });
    }

    /// Draws inputs from seeds, for the strategy that does so.
    pub(super) fn draw_from_seeds(&mut self, seeds: &[Input]) {
        if self.settings.strategy == Kind::Blackbox {
            let len_max = self.settings.lengths.max().unwrap_or(LEN_MAX_DEFAULT);
            self.makers.blackbox =
                Some(Blackbox::Seeds(Box::new(Breeder::of_bytes(self.settings.seed, len_max, seeds))));
        }
    }

    /// Runs such inputs for a while.
    pub(super) fn draw(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let start = self.now();
        // Where no clock may decide each turn is one of them.
        let is_one = self.settings.stop.steps.is_some();
        while self.end().is_none() && self.run_drawn(watcher)? && !is_one && self.now() - start < TURN {}
        Ok(())
    }

    /// Runs another one; false if there is none.
    fn run_drawn(&mut self, watcher: &mut dyn Watcher) -> Result<bool, ExploreError> {
        let (is_timed, longest) = (self.is_timed(), self.runner.longest());
        let (Some(blackbox), Some(covered)) = (&mut self.makers.blackbox, &mut self.runner.covered) else {
            return Ok(false);
        };
        let Some((input, origin)) = blackbox.draw() else { return Ok(false) };
        self.known.counts.executions += 1;
        self.known.counts.mutants += 1;
        let limit = if is_timed { self.runner.drawn_pace.limit(SHORTEST_LIMIT, longest) } else { longest };
        let Passed { run, stopped } = match covered.run_in_place(limit, longest, &input) {
            Ok(run) => run,
            Err(ExecError::Interrupted) => return Err(ExecError::Interrupted.into()),
            // One of many.
            Err(_) => return Ok(true),
        };
        let n_covered = if stopped.is_some() { covered.merge_first() } else { 0 } + covered.merge_last();
        let outcome = stopped.unwrap_or(run.outcome);
        let is_bad = findings::is_suspicious(outcome);
        if !is_bad {
            self.runner.drawn_pace.took(run.elapsed);
        }
        let taken: u64 = if is_bad {
            covered.first().counters().map(|(_, bytes)| hash(&bytes)).fold(0, u64::wrapping_add)
        } else {
            0
        };
        self.note_mutant_reached();
        self.note_taken(&input);
        if is_bad {
            // Most of those that do not end hang at the same place.
            let (outcome, last_seen) = match outcome {
                Outcome::TimedOut(_) => (Outcome::TimedOut(self.runner.options.limits.timeout_ms), 0),
                outcome => (outcome, taken),
            };
            self.examine(BadEnd { input: &input, outcome, last_seen, origin, run: None }, watcher)?;
        } else if n_covered > 0 && self.known.corpus.is_new(&input) {
            self.note_kept();
            self.known.corpus.keep(&input, origin, self.moment());
        }
        Ok(true)
    }
}
