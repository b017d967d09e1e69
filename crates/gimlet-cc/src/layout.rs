//! Where the parts of Gimlet that a build needs are.
//!
//! Two layouts: all in one directory (Cargo's `target/release`, with the header
//! still in the source tree), or `bin/` and `lib/gimlet/` under one prefix.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, Context, Result};

const PASS: &str = "libgimlet_pass.so";
const RUNTIME: &str = "libgimlet_runtime.a";
const MEMORY: &str = "libgimlet_memory.a";
const HEADER: &str = "gimlet.h";
/// The header's directory in the source tree that this program was built from.
const SOURCE_INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");

/// The directories in which parts are looked for.
#[derive(Clone, Debug)]
pub struct Layout {
    bin_dir: PathBuf,
    lib_dir: PathBuf,
}

impl Layout {
    /// The layout that the running executable belongs to.
    pub fn of_this_program() -> Result<Layout> {
        let program = std::env::current_exe().context("can't tell where this program is")?;
        let bin_dir = program.parent().unwrap_or(Path::new("/")).to_path_buf();
        let lib_dir = bin_dir.parent().unwrap_or(Path::new("/")).join("lib/gimlet");
        Ok(Layout { bin_dir, lib_dir })
    }

    /// The clang plugin.
    pub fn pass(&self) -> Result<PathBuf> {
        self.part(PASS)
    }

    /// The runtime archive.
    pub fn runtime(&self) -> Result<PathBuf> {
        self.part(RUNTIME)
    }

    /// The runtime archive of the memory build.
    pub fn memory(&self) -> Result<PathBuf> {
        self.part(MEMORY)
    }

    /// The directory of `gimlet.h`, if there is one.
    pub fn include_dir(&self) -> Option<PathBuf> {
        [self.lib_dir.join("include"), PathBuf::from(SOURCE_INCLUDE)].into_iter().find(|dir| dir.join(HEADER).is_file())
    }

    fn part(&self, name: &str) -> Result<PathBuf> {
        let candidates = [self.bin_dir.join(name), self.lib_dir.join(name)];
        candidates.into_iter().find(|path| path.is_file()).ok_or_else(|| {
            anyhow!(
                "{name} is neither in {} nor in {}: run `cargo build --release`, or `cargo xtask install`",
                self.bin_dir.display(),
                self.lib_dir.display()
            )
        })
    }
}
