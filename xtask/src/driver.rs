//! The tests of the compiler driver in tests/driver: scripts, each in an empty directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{ensure, Context, Result};

use crate::process::{self, capture};
use crate::workspace::{self, release, root};

const LIMIT: Duration = Duration::from_secs(300);

/// Runs every script, or those whose names contain one of these; false if one failed.
pub fn test(names: &[&str]) -> Result<bool> {
    let dir = root().join("tests/driver");
    let scratch = workspace::scratch("driver")?;
    let scripts = workspace::files(&dir)?;
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".sh") && (names.is_empty() || names.iter().any(|part| name.contains(part)))
    };
    let scripts: Vec<PathBuf> = scripts.into_iter().filter(is_wanted).collect();
    ensure!(!scripts.is_empty(), "no test has such a name");
    let n_failed = AtomicUsize::new(0);
    process::parallel(&scripts, |script| {
        let name = script.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match run(script, &dir.join("prelude.bash"), &scratch.join(&name)) {
            Ok(()) => println!("ok      {name}"),
            Err(error) => {
                n_failed.fetch_add(1, Ordering::Relaxed);
                println!("FAILED  {name}\n    {error:#}");
            }
        }
    });
    let n_failed = n_failed.into_inner();
    println!("{} passed, {n_failed} failed", scripts.len() - n_failed);
    Ok(n_failed == 0)
}

fn run(script: &Path, prelude: &Path, scratch: &Path) -> Result<()> {
    let empty = scratch.join("empty");
    std::fs::create_dir_all(&empty)?;
    let tools = release("gimlet-cc");
    let tools = tools.parent().context("the release build has no directory")?.to_owned();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&old)))?;
    let mut bash = Command::new("bash");
    bash.args(["-c", "source \"$1\"; source \"$2\"", "driver"]).arg(prelude).arg(script);
    bash.env("PATH", path).env("LC_ALL", "C").current_dir(&empty);
    let finished = capture(&mut bash, b"", LIMIT, scratch)?;
    ensure!(finished.is_success(), "{}", finished.complaint());
    Ok(())
}
