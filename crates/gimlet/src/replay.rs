//! `gimlet replay`: the plain build of a program on the same input, without any tracing, or the one that checks accesses to
//! memory, if there is one; or on all tests of a folder.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use gimlet_exec::confine::Confinement;
use gimlet_exec::error::describe;
use gimlet_exec::image::beside;
use gimlet_exec::locate::locate;
use gimlet_exec::{run_plain, Captured, ExecError, Output, TargetOptions, World};
use gimlet_explore::{corpus, findings};
use gimlet_trace::builds::Twin;
use gimlet_trace::{Input, SourceKind};

use crate::exit::{hinted, Verdict};
use crate::interrupt::{self, INTERRUPTED};
use crate::manifest::{self, Manifest};
use crate::options::{ReplayPlan, Subject};
use crate::subject;

pub fn replay(plan: &ReplayPlan) -> Result<Verdict> {
    if plan.subject.program.is_dir() {
        return replay_folder(plan);
    }
    if plan.build.is_some() {
        return Err(hinted("--build needs a folder of tests", "name the build itself: gimlet replay -- PROG.asan"));
    }
    if !plan.subject.program.exists() && plan.subject.args.is_empty() {
        let name = plan.subject.program.display();
        return Err(hinted(
            format!("{name}: no such folder of tests, and no such program"),
            "gimlet run -o OUT makes OUT",
        ));
    }
    replay_input(&plan.subject)
}

fn replay_input(plan: &Subject) -> Result<Verdict> {
    let program = build_of(&plan.program);
    let input = subject::input(plan)?;
    let options = subject::target_options(plan, Output::Capture);
    let run = run_plain(&program, &plan.args, &input, &options).map_err(explained)?;
    if !plan.is_quiet {
        show(&mut io::stdout(), &run.stdout)?;
        show(&mut io::stderr(), &run.stderr)?;
    }
    if findings::is_suspicious(run.outcome) {
        tell_where(&program, plan, &input, &options)?;
    }
    tell!("gimlet: the program {}", describe(run.outcome));
    Ok(if findings::is_suspicious(run.outcome) { Verdict::Found } else { Verdict::Good })
}

/// Says what was wrong with an access to memory, and who was running.
fn tell_where(program: &Path, plan: &Subject, input: &Input, options: &TargetOptions) -> Result<()> {
    let crash = locate(program, &plan.args, input, options).map_err(explained)?;
    if let Some(violation) = &crash.violation {
        tell!("gimlet: {}: {violation}", violation.kind);
    }
    for frame in crash.frames.iter().filter(|frame| frame.is_program) {
        match &frame.file {
            Some(file) => tell!("  {} at {file}:{}", frame.function, frame.line),
            None => tell!("  {}", frame.function),
        }
    }
    Ok(())
}

fn explained(error: ExecError) -> anyhow::Error {
    match error {
        ExecError::Missing(path) => hinted(
            format!("{}: no such program", path.display()),
            "gimlet-cc makes PROG.plain when it links PROG, unless it warns",
        ),
        error => error.into(),
    }
}

/// Runs all tests and findings of a folder, and says which are remarkable.
fn replay_folder(plan: &ReplayPlan) -> Result<Verdict> {
    let folder = &plan.subject.program;
    if !plan.subject.args.is_empty() {
        return Err(hinted("a folder has its own program", "--build PROG runs its tests on another build"));
    }
    let manifest = Manifest::read(folder)?;
    let mut limits = manifest.limits();
    limits.timeout_ms = plan.timeout_ms.unwrap_or(limits.timeout_ms);
    let program = plan.build.clone().unwrap_or_else(|| build_of(manifest.program()));
    let options = TargetOptions {
        limits,
        file_names: manifest.files.clone(),
        world: manifest.world(),
        interrupt: Some(&INTERRUPTED),
        confinement: if plan.is_confined { Confinement::probe() } else { Confinement::Off },
        ..TargetOptions::default()
    };
    let (mut n_tests, mut n_remarkable, layout) = (0, 0, manifest.layout());
    let all = tests(folder)?;
    for path in &all {
        if interrupt::received().is_some() {
            break;
        }
        let input = corpus::read(path, &layout, &manifest.primary)
            .map_err(|error| hinted(format!("cannot read {}: {error}", path.display()), "may you read it?"))?;
        let run = match run_plain(&program, manifest.args(), &input, &options) {
            Err(ExecError::Interrupted) => break,
            run => run.map_err(explained)?,
        };
        n_tests += 1;
        if findings::is_suspicious(run.outcome) {
            n_remarkable += 1;
            say!("{}: {}", path.strip_prefix(folder).unwrap_or(path).display(), describe(run.outcome));
        }
    }
    let build = program.file_name().unwrap_or_default().to_string_lossy();
    if n_tests < all.len() {
        say!(
            "stopped after {n_tests} of {} tests on {build}, {n_remarkable} of them end by a signal or a limit",
            all.len()
        );
        return Ok(if n_remarkable > 0 { Verdict::Found } else { Verdict::Incomplete });
    }
    say!("{n_tests} tests on {build}, {n_remarkable} of them end by a signal or a limit");
    Ok(if n_remarkable > 0 { Verdict::Found } else { Verdict::Good })
}

/// How one input of a folder is run again.
pub struct Again {
    /// The option that its file is for, if that is all there is to an input.
    option: Option<&'static str>,
    /// What else it needs to say.
    world: &'static str,
    command: Vec<OsString>,
    folder: PathBuf,
}

impl Again {
    pub fn new(manifest: &Manifest, folder: &Path) -> Again {
        let option = match manifest.given.sources.as_slice() {
            [source] if source.kind == SourceKind::Stdin => Some("--stdin"),
            [source] if source.kind == SourceKind::File => Some("--file"),
            _ => None,
        };
        let world = match manifest.world() {
            World::Fixed => "",
            World::Real => "--world real ",
        };
        let mut command = vec![manifest.program().as_os_str().to_owned()];
        command.extend(manifest.args().iter().cloned());
        Again { option, world, command, folder: folder.to_owned() }
    }

    /// A line for a shell.
    pub fn command(&self, file: &Path) -> String {
        let word = |word: &OsStr| subject::shell_word(&word.to_string_lossy());
        match self.option {
            Some(option) if !file.is_dir() => {
                let command: Vec<String> = self.command.iter().map(|part| word(part)).collect();
                format!("gimlet replay {option} {} {}-- {}", word(file.as_os_str()), self.world, command.join(" "))
            }
            // Its sources have files of their own, which only the folder has names for.
            _ => format!("gimlet replay {}", word(self.folder.as_os_str())),
        }
    }
}

/// All inputs of a folder of tests.
pub fn tests(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for name in [corpus::QUEUE, corpus::CRASHES, corpus::HANGS] {
        let path = folder.join(name);
        if path.is_dir() {
            all.extend(corpus::tests(&path)?);
        }
    }
    Ok(all)
}

/// The build to run stands beside the program; who names one may mean it.
fn build_of(program: &Path) -> PathBuf {
    if Twin::of_file(&program.to_string_lossy()).is_some() {
        return program.to_owned();
    }
    manifest::replayed(program).unwrap_or_else(|| beside(program, Twin::Plain))
}

fn show(out: &mut impl Write, captured: &Captured) -> io::Result<()> {
    out.write_all(&captured.bytes)?;
    if captured.total_len > captured.bytes.len() as u64 {
        tell!("gimlet: {} more bytes of output are not shown", captured.total_len - captured.bytes.len() as u64);
    }
    out.flush()
}
