//! Symbolic strings in turn, each depth first, as CESE explores the strings of a symbolic grammar.
//!
//! Within a string it is [`super::dfs`]: no path comes twice, and when nothing waits every path was taken. Which string
//! has the next turn is another matter, because one with many holes can take longer than there is time, and most of its
//! paths are like those of others. A turn is a number of paths, where one whose questions take long counts as several;
//! each that brings a new branch makes it begin anew. A string whose turn brought nothing goes behind others that have
//! had as many such turns, and its next one is twice as long. Strings with the same number of them have the same share
//! of all paths, new ones from the source among them, so that they come in the source's order and nobody waits forever.
//! A new one whose first input, run at native speed, brings nothing begins as if it had had a turn in vain; several of
//! those count as one path.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Flip, Priority, Ran, Strategy, Task};
use crate::run::job::{Job, RunId};
use crate::run::seen::Seen;
use crate::run::walk::Level;
use crate::schedule::Spent;

/// Paths of a first turn.
const N_PATHS: u64 = 16;
/// What takes longer counts as more than one.
const SECONDS_A_PATH: f64 = 0.02;

/// Steps of runs that waiting inputs know of, about 150 bytes each. Beyond it no new strings are begun.
const N_STEPS_MAX: usize = 4_000_000;

/// What a string costs of which nothing was run yet, in such steps.
const N_STEPS_OF_STRING: usize = 8;

/// New strings that bring nothing and take together as long as a path.
const N_LOW_A_PATH: u64 = 8;
const RANK_OF_LOW: usize = 1;

/// Turns without anything new that are told apart.
const RANK_MAX: usize = 32;

#[derive(Default)]
pub struct Cese {
    open: FxHashMap<u64, Open>,
    /// Strings that wait for a turn, by the number of turns in vain.
    ranks: Vec<Rank>,
    turn: Option<Turn>,
    /// Inputs that belong to no string.
    others: VecDeque<Job>,
    is_out_of_strings: bool,
    n_low: u64,
    /// Of all open strings.
    n_waiting: usize,
    n_steps: usize,
}

/// A string with something left to do, the next one last.
#[derive(Default)]
struct Open {
    /// Inputs, with the steps that nobody else below them knows of.
    jobs: Vec<(Job, usize)>,
    runs: Vec<(RunId, Vec<Flip>)>,
}

#[derive(Default)]
struct Rank {
    strings: VecDeque<u64>,
    /// Paths that its strings have had.
    n_paths: u64,
}

struct Turn {
    string: u64,
    rank: usize,
    n_left: u64,
    is_in_vain: bool,
    /// It ends because it takes long; questions that were not asked wait.
    is_slow: bool,
}

fn length(rank: usize) -> u64 {
    N_PATHS << rank
}

impl Open {
    fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.runs.is_empty()
    }
}

impl Cese {
    /// The string with this number, which from now on waits for a turn if it did not before.
    fn open(&mut self, string: u64, rank: usize) -> &mut Open {
        if !self.open.contains_key(&string) {
            self.wait(string, rank);
        }
        self.open.entry(string).or_default()
    }

    /// Puts a string behind others of a rank. One that had none has had as much as the rank below, where its string was.
    fn wait(&mut self, string: u64, rank: usize) {
        let below = rank.checked_sub(1).map_or(0, |below| self.n_paths(below));
        if self.ranks.len() <= rank {
            self.ranks.resize_with(rank + 1, Rank::default);
        }
        let rank = &mut self.ranks[rank];
        if rank.strings.is_empty() {
            rank.n_paths = rank.n_paths.max(below);
        }
        rank.strings.push_back(string);
    }

    fn can_begin(&self) -> bool {
        !self.is_out_of_strings && self.n_steps < N_STEPS_MAX
    }

    /// Ends the turn.
    fn put_back(&mut self) {
        let Some(Turn { string, rank, is_in_vain, .. }) = self.turn.take() else { return };
        if self.open.get(&string).is_none_or(Open::is_empty) {
            self.open.remove(&string);
        } else {
            self.wait(string, (rank + usize::from(is_in_vain)).min(RANK_MAX));
        }
    }

    /// Ranks that have strings; new ones are of the first.
    fn active(&self) -> impl Iterator<Item = usize> + '_ {
        let has_strings = |rank: usize| self.ranks.get(rank).is_some_and(|rank| !rank.strings.is_empty());
        (0..self.ranks.len().max(1)).filter(move |&rank| has_strings(rank) || rank == 0 && self.can_begin())
    }

    fn n_paths(&self, rank: usize) -> u64 {
        self.ranks.get(rank).map_or(0, |rank| rank.n_paths)
    }

    /// The rank that has had least.
    fn next_rank(&self) -> Option<usize> {
        self.active().min_by_key(|&rank| self.n_paths(rank))
    }

    /// What the string whose turn it is has to do.
    fn go_on(&mut self) -> Option<Task> {
        let turn = self.turn.as_mut()?;
        let open = self.open.get_mut(&turn.string)?;
        if turn.n_left == 0 && turn.is_slow {
            return None;
        }
        if let Some((run, flips)) = open.runs.pop() {
            self.n_waiting -= 1;
            return Some(Task::Expand { run, flips });
        }
        turn.n_left = turn.n_left.checked_sub(1)?;
        let (job, n_steps) = open.jobs.pop()?;
        self.ranks[turn.rank].n_paths += 1;
        self.n_waiting -= 1;
        self.n_steps -= n_steps;
        Some(Task::Run(job))
    }
}

impl Cese {
    /// Takes an input in; if its string is new, it begins with this rank.
    fn add(&mut self, job: Job, rank: usize) {
        let Some(string) = job.string.as_ref().map(|string| string.number) else {
            self.others.push_back(job);
            return;
        };
        let open = self.open(string, rank);
        let walk = |job: &Job| job.expectation.as_ref().map(|expectation| Rc::clone(&expectation.walk));
        let known = open.jobs.last().and_then(|(last, _)| walk(last));
        let n_steps = match walk(&job) {
            Some(walk) if known.is_none_or(|known| !Rc::ptr_eq(&known, &walk)) => walk.stops.len(),
            Some(_) => 1,
            None => N_STEPS_OF_STRING,
        };
        open.jobs.push((job, n_steps));
        self.n_waiting += 1;
        self.n_steps += n_steps;
    }
}

impl Strategy for Cese {
    fn offer(&mut self, job: Job, priority: Priority) {
        if priority == Priority::High {
            return self.add(job, 0);
        }
        self.add(job, RANK_OF_LOW);
        self.n_low += 1;
        if self.n_low.is_multiple_of(N_LOW_A_PATH) {
            self.ranks[0].n_paths += 1;
        }
    }

    fn ran(&mut self, ran: &Ran, _seen: &Seen) {
        let Some(string) = ran.walk.string else { return };
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.string == string && ran.brought == Some(Level::Site))
        {
            (turn.n_left, turn.is_in_vain, turn.is_slow) = (length(turn.rank), false, false);
        }
        let flips: Vec<Flip> = ran.flips().collect();
        if !flips.is_empty() {
            self.open(string, 0).runs.push((ran.run, flips));
            self.n_waiting += 1;
        }
    }

    fn next(&mut self, _seen: &Seen) -> Option<Task> {
        if let Some(job) = self.others.pop_front() {
            return Some(Task::Run(job));
        }
        loop {
            if let Some(task) = self.go_on() {
                return Some(task);
            }
            self.put_back();
            let rank = self.next_rank()?;
            let Some(string) = self.ranks.get_mut(rank).and_then(|rank| rank.strings.pop_front()) else {
                return Some(Task::TakeString);
            };
            self.turn = Some(Turn { string, rank, n_left: length(rank), is_in_vain: true, is_slow: false });
        }
    }

    fn take_back(&mut self, run: RunId, string: Option<u64>, flips: Vec<Flip>) {
        let Some(string) = string else { return };
        self.open(string, 0).runs.push((run, flips));
        self.n_waiting += 1;
    }

    fn spent(&mut self, spent: &Spent) {
        let n_more = (spent.seconds / SECONDS_A_PATH) as u64;
        if let Some(turn) = self.turn.as_mut().filter(|_| n_more > 0) {
            self.ranks[turn.rank].n_paths += n_more;
            turn.is_slow |= n_more >= turn.n_left;
            turn.n_left = turn.n_left.saturating_sub(n_more);
        }
    }

    fn out_of_strings(&mut self) {
        self.is_out_of_strings = true;
    }

    fn has_work(&self) -> bool {
        !self.is_out_of_strings || self.n_waiting() > 0
    }

    fn n_waiting(&self) -> usize {
        self.n_waiting + self.others.len()
    }
}

#[cfg(test)]
mod unit_tests {
    use gimlet_grammar::text::template::Template;
    use gimlet_path::Direction;
    use gimlet_trace::Input;
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::make::strings::{Strings, SymbolicString, Taken};
    use crate::run::job::Origin;
    use crate::run::walk::{Stop, Walk};

    /// A tree of paths for each of some strings: `n_paths` in all, of which the first few bring something new.
    struct Trees {
        cese: Cese,
        strings: Strings,
        n_paths: Vec<usize>,
        n_new: Vec<usize>,
        left: Vec<usize>,
        /// The string of each path that was taken.
        taken: Vec<u64>,
    }

    impl Trees {
        fn new(trees: &[(usize, usize)]) -> Trees {
            let templates = vec![Template::default(); trees.len()];
            Trees {
                cese: Cese::default(),
                strings: Strings::new(Box::new(templates.into_iter())),
                n_paths: trees.iter().map(|tree| tree.0).collect(),
                n_new: trees.iter().map(|tree| tree.1).collect(),
                left: trees.iter().map(|tree| tree.0).collect(),
                taken: Vec::new(),
            }
        }

        fn job(string: &Rc<SymbolicString>) -> Job {
            Job {
                input: Input::default(),
                origin: Origin::Grammar,
                bound: 0,
                visited: Vec::new(),
                expectation: None,
                string: Some(Rc::clone(string)),
            }
        }

        /// Does what the strategy wants, up to so many paths; false if it wants nothing more.
        fn explore(&mut self, n_paths: usize) -> bool {
            let seen = Seen::default();
            let mut running: Option<Rc<SymbolicString>> = None;
            while self.taken.len() < n_paths {
                match self.cese.next(&seen) {
                    None => return false,
                    Some(Task::TakeString) => match self.strings.take(|_| true) {
                        Taken::String(string) => self.cese.offer(Trees::job(&string), Priority::High),
                        Taken::Skipped | Taken::Nothing => self.cese.out_of_strings(),
                    },
                    Some(Task::Run(job)) => {
                        let string = job.string.expect("only strings are offered");
                        self.ran(&string, &seen);
                        running = Some(string);
                    }
                    // Each run has one flip, which leads to the next path.
                    Some(Task::Expand { .. }) => {
                        let string = running.clone().expect("something was run");
                        self.cese.offer(Trees::job(&string), Priority::High);
                    }
                    Some(task) => panic!("nobody does {task:?} here"),
                }
            }
            true
        }

        fn ran(&mut self, string: &SymbolicString, seen: &Seen) {
            let number = string.number as usize;
            let n_before = self.n_paths[number] - self.left[number];
            self.left[number] -= 1;
            self.taken.push(string.number);
            let mut walk =
                Walk { stops: Vec::new(), prefixes: vec![0], string: Some(string.number), has_tokens: false };
            if self.left[number] > 0 {
                walk.stops.push(Stop::of_branch(1, Direction::True, Direction::False));
                walk.prefixes.push(1);
            }
            let is_new = n_before < self.n_new[number];
            let ran = Ran {
                run: self.taken.len(),
                walk: &walk,
                bound: 0,
                brought: is_new.then_some(Level::Site),
                n_new: usize::from(is_new),
                is_landmark: is_new,
                rarest_branch: None,
                origin: Origin::Grammar,
                took: std::time::Duration::ZERO,
                asked: &FxHashSet::default(),
            };
            self.cese.ran(&ran, seen);
        }

        /// Paths that each string has had.
        fn counts(&self) -> Vec<usize> {
            self.n_paths.iter().zip(&self.left).map(|(all, left)| all - left).collect()
        }
    }

    #[test]
    fn a_string_whose_questions_take_long_has_fewer_turns() {
        let mut trees = Trees::new(&[(1_000, 0), (1_000, 0)]);
        let seen = Seen::default();
        let mut running: Option<Rc<SymbolicString>> = None;
        for _ in 0..4_000 {
            let Some(task) = trees.cese.next(&seen) else { break };
            match task {
                Task::TakeString => match trees.strings.take(|_| true) {
                    Taken::String(string) => trees.cese.offer(Trees::job(&string), Priority::High),
                    Taken::Skipped | Taken::Nothing => trees.cese.out_of_strings(),
                },
                Task::Run(job) => {
                    let string = job.string.expect("only strings are offered");
                    trees.ran(&string, &seen);
                    running = Some(string);
                }
                Task::Expand { .. } => {
                    let string = running.clone().expect("something was run");
                    let seconds = if string.number == 0 { 100.0 * SECONDS_A_PATH } else { 0.0 };
                    trees.cese.offer(Trees::job(&string), Priority::High);
                    trees.cese.spent(&Spent { seconds, ..Spent::default() });
                }
                task => panic!("nobody does {task:?} here"),
            }
            if trees.taken.len() == 600 {
                break;
            }
        }
        let counts = trees.counts();
        assert!(counts[0] > 0 && 10 * counts[0] < counts[1], "{counts:?}");
    }

    #[test]
    fn every_path_is_taken_once() {
        let sizes = [(1, 1), (100, 3), (1, 0), (1000, 0), (40, 40), (17, 0)];
        let mut trees = Trees::new(&sizes);
        assert!(!trees.explore(usize::MAX));
        assert_eq!(trees.counts(), sizes.map(|(n_paths, _)| n_paths));
        assert_eq!((trees.cese.n_waiting(), trees.cese.n_steps, trees.cese.open.len()), (0, 0, 0));
    }

    #[test]
    fn small_strings_come_in_their_order() {
        let mut trees = Trees::new(&[(3, 0); 5]);
        assert!(!trees.explore(usize::MAX));
        assert_eq!(trees.taken, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    }

    #[test]
    fn what_brings_something_goes_on_and_others_wait() {
        let n_first = N_PATHS as usize;
        let mut trees = Trees::new(&[(10_000, 0), (10_000, 200), (10_000, 0)]);
        assert!(trees.explore(2 * n_first + 200));
        assert_eq!(trees.counts()[..2], [n_first, n_first + 200]);
    }

    #[test]
    fn strings_that_bring_nothing_wait_behind_others() {
        let mut cese = Cese::default();
        let mut strings = Strings::new(Box::new(vec![Template::default(); 40].into_iter()));
        let mut job = |cese: &mut Cese, is_low: bool| {
            let Taken::String(string) = strings.take(|_| true) else { panic!("there are more") };
            match is_low {
                true => cese.offer(Trees::job(&string), Priority::Lowest),
                false => cese.offer(Trees::job(&string), Priority::High),
            }
        };
        let seen = Seen::default();
        // Strings are taken as long as several that bring nothing are not a path.
        for _ in 0..N_LOW_A_PATH {
            assert!(matches!(cese.next(&seen), Some(Task::TakeString)));
            job(&mut cese, true);
        }
        let Some(Task::Run(first)) = cese.next(&seen) else { panic!("the first of them has its turn") };
        assert_eq!(first.string.map(|string| string.number), Some(0));
        job(&mut cese, false);
        cese.put_back();
        let Some(Task::Run(next)) = cese.next(&seen) else { panic!("one that brings something comes first") };
        assert_eq!(next.string.map(|string| string.number), Some(N_LOW_A_PATH));
    }

    #[test]
    fn new_strings_keep_their_share() {
        // Large ones that bring nothing do not keep others from their first turn.
        let mut trees = Trees::new(&[(1_000_000, 0); 200]);
        assert!(trees.explore(12_000));
        let n_begun = trees.counts().iter().filter(|&&count| count > 0).count();
        assert!((50..200).contains(&n_begun), "{n_begun}");
        assert!(trees.counts()[0] > trees.counts()[n_begun - 1]);
    }
}
