//! In a process of its own: it is about the memory of all of it.

use std::fs;

use gimlet_exec::heap::Heap;

fn n_resident_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn free_memory_is_given_back() {
    let mut heap = Heap::start();
    // Pieces between others that stay: nothing of it is at the end of the heap, nor a mapping of its own.
    let pieces: Vec<(Vec<u8>, Box<u8>)> = (0..4_000).map(|_| (vec![1; 50_000], Box::new(1))).collect();
    let (large, small): (Vec<Vec<u8>>, Vec<Box<u8>>) = pieces.into_iter().unzip();
    let n_full = n_resident_kib();
    drop(large);
    heap.tidy();
    let n_left = n_resident_kib();
    assert!(n_left + (100 << 10) < n_full, "{n_full} {n_left}");
    drop(small);
}
