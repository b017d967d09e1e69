//! What both libraries that are linked into programs know of the C library.
//!
//! The runtime follows library functions on labels, the memory build checks what they are given. Both read the formats of
//! printf and scanf ([`format`], [`printf`], [`scanf`]), take arguments from a `va_list` ([`variadic`]), and put functions of
//! their own in the place of the library's ([`exported_functions`], [`variadic_functions`]).
//!
//! As it becomes a part of C programs, it allocates nothing, panics nowhere, calls nothing, and has no state.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(test)]
extern crate std;

pub mod exports;
pub mod format;
pub mod printf;
pub mod scanf;
pub mod variadic;

pub use format::{Format, InMemory, Length, Text};
pub use variadic::{Started, VaList};
