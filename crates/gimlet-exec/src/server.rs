//! The driver's end of the fork server ([`gimlet_trace::shm::Message`]).
//!
//! A server can vanish at any time: a target may kill its process group, or the
//! kernel may. Then the run ends with what ended the server, and the next run
//! starts another one.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use gimlet_trace::shm::Message;
use gimlet_trace::trace::Outcome;
use gimlet_trace::FORMAT_VERSION;

use crate::error::ExecError;
use crate::limits::Limits;
use crate::orphans::{self, Pid};
use crate::process::Process;
use crate::watch::{is_interrupted, is_late, longest_run, outcome_of_status, Excess, Interrupt, TICK};

/// How long the server may take to report a child that was killed.
const REPORT: Duration = Duration::from_secs(5);
/// The same where there is no child.
const REPORT_OF_NONE: Duration = Duration::from_millis(100);

/// A started program that waits for orders.
pub struct Server {
    process: Process,
    control: UnixStream,
    interrupt: Interrupt,
}

/// How a server tells that a run has begun.
#[derive(Clone, Copy)]
pub enum Begin<'a> {
    /// By a message. A run that ends its server at once may be there before it: shared memory has its mark, which the
    /// function looks for.
    Told(&'a dyn Fn() -> bool),
    /// By this number in shared memory, which is read by the function: there is no message to wake up for.
    Shown(u32, &'a dyn Fn() -> u32),
}

impl Begin<'_> {
    fn number(self) -> u32 {
        match self {
            Begin::Told(_) => 0,
            Begin::Shown(number, _) => number,
        }
    }

    /// Whether it is to be seen that the run has begun.
    fn is_seen(self) -> bool {
        match self {
            Begin::Told(has_begun) => has_begun(),
            Begin::Shown(number, seen) => seen() == number,
        }
    }
}

/// How a run on a server came out.
pub enum Ended {
    Run(Ending),
    /// The server was gone before the run began.
    NotStarted,
}

/// How a run ended.
pub struct Ending {
    outcome: Outcome,
    excess: Option<Excess>,
    /// What is known of the others.
    left: Left,
}

/// What a run left behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// The server, and no process of the run.
    Server,
    /// The server, and perhaps processes of the run.
    Unknown,
    /// Not even the server.
    Nothing,
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
        let tick = longest_run(limits).clamp(Duration::from_millis(1), TICK);
        control.set_read_timeout(Some(tick)).map_err(ExecError::io("making a socket"))?;
        let mut server = Server { process, control, interrupt };
        match server.receive(until(Instant::now() + Duration::from_millis(limits.hello_ms)))? {
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
    pub fn run(
        &mut self,
        begin: Begin,
        limits: &Limits,
        tick: impl Fn(Pid) -> Option<Excess>,
    ) -> Result<Ended, ExecError> {
        if self.send(Message { tag: Message::RUN, value: begin.number() }).is_err() {
            return Ok(Ended::NotStarted);
        }
        let hello = until(Instant::now() + Duration::from_millis(limits.hello_ms));
        let (mut pid, mut start) = (None, None);
        if let Begin::Told(has_begun) = begin {
            match self.receive(&hello)? {
                Received::Message(message) => pid = Some(told_pid(message)?),
                Received::Closed if has_begun() => {
                    return Ok(Ended::Run(Ending { outcome: self.end(), left: Left::Nothing, excess: None }))
                }
                Received::Closed => return Ok(Ended::NotStarted),
                Received::Late => return Err(ExecError::NoAnswer(limits.hello_ms)),
            }
            start = Some(Instant::now());
        }
        let (root, mut excess) = (self.pid(), None);
        let mut wait = |server: &mut Server| {
            server.receive(|| {
                let Some(start) = start else {
                    // Its time begins when it does.
                    start = begin.is_seen().then(Instant::now);
                    return start.is_some() || hello();
                };
                excess = tick(root);
                excess.is_none() && !is_late(start, limits, || orphans::descendants(root))
            })
        };
        let mut received = wait(self);
        if let (None, Ok(Received::Message(message @ Message { tag: Message::PID | Message::FAILED, .. }))) =
            (pid, &received)
        {
            // It was built before runs had numbers, or could not fork.
            pid = Some(told_pid(*message)?);
            received = wait(self);
        }
        let has_begun = || pid.is_some() || begin.is_seen();
        match received {
            Ok(Received::Message(message)) => finished(message).map(Ended::Run),
            Ok(Received::Closed) if !has_begun() => Ok(Ended::NotStarted),
            Ok(Received::Closed) => Ok(Ended::Run(Ending { outcome: self.end(), left: Left::Nothing, excess: None })),
            Ok(Received::Late) if !has_begun() => Err(ExecError::NoAnswer(limits.hello_ms)),
            Ok(Received::Late) => self.stop_for(pid, excess, limits).map(Ended::Run),
            Err(ExecError::Interrupted) => self.stop(pid, Outcome::Interrupted, None).map(Ended::Run),
            Err(error) => Err(error),
        }
    }

    /// Ends a run that went over a limit.
    fn stop_for(&mut self, pid: Option<Pid>, excess: Option<Excess>, limits: &Limits) -> Result<Ending, ExecError> {
        match excess {
            Some(Excess::Processes) => {
                // They may be faster than a search for them.
                self.process.end();
                Ok(Ending { outcome: Excess::Processes.outcome(limits), left: Left::Nothing, excess })
            }
            Some(over) => self.stop(pid, over.outcome(limits), excess),
            None => self.stop(pid, Outcome::TimedOut(limits.timeout_ms), None),
        }
    }

    /// Kills the child of a run that went over a limit, or that the user does not want any more. A child that is not
    /// known is one of all that the server has; the others are what it left behind.
    fn stop(&mut self, pid: Option<Pid>, stopped: Outcome, excess: Option<Excess>) -> Result<Ending, ExecError> {
        let children = match pid {
            Some(pid) => self.process.find_child(pid).into_iter().collect(),
            None => orphans::children(self.pid()),
        };
        // If there is none, it has been reported, or will never be.
        let patience = if children.is_empty() { REPORT_OF_NONE } else { REPORT };
        children.into_iter().for_each(orphans::kill);
        // Its end is near, whatever the user wants.
        let interrupt = self.interrupt.take();
        let received = self.receive(until(Instant::now() + patience));
        self.interrupt = interrupt;
        match received? {
            // It ended by itself in the last moment, or by our signal.
            Received::Message(message) => match finished(message)? {
                ending @ Ending { outcome: Outcome::Exited(_), .. } => Ok(ending),
                ending => Ok(Ending { outcome: stopped, excess, ..ending }),
            },
            Received::Closed | Received::Late => {
                self.end();
                Ok(Ending { outcome: stopped, left: Left::Nothing, excess })
            }
        }
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&message.tag.to_le_bytes());
        bytes[4..].copy_from_slice(&message.value.to_le_bytes());
        self.control.write_all(&bytes)
    }

    /// The next message. `go_on` is asked at every tick; no means that it is late.
    fn receive(&mut self, mut go_on: impl FnMut() -> bool) -> Result<Received, ExecError> {
        let mut bytes = [0; 8];
        let mut len = 0;
        while len < bytes.len() {
            if is_interrupted(self.interrupt) {
                return Err(ExecError::Interrupted);
            }
            match self.control.read(&mut bytes[len..]) {
                Ok(0) => return Ok(Received::Closed),
                Ok(n) => len += n,
                Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {
                    if !go_on() {
                        return Ok(Received::Late);
                    }
                }
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

/// Runs once on the server that is kept. One that is of no more use is not kept; `None` if it has died since its last
/// run, which a server that has just been started (`is_fresh`) can't have.
pub fn run_on(
    kept: &mut Option<Server>,
    is_fresh: bool,
    begin: Begin,
    limits: &Limits,
    tick: impl Fn(Pid) -> Option<Excess>,
) -> Result<Option<Executed>, ExecError> {
    let Some(mut server) = kept.take() else { return Ok(None) };
    // From here on an error drops the server, which kills it with all that it started.
    match server.run(begin, limits, tick)? {
        Ended::NotStarted if is_fresh => Err(ExecError::EndedEarly(server.end())),
        Ended::NotStarted => Ok(None),
        Ended::Run(Ending { outcome, excess, left }) => {
            let is_alone = left != Left::Unknown || orphans::left_behind(server.pid()).is_empty();
            if is_alone && left != Left::Nothing {
                *kept = Some(server);
            }
            let was_stopped = excess.is_some() || !matches!(outcome, Outcome::Exited(_) | Outcome::Signalled(_));
            Ok(Some(Executed { outcome, is_daemonised: !is_alone && !was_stopped, excess }))
        }
    }
}

/// Whether there is time left.
fn until(deadline: Instant) -> impl Fn() -> bool {
    move || Instant::now() < deadline
}

fn told_pid(message: Message) -> Result<Pid, ExecError> {
    match message.tag {
        Message::PID => Ok(message.value as Pid),
        Message::FAILED => Err(ExecError::RuntimeFailed(io::Error::from_raw_os_error(message.value as i32))),
        _ => Err(ExecError::Protocol),
    }
}

fn finished(message: Message) -> Result<Ending, ExecError> {
    let left = match message.tag {
        Message::STATUS => Left::Unknown,
        Message::ALONE => Left::Server,
        _ => return Err(ExecError::Protocol),
    };
    Ok(Ending { outcome: outcome_of_status(message.value as i32), excess: None, left })
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.end();
    }
}
