//! From objects to PROG and its twins.
//!
//! The runtime is linked once, into the executable, and exports its symbols, so
//! that instrumented shared objects find it there; they leave them undefined.
//! The link of a twin is the same command with every input replaced by its twin,
//! at the same time. If only a twin's link fails, PROG is kept: that is a fault
//! of ours, not of the program.
//!
//! # Shared objects
//!
//! `libfoo.so.1.2` gets `libfoo.so.1.2.plain` beside it, with the soname
//! `libfoo.so.1.plain`, under which there is a symbolic link: what libtool, CMake
//! and the loader do with the one works with the other. A program that is linked
//! with the instrumented object has a twin that is linked with the plain one, and
//! knows its directory (`DT_RUNPATH`, after the user's own), so that it runs where
//! it was built without a wrapper script. Plugins that the twin itself loads are
//! replaced by theirs at run time (`support/loader.c`); those that a library of
//! another compiler loads for it are not.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, Context, Result};

use crate::builds::{self, Build, Twin};
use crate::command::{CommandLine, Flag, InputKind, Item, Linkage, Role};
use crate::compile::{library, push_flag, push_quietly, Compiler};
use crate::examine::{Examiner, Origin, Substitute, RUNTIME_ROOT};
use crate::interrupt::{TempDir, Unfinished};
use crate::runtime;
use crate::search::LibrarySearch;
use crate::tool::{Quiet, Toolchain};
use crate::twin;

/// The runtime's `main` for programs that are only a fuzz target.
const FUZZ_MAIN: &str = "gimlet_fuzz_main";
/// Everything that instrumented code can refer to.
const RUNTIME_SYMBOLS: &str = "gimlet_*";
/// The functions that the memory build has instead of the library's.
const ALLOCATOR: [&str; 10] = [
    "malloc",
    "free",
    "calloc",
    "realloc",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "malloc_usable_size",
];
/// Libraries below these come with the system, and nobody expects them to be instrumented.
const SYSTEM_DIRS: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
/// More names than these are shown only with -v.
const NAMES_MAX: usize = 5;

/// Compiles what is to be compiled, links, and links the twins.
pub fn link(toolchain: &Toolchain, command: &CommandLine) -> Result<u8> {
    let mut compiler = Compiler::new(toolchain, command)?;
    let mut objects = Vec::new();
    let mut first_failure = 0;
    for input in command.sources() {
        let (status, object) = compiler.compile_for_link(input)?;
        first_failure = if first_failure == 0 { status } else { first_failure };
        objects.push(object);
    }
    if first_failure != 0 {
        return Ok(first_failure);
    }
    if let Some(lto) = &command.lto {
        toolchain.warn(&format!("{lto} is left out: instrumentation and twins need objects of machine code"));
    }
    let output = command.output.clone().unwrap_or_else(|| "a.out".into());
    let twins = if output.starts_with("/dev") { Vec::new() } else { command.choice.twins() };
    let temp_dir = TempDir::new()?;
    Linker { toolchain, command, objects, output, twins, temp_dir: temp_dir.path() }.link()
}

struct Linker<'a> {
    toolchain: &'a Toolchain,
    command: &'a CommandLine,
    /// What the sources were compiled to, in order.
    objects: Vec<PathBuf>,
    output: PathBuf,
    twins: Vec<Twin>,
    temp_dir: &'a Path,
}

/// A word of the link that may differ between the builds.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Word {
    Flag(Flag),
    File(PathBuf),
    /// A file that was named inside `-Wl,`.
    LinkerFile(PathBuf),
    Library(OsString),
}

/// The link of a twin.
struct TwinLink {
    twin: Twin,
    words: Vec<Word>,
    /// Directories of the shared objects that it is linked with.
    run_dirs: Vec<PathBuf>,
    /// An input that has no such twin.
    missing: Option<PathBuf>,
    /// Library functions that it calls through its support.
    wrapped: Vec<&'static str>,
    /// Those that inputs without instrumentation define.
    foreign: BTreeSet<String>,
}

impl TwinLink {
    /// Adds what stands for `word`, which names the file `path`.
    fn add(&mut self, word: &Word, path: &Path, substitute: &Substitute) {
        let renamed = |path: &PathBuf| match word {
            Word::LinkerFile(_) => Word::LinkerFile(path.clone()),
            _ => Word::File(path.clone()),
        };
        match substitute {
            Substitute::Itself => self.words.push(word.clone()),
            Substitute::Files(paths) => self.words.extend(paths.iter().map(renamed)),
            Substitute::Shared(shared) => {
                self.words.push(renamed(shared));
                let dir = shared.canonicalize().ok().and_then(|shared| Some(shared.parent()?.to_path_buf()));
                self.run_dirs.extend(dir);
            }
            Substitute::Missing => {
                self.missing.get_or_insert_with(|| path.into());
            }
        }
    }
}

/// What is to be linked.
struct Plan {
    twins: Vec<TwinLink>,
    lacks_main: bool,
    /// Library functions that inputs without instrumentation define.
    foreign: BTreeSet<String>,
}

impl Linker<'_> {
    /// What is wrong with an input is said before PROG is there, because it may make it useless.
    fn link(&self) -> Result<u8> {
        let plan = self.plan()?;
        let mut args = self.args(&self.words(), Build::Instrumented, &self.output);
        match self.command.linkage {
            Linkage::Executable => {
                let archive = self.runtime()?;
                args.extend(runtime::foreign_flags(&archive, &plan.foreign)?);
                args.push(archive.into());
                args.push(format!("-Wl,-u,{RUNTIME_ROOT}").into());
                if plan.lacks_main {
                    args.push(format!("-Wl,--defsym=main={FUZZ_MAIN}").into());
                }
                args.extend(self.export_flag());
            }
            // The symbols of the runtime stay undefined, whatever the user asked for.
            Linkage::Shared => args.push("-Wl,-z,undefs".into()),
            Linkage::Relocatable => {}
        }
        let (status, made) = self.run(&plan, &args)?;
        if status == 0 && self.command.linkage != Linkage::Relocatable {
            self.remove_stale();
        }
        match self.command.linkage {
            Linkage::Relocatable => self.embed(&made),
            Linkage::Shared => made.iter().for_each(|(twin, path)| self.link_soname(*twin, path)),
            Linkage::Executable => {}
        }
        Ok(status)
    }

    /// Looks at all inputs.
    fn plan(&self) -> Result<Plan> {
        let all = self.words();
        let library = match self.command.linkage {
            Linkage::Executable => runtime::stubbed(&self.runtime()?)?,
            Linkage::Shared | Linkage::Relocatable => BTreeSet::new(),
        };
        let mut examiner = Examiner::new(self.toolchain, &self.twins, self.temp_dir, library);
        let mut search = LibrarySearch::new(self.command.library_dirs(), self.command.is_static);
        all.iter().filter_map(linker_text).filter(|text| text.starts_with("-L")).for_each(|text| search.note(&text));
        let none = |twin: &Twin| TwinLink {
            twin: *twin,
            words: Vec::new(),
            run_dirs: Vec::new(),
            missing: None,
            wrapped: Vec::new(),
            foreign: BTreeSet::new(),
        };
        let mut twins: Vec<TwinLink> = self.twins.iter().map(none).collect();
        let (mut foreign, mut n_inputs) = (Vec::new(), 0);
        for word in &all {
            if let Some(text) = linker_text(word) {
                search.note(&text);
            }
            let path = match word {
                Word::File(path) | Word::LinkerFile(path) => Some(path.clone()),
                Word::Library(name) => search.find(name),
                Word::Flag(_) => None,
            };
            let Some(path) = path else {
                twins.iter_mut().for_each(|link| link.words.push(word.clone()));
                continue;
            };
            let examined = examiner.examine(&path)?;
            if examined.origin != Origin::Unknown && !is_system(&path) {
                n_inputs += 1;
                foreign.extend((examined.origin == Origin::Foreign).then(|| self.shown(&path)));
            }
            for (link, substitute) in twins.iter_mut().zip(&examined.substitutes) {
                link.add(word, &path, substitute);
            }
        }
        self.warn_of_foreign(&foreign, n_inputs);
        for link in &mut twins {
            if self.command.linkage == Linkage::Executable {
                link.wrapped = examiner.wrapped();
            }
            link.wrapped.extend(examiner.wraps_dlopen().then_some("dlopen"));
            link.foreign = examiner.foreign();
        }
        Ok(Plan { twins, lacks_main: examiner.lacks_main(), foreign: examiner.foreign() })
    }

    /// The runtime's archive.
    fn runtime(&self) -> Result<PathBuf> {
        let whole = self.toolchain.layout.runtime()?;
        runtime::archive(self.toolchain, &whole, self.command.is_static, self.temp_dir)
    }

    /// The name that the user knows a linker input by.
    fn shown(&self, path: &Path) -> String {
        let index = self.objects.iter().position(|object| object == path);
        let source = index.and_then(|index| self.command.sources().nth(index));
        source.map_or(path, |source| &source.path).display().to_string()
    }

    fn warn_of_foreign(&self, foreign: &[String], n_inputs: usize) {
        if foreign.is_empty() {
            return;
        }
        let is_verbose = self.command.has_flag("-v");
        let n_shown = if is_verbose { foreign.len() } else { foreign.len().min(NAMES_MAX) };
        let rest = match foreign.len() - n_shown {
            0 => String::new(),
            n_more => format!(" and {n_more} more (-v names them)"),
        };
        let verb = if foreign.len() == 1 { "is" } else { "are" };
        self.toolchain.warn(&format!(
            "{} of {n_inputs} inputs of {} {verb} not instrumented, and input is not followed there: {}{rest}",
            foreign.len(),
            self.output.display(),
            foreign[..n_shown].join(", ")
        ));
    }

    /// Instrumented shared objects find the runtime in the executable; twins find what is there in its place.
    fn export_flag(&self) -> Option<OsString> {
        match self.command.linker.as_deref() {
            _ if self.command.is_static => None,
            Some("gold") => Some("-rdynamic".into()),
            _ => Some(format!("-Wl,--export-dynamic-symbol={RUNTIME_SYMBOLS}").into()),
        }
    }

    /// Links PROG with `args`, and the twins meanwhile. Gives the status and the twins that were made.
    fn run(&self, plan: &Plan, args: &[OsString]) -> Result<(u8, Vec<(Twin, PathBuf)>)> {
        let outputs: Vec<PathBuf> = self.twins.iter().map(|twin| self.twin_output(*twin)).collect();
        let _unfinished: Vec<Unfinished> =
            outputs.iter().chain([&self.output]).map(|output| Unfinished::new(output)).collect();
        let running: Vec<Result<Quiet>> =
            plan.twins.iter().zip(&outputs).map(|(link, output)| self.start(link, output)).collect();
        let status = self.toolchain.clang(args).run()?;
        let mut made = Vec::new();
        for ((link, output), running) in plan.twins.iter().zip(outputs).zip(running) {
            if status != 0 {
                running.into_iter().for_each(Quiet::cancel);
                remove(&output);
                continue;
            }
            match running.and_then(Quiet::finish) {
                Ok(()) => made.push((link.twin, output)),
                Err(error) => {
                    remove(&output);
                    let (twin, prog) = (link.twin.name(), self.output.display());
                    self.toolchain.warn(&format!("no {twin} build of {prog}: {error:#}"));
                }
            }
        }
        Ok((status, made))
    }

    /// A twin that is not made any more would be taken for one of this program.
    fn remove_stale(&self) {
        for twin in Twin::ALL.iter().copied().filter(|twin| !self.twins.contains(twin)) {
            let path = builds::beside(twin, &self.output);
            let mut magic = [0; 4];
            let is_program = std::fs::File::open(&path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok());
            if is_program && magic == *b"\x7fELF" {
                remove(&path);
            }
        }
    }

    fn twin_output(&self, twin: Twin) -> PathBuf {
        match self.command.linkage {
            Linkage::Relocatable => self.temp_dir.join(format!("joined-{}.o", twin.name())),
            _ => builds::beside(twin, &self.output),
        }
    }

    fn start(&self, link: &TwinLink, output: &Path) -> Result<Quiet> {
        if let Some(path) = &link.missing {
            return Err(anyhow!("{} is instrumented and has no {} twin", self.shown(path), link.twin.name()));
        }
        if link.twin == Twin::Memory && self.command.is_static {
            return Err(anyhow!("memory of a static program is not checked: its allocator can't be replaced"));
        }
        let words = without_side_files(link.words.clone());
        let mut args = self.args(&words, Build::Twin(link.twin), output);
        if self.command.linkage != Linkage::Relocatable {
            push_quietly(&mut args, self.twin_flags(link)?);
        }
        self.toolchain.clang(&args).start_quietly()
    }

    /// What a twin's link has beyond the user's command.
    fn twin_flags(&self, link: &TwinLink) -> Result<Vec<OsString>> {
        let mut args = builds::link_flags(link.twin);
        for dir in &link.run_dirs {
            args.extend(["-Xlinker", "-rpath", "-Xlinker"].map(OsString::from));
            args.push(dir.into());
        }
        match self.command.linkage {
            Linkage::Shared => {
                args.extend(["-Xlinker", "-soname", "-Xlinker"].map(OsString::from));
                args.push(builds::beside(link.twin, Path::new(&self.soname())).into());
                if link.twin == Twin::Asan {
                    // The sanitizers' runtime is in the executable, too.
                    args.push("-Wl,-z,undefs".into());
                }
            }
            _ => args.extend(self.export_flag().filter(|flag| flag != "-rdynamic")),
        }
        let support = self.temp_dir.join(format!("support-{}.a", link.twin.name()));
        std::fs::write(&support, builds::support(link.twin)).context("can't write a temporary file")?;
        args.push(support.into());
        if link.twin == Twin::Memory {
            args.extend(self.memory_runtime(link)?);
        }
        if self.command.linkage == Linkage::Executable {
            args.push("-Wl,-u,gimlet_fixed".into());
        }
        // References of the support to the library's functions are weak, and so bring none along.
        let bring = |name: &str| if name == "dlopen" { String::new() } else { format!(",-u,{name}") };
        args.extend(link.wrapped.iter().map(|name| OsString::from(format!("-Wl,--wrap={name}{}", bring(name)))));
        Ok(args)
    }

    /// The memory build's runtime, which is in the executable and takes the place of the library's allocator everywhere.
    fn memory_runtime(&self, link: &TwinLink) -> Result<Vec<OsString>> {
        if self.command.linkage != Linkage::Executable {
            return Ok(vec!["-Wl,-z,undefs".into()]);
        }
        let whole = self.toolchain.layout.memory()?;
        let archive = runtime::archive(self.toolchain, &whole, false, self.temp_dir)?;
        let mut args = runtime::foreign_flags(&archive, &link.foreign)?;
        args.push(archive.into());
        for name in ALLOCATOR {
            args.push(format!("-Wl,-u,{name},--export-dynamic-symbol={name}").into());
        }
        Ok(args)
    }

    /// The name that programs which are linked with this shared object look for.
    fn soname(&self) -> OsString {
        let mut soname = None;
        let mut is_next = false;
        for text in self.words().iter().filter_map(linker_text) {
            let name = text.trim_start_matches('-');
            let is_option = text.starts_with('-');
            if is_next {
                soname = Some(text.clone());
            } else if let Some(value) = name.strip_prefix("soname=").filter(|_| is_option) {
                soname = Some(value.to_owned());
            }
            is_next = !is_next && is_option && (name == "soname" || name == "h");
        }
        soname.map_or_else(|| self.output.file_name().unwrap_or(OsStr::new("")).to_owned(), OsString::from)
    }

    /// The loader looks for a twin by its soname.
    fn link_soname(&self, twin: Twin, path: &Path) {
        let link = builds::beside(twin, &self.output.with_file_name(self.soname()));
        if link.file_name() == path.file_name() {
            return;
        }
        if link.is_symlink() {
            remove(&link);
        }
        if let Err(error) = std::os::unix::fs::symlink(path.file_name().unwrap_or_default(), &link) {
            self.toolchain.warn(&format!("no link {}: {error}", link.display()));
        }
    }

    /// `-r`: the twins were joined as the objects were.
    fn embed(&self, joined: &[(Twin, PathBuf)]) {
        let _unfinished = Unfinished::new(&self.output);
        if let Err(error) = twin::embed(self.toolchain, &self.output, joined, self.temp_dir) {
            self.toolchain.warn(&format!("{} carries no twins: {error:#}", self.output.display()));
        }
    }

    /// The link in words, with files found inside the words for the linker.
    fn words(&self) -> Vec<Word> {
        let mut objects = self.objects.iter();
        let mut words = Vec::new();
        for item in &self.command.items {
            match item {
                Item::Input(input) if input.kind == InputKind::Linked => words.push(Word::File(input.path.clone())),
                Item::Input(_) => words.extend(objects.next().cloned().map(Word::File)),
                Item::Library(name) => words.push(Word::Library(name.clone())),
                Item::Flag(flag) if flag.role == Role::Linker => words.extend(flag.args.iter().map(linker_word)),
                Item::Flag(flag) => words.push(Word::Flag(flag.clone())),
            }
        }
        words
    }

    fn args(&self, words: &[Word], build: Build, output: &Path) -> Vec<OsString> {
        let mut args = Vec::new();
        for word in words {
            match word {
                Word::Flag(flag) if flag.role == Role::SideFile && build != Build::Instrumented => {}
                Word::Flag(flag) => push_flag(&mut args, flag, build),
                Word::File(path) => args.push(path.into()),
                Word::LinkerFile(path) => args.extend(["-Xlinker".into(), path.into()]),
                Word::Library(name) => args.push(library(name)),
            }
        }
        // Options that the user gave for the compile step are no mistake in the link that follows it.
        if !self.objects.is_empty() || build != Build::Instrumented {
            let all = std::mem::take(&mut args);
            push_quietly(&mut args, all);
        }
        args.extend(["-o".into(), output.into()]);
        args
    }
}

fn is_system(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.into());
    SYSTEM_DIRS.iter().any(|dir| path.starts_with(dir))
}

/// Removes a file if it is there.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

fn linker_word(word: &OsString) -> Word {
    let path = PathBuf::from(word);
    let is_file = path.extension().is_some_and(|extension| extension == "o" || extension == "a") && path.is_file();
    if is_file {
        Word::LinkerFile(path)
    } else {
        Word::Flag(Flag { args: vec![word.clone()], role: Role::Linker })
    }
}

fn linker_text(word: &Word) -> Option<String> {
    match word {
        Word::Flag(flag) if flag.role == Role::Linker => Some(flag.args[0].to_string_lossy().into_owned()),
        _ => None,
    }
}

/// The linker's own side files (maps, dependencies) describe PROG: the link of a twin must not overwrite them.
fn without_side_files(words: Vec<Word>) -> Vec<Word> {
    let mut kept = Vec::new();
    let mut skips_next = false;
    for word in words {
        let text = linker_text(&word).unwrap_or_default();
        let name = text.trim_start_matches('-');
        let is_side_file = text.starts_with('-')
            && ["Map", "dependency-file", "out-implib"].iter().any(|option| is_option(name, option));
        if !is_side_file && !skips_next {
            kept.push(word);
        }
        skips_next = is_side_file && !text.contains('=');
    }
    kept
}

fn is_option(name: &str, option: &str) -> bool {
    name.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linker_words(words: &[&str]) -> Vec<Word> {
        words.iter().map(OsString::from).map(|word| linker_word(&word)).collect()
    }

    #[test]
    fn plain_link_leaves_side_files_alone() {
        let words = linker_words(&[
            "-Map=p.map",
            "--as-needed",
            "-Map",
            "p.map",
            "--dependency-file=p.d",
            "-O1",
            "--Map",
            "q",
            "-z",
            "now",
        ]);
        assert_eq!(without_side_files(words), linker_words(&["--as-needed", "-O1", "-z", "now"]));
    }
}
