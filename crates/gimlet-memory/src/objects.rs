//! The records of objects ([`gimlet_trace::memory`]), and what is told of them in reports.
//!
//! Numbers below [`FIRST_LOCAL`] are for globals and heap blocks, those above for
//! variables of frames, a stretch for each thread. A number whose object has ended
//! is used again, with another count in its id: of heap blocks only when many others
//! have ended since ([`crate::heap`]).

use core::sync::atomic::{AtomicBool, Ordering};

use gimlet_trace::memory::{DEAD, INDEX_BITS, N_OBJECTS, OBJECTS};

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    Anything = 0,
    Heap = 1,
    Local = 2,
    Global = 3,
}

#[repr(C)]
pub struct Record {
    pub base: u64,
    pub size: u64,
    pub id: u32,
    pub kind: Kind,
    /// Where it was made, and where it ended ([`crate::places`]).
    pub made: u32,
    pub ended: u32,
}

/// What only reports and the allocator want to know.
#[repr(C)]
pub struct Detail {
    /// What the pass tells of a variable.
    pub about: *const About,
    /// The block that `realloc` made of this one.
    pub successor: u32,
    /// The next one in the allocator's list.
    pub next: u32,
}

/// What the pass tells of a variable: C strings.
#[repr(C)]
pub struct About {
    pub name: *const u8,
    pub function: *const u8,
    pub file: *const u8,
    pub line: u64,
}

/// The first number of a variable of a frame, those of the first thread, and of others.
const FIRST_LOCAL: u32 = 12 << 20;
const N_LOCALS_FIRST: u32 = 1 << 20;
const N_LOCALS: u32 = 1 << 16;

/// The numbers that are given out.
struct Numbers {
    details: *mut Detail,
    next: u32,
    next_local: u32,
}

static mut NUMBERS: Numbers = Numbers { details: core::ptr::null_mut(), next: 1, next_local: FIRST_LOCAL };

/// Held while numbers are given out.
static LOCK: AtomicBool = AtomicBool::new(false);

/// The right to change what all threads share.
pub struct Locked;

impl Locked {
    pub fn new() -> Locked {
        // A thread that was forked away while it had the lock never gives it back.
        for _ in 0..100_000_000u64 {
            if LOCK.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                break;
            }
            core::hint::spin_loop();
        }
        Locked
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        LOCK.store(false, Ordering::Release);
    }
}

/// The table of details is here.
pub fn begin(details: u64) {
    // SAFETY: nobody else is in the runtime yet; record 0 is inside its mapping.
    unsafe {
        NUMBERS.details = details as *mut Detail;
        record(0).write(Record { base: 0, size: u64::MAX, id: 0, kind: Kind::Anything, made: 0, ended: 0 });
    }
}

const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;

/// The record that an id names.
#[inline(always)]
pub fn record(id: u32) -> *mut Record {
    (OBJECTS as *mut Record).wrapping_add((id & INDEX_MASK) as usize)
}

/// The details of the same object.
pub fn detail(id: u32) -> *mut Detail {
    // SAFETY: set before anybody has an id.
    unsafe { NUMBERS.details.wrapping_add((id & INDEX_MASK) as usize) }
}

/// The record of an object that is alive.
pub fn alive(id: u32) -> Option<&'static Record> {
    // SAFETY: every index is inside the table.
    let record = unsafe { &*record(id) };
    (id != 0 && record.id == id).then_some(record)
}

/// A number that nobody had.
pub fn fresh(_: &Locked) -> Option<u32> {
    // SAFETY: the lock is held.
    unsafe {
        let index = NUMBERS.next;
        (index < FIRST_LOCAL).then(|| {
            NUMBERS.next = index + 1;
            index
        })
    }
}

/// The numbers that were given out to globals and blocks are below this.
pub fn n_blocks() -> u32 {
    // SAFETY: looks only.
    unsafe { NUMBERS.next }
}

/// The numbers for the variables of a thread that is new here: first, and the end. None are left if they are equal.
pub fn locals() -> (u32, u32) {
    let _locked = Locked::new();
    // SAFETY: the lock is held.
    unsafe {
        let first = NUMBERS.next_local;
        let n = if first == FIRST_LOCAL { N_LOCALS_FIRST } else { N_LOCALS };
        if u64::from(first + n) > N_OBJECTS {
            return (first, first);
        }
        NUMBERS.next_local = first + n;
        (first, first + n)
    }
}

/// Fills the record of a new object; its id.
pub fn fill(index: u32, kind: Kind, base: u64, size: u64, about: *const About, made: u32) -> u32 {
    // SAFETY: the index is inside the tables.
    unsafe {
        let record = record(index);
        let count = ((*record).id >> INDEX_BITS).wrapping_add(1) & 0x7f;
        let id = index | count << INDEX_BITS;
        record.write(Record { base, size, id, kind, made, ended: 0 });
        detail(index).write(Detail { about, successor: 0, next: 0 });
        id
    }
}

/// An object has ended.
pub fn end(id: u32, ended: u32) {
    // SAFETY: every index is inside the table.
    unsafe {
        let record = record(id);
        (*record).id |= DEAD;
        (*record).ended = ended;
    }
}
