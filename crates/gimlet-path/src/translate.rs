//! Expression records to a DAG.
//!
//! Operands have smaller numbers than their users, so one pass in order does
//! it, without recursion. Snapshots become tables when the first lookup reads
//! them; lookups of one snapshot share its table.

use std::collections::HashMap;

use gimlet_expr::{BinOp, Dag, ExprId, FunnelOp, TableId, UnOp};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::{Label, ShadowWord, Trace};

use crate::error::PathError;

/// The expressions of a trace, found by label.
#[derive(Debug)]
pub struct Translation {
    pub dag: Dag,
    /// By node number; that of the unused record 0 is arbitrary.
    nodes: Vec<ExprId>,
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

impl Translation {
    /// Translates all records into `dag`, which decides whether they are simplified on the way.
    pub fn new(trace: &Trace, dag: Dag) -> Result<Translation, PathError> {
        Translation::unless(trace, dag, &|| false)
    }

    /// The same, as long as nobody says that it is to stop.
    pub fn unless(trace: &Trace, dag: Dag, is_stopped: &dyn Fn() -> bool) -> Result<Translation, PathError> {
        trace.validate()?;
        let nodes = Vec::with_capacity(trace.nodes.len());
        let mut translation = Translation { dag, nodes, lengths: Lengths::new(trace) };
        let unused = translation.dag.boolean(false);
        translation.nodes.push(unused);
        let mut tables = HashMap::new();
        for (index, record) in trace.nodes.iter().enumerate().skip(1) {
            if index % N_BETWEEN_LOOKS == 0 && is_stopped() {
                return Err(PathError::Stopped);
            }
            let op = Op::from_code(record.op).ok_or(PathError::Unsupported(index))?;
            let expr = match op {
                Op::Fresh => return Err(PathError::Unsupported(index)),
                Op::Lookup => {
                    let table = translation.table(trace, record.b, &mut tables);
                    let addr = translation.expr(Label(record.a));
                    translation.dag.lookup(table, addr, u32::from(record.width))
                }
                _ => translation.operation(record, op),
            };
            translation.nodes.push(expr);
        }
        Ok(translation)
    }

    /// The expression that a label names. The label must be one of the trace's, not [`Label::NONE`].
    pub fn expr(&mut self, label: Label) -> ExprId {
        match (label.input_index(), label.node_index()) {
            (Some(byte), _) => self.dag.byte(byte),
            (None, node) => self.nodes[node.unwrap_or(0) as usize],
        }
    }

    /// Whether what a label names depends on the length of a stretch.
    pub fn depends_on_length(&self, label: Label) -> bool {
        self.lengths.decide(label)
    }

    /// The expression for lengths as they were in this run.
    pub fn with_lengths(&mut self, expr: ExprId) -> ExprId {
        self.dag.with_bytes(expr, |byte| self.lengths.known.get(&byte).copied())
    }

    fn table(&mut self, trace: &Trace, id: u32, tables: &mut HashMap<u32, TableId>) -> TableId {
        if let Some(&table) = tables.get(&id) {
            return table;
        }
        let mut symbolic = Vec::new();
        let (base, bytes) = match trace.snapshot(id) {
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
            // Not in a validated trace.
            None => (0, Vec::new()),
        };
        let table = self.dag.intern_table_bytes(base, bytes, symbolic);
        tables.insert(id, table);
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
