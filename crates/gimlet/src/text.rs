//! A trace for people: one event a line, then the counts.
//!
//! ```text
//!    1  read   calc.c:12:9      main   stdin[0..16]: got 4, end of file
//!    2  true   calc.c:15:13     main   stdin[0] == '+'
//!    3  pin    calc.c:20:5      main   zext64(stdin[1]) == 3 (symbolic size)
//!       observed calc.c:22:5    main   sum = stdin[0] + stdin[2]
//! ```

use std::fmt::Write as _;
use std::io::{self, Write};

use gimlet_exec::error::describe;
use gimlet_expr::ExprId;
use gimlet_path::{Direction, Observation, PathCondition, Place, Step, StepKind};
use gimlet_trace::event::{EventKind, PinReason, TallyKind};
use gimlet_trace::Trace;

use crate::{interrupt, tallies};

/// Nodes of an expression that are shown.
const N_NODES_SHOWN: usize = 40;

/// The name of an input byte.
pub fn byte_name(trace: &Trace, index: u32) -> String {
    let named = trace.locate(index).and_then(|(source, offset)| Some((trace.input.sources.get(source)?, offset)));
    match named {
        Some((source, offset)) => format!("{}[{offset}]", source.name),
        None => format!("input[{index}]"),
    }
}

/// An expression over named input bytes.
pub fn expression(trace: &Trace, path: &PathCondition, expr: ExprId) -> String {
    let name = |index| byte_name(trace, index);
    let mut text = path.dag.display(expr, &name).characters().limit(N_NODES_SHOWN).to_string();
    for stretch in trace.input.stretches() {
        let [length, source] = [stretch.length, stretch.source].map(|number| &trace.input.sources[number].name);
        let bytes: Vec<String> = (0..4).rev().map(|byte| format!("{length}[{byte}]")).collect();
        text = text.replace(&format!("({})", bytes.join(" ++ ")), &format!("length({source}@{})", stretch.at));
    }
    without_outer_parentheses(&text).to_string()
}

/// `(a == b)` is `a == b`, but `(a) == (b)` stays.
fn without_outer_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    for byte in inner.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return text,
            b')' => depth -= 1,
            _ => {}
        }
    }
    inner
}

/// The word in the second column: what was done.
pub fn action(step: &Step) -> String {
    match &step.kind {
        StepKind::Branch { taken, .. } => taken.to_string(),
        StepKind::Switch { .. } => match step.direction() {
            Some(Direction::Default) => "default".to_string(),
            _ => "case".to_string(),
        },
        StepKind::Pin { .. } => "pin".to_string(),
        StepKind::Access { is_write: false, .. } => "load".to_string(),
        StepKind::Access { is_write: true, .. } => "store".to_string(),
        StepKind::Arith { .. } => "divide".to_string(),
        StepKind::Assume { .. } => "assume".to_string(),
        StepKind::Assert { held: true, .. } => "assert".to_string(),
        StepKind::Assert { held: false, .. } => "failed".to_string(),
        StepKind::Read { .. } => "read".to_string(),
    }
}

/// The condition of a step with what else there is to say about it.
pub fn condition(trace: &Trace, path: &PathCondition, step: &Step) -> String {
    let show = |expr| expression(trace, path, expr);
    match &step.kind {
        // What was tested: the second column says how that came out.
        StepKind::Branch { test, is_model, .. } => {
            format!("{}{}", show(*test), if *is_model { " (in a library function)" } else { "" })
        }
        StepKind::Switch { value, taken, cases } => match (cases, step.direction()) {
            (Some(cases), Some(Direction::Default)) => {
                let cases: Vec<String> =
                    cases.iter().take(8).map(|&case| path.dag.comparand(*value, case.into())).collect();
                let more = if cases.len() == 8 { ", ..." } else { "" };
                let taken = path.dag.comparand(*value, (*taken).into());
                format!("{} not in {{{}{more}}}, was {taken}", show(*value), cases.join(", "))
            }
            _ => format!("{} == {}", show(*value), path.dag.comparand(*value, (*taken).into())),
        },
        StepKind::Pin { expr, value, reason } => {
            let reason = reason.map_or("unknown reason", PinReason::text);
            // Of lengths alone nothing is pinned.
            match path.dag.as_const(step.condition).filter(|_| step.is_loose) {
                Some(_) => format!("{} was {value:#x} ({reason}, open)", show(*expr)),
                None => format!("{} == {value:#x} ({reason})", show(*expr)),
            }
        }
        StepKind::Access { addr, n_bytes, base, size, .. } => {
            format!("{n_bytes} bytes at {} inside {base:#x}+{size}", show(*addr))
        }
        StepKind::Arith { dividend, divisor, .. } => format!("{} by {}", show(*dividend), show(*divisor)),
        StepKind::Assume { held, .. } => format!("{}{}", show(step.condition), if *held { "" } else { " (failed)" }),
        StepKind::Assert { .. } => show(step.condition),
        StepKind::Read { source, offset, wanted, got, is_end } => {
            let name = trace.input.sources.get(*source as usize).map_or("?", |source| &source.name);
            let end = if *is_end { ", end of file" } else { "" };
            format!("{name}[{offset}..{}]: got {got}{end}", offset.saturating_add(u64::from(*wanted)))
        }
    }
}

/// The lines of the path condition, up to the limit.
pub fn write_steps(out: &mut impl Write, trace: &Trace, path: &PathCondition, n_lines_max: usize) -> io::Result<()> {
    let mut observations = path.observations.iter().peekable();
    for (index, step) in path.steps.iter().enumerate().take(n_lines_max) {
        if interrupt::received().is_some() {
            return Err(io::Error::other("interrupted"));
        }
        while let Some(observation) = observations.next_if(|observation| observation.step <= index) {
            write_observation(out, trace, path, observation)?;
        }
        let place = Place::of(trace, step.site).unwrap_or_default();
        let (position, function) = (place.position(), &place.function);
        let condition = condition(trace, path, step);
        writeln!(out, "{:>5}  {:<8} {position:<24} {function:<16} {condition}", index + 1, action(step))?;
    }
    if path.steps.len() > n_lines_max {
        return writeln!(out, "  ...  {} more (--limit 0 prints all)", path.steps.len() - n_lines_max);
    }
    observations.try_for_each(|observation| write_observation(out, trace, path, observation))
}

/// What was observed: one line for every part, or one that marks the place.
fn write_observation(
    out: &mut impl Write,
    trace: &Trace,
    path: &PathCondition,
    observation: &Observation,
) -> io::Result<()> {
    let place = Place::of(trace, observation.site).unwrap_or_default();
    let mut line = |text: &str| {
        let (position, function) = (place.position(), &place.function);
        writeln!(out, "       observed {position:<24} {function:<16} {}{text}", observation.name)
    };
    if observation.parts.is_empty() {
        return line("");
    }
    for part in &observation.parts {
        let range = match observation.parts.len() {
            1 => String::new(),
            _ => format!("[{}..{}]", part.offset, part.offset + part.width as usize / 8),
        };
        let meaning = part.expr.map_or_else(|| format!("{:#x}", part.value), |expr| expression(trace, path, expr));
        line(&format!("{range} = {meaning}"))?;
    }
    Ok(())
}

/// The counts, and how the program ended.
pub fn write_counts(out: &mut impl Write, trace: &Trace, path: &PathCondition) -> io::Result<()> {
    let mut sources = String::new();
    for source in &trace.input.sources {
        let _ = write!(sources, " {} {},", source.name, source.bytes.len());
    }
    writeln!(out, "input bytes          {:>9} {}", trace.input.len(), sources.trim_end_matches(','))?;
    writeln!(out, "expressions          {:>9}", trace.nodes.len() - 1)?;
    writeln!(out, "events               {:>9}  {}", trace.events.len(), events_by_kind(trace))?;
    writeln!(out, "conditions           {:>9}  {} can be flipped", path.steps.len(), n_flippable(path))?;
    writeln!(out, "symbolic operations  {:>9}", trace.symbolic_operations)?;
    for (kind, name) in [
        (TallyKind::Pin, "pins"),
        (TallyKind::Lost, "losses"),
        (TallyKind::Stale, "stale labels"),
        (TallyKind::Unmodelled, "unmodelled calls"),
    ] {
        writeln!(out, "{name:<20} {:>9}", tallies::total(trace, kind))?;
        for counted in tallies::of_kind(trace, kind) {
            writeln!(out, "  {:>7} x {} at {}", counted.count, counted.reason, counted.place_text)?;
        }
    }
    writeln!(out, "the program {}", describe(trace.outcome))
}

pub fn n_flippable(path: &PathCondition) -> usize {
    path.steps.iter().filter(|step| step.is_flippable(&path.dag)).count()
}

/// Kinds of events with their number, in the order of their codes.
pub fn kinds_of_events(trace: &Trace) -> Vec<(EventKind, usize)> {
    let mut counts = [0; 256];
    trace.events.iter().for_each(|event| counts[usize::from(event.kind)] += 1);
    let kinds = EventKind::ALL.iter().map(|&kind| (kind, counts[kind as usize]));
    kinds.filter(|&(_, count)| count > 0).collect()
}

fn events_by_kind(trace: &Trace) -> String {
    let kinds = kinds_of_events(trace).into_iter().map(|(kind, count)| format!("{} {count}", kind.text()));
    kinds.collect::<Vec<_>>().join(", ")
}

/// Bytes as C would escape them.
pub fn escaped(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for (index, &byte) in bytes.iter().enumerate() {
        let next_is_digit = bytes.get(index + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0 if !next_is_digit => out.push_str("\\0"),
            b' '..=b'~' => out.push(char::from(byte)),
            // Three octal digits end by themselves, hexadecimal ones do not.
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses() {
        for (text, expected) in
            [("(a == b)", "a == b"), ("(a) == (b)", "(a) == (b)"), ("((a) + b)", "(a) + b"), ("a", "a")]
        {
            assert_eq!(without_outer_parentheses(text), expected);
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(escaped(b"a\"\\\n\0b\x001\xff"), r#""a\"\\\n\0b\0001\377""#);
    }
}
