//! The tests of the compiler driver in tests/driver: scripts, each in an empty directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};

use crate::process::capture;
use crate::queue::Suite;
use crate::workspace::{self, release, root, stem};

const LIMIT: Duration = Duration::from_secs(300);
/// A line of a script that the short test leaves out.
const SLOW: &str = "#~ SLOW";
/// Scripts do all that they can if this variable says so.
const EXTENT: (&str, &str) = ("GIMLET_TESTS", "all");

/// The scripts to run.
pub struct Scripts {
    dir: PathBuf,
    scratch: PathBuf,
    scripts: Vec<PathBuf>,
    does_all: bool,
}

impl Scripts {
    /// All, or those whose names contain one of these.
    pub fn new(names: &[&str]) -> Result<Scripts> {
        let dir = root().join("tests/driver");
        let is_wanted = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".sh") && (names.is_empty() || names.iter().any(|part| name.contains(part)))
        };
        let scripts = workspace::files(&dir)?.into_iter().filter(is_wanted).collect();
        Ok(Scripts { dir, scratch: workspace::scratch("driver")?, scripts, does_all: false })
    }

    /// All, each as it is in the long test or in the short one.
    pub fn of_test(is_long: bool) -> Result<Scripts> {
        let mut all = Scripts { does_all: is_long, ..Scripts::new(&[])? };
        if !is_long {
            all.scripts.retain(|script| !is_slow(script));
        }
        Ok(all)
    }
}

impl Suite for Scripts {
    fn name(&self) -> &str {
        "driver"
    }

    fn jobs(&self) -> Vec<String> {
        self.scripts.iter().map(|script| stem(script)).collect()
    }

    fn run(&self, job: usize) -> Result<String> {
        let script = &self.scripts[job];
        let variable = self.does_all.then_some(EXTENT);
        run(script, variable, &self.dir.join("prelude.bash"), &self.scratch.join(stem(script)))?;
        Ok(String::new())
    }
}

fn is_slow(script: &Path) -> bool {
    std::fs::read_to_string(script).is_ok_and(|text| text.lines().any(|line| line == SLOW))
}

fn run(script: &Path, variable: Option<(&str, &str)>, prelude: &Path, scratch: &Path) -> Result<()> {
    let empty = scratch.join("empty");
    std::fs::create_dir_all(&empty)?;
    let tools = release("gimlet-cc");
    let tools = tools.parent().context("the release build has no directory")?.to_owned();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&old)))?;
    let mut bash = Command::new("bash");
    bash.args(["-c", "source \"$1\"; source \"$2\"", "driver"]).arg(prelude).arg(script);
    bash.env("PATH", path).env("LC_ALL", "C").envs(variable).current_dir(&empty);
    let finished = capture(&mut bash, b"", LIMIT, scratch)?;
    ensure!(finished.is_success(), "{}", finished.complaint());
    Ok(())
}
