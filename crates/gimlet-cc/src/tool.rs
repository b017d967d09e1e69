//! Clang and the LLVM tools beside it, and how they are started.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use anyhow::{anyhow, bail, ensure, Context, Result};

use crate::interrupt::{self, Place, TempDir};
use crate::layout::Layout;
use crate::{response, Language};

/// Environment variable that names another clang.
const CLANG_ENV: &str = "GIMLET_CLANG";
const CLANG: &str = "clang-19";
/// What every build of clang 19 says of itself.
const VERSION: &str = "clang version 19.";
/// Suffix of the LLVM tools outside LLVM's own directory.
const SUFFIX: &str = "-19";
/// Longer command lines go through a response file; the kernel's limit is 2 MiB with the environment.
const ARGS_LEN_MAX: usize = 512 << 10;

/// The tools of one run.
#[derive(Debug)]
pub struct Toolchain {
    pub language: Language,
    pub layout: Layout,
    clang: PathBuf,
    /// Print no warnings.
    pub is_quiet: bool,
}

impl Toolchain {
    /// Finds clang.
    pub fn find(language: Language) -> Result<Toolchain> {
        let clang = match std::env::var_os(CLANG_ENV).filter(|name| !name.is_empty()) {
            Some(name) => chosen_clang(&name)?,
            None => on_path(OsStr::new(CLANG)).ok_or_else(|| {
                anyhow!(
                    "{CLANG} is not installed: `apt-get install clang-19 llvm-19`, or set {CLANG_ENV} to a clang 19"
                )
            })?,
        };
        Ok(Toolchain { language, layout: Layout::of_this_program()?, clang, is_quiet: false })
    }

    /// Clang with these arguments.
    pub fn clang(&self, args: &[OsString]) -> Invocation {
        let mut invocation = Invocation::new(&self.clang);
        if self.language == Language::Cxx {
            invocation.arg("--driver-mode=g++");
        }
        invocation.args(args);
        invocation
    }

    /// An LLVM tool such as `llvm-ar`: the one beside clang, or that of the same version on the path.
    pub fn llvm(&self, name: &str) -> Result<Invocation> {
        let beside = self.clang.canonicalize().ok().and_then(|clang| Some(clang.parent()?.join(name)));
        let tool = beside.filter(|path| path.is_file()).or_else(|| on_path(OsStr::new(&format!("{name}{SUFFIX}"))));
        let tool = tool.ok_or_else(|| anyhow!("{name}{SUFFIX} is not installed: `apt-get install llvm-19`"))?;
        Ok(Invocation::new(&tool))
    }

    /// Prints a warning in the manner of compilers.
    pub fn warn(&self, message: &str) {
        if !self.is_quiet {
            eprintln!("{}: warning: {message}", self.language.program());
        }
    }
}

/// The clang that the user chose, which is looked at: another program might do anything.
fn chosen_clang(name: &OsStr) -> Result<PathBuf> {
    let shown = name.to_string_lossy();
    let Some(clang) = on_path(name) else { bail!("{CLANG_ENV} names {shown}, which is no program") };
    let resolved = |path: &Path| path.canonicalize().ok();
    let is_this = std::env::current_exe().is_ok_and(|program| resolved(&program) == resolved(&clang));
    ensure!(!is_this, "{CLANG_ENV} names {shown}, which is Gimlet's own compiler: it is for the clang behind it");
    let output = Command::new(&clang).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.with_context(|| format!("{CLANG_ENV} names {shown}, which can't be started"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let line = said.lines().next().unwrap_or("nothing");
    ensure!(
        said.contains(VERSION),
        "{CLANG_ENV} names {shown}, which is no clang 19: asked for its version it says: {line}"
    );
    Ok(clang)
}

fn on_path(name: &OsStr) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let dirs = std::env::var_os("PATH")?;
    std::env::split_paths(&dirs).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// A command that is yet to run.
#[derive(Debug)]
pub struct Invocation {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(&'static str, String)>,
    stdin: Option<Vec<u8>>,
}

/// A command that runs with its output held back.
pub struct Quiet {
    program: PathBuf,
    child: Child,
    said: File,
    /// Lives as long as the child may read it.
    _response: Option<TempDir>,
}

impl Invocation {
    fn new(program: &Path) -> Invocation {
        Invocation { program: program.into(), args: Vec::new(), env: Vec::new(), stdin: None }
    }

    pub fn arg(&mut self, arg: impl Into<OsString>) -> &mut Invocation {
        self.args.push(arg.into());
        self
    }

    pub fn args<A: Into<OsString> + Clone>(&mut self, args: &[A]) -> &mut Invocation {
        self.args.extend(args.iter().cloned().map(Into::into));
        self
    }

    pub fn env(&mut self, name: &'static str, value: String) -> &mut Invocation {
        self.env.push((name, value));
        self
    }

    /// Standard input of the command; without this it has ours.
    pub fn stdin(&mut self, bytes: Vec<u8>) -> &mut Invocation {
        self.stdin = Some(bytes);
        self
    }

    /// Runs the command, which says what it has to say; gives its exit status.
    pub fn run(&self) -> Result<u8> {
        self.run_at(Place::Apart)
    }

    /// The same for a command that may ask the terminal.
    pub fn run_here(&self) -> Result<u8> {
        self.run_at(Place::Here)
    }

    fn run_at(&self, place: Place) -> Result<u8> {
        let (mut command, _response) = self.command(place)?;
        let mut child = self.spawn(&mut command, place)?;
        let status = interrupt::wait(&mut child).with_context(|| format!("waiting for {}", self.program.display()))?;
        Ok(exit_code(status))
    }

    /// Starts the command with its output held back.
    pub fn start_quietly(&self) -> Result<Quiet> {
        let said = tempfile::tempfile().context("can't make a temporary file")?;
        let (mut command, response) = self.command(Place::Apart)?;
        command.stdout(said.try_clone()?).stderr(said.try_clone()?);
        let child = self.spawn(&mut command, Place::Apart)?;
        Ok(Quiet { program: self.program.clone(), child, said, _response: response })
    }

    /// Runs the command; an error has what it said.
    pub fn run_quietly(&self) -> Result<()> {
        self.start_quietly()?.finish()
    }

    fn command(&self, place: Place) -> Result<(Command, Option<TempDir>)> {
        let mut command = Command::new(&self.program);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        match (&self.stdin, place) {
            (Some(_), _) => command.stdin(Stdio::piped()),
            (None, Place::Apart) => command.stdin(Stdio::null()),
            (None, Place::Here) => &mut command,
        };
        if self.args.iter().map(|arg| arg.len() + 1).sum::<usize>() <= ARGS_LEN_MAX {
            command.args(&self.args);
            return Ok((command, None));
        }
        let dir = TempDir::new()?;
        let file = dir.path().join("arguments");
        std::fs::write(&file, response::quote(&self.args)).context("can't write a response file")?;
        let mut at = OsString::from("@");
        at.push(file);
        command.arg(at);
        Ok((command, Some(dir)))
    }

    fn spawn(&self, command: &mut Command, place: Place) -> Result<Child> {
        let child = interrupt::spawn(command, place);
        let mut child = child.with_context(|| format!("can't start {}", self.program.display()))?;
        if let (Some(bytes), Some(mut pipe)) = (self.stdin.clone(), child.stdin.take()) {
            // A command that fails early closes its end: not our error.
            thread::spawn(move || match pipe.write_all(&bytes) {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    eprintln!("gimlet-cc: warning: standard input: {error}")
                }
                _ => {}
            });
        }
        Ok(child)
    }
}

impl Quiet {
    /// Waits; an error has what the command said.
    pub fn finish(mut self) -> Result<()> {
        use std::io::{Read, Seek};
        let status = exit_code(interrupt::wait(&mut self.child)?);
        if status == 0 {
            return Ok(());
        }
        let mut said = Vec::new();
        self.said.rewind()?;
        self.said.read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said);
        let is_incomplete = said.contains("libclang_rt.");
        let hint = if is_incomplete { "\nhint: `apt-get install libclang-rt-19-dev`" } else { "" };
        bail!("{} ended with status {status}:\n{}{hint}", self.program.display(), said.trim_end())
    }

    /// Ends a command whose result nobody needs.
    pub fn cancel(mut self) {
        interrupt::kill(&self.child);
        // Fails only if it was waited for already.
        let _ = interrupt::wait(&mut self.child);
    }
}

/// As a shell would give it.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
