//! Exit codes and error messages.

use std::process::ExitCode;

use anyhow::Error;
use gimlet_exec::ExecError;
use gimlet_explore::corpus::MANIFEST;
use gimlet_explore::{ExploreError, StoreError};
use gimlet_trace::status::{Status, BY_SIGNAL};

use crate::interrupt;

/// How a command came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Good,
    /// Nothing is broken, but what the user wanted to see is not so.
    Bad,
    /// The result is incomplete; messages have been printed.
    Incomplete,
    /// A search has findings.
    Found,
    /// A search had nothing to search: the program never read its input.
    Unread,
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Status {
        match verdict {
            Verdict::Good => Status::Good,
            Verdict::Bad => Status::Bad,
            Verdict::Incomplete => Status::Wrong,
            Verdict::Found => Status::Found,
            Verdict::Unread => Status::Unread,
        }
    }
}

/// An error with what to do about it.
#[derive(Debug)]
struct Hinted {
    message: String,
    hint: String,
}

impl std::fmt::Display for Hinted {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// An error whose hint is printed below it.
pub fn hinted(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Hinted { message: message.into(), hint: hint.into() })
}

/// Prints what has to be said at the end; gives the exit code.
pub fn finish(result: Result<Verdict, Error>) -> ExitCode {
    if let (Some(signal), false) = (interrupt::received(), matches!(result, Ok(Verdict::Good | Verdict::Found))) {
        interrupt::restore_terminal();
        tell!("gimlet: interrupted");
        return ExitCode::from(BY_SIGNAL + signal);
    }
    let status = match result {
        Ok(verdict) => verdict.into(),
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Status::Good,
        Err(error) => {
            report(&error);
            if is_of_machine(&error) {
                Status::Machine
            } else {
                Status::Wrong
            }
        }
    };
    ExitCode::from(status.code())
}

/// Whether it is the machine that is to blame, and not what the user wrote.
fn is_of_machine(error: &Error) -> bool {
    let of_running = |error: &ExecError| {
        matches!(
            error,
            ExecError::Io { .. } | ExecError::NoAnswer(_) | ExecError::RuntimeFailed(_) | ExecError::NeverBegan(_)
        )
    };
    let is_full = |error: &std::io::Error| error.raw_os_error() == Some(libc::ENOSPC);
    if error.chain().any(|cause| cause.downcast_ref().is_some_and(is_full)) {
        return true;
    }
    match error.downcast_ref::<ExploreError>() {
        Some(ExploreError::Write { .. } | ExploreError::Read { .. }) => true,
        Some(ExploreError::Store(StoreError::Write { .. } | StoreError::Read { .. })) => true,
        Some(ExploreError::Exec(error)) => of_running(error),
        _ => error.downcast_ref::<ExecError>().is_some_and(of_running),
    }
}

/// Prints an error and a hint, in the form that all messages have.
pub fn say(message: &str, hint: Option<&str>) {
    tell!("gimlet: error: {message}");
    if let Some(hint) = hint {
        tell!("  hint: {hint}");
    }
}

/// Prints something that the user may want to know.
pub fn note(message: &str) {
    tell!("gimlet: note: {message}");
}

/// Things of a kind that are named; the others are counted by whoever calls.
const N_NAMED: usize = 10;

/// The same of one thing of a kind, given its number from 1 on, where there may be thousands.
pub fn note_some(number: usize, message: impl FnOnce() -> String) {
    if number <= N_NAMED {
        note(&message());
    } else if number == N_NAMED + 1 {
        note("there are more of these, which are only counted");
    }
}

pub fn report(error: &Error) {
    if let Some(ExploreError::WrongGrammar { errors, .. }) = error.downcast_ref() {
        errors.iter().for_each(|error| tell!("{error}"));
    }
    let of_exploring = || match error.downcast_ref::<ExploreError>()? {
        ExploreError::Refused { hint, .. } => Some(hint.as_str()).filter(|hint| !hint.is_empty()),
        ExploreError::WrongGrammar { .. } => Some("`gimlet grammar check` says all about it"),
        ExploreError::Exec(error) => hint_for(error),
        ExploreError::Occupied(_) => {
            Some("--resume goes on with it; else name another folder with -o, or remove this one")
        }
        ExploreError::InUse { .. } => Some("wait for its end, or name another folder with -o"),
        ExploreError::OtherProgram(_) => Some("name that program, none at all, or another folder with -o"),
        ExploreError::NotEmpty(_) => Some("name another folder with -o, or an empty one"),
        ExploreError::Write { path, .. } | ExploreError::Store(StoreError::Write { path, .. }) => {
            let has_begun = path.ancestors().skip(1).any(|folder| folder.join(MANIFEST).is_file());
            Some(match has_begun {
                true => "is there room, and may you write there? What was found is kept: --resume goes on",
                false => "is there room, and may you write there?",
            })
        }
        ExploreError::Read { .. } | ExploreError::Store(StoreError::Read { .. }) => Some("may you read it?"),
        ExploreError::Store(StoreError::Damaged { .. }) => {
            Some("the tests are safe: rename it to store.damaged, and --resume begins with them")
        }
        ExploreError::Store(StoreError::Format { .. }) => {
            Some("go on with that version, or rename the store, and --resume begins with the tests alone")
        }
        ExploreError::Path(_) => None,
    };
    let of_running = || error.downcast_ref::<ExecError>().and_then(hint_for).or_else(of_exploring);
    let hint = error.downcast_ref::<Hinted>().map(|hinted| hinted.hint.as_str()).or_else(of_running);
    say(&format!("{error:#}"), hint);
}

fn is_broken_pipe(error: &Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// What to do about an error of running.
fn hint_for(error: &ExecError) -> Option<&'static str> {
    Some(match error {
        ExecError::Missing(_) => "check the path; a program in this directory is ./NAME",
        ExecError::NotExecutable(_) => "name a program, not a directory or a source file",
        ExecError::NotElf(_) => "scripts cannot be traced; name the program that they run",
        ExecError::Twin { .. } => "the other builds beside the program are found by its name",
        ExecError::NotInstrumented(_) => "CC=gimlet-cc ./configure && make, or gimlet-cc -o PROG FILE.c",
        ExecError::Version { .. } | ExecError::BadSites { .. } => {
            "build it again with the gimlet-cc beside this gimlet"
        }
        ExecError::NoFunction { .. } => "name the one that returns tokens with --token-fn; `nm PROG` lists functions",
        ExecError::NoToken { .. } => {
            "name the one whose result the parser takes; NAME+OFFSET is for a struct, or the address of one"
        }
        ExecError::InputTooLarge { .. } => "raise --max-input",
        ExecError::FileWithoutPlace(_) => "write that where the program expects the file's path",
        ExecError::PlaceWithoutFile => "give its content with --file FILE",
        ExecError::DuplicateSource(_) => {
            "give each file, variable and path once, and files names that nothing else has"
        }
        ExecError::NoSuchVariable(_) => "--env takes NAME=VALUE; GIMLET_DRIVER is Gimlet's own",
        ExecError::EndedEarly(_) => "run it by itself: does it start? `gimlet doctor` checks the machine",
        ExecError::NoAnswer(_) => "`gimlet doctor` checks the machine",
        ExecError::RuntimeFailed(_) => "`gimlet doctor` checks the machine",
        ExecError::NeverBegan(_) => "`gimlet doctor` checks the machine",
        ExecError::BadTrace(_) => "the program writes where it should not; try it with -fsanitize=address",
        _ => return None,
    })
}
