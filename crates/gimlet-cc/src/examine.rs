//! What the inputs of a link are, and what stands for each in the link of a twin.
//!
//! An instrumented object is recognised by the section of its module
//! descriptor. Its twins are inside it, those of a shared object are files
//! beside it. Objects of other compilers stand for themselves.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use gimlet_trace::site::{self, SITES_SECTION};
use gimlet_trace::{abi, TraceError};
use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectKind, ObjectSection, ObjectSymbol};

use crate::builds::{self, Twin};
use crate::tool::Toolchain;
use crate::twin::{other_version, records};

/// The entry point of the runtime that every program has.
pub const RUNTIME_ROOT: &str = "gimlet_rt_register";
/// The function that a fuzz target consists of.
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

/// What `support/sources.c` can stand before.
const WRAPPED: &[&str] = &[
    "open",
    "open64",
    "openat",
    "openat64",
    "fopen",
    "fopen64",
    "freopen",
    "freopen64",
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "fstatat",
    "fstatat64",
    "access",
    "faccessat",
    "bind",
    "listen",
    "accept",
    "accept4",
    "connect",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "write",
    "send",
    "sendto",
    "writev",
    "sendmsg",
    "setsockopt",
    "getsockopt",
    "getpeername",
    "getsockname",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "epoll_wait",
    "epoll_pwait",
];
/// What a program with sockets calls.
const SOCKET: &str = "socket";
/// What `support/loader.c` stands before.
const DLOPEN: &str = "dlopen";

/// What stands for a linker input in the link of a twin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Substitute {
    /// The input itself: it is not ours.
    Itself,
    /// These files.
    Files(Vec<PathBuf>),
    /// This shared object.
    Shared(PathBuf),
    /// Nothing can: the input is instrumented and has no such twin.
    Missing,
}

/// Who made a linker input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Instrumented,
    Foreign,
    /// Unreadable, a linker script, an empty archive: the linker's business.
    Unknown,
}

/// A linker input that was looked at.
#[derive(Clone, Debug)]
pub struct Examined {
    pub origin: Origin,
    /// One for each kind of twin that is linked, in order.
    pub substitutes: Vec<Substitute>,
}

/// Looks at linker inputs; writes the twins in them to files.
pub struct Examiner<'a> {
    toolchain: &'a Toolchain,
    twins: &'a [Twin],
    dir: &'a Path,
    n_files: usize,
    /// Some input has a fuzz target, some has a `main`.
    has_fuzz_target: bool,
    has_main: bool,
    /// What of [`WRAPPED`] objects call, and what they define.
    called: BTreeSet<&'static str>,
    defined: BTreeSet<&'static str>,
    /// Library functions that the runtime calls: those that objects without instrumentation define, those that members of
    /// archives do, and those that somebody calls.
    library: BTreeSet<String>,
    foreign: BTreeSet<String>,
    foreign_members: BTreeSet<String>,
    wanted: BTreeSet<String>,
}

impl<'a> Examiner<'a> {
    /// Files go to `dir`. `library` are the functions that the runtime calls.
    pub fn new(toolchain: &'a Toolchain, twins: &'a [Twin], dir: &'a Path, library: BTreeSet<String>) -> Examiner<'a> {
        Examiner {
            toolchain,
            twins,
            dir,
            n_files: 0,
            has_fuzz_target: false,
            has_main: false,
            called: BTreeSet::new(),
            defined: BTreeSet::new(),
            library,
            foreign: BTreeSet::new(),
            foreign_members: BTreeSet::new(),
            wanted: BTreeSet::new(),
        }
    }

    /// Library functions that inputs without instrumentation define for this program: those of objects, and those of
    /// archives that something calls.
    pub fn foreign(&self) -> BTreeSet<String> {
        let called = self.foreign_members.intersection(&self.wanted);
        self.foreign.iter().chain(called).cloned().collect()
    }

    /// True if the calls of `dlopen` are the library's.
    pub fn wraps_dlopen(&self) -> bool {
        !self.defined.contains(DLOPEN)
    }

    /// Notes which of the library's functions an object calls, and which it defines, if it is not instrumented.
    fn note_library(&mut self, object: &File, is_foreign: bool, is_member: bool) {
        for symbol in object.symbols() {
            let name = symbol.name().unwrap_or_default();
            if !symbol.is_global() || !self.library.contains(name) {
                continue;
            }
            if symbol.is_undefined() {
                self.wanted.insert(name.to_owned());
            } else if is_foreign {
                let names = if is_member { &mut self.foreign_members } else { &mut self.foreign };
                names.insert(name.to_owned());
            }
        }
    }

    /// Library functions that twins call through `support/sources.c`. A program that opens no file by its path and has no
    /// socket needs none; a function that the program defines itself is its own affair.
    pub fn wrapped(&self) -> Vec<&'static str> {
        if !self.called.iter().any(|name| name.contains("open") || *name == SOCKET) {
            return Vec::new();
        }
        self.called.difference(&self.defined).copied().filter(|name| *name != SOCKET).collect()
    }

    fn note_wrapped(&mut self, object: &File) {
        for symbol in object.symbols() {
            let name = symbol.name().unwrap_or_default();
            let Some(&name) = WRAPPED.iter().chain([&SOCKET, &DLOPEN]).find(|wrapped| **wrapped == name) else {
                continue;
            };
            if symbol.is_undefined() {
                if name != DLOPEN {
                    self.called.insert(name);
                }
            } else if symbol.is_global() {
                self.defined.insert(name);
            }
        }
    }

    /// True if what was seen so far is a fuzz target that somebody else's `main` has to call.
    pub fn lacks_main(&self) -> bool {
        self.has_fuzz_target && !self.has_main
    }

    /// Looks at the file `path`. An error is one that makes the link useless.
    pub fn examine(&mut self, path: &Path) -> Result<Examined> {
        let Ok(bytes) = std::fs::read(path) else { return Ok(self.itself(Origin::Unknown)) };
        let examined = if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
            self.archive(path, &bytes)
        } else {
            self.object(path, &bytes, false)
        };
        examined.with_context(|| path.display().to_string())
    }

    fn itself(&self, origin: Origin) -> Examined {
        Examined { origin, substitutes: vec![Substitute::Itself; self.twins.len()] }
    }

    fn object(&mut self, path: &Path, bytes: &[u8], is_member: bool) -> Result<Examined> {
        let Ok(object) = File::parse(bytes) else {
            let is_bitcode = bytes.starts_with(b"BC\xc0\xde");
            return Ok(self.itself(if is_bitcode { Origin::Foreign } else { Origin::Unknown }));
        };
        self.has_fuzz_target |= defines(&object, FUZZ_TARGET);
        self.has_main |= defines(&object, "main");
        ensure!(
            !defines(&object, RUNTIME_ROOT),
            "has a copy of Gimlet's runtime: a program has one, which gimlet-cc adds when it links the executable"
        );
        if object.section_by_name(abi::MODULES_SECTION).is_none() {
            if object.kind() == ObjectKind::Relocatable {
                self.note_wrapped(&object);
                self.note_library(&object, true, is_member);
            }
            return Ok(self.itself(Origin::Foreign));
        }
        check_version(&object)?;
        self.note_library(&object, false, is_member);
        let twins = self.twins.iter();
        let substitutes = if object.kind() == ObjectKind::Dynamic {
            twins.map(|twin| shared_twin(path, *twin)).collect()
        } else {
            twins.map(|twin| self.carried_twins(&object, *twin)).collect::<Result<_>>()?
        };
        Ok(Examined { origin: Origin::Instrumented, substitutes })
    }

    fn carried_twins(&mut self, object: &File, twin: Twin) -> Result<Substitute> {
        let Some(section) = object.section_by_name(twin.section()) else { return Ok(Substitute::Missing) };
        let twins = records(section.data()?)?;
        twins.iter().filter_map(|twin| File::parse(*twin).ok()).for_each(|twin| self.note_wrapped(&twin));
        Ok(Substitute::Files(twins.into_iter().map(|twin| self.write(twin)).collect::<Result<_>>()?))
    }

    fn archive(&mut self, path: &Path, bytes: &[u8]) -> Result<Examined> {
        let Ok(members) = members(path, bytes) else { return Ok(self.itself(Origin::Unknown)) };
        let mut examined = Vec::new();
        for (name, content) in &members {
            let member = self.object(path, content, true).with_context(|| format!("member {name}"))?;
            examined.push((member, content));
        }
        let has = |origin: Origin| examined.iter().any(|(member, _)| member.origin == origin);
        if !has(Origin::Instrumented) {
            return Ok(self.itself(if has(Origin::Foreign) { Origin::Foreign } else { Origin::Unknown }));
        }
        let substitutes = (0..self.twins.len()).map(|index| self.archive_of(&examined, index));
        Ok(Examined { origin: Origin::Instrumented, substitutes: substitutes.collect::<Result<_>>()? })
    }

    /// An archive with what stands for the members in the link of one twin.
    fn archive_of(&mut self, members: &[(Examined, &Cow<[u8]>)], twin_index: usize) -> Result<Substitute> {
        let mut files = Vec::new();
        for (member, content) in members {
            match &member.substitutes[twin_index] {
                Substitute::Itself => files.push(self.write(content)?),
                Substitute::Files(paths) => files.extend(paths.iter().cloned()),
                Substitute::Shared(_) | Substitute::Missing => return Ok(Substitute::Missing),
            }
        }
        let archive = self.fresh("a");
        self.toolchain.llvm("llvm-ar")?.arg("rcsD").arg(&archive).args(&files).run_quietly()?;
        Ok(Substitute::Files(vec![archive]))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.fresh("o");
        std::fs::write(&path, bytes).context("can't write a twin")?;
        Ok(path)
    }

    fn fresh(&mut self, extension: &str) -> PathBuf {
        self.n_files += 1;
        self.dir.join(format!("{}.{extension}", self.n_files))
    }
}

/// The twin of a shared object: beside it, or beside what a symbolic link names.
fn shared_twin(path: &Path, twin: Twin) -> Substitute {
    let resolved = path.canonicalize().ok();
    let candidates = [Some(path.to_path_buf()), resolved].into_iter().flatten().map(|path| builds::beside(twin, &path));
    candidates.into_iter().find(|path| path.is_file()).map_or(Substitute::Missing, Substitute::Shared)
}

/// Name and content of an archive's members; a thin archive has names of files only.
fn members<'data>(path: &Path, bytes: &'data [u8]) -> Result<Vec<(String, Cow<'data, [u8]>)>> {
    let archive = ArchiveFile::parse(bytes)?;
    let dir = path.parent().unwrap_or(Path::new(""));
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member?;
        let content = if archive.is_thin() {
            Cow::Owned(std::fs::read(dir.join(OsStr::from_bytes(member.name())))?)
        } else {
            Cow::Borrowed(member.data(bytes)?)
        };
        members.push((String::from_utf8_lossy(member.name()).into_owned(), content));
    }
    Ok(members)
}

fn defines(object: &File, name: &str) -> bool {
    let is_it = |symbol: object::Symbol| symbol.is_definition() && symbol.name() == Ok(name);
    object.symbols().any(is_it) || object.dynamic_symbols().any(is_it)
}

/// The site tables say by which version they were written.
fn check_version(object: &File) -> Result<()> {
    let Some(section) = object.section_by_name(SITES_SECTION) else { return Ok(()) };
    match site::check_versions(section.data()?) {
        Err(TraceError::Version { found }) => anyhow::bail!("{}", other_version(found)),
        other => Ok(other?),
    }
}
