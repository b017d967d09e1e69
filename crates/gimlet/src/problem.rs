//! What is wrong with a run that did come to an end, and what to do about it.

use gimlet_exec::error::describe;
use gimlet_exec::Run;
use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::shm::stop;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Source, SourceKind, Trace};
use serde::Serialize;

use crate::exit::{note, say, Verdict};

/// A reason why a trace is incomplete.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub message: String,
    pub hint: &'static str,
}

/// Stop bits that make a trace incomplete.
const STOPS: &[(u32, &str, &str)] = &[
    (stop::NODES, "the expression table is full: tracing stopped", "raise --max-expressions"),
    (stop::EVENTS, "the event log is full: tracing stopped", "raise --max-events"),
    (stop::SNAPSHOTS, "the snapshot space is full: later lookups were pinned", "raise --max-snapshots"),
    (stop::TALLIES, "the table of counts is full: some counts are missing", "trace a smaller part of the program"),
    (stop::INPUT, "the input space is full: some bytes have no label", "raise --max-input"),
    (stop::TABLES, "a table of modules, sources or names is full", "trace a smaller part of the program"),
    (
        stop::EXEC,
        "the program replaced itself by another one (exec), which is not traced",
        "trace the other program, if it was built with gimlet-cc",
    ),
    (
        stop::ALIASED,
        "mappings of the program share shadow memory: labels are not to be trusted",
        "allow personality(ADDR_NO_RANDOMIZE), see `gimlet doctor`",
    ),
    (
        stop::PANIC,
        "the runtime inside the program failed",
        "this is a bug of Gimlet: please report it with the program",
    ),
];

const SILENT: &str = "the program ended without its runtime knowing: by exec of another one, or by a bare system call";

/// What is wrong with a trace.
pub fn of_trace(trace: &Trace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for &(bit, message, hint) in STOPS {
        if trace.stops & bit != 0 {
            problems.push(Problem { message: message.to_string(), hint });
        }
    }
    if trace.forks > 0 {
        let times = if trace.forks == 1 { "once".to_string() } else { format!("{} times", trace.forks) };
        let message = format!("the program forked {times}: only the first process was traced");
        problems.push(Problem { message, hint: "many programs have an option to stay in the foreground" });
    }
    let hint = match trace.outcome {
        Outcome::Exited(_) => None,
        Outcome::Signalled(libc::SIGKILL) => Some("the system may have run out of memory; see dmesg"),
        Outcome::Signalled(_) => None,
        Outcome::TimedOut(_) => Some("raise --timeout"),
        Outcome::OutOfMemory(_) => Some("raise --max-memory"),
        Outcome::Interrupted => Some("let it run to its end"),
    };
    if let Some(hint) = hint {
        let message = format!("the program {}: the trace ends there", describe(trace.outcome));
        problems.push(Problem { message, hint });
    }
    if ended_silently(trace) {
        problems.push(Problem {
            message: SILENT.to_string(),
            hint: "what came after is not traced; trace the other program, if it was built with gimlet-cc",
        });
    }
    problems
}

/// True if an exit has no event that announced it. One that was not traced to its end has none either.
fn ended_silently(trace: &Trace) -> bool {
    let is_end = |event: &EventRecord| event.kind == EventKind::End as u8;
    matches!(trace.outcome, Outcome::Exited(_)) && trace.stops == 0 && !trace.events.iter().rev().any(is_end)
}

/// What is wrong with a run.
pub fn of_run(run: &Run) -> Vec<Problem> {
    let mut problems = of_trace(&run.trace);
    if run.is_daemonised {
        // The parent of a daemon ends inside libc: that is no other problem.
        problems.retain(|problem| problem.message != SILENT);
        problems.push(Problem {
            message: "the program left processes behind, which were killed; what they did is not traced".to_string(),
            hint: "many programs have an option to stay in the foreground",
        });
    }
    for image in &run.unreadable_images {
        problems.push(Problem {
            message: format!("a shared object's sites are unknown: {image}"),
            hint: "build it again with the gimlet-cc beside this gimlet",
        });
    }
    problems
}

/// Sources that are there for a program to open, and that no model has seen it read. What a function that returns tokens
/// reads is no event.
pub fn unread(trace: &Trace) -> impl Iterator<Item = &Source> {
    let has_tokens = trace.events.iter().any(|event| event.kind == EventKind::Token as u8);
    let is_read = move |index: usize| {
        let reads = |event: &EventRecord| event.kind == EventKind::Read as u8 && event.a as usize == index;
        has_tokens || trace.events.iter().any(reads)
    };
    let is_opened = |source: &Source| matches!(source.kind, SourceKind::File | SourceKind::Path | SourceKind::Socket);
    let sources = trace.input.sources.iter().enumerate();
    sources.filter(move |(index, source)| is_opened(source) && !is_read(*index)).map(|(_, source)| source)
}

/// Says which sources the program never read. That can be as it should be.
pub fn note_unread(trace: &Trace) {
    for source in unread(trace) {
        let question = match source.kind {
            SourceKind::Socket => "does it accept or make a connection, and at that port?",
            SourceKind::Path => "does it open this path, in code that gimlet-cc compiled?",
            _ => "does it open the file that it is given there?",
        };
        note(&format!("the program never read {}: {question}", source.name));
    }
}

/// Prints the problems, if any; an incomplete trace is an error.
pub fn conclude(problems: &[Problem]) -> Verdict {
    for problem in problems {
        say(&problem.message, Some(problem.hint));
    }
    if problems.is_empty() {
        Verdict::Good
    } else {
        Verdict::Incomplete
    }
}
