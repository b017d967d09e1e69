//! Oracle: a path condition tells where another input goes.
//!
//! Exactness alone can be had by dropping labels. So programs are built with a
//! log of all branches, symbolic or not, and run on an input and on a changed
//! one. At the first entry where the two logs differ, something in the old
//! run's path condition must have said so: the condition of that very branch
//! evaluates, on the new input, to the new direction; or something that was
//! fixed before it (a pin, the bounds of an access, a decision inside a library
//! function) no longer holds; or a dependency was lost before it, and counted.
//! Anything else is a label that was dropped silently.
//!
//! The converse is checked on the way: as long as the logs agree, no condition
//! of a branch may claim that they don't.

use std::collections::BTreeMap;
use std::fmt;

use gimlet_expr::Evaluator;
use gimlet_trace::event::{EventKind, EventRecord, LostReason, PinReason, Tally, TallyKind};
use gimlet_trace::shm::stop;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Trace;

use crate::condition::PathCondition;
use crate::error::PathError;
use crate::place::Place;
use crate::step::{Step, StepKind};

/// Stops after which a trace may lack dependencies, or the rest of its log.
const LOSING_STOPS: u32 =
    stop::NODES | stop::EVENTS | stop::TALLIES | stop::INPUT | stop::TABLES | stop::EXEC | stop::ALIASED | stop::PANIC;
/// Stops that end the log.
const ENDING_STOPS: u32 = stop::NODES | stop::EVENTS | stop::EXEC | stop::PANIC;

/// How the old path condition stands to the new run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The logs are equal.
    Same,
    /// The condition of the branch where they part gives the new direction.
    Predicted,
    /// Something that was fixed before no longer holds.
    Explained { event: usize, cause: Cause },
    /// A dependency was lost before, and counted.
    Lost(Loss),
    /// One run was ended by force before the logs could differ.
    Truncated,
    /// The condition of event `event` claims another direction than the new run took.
    Wrong { event: usize },
    /// Nothing says why log entry `entry` differs. The indices are of the events, if the logs have one there.
    Unexplained { entry: usize, old: Option<usize>, new: Option<usize> },
}

/// What the new input violates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    Pin(Option<PinReason>),
    Access,
    Assumption,
    Assertion,
    Division,
    /// A branch inside the model of a library function.
    Model,
    /// A read gave another number of bytes.
    ReadLength,
}

/// A counted loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    Tally(Tally),
    Stops(u32),
    /// The program forked; what its children did is not traced.
    Forked,
}

impl Verdict {
    /// True if the verdict shows a fault of the trace.
    pub fn is_failure(&self) -> bool {
        matches!(self, Verdict::Wrong { .. } | Verdict::Unexplained { .. })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Cause::Pin(reason) => write!(f, "pinned: {}", reason.map_or("unknown reason", PinReason::text)),
            Cause::Access => write!(f, "access outside its object"),
            Cause::Assumption => write!(f, "assumption"),
            Cause::Assertion => write!(f, "assertion"),
            Cause::Division => write!(f, "division by zero"),
            Cause::Model => write!(f, "decided in a library function"),
            Cause::ReadLength => write!(f, "other number of bytes read"),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Loss::Tally(tally) => match TallyKind::from_code(tally.kind) {
                Some(TallyKind::Lost) => match LostReason::from_code(tally.reason) {
                    Some(reason) => write!(f, "lost: {}", reason.text()),
                    None => write!(f, "lost: reason {}", tally.reason),
                },
                Some(kind) => write!(f, "{}", kind.text()),
                None => write!(f, "tally of kind {}", tally.kind),
            },
            Loss::Stops(bits) => write!(f, "tracing stopped ({bits:#x})"),
            Loss::Forked => write!(f, "forked"),
        }
    }
}

/// The run that others are compared with.
pub struct Baseline<'a> {
    trace: &'a Trace,
    path: PathCondition,
    /// Events that make up the log of all branches, by thread.
    logs: Logs,
}

/// The log of each thread: what threads do one after the other is fixed, how they take turns is not.
type Logs = BTreeMap<u32, Vec<usize>>;

/// Where the logs of two runs part: the entry in the log of its thread, and the events, if the logs have one there.
struct Parting {
    entry: usize,
    old: Option<usize>,
    new: Option<usize>,
}

/// Compares two runs of one program. For many comparisons with one old run make a [`Baseline`].
pub fn compare(old: &Trace, new: &Trace) -> Result<Verdict, PathError> {
    Ok(Baseline::new(old)?.compare(new))
}

/// True if the program was built with a log of all branches and came to the first of them.
pub fn has_branch_log(trace: &Trace) -> bool {
    trace.events.iter().any(is_log_entry)
}

/// True if two runs took the same branches, symbolic or not.
pub fn same_log(one: &Trace, other: &Trace) -> bool {
    let entries =
        |trace: &'_ Trace| trace.events.iter().filter(|event| is_log_entry(event)).map(what).collect::<Vec<_>>();
    entries(one) == entries(other)
}

impl<'a> Baseline<'a> {
    /// The run must be one on its own completed input: what a program asks for the first time it is given a second
    /// time, which is not the same behaviour.
    pub fn new(trace: &'a Trace) -> Result<Baseline<'a>, PathError> {
        Ok(Baseline { trace, path: PathCondition::from_trace(trace)?, logs: logs_of(trace) })
    }

    pub fn compare(&self, new: &Trace) -> Verdict {
        let parting = self.parting(new);
        let old_end = parting.as_ref().and_then(|parting| parting.old).unwrap_or(self.trace.events.len());
        let new_end = parting.as_ref().and_then(|parting| parting.new).unwrap_or(new.events.len());
        let mut evaluator = Evaluator::new(&self.trace.flatten(&new.input));
        let violated = self.first_violated(old_end, &mut evaluator);
        let cause = match violated {
            None => None,
            Some(step) => match cause_of(step) {
                Some(cause) => Some((step.event, cause)),
                None => return self.contradiction(step.event, new, new_end),
            },
        };
        let Some(Parting { entry, old, new: new_entry }) = parting else { return Verdict::Same };
        if let Some((event, cause)) = cause {
            return Verdict::Explained { event, cause };
        }
        if (old.is_none() && was_cut(self.trace)) || (new_entry.is_none() && was_cut(new)) {
            return Verdict::Truncated;
        }
        if let (Some(old), Some(new_entry)) = (old, new_entry)
            && let Some(verdict) = self.at_parting(old, &new.events[new_entry], new, new_end, &mut evaluator)
        {
            return verdict;
        }
        if !reads(self.trace, old_end).eq(reads(new, new_end)) {
            return Verdict::Explained { event: old_end, cause: Cause::ReadLength };
        }
        match self.loss(old_end, new, new_end) {
            Some(loss) => Verdict::Lost(loss),
            None => Verdict::Unexplained { entry, old, new: new_entry },
        }
    }

    /// The first log entry, in the order of the old run, where the runs differ.
    fn parting(&self, new: &Trace) -> Option<Parting> {
        let new_logs = logs_of(new);
        let none = Vec::new();
        let threads = self.logs.keys().chain(new_logs.keys());
        let partings = threads.filter_map(|thread| {
            let (old_log, new_log) = (self.logs.get(thread).unwrap_or(&none), new_logs.get(thread).unwrap_or(&none));
            let n_common = old_log.len().min(new_log.len());
            let differs =
                |&entry: &usize| what(&self.trace.events[old_log[entry]]) != what(&new.events[new_log[entry]]);
            let found = (0..n_common).find(differs);
            let entry = found.or((old_log.len() != new_log.len()).then_some(n_common))?;
            Some(Parting { entry, old: old_log.get(entry).copied(), new: new_log.get(entry).copied() })
        });
        partings.min_by_key(|parting| parting.old.unwrap_or(self.trace.events.len()))
    }

    /// The first step before event number `end` whose condition does not hold.
    fn first_violated(&self, end: usize, evaluator: &mut Evaluator) -> Option<&Step> {
        let steps = self.path.steps.iter().take_while(|step| step.event < end);
        steps.into_iter().find(|step| !evaluator.holds(&self.path.dag, step.condition))
    }

    /// What the old run's condition of the branch itself says, if it has one. `old` is the index of its log entry.
    fn at_parting(
        &self,
        old: usize,
        new_entry: &EventRecord,
        new: &Trace,
        new_end: usize,
        evaluator: &mut Evaluator,
    ) -> Option<Verdict> {
        let site = self.trace.events[old].site;
        if site != new_entry.site {
            return None;
        }
        let step = &self.path.steps[self.path.step_of_event(old + 1)?];
        let value = evaluator.eval(&self.path.dag, step.subject()?);
        let is_right = match step.kind {
            _ if step.site != site => return None,
            StepKind::Branch { is_model: false, .. } => value == u128::from(new_entry.flags & 1),
            StepKind::Switch { .. } => value == u128::from(new_entry.x),
            StepKind::Pin { value: pinned, reason, .. } if pinned != value => {
                return Some(Verdict::Explained { event: step.event, cause: Cause::Pin(reason) });
            }
            _ => return None,
        };
        Some(if is_right { Verdict::Predicted } else { self.contradiction(step.event, new, new_end) })
    }

    /// A condition that contradicts the new run: part of its dependencies may have been lost.
    fn contradiction(&self, event: usize, new: &Trace, new_end: usize) -> Verdict {
        match self.loss(event, new, new_end) {
            Some(loss) => Verdict::Lost(loss),
            None => Verdict::Wrong { event },
        }
    }

    /// The first loss that either run counted before these events.
    fn loss(&self, old_end: usize, new: &Trace, new_end: usize) -> Option<Loss> {
        let tally = first_loss(self.trace, old_end).or_else(|| first_loss(new, new_end)).map(Loss::Tally);
        let stops = (self.trace.stops | new.stops) & LOSING_STOPS;
        let forked = self.trace.forks + new.forks > 0;
        tally.or((stops != 0).then_some(Loss::Stops(stops))).or(forked.then_some(Loss::Forked))
    }
}

pub(crate) fn is_log_entry(event: &EventRecord) -> bool {
    event.kind == EventKind::BranchLog as u8
}

pub(crate) fn log_of(trace: &Trace) -> Vec<usize> {
    (0..trace.events.len()).filter(|&index| is_log_entry(&trace.events[index])).collect()
}

fn logs_of(trace: &Trace) -> Logs {
    let mut logs = Logs::new();
    for event in log_of(trace) {
        logs.entry(trace.events[event].b).or_default().push(event);
    }
    logs
}

/// What a log entry says; labels do not count.
pub(crate) fn what(event: &EventRecord) -> (u32, u8, u16, u64) {
    (event.site, event.flags & 1, event.aux, event.x)
}

/// Why the violation of a step excuses what follows; `None` for a branch that the log has too.
fn cause_of(step: &Step) -> Option<Cause> {
    match step.kind {
        StepKind::Branch { is_model: false, .. } | StepKind::Switch { .. } => None,
        StepKind::Branch { is_model: true, .. } => Some(Cause::Model),
        StepKind::Pin { reason, .. } => Some(Cause::Pin(reason)),
        StepKind::Access { .. } => Some(Cause::Access),
        StepKind::Arith { .. } => Some(Cause::Division),
        StepKind::Assume { .. } => Some(Cause::Assumption),
        StepKind::Assert { .. } => Some(Cause::Assertion),
        StepKind::Read { .. } => Some(Cause::ReadLength),
    }
}

fn first_loss(trace: &Trace, end: usize) -> Option<Tally> {
    let is_loss = |tally: &&Tally| {
        let kind = TallyKind::from_code(tally.kind);
        matches!(kind, Some(TallyKind::Lost | TallyKind::Stale | TallyKind::Unmodelled))
    };
    let early = trace.tallies.iter().filter(is_loss).filter(|tally| tally.first_event <= end as u64);
    early.min_by_key(|tally| tally.first_event).copied()
}

/// True if the log may lack its end.
fn was_cut(trace: &Trace) -> bool {
    !matches!(trace.outcome, Outcome::Exited(_)) || trace.stops & ENDING_STOPS != 0
}

/// What the reads before event number `end` gave.
fn reads(trace: &Trace, end: usize) -> impl Iterator<Item = (u32, u32, u64, u64)> + '_ {
    let events = trace.events[..end.min(trace.events.len())].iter();
    events.filter(|event| event.kind == EventKind::Read as u8).map(|event| (event.a, event.b, event.x, event.y))
}

/// The verdict in words, with places.
pub fn explain(verdict: &Verdict, old: &Trace, new: &Trace) -> String {
    let place = |trace: &Trace, event: usize| {
        trace.events.get(event).map_or_else(|| "the end".to_string(), |event| Place::text(trace, event.site))
    };
    match verdict {
        Verdict::Same => "same path".to_string(),
        Verdict::Predicted => "predicted".to_string(),
        Verdict::Truncated => "one run was ended by force".to_string(),
        Verdict::Explained { event, cause } => format!("{cause}, event {event} at {}", place(old, *event)),
        Verdict::Lost(Loss::Tally(tally)) => {
            format!("{} at {}", Loss::Tally(*tally), Place::text(old, tally.site))
        }
        Verdict::Lost(loss) => loss.to_string(),
        Verdict::Wrong { event } => format!("the condition of event {event} at {} is wrong", place(old, *event)),
        Verdict::Unexplained { entry, old: old_event, new: new_event } => {
            let side = |trace: &Trace, event: Option<usize>| event.map_or("the end".to_string(), |at| place(trace, at));
            format!("log entry {entry}: {} became {}", side(old, *old_event), side(new, *new_event))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, branch, event, node};
    use gimlet_trace::node::Op;
    use gimlet_trace::Label;

    fn check(old: &Trace, new: &Trace, expected: Verdict) {
        let verdict = compare(old, new).unwrap();
        assert_eq!(verdict, expected, "{}", explain(&verdict, old, new));
    }

    #[test]
    fn conditions_predict() {
        let old = sample::run([20, 2]);
        check(&old, &sample::run([20, 2]), Verdict::Same);
        check(&old, &sample::run([3, 2]), Verdict::Predicted);
        check(&old, &sample::run([20, 7]), Verdict::Predicted);
        check(&old, &sample::run([3, 7]), Verdict::Predicted);
        check(&sample::run([3, 9]), &sample::run([4, 9]), Verdict::Same);
    }

    /// `if (b[0] == 1)` without its label.
    fn concrete(value: u8) -> Trace {
        let mut trace = sample::trace(&[value]);
        branch(&mut trace, Label::NONE, value == 1);
        trace
    }

    #[test]
    fn dropped_labels_are_found() {
        check(&concrete(1), &concrete(2), Verdict::Unexplained { entry: 0, old: Some(0), new: Some(0) });
        let mut old = concrete(1);
        let tally = Tally { kind: TallyKind::Lost as u16, reason: 1, site: 2, count: 1, ..Tally::default() };
        old.tallies.push(tally);
        check(&old, &concrete(2), Verdict::Lost(Loss::Tally(tally)));
        old.tallies[0].first_event = 1;
        check(&old, &concrete(2), Verdict::Unexplained { entry: 0, old: Some(0), new: Some(0) });
        old.forks = 1;
        check(&old, &concrete(2), Verdict::Lost(Loss::Forked));
    }

    #[test]
    fn wrong_conditions_are_found() {
        // The condition says == 5, the program did something else.
        let run = |value: u8, taken: bool| {
            let mut trace = sample::trace(&[value]);
            let test = node(&mut trace, Op::Eq, 1, Label::input(0), 5, (value == 5).into());
            branch(&mut trace, test, taken);
            trace
        };
        check(&run(5, true), &run(6, false), Verdict::Predicted);
        check(&run(5, true), &run(6, true), Verdict::Wrong { event: 1 });
        check(&run(6, false), &run(7, true), Verdict::Wrong { event: 1 });
    }

    #[test]
    fn pins_explain() {
        let run = |value: u8| {
            let mut trace = sample::trace(&[value]);
            event(&mut trace, EventKind::Pin, sample::LOAD, Label::input(0), 0, value.into(), 0);
            trace.events[0].aux = PinReason::Address as u16;
            branch(&mut trace, Label::NONE, value == 1);
            trace
        };
        let cause = Cause::Pin(Some(PinReason::Address));
        check(&run(1), &run(2), Verdict::Explained { event: 0, cause });
        check(&run(2), &run(3), Verdict::Same);
    }

    #[test]
    fn ends_of_runs() {
        let mut old = sample::run([20, 2]);
        let mut new = sample::run([20, 2]);
        new.events.truncate(2);
        check(&old, &new, Verdict::Unexplained { entry: 1, old: Some(2), new: None });
        new.outcome = Outcome::Signalled(11);
        check(&old, &new, Verdict::Truncated);
        old.outcome = Outcome::TimedOut(1);
        new.outcome = Outcome::Exited(0);
        check(&new, &old, Verdict::Unexplained { entry: 1, old: None, new: Some(2) });
    }

    #[test]
    fn reads_explain() {
        let run = |got: u64| {
            let mut trace = sample::trace(b"ab");
            event(&mut trace, EventKind::Read, sample::LOAD, Label::NONE, 0, 0, 2 << 32 | got);
            branch(&mut trace, Label::NONE, got == 2);
            trace
        };
        check(&run(2), &run(1), Verdict::Explained { event: 1, cause: Cause::ReadLength });
    }
}
