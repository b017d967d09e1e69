//! Arguments that are in memory: those of variadic functions, and structs that are passed by value.
//!
//! Calls put them on the stack, and variadic functions save registers, by code that no pass has
//! seen: what the shadow says of these words is about something else that was there before.

use gimlet_libc::VaList;
use gimlet_trace::memory::tls;

use crate::shadow::{clear_referents, copy_referents, referent};
use crate::tls::{pack, slot};

/// The slot of a register, or of a word behind those.
fn va_slot(index: u32) -> *mut u64 {
    slot::<u64>(tls::VA + 8 * u64::from(index))
}

pub extern "C" fn gimlet_mem_variadic(list: *mut u8, known: u32) {
    // SAFETY: the pass hands over a started list; the slots are inside the block.
    unsafe {
        let list = list.cast::<VaList>().read();
        let (saved, words) = (list.save_area, list.overflow);
        if known == 0 {
            clear_referents(saved, 8 * u64::from(tls::VA_GENERAL));
            return clear_referents(words, 8 * u64::from(tls::VA_FOREIGN));
        }
        let place = |address: u64, index: u32| referent(address).write(va_slot(index).read());
        (0..tls::VA_GENERAL).for_each(|index| place(saved + 8 * u64::from(index), index));
        let count = slot::<u32>(tls::VA_COUNT).read();
        let n_known = count.min(tls::VA_WORDS);
        (0..n_known).for_each(|index| place(words + 8 * u64::from(index), tls::VA_GENERAL + index));
        clear_referents(words + 8 * u64::from(n_known), 8 * u64::from(count - n_known));
    }
}

pub extern "C" fn gimlet_mem_va_memory(word: u32, from: *mut u8, n: u64) {
    let is_aligned = from as u64 & 7 == 0;
    for index in 0..(n.div_ceil(8) as u32).min(tls::VA_WORDS.saturating_sub(word)) {
        // SAFETY: inside the shadow and the block.
        unsafe {
            let packed = if is_aligned { referent(from as u64 + 8 * u64::from(index)).read() } else { 0 };
            va_slot(tls::VA_GENERAL + word + index).write(packed);
        }
    }
}

pub extern "C" fn gimlet_mem_va_foreign(place: *mut u8, pointer: *mut u8, n_words: u32) {
    clear_referents(pointer as u64, 8 * u64::from(n_words));
    // SAFETY: inside the shadow.
    unsafe { referent(place as u64).write(pack(0, pointer as u64)) };
}

pub extern "C" fn gimlet_mem_by_value(to: *mut u8, from: *mut u8, n: u64) {
    clear_referents(to as u64, n);
    if !from.is_null() {
        copy_referents(to as u64, from as u64, n);
    }
}
