//! Globals, as modules announce them.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::objects::{self, About, Kind, Locked};
use crate::{fresh, shadow};

/// What a module tells of itself.
#[repr(C)]
struct Module {
    version: u32,
    n_globals: u32,
    globals: *const Global,
    filling: *mut u32,
}

#[repr(C)]
struct Global {
    address: u64,
    size: u64,
    id: *mut u32,
    about: *const About,
}

/// Modules that can be announced.
const N_MODULES: usize = 1 << 14;

/// The range of a module's globals, and their ids in the order of their addresses.
#[derive(Clone, Copy)]
struct Range {
    first: u64,
    last: u64,
    ids: *mut u32,
    n: usize,
}

struct Ranges {
    all: *mut Range,
    n: usize,
}

static mut RANGES: Ranges = Ranges { all: core::ptr::null_mut(), n: 0 };
/// All globals lie between these.
static LOWEST: AtomicU64 = AtomicU64::new(u64::MAX);
static HIGHEST: AtomicU64 = AtomicU64::new(0);

pub extern "C" fn gimlet_mem_register(module: *mut u8) {
    shadow::ensure();
    let locked = Locked::new();
    // SAFETY: the pass made the module's tables; the lock is held.
    unsafe {
        let module = &*module.cast::<Module>();
        if module.version != gimlet_trace::FORMAT_VERSION {
            return;
        }
        *module.filling = fresh::is_filling().into();
        let globals = core::slice::from_raw_parts(module.globals, module.n_globals as usize);
        if globals.is_empty() {
            return;
        }
        if RANGES.all.is_null() {
            RANGES.all = shadow::memory(N_MODULES * core::mem::size_of::<Range>()).cast();
        }
        let ids = shadow::memory(4 * globals.len()).cast::<u32>();
        if RANGES.all.is_null() || ids.is_null() || RANGES.n == N_MODULES {
            return;
        }
        let mut n = 0;
        for global in globals {
            // Several modules may have a definition of it, one of which is used; the largest one counts.
            if *global.id != 0 {
                let record = objects::record(*global.id);
                (*record).size = (*record).size.max(global.size);
                continue;
            }
            let Some(index) = objects::fresh(&locked) else { break };
            let id = objects::fill(index, Kind::Global, global.address, global.size, global.about, 0);
            *global.id = id;
            ids.add(n).write(id);
            n += 1;
        }
        let ids = core::slice::from_raw_parts_mut(ids, n);
        ids.sort_unstable_by_key(|&id| (*objects::record(id)).base);
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else { return };
        let (first, last) = (&*objects::record(first), &*objects::record(last));
        let range = Range { first: first.base, last: last.base + last.size, ids: ids.as_mut_ptr(), n };
        RANGES.all.add(RANGES.n).write(range);
        RANGES.n += 1;
        LOWEST.fetch_min(range.first, Ordering::Relaxed);
        HIGHEST.fetch_max(range.last, Ordering::Relaxed);
    }
}

/// The id of the global at an address, 0 if there is none, or one ends there.
pub fn find(address: u64) -> u32 {
    if address < LOWEST.load(Ordering::Relaxed) || address > HIGHEST.load(Ordering::Relaxed) {
        return 0;
    }
    let (mut inside, mut at_end) = (0, 0);
    // SAFETY: ranges are only ever added, and ids are those of records.
    unsafe {
        for range in core::slice::from_raw_parts(RANGES.all, RANGES.n) {
            if address < range.first || address > range.last {
                continue;
            }
            let ids = core::slice::from_raw_parts(range.ids, range.n);
            let behind = ids.partition_point(|&id| (*objects::record(id)).base <= address);
            for &id in &ids[behind.saturating_sub(2)..behind] {
                let record = &*objects::record(id);
                match address - record.base {
                    offset if offset < record.size => inside = id,
                    offset if offset == record.size => at_end = id,
                    _ => {}
                }
            }
        }
    }
    if at_end == 0 {
        inside
    } else {
        0
    }
}
