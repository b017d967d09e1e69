//! Whether what a library function is given suffices: asked, not only seen.
//!
//! Where a size, an address or the length of a string depends on the input, the run says under
//! which condition the memory is inside its object, as if the program had asserted it; whether
//! an input breaks it is the driver's to find out. Only if that wants to know: every such
//! condition is a question more. Accesses of the program itself are in [`crate::lookup`].

use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::shm::option;

use crate::implied;
use crate::log::{self, blank};
use crate::memory::{content, label_of};
use crate::objects;
use crate::ops;
use crate::shadow;
use crate::state::header;
use crate::table::Operand;
use crate::term::Term;
use crate::tokens;

/// Bytes of a string that are one condition, at most.
const TEXT_MAX: u64 = 256;

fn are_wanted() -> bool {
    header().options & option::CHECKS != 0
}

fn check(fits: Term, site: u32) {
    if fits.is_symbolic() && !tokens::hides_decision() {
        log::event(EventRecord { a: fits.label.0, flags: fits.holds().into(), ..blank(EventKind::Assert, site) });
        implied::fix(fits.label);
    }
}

fn term(operand: Operand, site: u32) -> Term {
    Term { label: ops::fit(operand.label, 64, site), value: operand.value as u64, width: 64 }
}

/// `n` bytes at an address are going to be accessed.
pub fn range(address: Operand, n: Operand, site: u32) {
    if !are_wanted() || !address.is_symbolic() && !n.is_symbolic() {
        return;
    }
    let Some(object) = objects::find(address.value as u64) else { return };
    let (address, n) = (term(address, site), term(n, site));
    let size = Term::constant(object.size, 64);
    let offset = address - Term::constant(object.base, 64);
    let is_in = !size.below(offset);
    check(is_in & !(size - offset).below(n), site);
}

/// A string is going to be read as far as its end; if it is copied, to where there is so much room.
///
/// # Safety
/// It must be a string.
pub unsafe fn text(from: u64, room: Option<u64>, site: u32) {
    if !are_wanted() {
        return;
    }
    let Some(object) = objects::find(from) else { return };
    let limit = (object.base + object.size - from).min(room.unwrap_or(u64::MAX));
    if limit > TEXT_MAX || !shadow::may_be_labelled(from, limit) {
        return;
    }
    let mut ends = Term::FALSE;
    for at in from..from + limit {
        // SAFETY: inside the object.
        let value = unsafe { content(at, 1) };
        let byte = Term { label: label_of(at, 1, value, site), value: value as u64, width: 8 };
        let is_end = byte.is(0);
        if !is_end.is_symbolic() && is_end.holds() {
            // No input makes it longer.
            return;
        }
        ends = ends | is_end;
    }
    check(ends, site);
}

/// The bytes from an address to the end of its object.
pub fn room(address: u64) -> Option<u64> {
    objects::find(address).map(|object| object.base + object.size - address)
}
