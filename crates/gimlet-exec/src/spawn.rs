//! Starting a process so that it can be traced and, above all, be ended.
//!
//! - It gets a session of its own: the terminal's Ctrl-C does not reach it, and
//!   its process group can be killed.
//! - It adopts the orphans among its descendants (`PR_SET_CHILD_SUBREAPER`,
//!   which survives exec), so that a daemon which left the session is found.
//! - Address randomisation is off and the stack limit finite: the shadow memory
//!   needs that (`gimlet_trace::abi`). Where `personality` is refused the
//!   runtime notices mappings that share shadow memory and says so.
//! - The program's support is told to make time and chance the same in every run
//!   (`fixed.c` of gimlet-cc), unless the user wants the real ones.
//! - No core files: they would contain the shadow memory.
//! - The environment is filled up, so that the stack begins at the same address
//!   in every shell and under every name: paths are told apart by addresses too.
//! - The two descriptors of the protocol get high numbers, out of the way of
//!   programs that count on theirs.
//! - Around all this it is confined, if that is wanted ([`crate::confine`]).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gimlet_trace::shm::DRIVER_ENV;

use crate::confine::{Cell, Entry, Parts, Private};
use crate::error::ExecError;
use crate::lifeline::Lifeline;
use crate::process::Process;
use crate::target::World;

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
    pub confined: Option<Confined<'a>>,
    /// Before it becomes the program, the new process says so here and waits for a byte.
    pub gate: Option<BorrowedFd<'a>>,
    pub world: World,
}

/// How it is confined.
#[derive(Clone, Copy)]
pub struct Confined<'a> {
    pub parts: Parts,
    pub private: &'a Private,
    /// What it may write besides its private folder.
    pub writable: &'a [PathBuf],
    /// Peers are part of its input.
    pub has_sockets: bool,
    pub file_bytes: u64,
}

/// Variables that name files which the twins of a program write.
const WRITTEN_ENV: [&str; 2] = ["GIMLET_EDGES_MAP", "GIMLET_OBSERVATIONS"];

/// Where time and chance are the same in every run, it is 1.
const FIXED_ENV: &str = "GIMLET_FIXED";

/// Fills up the environment.
const PADDING_ENV: &str = "GIMLET_PADDING";

/// Arguments and environment take a multiple of this.
const STACK_BLOCK: usize = 1 << 14;

/// Starts the process.
pub fn spawn(launch: Launch) -> Result<Process, ExecError> {
    let [stdin, stdout, stderr] = launch.stdio;
    // A server is well as the first process, any other program wants one above it.
    let needs_init = launch.driver.is_none();
    let cell = launch.confined.map(|confined| enclose(&confined, &launch.env, needs_init, launch.world)).transpose()?;
    let mut command = Command::new(launch.program);
    command.arg0(launch.name).args(launch.args).stdin(stdin).stdout(stdout).stderr(stderr).env_remove(DRIVER_ENV);
    match launch.world {
        World::Fixed => command.env(FIXED_ENV, "1"),
        World::Real => command.env_remove(FIXED_ENV),
    };
    if let Some(confined) = launch.confined {
        command.env("TMPDIR", confined.private.tmp()).env("PWD", confined.private.place());
    }
    command.envs(launch.env);
    let inherited = match launch.driver {
        None => Vec::new(),
        Some(descriptors) => {
            let moved: Vec<OwnedFd> = descriptors.iter().map(move_high).collect::<Result<_, _>>()?;
            let numbers: Vec<String> = moved.iter().map(|fd| fd.as_raw_fd().to_string()).collect();
            command.env(DRIVER_ENV, numbers.join(":"));
            let padding = padding(&command, launch.name);
            command.env(PADDING_ENV, padding);
            moved
        }
    };
    let numbers: Vec<RawFd> = inherited.iter().map(AsRawFd::as_raw_fd).collect();
    let gate = launch.gate.map(|gate| gate.as_raw_fd());
    let lifeline = Lifeline::of_this_process();
    let Some((entry, number, status)) = cell else {
        // SAFETY: the closure makes system calls only, which are async-signal-safe, and allocates nothing.
        unsafe {
            command.pre_exec(move || {
                prepare_child(&numbers, &lifeline)?;
                wait_at(gate);
                Ok(())
            })
        };
        let child = command.spawn().map_err(ExecError::io("starting the program"))?;
        return Ok(Process::new(child.id() as i32));
    };
    let has_namespaces = entry.has_namespaces();
    // SAFETY: as above, also where the closure returns in a child of the process that it began in.
    unsafe {
        command.pre_exec(move || {
            entry.enter(&lifeline)?;
            prepare_child(&numbers, &lifeline)?;
            wait_at(gate);
            entry.lock()
        })
    };
    let result = command.spawn().map_err(ExecError::io("confining and starting the program"));
    // The closure holds the other ends of the sockets.
    drop(command);
    let report = needs_init.then_some(status);
    if !has_namespaces {
        return result.map(|child| Process::confined(child.id() as i32, false, report));
    }
    match (result, read_number(number)) {
        (Ok(mut child), Some(first)) => {
            child.wait().map_err(ExecError::io("waiting for a process"))?;
            Ok(Process::confined(first, true, report))
        }
        (Ok(_), None) => {
            Err(ExecError::Io { doing: "confining the program", error: io::ErrorKind::UnexpectedEof.into() })
        }
        (Err(error), first) => {
            // It failed after it was made, and has ended.
            if let Some(first) = first {
                Process::confined(first, true, None).end();
            }
            Err(error)
        }
    }
}

/// What is missing for the arguments, the environment and the pointers to them to take a whole number of blocks.
fn padding(command: &Command, name: &OsStr) -> OsString {
    let mut env: BTreeMap<OsString, Option<OsString>> =
        std::env::vars_os().map(|(name, value)| (name, Some(value))).collect();
    env.extend(command.get_envs().map(|(name, value)| (name.to_owned(), value.map(OsStr::to_owned))));
    env.insert(PADDING_ENV.into(), Some(OsString::new()));
    let args = command.get_args().chain([name]);
    let (n_args, arg_bytes) = args.fold((0usize, 0), |(n, bytes), arg| (n + 1, bytes + arg.len() + 1));
    let variables = env.iter().filter_map(|(name, value)| Some(name.len() + value.as_ref()?.len() + 2));
    let (n_variables, env_bytes) = variables.fold((0, 0), |(n, bytes), len| (n + 1, bytes + len));
    // The kernel puts the program's path there as well, and rounds twice to 16 bytes: of texts and of pointers.
    let texts = arg_bytes + env_bytes + command.get_program().len() + 1;
    let pointers = (8 * (n_args + n_variables)).next_multiple_of(16);
    let n_missing = (texts + pointers).next_multiple_of(STACK_BLOCK) - texts - pointers;
    "x".repeat(n_missing).into()
}

/// What the new process will need, and our ends of the sockets that it reports through.
fn enclose(
    confined: &Confined,
    env: &[(&str, OsString)],
    needs_init: bool,
    world: World,
) -> Result<(Entry, UnixStream, UnixStream), ExecError> {
    let value = |name: &&str| match env.iter().find(|(given, _)| given == name) {
        Some((_, value)) => Some(value.clone()),
        None => std::env::var_os(name),
    };
    let mut writable = confined.writable.to_vec();
    writable.extend(WRITTEN_ENV.iter().filter_map(value).map(PathBuf::from));
    let make = || {
        let (number, their_number) = UnixStream::pair()?;
        let (status, their_status) = UnixStream::pair()?;
        let cell = Cell {
            parts: confined.parts,
            private: confined.private,
            writable: &writable,
            has_sockets: confined.has_sockets,
            needs_init,
            file_bytes: confined.file_bytes,
            world,
        };
        Ok((Entry::new(cell, their_number, their_status)?, number, status))
    };
    make().map_err(ExecError::io("preparing to confine the program"))
}

fn read_number(mut from: UnixStream) -> Option<i32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes).ok()?;
    Some(i32::from_ne_bytes(bytes))
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

/// Says that the process is there, and waits until it may go on.
fn wait_at(gate: Option<RawFd>) {
    if let Some(fd) = gate {
        let mut byte = 0u8;
        // SAFETY: one byte of a local variable, out and in; if nobody is there any more there is nothing to wait for.
        unsafe {
            libc::write(fd, (&raw const byte).cast(), 1);
            libc::read(fd, (&raw mut byte).cast(), 1);
        }
    }
}

/// Runs in the new process between fork and exec.
fn prepare_child(inherited: &[RawFd], lifeline: &Lifeline) -> io::Result<()> {
    lifeline.hold();
    // SAFETY: plain system calls; the structures they fill are local.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
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
