//! How long runs take, and how much longer one may take before it is given up.
//!
//! A run that does not end costs as much as hundreds that do. Whether it ever ends is not asked here: that is found out on
//! the plain build, with all the time that the user allows, for some of those that were given up.

use std::time::Duration;

/// A run may take so many times as long as others do on average.
const LEISURE: u32 = 10;

/// The pace of the runs so far.
#[derive(Default, Debug)]
pub struct Pace {
    time: Duration,
    n_runs: u32,
}

impl Pace {
    /// Takes in how long a run took.
    pub fn took(&mut self, elapsed: Duration) {
        self.time += elapsed;
        self.n_runs += 1;
    }

    /// How long a run may take, within bounds.
    pub fn limit(&self, shortest: Duration, longest: Duration) -> Duration {
        match self.n_runs {
            0 => longest,
            n_runs => (self.time / n_runs * LEISURE).max(shortest).min(longest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_may_take_longer_than_others_but_not_for_ever() {
        let [shortest, longest] = [20, 1000].map(Duration::from_millis);
        let mut pace = Pace::default();
        assert_eq!(pace.limit(shortest, longest), longest);
        pace.took(Duration::from_millis(1));
        assert_eq!(pace.limit(shortest, longest), shortest);
        pace.took(Duration::from_millis(9));
        assert_eq!(pace.limit(shortest, longest), Duration::from_millis(50));
        pace.took(Duration::from_secs(9));
        assert_eq!(pace.limit(shortest, longest), longest);
    }
}
