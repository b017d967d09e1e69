//! Shares of time among the sources of one side.
//!
//! Each has its least share; what is left is divided by what they brought lately for their time, up to the most that each
//! may have. Who is next is decided as in fair queueing: a source has a clock that runs the slower the larger its share is,
//! and the one whose clock is furthest behind has its turn. So a task of ten seconds is made up for, a share can change at
//! any time, and a source that had nothing to do saves up nothing.

use super::source::Spent;

/// What was found before so many seconds counts half.
const HALF_LIFE: f64 = 15.0;
/// Before anything is known: something found in so many seconds.
const PRIOR_SECONDS: f64 = 2.0;
/// Beside its time each turn costs so much: nothing is free.
const TURN: f64 = 0.0005;

/// What a source took and brought.
#[derive(Clone, Default, Debug)]
pub struct Account {
    /// In all, with searches that this one takes up.
    pub total: Spent,
    /// Lately.
    seconds: f64,
    learnt: f64,
    share: f64,
    /// What it took, by its share.
    clock: f64,
}

impl Account {
    pub fn charge(&mut self, spent: &Spent) {
        self.total.add(*spent);
        let rest = 0.5f64.powf(spent.seconds / HALF_LIFE);
        self.seconds = self.seconds * rest + spent.seconds;
        self.learnt = self.learnt * rest + spent.learnt();
        if self.share > 0.0 {
            self.clock += (spent.seconds + TURN) / self.share;
        }
    }

    fn rate(&self) -> f64 {
        (self.learnt + 1.0) / (self.seconds + PRIOR_SECONDS)
    }
}

/// A source that has something to do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ready {
    pub number: usize,
    pub least: f64,
    pub most: f64,
    /// Where it is further ahead than so many seconds of its side, it is forgiven the rest.
    pub most_ahead: f64,
}

/// Whose turn it is, among those that have something to do; `is_of_side` tells who takes part at all.
pub fn choose(accounts: &mut [Account], ready: &[Ready], is_of_side: impl Fn(usize) -> bool) -> Option<usize> {
    let first = ready.iter().map(|it| accounts[it.number].clock).reduce(f64::min)?;
    for (it, share) in ready.iter().zip(shares(accounts, ready)) {
        let account = &mut accounts[it.number];
        account.share = share;
        account.clock = account.clock.min(first + it.most_ahead);
    }
    // Who has nothing to do now does not run behind.
    let is_idle = |number: usize| is_of_side(number) && ready.iter().all(|it| it.number != number);
    for (_, account) in accounts.iter_mut().enumerate().filter(|(number, _)| is_idle(*number)) {
        account.clock = account.clock.max(first);
    }
    ready.iter().map(|it| it.number).min_by(|&one, &other| accounts[one].clock.total_cmp(&accounts[other].clock))
}

/// What each gets, in the order of `ready`: what somebody may not have is divided among the others.
fn shares(accounts: &[Account], ready: &[Ready]) -> Vec<f64> {
    let rate = |it: &Ready| accounts[it.number].rate();
    let mut shares: Vec<f64> = ready.iter().map(|it| it.least).collect();
    for _ in ready {
        let rest = 1.0 - shares.iter().sum::<f64>();
        let is_open = |(it, share): &(&Ready, &mut f64)| **share < it.most;
        let sum: f64 = ready.iter().zip(&mut shares).filter(is_open).map(|(it, _)| rate(it)).sum();
        if rest <= 0.0 || sum <= 0.0 {
            break;
        }
        for (it, share) in ready.iter().zip(&mut shares).filter(is_open) {
            *share = (*share + rest * rate(it) / sum).min(it.most);
        }
    }
    let whole: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(number: usize, least: f64, most: f64) -> Ready {
        Ready { number, least, most, most_ahead: 60.0 }
    }

    fn spent(seconds: f64, n_branches: u64) -> Spent {
        Spent { seconds, n_branches, ..Spent::default() }
    }

    /// The seconds that each has had, after so many turns of what `task` says that one takes.
    fn run(n_turns: usize, all: &[Ready], task: impl Fn(usize) -> Spent) -> Vec<f64> {
        let mut accounts = vec![Account::default(); all.len()];
        for _ in 0..n_turns {
            let number = choose(&mut accounts, all, |_| true).unwrap();
            accounts[number].charge(&task(number));
        }
        accounts.iter().map(|account| account.total.seconds).collect()
    }

    #[test]
    fn nobody_falls_below_the_least_share_whatever_others_take_and_find() {
        let all = [ready(0, 0.1, 0.9), ready(1, 0.3, 0.9), ready(2, 0.2, 0.5)];
        // The first has tasks that are a hundred times as long, and finds all there is.
        let had = run(20_000, &all, |number| if number == 0 { spent(1.0, 5) } else { spent(0.01, 0) });
        let sum: f64 = had.iter().sum();
        for (it, had) in all.iter().zip(&had) {
            assert!(had / sum > 0.9 * it.least, "{had} of {sum}: {it:?}");
        }
        assert!(had[0] > had[1], "{had:?}");
    }

    #[test]
    fn nobody_has_more_than_the_most_while_others_wait() {
        let had = run(10_000, &[ready(0, 0.1, 0.9), ready(1, 0.1, 0.2)], |number| spent(0.01, number as u64));
        assert!(had[1] / (had[0] + had[1]) < 0.25, "{had:?}");
        // Alone it has everything.
        assert_eq!(choose(&mut vec![Account::default(); 2], &[ready(1, 0.1, 0.2)], |_| true), Some(1));
    }

    #[test]
    fn who_had_nothing_to_do_saves_up_nothing() {
        let mut accounts = vec![Account::default(); 2];
        let (first, second) = (ready(0, 0.4, 0.9), ready(1, 0.4, 0.9));
        for _ in 0..1000 {
            assert_eq!(choose(&mut accounts, &[first], |_| true), Some(0));
            accounts[0].charge(&spent(0.1, 0));
        }
        let mut turns = [0; 2];
        for _ in 0..100 {
            let number = choose(&mut accounts, &[first, second], |_| true).unwrap();
            turns[number] += 1;
            accounts[number].charge(&spent(0.1, 0));
        }
        assert!(turns[0] > 20 && turns[1] > 20, "{turns:?}");
    }

    #[test]
    fn a_turn_that_takes_no_time_is_charged_all_the_same() {
        let all = [ready(0, 0.4, 0.9), ready(1, 0.4, 0.9)];
        let mut accounts = vec![Account::default(); 2];
        let turns: Vec<usize> = (0..4)
            .map(|_| {
                let number = choose(&mut accounts, &all, |_| true).unwrap();
                accounts[number].charge(&Spent::default());
                number
            })
            .collect();
        assert_eq!(turns, [0, 1, 0, 1]);
    }

    #[test]
    fn nobody_waits_for_all_that_it_took_at_once() {
        for most_ahead in [3.0, 60.0] {
            let all = [Ready { most_ahead, ..ready(0, 0.45, 0.9) }, ready(1, 0.45, 0.9)];
            let mut accounts = vec![Account::default(); 2];
            choose(&mut accounts, &all, |_| true);
            accounts[0].charge(&spent(10_000.0, 0));
            let mut seconds = 0.0;
            while choose(&mut accounts, &all, |_| true) == Some(1) && seconds < 1000.0 {
                accounts[1].charge(&spent(0.1, 0));
                seconds += 0.1;
            }
            assert!(seconds > 0.3 * most_ahead && seconds < 1.5 * most_ahead, "{seconds} of {most_ahead}");
        }
    }
}
