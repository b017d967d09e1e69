//! Expressions as straight-line programs, for many evaluations on few bytes.
//!
//! A [`Tape`] holds what is below one expression in topological order. Each slot has a mask of the
//! input bytes below it, one bit for each byte of the expression's support, so that a run in which
//! one byte varies touches only what depends on it. Lookups say when they leave their table: such a
//! value is *outside*, unknown.

use gimlet_expr::semantics;
use gimlet_expr::{BinOp, Dag, ExprId, FunnelOp, Node, TableId, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::support::Supports;

/// Index of a slot.
pub type Slot = u32;

/// How a slot is computed.
#[derive(Clone, Debug)]
pub enum Op {
    Const(u128),
    /// Position in [`Tape::bytes`].
    Byte(u32),
    /// Lanes that are given to a run, by number.
    Given(u32),
    Unary(UnOp, Slot),
    Binary(BinOp, Slot, Slot),
    ZExt(Slot),
    SExt(Slot),
    Extract(u32, Slot),
    Concat(Slot, Slot),
    Ite(Slot, Slot, Slot),
    Funnel(FunnelOp, Slot, Slot, Slot),
    /// Table, address, and number in the lists of symbolic cells.
    Lookup(TableId, Slot, u32),
}

impl Op {
    /// The operation of a node that is neither an input byte nor a lookup.
    pub fn of(node: &Node, slot: impl Fn(ExprId) -> Slot) -> Op {
        match *node {
            Node::Const(constant) => Op::Const(constant.value()),
            Node::Unary { op, arg } => Op::Unary(op, slot(arg)),
            Node::Binary { op, lhs, rhs } => Op::Binary(op, slot(lhs), slot(rhs)),
            Node::ZExt { arg, .. } => Op::ZExt(slot(arg)),
            Node::SExt { arg, .. } => Op::SExt(slot(arg)),
            Node::Extract { lo, arg, .. } => Op::Extract(lo, slot(arg)),
            Node::Concat { hi, lo } => Op::Concat(slot(hi), slot(lo)),
            Node::Ite { cond, then, other } => Op::Ite(slot(cond), slot(then), slot(other)),
            Node::Funnel { op, hi, lo, amount } => Op::Funnel(op, slot(hi), slot(lo), slot(amount)),
            Node::Byte(_) | Node::Lookup { .. } => unreachable!("the caller knows which byte or cells"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Instruction {
    pub op: Op,
    pub width: u32,
    /// The bytes below, by position in [`Tape::bytes`].
    pub mask: u64,
}

/// An expression as a program; its value is that of the last slot.
#[derive(Clone, Debug)]
pub struct Tape {
    pub instructions: Vec<Instruction>,
    /// The input bytes that are mentioned, ascending.
    pub bytes: Vec<u32>,
    /// For each lookup the symbolic cells that it can reach: offset and slot, by ascending offset.
    cells: Vec<Vec<(u32, Slot)>>,
    pub width_max: u32,
}

/// Sizes beyond which there is no tape.
pub const N_SLOTS_MAX: usize = 2048;
pub const N_BYTES_MAX: usize = 64;

/// A value and whether it depends on memory outside the table of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scalar {
    pub value: u128,
    pub is_outside: bool,
}

impl Tape {
    /// `None` if the expression is too large.
    pub fn compile(dag: &Dag, supports: &mut Supports, root: ExprId) -> Option<Tape> {
        let support = supports.of(dag, root);
        if support.len() > N_BYTES_MAX {
            return None;
        }
        let bytes: Vec<u32> = support.iter().collect();
        let order = reachable(dag, supports, &[root], N_SLOTS_MAX)?;
        let slots: FxHashMap<ExprId, Slot> = order.iter().copied().zip(0..).collect();
        let mut tape = Tape { instructions: Vec::with_capacity(order.len()), bytes, cells: Vec::new(), width_max: 1 };
        for id in order {
            let instruction = tape.instruction(dag, supports, id, &slots);
            tape.width_max = tape.width_max.max(instruction.width);
            tape.instructions.push(instruction);
        }
        Some(tape)
    }

    /// A tape that reads one byte, to be filled.
    pub fn empty(byte: u32) -> Tape {
        Tape { instructions: Vec::new(), bytes: vec![byte], cells: Vec::new(), width_max: 1 }
    }

    pub fn push(&mut self, instruction: Instruction) -> Slot {
        self.width_max = self.width_max.max(instruction.width);
        self.instructions.push(instruction);
        self.instructions.len() as Slot - 1
    }

    /// A slot whose value may be given to each run; else it is `value`.
    pub fn push_input(&mut self, width: u32, value: u128) -> Slot {
        self.push(Instruction { op: Op::Const(value), width, mask: 0 })
    }

    /// The values of inputs and constants; other slots are zero.
    pub fn inputs(&self) -> Vec<Scalar> {
        let value = |instruction: &Instruction| match instruction.op {
            Op::Const(value) => Scalar { value, is_outside: false },
            _ => Scalar::default(),
        };
        self.instructions.iter().map(value).collect()
    }

    /// Says where the symbolic cells of a lookup are; returns the number of the list.
    pub fn add_cells(&mut self, cells: &[(u32, ExprId)], slot: impl Fn(ExprId) -> Slot) -> u32 {
        self.cells.push(cells.iter().map(|&(offset, cell)| (offset, slot(cell))).collect());
        self.cells.len() as u32 - 1
    }

    fn instruction(
        &mut self,
        dag: &Dag,
        supports: &Supports,
        id: ExprId,
        slots: &FxHashMap<ExprId, Slot>,
    ) -> Instruction {
        let slot = |id: ExprId| slots[&id];
        let node = dag.node(id);
        let mask_of = |slot: Slot| self.instructions[slot as usize].mask;
        let mut mask = supports.operands(dag, id).fold(0, |mask, operand| mask | mask_of(slot(operand)));
        let op = match node {
            Node::Byte(index) => {
                let position = self.bytes.binary_search(&index).expect("bytes of the support");
                mask = 1 << position;
                Op::Byte(position as u32)
            }
            Node::Lookup { table, addr, .. } => {
                Op::Lookup(table, slot(addr), self.add_cells(supports.cells(dag, id), slot))
            }
            node => Op::of(&node, slot),
        };
        Instruction { op, width: dag.width(id), mask }
    }

    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    pub fn width(&self, slot: Slot) -> u32 {
        self.instructions[slot as usize].width
    }

    /// Position of an input byte, if it is mentioned.
    pub fn position(&self, byte: u32) -> Option<usize> {
        self.bytes.binary_search(&byte).ok()
    }

    /// The values of all slots; `byte_at` gives the value of the byte at a position.
    pub fn scalars(&self, dag: &Dag, byte_at: impl Fn(usize) -> u8) -> Vec<Scalar> {
        let mut values: Vec<Scalar> = Vec::with_capacity(self.len());
        for instruction in &self.instructions {
            let scalar = self.scalar(dag, instruction, &values, &byte_at);
            values.push(scalar);
        }
        values
    }

    fn scalar(&self, dag: &Dag, instruction: &Instruction, known: &[Scalar], byte_at: impl Fn(usize) -> u8) -> Scalar {
        let at = |slot: Slot| known[slot as usize];
        let width = instruction.width;
        let of = |value, is_outside| Scalar { value, is_outside };
        match instruction.op {
            Op::Const(value) => of(value, false),
            Op::Byte(position) => of(u128::from(byte_at(position as usize)), false),
            Op::Given(_) => unreachable!("lanes are no scalars"),
            Op::Unary(op, a) => of(semantics::unary(op, width, at(a).value), at(a).is_outside),
            Op::Binary(op, a, b) => {
                let value = semantics::binary(op, self.width(a), at(a).value, at(b).value);
                of(value, at(a).is_outside || at(b).is_outside)
            }
            Op::ZExt(a) => at(a),
            Op::SExt(a) => of(semantics::sext(self.width(a), width, at(a).value), at(a).is_outside),
            Op::Extract(lo, a) => of(semantics::extract(lo, width, at(a).value), at(a).is_outside),
            Op::Concat(hi, lo) => {
                let value = semantics::concat(self.width(lo), at(hi).value, at(lo).value);
                of(value, at(hi).is_outside || at(lo).is_outside)
            }
            Op::Ite(cond, then, other) => {
                let arm = at(if at(cond).value == 1 { then } else { other });
                of(arm.value, arm.is_outside || at(cond).is_outside)
            }
            Op::Funnel(op, hi, lo, n) => {
                let value = semantics::funnel(op, width, at(hi).value, at(lo).value, at(n).value);
                of(value, at(hi).is_outside || at(lo).is_outside || at(n).is_outside)
            }
            Op::Lookup(table, addr, cells) => {
                let loaded = self.load(dag, (table, cells), at(addr).value as u64, width / 8, at);
                of(loaded.value, loaded.is_outside || at(addr).is_outside)
            }
        }
    }

    /// What a load reads; zero, and outside, beyond the table.
    pub(crate) fn load(
        &self,
        dag: &Dag,
        (table, cells): (TableId, u32),
        addr: u64,
        n_bytes: u32,
        cell_value: impl Fn(Slot) -> Scalar,
    ) -> Scalar {
        let table = dag.table(table);
        let cells = self.cells[cells as usize].as_slice();
        if cells.is_empty() {
            let start = addr.wrapping_sub(table.base()) as usize;
            let end = start.checked_add(n_bytes as usize);
            if let Some(bytes) = end.and_then(|end| table.bytes().get(start..end)) {
                let value = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte));
                return Scalar { value, is_outside: false };
            }
        }
        let mut loaded = Scalar::default();
        for i in 0..n_bytes {
            let offset = addr.wrapping_add(u64::from(i)).wrapping_sub(table.base());
            let byte = match usize::try_from(offset).ok().and_then(|offset| table.bytes().get(offset)) {
                None => Scalar { value: 0, is_outside: true },
                Some(&byte) => match cells.binary_search_by_key(&offset, |&(at, _)| u64::from(at)) {
                    Ok(cell_idx) => cell_value(cells[cell_idx].1),
                    Err(_) => Scalar { value: u128::from(byte), is_outside: false },
                },
            };
            loaded.value |= byte.value << (8 * i);
            loaded.is_outside |= byte.is_outside;
        }
        loaded
    }
}

/// What is below `roots`, which must have been met, operands first; `None` if that is too much.
pub(crate) fn reachable(dag: &Dag, supports: &Supports, roots: &[ExprId], n_max: usize) -> Option<Vec<ExprId>> {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut found: Vec<ExprId> = roots.iter().copied().filter(|&root| seen.insert(root)).collect();
    let mut next = 0;
    while let Some(&id) = found.get(next) {
        next += 1;
        for operand in supports.operands(dag, id) {
            if seen.insert(operand) {
                found.push(operand);
            }
        }
        if found.len() > n_max {
            return None;
        }
    }
    found.sort_unstable();
    Some(found)
}
