//! Hash tables of strings: hsearch and its relatives.
//!
//! Which entry is found depends on which key is equal, whatever the hash. So
//! each entered key, in the order in which they were entered, is compared as one
//! expression, and being equal is a branch. Where in memory an entry lies depends
//! on its hash, but no program may make anything of that: addresses are concrete.

use core::ffi::{c_char, c_int, c_void};

use gimlet_trace::event::{PinReason, UnmodelledReason};

use crate::calls::native_bytes;
use crate::input::quietly;
use crate::log;
use crate::shadow;
use crate::state::Guard;

use super::compare::is_same;
use super::{models, on_demand, Call, Model};

models! {
    hcreate,
    hdestroy,
    hsearch,
    hcreate_r,
    hdestroy_r,
    hsearch_r,
}

on_demand! {
    hcreate,
    hcreate_r,
    hdestroy,
    hdestroy_r,
    hsearch,
    hsearch_r,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Entry {
    key: *const c_char,
    data: *mut c_void,
}

/// The library's own.
mod real {
    use super::{c_int, c_void, Entry};

    unsafe extern "C" {
        pub fn hcreate(room: usize) -> c_int;
        pub fn hdestroy();
        pub fn hsearch(item: Entry, action: c_int) -> *mut Entry;
        pub fn hcreate_r(room: usize, table: *mut c_void) -> c_int;
        pub fn hdestroy_r(table: *mut c_void);
        pub fn hsearch_r(item: Entry, action: c_int, found: *mut *mut Entry, table: *mut c_void) -> c_int;
    }
}

/// The entries of a table, in the order in which they came.
#[derive(Clone, Copy)]
struct Table {
    /// The program's handle; 0 for the one of hcreate. Free if there is no room.
    handle: u64,
    entries: *mut *const Entry,
    count: usize,
    room: usize,
}

const TABLES: usize = 64;
static mut TABLE: [Table; TABLES] = [Table { handle: 0, entries: core::ptr::null_mut(), count: 0, room: 0 }; TABLES];

fn find(is_it: impl Fn(&Table) -> bool) -> Option<&'static mut Table> {
    // SAFETY: callers are inside a `Guard`.
    unsafe { (*core::ptr::addr_of_mut!(TABLE)).iter_mut().find(|table| is_it(table)) }
}

fn table(handle: u64) -> Option<&'static mut Table> {
    find(|table| table.room > 0 && table.handle == handle)
}

/// A table for `wanted` entries was made. The library rounds up to the next prime.
fn created(handle: u64, wanted: usize) {
    let Some(_guard) = Guard::enter() else { return };
    let room = wanted.saturating_mul(2).saturating_add(8);
    let Some(len) = room.checked_mul(8) else { return };
    let Some(table) = find(|table| table.room == 0) else { return };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping.
    let at =
        quietly(|| unsafe { libc::mmap(core::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) });
    if at != libc::MAP_FAILED {
        *table = Table { handle, entries: at.cast(), count: 0, room };
    }
}

fn destroyed(handle: u64) {
    let Some(_guard) = Guard::enter() else { return };
    if let Some(table) = table(handle) {
        // SAFETY: our own mapping.
        unsafe { libc::munmap(table.entries.cast(), 8 * table.room) };
        *table = Table { handle: 0, entries: core::ptr::null_mut(), count: 0, room: 0 };
    }
}

/// A search for `item` gave `found`, null if there is nothing. What goes into a new entry keeps its labels.
unsafe fn searched(model: &Model, handle: u64, item: Entry, action: c_int, found: *const Entry) {
    const ENTER: c_int = 1;
    model.address(0, item.key as u64);
    model.pin(model.argument(2, action as u64, 32), PinReason::Argument);
    // SAFETY: keys are strings, and the entries are those of the library's table.
    unsafe {
        let Some(table) = table(handle) else {
            let bytes = native_bytes(item.key as u64, libc::strlen(item.key) as u64 + 1, true, model.call.site);
            if bytes > 0 {
                log::unmodelled(UnmodelledReason::Given, 0, bytes, model.call.site);
            }
            return;
        };
        let entries = core::slice::from_raw_parts(table.entries, table.count);
        let is_it = |entry: &&*const Entry| model.branch(is_same(model, item.key as u64, (***entry).key as u64));
        let expected = entries.iter().find(is_it).copied();
        match expected {
            Some(expected) if expected != found => model.lost(),
            None if action == ENTER && !found.is_null() && table.count < table.room => {
                table.entries.add(table.count).write(found);
                table.count += 1;
                model.stored(found as u64, model.argument(0, item.key as u64, 64));
                model.stored(found as u64 + 8, model.argument(1, item.data as u64, 64));
            }
            None if !found.is_null() => model.lost(),
            _ => {}
        }
    }
}

pub unsafe extern "C" fn hcreate(room: usize) -> c_int {
    let call = Call::take(hcreate as *const u8);
    // SAFETY: forwards.
    let made = unsafe { real::hcreate(room) };
    pin_room(call, room);
    if made != 0 {
        created(0, room);
    }
    made
}

fn pin_room(call: Call, room: usize) {
    if let Some(_guard) = Guard::enter() {
        call.pin_size(0, room as u64);
    }
}

pub unsafe extern "C" fn hdestroy() {
    Call::take(hdestroy as *const u8);
    // SAFETY: forwards.
    unsafe { real::hdestroy() };
    destroyed(0);
}

/// The item comes as two arguments: a struct of two pointers goes in registers.
pub unsafe extern "C" fn hsearch(key: *const c_char, data: *mut c_void, action: c_int) -> *mut Entry {
    let call = Call::take(hsearch as *const u8);
    let item = Entry { key, data };
    // SAFETY: forwards.
    unsafe {
        let found = real::hsearch(item, action);
        if let Some(model) = call.follow() {
            searched(&model, 0, item, action, found);
        }
        found
    }
}

pub unsafe extern "C" fn hcreate_r(room: usize, table: *mut c_void) -> c_int {
    let call = Call::take(hcreate_r as *const u8);
    // SAFETY: forwards.
    let made = unsafe { real::hcreate_r(room, table) };
    pin_room(call, room);
    if made != 0 {
        created(table as u64, room);
    }
    made
}

pub unsafe extern "C" fn hdestroy_r(table: *mut c_void) {
    Call::take(hdestroy_r as *const u8);
    // SAFETY: forwards.
    unsafe { real::hdestroy_r(table) };
    destroyed(table as u64);
}

pub unsafe extern "C" fn hsearch_r(
    key: *const c_char,
    data: *mut c_void,
    action: c_int,
    found: *mut *mut Entry,
    table: *mut c_void,
) -> c_int {
    let call = Call::take(hsearch_r as *const u8);
    let item = Entry { key, data };
    // SAFETY: forwards.
    unsafe {
        let result = real::hsearch_r(item, action, found, table);
        if let Some(model) = call.follow() {
            shadow::clear(found as u64, 8);
            searched(&model, table as u64, item, action, *found);
        }
        result
    }
}
