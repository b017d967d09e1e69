//! What `gimlet run --summary` writes, and whether it is what a program's directives ask for.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gimlet_trace::finding::Kind;
use serde_json::Value;

use super::directives::Directives;

/// The outcome of a search. Reading one is an error if anything that the format promises is missing.
#[derive(Clone, Debug)]
pub struct Summary {
    pub strategy: String,
    pub is_exhausted: bool,
    /// Nothing was left to try.
    pub is_finished: bool,
    pub seconds: f64,
    pub n_executions: u64,
    pub n_paths: u64,
    pub n_tests: u64,
    pub n_queries: u64,
    pub n_unknown: u64,
    pub n_divergences: u64,
    pub branches_covered: u64,
    pub branches_total: u64,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: Kind,
    pub function: String,
    pub file: String,
    pub line: u64,
    /// Below the folder of results.
    pub input: PathBuf,
    pub is_confirmed: bool,
}

impl Summary {
    pub fn read(path: &Path) -> Result<Summary> {
        let text = std::fs::read_to_string(path).with_context(|| format!("no summary at {}", path.display()))?;
        Summary::parse(&text).context("the summary")
    }

    pub fn parse(text: &str) -> Result<Summary> {
        let json: Value = serde_json::from_str(text)?;
        for key in ["pins", "losses", "dropped", "seed"] {
            json.get(key).with_context(|| format!("has no {key}"))?;
        }
        let queries = &json["queries"];
        for key in ["sat", "unsat", "by_layer"] {
            queries.get(key).with_context(|| format!("has no queries.{key}"))?;
        }
        let findings = json["findings"].as_array().context("has no findings")?;
        Ok(Summary {
            strategy: text_of(&json, "strategy")?,
            is_exhausted: json["exhausted"].as_bool().context("has no exhausted")?,
            is_finished: text_of(&json, "ended")? == "complete",
            seconds: json["seconds"].as_f64().context("has no seconds")?,
            n_executions: number(&json, "executions")?,
            n_paths: number(&json, "paths")?,
            n_tests: number(&json, "tests")?,
            n_queries: number(queries, "total")?,
            n_unknown: number(queries, "unknown")?,
            n_divergences: number(&json, "divergences")?,
            branches_covered: number(&json["coverage"], "branches_covered")?,
            branches_total: number(&json["coverage"], "branches_total")?,
            findings: findings.iter().map(finding).collect::<Result<_>>()?,
        })
    }

    /// What is not as the directives have it; `source` is the file that they are in.
    pub fn complaints(&self, directives: &Directives, source: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut compare = |what: &str, actual: u64, wanted: Option<u64>| {
            if let Some(wanted) = wanted.filter(|wanted| *wanted != actual) {
                complaints.push(format!("{actual} {what}, not {wanted}"));
            }
        };
        compare("paths", self.n_paths, directives.paths);
        compare("tests", self.n_tests, directives.tests);
        compare("divergences", self.n_divergences, (!directives.may_diverge).then_some(0));
        if let Some(wanted) = directives.is_exhausted.filter(|wanted| *wanted != self.is_exhausted) {
            complaints.push(format!("exhausted is {}, not {wanted}", self.is_exhausted));
        }
        if let Some(wanted) = directives.strategy.as_ref().filter(|wanted| **wanted != self.strategy) {
            complaints.push(format!("the strategy was {}, not {wanted}", self.strategy));
        }
        complaints.extend(self.missing(directives, source));
        complaints
    }

    /// Findings that should be there and are not, or are there and should not be.
    fn missing(&self, directives: &Directives, source: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut is_expected = vec![false; self.findings.len()];
        for expected in &directives.finds {
            let is_it = |finding: &Finding| {
                finding.kind == expected.kind
                    && finding.function == expected.function
                    && (directives.here.is_empty() || directives.here.contains(&finding.line))
                    && Path::new(&finding.file).file_name() == Some(source.as_ref())
            };
            match self.findings.iter().position(is_it) {
                Some(index) => {
                    is_expected[index] = true;
                    if !self.findings[index].is_confirmed {
                        complaints.push(format!("not confirmed: {}", self.findings[index].text()));
                    }
                }
                None => complaints
                    .push(format!("no {} in {} at {source}:{:?}", expected.kind, expected.function, directives.here)),
            }
        }
        let others = self.findings.iter().zip(is_expected).filter(|(_, is_expected)| !is_expected);
        complaints.extend(others.map(|(finding, _)| format!("not asked for: {}", finding.text())));
        complaints
    }
}

impl Finding {
    pub fn text(&self) -> String {
        format!("{} in {} at {}:{}", self.kind, self.function, self.file, self.line)
    }
}

fn finding(json: &Value) -> Result<Finding> {
    json.get("id").context("a finding has no id")?;
    let kind = text_of(json, "kind")?;
    let kind = Kind::from_name(&kind).with_context(|| format!("has a finding of unknown kind '{kind}'"))?;
    Ok(Finding {
        kind,
        function: text_of(json, "function")?,
        file: text_of(json, "file")?,
        line: number(json, "line")?,
        input: text_of(json, "input")?.into(),
        // How a size was computed is known to labels alone: no other build can say that it wrapped around.
        is_confirmed: json["confirmed"].as_bool().context("a finding has no confirmed")?
            || (kind == Kind::AllocationOverflow && json["shown_by"] == serde_json::json!(["instrumented"])),
    })
}

fn text_of(json: &Value, key: &str) -> Result<String> {
    Ok(json[key].as_str().with_context(|| format!("has no {key}"))?.to_owned())
}

fn number(json: &Value, key: &str) -> Result<u64> {
    json[key].as_u64().with_context(|| format!("has no {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str =
        "//~ STRATEGY: dfs\n//~ PATHS: 3\n//~ EXHAUSTED: yes\n//~ FINDS: abort f\nabort(); //~ HERE\n";

    fn json(findings: &str) -> String {
        format!(
            r#"{{"strategy": "dfs", "seed": 1, "exhausted": true, "ended": "complete", "seconds": 0.5,
                "executions": 9, "paths": 3, "tests": 3, "queries": {{"total": 4, "sat": 2, "unsat": 2, "unknown": 0, "by_layer": {{}}}},
                "divergences": 0, "pins": 0, "losses": 0, "dropped": 0,
                "coverage": {{"branches_covered": 4, "branches_total": 4}}, "findings": [{findings}]}}"#
        )
    }

    fn abort(function: &str, line: u64, is_confirmed: bool) -> String {
        format!(
            r#"{{"id": 0, "kind": "abort", "function": "{function}", "file": "/x/a.c", "line": {line},
                "input": "crashes/0", "confirmed": {is_confirmed}}}"#
        )
    }

    fn complaints(program: &str, summary: &str) -> Vec<String> {
        Summary::parse(summary).unwrap().complaints(&Directives::parse(program).unwrap(), "a.c")
    }

    #[test]
    fn what_was_asked_for_is_fine() {
        assert_eq!(complaints(PROGRAM, &json(&abort("f", 5, true))), Vec::<String>::new());
    }

    #[test]
    fn findings_are_compared_in_full() {
        assert_eq!(complaints(PROGRAM, &json("")).len(), 1);
        assert_eq!(complaints(PROGRAM, &json(&abort("f", 5, false))).len(), 1);
        for wrong in [abort("g", 5, true), abort("f", 6, true)] {
            assert_eq!(complaints(PROGRAM, &json(&wrong)).len(), 2, "{wrong}");
        }
        let two = format!("{}, {}", abort("f", 5, true), abort("f", 9, true));
        assert_eq!(complaints(PROGRAM, &json(&two)), ["not asked for: abort in f at /x/a.c:9"]);
    }

    #[test]
    fn counts_are_compared() {
        let good = json(&abort("f", 5, true));
        for (old, new) in [
            ("\"paths\": 3", "\"paths\": 2"),
            ("\"exhausted\": true", "\"exhausted\": false"),
            ("\"divergences\": 0", "\"divergences\": 1"),
            ("\"strategy\": \"dfs\"", "\"strategy\": \"random\""),
        ] {
            assert_eq!(complaints(PROGRAM, &good.replace(old, new)).len(), 1, "{new}");
        }
    }

    #[test]
    fn gaps_are_errors() {
        let good = json(&abort("f", 5, true));
        for key in ["losses", "by_layer", "confirmed", "branches_total", "id"] {
            assert!(Summary::parse(&good.replace(&format!("\"{key}\""), "\"other\"")).is_err(), "{key}");
        }
    }
}
