//! A trace for programs: one JSON object.
//!
//! ```text
//! input                 [{name, kind, length, hex}]
//! steps                 [{number, event, kind, direction, file, line, column, function, condition, flippable, ...}]
//!                       condition holds in this run, whatever the direction
//!   of kind branch      test (what was branched on: the direction says how it came out), in_library
//!   of kind pin         reason, value
//!   of kind switch      value, cases
//!   of kind load/store  bytes, object, object_size
//!   of kind read        source, offset, wanted, got, end_of_file
//! steps_left_out        number of steps beyond --limit
//! observations          [{after_step, event, name, parts, file, line, column, function}]; what gimlet_observe saw
//!   parts               [{offset, bytes, expression, value}]; expression is null for what does not depend on the input
//! counts                {expressions, events, conditions, flippable, symbolic_operations, pins, losses, stale_labels,
//!                        unmodelled_calls, forks}
//! events                {kind: number}
//! tallies               [{kind, reason, callee, count, file, line, column, function}]
//! unmodelled            [{name, calls, values, bytes, stale_bytes, reads_input, hint, sites: [{file, line, column,
//!                        function}]}], the most costly first; name is null for calls through pointers
//! outcome               {kind, value, text}; kind is exited, signalled, timed_out or out_of_memory
//! stops                 bits, 0 if the trace is whole
//! problems              [{message, hint}]; empty if the trace is complete
//! elapsed_us            microseconds of the fastest run through the fork server, with --repeat; otherwise null
//! ```
//! With --unmodelled there are only unmodelled, outcome, stops and problems.
//! Values that may exceed 53 bits are strings in hexadecimal.

use std::collections::BTreeMap;

use gimlet_exec::error::describe;
use gimlet_path::observation::{self, Observation};
use gimlet_path::{PathCondition, Place, Step, StepKind};
use gimlet_trace::event::{PinReason, TallyKind};
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Trace};
use serde::Serialize;
use serde_json::{json, Value};

use crate::problem::{self, Problem};
use crate::{tallies, text, unmodelled};

/// The whole trace.
pub fn of_trace(trace: &Trace, path: &PathCondition, problems: &[Problem], n_steps_max: usize) -> Value {
    let steps: Vec<StepObject> = path
        .steps
        .iter()
        .enumerate()
        .take(n_steps_max)
        .map(|(index, step)| StepObject::new(trace, path, index, step))
        .collect();
    let observations = path.observations.iter().map(|seen| ObservationObject::new(trace, path, seen));
    let events = text::kinds_of_events(trace).into_iter();
    let events: BTreeMap<String, _> = events.map(|(kind, count)| (kind.text().replace(' ', "_"), count)).collect();
    json!({
        "input": of_input(&trace.input),
        "unread": problem::unread(trace).map(|source| &source.name).collect::<Vec<_>>(),
        "steps_left_out": path.steps.len() - steps.len(),
        "steps": steps,
        "observations": observations.collect::<Vec<_>>(),
        "counts": CountsObject::new(trace, path),
        "events": events,
        "tallies": of_tallies(trace),
        "unmodelled": unmodelled_functions(trace),
        "outcome": of_outcome(trace.outcome),
        "stops": trace.stops,
        "problems": of_problems(problems),
    })
}

/// What was called without a model, alone.
pub fn of_unmodelled(trace: &Trace, problems: &[Problem]) -> Value {
    json!({
        "unmodelled": unmodelled_functions(trace),
        "outcome": of_outcome(trace.outcome),
        "stops": trace.stops,
        "problems": of_problems(problems),
    })
}

/// One step of the path condition.
pub fn of_step(trace: &Trace, path: &PathCondition, index: usize, step: &Step) -> Value {
    json!(StepObject::new(trace, path, index, step))
}

/// The sources of an input.
pub fn of_input(input: &Input) -> Value {
    let source = |source: &gimlet_trace::Source| json!({ "name": source.name, "kind": source.kind.text(), "length": source.bytes.len(), "hex": hex(&source.bytes) });
    input.sources.iter().map(source).collect()
}

pub fn of_problems(problems: &[Problem]) -> Value {
    json!(problems)
}

pub fn of_outcome(outcome: Outcome) -> Value {
    let (kind, value) = match outcome {
        Outcome::Exited(code) => ("exited", json!(code)),
        Outcome::Signalled(signal) => ("signalled", json!(signal)),
        Outcome::TimedOut(limit_ms) => ("timed_out", json!(limit_ms)),
        Outcome::OutOfMemory(limit_mib) => ("out_of_memory", json!(limit_mib)),
        Outcome::Interrupted => ("interrupted", Value::Null),
    };
    json!({ "kind": kind, "value": value, "text": describe(outcome) })
}

pub fn of_tallies(trace: &Trace) -> Value {
    let object = |counted: tallies::Counted| TallyObject {
        kind: counted.kind.text(),
        reason: counted.reason,
        callee: counted.callee,
        count: counted.count,
        place: counted.place.map(PlaceObject::from),
    };
    json!(TallyKind::ALL.iter().flat_map(|&kind| tallies::of_kind(trace, kind)).map(object).collect::<Vec<_>>())
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// In hexadecimal: it may exceed 53 bits.
fn number(value: impl Into<u128>) -> String {
    format!("{:#x}", value.into())
}

#[derive(Serialize)]
struct PlaceObject {
    file: String,
    line: u32,
    column: u32,
    function: String,
}

impl From<Place> for PlaceObject {
    fn from(place: Place) -> PlaceObject {
        PlaceObject { file: place.file, line: place.line, column: place.column, function: place.function }
    }
}

impl PlaceObject {
    fn of(trace: &Trace, site: u32) -> Option<PlaceObject> {
        Place::of(trace, site).map(PlaceObject::from)
    }
}

#[derive(Serialize)]
struct CountsObject {
    expressions: usize,
    events: usize,
    conditions: usize,
    flippable: usize,
    symbolic_operations: u64,
    pins: u64,
    losses: u64,
    stale_labels: u64,
    unmodelled_calls: u64,
    forks: u64,
}

impl CountsObject {
    fn new(trace: &Trace, path: &PathCondition) -> CountsObject {
        let total = |kind| tallies::total(trace, kind);
        CountsObject {
            expressions: trace.nodes.len() - 1,
            events: trace.events.len(),
            conditions: path.steps.len(),
            flippable: text::n_flippable(path),
            symbolic_operations: trace.symbolic_operations,
            pins: total(TallyKind::Pin),
            losses: total(TallyKind::Lost),
            stale_labels: total(TallyKind::Stale),
            unmodelled_calls: total(TallyKind::Unmodelled),
            forks: trace.forks.into(),
        }
    }
}

#[derive(Serialize)]
struct TallyObject {
    kind: &'static str,
    reason: String,
    callee: Option<String>,
    count: u64,
    #[serde(flatten)]
    place: Option<PlaceObject>,
}

#[derive(Serialize)]
struct FunctionObject<'a> {
    name: Option<&'a str>,
    calls: u64,
    values: u64,
    bytes: u64,
    stale_bytes: u64,
    reads_input: bool,
    hint: &'static str,
    sites: Vec<SiteObject>,
}

#[derive(Serialize)]
struct SiteObject {
    #[serde(flatten)]
    place: Option<PlaceObject>,
}

fn unmodelled_functions(trace: &Trace) -> Value {
    let object = |function: &unmodelled::Function| {
        json!(FunctionObject {
            name: function.name.as_deref(),
            calls: function.n_calls,
            values: function.n_values,
            bytes: function.n_bytes,
            stale_bytes: function.n_stale,
            reads_input: function.reads_input,
            hint: function.hint(),
            sites: function.sites.iter().map(|&site| SiteObject { place: PlaceObject::of(trace, site) }).collect(),
        })
    };
    unmodelled::functions(trace).iter().map(object).collect()
}

#[derive(Serialize)]
struct ObservationObject<'a> {
    after_step: usize,
    event: usize,
    name: &'a str,
    parts: Vec<PartObject>,
    #[serde(flatten)]
    place: Option<PlaceObject>,
}

#[derive(Serialize)]
struct PartObject {
    offset: usize,
    bytes: u32,
    expression: Option<String>,
    value: String,
}

impl<'a> ObservationObject<'a> {
    fn new(trace: &Trace, path: &PathCondition, observation: &'a Observation) -> ObservationObject<'a> {
        let part = |part: &observation::Part| PartObject {
            offset: part.offset,
            bytes: part.width / 8,
            expression: part.expr.map(|expr| text::expression(trace, path, expr)),
            value: number(part.value),
        };
        ObservationObject {
            after_step: observation.step,
            event: observation.event,
            name: &observation.name,
            parts: observation.parts.iter().map(part).collect(),
            place: PlaceObject::of(trace, observation.site),
        }
    }
}

#[derive(Serialize)]
struct StepObject<'a> {
    number: usize,
    event: usize,
    direction: Option<String>,
    condition: String,
    flippable: bool,
    #[serde(flatten)]
    kind: KindObject<'a>,
    #[serde(flatten)]
    place: Option<PlaceObject>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum KindObject<'a> {
    Branch { test: String, in_library: bool },
    Switch { value: String, cases: Option<Vec<String>> },
    Pin { value: String, reason: Option<&'static str> },
    Load(AccessObject),
    Store(AccessObject),
    Divide,
    Assume { held: bool },
    Assert { held: bool },
    Read { source: Option<&'a str>, offset: u64, wanted: u32, got: u32, end_of_file: bool },
}

#[derive(Serialize)]
struct AccessObject {
    bytes: u16,
    object: String,
    object_size: u64,
}

impl<'a> StepObject<'a> {
    fn new(trace: &'a Trace, path: &PathCondition, index: usize, step: &Step) -> StepObject<'a> {
        StepObject {
            number: index + 1,
            event: step.event,
            direction: step.direction().map(|direction| direction.to_string()),
            condition: text::expression(trace, path, step.condition),
            flippable: step.is_flippable(&path.dag),
            kind: KindObject::new(trace, path, &step.kind),
            place: PlaceObject::of(trace, step.site),
        }
    }
}

impl<'a> KindObject<'a> {
    fn new(trace: &'a Trace, path: &PathCondition, kind: &StepKind) -> KindObject<'a> {
        match *kind {
            StepKind::Branch { test, is_model, .. } => {
                KindObject::Branch { test: text::expression(trace, path, test), in_library: is_model }
            }
            StepKind::Switch { taken, ref cases, .. } => KindObject::Switch {
                value: number(taken),
                cases: cases.as_ref().map(|cases| cases.iter().map(|&case| number(case)).collect()),
            },
            StepKind::Pin { value, reason, .. } => {
                KindObject::Pin { value: number(value), reason: reason.map(PinReason::text) }
            }
            StepKind::Access { n_bytes, is_write, base, size, .. } => {
                let access = AccessObject { bytes: n_bytes, object: number(base), object_size: size };
                if is_write {
                    KindObject::Store(access)
                } else {
                    KindObject::Load(access)
                }
            }
            StepKind::Arith { .. } => KindObject::Divide,
            StepKind::Assume { held, .. } => KindObject::Assume { held },
            StepKind::Assert { held, .. } => KindObject::Assert { held },
            StepKind::Read { source, offset, wanted, got, is_end } => KindObject::Read {
                source: trace.input.sources.get(source as usize).map(|source| source.name.as_str()),
                offset,
                wanted,
                got,
                end_of_file: is_end,
            },
        }
    }
}
