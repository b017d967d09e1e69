//! A process that has been started and not been waited for yet.

use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use crate::orphans::{self, Pid};

/// A child of the driver: the program, or a process that is there to see to the program.
pub struct Process {
    pid: Pid,
    /// It is process 1 of a PID namespace: with it all others of the namespace end.
    has_namespace: bool,
    /// It sees to the program, whose status comes through here.
    report: Option<UnixStream>,
    /// What the program ended with, once it has been waited for.
    status: Option<i32>,
}

impl Process {
    /// The program itself.
    pub fn new(pid: Pid) -> Process {
        Process { pid, has_namespace: false, report: None, status: None }
    }

    /// The program, or what sees to it if there is a report, as process 1 of a PID namespace or not.
    pub fn confined(pid: Pid, has_namespace: bool, report: Option<UnixStream>) -> Process {
        Process { pid, has_namespace, report, status: None }
    }

    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Whether the program has ended.
    pub fn has_ended(&self) -> bool {
        match &self.report {
            Some(report) => {
                let mut request = libc::pollfd { fd: report.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one pollfd, which is local.
                unsafe { libc::poll(&mut request, 1, 0) > 0 }
            }
            None => orphans::has_ended(self.pid),
        }
    }

    /// Waits for its end; gives what `waitpid` gives.
    pub fn wait(&mut self) -> io::Result<i32> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let mut status = 0;
        // SAFETY: fills a local integer.
        while unsafe { libc::waitpid(self.pid, &mut status, 0) } < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        let mut bytes = [0; 4];
        if let Some(Ok(())) = self.report.as_mut().map(|report| report.read_exact(&mut bytes)) {
            status = i32::from_ne_bytes(bytes);
        }
        self.status = Some(status);
        Ok(status)
    }

    /// Kills all that it started, as far as they are found.
    pub fn kill_descendants(&self) {
        if !self.has_namespace {
            orphans::kill_descendants(self.pid);
        }
    }

    /// Kills it with all that it started, and waits.
    pub fn end(&mut self) {
        if self.status.is_some() {
            return;
        }
        if self.has_namespace {
            orphans::kill(self.pid);
        } else {
            orphans::kill_descendants(self.pid);
            orphans::kill_group(self.pid);
        }
        let _ = self.wait();
    }

    /// The process that calls itself `own`, as the driver calls it: the two differ in a PID namespace. It must be a
    /// child of this one.
    pub fn find_child(&self, own: Pid) -> Option<Pid> {
        match self.has_namespace {
            false => orphans::is_child(self.pid, own).then_some(own),
            true => orphans::children(self.pid).into_iter().find(|&child| orphans::own_number(child) == Some(own)),
        }
    }
}
