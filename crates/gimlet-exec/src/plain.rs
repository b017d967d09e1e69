//! Replay on the uninstrumented twin, or on any program: no driver, no trace.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use crate::error::ExecError;
use crate::files::{has_place, Captured, Files, Output};
use crate::image::find_program;
use crate::orphans::{self, Pid};
use crate::spawn::{spawn, Launch};
use crate::target::{argument_index, TargetOptions};
use crate::watch::{is_interrupted, outcome_of_status, private_mib};

/// Where the plain twin of a program looks for the bytes of named sources.
const NAMED_ENV: &str = "GIMLET_PLAIN_INPUT";

/// How a replay came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainRun {
    pub outcome: Outcome,
    pub stdout: Captured,
    pub stderr: Captured,
    pub elapsed: Duration,
}

/// Runs a program on an input; its output is captured whatever the options say.
pub fn run_plain(
    program: &Path,
    args: &[OsString],
    input: &Input,
    options: &TargetOptions,
) -> Result<PlainRun, ExecError> {
    let path = find_program(program)?;
    let file_name: Option<&OsStr> = has_place(args).then_some(&options.file_name);
    let mut files = Files::new(file_name, Output::Capture)?;
    files.prepare(input)?;
    let named = files.write_named(input)?.map(|path| (NAMED_ENV, path.into_os_string()));
    let start = Instant::now();
    let mut process = spawn(Launch {
        program: &path,
        name: program.as_os_str(),
        args: with_sources(files.arguments(args), input),
        stdio: files.stdio()?,
        env: named.into_iter().collect(),
        driver: None,
    })?;
    let pid = process.id() as Pid;
    let limits = &options.limits;
    let mut pause = Duration::from_micros(100);
    let stopped = loop {
        if orphans::has_ended(pid) {
            break None;
        }
        if is_interrupted(options.interrupt) {
            break Some(Err(ExecError::Interrupted));
        }
        if start.elapsed() >= Duration::from_millis(limits.timeout_ms) {
            break Some(Ok(Outcome::TimedOut(limits.timeout_ms)));
        }
        if private_mib(pid).is_some_and(|mib| mib > limits.memory_mib) {
            break Some(Ok(Outcome::OutOfMemory(limits.memory_mib)));
        }
        files.trim(limits.output_bytes);
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    let elapsed = start.elapsed();
    // It has not been waited for, so its number and its group are still its own.
    orphans::kill_descendants(pid);
    orphans::kill_group(pid);
    let status = process.wait().map_err(ExecError::io("waiting for the program"))?;
    let outcome = stopped.unwrap_or_else(|| Ok(outcome_of_status(status.into_raw())))?;
    let [stdout, stderr] = files.captured(limits.output_bytes)?.unwrap_or_default();
    Ok(PlainRun { outcome, stdout, stderr, elapsed })
}

/// The arguments with the bytes of the sources that stand for some of them. A C string ends at a zero byte.
fn with_sources(mut args: Vec<OsString>, input: &Input) -> Vec<OsString> {
    for source in &input.sources {
        let Some(index) = argument_index(source) else { continue };
        if let Some(arg) = args.get_mut(index as usize - 1) {
            let len = source.bytes.iter().position(|&byte| byte == 0).unwrap_or(source.bytes.len());
            *arg = OsString::from_vec(source.bytes[..len].to_vec());
        }
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_trace::SourceKind;

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
    fn tells_signals() {
        assert_eq!(run("kill -SEGV $$", &[], &Input::default(), 10_000).outcome, Outcome::Signalled(11));
    }
}
