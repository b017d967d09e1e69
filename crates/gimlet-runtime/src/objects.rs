//! Which object an address belongs to: globals, heap blocks, and variables of frames.
//!
//! Globals and heap blocks are kept in a treap ordered by address, in memory of
//! the runtime's own. Globals come from the tables of the pass before the fork
//! server serves, so each run inherits them. Variables of frames that have an
//! address are in a list that instrumented functions keep on their stacks, see
//! [`gimlet_trace::abi::tls::FRAMES`].

use gimlet_trace::abi::{tls, GLOBAL_CONSTANT, RECORD_COUNT_MAX, RECORD_PLACE_SHIFT};

use crate::tls::slot;

/// A stretch of memory that belongs together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Object {
    pub base: u64,
    pub size: u64,
    /// Nothing ever writes to it.
    pub constant: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    base: u64,
    /// With [`GLOBAL_CONSTANT`].
    size: u64,
    left: u32,
    right: u32,
    priority: u32,
    _pad: u32,
}

const ENTRIES_MAX: usize = 1 << 24;

struct Treap {
    entries: *mut Entry,
    /// Entries handed out so far; number 0 is nobody.
    used: u32,
    free: u32,
    root: u32,
    random: u32,
}

static mut TREAP: Treap = Treap { entries: core::ptr::null_mut(), used: 1, free: 0, root: 0, random: 0x9e37_79b9 };

fn treap() -> &'static mut Treap {
    // SAFETY: only one thread is in the runtime.
    unsafe { &mut *core::ptr::addr_of_mut!(TREAP) }
}

/// Reserves room for the map.
pub fn map() -> bool {
    let len = ENTRIES_MAX * core::mem::size_of::<Entry>();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping.
    let at = unsafe { libc::mmap(core::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    treap().entries = at.cast();
    at != libc::MAP_FAILED
}

impl Treap {
    fn at(&mut self, index: u32) -> &mut Entry {
        // SAFETY: indices are below `used`, which is below `ENTRIES_MAX`.
        unsafe { &mut *self.entries.add(index as usize) }
    }

    fn fresh(&mut self, base: u64, size: u64) -> u32 {
        let index = if self.free != 0 {
            let index = self.free;
            self.free = self.at(index).left;
            index
        } else if (self.used as usize) < ENTRIES_MAX {
            self.used += 1;
            self.used - 1
        } else {
            return 0;
        };
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        let priority = self.random;
        *self.at(index) = Entry { base, size, left: 0, right: 0, priority, _pad: 0 };
        index
    }

    /// Splits the tree at `root` into what begins below `base` and the rest.
    fn split(&mut self, root: u32, base: u64) -> (u32, u32) {
        let (mut left, mut right) = (0u32, 0u32);
        // Places where the next subtree hangs: (parent, true for its right side), 0 for the results themselves.
        let (mut left_hook, mut right_hook) = (0u32, 0u32);
        let mut at = root;
        while at != 0 {
            let entry = *self.at(at);
            if entry.base < base {
                if left_hook == 0 {
                    left = at;
                } else {
                    self.at(left_hook).right = at;
                }
                left_hook = at;
                at = entry.right;
            } else {
                if right_hook == 0 {
                    right = at;
                } else {
                    self.at(right_hook).left = at;
                }
                right_hook = at;
                at = entry.left;
            }
        }
        if left_hook != 0 {
            self.at(left_hook).right = 0;
        }
        if right_hook != 0 {
            self.at(right_hook).left = 0;
        }
        (left, right)
    }

    /// Joins two trees, all of `left` before all of `right`.
    fn join(&mut self, mut left: u32, mut right: u32) -> u32 {
        let mut root = 0;
        let mut hook = 0;
        let mut hook_is_right = false;
        loop {
            let next = if left == 0 {
                right
            } else if right == 0 || self.at(left).priority > self.at(right).priority {
                left
            } else {
                right
            };
            if hook == 0 {
                root = next;
            } else if hook_is_right {
                self.at(hook).right = next;
            } else {
                self.at(hook).left = next;
            }
            if next == 0 || left == 0 || right == 0 {
                return root;
            }
            hook = next;
            hook_is_right = next == left;
            if hook_is_right {
                left = self.at(left).right;
            } else {
                right = self.at(right).left;
            }
        }
    }

    /// The last entry that begins at or below `address`.
    fn below(&mut self, address: u64) -> Option<Entry> {
        let mut best = 0;
        let mut at = self.root;
        while at != 0 {
            let entry = *self.at(at);
            if entry.base <= address {
                best = at;
                at = entry.right;
            } else {
                at = entry.left;
            }
        }
        (best != 0).then(|| *self.at(best))
    }

    fn remove(&mut self, base: u64) -> Option<u64> {
        let (left, rest) = self.split(self.root, base);
        let (middle, right) = self.split(rest, base + 1);
        self.root = self.join(left, right);
        if middle == 0 {
            return None;
        }
        let size = self.at(middle).size;
        self.at(middle).left = self.free;
        self.free = middle;
        Some(size & !GLOBAL_CONSTANT)
    }

    fn insert(&mut self, base: u64, size: u64) {
        self.remove(base);
        let new = self.fresh(base, size);
        if new == 0 {
            return;
        }
        let (left, right) = self.split(self.root, base);
        let left = self.join(left, new);
        self.root = self.join(left, right);
    }
}

/// An object that begins at `base`.
pub fn insert(base: u64, size: u64, constant: bool) {
    if size != 0 {
        treap().insert(base, size | if constant { GLOBAL_CONSTANT } else { 0 });
    }
}

/// Forgets the object that begins at `base`; its size, if it was known.
pub fn remove(base: u64) -> Option<u64> {
    treap().remove(base)
}

/// The last object outside frames that begins below `end`.
pub fn last_below(end: u64) -> Option<Object> {
    let entry = treap().below(end.checked_sub(1)?)?;
    let constant = entry.size & GLOBAL_CONSTANT != 0;
    Some(Object { base: entry.base, size: entry.size & !GLOBAL_CONSTANT, constant })
}

/// True if the object that begins at `base` is known to be constant.
pub fn is_constant(base: u64) -> bool {
    treap().below(base).is_some_and(|entry| entry.base == base && entry.size & GLOBAL_CONSTANT != 0)
}

/// The record that a function keeps of its variables while it runs: the next
/// older record, where it is itself ([`RECORD_PLACE_SHIFT`]) with the number of
/// variables, then address and size of each.
#[repr(C)]
struct Frame {
    older: *const Frame,
    place: u64,
}

impl Frame {
    /// The number of variables; none if this is a record no longer, and something else has been put there.
    fn count(&self) -> Option<usize> {
        let count = self.place ^ ((self as *const Frame as u64) << RECORD_PLACE_SHIFT);
        (count < RECORD_COUNT_MAX).then_some(count as usize)
    }
}

/// Frames that are left by an exception or by longjmp are out of the list once instrumented code has caught it. If that was
/// native code they are not. What is no record any more ends the list, and it may lead back to itself: whoever goes round
/// in it comes to where he waits for himself (Brent's algorithm), and gives up.
fn find_in_frames(address: u64) -> Option<Object> {
    // SAFETY: instrumented functions link their records in and out of this thread's list.
    unsafe {
        let mut frame = slot::<*const Frame>(tls::FRAMES).read();
        let (mut waiting, mut n_steps, mut n_steps_max) = (core::ptr::null(), 0u64, 64u64);
        while !frame.is_null() && frame != waiting {
            if n_steps == n_steps_max {
                (waiting, n_steps, n_steps_max) = (frame, 0, 2 * n_steps_max);
            }
            n_steps += 1;
            let variables = frame.add(1).cast::<[u64; 2]>();
            for index in 0..(*frame).count()? {
                let [base, size] = variables.add(index).read();
                if address.wrapping_sub(base) < size {
                    return Some(Object { base, size, constant: false });
                }
            }
            frame = (*frame).older;
        }
    }
    None
}

/// The object that holds `address`.
pub fn find(address: u64) -> Option<Object> {
    if let Some(entry) = treap().below(address) {
        let size = entry.size & !GLOBAL_CONSTANT;
        if address - entry.base < size {
            return Some(Object { base: entry.base, size, constant: entry.size & GLOBAL_CONSTANT != 0 });
        }
    }
    find_in_frames(address)
}
