//! Counters that survive the end of a search, as JSON in its store.

use std::time::Duration;

use gimlet_solver::{Layer, Stats};
use serde_json::{json, Map, Value};

use crate::explorer::{Counts, Divergence, End, Explorer};
use crate::parts::PartCounts;
use crate::snapshot::{Maker, Snapshot};
use crate::strategy::Spent;

/// What is counted of a search and all those that it takes up, and why it ended, if it did.
pub fn to_text(explorer: &Explorer, end: Option<End>) -> String {
    let figures = explorer.figures();
    let tests = Maker::ALL.into_iter().zip(figures.tests).map(|(maker, count)| (maker.name().to_owned(), json!(count)));
    let mut counts = figures.counts;
    let counts = counts_of(&mut counts).map(|(name, count)| (name.to_owned(), json!(*count)));
    let divergences = explorer.known.divergences.values().map(|kind| (kind.explanation.clone(), json!(kind.count)));
    let losses = explorer.known.losses.iter().map(|(what, count)| (what.clone(), json!(count)));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "ended": end.map(End::name),
        "is_exhausted": end.is_some_and(|end| explorer.is_exhausted(end)),
        "seconds": figures.elapsed.as_secs_f64(),
        "seconds_left": figures.left.map(|left| left.as_secs_f64()),
        "seconds_since_new": figures.since_new.as_secs_f64(),
        "tests": Map::from_iter(tests),
        "paths": figures.n_paths,
        "branches": [figures.n_covered, figures.n_branches],
        "waiting": figures.n_waiting,
        "counts": Map::from_iter(counts),
        "divergences": Map::from_iter(divergences),
        "losses": Map::from_iter(losses),
        "queries": queries(&figures.queries),
        "parts": explorer.own_part_counts().map(PartCounts::to_value),
        "made_by": figures.made_by.map(|spent| json!([spent.seconds, spent.n_runs, spent.n_branches, spent.n_tests])),
    })
    .to_string()
}

/// What an earlier search counted.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Of Gimlet.
    pub version: Option<String>,
    /// Why it ended, in a word; nothing if it did not come to that.
    pub ended: Option<String>,
    pub is_exhausted: bool,
    pub elapsed: Duration,
    pub counts: Counts,
    pub divergences: Vec<Divergence>,
    pub losses: Vec<(String, u64)>,
    pub queries: Stats,
    /// What parts of the program inputs came to.
    pub parts: PartCounts,
    pub made_by: [Spent; 2],
    pub left: Option<Duration>,
    pub since_new: Duration,
    pub tests: [u64; Maker::ALL.len()],
    pub n_paths: u64,
    /// Directions of branches: those taken, and all.
    pub branches: (u64, u64),
    pub n_waiting: u64,
}

impl Progress {
    /// What is missing counts as nothing.
    pub fn from_text(text: &str) -> Progress {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let pairs = |value: &Value| -> Vec<(String, u64)> {
            let map = value.as_object().into_iter().flatten();
            map.map(|(what, count)| (what.clone(), count.as_u64().unwrap_or(0))).collect()
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        let mut progress = Progress {
            version: text(&value["version"]),
            ended: text(&value["ended"]),
            is_exhausted: value["is_exhausted"].as_bool().unwrap_or(false),
            elapsed: seconds(&value["seconds"]),
            losses: pairs(&value["losses"]),
            divergences: pairs(&value["divergences"])
                .into_iter()
                .map(|(explanation, count)| Divergence { explanation, count })
                .collect(),
            queries: stats(&value["queries"]),
            parts: PartCounts::from_value(&value["parts"]),
            made_by: [0, 1].map(|side| spent(&value["made_by"][side])),
            left: value["seconds_left"].is_number().then(|| seconds(&value["seconds_left"])),
            since_new: seconds(&value["seconds_since_new"]),
            tests: Maker::ALL.map(|maker| count(&value["tests"][maker.name()])),
            n_paths: count(&value["paths"]),
            branches: (count(&value["branches"][0]), count(&value["branches"][1])),
            n_waiting: count(&value["waiting"]),
            counts: Counts::default(),
        };
        for (name, count) in counts_of(&mut progress.counts) {
            *count = value["counts"][name].as_u64().unwrap_or(0);
        }
        progress
    }

    /// The figures among it.
    pub fn into_snapshot(self) -> Snapshot {
        Snapshot {
            elapsed: self.elapsed,
            left: self.left,
            since_new: self.since_new,
            counts: self.counts,
            tests: self.tests,
            n_paths: self.n_paths,
            n_covered: self.branches.0,
            n_branches: self.branches.1,
            queries: self.queries,
            made_by: self.made_by,
            n_waiting: self.n_waiting,
            stability: None,
            findings: Vec::new(),
        }
    }
}

impl Counts {
    /// Adds what another search counted.
    pub fn add(&mut self, other: &Counts) {
        let mut other = other.clone();
        let others = counts_of(&mut other).map(|(_, count)| *count).collect::<Vec<_>>();
        counts_of(self).zip(others).for_each(|((_, count), other)| *count += other);
    }
}

fn counts_of(counts: &mut Counts) -> impl Iterator<Item = (&'static str, &mut u64)> {
    [
        ("executions", &mut counts.executions),
        ("mutants", &mut counts.mutants),
        ("flips", &mut counts.flips),
        ("divergences", &mut counts.divergences),
        ("optimistic", &mut counts.optimistic),
        ("strings", &mut counts.strings),
        ("pins", &mut counts.pins),
        ("losses", &mut counts.losses),
        ("dropped", &mut counts.dropped),
        ("stopped", &mut counts.stopped),
        ("unknown", &mut counts.unknown),
        ("forgotten", &mut counts.forgotten),
        ("duplicates", &mut counts.duplicates),
        ("unstable", &mut counts.unstable),
        ("mismatches", &mut counts.mismatches),
        ("unjudged", &mut counts.unjudged),
        ("unrepeated", &mut counts.unrepeated),
    ]
    .into_iter()
}

fn queries(stats: &Stats) -> Value {
    let layer = |layer: Layer| {
        let of_layer = stats.layer(layer);
        let figures = json!([of_layer.n_asked, of_layer.n_sat, of_layer.n_unsat, of_layer.time.as_secs_f64()]);
        (layer.name().to_owned(), figures)
    };
    json!({
        "total": stats.n_total,
        "sat": stats.n_sat,
        "unsat": stats.n_unsat,
        "unknown": stats.n_unknown,
        "killed": stats.n_killed,
        "rejected": stats.n_rejected,
        "layers": Map::from_iter(Layer::ALL.into_iter().map(layer)),
    })
}

fn stats(value: &Value) -> Stats {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let mut stats = Stats::default();
    stats.n_total = count(&value["total"]);
    stats.n_sat = count(&value["sat"]);
    stats.n_unsat = count(&value["unsat"]);
    stats.n_unknown = count(&value["unknown"]);
    stats.n_killed = count(&value["killed"]);
    stats.n_rejected = count(&value["rejected"]);
    for layer in Layer::ALL {
        let figures = &value["layers"][layer.name()];
        let of_layer = stats.layer_mut(layer);
        (of_layer.n_asked, of_layer.n_sat, of_layer.n_unsat) =
            (count(&figures[0]), count(&figures[1]), count(&figures[2]));
        of_layer.time = seconds(&figures[3]);
    }
    stats
}

fn spent(value: &Value) -> Spent {
    let count = |index: usize| value[index].as_u64().unwrap_or(0);
    Spent { seconds: seconds(&value[0]).as_secs_f64(), n_runs: count(1), n_branches: count(2), n_tests: count(3) }
}

fn seconds(value: &Value) -> Duration {
    value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or_default()
}
