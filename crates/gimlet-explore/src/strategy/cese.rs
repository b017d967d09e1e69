//! Symbolic strings in turn, each depth first, as CESE explores the strings of a symbolic grammar.
//!
//! Within a string it is [`super::dfs`]: no path comes twice, and when nothing waits every path was taken. Which string has
//! the next turn is another matter, because one with many holes can take longer than there is time, and most of its paths
//! are like those of others. A turn is a number of paths; each that brings a new branch makes it begin anew. A string whose
//! turn brought nothing goes behind others that have had as many such turns, and its next one is twice as long. Strings
//! with the same number of them have the same share of all paths, new ones from the source among them, so that they come
//! in the source's order and nobody waits forever.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Flip, Ran, Strategy, Task};
use crate::job::{Job, RunId};
use crate::seen::Seen;
use crate::walk::Level;

/// Paths of a first turn.
const N_PATHS: u64 = 16;

/// Steps of runs that waiting inputs know of, about 150 bytes each. Beyond it no new strings are begun.
const N_STEPS_MAX: usize = 4_000_000;

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
    fn open(&mut self, string: u64) -> &mut Open {
        if !self.open.contains_key(&string) {
            self.wait(string, 0);
        }
        self.open.entry(string).or_default()
    }

    /// Puts a string behind others of a rank. A rank that had none is not to make up for that, unless it could have had.
    fn wait(&mut self, string: u64, rank: usize) {
        let is_first = rank > 0 && self.ranks.get(rank).is_none_or(|rank| rank.strings.is_empty());
        let least = self.ranks.iter().filter(|rank| !rank.strings.is_empty()).map(|rank| rank.n_paths).min();
        if self.ranks.len() <= rank {
            self.ranks.resize_with(rank + 1, Rank::default);
        }
        let rank = &mut self.ranks[rank];
        if is_first {
            rank.n_paths = rank.n_paths.max(least.unwrap_or(0));
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

    /// The rank that has had least; new strings are of the first.
    fn next_rank(&self) -> Option<usize> {
        let has_strings = |number: &usize| match self.ranks.get(*number) {
            Some(rank) if !rank.strings.is_empty() => true,
            _ => *number == 0 && self.can_begin(),
        };
        let n_paths = |number: &usize| self.ranks.get(*number).map_or(0, |rank| rank.n_paths);
        (0..self.ranks.len().max(1)).filter(has_strings).min_by_key(n_paths)
    }

    /// What the string whose turn it is has to do.
    fn go_on(&mut self) -> Option<Task> {
        let turn = self.turn.as_mut()?;
        let open = self.open.get_mut(&turn.string)?;
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

impl Strategy for Cese {
    fn offer(&mut self, job: Job) {
        let Some(string) = job.string.as_ref().map(|string| string.number) else {
            self.others.push_back(job);
            return;
        };
        let open = self.open(string);
        let walk = |job: &Job| job.expectation.as_ref().map(|expectation| Rc::clone(&expectation.walk));
        let known = open.jobs.last().and_then(|(last, _)| walk(last));
        let n_steps = match walk(&job) {
            Some(walk) if known.is_none_or(|known| !Rc::ptr_eq(&known, &walk)) => walk.stops.len(),
            _ => 1,
        };
        open.jobs.push((job, n_steps));
        self.n_waiting += 1;
        self.n_steps += n_steps;
    }

    fn ran(&mut self, ran: &Ran, _seen: &Seen) {
        let Some(string) = ran.walk.string else { return };
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.string == string && ran.brought == Some(Level::Site))
        {
            (turn.n_left, turn.is_in_vain) = (length(turn.rank), false);
        }
        let flips: Vec<Flip> = ran.flips().collect();
        if !flips.is_empty() {
            self.open(string).runs.push((ran.run, flips));
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
            self.turn = Some(Turn { string, rank, n_left: length(rank), is_in_vain: true });
        }
    }

    fn out_of_strings(&mut self) {
        self.is_out_of_strings = true;
    }

    fn n_waiting(&self) -> usize {
        self.n_waiting + self.others.len()
    }
}
