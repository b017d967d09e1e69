//! The steps from a forked process to a confined one.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::filter::{Filter, Network, Policy};
use super::landlock::{Ruleset, ABI_WITH_TRUNCATE};
use super::namespace::{self, Maps, Mounts, Namespaces};
use super::private::Private;
use super::Parts;
use crate::lifeline::Lifeline;
use crate::target::World;

const RANDOM_DEVICES: [&str; 2] = ["/dev/random", "/dev/urandom"];
/// Devices that programs write to without harm.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"];

/// All that the new process needs, made before the fork.
pub struct Entry {
    namespaces: Option<(Namespaces, Maps)>,
    mounts: Option<Mounts>,
    ruleset: Option<Ruleset>,
    filter: Option<Filter>,
    place: CString,
    /// Another process sees to the program, which must not be process 1.
    needs_init: bool,
    file_bytes: u64,
    /// Where the number of process 1 is told, and the status of the program below it.
    number: UnixStream,
    status: UnixStream,
}

/// What is to be confined.
pub struct Cell<'a> {
    pub parts: Parts,
    pub private: &'a Private,
    /// What it may write besides its private folder, if it is there.
    pub writable: &'a [PathBuf],
    /// Peers are part of its input.
    pub has_sockets: bool,
    pub needs_init: bool,
    pub file_bytes: u64,
    pub world: World,
}

fn c_string(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

impl Entry {
    pub fn new(cell: Cell, number: UnixStream, status: UnixStream) -> io::Result<Entry> {
        let parts = cell.parts;
        let private = cell.private;
        let files = private.files();
        let mut writable = vec![private.tmp(), &files];
        writable.extend(cell.writable.iter().map(PathBuf::as_path).filter(|path| path.exists()));
        let mounts = match parts.has_mounts() {
            true => Some(mounts(&cell, &writable)?),
            false => None,
        };
        let ruleset = match parts.landlock_abi {
            0 => None,
            abi => Some(ruleset(abi, parts.namespaces.is_some(), private, &writable)?),
        };
        // SAFETY: plain system call that cannot fail.
        let driver = unsafe { libc::getpid() };
        let policy = Policy {
            network: match (parts.namespaces, cell.has_sockets) {
                (None, _) => Network::Shared,
                (Some(_), true) => Network::Modelled,
                (Some(_), false) => Network::Own,
            },
            has_protected_metadata: mounts.is_some(),
            has_protected_length: mounts.is_some() || parts.landlock_abi >= ABI_WITH_TRUNCATE,
            has_protected_memory: parts.namespaces.is_some() || parts.landlock_abi > 0,
            has_protected_processes: parts.namespaces.is_some() || parts.has_signal_scope(),
            driver,
        };
        Ok(Entry {
            namespaces: parts.namespaces.map(|namespaces| (namespaces, Maps::of_user())),
            mounts,
            ruleset,
            filter: parts.has_filter.then(|| Filter::new(policy)),
            place: c_string(private.place())?,
            needs_init: cell.needs_init,
            file_bytes: cell.file_bytes,
            number,
            status,
        })
    }

    pub fn has_namespaces(&self) -> bool {
        self.namespaces.is_some()
    }

    /// First: the namespaces, and a process that sees to the program. Returns in another process than the one that
    /// calls, if there are any.
    pub fn enter(&self, lifeline: &Lifeline) -> io::Result<()> {
        if let Some((namespaces, maps)) = &self.namespaces {
            namespace::enter(*namespaces, maps)?;
            namespace::become_first(self.number.as_raw_fd())?;
            namespace::make_mounts_private()?;
            if let Some(mounts) = &self.mounts {
                self.make(mounts)?;
            }
            namespace::raise_loopback();
        }
        if self.needs_init {
            fork_from_init(self.status.as_raw_fd(), self.has_namespaces(), lifeline)?;
        }
        Ok(())
    }

    fn make(&self, mounts: &Mounts) -> io::Result<()> {
        mounts.make()?;
        match &self.ruleset {
            Some(ruleset) if mounts.has_own_proc && mounts.is_proc_writable => ruleset.allow_directory(c"/proc"),
            _ => Ok(()),
        }
    }

    /// Last, before the program is executed: what takes rights away.
    pub fn lock(&self) -> io::Result<()> {
        let limit = libc::rlimit { rlim_cur: self.file_bytes, rlim_max: self.file_bytes };
        // SAFETY: plain system calls with local structures.
        unsafe {
            namespace::check(libc::chdir(self.place.as_ptr()))?;
            libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
            namespace::drop_capabilities();
            if self.ruleset.is_some() || self.filter.is_some() {
                namespace::check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            }
        }
        self.ruleset.as_ref().map_or(Ok(()), Ruleset::restrict_self)?;
        self.filter.as_ref().map_or(Ok(()), Filter::install)
    }
}

fn mounts(cell: &Cell, writable: &[&Path]) -> io::Result<Mounts> {
    let Cell { parts, private, world, .. } = *cell;
    let has_shared_memory = Path::new("/dev/shm").is_dir();
    let random = match world {
        World::Fixed => RANDOM_DEVICES.iter().map(Path::new).filter(|device| device.exists()).collect(),
        World::Real => Vec::new(),
    };
    let replaced = random.into_iter().map(|device| Ok((c_string(&private.random())?, c_string(device)?)));
    Ok(Mounts {
        replaced: replaced.collect::<io::Result<_>>()?,
        mirror: c_string(&private.mirror())?,
        work: c_string(private.work())?,
        place: c_string(private.place())?,
        writable: writable.iter().map(|path| c_string(path)).collect::<Result<_, _>>()?,
        shared_memory: if has_shared_memory { Some(c_string(private.shm())?) } else { None },
        has_own_proc: parts.has_own_proc,
        // SAFETY: plain system call that cannot fail.
        is_proc_writable: unsafe { libc::geteuid() } != 0,
    })
}

fn ruleset(abi: u32, has_network: bool, private: &Private, writable: &[&Path]) -> io::Result<Ruleset> {
    let ruleset = Ruleset::new(abi, has_network)?;
    writable.iter().try_for_each(|path| ruleset.allow(path))?;
    ruleset.allow(private.work())?;
    ruleset.allow(private.shm())?;
    DEVICES.iter().map(Path::new).filter(|device| device.exists()).try_for_each(|device| ruleset.allow(device))?;
    // Where its output goes anyway it may go by name, too: /dev/stdout.
    [libc::STDOUT_FILENO, libc::STDERR_FILENO].into_iter().for_each(|fd| ruleset.allow_descriptor(fd));
    Ok(ruleset)
}

/// This process stays behind and sees to the new one, which is the program.
fn fork_from_init(status: RawFd, is_first: bool, lifeline: &Lifeline) -> io::Result<()> {
    lifeline.hold();
    // SAFETY: this process has one thread; what it does after the fork are system calls.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(()),
            program => namespace::init(program, status, is_first),
        }
    }
}
