//! What came of a search.

use serde::{Deserialize, Serialize};

use crate::directions::{self, KnownBranch};
use crate::effort::{self, Effort};
use crate::finding::Finding;
use crate::maker::TestCounts;
use crate::note::{About, Corpus, Doubts, Ending, Kinds, Note, Phases, Runs, Stability, Time, Tokens};
use crate::parts::Parts;
use crate::queries::Queries;

/// What has become of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum State {
    /// A process works on it; which one is not known if it is in another container.
    Running { pid: Option<i32> },
    /// It came to an end.
    Ended,
    /// It was stopped, or ended by a signal that nobody can catch.
    #[default]
    Interrupted,
}

/// The side of symbolic execution.
const SYMBOLIC: &str = "symbolic";

/// The word for a search that was stopped.
pub const INTERRUPTED: &str = "interrupted";

impl State {
    /// `user` is the process that works on it; the inner `None` if nobody can say which. `ended` is from its note.
    pub fn new(user: Option<Option<i32>>, ended: Option<&str>) -> State {
        match (user, ended) {
            (Some(pid), _) => State::Running { pid },
            (None, None | Some(INTERRUPTED)) => State::Interrupted,
            (None, Some(_)) => State::Ended,
        }
    }
}

/// All that is told of a search, of all workers together. Nobody changes it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Results {
    pub about: About,
    pub state: State,
    pub ending: Ending,
    pub time: Time,
    pub corpus: Corpus,
    pub coverage: Coverage,
    pub runs: Runs,
    pub doubts: Doubts,
    pub kinds: Kinds,
    pub queries: Queries,
    #[serde(deserialize_with = "crate::effort::rows")]
    pub efforts: Vec<Effort>,
    /// What the time of symbolic execution went to.
    pub symbolic: Phases,
    pub findings: Vec<Finding>,
    pub parts: Option<Parts>,
    pub stability: Stability,
    pub tokens: Tokens,
    /// By place. What is told of a search while it runs leaves them out: there are many.
    #[serde(default)]
    pub branches: Vec<KnownBranch>,
}

/// Directions of branches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Those that were taken.
    pub n_covered: u64,
    /// All that there are.
    pub n_branches: u64,
}

/// What a search knows of itself, and of the workers that it leads: its values while it runs, or what its stores have.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub state: State,
    pub build: u64,
    pub note: Note,
    /// What the other workers noted.
    pub others: Vec<Note>,
    pub tests: TestCounts,
    /// Different ones, of all workers.
    pub n_paths: u64,
    pub n_inputs: Option<u64>,
    /// With the runs of all workers.
    pub findings: Vec<Finding>,
    pub branches: Vec<KnownBranch>,
    /// What the other workers know of branches.
    pub others_branches: Vec<Vec<KnownBranch>>,
}

impl From<Known> for Results {
    fn from(known: Known) -> Results {
        let mut sum = known.note;
        known.others.iter().for_each(|other| sum.add(other));
        let ending = match known.state {
            // What it says of its end is of an earlier one.
            State::Running { .. } => Ending::default(),
            State::Interrupted => Ending { ended: Some(INTERRUPTED.to_owned()), ..sum.ending },
            State::Ended => sum.ending,
        };
        let (n_covered, n_branches) = sum.branches;
        Results {
            about: About { build: known.build, ..sum.about },
            state: known.state,
            ending,
            time: sum.time,
            // Counted in the store itself: it may have more than the last note.
            corpus: Corpus { tests: known.tests, n_paths: known.n_paths, n_inputs: known.n_inputs, ..sum.corpus },
            coverage: Coverage { n_covered, n_branches },
            runs: sum.counts.runs,
            doubts: sum.counts.doubts,
            kinds: sum.kinds,
            queries: sum.queries,
            efforts: sum.efforts,
            symbolic: sum.symbolic,
            findings: known.findings,
            parts: sum.parts,
            stability: sum.stability,
            tokens: sum.tokens,
            branches: directions::sum(known.branches, &known.others_branches),
        }
    }
}

impl Results {
    pub fn n_tests(&self) -> u64 {
        self.corpus.tests.total()
    }

    /// What mutation or symbolic execution took and brought, with all of its sources of work.
    pub fn effort_of_side(&self, side: &str) -> Effort {
        effort::of_side(&self.efforts, side)
    }

    /// The sides of the search that took part.
    pub fn sides(&self) -> Vec<&str> {
        effort::sides(&self.efforts)
    }

    /// The part that something has of the time of all sources of work.
    pub fn share(&self, effort: &Effort) -> f64 {
        let whole: f64 = self.efforts.iter().map(|effort| effort.seconds).sum();
        if whole > 0.0 {
            effort.seconds / whole
        } else {
            0.0
        }
    }

    /// Parts of symbolic execution with what they have of its time; the rest is bookkeeping.
    pub fn symbolic_shares(&self) -> Vec<(&'static str, f64)> {
        let all = self.effort_of_side(SYMBOLIC).seconds;
        let phases = self.symbolic.all();
        let all = all.max(phases.iter().map(|(_, seconds)| seconds).sum());
        let share = |seconds: f64| if all > 0.0 { seconds / all } else { 0.0 };
        phases.map(|(name, seconds)| (name, share(seconds))).to_vec()
    }

    /// Runs a second.
    pub fn speed(&self) -> f64 {
        self.runs.executions as f64 / self.time.seconds.max(0.001)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_runs_has_not_ended() {
        let mut known = Known { state: State::new(Some(None), Some("steps")), ..Known::default() };
        known.note.ending = Ending { ended: Some("steps".into()), is_exhausted: true, ..Ending::default() };
        assert_eq!(Results::from(known.clone()).ending, Ending::default());
        known.state = State::new(None, Some("steps"));
        assert_eq!(known.state, State::Ended);
        assert!(Results::from(known.clone()).ending.is_exhausted);
        known.state = State::new(None, None);
        assert_eq!(Results::from(known).ending.ended.as_deref(), Some("interrupted"));
    }

    #[test]
    fn results_are_of_all_workers() {
        let mut known = Known { n_paths: 4, others: vec![Note::default(); 2], ..Known::default() };
        known.note.counts.runs.executions = 1;
        known.others.iter_mut().for_each(|other| other.counts.runs.executions = 10);
        known.others.iter_mut().for_each(|other| other.corpus.n_paths = 3);
        let results = Results::from(known);
        assert_eq!((results.runs.executions, results.corpus.n_paths), (21, 4));
    }

    #[test]
    fn results_can_be_sent() {
        let results = Results::from(Known { build: u64::MAX, n_inputs: Some(3), ..Known::default() });
        let text = serde_json::to_string(&results).unwrap();
        assert_eq!(serde_json::from_str::<Results>(&text).unwrap(), results);
    }
}
