//! Shared memory for unit tests, as a driver would have made it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gimlet_trace::event::EventRecord;
use gimlet_trace::shm::{Extent, Header, Region, REGIONS};
use gimlet_trace::Label;

use crate::state::{self, header, region};
use crate::{implied, objects, shadow, table};

const REGION_LEN: u64 = 4 << 20;

static ALONE: Mutex<bool> = Mutex::new(false);

/// A run has begun; it lasts as long as the value.
pub struct Begun {
    _alone: MutexGuard<'static, bool>,
}

impl Drop for Begun {
    fn drop(&mut self) {
        state::set_active(false);
    }
}

/// Begins a run of 64 bytes of input.
pub fn begin() -> Begun {
    let mut is_attached = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_attached {
        attach();
        *is_attached = true;
    }
    let header = header();
    (header.n_nodes, header.n_events, header.n_tallies, header.stops) = (1, 0, 0, 0);
    header.input_len = 64;
    // SAFETY: the region has more bytes than that.
    unsafe { (0..64).for_each(|byte| region::<u8>(Region::Input).add(byte).write(byte as u8 + 1)) };
    table::reset();
    state::set_active(true);
    Begun { _alone: is_attached }
}

fn attach() {
    let len = 4096 + REGIONS as u64 * REGION_LEN;
    let memory = std::vec![0u64; len as usize / 8].leak();
    // The unit is a page, as for a driver.
    let base = memory.as_mut_ptr().cast::<u8>();
    let extent = |number: u64| Extent { offset: 4096 + number * REGION_LEN, len: REGION_LEN };
    // SAFETY: the memory is zero, stays, and holds a header, of which every field may be zero.
    unsafe {
        (*base.cast::<Header>()).regions = std::array::from_fn(|number| extent(number as u64));
        state::attach(base);
    }
    // The program's start has reserved the shadow.
    assert!(objects::map() && implied::map());
    shadow::clear(base as u64, 8);
}

/// The label of a byte of the input.
pub fn input(byte: u32) -> Label {
    Label::input(byte)
}

/// What was logged.
pub fn events() -> Vec<EventRecord> {
    let n_events = header().n_events as usize;
    // SAFETY: so many were written.
    (0..n_events).map(|index| unsafe { region::<EventRecord>(Region::Events).add(index).read() }).collect()
}
