//! A subject is built twice, tested four times and traced once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use serde_json::{json, Value};

use super::alarms::{self, Alarm, Log};
use super::recipe::Bug;
use super::sandbox::{Sandbox, LOG};
use super::sources::Sources;
use super::{copy_tree, fetch, read_json, Subject};
use crate::workspace::files;

const BUILD_LIMIT: Duration = Duration::from_secs(3600);
const CHECK_LIMIT: Duration = Duration::from_secs(1800);
const TRACE_LIMIT: Duration = Duration::from_secs(600);
/// Runs of the typical input; the fastest counts.
const TRACE_RUNS: &str = "3";
/// Tests that take less are run again, so that the time means something.
const SHORT: Duration = Duration::from_secs(5);
const SHORT_RUNS: usize = 3;

/// What the tests of one build gave.
#[derive(Clone, PartialEq, Debug, Default)]
struct Checked {
    /// Tests that say themselves whether they passed.
    verdicts: BTreeMap<String, bool>,
    /// Tests whose output is compared with that of clang's build.
    outputs: BTreeMap<String, Vec<u8>>,
    /// What the memory checks say.
    log: Log,
    seconds: f64,
}

impl Checked {
    /// Whether the test passed, given what clang's build did.
    fn passes(&self, name: &str, clang: &Checked) -> bool {
        let is_same = || self.outputs.contains_key(name) && self.outputs.get(name) == clang.outputs.get(name);
        self.verdicts.get(name).copied().unwrap_or_else(is_same)
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.verdicts.keys().chain(self.outputs.keys())
    }
}

impl Subject<'_> {
    /// Builds with both compilers, runs the tests of all builds, traces.
    pub fn examine(&self) -> Result<Value> {
        let sources = fetch(self.recipe)?;
        let clang_build_s = self.clang_build(&sources)?;
        let tree = self.home.join("gimlet");
        let build_s = self.build_with(&sources, &tree, "gimlet-cc", "memory")?;
        let Some(build_s) = build_s else {
            return Ok(json!({
                "version": sources.version, "passed": false, "builds": false, "clang_build_s": clang_build_s,
            }));
        };
        let (plain, memory) = (self.home.join("plain"), self.home.join("memory"));
        for (copy, name) in [(&plain, "plain"), (&memory, "memory")] {
            let n_replaced = replace_by_twins(&tree, copy, name)?;
            ensure!(n_replaced > 0, "no program has a twin {name}");
        }
        let clang = self.check(&self.home.join("clang"), "clang")?;
        let plain = self.check(&plain, "plain")?;
        let instrumented = self.check(&tree, "instrumented")?;
        let memory = self.check(&memory, "memory")?;
        let names: BTreeSet<&String> = clang.names().collect();
        let failed = |checked: &Checked| -> Vec<&String> {
            let counts = |name: &&&String| clang.passes(name, &clang) && !checked.passes(name, &clang);
            names.iter().filter(counts).copied().collect()
        };
        let n_passed = |checked: &Checked| names.iter().filter(|name| checked.passes(name, &clang)).count();
        let trace = self.trace(&tree)?;
        let is_good = |checked: &Checked| failed(checked).is_empty();
        let is_silent = |checked: &Checked| checked.log == Log::default();
        let are_others_silent = is_silent(&clang) && is_silent(&plain) && is_silent(&instrumented);
        let is_as_said = self.is_as_said(&memory.log.alarms, failed(&memory));
        let passed = is_good(&plain) && is_good(&instrumented) && !names.is_empty();
        let passed = passed && are_others_silent && memory.log.n_runs > 0 && is_as_said;
        let bugs: Vec<String> = self.recipe.bugs.iter().map(Bug::to_string).collect();
        Ok(json!({
            "version": sources.version,
            "passed": passed && trace["events"].as_u64().is_some(),
            "builds": true,
            "clang_build_s": clang_build_s,
            "build_s": build_s,
            "tests": names.len(),
            "tests_passed": {
                "clang": n_passed(&clang), "plain": n_passed(&plain), "instrumented": n_passed(&instrumented),
                "memory": n_passed(&memory),
            },
            "failed": {
                "plain": failed(&plain), "instrumented": failed(&instrumented), "memory": failed(&memory),
            },
            "check_s": {
                "clang": clang.seconds, "plain": plain.seconds, "instrumented": instrumented.seconds,
                "memory": memory.seconds,
            },
            "memory_runs": memory.log.n_runs,
            "alarms": memory.log.alarms.iter().map(Alarm::json).collect::<Vec<_>>(),
            "bugs": bugs,
            "trace": trace,
        }))
    }

    /// Whether the memory checks find what the recipe says, no more and no less, and no test fails but for that.
    fn is_as_said(&self, alarms: &BTreeSet<Alarm>, failed: Vec<&String>) -> bool {
        let found = alarms.iter().map(|alarm| (&alarm.test, &alarm.error)).collect::<BTreeSet<_>>();
        let said = self.recipe.bugs.iter().map(|bug| (&bug.test, &bug.error)).collect::<BTreeSet<_>>();
        found == said && failed.iter().all(|test| found.iter().any(|(other, _)| other == test))
    }

    /// Seconds of clang's build, which is kept: it is the same for every version of ours.
    fn clang_build(&self, sources: &Sources) -> Result<f64> {
        let record = self.home.join("clang.json");
        if let Some(seconds) = read_json(&record).and_then(|json| json["build_s"].as_f64()) {
            return Ok(seconds);
        }
        let seconds = self.build(sources, &self.home.join("clang"), "clang-19")?;
        let seconds = seconds.context("clang can't build it")?;
        std::fs::write(&record, json!({ "build_s": seconds }).to_string())?;
        Ok(seconds)
    }

    /// Seconds of the build without its configuration, if it succeeds.
    pub fn build(&self, sources: &Sources, tree: &Path, compiler: &str) -> Result<Option<f64>> {
        self.build_with(sources, tree, compiler, "")
    }

    /// The same, with builds beside the usual ones.
    fn build_with(&self, sources: &Sources, tree: &Path, compiler: &str, with: &'static str) -> Result<Option<f64>> {
        copy_tree(&sources.tree, tree)?;
        let sandbox = Sandbox { with, ..self.sandbox(tree, compiler) };
        for function in ["configure", "build"] {
            println!("  {function} with {compiler}");
            let finished = sandbox.call(function, BUILD_LIMIT)?;
            if !finished.is_success() {
                println!("    {function} fails: {}", finished.complaint());
                return Ok(None);
            }
            if function == "build" {
                return Ok(Some(finished.elapsed.as_secs_f64()));
            }
        }
        Ok(None)
    }

    pub fn sandbox(&self, tree: &Path, compiler: &str) -> Sandbox<'_> {
        let (tree, compiler, out) = (tree.to_owned(), compiler.to_owned(), self.home.join("out"));
        Sandbox { recipe: self.recipe, tree, is_fixed: false, compiler, home: &self.home, out, with: "" }
    }

    /// Runs the tests in a copy of the tree: they may leave something behind. Their output is kept under the name
    /// of the build.
    fn check(&self, tree: &Path, build: &str) -> Result<Checked> {
        println!("  tests, {build}");
        let copy = self.home.join("checked");
        let mut best: Option<Checked> = None;
        for _ in 0..SHORT_RUNS {
            copy_tree(tree, &copy)?;
            let checked = self.check_once(&copy, build)?;
            let is_short = checked.seconds < SHORT.as_secs_f64();
            let seconds = best.as_ref().map_or(f64::INFINITY, |best| best.seconds).min(checked.seconds);
            best = Some(Checked { seconds, ..checked });
            if !is_short {
                break;
            }
        }
        best.context("no tests were run")
    }

    fn check_once(&self, tree: &Path, build: &str) -> Result<Checked> {
        let out = self.home.join(format!("out-{build}"));
        let sandbox = Sandbox { out, ..self.sandbox(tree, "clang-19") };
        if sandbox.out.exists() {
            std::fs::remove_dir_all(&sandbox.out)?;
        }
        let finished = sandbox.call("check", CHECK_LIMIT)?;
        if !finished.is_success() {
            println!("    the tests stop: {}", finished.complaint());
        }
        let log_file = sandbox.out.join(LOG);
        // Whatever is in a report, the rest can be read.
        let said = String::from_utf8_lossy(&std::fs::read(&log_file).unwrap_or_default()).into_owned();
        let _ = std::fs::remove_file(&log_file);
        let log = alarms::read(&said, tree)?;
        let text = finished.text();
        let verdict = |line: &str| {
            let failed = line.strip_prefix("not ok ").map(|name| (name.to_owned(), false));
            failed.or_else(|| line.strip_prefix("ok ").map(|name| (name.to_owned(), true)))
        };
        let output = |path: PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, std::fs::read(path)?))
        };
        Ok(Checked {
            verdicts: text.lines().filter_map(verdict).collect(),
            outputs: files(&sandbox.out)?.into_iter().map(output).collect::<Result<_>>()?,
            log,
            seconds: finished.elapsed.as_secs_f64(),
        })
    }

    /// Size and time of the trace of the typical case.
    fn trace(&self, tree: &Path) -> Result<Value> {
        println!("  trace of a typical input");
        let sandbox = self.sandbox(tree, "gimlet-cc");
        let options = ["--limit", "1", "--repeat", TRACE_RUNS, "--timeout", "120s", "-o", "/tmp/out/trace"];
        let finished = sandbox.gimlet("trace", &options, &self.recipe.cases[0], TRACE_LIMIT)?;
        let Ok(json) = serde_json::from_slice::<Value>(&finished.stdout) else {
            println!("    gimlet trace fails: {}", finished.complaint());
            return Ok(json!({ "problem": finished.complaint() }));
        };
        let n_bytes = std::fs::metadata(sandbox.out.join("trace"))?.len();
        Ok(json!({
            "events": json["counts"]["events"], "expressions": json["counts"]["expressions"],
            "conditions": json["counts"]["conditions"], "bytes": n_bytes, "elapsed_us": json["elapsed_us"],
            "lost": losses(&json), "outcome": json["outcome"]["text"], "problems": json["problems"],
        }))
    }
}

/// How much of each kind was lost, stale or not modelled.
fn losses(trace: &Value) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    let tallies = trace["tallies"].as_array().into_iter().flatten().filter(|tally| tally["kind"] != "pinned");
    for tally in tallies {
        let text = format!("{}: {}", tally["kind"].as_str().unwrap_or("?"), tally["reason"].as_str().unwrap_or("?"));
        *sums.entry(text).or_default() += tally["count"].as_u64().unwrap_or(0);
    }
    sums
}

/// A copy of a tree with each program replaced by its twin of this name, and so is what the build has copied elsewhere.
/// The number of programs that were.
fn replace_by_twins(tree: &Path, copy: &Path, name: &str) -> Result<usize> {
    copy_tree(tree, copy)?;
    let mut all = files(copy)?;
    // A link is replaced with what it leads to.
    all.retain(|path| path.symlink_metadata().is_ok_and(|data| data.is_file()));
    let mut n_replaced = 0;
    for twin in all.iter().filter(|path| path.extension().is_some_and(|end| end == name)) {
        let program = twin.with_extension("");
        let Ok(content) = std::fs::read(&program) else { continue };
        let is_it = |path: &&PathBuf| {
            std::fs::metadata(path).is_ok_and(|data| data.len() == content.len() as u64)
                && std::fs::read(path).is_ok_and(|other| other == content)
        };
        for same in all.iter().filter(is_it) {
            std::fs::copy(twin, same)?;
            n_replaced += 1;
        }
    }
    Ok(n_replaced)
}
