//! Loads and stores at symbolic addresses.
//!
//! A load inside a known object becomes a `Lookup` over a snapshot of the
//! object, so that tables of scanners and parsers, ctype tables and
//! permutations stay solvable; the address being inside is an `Access` event,
//! which is part of the path condition. Snapshots are shared by content: each
//! object remembers its newest, and one comparison tells whether it still
//! holds. A store into an object of few cells updates each cell by an
//! if-then-else. Where objects are unknown, too large, or change too often, the
//! address is pinned.

use gimlet_trace::event::PinReason;
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::{stop, Region, SnapshotHeader};
use gimlet_trace::{Label, ShadowWord};

use crate::checks;
use crate::implied::settle;
use crate::lengths;
use crate::log;
use crate::memory::{content, label_of};
use crate::objects::{self, Object};
use crate::ops::choose;
use crate::shadow;
use crate::state;
use crate::table::{self, operation, Operand};
use crate::tokens;

/// Objects up to these sizes are looked up: constant ones, steady ones, and any.
const CONSTANT_MAX: u64 = 1 << 20;
const STEADY_MAX: u64 = 1 << 16;
const CHANGING_MAX: u64 = 1 << 12;
/// A store updates up to this many cells, and all stores into an object up to `UPDATES_MAX` of them: a table that is
/// stored to over and over, a parser's stack say, would soon be nothing but if-then-elses.
const CELLS_MAX: u64 = 256;
const UPDATES_MAX: u64 = 1024;
/// An object above `CHANGING_MAX` may change this often before its addresses are pinned.
const CHANGES_MAX: u32 = 8;

/// The newest snapshot of an object, found by the object's address.
#[derive(Clone, Copy)]
struct Newest {
    base: u64,
    size: u64,
    id: u32,
    changes: u32,
}

/// Cells updated by symbolic stores so far, by the object's address.
static mut UPDATES: [(u64, u64); 1024] = [(0, 0); 1024];

/// True if a store into `cells` cells of the object is still allowed.
fn may_update(object: Object, cells: u64) -> bool {
    // SAFETY: 10 bits index 1024 cells, and only one thread is in the runtime.
    let (base, used) = unsafe { &mut *core::ptr::addr_of_mut!(UPDATES[cell_of(object.base)]) };
    if *base != object.base {
        (*base, *used) = (object.base, 0);
    }
    *used += cells;
    cells <= CELLS_MAX && *used <= UPDATES_MAX
}

fn cell_of(base: u64) -> usize {
    (base.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

static mut NEWEST: [Newest; 1024] = [Newest { base: 0, size: 0, id: 0, changes: 0 }; 1024];

fn newest(base: u64) -> &'static mut Newest {
    // SAFETY: 10 bits index 1024 cells, and only one thread is in the runtime.
    unsafe { &mut *core::ptr::addr_of_mut!(NEWEST[cell_of(base)]) }
}

/// True if snapshot `id` shows the object as it is now.
fn still_holds(id: u32, object: Object) -> bool {
    // SAFETY: `id` names a snapshot of this object, made in this run.
    unsafe {
        let at = state::region::<u8>(Region::Snapshots).add(id as usize * 8);
        let header = at.cast::<SnapshotHeader>().read();
        let size = object.size as usize;
        let bytes = at.add(core::mem::size_of::<SnapshotHeader>());
        if libc::memcmp(bytes.cast(), object.base as *const _, size) != 0 {
            return false;
        }
        if header.labelled == 0 {
            return !is_labelled(object);
        }
        let words = bytes.add(size.next_multiple_of(8));
        libc::memcmp(words.cast(), shadow::word(object.base).cast(), size * 4) == 0
    }
}

fn is_labelled(object: Object) -> bool {
    shadow::may_be_labelled(object.base, object.size)
        && (0..object.size).any(|at| shadow::get(object.base + at) != ShadowWord::NONE)
}

/// Drops labels that the object's content contradicts, so that a snapshot is true.
fn drop_stale(object: Object, site: u32) {
    if !shadow::may_be_labelled(object.base, object.size) {
        return;
    }
    for at in 0..object.size {
        // SAFETY: inside a live object.
        label_of(object.base + at, 1, unsafe { content(object.base + at, 1) }, site);
    }
}

fn snapshot(object: Object, site: u32) -> Option<u32> {
    let cell = newest(object.base);
    let known = cell.base == object.base && cell.size == object.size;
    if known && (object.constant || still_holds(cell.id, object)) {
        return Some(cell.id);
    }
    let changes = if known { cell.changes + 1 } else { 0 };
    if !object.constant && object.size > CHANGING_MAX && changes > CHANGES_MAX {
        return None;
    }
    drop_stale(object, site);
    let labelled = is_labelled(object);
    let size = object.size as usize;
    let bytes_len = size.next_multiple_of(8);
    let len =
        core::mem::size_of::<SnapshotHeader>() + bytes_len + if labelled { (size * 4).next_multiple_of(8) } else { 0 };
    let header = state::header();
    let offset = header.snapshots_len;
    if offset + len as u64 > state::capacity::<u8>(Region::Snapshots) {
        state::stop(stop::SNAPSHOTS);
        return None;
    }
    // SAFETY: `len` bytes from `offset` are inside the region, and the object is live.
    unsafe {
        let at = state::region::<u8>(Region::Snapshots).add(offset as usize);
        let head = SnapshotHeader { base: object.base, size: size as u32, labelled: labelled.into() };
        at.cast::<SnapshotHeader>().write(head);
        let bytes = at.add(core::mem::size_of::<SnapshotHeader>());
        core::ptr::copy_nonoverlapping(object.base as *const u8, bytes, size);
        core::ptr::write_bytes(bytes.add(size), 0, bytes_len - size);
        if labelled {
            core::ptr::copy_nonoverlapping(shadow::word(object.base).cast::<u8>(), bytes.add(bytes_len), size * 4);
        }
    }
    header.snapshots_len += len as u64;
    let id = (offset / 8) as u32;
    *newest(object.base) = Newest { base: object.base, size: object.size, id, changes };
    Some(id)
}

/// The object around an access, if the access lies inside it.
fn object_of(address: u64, n: u64, known: Option<(u64, u64)>) -> Option<Object> {
    let object = match known {
        Some((base, size)) => Object { base, size, constant: objects::is_constant(base) },
        None => objects::find(address)?,
    };
    let offset = address.checked_sub(object.base)?;
    (offset.checked_add(n)? <= object.size).then_some(object)
}

/// Label of a load at a symbolic address.
pub fn load(address: Label, at: u64, n: u32, value: u128, known: Option<(u64, u64)>, site: u32) -> Label {
    let address = settle(address);
    if !address.is_symbolic() {
        return label_of(at, n, value, site);
    }
    if lengths::is_one(address) {
        checks::access(address, at, n, false, object_of(at, n.into(), known), site);
        return label_of(at, n, value, site);
    }
    let object = object_of(at, n.into(), known)
        .filter(|object| object.size <= if object.constant { CONSTANT_MAX } else { STEADY_MAX });
    if object.is_some_and(|object| object.constant) && tokens::is_state(address) {
        return label_of(at, n, value, site);
    }
    let Some((object, id)) = object.and_then(|object| Some((object, snapshot(object, site)?))) else {
        log::pin(address.0, at.into(), site, PinReason::Address);
        return label_of(at, n, value, site);
    };
    log::access(address, n, false, object.base, object.size, site);
    let found = table::intern(NodeRecord {
        op: Op::Lookup as u8,
        width: (8 * n) as u16,
        a: address.0,
        b: id,
        value: value as u64,
        imm: if n > 8 { (value >> 64) as u64 } else { 0 },
        ..NodeRecord::default()
    });
    if !tokens::is_quiet() && tokens::is_of_token(address) {
        // A table of a parser: what it says decides, and all tokens that it says the same of are one.
        log::pin(found.0, value, site, PinReason::Token);
        return settle(found);
    }
    found
}

/// A store at a symbolic address that has not happened yet.
pub fn store(address: Label, at: u64, n: u32, value: Operand, known: Option<(u64, u64)>, site: u32) {
    let size = u64::from(n);
    let address = settle(address);
    if !address.is_symbolic() {
        return shadow::set_label(at, size, value.label);
    }
    if lengths::is_one(address) {
        checks::access(address, at, n, true, object_of(at, size, known), site);
        return shadow::set_label(at, size, value.label);
    }
    let object = object_of(at, size, known).filter(|&object| may_update(object, object.size / size));
    let Some(object) = object else {
        log::pin(address.0, at.into(), site, PinReason::StoreAddress);
        return shadow::set_label(at, size, value.label);
    };
    log::access(address, n, true, object.base, object.size, site);
    let phase = (at - object.base) % size;
    pin_phase(address, at, size, site);
    let mut cell = object.base + phase;
    while cell + size <= object.base + object.size {
        // SAFETY: inside a live object.
        let old_content = unsafe { content(cell, n) };
        let old = Operand { label: label_of(cell, n, old_content, site), value: old_content };
        let equal = u128::from(cell == at);
        let is_it = operation(Op::Eq, 1, [64, 64, 0], &[Operand::of(address), Operand::constant(cell.into())], equal);
        let is_it = Operand { label: is_it, value: equal };
        shadow::set_label(cell, size, choose(8 * n, is_it, value, old));
        cell += size;
    }
}

/// The cells of a store are those of its own alignment; an address that could be aligned otherwise is pinned to it.
fn pin_phase(address: Label, at: u64, size: u64, site: u32) {
    if size == 1 || (size.is_power_of_two() && multiple(address, size)) {
        return;
    }
    let operand = [Operand::of(address), Operand::constant(size.into())];
    let value = u128::from(at % size);
    let remainder = operation(Op::URem, 64, [64, 64, 0], &operand, value);
    log::pin(remainder.0, value, site, PinReason::Alignment);
}

/// True if what `label` names keeps its remainder by `size`, a power of two, whatever the input: a sum of constants and
/// of things multiplied by a multiple of `size`.
fn multiple(label: Label, size: u64) -> bool {
    let mut label = label;
    for _ in 0..16 {
        let Some(node) = label.node_index() else { return false };
        let record = table::record(node);
        let constant = record.flags & imm::B != 0;
        match Op::from_code(record.op) {
            Some(Op::Mul) if constant => return record.imm.is_multiple_of(size),
            Some(Op::Shl) if constant && record.imm < 64 => return (1u64 << record.imm).is_multiple_of(size),
            Some(Op::Add | Op::Sub) if constant => label = Label(record.a),
            Some(Op::Add) if record.flags & imm::A != 0 => label = Label(record.b),
            Some(Op::Add) => {
                return multiple(Label(record.a), size) && multiple(Label(record.b), size);
            }
            _ => return false,
        }
    }
    false
}
