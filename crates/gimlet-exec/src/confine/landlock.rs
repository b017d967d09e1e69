//! Landlock: which directories a process may write to, whatever its user may.
//!
//! A rule belongs to an inode, so rules can be made here and be in force in a
//! process that sees the same files under other mounts. All rights to change
//! files that the kernel knows are handled, none to read or execute.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const CREATE_RULESET_VERSION: u32 = 1;
const RULE_PATH_BENEATH: u32 = 1;

/// Rights on files, as bits of the kernel's interface.
mod right {
    pub const WRITE_FILE: u64 = 1 << 1;
    /// REMOVE_DIR, REMOVE_FILE, and MAKE_CHAR to MAKE_SYM.
    pub const CHANGE_DIRECTORY: u64 = 0x1ff0;
    pub const REFER: u64 = 1 << 13;
    pub const TRUNCATE: u64 = 1 << 14;
    pub const IOCTL_DEV: u64 = 1 << 15;
    /// Rights that a file has, not only a directory.
    pub const OF_FILES: u64 = WRITE_FILE | TRUNCATE | IOCTL_DEV;
}
const BIND_AND_CONNECT_TCP: u64 = 3;
const ABSTRACT_SOCKETS_AND_SIGNALS: u64 = 3;

/// The first version of the interface that has it.
pub const ABI_WITH_TRUNCATE: u32 = 3;
pub const ABI_WITH_TCP: u32 = 4;
pub const ABI_WITH_SCOPES: u32 = 6;

#[repr(C)]
struct RulesetAttributes {
    handled_files: u64,
    handled_network: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: RawFd,
}

/// What the kernel has, 0 for nothing.
pub fn abi() -> u32 {
    // SAFETY: without a structure the call only asks for the version.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, CREATE_RULESET_VERSION)
    };
    u32::try_from(version).unwrap_or(0)
}

/// Rules for one process, not yet in force.
pub struct Ruleset {
    descriptor: OwnedFd,
    handled: u64,
}

impl Ruleset {
    /// Nothing may be written. `has_network` if the process has a network of its own, where it may do what it likes.
    pub fn new(abi: u32, has_network: bool) -> io::Result<Ruleset> {
        let since = |first: u32, rights: u64| if abi >= first { rights } else { 0 };
        let handled = right::WRITE_FILE
            | right::CHANGE_DIRECTORY
            | since(2, right::REFER)
            | since(ABI_WITH_TRUNCATE, right::TRUNCATE)
            | since(5, right::IOCTL_DEV);
        let attributes = RulesetAttributes {
            handled_files: handled,
            handled_network: if has_network { 0 } else { since(ABI_WITH_TCP, BIND_AND_CONNECT_TCP) },
            scoped: since(ABI_WITH_SCOPES, ABSTRACT_SOCKETS_AND_SIGNALS),
        };
        // SAFETY: the structure and its size; a kernel that knows less accepts the zeros at the end.
        let fd =
            unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &attributes, size_of::<RulesetAttributes>(), 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and ours.
        Ok(Ruleset { descriptor: unsafe { OwnedFd::from_raw_fd(fd as RawFd) }, handled })
    }

    /// A file may be written, or a directory and all below it be changed.
    pub fn allow(&self, path: &Path) -> io::Result<()> {
        let file = File::options().read(true).custom_flags(libc::O_PATH).open(path)?;
        let rights = if file.metadata()?.is_dir() { self.handled } else { self.handled & right::OF_FILES };
        self.allow_beneath(file.as_raw_fd(), rights)
    }

    /// As [`Ruleset::allow`] for a directory, in a new process: makes system calls only.
    pub fn allow_directory(&self, path: &CStr) -> io::Result<()> {
        // SAFETY: the path ends with zero; the descriptor is new and closed again.
        unsafe {
            let fd = libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            let result = self.allow_beneath(fd, self.handled);
            libc::close(fd);
            result
        }
    }

    /// What an open descriptor refers to may be written, if it has a place in the file system.
    pub fn allow_descriptor(&self, fd: RawFd) {
        let _ = self.allow_beneath(fd, self.handled & right::OF_FILES);
    }

    fn allow_beneath(&self, parent: RawFd, allowed: u64) -> io::Result<()> {
        let rule = PathBeneath { allowed, parent };
        let ruleset = self.descriptor.as_raw_fd();
        // SAFETY: the structure is local; both descriptors are open.
        match unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// From now on, for this process and all that it starts. Makes one system call; `no_new_privs` must be set.
    pub fn restrict_self(&self) -> io::Result<()> {
        // SAFETY: plain system call.
        match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.descriptor.as_raw_fd(), 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
