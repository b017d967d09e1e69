//! Clang and the LLVM tools beside it, and how they are started.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use anyhow::{anyhow, Context, Result};
use tempfile::NamedTempFile;

use crate::layout::Layout;
use crate::{response, Language};

/// Environment variable that names another clang.
const CLANG_ENV: &str = "GIMLET_CLANG";
const CLANG: &str = "clang-19";
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
}

impl Toolchain {
    /// Finds clang.
    pub fn find(language: Language) -> Result<Toolchain> {
        let chosen = std::env::var_os(CLANG_ENV).filter(|name| !name.is_empty());
        let name = chosen.clone().unwrap_or_else(|| CLANG.into());
        let clang = on_path(&name).ok_or_else(|| match chosen {
            Some(name) => anyhow!("{CLANG_ENV} names {}, which is no program", name.to_string_lossy()),
            None => anyhow!(
                "{CLANG} is not installed: `apt-get install clang-19 llvm-19`, or set {CLANG_ENV} to a clang 19"
            ),
        })?;
        Ok(Toolchain { language, layout: Layout::of_this_program()?, clang })
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
        eprintln!("{}: warning: {message}", self.language.program());
    }
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
    child: Child,
    said: File,
    /// Lives as long as the child may read it.
    _response: Option<NamedTempFile>,
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
        let (mut command, _response) = self.command()?;
        let mut child = self.spawn(&mut command)?;
        let status = child.wait().with_context(|| format!("waiting for {}", self.program.display()))?;
        Ok(exit_code(status))
    }

    /// Starts the command with its output held back.
    pub fn start_quietly(&self) -> Result<Quiet> {
        let said = tempfile::tempfile().context("can't make a temporary file")?;
        let (mut command, response) = self.command()?;
        command.stdout(said.try_clone()?).stderr(said.try_clone()?);
        let child = self.spawn(&mut command)?;
        Ok(Quiet { child, said, _response: response })
    }

    /// Runs the command; an error has what it said.
    pub fn run_quietly(&self) -> Result<()> {
        match self.start_quietly()?.finish()? {
            (0, _) => Ok(()),
            (status, said) => {
                Err(anyhow!("{} ended with status {status}:\n{}", self.program.display(), said.trim_end()))
            }
        }
    }

    fn command(&self) -> Result<(Command, Option<NamedTempFile>)> {
        let mut command = Command::new(&self.program);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if self.stdin.is_some() {
            command.stdin(Stdio::piped());
        }
        if self.args.iter().map(|arg| arg.len() + 1).sum::<usize>() <= ARGS_LEN_MAX {
            command.args(&self.args);
            return Ok((command, None));
        }
        let mut file = NamedTempFile::new().context("can't make a response file")?;
        file.write_all(&response::quote(&self.args)).context("can't write a response file")?;
        let mut at = OsString::from("@");
        at.push(file.path());
        command.arg(at);
        Ok((command, Some(file)))
    }

    fn spawn(&self, command: &mut Command) -> Result<Child> {
        let mut child = command.spawn().with_context(|| format!("can't start {}", self.program.display()))?;
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
    /// Waits; gives the exit status and what the command said.
    pub fn finish(mut self) -> Result<(u8, String)> {
        use std::io::{Read, Seek};
        let status = self.child.wait()?;
        let mut said = Vec::new();
        self.said.rewind()?;
        self.said.read_to_end(&mut said)?;
        Ok((exit_code(status), String::from_utf8_lossy(&said).into_owned()))
    }

    /// Ends a command whose result nobody needs.
    pub fn cancel(mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As a shell would give it.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
