//! The test programs in tests/programs, at several -O levels each.
//!
//! For every program: it behaves as clang's build does, instrumented and plain;
//! its trace is exact and complete; its path condition is the same at every
//! level; and every branch that can be flipped goes where the solver said. The short
//! test does all of that at -O2, and at -O0 what needs no other build; -O1 and -O3 are left to the
//! long one, and so is most of what a program that says SLOW takes.

pub mod directives;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};

use crate::gimlet::{self, Differing, FlipOutcome, Subject};
use crate::process::{self, capture, End};
use crate::queue::Suite;
use crate::workspace::{self, release, root, stem};
use directives::{Directives, Kept};

/// Where all is tested in the short test, and flips are tried.
const MAIN_LEVEL: &str = "-O2";
const COMPILE_LIMIT: Duration = Duration::from_secs(60);
const RUN_LIMIT: Duration = Duration::from_secs(20);
const GIMLET_LIMIT: Duration = Duration::from_secs(120);

/// The programs to test.
pub struct Programs {
    sources: Vec<PathBuf>,
    levels: Levels,
    scratch: PathBuf,
    support: PathBuf,
}

/// How much is tested of each program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Levels {
    /// All at -O2, and at -O0 what needs no other build; programs that say SLOW at -O2 only.
    Short,
    /// All at all levels.
    All,
}

impl Levels {
    /// Each level, and whether all is tested there.
    fn list(self, is_slow: bool) -> &'static [(&'static str, bool)] {
        match self {
            Levels::Short if is_slow => &[("-O2", true)],
            Levels::Short => &[("-O2", true), ("-O0", false)],
            Levels::All => &[("-O0", true), ("-O2", true), ("-O1", true), ("-O3", true)],
        }
    }

    /// Changes of the input that an audit follows, where all is tested and elsewhere.
    fn audit_changes(self, is_full: bool) -> u32 {
        match (self, is_full) {
            (Levels::Short, false) => 20,
            (Levels::Short, true) => 100,
            (Levels::All, _) => 200,
        }
    }

    /// Branches that are flipped.
    fn flips(self) -> usize {
        match self {
            Levels::Short => 15,
            Levels::All => 40,
        }
    }
}

impl Programs {
    /// Those whose names contain one of `names`, or all.
    pub fn new(levels: Levels, names: &[&str]) -> Result<Programs> {
        let scratch = workspace::scratch("programs")?;
        Ok(Programs { sources: sources(names)?, levels, support: support(&scratch)?, scratch })
    }
}

impl Suite for Programs {
    fn name(&self) -> &str {
        "programs"
    }

    fn jobs(&self) -> Vec<String> {
        self.sources.iter().map(|source| stem(source)).collect()
    }

    fn run(&self, job: usize) -> Result<String> {
        Program::load(&self.sources[job], &self.scratch, &self.support)?.test(self.levels)
    }
}

/// The programs whose names contain one of `names`, or all.
pub fn sources(names: &[&str]) -> Result<Vec<PathBuf>> {
    let is_asked_for = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        names.is_empty() || names.iter().any(|name| stem.contains(name))
    };
    let files = workspace::files(&root().join("tests/programs"))?;
    let programs = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "c"));
    Ok(programs.filter(is_asked_for).collect())
}

/// What a program built by clang alone has in place of the runtime.
fn support(scratch: &Path) -> Result<PathBuf> {
    let (object, archive) = (scratch.join("support.o"), scratch.join("support.a"));
    let source = root().join("crates/gimlet-cc/src/support/symbols.c");
    process::run(Command::new("clang-19").args(["-O2", "-c"]).arg(source).arg("-o").arg(&object))?;
    process::run(Command::new("llvm-ar-19").arg("rcs").arg(&archive).arg(&object))?;
    Ok(archive)
}

struct Program {
    source: PathBuf,
    support: PathBuf,
    scratch: PathBuf,
    directives: Directives,
}

impl Program {
    fn load(source: &Path, scratch: &Path, support: &Path) -> Result<Program> {
        let directives = Directives::parse(&std::fs::read_to_string(source)?)?;
        let scratch = scratch.join(source.file_stem().unwrap_or_default());
        std::fs::create_dir_all(&scratch)?;
        std::fs::write(scratch.join("input.stdin"), &directives.stdin)?;
        let program = Program { source: source.into(), support: support.into(), scratch, directives };
        for (name, bytes) in &program.directives.files {
            std::fs::write(program.file(name), bytes)?;
        }
        std::fs::create_dir_all(program.directory())?;
        for (path, bytes) in &program.directives.opened {
            let path = program.directory().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
            std::fs::write(path, bytes)?;
        }
        for (index, (_, bytes)) in program.directives.sockets.iter().enumerate() {
            std::fs::write(program.socket(index), bytes)?;
        }
        Ok(program)
    }

    /// Where the content of a file is.
    fn file(&self, name: &str) -> PathBuf {
        self.scratch.join(format!("input.{name}"))
    }

    /// Where the program finds the files that it opens by itself, without Gimlet.
    fn directory(&self) -> PathBuf {
        self.scratch.join("directory")
    }

    /// What clang makes of it.
    fn native(&self, level: &str) -> PathBuf {
        self.scratch.join(format!("native{level}"))
    }

    fn socket(&self, index: usize) -> PathBuf {
        self.scratch.join(format!("input.socket{}", index + 1))
    }

    fn test(&self, levels: Levels) -> Result<String> {
        let mut conditions = Vec::new();
        for &(level, is_full) in levels.list(self.directives.is_slow) {
            let changes = levels.audit_changes(is_full);
            let steps = match is_full {
                true => self.test_level(level, changes),
                false => self.test_alone(level, changes),
            };
            conditions.push((level, steps.with_context(|| level.to_string())?));
        }
        let (level, first) = &conditions[0];
        if self.directives.has_threads {
            return Ok(format!("{} steps", first.len()));
        }
        // Without models, what is lost depends on what libc's headers do at a level.
        let compared = if self.directives.needs_models { &[] } else { &conditions[1..] };
        for (other, steps) in compared {
            compare(first, steps).with_context(|| format!("path condition at {level} and {other}"))?;
        }
        let (n_solved, n_flips) = self.test_flips(levels.flips()).context("flips")?;
        Ok(format!("{} steps, {n_solved} of {n_flips} flips solved", first.len()))
    }

    /// Behaviour and audit at one level; gives the path condition.
    fn test_level(&self, level: &str, changes: u32) -> Result<Vec<String>> {
        let native = self.native(level);
        let flags = self.directives.flags.iter();
        let include = root().join("crates/gimlet-cc/include");
        let mut clang = Command::new("clang-19");
        clang
            .args([level, "-w", "-I"])
            .arg(include)
            .arg(&self.source)
            .args(flags)
            .arg(&self.support)
            .arg("-o")
            .arg(&native);
        self.compile(&mut clang)?;
        let program = self.instrumented(level, "edges")?;
        let subject = self.subject(program.clone());
        let expected = match &self.directives.prints {
            Some(prints) => (self.directives.end, prints.clone()),
            None => {
                let expected = self.run(&native)?;
                same("clang's build", &expected, &(self.directives.end, expected.1.clone()))?;
                same("the instrumented build", &self.run(&program)?, &expected)?;
                same("the plain build", &self.run(&self.scratch.join(format!("program{level}.plain")))?, &expected)?;
                expected
            }
        };
        same("replay on the plain build", &gimlet::replay(&subject, GIMLET_LIMIT).context("replay")?, &expected)?;
        if self.directives.prints.is_some() {
            same("the traced run", &(expected.0, gimlet::output(&subject, GIMLET_LIMIT)?), &expected)?;
        }
        self.test_followed(&subject, changes)
    }

    /// The instrumented build alone: it does what clang's does at [`MAIN_LEVEL`]. Gives the path condition.
    fn test_alone(&self, level: &str, changes: u32) -> Result<Vec<String>> {
        let program = self.instrumented(level, "plain,edges")?;
        if self.directives.prints.is_none() {
            same("the instrumented build", &self.run(&program)?, &self.run(&self.native(MAIN_LEVEL))?)?;
        }
        self.test_followed(&self.subject(program), changes)
    }

    /// Trace and audit; gives the path condition.
    fn test_followed(&self, subject: &Subject, changes: u32) -> Result<Vec<String>> {
        let steps = self.test_trace(subject)?;
        let audit = gimlet::audit(subject, changes, GIMLET_LIMIT).context("audit")?;
        let differing = if self.directives.has_threads { Differing::Expected } else { Differing::Wrong };
        match audit.complaint(differing) {
            Some(complaint) => bail!("{complaint}"),
            None => Ok(steps),
        }
    }

    /// Losses and observations of a trace are as the program says; gives the path condition.
    fn test_trace(&self, subject: &Subject) -> Result<Vec<String>> {
        let trace = gimlet::trace(subject, GIMLET_LIMIT).context("trace")?;
        self.test_losses(&trace.losses)?;
        for observed in &self.directives.observes {
            let seen = trace.observations.join("\n      ");
            ensure!(
                trace.observations.contains(observed),
                "OBSERVES: {observed}, but what was observed is\n      {seen}"
            );
        }
        Ok(trace.steps)
    }

    /// Compiles without these twins.
    fn instrumented(&self, level: &str, without: &str) -> Result<PathBuf> {
        let program = self.scratch.join(format!("program{level}"));
        let mut compiler = Command::new(release("gimlet-cc"));
        compiler
            .args([level, "-w", "-fgimlet=branch-log", &format!("--without={without}")])
            .arg(&self.source)
            .args(&self.directives.flags);
        self.compile(compiler.arg("-o").arg(&program))?;
        Ok(program)
    }

    fn compile(&self, compiler: &mut Command) -> Result<()> {
        let finished = capture(compiler, b"", COMPILE_LIMIT, &self.scratch)?;
        let name = compiler.get_program().to_string_lossy().into_owned();
        ensure!(finished.is_success(), "{name}: {}", finished.complaint());
        // Warnings are off: whatever is said is about the build itself.
        ensure!(finished.stderr.is_empty(), "{name}: {}", finished.complaint());
        Ok(())
    }

    fn run(&self, program: &Path) -> Result<(End, Vec<u8>)> {
        let path = |arg: &String| {
            let files = self.directives.files.iter();
            files.fold(arg.clone(), |arg, (name, _)| {
                arg.replace(&directives::place(name), &self.file(name).display().to_string())
            })
        };
        let mut command = Command::new(program);
        command.args(self.directives.args.iter().map(path)).current_dir(self.directory());
        command.envs(self.directives.variables.iter().map(|(name, value)| (name, value)));
        let finished = capture(&mut command, &self.directives.stdin, RUN_LIMIT, &self.scratch)?;
        Ok((finished.end, finished.stdout))
    }

    fn subject(&self, program: PathBuf) -> Subject {
        let mut options: Vec<OsString> = vec!["--stdin".into(), self.scratch.join("input.stdin").into()];
        options.extend(self.directives.options(|kept| match kept {
            Kept::File(name) => self.file(name),
            Kept::Opened(path) => self.directory().join(path),
            Kept::Socket(index) => self.socket(index),
        }));
        let args = self.directives.args.iter().map(OsString::from).collect();
        Subject { program, options, args, scratch: self.scratch.clone() }
    }

    /// Nothing is lost, except what the program says.
    fn test_losses(&self, losses: &[String]) -> Result<()> {
        if self.directives.loses.is_empty() && !self.directives.needs_models {
            ensure!(losses.is_empty(), "lost without a LOSES directive: {}", losses.join(", "));
        }
        for reason in &self.directives.loses {
            let text = if reason == "asm" { "inline assembly" } else { reason };
            let is_seen = losses.iter().any(|loss| loss.contains(text));
            ensure!(is_seen, "LOSES: {reason}, but what was lost is [{}]", losses.join(", "));
        }
        Ok(())
    }

    /// Number of flips that were solved, and of those tried.
    fn test_flips(&self, n_max: usize) -> Result<(usize, usize)> {
        let subject = self.subject(self.scratch.join(format!("program{MAIN_LEVEL}")));
        let flips = gimlet::flip_all(&subject, n_max, GIMLET_LIMIT)?;
        for flip in &flips {
            let complaint = match &flip.outcome {
                FlipOutcome::Reached | FlipOutcome::Impossible | FlipOutcome::Unknown => continue,
                // What was lost may have decided the way.
                FlipOutcome::Elsewhere(_) if !self.directives.loses.is_empty() || self.directives.needs_models => {
                    continue
                }
                FlipOutcome::Elsewhere(went) => went,
                FlipOutcome::Disputed => "the solver chain calls it impossible, and Z3 has an input",
            };
            bail!("event {} ({}): {complaint}", flip.number, flip.text);
        }
        Ok((flips.iter().filter(|flip| flip.outcome == FlipOutcome::Reached).count(), flips.len()))
    }
}

/// How a build ended and what it printed is what was expected.
fn same(what: &str, actual: &(End, Vec<u8>), expected: &(End, Vec<u8>)) -> Result<()> {
    ensure!(actual.0 == expected.0, "{what} ends with {}, not {}", actual.0, expected.0);
    let (actual, expected) = (String::from_utf8_lossy(&actual.1), String::from_utf8_lossy(&expected.1));
    ensure!(actual == expected, "{what} prints {actual:?}, not {expected:?}");
    Ok(())
}

fn compare(one: &[String], other: &[String]) -> Result<()> {
    for (index, (one, other)) in one.iter().zip(other).enumerate() {
        ensure!(one == other, "step {index} differs:\n      {one}\n      {other}");
    }
    ensure!(one.len() == other.len(), "{} and {} steps", one.len(), other.len());
    Ok(())
}
