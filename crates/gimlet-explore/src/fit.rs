//! Whether the strings of a grammar are what the program reads.
//!
//! A parser refuses a text of another language at its first tokens: it takes the same path with all strings, or ends with
//! the same status. A search would go on with such strings for ever, and find nothing.

use gimlet_trace::trace::Outcome;

use crate::walk::{hash, Walk};

/// With fewer strings it may be chance.
pub const N_STRINGS_MIN: u64 = 50;

/// What the first runs of strings have in common.
#[derive(Default, Debug)]
pub struct Fit {
    n_strings: u64,
    path: Common<Path>,
    status: Common<i32>,
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
    /// Takes in the first run of a string; true if it is the one that decides.
    pub fn add(&mut self, walk: &Walk, outcome: Outcome) -> bool {
        // How much was read differs even where nobody looks at it.
        let branches = walk.stops.iter().filter_map(|stop| Some((stop.site, stop.direction?)));
        let branches: Vec<_> = branches.collect();
        self.path.add(Path { hash: hash(&branches), n_branches: branches.len() });
        self.ended(outcome)
    }

    /// The same where nobody knows the path.
    pub fn ended(&mut self, outcome: Outcome) -> bool {
        self.status.add(if let Outcome::Exited(status) = outcome { status } else { 0 });
        self.n_strings += 1;
        self.n_strings == N_STRINGS_MIN
    }

    /// Why the grammar may be that of another program.
    pub fn doubt(&self) -> Option<String> {
        if self.n_strings < N_STRINGS_MIN {
            return None;
        }
        let what = match (&self.path, &self.status) {
            (Common::All(path), _) => format!("took the same {} branches", path.n_branches),
            (_, Common::All(status)) if *status != 0 => format!("ended with status {status}"),
            _ => return None,
        };
        let n_strings = self.n_strings;
        Some(format!("the program {what} on all of {n_strings} strings: does it read what the grammar says?"))
    }
}

#[cfg(test)]
mod unit_tests {
    use gimlet_path::Direction;

    use super::*;
    use crate::walk::Stop;

    /// What is said of as many strings as decide, by the sites of their branches and how they end.
    fn check(run: impl Fn(u64) -> (Vec<u32>, Outcome), expected: Option<&str>) {
        let mut fit = Fit::default();
        for number in 0..N_STRINGS_MIN {
            assert_eq!(fit.doubt(), None);
            let (sites, outcome) = run(number);
            let stops: Vec<Stop> =
                sites.iter().map(|&site| Stop::of_branch(site, Direction::True, Direction::False)).collect();
            let walk = Walk { prefixes: vec![number; stops.len() + 1], stops, string: Some(number) };
            assert_eq!(fit.add(&walk, outcome), number + 1 == N_STRINGS_MIN);
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
        check(|number| (vec![u32::from(number == 49)], Outcome::Exited(0)), None);
        check(|number| (vec![number as u32], Outcome::Signalled(6)), None);
        let mut fit = Fit::default();
        let decided: Vec<bool> = (0..N_STRINGS_MIN).map(|_| fit.ended(Outcome::Exited(3))).collect();
        assert_eq!(decided.iter().position(|&is_decided| is_decided), Some(decided.len() - 1));
        assert!(fit.doubt().is_some_and(|doubt| doubt.contains("ended with status 3 on all of 50 strings")));
    }
}
