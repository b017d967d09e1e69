//! Variables of frames.
//!
//! Their records are a stack: a function notes where it stands when it begins, and
//! everything from there on has ended when it returns, or when control comes back
//! to it from further down.

use gimlet_trace::memory::tls;

use crate::objects::{self, About, Kind};
use crate::shadow;
use crate::tls::slot;

/// No more records for this thread: its variables are not followed.
const FULL: u32 = 1;

/// The first number of the stretch that ends here.
pub fn first_of(limit: u32) -> u32 {
    // SAFETY: the stretch was given out; its first number is kept in the details of its last.
    unsafe { (*objects::detail(limit - 1)).successor }
}

/// Begins the stretch of a thread.
fn begin() -> u32 {
    shadow::ensure();
    let (first, limit) = objects::locals();
    // SAFETY: inside the block and the tables.
    unsafe {
        if first == limit {
            slot::<u32>(tls::LIMIT).write(FULL);
            return FULL;
        }
        (*objects::detail(limit - 1)).successor = first;
        slot::<u32>(tls::TOP).write(first);
        slot::<u32>(tls::LIMIT).write(limit);
    }
    limit
}

pub extern "C" fn gimlet_mem_local(address: *mut u8, n: u64, about: *mut u8) -> u32 {
    // SAFETY: inside the block.
    unsafe {
        let mut limit = slot::<u32>(tls::LIMIT).read();
        if limit == 0 {
            limit = begin();
        }
        let top = slot::<u32>(tls::TOP).read();
        // The last one keeps where the stretch begins.
        if limit == FULL || top + 1 >= limit {
            return 0;
        }
        slot::<u32>(tls::TOP).write(top + 1);
        objects::fill(top, Kind::Local, address as u64, n, about.cast::<About>(), 0)
    }
}

pub extern "C" fn gimlet_mem_leave(top: u32) {
    // SAFETY: inside the block.
    unsafe {
        let limit = slot::<u32>(tls::LIMIT).read();
        if limit == 0 || limit == FULL {
            return;
        }
        // The function began before its thread had a stretch.
        let top = top.max(first_of(limit));
        let now = slot::<u32>(tls::TOP).read();
        for index in top..now {
            objects::end((*objects::record(index)).id, 0);
        }
        if top < now {
            slot::<u32>(tls::TOP).write(top);
        }
    }
}
