//! The program under test and its first input.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

use anyhow::Result;
use gimlet_exec::watch::Interrupt;
use gimlet_exec::{ExecError, Output, Run, Target, TargetOptions};
use gimlet_explore::program::subject::{read_file, read_up_to, Subject, Unread};
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Trace};

use crate::interrupt;

/// What a first Ctrl-C sets.
const INTERRUPT: Interrupt = Some(&interrupt::INTERRUPTED);

/// The target, ready to run; `loud` is where its output goes unless the user wants none.
pub fn target(subject: &Subject, loud: Output) -> Result<Target> {
    Ok(Target::new(&subject.program, &subject.args, target_options(subject, loud))?)
}

/// Runs the target; an interrupted run is an error.
pub fn run(target: &mut Target, input: &Input) -> Result<Run> {
    match target.run(input)? {
        Run { trace: Trace { outcome: Outcome::Interrupted, .. }, .. } => Err(ExecError::Interrupted.into()),
        run => Ok(run),
    }
}

/// How it is run.
pub fn target_options(subject: &Subject, loud: Output) -> TargetOptions {
    TargetOptions {
        limits: subject.limits.clone(),
        output: if subject.is_quiet { Output::Null } else { loud },
        file_names: subject.file_names(),
        logs_allocations: false,
        strings: subject.strings,
        world: subject.world,
        interrupt: INTERRUPT,
        ..TargetOptions::default()
    }
}

/// What the user gave as input.
pub fn input(subject: &Subject) -> Result<Input> {
    let limit = subject.limits.input_bytes;
    let stdin = match &subject.stdin {
        Some(path) => read_file(path, limit, INTERRUPT)?,
        None if io::stdin().is_terminal() => Vec::new(),
        None => read_up_to(&mut io::stdin().lock(), limit, INTERRUPT).map_err(|error| match error {
            Unread::Io(error) => anyhow::Error::from(error).context("reading standard input"),
            Unread::Exec(error) => anyhow::Error::from(error).context("reading standard input"),
        })?,
    };
    let mut input = Input::stdin(stdin);
    input.sources.extend(subject.input_beside_stdin(INTERRUPT)?.sources);
    Ok(input)
}

/// A word as a shell reads it.
pub fn shell_word(text: &str) -> String {
    // `shlex` quotes every name of a test, because of its commas.
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:,=@%+".contains(sign);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    // What has a zero byte is no word of any command.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}
