//! Memory that nobody can reach any more when the program ends, if the driver wants to know.
//!
//! Every word of the variables of all images, of the first thread's own variables and stack,
//! and of blocks that are reached is taken for a pointer. So a block that is said to be lost
//! is lost; one that some number happens to point to is not found.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gimlet_trace::memory::{DEAD, LEAKS_ENV};

use crate::environment;
use crate::find::find_block;
use crate::objects::{self, Kind};
use crate::report::{self, Access, Error};
use crate::shadow;
use crate::tls::Guard;

static ARE_WANTED: AtomicBool = AtomicBool::new(false);

/// Reads what the driver says.
pub fn begin() {
    ARE_WANTED.store(environment::take(LEAKS_ENV, 10).is_some(), Ordering::Relaxed);
}

/// Blocks that have been reached: a bit for each, and those whose content has not been looked at yet.
struct Reached {
    bits: *mut u64,
    waiting: *mut u32,
    n_waiting: usize,
}

impl Reached {
    fn new(n_blocks: usize) -> Option<Reached> {
        let bits: *mut u64 = shadow::memory(n_blocks.div_ceil(64) * 8).cast();
        let waiting: *mut u32 = shadow::memory(n_blocks * 4).cast();
        (!bits.is_null() && !waiting.is_null()).then_some(Reached { bits, waiting, n_waiting: 0 })
    }

    fn has(&self, index: u32) -> bool {
        // SAFETY: there is a bit for each block.
        unsafe { *self.bits.add(index as usize / 64) >> (index % 64) & 1 != 0 }
    }

    /// Takes all words of a stretch of memory for pointers.
    ///
    /// # Safety
    /// It must be readable.
    unsafe fn scan(&mut self, from: u64, to: u64) {
        let mut at = from.next_multiple_of(8);
        while at + 8 <= to {
            // SAFETY: the caller vouches for it.
            let word = unsafe { (at as *const u64).read() };
            at += 8;
            let id = find_block(word);
            let Some(record) = objects::alive(id).filter(|record| record.kind == Kind::Heap) else { continue };
            let index = record.id & 0xff_ffff;
            if self.has(index) {
                continue;
            }
            // SAFETY: there is a bit and a place for each block, and each comes here once.
            unsafe {
                *self.bits.add(index as usize / 64) |= 1 << (index % 64);
                self.waiting.add(self.n_waiting).write(index);
            }
            self.n_waiting += 1;
        }
    }

    /// The same for the blocks that have been reached.
    fn scan_blocks(&mut self) {
        while self.n_waiting > 0 {
            self.n_waiting -= 1;
            // SAFETY: a block that is alive.
            unsafe {
                let record = &*objects::record(self.waiting.add(self.n_waiting).read());
                self.scan(record.base, record.base + record.size);
            }
        }
    }
}

/// Scans what an image can write to.
unsafe extern "C" fn scan_image(info: *mut libc::dl_phdr_info, _size: usize, reached: *mut c_void) -> c_int {
    // SAFETY: the loader's word on an image, and our own structure.
    unsafe {
        let (info, reached) = (&*info, &mut *reached.cast::<Reached>());
        for header in core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) {
            if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0 {
                let from = info.dlpi_addr + header.p_vaddr;
                // What is read-only after relocation can be read, too.
                reached.scan(from, from + header.p_memsz);
            }
            if header.p_type == libc::PT_TLS && !info.dlpi_tls_data.is_null() {
                let from = info.dlpi_tls_data as u64;
                reached.scan(from, from + header.p_memsz);
            }
        }
    }
    0
}

unsafe extern "C" {
    static __libc_stack_end: *const u8;
}

/// Where the stack begins that is in use when `main` has returned.
static MAIN_FRAME: AtomicU64 = AtomicU64::new(0);

pub extern "C" fn gimlet_mem_main_ends(frame: *mut u8) {
    MAIN_FRAME.store(frame as u64, Ordering::Relaxed);
}

/// The program ends.
extern "C" fn at_end() {
    if !ARE_WANTED.load(Ordering::Relaxed) {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    let n_blocks = objects::n_blocks();
    let Some(mut reached) = Reached::new(n_blocks as usize) else { return };
    let local = 0u64;
    // Below `main` lies what the C library found there, and may not have written to.
    let here = (&raw const local as u64).max(MAIN_FRAME.load(Ordering::Relaxed));
    // SAFETY: all of it is mapped; other threads are over, or change things at their own risk.
    unsafe {
        libc::dl_iterate_phdr(Some(scan_image), (&raw mut reached).cast());
        reached.scan(here, __libc_stack_end as u64);
    }
    reached.scan_blocks();
    for index in 1..n_blocks {
        // SAFETY: inside the table.
        let record = unsafe { &*objects::record(index) };
        let is_lost = record.kind == Kind::Heap && record.id & DEAD == 0 && !reached.has(index);
        if is_lost {
            report::end(Error::Leak, Access::Read, record.base, record.size, record.id, None);
        }
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;
