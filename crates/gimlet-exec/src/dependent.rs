//! Processes of our own that do not outlive us, however we end.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use crate::cores;

/// Starts a process that is killed when this one is gone. The thread that calls this has to live as long as the process.
/// It has a session of its own: what the terminal tells all processes comes to it through us, and once. With a core it
/// keeps to that one.
pub fn spawn(command: &mut Command, core: Option<usize>) -> io::Result<Child> {
    let parent = std::process::id() as libc::pid_t;
    let prepare = move || {
        // SAFETY: plain system calls.
        unsafe { libc::setsid() };
        // It works without.
        let _ = core.map(cores::bind);
        // SAFETY: plain system calls.
        let is_there = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) == 0 && libc::getppid() == parent };
        // Whoever was to be told may have ended meanwhile.
        if is_there {
            Ok(())
        } else {
            Err(io::ErrorKind::Interrupted.into())
        }
    };
    // SAFETY: between fork and exec there are system calls only; the error has no allocation.
    unsafe { command.pre_exec(prepare) };
    command.spawn()
}

/// Asks a process to end, as Ctrl-C does.
pub fn ask_to_end(child: &Child) {
    signal(child, libc::SIGTERM);
}

/// Makes a process wait, or go on.
pub fn pause(child: &Child, is_paused: bool) {
    signal(child, if is_paused { libc::SIGSTOP } else { libc::SIGCONT });
}

/// `child` has not been waited for, so that the number is still its own.
fn signal(child: &Child, signal: libc::c_int) {
    // SAFETY: plain system call.
    unsafe { libc::kill(child.id() as libc::pid_t, signal) };
}
