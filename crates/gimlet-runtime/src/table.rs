//! The expression table: hash-consed records in shared memory ([`gimlet_trace::node`]).
//!
//! The hash table over it holds node numbers only, four bytes each; it begins
//! small and doubles, so a short run touches few pages and clears little. The
//! concrete value of a record follows from its operands and is not hashed.

use gimlet_trace::event::{LostReason, NO_SITE};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::{stop, Region};
use gimlet_trace::Label;

use crate::log;
use crate::state::{self, header};

const FIRST_BUCKETS: u32 = 1 << 12;

/// Number of buckets now in use, minus one.
static mut MASK: u32 = 0;

/// Begins a run: one empty, small hash table.
pub fn reset() {
    clear_buckets(FIRST_BUCKETS);
}

fn clear_buckets(count: u32) {
    let room = state::capacity::<u32>(Region::Buckets) as u32;
    let count = if count <= room { count } else { 1 << (31 - room.leading_zeros()) };
    // SAFETY: `count` buckets are inside the region; only this thread is in the runtime.
    unsafe {
        core::ptr::write_bytes(state::region::<u32>(Region::Buckets), 0, count as usize);
        MASK = count - 1;
    }
}

fn hash(record: &NodeRecord) -> u32 {
    let head = u64::from(record.op) | u64::from(record.flags) << 8 | u64::from(record.width) << 16;
    let constant = if record.op == Op::Const as u8 { record.value } else { 0 };
    let mut hash = (head | u64::from(record.a) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 32) ^ u64::from(record.b) ^ u64::from(record.c) << 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash = (hash ^ (hash >> 32) ^ record.imm ^ constant.rotate_left(17)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (hash >> 32) as u32
}

fn same(x: &NodeRecord, y: &NodeRecord) -> bool {
    (x.op, x.flags, x.width) == (y.op, y.flags, y.width)
        && (x.a, x.b, x.c, x.imm) == (y.a, y.b, y.c, y.imm)
        && (x.op != Op::Const as u8 || x.value == y.value)
}

/// The record that a label names; only for labels of nodes.
pub fn record(node: u32) -> &'static NodeRecord {
    // SAFETY: labels come from this table.
    unsafe { &*state::region::<NodeRecord>(Region::Nodes).add(node as usize) }
}

/// The label of a record, new or known. No label once the table is full.
pub fn intern(new: NodeRecord) -> Label {
    let header = header();
    header.symbolic_operations += 1;
    let buckets = state::region::<u32>(Region::Buckets);
    // SAFETY: only this thread is in the runtime.
    let mask = unsafe { MASK };
    let mut at = hash(&new) & mask;
    let mut step = 0;
    loop {
        // SAFETY: the mask keeps the index inside the region.
        let node = unsafe { buckets.add(at as usize).read() };
        if node == 0 {
            break;
        }
        if same(record(node), &new) {
            return Label(node);
        }
        step += 1;
        at = (at + step) & mask;
    }
    let node = header.n_nodes;
    if u64::from(node) >= state::capacity::<NodeRecord>(Region::Nodes) {
        log::lost(NO_SITE, LostReason::NodesFull);
        state::stop(stop::NODES);
        return Label::NONE;
    }
    // SAFETY: below the capacity of the table, and `at` is a bucket.
    unsafe {
        state::region::<NodeRecord>(Region::Nodes).add(node as usize).write(new);
        buckets.add(at as usize).write(node);
    }
    header.n_nodes = node + 1;
    if u64::from(node) * 4 > u64::from(mask) * 3 {
        grow(mask);
    }
    Label(node)
}

#[cold]
fn grow(mask: u32) {
    clear_buckets((mask + 1) * 2);
    // SAFETY: only this thread is in the runtime.
    let mask = unsafe { MASK };
    let buckets = state::region::<u32>(Region::Buckets);
    for node in 1..header().n_nodes {
        let mut at = hash(record(node)) & mask;
        let mut step = 0;
        // SAFETY: the mask keeps the index inside the region.
        unsafe {
            while buckets.add(at as usize).read() != 0 {
                step += 1;
                at = (at + step) & mask;
            }
            buckets.add(at as usize).write(node);
        }
    }
}

/// A symbolic or concrete operand: its label (if any) and its value.
#[derive(Clone, Copy)]
pub struct Operand {
    pub label: Label,
    pub value: u128,
}

impl Operand {
    pub fn new(label: u32, lo: u64, hi: u64) -> Operand {
        Operand { label: Label(label), value: u128::from(lo) | u128::from(hi) << 64 }
    }

    pub fn constant(value: u128) -> Operand {
        Operand { label: Label::NONE, value }
    }

    /// What a label names.
    pub fn of(label: Label) -> Operand {
        Operand { label, value: value(label) }
    }

    pub fn is_symbolic(self) -> bool {
        self.label.is_symbolic()
    }
}

/// The low `width` bits.
pub fn truncate(value: u128, width: u32) -> u128 {
    if width >= 128 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// `value` of `width` bits, as a signed number.
pub fn sign_extend(value: u128, width: u32) -> u128 {
    if width == 0 || width >= 128 {
        return value;
    }
    let shift = 128 - width;
    ((value << shift) as i128 >> shift) as u128
}

/// Width of what a label names, in bits.
pub fn width(label: Label) -> u32 {
    match label.node_index() {
        Some(node) => u32::from(record(node).width),
        None => 8,
    }
}

/// What the run computed for a label.
pub fn value(label: Label) -> u128 {
    if let Some(byte) = label.input_index() {
        // SAFETY: labels of input bytes are below the input's length.
        return u128::from(unsafe { state::region::<u8>(Region::Input).add(byte as usize).read() });
    }
    let Some(node) = label.node_index() else { return 0 };
    let record = record(node);
    let high = if record.width > 64 { record.imm } else { 0 };
    u128::from(record.value) | u128::from(high) << 64
}

/// A record of a constant.
fn constant(width: u32, value: u128) -> Label {
    intern(NodeRecord {
        op: Op::Const as u8,
        width: width as u16,
        value: value as u64,
        imm: (value >> 64) as u64,
        ..NodeRecord::default()
    })
}

/// A record of `op` over `operands`, of which at least one is symbolic. `width` is the result's, `operand_width` the
/// width that a constant operand has.
pub fn operation(op: Op, width: u32, operand_widths: [u32; 3], operands: &[Operand], value: u128) -> Label {
    let mut record = NodeRecord { op: op as u8, width: width as u16, value: value as u64, ..NodeRecord::default() };
    let wide = width > 64 || operand_widths.iter().any(|&width| width > 64);
    if width > 64 {
        record.imm = (value >> 64) as u64;
    }
    let mut labels = [0u32; 3];
    for (slot, operand) in operands.iter().enumerate() {
        labels[slot] = if operand.is_symbolic() {
            operand.label.0
        } else if !wide && record.flags == 0 {
            record.flags = imm::A << slot;
            record.imm = truncate(operand.value, operand_widths[slot]) as u64;
            0
        } else {
            constant(operand_widths[slot], truncate(operand.value, operand_widths[slot])).0
        };
    }
    [record.a, record.b, record.c] = labels;
    if !state::active() {
        return Label::NONE; // a constant filled the table
    }
    intern(record)
}

/// `width` bits of what `label` names, from bit `low`.
pub fn extract(label: Label, low: u32, width: u32) -> Label {
    let from = self::width(label);
    if !label.is_symbolic() || (low == 0 && width == from) {
        return label;
    }
    if let Some(node) = label.node_index() {
        let record = record(node);
        let inner = Label(record.a);
        if record.op == Op::Extract as u8 {
            return extract(inner, low + record.b, width);
        }
        if record.op == Op::ZExt as u8 || record.op == Op::SExt as u8 {
            let inner_width = self::width(inner);
            if low + width <= inner_width {
                return extract(inner, low, width);
            }
            if record.op == Op::ZExt as u8 && low >= inner_width {
                return Label::NONE; // zeros, whatever the input
            }
        }
        if record.op == Op::Read as u8 && low % 8 == 0 && width % 8 == 0 {
            return input_bytes(record.a + low / 8, width / 8);
        }
    }
    let value = truncate(value(label) >> low, width);
    intern(NodeRecord {
        op: Op::Extract as u8,
        width: width as u16,
        a: label.0,
        b: low,
        value: value as u64,
        imm: if width > 64 { (value >> 64) as u64 } else { 0 },
        ..NodeRecord::default()
    })
}

/// `count` consecutive input bytes as one little-endian number.
pub fn input_bytes(first: u32, count: u32) -> Label {
    if count == 1 {
        return Label::input(first);
    }
    let mut value = 0u128;
    for byte in (0..count).rev() {
        value = value << 8 | self::value(Label::input(first + byte));
    }
    intern(NodeRecord {
        op: Op::Read as u8,
        width: (8 * count) as u16,
        a: first,
        value: value as u64,
        imm: if count > 8 { (value >> 64) as u64 } else { 0 },
        ..NodeRecord::default()
    })
}

/// `label` widened to `width` bits.
pub fn extend(op: Op, label: Label, width: u32) -> Label {
    let from = self::width(label);
    if !label.is_symbolic() || from >= width {
        return label;
    }
    let value = value(label);
    let value = if op == Op::SExt { truncate(sign_extend(value, from), width) } else { value };
    operation(op, width, [from, 0, 0], &[Operand::of(label)], value)
}
