//! What fresh memory holds: what the driver says, so that two runs can differ in nothing else.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use gimlet_trace::memory::FILL_ENV;

/// Not zero if fresh memory is filled.
#[export_name = "gimlet_mem_filling"]
static FILLING: AtomicU32 = AtomicU32::new(0);
/// Of the byte that it is filled with.
#[export_name = "gimlet_mem_pattern"]
static PATTERN: AtomicU64 = AtomicU64::new(0);

/// Blocks of the heap that are larger are left as they are.
const FILLED_MAX: usize = 1 << 20;

/// Reads what the driver says.
pub fn begin() {
    let mut name = [0u8; 32];
    name[..FILL_ENV.len()].copy_from_slice(FILL_ENV.as_bytes());
    // SAFETY: the environment's strings are the C library's; this one has two digits.
    unsafe {
        let text = libc::getenv(name.as_ptr().cast()).cast::<u8>();
        if text.is_null() {
            return;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (Some(high), Some(low)) = (digit(*text), digit(*text.add(1))) else { return };
        let byte = u64::from(high * 16 + low);
        PATTERN.store(byte * 0x0101_0101_0101_0101, Ordering::Relaxed);
        FILLING.store(1, Ordering::Relaxed);
    }
}

/// Fills fresh memory, if that is wanted.
///
/// # Safety
/// It must be there, and nobody's.
pub unsafe fn fill(at: *mut u8, n: usize) {
    if FILLING.load(Ordering::Relaxed) != 0 && n <= FILLED_MAX && !at.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { core::ptr::write_bytes(at, PATTERN.load(Ordering::Relaxed) as u8, n) };
    }
}

pub extern "C" fn gimlet_mem_fresh(at: *mut u8, n: u64) {
    // SAFETY: a variable that was made just now.
    unsafe { fill(at, n as usize) }
}
