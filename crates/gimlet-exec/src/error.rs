//! Why a target could not be run, or its run not be read.

use std::io;
use std::path::{Path, PathBuf};

use gimlet_trace::trace::Outcome;
use gimlet_trace::{TraceError, FORMAT_VERSION};
use thiserror::Error;

/// What went wrong. The text says what a person needs; what to do about it is for the command line to say.
#[derive(Debug, Error)]
pub enum ExecError {
    #[error("{0}: no such program")]
    Missing(PathBuf),
    #[error("{0} is not an executable file")]
    NotExecutable(PathBuf),
    #[error("{0} is not an ELF program")]
    NotElf(PathBuf),
    #[error("{0} has no instrumentation: build it with gimlet-cc")]
    NotInstrumented(PathBuf),
    #[error("{} is the {build} build: use {}", here(program), here(instrumented))]
    Twin { program: PathBuf, build: &'static str, instrumented: PathBuf },
    #[error("{0} has no edge counters: gimlet-cc makes PROG.edges beside PROG")]
    NoCounters(PathBuf),
    #[error("{0} keeps its edge counters to itself: the linker did not put them on pages of their own")]
    Uncounted(PathBuf),
    #[error("{program} was built for version {found} of the trace format, this is version {FORMAT_VERSION}")]
    Version { program: PathBuf, found: u32 },
    #[error("{program} has no function {name}{}", like(.similar))]
    NoFunction {
        program: PathBuf,
        name: String,
        /// What may have been meant.
        similar: Vec<String>,
    },
    #[error("{name} can't be the function that returns tokens: {why}")]
    NoToken { name: String, why: String },
    #[error("the site table of {image} cannot be read: {error}")]
    BadSites { image: PathBuf, error: TraceError },
    #[error("the input has {size} bytes, more than the limit of {limit}")]
    InputTooLarge { size: u64, limit: u64 },
    #[error("the input has a file for {0}, but no argument of the program has that in it")]
    FileWithoutPlace(String),
    #[error("an argument of the program is @@, but the input has no file for it")]
    PlaceWithoutFile,
    #[error("the input has a source {0}, but the program has no such argument")]
    NoSuchArgument(String),
    #[error("'{0}' cannot be the name of an environment variable of the program")]
    NoSuchVariable(String),
    #[error("the input has two sources named {0}")]
    DuplicateSource(String),
    #[error("the input has more than one {0}")]
    DuplicateKind(&'static str),
    #[error("{what}: the input needs {needed}, the limit is {limit}")]
    TableTooSmall { what: &'static str, needed: u64, limit: u64 },
    #[error("the program ended before its runtime answered: it {}", describe(*.0))]
    EndedEarly(Outcome),
    #[error("the program's runtime did not answer within {0} ms")]
    NoAnswer(u64),
    #[error("the program's runtime said something that is no part of the protocol")]
    Protocol,
    #[error("the program's runtime failed: {0}")]
    RuntimeFailed(io::Error),
    #[error("the run never reached the runtime's first instruction: it {}", describe(*.0))]
    NeverBegan(Outcome),
    #[error("the program corrupted its trace: {0}")]
    BadTrace(TraceError),
    #[error("interrupted")]
    Interrupted,
    #[error("{doing}: {error}")]
    Io { doing: &'static str, error: io::Error },
}

impl ExecError {
    /// For `map_err`: what was being done when the system said no.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> ExecError {
        move |error| ExecError::Io { doing, error }
    }
}

/// How a run ended, in words that follow "the program".
pub fn describe(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("exited with code {code}"),
        Outcome::Signalled(signal) => match signal_name(signal) {
            Some(name) => format!("was killed by signal {signal}, {name}"),
            None => format!("was killed by signal {signal}"),
        },
        Outcome::TimedOut(limit_ms) => format!("was stopped at the time limit of {limit_ms} ms"),
        Outcome::OutOfMemory(limit_mib) => format!("was stopped at the memory limit of {limit_mib} MiB"),
        Outcome::Interrupted => "was interrupted by the user".to_string(),
    }
}

/// The name of a signal that programs die of.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGSYS => "SIGSYS",
        _ => return None,
    })
}

/// A path as somebody in this directory would put it.
fn here(path: &Path) -> String {
    let inside = std::env::current_dir().ok().and_then(|folder| Some(path.strip_prefix(folder).ok()?.to_owned()));
    inside.map_or_else(|| path.display().to_string(), |inside| format!("./{}", inside.display()))
}

/// Names that may have been meant.
fn like(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("; it has {}", names.join(", ")),
    }
}
