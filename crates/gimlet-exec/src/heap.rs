//! The driver's own memory.

/// Gives back to the system what is free. A hard question can take gigabytes, and the next one may be hours away.
pub fn return_free_memory() {
    // SAFETY: it concerns only memory that nobody has.
    unsafe { libc::malloc_trim(0) };
}
