//! Waiting with an eye on the clock, on what is used and on Ctrl-C.

use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gimlet_trace::trace::Outcome;

use crate::confine::Private;
use crate::error::ExecError;
use crate::limits::Limits;
use crate::orphans::{descendants, Pid};

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

/// What a run used too much of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    Memory,
    Processes,
    /// It has a private folder, and more in it than it may.
    Disk,
}

impl Excess {
    /// How a run that was stopped for this has come out.
    pub fn outcome(self, limits: &Limits) -> Outcome {
        match self {
            Excess::Memory => Outcome::OutOfMemory(limits.memory_mib),
            Excess::Processes => Outcome::Signalled(libc::SIGKILL),
            // As where the kernel sees to it: one file that is too large.
            Excess::Disk => Outcome::Signalled(libc::SIGXFSZ),
        }
    }
}

/// Times the limit that a run may last if it is not its own fault: the processor is busy with others, or it sleeps.
const PATIENCE: u32 = 4;

/// The same if others did not even let it begin to wait: on a machine with very much to do.
const LONGEST_PATIENCE: u32 = 40;

/// Whether a run that began at `start` has had its time: of the processor, or PATIENCE times as much by the clock, without
/// the time in which it could have gone on but others had the processor. `processes` are those of the run.
pub fn is_late(start: Instant, limits: &Limits, processes: impl FnOnce() -> Vec<Pid>) -> bool {
    let (elapsed, limit) = (start.elapsed(), Duration::from_millis(limits.timeout_ms));
    if elapsed < limit {
        return false;
    }
    let processes = processes();
    if processes.iter().copied().map(processor_time).sum::<Duration>() >= limit {
        return true;
    }
    let delay = || processes.iter().copied().map(time_in_queue).max().unwrap_or_default();
    elapsed >= limit * LONGEST_PATIENCE
        || elapsed >= longest_run(limits) && elapsed.saturating_sub(delay()) >= longest_run(limits)
}

/// Time that a process has waited for a processor, if the kernel counts that.
fn time_in_queue(pid: Pid) -> Duration {
    let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    let nanoseconds = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// How long a run lasts at most.
pub fn longest_run(limits: &Limits) -> Duration {
    Duration::from_millis(limits.timeout_ms) * PATIENCE
}

/// Time that a process has had on a processor.
fn processor_time(pid: Pid) -> Duration {
    const TICK: Duration = Duration::from_millis(10);
    let Ok(text) = fs::read(format!("/proc/{pid}/stat")) else { return Duration::ZERO };
    // The name in parentheses may hold anything.
    let end = text.iter().rposition(|&byte| byte == b')').unwrap_or(0);
    let rest = String::from_utf8_lossy(&text[end..]).into_owned();
    let ticks: u32 = rest.split_whitespace().skip(12).take(2).filter_map(|word| word.parse::<u32>().ok()).sum();
    TICK * ticks
}

/// What a process and all below it use too much of.
pub fn excess(root: Pid, limits: &Limits, private: Option<&Private>) -> Option<Excess> {
    let family = descendants(root);
    if family.len() as u64 > limits.processes {
        return Some(Excess::Processes);
    }
    let uses_too_much = |counts: fn(Pid) -> bool| {
        let processes = family.iter().chain([&root]).copied().filter(|&pid| counts(pid));
        processes.filter_map(private_bytes).sum::<u64>() >> 20 > limits.memory_mib
    };
    if uses_too_much(|_| true) && uses_too_much(|pid| !is_driver(pid)) {
        return Some(Excess::Memory);
    }
    private.is_some_and(|private| private.usage() > limits.disk_bytes).then_some(Excess::Disk)
}

/// Whether a process still is what the driver was when it forked: one that watches over the others, or has not come to
/// the program yet. Its memory is the driver's.
fn is_driver(pid: Pid) -> bool {
    // The same file at the same address: one that was executed anew is elsewhere.
    let image = |process: &str| {
        let file = fs::read_link(format!("/proc/{process}/exe")).ok()?;
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
        Some((file, maps.split('-').next()?.to_owned()))
    };
    image("self").is_some_and(|own| image(&pid.to_string()) == Some(own))
}

/// Private memory of a process: what the trace takes is shared and has limits of its own.
pub(crate) fn private_bytes(pid: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut pages = text.split_whitespace().skip(1).map(|word| word.parse::<u64>().ok());
    let (resident, shared) = (pages.next()??, pages.next()??);
    Some(resident.saturating_sub(shared) * 4096)
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
    fn memory_of_the_driver_is_not_the_targets() {
        let limits = Limits { memory_mib: 1, ..Limits::default() };
        let block = vec![1u8; 64 << 20];
        assert_eq!(excess(std::process::id() as Pid, &limits, None), None, "{}", block[5]);
        let script = "x=$(head -c 20000000 /dev/zero | tr '\\0' x); while :; do sleep 1; done";
        let mut hungry = std::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        while excess(hungry.id() as Pid, &limits, None).is_none() {
            assert!(Instant::now() < end, "nobody saw it");
        }
        hungry.kill().unwrap();
        hungry.wait().unwrap();
    }

    #[test]
    fn own_memory_is_seen() {
        let pid = std::process::id() as Pid;
        let before = private_bytes(pid).unwrap();
        let block = vec![1u8; 64 << 20];
        let after = private_bytes(pid).unwrap();
        assert!(after >= before + (60 << 20), "{before} {after} {}", block[5]);
    }
}
