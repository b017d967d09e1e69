//! `cargo xtask coverage`: branch coverage, checked by another's.
//!
//! Each test program is built with counters and with clang's source-based
//! coverage, both are run on the same inputs, and what they say is compared by
//! function, statement and direction. Besides, the sites of PROG and of
//! PROG.edges have to be the same, and the fork server of PROG.edges has to get
//! over whatever a run does.

mod compare;
mod llvm;
mod served;
mod source;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use gimlet_exec::image::{self, beside};
use gimlet_exec::{run_plain, Captured, Confinement, Coverage, EdgesTarget, Output, TargetOptions};
use gimlet_trace::builds::Twin;
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::site::{Site, SiteKind};
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, SourceKind};

use crate::process::{self, capture, lock};
use crate::programs::directives::Directives;
use crate::programs::sources;
use crate::queue::Suite;
use crate::workspace::{self, release, root, stem};
use compare::{compare, Comparison, Reason};

/// Levels at which tables are compared, and whether coverage is, too.
const LEVELS: [(&str, bool); 2] = [("-O0", false), ("-O2", true)];
const COMPILE_LIMIT: Duration = Duration::from_secs(300);
const RUN_LIMIT_MS: u64 = 5000;
/// Changes of a program's input.
const CHANGES: usize = 10;
/// What the calculator is given.
const CALCULATIONS: [&str; 4] =
    ["let s = 12 * (3 + 4)\nprint -s\n", "print 1/0\n", "let x = 3 print x % 2\n", "7 + + 8 )\n$"];

/// What all programs gave together.
#[derive(Default)]
struct Sum {
    n_compared: usize,
    n_taken: usize,
    reasons: BTreeMap<Reason, usize>,
}

/// The programs whose coverage is compared.
pub struct Compared {
    subjects: Vec<Subject>,
    /// Whether the fork server of PROG.edges is tried.
    is_served: bool,
    levels: &'static [(&'static str, bool)],
    scratch: PathBuf,
    sum: Mutex<Sum>,
}

const SERVED: &str = "served";
const CALCULATOR: &str = "calculator";

impl Compared {
    /// Those whose names contain one of `names`, or all.
    pub fn new(names: &[&str]) -> Result<Compared> {
        let scratch = workspace::scratch("coverage")?;
        let mut subjects: Vec<Subject> =
            sources(names)?.iter().map(|source| Subject::program(source, &scratch)).collect::<Result<_>>()?;
        if names.is_empty() || names.contains(&CALCULATOR) {
            subjects.push(Subject::calculator(&scratch)?);
        }
        let is_served = names.is_empty() || names.contains(&SERVED);
        Ok(Compared { subjects, is_served, levels: &LEVELS, scratch, sum: Mutex::default() })
    }

    /// All; the short test has no level at which only tables are compared, and no program that says SLOW.
    pub fn of_test(is_long: bool) -> Result<Compared> {
        let mut all = Compared::new(&[])?;
        if !is_long {
            all.levels = &LEVELS[1..];
            all.subjects.retain(|subject| !subject.is_slow);
        }
        Ok(all)
    }
}

impl Suite for Compared {
    fn name(&self) -> &str {
        "coverage"
    }

    fn jobs(&self) -> Vec<String> {
        let names = self.subjects.iter().map(|subject| subject.name.clone());
        names.chain(self.is_served.then(|| SERVED.to_owned())).collect()
    }

    fn run(&self, job: usize) -> Result<String> {
        let Some(subject) = self.subjects.get(job) else {
            served::test(&self.scratch)?;
            return Ok(String::new());
        };
        let comparison = subject.test(self.levels)?;
        let mut sum = lock(&self.sum);
        sum.n_compared += comparison.n_compared;
        sum.n_taken += comparison.n_taken;
        for (reason, count) in comparison.reasons {
            *sum.reasons.entry(reason).or_default() += count;
        }
        Ok(format!("{} directions", comparison.n_compared))
    }

    fn figures(&self) -> Result<Vec<String>> {
        let sum = lock(&self.sum);
        let reasons: Vec<String> = sum.reasons.iter().map(|(reason, n)| format!("{} {n}", reason.text())).collect();
        Ok(vec![
            format!("{} directions are the same in both, {} of them taken", sum.n_compared, sum.n_taken),
            format!("not in both: {}", reasons.join(", ")),
        ])
    }
}

/// What is compiled, and what it is run on.
struct Subject {
    name: String,
    sources: Vec<PathBuf>,
    flags: Vec<String>,
    args: Vec<OsString>,
    inputs: Vec<Input>,
    /// Two runs on one input may differ.
    has_threads: bool,
    is_slow: bool,
    scratch: PathBuf,
}

impl Subject {
    fn program(source: &Path, scratch: &Path) -> Result<Subject> {
        let directives = Directives::parse(&std::fs::read_to_string(source)?)?;
        let name = stem(source);
        let first = input(&directives);
        let inputs = (0..CHANGES).map(|number| changed(&first, number)).chain([first.clone()]).collect();
        Subject::new(name, vec![source.into()], scratch).map(|subject| Subject {
            flags: directives.flags,
            args: directives.args.iter().map(OsString::from).collect(),
            has_threads: directives.has_threads,
            is_slow: directives.is_slow,
            inputs,
            ..subject
        })
    }

    /// A scanner of flex and a parser of bison, without the lines of their grammars.
    fn calculator(scratch: &Path) -> Result<Subject> {
        let folder = scratch.join("calculator");
        let project = root().join("tests/projects/calculator");
        let sources = vec![folder.join("parse.c"), folder.join("scan.c")];
        let subject = Subject::new(CALCULATOR.into(), sources, scratch)?;
        let mut bison = Command::new("bison");
        bison
            .args(["-l", "-o"])
            .arg(folder.join("parse.c"))
            .arg("--defines=".to_owned() + &folder.join("parse.h").display().to_string());
        process::run(bison.arg(project.join("parse.y")))?;
        process::run(Command::new("flex").args(["-L", "-o"]).arg(folder.join("scan.c")).arg(project.join("scan.l")))?;
        Ok(Subject { inputs: CALCULATIONS.map(Input::stdin).into(), ..subject })
    }

    fn new(name: String, sources: Vec<PathBuf>, scratch: &Path) -> Result<Subject> {
        let scratch = scratch.join(&name);
        std::fs::create_dir_all(&scratch)?;
        let (flags, args, inputs) = Default::default();
        Ok(Subject { name, sources, flags, args, inputs, has_threads: false, is_slow: false, scratch })
    }

    fn test(&self, levels: &[(&str, bool)]) -> Result<Comparison> {
        let mut comparison = Comparison::default();
        for &(level, has_coverage) in levels {
            let program = self.compile(level, has_coverage)?;
            same_tables(&program).with_context(|| level.to_string())?;
            if has_coverage && !self.has_threads {
                comparison = self.compare(&program)?;
            }
        }
        Ok(comparison)
    }

    fn compile(&self, level: &str, has_coverage: bool) -> Result<PathBuf> {
        let program = self.scratch.join(format!("program{level}"));
        let mut compiler = Command::new(release("gimlet-cc"));
        compiler.args([level, "-w", "--without=plain"]).args(has_coverage.then_some("--with=cov"));
        compiler.args(&self.sources).args(&self.flags).arg("-o").arg(&program);
        let finished = capture(&mut compiler, b"", COMPILE_LIMIT, &self.scratch)?;
        ensure!(finished.is_success() && finished.stderr.is_empty(), "gimlet-cc: {}", finished.complaint());
        Ok(program)
    }

    fn compare(&self, program: &Path) -> Result<Comparison> {
        let (ours, counted) = self.count(&beside(program, Twin::Edges))?;
        let (export, measured) = self.measure(&beside(program, Twin::Cov))?;
        for (number, (counted, measured)) in counted.iter().zip(&measured).enumerate() {
            ensure!(counted == measured, "input {number}: with counters {counted:?}, with clang's {measured:?}");
        }
        let mut sources = HashMap::new();
        let theirs = llvm::functions(&export, &mut sources)?;
        let has_crashed = counted.iter().any(|(outcome, _)| !matches!(outcome, Outcome::Exited(_)));
        let comparison = compare(&ours, &theirs, &sources, has_crashed);
        ensure!(comparison.complaints.is_empty(), "{}", comparison.complaints.join("\n    "));
        Ok(comparison)
    }

    /// Runs on all inputs, counted; also gives how each ended and what it printed.
    fn count(&self, program: &Path) -> Result<(Coverage, Vec<Ended>)> {
        let options = TargetOptions { confinement: Confinement::probe(), ..options() };
        let mut target = EdgesTarget::new(program, &self.args, options)?;
        let mut coverage = Coverage::new(target.image());
        let mut ended = Vec::new();
        for input in &self.inputs {
            let run = target.run(input)?;
            coverage.merge(&run.counters);
            ended.push((run.outcome, text(&run.stdout.unwrap_or_default())));
        }
        let tables = image::read_program(&program.with_extension(""))?;
        let n_unknown = coverage.add_sites(&tables);
        ensure!(n_unknown == 0, "{n_unknown} branches of the instrumented build have no counter");
        Ok((coverage, ended))
    }

    /// Runs on all inputs with clang's coverage; gives what `llvm-cov` says, and how each ended.
    fn measure(&self, program: &Path) -> Result<(String, Vec<Ended>)> {
        let mut ended = Vec::new();
        let mut merge = Command::new("llvm-profdata-19");
        merge.args(["merge", "-sparse"]);
        for (number, input) in self.inputs.iter().enumerate() {
            // `%c`: the counters are in the file at all times, which a crash does not lose.
            let profile = self.scratch.join(format!("{number}.profraw"));
            let variable = format!("LLVM_PROFILE_FILE={}%c", profile.display());
            let args: Vec<OsString> =
                [variable.into(), program.into()].into_iter().chain(self.args.iter().cloned()).collect();
            let run = run_plain(Path::new("env"), &args, input, &options())?;
            ended.push((run.outcome, text(&run.stdout)));
            merge.arg(profile);
        }
        let merged = self.scratch.join("merged.profdata");
        let finished = capture(merge.arg("-o").arg(&merged), b"", COMPILE_LIMIT, &self.scratch)?;
        ensure!(finished.is_success(), "llvm-profdata: {}", finished.complaint());
        let mut export = Command::new("llvm-cov-19");
        export.arg("export").arg(format!("-instr-profile={}", merged.display())).arg(program);
        let finished = capture(&mut export, b"", COMPILE_LIMIT, &self.scratch)?;
        ensure!(finished.is_success(), "llvm-cov: {}", finished.complaint());
        Ok((finished.text(), ended))
    }
}

/// How a run ended, and what it printed.
type Ended = (Outcome, String);

fn text(captured: &Captured) -> String {
    String::from_utf8_lossy(&captured.bytes).into_owned()
}

fn options() -> TargetOptions {
    let mut options = TargetOptions { output: Output::Capture, ..TargetOptions::default() };
    options.limits.timeout_ms = RUN_LIMIT_MS;
    options
}

/// The sites of both builds are the same.
fn same_tables(program: &Path) -> Result<()> {
    let instrumented = image::read_program(program)?;
    let counted = image::read_edges(&beside(program, Twin::Edges))?;
    ensure!(instrumented.len() == counted.len(), "{} tables and {}", instrumented.len(), counted.len());
    let is_counted = |site: &&Site| matches!(site.kind, SiteKind::Function | SiteKind::Branch | SiteKind::Switch);
    for (instrumented, counted) in instrumented.iter().zip(&counted) {
        let mut sites = instrumented.sites.iter().filter(is_counted);
        for site in &counted.table.sites {
            let other = sites.next();
            // What a function returns is of use to the instrumented build alone.
            let known = |site: &Site| Site {
                width: if site.kind == SiteKind::Function { 0 } else { site.width },
                ..site.clone()
            };
            ensure!(other.map(known) == Some(known(site)), "sites differ:\n      {other:?}\n      {:?}", Some(site));
        }
        let more = sites.next();
        ensure!(more.is_none(), "a site is not counted: {more:?}");
    }
    Ok(())
}

/// The input that a program asks for.
fn input(directives: &Directives) -> Input {
    let mut input = Input::stdin(directives.stdin.clone());
    for (name, bytes) in &directives.files {
        input.push(SourceKind::File, name, bytes.clone());
    }
    for (path, bytes) in &directives.opened {
        input.push(SourceKind::Path, path, bytes.clone());
    }
    for (name, value) in &directives.variables {
        input.push(SourceKind::Env, format!("${name}"), value.as_bytes());
    }
    for (number, (port, bytes)) in (1..).zip(&directives.sockets) {
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        input.push(SourceKind::Socket, format!("socket{number}{port}"), bytes.clone());
    }
    debug_assert_eq!(FILE_SOURCE, crate::programs::directives::FILE);
    input
}

/// One of many changes of an input: some bytes, or its length.
fn changed(input: &Input, number: usize) -> Input {
    let mut input = input.clone();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 1);
    let mut next = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % limit.max(1)
    };
    for source in &mut input.sources {
        let len = source.bytes.len();
        match number % 4 {
            0 => source.bytes.truncate(next(len + 1)),
            1 if len > 0 => source.bytes[next(len)] = next(256) as u8,
            2 if len > 0 => (0..3).for_each(|_| source.bytes[next(len)] = b' ' + next(95) as u8),
            _ if len > 0 => source.bytes[next(len)] ^= 1 << next(8),
            _ => {}
        }
    }
    input
}
