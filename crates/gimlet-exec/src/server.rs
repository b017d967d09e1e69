//! The driver's end of the fork server ([`gimlet_trace::shm::Message`]).
//!
//! A server can vanish at any time: a target may kill its process group, or the
//! kernel may. Then the run ends with what ended the server, and the next run
//! starts another one.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::time::{Duration, Instant};

use gimlet_trace::shm::Message;
use gimlet_trace::trace::Outcome;
use gimlet_trace::FORMAT_VERSION;

use crate::error::ExecError;
use crate::limits::Limits;
use crate::orphans::{self, Pid};
use crate::watch::{outcome_of_status, private_mib, wait_readable, Interrupt};

/// How long the server may take to report a child that was killed.
const REPORT: Duration = Duration::from_secs(5);

/// A started program that waits for orders.
pub struct Server {
    process: Child,
    control: UnixStream,
    interrupt: Interrupt,
}

/// How a run on a server came out.
pub enum Ended {
    /// As this says; `is_server_lost` if the server is gone too.
    Run { outcome: Outcome, is_server_lost: bool },
    /// The server was gone before the run began.
    NotStarted,
}

/// What the control socket gave.
enum Received {
    Message(Message),
    Closed,
    Late,
}

impl Server {
    /// Starts the program and waits until its runtime answers. `launch` makes what to start from the target's end of
    /// the control socket.
    pub fn start(
        launch: impl FnOnce(&UnixStream) -> Result<Child, ExecError>,
        program: &std::path::Path,
        limits: &Limits,
        interrupt: Interrupt,
    ) -> Result<Server, ExecError> {
        let (control, theirs) = UnixStream::pair().map_err(ExecError::io("making a socket"))?;
        let process = launch(&theirs)?;
        drop(theirs);
        let mut server = Server { process, control, interrupt };
        let deadline = Instant::now() + Duration::from_millis(limits.hello_ms);
        match server.receive(deadline, || true)? {
            Received::Message(Message { tag: Message::HELLO, value }) if value == FORMAT_VERSION => Ok(server),
            Received::Message(Message { tag: Message::HELLO, value }) => {
                Err(ExecError::Version { program: program.to_path_buf(), found: value })
            }
            Received::Message(Message { tag: Message::FAILED, value }) => {
                Err(ExecError::RuntimeFailed(io::Error::from_raw_os_error(value as i32)))
            }
            Received::Message(_) => Err(ExecError::Protocol),
            Received::Closed => Err(ExecError::EndedEarly(server.end())),
            Received::Late => Err(ExecError::NoAnswer(limits.hello_ms)),
        }
    }

    pub fn pid(&self) -> Pid {
        self.process.id() as Pid
    }

    /// Lets the server run one child to its end or to a limit; `tick` is called now and then meanwhile.
    pub fn run(&mut self, limits: &Limits, tick: impl Fn()) -> Result<Ended, ExecError> {
        let deadline = Instant::now() + Duration::from_millis(limits.hello_ms);
        if self.send(Message { tag: Message::RUN, value: 0 }).is_err() {
            return Ok(Ended::NotStarted);
        }
        let pid = match self.receive(deadline, || true)? {
            Received::Message(Message { tag: Message::PID, value }) => value as Pid,
            Received::Message(Message { tag: Message::FAILED, value }) => {
                return Err(ExecError::RuntimeFailed(io::Error::from_raw_os_error(value as i32)))
            }
            Received::Message(_) => return Err(ExecError::Protocol),
            Received::Closed => return Ok(Ended::NotStarted),
            Received::Late => return Err(ExecError::NoAnswer(limits.hello_ms)),
        };
        let deadline = Instant::now() + Duration::from_millis(limits.timeout_ms);
        let mut is_too_large = false;
        let received = self.receive(deadline, || {
            tick();
            is_too_large = private_mib(pid).is_some_and(|mib| mib > limits.memory_mib);
            !is_too_large
        });
        let received = match received {
            Err(ExecError::Interrupted) => return self.stop(pid, Outcome::Interrupted),
            received => received?,
        };
        let stopped =
            if is_too_large { Outcome::OutOfMemory(limits.memory_mib) } else { Outcome::TimedOut(limits.timeout_ms) };
        match received {
            Received::Message(message) => finished(message),
            Received::Closed => Ok(Ended::Run { outcome: self.end(), is_server_lost: true }),
            Received::Late => self.stop(pid, stopped),
        }
    }

    /// Kills the child of a run that went over a limit, or that the user does not want any more.
    fn stop(&mut self, pid: Pid, stopped: Outcome) -> Result<Ended, ExecError> {
        if orphans::is_child(self.pid(), pid) {
            orphans::kill(pid);
        }
        // Its end is near, whatever the user wants.
        let interrupt = self.interrupt.take();
        let received = self.receive(Instant::now() + REPORT, || true);
        self.interrupt = interrupt;
        match received? {
            // It ended by itself in the last moment, or by our signal.
            Received::Message(message) => match finished(message)? {
                Ended::Run { outcome: Outcome::Exited(code), .. } => {
                    Ok(Ended::Run { outcome: Outcome::Exited(code), is_server_lost: false })
                }
                _ => Ok(Ended::Run { outcome: stopped, is_server_lost: false }),
            },
            Received::Closed | Received::Late => {
                self.end();
                Ok(Ended::Run { outcome: stopped, is_server_lost: true })
            }
        }
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&message.tag.to_le_bytes());
        bytes[4..].copy_from_slice(&message.value.to_le_bytes());
        self.control.write_all(&bytes)
    }

    /// The next message. `go_on` is asked at every tick; no means the same as the end of the time.
    fn receive(&mut self, deadline: Instant, mut go_on: impl FnMut() -> bool) -> Result<Received, ExecError> {
        let mut bytes = [0; 8];
        let mut len = 0;
        while len < bytes.len() {
            if !wait_readable(self.control.as_fd(), deadline, self.interrupt)? {
                if !go_on() || Instant::now() >= deadline {
                    return Ok(Received::Late);
                }
                continue;
            }
            match self.control.read(&mut bytes[len..]) {
                Ok(0) => return Ok(Received::Closed),
                Ok(n) => len += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(Received::Closed),
            }
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Ok(Received::Message(Message { tag: word(0), value: word(4) }))
    }

    /// Ends the server with all its descendants; says how it ended if it had done so itself.
    pub fn end(&mut self) -> Outcome {
        let pid = self.pid();
        orphans::kill_descendants(pid);
        // A server whose socket has closed is about to end; let it, for its own status. It stays a zombie until
        // `wait`, so the group cannot be another's by now.
        let deadline = Instant::now() + Duration::from_millis(200);
        while !orphans::has_ended(pid) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        orphans::kill_group(pid);
        match self.process.wait() {
            Ok(status) => outcome_of_status(status.into_raw()),
            Err(_) => Outcome::Signalled(libc::SIGKILL),
        }
    }
}

fn finished(message: Message) -> Result<Ended, ExecError> {
    match message.tag {
        Message::STATUS => Ok(Ended::Run { outcome: outcome_of_status(message.value as i32), is_server_lost: false }),
        _ => Err(ExecError::Protocol),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let pid = self.pid();
        if matches!(self.process.try_wait(), Ok(None)) {
            orphans::kill_descendants(pid);
            orphans::kill_group(pid);
            let _ = self.process.wait();
        }
    }
}
