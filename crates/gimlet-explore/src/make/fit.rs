//! Whether the strings of a grammar are what the program reads.
//!
//! A parser refuses a text of another language at its first tokens: it takes the same path with all strings, or ends with
//! a status that says so. A search would go on with such strings for ever, and find nothing.

use gimlet_trace::trace::Outcome;

use crate::run::walk::{hash, Walk};

/// With fewer strings it may be chance.
pub const N_STRINGS_MIN: u64 = 50;

/// What the first runs of strings have in common.
#[derive(Default, Debug)]
pub struct Fit {
    /// Strings whose path is known, and whose end is.
    n_followed: u64,
    n_ended: u64,
    path: Common<Path>,
    status: Common<i32>,
    has_ended_well: bool,
}

/// The directions of a run, by a hash of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Path {
    hash: u64,
    n_branches: usize,
}

#[derive(Default, Debug)]
enum Common<T> {
    #[default]
    Unknown,
    All(T),
    Differs,
}

impl<T: PartialEq> Common<T> {
    fn add(&mut self, one: T) {
        *self = match std::mem::replace(self, Common::Differs) {
            Common::Unknown => Common::All(one),
            Common::All(all) if all == one => Common::All(all),
            _ => Common::Differs,
        };
    }
}

impl Fit {
    /// Takes in the path of a string; what is to be said now, if this is the one that decides.
    pub fn follow(&mut self, walk: &Walk) -> Option<String> {
        // How much was read differs even where nobody looks at it.
        let branches = walk.stops.iter().filter_map(|stop| Some((stop.site, stop.direction?)));
        let branches: Vec<_> = branches.collect();
        self.path.add(Path { hash: hash(&branches), n_branches: branches.len() });
        let had_doubts = self.doubt().is_some();
        self.n_followed += 1;
        self.doubt().filter(|_| self.n_followed == N_STRINGS_MIN && !had_doubts)
    }

    /// The same for how it ended.
    pub fn end(&mut self, outcome: Outcome) -> Option<String> {
        // A crash is no refusal.
        let status = if let Outcome::Exited(status) = outcome { status } else { 0 };
        self.status.add(status);
        self.has_ended_well |= status == 0;
        let had_doubts = self.doubt().is_some();
        self.n_ended += 1;
        self.doubt().filter(|_| self.n_ended == N_STRINGS_MIN && !had_doubts)
    }

    /// Why the grammar may be that of another program.
    pub fn doubt(&self) -> Option<String> {
        let (what, n_strings) = match (&self.path, &self.status) {
            (Common::All(path), _) if self.n_followed >= N_STRINGS_MIN => {
                (format!("took the same {} branches", path.n_branches), self.n_followed)
            }
            _ if self.n_ended < N_STRINGS_MIN || self.has_ended_well => return None,
            (_, Common::All(status)) => (format!("ended with status {status}"), self.n_ended),
            _ => ("ended with a status other than 0".to_owned(), self.n_ended),
        };
        Some(format!("the program {what} on all of {n_strings} strings: does it read what the grammar says?"))
    }
}

#[cfg(test)]
mod unit_tests {
    use gimlet_path::Direction;

    use super::*;
    use crate::run::walk::Stop;

    /// What is said of as many strings as decide, by the sites of their branches and how they end.
    fn check(run: impl Fn(u64) -> (Vec<u32>, Outcome), expected: Option<&str>) {
        let mut fit = Fit::default();
        for number in 0..N_STRINGS_MIN {
            assert_eq!(fit.doubt(), None);
            let (sites, outcome) = run(number);
            let stops: Vec<Stop> =
                sites.iter().map(|&site| Stop::of_branch(site, Direction::True, Direction::False)).collect();
            let walk = Walk { prefixes: vec![number; stops.len() + 1], stops, string: Some(number), has_tokens: false };
            let told = [fit.follow(&walk), fit.end(outcome)];
            assert_eq!(told.iter().flatten().count(), usize::from(fit.doubt().is_some()), "{told:?}");
        }
        let doubt = fit.doubt();
        assert_eq!(doubt.is_some(), expected.is_some(), "{doubt:?}");
        assert!(doubt.unwrap_or_default().contains(expected.unwrap_or_default()));
    }

    #[test]
    fn strings_that_make_no_difference() {
        check(|_| (vec![1, 2], Outcome::Exited(0)), Some("took the same 2 branches on all of 50 strings"));
        check(|number| (vec![number as u32], Outcome::Exited(2)), Some("ended with status 2 on all of 50 strings"));
        check(|number| (vec![number as u32], Outcome::Exited(0)), None);
        check(|number| (vec![number as u32], Outcome::Exited(i32::from(number != 30))), None);
        let refused = |number: u64| (vec![number as u32], Outcome::Exited(1 + (number % 3) as i32));
        check(refused, Some("ended with a status other than 0 on all of 50 strings"));
        check(|number| (vec![u32::from(number == 49)], Outcome::Exited(0)), None);
        check(|number| (vec![number as u32], Outcome::Signalled(6)), None);
        let mut fit = Fit::default();
        let told: Vec<bool> = (0..2 * N_STRINGS_MIN).map(|_| fit.end(Outcome::Exited(3)).is_some()).collect();
        assert_eq!(told.iter().filter(|&&is_told| is_told).count(), 1);
        assert!(told[N_STRINGS_MIN as usize - 1]);
        assert!(fit.doubt().is_some_and(|doubt| doubt.contains("ended with status 3 on all of 100 strings")));
    }
}
