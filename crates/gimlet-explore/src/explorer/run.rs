//! One run on its way through the search.
//!
//! ```text
//! follow --> check the input --> compare with what was foretold --> path --> cover --> keep --> triage --> learn
//! ```
//!
//! Each step takes the run as those before it left it.

use std::time::Instant;

use gimlet_exec::ExecError;
use gimlet_trace::shm::stop;
use gimlet_trace::trace::Outcome;
use rustc_hash::FxHashSet;

use super::cover::Covering;
use super::follow::trim_unread;
use super::known::Made;
use super::{Explorer, Watcher};
use crate::ask::expand::Followed;
use crate::corpus::{content, Noted};
use crate::error::ExploreError;
use crate::findings;
use crate::run::job::{Job, Origin, RunId};
use crate::run::prediction::{self, Prediction};
use crate::run::seen::News;
use crate::run::walk::Level;
use crate::strategy::plan::Keeps;
use crate::strategy::{Flip, Ran};

/// A run, and what is known of it so far.
struct Run {
    number: RunId,
    job: Job,
    has_tokens: bool,
    followed: Followed,
    /// How it ended, on the build that sees most.
    outcome: Outcome,
    /// Steps before this one belong to an earlier run.
    bound: usize,
    /// By the program itself: it is neither a path nor a test.
    is_ruled_out: bool,
    news: News,
    covering: Covering,
    is_worth_keeping: bool,
}

impl Run {
    fn is_suspicious(&self) -> bool {
        findings::is_suspicious(self.outcome)
    }

    fn is_new_at(&self, least: Level) -> bool {
        self.news.level().is_some_and(|level| level <= least)
    }
}

impl Explorer {
    /// Runs an input, and takes in what it did.
    pub(super) fn run(&mut self, job: Job, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        if self.is_given_up(&job) || self.is_too_long(&job, watcher)? {
            return Ok(());
        }
        let (start, looking) = (self.now(), self.runner.looking);
        let is_look = self.runner.looks.remove(&content(&job.input));
        let Some(run) = self.follow_job(job)? else { return Ok(()) };
        self.run_steps(run, watcher)?;
        if is_look {
            self.runner.looking = looking + (self.now() - start);
        }
        Ok(())
    }

    /// What is done with a run that was followed.
    fn run_steps(&mut self, mut run: Run, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        self.check_input(&run, watcher)?;
        self.compare(&mut run, watcher);
        self.note_path(&mut run);
        self.cover_run(&mut run)?;
        self.judge(&mut run);
        self.keep_test(&run)?;
        self.triage(&run, watcher)?;
        let of_others = self.divide(&run)?;
        self.note_run(&run, &of_others);
        self.learn(run, &of_others)
    }

    fn follow_job(&mut self, job: Job) -> Result<Option<Run>, ExploreError> {
        let number = self.known.counts.executions as RunId;
        let mut input = job.input.clone();
        input.drop_broken_stretches();
        let has_tokens = self.has_tokens(&job);
        let (bound, visited, string) = (job.bound, job.visited.clone(), job.string.clone());
        let made = Made { input, bound, visited, string, has_tokens };
        let Some(mut followed) = self.follow(number, &made)? else { return Ok(None) };
        let outcome = followed.trace.outcome;
        if job.origin == Origin::Seed && self.settings.given.trims_unread {
            trim_unread(&mut followed.trace, &self.settings.given.primary);
        }
        if outcome == Outcome::Interrupted {
            return Err(ExecError::Interrupted.into());
        }
        Ok(Some(Run {
            number,
            has_tokens,
            outcome,
            bound,
            is_ruled_out: followed.trace.stops & stop::ASSUMPTION != 0,
            news: News::default(),
            covering: Covering::default(),
            is_worth_keeping: false,
            job,
            followed,
        }))
    }

    /// Whether the program reads the input at all, and reads it as a grammar says.
    fn check_input(&mut self, run: &Run, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        self.note_reading(&run.followed, run.job.origin, watcher)?;
        if self.tokens.n_with_tokens == 0 && self.known.counts.executions == 1 {
            self.doubts_about_tokens().iter().for_each(|doubt| watcher.note(doubt));
        }
        if run.job.origin == Origin::Grammar {
            let of_path = self.tokens.fit.follow(&run.followed.walk);
            // With counters the end is known already.
            let of_end = if self.runner.covered.is_none() { self.tokens.fit.end(run.outcome) } else { None };
            of_path.iter().chain(&of_end).for_each(|doubt| watcher.note(doubt));
        }
        Ok(())
    }

    /// Counts what was lost, and whether the run did what its input was made for.
    fn compare(&mut self, run: &mut Run, watcher: &mut dyn Watcher) {
        for loss in self.count(&run.followed.trace, &run.job.origin) {
            watcher.note(&loss);
        }
        let Some(expectation) = &run.job.expectation else { return };
        self.known.counts.flips += 1;
        let prediction = prediction::check(expectation, &run.followed.walk, run.outcome);
        if !matches!(prediction, Prediction::Held | Prediction::Stopped) {
            self.diverge(prediction, expectation, &run.followed);
        }
        if let Prediction::Parted(step) = prediction {
            // From there on it is on a path of its own, where nothing has been looked at.
            run.bound = run.bound.min(step);
        }
    }

    fn note_path(&mut self, run: &mut Run) {
        if !run.is_ruled_out {
            run.news = self.known.seen.add(&run.followed.walk);
        }
        if run.news.is_new_path {
            self.time.last_new = self.now();
        }
        self.note_constraints(&run.followed.trace, &run.followed.walk);
    }

    /// Counts branches on the build for that, which may also check accesses to memory.
    fn cover_run(&mut self, run: &mut Run) -> Result<(), ExploreError> {
        if run.news.is_new_path || self.is_watching() || self.settings.builds.memory.is_some() {
            let start = Instant::now();
            run.covering = self.cover(&run.followed)?;
            self.time.symbolic.counting += start.elapsed().as_secs_f64();
        }
        // Of the two builds the one that checks accesses sees more. Where it stops a run the other one goes on, or a search
        // would be over that meets the same error on each of its inputs.
        let Covering { outcome: Some(counted), stopped: None, .. } = run.covering else { return Ok(()) };
        if self.settings.builds.memory.is_some() && findings::is_suspicious(counted) {
            if !run.is_suspicious() && run.job.origin != Origin::Seed {
                run.bound = run.followed.path.steps.len();
            }
            run.outcome = counted;
        }
        Ok(())
    }

    /// Whether the run is worth a test.
    fn judge(&mut self, run: &mut Run) {
        let Covering { n_covered, is_test, .. } = run.covering;
        let is_counted = self.plan().mutates && self.makers.mutation.is_some();
        run.is_worth_keeping = match self.plan().keeps {
            Keeps::Paths => run.news.is_new_path,
            _ if run.is_ruled_out => false,
            _ if run.job.origin == Origin::Seed || n_covered > 0 => true,
            // What is new to the counters is what mutation keeps as well.
            _ if is_counted => is_test || run.is_new_at(Level::Site),
            _ => run.is_new_at(Level::Context),
        };
        if run.is_worth_keeping {
            self.time.last_kept = self.now();
        }
        if let Some(n_before) = run.job.origin.n_covered() {
            // It was counted and kept when it was found.
            run.covering.n_covered = n_before;
            run.is_worth_keeping = false;
        }
    }

    fn keep_test(&mut self, run: &Run) -> Result<(), ExploreError> {
        if let Some(mutation) = &mut self.makers.mutation {
            mutation.learn(&run.followed.path);
        }
        if run.is_worth_keeping && (!run.is_suspicious() || self.plan().keeps == Keeps::Paths) {
            let (moment, followed) = (self.moment(), &run.followed);
            self.known.corpus.keep_of(followed.walk.string, &followed.trace.input, run.job.origin, moment);
            if !run.is_suspicious() {
                self.note_frontiers(&followed.trace.input)?;
            }
        }
        Ok(())
    }

    /// Looks for findings.
    fn triage(&mut self, run: &Run, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let Run { number, job, followed, outcome, .. } = run;
        let (origin, input, stopped) = (job.origin, &followed.trace.input, run.covering.stopped);
        // What comes of too small a block is no finding of its own.
        if !followed.wrapped.is_empty() {
            self.note_wrapped(followed, origin, *number, watcher)?;
        } else if run.is_suspicious() || stopped.is_some() {
            self.examine_run(followed, *outcome, stopped, (origin, *number), watcher)?;
        }
        if origin == Origin::Seed && !run.is_suspicious() && stopped.is_none() {
            self.run_plainly(input, Some(*number), watcher)?;
        }
        if run.news.is_new_path && !run.is_suspicious() {
            self.compare_fills(input, origin, Some(*number), watcher)?;
        }
        Ok(())
    }

    /// The flips of a run that other workers ask; all of them, if it is given away.
    fn divide(&mut self, run: &Run) -> Result<FxHashSet<Flip>, ExploreError> {
        self.team.is_handed_over &= run.job.visited.is_empty();
        match self.team.is_handed_over {
            true => self.give(&run.followed, run.bound),
            false => Ok(self.of_others(&run.followed.walk, run.job.origin == Origin::Seed)),
        }
    }

    /// Tells the store of a run, and the strategy.
    fn note_run(&mut self, run: &Run, of_others: &FxHashSet<Flip>) {
        let Run { number, job, followed, bound, .. } = run;
        let Covering { n_covered, rarest_branch, .. } = run.covering;
        let noted = Noted {
            run: *number,
            input: &followed.trace.input,
            bound: *bound,
            n_flips: n_flips(run, of_others),
            path: run.news.is_new_path.then(|| followed.walk.path()),
        };
        self.known.corpus.ran(job, &noted);
        if std::mem::take(&mut self.team.is_handed_over) {
            self.known.corpus.given(*number);
        }
        let ran = Ran {
            run: *number,
            walk: &followed.walk,
            bound: *bound,
            brought: if n_covered > 0 { Some(Level::Site) } else { run.news.level() },
            n_new: run.news.n_new[Level::Site as usize].max(n_covered as usize),
            is_landmark: n_covered > 0,
            rarest_branch,
            origin: job.origin,
            took: followed.took,
            asked: of_others,
        };
        self.scheduler.ran(&ran, &self.known.seen);
    }

    /// Makes inputs of what the run compared its own with, and of its lengths; keeps it for questions.
    fn learn(&mut self, mut run: Run, of_others: &FxHashSet<Flip>) -> Result<(), ExploreError> {
        match run.job.origin {
            // A program that waits for ever once it has read a word does so again.
            Origin::Word { name: Some(name), .. } if matches!(run.outcome, Outcome::TimedOut(_)) => {
                self.known.seen.give_up_word(name);
            }
            _ if run.news.is_new_path => self.try_words(&run.followed)?,
            _ => {}
        }
        // Mutants were noted when they were kept.
        let is_mutant = matches!(run.job.origin, Origin::Mutant { .. });
        let is_landmark = run.covering.n_covered > 0;
        if !run.is_suspicious() && !is_mutant && (run.is_worth_keeping || is_landmark) {
            self.scheduler.sources.stretches.note(&run.followed.trace.input, is_landmark);
        }
        if run.news.is_new_path && !run.is_suspicious() {
            self.try_extremes(&mut run.followed);
        }
        if !self.plan().is_exhaustive || n_flips(&run, of_others) > 0 {
            let Run { number, job, has_tokens, followed, bound, .. } = run;
            let input = followed.trace.input.clone();
            let made = Made { input, bound, visited: job.visited, string: job.string, has_tokens };
            self.known.runs.made.insert(number, made);
            self.known.runs.keep(followed);
        }
        Ok(())
    }
}

/// Flips of a run that are this worker's to ask.
fn n_flips(run: &Run, of_others: &FxHashSet<Flip>) -> usize {
    run.followed.walk.flips(run.bound).filter(|flip| !of_others.contains(flip)).count()
}
