//! What Rust wants of a program without `std`.

use gimlet_trace::shm::stop;

use crate::state;

/// A bug in the runtime: the driver is told, then the run ends.
fn panicked() -> ! {
    state::stop(stop::PANIC);
    state::say(b"gimlet runtime: internal error\n");
    // SAFETY: abort takes no arguments.
    unsafe { libc::abort() }
}

gimlet_trace::without_std!(panicked);
