//! Replay on the uninstrumented twin, or on any program: no driver, no trace.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Source, SourceKind};

use crate::check::check;
use crate::confine::Private;
use crate::error::ExecError;
use crate::files::{Captured, Files, Output};
use crate::image::find_program;
use crate::limits::Limits;
use crate::orphans::{self, Pid};
use crate::process::Process;
use crate::spawn::{spawn, Launch};
use crate::target::TargetOptions;
use crate::touched::Touched;
use crate::watch::{excess, is_interrupted, is_late, outcome_of_status, wait_readable, Excess};

/// Where the plain twin of a program looks for the bytes of named sources.
const NAMED_ENV: &str = "GIMLET_PLAIN_INPUT";
/// Where it looks for files that it opens by a path of its own, and for what peers send.
const SOURCES_ENV: &str = "GIMLET_PLAIN_SOURCES";

/// How long to sleep between looks.
const SHORTEST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// How a replay came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainRun {
    pub outcome: Outcome,
    pub stdout: Captured,
    pub stderr: Captured,
    /// What it was stopped for, other than time.
    pub excess: Option<Excess>,
    pub elapsed: Duration,
    /// What was read of the input's files, by whomever.
    pub touched: Touched,
}

/// Somebody who looks at the processes of a run while it goes on.
pub(crate) trait Look: Send {
    /// Called when the process is there that will become the program: it is among these, and waits.
    fn first_look(&mut self, processes: &[Pid]);
    /// Called again and again; true if there was something to see, and more may follow at once.
    fn look(&mut self, process: &Process) -> bool;
    /// It has ended, or will be ended now.
    fn last_look(&mut self, is_running: bool);
}

/// Looks at nothing.
struct Blind;

impl Look for Blind {
    fn first_look(&mut self, _: &[Pid]) {}
    fn look(&mut self, _: &Process) -> bool {
        false
    }
    fn last_look(&mut self, _: bool) {}
}

/// What an input puts around a twin before it starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Surroundings {
    pub args: Vec<OsString>,
    variables: Vec<(String, OsString)>,
    /// Peers are part of the input: other sockets have to work.
    pub has_sockets: bool,
}

impl Surroundings {
    /// Writes what the twin reads from side files.
    pub(crate) fn new(
        files: &mut Files,
        args: &[OsString],
        input: &Input,
        private: Option<&Private>,
    ) -> Result<Surroundings, ExecError> {
        let named = files.write_named(input)?.map(|path| (NAMED_ENV.to_string(), path.into_os_string()));
        let sources = files.write_sources(input, private)?.map(|path| (SOURCES_ENV.to_string(), path.into_os_string()));
        let variables =
            input.sources.iter().filter_map(|source| Some((source.variable()?.to_string(), text_of(source))));
        Ok(Surroundings {
            args: with_sources(files.arguments(args, input), input),
            variables: variables.chain(named).chain(sources).collect(),
            has_sockets: input.sources.iter().any(|source| source.kind == SourceKind::Socket),
        })
    }

    /// What is added to the environment.
    pub fn env(&self) -> Vec<(&str, OsString)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
    }
}

/// Runs a program on an input; its output is captured whatever the options say.
pub fn run_plain(
    program: &Path,
    args: &[OsString],
    input: &Input,
    options: &TargetOptions,
) -> Result<PlainRun, ExecError> {
    run(program, args, input, options, None)
}

/// The same under somebody's eyes.
pub(crate) fn run_watched(
    program: &Path,
    args: &[OsString],
    input: &Input,
    options: &TargetOptions,
    look: &mut dyn Look,
) -> Result<PlainRun, ExecError> {
    run(program, args, input, options, Some(look))
}

fn run(
    program: &Path,
    args: &[OsString],
    input: &Input,
    options: &TargetOptions,
    look: Option<&mut dyn Look>,
) -> Result<PlainRun, ExecError> {
    let path = find_program(program)?;
    check(input, args)?;
    let private = options.private()?;
    let mut files = Files::new(&options.file_names, Output::Capture, private.as_ref().map(Private::files))?;
    files.prepare(input)?;
    let surroundings = Surroundings::new(&mut files, args, input, private.as_ref())?;
    let opened = files.watch(input);
    let start = Instant::now();
    let launch = Launch {
        program: &path,
        name: program.as_os_str(),
        args: surroundings.args.clone(),
        stdio: files.stdio()?,
        env: options.environment(&surroundings),
        driver: None,
        confined: options.confined(private.as_ref(), surroundings.has_sockets),
        gate: None,
        world: options.world,
    };
    let go_on = |process: &Process, look: &mut dyn Look| {
        let stopped = watch(process, &files, private.as_ref(), options, start, look);
        look.last_look(matches!(stopped, Ok(Stopped::Late | Stopped::Excess(_))));
        stopped
    };
    let (process, stopped) = match look {
        None => {
            let process = spawn(launch)?;
            let stopped = go_on(&process, &mut Blind);
            (process, stopped)
        }
        Some(look) => under_eyes(launch, look, go_on)?,
    };
    let run = finish(process, &files, &options.limits, stopped, start)?;
    Ok(PlainRun { touched: Touched { stdin: files.is_stdin_read(), opened: opened.opened() }, ..run })
}

/// Starts the program when somebody has had a first look. The one who starts waits until the program is there, and must
/// live as long as the program does, so the one who looks is another thread. Whatever that one holds on to, what it has
/// never seen included, is let go when the thread ends; only then is the program waited for.
fn under_eyes(
    launch: Launch,
    look: &mut dyn Look,
    go_on: impl FnOnce(&Process, &mut dyn Look) -> Result<Stopped, ExecError> + Send,
) -> Result<(Process, Result<Stopped, ExecError>), ExecError> {
    let failed = || ExecError::io("preparing to start the program");
    let (ours, theirs) = UnixStream::pair().map_err(failed())?;
    // Others below us, such as another search, have nothing to do with this, whatever they start meanwhile.
    let known = orphans::children(std::process::id() as Pid);
    std::thread::scope(|scope| {
        let (started, spawned) = mpsc::channel::<Option<Process>>();
        let watcher = scope.spawn(move || {
            let early = wait_at_gate(ours, &known, look, &spawned)?;
            let process = match early {
                Some(early) => early,
                None => spawned.recv().ok().flatten(),
            };
            Ok(process.map(|process| {
                let stopped = go_on(&process, look);
                (process, stopped)
            }))
        });
        let spawned = spawn(Launch { gate: Some(theirs.as_fd()), ..launch });
        let (process, error) = match spawned {
            Ok(process) => (Some(process), None),
            Err(error) => (None, Some(error)),
        };
        if let Err(mpsc::SendError(Some(mut process))) = started.send(process) {
            // The watcher has failed, and says why.
            process.end();
        }
        let watched = watcher.join().map_err(|_| failed()(io::Error::other("the watcher failed")))?;
        match (watched?, error) {
            (_, Some(error)) => Err(error),
            (Some(watched), None) => Ok(watched),
            (None, None) => Err(failed()(io::ErrorKind::UnexpectedEof.into())),
        }
    })
}

/// Waits until the new process is at the gate, has a first look and lets it go on; or gives what came earlier.
fn wait_at_gate(
    mut gate: UnixStream,
    known: &[Pid],
    look: &mut dyn Look,
    spawned: &mpsc::Receiver<Option<Process>>,
) -> Result<Option<Option<Process>>, ExecError> {
    loop {
        // It comes to the gate, or something fails before that.
        match wait_readable(gate.as_fd(), Instant::now() + Duration::from_millis(5), None) {
            Ok(true) => break,
            _ => match spawned.try_recv() {
                Ok(early) => return Ok(Some(early)),
                Err(_) => continue,
            },
        }
    }
    let now = orphans::children(std::process::id() as Pid);
    let new = now.into_iter().filter(|pid| !known.contains(pid) && !orphans::has_ended(*pid));
    let new: Vec<Pid> = new.flat_map(|pid| [vec![pid], orphans::descendants(pid)].concat()).collect();
    look.first_look(&new);
    let mut byte = [0];
    let answer = gate.read_exact(&mut byte).and_then(|()| gate.write_all(&byte));
    answer.map_err(ExecError::io("preparing to start the program"))?;
    Ok(None)
}

/// Ends what is left, and says how it came out.
fn finish(
    mut process: Process,
    files: &Files,
    limits: &Limits,
    stopped: Result<Stopped, ExecError>,
    start: Instant,
) -> Result<PlainRun, ExecError> {
    let elapsed = start.elapsed();
    // It has not been waited for, so its number and its group are still its own.
    process.end();
    let status = process.wait().map_err(ExecError::io("waiting for the program"))?;
    let (outcome, excess) = match stopped? {
        Stopped::Not => (outcome_of_status(status), None),
        Stopped::Late => (Outcome::TimedOut(limits.timeout_ms), None),
        Stopped::Excess(excess) => (excess.outcome(limits), Some(excess)),
    };
    let [stdout, stderr] = files.captured(limits.output_bytes)?.unwrap_or_default();
    Ok(PlainRun { outcome, stdout, stderr, excess, elapsed, touched: Touched::default() })
}

/// Why a program is waited for no longer.
enum Stopped {
    /// It has ended.
    Not,
    Late,
    Excess(Excess),
}

/// Waits until the program has ended or is to be ended.
fn watch(
    process: &Process,
    files: &Files,
    private: Option<&Private>,
    options: &TargetOptions,
    start: Instant,
    look: &mut dyn Look,
) -> Result<Stopped, ExecError> {
    let limits = &options.limits;
    let mut pause = SHORTEST_PAUSE;
    loop {
        if look.look(process) {
            pause = SHORTEST_PAUSE;
        }
        if process.has_ended() {
            return Ok(Stopped::Not);
        }
        if is_interrupted(options.interrupt) {
            return Err(ExecError::Interrupted);
        }
        let family = || [vec![process.pid()], orphans::descendants(process.pid())].concat();
        if is_late(start, limits, family) {
            return Ok(Stopped::Late);
        }
        if let Some(excess) = excess(process.pid(), limits, private) {
            return Ok(Stopped::Excess(excess));
        }
        files.trim(limits.output_bytes);
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// The bytes of a source as a C string, which ends at a zero byte.
fn text_of(source: &Source) -> OsString {
    let len = source.bytes.iter().position(|&byte| byte == 0).unwrap_or(source.bytes.len());
    OsString::from_vec(source.bytes[..len].to_vec())
}

/// The arguments with the bytes of the sources that stand for some of them.
fn with_sources(mut args: Vec<OsString>, input: &Input) -> Vec<OsString> {
    for source in &input.sources {
        let Some(index) = source.argument_index() else { continue };
        if let Some(arg) = args.get_mut(index as usize - 1) {
            *arg = text_of(source);
        }
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, args: &[&str], input: &Input, timeout_ms: u64) -> PlainRun {
        let args: Vec<OsString> = ["-c", script, "sh"].iter().chain(args).map(OsString::from).collect();
        let mut options = TargetOptions::default();
        options.limits.timeout_ms = timeout_ms;
        run_plain(Path::new("sh"), &args, input, &options).unwrap()
    }

    #[test]
    fn gives_output_and_outcome() {
        let mut input = Input::stdin("hello");
        input.push(SourceKind::File, "file", "content");
        input.push(SourceKind::Arg, "arg4", "changed\0cut");
        let run = run("cat; cat \"$2\"; echo $1 >&2; exit 3", &["x", "@@"], &input, 10_000);
        assert_eq!(run.outcome, Outcome::Exited(3));
        assert_eq!(run.stdout.bytes, b"hellocontent");
        assert_eq!(run.touched, Touched { stdin: true, opened: vec!["file".to_owned()] });
        assert_eq!(run.stderr.bytes, b"changed\n");
    }

    #[test]
    fn stops_at_the_time_limit_with_all_descendants() {
        let run = run("sleep 50 & setsid sleep 50 & sleep 50", &[], &Input::default(), 100);
        assert_eq!(run.outcome, Outcome::TimedOut(100));
        assert!(run.elapsed < Duration::from_secs(5));
    }

    #[test]
    fn named_sources_come_in_a_file() {
        let mut input = Input::default();
        input.push(SourceKind::Named, "x", "yz");
        let run = run("cat $GIMLET_PLAIN_INPUT", &[], &input, 10_000);
        assert_eq!(run.stdout.bytes, b"GIMLETPI\x01\0\0\0\x02\0\0\0xyz");
    }

    #[test]
    fn every_kind_of_source_has_its_place() {
        let mut input = Input::stdin("");
        input.push(SourceKind::File, "dict", "words");
        input.push(SourceKind::Env, "$WHO", "me\0you");
        input.push(SourceKind::Socket, "socket1:80", "hi");
        let run = run("cat $1; echo $WHO; cat $GIMLET_PLAIN_SOURCES", &["@dict@"], &input, 10_000);
        let sources = "GIMLETPS\x08\0\0\0\x50\0\0\0\x0a\0\0\0\x02\0\0\0socket1:80hi";
        assert_eq!(run.stdout.bytes, format!("wordsme\n{sources}").as_bytes());
    }

    #[test]
    fn tells_signals() {
        assert_eq!(run("kill -SEGV $$", &[], &Input::default(), 10_000).outcome, Outcome::Signalled(11));
    }
}
