//! How much of all time goes to directions that nobody took, although runs come to their branches ([`super::sources::Frontiers`]).
//!
//! A search that has most of a program needs what is left of it; one that has not, finds more by going on as it does. So the
//! share is the larger the fewer such directions there are, and the longer all others have found nothing; and the smaller
//! the longer this has been of no use.

use super::source::Spent;

/// The share where few directions are left, nothing else finds anything, and this does.
const MOST: f64 = 0.8;
const LEAST: f64 = 0.04;
/// Directions that are few.
const N_FEW: f64 = 16.0;
/// What is spent in vain here counts less than what others spend: here it is known what is wanted.
const PATIENCE: f64 = 0.5;
/// Seconds in which others have found nothing, before this has half of what it may have.
const BEFORE: f64 = 1.0;
/// A task that took longer is forgiven the rest.
const MOST_AHEAD: f64 = 5.0;

/// Time of one of the two.
#[derive(Clone, Copy, Default, Debug)]
struct Account {
    /// Since it last found a branch.
    fruitless: f64,
    /// What it spent, by its share.
    clock: f64,
}

#[derive(Default, Debug)]
pub struct Focus {
    own: Account,
    others: Account,
    /// By which the present task was chosen.
    share: f64,
}

impl Focus {
    fn share(&self, n_left: usize) -> f64 {
        let few = (N_FEW / n_left.max(1) as f64).min(1.0);
        let (own, others) = (self.own.fruitless * PATIENCE, self.others.fruitless);
        (MOST * few * others / (own + others + BEFORE)).max(LEAST)
    }

    /// Whether it is the turn of one of so many directions.
    pub fn is_next(&mut self, n_left: usize) -> bool {
        self.share = self.share(n_left);
        self.own.clock <= self.others.clock
    }

    /// There was nothing to do here: nothing is saved up.
    pub fn is_idle(&mut self) {
        self.own.clock = self.own.clock.max(self.others.clock);
    }

    pub fn spent(&mut self, is_own: bool, spent: &Spent) {
        let share = if self.share > 0.0 { self.share } else { LEAST };
        let (account, share) = if is_own { (&mut self.own, share) } else { (&mut self.others, 1.0 - share) };
        account.clock += spent.seconds / share;
        account.fruitless = if spent.n_branches > 0 { 0.0 } else { account.fruitless + spent.seconds };
        let least = self.own.clock.min(self.others.clock);
        for account in [&mut self.own, &mut self.others] {
            account.clock = account.clock.min(least + MOST_AHEAD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(seconds: f64, n_branches: u64) -> Spent {
        Spent { seconds, n_branches, ..Spent::default() }
    }

    /// The part of so many seconds that goes to so many directions, if others and this find something at some times.
    fn part(n_left: usize, seconds: f64, finds: impl Fn(bool, u64) -> bool) -> f64 {
        let (mut focus, mut had, mut n_turns) = (Focus::default(), [0.0, 0.0], 0);
        while had[0] + had[1] < seconds {
            let is_own = focus.is_next(n_left);
            n_turns += 1;
            focus.spent(is_own, &spent(0.05, u64::from(finds(is_own, n_turns))));
            had[usize::from(is_own)] += 0.05;
        }
        had[1] / seconds
    }

    #[test]
    fn few_that_are_left_have_most_of_the_time_while_nobody_finds_anything() {
        let few = part(1, 100.0, |_, _| false);
        assert!((0.4..0.7).contains(&few), "{few}");
        assert!(part(1000, 100.0, |_, _| false) < 0.06);
    }

    #[test]
    fn who_finds_has_more() {
        let others = part(1, 100.0, |is_own, turn| !is_own && turn % 10 == 0);
        assert!(others < 0.2, "{others}");
        let own = part(1, 100.0, |is_own, turn| is_own && turn % 10 == 0);
        assert!(own > 0.7, "{own}");
    }

    #[test]
    fn a_long_task_is_made_up_for_up_to_a_limit() {
        let mut focus = Focus::default();
        focus.is_next(1);
        focus.spent(true, &spent(1000.0, 0));
        let mut seconds = 0.0;
        while !focus.is_next(1) && seconds < 100.0 {
            focus.spent(false, &spent(0.1, 0));
            seconds += 0.1;
        }
        assert!(seconds > 0.3 && seconds <= 2.0 * MOST_AHEAD, "{seconds}");
    }
}
