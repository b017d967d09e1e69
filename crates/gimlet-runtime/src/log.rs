//! The event log and the tallies, both in shared memory: they survive a crash of the program.

use gimlet_trace::event::{
    EventKind, EventRecord, LostReason, PinReason, Tally, TallyKind, UnmodelledReason, PIN_LOOSE, START_OF_LOG,
};
use gimlet_trace::shm::{stop, Region};
use gimlet_trace::Label;

use crate::implied::{fix, settle};
use crate::lengths;
use crate::state::{self, header};
use crate::tokens;

/// Appends an event. A full log ends the tracing.
pub fn event(record: EventRecord) {
    let header = header();
    if header.n_events >= state::capacity::<EventRecord>(Region::Events) {
        lost(record.site, LostReason::EventsFull);
        return state::stop(stop::EVENTS);
    }
    // SAFETY: below the capacity.
    unsafe { state::region::<EventRecord>(Region::Events).add(header.n_events as usize).write(record) };
    header.n_events += 1;
}

/// An event of this kind with everything else zero.
pub fn blank(kind: EventKind, site: u32) -> EventRecord {
    EventRecord { kind: kind as u8, site, ..EventRecord::default() }
}

/// Where the stack ends now: the same for every call through the same callers, and so a name for the calling context.
#[inline(always)]
pub fn stack_pointer() -> u64 {
    let pointer: u64;
    // SAFETY: reads a register.
    unsafe { core::arch::asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// A branch that the program decided, or `in_model` the model of a library function.
pub fn branch(label: Label, taken: bool, in_model: bool, site: u32) {
    let label = settle(label);
    if label.is_symbolic() && !tokens::hides_decision() {
        let flags = u8::from(taken) | u8::from(in_model) << 1;
        event(EventRecord { a: label.0, flags, y: stack_pointer(), ..blank(EventKind::Branch, site) });
        fix(label);
    }
}

/// True once a byte of the input has been given to the program.
static mut INPUT_SEEN: bool = false;
/// The entry that stands for all branches before that, as its number in the log and one.
static mut START: u64 = 0;

/// The program has been given a byte of the input.
pub fn input_seen() {
    // SAFETY: callers are inside a `Guard`.
    unsafe { INPUT_SEEN = true };
}

/// True once it has been.
pub fn has_seen_input() -> bool {
    // SAFETY: callers are inside a `Guard`.
    unsafe { INPUT_SEEN }
}

/// An entry of the full log. What the main thread does before it has any input can be long (jq compiles its library);
/// one entry with a hash tells two such beginnings apart.
pub fn logged_branch(record: EventRecord) {
    // SAFETY: callers are inside a `Guard`.
    let (seen, start) = unsafe { (INPUT_SEEN, START) };
    if seen || record.a != 0 || record.b != 0 {
        return event(record);
    }
    if start == 0 {
        event(EventRecord { aux: START_OF_LOG, ..blank(EventKind::BranchLog, record.site) });
        // SAFETY: as above.
        unsafe { START = header().n_events };
    }
    // SAFETY: as above; below the number of events. A log without room for the entry has ended the tracing, and then
    // this is the last one before it, if there is one at all.
    let entry = unsafe {
        match START.checked_sub(1) {
            Some(index) => &mut *state::region::<EventRecord>(Region::Events).add(index as usize),
            None => return,
        }
    };
    if entry.kind != EventKind::BranchLog as u8 || entry.aux != START_OF_LOG {
        return;
    }
    for word in [u64::from(record.site) << 32 | u64::from(record.flags) << 16 | u64::from(record.aux), record.x] {
        entry.x = (entry.x.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Counts something at a site.
pub fn tally(kind: TallyKind, reason: u16, site: u32) {
    tally_from(kind, reason, site, header().n_events);
}

/// Everything counted so far that may have dropped a dependency.
static mut LOSSES: u64 = 0;

/// Losses, stale labels and unmodelled calls counted so far.
pub fn losses() -> u64 {
    // SAFETY: callers are inside a `Guard`.
    unsafe { LOSSES }
}

/// A call without a model was given symbolic data: so many arguments, and bytes behind pointers.
pub fn unmodelled(reason: UnmodelledReason, values: u64, bytes: u64, site: u32) {
    if let Some(cell) = tally_from(TallyKind::Unmodelled, reason as u16, site, header().n_events) {
        cell.values += values;
        cell.bytes += bytes;
    }
}

/// The same for something that began at an earlier event; gives the cell, unless the table is full.
pub fn tally_from(kind: TallyKind, reason: u16, site: u32, first_event: u64) -> Option<&'static mut Tally> {
    if kind != TallyKind::Pin {
        // SAFETY: only a signal inside the runtime comes here without a `Guard`, and then one may go uncounted.
        unsafe { LOSSES += 1 };
    }
    let capacity = state::capacity::<Tally>(Region::Tallies);
    if capacity == 0 {
        return None;
    }
    let cells = state::region::<Tally>(Region::Tallies);
    let mut hash = u64::from(site).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(reason) << 20 ^ (kind as u64) << 40;
    hash ^= hash >> 29;
    for probe in 0..64 {
        // SAFETY: below the capacity.
        let cell = unsafe { &mut *cells.add(((hash + probe) % capacity) as usize) };
        if cell.count == 0 {
            *cell = Tally { kind: kind as u16, reason, site, count: 1, first_event, values: 0, bytes: 0 };
            header().n_tallies += 1;
            return Some(cell);
        }
        if cell.kind == kind as u16 && cell.reason == reason && cell.site == site {
            cell.count += 1;
            return Some(cell);
        }
    }
    state::stop(stop::TALLIES);
    None
}

/// A dependency on the input is dropped here.
pub fn lost(site: u32, reason: LostReason) {
    tally(TallyKind::Lost, reason as u16, site);
}

/// Fixes a symbolic value to what it is: the path condition gets `label == value`.
pub fn pin(label: u32, value: u128, site: u32, reason: PinReason) {
    let label = settle(Label(label));
    if !label.is_symbolic() || tokens::hides_decision() {
        return;
    }
    if lengths::is_one(label) {
        return leave_open(label, value, site, reason);
    }
    pin_with(label, value, site, reason, 0);
}

/// The same for what no other run is made of: that a string ends behind a stretch, and not before.
pub fn pin_before_stretch(label: Label, value: u128, site: u32) {
    let label = settle(label);
    if label.is_symbolic() && !tokens::hides_decision() {
        pin_with(label, value, site, PinReason::Length, PIN_LOOSE);
    }
}

fn pin_with(label: Label, value: u128, site: u32, reason: PinReason, flags: u8) {
    // A table indexed by a token is no loss: what it says is a set of tokens.
    if reason != PinReason::Token {
        tally(TallyKind::Pin, reason as u16, site);
    }
    let record = blank(EventKind::Pin, site);
    event(EventRecord { a: label.0, aux: reason as u16, flags, x: value as u64, y: (value >> 64) as u64, ..record });
    fix(label);
}

/// Values that depend on lengths and were to be pinned lately.
static mut LEFT_OPEN: [(u32, u32); 256] = [(0, 0); 256];

/// The same for what depends on a length: the path condition gets what follows for other bytes, and the length stays open.
fn leave_open(label: Label, value: u128, site: u32, reason: PinReason) {
    let cell = (label.0.wrapping_mul(0x9e37_79b1) >> 24) as usize;
    // SAFETY: callers are inside a `Guard`, and 8 bits index 256 cells.
    unsafe {
        if LEFT_OPEN[cell] == (label.0, site) || !is_new_along(!site) {
            return;
        }
        LEFT_OPEN[cell] = (label.0, site);
    }
    tally(TallyKind::Pin, reason as u16, site);
    let record = blank(EventKind::Pin, site);
    event(EventRecord { a: label.0, aux: reason as u16, x: value as u64, y: (value >> 64) as u64, ..record });
}

/// Recently logged accesses: label and number of bytes, begin and size of the object.
static mut ACCESSED: [(u32, u32, u64, u64); 1024] = [(0, 0, 0, 0); 1024];

/// Accesses at addresses that depend on a length, by place: where, and how many.
static mut ALONG: [(u32, u32); 256] = [(0, 0); 256];
/// So many of one place are logged; of more only some.
const N_ALONG_MAX: u32 = 16;

/// Whether one more access of a place at an address that depends on a length says anything new, or, with `!site`, one more
/// value that was to be pinned there. A loop that goes back over a stretch makes one for each of its bytes.
fn is_new_along(site: u32) -> bool {
    // SAFETY: callers are inside a `Guard`, and 8 bits index 256 cells.
    unsafe {
        let cell = &mut ALONG[(site.wrapping_mul(0x9e37_79b1) >> 24) as usize];
        *cell = (site, if cell.0 == site { cell.1.saturating_add(1) } else { 1 });
        cell.1 <= N_ALONG_MAX || cell.1.is_power_of_two()
    }
}

/// An access of `n` bytes at a symbolic address inside the object `base .. base + size`.
pub fn access(address: Label, n: u32, write: bool, base: u64, size: u64, site: u32) {
    if tokens::hides_decision() || lengths::is_one(address) && !is_new_along(site) {
        return;
    }
    let cell = (address.0.wrapping_mul(0x9e37_79b1) >> 22) as usize;
    let key = (address.0, n, base, size);
    // SAFETY: callers are inside a `Guard`, and 10 bits index 1024 cells.
    unsafe {
        if ACCESSED[cell] == key {
            return;
        }
        ACCESSED[cell] = key;
    }
    let record = blank(EventKind::Access, site);
    event(EventRecord { a: address.0, aux: n as u16, flags: u8::from(write), x: base, y: size, ..record });
}
