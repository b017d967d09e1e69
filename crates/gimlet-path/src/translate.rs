//! Expression records to a DAG.
//!
//! Operands have smaller numbers than their users, so one pass backwards finds
//! what the events of a run depend on, and one pass in order translates it,
//! without recursion. Much of what a program computes decides nothing, and is
//! left out. Snapshots become tables when the first lookup reads them; lookups of
//! one snapshot share its table.
//!
//! A trace is valid ([`Trace::validate`]): whoever makes one from what a target or
//! a file says has seen to that.

use std::collections::{BTreeSet, HashMap, HashSet};

use gimlet_expr::{BinOp, Dag, ExprId, FunnelOp, TableId, UnOp};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::{Label, ShadowWord, Trace};

use crate::error::PathError;

/// The expressions of a trace, found by label.
#[derive(Debug)]
pub struct Translation<'t> {
    pub dag: Dag,
    trace: &'t Trace,
    /// By node number, as far as they were wanted.
    nodes: Vec<Option<ExprId>>,
    tables: HashMap<u32, TableId>,
    lengths: Lengths,
}

/// Lengths of stretches among the input bytes, and what depends on them.
#[derive(Debug, Default)]
struct Lengths {
    /// By number: the bytes of each.
    known: HashMap<u32, u8>,
    /// By node number; empty if there are none.
    depends: Vec<bool>,
}

impl Lengths {
    fn new(trace: &Trace) -> Lengths {
        let mut known = HashMap::new();
        for stretch in trace.input.stretches() {
            let segments = trace.segments.iter().filter(|segment| segment.source as usize == stretch.length);
            let bytes = &trace.input.sources[stretch.length].bytes;
            known.extend(segments.flat_map(|segment| (segment.first..).zip(bytes.iter().copied())));
        }
        if known.is_empty() {
            return Lengths::default();
        }
        let mut lengths = Lengths { known, depends: vec![false] };
        for record in trace.nodes.iter().skip(1) {
            let depends = match Op::from_code(record.op) {
                Some(Op::Read) => lengths.known.contains_key(&record.a),
                Some(op) => record.operand_labels(op).flatten().any(|label| lengths.decide(label)),
                None => false,
            };
            lengths.depends.push(depends);
        }
        lengths
    }

    fn decide(&self, label: Label) -> bool {
        match (label.input_index(), label.node_index()) {
            (Some(byte), _) => self.known.contains_key(&byte),
            (_, Some(node)) => self.depends.get(node as usize).copied().unwrap_or(false),
            _ => false,
        }
    }
}

/// Records between two looks at whether to stop.
pub(crate) const N_BETWEEN_LOOKS: usize = 1 << 14;

/// The labels that a node depends on directly.
fn operands(trace: &Trace, index: usize) -> Vec<Label> {
    let record = &trace.nodes[index];
    let Some(op) = Op::from_code(record.op) else { return Vec::new() };
    let mut operands: Vec<Label> = record.operand_labels(op).flatten().collect();
    if let Some(snapshot) = (op == Op::Lookup).then(|| trace.snapshot(record.b)).flatten() {
        let words = (0..snapshot.shadow.len() / 4).map(|offset| snapshot.shadow_word(offset));
        operands.extend(words.filter(|&word| word != ShadowWord::NONE).map(|word| word.decode().0));
    }
    operands
}

/// Which nodes the events of a run depend on. What is no label of an event names too much at worst.
fn needed(trace: &Trace) -> Vec<bool> {
    let mut needed = vec![false; trace.nodes.len()];
    let mut snapshots = HashSet::new();
    let mark = |needed: &mut Vec<bool>, label: Label| {
        if let Some(is_needed) = label.node_index().and_then(|node| needed.get_mut(node as usize)) {
            *is_needed = true;
        }
    };
    for label in trace.events.iter().flat_map(|event| [event.a, event.b]) {
        mark(&mut needed, Label(label));
    }
    for index in (1..trace.nodes.len()).rev() {
        if !needed[index] {
            continue;
        }
        let record = &trace.nodes[index];
        match Op::from_code(record.op) {
            // Its labels are older than all lookups of it: once is enough.
            Some(Op::Lookup) if !snapshots.insert(record.b) => mark(&mut needed, Label(record.a)),
            Some(Op::Lookup) => operands(trace, index).into_iter().for_each(|label| mark(&mut needed, label)),
            Some(op) => record.operand_labels(op).flatten().for_each(|label| mark(&mut needed, label)),
            None => {}
        }
    }
    needed
}

impl<'t> Translation<'t> {
    /// Translates what events depend on into `dag`, which decides whether it is simplified on the way.
    pub fn new(trace: &'t Trace, dag: Dag) -> Result<Translation<'t>, PathError> {
        Translation::unless(trace, dag, &|| false)
    }

    /// The same, as long as nobody says that it is to stop.
    pub fn unless(trace: &'t Trace, dag: Dag, is_stopped: &dyn Fn() -> bool) -> Result<Translation<'t>, PathError> {
        let needed = needed(trace);
        let wanted = (1..trace.nodes.len()).filter(|&index| needed[index]);
        Translation::on_demand(trace, dag).with(wanted, is_stopped)
    }

    /// Translates all records.
    pub fn whole(trace: &'t Trace, dag: Dag) -> Result<Translation<'t>, PathError> {
        Translation::on_demand(trace, dag).with(1..trace.nodes.len(), &|| false)
    }

    fn with(
        mut self,
        wanted: impl Iterator<Item = usize>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Translation<'t>, PathError> {
        for (number, index) in wanted.enumerate() {
            if number % N_BETWEEN_LOOKS == 0 && is_stopped() {
                return Err(PathError::Stopped);
            }
            self.translate(index)?;
        }
        Ok(self)
    }

    /// Translates nothing but what is asked for.
    pub fn on_demand(trace: &'t Trace, mut dag: Dag) -> Translation<'t> {
        // Constants come first in each order of expressions.
        dag.boolean(false);
        let nodes = vec![None; trace.nodes.len()];
        Translation { dag, trace, nodes, tables: HashMap::new(), lengths: Lengths::new(trace) }
    }

    /// Translates a node whose operands have been.
    fn translate(&mut self, index: usize) -> Result<(), PathError> {
        let trace = self.trace;
        let record = &trace.nodes[index];
        let expr = match Op::from_code(record.op).ok_or(PathError::Unsupported(index))? {
            Op::Fresh => return Err(PathError::Unsupported(index)),
            Op::Lookup => {
                let table = self.table(record.b);
                let addr = self.expr(Label(record.a));
                self.dag.lookup(table, addr, u32::from(record.width))
            }
            op => self.operation(record, op),
        };
        self.nodes[index] = Some(expr);
        Ok(())
    }

    /// The expression that a label names. The label must be one of the trace's, not [`Label::NONE`].
    pub fn expr(&mut self, label: Label) -> ExprId {
        let index = match (label.input_index(), label.node_index()) {
            (Some(byte), _) => return self.dag.byte(byte),
            (None, node) => node.unwrap_or(0) as usize,
        };
        match self.nodes.get(index).copied().flatten() {
            Some(expr) => expr,
            None => self.late(index),
        }
    }

    /// The same where nobody asked for it yet.
    fn late(&mut self, index: usize) -> ExprId {
        let mut wanted = BTreeSet::new();
        let mut work = vec![index];
        while let Some(index) = work.pop() {
            let is_new = self.nodes.get(index).is_some_and(Option::is_none) && index > 0;
            if is_new && wanted.insert(index) {
                let nodes = operands(self.trace, index).into_iter().filter_map(Label::node_index);
                work.extend(nodes.map(|node| node as usize));
            }
        }
        // What has no translation (of another version, which would have been refused) gives none.
        let all = wanted.into_iter().try_for_each(|index| self.translate(index));
        let expr = self.nodes.get(index).copied().flatten().filter(|_| all.is_ok());
        expr.unwrap_or_else(|| self.dag.boolean(false))
    }

    /// Whether what a label names depends on the length of a stretch.
    pub fn depends_on_length(&self, label: Label) -> bool {
        self.lengths.decide(label)
    }

    /// The expression for lengths as they were in this run.
    pub fn with_lengths(&mut self, expr: ExprId) -> ExprId {
        self.dag.with_bytes(expr, |byte| self.lengths.known.get(&byte).copied())
    }

    fn table(&mut self, id: u32) -> TableId {
        if let Some(&table) = self.tables.get(&id) {
            return table;
        }
        let mut symbolic = Vec::new();
        let (base, bytes) = match self.trace.snapshot(id) {
            Some(snapshot) => {
                for offset in 0..snapshot.shadow.len() / 4 {
                    let word = snapshot.shadow_word(offset);
                    if word != ShadowWord::NONE {
                        let (label, byte) = word.decode();
                        let whole = self.expr(label);
                        symbolic.push((offset as u32, self.dag.extract(8 * byte, 8, whole)));
                    }
                }
                (snapshot.base, snapshot.bytes.to_vec())
            }
            // Not in a valid trace.
            None => (0, Vec::new()),
        };
        let table = self.dag.intern_table_bytes(base, bytes, symbolic);
        self.tables.insert(id, table);
        table
    }

    fn operation(&mut self, record: &NodeRecord, op: Op) -> ExprId {
        let width = u32::from(record.width);
        match op {
            Op::Const => self.dag.constant(width, value_of(record)),
            Op::Read => self.read(record.a, width / 8),
            Op::ZExt => {
                let a = self.expr(Label(record.a));
                self.dag.zext(width, a)
            }
            Op::SExt => {
                let a = self.expr(Label(record.a));
                self.dag.sext(width, a)
            }
            Op::Extract => {
                let a = self.expr(Label(record.a));
                self.dag.extract(record.b, width, a)
            }
            Op::Concat => {
                let a_width = match record.flags {
                    imm::A => width - self.label_width(record.b),
                    _ => self.label_width(record.a),
                };
                let hi = self.operand(record, imm::A, record.a, a_width);
                let lo = self.operand(record, imm::B, record.b, width - a_width);
                self.dag.concat(hi, lo)
            }
            Op::Ite => {
                let cond = self.operand(record, imm::A, record.a, 1);
                let then = self.operand(record, imm::B, record.b, width);
                let other = self.operand(record, imm::C, record.c, width);
                self.dag.ite(cond, then, other)
            }
            Op::FShl => self.funnel(record, FunnelOp::Left),
            Op::FShr => self.funnel(record, FunnelOp::Right),
            Op::BSwap => self.unary(record, UnOp::BSwap),
            Op::CtPop => self.unary(record, UnOp::CtPop),
            Op::Ctlz => self.unary(record, UnOp::Ctlz),
            Op::Cttz => self.unary(record, UnOp::Cttz),
            _ => self.binary(record, op),
        }
    }

    fn unary(&mut self, record: &NodeRecord, op: UnOp) -> ExprId {
        let a = self.expr(Label(record.a));
        self.dag.unary(op, a)
    }

    fn binary(&mut self, record: &NodeRecord, op: Op) -> ExprId {
        let width = match (op.is_predicate(), record.flags) {
            (false, _) => u32::from(record.width),
            (true, imm::A) => self.label_width(record.b),
            (true, _) => self.label_width(record.a),
        };
        let a = self.operand(record, imm::A, record.a, width);
        let b = self.operand(record, imm::B, record.b, width);
        self.dag.binary(bin_op(op), a, b)
    }

    fn funnel(&mut self, record: &NodeRecord, op: FunnelOp) -> ExprId {
        let width = u32::from(record.width);
        let hi = self.operand(record, imm::A, record.a, width);
        let lo = self.operand(record, imm::B, record.b, width);
        let amount = self.operand(record, imm::C, record.c, width);
        self.dag.funnel(op, hi, lo, amount)
    }

    /// `count` input bytes from number `first`, little-endian.
    fn read(&mut self, first: u32, count: u32) -> ExprId {
        let mut word = self.dag.byte(first);
        for delta in 1..count {
            let byte = self.dag.byte(first + delta);
            word = self.dag.concat(byte, word);
        }
        word
    }

    fn label_width(&mut self, label: u32) -> u32 {
        let expr = self.expr(Label(label));
        self.dag.width(expr)
    }

    /// An operand: the immediate, if its bit is set, or what the label names.
    fn operand(&mut self, record: &NodeRecord, bit: u8, label: u32, width: u32) -> ExprId {
        if record.flags & bit != 0 {
            self.dag.constant(width, u128::from(record.imm))
        } else {
            self.expr(Label(label))
        }
    }
}

/// What the run computed for a record.
pub fn value_of(record: &NodeRecord) -> u128 {
    let high = if record.width > 64 { record.imm } else { 0 };
    u128::from(record.value) | u128::from(high) << 64
}

fn bin_op(op: Op) -> BinOp {
    match op {
        Op::Add => BinOp::Add,
        Op::Sub => BinOp::Sub,
        Op::Mul => BinOp::Mul,
        Op::UDiv => BinOp::UDiv,
        Op::SDiv => BinOp::SDiv,
        Op::URem => BinOp::URem,
        Op::SRem => BinOp::SRem,
        Op::Shl => BinOp::Shl,
        Op::LShr => BinOp::LShr,
        Op::AShr => BinOp::AShr,
        Op::And => BinOp::And,
        Op::Or => BinOp::Or,
        Op::Xor => BinOp::Xor,
        Op::Eq => BinOp::Eq,
        Op::Ne => BinOp::Ne,
        Op::Ult => BinOp::Ult,
        Op::Ule => BinOp::Ule,
        Op::Slt => BinOp::Slt,
        Op::Sle => BinOp::Sle,
        Op::UAddO => BinOp::UAddO,
        Op::SAddO => BinOp::SAddO,
        Op::USubO => BinOp::USubO,
        Op::SSubO => BinOp::SSubO,
        Op::UMulO => BinOp::UMulO,
        Op::SMulO => BinOp::SMulO,
        Op::Const
        | Op::Read
        | Op::ZExt
        | Op::SExt
        | Op::Extract
        | Op::Concat
        | Op::Ite
        | Op::Lookup
        | Op::Fresh
        | Op::BSwap
        | Op::CtPop
        | Op::Ctlz
        | Op::Cttz
        | Op::FShl
        | Op::FShr => unreachable!("{op:?} has no two operands of one width"),
    }
}
