//! Branches, counted on a build of their own.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use gimlet_exec::coverage::{self, Coverage};
use gimlet_exec::edges::{EdgesRun, EdgesTarget};
use gimlet_exec::{ExecError, Output, Target, TargetOptions};
use gimlet_path::Direction;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use super::Explorer;
use crate::error::ExploreError;
use crate::expand::Followed;
use crate::findings;
use crate::mutation;
use crate::seen::Rare;

/// The build that counts branches, and what it has counted.
pub(super) struct Covered {
    pub target: EdgesTarget,
    pub coverage: Coverage,
}

impl Covered {
    pub fn new(
        program: &Path,
        args: &[OsString],
        options: &TargetOptions,
        target: &Target,
    ) -> Result<Covered, ExecError> {
        let options = TargetOptions { output: Output::Null, ..options.clone() };
        let edges = EdgesTarget::new(program, args, options)?;
        let mut coverage = Coverage::new(edges.image());
        coverage.add_sites(target.tables().iter().map(|table| &**table));
        Ok(Covered { target: edges, coverage })
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
}

/// A run of the build with counters.
pub(super) struct Counted {
    pub run: EdgesRun,
    /// Directions that no run had taken.
    pub n_new: u64,
    /// There will be mutants of it.
    pub is_test: bool,
}

impl Explorer {
    /// Counts branches on another build. Those that the walk did not take, but some run did, are no longer new either.
    pub(super) fn cover(&mut self, followed: &Followed) -> Result<Covering, ExploreError> {
        let Some(Counted { run, n_new, is_test }) = self.count_branches(&followed.trace.input)? else {
            return Ok(Covering::default());
        };
        let Some(Covered { coverage, .. }) = &mut self.covered else { return Ok(Covering::default()) };
        let rarest_branch = self.seen.add_branches(coverage.taken(&run.counters));
        for stop in &followed.walk.stops {
            let Some(branch) = coverage.branch_at(&followed.trace.modules, stop.site) else { continue };
            let branch = coverage.branch(branch);
            for &other in &stop.others {
                if counted(other).is_some_and(|direction| branch.hits_of(direction) > 0) {
                    self.seen.take(stop, other);
                }
            }
        }
        Ok(Covering { n_covered: n_new, is_test, rarest_branch, outcome: Some(run.outcome) })
    }

    /// What differs between runs of one input, and the part of the counters that do not.
    pub fn instability(&self) -> (Vec<String>, f64) {
        let (Some(mutation), Some(covered)) = (&self.mutation, &self.covered) else { return (Vec::new(), 1.0) };
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
        let (hurries, limit) = (self.hurries(), self.limit());
        let Some(Covered { target, coverage }) = &mut self.covered else { return Ok(None) };
        let longest = Duration::from_millis(self.options.limits.timeout_ms);
        let of_mutants = self.mutation.as_ref().filter(|_| hurries).map(|mutation| mutation.limit(longest));
        target.set_timeout(of_mutants.unwrap_or(limit));
        let run = target.run(input);
        target.set_timeout(longest);
        let run = match run {
            Ok(run) => run,
            Err(ExecError::Interrupted) => return Err(ExecError::Interrupted.into()),
            // The counts of one run are not worth the search.
            Err(_) => return Ok(None),
        };
        let n_new = coverage.merge(&run.counters);
        self.note_reached(input);
        let mut is_test = false;
        // Where nothing depends on the input, there is nothing to mutate.
        let depends = !self.is_unread_said || self.counts.losses > 0 || self.seen.n_paths() > 1;
        if self.settings.strategy.mutates() && depends && is_enough(n_new) {
            let (settings, grafter) = (&self.settings, &mut self.grafter);
            let begin = || mutation::begin(settings, grafter.take(), &run.counters);
            let mutation = self.mutation.get_or_insert_with(begin);
            is_test = !findings::is_suspicious(run.outcome) && mutation.take(input, &run);
        }
        if is_test {
            self.repeat(input)?;
        }
        Ok(Some(Counted { run, n_new, is_test }))
    }
}

/// A direction as the counters know it.
fn counted(direction: Direction) -> Option<coverage::Direction> {
    Some(match direction {
        Direction::True => coverage::Direction::True,
        Direction::False => coverage::Direction::False,
        Direction::Case(value) => coverage::Direction::Case(value),
        Direction::Default => coverage::Direction::Default,
        _ => return None,
    })
}
