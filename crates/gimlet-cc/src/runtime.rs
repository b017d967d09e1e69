//! The runtimes as programs are linked with them.
//!
//! Cargo's archive also holds Rust's library for the compiler, which defines
//! functions of libm (`ceil`, `fmod`): a program without `-lm`, as `configure`
//! tries on purpose, would be linked with those. So these members are left out;
//! what the runtime needs of them is in the library of the C compiler as well.
//! The smaller archive is kept beside Cargo's, if that directory can be written to.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use object::read::archive::ArchiveFile;

use crate::tool::Toolchain;

/// Crate whose members are left out, and what the names of all other crates' members end with.
const FOREIGN: &str = "compiler_builtins";
const OURS: &str = ".rcgu.o";

/// The archive to link with in place of `whole`.
pub fn archive(toolchain: &Toolchain, whole: &Path, temp_dir: &Path) -> Result<PathBuf> {
    let stem = whole.file_stem().unwrap_or_default().to_string_lossy();
    let alone = format!("{stem}_alone.a");
    let kept = whole.with_file_name(&alone);
    if is_as_new(&kept, whole) {
        return Ok(kept);
    }
    let made = make(toolchain, whole, &alone, temp_dir).with_context(|| format!("can't use {}", whole.display()))?;
    let fresh = whole.with_file_name(format!("{alone}.{}", std::process::id()));
    let is_kept = std::fs::copy(&made, &fresh).and_then(|_| std::fs::rename(&fresh, &kept)).is_ok();
    if !is_kept {
        // It may not be there.
        let _ = std::fs::remove_file(&fresh);
    }
    Ok(if is_kept { kept } else { made })
}

fn is_as_new(kept: &Path, whole: &Path) -> bool {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    matches!((modified(kept), modified(whole)), (Some(kept), Some(whole)) if kept >= whole)
}

fn make(toolchain: &Toolchain, whole: &Path, alone: &str, temp_dir: &Path) -> Result<PathBuf> {
    let bytes = std::fs::read(whole)?;
    let mut files = Vec::new();
    for member in ArchiveFile::parse(&*bytes)?.members() {
        let member = member?;
        let name = String::from_utf8_lossy(member.name());
        if name.starts_with(FOREIGN) || !name.ends_with(OURS) {
            continue;
        }
        let file = temp_dir.join(format!("{alone}-{}.o", files.len()));
        std::fs::write(&file, member.data(&*bytes)?)?;
        files.push(file);
    }
    let archive = temp_dir.join(alone);
    toolchain.llvm("llvm-ar")?.arg("rcsD").arg(&archive).args(&files).run_quietly()?;
    Ok(archive)
}
