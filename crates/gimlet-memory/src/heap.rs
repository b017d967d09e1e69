//! The heap: the allocator's functions, for the program and all libraries.
//!
//! Blocks come from the C library. Those that were freed go back only when
//! [`KEPT_BYTES`] or [`KEPT_BLOCKS`] have been freed since, so that a pointer to one
//! finds it dead, and not somebody else's. `realloc` moves small blocks always.

use core::ffi::c_int;

use gimlet_trace::memory::DEAD;

use crate::check;
use crate::find::find;
use crate::fresh;
use crate::functions::Call;
use crate::objects::{self, Kind, Locked};
use crate::places::{self, Caller};
use crate::report::{self, Access, Error};
use crate::shadow;
use crate::tls::{set_result, Guard};

unsafe extern "C" {
    fn __libc_malloc(n: usize) -> *mut u8;
    fn __libc_calloc(n: usize, size: usize) -> *mut u8;
    fn __libc_realloc(at: *mut u8, n: usize) -> *mut u8;
    fn __libc_memalign(alignment: usize, n: usize) -> *mut u8;
    fn __libc_free(at: *mut u8);
}

/// Freed memory that is kept.
const KEPT_BYTES: u64 = 32 << 20;
const KEPT_BLOCKS: u32 = 1 << 16;
/// Blocks from this size on are in a list instead of the map, and are not moved by `realloc` without need.
const LARGE: u64 = 1 << 20;
/// Blocks that `realloc` always moves are smaller.
const MOVED: u64 = 1 << 16;
const N_LARGE: usize = 4096;

/// Blocks that were freed, the oldest first, linked by their details.
struct Freed {
    first: u32,
    last: u32,
    n: u32,
    bytes: u64,
}

/// The large blocks, in the order of their addresses.
struct Large {
    ids: [u32; N_LARGE],
    n: usize,
}

static mut FREED: Freed = Freed { first: 0, last: 0, n: 0, bytes: 0 };
static mut LARGE_BLOCKS: Large = Large { ids: [0; N_LARGE], n: 0 };

/// Where a large block is, or would be, in the list.
unsafe fn place_of(address: u64) -> usize {
    // SAFETY: the caller has the lock, or looks only.
    unsafe {
        let blocks = &*core::ptr::addr_of!(LARGE_BLOCKS);
        blocks.ids[..blocks.n].partition_point(|&id| (*objects::record(id)).base <= address)
    }
}

/// The id of the large block at an address, 0 if there is none.
pub fn find_large(address: u64) -> u32 {
    // SAFETY: looks only; a list that changes meanwhile may give no answer.
    unsafe {
        let at = place_of(address);
        if at == 0 {
            return 0;
        }
        let id = (*core::ptr::addr_of!(LARGE_BLOCKS)).ids[at - 1];
        let record = &*objects::record(id);
        if address.wrapping_sub(record.base) <= record.size {
            id
        } else {
            0
        }
    }
}

/// Enters a block where it can be found by its address; id 0 takes it out.
unsafe fn enter(base: u64, size: u64, id: u32) {
    // SAFETY: the caller has the lock; the block is there.
    unsafe {
        if size < LARGE {
            let n = (base + size) / 16 - base / 16 + 1;
            core::slice::from_raw_parts_mut(shadow::granule(base), n as usize).fill(id);
            return;
        }
        let blocks = &mut *core::ptr::addr_of_mut!(LARGE_BLOCKS);
        let at = place_of(base);
        let is_there = at > 0 && (*objects::record(blocks.ids[at - 1])).base == base;
        if id == 0 {
            if is_there {
                blocks.ids.copy_within(at..blocks.n, at - 1);
                blocks.n -= 1;
            }
        } else if is_there {
            blocks.ids[at - 1] = id;
        } else if blocks.n < N_LARGE {
            blocks.ids.copy_within(at..blocks.n, at + 1);
            blocks.ids[at] = id;
            blocks.n += 1;
        }
    }
}

/// A number for a new block: a fresh one, or that of the oldest that was freed.
unsafe fn number(locked: &Locked) -> u32 {
    // SAFETY: the caller has the lock.
    unsafe {
        let freed = &mut *core::ptr::addr_of_mut!(FREED);
        if freed.n > KEPT_BLOCKS || freed.bytes > KEPT_BYTES {
            return give_back(freed);
        }
        match objects::fresh(locked) {
            Some(index) => index,
            None if freed.n > 0 => give_back(freed),
            None => 0,
        }
    }
}

/// Gives the memory of the oldest freed block back; its number.
unsafe fn give_back(freed: &mut Freed) -> u32 {
    // SAFETY: the caller has the lock, and there is one.
    unsafe {
        let index = freed.first;
        let record = objects::record(index);
        freed.first = (*objects::detail(index)).next;
        freed.n -= 1;
        freed.bytes -= (*record).size;
        if (*record).base != 0 {
            enter((*record).base, (*record).size, 0);
            __libc_free((*record).base as *mut u8);
        }
        index
    }
}

/// A new block is at `at`.
unsafe fn register(at: *mut u8, n: u64, caller: Caller) -> u32 {
    let made = places::number(caller);
    let locked = Locked::new();
    // SAFETY: the lock is held, and the block is there.
    unsafe {
        let index = number(&locked);
        if index == 0 {
            return 0;
        }
        let id = objects::fill(index, Kind::Heap, at as u64, n, core::ptr::null(), made);
        enter(at as u64, n, id);
        id
    }
}

/// A block has ended. Its memory is kept, unless somebody else sees to that.
unsafe fn retire(id: u32, caller: Caller, successor: u32, is_kept: bool) {
    let ended = places::number(caller);
    let _locked = Locked::new();
    // SAFETY: the lock is held; the id is that of a block.
    unsafe {
        objects::end(id, ended);
        let record = objects::record(id);
        let index = id & 0xff_ffff;
        if !is_kept {
            (*record).base = 0;
        }
        (*objects::detail(index)).successor = successor;
        (*objects::detail(index)).next = 0;
        let freed = &mut *core::ptr::addr_of_mut!(FREED);
        if freed.n == 0 {
            freed.first = index;
        } else {
            (*objects::detail(freed.last)).next = index;
        }
        freed.last = index;
        freed.n += 1;
        freed.bytes += (*record).size;
    }
}

/// A size that is negative as a signed number was one.
fn refuse_negative(n: usize) {
    if n > isize::MAX as usize {
        report::end(Error::AllocationOverflow, Access::Allocate, 0, n as u64, 0, None);
    }
}

/// A new block, from what `allocate` gives.
unsafe fn new(n: usize, caller: Caller, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    shadow::ensure();
    let Some(_guard) = Guard::enter() else { return allocate() };
    refuse_negative(n);
    let at = allocate();
    // SAFETY: a fresh block.
    let id = if at.is_null() { 0 } else { unsafe { register(at, n as u64, caller) } };
    set_result(id, at as u64);
    at
}

/// The block that a pointer is to the beginning of; anything else is an error. 0 if nobody knows it.
fn block(at: *mut u8, function: &'static [u8], called: *const u8) -> u32 {
    let address = at as u64;
    let id = Call::take(called).id(0, address);
    if id == 0 {
        return 0;
    }
    // SAFETY: every index is inside the table.
    let record = unsafe { &*objects::record(id) };
    if let Some(successor) = check::successor(id).filter(|next| record.id != id && next.base == address) {
        return successor.id;
    }
    let error = match record.kind {
        _ if record.id & !DEAD != id => Error::DoubleFree,
        Kind::Heap if record.id != id => Error::DoubleFree,
        Kind::Heap if record.base == address => return id,
        _ => Error::InvalidFree,
    };
    if record.kind == Kind::Anything {
        return 0;
    }
    report::end(error, Access::Free, address, 0, id, Some(function))
}

unsafe extern "C" fn malloc_from(n: usize, frame: u64, address: u64) -> *mut u8 {
    // SAFETY: the C library's function.
    unsafe {
        let at = new(n, Caller { address, frame }, || __libc_malloc(n));
        fresh::fill(at, n);
        at
    }
}

unsafe extern "C" fn calloc_from(n: usize, size: usize, frame: u64, address: u64) -> *mut u8 {
    // A product that does not fit gives null.
    let bytes = n.checked_mul(size).filter(|&bytes| bytes <= isize::MAX as usize).unwrap_or(0);
    // SAFETY: the C library's function.
    unsafe { new(bytes, Caller { address, frame }, || __libc_calloc(n, size)) }
}

unsafe extern "C" fn free_from(at: *mut u8, frame: u64, address: u64) {
    if at.is_null() {
        return;
    }
    shadow::ensure();
    // SAFETY: the block is the caller's.
    unsafe {
        let Some(_guard) = Guard::enter() else { return __libc_free(at) };
        match block(at, b"free", free as *const u8) {
            0 => __libc_free(at),
            id => retire(id, Caller { address, frame }, 0, true),
        }
    }
}

unsafe extern "C" fn realloc_from(at: *mut u8, n: usize, frame: u64, address: u64) -> *mut u8 {
    let caller = Caller { address, frame };
    // SAFETY: the block is the caller's, and the C library's functions are used as it would.
    unsafe {
        if at.is_null() {
            return malloc_from(n, frame, address);
        }
        shadow::ensure();
        let Some(_guard) = Guard::enter() else { return __libc_realloc(at, n) };
        let id = block(at, b"realloc", realloc as *const u8);
        if id == 0 {
            let moved = __libc_realloc(at, n);
            set_result(0, moved as u64);
            return moved;
        }
        if n == 0 {
            retire(id, caller, 0, true);
            set_result(0, 0);
            return core::ptr::null_mut();
        }
        refuse_negative(n);
        let size = (*objects::record(id)).size;
        if size.max(n as u64) < MOVED {
            let moved = __libc_malloc(n);
            if moved.is_null() {
                set_result(0, 0);
                return moved;
            }
            let n_kept = size.min(n as u64);
            fresh::fill(moved, n);
            core::ptr::copy_nonoverlapping(at, moved, n_kept as usize);
            shadow::copy_referents(moved as u64, at as u64, n_kept);
            let new = register(moved, n as u64, caller);
            retire(id, caller, new, true);
            set_result(new, moved as u64);
            return moved;
        }
        // Out of the map before somebody else gets the memory.
        {
            let _locked = Locked::new();
            enter(at as u64, size, 0);
        }
        let moved = __libc_realloc(at, n);
        if moved.is_null() {
            let _locked = Locked::new();
            enter(at as u64, size, id);
            set_result(0, 0);
            return moved;
        }
        shadow::copy_referents(moved as u64, at as u64, size.min(n as u64));
        let new = register(moved, n as u64, caller);
        retire(id, caller, new, false);
        set_result(new, moved as u64);
        moved
    }
}

unsafe extern "C" fn memalign_from(alignment: usize, n: usize, frame: u64, address: u64) -> *mut u8 {
    // SAFETY: the C library's function.
    unsafe {
        let at = new(n, Caller { address, frame }, || __libc_memalign(alignment, n));
        fresh::fill(at, n);
        at
    }
}

unsafe extern "C" fn posix_memalign_from(
    at: *mut *mut u8,
    alignment: usize,
    n: usize,
    frame: u64,
    address: u64,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(8) {
        return libc::EINVAL;
    }
    // SAFETY: the caller gives a place for a pointer.
    unsafe {
        let block = memalign_from(alignment, n, frame, address);
        if block.is_null() {
            return libc::ENOMEM;
        }
        at.write(block);
        // Its id is found by its address when it is loaded.
        0
    }
}

unsafe extern "C" fn valloc_from(n: usize, frame: u64, address: u64) -> *mut u8 {
    // SAFETY: as above.
    unsafe { memalign_from(4096, n, frame, address) }
}

unsafe extern "C" fn usable_size_from(at: *mut u8, _frame: u64, _address: u64) -> usize {
    shadow::ensure();
    match objects::alive(find(at as u64)) {
        Some(record) if record.base == at as u64 => record.size as usize,
        _ => 0,
    }
}

unsafe extern "C" {
    fn free(at: *mut u8);
    fn realloc(at: *mut u8, n: usize) -> *mut u8;
}

/// Exports functions under the library's names: they add the caller's frame pointer and address to its arguments. They are
/// weak: a program that has an allocator of its own keeps it, and of its blocks no more is known than that.
macro_rules! allocator {
    ($($name:ident: $function:ident($frame:literal, $address:literal)),* $(,)?) => {$(
        core::arch::global_asm!(
            ".text",
            concat!(".weak ", stringify!($name)),
            concat!(".type ", stringify!($name), ", @function"),
            ".p2align 4",
            concat!(stringify!($name), ":"),
            ".cfi_startproc",
            concat!("mov ", $frame, ", rbp"),
            concat!("mov ", $address, ", [rsp]"),
            "jmp {function}",
            ".cfi_endproc",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            function = sym $function,
        );
    )*};
}

allocator! {
    malloc: malloc_from("rsi", "rdx"),
    free: free_from("rsi", "rdx"),
    cfree: free_from("rsi", "rdx"),
    calloc: calloc_from("rdx", "rcx"),
    realloc: realloc_from("rdx", "rcx"),
    memalign: memalign_from("rdx", "rcx"),
    aligned_alloc: memalign_from("rdx", "rcx"),
    posix_memalign: posix_memalign_from("rcx", "r8"),
    valloc: valloc_from("rsi", "rdx"),
    pvalloc: valloc_from("rsi", "rdx"),
    malloc_usable_size: usable_size_from("rsi", "rdx"),
}
