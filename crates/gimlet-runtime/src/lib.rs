//! The runtime: linked into every instrumented program.
//!
//! Instrumented code calls it only where a label is not zero. It keeps labels
//! for memory ([`shadow`]), appends expressions to a table ([`table`]) and
//! events to a log ([`log`]) in memory that it shares with the driver, models
//! library functions ([`model`]), and serves runs by forking ([`server`]).
//!
//! It never solves, never blocks, and takes memory from its own mappings only:
//! no allocator of Rust's or of the program's is ever called. Without a driver
//! it maps the shadow, which stays zero, and does nothing else.
#![cfg_attr(not(test), no_std)]
#![deny(unsafe_op_in_unsafe_fn)]

extern crate alloc;

mod atomics;
mod calls;
mod checks;
mod connections;
mod contents;
mod entry;
mod implied;
mod input;
mod lengths;
mod log;
mod lookup;
mod memory;
mod model;
mod objects;
mod observe;
mod ops;
#[cfg(not(test))]
mod panic;
mod region;
mod server;
mod shadow;
mod stack;
mod state;
mod symbols;
mod table;
mod term;
#[cfg(test)]
mod testing;
mod tls;
mod tokens;
mod walks;
