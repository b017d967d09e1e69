//! Where the shared memory is, and who may write to it now.
//!
//! Invariants: the regions are set once, before the fork server's first run,
//! and never change; the target alone writes behind the counters while it runs;
//! inside [`Guard`] a thread is alone in the runtime.

use core::cell::UnsafeCell;
use core::ptr::{addr_of, addr_of_mut};
use core::sync::atomic::{AtomicBool, Ordering};

use gimlet_trace::abi::tls;
use gimlet_trace::event::{LostReason, NO_SITE};
use gimlet_trace::shm::{stop, Header, Region, SegmentRecord, SourceRecord};

use crate::tls::slot;

/// A page of its own, which the kernel clears in a forked child: children do not trace.
#[repr(C, align(4096))]
pub struct ActivePage {
    active: u32,
    /// Not zero if the input has stretches ([`gimlet_trace::abi::ACTIVE_STRETCHES`]).
    stretches: u32,
    rest: [u32; 1022],
}

#[unsafe(no_mangle)]
pub static mut gimlet_rt_active: ActivePage = ActivePage { active: 0, stretches: 0, rest: [0; 1022] };

struct Shared(UnsafeCell<*mut u8>);
// SAFETY: written once, before there is a second thread.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared(UnsafeCell::new(core::ptr::null_mut()));

static LOCK: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    static __libc_single_threaded: u8;
}

/// True while a driver traces this process.
#[inline(always)]
pub fn active() -> bool {
    // SAFETY: a plain read of a word that only this process writes.
    unsafe { addr_of!(gimlet_rt_active.active).read_volatile() != 0 }
}

pub fn set_active(on: bool) {
    // SAFETY: as above.
    unsafe { addr_of_mut!(gimlet_rt_active.active).write_volatile(u32::from(on)) }
}

/// Tells instrumented code whether the input has stretches.
pub fn set_stretches(are_there: bool) {
    // SAFETY: a plain write of a word that only this process writes.
    unsafe { addr_of_mut!(gimlet_rt_active.stretches).write_volatile(u32::from(are_there)) }
}

/// Address of the page that forked children find cleared.
pub fn active_page() -> *mut u8 {
    addr_of_mut!(gimlet_rt_active).cast()
}

/// Tells where the shared memory has been mapped.
///
/// # Safety
/// `base` must stay mapped, with a valid header, for the life of the process.
pub unsafe fn attach(base: *mut u8) {
    // SAFETY: called once, before any other thread exists.
    unsafe { SHARED.0.get().write(base) }
}

/// The header. Only to be called once attached.
#[inline(always)]
pub fn header() -> &'static mut Header {
    // SAFETY: attached, and one thread at a time is inside the runtime.
    unsafe { &mut *(*SHARED.0.get()).cast::<Header>() }
}

/// True once shared memory is mapped.
pub fn attached() -> bool {
    // SAFETY: a read of a word that is written once.
    unsafe { !(*SHARED.0.get()).is_null() }
}

/// First record of a region.
#[inline(always)]
pub fn region<T>(region: Region) -> *mut T {
    let extent = header().regions[region as usize];
    // SAFETY: the driver laid the regions inside the mapping.
    unsafe { (*SHARED.0.get()).add(extent.offset as usize).cast() }
}

/// Number of records of this type that a region has room for.
#[inline(always)]
pub fn capacity<T>(region: Region) -> u64 {
    header().regions[region as usize].len / core::mem::size_of::<T>() as u64
}

/// Records what went wrong; some things end the tracing.
pub fn stop(bits: u32) {
    if attached() {
        header().stops |= bits;
    }
    if bits & (stop::NODES | stop::EVENTS | stop::PANIC) != 0 {
        set_active(false);
    }
}

/// The sources, those of the program's own making included.
pub fn sources() -> &'static mut [SourceRecord] {
    let count = header().n_sources as usize;
    // SAFETY: the counter never exceeds the capacity.
    unsafe { core::slice::from_raw_parts_mut(region(Region::Sources), count) }
}

/// Appends a segment; false if there is no room.
pub fn push_segment(segment: SegmentRecord) -> bool {
    let header = header();
    if u64::from(header.n_segments) >= capacity::<SegmentRecord>(Region::Segments) {
        stop(stop::TABLES);
        return false;
    }
    // SAFETY: below the capacity.
    unsafe { region::<SegmentRecord>(Region::Segments).add(header.n_segments as usize).write(segment) };
    header.n_segments += 1;
    true
}

/// Appends to the names; gives the offset, or `None` if there is no room.
pub fn push_name(name: &[u8]) -> Option<u32> {
    let header = header();
    let offset = header.names_len;
    if u64::from(offset) + name.len() as u64 > capacity::<u8>(Region::Names) {
        stop(stop::TABLES);
        return None;
    }
    // SAFETY: room was checked.
    unsafe {
        core::ptr::copy_nonoverlapping(name.as_ptr(), region::<u8>(Region::Names).add(offset as usize), name.len());
    }
    header.names_len += name.len() as u32;
    Some(offset)
}

/// `len` bytes of the names from `offset`, as [`push_name`] or the driver wrote them.
pub fn name(offset: u32, len: u32) -> &'static [u8] {
    // SAFETY: names lie inside the region.
    unsafe { core::slice::from_raw_parts(region::<u8>(Region::Names).add(offset as usize), len as usize) }
}

/// Writes to standard error without stdio.
pub fn say(text: &[u8]) {
    // SAFETY: the text is a valid slice; failure does not matter.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

/// Being inside the runtime. Threads take turns; a signal that comes while its
/// own thread is inside does not get in, and what it loses is counted.
pub struct Guard {
    locked: bool,
}

impl Guard {
    /// Enters, unless nothing is traced or this thread is inside already.
    #[inline(always)]
    pub fn enter() -> Option<Guard> {
        if !active() {
            return None;
        }
        let busy = slot::<u32>(tls::BUSY);
        // SAFETY: the slot is inside this thread's block.
        unsafe {
            if busy.read_volatile() != 0 {
                crate::log::lost(NO_SITE, LostReason::Signal);
                return None;
            }
            busy.write_volatile(BUSY);
        }
        // SAFETY: libc keeps this byte true to fact.
        let single = unsafe { addr_of!(__libc_single_threaded).read_volatile() != 0 };
        if !single {
            while LOCK.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
                core::hint::spin_loop();
            }
            // SAFETY: the slot is inside this thread's block.
            unsafe { busy.write_volatile(BUSY_LOCKED) };
        }
        Some(Guard { locked: !single })
    }
}

/// Values of the thread's busy slot.
const BUSY: u32 = 1;
const BUSY_LOCKED: u32 = 2;

/// A signal handler is about to jump out of what it interrupted: if that was the runtime in this thread, nobody is
/// inside any more. Tables stay sound, because counters are advanced last; what was in the making is lost.
pub fn abandon() {
    let busy = slot::<u32>(tls::BUSY);
    // SAFETY: the slot is inside this thread's block.
    let held = unsafe { busy.read_volatile() };
    if held == 0 || !active() {
        return;
    }
    crate::log::lost(NO_SITE, LostReason::Signal);
    if held == BUSY_LOCKED {
        LOCK.store(false, Ordering::Release);
    }
    // SAFETY: as above.
    unsafe { busy.write_volatile(0) };
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        if self.locked {
            LOCK.store(false, Ordering::Release);
        }
        // SAFETY: the slot is inside this thread's block.
        unsafe { slot::<u32>(tls::BUSY).write_volatile(0) };
    }
}
