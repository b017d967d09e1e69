//! The example in bytes of the crate's documentation.

use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::SegmentRecord;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Label, Trace};

fn node(op: Op, width: u16, a: Label, immediate: Option<u64>, value: u64) -> NodeRecord {
    let flags = if immediate.is_some() { imm::B } else { 0 };
    NodeRecord { op: op as u8, flags, width, a: a.0, value, imm: immediate.unwrap_or(0), ..NodeRecord::default() }
}

fn nodes() -> Vec<NodeRecord> {
    vec![
        NodeRecord::default(),
        node(Op::Read, 16, Label(0), None, 0x1234),
        node(Op::ZExt, 32, Label(1), None, 0x1234),
        node(Op::Mul, 32, Label(2), Some(3), 0x369c),
        node(Op::Eq, 1, Label(3), Some(0x369c), 1),
    ]
}

fn event() -> EventRecord {
    EventRecord { kind: EventKind::Branch as u8, flags: 1, site: 7, a: 4, ..EventRecord::default() }
}

/// The bytes that a line of the documentation shows: hexadecimal words after the name of the record.
fn documented(line: &str) -> Vec<u8> {
    let is_hex = |word: &&str| word.len().is_multiple_of(2) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits: String = line.split_whitespace().skip(3).filter(is_hex).collect();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..64).step_by(2).map(byte).collect()
}

fn documented_lines(name: &str) -> Vec<Vec<u8>> {
    let source = include_str!("../../src/lib.rs");
    let prefix = format!("//! {name} ");
    source.lines().filter(|line| line.starts_with(&prefix)).map(documented).collect()
}

#[test]
fn the_documented_bytes_are_true() {
    let written: Vec<Vec<u8>> = nodes()[1..].iter().map(|node| node.to_bytes().to_vec()).collect();
    assert_eq!(documented_lines("node"), written);
    assert_eq!(documented_lines("event"), [event().to_bytes().to_vec()]);
}

#[test]
fn the_example_is_a_valid_trace() {
    let trace = Trace {
        input: Input::stdin([0x34, 0x12]),
        segments: vec![SegmentRecord { source: 0, first: 0, offset: 0, len: 2 }],
        nodes: nodes(),
        snapshots: Vec::new(),
        events: vec![event()],
        names: Vec::new(),
        tallies: Vec::new(),
        modules: Vec::new(),
        tables: Vec::new(),
        outcome: Outcome::Exited(0),
        stops: 0,
        forks: 0,
        symbolic_operations: 4,
    };
    trace.validate().unwrap();
    assert_eq!(trace.flatten(&trace.input), [0x34, 0x12]);
    assert_eq!(trace.unflatten(&[1, 2]), Input::stdin([1, 2]));
    assert_eq!(Trace::from_bytes(&trace.to_bytes()).unwrap(), trace);
}
