//! Library functions that are given memory.
//!
//! The pass turns calls of `f` into calls of `gimlet_mem_fn_f` for every `f` that a
//! [`functions!`] list here names; it reads the lists and the signatures from this
//! folder when it is built. The symbols are weak: a program that defines a function
//! of this name keeps its own.
//!
//! They are called like instrumented functions: ids of their arguments come in
//! thread-local slots, that of the result goes back the same way. Each checks what
//! the real function is going to touch, and calls it; where only the real function
//! knows how much that is, it is given no more than one byte too many.
//!
//! What they decide by they tell ([`crate::decisions`]): how long a string is, where two
//! differ, which bytes were searched, which were written to a file. Copies decide nothing.

pub mod format;
pub mod memory;
pub mod numbers;
pub mod records;
pub mod scan;
pub mod streams;
pub mod strings;
pub mod wide;

use gimlet_trace::memory::tls;

use crate::check::{judge, overlap, room};
use crate::decisions;
use crate::find::find;
use crate::report::{self, Access, Error};
use crate::tls::{set_result, slot, unpack, Guard};

/// Exports functions under the names that the pass calls.
macro_rules! functions {
    ($($entries:tt)*) => {
        gimlet_libc::exported_functions!("gimlet_mem_fn_" $($entries)*);
    };
}

/// Exports variadic functions in the same way.
macro_rules! variadic {
    ($($entries:tt)*) => {
        gimlet_libc::variadic_functions!("gimlet_mem_fn_" $($entries)*);
    };
}

pub(crate) use {functions, variadic};

/// What leaves the program is looked at in parts of so many bytes, and so far: more than padding has.
const PART_LEN: u64 = 32;
const LEAVING_MAX: u64 = 1 << 16;

/// A call of one of the functions.
#[derive(Clone, Copy)]
pub struct Call {
    is_ours: bool,
}

/// An argument that is a pointer.
#[derive(Clone, Copy)]
pub struct Memory {
    pub address: u64,
    pub id: u32,
    /// The function that it was given to.
    name: &'static [u8],
}

impl Call {
    /// Takes the call of a function: whether its caller is instrumented.
    pub fn take(function: *const u8) -> Call {
        // SAFETY: inside the block.
        unsafe {
            let token = slot::<u64>(tls::TOKEN);
            let is_ours = token.read() == function as u64;
            token.write(0);
            Call { is_ours }
        }
    }

    /// The object that an argument belongs to. To be asked before anything else is called.
    pub fn id(self, index: u32, address: u64) -> u32 {
        if !self.is_ours {
            return find(address);
        }
        // SAFETY: callers stay below `ARGS_MAX`.
        let packed = unsafe { slot::<u64>(tls::ARGS + 8 * u64::from(index)).read() };
        unpack(packed, address).unwrap_or_else(|| find(address))
    }

    /// An argument of the function `name`.
    pub fn memory<T>(self, index: u32, pointer: *const T, name: &'static [u8]) -> Memory {
        Memory { address: pointer as u64, id: self.id(index, pointer as u64), name }
    }
}

impl Memory {
    /// Memory of which only the address is known.
    pub fn at(address: u64, name: &'static [u8]) -> Memory {
        Memory { address, id: find(address), name }
    }

    fn access(self, n: u64, access: Access) {
        if let Some(error) = judge(self.address, n, self.id) {
            self.fail(error, access, n);
        }
    }

    pub fn fail(self, error: Error, access: Access, n: u64) {
        if let Some(_guard) = Guard::enter() {
            report::end(error, access, self.address, n, self.id, Some(self.name));
        }
    }

    /// So many bytes are read.
    pub fn read(self, n: u64) {
        self.access(n, Access::Read);
    }

    /// So many bytes are written.
    pub fn write(self, n: u64) {
        self.access(n, Access::Write);
    }

    /// The bytes from here to the end of the object, if anybody knows.
    pub fn room(self) -> Option<u64> {
        room(self.address, self.id)
    }

    /// So many bytes, and no more than one too many.
    pub fn at_most(self, n: usize) -> usize {
        self.room().map_or(n, |room| n.min(room as usize + 1))
    }

    /// How many bytes may be looked at, `max` at most.
    pub fn limit(self, max: u64) -> u64 {
        let room = self.room();
        if room.is_none() && max > 0 {
            // A known object that is dead, or that the pointer has left.
            self.read(1);
        }
        room.unwrap_or(u64::MAX).min(max)
    }

    /// The end of what is looked for did not come within the limit.
    fn fail_behind(self, limit: u64) {
        let error = if limit == 0 { judge(self.address, 1, self.id) } else { None };
        self.fail(error.unwrap_or(Error::UnterminatedString), Access::Read, limit + 1);
    }

    /// Bytes before the first for which `is_end` holds, `max` at most: those and that one are read.
    pub fn until(self, max: u64, is_end: impl Fn(u8) -> bool) -> u64 {
        let limit = self.limit(max);
        for n in 0..limit {
            // SAFETY: inside the object; of memory that nobody knows the real function would read as much.
            if is_end(unsafe { ((self.address + n) as *const u8).read() }) {
                self.decides_by(n + 1);
                return n;
            }
        }
        self.decides_by(limit);
        if limit < max {
            self.fail_behind(limit);
        }
        limit
    }

    /// The length of the string here.
    pub fn string(self) -> u64 {
        self.string_within(u64::MAX)
    }

    /// The same, of `max` bytes at most.
    pub fn string_within(self, max: u64) -> u64 {
        let limit = self.limit(max);
        // SAFETY: inside the object; of memory that nobody knows the real function would read as much.
        let n = unsafe { libc::strnlen(self.address as *const _, limit as usize) } as u64;
        self.decides([n]);
        if n == limit && limit < max {
            self.fail_behind(limit);
        }
        n
    }

    /// Something is decided by what was found here.
    pub fn decides<const N: usize>(self, values: [u64; N]) {
        decisions::decides(self.name, values.into_iter());
    }

    /// Something is decided by each of `n` bytes.
    pub fn decides_by(self, n: u64) {
        // SAFETY: the caller has read them.
        decisions::decides(self.name, (0..n).map(|at| unsafe { u64::from(((self.address + at) as *const u8).read()) }));
    }

    /// `n` bytes leave the program. Padding and the rest of a field may be among them, so what is told is which parts hold the
    /// higher one of the two bytes that fresh memory is filled with, and nothing else.
    pub fn leaves(self, n: u64) {
        self.read(n);
        let is_fresh = |first: u64| {
            let last = (first + PART_LEN).min(n);
            // SAFETY: the caller's memory, which the real function is going to read.
            (first..last).all(|at| unsafe { ((self.address + at) as *const u8).read() } == u8::MAX)
        };
        decisions::decides(self.name, (0..n.min(LEAVING_MAX)).step_by(PART_LEN as usize).map(|at| is_fresh(at).into()));
    }

    /// This memory, and `n` bytes of it, must not overlap with as many there.
    pub fn apart(self, other: Memory, n: u64) {
        if overlap(self.address, other.address, n) {
            self.fail(Error::Overlap, Access::Write, n);
        }
    }

    /// The result points into this object.
    pub fn gives<T>(self, result: *mut T) -> *mut T {
        set_result(if result.is_null() { 0 } else { self.id }, result as u64);
        result
    }

    /// What lies behind this by so many bytes.
    pub fn behind(self, n: u64) -> Memory {
        Memory { address: self.address.wrapping_add(n), ..self }
    }
}
