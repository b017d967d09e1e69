//! What the path condition already implies need not be labelled any more.
//!
//! Once a branch `x == 7` has been taken, a case of a switch entered, or a value
//! pinned, every input that follows this path gives `x` the same value. What is
//! computed from `x` afterwards is as good as concrete: conditions on it could
//! not be flipped, and expressions over it would only be longer. So a parser's
//! stack pointer, which depends on the rule that was reduced, is concrete again
//! as soon as the rule is decided.
//!
//! [`fix`] notes such a value, and what follows from it for the operands
//! (`x + 1` fixed fixes `x`). [`settle`] is asked for each operand of a new
//! expression: the label stays, goes, or is replaced by a simpler one, the
//! taken side of an if-then-else or the content of the one cell that a lookup
//! can find. Both walk a few nodes at most.

use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::{Region, SnapshotHeader};
use gimlet_trace::{Label, ShadowWord};

use crate::memory::assemble;
use crate::state;
use crate::table::{record, truncate, value};

/// How many operands of operands are looked at.
const DEPTH: u32 = 8;
/// State of a node whose value the path condition implies. Other states: the number of fixings when it last was not.
const IMPLIED: u32 = u32::MAX;

/// How many values have been fixed so far.
static mut FIXINGS: u32 = 0;
/// State of each node, then a byte for each input byte, 1 if it is fixed. Fresh in each run, because runs are forks.
static mut NODES: *mut u32 = core::ptr::null_mut();
static mut BYTES: *mut u8 = core::ptr::null_mut();

/// Reserves memory for the states.
pub fn map() -> bool {
    let nodes = 4 * state::capacity::<NodeRecord>(Region::Nodes) as usize;
    let bytes = state::capacity::<u8>(Region::Input) as usize;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping, before any other thread exists.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let at = libc::mmap(core::ptr::null_mut(), nodes + bytes, protection, flags, -1, 0);
        NODES = at.cast();
        BYTES = at.cast::<u8>().add(nodes);
        at != libc::MAP_FAILED
    }
}

fn node_state(node: u32) -> *mut u32 {
    // SAFETY: nodes are below the capacity.
    unsafe { NODES.add(node as usize) }
}

fn byte_state(byte: u32) -> *mut u8 {
    // SAFETY: labelled input bytes are below the capacity.
    unsafe { BYTES.add(byte as usize) }
}

/// The label of an operand, none for an immediate or an unused one.
pub fn operand(record: &NodeRecord, bit: u8) -> Label {
    let label = match bit {
        imm::A => record.a,
        imm::B => record.b,
        _ => record.c,
    };
    let is_label = Op::from_code(record.op).is_some_and(|op| op.operands() & bit != 0) && record.flags & bit == 0;
    Label(if is_label { label } else { 0 })
}

/// True if the path condition implies the value. A label of nothing is a constant.
fn is_implied(label: Label, depth: u32) -> bool {
    // SAFETY: states are inside their mappings; only this thread is in the runtime.
    unsafe {
        if let Some(byte) = label.input_index() {
            return byte_state(byte).read() != 0;
        }
        let Some(node) = label.node_index() else { return true };
        let state = node_state(node);
        if state.read() == IMPLIED || state.read() == FIXINGS || depth == 0 {
            return state.read() == IMPLIED;
        }
        let record = record(node);
        let implied = match Op::from_code(record.op) {
            Some(Op::Const) => true,
            Some(Op::Read) => (0..u32::from(record.width) / 8).all(|at| byte_state(record.a + at).read() != 0),
            Some(Op::Fresh) | None => false,
            Some(Op::Lookup) => {
                is_implied(Label(record.a), depth - 1) && cell(record).is_none_or(|cell| !is_labelled(record, cell))
            }
            Some(_) => [imm::A, imm::B, imm::C].iter().all(|&bit| is_implied(operand(record, bit), depth - 1)),
        };
        state.write(if implied { IMPLIED } else { FIXINGS });
        implied
    }
}

/// The shadow words that a lookup finds at its address in this run; none if its snapshot has no labels.
fn cell(record: &NodeRecord) -> Option<*const ShadowWord> {
    // SAFETY: lookups name snapshots of this run, and their addresses are inside.
    unsafe {
        let at = state::region::<u8>(Region::Snapshots).add(record.b as usize * 8);
        let header = at.cast::<SnapshotHeader>().read();
        let offset = (value(Label(record.a)) as u64).wrapping_sub(header.base);
        let words = at.add(core::mem::size_of::<SnapshotHeader>() + (header.size as usize).next_multiple_of(8));
        (header.labelled != 0).then(|| words.cast::<ShadowWord>().add(offset as usize).cast_const())
    }
}

fn word(cell: *const ShadowWord, at: u32) -> ShadowWord {
    // SAFETY: the access was inside the object.
    unsafe { cell.add(at as usize).read() }
}

fn is_labelled(record: &NodeRecord, cell: *const ShadowWord) -> bool {
    (0..u32::from(record.width) / 8).any(|at| word(cell, at) != ShadowWord::NONE)
}

/// The label that a value still needs: its own, a simpler one, or none.
#[inline(always)]
pub fn settle(label: Label) -> Label {
    // SAFETY: only this thread is in the runtime.
    if !label.is_symbolic() || unsafe { FIXINGS } == 0 {
        return label;
    }
    settle_now(label)
}

fn settle_now(mut label: Label) -> Label {
    for _ in 0..DEPTH {
        if is_implied(label, DEPTH) {
            return Label::NONE;
        }
        let Some(node) = label.node_index() else { return label };
        let record = record(node);
        let first = operand(record, imm::A);
        label = match Op::from_code(record.op) {
            Some(Op::Ite) if is_implied(first, DEPTH) => {
                let taken = if value(first) & 1 != 0 { imm::B } else { imm::C };
                operand(record, taken)
            }
            Some(Op::Lookup) if is_implied(first, DEPTH) => match cell(record) {
                Some(cell) => assemble(u32::from(record.width) / 8, value(label), |at| word(cell, at)),
                None => Label::NONE,
            },
            _ => return label,
        };
        if !label.is_symbolic() {
            return label;
        }
    }
    label
}

/// The path condition now says what `label` is: an event that says so has been logged.
pub fn fix(label: Label) {
    fix_to(label, DEPTH);
}

fn fix_to(label: Label, depth: u32) {
    // SAFETY: states are inside their mappings; only this thread is in the runtime.
    unsafe {
        if let Some(byte) = label.input_index() {
            byte_state(byte).write(1);
        } else if let Some(node) = label.node_index() {
            node_state(node).write(IMPLIED);
        } else {
            return;
        }
        FIXINGS = (FIXINGS + 1).min(IMPLIED - 1);
    }
    if depth > 0 {
        fix_operands(label, depth - 1);
    }
}

/// What follows for the operands of a node that is fixed.
fn fix_operands(label: Label, depth: u32) {
    let Some(node) = label.node_index() else { return };
    let record = record(node);
    let (a, b) = (operand(record, imm::A), operand(record, imm::B));
    let is = value(label);
    let all = truncate(u128::MAX, record.width.into());
    match Op::from_code(record.op) {
        Some(Op::Eq) if is == 1 => fix_other(a, b, depth),
        Some(Op::Ne) if is == 0 => fix_other(a, b, depth),
        Some(Op::Add | Op::Sub | Op::Xor) => fix_other(a, b, depth),
        Some(Op::ZExt | Op::SExt) => fix_to(a, depth),
        Some(Op::Concat) => fix_both(a, b, depth),
        Some(Op::And) if is == all => fix_both(a, b, depth),
        Some(Op::Or) if is == 0 => fix_both(a, b, depth),
        Some(Op::Mul | Op::Shl) if keeps_all_bits(record, a) => fix_to(a, depth),
        Some(Op::Read) => {
            for at in 0..u32::from(record.width) / 8 {
                fix_to(Label::input(record.a + at), 0);
            }
        }
        _ => {}
    }
}

fn fix_both(a: Label, b: Label, depth: u32) {
    fix_to(a, depth);
    fix_to(b, depth);
}

/// If one of two operands is implied, so is the other.
fn fix_other(a: Label, b: Label, depth: u32) {
    if is_implied(a, DEPTH) {
        fix_to(b, depth);
    } else if is_implied(b, DEPTH) {
        fix_to(a, depth);
    }
}

/// True if a product with a constant, or a shift by one, tells its factor `a`, because no bit that matters is lost.
fn keeps_all_bits(node: &NodeRecord, a: Label) -> bool {
    let (Some(inner), true) = (a.node_index(), node.flags & imm::B != 0) else { return false };
    let inner = record(inner);
    let is_widened = inner.op == Op::ZExt as u8 || inner.op == Op::SExt as u8;
    let used = crate::table::width(Label(inner.a));
    let added = if node.op == Op::Mul as u8 { 64 - node.imm.leading_zeros() } else { node.imm.min(64) as u32 };
    is_widened && node.imm != 0 && used + added <= node.width.into()
}
