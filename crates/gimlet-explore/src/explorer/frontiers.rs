//! Directions that nobody took: what comes to their branches is changed so that it still comes there.
//!
//! Mutants of tests rarely come back to a branch behind a long chain of conditions, and a flip there is impossible for what
//! the run has at that point. So it is found out which bytes of a test may change without a run going elsewhere, and
//! mutants change those. What comes there is the start of the next ones: a walk among inputs that do. Some of them are
//! followed, and the one question that matters is asked.

use std::rc::Rc;
use std::time::Duration;

use gimlet_exec::coverage::BranchId;
use gimlet_mutate::{add_to_length, lines, Leeway, Mutant, CHANGE, INSERT, REMOVE};
use gimlet_trace::{Input, SourceKind};

use super::mutants::N_MUTANTS_A_TURN;
use super::questions::Patience;
use super::{Explorer, Watcher};
use crate::error::ExploreError;
use crate::run::directions::counted;
use crate::run::job::{Job, Origin, RunId};
use crate::run::walk::Stop;
use crate::schedule::{Example, Frontier, Wanted};
use crate::strategy::{Flip, Ordered};

/// How long a turn is; or so many mutants, where the clock must not decide.
const TURN: Duration = Duration::from_millis(60);
/// The part of the time in which runs are followed.
const PART_FOLLOWED: f64 = 0.4;
/// Inputs of a turn that are followed, and questions about one.
const N_FOLLOWED_MAX: usize = 16;
const N_FLIPS: usize = 4;
/// Tests that an example is joined with in a turn.
const N_JOINS: usize = 16;
/// One of so many mutants that look like an earlier one is gone on from, and of those that are shorter.
const N_SAME: usize = 8;
const N_SHORTER: usize = 3;
/// Places of a test that are tried; those between two of them are taken to be the same.
const N_TRIED: usize = 96;
/// Among so many first bytes one may say how long the rest is.
const N_HEADER: usize = 32;
/// Inputs of a walk are no longer than the test that it begins with, or the shortest by half, and so many bytes.
const LEN_OF_WALKER: usize = 20;

/// Counters of a branch: the image, and their places there.
type Place = Vec<(String, Vec<usize>)>;

impl Explorer {
    /// Notes to which branches a new test comes of which a direction was never taken.
    pub(super) fn note_frontiers(&mut self, input: &Input) -> Result<(), ExploreError> {
        if !self.scheduler.sources.frontiers.wants(input) || self.look_at(input)?.is_err() {
            return Ok(());
        }
        let Some(covered) = &self.runner.covered else { return Ok(()) };
        let branches = covered.coverage.branches();
        let reached = covered.coverage.reached(covered.last().counters());
        let open = reached.into_iter().flat_map(|branch| {
            let hits = branches[branch as usize].hits.iter().enumerate();
            hits.filter(|&(_, &hits)| hits == 0).map(move |(direction, _)| (branch, direction as u32))
        });
        self.scheduler.sources.frontiers.note(input, open);
        Ok(())
    }

    /// Spends a turn on a direction that nobody took.
    pub(super) fn press_on(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let Some(covered) = &self.runner.covered else { return Ok(()) };
        let coverage = &covered.coverage;
        let is_open = |(branch, direction): Wanted| {
            let hits = coverage.branches().get(branch as usize).and_then(|branch| branch.hits.get(direction as usize));
            hits == Some(&0)
        };
        let Some((wanted, mut frontier)) = self.scheduler.sources.frontiers.take(is_open) else { return Ok(()) };
        let pressed = self.press_on_to(wanted, &mut frontier, watcher);
        frontier.n_turns += 1;
        self.scheduler.sources.frontiers.put_back(wanted, frontier);
        pressed
    }

    fn press_on_to(
        &mut self,
        wanted: Wanted,
        frontier: &mut Frontier,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let start = self.spent();
        let Some(covered) = &self.runner.covered else { return Ok(()) };
        let place = covered.coverage.counters_of(BranchId(wanted.0));
        let Some((mut example, number)) = frontier.next_start() else { return Ok(()) };
        if example.leeway.is_none() {
            let short = if number.is_some() { self.shorten(&example.input, &place, watcher)? } else { None };
            if let Some(short) = short {
                example.input = Rc::new(short);
            }
            example.leeway = Some(self.find_leeway(&example.input, &place, watcher)?);
            if let Some(kept) = number.and_then(|number| frontier.examples.get_mut(number)) {
                *kept = example.clone();
            }
            frontier.sort();
        }
        let hits = self.mutate_there(wanted, &example, frontier, &place, watcher)?;
        let mutated = self.spent();
        frontier.mutated += (mutated - start).as_secs_f64();
        let is_follower = frontier.followed < (frontier.mutated + frontier.followed) * PART_FOLLOWED;
        if is_follower {
            self.follow_there(wanted, &hits, mutated - start, watcher)?;
            frontier.followed += (self.spent() - mutated).as_secs_f64();
        }
        Ok(())
    }

    /// The time so far; where the clock must not decide, what the work so far is taken to last.
    fn spent(&self) -> Duration {
        if self.settings.stop.steps.is_some() {
            self.work().time()
        } else {
            self.now()
        }
    }

    /// Runs mutants that are to come to a branch; those that did, the last one last.
    fn mutate_there(
        &mut self,
        wanted: Wanted,
        start: &Example,
        frontier: &mut Frontier,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<Rc<Input>>, ExploreError> {
        let is_repeatable = self.settings.stop.steps.is_some();
        let begin = self.now();
        if frontier.walker.is_none() {
            frontier.len_of_walk = (frontier.shortest() * 3 / 2).max(start.input.len()) + LEN_OF_WALKER;
        }
        let len_max = frontier.len_of_walk;
        let mut hits = self.join_there(wanted, frontier, place, watcher)?;
        let mut walker = start.clone();
        for number in 0.. {
            let is_over = if is_repeatable { number >= N_MUTANTS_A_TURN } else { self.now() - begin >= TURN };
            if is_over || self.end().is_some() || !self.is_open(wanted) {
                break;
            }
            let Some(mutation) = &mut self.makers.mutation else { break };
            let leeway = walker.leeway.as_deref().unwrap_or_default();
            let Some((mutant, leeway)) = mutation.breeder.aim(&walker.input, leeway) else { break };
            let input = mutant.input.clone();
            let look = self.run_this(mutant, place, watcher)?;
            let Some(look) = look.filter(|_| input != *walker.input && input.len() <= len_max) else { continue };
            // What looks the same as others on its way is the same, or a number is another one.
            let (old, new) = (walker.input.len(), input.len());
            let is_drift = number % N_SAME == 0 && new <= old || number % N_SHORTER == 0 && new < old;
            if !frontier.is_new(look) && !is_drift {
                continue;
            }
            walker = Example { input: Rc::new(input), leeway: Some(leeway) };
            hits.push(walker.input.clone());
            if walker.input.len() < frontier.shortest() && !frontier.is_known(&walker.input) {
                frontier.keep(walker.clone());
            }
        }
        match &mut frontier.walker {
            Some((kept, _)) => *kept = walker,
            None if !hits.is_empty() => frontier.walker = Some((walker, 0)),
            None => {}
        }
        Ok(hits)
    }

    /// Joins the shortest example with tests that it was not joined with: what they lead to may be what it needs.
    fn join_there(
        &mut self,
        wanted: Wanted,
        frontier: &mut Frontier,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<Rc<Input>>, ExploreError> {
        let mut hits = Vec::new();
        let Some(input) = frontier.examples.first().map(|example| example.input.clone()) else { return Ok(hits) };
        let source = (0..input.sources.len()).max_by_key(|&number| input.sources[number].bytes.len());
        for _ in 0..N_JOINS {
            let Some(mutation) = self.makers.mutation.as_mut().filter(|it| frontier.n_joined < it.breeder.n_tests())
            else {
                break;
            };
            let joined = mutation.breeder.join(&input, source.unwrap_or(0), frontier.n_joined);
            frontier.n_joined += 1;
            for mutant in joined.into_iter().flatten() {
                if self.end().is_some() || !self.is_open(wanted) {
                    return Ok(hits);
                }
                let input = mutant.input.clone();
                if !frontier.is_first(&input) {
                    continue;
                }
                if self.run_this(mutant, place, watcher)?.is_some_and(|look| frontier.is_new(look)) {
                    hits.push(Rc::new(input));
                }
            }
        }
        Ok(hits)
    }

    fn is_open(&self, (branch, direction): Wanted) -> bool {
        let covered = self.runner.covered.as_ref();
        covered.is_some_and(|it| it.coverage.branch(BranchId(branch)).hits.get(direction as usize) == Some(&0))
    }

    /// Runs a mutant, which is a test if it does anything new; if it came to a place, what it looks like.
    fn run_this(
        &mut self,
        mutant: Mutant,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<u64>, ExploreError> {
        let mut found = None;
        self.run_mutant_with(mutant, watcher, |covered| {
            let is_there = comes_to(covered.last().counters(), place);
            found = is_there.then(|| gimlet_mutate::look(covered.last().counters().map(|(_, bytes)| bytes)));
        })?;
        Ok(found)
    }

    /// Follows some of the inputs that came to a branch, and asks for the direction.
    fn follow_there(
        &mut self,
        wanted: Wanted,
        hits: &[Rc<Input>],
        mutated: Duration,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let limit = self.now() + mutated.mul_f64(PART_FOLLOWED / (1.0 - PART_FOLLOWED));
        let n_wanted = hits.len().min(N_FOLLOWED_MAX);
        // Spread over the walk: those that follow one another are alike.
        for number in (0..n_wanted).rev() {
            let input = &hits[(number + 1) * hits.len() / n_wanted - 1];
            if self.end().is_some() || !self.is_open(wanted) || self.is_timed() && self.now() > limit {
                break;
            }
            let run = self.known.counts.executions as RunId;
            let origin = Origin::Mutant { source: None, n_covered: 0, is_grafted: false };
            self.run(Job::of((**input).clone(), origin), watcher)?;
            let flips = self.flips_there(run, wanted);
            if !flips.is_empty() {
                self.expand(run, &flips, Patience::Little)?;
            }
        }
        Ok(())
    }

    /// Flips of a run to a direction, the last ones.
    fn flips_there(&mut self, run: RunId, (branch, direction): Wanted) -> Vec<Flip> {
        let Some(covered) = &self.runner.covered else { return Vec::new() };
        let Some(followed) = self.known.runs.take(run) else { return Vec::new() };
        let wanted = covered.coverage.branch(BranchId(branch)).directions.get(direction as usize);
        let stops = followed.walk.stops.iter().enumerate().rev();
        let there = stops.filter(|(_, stop)| {
            !stop.is_model && covered.coverage.branch_at(&followed.trace.modules, stop.site) == Some(BranchId(branch))
        });
        let flip = |&other: &_| counted(other).filter(|it| Some(it) == wanted).map(|_| Some(Ordered(other)));
        let mut flips: Vec<Flip> = there
            .flat_map(|(step, stop)| stop.others.iter().filter_map(flip).map(move |direction| Flip { step, direction }))
            .take(N_FLIPS)
            .collect();
        if flips.is_empty() {
            // It does not depend on the input itself; what is asked beside it may.
            let function = &covered.coverage.branch(BranchId(branch)).function;
            let stops = followed.walk.stops.iter().enumerate().rev().filter(|(_, stop)| {
                let branch = covered.coverage.branch_at(&followed.trace.modules, stop.site);
                !stop.is_model && branch.is_some_and(|it| covered.coverage.branch(it).function == *function)
            });
            let of_stop = |(step, stop): (usize, &Stop)| {
                let other = stop.others.first().copied();
                other.map(|direction| Flip { step, direction: Some(Ordered(direction)) })
            };
            flips = stops.filter_map(of_stop).take(N_FLIPS).collect();
        }
        flips.sort_unstable();
        self.known.runs.keep(followed);
        flips
    }

    /// Leaves out what a run can do without on its way to a place: lines, and parts of the whole.
    fn shorten(
        &mut self,
        input: &Input,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Input>, ExploreError> {
        let mut short = input.clone();
        for number in (0..input.sources.len()).filter(|&number| input.sources[number].kind != SourceKind::Named) {
            let lines = lines(&input.sources[number].bytes);
            for line in lines.into_iter().rev().take(N_TRIED) {
                let mut shorter = short.clone();
                shorter.sources[number].bytes.drain(line);
                if self.comes_to(&shorter, place, watcher)? {
                    short = shorter;
                }
            }
        }
        let mut n_left = N_TRIED;
        for number in (0..input.sources.len()).filter(|&number| input.sources[number].kind != SourceKind::Named) {
            let mut n_bytes = short.sources[number].bytes.len().next_power_of_two() / 4;
            while n_bytes > 0 {
                let mut end = short.sources[number].bytes.len();
                while end > 0 && n_left > 0 {
                    n_left -= 1;
                    let mut shorter = short.clone();
                    shorter.sources[number].bytes.drain(end.saturating_sub(n_bytes)..end);
                    if self.comes_to(&shorter, place, watcher)? {
                        short = shorter;
                    }
                    end = end.saturating_sub(n_bytes);
                }
                n_bytes /= 2;
            }
        }
        Ok((short != *input).then_some(short))
    }

    /// Finds out what may be done to an input that comes to a place.
    fn find_leeway(
        &mut self,
        input: &Input,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<Leeway>, ExploreError> {
        let mut all = Vec::new();
        for number in 0..input.sources.len() {
            let has_fixed_len = input.sources[number].kind == SourceKind::Named;
            let len = input.sources[number].bytes.len();
            let mut leeway = Leeway::none(len);
            self.try_changes(input, number, &mut leeway, place, watcher)?;
            if !has_fixed_len {
                self.try_lengths(input, number, &mut leeway, place, watcher)?;
                let can_grow = (0..=len).any(|at| leeway.may(at, INSERT));
                if !can_grow && self.find_length(input, number, &mut leeway, place, watcher)? {
                    self.try_lengths(input, number, &mut leeway, place, watcher)?;
                }
            }
            if !has_fixed_len {
                // Another test may stand before this one, or behind it.
                leeway.allow(0, INSERT);
                leeway.allow(len, INSERT);
            }
            all.push(leeway);
        }
        Ok(all)
    }

    fn try_changes(
        &mut self,
        input: &Input,
        number: usize,
        leeway: &mut Leeway,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let bytes = &input.sources[number].bytes;
        for (at, end) in blocks(bytes.len()) {
            let mut changed = input.clone();
            let Some(mutation) = &mut self.makers.mutation else { return Ok(()) };
            changed.sources[number].bytes[at] = mutation.breeder.other_byte(bytes[at]);
            if self.comes_to(&changed, place, watcher)? {
                (at..end).for_each(|at| leeway.allow(at, CHANGE));
            }
        }
        Ok(())
    }

    /// Tries what may be put in, and left out.
    fn try_lengths(
        &mut self,
        input: &Input,
        number: usize,
        leeway: &mut Leeway,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let bytes = &input.sources[number].bytes;
        let last = (bytes.len(), bytes.len() + 1);
        for (at, end) in blocks(bytes.len()).chain([last]) {
            for more in fillers(bytes, at) {
                let mut longer = bytes.clone();
                longer.insert(at, more);
                if self.comes_to(&with_bytes(input, number, longer, leeway.length_at, 1), place, watcher)? {
                    (at..end).for_each(|at| leeway.allow(at, INSERT));
                    break;
                }
            }
            if at < bytes.len() && leeway.length_at != Some(at) {
                let mut shorter = bytes.clone();
                shorter.remove(at);
                let length_at = leeway.length_at.map(|length| length - usize::from(length > at));
                if self.comes_to(&with_bytes(input, number, shorter, length_at, -1), place, watcher)? {
                    (at..end).for_each(|at| leeway.allow(at, REMOVE));
                }
            }
        }
        Ok(())
    }

    /// Looks for a byte of a header that says how long the rest is.
    fn find_length(
        &mut self,
        input: &Input,
        number: usize,
        leeway: &mut Leeway,
        place: &Place,
        watcher: &mut dyn Watcher,
    ) -> Result<bool, ExploreError> {
        let bytes = &input.sources[number].bytes;
        for at in (0..bytes.len().min(N_HEADER)).filter(|&at| !leeway.may(at, CHANGE)) {
            for put in [bytes.len(), (at + 1 + bytes.len()) / 2] {
                let mut longer = bytes.clone();
                longer.insert(put, bytes[put.min(bytes.len() - 1)]);
                if self.comes_to(&with_bytes(input, number, longer, Some(at), 1), place, watcher)? {
                    leeway.length_at = Some(at);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether an input comes to a place. It is a mutant as all others are: what it finds is kept.
    fn comes_to(&mut self, input: &Input, place: &Place, watcher: &mut dyn Watcher) -> Result<bool, ExploreError> {
        let Some(mutation) = self.makers.mutation.as_ref().filter(|_| self.end().is_none()) else { return Ok(false) };
        let mutant = mutation.breeder.mutant(input);
        Ok(self.run_this(mutant, place, watcher)?.is_some())
    }
}

/// An input with other bytes in a source; what says there how long the rest is stays true.
fn with_bytes(input: &Input, number: usize, mut bytes: Vec<u8>, length_at: Option<usize>, delta: i64) -> Input {
    if let Some(at) = length_at {
        add_to_length(&mut bytes, at, delta);
    }
    let mut changed = input.clone();
    changed.sources[number].bytes = bytes;
    changed
}

/// Places of a text that are tried, each with the end of those that it stands for.
fn blocks(len: usize) -> impl Iterator<Item = (usize, usize)> {
    let step = len.div_ceil(N_TRIED).max(1);
    (0..len).step_by(step).map(move |at| (at, (at + step).min(len)))
}

/// What is put in before a byte, to see whether anything may be: the same once more; where lines begin and end, an empty one;
/// a digit.
fn fillers(bytes: &[u8], at: usize) -> impl Iterator<Item = u8> + use<> {
    let before = at.checked_sub(1).map(|at| bytes[at]);
    let next = bytes.get(at).copied();
    let is_end = before == Some(b'\n') || next.is_none_or(|next| next == b'\n');
    let twin = next.or(before).unwrap_or(b'a');
    let digit = if twin == b'1' { b'0' } else { b'1' };
    [Some(twin), (is_end && twin != b'\n').then_some(b'\n'), Some(digit)].into_iter().flatten()
}

fn comes_to<'a>(
    counters: impl Iterator<Item = (&'a std::sync::Arc<gimlet_exec::edges::EdgeImage>, &'a [u8])>,
    place: &Place,
) -> bool {
    let mut counters = counters;
    counters.any(|(image, bytes)| {
        let there = place.iter().filter(|(path, _)| *path == image.path);
        there.flat_map(|(_, at)| at).any(|&at| bytes.get(at).is_some_and(|&hits| hits > 0))
    })
}
