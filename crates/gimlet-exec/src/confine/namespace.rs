//! Namespaces: processes, network, IPC and mounts that belong to the target alone.
//!
//! All here runs in a new process before it executes the target, so it makes
//! system calls only and allocates nothing; what it needs is made beforehand.
//!
//! The process that enters does not get into the new PID namespace itself, its
//! next child does, as process 1. So that this child is the driver's to wait
//! for, it is made with `CLONE_PARENT`, and the process that made it ends.
//! Process 1 gets no signal from its own namespace that it does not handle: a
//! fork server is well there, since no run can end it, but a program that calls
//! `abort` is not, and gets a small [`init`] above it.
//!
//! In its own mounts the target sees the whole file system read-only, but for
//! what it may write: that also protects what Landlock does not, modes, owners,
//! times and attributes of files. Nothing reaches the mounts of the others,
//! because they are made private first.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::RawFd;

/// How the namespaces are entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Namespaces {
    /// As a user who may: root with its capabilities.
    Privileged,
    /// Within a user namespace, in which the user has the same number.
    User,
}

/// What the target sees of the file system. See [`crate::confine::private`].
pub struct Mounts {
    /// A `/proc` of the new PID namespace.
    pub has_own_proc: bool,
    /// Others than root have nothing to break in their own `/proc`.
    pub is_proc_writable: bool,
    /// What is to be seen at `/dev/shm`.
    pub shared_memory: Option<CString>,
    /// What is to be seen in place of files: first what, then where.
    pub replaced: Vec<(CString, CString)>,
    /// Where all is seen once more.
    pub mirror: CString,
    /// The current directory, and where in the mirror it is.
    pub work: CString,
    pub place: CString,
    /// What stays writable besides.
    pub writable: Vec<CString>,
}

/// The lines for the maps of a user namespace.
pub struct Maps {
    uid: CString,
    gid: CString,
}

impl Maps {
    pub fn of_user() -> Maps {
        // SAFETY: plain system calls that cannot fail.
        let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
        let line = |id: u32| CString::new(format!("{id} {id} 1\n")).unwrap_or_default();
        Maps { uid: line(uid), gid: line(gid) }
    }
}

pub fn check(result: libc::c_int) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Enters the namespaces; that of processes is for the next child.
pub fn enter(namespaces: Namespaces, maps: &Maps) -> io::Result<()> {
    let user = if namespaces == Namespaces::User { libc::CLONE_NEWUSER } else { 0 };
    let all = user | libc::CLONE_NEWPID | libc::CLONE_NEWNET | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
    // SAFETY: plain system call in a process with one thread.
    check(unsafe { libc::unshare(all) })?;
    if namespaces == Namespaces::User {
        write_file(c"/proc/self/setgroups", c"deny")?;
        write_file(c"/proc/self/uid_map", &maps.uid)?;
        write_file(c"/proc/self/gid_map", &maps.gid)?;
    }
    Ok(())
}

fn write_file(path: &CStr, text: &CStr) -> io::Result<()> {
    let len = text.to_bytes().len();
    // SAFETY: the strings end with zero; the descriptor is new.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let is_written = libc::write(fd, text.as_ptr().cast(), len) == len as isize;
        let error = io::Error::last_os_error();
        libc::close(fd);
        if is_written {
            Ok(())
        } else {
            Err(error)
        }
    }
}

/// Becomes process 1 of the new PID namespace, a child of this process's parent. Its number goes into `report`.
pub fn become_first(report: RawFd) -> io::Result<()> {
    let no_stack = std::ptr::null::<u8>();
    // SAFETY: as fork, in a process with one thread; the other arguments are for flags that are not set.
    unsafe {
        let child = libc::syscall(libc::SYS_clone, libc::CLONE_PARENT | libc::SIGCHLD, no_stack, 0, 0, 0) as i32;
        if child < 0 {
            return Err(io::Error::last_os_error());
        }
        if child > 0 {
            let is_told = libc::write(report, (&raw const child).cast(), size_of::<i32>()) == size_of::<i32>() as isize;
            libc::_exit(if is_told { 0 } else { 1 });
        }
    }
    Ok(())
}

/// The rest of the life of a process that sees to the program: waits for it and tells its status. As process 1 of a
/// namespace it then takes all others with it; otherwise it keeps them, as their parent, until the driver has come.
pub fn init(program: libc::pid_t, report: RawFd, is_first: bool) -> ! {
    // SAFETY: plain system calls on descriptors of this process.
    unsafe {
        libc::dup2(report, 0);
        close_from(1);
        let mut status = 0;
        loop {
            let ended = libc::waitpid(-1, &mut status, 0);
            if ended == program {
                libc::write(0, (&raw const status).cast(), size_of::<i32>());
                if is_first {
                    libc::_exit(0);
                }
            }
            if ended < 0 && io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                // Nobody is left.
                libc::_exit(0);
            }
        }
    }
}

/// Closes all descriptors from this number on.
unsafe fn close_from(first: u32) {
    const MAX: u64 = 1 << 16;
    // SAFETY: the caller uses none of them again.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) == 0 {
            return;
        }
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        for fd in first..limit.rlim_cur.min(MAX) as u32 {
            libc::close(fd as RawFd);
        }
    }
}

fn mount(from: Option<&CStr>, at: &CStr, kind: Option<&CStr>, flags: libc::c_ulong) -> io::Result<()> {
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: strings that end with zero, or null where the call takes that.
    check(unsafe { libc::mount(pointer(from), at.as_ptr(), pointer(kind), flags, std::ptr::null()) })
}

fn set_read_only(at: &CStr, is_read_only: bool, flags: libc::c_int) -> io::Result<()> {
    // SAFETY: integers only.
    let mut attributes: libc::mount_attr = unsafe { std::mem::zeroed() };
    if is_read_only {
        attributes.attr_set = libc::MOUNT_ATTR_RDONLY;
    } else {
        attributes.attr_clr = libc::MOUNT_ATTR_RDONLY;
    }
    let len = size_of::<libc::mount_attr>();
    // SAFETY: the path ends with zero; the structure is local.
    let result =
        unsafe { libc::syscall(libc::SYS_mount_setattr, libc::AT_FDCWD, at.as_ptr(), flags, &attributes, len) };
    check(result as libc::c_int)
}

/// No change of mounts shall leave the namespace, nor come in.
pub fn make_mounts_private() -> io::Result<()> {
    mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE)
}

pub fn mount_proc() -> io::Result<()> {
    mount(Some(c"proc"), c"/proc", Some(c"proc"), libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC)
}

pub fn make_read_only() -> io::Result<()> {
    set_read_only(c"/", true, libc::AT_RECURSIVE)
}

impl Mounts {
    /// Makes the mounts; they are private already.
    pub fn make(&self) -> io::Result<()> {
        if self.has_own_proc {
            mount_proc()?;
        }
        if let Some(from) = &self.shared_memory {
            mount(Some(from), c"/dev/shm", None, libc::MS_BIND)?;
        }
        for (from, at) in &self.replaced {
            mount(Some(from), at, None, libc::MS_BIND)?;
        }
        mount(Some(c"/"), &self.mirror, None, libc::MS_BIND | libc::MS_REC)?;
        mount(Some(&self.work), &self.place, None, libc::MS_BIND)?;
        for path in &self.writable {
            mount(Some(path), path, None, libc::MS_BIND)?;
        }
        make_read_only()?;
        for path in self.writable.iter().chain([&self.place]) {
            set_read_only(path, false, 0)?;
        }
        if self.shared_memory.is_some() {
            set_read_only(c"/dev/shm", false, 0)?;
        }
        if self.has_own_proc && self.is_proc_writable {
            set_read_only(c"/proc", false, 0)?;
        }
        Ok(())
    }
}

/// Switches the loopback device of the new network on: programs bind to its address.
pub fn raise_loopback() {
    // SAFETY: the structure is local and names a device; the descriptor is new.
    unsafe {
        let fd = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return;
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
        libc::ioctl(fd, libc::SIOCSIFFLAGS, &request);
        libc::close(fd);
    }
}

/// What is left of root's capabilities: changing files that it may write, becoming another user, low ports.
/// CHOWN, DAC_OVERRIDE, FOWNER, FSETID, SETGID, SETUID, NET_BIND_SERVICE.
const KEPT_CAPABILITIES: [libc::c_ulong; 7] = [0, 1, 3, 4, 6, 7, 10];

/// Takes away what root could do to the machine. Executing a program as another user leaves no capabilities anyway.
pub fn drop_capabilities() {
    const PR_CAP_AMBIENT: libc::c_int = 47;
    const CLEAR_ALL: libc::c_ulong = 4;
    const VERSION: u32 = 0x2008_0522;
    // SAFETY: plain system calls; the structures are local.
    unsafe {
        libc::prctl(PR_CAP_AMBIENT, CLEAR_ALL, 0, 0, 0);
        for capability in (0..64).filter(|capability| !KEPT_CAPABILITIES.contains(capability)) {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        // Effective, permitted and inheritable, two times 32 bits of each. Inheritable ones survive root's exec.
        let header = [VERSION, 0];
        let mut sets = [[0u32; 3]; 2];
        if libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) == 0 {
            sets[0][2] = 0;
            sets[1][2] = 0;
            libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr());
        }
    }
}
