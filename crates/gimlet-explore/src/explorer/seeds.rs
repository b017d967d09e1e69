//! What a search begins with: all seeds, or of very many those that do something.

use std::time::Instant;

use gimlet_exec::EdgesRun;
use gimlet_trace::Input;
use rustc_hash::FxHashSet;

use super::cover::Counted;
use super::examine::BadEnd;
use super::{Explorer, Watcher};
use crate::corpus::content;
use crate::corpus::features::Features;
use crate::error::ExploreError;
use crate::findings;
use crate::run::job::{Job, Origin};
use crate::run::walk::hash;
use crate::strategy::Priority;

/// So many seeds are followed one by one, whatever they do. To do that with a hundred thousand would take an hour before
/// anything else begins.
pub const N_SEEDS_MAX: usize = 1000;
/// The part of the time that choosing may take.
const SHARE: u32 = 4;

impl Explorer {
    /// Takes in the seeds.
    pub(super) fn take_seeds(&mut self, seeds: Vec<Input>, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let seeds = self.own_seeds(seeds);
        self.draw_from_seeds(&seeds);
        let is_sifted = seeds.len() > N_SEEDS_MAX && self.plan().mutates && self.runner.covered.is_some();
        let seeds = if is_sifted { self.sift(seeds, watcher)? } else { seeds };
        for input in seeds.into_iter().rev() {
            let job = Job::of(input, Origin::Seed);
            match is_sifted && self.known.corpus.test(&job.input).is_some() {
                // It was new when it was chosen.
                true => self.scheduler.offer(job, Priority::High),
                false => self.offer(job),
            }
        }
        // A long one may take a while: whatever happens to the search meanwhile, `--resume` has it.
        self.known.corpus.save()
    }

    /// Runs a seed. What the user gave is not lost, whatever stops it.
    pub(super) fn run_seed(&mut self, job: Job, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let input = job.input.clone();
        let ran = self.run(job, watcher);
        if ran.is_err() && self.known.corpus.test(&input).is_none() {
            self.known.corpus.keep(&input, Origin::Seed, self.moment());
        }
        ran
    }

    /// Whether an input is too long to be followed; then it is run on the build with counters, if nobody did that yet. Of a
    /// seed its beginning is followed.
    pub(super) fn is_too_long(&mut self, job: &Job, watcher: &mut dyn Watcher) -> Result<bool, ExploreError> {
        let (len, max) = (job.input.len(), self.settings.given.followed_max);
        if len <= max || !self.plan().mutates || self.runner.covered.is_none() {
            return Ok(false);
        }
        if job.origin != Origin::Seed {
            self.known.counts.lost.dropped += 1;
            return Ok(true);
        }
        watcher.note(&format!(
            "a seed has {len} bytes: it is run, but only its first {max} bytes are followed (--max-followed)"
        ));
        self.known.counts.executions += 1;
        let Some(counted) = self.count_branches(&job.input)? else { return Ok(true) };
        match counted.stopped.or(Some(counted.run.outcome)).filter(|&outcome| findings::is_suspicious(outcome)) {
            Some(outcome) => {
                let last_seen = hash(&content(&job.input));
                self.examine(
                    BadEnd { input: &job.input, outcome, last_seen, origin: Origin::Seed, run: None },
                    watcher,
                )?;
            }
            None => {
                self.known.corpus.keep(&job.input, Origin::Seed, self.moment());
                self.run_plainly(&job.input, None, watcher)?;
            }
        }
        let mut input = job.input.without_stretches();
        let longest = input.sources.iter_mut().max_by_key(|source| source.bytes.len());
        longest.into_iter().for_each(|source| source.bytes.truncate(max));
        if input.len() <= max {
            self.offer(Job::of(input, Origin::Seed));
        }
        Ok(true)
    }

    /// Chooses the seeds that count something new, or end badly in a new way; small ones first.
    fn sift(&mut self, mut seeds: Vec<Input>, watcher: &mut dyn Watcher) -> Result<Vec<Input>, ExploreError> {
        let n_seeds = seeds.len();
        watcher
            .note(&format!("there are {n_seeds} seeds: they are counted first, to choose those that do something new"));
        seeds.sort_by_key(Input::len);
        let deadline = self.settings.stop.budget.and_then(|budget| self.time.clock.deadline(budget / SHARE));
        let mut ends = BadEnds::default();
        let mut seen = FxHashSet::default();
        let (mut chosen, mut n_looked_at) = (Vec::new(), 0);
        for input in seeds {
            if self.end().is_some() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            n_looked_at += 1;
            if seen.insert(content(&input)) && self.is_worthwhile(&input, &mut ends)? {
                chosen.push(input);
            }
            self.note_progress()?;
            self.show(watcher);
        }
        let n_chosen = chosen.len();
        watcher.note(&match n_seeds - n_looked_at {
            0 => format!("{n_chosen} of {n_seeds} seeds are chosen; the others do nothing new"),
            n_left => format!(
                "{n_chosen} of {n_looked_at} seeds are chosen; for {n_left} others there was no time: `gimlet cmin` chooses \
                 among all, and --resume takes more with -i"
            ),
        });
        Ok(chosen)
    }

    /// Whether a seed does something new. If it ends well, it is a test from now on.
    fn is_worthwhile(&mut self, input: &Input, ends: &mut BadEnds) -> Result<bool, ExploreError> {
        let Some(counted) = self.count_branches(input)? else { return Ok(true) };
        if counted.is_suspicious() {
            return Ok(ends.is_new(&counted.run));
        }
        let Counted { n_new, is_test, .. } = counted;
        let is_worthwhile = is_test || n_new > 0;
        if is_worthwhile {
            self.known.corpus.keep(input, Origin::Seed, self.moment());
        }
        Ok(is_worthwhile)
    }
}

/// Crashes and limits among seeds, by what was counted until then.
#[derive(Default)]
struct BadEnds {
    features: Features,
    known: FxHashSet<Vec<u32>>,
}

impl BadEnds {
    fn is_new(&mut self, run: &EdgesRun) -> bool {
        let counters = run.counters.iter().map(|counters| (&counters.image, &*counters.bytes));
        self.known.insert(self.features.of(counters))
    }
}
