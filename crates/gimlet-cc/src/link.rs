//! From objects to PROG and PROG.plain.
//!
//! The runtime is linked once, into the executable, and exports its symbols, so
//! that instrumented shared objects find it there; they leave them undefined.
//! The plain link is the same command with every input replaced by its twin.
//! If only the plain link fails, PROG is kept: that is a fault of ours, not of
//! the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::{CommandLine, Flag, InputKind, Item, Linkage, Role};
use crate::compile::{library, push_flag, push_quietly, Compiler};
use crate::sanitize::Build;
use crate::search::LibrarySearch;
use crate::tool::Toolchain;
use crate::twin::{self, Extractor, Plain};

/// Source of the functions that a plain program has in place of the runtime's.
const SUPPORT: &str = include_str!("plain_support.c");
/// Added to the name of a program for that of its plain build.
const PLAIN_SUFFIX: &str = ".plain";
/// Pulls the runtime in.
const RUNTIME_ROOT: &str = "gimlet_rt_register";
/// The runtime's `main` for programs that are only a fuzz target.
const FUZZ_MAIN: &str = "gimlet_fuzz_main";
/// Everything that instrumented code can refer to.
const RUNTIME_SYMBOLS: &str = "gimlet_*";

/// Compiles what is to be compiled, links, and links the plain build.
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
    let linker =
        Linker { toolchain, command, objects, output: command.output.clone().unwrap_or_else(|| "a.out".into()) };
    match command.linkage {
        Linkage::Executable => linker.executable(),
        Linkage::Shared => linker.shared(),
        Linkage::Relocatable => linker.relocatable(),
    }
}

struct Linker<'a> {
    toolchain: &'a Toolchain,
    command: &'a CommandLine,
    /// What the sources were compiled to, in order.
    objects: Vec<PathBuf>,
    output: PathBuf,
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

impl Linker<'_> {
    fn executable(&self) -> Result<u8> {
        let temp_dir = tempfile::tempdir().context("can't make a temporary directory")?;
        let mut extractor = Extractor::new(self.toolchain, temp_dir.path().into());
        // Before PROG is there, because an object of another version makes it useless.
        let plain = if self.output.starts_with("/dev") { None } else { Some(self.plain_words(&mut extractor)?) };
        let mut args = self.args(&self.words(), Build::Instrumented, &self.output);
        args.push(self.toolchain.layout.runtime()?.into());
        args.push(format!("-Wl,-u,{RUNTIME_ROOT}").into());
        if extractor.lacks_main() {
            args.push(format!("-Wl,--defsym=main={FUZZ_MAIN}").into());
        }
        args.extend(self.export_flag());
        let status = self.toolchain.clang(&args).run()?;
        if let (0, Some(plain)) = (status, plain) {
            let linked =
                plain.and_then(|words| self.plain_executable(&words, extractor.needs_support, temp_dir.path()));
            if let Err(error) = linked {
                self.toolchain.warn(&format!("no plain build of {}: {error:#}", self.output.display()));
            }
        }
        Ok(status)
    }

    /// Instrumented shared objects find the runtime in the executable.
    fn export_flag(&self) -> Option<OsString> {
        match self.command.linker.as_deref() {
            _ if self.command.is_static => None,
            Some("gold") => Some("-rdynamic".into()),
            _ => Some(format!("-Wl,--export-dynamic-symbol={RUNTIME_SYMBOLS}").into()),
        }
    }

    fn plain_executable(&self, words: &[Word], needs_support: bool, temp_dir: &Path) -> Result<()> {
        let mut output = self.output.clone().into_os_string();
        output.push(PLAIN_SUFFIX);
        let mut args = self.args(words, Build::Plain, Path::new(&output));
        if needs_support {
            args.push(self.support(temp_dir)?.into());
        }
        self.toolchain.clang(&args).run_quietly()
    }

    fn support(&self, temp_dir: &Path) -> Result<PathBuf> {
        let (source, object, archive) =
            (temp_dir.join("support.c"), temp_dir.join("support.o"), temp_dir.join("support.a"));
        std::fs::write(&source, SUPPORT).context("can't write a temporary file")?;
        let mut clang = self.toolchain.clang(&["-O2", "-w", "-fPIC", "-x", "c", "-c"].map(OsString::from));
        clang.arg(&source).arg("-o").arg(&object).run_quietly()?;
        twin::archive(self.toolchain, &archive, &[object])?;
        Ok(archive)
    }

    /// The symbols of the runtime stay undefined, whatever the user asked for.
    fn shared(&self) -> Result<u8> {
        let mut args = self.args(&self.words(), Build::Instrumented, &self.output);
        args.push("-Wl,-z,undefs".into());
        self.toolchain.clang(&args).run()
    }

    /// `-r`: the twins are joined as the objects are.
    fn relocatable(&self) -> Result<u8> {
        let temp_dir = tempfile::tempdir().context("can't make a temporary directory")?;
        let mut extractor = Extractor::new(self.toolchain, temp_dir.path().into());
        let plain = self.plain_words(&mut extractor)?;
        let status = self.toolchain.clang(&self.args(&self.words(), Build::Instrumented, &self.output)).run()?;
        if status != 0 {
            return Ok(status);
        }
        let joined = temp_dir.path().join("joined.o");
        let embedded = plain.and_then(|words| {
            self.toolchain.clang(&self.args(&words, Build::Plain, &joined)).run_quietly()?;
            twin::embed(self.toolchain, &self.output, &joined, temp_dir.path())
        });
        if let Err(error) = embedded {
            self.toolchain.warn(&format!("{} has no plain twin: {error:#}", self.output.display()));
        }
        Ok(0)
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

    /// The words of the plain link. The inner error says why there can be none.
    fn plain_words(&self, extractor: &mut Extractor) -> Result<Result<Vec<Word>>> {
        let mut search = LibrarySearch::new(self.command.library_dirs(), self.command.is_static);
        let all = self.words();
        all.iter().filter_map(linker_text).filter(|text| text.starts_with("-L")).for_each(|text| search.note(&text));
        let mut words = Vec::new();
        for word in all {
            if let Some(text) = linker_text(&word) {
                search.note(&text);
            }
            let path = match &word {
                Word::File(path) | Word::LinkerFile(path) => Some(path.clone()),
                Word::Library(name) => search.find(name),
                Word::Flag(_) => None,
            };
            let Some(path) = path else {
                words.push(word);
                continue;
            };
            match extractor.plain(&path)? {
                Plain::Itself => words.push(word),
                Plain::Twins(paths) => words.extend(paths.into_iter().map(|path| match word {
                    Word::LinkerFile(_) => Word::LinkerFile(path),
                    _ => Word::File(path),
                })),
                Plain::Missing => {
                    return Ok(Err(anyhow::anyhow!("{} is instrumented and carries no plain twin", path.display())));
                }
            }
        }
        Ok(Ok(without_side_files(words)))
    }

    fn args(&self, words: &[Word], build: Build, output: &Path) -> Vec<OsString> {
        let mut args = Vec::new();
        for word in words {
            match word {
                Word::Flag(flag) if flag.role == Role::SideFile && build == Build::Plain => {}
                Word::Flag(flag) => push_flag(&mut args, flag, build),
                Word::File(path) => args.push(path.into()),
                Word::LinkerFile(path) => args.extend(["-Xlinker".into(), path.into()]),
                Word::Library(name) => args.push(library(name)),
            }
        }
        // Options that the user gave for the compile step are no mistake in the link that follows it.
        if !self.objects.is_empty() || build == Build::Plain {
            let all = std::mem::take(&mut args);
            push_quietly(&mut args, all);
        }
        args.extend(["-o".into(), output.into()]);
        args
    }
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

/// The linker's own side files (maps, dependencies) describe PROG: the plain link must not overwrite them.
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
