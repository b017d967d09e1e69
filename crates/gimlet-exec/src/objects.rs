//! The shared objects that a program loads, and which of them are not instrumented.
//!
//! Who lost an input is found by names: a call without a model has a callee, which
//! one of the objects exports; input that no model saw read was read by an object
//! that imports a function to read with. The C library is no answer to either: its
//! functions have models, or are named themselves.
//!
//! The list is the loader's own (`ld.so --list`), for the environment that the
//! program will have. It runs no code of the program.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gimlet_trace::builds::Twin;
use gimlet_trace::event::{LostReason, Tally, TallyKind};
use gimlet_trace::Trace;
use object::{Object, ObjectSection, ObjectSymbol};

use crate::image::beside;

/// What an instrumented object wants of the program.
const NEEDED: &str = "gimlet_rt_register";
/// Objects of the C library, and what compilers add. Models stand before the functions of the former.
const LIBRARY: [&str; 9] = [
    "ld-linux",
    "libc.so",
    "libm.so",
    "libdl.so",
    "libpthread.so",
    "librt.so",
    "libutil.so",
    "libgcc_s.so",
    "linux-vdso",
];
/// What reads input, or opens it.
const READING: [&str; 17] = [
    "open",
    "open64",
    "openat",
    "read",
    "pread",
    "readv",
    "mmap",
    "fopen",
    "fopen64",
    "fread",
    "fgets",
    "getc",
    "fgetc",
    "getline",
    "__read_chk",
    "recv",
    "__fread_chk",
];
/// Folders beside a program, and beside those that it is in, in which builds put libraries.
const BESIDE: [&str; 7] = ["", ".libs", "lib", "lib/.libs", "src", "src/.libs", "lib64"];
/// How far up.
const N_PARENTS: usize = 4;
/// Between the name of an object and what was lost there.
const FOREIGN: &str = " is not instrumented: ";

/// A shared object that is not instrumented.
#[derive(Clone, Debug)]
struct Foreign {
    /// The name that the program asks for.
    name: String,
    path: PathBuf,
    exports: HashSet<String>,
    reads: bool,
    /// The folder of an instrumented object of this name.
    near: Option<PathBuf>,
}

/// The shared objects of a program that are not instrumented, without the C library's.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    foreign: Vec<Foreign>,
}

impl Objects {
    /// Asks the loader. What it can't load is the program's problem, not ours.
    pub fn of(program: &Path) -> Objects {
        let Some(listed) = list(program) else { return Objects::default() };
        let folders = folders(program);
        let foreign = listed.into_iter().filter_map(|(name, path)| {
            let bytes = fs::read(&path).ok()?;
            let file = object::File::parse(&*bytes).ok()?;
            if is_instrumented(&file) || LIBRARY.iter().any(|library| name.starts_with(library)) {
                return None;
            }
            let near = folders.iter().find(|folder| is_instrumented_file(&folder.join(&name))).cloned();
            let names = |is_import: bool| {
                let symbols = file.dynamic_symbols().filter(move |symbol| symbol.is_undefined() == is_import);
                symbols.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect::<HashSet<_>>()
            };
            let imports = names(true);
            let reads = READING.iter().any(|&reading| imports.contains(reading)) || name.starts_with("libstdc++");
            Some(Foreign { name, path, exports: names(false), reads, near })
        });
        Objects { foreign: foreign.collect() }
    }

    /// The object that exports a function.
    pub fn of_function(&self, function: &str) -> Option<&str> {
        self.foreign.iter().find(|object| object.exports.contains(function)).map(|object| object.name.as_str())
    }

    /// The objects that could have read input, as text; empty if there are none.
    pub fn readers(&self) -> String {
        let names: Vec<&str> = self.foreign.iter().filter(|object| object.reads).map(|object| &*object.name).collect();
        names.join(" or ")
    }

    /// What an object without instrumentation did not follow, in the words of [`loss_line`]; `None` for other losses.
    pub fn lost(&self, trace: &Trace, tally: &Tally) -> Option<String> {
        let (name, what) = match TallyKind::from_code(tally.kind)? {
            TallyKind::Lost if tally.reason == LostReason::NativeRead as u16 => (self.readers(), "reads"),
            TallyKind::Unmodelled => {
                let callee = trace.site(tally.site)?.callee.as_ref()?;
                (self.of_function(callee)?.to_owned(), "calls with input")
            }
            _ => return None,
        };
        (!name.is_empty()).then(|| format!("{name}{FOREIGN}{what} were not followed"))
    }

    /// What to do about objects of which there is a build with instrumentation that the program does not load.
    pub fn advice(&self) -> Vec<String> {
        let missed = self.foreign.iter().filter_map(|object| Some((object, object.near.as_ref()?)));
        let line = |(object, near): (&Foreign, &PathBuf)| {
            format!(
                "{} is not instrumented: the program loads {}. There is a build by gimlet-cc, which \
                 LD_LIBRARY_PATH={} makes it load",
                object.name,
                object.path.display(),
                quoted(near)
            )
        };
        missed.map(line).collect()
    }
}

/// A loss and how often it was, as a sentence.
pub fn loss_line(what: &str, count: u64) -> String {
    match what.split_once(FOREIGN) {
        Some((name, what)) => format!("{name}{FOREIGN}{count} {what}"),
        None => format!("lost {count} times: {what}"),
    }
}

/// As a word for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    shlex::try_quote(&text).map_or_else(|_| text.clone(), Cow::into_owned)
}

/// Names and paths of the objects that the loader would load; `None` for a static program.
fn list(program: &Path) -> Option<Vec<(String, PathBuf)>> {
    let loader = loader_of(program)?;
    let output = Command::new(loader).arg("--list").arg(program).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let said = String::from_utf8_lossy(&output.ok()?.stdout).into_owned();
    Some(said.lines().filter_map(listed).collect())
}

/// `NAME => PATH (ADDRESS)`, or `PATH (ADDRESS)`.
fn listed(line: &str) -> Option<(String, PathBuf)> {
    let (line, _) = line.trim().rsplit_once(" (0x")?;
    match line.split_once(" => ") {
        Some((name, path)) => Some((name.rsplit('/').next()?.to_owned(), path.into())),
        None => Some((line.rsplit('/').next()?.to_owned(), line.into())),
    }
}

/// The program's interpreter, which has to be the system's.
fn loader_of(program: &Path) -> Option<PathBuf> {
    let bytes = fs::read(program).ok()?;
    let file = object::read::elf::ElfFile64::<object::Endianness>::parse(&*bytes).ok()?;
    let content = file.section_by_name(".interp")?;
    let content = content.data().ok()?;
    let path = PathBuf::from(std::str::from_utf8(content.strip_suffix(&[0])?).ok()?);
    let is_system = path.starts_with("/lib64") || path.starts_with("/lib") || path.starts_with("/usr/lib");
    is_system.then_some(path)
}

/// Where a build of a library may be: the folders of the objects that the program was linked with, which its twins know,
/// and those around it.
fn folders(program: &Path) -> Vec<PathBuf> {
    let plain = beside(program, Twin::Plain);
    let mut folders = run_paths(&plain);
    for parent in program.ancestors().skip(1).take(N_PARENTS) {
        folders.extend(BESIDE.iter().map(|beside| if beside.is_empty() { parent.into() } else { parent.join(beside) }));
    }
    folders
}

/// The folders in which the loader looks for the objects of a program, as the program has them.
fn run_paths(program: &Path) -> Vec<PathBuf> {
    use object::elf::{DT_RPATH, DT_RUNPATH};
    use object::read::elf::{Dyn, FileHeader};
    let found = || -> Option<Vec<PathBuf>> {
        let bytes = fs::read(program).ok()?;
        let header = object::elf::FileHeader64::<object::Endianness>::parse(&*bytes).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, &*bytes).ok()?;
        let (entries, link) = sections.dynamic(endian, &*bytes).ok()??;
        let strings = sections.strings(endian, &*bytes, link).ok()?;
        let is_path = |tag| tag == DT_RPATH || tag == DT_RUNPATH;
        let mut paths = Vec::new();
        for entry in entries.iter().filter(|entry| is_path(entry.d_tag(endian))) {
            let text = strings.get(u32::try_from(entry.d_val(endian)).ok()?).ok()?;
            let text = std::str::from_utf8(text).ok()?;
            paths.extend(text.split(':').filter(|path| path.starts_with('/')).map(PathBuf::from));
        }
        Some(paths)
    };
    found().unwrap_or_default()
}

fn is_instrumented_file(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| object::File::parse(&*bytes).is_ok_and(|file| is_instrumented(&file)))
}

fn is_instrumented(file: &object::File) -> bool {
    file.dynamic_symbols().any(|symbol| symbol.name() == Ok(NEEDED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_loader() {
        let found = |line| listed(line).map(|(name, path)| (name, path.display().to_string()));
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(found("\tlibz.so.1 => /lib/x/libz.so.1 (0x00007f)"), pair("libz.so.1", "/lib/x/libz.so.1"));
        assert_eq!(found("\t/opt/x/libq.so (0x00007f)"), pair("libq.so", "/opt/x/libq.so"));
        assert_eq!(found("\tlibq.so => not found"), None);
    }

    #[test]
    fn losses_as_sentences() {
        let what = format!("libq.so{FOREIGN}reads were not followed");
        assert_eq!(loss_line(&what, 212), "libq.so is not instrumented: 212 reads were not followed");
        assert_eq!(loss_line("long double at a.c:1", 2), "lost 2 times: long double at a.c:1");
    }

    #[test]
    fn paths_as_words() {
        assert_eq!(quoted(Path::new("/a/b-1.0")), "/a/b-1.0");
        assert_eq!(quoted(Path::new("/a b/it's")), "\"/a b/it's\"");
    }
}
