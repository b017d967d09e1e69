//! Shadow memory: a u32 for each byte of the program's memory ([`gimlet_trace::ShadowWord`]).
//!
//! Direct-mapped: `base + ((address & mask) << 2)`. Inline code reads it at
//! every load and clears it at every store; anything else is written here.
//!
//! A second map has one byte for each 4 KiB of program memory and says whether
//! a label has ever been written there, so that clearing fresh memory (a frame,
//! a gigabyte of malloc) costs nothing where nothing is symbolic.

use core::ptr;

use gimlet_trace::abi::{SHADOW_BASE, SHADOW_LEN, SHADOW_MASK};
use gimlet_trace::{Label, ShadowWord};

const PAGE_BITS: u32 = 12;
/// The map of pages that may hold labels, right behind the shadow.
const DIRTY_BASE: u64 = SHADOW_BASE + SHADOW_LEN;
const DIRTY_LEN: u64 = (SHADOW_MASK + 1) >> PAGE_BITS;

/// Reserves both maps. False if the kernel refuses.
pub fn map() -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let len = (SHADOW_LEN + DIRTY_LEN) as usize;
    // SAFETY: a fresh mapping at a place where nothing is (NOREPLACE).
    unsafe {
        let address = libc::mmap(SHADOW_BASE as *mut _, len, protection, flags, -1, 0);
        if address as u64 != SHADOW_BASE {
            return false;
        }
        libc::madvise(address, len, libc::MADV_DONTDUMP);
    }
    true
}

/// The shadow word of an address.
#[inline(always)]
pub fn word(address: u64) -> *mut u32 {
    (SHADOW_BASE + ((address & SHADOW_MASK) << 2)) as *mut u32
}

#[inline(always)]
fn dirty(page: u64) -> *mut u8 {
    (DIRTY_BASE + page) as *mut u8
}

fn mark(address: u64, len: u64) {
    let first = (address & SHADOW_MASK) >> PAGE_BITS;
    let last = ((address + len - 1) & SHADOW_MASK) >> PAGE_BITS;
    for page in first..=last {
        // SAFETY: inside the map by the mask.
        unsafe { dirty(page).write(1) };
    }
}

/// True if a byte of the range may be labelled.
pub fn may_be_labelled(address: u64, len: u64) -> bool {
    if len == 0 {
        return false;
    }
    let first = (address & SHADOW_MASK) >> PAGE_BITS;
    let last = ((address + len - 1) & SHADOW_MASK) >> PAGE_BITS;
    // SAFETY: inside the map by the mask.
    (first..=last).any(|page| unsafe { dirty(page).read() != 0 })
}

/// Reads the shadow of one byte.
#[inline(always)]
pub fn get(address: u64) -> ShadowWord {
    // SAFETY: the whole shadow is mapped.
    ShadowWord(unsafe { word(address).read() })
}

/// Writes the shadow of one byte.
#[inline(always)]
pub fn set(address: u64, value: ShadowWord) {
    if value != ShadowWord::NONE {
        mark(address, 1);
    }
    // SAFETY: the whole shadow is mapped.
    unsafe { word(address).write(value.0) };
}

/// `n` bytes at `address` now hold the value that `label` names.
pub fn set_label(address: u64, n: u64, label: Label) {
    if !label.is_symbolic() {
        return clear(address, n);
    }
    mark(address, n);
    for byte in 0..n {
        // SAFETY: the whole shadow is mapped.
        unsafe { word(address + byte).write(ShadowWord::new(label, byte as u32).0) };
    }
}

/// `n` bytes at `address` are input bytes from number `first`.
pub fn set_input(address: u64, n: u64, first: u32) {
    if n == 0 {
        return;
    }
    crate::log::input_seen();
    mark(address, n);
    for byte in 0..n {
        // SAFETY: the whole shadow is mapped.
        unsafe { word(address + byte).write(Label::input(first + byte as u32).0) };
    }
}

/// `n` bytes at `address` are concrete. Pages that never held a label are skipped.
pub fn clear(address: u64, n: u64) {
    let mut at = address;
    let end = address + n;
    while at < end {
        let page_end = ((at >> PAGE_BITS) + 1) << PAGE_BITS;
        let stop = page_end.min(end);
        // SAFETY: inside the maps by the mask.
        unsafe {
            if dirty((at & SHADOW_MASK) >> PAGE_BITS).read() != 0 {
                ptr::write_bytes(word(at), 0, (stop - at) as usize);
            }
        }
        at = stop;
    }
}

/// Copies the labels of `n` bytes; the ranges may overlap.
pub fn copy(to: u64, from: u64, n: u64) {
    if n == 0 || to == from {
        return;
    }
    if !may_be_labelled(from, n) {
        return clear(to, n);
    }
    mark(to, n);
    // SAFETY: both ranges are inside the shadow.
    unsafe { ptr::copy(word(from), word(to), n as usize) };
}
