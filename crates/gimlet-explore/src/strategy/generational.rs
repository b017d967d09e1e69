//! SAGE's generational search, with the new first.
//!
//! All inputs that the solver found are run before another run is expanded. Of the runs that wait, those come first
//! with a flip to a direction that no run has taken at that site, then those with one that is new in its context
//! ([`Level`]). When nothing is new any more, three orders take turns: runs that went where few others did, by site and
//! context, with what they could have done from there on; runs that took a branch of the program that few others took,
//! whatever decided it, with what was seldom done beside that; and runs that could have gone where few went. So each context
//! and each branch is looked at, and from, as often as any other, however many inputs lead to some of them. Every
//! eighth turn, whatever is new, is for the user's inputs and what is near to them: a seed does what a program is for, and
//! a bug is often one condition away from that, at which every branch was taken by some other run. Where runs that come of one
//! run take long and bring nothing, its other inputs wait, and its descendants begin with the time that was already spent;
//! what leads to a direction that nobody took never waits. Violations (a division that traps, an assertion that fails) are
//! asked for in every run. A longer or shorter input is as good as the one
//! that it was made from.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use gimlet_path::Direction;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Flip, Ordered, Priority, Ran, Strategy, Task};
use crate::run::job::{Job, Origin, RunId};
use crate::run::seen::{Rare, Seen};
use crate::run::walk::{hash, Level};

/// A direction that so many attempts have not reached is not asked for in every run.
const N_ATTEMPTS: u32 = 8;
/// Violations that are asked for at one place of a run at a time.
const N_VIOLATIONS: u32 = 64;
/// The same for a direction at one place.
const N_ATTEMPTS_IN_CONTEXT: u32 = 2;

/// Directions that nobody has taken in spite of that, and that are asked for in each run: first those of
/// the program's own branches, then those with fewest attempts.
const N_ASKED_ANYWAY: usize = 16;

/// After so many attempts more, one run more of those that could ask does not.
const N_ATTEMPTS_A_PAUSE: u32 = 32;

/// Questions that wait in all runs: some hundred megabytes. Long runs have ten thousands each.
const N_CANDIDATES_MAX: usize = 1_500_000;

/// Inputs that bring nothing new and wait; one has its turn between so many others.
const N_ASIDE_MAX: usize = 10_000;
const N_BETWEEN_ASIDE: usize = 2;
const N_BETWEEN_ASIDE_AND_NEW: usize = 3;

/// What runs that come of one run may take in vain, before others of it wait: hundreds of short runs, or some that are given
/// up.
const MOST_IN_VAIN: Duration = Duration::from_millis(250);

/// Logarithm of the turns that a run has before one of the next generation has its first.
const LOG_TURNS_AHEAD: u32 = 2;

/// That of runs of which nobody knows what they came of: mutants, tests of other searches.
const GENERATION_OF_OTHERS: u32 = 3;

/// One turn of so many is for what is near to the user's inputs.
const N_BETWEEN_SEEDS: usize = 8;

/// How new a flip is: the first is the most so.
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
    names: [u64; 3],
    is_model: bool,
    /// Asked for although nobody took it in many attempts.
    is_asked_anyway: bool,
    /// An earlier run has the same step, and other input behind it. It is asked again only to keep that.
    is_again: bool,
}

impl Candidate {
    fn name(&self, level: Level) -> u64 {
        self.names[level as usize]
    }
}

#[derive(Debug)]
struct Waiting {
    candidates: Vec<Candidate>,
    n_new: usize,
    /// Where it went that fewest others did: a place, with its step, and a branch.
    rarest_context: Option<(usize, Rare)>,
    rarest_branch: Option<Rare>,
    n_steps: usize,
    /// Flips between it and an input of the user.
    generation: u32,
    /// How often it has had its turn, by order.
    n_turns: [u32; Order::ALL.len()],
    /// The newest of its candidates and the one with least effort, when somebody last looked at all: long runs have ten
    /// thousands, and others hardly ever become newer, or take less.
    newest: Cell<Option<(usize, Class)>>,
    least_effort: Cell<Option<(usize, u32)>>,
}

impl Waiting {
    fn class(&self, seen: &Seen) -> Option<Class> {
        least(&self.candidates, &self.newest, |candidate| class(candidate, seen))
    }

    /// Takes some of its candidates.
    fn take<T>(&mut self, choose: impl FnOnce(&mut Vec<Candidate>) -> T) -> T {
        (self.newest, self.least_effort) = Default::default();
        choose(&mut self.candidates)
    }

    /// Where it stands in an order; `None` if there is nothing to be done for that.
    fn weight(&self, order: Order, is_in_vain: bool, seen: &Seen) -> Option<u32> {
        if self.candidates.is_empty() {
            return None;
        }
        let n_runs = |rare: Option<Rare>| rare.map_or(u32::MAX, |rare| seen.n_runs(rare));
        let n_runs = match order {
            Order::New => {
                let oldest = if is_in_vain { Class::Direction } else { Class::Place };
                return self.class(seen).filter(|&class| class <= oldest).map(|class| class as u32);
            }
            Order::RareContext => n_runs(self.rarest_context.map(|(_, rare)| rare)),
            Order::RareBranch => n_runs(self.rarest_branch),
            Order::RareTarget => {
                let effort = least(&self.candidates, &self.least_effort, |candidate| effort(candidate, seen))?;
                if effort == u32::MAX {
                    // Directions that nobody took: once somebody does, they are cheap.
                    self.least_effort.set(None);
                }
                effort
            }
            Order::NearSeeds => 1 << (self.generation * LOG_TURNS_AHEAD).min(24),
        };
        // Grows with the runs that went to the same place, with the turns, and with what a turn costs.
        Some(n_runs.saturating_mul(1 + self.n_turns[order as usize]).saturating_mul(1 + self.n_steps.max(1).ilog2()))
    }
}

/// The least value of all candidates. As long as the one that had it when all were looked at still has it, hardly anybody has
/// less.
fn least<T: Copy + Ord>(
    candidates: &[Candidate],
    known: &Cell<Option<(usize, T)>>,
    value: impl Fn(&Candidate) -> T,
) -> Option<T> {
    let is_so = |&(index, known): &(usize, T)| candidates.get(index).is_some_and(|candidate| value(candidate) == known);
    let all = || candidates.iter().map(&value).enumerate().min_by_key(|&(_, value)| value);
    known.set(known.get().filter(is_so).or_else(all));
    known.get().map(|(_, value)| value)
}

/// Which run comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    New,
    RareContext,
    RareBranch,
    RareTarget,
    NearSeeds,
}

impl Order {
    const ALL: [Order; 5] = [Order::New, Order::RareContext, Order::RareBranch, Order::RareTarget, Order::NearSeeds];

    /// What is not new is looked at in these orders, in turn.
    const TURNS: [Order; 6] = [
        Order::RareContext,
        Order::RareTarget,
        Order::RareTarget,
        Order::RareBranch,
        Order::RareTarget,
        Order::RareTarget,
    ];

    /// Flips of one run that are asked at a time, if they are not new. Where few went is soon asked for; so it can be asked
    /// from more runs.
    fn n_flips(self) -> usize {
        match self {
            Order::RareTarget => 2,
            _ => 8,
        }
    }
}

/// How often each direction at a place was taken, or asked for, by the runs that have the same rarest branch. What is not
/// new at all may be new together with that branch: a flag that is set, a command that came before.
#[derive(Default, Debug)]
struct Beside {
    /// By the hash of all three.
    counts: FxHashMap<u64, u32>,
}

/// Counts that are kept: two thirds of what a table of a million cells holds.
const N_BESIDE_MAX: usize = 600_000;

impl Beside {
    fn add(&mut self, branch: Rare, place: u64, direction: Direction) {
        let count = self.counts.entry(hash(&(branch, place, direction))).or_default();
        *count = count.saturating_add(1);
        if self.counts.len() > N_BESIDE_MAX {
            self.thin();
        }
    }

    /// Halves all counts. What was there once is forgotten first: that it is rare can still be told.
    fn thin(&mut self) {
        while self.counts.len() > N_BESIDE_MAX / 2 {
            self.counts.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
    }

    fn count(&self, branch: Rare, place: u64, direction: Direction) -> u32 {
        self.counts.get(&hash(&(branch, place, direction))).copied().unwrap_or(0)
    }
}

/// So many questions count as much as a run.
const N_QUESTIONS_A_RUN: u32 = 8;

/// Order in a heap: the greatest comes first. Weight, new directions, steps, age.
type Rank = (Reverse<u32>, usize, Reverse<usize>, Reverse<RunId>);

/// Inputs that bring nothing new, in three orders that take turns: by age, so that all that is one token away from a seed
/// has its turn; those of low, not lowest priority; and those that were made of runs that did something rare.
#[derive(Default)]
struct Aside {
    jobs: FxHashMap<usize, Job>,
    /// Numbers of jobs. The rank of one that the orders do not tell apart is its age.
    orders: [BinaryHeap<Reverse<(u32, usize)>>; 3],
    n_added: usize,
    n_taken: usize,
}

impl Aside {
    /// A job, with the logarithm of how many runs took the rarest branch of the run that it was made of.
    fn add(&mut self, job: Job, is_lowest: bool, rarity: u32) {
        let number = self.n_added;
        self.n_added += 1;
        self.jobs.insert(number, job);
        for (order, rank) in self.orders.iter_mut().zip([0, u32::from(is_lowest), rarity]) {
            order.push(Reverse((rank, number)));
        }
    }

    fn take(&mut self) -> Option<Job> {
        self.n_taken += 1;
        let order = self.n_taken % self.orders.len();
        loop {
            let Reverse((_, number)) = self.orders[order].pop()?;
            // Another order may have taken it.
            if let Some(job) = self.jobs.remove(&number) {
                return Some(job);
            }
        }
    }
}

#[derive(Default)]
pub struct Generational {
    jobs: VecDeque<Job>,
    /// Those that bring nothing new, as far as branches tell, and turns since the last of them.
    aside: Aside,
    n_since_aside: usize,
    /// How many runs had taken the rarest branch of a run.
    rarity: FxHashMap<RunId, u32>,
    /// Of all runs.
    generations: FxHashMap<RunId, u32>,
    /// What the runs that came of a run took, since one of them brought a direction; and before that what its own siblings had
    /// taken.
    in_vain: FxHashMap<RunId, Duration>,
    runs: FxHashMap<RunId, Waiting>,
    /// One for each order.
    heaps: [BinaryHeap<Rank>; Order::ALL.len()],
    n_chosen: usize,
    n_ran: usize,
    /// Of all runs, and those that were forgotten lately.
    n_candidates: usize,
    n_forgotten: u64,
    /// When it last looked, something was new.
    had_new: bool,
    beside: Beside,
    /// New directions of runs that had any, or new places.
    news: FxHashMap<RunId, usize>,
}

impl Generational {
    /// Whether there is something to ask that would be new.
    fn has_new(&mut self, seen: &Seen) -> bool {
        self.had_new = self.first(Order::New, seen).is_some();
        self.had_new
    }

    /// Puts a run where it belongs in an order.
    fn push(&mut self, order: Order, run: RunId, seen: &Seen) {
        let Some(waiting) = self.runs.get(&run) else { return };
        if let Some(weight) = waiting.weight(order, self.is_in_vain(run), seen) {
            let rank = (Reverse(weight), waiting.n_new, Reverse(waiting.n_steps), Reverse(run));
            self.heaps[order as usize].push(rank);
        }
    }

    /// The first run of an order. Weights hardly ever shrink, so it is enough to look again at those that come first.
    fn first(&mut self, order: Order, seen: &Seen) -> Option<RunId> {
        loop {
            let &(Reverse(old), .., Reverse(run)) = self.heaps[order as usize].peek()?;
            let now = self.runs.get(&run).and_then(|waiting| waiting.weight(order, self.is_in_vain(run), seen));
            if now == Some(old) {
                return Some(run);
            }
            self.heaps[order as usize].pop();
            self.push(order, run, seen);
        }
    }

    /// Forgets every other question that is not new, in all runs, and if that leaves more than are wanted every other one.
    fn thin(&mut self, n_wanted: usize, seen: &Seen) {
        for is_any_forgotten in [false, true] {
            if self.n_candidates <= n_wanted {
                return;
            }
            let n_before = self.n_candidates;
            let mut is_odd = false;
            self.runs.retain(|_, waiting| {
                waiting.take(|candidates| {
                    candidates.retain(|candidate| {
                        let can_go = is_any_forgotten || class(candidate, seen) == Class::Rest;
                        is_odd ^= can_go;
                        !can_go || is_odd
                    });
                    candidates.shrink_to_fit();
                });
                !waiting.candidates.is_empty()
            });
            self.n_candidates = self.runs.values().map(|waiting| waiting.candidates.len()).sum();
            self.n_forgotten += (n_before - self.n_candidates) as u64;
        }
    }

    /// An input that brings nothing new, if it is time for one.
    fn next_aside(&mut self, seen: &Seen) -> Option<Job> {
        if self.aside.jobs.is_empty() {
            return None;
        }
        self.n_since_aside += 1;
        let n_between = if self.has_new(seen) { N_BETWEEN_ASIDE_AND_NEW } else { N_BETWEEN_ASIDE };
        if self.n_since_aside <= n_between {
            return None;
        }
        self.n_since_aside = 0;
        self.aside.take()
    }

    /// Keeps an input that brings nothing new.
    fn put_aside(&mut self, job: Job, is_lowest: bool) {
        if self.aside.jobs.len() >= N_ASIDE_MAX {
            self.n_forgotten += 1;
            return;
        }
        let n_runs = job.origin.parent().and_then(|parent| self.rarity.get(&parent).copied()).unwrap_or(u32::MAX);
        self.aside.add(job, is_lowest, n_runs.checked_ilog2().unwrap_or(0));
    }

    /// The next input, without those whose like have taken long enough in vain.
    fn next_job(&mut self, seen: &Seen) -> Option<Job> {
        while let Some(job) = self.jobs.pop_front() {
            let can_wait = match job.origin {
                Origin::Flip { parent, direction, .. } => {
                    self.is_in_vain(parent) && !is_wrong(direction) && !leads_somewhere_new(&job, seen)
                }
                _ => false,
            };
            if !can_wait {
                return Some(job);
            }
            self.put_aside(job, true);
        }
        None
    }

    /// Whether what comes of a run takes long and brings nothing. What the user gave has all the time there is.
    fn is_in_vain(&self, run: RunId) -> bool {
        let is_seed = || self.generations.get(&run) == Some(&0);
        self.in_vain.get(&run).is_some_and(|&time| time >= MOST_IN_VAIN) && !is_seed()
    }

    /// Adds what a run took to that of the run that it came of, unless it brought something.
    fn note_time(&mut self, ran: &Ran) {
        let Some(parent) = ran.origin.parent().filter(|_| !ran.took.is_zero()) else { return };
        if ran.brought == Some(Level::Site) {
            self.in_vain.remove(&parent);
            return;
        }
        let time = self.in_vain.entry(parent).or_default();
        *time += ran.took;
        let time = *time;
        self.in_vain.insert(ran.run, time);
    }

    /// How far a run is from an input of the user.
    fn generation(&mut self, ran: &Ran) -> u32 {
        let generation = match (ran.origin, ran.origin.parent()) {
            (Origin::Seed, _) => 0,
            (_, Some(parent)) => 1 + self.generations.get(&parent).copied().unwrap_or(0),
            (_, None) => GENERATION_OF_OTHERS,
        };
        self.generations.insert(ran.run, generation);
        generation
    }

    fn choose(&mut self, seen: &Seen) -> Option<(Order, RunId)> {
        self.n_chosen += 1;
        let turn = Order::TURNS[self.n_chosen % Order::TURNS.len()];
        let near_seeds = self.n_chosen.is_multiple_of(N_BETWEEN_SEEDS).then_some(Order::NearSeeds);
        let orders = near_seeds.into_iter().chain([Order::New, turn]).chain(Order::ALL);
        orders.into_iter().find_map(|order| Some((order, self.first(order, seen)?)))
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
        let (level, most) = match wanted {
            Class::Direction if is_violation(candidate) => (Level::Context, N_VIOLATIONS),
            Class::Direction => (Level::Site, N_ATTEMPTS),
            _ => (Level::Context, N_ATTEMPTS_IN_CONTEXT),
        };
        let count = attempts.entry((candidate.name(level), candidate.flip.direction)).or_default();
        *count += 1;
        if *count > most {
            return true;
        }
        taken.push(candidate.flip);
        false
    });
    taken
}

/// How much has been spent on where a candidate leads: runs that went there, and questions.
fn effort(candidate: &Candidate, seen: &Seen) -> u32 {
    let Some(Ordered(direction)) = candidate.flip.direction.filter(|_| !candidate.is_again) else { return u32::MAX };
    let name = candidate.name(Level::Site);
    let n_asked = seen.n_asked(Level::Site, name, direction);
    match seen.n_taken(Level::Site, name, direction) {
        // Each value is asked for, and none is ever the other one.
        0 if direction == Direction::Unpinned => n_asked,
        // It may well be impossible.
        0 => u32::MAX,
        n_taken => n_taken.saturating_add(n_asked / N_QUESTIONS_A_RUN),
    }
}

/// Takes the few candidates that lead where fewest runs went. Those from a step on come first: they keep what was rare
/// before it.
fn take_rarest(candidates: &mut Vec<Candidate>, n_flips: usize, from: usize, seen: &Seen) -> Vec<Flip> {
    let rank = |candidate: &Candidate| {
        let is_before = candidate.flip.step < from;
        let Some(Ordered(direction)) = candidate.flip.direction else { return (is_before, 0, false, 0) };
        let effort = effort(candidate, seen).checked_ilog2().unwrap_or(0);
        let is_known = seen.is_iteration_taken(candidate.name(Level::Iteration), direction);
        (is_before, effort, is_known, seen.n_asked(Level::Context, candidate.name(Level::Context), direction))
    };
    take_least(candidates, n_flips, rank).iter().map(|candidate| candidate.flip).collect()
}

/// Takes so many candidates with the least ranks, and leaves the others in their order.
fn take_least<T: Ord>(candidates: &mut Vec<Candidate>, n: usize, rank: impl Fn(&Candidate) -> T) -> Vec<Candidate> {
    let ranked = candidates.iter().enumerate().map(|(index, candidate)| (rank(candidate), candidate.flip, index));
    let mut ranked: Vec<(T, Flip, usize)> = ranked.collect();
    if n < ranked.len() {
        ranked.select_nth_unstable(n);
        ranked.truncate(n);
    }
    let taken: FxHashSet<usize> = ranked.into_iter().map(|(.., index)| index).collect();
    let mut numbers = 0..;
    candidates.extract_if(.., |_| numbers.next().is_some_and(|number| taken.contains(&number))).collect()
}

/// Takes the few candidates that were taken or asked for least by the runs that share a rare branch.
fn take_beside(
    candidates: &mut Vec<Candidate>,
    n_flips: usize,
    branch: Rare,
    beside: &mut Beside,
    seen: &Seen,
) -> Vec<Flip> {
    let rank = |candidate: &Candidate| {
        let Some(Ordered(direction)) = candidate.flip.direction else { return (0, false, 0) };
        let n_site = seen.n_taken(Level::Site, candidate.name(Level::Site), direction);
        let is_known = seen.is_iteration_taken(candidate.name(Level::Iteration), direction);
        let place = candidate.name(Level::Context);
        // What nobody takes may well be impossible.
        let n_beside = if n_site == 0 { u32::MAX } else { beside.count(branch, place, direction) };
        (n_beside, is_known, seen.n_asked(Level::Context, place, direction))
    };
    let taken = take_least(candidates, n_flips, rank);
    for candidate in &taken {
        if let Some(Ordered(direction)) = candidate.flip.direction {
            beside.add(branch, candidate.name(Level::Context), direction);
        }
    }
    taken.iter().map(|candidate| candidate.flip).collect()
}

/// Marks directions that nobody has taken and that are nevertheless asked for: what this run did may make them possible.
fn ask_anyway(candidates: &mut [Candidate], n_ran: usize, seen: &Seen) {
    let mut known: FxHashSet<(u64, Ordered)> = FxHashSet::default();
    let mut never_taken: Vec<(bool, u32, usize)> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate().rev() {
        let (name, Some(direction)) = (candidate.name(Level::Site), candidate.flip.direction) else { continue };
        // The last of its kind has most of the run behind it. Another value is pinned as well, and tells nothing.
        if direction.0 != Direction::Unpinned
            && !candidate.is_again
            && known.insert((name, direction))
            && seen.n_taken(Level::Site, name, direction.0) == 0
        {
            let is_unlikely = candidate.is_model || direction.0 == Direction::Outside;
            let n_asked = seen.n_asked(Level::Site, name, direction.0);
            // The more often it was asked in vain, the fewer runs ask.
            if n_ran.is_multiple_of(1 + (n_asked / N_ATTEMPTS_A_PAUSE) as usize) {
                never_taken.push((is_unlikely, n_asked, index));
            }
        }
    }
    never_taken.sort_unstable();
    for &(.., index) in never_taken.iter().take(N_ASKED_ANYWAY) {
        candidates[index].is_asked_anyway = true;
    }
}

fn is_violation(candidate: &Candidate) -> bool {
    candidate.flip.direction.is_some_and(|Ordered(direction)| is_wrong(direction))
}

fn is_wrong(direction: Direction) -> bool {
    matches!(direction, Direction::ByZero | Direction::Overflow | Direction::Fails)
}

/// Whether an input was made for a direction that nobody has taken.
fn leads_somewhere_new(job: &Job, seen: &Seen) -> bool {
    job.expectation.as_ref().is_some_and(|expectation| {
        let stop = &expectation.walk.stops[expectation.step];
        expectation.direction.is_some_and(|direction| seen.n_taken(Level::Site, stop.name(Level::Site), direction) == 0)
    })
}

fn class(candidate: &Candidate, seen: &Seen) -> Class {
    let Some(Ordered(direction)) = candidate.flip.direction else {
        // Another length: every so often there is something behind it.
        return Class::Place;
    };
    if candidate.is_again {
        return Class::Rest;
    }
    let is_taken = |level| seen.n_taken(level, candidate.name(level), direction) > 0;
    let n_asked = |level| seen.n_asked(level, candidate.name(level), direction);
    let is_new_in_context = || !is_taken(Level::Context) && n_asked(Level::Context) < N_ATTEMPTS_IN_CONTEXT;
    let is_worth_it = candidate.is_asked_anyway || n_asked(Level::Site) < N_ATTEMPTS;
    if is_violation(candidate) || (!is_taken(Level::Site) && is_worth_it) {
        Class::Direction
    } else if (is_taken(Level::Site) || direction == Direction::Unpinned) && is_new_in_context() {
        Class::Place
    } else {
        // A direction that nobody takes may well be impossible.
        Class::Rest
    }
}

impl Strategy for Generational {
    fn offer(&mut self, job: Job, priority: Priority) {
        match priority {
            Priority::High => self.jobs.push_back(job),
            Priority::Low => self.put_aside(job, false),
            Priority::Lowest => self.put_aside(job, true),
        }
    }

    fn ran(&mut self, ran: &Ran, seen: &Seen) {
        let candidate = |flip: Flip| {
            let stop = &ran.walk.stops[flip.step];
            Candidate {
                flip,
                names: Level::ALL.map(|level| stop.name(level)),
                is_model: stop.is_model,
                is_asked_anyway: false,
                is_again: flip.step < ran.bound && flip.direction.is_some(),
            }
        };
        // What is new here may go on behind the end.
        let is_good = ran.brought.is_some_and(|level| level <= Level::Context);
        let longer = ran.end_of_input().filter(|_| is_good && ran.resized().is_none());
        // What led to a new branch may be in the input behind the steps that it shares with an earlier run.
        let flips = ran.flips_from(if ran.is_landmark { 0 } else { ran.bound });
        let mut candidates: Vec<Candidate> = longer.into_iter().chain(flips).map(candidate).collect();
        self.n_ran += 1;
        self.note_time(ran);
        candidates.shrink_to_fit();
        ask_anyway(&mut candidates, self.n_ran, seen);
        let inherited = ran.resized().and_then(|parent| self.news.get(&parent).copied());
        if is_good || inherited.is_some() {
            self.news.insert(ran.run, ran.n_new.max(inherited.unwrap_or(0)));
        }
        let n_new = ran.n_new.max(inherited.unwrap_or(0));
        if let Some(branch) = ran.rarest_branch {
            let taken = ran.walk.stops.iter().filter_map(|stop| Some((stop.name(Level::Context), stop.direction?)));
            taken.for_each(|(place, direction)| self.beside.add(branch, place, direction));
        }
        if let Some(branch) = ran.rarest_branch {
            self.rarity.insert(ran.run, seen.n_runs(branch));
        }
        let generation = self.generation(ran);
        let waiting = Waiting {
            candidates,
            n_new,
            rarest_context: seen.rarest_context(ran.walk),
            rarest_branch: ran.rarest_branch,
            n_steps: ran.walk.stops.len(),
            generation,
            n_turns: Default::default(),
            newest: Cell::default(),
            least_effort: Cell::default(),
        };
        if waiting.candidates.is_empty() {
            return;
        }
        self.n_candidates += waiting.candidates.len();
        self.runs.insert(ran.run, waiting);
        if self.n_candidates > N_CANDIDATES_MAX {
            self.thin(N_CANDIDATES_MAX / 4 * 3, seen);
        }
        Order::ALL.into_iter().for_each(|order| self.push(order, ran.run, seen));
        self.has_new(seen);
    }

    fn next(&mut self, seen: &Seen) -> Option<Task> {
        if let Some(job) = self.next_job(seen) {
            return Some(Task::Run(job));
        }
        if let Some(job) = self.next_aside(seen) {
            return Some(Task::Run(job));
        }
        self.has_new(seen);
        let Some((order, run)) = self.choose(seen) else {
            return self.aside.take().map(Task::Run);
        };
        let waiting = self.runs.get_mut(&run)?;
        let n_before = waiting.candidates.len();
        waiting.n_turns[order as usize] += 1;
        let (branch, beside) = (waiting.rarest_branch, &mut self.beside);
        let mut flips = match (order, branch) {
            (Order::New, _) => {
                let class = waiting.class(seen)?;
                waiting.take(|candidates| take(candidates, class, seen))
            }
            (Order::RareBranch, Some(branch)) => {
                waiting.take(|candidates| take_beside(candidates, order.n_flips(), branch, beside, seen))
            }
            _ => {
                let from =
                    waiting.rarest_context.filter(|_| order == Order::RareContext).map_or(0, |(step, _)| step + 1);
                waiting.take(|candidates| take_rarest(candidates, order.n_flips(), from, seen))
            }
        };
        self.n_candidates -= n_before - waiting.candidates.len();
        if waiting.candidates.is_empty() {
            self.runs.remove(&run);
        }
        flips.sort_unstable();
        Some(Task::Expand { run, flips })
    }

    fn has_news(&self) -> bool {
        self.had_new || !self.jobs.is_empty()
    }

    fn n_waiting(&self) -> usize {
        self.jobs.len() + self.aside.jobs.len() + self.runs.len()
    }

    fn take_forgotten(&mut self) -> u64 {
        std::mem::take(&mut self.n_forgotten)
    }
}

#[cfg(test)]
mod tests {
    use gimlet_trace::Input;

    use super::*;
    use crate::run::walk::Walk;

    /// A run with so many questions, the first of which are new.
    fn waiting(n_new: u64, n_known: u64, seen: &Seen) -> Waiting {
        let candidate = |name: u64| Candidate {
            flip: Flip { step: name as usize, direction: Some(Ordered(Direction::True)) },
            names: [name; 3],
            is_model: false,
            is_asked_anyway: false,
            is_again: name >= n_new,
        };
        let candidates: Vec<Candidate> = (0..n_new + n_known).map(candidate).collect();
        assert_eq!(candidates.iter().filter(|it| class(it, seen) != Class::Rest).count() as u64, n_new);
        Waiting {
            candidates,
            n_new: 0,
            rarest_context: None,
            rarest_branch: None,
            n_steps: 10,
            generation: 0,
            n_turns: Default::default(),
            newest: Cell::default(),
            least_effort: Cell::default(),
        }
    }

    #[test]
    fn what_comes_of_a_run_waits_where_it_takes_long_in_vain() {
        let (seen, walk, mut search) = (Seen::default(), Walk::default(), Generational::default());
        let origin = |parent| Origin::Flip { parent, site: 1, direction: Direction::True };
        let ran = |search: &mut Generational, run, parent, took, is_landmark: bool| {
            let ran = Ran {
                run,
                walk: &walk,
                bound: 0,
                brought: is_landmark.then_some(Level::Site),
                n_new: 0,
                is_landmark,
                rarest_branch: None,
                origin: origin(parent),
                took,
                asked: &FxHashSet::default(),
            };
            search.ran(&ran, &seen);
        };
        let job = |parent: RunId| Job::of(Input::stdin(parent.to_string()), origin(parent));
        let next = |search: &mut Generational| match search.next(&seen) {
            Some(Task::Run(job)) => job.origin.parent(),
            _ => None,
        };
        (0..3).for_each(|_| search.offer(job(7), Priority::High));
        search.offer(job(8), Priority::High);
        // One that brings something makes up for all before it.
        ran(&mut search, 10, 7, MOST_IN_VAIN, false);
        ran(&mut search, 11, 7, MOST_IN_VAIN, true);
        ran(&mut search, 12, 7, MOST_IN_VAIN / 2, false);
        assert_eq!(next(&mut search), Some(7));
        // What comes of a run that came of others has what they left.
        ran(&mut search, 13, 12, MOST_IN_VAIN / 2, false);
        assert!(search.is_in_vain(12) && search.is_in_vain(13) && !search.is_in_vain(7));
        ran(&mut search, 14, 7, MOST_IN_VAIN / 2, false);
        assert_eq!(next(&mut search), Some(8));
        // They are still there.
        assert_eq!([next(&mut search), next(&mut search), next(&mut search)], [Some(7), Some(7), None]);
    }

    #[test]
    fn what_was_seen_once_beside_a_branch_is_forgotten_first() {
        let mut beside = Beside::default();
        let often = |beside: &Beside| beside.count(Rare::Branch(1), 7, Direction::True);
        (0..10).for_each(|_| beside.add(Rare::Branch(1), 7, Direction::True));
        (1..N_BESIDE_MAX as u64).for_each(|place| beside.add(Rare::Branch(2), place, Direction::True));
        assert_eq!((beside.counts.len(), often(&beside)), (N_BESIDE_MAX, 10));
        beside.add(Rare::Branch(3), 7, Direction::True);
        assert_eq!((beside.counts.len(), often(&beside)), (1, 5));
        assert_eq!(beside.count(Rare::Branch(2), 7, Direction::True), 0);
    }

    #[test]
    fn what_is_not_new_is_forgotten_first() {
        let seen = Seen::default();
        let mut search = Generational::default();
        search.runs.insert(1, waiting(10, 100, &seen));
        search.runs.insert(2, waiting(0, 50, &seen));
        search.n_candidates = 160;
        search.thin(100, &seen);
        let n_new = search.runs[&1].candidates.iter().filter(|it| class(it, &seen) != Class::Rest).count();
        assert_eq!((n_new, search.n_candidates, search.take_forgotten()), (10, 85, 75));
        search.thin(10, &seen);
        let n_left: usize = search.runs.values().map(|waiting| waiting.candidates.len()).sum();
        assert_eq!(search.n_candidates, n_left);
        assert!(search.n_candidates <= 30, "{}", search.n_candidates);
        assert_eq!(search.take_forgotten(), 85 - search.n_candidates as u64);
    }
}
