//! `--oracle`: are the traces of real programs exact and complete?
//!
//! The subject is built once more with a log of all branches. Each case of the
//! recipe is audited: the evaluator must find every condition as the run had it,
//! and for random changes of the input, what the trace did not foretell must be
//! put down to something that it says it lost. What it lost is listed by cause.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{json, Value};

use super::sandbox::Sandbox;
use super::{fetch, Subject};
use crate::subjects::recipe::Case;

const COMPILER: &str = "gimlet-cc -fgimlet=branch-log";
const N_CHANGES: &str = "50";
/// Seconds of one run.
const RUN_SECONDS: &str = "20";
/// A log of all branches is long.
const EVENTS_MAX: &str = "67108864";
const AUDIT_LIMIT: Duration = Duration::from_secs(1200);
/// Causes and sites that the report shows.
const N_SHOWN: usize = 12;
const VERDICTS: [&str; 8] =
    ["same", "predicted", "explained", "lost", "truncated", "nondeterministic", "wrong", "unexplained"];

impl Subject<'_> {
    /// Audits all cases.
    pub fn audit(&self) -> Result<Value> {
        let sources = fetch(self.recipe)?;
        let tree = self.home.join("branch-log");
        self.build(&sources, &tree, COMPILER)?.context("it can't be built")?;
        let sandbox = self.sandbox(&tree, COMPILER);
        let mut cases = Vec::new();
        for (index, case) in self.recipe.cases.iter().enumerate() {
            println!("  {} ({} of {})", case.input, index + 1, self.recipe.cases.len());
            cases.push(audit_case(&sandbox, case)?);
        }
        let passed = cases.iter().all(|case| case["passed"] == true);
        Ok(json!({ "version": sources.version, "passed": passed, "cases": cases }))
    }
}

fn audit_case(sandbox: &Sandbox, case: &Case) -> Result<Value> {
    let options = ["--changes", N_CHANGES, "--timeout", RUN_SECONDS, "--max-events", EVENTS_MAX];
    let audited = sandbox.gimlet("audit", &options, case, AUDIT_LIMIT)?;
    let mut result = match serde_json::from_slice::<Value>(&audited.stdout) {
        Ok(json) => json,
        Err(_) => json!({ "passed": false, "error": audited.complaint() }),
    };
    result["elapsed_s"] = audited.elapsed.as_secs_f64().into();
    result["input"] = case.input.as_str().into();
    let traced = sandbox.gimlet(
        "trace",
        &["--limit", "1", "--timeout", RUN_SECONDS, "--max-events", EVENTS_MAX],
        case,
        AUDIT_LIMIT,
    )?;
    if let Ok(trace) = serde_json::from_slice::<Value>(&traced.stdout) {
        result["tallies"] = trace["tallies"].clone();
        result["counts"] = trace["counts"].clone();
    }
    let complete = &result["complete"];
    let summary: Vec<String> = VERDICTS
        .iter()
        .filter(|name| complete[**name].as_u64().is_some_and(|count| count > 0))
        .map(|name| format!("{} {name}", complete[*name]))
        .collect();
    println!("    {} mismatches; {}", result["exact"]["mismatches"], summary.join(", "));
    Ok(result)
}

/// The cases, what was lost by reason and by site, and what changes of the input were lost to.
pub fn report(results: &[Value]) -> String {
    let mut report = String::new();
    for result in results {
        let cases: Vec<&Value> = result["cases"].as_array().into_iter().flatten().collect();
        let _ = writeln!(report, "## {} {}\n", text(&result["subject"]), text(&result["version"]));
        let _ = writeln!(report, "| input | expressions | conditions | not exact | {} |", VERDICTS.join(" | "));
        let _ = writeln!(report, "|{}", "---|".repeat(4 + VERDICTS.len()));
        for case in &cases {
            let verdicts: Vec<String> = VERDICTS.iter().map(|name| case["complete"][*name].to_string()).collect();
            let (exact, counts) = (&case["exact"], &case["counts"]);
            let _ = writeln!(
                report,
                "| {} | {} | {} | {} | {} |",
                text(&case["input"]),
                exact["expressions"],
                counts["conditions"],
                exact["mismatches"],
                verdicts.join(" | ")
            );
        }
        let reason = |tally: &Value| format!("{}: {}", text(&tally["kind"]), text(&tally["reason"]));
        let site = |tally: &Value| {
            let (file, line) = (text(&tally["file"]), &tally["line"]);
            format!("{} at {file}:{line} ({})", reason(tally), text(&tally["function"]))
        };
        write_top(&mut report, "Lost, by reason", tallies(&cases, reason));
        write_top(&mut report, "Lost, by site", tallies(&cases, site));
        write_top(&mut report, "Changes of the input that were not foretold, by cause", causes(&cases));
        report.push('\n');
    }
    report
}

fn tallies(cases: &[&Value], name: impl Fn(&Value) -> String) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    let all = cases.iter().flat_map(|case| case["tallies"].as_array().into_iter().flatten());
    for tally in all.filter(|tally| tally["kind"] != "pinned") {
        *sums.entry(name(tally)).or_default() += tally["count"].as_u64().unwrap_or(0);
    }
    sums
}

fn causes(cases: &[&Value]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for (cause, count) in cases.iter().flat_map(|case| case["complete"]["causes"].as_object().into_iter().flatten()) {
        *sums.entry(cause.clone()).or_default() += count.as_u64().unwrap_or(0);
    }
    sums
}

fn write_top(report: &mut String, title: &str, sums: BTreeMap<String, u64>) {
    let mut sums: Vec<(String, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let _ = writeln!(report, "\n{title}:\n");
    if sums.is_empty() {
        let _ = writeln!(report, "- nothing");
    }
    for (name, count) in sums.iter().take(N_SHOWN) {
        let _ = writeln!(report, "- {count} x {name}");
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}
