//! Mappings: of input files, whose bytes are labelled, and of anything else, which is not.
//!
//! A mapping shows whole pages: the rest of the last one holds bytes of the
//! file too, as far as there are any, and zeros after them.

use core::ffi::{c_int, c_void};

use gimlet_libc::Started;
use gimlet_trace::event::LostReason;

use crate::contents;
use crate::input::{label_read, log_read, of_descriptor};
use crate::log;
use crate::objects;
use crate::shadow;
use crate::state::{sources, Guard};

use super::variadic::{finish, pinned_argument, start, variadic};
use super::{models, Call};

models! {
    mmap,
    mmap64: mmap,
    munmap,
}

variadic! {
    mremap: mremap(4),
}

const PAGE: u64 = 4096;

/// A mapping of an input file, which may grow later.
#[derive(Clone, Copy)]
struct FileMapping {
    at: u64,
    len: u64,
    source: u32,
    offset: u64,
}

const MAPPINGS_MAX: usize = 256;
/// Those with `len` 0 are free. Only one thread is in the runtime.
static mut MAPPINGS: [FileMapping; MAPPINGS_MAX] = [FileMapping { at: 0, len: 0, source: 0, offset: 0 }; MAPPINGS_MAX];

fn mappings() -> &'static mut [FileMapping; MAPPINGS_MAX] {
    // SAFETY: callers are inside a `Guard`.
    unsafe { &mut *core::ptr::addr_of_mut!(MAPPINGS) }
}

fn whole_pages(len: u64) -> u64 {
    len.wrapping_add(PAGE - 1) & !(PAGE - 1)
}

/// The pages from `at` hold `source` from `offset`.
fn label_pages(at: u64, len: u64, source: u32, offset: u64, site: u32) {
    let rest = sources()[source as usize].len.saturating_sub(offset);
    label_read(source, offset, at, whole_pages(len).min(rest));
    log_read(source, offset, len, len.min(rest), site);
}

/// Nothing is known of the pages any more: objects that began there are gone, one that reached into them is shorter.
fn forget(at: u64, len: u64) {
    let end = at + len;
    shadow::clear(at, len);
    while let Some(object) = objects::last_below(end).filter(|object| object.base + object.size > at) {
        objects::remove(object.base);
        if object.base + object.size > end {
            objects::insert(end, object.base + object.size - end, false);
        }
        if object.base < at {
            objects::insert(object.base, at - object.base, false);
        }
    }
    for mapping in mappings().iter_mut().filter(|mapping| mapping.at < end && mapping.at + mapping.len > at) {
        // What is left of it: the part before, or else the part behind.
        if mapping.at < at {
            mapping.len = at - mapping.at;
        } else {
            let gone = (end - mapping.at).min(mapping.len);
            *mapping = FileMapping { at: end, len: mapping.len - gone, offset: mapping.offset + gone, ..*mapping };
        }
    }
}

/// Without room, what `mremap` adds to the mapping would not be labelled.
fn remember(mapping: FileMapping, site: u32) {
    match mappings().iter_mut().find(|mapping| mapping.len == 0) {
        Some(free) => *free = mapping,
        None => log::lost(site, LostReason::InputFull),
    }
}

fn mapped(call: Call, at: u64, len: u64, flags: c_int, fd: c_int, offset: i64) {
    forget(at, whole_pages(len));
    objects::insert(at, len, false);
    if flags & libc::MAP_ANONYMOUS != 0 {
        return;
    }
    if let Some(source) = of_descriptor(fd) {
        let offset = offset as u64;
        label_pages(at, len, source, offset, call.site);
        remember(FileMapping { at, len: whole_pages(len), source, offset }, call.site);
    } else {
        contents::mapped(fd, offset as u64, at, whole_pages(len), call.site);
    }
}

pub unsafe extern "C" fn mmap(
    wish: *mut c_void,
    len: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    let call = Call::take(mmap as *const u8);
    // SAFETY: forwards.
    let at = unsafe { libc::mmap(wish, len, protection, flags, fd, offset) };
    if let Some(_guard) = Guard::enter() {
        call.pin_address(0, wish as u64);
        call.pin_size(1, len as u64);
        call.pin_number(2, protection as u64);
        call.pin_number(3, flags as u64);
        call.pin_number(4, fd as u64);
        call.pin_number(5, offset as u64);
        if at != libc::MAP_FAILED {
            mapped(call, at as u64, len as u64, flags, fd, offset);
        }
    }
    at
}

pub unsafe extern "C" fn munmap(at: *mut c_void, len: usize) -> c_int {
    let call = Call::take(munmap as *const u8);
    // SAFETY: forwards.
    let result = unsafe { libc::munmap(at, len) };
    if let Some(_guard) = Guard::enter() {
        call.pin_address(0, at as u64);
        call.pin_size(1, len as u64);
        if result == 0 {
            forget(at as u64, whole_pages(len as u64));
        }
    }
    result
}

/// `old_len` bytes at `old` are now `len` bytes at `at`. What a file mapping has more shows more of the file.
fn remapped(call: Call, old: u64, old_len: u64, at: u64, len: u64) {
    let known =
        mappings().iter().copied().find(|mapping| mapping.len > 0 && old.wrapping_sub(mapping.at) < mapping.len);
    let kept = whole_pages(old_len).min(whole_pages(len));
    if at == old {
        forget(old + kept, whole_pages(old_len) - kept);
        forget(at + kept, whole_pages(len) - kept);
        objects::remove(old);
    } else {
        forget(at, whole_pages(len));
        shadow::copy(at, old, kept);
        forget(old, whole_pages(old_len));
    }
    objects::insert(at, len, false);
    let Some(known) = known else { return };
    let offset = known.offset + (old - known.at);
    if len > kept {
        label_pages(at + kept, len - kept, known.source, offset + kept, call.site);
    }
    mappings().iter_mut().filter(|mapping| mapping.at == at).for_each(|mapping| mapping.len = 0);
    remember(FileMapping { at, len: whole_pages(len), source: known.source, offset }, call.site);
}

pub unsafe extern "C" fn mremap(
    old: *mut c_void,
    old_len: usize,
    len: usize,
    flags: c_int,
    started: *mut Started,
) -> *mut c_void {
    // SAFETY: forwards; there is a place if the flags say so.
    unsafe {
        let call = start(started);
        let wish = if flags & libc::MREMAP_FIXED != 0 { pinned_argument(call, started) } else { 0 };
        finish(started);
        let at = libc::mremap(old, old_len, len, flags, wish as *mut c_void);
        if let Some(_guard) = Guard::enter() {
            call.pin_address(0, old as u64);
            call.pin_size(1, old_len as u64);
            call.pin_size(2, len as u64);
            call.pin_number(3, flags as u64);
            if at != libc::MAP_FAILED {
                remapped(call, old as u64, old_len as u64, at as u64, len as u64);
            }
        }
        at
    }
}
