//! Crashes, hangs and their like: told apart, confirmed, and kept with the smallest input that shows them.

pub mod minimise;
pub mod suppress;
pub mod witness;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use gimlet_exec::locate::{Crash, Frame};
use gimlet_report::finding::{is_own, Beginning, HANDLER};
use gimlet_report::ShownBy;
pub use gimlet_trace::finding::Kind;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;
use rustc_hash::FxHashMap;
use serde_json::json;

use crate::run::walk::hash;

/// Something that is wrong with the program.
#[derive(Clone, Debug)]
pub struct Finding {
    pub id: usize,
    pub kind: Kind,
    /// The innermost function of the program's own, and where.
    pub frame: Option<Frame>,
    /// All functions that were running, the innermost first.
    pub stack: Vec<Frame>,
    /// Builds that did so.
    pub shown_by: ShownBy,
    pub input: Input,
    /// Where the input is, below the folder of results.
    pub path: PathBuf,
    /// Runs that ended so.
    pub n_runs: u64,
    /// How the program ended, in words.
    pub ended: String,
}

/// As a store keeps a frame: function, file, line, whether it is the program's own.
type FrameRecord = (String, Option<String>, u32, bool);

/// A function that was running, as it is shown.
pub fn frame(frame: &Frame) -> gimlet_report::Frame {
    let Frame { function, file, line, is_program } = frame.clone();
    gimlet_report::Frame { function, file, line, is_program }
}

/// As it is shown.
impl From<&Finding> for gimlet_report::Finding {
    fn from(finding: &Finding) -> gimlet_report::Finding {
        gimlet_report::Finding {
            id: finding.id,
            kind: finding.kind,
            frame: finding.frame.as_ref().map(frame),
            stack: finding.stack.iter().map(frame).collect(),
            shown_by: finding.shown_by,
            n_runs: finding.n_runs,
            ended: finding.ended.clone(),
            path: finding.path.clone(),
            sources: Beginning::all(&finding.input),
        }
    }
}

impl Finding {
    /// As a store keeps it.
    pub fn to_record(&self, signature: u64, run: Option<u64>) -> gimlet_store::Finding {
        let frame = |frame: &Frame| (frame.function.clone(), frame.file.clone(), frame.line, frame.is_program);
        let stack: Vec<FrameRecord> = self.stack.iter().map(frame).collect();
        gimlet_store::Finding {
            id: self.id as u64,
            kind: self.kind.name().to_owned(),
            signature,
            run,
            stack: json!(stack).to_string(),
            shown_by: self.shown_by.to_bits(),
            input: self.input.clone(),
            path: self.path.to_string_lossy().into_owned(),
            n_runs: self.n_runs,
            ended: self.ended.clone(),
        }
    }

    /// From a store; `None` if that has something else.
    pub fn from_record(record: gimlet_store::Finding) -> Option<Finding> {
        let stack: Vec<FrameRecord> = serde_json::from_str(&record.stack).ok()?;
        let frame = |(function, file, line, is_program)| Frame { function, file, line, is_program };
        let stack: Vec<Frame> = stack.into_iter().map(frame).collect();
        Some(Finding {
            id: record.id as usize,
            kind: Kind::from_name(&record.kind)?,
            frame: culprit(&stack).cloned(),
            stack,
            shown_by: ShownBy::from_bits(record.shown_by),
            input: record.input,
            path: record.path.into(),
            n_runs: record.n_runs,
            ended: record.ended,
        })
    }
}

/// Signals by which the user or the system stops a program: it made too many processes or too large files, say.
const STOPPING: [i32; 5] = [libc::SIGKILL, libc::SIGTERM, libc::SIGINT, libc::SIGPIPE, libc::SIGXFSZ];

/// Whether an outcome is a finding at all. What the user or the system stopped is none.
pub fn is_suspicious(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Signalled(signal) => !STOPPING.contains(&signal),
        Outcome::TimedOut(_) | Outcome::OutOfMemory(_) => true,
        Outcome::Exited(_) | Outcome::Interrupted => false,
    }
}

/// Times as long as others a run may take that is looked at.
pub const LEISURE: u64 = 5;

/// Whether two builds end alike. A limit of time or memory may be met by one and not quite by the other.
pub fn same_end(plain: Outcome, instrumented: Outcome) -> bool {
    match (plain, instrumented) {
        (Outcome::TimedOut(_), Outcome::TimedOut(_)) | (Outcome::OutOfMemory(_), Outcome::OutOfMemory(_)) => true,
        (plain, instrumented) => plain == instrumented,
    }
}

const SHIFT_HANDLER: &str = "__ubsan_handle_shift_out_of_bounds";

fn is_overflow_handler(function: &str) -> bool {
    let kind = function.strip_prefix(HANDLER).unwrap_or_default();
    ["add", "sub", "mul", "negate", "divrem"]
        .iter()
        .any(|operation| kind.strip_prefix(operation).is_some_and(|rest| rest.starts_with("_overflow")))
}

/// The kind of a crash.
pub fn kind_of(crash: &Crash) -> Kind {
    let has = |names: &[&str]| crash.frames.iter().any(|frame| names.contains(&frame.function.as_str()));
    let begins = |prefix: &str| crash.frames.iter().any(|frame| frame.function.starts_with(prefix));
    if let Some(kind) = crash.violation.as_ref().map(|violation| violation.kind) {
        return kind;
    }
    match crash.outcome {
        Outcome::TimedOut(_) => Kind::Timeout,
        Outcome::OutOfMemory(_) => Kind::OutOfMemory,
        Outcome::Signalled(libc::SIGFPE) if crash.is_overflow => Kind::DivisionOverflow,
        Outcome::Signalled(libc::SIGFPE) => Kind::DivisionByZero,
        Outcome::Signalled(libc::SIGSEGV | libc::SIGBUS) => Kind::Segv,
        _ if has(&["reach_error", "__VERIFIER_error"]) => Kind::Unreachable,
        _ if begins(SHIFT_HANDLER) => Kind::ShiftOutOfRange,
        _ if crash.frames.iter().any(|frame| is_overflow_handler(&frame.function)) => Kind::SignedOverflow,
        _ if has(&["__assert_fail", "__assert_perror_fail", "__assert", "gimlet_assert"]) => Kind::Assertion,
        Outcome::Signalled(libc::SIGILL | libc::SIGTRAP) => Kind::Trap,
        _ => Kind::Abort,
    }
}

/// Addresses near null, where a field of what null points to would be.
const NEAR_NULL: u64 = 1 << 16;
/// Below the stack pointer's reach: what faults there, in a deep recursion, is the end of the stack.
const N_FRAMES_DEEP: usize = 200;

/// The kind of a crash of the memory build, which knows accesses apart that trap.
pub fn kind_with_memory(crash: &Crash) -> Kind {
    match (kind_of(crash), crash.fault) {
        (Kind::Segv, _) if crash.frames.len() >= N_FRAMES_DEEP => Kind::Segv,
        (Kind::Segv, Some(address)) if address < NEAR_NULL => Kind::NullDereference,
        (Kind::Segv, _) => Kind::WildDereference,
        (kind, _) => kind,
    }
}

/// Whether a crash may well come of an access before it that was not right: memory, pointers and what the allocator keeps are
/// not what they were. A failed assertion, a call of `abort` or a trap is the program's own decision.
pub fn is_consequence(crash: &Crash) -> bool {
    match kind_of(crash) {
        // The stack is gone.
        _ if culprit(&crash.frames).is_none() => true,
        Kind::Segv => crash.fault.is_none_or(|address| address >= NEAR_NULL),
        // The C library checks its heap and the stack.
        Kind::Abort => {
            let caller = crash.frames.iter().find(|frame| frame.is_program || !is_of_abort(&frame.function));
            caller.is_none_or(|frame| !frame.is_program)
        }
        kind => matches!(kind, Kind::Timeout | Kind::OutOfMemory),
    }
}

/// What `abort` consists of.
fn is_of_abort(function: &str) -> bool {
    ["abort", "raise", "pthread_kill"].iter().any(|name| function.trim_start_matches('_').starts_with(name))
}

/// The innermost function that is the program's own doing.
pub fn culprit(frames: &[Frame]) -> Option<&Frame> {
    frames.iter().find(|frame| is_own(&frame.function, frame.is_program))
}

/// What two crashes have in common that are one finding: kind, place and callers. Where functions call each other again and
/// again only their names count; of a loop that does not end not even the line.
pub fn signature(kind: Kind, frames: &[Frame]) -> u64 {
    let own: Vec<&Frame> = frames.iter().filter(|frame| frame.is_program).collect();
    let is_recursive = (1..own.len()).any(|at| own[..at].iter().any(|frame| frame.function == own[at].function));
    let has_lines = !kind.is_hang() && kind != Kind::OutOfMemory;
    let mut places: Vec<(&str, u32)> = Vec::new();
    for (at, frame) in own.iter().enumerate() {
        let line = if has_lines && (at == 0 || !is_recursive) { frame.line } else { 0 };
        let place = (frame.function.as_str(), line);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    if is_recursive && !kind.is_hang() {
        // Who called whom last is chance.
        places[1..].sort_unstable();
    }
    if kind.is_hang() {
        // Where exactly it was when its time was over is chance; the outer functions are not.
        places = places.split_off(places.len().saturating_sub(2));
    }
    hash(&(kind, places))
}

/// Which runs have been looked at more closely: finding out where a program crashed takes another run, and a search
/// can have thousands that crash in one place.
#[derive(Default)]
pub struct Triage {
    counts: FxHashMap<u64, u64>,
}

impl Triage {
    /// Of equal crashes to the eye (outcome, and where they were last heard of) the first eight are worth a look (two of
    /// those that do not end), then every one at a power of two.
    pub fn is_worth_a_look(&mut self, outcome: Outcome, last_seen: u64) -> bool {
        let count = self.counts.entry(appearance(outcome, last_seen)).or_default();
        *count += 1;
        // To see that a run does not end takes as long as it may take.
        let n_looks = if matches!(outcome, Outcome::Signalled(_)) { 8 } else { 2 };
        *count <= n_looks || count.is_power_of_two()
    }

    /// Whether there was such a crash before the last one.
    pub fn is_known(&self, outcome: Outcome, last_seen: u64) -> bool {
        self.counts.get(&appearance(outcome, last_seen)).is_some_and(|&count| count > 1)
    }
}

fn appearance(outcome: Outcome, last_seen: u64) -> u64 {
    let kind = match outcome {
        Outcome::Signalled(signal) => signal,
        Outcome::TimedOut(_) => -1,
        _ => -2,
    };
    hash(&(kind, last_seen))
}

/// Findings after which a search ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enough {
    pub n_findings: usize,
    /// Those that count; all do if there is none.
    pub kinds: Vec<Kind>,
}

/// Stands for all kinds that are about accesses to memory.
const MEMORY: &str = "memory";

/// `N` or `N:KIND,KIND`
impl FromStr for Enough {
    type Err = String;

    fn from_str(text: &str) -> Result<Enough, String> {
        let (number, names) = text.split_once(':').map_or((text, None), |(number, names)| (number, Some(names)));
        let n_findings = number.parse().ok().filter(|&number| number > 0);
        let n_findings = n_findings.ok_or("a number of findings, 1 or more, as in 1 or 1:abort,leak")?;
        let mut kinds = Vec::new();
        for name in names.into_iter().flat_map(|names| names.split(',')) {
            match Kind::from_name(name.trim()) {
                Some(kind) => kinds.push(kind),
                None if name.trim() == MEMORY => kinds.extend(Kind::ALL.iter().filter(|kind| kind.is_of_memory())),
                None => {
                    return Err(format!("'{name}' is no kind of finding; kinds are {MEMORY}, {}", Kind::names()));
                }
            }
        }
        Ok(Enough { n_findings, kinds })
    }
}

impl fmt::Display for Enough {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.n_findings)?;
        for (number, kind) in self.kinds.iter().enumerate() {
            write!(f, "{}{kind}", if number == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl Enough {
    pub fn is_reached(&self, findings: &[Finding]) -> bool {
        let counts = |finding: &&Finding| self.kinds.is_empty() || self.kinds.contains(&finding.kind);
        findings.iter().filter(counts).count() >= self.n_findings
    }
}

/// The findings so far.
#[derive(Default)]
pub struct Findings {
    pub all: Vec<Finding>,
    by_signature: FxHashMap<u64, usize>,
    next_id: usize,
}

impl Findings {
    /// Numbers begin here: the folder has others.
    pub fn number_from(&mut self, id: usize) {
        self.next_id = self.next_id.max(id);
    }

    /// The number of the next one.
    pub fn next_id(&self) -> usize {
        self.next_id
    }

    /// The finding with this signature, if it is known.
    pub fn get(&mut self, signature: u64) -> Option<&mut Finding> {
        let index = *self.by_signature.get(&signature)?;
        self.all.get_mut(index)
    }

    pub fn add(&mut self, signature: u64, finding: Finding) {
        self.by_signature.insert(signature, self.all.len());
        self.number_from(finding.id + 1);
        self.all.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_counted_by_kind() {
        let enough = |text: &str| text.parse::<Enough>();
        assert_eq!(enough("3"), Ok(Enough { n_findings: 3, kinds: Vec::new() }));
        assert_eq!(enough("1:abort, leak").map(|enough| enough.kinds), Ok(vec![Kind::Abort, Kind::Leak]));
        let of_memory = enough("1:memory").unwrap();
        assert!(of_memory.kinds.contains(&Kind::UseAfterFree) && !of_memory.kinds.contains(&Kind::Assertion));
        for wrong in ["0", "", "x", "1:", "1:frob", "-1"] {
            assert!(enough(wrong).is_err(), "{wrong}");
        }
        for right in [of_memory, enough("7").unwrap()] {
            assert_eq!(enough(&right.to_string()), Ok(right));
        }
    }

    fn frame(function: &str, line: u32, is_program: bool) -> Frame {
        Frame { function: function.into(), file: Some("a.c".into()), line, is_program }
    }

    #[test]
    fn kinds_go_by_signal_and_stack() {
        let crash = |signal, functions: &[&str]| Crash {
            outcome: Outcome::Signalled(signal),
            frames: functions.iter().map(|function| frame(function, 1, true)).collect(),
            is_overflow: false,
            fault: None,
            violation: None,
        };
        assert_eq!(kind_of(&crash(libc::SIGABRT, &["abort", "f"])), Kind::Abort);
        assert_eq!(kind_of(&crash(libc::SIGABRT, &["abort", "__assert_fail", "f"])), Kind::Assertion);
        assert_eq!(kind_of(&crash(libc::SIGABRT, &["abort", "reach_error", "f"])), Kind::Unreachable);
        let overflow = ["abort", "__ubsan_handle_mul_overflow_minimal_abort", "f"];
        assert_eq!(kind_of(&crash(libc::SIGABRT, &overflow)), Kind::SignedOverflow);
        let shift = ["abort", "__ubsan_handle_shift_out_of_bounds_minimal_abort", "f"];
        assert_eq!(kind_of(&crash(libc::SIGABRT, &shift)), Kind::ShiftOutOfRange);
        assert_eq!(kind_of(&crash(libc::SIGABRT, &["abort", "__ubsan_handle_type_mismatch", "f"])), Kind::Abort);
        assert_eq!(kind_of(&crash(libc::SIGFPE, &["f"])), Kind::DivisionByZero);
        assert_eq!(kind_of(&crash(libc::SIGSEGV, &["reach_error"])), Kind::Segv);
        assert_eq!(kind_of(&crash(libc::SIGILL, &["f"])), Kind::Trap);
        assert_eq!(kind_of(&crash(libc::SIGTRAP, &["f"])), Kind::Trap);
    }

    #[test]
    fn consequences_are_told_from_decisions() {
        let crash = |signal, fault, functions: &[(&str, bool)]| Crash {
            outcome: Outcome::Signalled(signal),
            frames: functions.iter().map(|&(function, is_program)| frame(function, 1, is_program)).collect(),
            is_overflow: false,
            fault,
            violation: None,
        };
        let raised = [("__pthread_kill_implementation", false), ("gsignal", false), ("raise", false), ("abort", false)];
        let by = |caller: &[(&'static str, bool)]| [&[raised[0], raised[2], raised[3]], caller].concat();
        assert!(!is_consequence(&crash(libc::SIGABRT, None, &by(&[("check", true)]))));
        assert!(is_consequence(&crash(libc::SIGABRT, None, &by(&[("malloc_printerr", false), ("f", true)]))));
        assert!(is_consequence(&crash(libc::SIGSEGV, Some(0x4141_4141_4141), &[("f", true)])));
        assert!(!is_consequence(&crash(libc::SIGSEGV, Some(8), &[("f", true)])));
        assert!(!is_consequence(&crash(libc::SIGILL, None, &[("f", true)])));
        assert!(is_consequence(&crash(libc::SIGSEGV, Some(8), &[])));
    }

    #[test]
    fn depth_of_recursion_does_not_count() {
        let deep = [frame("f", 3, true), frame("f", 5, true), frame("f", 5, true), frame("main", 9, true)];
        let flat = [frame("f", 3, true), frame("f", 5, true), frame("main", 9, true)];
        assert_eq!(signature(Kind::Segv, &deep), signature(Kind::Segv, &flat));
        assert_ne!(signature(Kind::Segv, &deep), signature(Kind::Abort, &deep));
        assert_ne!(signature(Kind::Segv, &deep), signature(Kind::Segv, &deep[1..]));
        let native = [frame("memcpy", 0, false), flat[0].clone()];
        assert_eq!(culprit(&native).map(|frame| frame.line), Some(3));
    }

    #[test]
    fn crashes_of_one_place_are_sampled() {
        let mut triage = Triage::default();
        let looked = (0..100).filter(|_| triage.is_worth_a_look(Outcome::Signalled(11), 7)).count();
        assert_eq!(looked, 8 + 3);
        let looked = (0..100).filter(|_| triage.is_worth_a_look(Outcome::TimedOut(1000), 7)).count();
        assert_eq!(looked, 7);
        assert!(triage.is_worth_a_look(Outcome::Signalled(6), 7));
    }
}
