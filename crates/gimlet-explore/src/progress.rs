//! Counters that survive the end of a search, as JSON in its store.

use std::time::Duration;

use gimlet_solver::{Layer, Stats};
use serde_json::{json, Map, Value};

use crate::explorer::{Counts, Divergence, Explorer};
use crate::strategy::Spent;

/// What is counted of a search and all those that it takes up.
pub fn to_text(explorer: &Explorer) -> String {
    let mut counts = explorer.counts.clone();
    let counts = counts_of(&mut counts).map(|(name, count)| (name.to_owned(), json!(*count)));
    let divergences = explorer.divergences.values().map(|kind| (kind.explanation.clone(), json!(kind.count)));
    let losses = explorer.losses.iter().map(|(what, count)| (what.clone(), json!(count)));
    json!({
        "seconds": explorer.elapsed().as_secs_f64(),
        "counts": Map::from_iter(counts),
        "divergences": Map::from_iter(divergences),
        "losses": Map::from_iter(losses),
        "queries": queries(&explorer.queries()),
        "made_by": explorer.made_by.map(|spent| json!([spent.seconds, spent.n_runs, spent.n_branches, spent.n_tests])),
    })
    .to_string()
}

/// What an earlier search counted.
#[derive(Default)]
pub struct Progress {
    pub elapsed: Duration,
    pub counts: Counts,
    pub divergences: Vec<Divergence>,
    pub losses: Vec<(String, u64)>,
    pub queries: Stats,
    pub made_by: [Spent; 2],
}

impl Progress {
    /// What is missing counts as nothing.
    pub fn from_text(text: &str) -> Progress {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let pairs = |value: &Value| -> Vec<(String, u64)> {
            let map = value.as_object().into_iter().flatten();
            map.map(|(what, count)| (what.clone(), count.as_u64().unwrap_or(0))).collect()
        };
        let mut progress = Progress {
            elapsed: seconds(&value["seconds"]),
            losses: pairs(&value["losses"]),
            divergences: pairs(&value["divergences"])
                .into_iter()
                .map(|(explanation, count)| Divergence { explanation, count })
                .collect(),
            queries: stats(&value["queries"]),
            made_by: [0, 1].map(|side| spent(&value["made_by"][side])),
            ..Progress::default()
        };
        for (name, count) in counts_of(&mut progress.counts) {
            *count = value["counts"][name].as_u64().unwrap_or(0);
        }
        progress
    }
}

fn counts_of(counts: &mut Counts) -> impl Iterator<Item = (&'static str, &mut u64)> {
    [
        ("executions", &mut counts.executions),
        ("mutants", &mut counts.mutants),
        ("flips", &mut counts.flips),
        ("divergences", &mut counts.divergences),
        ("optimistic", &mut counts.optimistic),
        ("pins", &mut counts.pins),
        ("losses", &mut counts.losses),
        ("dropped", &mut counts.dropped),
        ("stopped", &mut counts.stopped),
        ("unknown", &mut counts.unknown),
        ("duplicates", &mut counts.duplicates),
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
