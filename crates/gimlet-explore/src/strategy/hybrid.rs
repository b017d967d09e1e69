//! The default: mutation and symbolic execution on the same tests.
//!
//! Each side has a share of the time that follows what it has found lately (new branches, and a little for new tests), and
//! never less than a part that lets it show that it can do better. Symbolic execution is the generational search; what
//! mutation finds is given to it where it has nothing new to ask itself, tests with new branches first, so that it goes on
//! from there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::generational::Generational;
use super::{Ran, Side, Strategy, Task};
use crate::job::{Job, Origin};
use crate::seen::Seen;

/// Bounds of mutation's share; and while tests of its wait that brought a branch, so that what they do is looked at.
const SHARES: std::ops::RangeInclusive<f64> = 0.2..=0.85;
const SHARE_WHILE_WAITED_FOR: f64 = 0.65;
/// In the first seconds it gets no more than a quarter, unless it clearly finds more: many a question is answered in less.
const FIRST_SECONDS: f64 = 20.0;
const FIRST_SHARE: f64 = 0.25;
const CLEARLY_MORE: f64 = 4.0;
/// Its share while it stalls: after so many mutants without a new test.
const STALLED_SHARE: f64 = 0.1;
const N_STALLED_MUTANTS: u64 = 4_000;
/// Its share while both do: symbolic execution stalls after so many seconds without a new test.
const BOTH_STALLED_SHARE: f64 = 0.5;
const STALLED_SECONDS: f64 = 20.0;
/// What was found before so many seconds counts half.
const HALF_LIFE: f64 = 15.0;
/// Who was behind its share so many seconds ago has half a claim. One task can take ten seconds or more.
const MEMORY: f64 = 60.0;
/// A new test counts as so many new branches.
const WORTH_OF_TEST: f64 = 0.1;
/// Before anything is known: something found in so many seconds.
const PRIOR_SECONDS: f64 = 2.0;
/// Tests of mutation's that brought a branch get one of so many turns at least: what they do nobody has looked at. Those that
/// brought none get one of so many.
const N_BETWEEN_LANDMARKS: usize = 4;
const N_BETWEEN_TESTS: usize = 64;

/// What a side has spent and found lately.
#[derive(Clone, Copy, Default, Debug)]
struct Account {
    seconds: f64,
    found: f64,
    /// What it spent, to keep to the shares.
    used: f64,
}

impl Account {
    fn rate(&self) -> f64 {
        (self.found + 1.0) / (self.seconds + PRIOR_SECONDS)
    }
}

/// A test of mutation's that waits. The greatest comes first: new branches, then short, then old.
#[derive(Debug)]
struct Import {
    n_covered: u64,
    len: Reverse<usize>,
    number: Reverse<usize>,
    job: Job,
}

impl Import {
    fn rank(&self) -> (bool, Reverse<usize>, Reverse<usize>) {
        (self.n_covered > 0, self.len, self.number)
    }
}

impl PartialEq for Import {
    fn eq(&self, other: &Import) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Import {}

impl PartialOrd for Import {
    fn partial_cmp(&self, other: &Import) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Import {
    fn cmp(&self, other: &Import) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// Which sides take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sides {
    Both,
    /// The seeds are run, and nothing is solved.
    MutationOnly,
}

pub struct Hybrid {
    sides: Sides,
    symbolic: Generational,
    imports: BinaryHeap<Import>,
    n_imported: usize,
    n_symbolic_turns: usize,
    accounts: [Account; 2],
    /// All that both sides ever spent.
    seconds: f64,
    n_idle_mutants: u64,
    /// What symbolic execution spent since the last new test.
    idle_seconds: f64,
    /// False once there was nothing to mutate.
    has_mutants: bool,
    /// False while there is nothing to solve.
    has_questions: bool,
}

impl Hybrid {
    pub fn new(sides: Sides) -> Hybrid {
        Hybrid {
            sides,
            symbolic: Generational::default(),
            imports: BinaryHeap::new(),
            n_imported: 0,
            n_symbolic_turns: 0,
            accounts: [Account::default(); 2],
            seconds: 0.0,
            n_idle_mutants: 0,
            idle_seconds: 0.0,
            has_mutants: true,
            has_questions: true,
        }
    }

    /// Whether tests wait that brought a branch.
    fn has_landmarks(&self) -> bool {
        self.imports.peek().is_some_and(|import| import.n_covered > 0)
    }

    /// The part of the time that mutation gets.
    fn share(&self) -> f64 {
        if self.n_idle_mutants >= N_STALLED_MUTANTS {
            return if self.idle_seconds < STALLED_SECONDS { STALLED_SHARE } else { BOTH_STALLED_SHARE };
        }
        let [mutation, symbolic] = self.accounts.map(|account| account.rate());
        let is_first = self.seconds < FIRST_SECONDS && mutation < CLEARLY_MORE * symbolic;
        let most = match self.has_landmarks() {
            _ if is_first => FIRST_SHARE,
            true => SHARE_WHILE_WAITED_FOR,
            false => *SHARES.end(),
        };
        (mutation / (mutation + symbolic)).clamp(*SHARES.start(), most)
    }

    /// The side that is furthest behind its share.
    fn side(&self) -> Side {
        let share = self.share();
        let [mutation, symbolic] = self.accounts.map(|account| account.used);
        if mutation * (1.0 - share) <= symbolic * share {
            Side::Mutation
        } else {
            Side::Symbolic
        }
    }

    fn next_symbolic(&mut self, seen: &Seen) -> Option<Task> {
        if self.symbolic.has_jobs() {
            return self.symbolic.next(seen);
        }
        if self.sides == Sides::MutationOnly {
            return None;
        }
        self.n_symbolic_turns += 1;
        let is_turn = self.n_symbolic_turns % N_BETWEEN_TESTS == 0;
        // What mutants have taken is new no longer: what is, comes before most of them.
        let is_welcome = self.n_symbolic_turns % N_BETWEEN_LANDMARKS == 0 || !self.symbolic.has_new(seen);
        if is_welcome && (is_turn || self.has_landmarks()) && !self.imports.is_empty() {
            return self.imports.pop().map(|import| Task::Run(import.job));
        }
        self.symbolic.next(seen).or_else(|| self.imports.pop().map(|import| Task::Run(import.job)))
    }
}

impl Strategy for Hybrid {
    fn offer(&mut self, job: Job) {
        self.has_questions |= self.sides == Sides::Both;
        let Some(n_covered) = job.origin.n_covered() else {
            return self.symbolic.offer(job);
        };
        if self.sides == Sides::Both {
            // What is new in a longer test is what the program does about its length, and its path is long.
            let is_longer = matches!(job.origin, Origin::Length { .. });
            let n_covered = if is_longer { n_covered.min(1) } else { n_covered };
            let (len, number) = (Reverse(job.input.len()), Reverse(self.n_imported));
            self.n_imported += 1;
            self.imports.push(Import { n_covered, len, number, job });
        }
    }

    fn offer_dull(&mut self, job: Job) {
        self.has_questions |= self.sides == Sides::Both;
        self.symbolic.offer_dull(job);
    }

    fn offer_less_dull(&mut self, job: Job) {
        self.has_questions |= self.sides == Sides::Both;
        self.symbolic.offer_less_dull(job);
    }

    fn ran(&mut self, ran: &Ran, seen: &Seen) {
        self.symbolic.ran(ran, seen);
    }

    fn next(&mut self, seen: &Seen) -> Option<Task> {
        let is_mutation = self.side() == Side::Mutation && !self.symbolic.has_seeds();
        if is_mutation && self.has_mutants {
            return Some(Task::Mutate);
        }
        if let Some(task) = self.next_symbolic(seen) {
            self.has_questions = true;
            return Some(task);
        }
        self.has_questions = false;
        self.has_mutants.then_some(Task::Mutate)
    }

    fn spent(&mut self, side: Side, spent: super::Spent) {
        let account = &mut self.accounts[side as usize];
        let rest = 0.5f64.powf(spent.seconds / HALF_LIFE);
        account.seconds = account.seconds * rest + spent.seconds;
        account.found = account.found * rest + spent.n_branches as f64 + spent.n_tests as f64 * WORTH_OF_TEST;
        self.seconds += spent.seconds;
        let rest = 0.5f64.powf(spent.seconds / MEMORY);
        self.accounts.iter_mut().for_each(|account| account.used *= rest);
        self.accounts[side as usize].used += spent.seconds;
        if spent.n_tests > 0 {
            (self.n_idle_mutants, self.idle_seconds) = (0, 0.0);
        } else if side == Side::Symbolic {
            self.idle_seconds += spent.seconds;
        } else if spent.n_runs == 0 {
            self.has_mutants = false;
        } else {
            self.n_idle_mutants += spent.n_runs;
        }
    }

    fn is_out_of_questions(&self) -> bool {
        !self.has_questions && self.side() == Side::Symbolic
    }

    fn n_idle_mutants(&self) -> Option<u64> {
        (self.sides == Sides::Both && !self.has_questions).then_some(self.n_idle_mutants)
    }

    fn n_waiting(&self) -> usize {
        self.symbolic.n_waiting() + self.imports.len()
    }

    fn take_forgotten(&mut self) -> u64 {
        self.symbolic.take_forgotten()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spent;
    use super::*;

    fn spent(seconds: f64, n_branches: u64) -> Spent {
        Spent { seconds, n_branches, n_tests: n_branches, n_runs: 1 }
    }

    #[test]
    fn a_long_task_is_made_up_for() {
        let mut hybrid = Hybrid::new(Sides::Both);
        // Past the beginning, with as much found by both.
        hybrid.spent(Side::Mutation, spent(FIRST_SECONDS, 10));
        hybrid.spent(Side::Symbolic, spent(FIRST_SECONDS, 10));
        let share = hybrid.share();
        hybrid.spent(Side::Symbolic, Spent { n_tests: 1, ..spent(20.0, 0) });
        let mut seconds = 0.0;
        while hybrid.side() == Side::Mutation && seconds < 100.0 {
            hybrid.spent(Side::Mutation, spent(0.03, 0));
            seconds += 0.03;
        }
        assert!(seconds > 10.0 && seconds < 100.0, "{seconds} after a share of {share}");
    }

    #[test]
    fn who_stalls_waits_unless_both_do() {
        let mut hybrid = Hybrid::new(Sides::Both);
        hybrid.spent(Side::Mutation, Spent { n_runs: N_STALLED_MUTANTS, ..spent(1.0, 0) });
        assert!((hybrid.share() - STALLED_SHARE).abs() < 1e-9);
        hybrid.spent(Side::Symbolic, spent(STALLED_SECONDS, 0));
        assert!((hybrid.share() - BOTH_STALLED_SHARE).abs() < 1e-9);
        hybrid.spent(Side::Symbolic, spent(1.0, 1));
        assert_eq!((hybrid.n_idle_mutants, hybrid.idle_seconds), (0, 0.0));
    }

    #[test]
    fn an_input_that_waits_is_something_to_do() {
        let seen = Seen::default();
        let mut hybrid = Hybrid::new(Sides::Both);
        let spent = Spent { n_runs: 10, ..spent(1.0, 0) };
        let out_of_questions = |hybrid: &mut Hybrid| {
            // Mutation had its share, and there is nothing else.
            hybrid.spent(Side::Mutation, spent);
            assert!(matches!(hybrid.next(&seen), Some(Task::Mutate)));
            hybrid.n_idle_mutants()
        };
        assert!(out_of_questions(&mut hybrid).is_some());
        // A question that was put off had an answer.
        let input = gimlet_trace::Input::stdin("x");
        let origin = crate::job::Origin::Length { parent: 0, n_covered: None };
        hybrid.offer(Job { input, origin, bound: 0, visited: Vec::new(), expectation: None, string: None });
        assert_eq!(hybrid.n_idle_mutants(), None);
        assert!(matches!(hybrid.next(&seen), Some(Task::Run(_))));
        assert!(out_of_questions(&mut hybrid).is_some());
    }

    #[test]
    fn time_goes_to_who_finds_more() {
        let mut hybrid = Hybrid::new(Sides::Both);
        assert!((hybrid.share() - FIRST_SHARE).abs() < 1e-9);
        let mut used = [0.0; 2];
        for _ in 0..1000 {
            let side = hybrid.side();
            used[side as usize] += 0.1;
            hybrid.spent(side, spent(0.1, u64::from(side == Side::Mutation)));
        }
        assert!(used[0] > 2.0 * used[1], "{used:?}");
        assert!(used[1] > 10.0, "{used:?}");
        // Now the other way round.
        let before = used;
        for _ in 0..1000 {
            let side = hybrid.side();
            used[side as usize] += 0.1;
            hybrid.spent(side, spent(0.1, u64::from(side == Side::Symbolic)));
        }
        assert!(used[1] - before[1] > used[0] - before[0], "{used:?}");
    }
}
