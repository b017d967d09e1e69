//! Sorting and searching by the program's own comparisons.
//!
//! Each comparison is called as instrumented code would call it, and what the
//! library decides by its result is a branch. So the outcome, which element went
//! where, is the same for all inputs that satisfy the branches, and labels move
//! with the elements.
//!
//! `qsort` has to make the comparisons that the C library makes, in its order, or
//! a comparison that contradicts itself would sort otherwise while tracing. The
//! GNU library merges: halves first, then element by element from both, the left
//! one if it is not greater. Elements of more than 32 bytes are sorted by
//! pointers and moved at the end, so a comparison sees them where they were.

use core::ffi::c_void;

use gimlet_trace::event::{PinReason, UnmodelledReason};

use crate::calls::native_bytes;
use crate::log;
use crate::shadow;
use crate::state::{active, Guard};
use crate::term::Term;

use super::{call_back, models, on_demand, Call, Compare};

models! {
    qsort,
    qsort_r,
    bsearch,
    lfind,
    lsearch,
}

on_demand! {
    qsort,
    qsort_r,
    bsearch,
    lfind,
    lsearch,
}

/// The library's own.
mod real {
    use super::{c_void, Compare};

    unsafe extern "C" {
        pub fn qsort(base: *mut c_void, count: usize, size: usize, compare: Compare);
        pub fn qsort_r(base: *mut c_void, count: usize, size: usize, compare: Compare, argument: *mut c_void);
        pub fn bsearch(
            key: *const c_void,
            base: *const c_void,
            count: usize,
            size: usize,
            compare: Compare,
        ) -> *mut c_void;
        pub fn lfind(
            key: *const c_void,
            base: *const c_void,
            count: *mut usize,
            size: usize,
            compare: Compare,
        ) -> *mut c_void;
        pub fn lsearch(
            key: *const c_void,
            base: *mut c_void,
            count: *mut usize,
            size: usize,
            compare: Compare,
        ) -> *mut c_void;
    }
}

/// Elements larger than this are sorted by pointers to them.
const DIRECT_MAX: usize = 32;
/// The library sorts what does not fit into memory twice in another way.
const SCRATCH_MAX: usize = 1 << 30;

/// The comparison that a call was given.
pub struct Order {
    call: Call,
    pub compare: Compare,
    argument: u64,
    /// Nobody said what its results depend on.
    is_native: bool,
}

impl Order {
    pub fn new(call: Call, compare: Compare, argument: u64) -> Order {
        Order { call, compare, argument, is_native: false }
    }

    /// How two elements compare.
    ///
    /// # Safety
    /// They must be what the comparison is for.
    pub unsafe fn compare(&mut self, a: u64, b: u64) -> Term {
        // SAFETY: the program gave this comparison for these elements.
        let (result, is_native) = unsafe { call_back(self.compare, a, b, self.argument) };
        self.is_native |= is_native;
        result
    }

    /// The library decides by a condition on the result.
    pub fn decides(&self, result: Term, condition: impl Fn(Term) -> Term) -> bool {
        match self.call.follow() {
            Some(model) => model.branch(condition(result)),
            None => condition(Term::constant(result.value, result.width)).holds(),
        }
    }

    /// True if `a` is not greater than `b`.
    unsafe fn in_order(&mut self, a: u64, b: u64) -> bool {
        // SAFETY: as above.
        let result = unsafe { self.compare(a, b) };
        !self.decides(result, |result| Term::constant(0, 32).less(result))
    }

    /// True if the two are equal.
    unsafe fn is_equal(&mut self, a: u64, b: u64) -> bool {
        // SAFETY: as above.
        let result = unsafe { self.compare(a, b) };
        self.decides(result, |result| result.is(0))
    }

    /// Counts a native comparison of elements that are symbolic.
    pub fn finish(&self, elements: u64, len: usize) {
        if !self.is_native {
            return;
        }
        let Some(_guard) = Guard::enter() else { return };
        let bytes = native_bytes(elements, len as u64, false, self.call.site);
        if bytes > 0 {
            log::unmodelled(UnmodelledReason::Given, 0, bytes, self.call.site);
        }
    }
}

/// Moves bytes with their labels; the ranges do not overlap.
unsafe fn transfer(to: u64, from: u64, n: usize) {
    if let Some(_guard) = Guard::enter() {
        shadow::copy(to, from, n as u64);
    }
    // SAFETY: the caller vouches for both.
    unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, n) };
}

/// Memory for the time of a call.
struct Scratch {
    at: u64,
    len: usize,
}

impl Scratch {
    fn new(len: usize) -> Option<Scratch> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping.
        let at = crate::input::quietly(|| unsafe {
            libc::mmap(core::ptr::null_mut(), len.max(1), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        });
        (at != libc::MAP_FAILED).then_some(Scratch { at: at as u64, len: len.max(1) })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(_guard) = Guard::enter() {
            shadow::clear(self.at, self.len as u64);
        }
        // SAFETY: our own mapping.
        unsafe { libc::munmap(self.at as *mut c_void, self.len) };
    }
}

/// A sort under way, of elements or of pointers to them.
struct Sort {
    order: Order,
    /// Size of what is moved while sorting.
    size: usize,
    by_pointers: bool,
    scratch: u64,
}

impl Sort {
    /// Where the element is that `at` stands for.
    unsafe fn element(&self, at: u64) -> u64 {
        if self.by_pointers {
            // SAFETY: one of the pointers.
            unsafe { (at as *const u64).read() }
        } else {
            at
        }
    }

    /// Sorts `count` things from `first` on.
    unsafe fn merge(&mut self, first: u64, count: usize) {
        if count <= 1 {
            return;
        }
        let size = self.size as u64;
        let (mut n_left, mut n_right) = (count / 2, count - count / 2);
        let (mut left, mut right) = (first, first + n_left as u64 * size);
        let mut to = self.scratch;
        // SAFETY: all inside the array and the scratch memory.
        unsafe {
            self.merge(left, n_left);
            self.merge(right, n_right);
            while n_left > 0 && n_right > 0 {
                if self.order.in_order(self.element(left), self.element(right)) {
                    transfer(to, left, self.size);
                    left += size;
                    n_left -= 1;
                } else {
                    transfer(to, right, self.size);
                    right += size;
                    n_right -= 1;
                }
                to += size;
            }
            transfer(to, left, n_left * self.size);
            transfer(first, self.scratch, (count - n_right) * self.size);
        }
    }
}

/// Element `i` is to be what `pointers[i]` points to; `spare` has room for one.
unsafe fn arrange(base: u64, size: usize, pointers: &mut [u64], spare: u64) {
    for start in 0..pointers.len() {
        let home = base + (start * size) as u64;
        if pointers[start] == home {
            continue;
        }
        // SAFETY: all inside the array.
        unsafe {
            transfer(spare, home, size);
            let (mut at, mut place) = (start, home);
            while pointers[at] != home {
                let from = pointers[at];
                transfer(place, from, size);
                pointers[at] = place;
                at = ((from - base) as usize) / size;
                place = from;
            }
            pointers[at] = place;
            transfer(place, spare, size);
        }
    }
}

/// Sorts as the library does. False if that is not possible, and nothing has been done.
unsafe fn sort(order: Order, base: u64, count: usize, size: usize) -> bool {
    let by_pointers = size > DIRECT_MAX;
    let len =
        if by_pointers { count.checked_mul(16).and_then(|len| len.checked_add(size)) } else { count.checked_mul(size) };
    let Some(scratch) = len.filter(|&len| len <= SCRATCH_MAX).and_then(Scratch::new) else { return false };
    // SAFETY: inside the array and the scratch memory: room for merging, then the pointers, then one element.
    unsafe {
        if !by_pointers {
            let mut sort = Sort { order, size, by_pointers, scratch: scratch.at };
            sort.merge(base, count);
            sort.order.finish(base, count * size);
            return true;
        }
        let first = scratch.at + 8 * count as u64;
        for index in 0..count {
            (first as *mut u64).add(index).write(base + (index * size) as u64);
        }
        let mut sort = Sort { order, size: 8, by_pointers, scratch: scratch.at };
        sort.merge(first, count);
        let pointers = core::slice::from_raw_parts_mut(first as *mut u64, count);
        arrange(base, size, pointers, first + 8 * count as u64);
        sort.order.finish(base, count * size);
    }
    true
}

/// A sort that the library did: where labelled elements went is not known.
fn sorted_natively(call: Call, base: u64, len: usize) {
    let Some(_guard) = Guard::enter() else { return };
    let bytes = native_bytes(base, len as u64, false, call.site);
    if bytes > 0 {
        log::unmodelled(UnmodelledReason::Given, 0, bytes, call.site);
        shadow::clear(base, len as u64);
    }
}

/// The arguments that decide where elements are have to stay as they are.
fn pin_array(call: Call, first: usize, base: u64, count: u64, size: u64) {
    if let Some(_guard) = Guard::enter() {
        call.pin_address(first, base);
        call.pin_size(first + 1, count);
        call.pin_size(first + 2, size);
    }
}

pub unsafe extern "C" fn qsort(base: *mut c_void, count: usize, size: usize, compare: Compare) {
    let call = Call::take(qsort as *const u8);
    // SAFETY: forwards.
    unsafe {
        if !active() {
            return real::qsort(base, count, size, compare);
        }
        pin_array(call, 0, base as u64, count as u64, size as u64);
        if !sort(Order::new(call, compare, 0), base as u64, count, size) {
            real::qsort(base, count, size, compare);
            sorted_natively(call, base as u64, count.saturating_mul(size));
        }
    }
}

pub unsafe extern "C" fn qsort_r(
    base: *mut c_void,
    count: usize,
    size: usize,
    compare: Compare,
    argument: *mut c_void,
) {
    let call = Call::take(qsort_r as *const u8);
    // SAFETY: forwards.
    unsafe {
        if !active() {
            return real::qsort_r(base, count, size, compare, argument);
        }
        pin_array(call, 0, base as u64, count as u64, size as u64);
        if let Some(_guard) = Guard::enter() {
            call.pin_address(4, argument as u64);
        }
        if !sort(Order::new(call, compare, argument as u64), base as u64, count, size) {
            real::qsort_r(base, count, size, compare, argument);
            sorted_natively(call, base as u64, count.saturating_mul(size));
        }
    }
}

/// By halves, as the library does.
unsafe fn search_halves(order: &mut Order, key: u64, base: u64, count: usize, size: usize) -> u64 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        let element = base + (middle * size) as u64;
        // SAFETY: an element of the array.
        let result = unsafe { order.compare(key, element) };
        if order.decides(result, |result| result.less(Term::constant(0, 32))) {
            high = middle;
        } else if order.decides(result, |result| Term::constant(0, 32).less(result)) {
            low = middle + 1;
        } else {
            return element;
        }
    }
    0
}

pub unsafe extern "C" fn bsearch(
    key: *const c_void,
    base: *const c_void,
    count: usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let call = Call::take(bsearch as *const u8);
    // SAFETY: forwards.
    unsafe {
        if !active() {
            return real::bsearch(key, base, count, size, compare);
        }
        pin_key(call, key as u64);
        pin_array(call, 1, base as u64, count as u64, size as u64);
        let mut order = Order::new(call, compare, 0);
        let found = search_halves(&mut order, key as u64, base as u64, count, size);
        order.finish(base as u64, count.saturating_mul(size));
        found as *mut c_void
    }
}

fn pin_key(call: Call, key: u64) {
    if let Some(_guard) = Guard::enter() {
        call.pin_address(0, key);
    }
}

/// One after the other. The number of elements is in memory, and is pinned.
unsafe fn search_each(order: &mut Order, key: u64, base: u64, count: *mut usize, size: usize) -> u64 {
    pin_key(order.call, key);
    // SAFETY: the program gave them.
    unsafe {
        if let Some(model) = order.call.follow() {
            model.pin(model.load(count as u64, 8), PinReason::Size);
        }
        pin_array(order.call, 1, base, count as u64, size as u64);
        let end = base + (*count * size) as u64;
        let mut at = base;
        while at < end {
            if order.is_equal(key, at) {
                break;
            }
            at += size as u64;
        }
        order.finish(base, *count * size);
        if at < end {
            at
        } else {
            0
        }
    }
}

pub unsafe extern "C" fn lfind(
    key: *const c_void,
    base: *const c_void,
    count: *mut usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let call = Call::take(lfind as *const u8);
    // SAFETY: forwards.
    unsafe {
        if !active() {
            return real::lfind(key, base, count, size, compare);
        }
        search_each(&mut Order::new(call, compare, 0), key as u64, base as u64, count, size) as *mut c_void
    }
}

pub unsafe extern "C" fn lsearch(
    key: *const c_void,
    base: *mut c_void,
    count: *mut usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let call = Call::take(lsearch as *const u8);
    // SAFETY: forwards; there is room for one more element.
    unsafe {
        if !active() {
            return real::lsearch(key, base, count, size, compare);
        }
        let found = search_each(&mut Order::new(call, compare, 0), key as u64, base as u64, count, size);
        if found != 0 {
            return found as *mut c_void;
        }
        let end = base as u64 + (*count * size) as u64;
        transfer(end, key as u64, size);
        *count += 1;
        if let Some(_guard) = Guard::enter() {
            shadow::clear(count as u64, 8);
        }
        end as *mut c_void
    }
}
