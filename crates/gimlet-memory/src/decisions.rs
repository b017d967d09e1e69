//! What a run tells whose fresh memory is filled, for a driver that compares such runs.
//!
//! Values that decide something, in the program or in a library function, are hashed into a list that the driver has in the file of
//! counters ([`gimlet_trace::memory::TOLD_NAME`]); or they are counted until the one at which
//! the run is to stop.

use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU8, Ordering};

use gimlet_trace::memory::{told, TOLD_LEN, TOLD_NAME};

use crate::fresh::{fill_with, is_filling};
use crate::report::{self, Access, Error};
use crate::shadow;
use crate::tls;

/// A place tells no more than so many, lest a loop takes all the room.
const N_TOLD_MAX: u8 = 200;
/// Numbers of places, modulo this.
const N_PLACES: usize = 1 << 16;
/// Words before the list, and those in it.
const N_HEAD: usize = told::LIST;
const N_MAX: u32 = (TOLD_LEN / 4 - N_HEAD) as u32;

static N_TOLD: [AtomicU8; N_PLACES] = [const { AtomicU8::new(0) }; N_PLACES];
static N_DECISIONS: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicU32 = AtomicU32::new(u32::MAX);
/// Where the first thread has its block: what others do has no order.
static FIRST_THREAD: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
/// Where the driver reads; null if there is none.
static WORDS: AtomicPtr<AtomicU32> = AtomicPtr::new(core::ptr::null_mut());

unsafe extern "C" {
    /// Of `edges.c`: a part of the file of counters, or null.
    fn gimlet_edges_region(name: *const u8, len: u64) -> *mut u8;
}

/// The run ends with a report at this decision.
pub fn stop_at(number: u32) {
    STOP.store(number, Ordering::Relaxed);
}

/// A word that the driver reads.
fn word(index: usize) -> Option<&'static AtomicU32> {
    if FIRST_THREAD.load(Ordering::Relaxed).is_null() {
        FIRST_THREAD.store(tls::slot(0), Ordering::Relaxed);
        let mut name = [0u8; 32];
        name[..TOLD_NAME.len()].copy_from_slice(TOLD_NAME.as_bytes());
        // SAFETY: the name ends with a zero.
        let words = unsafe { gimlet_edges_region(name.as_ptr(), TOLD_LEN as u64) };
        WORDS.store(words.cast(), Ordering::Relaxed);
    }
    let words = WORDS.load(Ordering::Relaxed);
    let is_there = !words.is_null() && index < TOLD_LEN / 4;
    // SAFETY: the mapping stays, and has so many words.
    is_there.then(|| unsafe { &*words.add(index) })
}

/// A server begins: its runs tell what they have to tell in the same place. Called by `edges.c`.
#[unsafe(no_mangle)]
pub extern "C" fn gimlet_mem_serves() {
    // What the driver says is known from then on; the program may not have had any memory yet.
    shadow::ensure();
    if is_filling() {
        word(told::FILL);
    }
}

/// A run of it begins. Called by `edges.c`.
#[unsafe(no_mangle)]
pub extern "C" fn gimlet_mem_runs() {
    if let Some(byte) = is_filling().then(|| word(told::FILL)).flatten() {
        fill_with(byte.load(Ordering::Relaxed) as u8);
    }
}

/// Whether fresh memory is filled. Called by `symbols.c`.
#[unsafe(no_mangle)]
pub extern "C" fn gimlet_mem_fills() -> i32 {
    is_filling().into()
}

/// This process is going to be ended with a report: the driver may wait for another one.
pub fn wrong() {
    if let Some(count) = word(told::N_WRONG) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// The object of a pointer is not known.
pub fn unjudged() {
    if let Some(count) = is_filling().then(|| word(told::N_UNJUDGED)).flatten() {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

pub extern "C" fn gimlet_mem_decide(value: u64, place: u32) {
    decide(value, place, None);
}

/// Spreads values over all bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The library function `name` decides by these values, or gives them away.
pub fn decides(name: &'static [u8], values: impl Iterator<Item = u64>) {
    if !is_filling() {
        return;
    }
    // SAFETY: inside the block.
    let place = unsafe { tls::slot::<u32>(gimlet_trace::memory::tls::PLACE).read() };
    let place = name.iter().fold(place, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let value = values.fold(0u64, |hash, value| (hash.rotate_left(5) ^ value).wrapping_mul(SPREAD));
    decide(value, place, Some(name));
}

fn decide(value: u64, place: u32, function: Option<&'static [u8]>) {
    let count = word(told::N_DECISIONS);
    let told = &N_TOLD[place as usize % N_PLACES];
    let n_told = told.load(Ordering::Relaxed);
    if n_told == N_TOLD_MAX || FIRST_THREAD.load(Ordering::Relaxed) != tls::slot(0) {
        return;
    }
    told.store(n_told + 1, Ordering::Relaxed);
    let number = N_DECISIONS.load(Ordering::Relaxed);
    if number == N_MAX {
        return;
    }
    N_DECISIONS.store(number + 1, Ordering::Relaxed);
    if number == STOP.load(Ordering::Relaxed) {
        report::end(Error::Uninitialised, Access::Decide, 0, 0, 0, function);
    }
    let hash = value.wrapping_mul(SPREAD) >> 48 | u64::from(place & 0xffff) << 16;
    if let (Some(count), Some(word)) = (count, word(N_HEAD + number as usize)) {
        word.store(hash as u32, Ordering::Relaxed);
        count.store(number + 1, Ordering::Relaxed);
    }
}
