//! Where things are, and cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{process, setup};

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Cargo's target directory.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// A file of the release build.
pub fn release(name: &str) -> PathBuf {
    target_dir().join("release").join(name)
}

/// A directory for the files of a task, made empty.
pub fn scratch(name: &str) -> Result<PathBuf> {
    let dir = target_dir().join("xtask").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("can't empty {}", dir.display()))?;
    }
    std::fs::create_dir_all(&dir).with_context(|| format!("can't make {}", dir.display()))?;
    Ok(dir)
}

/// Cargo in the repository.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Builds everything that users need.
pub fn build_release() -> Result<()> {
    setup::for_build()?;
    process::run(&mut cargo(&["build", "--release"]))
}

/// The same, with the packages that tests and benchmarks need.
pub fn build_for_tests() -> Result<()> {
    setup::for_tests()?;
    build_release()
}

/// The commit, and a fingerprint of what compiles and runs programs: results for one are not those of another.
pub fn version() -> Result<String> {
    let git = process::output(Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).current_dir(root()));
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for name in ["gimlet-cc", "gimlet", "libgimlet_pass.so", "libgimlet_runtime.a", "libgimlet_memory.a"] {
        let path = release(name);
        for byte in std::fs::read(&path).with_context(|| format!("can't read {}", path.display()))? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    Ok(format!("{}+{:08x}", git.unwrap_or_else(|| "none".into()), hash >> 32))
}

/// Files below `dir`, in order.
pub fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The name of a file without its extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
