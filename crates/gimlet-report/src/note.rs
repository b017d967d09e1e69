//! What a search notes of itself in its store while it runs, as JSON.
//!
//! The note survives the end of the search: whoever takes it up goes on from its counters, and whoever reads the folder
//! sees them. Notes of earlier versions have less in them; what is missing counts as nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::effort::{self, Effort};
use crate::maker::TestCounts;
use crate::parts::Parts;
use crate::queries::Queries;

/// What is counted of one search and all those that it takes up, and why it ended, if it did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    #[serde(flatten)]
    pub about: About,
    #[serde(flatten)]
    pub ending: Ending,
    #[serde(flatten)]
    pub time: Time,
    #[serde(flatten)]
    pub corpus: Corpus,
    /// Directions of branches: those taken, and all.
    pub branches: (u64, u64),
    pub counts: Counts,
    #[serde(flatten)]
    pub kinds: Kinds,
    pub queries: Queries,
    pub parts: Option<Parts>,
    #[serde(rename = "made_by", deserialize_with = "effort::rows")]
    pub efforts: Vec<Effort>,
    /// What the time of symbolic execution went to.
    pub symbolic: Phases,
    #[serde(flatten)]
    pub stability: Stability,
    pub tokens: Tokens,
}

/// Seconds that parts of symbolic execution took.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Phases {
    /// Programs that run and write a trace.
    pub running: f64,
    /// What is made of a trace: expressions, the path, what is new about it.
    pub following: f64,
    /// Programs that run and count branches.
    pub counting: f64,
    /// Questions, the solver's work among it.
    pub asking: f64,
}

impl Phases {
    /// In the order in which they happen to a run, with the names that users read.
    pub fn all(&self) -> [(&'static str, f64); 4] {
        let Phases { running, following, counting, asking } = *self;
        [("running", running), ("following", following), ("counting", counting), ("asking", asking)]
    }

    fn add(&mut self, other: &Phases) {
        self.running += other.running;
        self.following += other.following;
        self.counting += other.counting;
        self.asking += other.asking;
    }
}

/// What is searched, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// Of Gimlet.
    pub version: Option<String>,
    /// Tells one build of the program from another.
    pub build: u64,
    pub program: String,
    pub args: Vec<String>,
    pub strategy: String,
    pub seed: u64,
    pub jobs: usize,
    /// What a run may take.
    pub timeout_ms: u64,
}

/// Why a search ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ending {
    /// In a word; nothing if it did not come to that.
    pub ended: Option<String>,
    pub is_exhausted: bool,
    /// Why it may have missed something, if nothing was left to ask.
    pub doubts: Vec<String>,
    /// What the user may want to know of the grammar and its tokens.
    pub remarks: Vec<String>,
}

/// Without the time that the search was made to wait.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Time {
    pub seconds: f64,
    /// Of the budget.
    pub seconds_left: Option<f64>,
    /// Since the last new test, path or finding.
    pub seconds_since_new: f64,
}

impl Time {
    pub fn new(elapsed: Duration, left: Option<Duration>, since_new: Duration) -> Time {
        Time {
            seconds: elapsed.as_secs_f64(),
            seconds_left: left.map(|left| left.as_secs_f64()),
            seconds_since_new: since_new.as_secs_f64(),
        }
    }

    pub fn elapsed(&self) -> Duration {
        duration(self.seconds)
    }

    pub fn left(&self) -> Option<Duration> {
        self.seconds_left.map(duration)
    }

    pub fn since_new(&self) -> Duration {
        duration(self.seconds_since_new)
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// Inputs, and what they did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Corpus {
    pub tests: TestCounts,
    #[serde(rename = "paths")]
    pub n_paths: u64,
    /// Runs, questions and other work that waits.
    #[serde(rename = "waiting")]
    pub n_waiting: u64,
    /// That were ever made, as the store knows; nothing while the search runs.
    #[serde(rename = "inputs")]
    pub n_inputs: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    #[serde(flatten)]
    pub runs: Runs,
    #[serde(flatten)]
    pub doubts: Doubts,
}

/// What was run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Runs {
    /// Of all builds that the search is on.
    pub executions: u64,
    pub mutants: u64,
    pub flips: u64,
    /// Inputs that were made without all conditions.
    pub optimistic: u64,
    /// Symbolic strings that were begun.
    pub strings: u64,
    pub duplicates: u64,
}

/// Why something may have been missed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Doubts {
    pub pins: u64,
    pub losses: u64,
    pub divergences: u64,
    /// Traces that were cut short, or did not follow the program: a full table, a fork.
    pub dropped: u64,
    pub stopped: u64,
    /// Questions that were too hard.
    pub unknown: u64,
    /// Questions that were not asked for want of memory.
    pub forgotten: u64,
    /// Counters that differ between runs of one input.
    pub unstable: u64,
    /// Runs in which the program's scanner returned other tokens than the grammar says.
    pub mismatches: u64,
    /// Pointers whose object the memory build does not know: accesses through them are not checked.
    pub unjudged: u64,
    /// Runs that ended badly, which no build without labels repeated: they are no findings.
    pub unrepeated: u64,
}

/// What was counted by what it was.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kinds {
    /// How runs went elsewhere.
    pub divergences: BTreeMap<String, u64>,
    /// What was lost, by reason and place.
    pub losses: BTreeMap<String, u64>,
    pub suppressed: Vec<Suppressed>,
}

/// A rule about findings that nobody is told of, and the runs that it was about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Suppressed {
    pub rule: String,
    #[serde(rename = "runs")]
    pub n_runs: u64,
}

/// Whether the program does the same each time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stability {
    /// The part of the counters that are the same in all runs of one input, if there are counters.
    pub stability: Option<f64>,
    /// What the others count.
    pub unstable: Vec<String>,
    /// Calls of the program whose answers differ from run to run.
    pub calls: Vec<String>,
}

/// Questions about symbolic tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    #[serde(rename = "asked")]
    pub n_asked: u64,
    /// Those that no sentence answers.
    #[serde(rename = "pruned")]
    pub n_pruned: u64,
}

impl Note {
    /// What is there of it.
    pub fn from_text(text: &str) -> Note {
        serde_json::from_str(text).unwrap_or_default()
    }

    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Adds what another worker has counted. Its tests and findings are the first one's as well.
    pub fn add(&mut self, other: &Note) {
        self.counts.add(&other.counts);
        self.queries.add(&other.queries);
        effort::add(&mut self.efforts, &other.efforts);
        self.symbolic.add(&other.symbolic);
        self.corpus.n_waiting += other.corpus.n_waiting;
        add_by_name(&mut self.kinds.divergences, &other.kinds.divergences);
        add_by_name(&mut self.kinds.losses, &other.kinds.losses);
        for mine in &mut self.kinds.suppressed {
            let same = other.kinds.suppressed.iter().find(|theirs| theirs.rule == mine.rule);
            mine.n_runs += same.map_or(0, |theirs| theirs.n_runs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.parts, &other.parts) {
            mine.counts.add(&theirs.counts);
        }
    }
}

fn add_by_name(mine: &mut BTreeMap<String, u64>, theirs: &BTreeMap<String, u64>) {
    theirs.iter().for_each(|(name, count)| *mine.entry(name.clone()).or_default() += count);
}

impl Counts {
    /// Adds what another search counted.
    pub fn add(&mut self, other: &Counts) {
        let (runs, doubts) = (&mut self.runs, &mut self.doubts);
        runs.executions += other.runs.executions;
        runs.mutants += other.runs.mutants;
        runs.flips += other.runs.flips;
        runs.optimistic += other.runs.optimistic;
        runs.strings += other.runs.strings;
        runs.duplicates += other.runs.duplicates;
        doubts.pins += other.doubts.pins;
        doubts.losses += other.doubts.losses;
        doubts.divergences += other.doubts.divergences;
        doubts.dropped += other.doubts.dropped;
        doubts.stopped += other.doubts.stopped;
        doubts.unknown += other.doubts.unknown;
        doubts.forgotten += other.doubts.forgotten;
        doubts.unstable += other.doubts.unstable;
        doubts.mismatches += other.doubts.mismatches;
        doubts.unjudged += other.doubts.unjudged;
        doubts.unrepeated += other.doubts.unrepeated;
    }

    /// Why something may have been missed at the lengths that were tried.
    pub fn uncertainties(&self) -> Vec<String> {
        let Doubts { divergences, losses, dropped, stopped, unknown, forgotten, unstable, .. } = self.doubts;
        let counted = [
            (unstable, "counters differ between runs of one input"),
            (losses, "dependencies were lost"),
            (divergences, "runs went elsewhere"),
            (dropped, "traces were cut short or have forked processes"),
            (stopped, "runs were stopped"),
            (unknown, "questions were too hard"),
            (forgotten, "questions were forgotten for want of memory"),
            (self.runs.optimistic, "inputs were made without all conditions"),
        ];
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maker::Maker;
    use crate::parts::{ModuleCoverage, PartCounts};
    use crate::queries::LayerFigures;

    /// As an earlier version wrote it.
    const EARLIER: &str = r#"{"branches":[4,12],"counts":{"divergences":1,"dropped":0,"duplicates":2,"executions":50,
        "flips":9,"forgotten":0,"losses":3,"mismatches":0,"mutants":30,"optimistic":0,"pins":5,"stopped":0,"strings":0,
        "unjudged":0,"unknown":1,"unrepeated":0,"unstable":0},"divergences":{"went left":1},"ended":"budget",
        "is_exhausted":false,"losses":{"a pipe":3},"made_by":[[2.5,30,3,4],[1.0,20,1,2]],"parts":{"constraints":0,
        "followed":0,"inputs":7,"modules":{"lexer":{"constraints":1,"inputs":2}},"rejected":1,"sentences":0,"variables":0},
        "paths":6,"queries":{"killed":0,"layers":{"sat":[3,1,1,0.25],"cache":[9,0,0,0.0]},"rejected":0,"sat":4,"total":9,
        "unknown":1,"unsat":4},"seconds":3.5,"seconds_left":null,"seconds_since_new":1.5,"tests":{"flip":2,"havoc":1,
        "seed":1},"version":"0.1.0","waiting":8}"#;

    #[test]
    fn notes_of_earlier_versions_are_read() {
        let note = Note::from_text(EARLIER);
        assert_eq!((note.about.version.as_deref(), note.ending.ended.as_deref()), (Some("0.1.0"), Some("budget")));
        assert_eq!((note.branches, note.time.seconds, note.time.seconds_left), ((4, 12), 3.5, None));
        assert_eq!((note.corpus.n_paths, note.corpus.n_waiting, note.corpus.tests.of(Maker::Flip)), (6, 8, 2));
        assert_eq!((note.counts.runs.executions, note.counts.doubts.losses), (50, 3));
        assert_eq!((note.kinds.losses["a pipe"], note.kinds.divergences["went left"]), (3, 1));
        assert_eq!((note.queries.n_total, note.queries.layer("sat").map(|it| it.seconds)), (9, Some(0.25)));
        let efforts: Vec<(&str, u64)> = note.efforts.iter().map(|it| (it.name.as_str(), it.n_runs)).collect();
        assert_eq!(efforts, [("mutation", 30), ("symbolic", 20)]);
        assert_eq!(note.parts.unwrap().counts.modules["lexer"].n_inputs, 2);
    }

    #[test]
    fn what_is_missing_or_garbage_counts_as_nothing() {
        for text in ["", "{}", "[1]", r#"{"seconds":"x"}"#] {
            assert_eq!(Note::from_text(text), Note::default(), "{text}");
        }
    }

    fn note() -> Note {
        let about = About { build: u64::MAX, args: vec!["-x".into()], jobs: 2, ..About::default() };
        let mut note = Note { about, ..Note::default() };
        note.ending.remarks.push("is it the same grammar?".into());
        note.corpus = Corpus { n_paths: 6, n_waiting: 8, ..Corpus::default() };
        note.counts.runs.executions = 50;
        note.kinds.losses.insert("a pipe".into(), 3);
        note.kinds.suppressed.push(Suppressed { rule: "leak".into(), n_runs: 4 });
        let layer = |name: &str| LayerFigures { name: name.into(), n_asked: 5, n_sat: 1, n_unsat: 2, seconds: 0.1 };
        note.queries = Queries { n_total: 9, layers: vec![layer("slice"), layer("cache")], ..Queries::default() };
        note.efforts.push(Effort { name: "mutants".into(), seconds: 1.5, n_runs: 3, ..Effort::default() });
        let coverage = vec![ModuleCoverage { name: "lexer".into(), n_covered: 1, n_branches: 2 }];
        note.parts =
            Some(Parts { counts: PartCounts { n_inputs: 7, ..PartCounts::default() }, coverage, judges: true });
        note.stability = Stability {
            stability: Some(0.5),
            unstable: vec!["a.c:3".into()],
            calls: vec!["getpid at a.c:2 in main".into()],
        };
        note
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Note::from_text(&note().to_text()), note());
    }

    #[test]
    fn workers_are_added() {
        let mut sum = note();
        let mut other = note();
        other.efforts[0].name = "flips".into();
        other.kinds.losses.insert("a child".into(), 1);
        sum.add(&other);
        assert_eq!((sum.counts.runs.executions, sum.corpus.n_waiting, sum.queries.n_total), (100, 16, 18));
        assert_eq!((sum.queries.layers[1].n_asked, sum.efforts.len()), (10, 2));
        assert_eq!((sum.kinds.losses.len(), sum.kinds.losses["a pipe"]), (2, 6));
        assert_eq!((sum.kinds.suppressed[0].n_runs, sum.parts.unwrap().counts.n_inputs), (8, 14));
        // Coverage, paths and time are not added.
        assert_eq!((sum.corpus.n_paths, sum.branches), (6, (0, 0)));
    }
}
