//! What Rust wants of a program without `std`: neither is ever meant to run.

use core::alloc::{GlobalAlloc, Layout};

use gimlet_trace::shm::stop;

use crate::state;

/// The runtime never allocates; the format crate's owned types, which it does not use, could.
struct NoAllocator;

// SAFETY: returning null is always allowed, and nothing is ever freed because nothing was allocated.
unsafe impl GlobalAlloc for NoAllocator {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: NoAllocator = NoAllocator;

/// A bug in the runtime: the driver is told, then the run ends.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    state::stop(stop::PANIC);
    state::say(b"gimlet runtime: internal error\n");
    // SAFETY: abort takes no arguments.
    unsafe { libc::abort() }
}

/// Precompiled parts of `core` name it although nothing here unwinds.
#[no_mangle]
extern "C" fn rust_eh_personality() {}
