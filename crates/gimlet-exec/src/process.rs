//! A process that has been started and not been waited for yet.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use crate::orphans::{self, Pid};

/// A child of the driver.
pub struct Process {
    pid: Pid,
    /// It is process 1 of a PID namespace: with it all others of the namespace end. If it is there for a program
    /// below it, the program's status comes through here.
    namespace: Option<UnixStream>,
    /// What it ended with, once it has been waited for.
    status: Option<i32>,
}

impl Process {
    pub fn new(pid: Pid) -> Process {
        Process { pid, namespace: None, status: None }
    }

    pub fn in_namespace(pid: Pid, report: UnixStream) -> Process {
        Process { pid, namespace: Some(report), status: None }
    }

    pub fn pid(&self) -> Pid {
        self.pid
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
        if let Some(Ok(())) = self.namespace.as_mut().map(|report| report.read_exact(&mut bytes)) {
            status = i32::from_ne_bytes(bytes);
        }
        self.status = Some(status);
        Ok(status)
    }

    /// Kills all that it started, as far as they are found.
    pub fn kill_descendants(&self) {
        if self.namespace.is_none() {
            orphans::kill_descendants(self.pid);
        }
    }

    /// Kills it with all that it started, and waits.
    pub fn end(&mut self) {
        if self.status.is_some() {
            return;
        }
        match self.namespace {
            Some(_) => orphans::kill(self.pid),
            None => {
                orphans::kill_descendants(self.pid);
                orphans::kill_group(self.pid);
            }
        }
        let _ = self.wait();
    }

    /// The process that calls itself `own`, as the driver calls it: the two differ in a PID namespace. It must be a
    /// child of this one.
    pub fn find_child(&self, own: Pid) -> Option<Pid> {
        match self.namespace {
            None => orphans::is_child(self.pid, own).then_some(own),
            Some(_) => orphans::children(self.pid).into_iter().find(|&child| orphans::own_number(child) == Some(own)),
        }
    }
}
