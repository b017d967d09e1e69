//! The programs in tests/explore, tests/memory and tests/lengths: what `gimlet run` must find in them, count in them, and survive.
//!
//! Every program is built at -O0 and -O2. Before Gimlet sees it, its directives are held against the plain build: the
//! seed does no harm, and the solution that the file names does what it says. Then `gimlet run` explores it, its
//! summary is compared with the directives, and the input of each finding is replayed on the plain build by code that
//! shares nothing with Gimlet's. Those of tests/memory and tests/lengths are pairs: with a bug, and with FIXED defined
//! without; what they do is seen on the memory build.

mod directives;
mod sources;
mod summary;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use gimlet_exec::image::beside;
use gimlet_trace::builds::Twin;
use gimlet_trace::finding::Kind;
use gimlet_trace::status::Status;

use crate::process::{self, capture, End, Finished, Limits};
use crate::programs::directives::Kept;
use crate::queue::Suite;
use crate::workspace::{self, release, root};
use directives::{end, goes_on, Directives, Exit};
use sources::Sources;
pub use summary::Summary;

/// Which programs are explored, and how.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Where a program names none
    #[arg(long, value_name = "S")]
    strategy: Option<String>,
    /// All programs
    #[arg(long)]
    all: bool,
    /// Programs whose names contain one of these [default: those that take no more than seconds]
    #[arg(conflicts_with = "all")]
    names: Vec<String>,
}

impl Options {
    /// What is to be searched.
    pub fn searches(&self, folders: Folders) -> Result<Searches> {
        let choice = match self.names.as_slice() {
            _ if self.all => Choice::All,
            [] => Choice::Quick,
            names => Choice::Named(names.iter().map(String::as_str).collect()),
        };
        Searches::new(folders, &choice, self.strategy.as_deref())
    }
}

/// Which programs are explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice<'a> {
    /// Those that say QUICK: under three minutes in all.
    Quick,
    All,
    /// Those whose names contain one of these.
    Named(Vec<&'a str>),
}

const LEVELS: &[&str] = &["-O0", "-O2"];
const BUDGET: &str = "60s";
/// Where there is nothing to be found, in the short test: runs, and the time that they may take.
const FIXED_STEPS: u64 = 800;
const FIXED_BUDGET: &str = "4s";
/// Limits of a replay: what hangs or eats memory does so for any limit.
const REPLAY: Limits = Limits { time: Duration::from_secs(30), memory: Some(512 << 20) };
/// What should hang is not waited for that long.
const REPLAY_HANG: Limits = Limits { time: Duration::from_secs(2), ..REPLAY };
const COMPILE_LIMIT: Duration = Duration::from_secs(60);
/// Budgets are kept by `gimlet run` itself; this is for one that does not.
const RUN_LIMIT: Duration = Duration::from_secs(150);

/// Which folders of tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folders {
    Explore,
    Memory,
}

/// The programs to explore, each at every level.
pub struct Searches {
    folders: Folders,
    jobs: Vec<(Program, &'static str)>,
    scratch: PathBuf,
}

impl Searches {
    /// Those that are meant, with this strategy where they name none.
    pub fn new(folders: Folders, choice: &Choice, strategy: Option<&str>) -> Result<Searches> {
        let mut programs = programs(folders, choice)?;
        for program in &mut programs {
            let named = program.directives.strategy.take();
            program.directives.strategy = named.or(strategy.map(str::to_owned));
        }
        // A half without a bug is there for false alarms, and few depend on the level.
        let is_left_out =
            |program: &Program, level: &str| *choice == Choice::Quick && program.is_fixed && level == LEVELS[0];
        let at_levels = |program: Program| LEVELS.iter().map(move |&level| (program.clone(), level));
        let jobs = programs.into_iter().flat_map(at_levels);
        let jobs = jobs.filter(|(program, level)| !is_left_out(program, level)).collect();
        Ok(Searches { folders, jobs, scratch: workspace::scratch(folders.name())? })
    }
}

impl Folders {
    fn name(self) -> &'static str {
        match self {
            Folders::Explore => "explore",
            Folders::Memory => "memory",
        }
    }
}

impl Suite for Searches {
    fn name(&self) -> &str {
        self.folders.name()
    }

    fn jobs(&self) -> Vec<String> {
        self.jobs.iter().map(|(program, level)| format!("{} {level}", program.name)).collect()
    }

    fn run(&self, job: usize) -> Result<String> {
        let (program, level) = &self.jobs[job];
        program.test(level, &self.scratch).map(|summary| row(&summary))
    }
}

/// The programs asked for, by folder and name.
fn programs(folders: Folders, choice: &Choice) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    let names: &[&str] = match folders {
        Folders::Explore => &["explore/bugs", "explore/paths", "explore/hostile"],
        Folders::Memory => &["memory", "lengths"],
    };
    for folder in names {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(root().join("tests").join(folder))?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        entries.sort();
        for path in entries.iter().filter(|path| path.is_dir() || has_extension(path, "c")) {
            let short = folder.trim_start_matches("explore/");
            let program = Program::load(short, path).with_context(|| path.display().to_string())?;
            if folders == Folders::Memory {
                programs.push(program.fixed());
            }
            programs.push(program);
        }
    }
    programs.retain(|program| match choice {
        Choice::Quick => program.directives.is_quick,
        Choice::All => true,
        Choice::Named(names) => names.iter().any(|name| program.name.contains(name)),
    });
    Ok(programs)
}

/// The program of this name, with its bug.
pub fn program(name: &str) -> Result<Program> {
    let choice = Choice::Named(vec![name]);
    let all = [programs(Folders::Explore, &choice)?, programs(Folders::Memory, &choice)?].concat();
    let is_it = |program: &Program| !program.is_fixed && program.name.ends_with(&format!("/{name}"));
    all.into_iter().find(is_it).with_context(|| format!("no program of these tests is called {name}"))
}

/// Pairs that say TEXT, the half with the bug first.
pub fn pairs_of_text(names: &[String]) -> Result<Vec<(Program, Program)>> {
    let named = || Choice::Named(names.iter().map(String::as_str).collect());
    let choice = if names.is_empty() { Choice::All } else { named() };
    let all = programs(Folders::Memory, &choice)?;
    Ok(all
        .into_iter()
        .filter(|program| program.directives.is_text && !program.is_fixed)
        .map(|bad| {
            let fixed = bad.fixed();
            (bad, fixed)
        })
        .collect())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// One program of these tests.
#[derive(Clone)]
pub struct Program {
    /// Folder and name, as in `bugs/magic_word`.
    name: String,
    /// The file with the directives.
    source: PathBuf,
    /// All files, if it is a folder.
    folder: Option<PathBuf>,
    directives: Directives,
    is_hostile: bool,
    /// Of tests/memory or tests/lengths.
    is_pair: bool,
    /// Without its bug.
    is_fixed: bool,
}

impl Program {
    fn load(folder: &str, path: &Path) -> Result<Program> {
        let candidates = if path.is_dir() { workspace::files(path)? } else { vec![path.to_owned()] };
        for source in candidates.into_iter().filter(|source| has_extension(source, "c")) {
            let text = std::fs::read_to_string(&source)?;
            if text.lines().any(|line| line.starts_with("//~")) {
                let is_pair = matches!(folder, "memory" | "lengths");
                let mut directives = Directives::parse(&text)?;
                // What a program does after it has spoilt its memory is nobody's promise.
                directives.may_diverge |= is_pair;
                return Ok(Program {
                    name: format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy()),
                    source,
                    folder: path.is_dir().then(|| path.to_owned()),
                    directives,
                    is_hostile: folder == "hostile",
                    is_pair,
                    is_fixed: false,
                });
            }
        }
        bail!("has no directives")
    }

    /// The other half of a pair, in which there is nothing to be found.
    fn fixed(&self) -> Program {
        let mut directives = self.directives.clone();
        directives.finds.clear();
        directives.here.clear();
        if directives.is_quick {
            directives.steps = Some(FIXED_STEPS);
            directives.budget = Some(FIXED_BUDGET.to_owned());
        }
        Program {
            name: format!("{} fixed", self.name),
            source: self.source.clone(),
            folder: self.folder.clone(),
            directives,
            is_hostile: false,
            is_pair: true,
            is_fixed: true,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Searches it for so long, with these options, and nothing but its inputs of its own.
    pub fn measure(&self, scratch: &Path, scale: u32, budget: &str, options: &[&str]) -> Result<Summary> {
        let scratch = scratch.join(&self.name);
        std::fs::create_dir_all(&scratch)?;
        let program = self.build(&[LEVELS[1], &format!("-DSCALE={scale}")], &scratch)?;
        let summary = scratch.join("summary.json");
        let mut gimlet = Command::new(release("gimlet"));
        gimlet.arg("run").arg("-o").arg(scratch.join("out")).arg("--summary").arg(&summary);
        gimlet.args(["--budget", budget]).args(options);
        if !self.is_fixed {
            gimlet.args(["--stop-after-found", "1"]);
        }
        gimlet.args(self.seed(&scratch)?).arg("--").arg(program).args(&self.directives.inputs.args);
        let finished = capture(&mut gimlet, b"", RUN_LIMIT, &scratch)?;
        Summary::read(&summary).with_context(|| format!("gimlet run: {}", finished.complaint()))
    }

    /// A file beside its source.
    pub fn file(&self, name: &str) -> PathBuf {
        self.source.with_file_name(name)
    }

    /// Builds it as the faster half of the tests does.
    pub fn built(&self, scratch: &Path) -> Result<PathBuf> {
        self.build(&[LEVELS[1]], scratch)
    }

    /// Searches it by a command that lacks only its inputs, if it has any.
    pub fn search_with(&self, mut gimlet: Command, built: &Path, has_seed: bool, scratch: &Path) -> Result<Finished> {
        if has_seed {
            gimlet.args(self.seed(scratch)?);
        }
        gimlet.arg("--").arg(built).args(&self.directives.inputs.args);
        capture(&mut gimlet, b"", RUN_LIMIT, scratch)
    }

    fn test(&self, level: &str, scratch: &Path) -> Result<Summary> {
        let scratch = scratch.join(&self.name).join(level.trim_start_matches('-'));
        std::fs::create_dir_all(&scratch)?;
        let program = self.build(&[level], &scratch)?;
        let plain = beside(&program, if self.is_pair { Twin::Memory } else { Twin::Plain });
        // What is hostile is run by Gimlet only, which confines it.
        if !self.is_hostile {
            self.check_directives(&plain, &scratch)?;
        }
        let out = scratch.join("out");
        let (finished, summary) = self.explore(&program, &out, &scratch)?;
        let mut complaints = summary.complaints(&self.directives, &file_name(&self.source));
        complaints.extend(self.output_complaints(&finished, &summary));
        if !self.is_hostile {
            complaints.extend(self.replay_findings(&summary, &plain, &out, &scratch)?);
        }
        complaints.extend(self.missing_test(&out)?);
        ensure!(complaints.is_empty(), "{}", complaints.join("\n    "));
        Ok(summary)
    }

    fn build(&self, flags: &[&str], scratch: &Path) -> Result<PathBuf> {
        let program = scratch.join("program");
        let mut compiler = Command::new(release("gimlet-cc"));
        compiler.arg("-w").args(flags);
        if self.is_pair {
            compiler.args(["-g", "--with=memory"]);
        }
        if self.is_fixed {
            compiler.arg("-DFIXED");
        }
        match &self.folder {
            None => compiler.arg(&self.source),
            Some(folder) => {
                compiler.arg("-I").arg(folder).arg("-I").arg(scratch).args(generated_and_given(folder, scratch)?)
            }
        };
        compiler.args(&self.directives.inputs.flags).arg("-o").arg(&program);
        let finished = capture(&mut compiler, b"", COMPILE_LIMIT, scratch)?;
        ensure!(finished.is_success() && finished.stderr.is_empty(), "gimlet-cc: {}", finished.complaint());
        Ok(program)
    }

    /// The seed does no harm, and the solution does what is to be found.
    fn check_directives(&self, plain: &Path, scratch: &Path) -> Result<()> {
        let inputs = &self.directives.inputs;
        let mut sources = self.directives.seed();
        let seed = sources.run(plain, inputs, REPLAY, scratch)?;
        ensure!(matches!(seed.end, End::Exit(_)), "the seed ends with {}", seed.end);
        let Some(solution) = &self.directives.solution else { return Ok(()) };
        sources.overlay(solution);
        let Some(expected) = self.directives.finds.first() else {
            let run = sources.run(plain, inputs, REPLAY, scratch)?;
            ensure!(matches!(run.end, End::Exit(_)), "the solution of the other half ends with {}", run.complaint());
            return Ok(());
        };
        let wanted = end(expected.kind);
        let run = sources.run(plain, inputs, limits(wanted), scratch)?;
        let complaint = run.complaint();
        ensure!(is_end(&run, expected.kind), "the solution ends with {complaint}, not {}", expected.kind);
        Ok(())
    }

    fn explore(&self, program: &Path, out: &Path, scratch: &Path) -> Result<(Finished, Summary)> {
        let directives = &self.directives;
        let summary = scratch.join("summary.json");
        let mut gimlet = Command::new(release("gimlet"));
        gimlet.arg("run").arg("-o").arg(out).arg("--summary").arg(&summary);
        gimlet.args(["--budget", directives.budget.as_deref().unwrap_or(BUDGET)]);
        if let Some(strategy) = &directives.strategy {
            gimlet.args(["--strategy", strategy]);
        }
        let mut number = |option: &str, value: Option<u64>| {
            if let Some(value) = value {
                gimlet.args([option, &value.to_string()]);
            }
        };
        number("--len", directives.len.map(|len| len as u64));
        number("--max-len", directives.len_max.map(|len| len as u64));
        number("--steps", directives.steps);
        // Where paths are counted, or something is to be survived, the search goes on.
        let is_for_bugs = !self.is_hostile && directives.is_exhausted.is_none();
        number(
            "--stop-after-found",
            is_for_bugs.then_some(directives.finds.len() as u64).filter(|n_finds| *n_finds > 0),
        );
        gimlet.args(self.options()).args(self.seed(scratch)?).arg("--").arg(program).args(&directives.inputs.args);
        let finished = capture(&mut gimlet, b"", RUN_LIMIT, scratch)?;
        let summary = Summary::read(&summary).with_context(|| format!("gimlet run: {}", finished.complaint()))?;
        Ok((finished, summary))
    }

    /// Its own options: FOLDER is where its files are.
    fn options(&self) -> Vec<String> {
        let folder = self.source.parent().unwrap_or(Path::new("")).display().to_string();
        self.directives.options.iter().map(|option| option.replace("FOLDER", &folder)).collect()
    }

    /// Options that say where the search starts.
    fn seed(&self, scratch: &Path) -> Result<Vec<OsString>> {
        let mut options = self.directives.inputs.options(|kept| match kept {
            Kept::File(name) => scratch.join(format!("input.{name}")),
            Kept::Opened(path) => scratch.join("directory").join(path),
            Kept::Socket(index) => scratch.join(format!("input.socket{index}")),
        });
        if self.directives.len.is_none() {
            let seeds = scratch.join("seeds");
            std::fs::create_dir_all(&seeds)?;
            self.directives.seed().write(&seeds.join("seed"), self.directives.primary())?;
            options.extend(["-i".into(), seeds.into()]);
        }
        Ok(options)
    }

    /// What `gimlet run` should have said, and how it should have ended.
    fn output_complaints(&self, finished: &Finished, summary: &Summary) -> Vec<String> {
        let said = [finished.text(), String::from_utf8_lossy(&finished.stderr).into_owned()].concat();
        let unsaid = self.directives.says.iter().filter(|text| !said.contains(*text));
        let mut complaints: Vec<String> = unsaid.map(|text| format!("does not say {text:?}: {said}")).collect();
        let found = if summary.findings.is_empty() { Status::Good } else { Status::Found };
        let wanted = match self.directives.exit {
            Some(Exit::Status(status)) => vec![status],
            Some(Exit::Any) => vec![Status::Good.code().into(), Status::Found.code().into()],
            None => vec![found.code().into()],
        };
        if !wanted.iter().any(|status| finished.end == End::Exit(*status)) {
            complaints.push(format!("gimlet run ends with {}, not {wanted:?}", finished.complaint()));
        }
        complaints
    }

    /// Every finding's input does on the plain build what the finding says.
    fn replay_findings(&self, summary: &Summary, plain: &Path, out: &Path, scratch: &Path) -> Result<Vec<String>> {
        let mut complaints = Vec::new();
        for finding in &summary.findings {
            let mut sources = self.directives.seed();
            sources.overlay(&Sources::read(&out.join(&finding.input), self.directives.primary())?);
            let run = sources.run(plain, &self.directives.inputs, limits(end(finding.kind)), scratch)?;
            if !is_end(&run, finding.kind) {
                complaints.push(format!("{}: its input ends with {}", finding.text(), run.complaint()));
            }
        }
        Ok(complaints)
    }

    /// The test that must be in the queue, if it is not.
    fn missing_test(&self, out: &Path) -> Result<Option<String>> {
        let Some(wanted) = &self.directives.test else { return Ok(None) };
        for entry in std::fs::read_dir(out.join("queue")).context("there are no tests")? {
            if Sources::read(&entry?.path(), self.directives.primary())?.has_all(wanted) {
                return Ok(None);
            }
        }
        Ok(Some(format!("no test has {wanted:?}")))
    }
}

/// Whether a run ended as a finding of this kind says.
fn is_end(run: &Finished, kind: Kind) -> bool {
    let is_reported = || String::from_utf8_lossy(&run.stderr).contains(&format!("kind: {kind}\n"));
    goes_on(kind) || run.end == end(kind) && (!kind.is_of_memory() || is_reported())
}

/// What a run may use that should end so.
fn limits(end: End) -> Limits {
    if end == End::TimedOut {
        REPLAY_HANG
    } else {
        REPLAY
    }
}

/// The C files of a folder, and those that bison and flex make of it.
fn generated_and_given(folder: &Path, scratch: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for path in workspace::files(folder)? {
        let generated = scratch.join(path.file_stem().unwrap_or_default()).with_extension("c");
        let mut generator = match path.extension().and_then(|extension| extension.to_str()) {
            Some("y") => Command::new("bison"),
            Some("l") => Command::new("flex"),
            Some("c") => {
                sources.push(path);
                continue;
            }
            _ => continue,
        };
        generator.arg("-o").arg(&generated);
        if has_extension(&path, "y") {
            generator.arg(format!("--defines={}", generated.with_extension("h").display()));
        }
        process::run(generator.arg(&path))?;
        sources.push(generated);
    }
    Ok(sources)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The figures of a search.
fn row(summary: &Summary) -> String {
    let findings: Vec<&str> = summary.findings.iter().map(|finding| finding.kind.name()).collect();
    format!(
        "{} runs, {} paths, {} tests, {} queries, {} unknown, {}/{} branches  {}{}",
        summary.n_executions,
        summary.n_paths,
        summary.n_tests,
        summary.n_queries,
        summary.n_unknown,
        summary.branches_covered,
        summary.branches_total,
        findings.join(" "),
        if summary.is_exhausted { " (exhausted)" } else { "" }
    )
}
