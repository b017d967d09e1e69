//! Traces for tests, put together by hand.

use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::SegmentRecord;
use gimlet_trace::site::{Site, SiteKind, SiteTable};
use gimlet_trace::trace::{Module, Outcome};
use gimlet_trace::{Input, Label, Trace};

/// Sites of the sample: a branch, a switch over 1, 2 and 7, and a load.
pub const BRANCH: u32 = 0;
pub const SWITCH: u32 = 1;
pub const LOAD: u32 = 2;

fn site(kind: SiteKind, line: u32, words: &[u64]) -> Site {
    Site {
        kind,
        width: 32,
        file: "a.c".into(),
        function: "f".into(),
        line,
        column: 5,
        block: 0,
        copy: 0,
        words: words.to_vec(),
        callee: None,
    }
}

/// A trace that has read `stdin` and done nothing with it.
pub fn trace(stdin: &[u8]) -> Trace {
    let sites = vec![
        site(SiteKind::Branch, 10, &[1, 2]),
        site(SiteKind::Switch, 20, &[9, 1, 3, 2, 4, 7, 5]),
        site(SiteKind::Load, 30, &[]),
    ];
    Trace {
        input: Input::stdin(stdin),
        segments: vec![SegmentRecord { source: 0, first: 0, offset: 0, len: stdin.len() as u64 }],
        nodes: vec![NodeRecord::default()],
        snapshots: Vec::new(),
        events: Vec::new(),
        names: Vec::new(),
        tallies: Vec::new(),
        modules: vec![Module { base: 0, count: 3, build_id: 5, image: String::new() }],
        tables: vec![SiteTable { build_id: 5, sites }.into()],
        outcome: Outcome::Exited(0),
        stops: 0,
        forks: 0,
        symbolic_operations: 0,
    }
}

/// Adds a record with an immediate second operand.
pub fn node(trace: &mut Trace, op: Op, width: u16, a: Label, immediate: u64, value: u64) -> Label {
    let flags = if op.operands() & imm::B != 0 { imm::B } else { 0 };
    trace.nodes.push(NodeRecord { op: op as u8, flags, width, a: a.0, b: 0, c: 0, value, imm: immediate });
    Label(trace.nodes.len() as u32 - 1)
}

/// Adds an event.
pub fn event(trace: &mut Trace, kind: EventKind, site: u32, label: Label, flags: u8, x: u64, y: u64) {
    trace.events.push(EventRecord { kind: kind as u8, flags, site, a: label.0, x, y, ..EventRecord::default() });
}

/// Adds a branch to the log of all branches, and to the path condition if it has a label.
pub fn branch(trace: &mut Trace, label: Label, taken: bool) {
    event(trace, EventKind::BranchLog, BRANCH, label, taken.into(), 0, 0);
    if label.is_symbolic() {
        event(trace, EventKind::Branch, BRANCH, label, taken.into(), 0, 0);
    }
}

/// A run of `if (b[0] * 3 == 60) ...; switch (b[1]) { case 1: case 2: case 7: default: }`.
pub fn run(stdin: [u8; 2]) -> Trace {
    let mut trace = trace(&stdin);
    let wide = node(&mut trace, Op::ZExt, 32, Label::input(0), 0, stdin[0].into());
    let product = node(&mut trace, Op::Mul, 32, wide, 3, u64::from(stdin[0]) * 3);
    let equal = u64::from(stdin[0]) * 3 == 60;
    let test = node(&mut trace, Op::Eq, 1, product, 60, equal.into());
    branch(&mut trace, test, equal);
    let value = node(&mut trace, Op::ZExt, 32, Label::input(1), 0, stdin[1].into());
    let switch = EventRecord {
        kind: EventKind::BranchLog as u8,
        aux: 1,
        site: SWITCH,
        a: value.0,
        x: stdin[1].into(),
        ..EventRecord::default()
    };
    trace.events.push(switch);
    event(&mut trace, EventKind::Switch, SWITCH, value, 0, stdin[1].into(), 0);
    trace
}
