//! `cargo xtask install`: the release build under a prefix.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::setup;
use crate::workspace::{self, release, root};

/// File, and its place under the prefix.
fn parts() -> Vec<(PathBuf, &'static str)> {
    vec![
        (release("gimlet"), "bin/gimlet"),
        (release("gimlet-cc"), "bin/gimlet-cc"),
        (release("gimlet-cxx"), "bin/gimlet-c++"),
        (release("libgimlet_pass.so"), "lib/gimlet/libgimlet_pass.so"),
        (release("libgimlet_runtime.a"), "lib/gimlet/libgimlet_runtime.a"),
        (release("libgimlet_memory.a"), "lib/gimlet/libgimlet_memory.a"),
        (root().join("crates/gimlet-cc/include/gimlet.h"), "lib/gimlet/include/gimlet.h"),
    ]
}

/// Builds and copies.
pub fn install(prefix: Option<&Path>) -> Result<bool> {
    let prefix = match prefix {
        Some(dir) => std::path::absolute(dir)?,
        None => Path::new(&std::env::var_os("HOME").context("HOME is not set: use --prefix")?).join(".local"),
    };
    setup::for_use()?;
    workspace::build_release()?;
    for (from, place) in parts() {
        copy(&from, &prefix.join(place))?;
    }
    println!("installed under {}", prefix.display());
    let bin = prefix.join("bin");
    let is_on_path = std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir == bin));
    if !is_on_path {
        println!("to use it: export PATH={}:$PATH", bin.display());
    }
    Ok(true)
}

/// Copies beside the place first, so that a running program keeps its own file.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let dir = to.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(dir).with_context(|| format!("can't make {}", dir.display()))?;
    let fresh = to.with_extension("new");
    std::fs::copy(from, &fresh).with_context(|| format!("can't copy {} to {}", from.display(), fresh.display()))?;
    std::fs::rename(&fresh, to).with_context(|| format!("can't write {}", to.display()))
}
