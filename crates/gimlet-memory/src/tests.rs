//! Objects and accesses. The allocator here is that of the tests, too, so blocks are real ones.

use std::ffi::c_void;

use gimlet_trace::memory::INDEX_BITS;

use crate::check::{judge, overlap, room};
use crate::find::find;
use crate::objects::{self, Kind, Locked};
use crate::report::Error;
use crate::shadow;

/// What `edges.c` has in a program: there is no driver here.
#[unsafe(no_mangle)]
extern "C" fn gimlet_edges_region(_name: *const u8, _len: u64) -> *mut u8 {
    core::ptr::null_mut()
}

/// An object that nobody else has.
fn object(kind: Kind, base: u64, size: u64) -> u32 {
    shadow::ensure();
    let number = objects::fresh(&Locked::new()).expect("there are numbers left");
    objects::fill(number, kind, base, size, core::ptr::null(), 0)
}

#[test]
fn accesses_inside_an_object_are_right() {
    let id = object(Kind::Global, 0x1000, 16);
    for (address, n) in [(0x1000, 1), (0x1000, 16), (0x100f, 1), (0x1008, 8), (0x1010, 0), (0x2000, 0)] {
        assert!(judge(address, n, id).is_none(), "{n} bytes at {address:#x}");
    }
    assert_eq!(room(0x1000, id), Some(16));
    assert_eq!(room(0x1010, id), Some(0));
    assert_eq!(room(0x1011, id), None);
}

#[test]
fn accesses_that_leave_an_object_are_told_by_its_kind() {
    let kinds = [
        (Kind::Heap, Error::HeapOutOfBounds),
        (Kind::Local, Error::StackOutOfBounds),
        (Kind::Global, Error::GlobalOutOfBounds),
    ];
    for (kind, expected) in kinds {
        let id = object(kind, 0x1000, 16);
        // Behind its end, before its beginning, across either, and so long that the sum wraps around.
        for (address, n) in [(0x1010, 1), (0xfff, 1), (0x100c, 8), (0xffc, 8), (0x1004, u64::MAX)] {
            assert!(judge(address, n, id) == Some(expected), "{n} bytes at {address:#x}");
        }
    }
    let anything = object(Kind::Anything, 0x1000, 16);
    assert!(judge(0x5000, 4, anything).is_none() && judge(0x5000, 4, 0).is_none());
}

#[test]
fn what_has_ended_is_used_no_more() {
    let block = object(Kind::Heap, 0x1000, 16);
    objects::end(block, 0);
    assert!(judge(0x1000, 1, block) == Some(Error::UseAfterFree) && objects::alive(block).is_none());
    let local = object(Kind::Local, 0x1000, 16);
    objects::end(local, 0);
    assert!(judge(0x1000, 1, local) == Some(Error::UseAfterReturn));
    assert_eq!(room(0x1000, local), None);

    // Another object has the number now: the old id is not the new one's.
    let again = objects::fill(block & ((1 << INDEX_BITS) - 1), Kind::Heap, 0x1000, 16, core::ptr::null(), 0);
    assert_ne!(again, block);
    assert!(judge(0x1000, 1, again).is_none() && judge(0x1000, 1, block) == Some(Error::UseAfterFree));
}

#[test]
fn a_pointer_survives_realloc_in_place() {
    let old = object(Kind::Heap, 0x1000, 16);
    let new = object(Kind::Heap, 0x1000, 32);
    objects::end(old, 0);
    // SAFETY: every id is inside the table.
    unsafe { (*objects::detail(old)).successor = new };
    assert!(judge(0x1018, 4, old).is_none());
    assert!(judge(0x1020, 1, old) == Some(Error::UseAfterFree));
}

#[test]
fn blocks_are_found_by_their_addresses() {
    // SAFETY: blocks of the C library's interface, freed once.
    unsafe {
        for n in [1usize, 15, 16, 17, 100, 4096, 1 << 20] {
            let at = libc::malloc(n) as u64;
            let id = find(at);
            assert_eq!((id, room(at, id)), (find(at + n as u64 - 1), Some(n as u64)), "{n} bytes");
            assert!(judge(at, n as u64, id).is_none());
            assert!(judge(at, n as u64 + 1, id) == Some(Error::HeapOutOfBounds), "{n} bytes");
            libc::free(at as *mut c_void);
            assert!(judge(at, 1, id) == Some(Error::UseAfterFree), "{n} bytes");
        }
        let zeros = libc::calloc(7, 9).cast::<u8>();
        assert!((0..63).all(|index| *zeros.add(index) == 0));
        let grown = libc::realloc(zeros.cast(), 640) as u64;
        assert_eq!(room(grown, find(grown)), Some(640));
        libc::free(grown as *mut c_void);
        assert!(std::hint::black_box(libc::calloc(std::hint::black_box(usize::MAX), 2)).is_null());
    }
}

#[test]
fn ids_of_pointers_are_copied_with_them() {
    shadow::ensure();
    let (from, to) = ([0u64; 4], [0u64; 4]);
    let (from, to) = (from.as_ptr() as u64, to.as_ptr() as u64);
    // SAFETY: the referents of words on the stack.
    unsafe {
        shadow::referent(from + 8).write(77);
        shadow::copy_referents(to, from, 32);
        assert_eq!((shadow::referent(to).read(), shadow::referent(to + 8).read()), (0, 77));
        shadow::clear_referents(to, 32);
        assert_eq!((shadow::referent(to + 8).read(), shadow::referent(from + 8).read()), (0, 77));
    }
}

#[test]
fn ranges_overlap_by_a_byte() {
    assert!(overlap(0, 3, 4) && overlap(3, 0, 4));
    assert!(!overlap(0, 4, 4) && !overlap(4, 0, 4) && !overlap(0, 1, 0));
    // The same place twice is no mistake of the caller's.
    assert!(!overlap(8, 8, 4));
}
