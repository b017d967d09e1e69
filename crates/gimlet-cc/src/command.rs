//! Clang's command line, as far as a driver around it must understand it.
//!
//! The arguments are cut into [`Item`]s, in order: an input, a library, or an
//! option with its value. What an option means is left to clang except where it
//! decides what is made ([`Stage`], [`Linkage`]), where it goes, or which of
//! the builds may see it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{bail, Result};

use crate::builds::{Choice, Twin};
use crate::options::{self, Check, Feature};
use crate::sanitize;

/// The option that adds checks.
pub const CHECKS: &str = "--checks=";

/// How far clang is to go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// -E, -M, -MM
    Preprocess,
    /// -fsyntax-only and other stages that make no code
    Check,
    /// -S
    Assembly,
    /// -c
    Object,
    Link,
}

/// Command lines that compile nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// `--gimlet-version`
    Version,
    /// `--help`
    Help,
    /// Clang's own, or an error that clang explains best.
    Clang,
}

/// What a link makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    Executable,
    Shared,
    Relocatable,
}

/// What is done with an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// Compiled, with the pass and without.
    Source,
    /// Assembled.
    Assembly,
    /// Precompiled.
    Header,
    /// Handed to the linker.
    Linked,
}

/// A file on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    pub path: PathBuf,
    pub kind: InputKind,
    /// Value of the `-x` in force, if any.
    pub language: Option<OsString>,
}

impl Input {
    /// Whether this is standard input, which can be read only once.
    pub fn is_stdin(&self) -> bool {
        self.kind != InputKind::Linked && [Path::new("-"), Path::new("/dev/stdin")].contains(&self.path.as_path())
    }
}

/// Which steps an option concerns, where that matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Given to every step.
    General,
    /// Writes files beside the object (dependencies, diagnostics): not for twins.
    SideFile,
    /// For the linker, word by word; `-Wl,` and `-Xlinker` are taken off.
    Linker,
    /// `-fsanitize`: the builds see different ones.
    Sanitize,
}

/// An option with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flag {
    pub args: Vec<OsString>,
    pub role: Role,
}

/// One part of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    Input(Input),
    /// `-lNAME`, without the `-l`.
    Library(OsString),
    Flag(Flag),
}

/// A command line of clang, understood.
#[derive(Clone, Debug)]
pub struct CommandLine {
    pub query: Option<Query>,
    pub stage: Stage,
    pub linkage: Linkage,
    pub items: Vec<Item>,
    pub output: Option<PathBuf>,
    pub features: Vec<Feature>,
    /// Which twins are made.
    pub choice: Choice,
    /// -static or a variant of it
    pub is_static: bool,
    /// -emit-llvm: what comes out is no ELF object.
    pub emits_llvm: bool,
    /// Enough debug information for line numbers was asked for.
    pub has_debug: bool,
    /// -gold and others don't know every option of GNU ld.
    pub linker: Option<String>,
    /// The option for link-time optimisation, which no step sees.
    pub lto: Option<String>,
    unsupported: Option<String>,
}

impl CommandLine {
    /// Understands `args`, in which response files are expanded.
    pub fn parse(args: &[OsString]) -> Result<CommandLine> {
        let mut parser = Parser::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if parser.only_inputs {
                parser.input(arg);
                continue;
            }
            let text = arg.to_string_lossy();
            match options::takes_next(&text).then(|| args.next()).flatten() {
                Some(value) => parser.option_with_value(arg, &text, value),
                None => parser.argument(arg, &text)?,
            }
        }
        Ok(parser.finish())
    }

    /// Inputs in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.items.iter().filter_map(|item| match item {
            Item::Input(input) => Some(input),
            _ => None,
        })
    }

    /// Whether a build system only tries something out: nobody searches what comes of it, so it needs no twins, and they
    /// would be two thirds of the time. Autoconf, CMake and Meson are known by where they do that.
    pub fn is_probe(&self, current_dir: &Path) -> bool {
        const FOLDERS: [&str; 3] = ["CMakeScratch", "CMakeTmp", "meson-private"];
        let is_in_folder =
            |path: &Path| path.components().any(|part| FOLDERS.iter().any(|&folder| part.as_os_str() == folder));
        let is_conftest = |input: &Input| input.path.file_stem() == Some(OsStr::new("conftest"));
        let mut inputs = self.inputs().peekable();
        is_in_folder(current_dir)
            || inputs.peek().is_some() && inputs.all(|it| is_conftest(it) || is_in_folder(&it.path))
    }

    /// Inputs that clang compiles or assembles.
    pub fn sources(&self) -> impl Iterator<Item = &Input> {
        self.inputs().filter(|input| input.kind != InputKind::Linked)
    }

    /// Options in order.
    pub fn flags(&self) -> impl Iterator<Item = &Flag> {
        self.items.iter().filter_map(|item| match item {
            Item::Flag(flag) => Some(flag),
            _ => None,
        })
    }

    /// Directories of `-L`.
    pub fn library_dirs(&self) -> Vec<PathBuf> {
        let value = |flag: &Flag| match flag.args.as_slice() {
            [option, value] if option == "-L" => Some(PathBuf::from(value)),
            [joined] => joined.to_string_lossy().strip_prefix("-L").map(PathBuf::from),
            _ => None,
        };
        self.flags().filter_map(value).collect()
    }

    /// Whether one of the options is `option`.
    pub fn has_flag(&self, option: &str) -> bool {
        self.flags().any(|flag| flag.args[0] == OsStr::new(option))
    }

    /// An error for what can't be instrumented; it is better said before clang runs than by a broken program.
    pub fn check_supported(&self) -> Result<()> {
        match &self.unsupported {
            Some(why) if self.stage > Stage::Check => bail!("{why}"),
            _ => Ok(()),
        }
    }
}

#[derive(Default)]
struct Parser {
    items: Vec<Item>,
    query: Option<Query>,
    output: Option<PathBuf>,
    checks: Vec<Check>,
    features: Vec<Feature>,
    choice: Choice,
    language: Option<OsString>,
    stage: Option<Stage>,
    is_shared: bool,
    is_static: bool,
    is_relocatable: bool,
    emits_llvm: bool,
    has_debug: bool,
    linker: Option<String>,
    lto: Option<String>,
    machine: Option<String>,
    target: Option<String>,
    only_inputs: bool,
}

impl Parser {
    fn input(&mut self, path: &OsStr) {
        let kind = match &self.language {
            Some(language) => kind_of_language(&language.to_string_lossy()),
            None => kind_of_path(Path::new(path)),
        };
        self.items.push(Item::Input(Input { path: path.into(), kind, language: self.language.clone() }));
    }

    fn flag(&mut self, role: Role, args: &[&OsStr]) {
        let args = args.iter().map(|&arg| arg.to_owned()).collect();
        self.items.push(Item::Flag(Flag { args, role }));
    }

    fn linker_words<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        let words: Vec<OsString> = words.map(OsString::from).collect();
        self.is_relocatable |=
            words.iter().any(|word| word == "-r" || word == "-relocatable" || word == "--relocatable");
        self.items.push(Item::Flag(Flag { args: words, role: Role::Linker }));
    }

    fn option_with_value(&mut self, option: &OsStr, text: &str, value: &OsStr) {
        match text {
            "-o" => self.output = Some(value.into()),
            "-x" => self.set_language(value),
            "-l" => self.items.push(Item::Library(value.to_owned())),
            "-Xlinker" => self.linker_words(std::iter::once(value.to_string_lossy().as_ref())),
            "-target" => {
                self.target = Some(value.to_string_lossy().into_owned());
                self.flag(Role::General, &[option, value]);
            }
            "-MF"
            | "-MT"
            | "-MQ"
            | "-MJ"
            | "--serialize-diagnostics"
            | "-serialize-diagnostics"
            | "-dependency-file" => {
                self.flag(Role::SideFile, &[option, value]);
            }
            _ => self.flag(Role::General, &[option, value]),
        }
    }

    fn set_language(&mut self, language: &OsStr) {
        self.language = (language != "none").then(|| language.to_owned());
    }

    fn argument(&mut self, arg: &OsStr, text: &str) -> Result<()> {
        if !text.starts_with('-') || text == "-" {
            self.input(arg);
        } else if text == "--" {
            self.only_inputs = true;
        } else if let Some(list) = text.strip_prefix("-fgimlet=") {
            let (builds, features): (Vec<&str>, Vec<&str>) =
                list.split(',').partition(|name| *name == Twin::Memory.name());
            self.choice.add(&builds.join(","), true)?;
            self.features.extend(Feature::parse_list(&features.join(","))?);
        } else if text == "-fgimlet" {
            bail!("-fgimlet needs a value: -fgimlet=branch-log");
        } else if let Some(list) = text.strip_prefix("--with=") {
            self.choice.add(list, true)?;
        } else if let Some(list) = text.strip_prefix(CHECKS) {
            self.checks.extend(Check::parse_list(list)?);
        } else if let Some(list) = text.strip_prefix("--without=") {
            self.choice.add(list, false)?;
        } else if !self.joined_value(text) {
            self.plain_option(arg, text);
        }
        Ok(())
    }

    /// Options with their value in the same argument, which stand for nothing else.
    fn joined_value(&mut self, text: &str) -> bool {
        if let Some(words) = text.strip_prefix("-Wl,") {
            self.linker_words(words.split(','));
        } else if let Some(word) = text.strip_prefix("-Xlinker=") {
            self.linker_words(std::iter::once(word));
        } else if let Some(path) = text.strip_prefix("-o").filter(|_| !text.starts_with("-objc")) {
            self.output = Some(path.into());
        } else if let Some(path) = text.strip_prefix("--output=") {
            self.output = Some(path.into());
        } else if let Some(language) = text.strip_prefix("-x").or_else(|| text.strip_prefix("--language=")) {
            self.set_language(OsStr::new(language));
        } else if let Some(name) = text.strip_prefix("-l") {
            self.items.push(Item::Library(name.into()));
        } else {
            return false;
        }
        true
    }

    fn plain_option(&mut self, arg: &OsStr, text: &str) {
        if options::is_lto(text) {
            let is_on = text == "-flto" || text.starts_with("-flto=");
            self.lto = is_on.then(|| text.into()).or(self.lto.take().filter(|_| text != "-fno-lto"));
            return;
        }
        self.note_query(text);
        self.note_stage(text);
        self.note_linkage(text);
        match text {
            "-m32" | "-mx32" | "-m16" => self.machine = Some(text.into()),
            "-m64" => self.machine = None,
            "-emit-llvm" => self.emits_llvm = true,
            _ => {}
        }
        if let Some(triple) = text.strip_prefix("--target=") {
            self.target = Some(triple.into());
        } else if let Some(linker) = text.strip_prefix("-fuse-ld=") {
            self.linker = Some(linker.into());
        } else if let Some(has_debug) = options::debug_level(text) {
            self.has_debug = has_debug;
        }
        self.flag(role_of(text), &[arg]);
    }

    fn note_query(&mut self, text: &str) {
        let query = match text {
            "--gimlet-version" => Query::Version,
            "--help" | "-help" | "--help-hidden" => Query::Help,
            _ if options::is_query(text) => Query::Clang,
            _ => return,
        };
        self.query.get_or_insert(query);
    }

    /// The earliest stage that is asked for counts, in whatever order.
    fn note_stage(&mut self, text: &str) {
        let stage = match text {
            "-E" | "-M" | "-MM" | "--preprocess" | "--dependencies" | "--user-dependencies" => Stage::Preprocess,
            "-fsyntax-only"
            | "--analyze"
            | "--precompile"
            | "-emit-ast"
            | "-extract-api"
            | "-verify-pch"
            | "-rewrite-objc"
            | "-emit-interface-stubs"
            | "-module-file-info" => Stage::Check,
            "-S" | "--assemble" => Stage::Assembly,
            "-c" | "--compile" => Stage::Object,
            _ => return,
        };
        self.stage = Some(self.stage.map_or(stage, |earlier| earlier.min(stage)));
    }

    fn note_linkage(&mut self, text: &str) {
        match text {
            "-shared" | "--shared" => self.is_shared = true,
            "-r" => self.is_relocatable = true,
            "-static" | "--static" | "-static-pie" => self.is_static = true,
            _ => {}
        }
    }

    /// What clang needs for the checks: each has a function of its own in a small library, which says so and aborts.
    fn add_checks(&mut self) {
        let names: Vec<&str> = self.checks.iter().map(|check| check.sanitizer()).collect();
        if names.is_empty() {
            return;
        }
        let names = names.join(",");
        for option in
            [format!("-fsanitize={names}"), format!("-fno-sanitize-recover={names}"), sanitize::MINIMAL.into()]
        {
            self.flag(role_of(&option), &[OsStr::new(&option)]);
        }
        // One call for each place, so that it has a line.
        self.flag(Role::General, &["-mllvm", "-ubsan-unique-traps"].map(OsStr::new));
    }

    fn finish(mut self) -> CommandLine {
        self.add_checks();
        let unsupported = self.unsupported();
        let linkage = match (self.is_relocatable, self.is_shared) {
            (true, _) => Linkage::Relocatable,
            (false, true) => Linkage::Shared,
            (false, false) => Linkage::Executable,
        };
        let mut command = CommandLine {
            query: self.query,
            stage: self.stage.unwrap_or(Stage::Link),
            linkage,
            items: self.items,
            output: self.output,
            features: self.features,
            choice: self.choice,
            is_static: self.is_static,
            emits_llvm: self.emits_llvm,
            has_debug: self.has_debug,
            linker: self.linker,
            lto: self.lto,
            unsupported,
        };
        let several = command.output.is_some() && command.stage < Stage::Link && command.sources().count() > 1;
        if command.query.is_none() && (command.inputs().next().is_none() || several) {
            command.query = Some(Query::Clang);
        }
        if command.stage > Stage::Check && command.sources().any(|input| input.kind == InputKind::Header) {
            command.stage = Stage::Check;
        }
        command
    }

    fn unsupported(&self) -> Option<String> {
        if let Some(machine) = &self.machine {
            return Some(format!("{machine} is not supported: only x86-64 programs can be instrumented"));
        }
        let target =
            self.target.as_deref().filter(|triple| !triple.starts_with("x86_64") && !triple.starts_with("amd64"));
        target.map(|triple| format!("target {triple} is not supported: only x86-64 programs can be instrumented"))
    }
}

fn role_of(text: &str) -> Role {
    let is_side_file =
        matches!(text, "-MD" | "-MMD" | "-MP" | "-MG" | "-MV" | "-gsplit-dwarf" | "-v" | "--verbose" | "-H")
            || text.starts_with("-MF")
            || text.starts_with("-MT")
            || text.starts_with("-MQ")
            || text.starts_with("-MJ")
            || text.starts_with("-Wp,-M")
            || text.starts_with("-save-temps")
            || text.starts_with("--save-temps")
            || text.starts_with("-ftime-trace")
            || text.starts_with("-ftime-report")
            || text.starts_with("-fsave-optimization-record")
            || text.starts_with("-foptimization-record-file")
            || text.starts_with("-gsplit-dwarf=");
    match text {
        _ if is_side_file => Role::SideFile,
        _ if sanitize::is_choosy(text) => Role::Sanitize,
        _ => Role::General,
    }
}

fn kind_of_language(language: &str) -> InputKind {
    match language {
        "assembler" | "assembler-with-cpp" => InputKind::Assembly,
        _ if language.ends_with("header") || language.ends_with("header-unit") => InputKind::Header,
        _ => InputKind::Source,
    }
}

/// Clang goes by the name too, and hands what it doesn't know to the linker.
fn kind_of_path(path: &Path) -> InputKind {
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    match extension.as_str() {
        "c" | "i" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "CC" | "CXX" | "ii" | "cppm" | "m" | "mi"
        | "mm" | "M" | "mii" | "ll" | "bc" => InputKind::Source,
        "s" | "S" | "sx" | "asm" => InputKind::Assembly,
        "h" | "H" | "hh" | "hp" | "hpp" | "hxx" | "h++" => InputKind::Header,
        _ if path == Path::new("-") => InputKind::Source,
        _ => InputKind::Linked,
    }
}

#[cfg(test)]
mod tests;
