//! The mappings: ids of pointers in memory, ids of heap blocks by address, and the table of objects.

use core::sync::atomic::{AtomicU32, Ordering};

use gimlet_trace::memory::{END, GRANULES, MASK, N_OBJECTS, OBJECTS, REFERENTS};

use crate::objects::{self, Detail};
use crate::{fresh, leaks, log, places, report};

const UNMAPPED: u32 = 0;
const MAPPING: u32 = 1;
const MAPPED: u32 = 2;
static STATE: AtomicU32 = AtomicU32::new(UNMAPPED);

/// Makes the mappings if they are not there yet. Whoever comes first does it: a constructor, or the first `malloc`.
pub fn ensure() {
    if STATE.load(Ordering::Acquire) == MAPPED {
        return;
    }
    if STATE.compare_exchange(UNMAPPED, MAPPING, Ordering::AcqRel, Ordering::Acquire).is_err() {
        while STATE.load(Ordering::Acquire) != MAPPED {
            core::hint::spin_loop();
        }
        return;
    }
    let details_len = N_OBJECTS * core::mem::size_of::<Detail>() as u64;
    if !map(REFERENTS, END - REFERENTS) || !map(END, details_len) || !map(END + details_len, places::LEN) {
        report::say(b"gimlet: no room for the tables of the memory build: the limit of address space is too low\n");
        // SAFETY: ends the process.
        unsafe { libc::_exit(127) };
    }
    fresh::begin();
    leaks::begin();
    log::begin();
    objects::begin(END);
    places::begin(END + details_len);
    STATE.store(MAPPED, Ordering::Release);
}

fn map(at: u64, len: u64) -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: a fresh mapping at a place where nothing is (NOREPLACE).
    unsafe {
        let address = libc::mmap(at as *mut _, len as usize, protection, flags, -1, 0);
        if address as u64 != at {
            return false;
        }
        libc::madvise(address, len as usize, libc::MADV_DONTDUMP);
    }
    true
}

/// So many bytes somewhere, all zero; null if the kernel refuses.
pub fn memory(len: usize) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping.
    let at = unsafe { libc::mmap(core::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        core::ptr::null_mut()
    } else {
        at.cast()
    }
}

/// Where the id of a pointer at this address is kept.
#[inline(always)]
pub fn referent(address: u64) -> *mut u64 {
    (REFERENTS + (address & MASK & !7)) as *mut u64
}

/// Where the id of the heap block at this address is kept.
#[inline(always)]
pub fn granule(address: u64) -> *mut u32 {
    (GRANULES + ((address & MASK) >> 4 << 2)) as *mut u32
}

const _: () = assert!(GRANULES > REFERENTS && OBJECTS > GRANULES);

/// The pointers in `n` bytes are copied. Where the ranges don't lie alike in their words, their ids stay behind.
pub fn copy_referents(to: u64, from: u64, n: u64) {
    if to == from || (to ^ from) & 7 != 0 || n < 8 {
        return;
    }
    let first = from.next_multiple_of(8);
    let n_words = (from + n).saturating_sub(first) / 8;
    // SAFETY: both ranges are inside the shadow.
    unsafe { core::ptr::copy(referent(first), referent(to.next_multiple_of(8)), n_words as usize) };
}

/// Nobody knows which objects the pointers in `n` bytes belong to.
pub fn clear_referents(at: u64, n: u64) {
    // SAFETY: the range is inside the shadow.
    unsafe { core::ptr::write_bytes(referent(at), 0, n.div_ceil(8) as usize) };
}
