//! malloc and its family: fresh memory has no labels, and objects are known.

use core::ffi::c_void;

use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::shm::option;
use gimlet_trace::Label;

use crate::lengths;
use crate::log::{self, blank};
use crate::objects;
use crate::shadow;
use crate::state::{header, Guard};

use super::stdio::product;
use super::{models, on_demand, Call};

models! {
    malloc,
    calloc,
    realloc,
    reallocarray,
    free,
    aligned_alloc,
    memalign,
    posix_memalign,
}

on_demand! {
    aligned_alloc,
    memalign,
    posix_memalign,
    reallocarray,
}

/// Fresh memory, of a size that perhaps depends on the input.
pub fn allocated(at: *mut c_void, size: u64, size_label: u32, site: u32) {
    if at.is_null() {
        return;
    }
    shadow::clear(at as u64, size);
    objects::insert(at as u64, size, false);
    lengths::note_size(at as u64, Label(size_label));
    if header().options & option::ALLOCATIONS != 0 {
        log::event(EventRecord { a: size_label, x: at as u64, y: size, ..blank(EventKind::Alloc, site) });
    }
}

fn freed(at: *mut c_void, site: u32) -> u64 {
    if at.is_null() {
        return 0;
    }
    if header().options & option::ALLOCATIONS != 0 {
        log::event(EventRecord { x: at as u64, ..blank(EventKind::Free, site) });
    }
    objects::remove(at as u64).unwrap_or(0)
}

pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    let call = Call::take(malloc as *const u8);
    // SAFETY: forwards.
    let at = unsafe { libc::malloc(size) };
    if let Some(_guard) = Guard::enter() {
        call.pin_size(0, size as u64);
        allocated(at, size as u64, call.label(0), call.site);
    }
    at
}

pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let call = Call::take(calloc as *const u8);
    // SAFETY: forwards.
    let at = unsafe { libc::calloc(count, size) };
    if let Some(_guard) = Guard::enter() {
        call.pin_size(0, count as u64);
        call.pin_size(1, size as u64);
        let n = product(call.operand(0, count as u64), call.operand(1, size as u64));
        allocated(at, n.value as u64, n.label.0, call.site);
    }
    at
}

unsafe fn resize(call: Call, old: *mut c_void, size: usize, real: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let at = real();
    let Some(_guard) = Guard::enter() else { return at };
    if at.is_null() && size != 0 {
        return at;
    }
    let old_size = freed(old, call.site);
    let kept = old_size.min(size as u64);
    if at.is_null() {
        shadow::clear(old as u64, old_size);
        return at;
    }
    if at != old && kept > 0 {
        shadow::copy(at as u64, old as u64, kept);
        shadow::clear(old as u64, old_size);
    }
    shadow::clear(at as u64 + kept, size as u64 - kept);
    objects::insert(at as u64, size as u64, false);
    lengths::note_size(at as u64, Label(call.label(1)));
    if header().options & option::ALLOCATIONS != 0 {
        log::event(EventRecord { x: at as u64, y: size as u64, ..blank(EventKind::Alloc, call.site) });
    }
    at
}

pub unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let call = Call::take(realloc as *const u8);
    if let Some(_guard) = Guard::enter() {
        call.pin_size(1, size as u64);
    }
    // SAFETY: forwards.
    unsafe { resize(call, old, size, || libc::realloc(old, size)) }
}

pub unsafe extern "C" fn reallocarray(old: *mut c_void, count: usize, size: usize) -> *mut c_void {
    let call = Call::take(reallocarray as *const u8);
    if let Some(_guard) = Guard::enter() {
        call.pin_size(1, count as u64);
        call.pin_size(2, size as u64);
    }
    // SAFETY: forwards; a product that overflows makes the real function fail before its size matters.
    unsafe { resize(call, old, count.wrapping_mul(size), || libc::reallocarray(old, count, size)) }
}

pub unsafe extern "C" fn free(at: *mut c_void) {
    let call = Call::take(free as *const u8);
    if let Some(_guard) = Guard::enter() {
        call.pin_address(0, at as u64);
        let size = freed(at, call.site);
        shadow::clear(at as u64, size);
    }
    // SAFETY: forwards.
    unsafe { libc::free(at) }
}

pub unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut c_void {
    let call = Call::take(aligned_alloc as *const u8);
    // SAFETY: forwards.
    let at = unsafe { libc::aligned_alloc(align, size) };
    if let Some(_guard) = Guard::enter() {
        call.pin_size(0, align as u64);
        call.pin_size(1, size as u64);
        allocated(at, size as u64, call.label(1), call.site);
    }
    at
}

pub unsafe extern "C" fn memalign(align: usize, size: usize) -> *mut c_void {
    let call = Call::take(memalign as *const u8);
    // SAFETY: forwards.
    let at = unsafe { libc::memalign(align, size) };
    if let Some(_guard) = Guard::enter() {
        call.pin_size(0, align as u64);
        call.pin_size(1, size as u64);
        allocated(at, size as u64, call.label(1), call.site);
    }
    at
}

pub unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> i32 {
    let call = Call::take(posix_memalign as *const u8);
    // SAFETY: forwards; `out` was filled if the call succeeded.
    unsafe {
        let error = libc::posix_memalign(out, align, size);
        if let Some(_guard) = Guard::enter() {
            call.pin_size(1, align as u64);
            call.pin_size(2, size as u64);
            if error == 0 {
                shadow::clear(out as u64, 8);
                allocated(*out, size as u64, call.label(2), call.site);
            }
        }
        error
    }
}
