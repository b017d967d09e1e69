//! The expression table: hash-consed records in shared memory ([`gimlet_trace::node`]).
//!
//! The hash table over it has four bytes a slot: a node's number and, above it,
//! some bits of its hash, which spare nearly all looks at records that differ.
//! Slots are grouped by eight, and a group is compared at once, as in a "Swiss
//! table": most operations make a new record, and a processor that guesses
//! "not here, first free slot" is right and need not wait for the memory. The
//! first group to look at follows from the newest operand: what is computed one
//! after the other lies side by side, in the cache. Where many records share an
//! operand, that group is full, and the hash tells where to go on. The table
//! begins small and doubles, so a short run touches few pages and clears little.
//! The concrete value of a record follows from its operands and is not hashed.

use core::arch::x86_64::{
    _mm_and_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_ps, _mm_set1_epi32,
    _mm_setzero_si128,
};

use gimlet_trace::event::{LostReason, NO_SITE};
use gimlet_trace::label::NODES_MAX;
use gimlet_trace::node::{imm, NodeRecord, Op, NODE_LEN};
use gimlet_trace::shm::{stop, Region};
use gimlet_trace::Label;

use crate::implied;
use crate::lengths;
use crate::log;
use crate::state::{self, header};

const FIRST_BUCKETS: u32 = 1 << 12;
/// Records whose pages are made ready at once: 128 KiB.
const CHUNK: u32 = 1 << 12;

/// Number of slots now in use, minus one.
static mut MASK: u32 = 0;
/// Bits of a slot that no node number needs.
static mut TAGS: u32 = 0;

/// Begins a run: one empty, small hash table.
pub fn reset() {
    let nodes_max = (state::capacity::<NodeRecord>(Region::Nodes) as u32).min(NODES_MAX).next_power_of_two();
    // SAFETY: only this thread is in the runtime.
    unsafe { TAGS = !(nodes_max - 1) };
    clear_buckets(FIRST_BUCKETS);
}

fn clear_buckets(count: u32) {
    let room = state::capacity::<u32>(Region::Buckets) as u32;
    let count = if count <= room { count } else { 1 << (31 - room.leading_zeros()) };
    // SAFETY: `count` buckets are inside the region; only this thread is in the runtime.
    unsafe {
        populate(state::region::<u32>(Region::Buckets).cast(), 4 * count as usize);
        core::ptr::write_bytes(state::region::<u32>(Region::Buckets), 0, count as usize);
        MASK = count - 1;
    }
}

/// Has pages of shared memory ready before they are touched one by one: a fault costs more than the page.
fn populate(at: *mut u8, len: usize) {
    // SAFETY: inside the mapping; where the kernel does not know the advice, nothing happens.
    unsafe { libc::madvise(at.cast(), len, libc::MADV_POPULATE_WRITE) };
}

/// The first eight bytes of a record.
#[inline(always)]
fn head(record: &NodeRecord) -> u64 {
    let shape = u64::from(record.op) | u64::from(record.flags) << 8 | u64::from(record.width) << 16;
    shape | u64::from(record.a) << 32
}

#[inline(always)]
fn hash(record: &NodeRecord) -> u32 {
    let constant = if record.op == Op::Const as u8 { record.value } else { 0 };
    let mut hash = head(record).wrapping_mul(0x9e37_79b9_7f4a_7c15);
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

/// Slots that are compared at once.
const GROUP: u32 = 8;

/// A group of slots: which are free, and which have this tag, as bits.
///
/// # Safety
/// `group` must point to eight slots.
unsafe fn probe(group: *const u32, tags: u32, tag: u32) -> (u32, u32) {
    // SAFETY: SSE2 is part of x86-64; the caller vouches for the slots.
    unsafe {
        let (low, high) = (_mm_loadu_si128(group.cast()), _mm_loadu_si128(group.add(4).cast()));
        let (zero, tags, tag) = (_mm_setzero_si128(), _mm_set1_epi32(tags as i32), _mm_set1_epi32(tag as i32));
        let bits = |mask| _mm_movemask_ps(_mm_castsi128_ps(mask)) as u32;
        let free = bits(_mm_cmpeq_epi32(low, zero)) | bits(_mm_cmpeq_epi32(high, zero)) << 4;
        let like = |half| bits(_mm_cmpeq_epi32(_mm_and_si128(half, tags), tag));
        (free, (like(low) | like(high) << 4) & !free)
    }
}

/// The first group for a record: neighbours for neighbouring newest operands.
#[inline(always)]
fn home(record: &NodeRecord) -> u32 {
    let op = Op::from_code(record.op).map_or(0, Op::operands);
    let place = |bit: u8, label: u32| match (op & bit, Label(label).input_index()) {
        (0, _) => 0,
        (_, Some(byte)) => !byte / 4,
        (_, None) => label / 4,
    };
    let newest = place(imm::A, record.a).max(place(imm::B, record.b)).max(place(imm::C, record.c));
    group_at(if record.op == Op::Read as u8 { !record.a / 4 } else { newest })
}

/// The first slot of a group; numbers beyond the table wrap around.
fn group_at(number: u32) -> u32 {
    // SAFETY: only this thread is in the runtime.
    number.wrapping_mul(GROUP) & unsafe { MASK }
}

/// Where to go on after a full group: each step is as good as random, so full stretches do not matter.
fn next_group(step: &mut u32) -> u32 {
    *step = step.wrapping_mul(0x9e37_79b1).rotate_left(13).wrapping_add(1);
    group_at(*step)
}

/// The slot where a record with this hash is, or else the free slot where it belongs.
#[inline(always)]
fn find(new: &NodeRecord, hash: u32) -> Result<u32, *mut u32> {
    let slots = state::region::<u32>(Region::Buckets);
    let mut at = home(new);
    let mut step = hash;
    // SAFETY: only this thread is in the runtime; the mask keeps groups inside the region.
    unsafe {
        let tag = hash & TAGS;
        loop {
            let group = slots.add(at as usize);
            let (free, mut like) = probe(group, TAGS, tag);
            while like != 0 {
                let node = group.add(like.trailing_zeros() as usize).read() & !TAGS;
                if same(record(node), new) {
                    return Ok(node);
                }
                like &= like - 1;
            }
            if free != 0 {
                return Err(group.add(free.trailing_zeros() as usize));
            }
            at = next_group(&mut step);
        }
    }
}

/// The label of a record, new or known. No label once the table is full.
#[inline(always)]
pub fn intern(new: NodeRecord) -> Label {
    let header = header();
    header.symbolic_operations += 1;
    let hash = hash(&new);
    let slot = match find(&new, hash) {
        Ok(node) => return Label(node),
        Err(slot) => slot,
    };
    let node = header.n_nodes;
    if u64::from(node) >= state::capacity::<NodeRecord>(Region::Nodes) {
        log::lost(NO_SITE, LostReason::NodesFull);
        state::stop(stop::NODES);
        return Label::NONE;
    }
    // SAFETY: below the capacity of the table, and the slot is free; only this thread is in the runtime.
    unsafe {
        // In words: the fields have just been put together, and a copy of the whole would wait for all of them.
        let at = state::region::<NodeRecord>(Region::Nodes).add(node as usize).cast::<u64>();
        at.write(head(&new));
        at.add(1).write(u64::from(new.b) | u64::from(new.c) << 32);
        at.add(2).write(new.value);
        at.add(3).write(new.imm);
        slot.write(hash & TAGS | node);
        lengths::note(node, &new);
        header.n_nodes = node + 1;
        if node % CHUNK == CHUNK / 2 {
            populate_next(node);
        }
        if u64::from(node) * 5 > u64::from(MASK) * 4 {
            grow();
        }
    }
    Label(node)
}

/// Has the next chunk of records ready.
#[cold]
fn populate_next(node: u32) {
    let next = (node / CHUNK + 1) * CHUNK;
    if u64::from(next + CHUNK) <= state::capacity::<NodeRecord>(Region::Nodes) {
        // SAFETY: the chunk lies inside the table.
        let at = unsafe { state::region::<NodeRecord>(Region::Nodes).add(next as usize) };
        populate(at.cast(), CHUNK as usize * NODE_LEN);
    }
}

#[cold]
fn grow() {
    // SAFETY: only this thread is in the runtime.
    clear_buckets(unsafe { MASK + 1 } * 2);
    let slots = state::region::<u32>(Region::Buckets);
    for node in 1..header().n_nodes {
        let hash = hash(record(node));
        let mut at = home(record(node));
        let mut step = hash;
        // SAFETY: the mask keeps groups inside the region; records are all different, so only free slots matter.
        unsafe {
            loop {
                let group = slots.add(at as usize);
                let (free, _) = probe(group, TAGS, 0);
                if free != 0 {
                    group.add(free.trailing_zeros() as usize).write(hash & TAGS | node);
                    break;
                }
                at = next_group(&mut step);
            }
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

    /// Without a label that the path condition makes superfluous.
    #[inline(always)]
    pub fn settled(self) -> Operand {
        Operand { label: implied::settle(self.label), ..self }
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
    let mut symbolic = false;
    for (slot, operand) in operands.iter().enumerate() {
        let label = implied::settle(operand.label);
        symbolic |= label.is_symbolic();
        labels[slot] = if label.is_symbolic() {
            label.0
        } else if !wide && record.flags == 0 {
            record.flags = imm::A << slot;
            record.imm = truncate(operand.value, operand_widths[slot]) as u64;
            0
        } else {
            constant(operand_widths[slot], truncate(operand.value, operand_widths[slot])).0
        };
    }
    [record.a, record.b, record.c] = labels;
    if !symbolic || !state::active() {
        return Label::NONE; // a constant filled the table, or the path condition implies all operands
    }
    intern(record)
}

/// `width` bits of what `label` names, from bit `low`.
pub fn extract(label: Label, low: u32, width: u32) -> Label {
    let label = implied::settle(label);
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
        if record.op == Op::Read as u8 && low.is_multiple_of(8) && width.is_multiple_of(8) {
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
    let label = implied::settle(label);
    let from = self::width(label);
    if !label.is_symbolic() || from >= width {
        return label;
    }
    let value = value(label);
    let value = if op == Op::SExt { truncate(sign_extend(value, from), width) } else { value };
    operation(op, width, [from, 0, 0], &[Operand::of(label)], value)
}
