//! Starting a process so that it can be traced and, above all, be ended.
//!
//! - It gets a session of its own: the terminal's Ctrl-C does not reach it, and
//!   its process group can be killed.
//! - It adopts the orphans among its descendants (`PR_SET_CHILD_SUBREAPER`,
//!   which survives exec), so that a daemon which left the session is found.
//! - Address randomisation is off and the stack limit finite: the shadow memory
//!   needs that (`gimlet_trace::abi`). Where `personality` is refused the
//!   runtime notices mappings that share shadow memory and says so.
//! - No core files: they would contain the shadow memory.
//! - The two descriptors of the protocol get high numbers, out of the way of
//!   programs that count on theirs.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use gimlet_trace::shm::DRIVER_ENV;

use crate::error::ExecError;

/// Numbers that descriptors are moved to, the first that the limit of open files allows.
const HIGH_DESCRIPTORS: [RawFd; 4] = [200, 100, 50, 10];

/// Soft stack limit in place of an unlimited one.
const STACK_BYTES: libc::rlim_t = 64 << 20;

/// What to start.
pub struct Launch<'a> {
    pub program: &'a Path,
    /// argv[0], as the user wrote it.
    pub name: &'a OsStr,
    pub args: Vec<OsString>,
    pub stdio: [Stdio; 3],
    /// Added to the environment.
    pub env: Vec<(&'a str, OsString)>,
    /// Shared memory and control socket.
    pub driver: Option<[BorrowedFd<'a>; 2]>,
}

/// Starts the process.
pub fn spawn(launch: Launch) -> Result<Child, ExecError> {
    let [stdin, stdout, stderr] = launch.stdio;
    let mut command = Command::new(launch.program);
    command.arg0(launch.name).args(launch.args).stdin(stdin).stdout(stdout).stderr(stderr).env_remove(DRIVER_ENV);
    command.envs(launch.env);
    let inherited = match launch.driver {
        None => Vec::new(),
        Some(descriptors) => {
            let moved: Vec<OwnedFd> = descriptors.iter().map(move_high).collect::<Result<_, _>>()?;
            let numbers: Vec<String> = moved.iter().map(|fd| fd.as_raw_fd().to_string()).collect();
            command.env(DRIVER_ENV, numbers.join(":"));
            moved
        }
    };
    let numbers: Vec<RawFd> = inherited.iter().map(AsRawFd::as_raw_fd).collect();
    // SAFETY: the closure makes system calls only, which are async-signal-safe, and allocates nothing.
    unsafe { command.pre_exec(move || prepare_child(&numbers)) };
    command.spawn().map_err(ExecError::io("starting the program"))
}

/// A copy of the descriptor with a high number, closed by exec.
fn move_high(descriptor: &BorrowedFd) -> Result<OwnedFd, ExecError> {
    for number in HIGH_DESCRIPTORS {
        // SAFETY: plain system call on an open descriptor.
        let fd = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_DUPFD_CLOEXEC, number) };
        if fd >= 0 {
            // SAFETY: the descriptor is new and ours.
            return Ok(unsafe { OwnedFd::from_raw_fd(fd) });
        }
    }
    Err(ExecError::Io { doing: "copying a descriptor", error: io::Error::last_os_error() })
}

/// Runs in the new process between fork and exec.
fn prepare_child(inherited: &[RawFd]) -> io::Result<()> {
    // SAFETY: plain system calls; the structures they fill are local.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        // Nothing of the target outlives its driver, however that ends.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let persona = libc::personality(0xffff_ffff);
        if persona >= 0 {
            libc::personality(persona as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        }
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_STACK, &mut limit) == 0 && limit.rlim_cur == libc::RLIM_INFINITY {
            limit.rlim_cur = STACK_BYTES;
            libc::setrlimit(libc::RLIMIT_STACK, &limit);
        }
        if libc::getrlimit(libc::RLIMIT_CORE, &mut limit) == 0 {
            limit.rlim_cur = 0;
            libc::setrlimit(libc::RLIMIT_CORE, &limit);
        }
        for &fd in inherited {
            if libc::fcntl(fd, libc::F_SETFD, 0) < 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}
