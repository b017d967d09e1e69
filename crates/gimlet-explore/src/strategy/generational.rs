//! SAGE's generational search, with the new first.
//!
//! All inputs that the solver found are run before another run is expanded. Of the runs that wait, those come first
//! with a flip to a direction that no run has taken at that site; then those with one that is new at its place (calling
//! context, round of a loop); and when there is nothing new any more, everything that is left, first of the runs that
//! brought something new themselves. Violations (a division that traps, an assertion that fails) are asked for in every
//! run. Among equals the run comes
//! first that took the most new directions itself, then the shorter one; of what is left, a few flips of each run in turn.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use gimlet_path::Direction;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Flip, Ordered, Ran, Strategy, Task};
use crate::job::{Job, RunId};
use crate::seen::Seen;

/// A direction that so many attempts have not reached is asked for but once in each run.
const N_ATTEMPTS: u32 = 8;
/// Violations that are asked for at one place of a run at a time.
const N_VIOLATIONS: u32 = 64;
/// The same for a direction at one place.
const N_ATTEMPTS_AT_PLACE: u32 = 2;

/// How new a flip is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    Direction,
    Place,
    Rest,
}

/// A flip with what decides its class.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    flip: Flip,
    site: u32,
    place: u64,
    /// The last of its run that goes this way at this site.
    is_last: bool,
}

#[derive(Debug)]
struct Waiting {
    candidates: Vec<Candidate>,
    n_new: usize,
    tier: Tier,
    n_steps: usize,
    /// How often it has had its turn with nothing new.
    n_turns: usize,
}

/// Flips of one run that are asked at a time, once nothing is new.
const N_FLIPS_A_TURN: usize = 16;

/// What a run brought.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Tier {
    Directions,
    Places,
    Nothing,
}

/// Order in the heap: the greatest comes first. Class, tier, turns, new directions, steps, age.
type Rank = (Reverse<Class>, Reverse<Tier>, Reverse<usize>, usize, Reverse<usize>, Reverse<RunId>);

#[derive(Default)]
pub struct Generational {
    jobs: VecDeque<Job>,
    runs: FxHashMap<RunId, Waiting>,
    heap: BinaryHeap<Rank>,
}

impl Generational {
    fn push(&mut self, run: RunId, seen: &Seen) {
        let Some(waiting) = self.runs.get(&run) else { return };
        let Some(class) = waiting.candidates.iter().map(|candidate| class(candidate, seen)).min() else {
            self.runs.remove(&run);
            return;
        };
        let n_turns = if class == Class::Rest { waiting.n_turns } else { 0 };
        let tier = if class == Class::Rest { waiting.tier } else { Tier::Directions };
        self.heap.push((
            Reverse(class),
            Reverse(tier),
            Reverse(n_turns),
            waiting.n_new,
            Reverse(waiting.n_steps),
            Reverse(run),
        ));
    }
}

/// Takes the candidates of a class. A loop has the same one in every round, and a few attempts are enough.
fn take(candidates: &mut Vec<Candidate>, wanted: Class, seen: &Seen) -> Vec<Flip> {
    let mut attempts: FxHashMap<(u64, Option<Ordered>), u32> = FxHashMap::default();
    let mut taken = Vec::new();
    candidates.retain(|candidate| {
        if class(candidate, seen) != wanted {
            return true;
        }
        let (name, most) = match wanted {
            Class::Direction if is_violation(candidate) => (candidate.place, N_VIOLATIONS),
            Class::Direction => (candidate.site.into(), N_ATTEMPTS),
            _ => (candidate.place, N_ATTEMPTS_AT_PLACE),
        };
        let count = attempts.entry((name, candidate.flip.direction)).or_default();
        *count += 1;
        if *count > most {
            return true;
        }
        taken.push(candidate.flip);
        false
    });
    taken
}

/// Takes the few candidates that were asked least often.
fn take_rarest(candidates: &mut Vec<Candidate>, seen: &Seen) -> Vec<Flip> {
    let n_asked = |candidate: &Candidate| match candidate.flip.direction {
        Some(Ordered(direction)) => seen.n_asked_at(candidate.place, direction),
        None => 0,
    };
    candidates.sort_by_key(|candidate| Reverse((n_asked(candidate), candidate.flip)));
    let rest = candidates.len().saturating_sub(N_FLIPS_A_TURN);
    let mut taken: Vec<Flip> = candidates.drain(rest..).map(|candidate| candidate.flip).collect();
    taken.sort_unstable();
    taken
}

fn is_violation(candidate: &Candidate) -> bool {
    let Some(Ordered(direction)) = candidate.flip.direction else { return false };
    matches!(direction, Direction::ByZero | Direction::Overflow | Direction::Fails)
}

fn class(candidate: &Candidate, seen: &Seen) -> Class {
    let Candidate { flip: Flip { direction: Some(Ordered(direction)), .. }, site, place, is_last } = *candidate else {
        // Another length: every so often there is something behind it.
        return Class::Place;
    };
    if is_violation(candidate) {
        return Class::Direction;
    }
    if !seen.is_taken(site, direction) && (is_last || seen.n_asked(site, direction) < N_ATTEMPTS) {
        Class::Direction
    } else if !seen.is_place_taken(place, direction) && seen.n_asked_at(place, direction) < N_ATTEMPTS_AT_PLACE {
        Class::Place
    } else {
        Class::Rest
    }
}

impl Strategy for Generational {
    fn offer(&mut self, job: Job) {
        self.jobs.push_back(job);
    }

    fn ran(&mut self, ran: &Ran, seen: &Seen) {
        let candidate = |flip: Flip| {
            let stop = &ran.walk.stops[flip.step];
            Candidate { flip, site: stop.site, place: stop.place, is_last: false }
        };
        let mut candidates: Vec<Candidate> = ran.flips().map(candidate).collect();
        let mut known: FxHashSet<(u32, Option<Ordered>)> = FxHashSet::default();
        for candidate in candidates.iter_mut().rev() {
            candidate.is_last = known.insert((candidate.site, candidate.flip.direction));
        }
        let n_steps = ran.walk.stops.len();
        let tier = match (ran.n_new, ran.n_new_places) {
            (0, 0) => Tier::Nothing,
            (0, _) => Tier::Places,
            _ => Tier::Directions,
        };
        self.runs.insert(ran.run, Waiting { candidates, n_new: ran.n_new, tier, n_steps, n_turns: 0 });
        self.push(ran.run, seen);
    }

    fn next(&mut self, seen: &Seen) -> Option<Task> {
        if let Some(job) = self.jobs.pop_front() {
            return Some(Task::Run(job));
        }
        while let Some((Reverse(old_class), .., Reverse(run))) = self.heap.pop() {
            let Some(waiting) = self.runs.get_mut(&run) else { continue };
            let now = waiting.candidates.iter().map(|candidate| class(candidate, seen)).min();
            if now != Some(old_class) {
                // What it was new for has been taken meanwhile.
                self.push(run, seen);
                continue;
            }
            waiting.n_turns += usize::from(old_class == Class::Rest);
            let flips = match old_class {
                Class::Rest => take_rarest(&mut waiting.candidates, seen),
                class => take(&mut waiting.candidates, class, seen),
            };
            self.push(run, seen);
            return Some(Task::Expand { run, flips });
        }
        None
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len() + self.runs.len()
    }
}
