//! The driver's own memory.
//!
//! A hard question or a long path takes hundreds of megabytes for a moment. The allocator keeps what is freed, in
//! pieces between what is still in use, and hands it out again only where it fits: a search would seem to grow for
//! hours. So large blocks are mappings of their own, which vanish when they are freed, and the pages of free pieces
//! are given back whenever much more is resident than after the last time. What the allocator itself says is of no use
//! for that: to it, pages that were given back are as free as others.

use std::fs;
use std::time::{Duration, Instant};

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
    pub fn new() -> Heap {
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
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    // SAFETY: it only asks for a number.
    let page_size = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some(n_own_pages(&text)? * page_size)
}

/// Of all that is resident what is not of files: the second number without the third.
fn n_own_pages(statm: &str) -> Option<u64> {
    let mut numbers = statm.split(' ').skip(1).map_while(|number| number.trim().parse::<u64>().ok());
    let (resident, shared) = (numbers.next()?, numbers.next()?);
    resident.checked_sub(shared)
}

fn return_free_memory() {
    // SAFETY: it concerns only memory that nobody has.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_not_of_files() {
        assert_eq!(n_own_pages("90 50 20 8 0 30 0\n"), Some(30));
        assert_eq!(n_own_pages("90 50"), None);
        assert_eq!(n_own_pages("90 x 20"), None);
        assert_eq!(n_own_pages("90 20 50"), None);
    }

    #[test]
    fn growth_counts_from_the_least() {
        let mut heap = Heap { next_look: Instant::now(), n_least: 320 << 20 };
        assert!(!heap.has_grown(350 << 20));
        assert!(heap.has_grown(373 << 20));
        assert!(!heap.has_grown(100 << 20));
        assert!(heap.has_grown(150 << 20));
    }

    #[test]
    fn free_memory_is_given_back() {
        let mut heap = Heap::new();
        // Pieces between others that stay: nothing of it is at the end of the heap, nor a mapping of its own.
        let pieces: Vec<(Vec<u8>, Box<u8>)> = (0..4_000).map(|_| (vec![1; 50_000], Box::new(1))).collect();
        let (large, small): (Vec<Vec<u8>>, Vec<Box<u8>>) = pieces.into_iter().unzip();
        let n_full = n_resident_bytes().unwrap();
        drop(large);
        heap.tidy();
        let n_left = n_resident_bytes().unwrap();
        assert!(n_left + (100 << 20) < n_full, "{n_full} {n_left}");
        drop(small);
    }
}
