//! A search that was stopped goes on.
//!
//! Counters, paths, findings and all inputs that were ever made come from the store. What strategies know of runs does
//! not: the tests are run again, and from what they do it follows what is left to ask of them, less what the store says
//! was asked. Runs that are no tests wait until the strategy has nothing else to do (they are most of all runs, and what
//! is special about them is little). Inputs that waited wait again, with the walk of the run that they were made from, to
//! see whether they go where they should.

use std::rc::Rc;

use gimlet_exec::ExecError;
use gimlet_expr::Cutting;
use gimlet_path::PathCondition;
use gimlet_report::{read, Maker, Note};
use gimlet_store::{Aim, Record, State, Verdict, TEAM};
use gimlet_trace::shm::stop;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cover::Covering;
use super::{Explorer, Made, Watcher};
use crate::ask::expand::Followed;
use crate::corpus::{string_of, Left};
use crate::error::ExploreError;
use crate::findings::Finding;
use crate::run::job::{Expectation, Job, Origin, RunId};
use crate::run::walk::{Level, Walk};
use crate::schedule::name_of_question;
use crate::strategy::{Flip, Ordered, Priority, Ran};

/// Runs that others were made from, made again.
#[derive(Default)]
struct Parents {
    walks: FxHashMap<RunId, Rc<Walk>>,
    /// What was decided where others parted, by run and step.
    conditions: FxHashMap<(RunId, usize), Option<Rc<Cutting>>>,
}

impl Explorer {
    /// Takes up what an earlier search left.
    pub(super) fn take_up(&mut self, left: Left, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        left.notes.iter().for_each(|note| watcher.note(note));
        let history = left.history;
        self.restore(Note::from_text(history.progress.as_deref().unwrap_or_default()), history.next_run);
        self.known.seen.add_paths(&history.paths);
        self.known.directions.restore(read::branches(&history.branches));
        for (member, last) in &history.synced {
            if !self.is_known_of_team(member, *last) {
                self.team.sync.iter_mut().for_each(|sync| sync.is_known(member, *last));
            }
        }
        let (mut records, waiting): (Vec<Record>, Vec<Record>) =
            history.records.into_iter().partition(|record| record.state != State::Waiting);
        for finding in history.findings {
            let signature = finding.signature;
            match finding.run {
                Some(run) => records.extend(self.known.corpus.run(run as RunId)?),
                None => drop(self.count_branches(&finding.input)?),
            }
            if let Some(finding) = Finding::from_record(finding) {
                self.known.findings.add(signature, finding);
            }
        }
        self.take_up_strings(&history.synced, &waiting, &history.open, watcher)?;
        let mut parents = Parents::default();
        let mut taken_up = FxHashSet::default();
        for record in &records {
            if let Some(run) = record.state.run().filter(|&run| taken_up.insert(run)) {
                self.run_again(record, run as RunId, &mut parents)?;
                self.show(watcher);
            }
        }
        let backlog = history.open.iter().rev().filter(|run| !taken_up.contains(run)).map(|&run| run as RunId);
        self.scheduler.sources.backlog.fill(backlog.collect());
        for record in waiting {
            // What is a test was counted before, here or elsewhere.
            let n_covered = match record.kept {
                Some(_) => {
                    let n_covered = self.count_branches(&record.input)?.map(|counted| counted.n_new);
                    self.scheduler.sources.stretches.note(&record.input, n_covered > Some(0));
                    n_covered
                }
                None => None,
            };
            if record.maker.starts_with(TEAM) {
                // Its maker asks about it.
                continue;
            }
            if string_of(&record.maker).is_some() && self.string_again(&record).is_none() {
                // Its string is explored from its beginning.
                continue;
            }
            let job = self.job_again(record, n_covered, &mut parents)?;
            self.scheduler.offer(job, Priority::High);
        }
        // What was done again is no step of this search.
        self.time.n_earlier_runs = self.known.counts.executions;
        self.known.corpus.commit()
    }

    /// Takes up a run that has something left to ask.
    pub(super) fn take_up_again(&mut self, run: RunId) -> Result<(), ExploreError> {
        match self.known.corpus.run(run)? {
            Some(record) => self.run_again(&record, run, &mut Parents::default()),
            None => Ok(()),
        }
    }

    /// Runs an input of an earlier search once more, to see what is left to ask.
    fn run_again(&mut self, record: &Record, run: RunId, parents: &mut Parents) -> Result<(), ExploreError> {
        if self.plan().is_exhaustive && matches!(record.state, State::Closed { .. }) && self.runner.covered.is_some() {
            // Only its coverage is of interest.
            return self.count_branches(&record.input).map(drop);
        }
        let visited = self.visited_again(record, parents)?;
        let bound = record.bound as usize;
        let (input, string) = (record.input.clone(), self.string_again(record));
        let made = Made { has_tokens: self.is_for_tokens(&input), input, bound, visited, string };
        let Some(followed) = self.follow(run, &made)? else { return Ok(()) };
        if followed.trace.outcome == Outcome::Interrupted {
            return Err(ExecError::Interrupted.into());
        }
        let is_ruled_out = followed.trace.stops & stop::ASSUMPTION != 0;
        let news = if is_ruled_out { Default::default() } else { self.known.seen.add(&followed.walk) };
        let Covering { n_covered, rarest_branch, .. } = self.cover(&followed)?;
        let is_landmark = n_covered > 0;
        if record.kept.is_some() {
            self.scheduler.sources.stretches.note(&record.input, is_landmark);
        }
        let mut asked = self.asked_before(&followed, is_landmark)?;
        let is_seed = record.maker == Maker::Seed.name();
        asked.extend(self.of_others(&followed.walk, is_seed));
        let ran = Ran {
            run,
            walk: &followed.walk,
            bound,
            brought: if n_covered > 0 { Some(Level::Site) } else { news.level() },
            n_new: news.n_new[Level::Site as usize].max(n_covered as usize),
            is_landmark,
            rarest_branch,
            took: followed.took,
            origin: if is_seed { Origin::Seed } else { Origin::Earlier { n_covered: None } },
            asked: &asked,
        };
        let n_hard =
            self.scheduler.sources.hard.iter().filter(|asked| asked.run == run && asked.flip.step >= bound).count();
        self.known.corpus.reopen(record, run, ran.flips().count() + n_hard);
        self.scheduler.ran(&ran, &self.known.seen);
        self.known.runs.made.insert(run, Made { input: followed.trace.input.clone(), ..made });
        self.known.runs.keep(followed);
        Ok(())
    }

    /// Flips of a run that need not be asked; those that were too hard are to be asked again with patience.
    fn asked_before(&mut self, followed: &Followed, is_landmark: bool) -> Result<FxHashSet<Flip>, ExploreError> {
        let walk = &followed.walk;
        let first = if is_landmark { 0 } else { followed.bound };
        let at_end = walk.stops.iter().take(followed.bound).position(|stop| stop.is_at_end);
        let longer = at_end.map(|step| Flip { step, direction: None });
        let flips: Vec<Flip> = longer.into_iter().chain(walk.flips(first)).collect();
        let verdicts = self.known.corpus.verdicts(walk, followed.bound, &flips)?;
        let mut asked = FxHashSet::default();
        for (&flip, verdict) in flips.iter().zip(verdicts) {
            let Some(verdict) = verdict else { continue };
            asked.insert(flip);
            if let Some(Ordered(direction)) = flip.direction {
                self.known.seen.ask(&walk.stops[flip.step], direction);
            }
            if verdict == Verdict::Deferred {
                self.scheduler.sources.hard.add(followed.run, flip, name_of_question(walk, flip));
            }
        }
        Ok(asked)
    }

    /// An input that waited.
    fn job_again(
        &mut self,
        record: Record,
        n_covered: Option<u64>,
        parents: &mut Parents,
    ) -> Result<Job, ExploreError> {
        let (visited, string) = (self.visited_again(&record, parents)?, self.string_again(&record));
        let parent = record.parent.map(|parent| parent as RunId);
        let walk = match (parent, record.aim) {
            (Some(parent), Some(_)) => self.walk_again(parent, parents)?,
            _ => None,
        };
        let expectation = record.aim.zip(walk).and_then(|(Aim { step, way }, walk)| {
            let direction = way.and_then(Ordered::from_rank).map(|Ordered(direction)| direction);
            let step = step as usize;
            (step < walk.stops.len()).then_some(Expectation { walk, step, direction })
        });
        let origin = match origin(&record.maker, parent, expectation.as_ref()) {
            Origin::Earlier { .. } => Origin::Earlier { n_covered },
            Origin::Length { parent, .. } => Origin::Length { parent, n_covered },
            origin => origin,
        };
        // Without its parent it is on a path of its own.
        let bound = if record.aim.is_some() && expectation.is_none() { 0 } else { record.bound as usize };
        Ok(Job { input: record.input, origin, bound, visited, expectation, string })
    }

    fn walk_again(&mut self, run: RunId, parents: &mut Parents) -> Result<Option<Rc<Walk>>, ExploreError> {
        if let Some(walk) = parents.walks.get(&run) {
            return Ok(Some(Rc::clone(walk)));
        }
        let Some(record) = self.known.corpus.run(run)? else { return Ok(None) };
        let has_tokens = self.is_for_tokens(&record.input);
        let bound = record.bound as usize;
        let made = Made { input: record.input, bound, visited: Vec::new(), string: None, has_tokens };
        let followed = self.follow(run, &made)?;
        Ok(followed.map(|followed| Rc::clone(parents.walks.entry(run).or_insert(followed.walk))))
    }

    /// The conditions of the runs that an input parted from where the choices have no list: those of its parent, and of
    /// all before it that parted at the same step.
    fn visited_again(&mut self, record: &Record, parents: &mut Parents) -> Result<Vec<Rc<Cutting>>, ExploreError> {
        let mut conditions = Vec::new();
        let Some(Aim { step, .. }) = record.aim else { return Ok(conditions) };
        let mut parent = if record.bound == step { record.parent } else { None };
        while let Some(run) = parent {
            let Some(record) = self.known.corpus.run(run as RunId)? else { break };
            conditions.extend(self.condition_again(&record, run as RunId, step as usize, parents)?);
            let has_parted_here = record.bound == step && record.aim.is_some_and(|aim| aim.step == step);
            parent = if has_parted_here { record.parent } else { None };
        }
        conditions.reverse();
        Ok(conditions)
    }

    /// What a run decided at a step.
    fn condition_again(
        &mut self,
        record: &Record,
        run: RunId,
        step: usize,
        parents: &mut Parents,
    ) -> Result<Option<Rc<Cutting>>, ExploreError> {
        if let Some(known) = parents.conditions.get(&(run, step)) {
            return Ok(known.clone());
        }
        let condition = match self.trace(&record.input)? {
            Some(trace) => condition(&trace, step)?.map(Rc::new),
            None => None,
        };
        parents.conditions.insert((run, step), condition.clone());
        Ok(condition)
    }
}

fn condition(trace: &Trace, step: usize) -> Result<Option<Cutting>, ExploreError> {
    let path = PathCondition::from_trace(trace)?;
    Ok(path.steps.get(step).map(|step| path.dag.cut(step.condition)))
}

/// Where an input comes from, as far as its maker is known here.
fn origin(maker: &str, parent: Option<RunId>, expectation: Option<&Expectation>) -> Origin {
    let aim = expectation.and_then(|it| Some((it.walk.stops.get(it.step)?.site, it.direction?)));
    if maker.starts_with(TEAM) {
        return Origin::Earlier { n_covered: None };
    }
    match (Maker::from_text(maker), parent, aim) {
        (Maker::Seed, ..) => Origin::Seed,
        (Maker::Grammar, ..) => Origin::Grammar,
        (Maker::Flip, Some(parent), Some((site, direction))) => Origin::Flip { parent, site, direction },
        (Maker::Length, Some(parent), _) => Origin::Length { parent, n_covered: None },
        (Maker::Word, Some(parent), _) => Origin::Word { parent, name: None },
        _ => Origin::Earlier { n_covered: None },
    }
}
