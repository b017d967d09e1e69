//! Running programs: loudly, or with time limit and captured output.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};
use gimlet_trace::status::Status;

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Exit(i32),
    Signal(i32),
    TimedOut,
    OutOfMemory,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            End::Exit(status) => write!(f, "exit status {status}"),
            End::Signal(number) => write!(f, "signal {number}"),
            End::TimedOut => write!(f, "time limit"),
            End::OutOfMemory => write!(f, "memory limit"),
        }
    }
}

/// What a program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub elapsed: Duration,
}

impl Finished {
    pub fn is_success(&self) -> bool {
        self.end == End::Exit(0)
    }

    /// Whether it is a search of Gimlet's that came to its end, with findings or without.
    pub fn has_searched(&self) -> bool {
        matches!(self.end, End::Exit(code) if Status::ends_a_search(code))
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The end, and the first and last lines of standard error, or of the output if there are none.
    pub fn complaint(&self) -> String {
        let said = if self.stderr.is_empty() { &self.stdout } else { &self.stderr };
        let said = String::from_utf8_lossy(said);
        let lines: Vec<&str> = said.lines().collect();
        let shown = match lines.len() {
            0..=12 => lines,
            n => [&lines[..8], &["..."], &lines[n - 3..]].concat(),
        };
        format!("{}\n    {}", self.end, shown.join("\n    "))
    }
}

/// Runs a command that speaks for itself; an error if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("can't start {}", name(command)))?;
    if !status.success() {
        bail!("{} failed: {status}", name(command));
    }
    Ok(())
}

/// The command's standard output, trimmed, if it succeeds.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn name(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// What a command may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Bytes that are resident at once.
    pub memory: Option<u64>,
}

/// Runs a command with this standard input, in a process group of its own that ends with it.
/// `scratch` is a directory for the captured output.
pub fn capture(command: &mut Command, stdin: &[u8], limit: Duration, scratch: &Path) -> Result<Finished> {
    capture_within(command, stdin, Limits { time: limit, memory: None }, scratch)
}

/// The same with a limit of memory.
pub fn capture_within(command: &mut Command, stdin: &[u8], limits: Limits, scratch: &Path) -> Result<Finished> {
    let path = |name: &str| scratch.join(name);
    std::fs::write(path("stdin"), stdin)?;
    let what = name(command);
    command.stdin(File::open(path("stdin"))?);
    command.stdout(File::create(path("stdout"))?).stderr(File::create(path("stderr"))?);
    let start = Instant::now();
    let mut child = command.process_group(0).spawn().with_context(|| format!("can't start {what}"))?;
    let mut pause = Duration::from_micros(200);
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break match (status.code(), status.signal()) {
                (Some(code), _) => End::Exit(code),
                (None, signal) => End::Signal(signal.unwrap_or(0)),
            };
        }
        let is_late = start.elapsed() > limits.time;
        if is_late || limits.memory.is_some_and(|limit| resident(child.id()) > limit) {
            run(Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]))?;
            child.wait()?;
            break if is_late { End::TimedOut } else { End::OutOfMemory };
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    Ok(Finished {
        end,
        stdout: std::fs::read(path("stdout"))?,
        stderr: std::fs::read(path("stderr"))?,
        elapsed: start.elapsed(),
    })
}

/// Bytes of memory that a process has now; 0 if it has gone.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Applies `work` to each job on every core; results come in the order of the jobs.
pub fn parallel<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    parallel_by(n_cores(), jobs, work)
}

pub fn n_cores() -> usize {
    thread::available_parallelism().map_or(2, |n| n.get())
}

/// The same by so many threads.
pub fn parallel_by<J: Sync, R: Send>(n_threads: usize, jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let n_threads = n_threads.min(jobs.len());
    thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { break };
                let result = work(job);
                lock(&results).push((index, result));
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The lock, also after a panic elsewhere: what it guards is only appended to.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
