//! From a source to an object with its twins.
//!
//! The pass runs at the start of clang's pipeline and needs the program as it
//! was written: functions that -O0 lets it touch, a line for every site, loops
//! that may be endless, libc's functions as functions (not as inline or
//! fortified variants), and no vector code. The edges twin goes through the pass
//! too, which counts there. The other twins are compiled at the same time from
//! the user's options and their own.
//!
//! Each twin is a compilation from the source. To make several from one run of
//! the front end would save little for C, and the plain build would no longer
//! be what clang makes.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::builds::{self, Build, Twin};
use crate::command::{CommandLine, Flag, Input, InputKind, Item, Role, Stage};
use crate::interrupt::{TempDir, Unfinished};
use crate::sanitize;
use crate::tool::{Invocation, Quiet, Toolchain};
use crate::twin;

/// The pass reads its options here: clang hands none to a plugin that it loads as a pass.
const PASS_ENV: &str = "GIMLET_PASS";

/// Between these two, options that a step has no use for are not reported.
const QUIET_BEGIN: &str = "--start-no-unused-arguments";
const QUIET_END: &str = "--end-no-unused-arguments";

/// -E, -M, -fsyntax-only and the like: clang does it, on the text that the instrumented build sees.
pub fn preprocess(toolchain: &Toolchain, command: &CommandLine) -> Result<u8> {
    let mut args = Vec::new();
    for item in &command.items {
        match item {
            Item::Flag(flag) => push_flag(&mut args, flag, Build::Instrumented),
            Item::Library(name) => args.push(library(name)),
            Item::Input(_) => {}
        }
    }
    push_quietly(&mut args, preprocessor_flags(toolchain, command));
    push_inputs(&mut args, command.inputs());
    if let Some(output) = &command.output {
        args.extend(["-o".into(), output.into()]);
    }
    toolchain.clang(&args).run_here()
}

/// -c and -S: one output for each source. Every source is tried; the first failure counts.
pub fn objects(toolchain: &Toolchain, command: &CommandLine) -> Result<u8> {
    let mut compiler = Compiler::new(toolchain, command)?;
    let extension = if command.stage == Stage::Assembly { "s" } else { "o" };
    let mut first_failure = 0;
    for input in command.sources() {
        let output = command.output.clone().unwrap_or_else(|| default_output(input, extension));
        let status = compiler.compile(input, &output)?;
        first_failure = if first_failure == 0 { status } else { first_failure };
    }
    Ok(first_failure)
}

fn default_output(input: &Input, extension: &str) -> PathBuf {
    let name = input.path.file_name().unwrap_or(OsStr::new("-"));
    Path::new(name).with_extension(extension)
}

/// Compiles the sources of one command line.
pub struct Compiler<'a> {
    toolchain: &'a Toolchain,
    command: &'a CommandLine,
    twins: Vec<Twin>,
    temp_dir: TempDir,
    n_compiled: usize,
    /// Standard input, read once for all builds.
    stdin: Option<Vec<u8>>,
}

impl<'a> Compiler<'a> {
    pub fn new(toolchain: &'a Toolchain, command: &'a CommandLine) -> Result<Compiler<'a>> {
        let plain_only: Vec<String> = command
            .flags()
            .filter(|flag| flag.role == Role::Sanitize)
            .flat_map(|flag| sanitize::plain_only(&flag.args[0]))
            .collect();
        if !plain_only.is_empty() {
            toolchain.warn(&format!("-fsanitize={} is for the plain build only", plain_only.join(",")));
        }
        let (twins, temp_dir) = (command.choice.twins(), TempDir::new()?);
        Ok(Compiler { toolchain, command, twins, temp_dir, n_compiled: 0, stdin: None })
    }

    /// Compiles `input` to an object in the temporary directory, for a link.
    pub fn compile_for_link(&mut self, input: &Input) -> Result<(u8, PathBuf)> {
        let stem = input.path.file_stem().unwrap_or(OsStr::new("-")).to_string_lossy().into_owned();
        let object = self.temp_dir.path().join(format!("{stem}-{}.o", self.n_compiled));
        Ok((self.compile(input, &object)?, object))
    }

    /// Compiles `input` to `output`; the status is clang's.
    pub fn compile(&mut self, input: &Input, output: &Path) -> Result<u8> {
        self.n_compiled += 1;
        let _unfinished = Unfinished::new(output);
        if input.kind == InputKind::Assembly {
            return self.instrumented(input, output, false)?.run();
        }
        let instrumented = self.instrumented(input, output, true)?;
        if !self.can_carry_twins(output) {
            return instrumented.run();
        }
        let running = self.twins.clone().into_iter().map(|twin| self.start(twin, input));
        let running: Vec<RunningTwin> = running.collect::<Result<_>>()?;
        let status = instrumented.run()?;
        if status != 0 {
            running.into_iter().for_each(|twin| twin.clang.cancel());
            return Ok(status);
        }
        let finished: Vec<(Twin, PathBuf)> = running.into_iter().filter_map(|twin| self.finish(twin, output)).collect();
        if let Err(error) = self.embed(output, &finished) {
            self.toolchain.warn(&format!("{} carries no twins: {error:#}", output.display()));
        }
        Ok(0)
    }

    /// Devices, standard output and LLVM's own formats have no place for a section.
    fn can_carry_twins(&self, output: &Path) -> bool {
        !self.command.emits_llvm && output != Path::new("-") && !output.starts_with("/dev")
    }

    fn start(&mut self, twin: Twin, input: &Input) -> Result<RunningTwin> {
        let object = self.temp_dir.path().join(format!("{}-{}.o", twin.name(), self.n_compiled));
        let clang = self.twin(twin, input, &object)?.start_quietly()?;
        Ok(RunningTwin { twin, clang, object })
    }

    /// The twin's object, if there is one.
    fn finish(&self, running: RunningTwin, output: &Path) -> Option<(Twin, PathBuf)> {
        match running.clang.finish() {
            Ok(()) => Some((running.twin, running.object)),
            Err(error) => {
                self.toolchain.warn(&format!("{} has no {} twin: {error:#}", output.display(), running.twin.name()));
                None
            }
        }
    }

    fn embed(&self, output: &Path, twins: &[(Twin, PathBuf)]) -> Result<()> {
        match self.command.stage {
            Stage::Assembly => twin::embed_in_assembly(output, twins),
            _ => twin::embed(self.toolchain, output, twins, self.temp_dir.path()),
        }
    }

    fn instrumented(&mut self, input: &Input, output: &Path, with_pass: bool) -> Result<Invocation> {
        let mut args = self.flags(Build::Instrumented);
        if self.command.stage == Stage::Link {
            args.extend(dependency_flags(self.command, input));
        }
        let mut ours = Vec::new();
        if with_pass {
            ours.extend(pass_flags(self.toolchain, self.command)?);
            ours.extend(["-fno-vectorize", "-fno-slp-vectorize"].map(OsString::from));
            ours.extend(lower_optimisation(self.command).iter().map(OsString::from));
        }
        ours.extend(preprocessor_flags(self.toolchain, self.command));
        push_quietly(&mut args, ours);
        args.push(if self.command.stage == Stage::Assembly { "-S".into() } else { "-c".into() });
        push_inputs(&mut args, std::iter::once(input));
        args.extend(["-o".into(), output.into()]);
        let mut clang = self.clang(&args, input)?;
        let features: Vec<&str> = self.command.features.iter().map(|feature| feature.name()).collect();
        clang.env(PASS_ENV, self.pass_options(features));
        Ok(clang)
    }

    fn pass_options(&self, mut options: Vec<&str>) -> String {
        if !self.command.has_debug {
            options.push("drop-lines");
        }
        options.join(",")
    }

    fn twin(&mut self, twin: Twin, input: &Input, output: &Path) -> Result<Invocation> {
        let mut args = self.flags(Build::Twin(twin));
        let mut ours = builds::compile_flags(twin, self.command);
        if builds::pass_mode(twin).is_some() {
            ours.extend(pass_flags(self.toolchain, self.command)?);
            ours.extend(preprocessor_flags(self.toolchain, self.command));
        } else {
            ours.extend(include_flags(self.toolchain));
        }
        push_quietly(&mut args, ours);
        args.extend(["-w".into(), "-c".into()]);
        push_inputs(&mut args, std::iter::once(input));
        args.extend(["-o".into(), output.into()]);
        let mut clang = self.clang(&args, input)?;
        match (twin, builds::pass_mode(twin)) {
            // Its reports need the lines.
            (Twin::Memory, Some(mode)) => _ = clang.env(PASS_ENV, mode.into()),
            (_, Some(mode)) => _ = clang.env(PASS_ENV, self.pass_options(vec![mode])),
            _ => {}
        }
        Ok(clang)
    }

    /// The user's options for a compile step.
    fn flags(&self, build: Build) -> Vec<OsString> {
        let mut args = Vec::new();
        let flags = self.command.flags().filter(|flag| is_for_compiling(flag, build));
        flags.for_each(|flag| push_flag(&mut args, flag, build));
        // In a step of our own making, options for the other steps are no mistake of the user's.
        if self.command.stage == Stage::Link || build != Build::Instrumented {
            let mut quiet = Vec::new();
            push_quietly(&mut quiet, args);
            return quiet;
        }
        args
    }

    fn clang(&mut self, args: &[OsString], input: &Input) -> Result<Invocation> {
        let mut clang = self.toolchain.clang(args);
        if input.is_stdin() {
            if self.stdin.is_none() {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes).context("can't read standard input")?;
                self.stdin = Some(bytes);
            }
            clang.stdin(self.stdin.clone().unwrap_or_default());
        }
        Ok(clang)
    }
}

/// A twin that clang compiles.
struct RunningTwin {
    twin: Twin,
    clang: Quiet,
    object: PathBuf,
}

fn is_for_compiling(flag: &Flag, build: Build) -> bool {
    let option = flag.args.first().map(|option| option.to_string_lossy()).unwrap_or_default();
    match flag.role {
        Role::Linker => false,
        Role::SideFile if build != Build::Instrumented => false,
        _ => !matches!(option.as_ref(), "-c" | "--compile" | "-S" | "--assemble"),
    }
}

/// What the pass needs.
fn pass_flags(toolchain: &Toolchain, command: &CommandLine) -> Result<Vec<OsString>> {
    let mut args = Vec::new();
    // LLVM's own formats are instrumented when they become an object.
    if !command.emits_llvm {
        let mut plugin = OsString::from("-fpass-plugin=");
        plugin.push(toolchain.layout.pass()?);
        args.push(plugin);
    }
    args.extend(["-Xclang", "-disable-O0-optnone", "-fno-finite-loops"].map(OsString::from));
    // The ends of lifetimes would be marked on every way out of a block, with switches that the source doesn't have.
    args.extend(["-Xclang", "-disable-lifetime-markers"].map(OsString::from));
    if !command.has_debug {
        args.push("-gline-tables-only".into());
        // The checksums of newer tables are lost in the preprocessed text that clang then compiles.
        if command.flags().any(|flag| flag.args[0].to_string_lossy().contains("-save-temps")) {
            args.push("-gdwarf-4".into());
        }
    }
    if command.has_flag("-gno-column-info") {
        args.push("-gcolumn-info".into());
    }
    Ok(args)
}

/// What the user's level adds to `-O1` takes time and makes this build no faster: the pass runs before it, and puts a test
/// behind most of what could be merged or moved. Functions are still inlined, as clang forbids it at `-O1` where nobody
/// asks for it. Levels that change more than the optimiser stay.
fn lower_optimisation(command: &CommandLine) -> &'static [&'static str] {
    let options = command.flags().map(|flag| flag.args[0].to_string_lossy());
    let last = options.filter(|option| option.starts_with("-O")).last().unwrap_or_default();
    match last.as_ref() {
        "-O2" | "-O3" | "-O4" => &["-O1", "-finline-functions"],
        _ => &[],
    }
}

/// What decides which text is compiled: libc's functions as functions, and the way to `gimlet.h`.
fn preprocessor_flags(toolchain: &Toolchain, command: &CommandLine) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec!["-D__NO_INLINE__".into(), "-U_FORTIFY_SOURCE".into()];
    // These come after every -U of the driver.
    let is_forwarded =
        |flag: &Flag| flag.args.iter().any(|arg| arg.to_string_lossy().starts_with("-Wp,-D_FORTIFY_SOURCE"));
    if command.flags().any(is_forwarded) {
        args.push("-Wp,-U_FORTIFY_SOURCE".into());
    }
    args.extend(include_flags(toolchain));
    args
}

/// The way to `gimlet.h`.
fn include_flags(toolchain: &Toolchain) -> Vec<OsString> {
    let dir = toolchain.layout.include_dir();
    dir.into_iter().flat_map(|dir| [OsString::from("-idirafter"), dir.into()]).collect()
}

/// Dependency files are named after the user's output, or else after the source: clang must be told where we choose
/// another output.
fn dependency_flags(command: &CommandLine, input: &Input) -> Vec<OsString> {
    if !command.has_flag("-MD") && !command.has_flag("-MMD") {
        return Vec::new();
    }
    let has = |prefix: &str| command.flags().any(|flag| flag.args[0].to_string_lossy().starts_with(prefix));
    let mut args = Vec::new();
    if !has("-MF") {
        let file = command.output.as_ref().map(|output| output.with_extension("d"));
        args.extend(["-MF".into(), file.unwrap_or_else(|| default_output(input, "d")).into()]);
    }
    if !has("-MT") && !has("-MQ") {
        let target = command.output.clone().unwrap_or_else(|| default_output(input, "o"));
        args.extend(["-MQ".into(), target.into()]);
    }
    args
}

/// Adds an option as `build` gets it.
pub fn push_flag(args: &mut Vec<OsString>, flag: &Flag, build: Build) {
    match flag.role {
        Role::Linker => flag.args.iter().for_each(|word| args.extend(["-Xlinker".into(), word.clone()])),
        Role::Sanitize => args.extend(build.sanitize_option(&flag.args[0])),
        Role::General | Role::SideFile => args.extend(flag.args.iter().cloned()),
    }
}

/// Adds options that clang is not to complain about.
pub fn push_quietly(args: &mut Vec<OsString>, quiet: Vec<OsString>) {
    args.push(QUIET_BEGIN.into());
    args.extend(quiet);
    args.push(QUIET_END.into());
}

/// Adds inputs, each with the language that it has.
fn push_inputs<'a>(args: &mut Vec<OsString>, inputs: impl Iterator<Item = &'a Input>) {
    let mut in_force: Option<&OsString> = None;
    for input in inputs {
        if input.language.as_ref() != in_force {
            in_force = input.language.as_ref();
            args.extend(["-x".into(), in_force.cloned().unwrap_or_else(|| "none".into())]);
        }
        let is_option = input.path.as_os_str().len() > 1 && input.path.to_string_lossy().starts_with('-');
        args.push(if is_option { Path::new(".").join(&input.path) } else { input.path.clone() }.into());
    }
}

/// `-lNAME`
pub fn library(name: &OsStr) -> OsString {
    let mut arg = OsString::from("-l");
    arg.push(name);
    arg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_optimiser_does_more_is_left_out() {
        let lowered = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            !lower_optimisation(&CommandLine::parse(&args).unwrap()).is_empty()
        };
        assert!(lowered("-c -O2 a.c") && lowered("-O3 a.c") && lowered("-O0 -O2 a.c"));
        for line in ["-c a.c", "-O0 a.c", "-O2 -O0 a.c", "-O a.c", "-O1 a.c", "-Os a.c", "-O2 -Ofast a.c", "-Og a.c"] {
            assert!(!lowered(line), "{line}");
        }
    }
}
