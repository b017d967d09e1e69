//! Plain twins: how an instrumented object carries its plainly compiled one.
//!
//! The ELF section [`SECTION`] holds one record, or several where `ld -r` has
//! joined objects:
//!
//! ```text
//! offset 0  "GIMLETTW"
//!        8  u32  format version (little-endian, as the rest)
//!       12  u32  0
//!       16  u64  length of the twin
//!       24  the twin, an ELF object
//! ```
//!
//! The section has the flag `SHF_EXCLUDE`: linkers leave it out of programs and
//! keep it in relocatable output.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use gimlet_trace::{abi, FORMAT_VERSION};
use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectSection, ObjectSymbol};

use crate::tool::Toolchain;

/// The section that holds twins.
pub const SECTION: &str = ".gimlet.plain";
const MAGIC: [u8; 8] = *b"GIMLETTW";
const HEADER_LEN: usize = 24;

/// What stands for a linker input in the plain link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plain {
    /// The input itself: it is not ours.
    Itself,
    /// These files.
    Twins(Vec<PathBuf>),
    /// Nothing can: the input is instrumented and has no twin.
    Missing,
}

/// The record of a twin.
pub fn record(twin: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(HEADER_LEN + twin.len());
    record.extend_from_slice(&MAGIC);
    record.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    record.extend_from_slice(&0u32.to_le_bytes());
    record.extend_from_slice(&(twin.len() as u64).to_le_bytes());
    record.extend_from_slice(twin);
    record
}

/// The twins in the content of a section.
fn records(mut section: &[u8]) -> Result<Vec<&[u8]>> {
    let mut twins = Vec::new();
    while !section.is_empty() {
        ensure!(section.len() >= HEADER_LEN && section[..8] == MAGIC, "section {SECTION} is corrupt");
        let word = |at: usize| u32::from_le_bytes([section[at], section[at + 1], section[at + 2], section[at + 3]]);
        let version = word(8);
        if version != FORMAT_VERSION {
            bail!("compiled by another version of gimlet-cc (format {version}, this is {FORMAT_VERSION}): compile it again");
        }
        let len = u64::from(word(16)) | u64::from(word(20)) << 32;
        let rest = &section[HEADER_LEN..];
        ensure!(len <= rest.len() as u64, "section {SECTION} is truncated");
        let (twin, next) = rest.split_at(len as usize);
        twins.push(twin);
        section = next;
    }
    Ok(twins)
}

/// Puts `twin` into `object`, in place of what it may carry.
pub fn embed(toolchain: &Toolchain, object: &Path, twin: &Path, temp_dir: &Path) -> Result<()> {
    let twin = std::fs::read(twin).with_context(|| format!("can't read {}", twin.display()))?;
    let content = temp_dir.join("twin.section");
    std::fs::write(&content, record(&twin)).context("can't write a temporary file")?;
    let added = format!("{SECTION}={}", content.display());
    let mut objcopy = toolchain.llvm("llvm-objcopy")?;
    objcopy.args(&["--remove-section", SECTION]);
    objcopy.arg("--add-section").arg(added);
    objcopy.arg("--set-section-flags").arg(format!("{SECTION}=exclude,readonly"));
    objcopy.arg(object).run_quietly()
}

/// Appends `twin` to a file of assembler text, as directives.
pub fn embed_in_assembly(assembly: &Path, twin: &Path) -> Result<()> {
    use std::fmt::Write;
    let record = record(&std::fs::read(twin).with_context(|| format!("can't read {}", twin.display()))?);
    let mut text = format!("\n\t.section\t{SECTION},\"e\",@progbits\n");
    for line in record.chunks(32) {
        let bytes: Vec<String> = line.iter().map(|byte| byte.to_string()).collect();
        writeln!(text, "\t.byte\t{}", bytes.join(","))?;
    }
    let mut file = std::fs::OpenOptions::new().append(true).open(assembly)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).with_context(|| format!("can't write {}", assembly.display()))
}

/// Writes twins to files and remembers how many there are.
pub struct Extractor<'a> {
    toolchain: &'a Toolchain,
    dir: PathBuf,
    n_files: usize,
    /// Some twin uses a function of the plain support, or needs its `main`.
    pub needs_support: bool,
    /// Some input has a fuzz target, some has a `main`.
    has_fuzz_target: bool,
    has_main: bool,
}

impl<'a> Extractor<'a> {
    pub fn new(toolchain: &'a Toolchain, dir: PathBuf) -> Extractor<'a> {
        Extractor { toolchain, dir, n_files: 0, needs_support: false, has_fuzz_target: false, has_main: false }
    }

    /// True if what was seen so far is a fuzz target that somebody else's `main` has to call.
    pub fn lacks_main(&self) -> bool {
        self.has_fuzz_target && !self.has_main
    }

    /// What stands for the linker input `path`. Files that can't be read are the linker's business.
    pub fn plain(&mut self, path: &Path) -> Result<Plain> {
        let Ok(bytes) = std::fs::read(path) else { return Ok(Plain::Itself) };
        let plain = if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
            self.plain_archive(path, &bytes)
        } else {
            self.plain_object(&bytes)
        };
        plain.with_context(|| format!("{}", path.display()))
    }

    fn plain_object(&mut self, bytes: &[u8]) -> Result<Plain> {
        let Ok(object) = File::parse(bytes) else { return Ok(Plain::Itself) };
        self.has_fuzz_target |= defines(&object, FUZZ_TARGET);
        self.has_main |= defines(&object, "main");
        let Some(section) = object.section_by_name(SECTION) else {
            self.needs_support |= uses_support(&object);
            let is_ours = object.section_by_name(abi::MODULES_SECTION).is_some();
            return Ok(if is_ours { Plain::Missing } else { Plain::Itself });
        };
        let mut paths = Vec::new();
        for twin in records(section.data()?)? {
            self.needs_support |= File::parse(twin).is_ok_and(|twin| uses_support(&twin));
            paths.push(self.write(twin)?);
        }
        Ok(Plain::Twins(paths))
    }

    fn plain_archive(&mut self, path: &Path, bytes: &[u8]) -> Result<Plain> {
        let Ok(members) = members(path, bytes) else { return Ok(Plain::Itself) };
        let has_twin =
            |member: &[u8]| File::parse(member).is_ok_and(|object| object.section_by_name(SECTION).is_some());
        let has_twins = members.iter().any(|member| has_twin(member));
        let mut files = Vec::new();
        for member in &members {
            match self.plain_object(member)? {
                Plain::Itself if has_twins => files.push(self.write(member)?),
                Plain::Itself => {}
                Plain::Twins(paths) => files.extend(paths),
                Plain::Missing => return Ok(Plain::Missing),
            }
        }
        if !has_twins {
            return Ok(Plain::Itself);
        }
        Ok(Plain::Twins(vec![self.archive(&files)?]))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<PathBuf> {
        self.n_files += 1;
        let path = self.dir.join(format!("{}.o", self.n_files));
        std::fs::write(&path, bytes).context("can't write a twin")?;
        Ok(path)
    }

    fn archive(&mut self, members: &[PathBuf]) -> Result<PathBuf> {
        self.n_files += 1;
        let path = self.dir.join(format!("{}.a", self.n_files));
        archive(self.toolchain, &path, members)?;
        Ok(path)
    }
}

/// The content of an archive's members; a thin archive has names of files only.
fn members<'data>(path: &Path, bytes: &'data [u8]) -> Result<Vec<Cow<'data, [u8]>>> {
    let archive = ArchiveFile::parse(bytes)?;
    let dir = path.parent().unwrap_or(Path::new(""));
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member?;
        members.push(if archive.is_thin() {
            Cow::Owned(std::fs::read(dir.join(OsStr::from_bytes(member.name())))?)
        } else {
            Cow::Borrowed(member.data(bytes)?)
        });
    }
    Ok(members)
}

/// Makes an archive with a symbol table.
pub fn archive(toolchain: &Toolchain, path: &Path, members: &[PathBuf]) -> Result<()> {
    toolchain.llvm("llvm-ar")?.arg("rcsD").arg(path).args(members).run_quietly()
}

/// The function that a fuzz target consists of.
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

fn defines(object: &File, name: &str) -> bool {
    object.symbols().any(|symbol| symbol.is_definition() && symbol.name() == Ok(name))
}

/// Whether the object uses what `plain_support.c` defines.
fn uses_support(object: &File) -> bool {
    object.symbols().filter_map(|symbol| Some((symbol.name().ok()?, symbol.is_undefined()))).any(
        |(name, is_undefined)| {
            let is_support = ["gimlet_", "klee_", "__VERIFIER_"].iter().any(|prefix| name.starts_with(prefix));
            is_undefined && (is_support || name == "reach_error") || name == FUZZ_TARGET
        },
    )
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
