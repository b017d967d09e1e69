//! Branches, counted on a build of their own.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use gimlet_exec::coverage::Coverage;
use gimlet_exec::edges::{EdgesOutcome, EdgesRun, EdgesTarget};
use gimlet_exec::{ExecError, Output, TargetOptions};
use gimlet_trace::builds::{EDGES_SUFFIX, MEMORY_SUFFIX};
use gimlet_trace::site::SiteTable;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use super::{Explorer, Reading, Settings};
use crate::ask::expand::Followed;
use crate::error::ExploreError;
use crate::findings;
use crate::make::mutation;
use crate::run::directions::counted;
use crate::run::seen::Rare;

/// The build that counts branches, and what it has counted.
pub(super) struct Covered {
    /// The build that checks accesses to memory, if there is one.
    target: EdgesTarget,
    /// Beside that, the one that only counts: what a run does behind an access that is not right.
    beyond: Option<EdgesTarget>,
    /// The last run was one of `beyond`.
    is_beyond: bool,
    pub coverage: Coverage,
}

/// A run of the build with counters.
pub(super) struct Passed<Run> {
    /// The last of them.
    pub run: Run,
    /// The build that checks accesses to memory stopped it so, and the other one went on.
    pub stopped: Option<Outcome>,
}

impl Covered {
    pub fn new(
        settings: &Settings,
        args: &[OsString],
        options: &TargetOptions,
        tables: &[Arc<SiteTable>],
    ) -> Result<Option<Covered>, ExecError> {
        let options = TargetOptions { output: Output::Null, ..options.clone() };
        let edges = settings.builds.edges.as_deref().map(|edges| EdgesTarget::new(edges, args, options.clone()));
        let (target_of_runs, beyond) = match (&settings.builds.memory, edges.transpose()?) {
            (None, None) => return Ok(None),
            (None, Some(edges)) => (edges, None),
            (Some(memory), edges) => {
                let memory = EdgesTarget::new(memory, args, options)?;
                // Both count the same, unless somebody has built one of them anew.
                let edges = edges.filter(|edges| edges.image().tables == memory.image().tables);
                (memory, edges.map(|edges| edges.counting_as(EDGES_SUFFIX, MEMORY_SUFFIX)))
            }
        };
        let mut coverage = Coverage::new(target_of_runs.image());
        coverage.add_sites(tables.iter().map(|table| &**table));
        Ok(Some(Covered { target: target_of_runs, beyond, is_beyond: false, coverage }))
    }

    /// What ran last.
    pub fn last(&self) -> &EdgesTarget {
        match &self.beyond {
            Some(beyond) if self.is_beyond => beyond,
            _ => &self.target,
        }
    }

    /// The build that checks accesses to memory, or else the one that counts.
    pub fn first(&self) -> &EdgesTarget {
        &self.target
    }

    /// Counts the branches of the last run; how many are new.
    pub fn merge_last(&mut self) -> u64 {
        let target = match &self.beyond {
            Some(beyond) if self.is_beyond => beyond,
            _ => &self.target,
        };
        target.counters().map(|(image, bytes)| self.coverage.merge_image(image, bytes)).sum()
    }

    /// Counts the branches of the run that the build with checks stopped.
    pub fn merge_first(&mut self) -> u64 {
        self.target.counters().map(|(image, bytes)| self.coverage.merge_image(image, bytes)).sum()
    }

    /// Runs an input, and goes on past what the build with checks stops it for. It is given up after `limit`; others have
    /// `longest`.
    pub fn run_in_place(
        &mut self,
        limit: Duration,
        longest: Duration,
        input: &Input,
    ) -> Result<Passed<EdgesOutcome>, ExecError> {
        self.is_beyond = false;
        self.target.set_timeout(limit);
        let run = self.target.run_in_place(input);
        self.target.set_timeout(longest);
        let run = run?;
        // What ends it by itself does so on other builds.
        let is_stopped = findings::is_suspicious(run.outcome) && self.target.has_reported();
        let Some(beyond) = self.beyond.as_mut().filter(|_| is_stopped) else {
            return Ok(Passed { run, stopped: None });
        };
        beyond.set_timeout(limit);
        let (stopped, elapsed) = (run.outcome, run.elapsed);
        let run = beyond.run_in_place(input)?;
        self.is_beyond = true;
        Ok(Passed { run: EdgesOutcome { elapsed: run.elapsed + elapsed, ..run }, stopped: Some(stopped) })
    }

    /// The same, with a copy of all that the last run gave.
    pub fn run(&mut self, limit: Duration, longest: Duration, input: &Input) -> Result<Passed<EdgesRun>, ExecError> {
        let Passed { run, stopped } = self.run_in_place(limit, longest, input)?;
        Ok(Passed { run: self.last().copy(run)?, stopped })
    }

    /// Runs an input with all the time that it may take, as far as the first build goes.
    pub fn run_first(&mut self, input: &Input) -> Result<EdgesOutcome, ExecError> {
        self.is_beyond = false;
        self.target.run_in_place(input)
    }
}

/// What the counters say of a run on another build.
#[derive(Default)]
pub(super) struct Covering {
    /// Directions that no run had taken.
    pub n_covered: u64,
    /// There will be mutants of it.
    pub is_test: bool,
    /// The branch that fewest others took.
    pub rarest_branch: Option<Rare>,
    /// How the run ended there.
    pub outcome: Option<Outcome>,
    /// How the build with checks stopped it before.
    pub stopped: Option<Outcome>,
}

/// A run of the build with counters.
pub(super) struct Counted {
    pub run: EdgesRun,
    /// Directions that no run had taken.
    pub n_new: u64,
    /// There will be mutants of it.
    pub is_test: bool,
    /// How the build with checks stopped it, before another went on.
    pub stopped: Option<Outcome>,
}

impl Counted {
    /// Whether it ended as no run should, on one of the builds.
    pub fn is_suspicious(&self) -> bool {
        self.stopped.is_some() || findings::is_suspicious(self.run.outcome)
    }
}

impl Explorer {
    /// Counts branches on another build. Those that the walk did not take, but some run did, are no longer new either.
    pub(super) fn cover(&mut self, followed: &Followed) -> Result<Covering, ExploreError> {
        let Some(Counted { run, n_new, is_test, stopped }) = self.count_branches(&followed.trace.input)? else {
            self.note_followed(followed, None);
            return Ok(Covering::default());
        };
        let Some(Covered { coverage, .. }) = &mut self.runner.covered else { return Ok(Covering::default()) };
        let rarest_branch = self.known.seen.add_branches(coverage.taken(&run.counters));
        for stop in &followed.walk.stops {
            let Some(branch) = coverage.branch_at(&followed.trace.modules, stop.site) else { continue };
            let branch = coverage.branch(branch);
            for &other in &stop.others {
                if counted(other).is_some_and(|direction| branch.hits_of(direction) > 0) {
                    self.known.seen.take(stop, other);
                }
            }
        }
        self.note_followed(followed, Some(&run));
        Ok(Covering { n_covered: n_new, is_test, rarest_branch, outcome: Some(run.outcome), stopped })
    }

    /// What differs between runs of one input, and the part of the counters that do not.
    pub fn instability(&self) -> (Vec<String>, f64) {
        let (Some(mutation), Some(covered)) = (&self.makers.mutation, &self.runner.covered) else {
            return (Vec::new(), 1.0);
        };
        let mut names: Vec<String> = mutation
            .unstable()
            .map(|(image, counter)| {
                let name = covered.coverage.name_of(image, counter);
                name.unwrap_or_else(|| format!("counter {counter} of {image}"))
            })
            .collect();
        names.dedup();
        (names, mutation.stability())
    }

    /// Runs the build with counters, and gives the input to mutation.
    pub(super) fn count_branches(&mut self, input: &Input) -> Result<Option<Counted>, ExploreError> {
        self.count_if(input, |_| true)
    }

    /// The same; mutants are made of it only if it has enough new branches.
    pub(super) fn count_if(
        &mut self,
        input: &Input,
        is_enough: fn(u64) -> bool,
    ) -> Result<Option<Counted>, ExploreError> {
        let (hurries, limit) = (self.hurries() && self.is_timed(), self.limit());
        let longest = self.runner.longest();
        let Some(covered) = &mut self.runner.covered else { return Ok(None) };
        let of_mutants = self.makers.mutation.as_ref().filter(|_| hurries).map(|mutation| mutation.limit(longest));
        let Passed { run, stopped } = match covered.run(of_mutants.unwrap_or(limit), longest, input) {
            Ok(run) => run,
            Err(ExecError::Interrupted) => return Err(ExecError::Interrupted.into()),
            // The counts of one run are not worth the search.
            Err(_) => return Ok(None),
        };
        let n_before = if stopped.is_some() { covered.merge_first() } else { 0 };
        let n_new = n_before + covered.coverage.merge(&run.counters);
        self.note_reached(input);
        self.note_taken(input);
        let mut is_test = false;
        // Where nothing depends on the input, there is nothing to mutate.
        let depends = !matches!(self.known.reading, Reading::Never { .. });
        if self.plan().mutates && depends && is_enough(n_new) {
            let (settings, subtree_mutator) = (&self.settings, &mut self.makers.subtree_mutator);
            let begin = || mutation::begin(settings, subtree_mutator.take(), &run.counters);
            let mutation = self.makers.mutation.get_or_insert_with(begin);
            is_test = !findings::is_suspicious(run.outcome) && mutation.take(input, &run);
        }
        if is_test {
            self.repeat(input)?;
        }
        Ok(Some(Counted { run, n_new, is_test, stopped }))
    }
}
