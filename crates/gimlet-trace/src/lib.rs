//! What the two sides of the process boundary agree on.
//!
//! One side is the target: a C program that the pass instrumented, with the
//! runtime linked in. The other is the driver. They share one block of memory
//! ([`shm`]) in which the target writes, while it runs, a table of expressions
//! ([`node`]) and a log of events ([`event`]), and from which the driver takes
//! a [`Trace`] when the run has ended, however it ended.
//!
//! The crate is `no_std`, because the runtime lives inside C programs. The
//! owned types ([`Trace`], [`Input`]) need an allocator and are used by the
//! driver only.
//!
//! # The format, by an example in bytes
//!
//! The program reads two bytes from standard input, `34 12`, and runs
//! `if ((lo | hi << 8) * 3 == 0x369c)`. All numbers are little-endian.
//!
//! Two bytes of input need no record: label `0x8000_0000 + i` is input byte
//! `i`. The 16-bit load of both is one [`node::Op::Read`] record, the promotion
//! to `int`, the product and the comparison are one record each (32 bytes:
//! op, flags, width, a, b, c, value, imm):
//!
//! ```text
//! node 1  02 00 1000  00000000 00000000 00000000  3412000000000000 0000000000000000   read16 from input byte 0
//! node 2  03 00 2000  01000000 00000000 00000000  3412000000000000 0000000000000000   zext32(node 1)
//! node 3  12 02 2000  02000000 00000000 00000000  9c36000000000000 0300000000000000   node 2 * 3      (flag 02: b is imm)
//! node 4  20 02 0100  03000000 00000000 00000000  0100000000000000 9c36000000000000   node 3 == 0x369c
//! ```
//!
//! and the branch is one event record (kind, flags, aux, site, a, b, x, y):
//!
//! ```text
//! event 0 01 01 0000  07000000 04000000 00000000  0000000000000000 0000000000000000   branch at site 7 on node 4, taken
//! ```
//!
//! Site 7 is looked up in the module table, and there in the site table of the
//! translation unit ([`site`]): file, line, column, function, successors.
//! `tests::worked_example` keeps these bytes true.
#![no_std]
#![forbid(unsafe_op_in_unsafe_fn)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod abi;
pub mod builds;
pub mod container;
pub mod edges;
pub mod event;
pub mod finding;
pub mod freestanding;
pub mod input;
pub mod label;
pub mod memory;
pub mod node;
pub mod program;
pub mod shm;
pub mod site;
pub mod status;
pub mod stretch;
pub mod trace;

pub use input::{Input, Source, SourceKind};
pub use label::{Label, ShadowWord};
pub use stretch::Stretch;
pub use trace::{Trace, TraceError};

/// Version of everything in this crate that crosses the process boundary. A
/// driver refuses a target with another one.
pub const FORMAT_VERSION: u32 = 9;

/// ELF section of the executable in which the runtime states [`FORMAT_VERSION`].
pub const VERSION_SECTION: &str = "gimlet_version";

/// Content of [`VERSION_SECTION`]: this magic, then the version as a u32.
pub const VERSION_MAGIC: [u8; 8] = *b"GIMLETRT";
