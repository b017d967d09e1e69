//! What a search found, as JSON.
//!
//! Fields: `strategy`, `seed`, `exhausted`, `ended`, `seconds`, `executions`, `paths`, `tests`, `queries` {`total`,
//! `sat`, `unsat`, `unknown`, `by_layer`}, `flips`, `divergences`, `divergence_kinds` [{`explanation`, `count`}],
//! `makers` {`mutation`, `symbolic`: {`seconds`, `runs`, `branches`, `tests`: those that are new to mutation}}, `optimistic`, `pins`, `losses`, `dropped`, `stopped`, `coverage` {`branches_covered`, `branches_total`}, `findings`
//! [{`id`, `kind`, `function`, `file`, `line`, `input`, `confirmed`, `runs`, `stack`}].

use gimlet_solver::{Layer, Stats};
use serde_json::{json, Value};

use crate::explorer::{End, Explorer};
use crate::findings::Finding;
use crate::strategy::{Side, Spent};

impl End {
    pub fn name(self) -> &'static str {
        match self {
            End::Complete => "complete",
            End::Budget => "budget",
            End::Idle => "idle",
            End::Found => "found",
            End::Steps => "steps",
            End::Interrupted => "interrupted",
        }
    }
}

pub fn summary(explorer: &Explorer, end: End) -> Value {
    let counts = &explorer.counts;
    let queries = explorer.queries();
    let divergences = explorer.divergences.values();
    let (covered, total) = explorer.coverage();
    json!({
        "strategy": explorer.settings.strategy.name(),
        "seed": explorer.settings.seed,
        "exhausted": explorer.is_exhausted(end),
        "ended": end.name(),
        "seconds": explorer.elapsed().as_secs_f64(),
        "executions": counts.executions,
        "paths": explorer.seen.n_paths(),
        "tests": explorer.corpus.n_tests(),
        "queries": {
            "total": queries.n_total,
            "sat": queries.n_sat,
            "unsat": queries.n_unsat,
            "unknown": queries.n_unknown,
            "killed": queries.n_killed,
            "by_layer": by_layer(&queries),
        },
        "makers": Side::ALL.into_iter().map(|side| (side.name().to_owned(), spent(explorer.made_by[side as usize]))).collect::<serde_json::Map<_, _>>(),
        "flips": counts.flips,
        "divergences": counts.divergences,
        "divergence_kinds": divergences
            .map(|kind| json!({ "explanation": kind.explanation, "count": kind.count }))
            .collect::<Vec<_>>(),
        "optimistic": counts.optimistic,
        "pins": counts.pins,
        "losses": counts.losses,
        "dropped": counts.dropped,
        "stopped": counts.stopped,
        "coverage": { "branches_covered": covered, "branches_total": total },
        "findings": explorer.findings.all.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn by_layer(queries: &Stats) -> Value {
    let layer = |layer: Layer| {
        let stats = queries.layer(layer);
        let value = json!({
            "asked": stats.n_asked,
            "sat": stats.n_sat,
            "unsat": stats.n_unsat,
            "seconds": stats.time.as_secs_f64(),
        });
        (layer.name().to_owned(), value)
    };
    Value::Object(Layer::ALL.into_iter().map(layer).collect())
}

fn spent(spent: Spent) -> Value {
    let Spent { seconds, n_runs, n_branches, n_tests } = spent;
    json!({ "seconds": seconds, "runs": n_runs, "branches": n_branches, "tests": n_tests })
}

fn finding(finding: &Finding) -> Value {
    let frame = finding.frame.as_ref();
    json!({
        "id": finding.id,
        "kind": finding.kind.name(),
        "function": frame.map(|frame| frame.function.as_str()),
        "file": frame.and_then(|frame| frame.file.as_deref()),
        "line": frame.map(|frame| frame.line),
        "input": finding.path.to_string_lossy(),
        "confirmed": finding.is_confirmed,
        "runs": finding.n_runs,
        "stack": finding.stack.iter().map(|frame| frame.function.as_str()).collect::<Vec<_>>(),
    })
}
