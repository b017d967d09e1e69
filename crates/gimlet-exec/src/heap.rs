//! The driver's own memory.
//!
//! A hard question or a long path takes hundreds of megabytes for a moment. The allocator keeps what is freed, in
//! pieces between what is still in use, and hands it out again only where it fits: a search would seem to grow for
//! hours. So large blocks are mappings of their own, which vanish when they are freed, and the pages of free pieces
//! are given back whenever much more is resident than after the last time. What the allocator itself says is of no use
//! for that: to it, pages that were given back are as free as others.

use std::time::{Duration, Instant};

use crate::watch::private_bytes;

/// Blocks of so many bytes are mappings of their own.
const N_BLOCK_BYTES: usize = 1 << 20;

/// Free memory at the end of the heap that is kept.
const N_SPARE_BYTES: usize = 16 << 20;

/// Growth that is looked into: so many bytes, and one part in so many.
const N_GROWN_BYTES: u64 = 32 << 20;
const GROWN_PART: u64 = 16;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// Giving back takes one part in so many of the time, at most.
const PART_OF_TIME: u32 = 100;

/// Keeps the driver as small as what it uses.
#[derive(Debug)]
pub struct Heap {
    next_look: Instant,
    /// Bytes that were resident when all that is free had been given back, or fewer.
    n_least: u64,
}

impl Heap {
    /// From now on, large blocks are mappings.
    pub fn start() -> Heap {
        for (option, n_bytes) in [(libc::M_MMAP_THRESHOLD, N_BLOCK_BYTES), (libc::M_TRIM_THRESHOLD, N_SPARE_BYTES)] {
            // SAFETY: it concerns only where later blocks are taken from.
            unsafe { libc::mallopt(option, n_bytes as libc::c_int) };
        }
        Heap { next_look: Instant::now(), n_least: 0 }
    }

    /// Gives back to the system what is free, if it may be much.
    pub fn tidy(&mut self) {
        let start = Instant::now();
        if start < self.next_look {
            return;
        }
        self.next_look = start + PAUSE;
        let Some(n_resident) = n_resident_bytes() else { return };
        if self.has_grown(n_resident) {
            return_free_memory();
            self.n_least = n_resident_bytes().unwrap_or(n_resident);
            self.next_look += start.elapsed() * PART_OF_TIME;
        }
    }

    /// Whether much more is resident than what was found to be in use.
    fn has_grown(&mut self, n_resident: u64) -> bool {
        self.n_least = self.n_least.min(n_resident);
        n_resident > self.n_least + self.n_least / GROWN_PART + N_GROWN_BYTES
    }
}

/// Memory of this process that is resident and its own.
fn n_resident_bytes() -> Option<u64> {
    private_bytes(std::process::id().try_into().ok()?)
}

fn return_free_memory() {
    // SAFETY: it concerns only memory that nobody has.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_counts_from_the_least() {
        let mut heap = Heap { next_look: Instant::now(), n_least: 320 << 20 };
        assert!(!heap.has_grown(350 << 20));
        assert!(heap.has_grown(373 << 20));
        assert!(!heap.has_grown(100 << 20));
        assert!(heap.has_grown(150 << 20));
    }
}
