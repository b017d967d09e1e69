//! What fresh memory holds: what the driver says, so that two runs can differ in nothing else.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use gimlet_trace::memory::{FILL_ENV, STOP_ENV};

use crate::{decisions, environment};

/// Not zero if fresh memory is filled.
static FILLING: AtomicU32 = AtomicU32::new(0);
/// Of the byte that it is filled with.
#[unsafe(export_name = "gimlet_mem_pattern")]
static PATTERN: AtomicU64 = AtomicU64::new(0);

/// Blocks of the heap that are larger are left as they are.
const FILLED_MAX: usize = 1 << 20;

/// Reads what the driver says.
pub fn begin() {
    let Some(byte) = environment::take(FILL_ENV, 16) else { return };
    fill_with(byte as u8);
    FILLING.store(1, Ordering::Relaxed);
    if let Some(stop) = environment::take(STOP_ENV, 10) {
        decisions::stop_at(stop as u32);
    }
}

/// Fresh memory is filled with this byte from now on.
pub fn fill_with(byte: u8) {
    PATTERN.store(u64::from(byte) * 0x0101_0101_0101_0101, Ordering::Relaxed);
}

/// Whether fresh memory is filled.
pub fn is_filling() -> bool {
    FILLING.load(Ordering::Relaxed) != 0
}

/// Fills fresh memory, if that is wanted.
///
/// # Safety
/// It must be there, and nobody's.
pub unsafe fn fill(at: *mut u8, n: usize) {
    if is_filling() && n <= FILLED_MAX && !at.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { core::ptr::write_bytes(at, PATTERN.load(Ordering::Relaxed) as u8, n) };
    }
}

pub extern "C" fn gimlet_mem_fresh(at: *mut u8, n: u64) {
    // SAFETY: a variable that was made just now.
    unsafe { fill(at, n as usize) }
}
