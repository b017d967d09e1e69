//! How an instrumented object carries its twins.
//!
//! Each kind of twin has an ELF section ([`Twin::section`]) with one record, or
//! several where `ld -r` has joined objects:
//!
//! ```text
//! offset 0  "GIMLETTW"
//!        8  u32  format version (little-endian, as the rest)
//!       12  u32  0
//!       16  u64  length of the twin
//!       24  the twin, an ELF object
//! ```
//!
//! The sections have the flag `SHF_EXCLUDE`: linkers leave them out of programs
//! and keep them in relocatable output.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use gimlet_trace::FORMAT_VERSION;

use crate::builds::Twin;
use crate::tool::Toolchain;

const MAGIC: [u8; 8] = *b"GIMLETTW";
const HEADER_LEN: usize = 24;

/// The record of a twin.
fn record(twin: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(HEADER_LEN + twin.len());
    record.extend_from_slice(&MAGIC);
    record.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    record.extend_from_slice(&0u32.to_le_bytes());
    record.extend_from_slice(&(twin.len() as u64).to_le_bytes());
    record.extend_from_slice(twin);
    record
}

/// The twins in the content of a section.
pub fn records(mut section: &[u8]) -> Result<Vec<&[u8]>> {
    let mut twins = Vec::new();
    while !section.is_empty() {
        ensure!(section.len() >= HEADER_LEN && section[..8] == MAGIC, "the section of its twins is corrupt");
        let word = |at: usize| u32::from_le_bytes([section[at], section[at + 1], section[at + 2], section[at + 3]]);
        let version = word(8);
        if version != FORMAT_VERSION {
            bail!("{}", other_version(version));
        }
        let len = u64::from(word(16)) | u64::from(word(20)) << 32;
        let rest = &section[HEADER_LEN..];
        ensure!(len <= rest.len() as u64, "the section of its twins is truncated");
        let (twin, next) = rest.split_at(len as usize);
        twins.push(twin);
        section = next;
    }
    Ok(twins)
}

/// What is wrong with an object of another version.
pub fn other_version(version: u32) -> String {
    format!("compiled by another version of gimlet-cc (format {version}, this is {FORMAT_VERSION}): compile it again")
}

/// Puts twins into `object`, in place of those that it may carry.
pub fn embed(toolchain: &Toolchain, object: &Path, twins: &[(Twin, PathBuf)], temp_dir: &Path) -> Result<()> {
    if twins.is_empty() {
        return Ok(());
    }
    let mut objcopy = toolchain.llvm("llvm-objcopy")?;
    for (twin, path) in twins {
        let section = twin.section();
        let content = temp_dir.join(format!("{}.section", twin.name()));
        std::fs::write(&content, record(&read(path)?)).context("can't write a temporary file")?;
        objcopy.arg("--remove-section").arg(section);
        objcopy.arg("--add-section").arg(format!("{section}={}", content.display()));
        objcopy.arg("--set-section-flags").arg(format!("{section}=exclude,readonly"));
    }
    objcopy.arg(object).run_quietly()
}

/// Appends twins to a file of assembler text, as directives.
pub fn embed_in_assembly(assembly: &Path, twins: &[(Twin, PathBuf)]) -> Result<()> {
    use std::fmt::Write;
    let mut text = String::new();
    for (twin, path) in twins {
        writeln!(text, "\n\t.section\t{},\"e\",@progbits", twin.section())?;
        for line in record(&read(path)?).chunks(32) {
            let bytes: Vec<String> = line.iter().map(|byte| byte.to_string()).collect();
            writeln!(text, "\t.byte\t{}", bytes.join(","))?;
        }
    }
    let mut file = std::fs::OpenOptions::new().append(true).open(assembly)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).with_context(|| format!("can't write {}", assembly.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("can't read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_can_be_joined() {
        let mut joined = record(b"one");
        joined.extend(record(b""));
        joined.extend(record(b"three"));
        assert_eq!(records(&joined).unwrap(), [&b"one"[..], b"", b"three"]);
        assert!(records(b"").unwrap().is_empty());
    }

    #[test]
    fn bad_records_are_errors() {
        let good = record(b"twin");
        for len in 1..good.len() {
            assert!(records(&good[..len]).is_err(), "{len}");
        }
        let mut other = good;
        other[8] ^= 0x40;
        assert!(records(&other).unwrap_err().to_string().contains("another version"));
    }
}
