//! The runtime of the memory build: linked into PROG.memory.
//!
//! It keeps a record of every object ([`objects`]): globals as modules announce
//! them ([`globals`]), variables of frames ([`frames`]), and heap blocks, for which
//! it takes the place of the C library's allocator ([`heap`]). Instrumented code
//! checks accesses itself, and calls [`check`] where one is not right; library
//! functions that are given memory check it before they touch it ([`functions`]).
//! What is wrong is said once ([`report`]), and ends the program.
//!
//! As the other runtime it takes memory from its own mappings only. The format
//! that it shares with the pass is [`gimlet_trace::memory`].
#![cfg_attr(not(test), no_std)]
#![deny(unsafe_op_in_unsafe_fn)]

extern crate alloc;

mod check;
mod decisions;
mod entry;
mod environment;
mod find;
mod frames;
mod fresh;
mod functions;
mod globals;
mod heap;
mod leaks;
mod log;
mod objects;
mod places;
mod report;
mod shadow;
#[cfg(test)]
mod tests;
mod tls;
mod variadic;

/// A bug in the runtime.
#[cfg(not(test))]
fn panicked() -> ! {
    report::say(b"gimlet: internal error in the memory build\n");
    // SAFETY: abort takes no arguments.
    unsafe { libc::abort() }
}

#[cfg(not(test))]
gimlet_trace::without_std!(panicked);
