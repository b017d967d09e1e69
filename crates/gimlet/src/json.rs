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

use gimlet_exec::error::describe;
use gimlet_path::observation::{Observation, Part};
use gimlet_path::{PathCondition, Place, Step, StepKind};
use gimlet_trace::event::{PinReason, TallyKind};
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Trace};
use serde_json::{json, Map, Value};

use crate::problem::{self, Problem};
use crate::{tallies, text, unmodelled};

/// The whole trace.
pub fn of_trace(trace: &Trace, path: &PathCondition, problems: &[Problem], n_steps_max: usize) -> Value {
    let steps: Vec<Value> = path
        .steps
        .iter()
        .enumerate()
        .take(n_steps_max)
        .map(|(index, step)| of_step(trace, path, index, step))
        .collect();
    let events: Map<String, Value> = text::kinds_of_events(trace)
        .into_iter()
        .map(|(kind, count)| (kind.text().replace(' ', "_"), json!(count)))
        .collect();
    let total = |kind| tallies::total(trace, kind);
    json!({
        "input": of_input(&trace.input),
        "unread": problem::unread(trace).map(|source| &source.name).collect::<Vec<_>>(),
        "steps_left_out": path.steps.len() - steps.len(),
        "steps": steps,
        "observations": path.observations.iter().map(|seen| of_observation(trace, path, seen)).collect::<Vec<_>>(),
        "counts": {
            "expressions": trace.nodes.len() - 1,
            "events": trace.events.len(),
            "conditions": path.steps.len(),
            "flippable": text::n_flippable(path),
            "symbolic_operations": trace.symbolic_operations,
            "pins": total(TallyKind::Pin),
            "losses": total(TallyKind::Lost),
            "stale_labels": total(TallyKind::Stale),
            "unmodelled_calls": total(TallyKind::Unmodelled),
            "forks": trace.forks,
        },
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

fn unmodelled_functions(trace: &Trace) -> Value {
    let site = |site: &u32| {
        let mut object = Map::new();
        add_place(&mut object, Place::of(trace, *site));
        Value::Object(object)
    };
    let object = |function: &unmodelled::Function| {
        json!({
            "name": function.name,
            "calls": function.n_calls,
            "values": function.n_values,
            "bytes": function.n_bytes,
            "stale_bytes": function.n_stale,
            "reads_input": function.reads_input,
            "hint": function.hint(),
            "sites": function.sites.iter().map(site).collect::<Vec<_>>(),
        })
    };
    unmodelled::functions(trace).iter().map(object).collect()
}

/// The sources of an input.
pub fn of_input(input: &Input) -> Value {
    let source = |source: &gimlet_trace::Source| json!({ "name": source.name, "kind": source.kind.text(), "length": source.bytes.len(), "hex": hex(&source.bytes) });
    input.sources.iter().map(source).collect()
}

pub fn of_problems(problems: &[Problem]) -> Value {
    problems.iter().map(|problem| json!({ "message": problem.message, "hint": problem.hint })).collect()
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

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn add_place(object: &mut Map<String, Value>, place: Option<Place>) {
    if let Some(place) = place {
        object.insert("file".into(), json!(place.file));
        object.insert("line".into(), json!(place.line));
        object.insert("column".into(), json!(place.column));
        object.insert("function".into(), json!(place.function));
    }
}

pub fn of_tallies(trace: &Trace) -> Value {
    let object = |counted: tallies::Counted| {
        let mut object = Map::new();
        object.insert("kind".into(), json!(counted.kind.text()));
        object.insert("reason".into(), json!(counted.reason));
        object.insert("callee".into(), json!(counted.callee));
        object.insert("count".into(), json!(counted.count));
        add_place(&mut object, counted.place);
        Value::Object(object)
    };
    TallyKind::ALL.iter().flat_map(|&kind| tallies::of_kind(trace, kind)).map(object).collect()
}

fn of_observation(trace: &Trace, path: &PathCondition, observation: &Observation) -> Value {
    let part = |part: &Part| {
        json!({
            "offset": part.offset,
            "bytes": part.width / 8,
            "expression": part.expr.map(|expr| text::expression(trace, path, expr)),
            "value": format!("{:#x}", part.value),
        })
    };
    let mut object = Map::new();
    object.insert("after_step".into(), json!(observation.step));
    object.insert("event".into(), json!(observation.event));
    object.insert("name".into(), json!(&*observation.name));
    object.insert("parts".into(), observation.parts.iter().map(part).collect());
    add_place(&mut object, Place::of(trace, observation.site));
    Value::Object(object)
}

/// One step of the path condition.
pub fn of_step(trace: &Trace, path: &PathCondition, index: usize, step: &Step) -> Value {
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| object.insert(key.to_string(), value);
    set("number", json!(index + 1));
    set("event", json!(step.event));
    set("direction", json!(step.direction().map(|direction| direction.to_string())));
    set("condition", json!(text::expression(trace, path, step.condition)));
    set("flippable", json!(step.is_flippable(&path.dag)));
    let kind = match &step.kind {
        StepKind::Branch { test, is_model, .. } => {
            set("test", json!(text::expression(trace, path, *test)));
            set("in_library", json!(is_model));
            "branch"
        }
        StepKind::Switch { taken, cases, .. } => {
            set("value", json!(format!("{taken:#x}")));
            let list = |cases: &std::sync::Arc<[u64]>| cases.iter().map(|case| json!(format!("{case:#x}"))).collect();
            set("cases", cases.as_ref().map_or(Value::Null, list));
            "switch"
        }
        StepKind::Pin { value, reason, .. } => {
            set("value", json!(format!("{value:#x}")));
            set("reason", json!(reason.map(PinReason::text)));
            "pin"
        }
        StepKind::Access { n_bytes, is_write, base, size, .. } => {
            set("bytes", json!(n_bytes));
            set("object", json!(format!("{base:#x}")));
            set("object_size", json!(size));
            if *is_write {
                "store"
            } else {
                "load"
            }
        }
        StepKind::Arith { .. } => "divide",
        StepKind::Assume { held, .. } => {
            set("held", json!(held));
            "assume"
        }
        StepKind::Assert { held, .. } => {
            set("held", json!(held));
            "assert"
        }
        StepKind::Read { source, offset, wanted, got, is_end } => {
            set("source", json!(trace.input.sources.get(*source as usize).map(|source| &source.name)));
            set("offset", json!(offset));
            set("wanted", json!(wanted));
            set("got", json!(got));
            set("end_of_file", json!(is_end));
            "read"
        }
    };
    set("kind", json!(kind));
    add_place(&mut object, Place::of(trace, step.site));
    Value::Object(object)
}
