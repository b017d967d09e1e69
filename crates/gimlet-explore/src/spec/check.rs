//! What is wrong with a spec by itself, before anything is run or read.

use super::SearchSpec;
use crate::error::ExploreError;

impl SearchSpec {
    /// Values that no search can have. What only the program or its grammar can tell comes later.
    pub fn check(&self) -> Result<(), ExploreError> {
        let wrong = |what: String, hint: &str| Err(ExploreError::refused(what, hint));
        if let Some((key, unit, _)) = numbers(self).into_iter().find(|&(_, _, number)| number == Some(0)) {
            return wrong(format!("{key}: a number of {unit}, 1 or more"), "leave it out for the default");
        }
        if self.limits.timeout.is_some_and(|time| time.is_zero() || time.as_secs() >= 1_000_000_000) {
            return wrong("limits.timeout: a time of more than 0: 500ms, 2s, 1m".to_owned(), "1s is the default");
        }
        if self.strategy.prefix.is_some() && self.strategy.stretches == Some(false) {
            return wrong(
                "strategy.prefix makes a stretch, and strategy.stretches forbids them".to_owned(),
                "choose one",
            );
        }
        if self.findings.memory == Some(false) && self.findings.leaks == Some(true) {
            let what = "findings.leaks needs PROG.memory, and findings.memory leaves it out";
            return wrong(what.to_owned(), "choose one");
        }
        if let Some(module) = self.parts.modules.iter().find(|it| it.name.is_empty() || it.files.is_empty()) {
            return wrong(format!("parts.modules: the module '{}' needs a name and files", module.name), "name both");
        }
        let grammar = &self.grammar;
        let parts = [
            ("--lexer", grammar.lexer.is_some()),
            ("--token-map", grammar.token_map.is_some()),
            ("--start", grammar.start.is_some()),
            ("--height", grammar.height.is_some()),
            ("--hole-len", grammar.hole_len.is_some()),
            ("--free-holes", grammar.free_holes == Some(true)),
        ];
        match parts.into_iter().find(|&(_, is_said)| is_said && grammar.file.is_none()) {
            Some((option, _)) => {
                wrong(format!("{option} is for a grammar, and there is none"), "name it with --grammar FILE")
            }
            None => Ok(()),
        }
    }
}

/// Numbers that are never 0, with what they count.
fn numbers(spec: &SearchSpec) -> [(&'static str, &'static str, Option<u64>); 12] {
    let long = |number: Option<usize>| number.map(|number| number as u64);
    let SearchSpec { limits, strategy, grammar, stop, team, .. } = spec;
    [
        ("limits.max_memory", "MiB", limits.max_memory),
        ("limits.max_input", "bytes", limits.max_input),
        ("limits.max_expressions", "expressions", limits.max_expressions),
        ("limits.max_events", "events", limits.max_events),
        ("strategy.len", "bytes", long(strategy.len)),
        ("strategy.max_len", "bytes", long(strategy.max_len)),
        ("strategy.prefix", "bytes", long(strategy.prefix)),
        ("grammar.height", "rules", grammar.height.map(u64::from)),
        ("grammar.hole_len", "bytes", grammar.hole_len.map(u64::from)),
        ("stop.steps", "runs", stop.steps),
        ("stop.found", "findings", stop.found.as_ref().map(|enough| enough.n_findings as u64)),
        ("team.jobs", "processes", team.jobs.map(u64::from)),
    ]
}
