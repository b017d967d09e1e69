//! Copies and fills of memory: labels go along.

use core::ffi::{c_int, c_void};

use gimlet_trace::Label;

use crate::memory::{copied, filled};
use crate::state::Guard;
use crate::table::Operand;

use super::{models, Call};

models! {
    memcpy,
    memmove,
    memset,
}

/// Follows a copy that has not happened yet.
unsafe fn copy(call: Call, to: *mut c_void, from: *const c_void, n: usize) {
    if let Some(_guard) = Guard::enter() {
        let operand = |index: usize, value: u64| Operand::new(call.label(index), value, 0);
        copied(operand(0, to as u64), operand(1, from as u64), operand(2, n as u64), call.site);
        call.result(Label(call.label(0)));
    }
}

pub unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    // SAFETY: forwards.
    unsafe {
        copy(Call::take(memcpy as *const u8), to, from, n);
        libc::memcpy(to, from, n)
    }
}

pub unsafe extern "C" fn memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
    // SAFETY: forwards.
    unsafe {
        copy(Call::take(memmove as *const u8), to, from, n);
        libc::memmove(to, from, n)
    }
}

pub unsafe extern "C" fn memset(to: *mut c_void, byte: c_int, n: usize) -> *mut c_void {
    let call = Call::take(memset as *const u8);
    if let Some(_guard) = Guard::enter() {
        let operand = |index: usize, value: u64| Operand::new(call.label(index), value, 0);
        filled(operand(0, to as u64), operand(1, u64::from(byte as u32)), operand(2, n as u64), call.site);
        call.result(Label(call.label(0)));
    }
    // SAFETY: forwards.
    unsafe { libc::memset(to, byte, n) }
}
