//! Who uses a folder: a lock on a file in it. The kernel takes it away when its process ends, however that ends, and
//! knows who has it; processes that are forked off do not have it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Held as long as it is there. Closing the file anywhere in this process would give it up.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum LockError {
    /// Another process has it.
    Held {
        pid: i32,
    },
    Io(io::Error),
}

impl Lock {
    /// Locks a file, which is made if it is not there.
    pub fn take(path: &Path) -> Result<Lock, LockError> {
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).read(true).open(path).map_err(LockError::Io)?;
        let mut whole = whole_file();
        // SAFETY: the structure is local and initialised; the descriptor is open.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &whole) } == 0 {
            return Ok(Lock { _file: file });
        }
        let error = io::Error::last_os_error();
        if !matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) {
            return Err(LockError::Io(error));
        }
        // SAFETY: as above; the kernel writes into the structure.
        match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &mut whole) } {
            0 => Err(LockError::Held { pid: whole.l_pid }),
            _ => Err(LockError::Io(io::Error::last_os_error())),
        }
    }

    /// The other process that has the lock, if one has; not above zero if it is one that cannot be named here.
    pub fn holder(path: &Path) -> Option<i32> {
        let file = File::open(path).ok()?;
        let mut whole = whole_file();
        // SAFETY: the structure is local and initialised, the kernel writes into it; the descriptor is open.
        let asked = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &mut whole) };
        (asked == 0 && i32::from(whole.l_type) != libc::F_UNLCK).then_some(whole.l_pid)
    }
}

fn whole_file() -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    }
}
