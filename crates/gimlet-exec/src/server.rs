//! The driver's end of the fork server ([`gimlet_trace::shm::Message`]).
//!
//! A server can vanish at any time: a target may kill its process group, or the
//! kernel may. Then the run ends with what ended the server, and the next run
//! starts another one.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use gimlet_trace::shm::Message;
use gimlet_trace::trace::Outcome;
use gimlet_trace::FORMAT_VERSION;

use crate::error::ExecError;
use crate::limits::Limits;
use crate::orphans::{self, Pid};
use crate::process::Process;
use crate::watch::{is_late, last_deadline, outcome_of_status, wait_readable, Excess, Interrupt};

/// How long the server may take to report a child that was killed.
const REPORT: Duration = Duration::from_secs(5);

/// A started program that waits for orders.
pub struct Server {
    process: Process,
    control: UnixStream,
    interrupt: Interrupt,
}

/// How a run on a server came out.
pub enum Ended {
    /// As this says; `is_server_lost` if the server is gone too.
    Run { outcome: Outcome, is_server_lost: bool, excess: Option<Excess> },
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
        launch: impl FnOnce(&UnixStream) -> Result<Process, ExecError>,
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
        self.process.pid()
    }

    /// Lets the server run one child to its end or to a limit; `tick` is called now and then meanwhile, and says what
    /// the run has too much of.
    pub fn run(&mut self, limits: &Limits, tick: impl Fn(Pid) -> Option<Excess>) -> Result<Ended, ExecError> {
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
        let (start, deadline) = (Instant::now(), last_deadline(limits));
        let (root, mut excess) = (self.pid(), None);
        let received = self.receive(deadline, || {
            excess = tick(root);
            excess.is_none() && !is_late(start, limits, || orphans::descendants(root))
        });
        match (received, excess) {
            (Err(ExecError::Interrupted), _) => self.stop(pid, Outcome::Interrupted, None),
            (Err(error), _) => Err(error),
            (Ok(Received::Message(message)), _) => finished(message),
            (Ok(Received::Closed), _) => Ok(Ended::Run { outcome: self.end(), is_server_lost: true, excess: None }),
            (Ok(Received::Late), Some(Excess::Processes)) => {
                // They may be faster than a search for them.
                self.process.end();
                let outcome = Excess::Processes.outcome(limits);
                Ok(Ended::Run { outcome, is_server_lost: true, excess })
            }
            (Ok(Received::Late), Some(excess)) => self.stop(pid, excess.outcome(limits), Some(excess)),
            (Ok(Received::Late), None) => self.stop(pid, Outcome::TimedOut(limits.timeout_ms), None),
        }
    }

    /// Kills the child of a run that went over a limit, or that the user does not want any more.
    fn stop(&mut self, pid: Pid, stopped: Outcome, excess: Option<Excess>) -> Result<Ended, ExecError> {
        if let Some(pid) = self.process.find_child(pid) {
            orphans::kill(pid);
        }
        // Its end is near, whatever the user wants.
        let interrupt = self.interrupt.take();
        let received = self.receive(Instant::now() + REPORT, || true);
        self.interrupt = interrupt;
        match received? {
            // It ended by itself in the last moment, or by our signal.
            Received::Message(message) => match finished(message)? {
                ended @ Ended::Run { outcome: Outcome::Exited(_), .. } => Ok(ended),
                _ => Ok(Ended::Run { outcome: stopped, is_server_lost: false, excess }),
            },
            Received::Closed | Received::Late => {
                self.end();
                Ok(Ended::Run { outcome: stopped, is_server_lost: true, excess })
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
        self.process.kill_descendants();
        // A server whose socket has closed is about to end; let it, for its own status. It stays a zombie until
        // `wait`, so the group cannot be another's by now.
        let deadline = Instant::now() + Duration::from_millis(200);
        while !orphans::has_ended(pid) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        orphans::kill_group(pid);
        match self.process.wait() {
            Ok(status) => outcome_of_status(status),
            Err(_) => Outcome::Signalled(libc::SIGKILL),
        }
    }
}

/// How a run ended.
pub struct Executed {
    pub outcome: Outcome,
    /// It left processes behind.
    pub is_daemonised: bool,
    pub excess: Option<Excess>,
}

/// Runs once on the server that is kept, or on one that is started. A server that is of no more use is not kept.
pub fn run_on(
    kept: &mut Option<Server>,
    start: impl Fn() -> Result<Server, ExecError>,
    limits: &Limits,
    tick: impl Fn(Pid) -> Option<Excess>,
) -> Result<Executed, ExecError> {
    // A server can have died since its last run; one that has just been started can't.
    let mut is_fresh = kept.is_none();
    loop {
        let mut server = match kept.take() {
            Some(server) => server,
            None => start()?,
        };
        // From here on an error drops the server, which kills it with all that it started.
        match server.run(limits, &tick)? {
            Ended::NotStarted if is_fresh => return Err(ExecError::EndedEarly(server.end())),
            Ended::NotStarted => is_fresh = true,
            Ended::Run { outcome, is_server_lost: true, excess } => {
                return Ok(Executed { outcome, is_daemonised: false, excess })
            }
            Ended::Run { outcome, is_server_lost: false, excess } => {
                let left = orphans::left_behind(server.pid());
                if left.is_empty() {
                    *kept = Some(server);
                }
                let was_stopped = excess.is_some() || !matches!(outcome, Outcome::Exited(_) | Outcome::Signalled(_));
                return Ok(Executed { outcome, is_daemonised: !left.is_empty() && !was_stopped, excess });
            }
        }
    }
}

fn finished(message: Message) -> Result<Ended, ExecError> {
    match message.tag {
        Message::STATUS => {
            let outcome = outcome_of_status(message.value as i32);
            Ok(Ended::Run { outcome, is_server_lost: false, excess: None })
        }
        _ => Err(ExecError::Protocol),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.end();
    }
}
