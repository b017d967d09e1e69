//! Accesses that inline code could not say are right.

use gimlet_trace::memory::DEAD;

use crate::objects::{self, alive, Kind, Record};
use crate::report::{self, Access, Error};
use crate::shadow;
use crate::tls::Guard;

/// How far `realloc` is followed.
const N_SUCCESSORS: usize = 64;

/// Whether `n` bytes at an address are inside an object.
fn is_inside(record: &Record, address: u64, n: u64) -> bool {
    let offset = address.wrapping_sub(record.base);
    offset <= record.size && record.size - offset >= n
}

/// What is wrong with an access through a pointer with this id, if anything is.
pub fn judge(address: u64, n: u64, id: u32) -> Option<Error> {
    if n == 0 || id == 0 {
        return None;
    }
    // SAFETY: every index is inside the table.
    let record = unsafe { &*objects::record(id) };
    if record.id == id {
        return (!is_inside(record, address, n)).then_some(match record.kind {
            Kind::Anything => return None,
            Kind::Heap => Error::HeapOutOfBounds,
            Kind::Local => Error::StackOutOfBounds,
            Kind::Global => Error::GlobalOutOfBounds,
        });
    }
    let is_same = record.id == id | DEAD;
    if is_same && successor(id).is_some_and(|record| is_inside(record, address, n)) {
        return None;
    }
    match record.kind {
        Kind::Heap => Some(Error::UseAfterFree),
        Kind::Local => Some(Error::UseAfterReturn),
        // The number has gone to something else since.
        Kind::Anything | Kind::Global => None,
    }
}

/// The block that `realloc` made of a dead one, if that is alive: programs keep pointers across a `realloc` that moved
/// nothing, and add the distance of the two to others.
pub fn successor(id: u32) -> Option<&'static Record> {
    let mut id = id;
    for _ in 0..N_SUCCESSORS {
        // SAFETY: every index is inside the table.
        id = unsafe { (*objects::detail(id)).successor };
        match alive(id) {
            Some(record) => return Some(record),
            None if id == 0 => return None,
            None => {}
        }
    }
    None
}

pub extern "C" fn gimlet_mem_fail(address: *mut u8, n: u64, id: u32, is_write: u32) {
    let address = address as u64;
    if let Some(error) = judge(address, n, id) {
        let Some(_guard) = Guard::enter() else { return };
        let access = if is_write != 0 { Access::Write } else { Access::Read };
        report::end(error, access, address, n, id, None);
    }
}

pub extern "C" fn gimlet_mem_range(address: *mut u8, n: u64, id: u32, is_write: u32) {
    gimlet_mem_fail(address, n, id, is_write);
}

/// Whether two ranges share a byte.
pub fn overlap(a: u64, b: u64, n: u64) -> bool {
    n != 0 && a != b && a.abs_diff(b) < n
}

pub extern "C" fn gimlet_mem_copy(to: *mut u8, from: *mut u8, n: u64, id_to: u32, id_from: u32, apart: u32) {
    gimlet_mem_fail(to, n, id_to, 1);
    gimlet_mem_fail(from, n, id_from, 0);
    let (to, from) = (to as u64, from as u64);
    if apart != 0
        && overlap(to, from, n)
        && let Some(_guard) = Guard::enter()
    {
        report::end(Error::Overlap, Access::Write, to, n, id_to, Some(b"memcpy"));
    }
    shadow::copy_referents(to, from, n);
}

/// The end of the object that a pointer belongs to, if it is known and alive.
pub fn room(address: u64, id: u32) -> Option<u64> {
    let record = alive(id)?;
    let offset = address.wrapping_sub(record.base);
    (offset <= record.size).then(|| record.size - offset)
}
