//! The `gimlet` command and its JSON, as far as the tests look at it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, Context, Result};
use serde_json::Value;

use crate::process::{capture, End, Finished};
use crate::workspace::release;

/// A program to run, and how.
#[derive(Clone, Debug)]
pub struct Subject {
    pub program: PathBuf,
    /// Options of gimlet for its input.
    pub options: Vec<OsString>,
    pub args: Vec<OsString>,
    /// Directory for captured output.
    pub scratch: PathBuf,
}

/// A path condition.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Kind, place, direction and condition of each: what must not depend on the -O level.
    pub steps: Vec<String>,
    /// `name = expression` for everything that the program observed.
    pub observations: Vec<String>,
    pub n_expressions: u64,
    /// What was lost, stale or not modelled.
    pub losses: Vec<String>,
}

/// What `gimlet audit` found.
#[derive(Clone, Debug)]
pub struct Audit {
    json: Value,
}

/// What it means that two runs on one input differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differing {
    Wrong,
    /// There are threads.
    Expected,
}

/// What `gimlet flip --all` did with one branch.
#[derive(Clone, Debug)]
pub struct Flip {
    /// What `gimlet flip --at` calls it.
    pub number: u64,
    pub text: String,
    pub outcome: FlipOutcome,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlipOutcome {
    /// The new input went where it was to go.
    Reached,
    Impossible,
    /// The solver gave up.
    Unknown,
    /// Where it went instead, in words.
    Elsewhere(String),
    /// Two solvers say the opposite.
    Disputed,
}

impl Subject {
    fn run(&self, command: &str, options: &[&str], limit: Duration) -> Result<Finished> {
        self.run_loudly(command, &[options, &["--quiet-target"]].concat(), limit)
    }

    fn run_loudly(&self, command: &str, options: &[&str], limit: Duration) -> Result<Finished> {
        let mut gimlet = Command::new(release("gimlet"));
        gimlet.arg(command).args(options).args(&self.options);
        gimlet.arg("--").arg(&self.program).args(&self.args);
        capture(&mut gimlet, b"", limit, &self.scratch)
    }

    fn json(&self, command: &str, options: &[&str], limit: Duration) -> Result<(End, Value)> {
        let finished = self.run(command, options, limit)?;
        match serde_json::from_slice(&finished.stdout) {
            Ok(json) => Ok((finished.end, json)),
            Err(_) => bail!("gimlet {command} printed no JSON: {}", finished.complaint()),
        }
    }
}

/// The trace of one run; it must be whole.
pub fn trace(subject: &Subject, limit: Duration) -> Result<Trace> {
    let (_, json) = subject.json("trace", &["--json"], limit)?;
    if let Some(problem) = json["problems"].as_array().and_then(|problems| problems.first()) {
        bail!("{}", problem["message"]);
    }
    let steps = json["steps"].as_array().context("gimlet trace --json has no steps")?;
    let objects = Objects::of_steps(steps);
    Ok(Trace {
        steps: steps.iter().map(|json| step_text(json, &objects)).collect(),
        observations: observations(&json, &objects),
        n_expressions: json["counts"]["expressions"].as_u64().context("no count of expressions")?,
        losses: losses(&json),
    })
}

/// What the program prints while it is traced.
pub fn output(subject: &Subject, limit: Duration) -> Result<Vec<u8>> {
    Ok(subject.run_loudly("trace", &["--json"], limit)?.stderr)
}

/// How the plain build ends on the same input, and what it prints.
pub fn replay(subject: &Subject, limit: Duration) -> Result<(End, Vec<u8>)> {
    let finished = subject.run_loudly("replay", &[], limit)?;
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let said = stderr.lines().last().and_then(|line| line.strip_prefix("gimlet: the program "));
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
    let end = said.and_then(|said| match said.strip_prefix("exited with code ") {
        Some(code) => number(code).map(End::Exit),
        None => said.strip_prefix("was killed by signal ").and_then(number).map(End::Signal),
    });
    Ok((end.with_context(|| format!("gimlet replay: {}", finished.complaint()))?, finished.stdout))
}

/// The objects that a run accessed at symbolic addresses, in the order of the first access.
struct Objects(Vec<(u64, u64)>);

/// Addresses that conditions mention lie this near to their objects.
const NEAR: u64 = 1 << 12;
/// Below this are numbers, above it addresses of images, heap, libraries and stack.
const ADDRESS_MIN: u64 = 0x5000_0000_0000;
const ADDRESS_MAX: u64 = 0x7fff_ffff_ffff;

impl Objects {
    fn of_steps(steps: &[Value]) -> Objects {
        let mut objects = Vec::new();
        for object in steps.iter().filter_map(object) {
            if !objects.contains(&object) {
                objects.push(object);
            }
        }
        Objects(objects)
    }

    /// The text with every address as an object and an offset, so that runs with other addresses can be compared.
    /// `own` is the object that the text is about.
    fn rename(&self, text: &str, own: Option<usize>) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("0x") {
            let digits = rest[start + 2..].find(|c: char| !c.is_ascii_hexdigit());
            let end = digits.map_or(rest.len(), |len| start + 2 + len);
            out.push_str(&rest[..start]);
            let number = &rest[start..end];
            let address = parse_hex(number).filter(|number| (ADDRESS_MIN..=ADDRESS_MAX).contains(number));
            out.push_str(&address.map_or_else(|| number.to_owned(), |address| self.name(address, own)));
            rest = &rest[end..];
        }
        out.push_str(rest);
        out
    }

    /// The object that the address is in, the own one first; or else the nearest.
    fn name(&self, address: u64, own: Option<usize>) -> String {
        let distance = |index: usize| {
            let (base, size) = self.0[index];
            base.saturating_sub(address) + (address + 1).saturating_sub(base + size)
        };
        let own = own.filter(|&index| distance(index) == 0);
        let nearest = own.or_else(|| (0..self.0.len()).min_by_key(|&index| distance(index)));
        match nearest.filter(|&index| distance(index) < NEAR) {
            Some(index) => format!("object{index}{:+}", address.wrapping_sub(self.0[index].0) as i64),
            None => "address".to_owned(),
        }
    }

    /// Which of them the step accesses.
    fn of_step(&self, json: &Value) -> Option<usize> {
        let object = object(json)?;
        self.0.iter().position(|known| *known == object)
    }
}

/// Address and size of the object that a step accesses.
fn object(step: &Value) -> Option<(u64, u64)> {
    Some((step["object"].as_str().and_then(parse_hex)?, step["object_size"].as_u64()?))
}

fn parse_hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn step_text(json: &Value, objects: &Objects) -> String {
    let text = |key: &str| json[key].as_str().unwrap_or("-").to_owned();
    let place = format!("{}:{}:{}", text("file"), json["line"], json["column"]);
    let condition = objects.rename(&text("condition"), objects.of_step(json));
    format!("{} {place} {} {condition}", text("kind"), text("direction"))
}

fn observations(trace: &Value, objects: &Objects) -> Vec<String> {
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for seen in array(&trace["observations"]) {
        for part in array(&seen["parts"]) {
            let meaning = part["expression"].as_str().or(part["value"].as_str()).unwrap_or("?");
            let name = seen["name"].as_str().unwrap_or("?");
            found.push(format!("{name} = {}", objects.rename(meaning, None)));
        }
    }
    found
}

/// What a trace lacks: `kind: reason at place`, for everything but pins.
fn losses(trace: &Value) -> Vec<String> {
    let tallies = trace["tallies"].as_array().into_iter().flatten().filter(|tally| tally["kind"] != "pinned");
    let text = |tally: &Value| {
        let word = |key: &str| tally[key].as_str().unwrap_or("?").to_owned();
        format!("{}: {} at {}:{}:{}", word("kind"), word("reason"), word("file"), tally["line"], tally["column"])
    };
    tallies.map(text).collect()
}

/// Checks that the trace of a program is exact and complete.
pub fn audit(subject: &Subject, n_changes: u32, limit: Duration) -> Result<Audit> {
    let (_, json) = subject.json("audit", &["--json", "--changes", &n_changes.to_string()], limit)?;
    Ok(Audit { json })
}

/// What a program observes under a driver, in the lines that it writes to GIMLET_OBSERVATIONS without one.
pub fn observed_lines(subject: &Subject, limit: Duration) -> Result<String> {
    let (_, json) = subject.json("trace", &["--json", "--limit", "1"], limit)?;
    let mut lines = String::new();
    for seen in json["observations"].as_array().context("gimlet trace --json has no observations")? {
        let mut bytes: Vec<u8> = Vec::new();
        for part in seen["parts"].as_array().into_iter().flatten() {
            let value = part["value"].as_str().and_then(|text| u128::from_str_radix(text.strip_prefix("0x")?, 16).ok());
            let n_bytes = part["bytes"].as_u64().unwrap_or(0) as usize;
            bytes.extend(value.context("a part without a value")?.to_le_bytes().iter().take(n_bytes));
        }
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        lines.push_str(&format!("{} {hex} {}\n", bytes.len(), seen["name"].as_str().unwrap_or("?")));
    }
    Ok(lines)
}

/// The audit of what a program observes, as JSON; the trace must be whole.
pub fn audit_observed(subject: &Subject, n_checks: usize, seed: u32, limit: Duration) -> Result<Value> {
    let options = ["--json", "--changes", "0", "--observed", &n_checks.to_string(), "--seed", &seed.to_string()];
    let (_, json) = subject.json("audit", &options, limit)?;
    match json["problems"].as_array().and_then(|problems| problems.first()) {
        Some(problem) => bail!("{}", problem["message"]),
        None => Ok(json),
    }
}

/// Where models of library functions found that the library does something else, or left labels that are not true.
pub fn disagreements(json: &Value) -> Vec<String> {
    let is_one = |loss: &String| loss.starts_with("stale") || loss.contains("something else than its model");
    losses(json).into_iter().filter(is_one).collect()
}

impl Audit {
    /// What is wrong, if anything is; `differing` says whether two runs on one input may differ.
    pub fn complaint(&self, differing: Differing) -> Option<String> {
        let (exact, complete) = (&self.json["exact"], &self.json["complete"]);
        if let Some(problem) = self.json["problems"].as_array().and_then(|problems| problems.first()) {
            return Some(format!("{}", problem["message"]));
        }
        if exact["mismatches"] != 0 {
            return Some(format!("not exact: {} mismatches, first {}", exact["mismatches"], exact["first"]));
        }
        if complete.is_null() {
            return Some("completeness was not checked".to_owned());
        }
        if complete["deterministic"] != true && differing == Differing::Wrong {
            return Some("two runs on one input differ".to_owned());
        }
        if complete["wrong"] != 0 || complete["unexplained"] != 0 || self.json["passed"] != true {
            let first = &complete["failures"][0]["verdict"];
            return Some(format!("not complete: {}; first {first}", self.summary()));
        }
        None
    }

    /// The changes of the input, by what they showed.
    pub fn summary(&self) -> String {
        let complete = &self.json["complete"];
        let verdicts =
            ["same", "predicted", "explained", "lost", "truncated", "nondeterministic", "wrong", "unexplained"];
        let counts =
            verdicts.iter().filter(|name| complete[**name] != 0).map(|name| format!("{} {name}", complete[*name]));
        format!("{} branches: {}", self.json["exact"]["branches"], counts.collect::<Vec<_>>().join(", "))
    }
}

/// Flips every branch and switch of a run, or so many.
pub fn flip_all(subject: &Subject, n_max: usize, limit: Duration) -> Result<Vec<Flip>> {
    let (_, json) = subject.json("flip", &["--all", "--json", "--limit", &n_max.to_string()], limit)?;
    if let Some(problem) = json["problems"].as_array().and_then(|problems| problems.first()) {
        bail!("{}", problem["message"]);
    }
    json["flips"].as_array().context("gimlet flip --all --json has no flips")?.iter().map(flip).collect()
}

fn flip(json: &Value) -> Result<Flip> {
    let number = json["number"].as_u64().context("a flip without a number")?;
    let outcome = match (json["answer"].as_str(), json["arrival"].as_str()) {
        (Some("solved"), Some("predicted")) => FlipOutcome::Reached,
        (Some("solved"), Some("elsewhere" | "untold")) => {
            FlipOutcome::Elsewhere(json["went"].as_str().unwrap_or("?").to_owned())
        }
        (Some("impossible"), None) => FlipOutcome::Impossible,
        (Some("unknown"), None) => FlipOutcome::Unknown,
        (Some("disputed"), None) => FlipOutcome::Disputed,
        (answer, arrival) => bail!("flip {number}: answer {answer:?}, arrival {arrival:?}"),
    };
    Ok(Flip { number, text: step_text(json, &Objects(Vec::new())), outcome })
}

/// Microseconds of the fastest of several runs through one fork server.
pub fn repeat(subject: &Subject, n_runs: u32, limit: Duration) -> Result<f64> {
    let (_, json) = subject.json("trace", &["--json", "--repeat", &n_runs.to_string()], limit)?;
    json["elapsed_us"].as_f64().context("gimlet trace --json --repeat has no elapsed_us")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_object_comes_first() {
        let objects = Objects(vec![(0x7fff_ffff_e100, 32), (0x7fff_ffff_e110, 16)]);
        assert_eq!(objects.rename("0x7fffffffe110", None), "object0+16");
        assert_eq!(objects.rename("0x7fffffffe110", Some(1)), "object1+0");
    }

    #[test]
    fn addresses_are_renamed() {
        let objects = Objects(vec![(0x7fff_ffff_e1a0, 16), (0x5555_5558_f040, 256)]);
        let text = "(x + 0x7fffffffe1a4) <=u 0x7fffffffe1af && y == 0x1234 || z == 0x55555558f03f || 0x7ffff7f52ac0";
        let renamed = "(x + object0+4) <=u object0+15 && y == 0x1234 || z == object1-1 || address";
        assert_eq!(objects.rename(text, None), renamed);
    }
}
