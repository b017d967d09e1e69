//! What the memory checks say while a subject's tests run.
//!
//! Tests hide much of what programs write, and some don't mind how programs end. So the memory build keeps a log
//! ([`LOG_ENV`](gimlet_trace::memory::LOG_ENV)), to which `common.sh` adds which test begins:
//!
//! ```text
//! test: add.b
//! run: /tmp/subject/bc/bc
//! gimlet: memory error
//! kind: heap-out-of-bounds
//! at: 0x2f1a /tmp/subject/bc/bc
//! ```

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use gimlet_trace::memory::REPORT_MAGIC;
use serde_json::{json, Value};

use super::sandbox::TREE;
use crate::process;

const SYMBOLIZER: &str = "llvm-symbolizer-19";
/// In place of the name of a file that has no lines.
const NO_FILE: &str = "??";
/// In the names of the runtime's own functions.
const RUNTIME: &str = "gimlet_mem";

/// A test's error, told once however often it comes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Alarm {
    /// Empty if the test did not say that it begins.
    pub test: String,
    /// Kind and function, as in `use-after-free in call`.
    pub error: String,
    /// File and line.
    pub place: String,
}

/// All that a log says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Log {
    /// Processes with memory checks.
    pub n_runs: usize,
    pub alarms: BTreeSet<Alarm>,
}

/// A function that was running.
struct Frame {
    function: String,
    place: String,
}

impl Alarm {
    pub fn json(&self) -> Value {
        json!({ "test": self.test, "error": self.error, "place": self.place })
    }
}

/// Reads a log; programs are below `tree`.
pub fn read(text: &str, tree: &Path) -> Result<Log> {
    parse(text, |address, file| {
        let file = match file.strip_prefix(TREE) {
            Some(below) => tree.join(below.trim_start_matches('/')),
            None => file.into(),
        };
        frames(address, &file)
    })
}

fn parse(text: &str, mut frames_at: impl FnMut(u64, &str) -> Result<Vec<Frame>>) -> Result<Log> {
    let mut log = Log::default();
    let mut test = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("test: ") {
            test = name;
        } else if line.starts_with("run: ") {
            log.n_runs += 1;
        } else if line == REPORT_MAGIC {
            let kind = lines.next().and_then(|line| line.strip_prefix("kind: ")).context("a report without a kind")?;
            let mut frames = Vec::new();
            let is_next =
                |line: &&str| *line != REPORT_MAGIC && !line.starts_with("test: ") && !line.starts_with("run: ");
            while let Some(line) = lines.next_if(is_next) {
                let Some((address, file)) = line.strip_prefix("at: 0x").and_then(|at| at.split_once(' ')) else {
                    continue;
                };
                // The call is before the address that it returns to.
                frames.extend(frames_at(u64::from_str_radix(address, 16)?.saturating_sub(1), file)?);
            }
            let is_program = |frame: &&Frame| !frame.place.starts_with(NO_FILE) && !frame.function.contains(RUNTIME);
            let frame = frames.iter().find(is_program);
            log.alarms.insert(Alarm {
                test: test.to_owned(),
                error: format!("{kind} in {}", frame.map_or("?", |frame| &frame.function)),
                place: frame.map_or("?".to_owned(), |frame| frame.place.clone()),
            });
        }
    }
    Ok(log)
}

/// The functions at an address, the innermost first.
fn frames(address: u64, file: &Path) -> Result<Vec<Frame>> {
    let mut symbolizer = Command::new(SYMBOLIZER);
    symbolizer.arg("--basenames").arg("--obj").arg(file).arg(format!("{address:#x}"));
    let text = process::output(&mut symbolizer).with_context(|| format!("{SYMBOLIZER} fails"))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let frame = |pair: &[&str]| {
        // The column is of no use.
        let place = pair[1].rsplit_once(':').map_or(pair[1], |(place, _)| place);
        Frame { function: pair[0].to_owned(), place: place.to_owned() }
    };
    Ok(lines.chunks_exact(2).map(frame).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_read() {
        let text = "run: a\ntest: one\nrun: a\ntest: two\nrun: b\ngimlet: memory error\nkind: overlap\nobject: heap\n\
                    at: 0x11 b\nat: 0x21 b\nat: 0x31 b\nrun: a\ngimlet: memory error\nkind: leak\n";
        let frames_at = |address: u64, file: &str| {
            let (function, place) = match address {
                0x10 => ("gimlet_mem_fail".to_owned(), "a:1"),
                0x20 => ("??".to_owned(), "??:0"),
                _ => (format!("{file}{address:x}"), "b.c:1"),
            };
            Ok(vec![Frame { function, place: place.to_owned() }])
        };
        let log = parse(text, frames_at).unwrap();
        let alarm = |error: &str, place: &str| Alarm { test: "two".into(), error: error.into(), place: place.into() };
        assert_eq!(log.n_runs, 4);
        assert_eq!(
            log.alarms.into_iter().collect::<Vec<_>>(),
            [alarm("leak in ?", "?"), alarm("overlap in b30", "b.c:1")]
        );
    }
}
