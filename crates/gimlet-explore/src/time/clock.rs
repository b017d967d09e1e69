//! The time of a search: what shares of it and limits are counted in.
//!
//! By the wall clock, two runs of the same search differ: what comes next depends on how long things took. By a count of
//! work each mutant, traced run and question is taken to last a fixed time, so that everything that is decided by the
//! clock (turns, shares, hard questions, lengths, the budget) takes part and still repeats byte for byte. Limits inside
//! one step (of a question, of a run) have no clock then; they are counted in conflicts, or are those of the user.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// What a mutant, a traced run and a question are taken to last.
const MUTANT: Duration = Duration::from_micros(500);
const TRACE: Duration = Duration::from_millis(10);
const QUERY: Duration = Duration::from_millis(1);

/// Which clock a search goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    #[default]
    Wall,
    Work,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == text);
        kind.ok_or_else(|| format!("'{text}' is no clock; there are wall and work"))
    }
}

impl Kind {
    pub const ALL: [Kind; 2] = [Kind::Wall, Kind::Work];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Wall => "wall",
            Kind::Work => "work",
        }
    }
}

/// What was done so far, by what it is counted as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkDone {
    /// Of all builds.
    pub n_runs: u64,
    /// Those of them that were at native speed.
    pub n_mutants: u64,
    pub n_queries: u64,
}

impl WorkDone {
    /// How long it is taken to last.
    pub fn time(self) -> Duration {
        let times = |n: u64, each: Duration| Duration::from_nanos(n.saturating_mul(each.as_nanos() as u64));
        times(self.n_mutants, MUTANT)
            + times(self.n_runs.saturating_sub(self.n_mutants), TRACE)
            + times(self.n_queries, QUERY)
    }
}

/// Measures from the beginning of a search.
#[derive(Debug)]
pub struct Clock {
    kind: Kind,
    started: Instant,
    /// What was done before it started.
    earlier: WorkDone,
}

impl Clock {
    pub fn new(kind: Kind) -> Clock {
        Clock { kind, started: Instant::now(), earlier: WorkDone::default() }
    }

    /// Begins anew.
    pub fn start(&mut self, work: WorkDone) {
        (self.started, self.earlier) = (Instant::now(), work);
    }

    /// Whether time passes by itself.
    pub fn is_wall(&self) -> bool {
        self.kind == Kind::Wall
    }

    /// The time since the start; `work` is what was done in all.
    pub fn now(&self, work: impl FnOnce() -> WorkDone) -> Duration {
        match self.kind {
            Kind::Wall => self.started.elapsed(),
            Kind::Work => work().time().saturating_sub(self.earlier.time()),
        }
    }

    /// The user made the search wait: nobody has seen that time pass.
    pub fn wait(&mut self, waited: Duration) {
        self.started += waited;
    }

    /// When some time after the start is over; `None` if no clock tells while a step goes on.
    pub fn deadline(&self, after: Duration) -> Option<Instant> {
        self.is_wall().then(|| self.started.checked_add(after)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_from_the_start() {
        let mut clock = Clock::new(Kind::Work);
        let work = |n_runs, n_mutants, n_queries| WorkDone { n_runs, n_mutants, n_queries };
        clock.start(work(10, 4, 7));
        assert_eq!(clock.now(|| work(10, 4, 7)), Duration::ZERO);
        assert_eq!(clock.now(|| work(15, 6, 10)), 2 * MUTANT + 3 * TRACE + 3 * QUERY);
        assert_eq!(clock.deadline(Duration::from_secs(1)), None);
    }

    #[test]
    fn time_that_the_user_takes_does_not_pass() {
        let mut clock = Clock::new(Kind::Wall);
        clock.wait(Duration::from_secs(100));
        assert_eq!(clock.now(WorkDone::default), Duration::ZERO);
        let deadline = clock.deadline(Duration::from_secs(1)).unwrap();
        assert!(deadline > Instant::now() + Duration::from_secs(99));
    }
}
