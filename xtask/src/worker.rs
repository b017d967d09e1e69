//! Other solvers, in processes of their own.
//!
//! A script of Python reads questions from its standard input, one a line. For each it prints `read` when it has read it,
//! and then the verdict and the nanoseconds of the processor for the check alone, with a tab between them. A check that
//! takes longer than the limit ends the process with SIGPROF; the next question has a new one. What is found is appended to
//! a file at once, so that a bench that was interrupted goes on where it was.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process;
use crate::workspace::target_dir;

/// The verdict on a question that takes longer. It counts with the limit.
pub const TIMEOUT: &str = "timeout";
/// The verdict on a question at which the solver crashed. It counts with no time.
pub const CRASH: &str = "crash";
const SIGPROF: i32 = 27;

/// What a solver made of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    pub verdict: String,
    pub time: Duration,
}

/// The interpreter of a virtual environment with some packages of the Python index.
pub fn python(packages: &[&str]) -> Result<PathBuf> {
    let environment = target_dir().join("solvers");
    let python = environment.join("bin/python");
    if !python.exists() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))
            .context("no virtual environment; hint: apt-get install python3-venv")?;
    }
    process::run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    Ok(python)
}

/// A process that checks questions.
pub struct Worker {
    process: Child,
    stdout: BufReader<ChildStdout>,
    has_read: bool,
}

impl Worker {
    pub fn start(command: &mut Command) -> Result<Worker> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = BufReader::new(process.stdout.take().context("no output of the worker")?);
        Ok(Worker { process, stdout, has_read: false })
    }

    /// An error if the process has ended.
    pub fn check(&mut self, question: &str) -> Result<Checked> {
        self.has_read = false;
        let stdin = self.process.stdin.as_mut().context("no input of the worker")?;
        writeln!(stdin, "{question}")?;
        self.has_read = self.line()? == "read";
        let line = self.line()?;
        let [verdict, time] = fields(&line)?;
        Ok(Checked { verdict: verdict.to_owned(), time: duration(time)? })
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    /// What it means that it has ended.
    pub fn end(mut self, limit: Duration) -> Result<Checked> {
        drop(self.process.stdin.take());
        let is_late = self.process.wait()?.signal() == Some(SIGPROF) && self.has_read;
        let (verdict, time) = if is_late { (TIMEOUT, limit) } else { (CRASH, Duration::ZERO) };
        Ok(Checked { verdict: verdict.to_owned(), time })
    }
}

/// Asks a worker, which is started if there is none, and ends with what it can't do.
pub fn ask(
    worker: &mut Option<Worker>,
    command: impl FnOnce() -> Command,
    question: &str,
    limit: Duration,
) -> Result<Checked> {
    let mut running = match worker.take() {
        Some(worker) => worker,
        None => Worker::start(&mut command())?,
    };
    match running.check(question) {
        Ok(checked) => {
            *worker = Some(running);
            Ok(Checked { time: checked.time.min(limit), ..checked })
        }
        Err(_) => running.end(limit),
    }
}

/// What a file of results says, by question. A line that was cut off has no end.
pub fn results(text: &str) -> Result<HashMap<String, Checked>> {
    let mut results = HashMap::new();
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
        let [question, verdict, time] = fields(line)?;
        let checked = Checked { verdict: verdict.to_owned(), time: duration(time)? };
        results.insert(question.to_owned(), checked);
    }
    Ok(results)
}

pub fn fields<const N: usize>(line: &str) -> Result<[&str; N]> {
    let fields: Vec<&str> = line.split('\t').collect();
    fields.try_into().map_err(|_| anyhow::anyhow!("unexpected line: {line}"))
}

pub fn duration(nanoseconds: &str) -> Result<Duration> {
    Ok(Duration::from_nanos(nanoseconds.parse().with_context(|| format!("no time: {nanoseconds}"))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_no_result() {
        let found = results("a1\tsat\t1500\nb2\ttimeout\t2000000000\nc3\tuns").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found["a1"], Checked { verdict: "sat".to_owned(), time: Duration::from_nanos(1500) });
        assert_eq!(found["b2"].time, Duration::from_secs(2));
        assert!(results("a1\tsat\n").is_err());
    }
}
