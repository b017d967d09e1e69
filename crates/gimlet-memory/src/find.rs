//! Which object is at an address.
//!
//! That is asked for pointers of which nobody knows where they come from. Where a
//! variable ends, a pointer may be to its end, or to the beginning of another one, which
//! may be one that nobody knows of: then it belongs to neither.

use gimlet_trace::memory::tls;

use crate::objects;
use crate::shadow;
use crate::tls::{pack, slot};
use crate::{decisions, globals, heap};

/// The id of the object at an address, 0 if there is none.
pub fn find(address: u64) -> u32 {
    // Neither null nor anything near it.
    if address < 4096 {
        return 0;
    }
    let id = find_block(address);
    if id != 0 {
        return id;
    }
    let id = globals::find(address);
    if id != 0 {
        return id;
    }
    let id = find_local(address);
    if id == 0 {
        decisions::unjudged();
    }
    id
}

/// The id of the heap block at an address, dead or alive, 0 if there is none.
pub fn find_block(address: u64) -> u32 {
    // SAFETY: inside the shadow.
    let id = unsafe { shadow::granule(address).read() };
    if id == 0 {
        return heap::find_large(address);
    }
    // SAFETY: every index is inside the table.
    let record = unsafe { &*objects::record(id) };
    let is_there = address.wrapping_sub(record.base) <= record.size;
    if is_there {
        id
    } else {
        0
    }
}

/// Among the variables of this thread's frames: the newest first, which lie lowest.
fn find_local(address: u64) -> u32 {
    let local = 0u8;
    let here = &local as *const u8 as u64;
    // SAFETY: inside the block.
    let (top, limit) = unsafe { (slot::<u32>(tls::TOP).read(), slot::<u32>(tls::LIMIT).read()) };
    if limit == 0 || address < here {
        return 0;
    }
    let first = crate::frames::first_of(limit);
    let mut is_at_end = false;
    let mut n_above = 0;
    for index in (first..top).rev() {
        // SAFETY: inside the table.
        let record = unsafe { &*objects::record(index) };
        let offset = address.wrapping_sub(record.base);
        if offset < record.size {
            return if is_at_end { 0 } else { record.id };
        }
        is_at_end |= offset == record.size;
        // Variables of one frame lie in any order; those of older frames lie above.
        n_above = if record.base > address { n_above + 1 } else { 0 };
        if n_above > 64 {
            break;
        }
    }
    0
}

pub extern "C" fn gimlet_mem_find(address: *mut u8) -> u32 {
    find(address as u64)
}

pub extern "C" fn gimlet_mem_resolve(place: *mut u8, pointer: *mut u8) -> u32 {
    let (place, pointer) = (place as u64, pointer as u64);
    let id = find(pointer);
    // A word that holds parts of two pointers has no place for both.
    if place & 7 == 0 {
        // SAFETY: inside the shadow.
        unsafe { shadow::referent(place).write(pack(id, pointer)) };
    }
    id
}
