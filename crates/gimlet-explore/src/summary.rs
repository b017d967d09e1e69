//! What a search found, as JSON.
//!
//! Fields: `strategy`, `seed`, `jobs`, `exhausted`, `ended`, `seconds`, `seconds_since_new`, `executions`, `mutants` (those of the
//! executions), `paths`, `tests`, `tests_by_maker`, `waiting`, `queries` {`total`, `sat`, `unsat`, `unknown`, `by_layer`},
//! `flips`, `divergences`, `divergence_kinds` [{`explanation`, `count`}], `makers` {`mutation`, `symbolic`: {`seconds`,
//! `runs`, `branches`, `tests`: those that are new to mutation}}, `optimistic`, `strings` (symbolic ones that were begun), `pins`, `losses`, `dropped`, `forgotten`, `stopped`, `unjudged` (pointers whose object the memory build does not know), `unrepeated` (bad ends that no other run repeated),
//! `tokens` {`asked`: questions about symbolic tokens, `pruned`: those that no sentence answers, `mismatches`: runs in which the
//! program returned other tokens than the grammar says}, `stability` (the part of the counters that are the same in all runs of one input), `unstable` (what the others count),
//! `parts` {`inputs`: those looked at, `rejected`: those that reached a function of --reject-fn, `sentences`: those of the language of symbolic tokens, `followed`, `variables`, `constraints`:
//! runs that were followed symbolically, their variables and conditions, `modules` [{`name`, `branches_covered`, `branches_total`, `inputs`: those
//! that reached it, `constraints`}]}, if modules or such functions were named,
//! `coverage` {`branches_covered`, `branches_total`}, `findings` [{`id`, `kind`, `function`, `file`, `line`, `input`, `confirmed`: a build without labels did the same, `shown_by`: the builds that did, of plain, memory, asan and instrumented, `runs`, `said`, `stack`}],
//! `suppressed` [{`rule`, `runs`}].

use gimlet_solver::{Layer, Stats};
use serde_json::{json, Value};

use crate::explorer::{Divergence, End, Explorer, ModuleFigures};
use crate::findings::Finding;
use crate::record::{Record, State};
use crate::snapshot::{Maker, Snapshot};
use crate::strategy::{Side, Spent};
use crate::suppress::Rule;

impl End {
    const ALL: [End; 6] = [End::Complete, End::Budget, End::Idle, End::Found, End::Steps, End::Interrupted];

    pub fn from_name(name: &str) -> Option<End> {
        End::ALL.into_iter().find(|end| end.name() == name)
    }

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
    let mut value = figures(&explorer.total_figures());
    value["strategy"] = json!(explorer.settings.strategy.name());
    value["seed"] = json!(explorer.settings.seed);
    value["jobs"] = json!(explorer.settings.place.share.n_workers);
    value["exhausted"] = json!(explorer.is_exhausted(end));
    value["ended"] = json!(end.name());
    value["divergence_kinds"] = divergences(explorer.totals().divergences.values());
    let of_all = |it: &Finding| finding(&Finding { n_runs: explorer.n_runs(it), ..it.clone() });
    value["findings"] = explorer.known.findings.all.iter().map(of_all).collect();
    let (unstable, stability) = explorer.instability();
    value["stability"] = json!(stability);
    value["unstable"] = json!(unstable);
    if let Some(parts) = parts(explorer) {
        value["parts"] = parts;
    }
    let (asked, pruned) = explorer.token_questions();
    value["tokens"] = json!({ "asked": asked, "pruned": pruned, "mismatches": explorer.known.counts.mismatches });
    let suppressed = |(rule, n_runs): (&Rule, u64)| json!({ "rule": rule.to_string(), "runs": n_runs });
    value["suppressed"] = explorer.known.suppressions.all().map(suppressed).collect();
    value
}

/// The same of what a folder says, without `strategy` and `seed`; in addition `state` (running, ended, interrupted),
/// `pid`, `gimlet` (its version), `build`, `inputs`, `loss_kinds` [{`what`, `count`}].
pub fn of_record(record: &Record) -> Value {
    let mut value = figures(&record.snapshot);
    let (state, pid, ended) = match &record.state {
        State::Running { pid } => ("running", *pid, None),
        State::Ended(why) => ("ended", None, Some(why.as_str())),
        State::Interrupted => ("interrupted", None, Some(End::Interrupted.name())),
    };
    let loss = |(what, count): &(String, u64)| json!({ "what": what, "count": count });
    value["state"] = json!(state);
    value["pid"] = json!(pid);
    value["ended"] = json!(ended);
    value["exhausted"] = json!(record.is_exhausted);
    value["gimlet"] = json!(record.version);
    value["build"] = json!(format!("{:016x}", record.build));
    value["inputs"] = json!(record.n_inputs);
    value["divergence_kinds"] = divergences(&record.divergences);
    value["loss_kinds"] = record.losses.iter().map(loss).collect();
    value["findings"] = record.findings.iter().map(finding).collect();
    value
}

/// What parts of the program inputs came to, if somebody wanted to know.
fn parts(explorer: &Explorer) -> Option<Value> {
    explorer.own_part_counts()?;
    let mut value = explorer.part_counts().to_value();
    let module = |figures: &ModuleFigures| {
        json!({
            "name": figures.name,
            "branches_covered": figures.n_covered,
            "branches_total": figures.n_branches,
            "inputs": figures.n_inputs,
            "constraints": figures.n_constraints,
        })
    };
    value["modules"] = explorer.modules().iter().map(module).collect();
    Some(value)
}

fn figures(snapshot: &Snapshot) -> Value {
    let (counts, queries) = (&snapshot.counts, &snapshot.queries);
    let tests = Maker::ALL.into_iter().map(|maker| (maker.name().to_owned(), json!(snapshot.tests[maker as usize])));
    let made_by = |side: Side| (side.name().to_owned(), spent(snapshot.made_by[side as usize]));
    json!({
        "seconds": snapshot.elapsed.as_secs_f64(),
        "seconds_since_new": snapshot.since_new.as_secs_f64(),
        "executions": counts.executions,
        "mutants": counts.mutants,
        "paths": snapshot.n_paths,
        "tests": snapshot.n_tests(),
        "tests_by_maker": Value::Object(tests.collect()),
        "waiting": snapshot.n_waiting,
        "queries": {
            "total": queries.n_total,
            "sat": queries.n_sat,
            "unsat": queries.n_unsat,
            "unknown": queries.n_unknown,
            "killed": queries.n_killed,
            "by_layer": by_layer(queries),
        },
        "makers": Value::Object(Side::ALL.into_iter().map(made_by).collect()),
        "flips": counts.flips,
        "divergences": counts.divergences,
        "optimistic": counts.optimistic,
        "strings": counts.strings,
        "pins": counts.pins,
        "losses": counts.losses,
        "dropped": counts.dropped,
        "forgotten": counts.forgotten,
        "stopped": counts.stopped,
        "unjudged": counts.unjudged,
        "unrepeated": counts.unrepeated,
        "coverage": { "branches_covered": snapshot.n_covered, "branches_total": snapshot.n_branches },
    })
}

fn divergences<'a>(kinds: impl IntoIterator<Item = &'a Divergence>) -> Value {
    kinds.into_iter().map(|kind| json!({ "explanation": kind.explanation, "count": kind.count })).collect()
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
        "confirmed": finding.shown_by.is_confirmed(),
        "shown_by": finding.shown_by.names().collect::<Vec<_>>(),
        "runs": finding.n_runs,
        "said": finding.ended,
        "stack": finding.stack.iter().map(|frame| frame.function.as_str()).collect::<Vec<_>>(),
    })
}
