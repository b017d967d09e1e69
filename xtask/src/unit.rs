//! Unit tests, and the examples of the documentation.
//!
//! Cargo compiles them, with clippy in the compiler's place: to lint what has to be compiled anyway takes a few seconds, by
//! itself a minute and a half. They are then run by the queue, as jobs like all others, each executable with one thread:
//! there are as many at once as cores.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use serde_json::Value;

use crate::process::{capture, Finished};
use crate::queue::Suite;
use crate::setup;
use crate::workspace::{self, cargo};

/// It has the folder of the release build, and with it what that compiled from C and C++.
const PROFILE: [&str; 2] = ["--profile", "bench"];
/// What `cargo clippy -- -Dwarnings` says to Cargo and to itself.
const LINTING: [(&str, &str); 2] =
    [("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"), ("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__")];
const LIMIT: Duration = Duration::from_secs(600);
/// Lines of a failure that are shown.
const LINES_MAX: usize = 60;
const DOCUMENTATION: &str = "documentation";

/// Executables with tests.
pub struct Tests {
    executables: Vec<Executable>,
    /// Whether the examples of the documentation are among the tests.
    has_documentation: bool,
    scratch: PathBuf,
}

struct Executable {
    name: String,
    path: PathBuf,
    package: PathBuf,
}

impl Tests {
    /// Compiles and lints them: all, or those of crates whose names contain one of these.
    pub fn build(names: &[&str]) -> Result<Tests> {
        setup::rust_components()?;
        let mut build = cargo(&["test", "--no-run", "--workspace", "--tests", "--examples"]);
        build.args(["--message-format", "json-render-diagnostics"]).args(PROFILE).envs(LINTING);
        let built = build.stderr(Stdio::inherit()).output().context("cargo test")?;
        ensure!(built.status.success(), "unit tests cannot be compiled, or clippy complains of something");
        let said = String::from_utf8_lossy(&built.stdout).into_owned();
        let is_wanted = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part));
        let executables =
            said.lines().filter_map(executable).filter(|executable| is_wanted(&executable.name)).collect();
        Ok(Tests { executables, has_documentation: is_wanted(DOCUMENTATION), scratch: workspace::scratch("unit")? })
    }
}

impl Suite for Tests {
    fn name(&self) -> &str {
        "unit"
    }

    fn jobs(&self) -> Vec<String> {
        let names = self.executables.iter().map(|executable| executable.name.clone());
        names.chain(self.has_documentation.then(|| DOCUMENTATION.to_owned())).collect()
    }

    fn run(&self, job: usize) -> Result<String> {
        let (mut command, name) = match self.executables.get(job) {
            Some(executable) => (executable.command(), executable.name.as_str()),
            None => (documentation(), DOCUMENTATION),
        };
        let scratch = self.scratch.join(name.replace([' ', '/'], "-"));
        std::fs::create_dir_all(&scratch)?;
        let finished = capture(&mut command, b"", LIMIT, &scratch)?;
        if !finished.is_success() {
            bail!("{}: {}", finished.end, failures(&finished));
        }
        let results: Vec<String> = finished.text().lines().filter_map(n_passed).map(str::to_owned).collect();
        Ok(results.join(", "))
    }
}

impl Executable {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.env("CARGO_MANIFEST_DIR", &self.package).env("RUST_TEST_THREADS", "1").current_dir(&self.package);
        command
    }
}

fn documentation() -> Command {
    let mut command = cargo(&["test", "--quiet", "--workspace", "--doc"]);
    command.args(PROFILE).envs(LINTING).env("RUST_TEST_THREADS", "1");
    command
}

/// The executable that a message of Cargo's tells of.
fn executable(line: &str) -> Option<Executable> {
    let message: Value = serde_json::from_str(line).ok()?;
    let path = PathBuf::from(message["executable"].as_str()?);
    if message["profile"]["test"] != true || message["target"]["kind"][0] == "example" {
        return None;
    }
    let package = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let (of, target) = (workspace::stem(&package), message["target"]["name"].as_str()?);
    let name = if target.replace('_', "-") == of { of } else { format!("{of} {target}") };
    Some(Executable { name, path, package })
}

/// `5 passed` of a line with a result, if it tells of any.
fn n_passed(line: &str) -> Option<&str> {
    let n_passed = line.strip_prefix("test result: ok. ")?.split(';').next()?;
    (n_passed != "0 passed").then_some(n_passed)
}

/// What the tests say of their failures.
fn failures(finished: &Finished) -> String {
    let said = finished.text() + &String::from_utf8_lossy(&finished.stderr);
    let first = said.find("\nfailures:").unwrap_or(0);
    let lines: Vec<&str> = said[first..].lines().filter(|line| !line.is_empty()).take(LINES_MAX).collect();
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_told_from_other_artifacts() {
        let test = r#"{"reason":"compiler-artifact","manifest_path":"/a/gimlet-x/Cargo.toml","target":{"name":"gimlet_x"},"profile":{"test":true},"executable":"/t/x"}"#;
        assert_eq!(executable(test).map(|found| (found.name, found.path)), Some(("gimlet-x".into(), "/t/x".into())));
        let other = test.replace("gimlet_x", "chain");
        assert_eq!(executable(&other).map(|found| found.name), Some("gimlet-x chain".to_owned()));
        assert!(executable(&test.replace("true", "false")).is_none());
        assert!(executable(&test.replace("\"/t/x\"", "null")).is_none());
        assert!(executable(r#"{"reason":"build-finished","success":true}"#).is_none());
    }

    #[test]
    fn results_are_counted() {
        assert_eq!(n_passed("test result: ok. 12 passed; 0 failed; 0 ignored"), Some("12 passed"));
        assert_eq!(n_passed("test result: ok. 0 passed; 0 failed"), None);
        assert_eq!(n_passed("test a ... ok"), None);
    }
}
