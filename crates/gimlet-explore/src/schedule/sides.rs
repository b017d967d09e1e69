//! How time is divided between mutation and symbolic execution.
//!
//! Each side has a share of the time that follows what it has found lately (new branches, and a little for new tests), and
//! never less than a part that lets it show that it can do better. As among the sources of a side ([`super::fair`]), a clock
//! runs the slower the larger a share is: what a side had while it had a larger one is its own.

use super::source::{Side, Spent};

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
/// A task can take ten seconds or more, and is made up for: the other side is alone for so many seconds at most.
const MOST_AHEAD: f64 = 10.0;
/// Before anything is known: something found in so many seconds.
const PRIOR_SECONDS: f64 = 2.0;

/// What a side has spent and found lately.
#[derive(Clone, Copy, Default, Debug)]
struct Account {
    seconds: f64,
    found: f64,
    /// What it spent, by its share.
    clock: f64,
}

impl Account {
    fn rate(&self) -> f64 {
        (self.found + 1.0) / (self.seconds + PRIOR_SECONDS)
    }
}

/// Both sides, and whose turn it is.
#[derive(Debug)]
pub struct Sides {
    accounts: [Account; 2],
    /// Those by which the present task was chosen.
    shares: [f64; 2],
    /// All that both ever spent.
    seconds: f64,
    n_idle_mutants: u64,
    /// What symbolic execution spent since the last new test.
    idle_seconds: f64,
}

impl Default for Sides {
    fn default() -> Sides {
        Sides { accounts: Default::default(), shares: [0.5; 2], seconds: 0.0, n_idle_mutants: 0, idle_seconds: 0.0 }
    }
}

impl Sides {
    /// The part of the time that mutation gets; `is_awaited` if tests of its wait that brought a branch.
    fn share(&self, is_awaited: bool) -> f64 {
        if self.n_idle_mutants >= N_STALLED_MUTANTS {
            return if self.idle_seconds < STALLED_SECONDS { STALLED_SHARE } else { BOTH_STALLED_SHARE };
        }
        let [mutation, symbolic] = self.accounts.map(|account| account.rate());
        let is_first = self.seconds < FIRST_SECONDS && mutation < CLEARLY_MORE * symbolic;
        let most = match is_awaited {
            _ if is_first => FIRST_SHARE,
            true => SHARE_WHILE_WAITED_FOR,
            false => *SHARES.end(),
        };
        (mutation / (mutation + symbolic)).clamp(*SHARES.start(), most)
    }

    /// The side that is furthest behind its share.
    pub fn next(&mut self, is_awaited: bool) -> Side {
        let share = self.share(is_awaited);
        self.shares = [share, 1.0 - share];
        match self.accounts[0].clock <= self.accounts[1].clock {
            true => Side::Mutation,
            false => Side::Symbolic,
        }
    }

    pub fn spent(&mut self, side: Side, spent: &Spent) {
        let account = &mut self.accounts[side as usize];
        let rest = 0.5f64.powf(spent.seconds / HALF_LIFE);
        account.seconds = account.seconds * rest + spent.seconds;
        account.found = account.found * rest + spent.found();
        self.seconds += spent.seconds;
        account.clock += spent.seconds / self.shares[side as usize];
        let least = self.accounts[0].clock.min(self.accounts[1].clock);
        // The other one may have had nothing to do.
        self.accounts.iter_mut().for_each(|account| account.clock = account.clock.min(least + MOST_AHEAD));
        if spent.n_tests > 0 {
            (self.n_idle_mutants, self.idle_seconds) = (0, 0.0);
        } else if side == Side::Symbolic {
            self.idle_seconds += spent.seconds;
        } else {
            self.n_idle_mutants += spent.n_runs;
        }
    }

    /// Somebody who is of neither side has run mutants.
    pub fn others_spent(&mut self, spent: &Spent) {
        match spent.n_tests {
            0 => self.n_idle_mutants += spent.n_runs,
            _ => (self.n_idle_mutants, self.idle_seconds) = (0, 0.0),
        }
    }

    /// Mutants since the last new test.
    pub fn n_idle_mutants(&self) -> u64 {
        self.n_idle_mutants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(seconds: f64, n_branches: u64) -> Spent {
        Spent { seconds, n_branches, n_tests: n_branches, n_runs: 1, ..Spent::default() }
    }

    #[test]
    fn a_long_task_is_made_up_for() {
        let mut sides = Sides::default();
        // Past the beginning, with as much found by both.
        sides.spent(Side::Mutation, &spent(FIRST_SECONDS, 10));
        sides.spent(Side::Symbolic, &spent(FIRST_SECONDS, 10));
        let share = sides.share(false);
        sides.next(false);
        sides.spent(Side::Symbolic, &Spent { n_tests: 1, ..spent(20.0, 0) });
        let mut seconds = 0.0;
        while sides.next(false) == Side::Mutation && seconds < 100.0 {
            sides.spent(Side::Mutation, &spent(0.03, 0));
            seconds += 0.03;
        }
        assert!(seconds > 0.3 * MOST_AHEAD && seconds < MOST_AHEAD, "{seconds} after a share of {share}");
    }

    #[test]
    fn a_share_that_grows_is_no_debt() {
        let mut sides = Sides::default();
        // At first nearly all is symbolic, by its share; then mutation finds much.
        let mut turn = |seconds: f64, n_branches: u64| {
            let side = sides.next(false);
            sides.spent(side, &spent(seconds, if side == Side::Mutation { n_branches } else { 0 }));
            side
        };
        for _ in 0..200 {
            turn(0.1, 0);
        }
        let (mut alone, mut longest) = (0.0, 0.0f64);
        for _ in 0..600 {
            alone = if turn(0.1, 5) == Side::Mutation { alone + 0.1 } else { 0.0 };
            longest = longest.max(alone);
        }
        assert!(longest < 2.0, "mutation was alone for {longest} s");
    }

    #[test]
    fn who_stalls_waits_unless_both_do() {
        let mut sides = Sides::default();
        sides.spent(Side::Mutation, &Spent { n_runs: N_STALLED_MUTANTS, ..spent(1.0, 0) });
        assert!((sides.share(false) - STALLED_SHARE).abs() < 1e-9);
        sides.spent(Side::Symbolic, &spent(STALLED_SECONDS, 0));
        assert!((sides.share(false) - BOTH_STALLED_SHARE).abs() < 1e-9);
        sides.spent(Side::Symbolic, &spent(1.0, 1));
        assert_eq!((sides.n_idle_mutants, sides.idle_seconds), (0, 0.0));
    }

    #[test]
    fn mutation_has_less_while_others_wait_for_a_look_at_what_it_found() {
        let mut sides = Sides::default();
        sides.spent(Side::Mutation, &spent(FIRST_SECONDS, 1000));
        sides.spent(Side::Symbolic, &spent(1.0, 0));
        assert!((sides.share(true) - SHARE_WHILE_WAITED_FOR).abs() < 1e-9);
        assert!(sides.share(false) > SHARE_WHILE_WAITED_FOR);
    }

    #[test]
    fn time_goes_to_who_finds_more() {
        let mut sides = Sides::default();
        assert!((sides.share(false) - FIRST_SHARE).abs() < 1e-9);
        let mut used = [0.0; 2];
        let mut run = |used: &mut [f64; 2], finder: Side| {
            for _ in 0..1000 {
                let side = sides.next(false);
                used[side as usize] += 0.1;
                sides.spent(side, &spent(0.1, u64::from(side == finder)));
            }
        };
        run(&mut used, Side::Mutation);
        assert!(used[0] > 2.0 * used[1], "{used:?}");
        assert!(used[1] > 10.0, "{used:?}");
        let before = used;
        run(&mut used, Side::Symbolic);
        assert!(used[1] - before[1] > used[0] - before[0], "{used:?}");
    }
}
