//! Waiting with an eye on the clock, on memory and on Ctrl-C.

use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gimlet_trace::trace::Outcome;

use crate::error::ExecError;
use crate::orphans::Pid;

/// A flag that a signal handler sets when the user wants to stop.
pub type Interrupt = Option<&'static AtomicBool>;

/// How often a running target is looked at.
pub const TICK: Duration = Duration::from_millis(10);

/// Whether the user wants to stop.
pub fn is_interrupted(interrupt: Interrupt) -> bool {
    interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Waits for one tick or until the deadline, whichever is sooner; true if something can be read.
pub fn wait_readable(fd: BorrowedFd, deadline: Instant, interrupt: Interrupt) -> Result<bool, ExecError> {
    if is_interrupted(interrupt) {
        return Err(ExecError::Interrupted);
    }
    let left = deadline.saturating_duration_since(Instant::now()).min(TICK);
    let timeout_ms = left.as_micros().div_ceil(1000) as libc::c_int;
    let mut request = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one pollfd, which is local.
    let ready = unsafe { libc::poll(&mut request, 1, timeout_ms) };
    // An error is a signal: the caller comes back and sees the flag.
    Ok(ready > 0)
}

/// Private memory of a process in MiB: what the trace takes is shared and has limits of its own.
pub fn private_mib(pid: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut pages = text.split_whitespace().skip(1).map(|word| word.parse::<u64>().ok());
    let (resident, shared) = (pages.next()??, pages.next()??);
    Some((resident.saturating_sub(shared) * 4096) >> 20)
}

/// What a `waitpid` status says.
pub fn outcome_of_status(status: i32) -> Outcome {
    if libc::WIFEXITED(status) {
        Outcome::Exited(libc::WEXITSTATUS(status))
    } else {
        Outcome::Signalled(libc::WTERMSIG(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_memory_is_seen() {
        let pid = std::process::id() as Pid;
        let before = private_mib(pid).unwrap();
        let block = vec![1u8; 64 << 20];
        let after = private_mib(pid).unwrap();
        assert!(after >= before + 60, "{before} {after} {}", block[5]);
    }
}
