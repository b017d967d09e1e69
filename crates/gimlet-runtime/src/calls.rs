//! Calls across the border of instrumented code, structs by value, variadic calls.

use core::ptr::addr_of_mut;

use gimlet_libc::variadic::SAVE_AREA_LEN;
use gimlet_libc::VaList;
use gimlet_trace::abi::tls;
use gimlet_trace::event::{LostReason, StaleReason, UnmodelledReason, NO_SITE};
use gimlet_trace::{Label, ShadowWord};

use crate::input::{self, quietly};
use crate::log;
use crate::memory::{content, drop_if_stale, label_of};
use crate::objects;
use crate::shadow;
use crate::state::Guard;
use crate::table;
use crate::tls::{set_token, slot, token};
use crate::tokens;

/// What a function that native code called must leave as it found it: a caller
/// further out may be waiting for its own callee's token and result.
#[derive(Clone, Copy)]
#[repr(C)]
struct NativeEntry {
    frame: u64,
    token: u64,
    result: [u32; tls::RET_MAX as usize],
    /// A signal may come between a caller that has stored labels and the callee that takes them.
    arguments: [u32; tls::ARGS_MAX as usize],
    /// The list of frame records.
    frames: u64,
    _reserved: u64,
}

const _: () = assert!(core::mem::size_of::<NativeEntry>() as u64 == tls::NATIVE_LEN);

fn entries() -> (*mut u64, *mut NativeEntry) {
    let count = slot::<u64>(tls::NATIVE);
    (count, slot(tls::NATIVE + 8))
}

/// Copies labels one by one. A copy at once would be a call of `memcpy`: if that calls instrumented code of the program,
/// it would come here again.
///
/// # Safety
/// Both must be valid.
unsafe fn copy_labels<const N: usize>(from: *const [u32; N], to: *mut [u32; N]) {
    for index in 0..N {
        // SAFETY: below `N`; the caller vouches for both.
        unsafe { to.cast::<u32>().add(index).write_volatile(from.cast::<u32>().add(index).read()) };
    }
}

/// Native code entered the function whose frame this is. Entries of frames that longjmp or an
/// exception left are dropped, and with them the records of those frames.
pub extern "C" fn gimlet_rt_enter_native(frame: *mut u8) {
    let (count, stack) = entries();
    let frame = frame as u64;
    // SAFETY: the slots are inside this thread's block, and `count` stays below `NATIVE_MAX`.
    unsafe {
        while *count > 0 && (*stack.add(*count as usize - 1)).frame <= frame {
            *count -= 1;
            slot::<u64>(tls::FRAMES).write((*stack.add(*count as usize)).frames);
        }
        if *count < tls::NATIVE_MAX {
            let entry = stack.add(*count as usize);
            addr_of_mut!((*entry).frame).write(frame);
            addr_of_mut!((*entry).token).write(token());
            addr_of_mut!((*entry).frames).write(slot::<u64>(tls::FRAMES).read());
            copy_labels(slot(tls::RET), addr_of_mut!((*entry).result));
            copy_labels(slot(tls::ARGS), addr_of_mut!((*entry).arguments));
            *count += 1;
        }
    }
    set_token(0);
}

/// The same function is about to return to native code.
pub extern "C" fn gimlet_rt_leave_native(frame: *mut u8) {
    let (count, stack) = entries();
    let frame = frame as u64;
    // SAFETY: as above.
    unsafe {
        while *count > 0 {
            let entry = &*stack.add(*count as usize - 1);
            if entry.frame > frame {
                break;
            }
            *count -= 1;
            if entry.frame == frame {
                set_token(entry.token);
                copy_labels(&entry.arguments, slot(tls::ARGS));
                return copy_labels(&entry.result, slot(tls::RET));
            }
        }
        // Deeper than the stack of entries: no labels for whoever waits.
        if let Some(_guard) = Guard::enter() {
            log::lost(NO_SITE, LostReason::Signal);
        }
        set_token(0);
        slot::<[u32; tls::RET_MAX as usize]>(tls::RET).write([0; tls::RET_MAX as usize]);
    }
}

/// Control came back to the function whose frame this is, from further down: what waited there is gone.
pub extern "C" fn gimlet_rt_unwound(frame: *mut u8) {
    let (count, stack) = entries();
    // SAFETY: as above.
    unsafe {
        while *count > 0 && (*stack.add(*count as usize - 1)).frame < frame as u64 {
            *count -= 1;
        }
    }
    set_token(0);
    if let Some(_guard) = Guard::enter() {
        tokens::unwound(frame as u64);
    }
}

/// Whether a caller wrote this token for `callee`.
fn is_token_of(token: u64, callee: *mut u8) -> bool {
    token.wrapping_sub(callee as u64) <= 1
}

/// A call of `callee` has just returned. If it was native, nobody took its token: that is in its slot or, where the
/// callee called instrumented code that an exception or longjmp left, still in the entry of that. Gives the token and the
/// labels of the arguments.
fn left_by_native(callee: *mut u8) -> Option<(u64, *const u32)> {
    if is_token_of(token(), callee) {
        return Some((token(), slot::<u32>(tls::ARGS)));
    }
    let (count, stack) = entries();
    // SAFETY: the slots are inside this thread's block, and `count` stays below `NATIVE_MAX`.
    unsafe {
        let newest_first = (0..*count as usize).rev().map(|index| &*stack.add(index));
        let mut found = newest_first.filter(|entry| is_token_of(entry.token, callee));
        found.next().map(|entry| (entry.token, entry.arguments.as_ptr()))
    }
}

/// True if a call of `callee` that has just returned was native.
fn was_native(callee: *mut u8) -> bool {
    left_by_native(callee).is_some()
}

/// A call returned. If it was native, what went in is counted: labelled arguments, which are still in their slots, and
/// labelled bytes behind pointers, which [`gimlet_rt_passed`] has added up.
pub extern "C" fn gimlet_rt_called(callee: *mut u8, site: u32, n_slots: u32, variadic: u64) {
    let Some((token, arguments)) = left_by_native(callee) else { return };
    let passed = slot::<u64>(tls::PASSED);
    // SAFETY: the slots are inside this thread's block; the pass keeps to their number.
    let (bytes, values) = unsafe {
        let fixed = (0..n_slots as usize).filter(|&index| arguments.add(index).read() != 0);
        let others = (0..u64::BITS as usize)
            .filter(|&index| variadic >> index & 1 != 0 && slot::<u32>(tls::VA).add(index).read() != 0);
        let labelled = token == callee as u64;
        (passed.replace(0), if labelled { fixed.count() + others.count() } else { 0 })
    };
    let Some(_guard) = Guard::enter() else { return };
    if values as u64 + bytes > 0 {
        log::unmodelled(UnmodelledReason::Given, values as u64, bytes, site);
    }
}

/// A library function without a model that reads input returned.
pub extern "C" fn gimlet_rt_consumed(callee: *mut u8, site: u32) {
    let native = was_native(callee);
    let Some(_guard) = Guard::enter() else { return };
    if native && input::is_given() {
        log::unmodelled(UnmodelledReason::Consumed, 0, 0, site);
    }
}

/// How far behind a pointer labels are looked for, if the extent of its object is not known, and at most.
const REACH: u64 = 64;
const REACH_MAX: u64 = 4096;

/// How many bytes behind `pointer` a native function may read.
pub fn reach(pointer: u64) -> u64 {
    objects::find(pointer).map_or(REACH, |object| object.base + object.size - pointer).min(REACH_MAX)
}

/// A call that was given `pointer` returned. If it was native, it may have read labelled memory there, which is
/// counted, and it may have written there: labels that do not fit any more are dropped.
pub extern "C" fn gimlet_rt_passed(callee: *mut u8, site: u32, pointer: *mut u8, string: u32) {
    let pointer = pointer as u64;
    // Small numbers are handles and flags, not addresses.
    if !was_native(callee) || pointer < 4096 {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    let labelled = native_bytes(pointer, reach(pointer), string != 0, site);
    // SAFETY: the slot is inside this thread's block.
    unsafe { *slot::<u64>(tls::PASSED) += labelled };
}

/// Number of labelled bytes that a native function was given at `address`, `reach` bytes or a string there. Labels of
/// bytes that it overwrote are dropped and counted.
pub fn native_bytes(address: u64, reach: u64, string: bool, site: u32) -> u64 {
    if !shadow::may_be_labelled(address, reach) {
        return 0;
    }
    let is_labelled = |at: &u64| shadow::get(address + at) != ShadowWord::NONE;
    let content = peek(address, reach as usize);
    let end = if string { content.iter().position(|&byte| byte == 0).map(|end| end as u64 + 1) } else { None };
    let labelled = (0..end.unwrap_or(reach)).filter(is_labelled).count() as u64;
    for (at, &byte) in content.iter().enumerate() {
        drop_if_stale(address + at as u64, byte, StaleReason::Called, site);
    }
    labelled
}

/// Inline assembly is given `n` bytes at `address`, or, where `n` is 0, whatever lies behind it: labels there are counted
/// as lost. Memory that is written has none any more.
pub extern "C" fn gimlet_rt_asm(address: *mut u8, n: u64, written: u32, site: u32) {
    let address = address as u64;
    if address < 4096 {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    let n = if n == 0 { reach(address) } else { n };
    if !shadow::may_be_labelled(address, n) {
        return;
    }
    if (0..n).any(|at| shadow::get(address + at) != ShadowWord::NONE) {
        log::lost(site, LostReason::Asm);
    }
    if written != 0 {
        shadow::clear(address, n);
    }
}

/// Copies memory that may be gone by now; gives as much of it as there is.
fn peek(address: u64, n: usize) -> &'static [u8] {
    static mut BUFFER: [u8; REACH_MAX as usize] = [0; REACH_MAX as usize];
    // SAFETY: callers are inside a `Guard`.
    let buffer = unsafe { &mut *core::ptr::addr_of_mut!(BUFFER) };
    let n = n.min(buffer.len());
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: n };
    let remote = libc::iovec { iov_base: address as *mut _, iov_len: n };
    // SAFETY: the kernel writes to the buffer alone, and fails where there is no memory.
    let got = quietly(|| unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) });
    &buffer[..got.clamp(0, n as isize) as usize]
}

/// The callee's copy of a struct passed by value. A null origin: nobody said where it came from.
pub extern "C" fn gimlet_rt_by_value(to: *mut u8, from: *mut u8, n: u64) {
    let Some(_guard) = Guard::enter() else { return };
    if from.is_null() {
        shadow::clear(to as u64, n);
    } else {
        shadow::copy(to as u64, from as u64, n);
    }
}

/// A struct among variadic arguments: labels for the stack words from number `word`.
pub extern "C" fn gimlet_rt_va_memory(word: u32, from: *mut u8, n: u64) {
    let words = slot::<u32>(tls::VA + 4 * u64::from(tls::VA_GP + tls::VA_FP));
    let guard = Guard::enter();
    for index in 0..n.div_ceil(8) as u32 {
        let at = from as u64 + 8 * u64::from(index);
        let len = (n - 8 * u64::from(index)).min(8) as u32;
        if word + index >= tls::VA_WORDS {
            if guard.is_some() && (0..len.into()).any(|byte| shadow::get(at + byte) != ShadowWord::NONE) {
                log::lost(NO_SITE, LostReason::Arguments);
                return;
            }
            continue;
        }
        // SAFETY: the struct has `n` bytes; the slot is inside the block.
        unsafe {
            let label = match guard {
                Some(_) => label_of(at, len, content(at, len), NO_SITE),
                None => Label::NONE,
            };
            words.add((word + index) as usize).write(label.0);
        }
    }
}

/// `va_start` has filled `list`: its save area and stack words get the labels that the caller gave. `saved` is the
/// copy of the variadic slots that the function made on entry, or null if native code called it.
pub extern "C" fn gimlet_rt_va_start(list: *mut u8, saved: *mut u8) {
    let Some(_guard) = Guard::enter() else { return };
    // SAFETY: the pass hands over a started list and a copy of `VA_LEN` bytes.
    unsafe { place_variadic(list.cast(), saved) };
}

/// Native code put these words on the stack, nobody knows how many: what was there before has left its labels. Those up to
/// the next variable that is known go; they may be another variable's, so they count as lost.
fn clear_foreign(words: u64) {
    const N_WORDS: u64 = 32;
    let is_foreign = |at: &u64| objects::find(*at).is_none();
    for at in (0..N_WORDS).map(|index| words + 8 * index).take_while(is_foreign) {
        if shadow::may_be_labelled(at, 8) && (at..at + 8).any(|byte| shadow::get(byte) != ShadowWord::NONE) {
            shadow::clear(at, 8);
            log::lost(NO_SITE, LostReason::Arguments);
        }
    }
}

/// Labels what a started list leads to; `labels` are the variadic slots, or null.
///
/// # Safety
/// As it says.
pub unsafe fn place_variadic(list: *const VaList, labels: *const u8) {
    // SAFETY: the caller vouches for both.
    unsafe {
        let list = list.read();
        shadow::clear(list.save_area, SAVE_AREA_LEN.into());
        if labels.is_null() {
            return clear_foreign(list.overflow);
        }
        let labels = labels.cast::<u32>();
        let place = |address: u64, label: u32| {
            if label != 0 {
                let bytes = table::width(Label(label)).div_ceil(8);
                shadow::set_label(address, bytes.min(16).into(), Label(label));
            }
        };
        for index in 0..u64::from(tls::VA_GP) {
            place(list.save_area + 8 * index, labels.add(index as usize).read());
        }
        for index in 0..u64::from(tls::VA_FP) {
            place(list.save_area + 48 + 16 * index, labels.add((u64::from(tls::VA_GP) + index) as usize).read());
        }
        let first = (tls::VA_GP + tls::VA_FP) as usize;
        let count = labels.cast::<u8>().add((tls::VA_COUNT - tls::VA) as usize).cast::<u32>().read();
        shadow::clear(list.overflow, 8 * u64::from(count));
        for index in 0..count.min(tls::VA_WORDS) as usize {
            place(list.overflow + 8 * index as u64, labels.add(first + index).read());
        }
    }
}
