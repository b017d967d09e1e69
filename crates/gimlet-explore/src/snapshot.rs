//! How a search goes, at one moment: plain figures for whoever shows them.
//!
//! Figures of several searches on one program can be added: what each has counted is summed; of what they have in common,
//! such as the branches that were taken, the most of any is a lower bound of all.

use std::path::PathBuf;
use std::time::Duration;

use gimlet_exec::locate::Frame;
use gimlet_solver::Stats;
use gimlet_store::TEAM;

use crate::explorer::Counts;
use crate::findings::{Finding, Kind};
use crate::progress::Progress;
use crate::shown::ShownBy;
use crate::strategy::{Spent, Task};

/// Bytes of each source of a finding's input that are at hand.
const N_SHOWN_BYTES: usize = 4096;

/// Functions of a finding's stack that are at hand.
const N_SHOWN_FRAMES: usize = 64;

/// What a search does at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Work {
    /// It looks at the program, or takes up what an earlier search left.
    #[default]
    Beginning,
    /// It runs one input on the instrumented build.
    Tracing,
    Mutating,
    Solving,
}

impl Work {
    pub const ALL: [Work; 4] = [Work::Beginning, Work::Tracing, Work::Mutating, Work::Solving];

    pub fn of(task: &Task) -> Work {
        match task {
            Task::Run(_) | Task::TakeString | Task::Grow | Task::Pursue => Work::Tracing,
            Task::Expand { .. } => Work::Solving,
            Task::Mutate => Work::Mutating,
        }
    }
}

/// Who makes tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    Seed,
    Grammar,
    Flip,
    Optimistic,
    Length,
    Word,
    Mutation,
    Graft,
    Earlier,
    Sync,
}

impl Maker {
    pub const ALL: [Maker; 10] = [
        Maker::Seed,
        Maker::Grammar,
        Maker::Flip,
        Maker::Optimistic,
        Maker::Length,
        Maker::Word,
        Maker::Mutation,
        Maker::Graft,
        Maker::Earlier,
        Maker::Sync,
    ];

    /// As names of files have it.
    pub fn name(self) -> &'static str {
        match self {
            Maker::Seed => "seed",
            Maker::Grammar => "grammar",
            Maker::Flip => "flip",
            Maker::Optimistic => "optimistic",
            Maker::Length => "length",
            Maker::Word => "word",
            Maker::Mutation => "havoc",
            Maker::Graft => "graft",
            Maker::Earlier => "earlier",
            Maker::Sync => "sync",
        }
    }

    /// Whoever a store or a name of a file means; behind a colon or a comma may be more, and of a teammate's test who made it there.
    pub fn from_text(text: &str) -> Maker {
        let made = text.strip_prefix(TEAM).and_then(|text| text.split(',').find_map(|part| part.strip_prefix("op:")));
        let word = made.unwrap_or(text).split([':', ',']).next().unwrap_or_default();
        Maker::ALL.into_iter().find(|maker| maker.name() == word).unwrap_or(Maker::Earlier)
    }
}

/// Something that is wrong with the program, as far as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub id: usize,
    pub kind: Kind,
    /// The innermost function of the program's own.
    pub frame: Option<Frame>,
    pub stack: Vec<Frame>,
    pub shown_by: ShownBy,
    pub n_runs: u64,
    /// How the program ended, in words.
    pub ended: String,
    /// Of its input, below the folder of results.
    pub path: PathBuf,
    pub sources: Vec<Beginning>,
}

/// A source of an input, from its beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beginning {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Of the whole.
    pub n_bytes: usize,
}

impl From<&Finding> for Found {
    fn from(finding: &Finding) -> Found {
        let sources = finding.input.sources.iter().map(|source| Beginning {
            name: source.name.clone(),
            bytes: source.bytes.iter().take(N_SHOWN_BYTES).copied().collect(),
            n_bytes: source.bytes.len(),
        });
        Found {
            id: finding.id,
            kind: finding.kind,
            frame: finding.frame.clone(),
            stack: finding.stack.iter().take(N_SHOWN_FRAMES).cloned().collect(),
            shown_by: finding.shown_by,
            n_runs: finding.n_runs,
            ended: finding.ended.clone(),
            path: finding.path.clone(),
            sources: sources.collect(),
        }
    }
}

/// How a search goes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Snapshot {
    /// This search and those that it takes up; without the time that it was made to wait.
    pub elapsed: Duration,
    /// What is left of the budget.
    pub left: Option<Duration>,
    /// Since the last new test, path or finding.
    pub since_new: Duration,
    pub counts: Counts,
    /// By [`Maker`].
    pub tests: [u64; Maker::ALL.len()],
    pub n_paths: u64,
    /// Directions of branches: those taken, and all.
    pub n_covered: u64,
    pub n_branches: u64,
    pub queries: Stats,
    /// By [`crate::strategy::Side`].
    pub made_by: [Spent; 2],
    pub n_waiting: u64,
    /// The part of the counters that are the same in all runs of one input, if there are counters.
    pub stability: Option<f64>,
    pub findings: Vec<Found>,
}

impl Snapshot {
    /// What a search has noted of itself last; findings are not among it.
    pub fn from_progress(text: &str) -> Snapshot {
        Progress::from_text(text).into_snapshot()
    }

    pub fn n_tests(&self) -> u64 {
        self.tests.iter().sum()
    }

    /// Adds the figures of another search on the same program. Findings are told apart by kind and place.
    pub fn add(&mut self, other: &Snapshot) {
        self.elapsed = self.elapsed.max(other.elapsed);
        self.left = self.left.max(other.left);
        self.since_new = self.since_new.min(other.since_new);
        self.counts.add(&other.counts);
        self.tests.iter_mut().zip(other.tests).for_each(|(mine, theirs)| *mine += theirs);
        self.n_paths += other.n_paths;
        self.n_covered = self.n_covered.max(other.n_covered);
        self.n_branches = self.n_branches.max(other.n_branches);
        self.queries.add(&other.queries);
        self.made_by.iter_mut().zip(other.made_by).for_each(|(mine, theirs)| mine.add(theirs));
        self.n_waiting += other.n_waiting;
        self.stability = [self.stability, other.stability].into_iter().flatten().reduce(f64::min);
        for found in &other.findings {
            let is_same = |mine: &&mut Found| mine.kind == found.kind && mine.frame == found.frame;
            match self.findings.iter_mut().find(is_same) {
                Some(mine) => mine.n_runs += found.n_runs,
                None => self.findings.push(found.clone()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::Build;

    #[test]
    fn makers_have_names() {
        for maker in Maker::ALL {
            assert_eq!(Maker::from_text(maker.name()), maker);
        }
        assert_eq!(Maker::from_text("sync:other,src:000012"), Maker::Sync);
        assert_eq!(Maker::from_text("flip,string:12"), Maker::Flip);
        assert_eq!(Maker::from_text("team:worker1,src:000012,op:flip"), Maker::Flip);
        assert_eq!(Maker::from_text("of old"), Maker::Earlier);
    }

    #[test]
    fn figures_of_two_searches_are_added() {
        let found = |line: u32, n_runs: u64| Found {
            id: 0,
            kind: Kind::Segv,
            frame: Some(Frame { function: "f".into(), file: None, line, is_program: true }),
            stack: Vec::new(),
            shown_by: Build::Plain.into(),
            n_runs,
            ended: String::new(),
            path: PathBuf::new(),
            sources: Vec::new(),
        };
        let seconds = Duration::from_secs;
        let mut one = Snapshot { elapsed: seconds(5), since_new: seconds(4), n_covered: 7, ..Snapshot::default() };
        one.counts.executions = 10;
        one.tests[Maker::Flip as usize] = 2;
        one.findings = vec![found(3, 1)];
        let mut other = Snapshot { elapsed: seconds(6), since_new: seconds(1), n_covered: 9, ..Snapshot::default() };
        other.counts.executions = 5;
        other.tests[Maker::Flip as usize] = 3;
        other.findings = vec![found(3, 2), found(4, 1)];
        one.add(&other);
        assert_eq!((one.elapsed, one.since_new, one.n_covered), (seconds(6), seconds(1), 9));
        assert_eq!((one.counts.executions, one.n_tests()), (15, 5));
        assert_eq!(one.findings.iter().map(|found| found.n_runs).collect::<Vec<_>>(), [3, 1]);
    }
}
