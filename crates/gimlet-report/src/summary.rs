//! Writes results as JSON for programs: `gimlet run --summary`, `gimlet stats --json`.
//!
//! `docs/summary.md` has a table of the fields. A field that is new leaves the version as it is; one that goes, or means
//! something else, makes it another.

use gimlet_store::Verdict;
use serde_json::{json, Map, Value};

use crate::directions::{KnownBranch, KnownDirection, Reason};
use crate::effort::Effort;
use crate::finding::Finding;
use crate::note::Doubts;
use crate::parts::Parts;
use crate::queries::{LayerFigures, Queries};
use crate::results::{Results, State};

/// Of the schema.
pub const VERSION: u32 = 1;

/// The summary of a search.
pub fn summary(results: &Results) -> Value {
    let Results { about, ending, corpus, coverage, runs, .. } = results;
    let tests = corpus.tests.all().map(|(maker, n_tests)| (maker.name().to_owned(), json!(n_tests)));
    let mut value = json!({
        "version": VERSION,
        "gimlet": about.version,
        "build": format!("{:016x}", about.build),
        "program": about.program,
        "args": about.args,
        "strategy": about.strategy,
        "seed": about.seed,
        "jobs": about.jobs,
        "ended": ending.ended,
        "exhausted": ending.is_exhausted,
        "seconds": results.time.seconds,
        "seconds_since_new": results.time.seconds_since_new,
        "executions": runs.executions,
        "mutants": runs.mutants,
        "flips": runs.flips,
        "optimistic": runs.optimistic,
        "strings": runs.strings,
        "paths": corpus.n_paths,
        "waiting": corpus.n_waiting,
        "inputs": corpus.n_inputs,
        "tests": results.n_tests(),
        "tests_by_maker": Map::from_iter(tests),
        "coverage": { "branches_covered": coverage.n_covered, "branches_total": coverage.n_branches },
        "queries": queries(&results.queries),
        "makers": Map::from_iter(results.sides().into_iter().map(|side| maker(&results.effort_of_side(side)))),
        "sources": Map::from_iter(results.efforts.iter().map(|effort| source(results, effort))),
        "symbolic": results.symbolic,
        "findings": results.findings.iter().map(finding).collect::<Value>(),
        "suppressed": results.kinds.suppressed,
        "tokens": {
            "asked": results.tokens.n_asked,
            "pruned": results.tokens.n_pruned,
            "mismatches": results.doubts.mismatches,
        },
        "stability": results.stability.stability.unwrap_or(1.0),
        "unstable": results.stability.unstable,
        "unstable_calls": results.stability.calls,
        "branches": results.branches.iter().map(branch).collect::<Value>(),
    });
    if let Value::Object(fields) = &mut value {
        fields.extend(state(results.state));
        fields.extend(doubts(results));
        fields.extend(results.parts.as_ref().map(|it| ("parts".to_owned(), parts(it))));
    }
    value
}

fn state(state: State) -> [(String, Value); 2] {
    let (state, pid) = match state {
        State::Running { pid } => ("running", pid),
        State::Ended => ("ended", None),
        State::Interrupted => ("interrupted", None),
    };
    [("state".to_owned(), json!(state)), ("pid".to_owned(), json!(pid))]
}

fn doubts(results: &Results) -> impl Iterator<Item = (String, Value)> + '_ {
    let Doubts { pins, losses, divergences, dropped, stopped, forgotten, unjudged, unrepeated, .. } = results.doubts;
    let counts = [
        ("pins", pins),
        ("losses", losses),
        ("divergences", divergences),
        ("dropped", dropped),
        ("stopped", stopped),
        ("forgotten", forgotten),
        ("unjudged", unjudged),
        ("unrepeated", unrepeated),
    ];
    let divergences: Value =
        results.kinds.divergences.iter().map(|(it, count)| json!({ "explanation": it, "count": count })).collect();
    let losses: Value = results.kinds.losses.iter().map(|(it, count)| json!({ "what": it, "count": count })).collect();
    let counts = counts.into_iter().map(|(name, count)| (name, json!(count)));
    let all = counts.chain([("divergence_kinds", divergences), ("loss_kinds", losses)]);
    all.map(|(name, value)| (name.to_owned(), value))
}

fn queries(queries: &Queries) -> Value {
    let layer = |layer: &LayerFigures| {
        let LayerFigures { name, n_asked, n_sat, n_unsat, seconds } = layer;
        (name.clone(), json!({ "asked": n_asked, "sat": n_sat, "unsat": n_unsat, "seconds": seconds }))
    };
    json!({
        "total": queries.n_total,
        "sat": queries.n_sat,
        "unsat": queries.n_unsat,
        "unknown": queries.n_unknown,
        "killed": queries.n_killed,
        "by_layer": Map::from_iter(queries.layers.iter().map(layer)),
    })
}

fn maker(effort: &Effort) -> (String, Value) {
    let Effort { name, seconds, n_runs, n_branches, n_tests, .. } = effort;
    (name.clone(), json!({ "seconds": seconds, "runs": n_runs, "branches": n_branches, "tests": n_tests }))
}

fn source(results: &Results, effort: &Effort) -> (String, Value) {
    let Effort { name, side, seconds, n_runs, n_branches, n_tests, n_waiting } = effort;
    let value = json!({
        "side": side,
        "seconds": seconds,
        "share": results.share(effort),
        "runs": n_runs,
        "branches": n_branches,
        "tests": n_tests,
        "waiting": n_waiting,
    });
    (name.clone(), value)
}

fn finding(finding: &Finding) -> Value {
    let frame = finding.frame.as_ref();
    json!({
        "id": finding.id,
        "kind": finding.kind.name(),
        "function": frame.map(|frame| &frame.function),
        "file": frame.and_then(|frame| frame.file.as_ref()),
        "line": frame.map(|frame| frame.line),
        "input": finding.path.to_string_lossy(),
        "confirmed": finding.shown_by.is_confirmed(),
        "shown_by": finding.shown_by,
        "runs": finding.n_runs,
        "said": finding.ended,
        "stack": finding.stack.iter().map(|frame| &frame.function).collect::<Vec<_>>(),
    })
}

fn branch(branch: &KnownBranch) -> Value {
    let direction = |direction: &KnownDirection| {
        let reason = branch.reason(direction);
        json!({
            "name": direction.name,
            "reached": direction.is_reached,
            "test": direction.test,
            "questions": direction.asked.n_questions(),
            "verdict": direction.asked.last.map(Verdict::name),
            "reason": reason.as_ref().map(Reason::name),
            "explanation": reason.as_ref().map(Reason::to_string),
        })
    };
    json!({
        "file": branch.file,
        "line": branch.line,
        "column": branch.column,
        "function": branch.function,
        "directions": branch.directions.iter().map(direction).collect::<Value>(),
    })
}

fn parts(parts: &Parts) -> Value {
    let counts = &parts.counts;
    let modules = parts.modules().map(|(module, counts)| {
        json!({
            "name": module.name,
            "branches_covered": module.n_covered,
            "branches_total": module.n_branches,
            "inputs": counts.n_inputs,
            "constraints": counts.n_constraints,
        })
    });
    json!({
        "inputs": counts.n_inputs,
        "rejected": counts.n_rejected,
        "sentences": counts.n_sentences,
        "followed": counts.n_followed,
        "variables": counts.n_variables,
        "constraints": counts.n_constraints,
        "modules": modules.collect::<Value>(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::maker::Maker;
    use crate::note::Suppressed;

    fn results() -> Results {
        let mut results = Results { parts: Some(Parts::default()), ..Results::default() };
        let stack = r#"[["abort",null,0,false],["main","a.c",3,true]]"#;
        results.findings.extend(Finding::from_record(gimlet_store::Finding {
            id: 0,
            kind: "abort".into(),
            signature: 9,
            run: None,
            stack: stack.into(),
            shown_by: 3,
            input: Default::default(),
            path: "crashes/id:000000".into(),
            n_runs: 2,
            ended: "was killed".into(),
        }));
        results.kinds.suppressed.push(Suppressed { rule: "leak".into(), n_runs: 1 });
        results.kinds.losses.insert("a pipe".into(), 1);
        results.kinds.divergences.insert("went left".into(), 1);
        results.parts.as_mut().unwrap().coverage.push(Default::default());
        results.queries.layers.push(LayerFigures { name: "sat".into(), n_asked: 1, ..LayerFigures::default() });
        results.branches.push(crate::directions::tests::branch(3, "main", &["true", "false"]));
        results.efforts.push(Effort { name: "mutants".into(), side: "mutation".into(), ..Effort::default() });
        results
    }

    /// The names of all fields, with those that they are in.
    fn names(value: &Value, outer: &str, all: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let name = match outer {
                        "queries.by_layer" => format!("{outer}.LAYER"),
                        "makers" => format!("{outer}.SIDE"),
                        "sources" => format!("{outer}.SOURCE"),
                        "tests_by_maker" => format!("{outer}.MAKER"),
                        "" => name.clone(),
                        _ => format!("{outer}.{name}"),
                    };
                    names(value, &name, all);
                    all.insert(name);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| names(value, &format!("{outer}[]"), all)),
            _ => {}
        }
    }

    #[test]
    fn the_table_has_each_field() {
        let (table, reasons) = include_str!("../../../docs/summary.md").split_once("\n## ").unwrap();
        assert!(Reason::NAMES.iter().all(|name| reasons.contains(&format!("\n| `{name}` |"))));
        let rows = table.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned()));
        let documented: BTreeSet<String> = rows.collect();
        let mut written = BTreeSet::new();
        names(&summary(&results()), "", &mut written);
        assert_eq!(written, documented);
        assert!(table.contains(&format!("version {VERSION}")));
        let makers = table.lines().find(|line| line.starts_with("| `tests_by_maker.MAKER`")).unwrap();
        assert!(Maker::ALL.iter().all(|maker| makers.contains(&format!("`{}`", maker.name()))), "{makers}");
    }

    #[test]
    fn findings_have_their_place() {
        let value = &summary(&results())["findings"][0];
        assert_eq!((&value["kind"], &value["function"], &value["line"]), (&json!("abort"), &json!("main"), &json!(3)));
        assert_eq!(value["shown_by"], json!(["plain", "instrumented"]));
        assert_eq!((&value["stack"], &value["confirmed"]), (&json!(["abort", "main"]), &json!(true)));
    }
}
