//! A program that nobody has compiled: a function that says what it does with the bytes of its input, as the runtime would.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gimlet_exec::{ExecError, Run};
use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::SegmentRecord;
use gimlet_trace::site::SiteTable;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Label, Trace};

use crate::explorer::runner::Traced;

pub type Program = fn(&mut Machine);

/// A value of eight bits.
#[derive(Clone, Copy)]
pub struct Value {
    concrete: u8,
    label: Label,
}

/// One run, as far as it has come.
pub struct Machine {
    bytes: Vec<u8>,
    nodes: Vec<NodeRecord>,
    events: Vec<EventRecord>,
}

impl Machine {
    /// A byte of the input; a concrete 0 behind its end.
    pub fn byte(&self, at: usize) -> Value {
        let label = if at < self.bytes.len() { Label::input(at as u32) } else { Label::NONE };
        Value { concrete: self.secret(at), label }
    }

    /// A byte of which nobody is told that it is input.
    pub fn secret(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub fn plus(&mut self, a: Value, b: Value) -> Value {
        let concrete = a.concrete.wrapping_add(b.concrete);
        let node = match (a.label.is_symbolic(), b.label.is_symbolic()) {
            (false, false) => return Value { concrete, label: Label::NONE },
            (true, true) => NodeRecord { a: a.label.0, b: b.label.0, ..NodeRecord::default() },
            (true, false) => {
                NodeRecord { a: a.label.0, imm: b.concrete.into(), flags: imm::B, ..NodeRecord::default() }
            }
            (false, true) => {
                NodeRecord { b: b.label.0, imm: a.concrete.into(), flags: imm::A, ..NodeRecord::default() }
            }
        };
        Value { concrete, label: self.add(NodeRecord { op: Op::Add as u8, width: 8, value: concrete.into(), ..node }) }
    }

    /// A branch of the program, on the comparison of a value with a constant.
    pub fn branch(&mut self, site: u32, op: Op, value: Value, constant: u8) -> bool {
        let is_taken = match op {
            Op::Eq => value.concrete == constant,
            Op::Ult => value.concrete < constant,
            _ => panic!("the machine does not know {op:?}"),
        };
        if value.label.is_symbolic() {
            let (a, imm, value) = (value.label.0, constant.into(), is_taken.into());
            let node = NodeRecord { op: op as u8, flags: imm::B, width: 1, a, imm, value, ..NodeRecord::default() };
            let (a, flags) = (self.add(node).0, is_taken.into());
            self.events.push(EventRecord { kind: EventKind::Branch as u8, flags, site, a, ..EventRecord::default() });
        }
        is_taken
    }

    fn add(&mut self, node: NodeRecord) -> Label {
        self.nodes.push(node);
        Label(self.nodes.len() as u32 - 1)
    }
}

pub struct Fake {
    pub program: Program,
}

impl Traced for Fake {
    fn program(&self) -> &Path {
        Path::new("a program that nobody has compiled")
    }

    fn tables(&self) -> &[Arc<SiteTable>] {
        &[]
    }

    fn set_tokens(&mut self, _: bool) {}

    fn set_timeout(&mut self, _: Duration) {}

    fn run(&mut self, input: &Input) -> Result<Run, ExecError> {
        let bytes = input.sources[0].bytes.clone();
        let len = bytes.len() as u64;
        let read =
            EventRecord { kind: EventKind::Read as u8, site: u32::MAX, y: len << 32 | len, ..EventRecord::default() };
        let mut machine = Machine { bytes, nodes: vec![NodeRecord::default()], events: vec![read] };
        (self.program)(&mut machine);
        let trace = Trace {
            input: input.clone(),
            segments: vec![SegmentRecord { source: 0, first: 0, offset: 0, len }],
            nodes: machine.nodes,
            snapshots: Vec::new(),
            events: machine.events,
            names: Vec::new(),
            tallies: Vec::new(),
            modules: Vec::new(),
            tables: Vec::new(),
            outcome: Outcome::Exited(0),
            stops: 0,
            forks: 0,
            symbolic_operations: 0,
        };
        trace.validate().expect("the machine writes what the runtime would");
        Ok(Run {
            trace,
            stdout: None,
            stderr: None,
            is_daemonised: false,
            excess: None,
            unreadable_images: Vec::new(),
            elapsed: Duration::from_micros(10),
        })
    }
}

/// Where the results of a search go, until the test is over.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("there is room for a folder"))
    }

    pub fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }
}
