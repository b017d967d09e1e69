//! Interrupts: Ctrl-C and `kill` leave no temporary files and no half-made output.
//!
//! A signal's handler writes its number to a pipe, at whose other end a thread
//! waits. That thread ends the commands that run, removes what is registered
//! here, and lets the signal do what it would have done. Whoever registers waits
//! for the lock, which the thread keeps: nothing new begins.
//!
//! A command that takes nothing from the terminal has a process group of its
//! own, because clang does not end the linker that it has started.
#![allow(unsafe_code)]

use std::io::Read;
use std::mem::MaybeUninit;
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, thread};

use anyhow::{Context, Result};
use gimlet_trace::status::BY_SIGNAL;

struct Registry {
    /// The commands that run, as `kill` takes them: negative for a process group.
    commands: Vec<libc::pid_t>,
    /// Files in the making, and temporary directories.
    paths: Vec<PathBuf>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { commands: Vec::new(), paths: Vec::new() });

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of the pipe that handlers write to.
static TOLD: AtomicI32 = AtomicI32::new(-1);

extern "C" fn tell(signal: libc::c_int) {
    let number = signal as u8;
    // SAFETY: `write` may be called in a handler, and the byte is local.
    unsafe { libc::write(TOLD.load(Ordering::Relaxed), std::ptr::addr_of!(number).cast(), 1) };
}

/// Begins to wait for signals.
pub fn watch() {
    let mut pipe = [0; 2];
    // SAFETY: the call fills both descriptors; the file owns the one that it reads.
    let mut told = unsafe {
        if libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return;
        }
        fs::File::from_raw_fd(pipe[0])
    };
    TOLD.store(pipe[1], Ordering::Relaxed);
    thread::spawn(move || {
        let mut number = [0];
        if told.read_exact(&mut number).is_ok() {
            end(number[0].into());
        }
    });
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler makes one system call; the structures are local and initialised.
        unsafe {
            let mut old = MaybeUninit::<libc::sigaction>::zeroed();
            // Shells that run us in the background, and nohup, want it ignored.
            if libc::sigaction(signal, std::ptr::null(), old.as_mut_ptr()) != 0
                || old.assume_init().sa_sigaction == libc::SIG_IGN
            {
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = tell as extern "C" fn(libc::c_int) as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

fn end(signal: libc::c_int) -> ! {
    let registry = registry();
    for &command in &registry.commands {
        let child = command.unsigned_abs();
        // SAFETY: plain system calls. The children are waited for but not reaped, so their numbers stay theirs.
        unsafe {
            libc::kill(command, libc::SIGTERM);
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
            libc::waitid(libc::P_PID, child, info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT);
            libc::kill(command, libc::SIGKILL);
        }
    }
    for path in &registry.paths {
        // What is not there need not go.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    // SAFETY: the process ends here, as it would have without us.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
        libc::_exit(i32::from(BY_SIGNAL) + signal)
    }
}

/// Where a command runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a process group of its own, away from the terminal.
    Apart,
    /// Where we are: it may read from the terminal.
    Here,
}

/// Starts a command.
pub fn spawn(command: &mut Command, place: Place) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    let mut registry = registry();
    if place == Place::Apart {
        command.process_group(0);
    }
    let child = command.spawn()?;
    let number = child.id() as libc::pid_t;
    registry.commands.push(if place == Place::Apart { -number } else { number });
    Ok(child)
}

/// Waits for a command to end.
pub fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let status = child.wait();
    let number = child.id();
    registry().commands.retain(|command| command.unsigned_abs() != number);
    status
}

/// Ends a command with all its processes.
pub fn kill(child: &Child) {
    // SAFETY: a child that was not reaped still has its number.
    unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
}

/// A file or directory that an interrupt removes, as long as this lives.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Registers `path`; devices stay.
    pub fn new(path: &Path) -> Unfinished {
        let is_device = path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if !is_device {
            registry().paths.push(path.into());
        }
        Unfinished(path.into())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut registry = registry();
        if let Some(index) = registry.paths.iter().position(|path| *path == self.0) {
            registry.paths.swap_remove(index);
        }
    }
}

/// A temporary directory that goes when this does, or with an interrupt.
#[derive(Debug)]
pub struct TempDir {
    // dropped in this order
    dir: tempfile::TempDir,
    _unfinished: Unfinished,
}

impl TempDir {
    pub fn new() -> Result<TempDir> {
        let mut registry = registry();
        let dir = tempfile::Builder::new().prefix("gimlet-cc-").tempdir();
        let dir = dir.context("can't make a temporary directory")?;
        registry.paths.push(dir.path().into());
        let unfinished = Unfinished(dir.path().into());
        Ok(TempDir { dir, _unfinished: unfinished })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}
