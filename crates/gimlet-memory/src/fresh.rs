//! What fresh memory holds: what the driver says, so that two runs can differ in nothing else.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use gimlet_trace::memory::{FILL_ENV, STOP_ENV};

use crate::telling;

/// Not zero if fresh memory is filled.
static FILLING: AtomicU32 = AtomicU32::new(0);
/// Of the byte that it is filled with.
#[export_name = "gimlet_mem_pattern"]
static PATTERN: AtomicU64 = AtomicU64::new(0);

/// Blocks of the heap that are larger are left as they are.
const FILLED_MAX: usize = 1 << 20;

/// Reads what the driver says.
pub fn begin() {
    let Some(fill) = variable(FILL_ENV) else { return };
    // SAFETY: a C string; this one has two digits.
    let [high, low] = unsafe { [fill, fill.add(1)].map(|at| char::from(*at).to_digit(16)) };
    let (Some(high), Some(low)) = (high, low) else { return };
    PATTERN.store(u64::from(high * 16 + low) * 0x0101_0101_0101_0101, Ordering::Relaxed);
    FILLING.store(1, Ordering::Relaxed);
    if let Some(stop) = variable(STOP_ENV) {
        // SAFETY: a C string.
        telling::stop_at(unsafe { libc::atoi(stop.cast()) } as u32);
    }
}

/// Whether fresh memory is filled.
pub fn is_filling() -> bool {
    FILLING.load(Ordering::Relaxed) != 0
}

/// A variable of the environment.
fn variable(name: &str) -> Option<*const u8> {
    let mut terminated = [0u8; 32];
    terminated[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the name ends with a zero.
    let text = unsafe { libc::getenv(terminated.as_ptr().cast()) };
    (!text.is_null()).then_some(text.cast())
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
