//! Where objects were made and ended: the return addresses of the functions that were running, by number.
//!
//! They are read along the frame pointers that the memory build keeps. Each list is
//! kept once.

use core::sync::atomic::{AtomicU32, Ordering};

/// Addresses of one place.
pub const N_CALLERS: usize = 8;
const N_PLACES: usize = 1 << 20;
/// The table's size in bytes.
pub const LEN: u64 = (N_PLACES * core::mem::size_of::<Place>()) as u64;

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place([u64; N_CALLERS]);

static mut PLACES: *mut Place = core::ptr::null_mut();
static N_KEPT: AtomicU32 = AtomicU32::new(0);

/// The table is here.
pub fn begin(at: u64) {
    // SAFETY: nobody else is in the runtime yet.
    unsafe { PLACES = at as *mut Place };
}

/// Where a caller is: the address that it is returned to, and its frame pointer.
#[derive(Clone, Copy)]
pub struct Caller {
    pub address: u64,
    pub frame: u64,
}

unsafe extern "C" {
    static __libc_stack_end: *const u8;
}

/// The number of the place of a caller, 0 if there is no room left.
pub fn number(caller: Caller) -> u32 {
    let mut place = Place([0; N_CALLERS]);
    place.0[0] = caller.address;
    let mut n = 1;
    let local = 0u8;
    let mut low = &local as *const u8 as u64;
    // SAFETY: the C library's word on where the first thread's stack begins.
    let end = unsafe { __libc_stack_end as u64 };
    // Code that is not ours may hold any number where a frame pointer would be, the largest ones among them.
    let last = end.saturating_sub(16);
    let mut frame = caller.frame;
    while n < N_CALLERS && frame > low && frame <= last && frame & 7 == 0 {
        // SAFETY: between here and the end of the first thread's stack.
        let [next, address] = unsafe { (frame as *const [u64; 2]).read() };
        if address < 4096 {
            break;
        }
        place.0[n] = address;
        n += 1;
        low = frame;
        frame = next;
    }
    keep(place)
}

fn keep(place: Place) -> u32 {
    let hash =
        place.0.iter().fold(0u64, |hash, &word| (hash.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut at = (hash >> 40) as usize % N_PLACES;
    // Two threads that write to one slot at once write garbage there, which only a report would show.
    for _ in 0..64 {
        // SAFETY: inside the table; slot 0 stays free.
        let slot = unsafe { &mut *PLACES.add(at.max(1)) };
        if *slot == place {
            return at.max(1) as u32;
        }
        if slot.0[0] == 0 {
            if N_KEPT.fetch_add(1, Ordering::Relaxed) as usize > N_PLACES / 2 {
                return 0;
            }
            *slot = place;
            return at.max(1) as u32;
        }
        at = (at + 1) % N_PLACES;
    }
    0
}

/// The addresses of a place.
pub fn addresses(number: u32) -> impl Iterator<Item = u64> {
    // SAFETY: numbers are those of `keep`, or 0, which holds nothing.
    let place = unsafe { *PLACES.add(number as usize) };
    place.0.into_iter().take_while(|&address| address != 0)
}
