//! Whether what a library function is given suffices: asked, not only seen.
//!
//! Where a size, an address or the length of a string depends on the input, the run says under
//! which condition the memory is inside its object, as if the program had asserted it; whether
//! an input breaks it is the driver's to find out. Only if that wants to know: every such
//! condition is a question more. Accesses of the program itself are in [`crate::lookup`].

use gimlet_trace::event::{EventKind, EventRecord, PinReason};
use gimlet_trace::shm::option;
use gimlet_trace::Label;

use crate::implied;
use crate::lengths;
use crate::log::{self, blank};
use crate::memory::{content, label_of};
use crate::model::width::{Characters, Width};
use crate::objects::{self, Object};
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
    let size = lengths::size_of(object.base, object.size);
    let offset = address - Term::constant(object.base, 64);
    let is_in = !size.below(offset);
    check(is_in & !(size - offset).below(n), site);
}

/// An access of `n` bytes inside an object, at an address that depends on a length.
pub fn access(address: Label, at: u64, n: u32, write: bool, object: Option<Object>, site: u32) {
    let Some(object) = object else { return };
    if lengths::is_mixed(address) {
        // Other bytes would make it another place.
        log::pin(address.0, at.into(), site, if write { PinReason::StoreAddress } else { PinReason::Address });
    }
    let size = lengths::size_of(object.base, object.size);
    if !size.is_symbolic() {
        return log::access(address, n, write, object.base, object.size, site);
    }
    range(Operand { label: address, value: at.into() }, Operand::constant(n.into()), site);
}

/// A string is going to be read as far as its end; if it is copied, to where there is so much room, behind so many bytes
/// of it.
///
/// # Safety
/// It must be a string.
pub unsafe fn text(text: Characters, room: Option<Term>, before: Term, site: u32) {
    if !are_wanted() {
        return;
    }
    let from = text.at;
    let Some(object) = objects::find(from) else { return };
    let own = object.base + object.size - from;
    if lengths::are_there() && text.width == Width::Byte {
        if let Some(room) = room {
            // SAFETY: a string.
            unsafe { text_of_any_length(from, own, room, before, site) };
        }
        return;
    }
    let limit = own.min(room.map_or(u64::MAX, |room| room.value.saturating_sub(before.value)));
    if limit > TEXT_MAX || !shadow::may_be_labelled(from, limit) {
        return;
    }
    let mut ends = Term::FALSE;
    for place in 0..limit / text.width.bytes() {
        // SAFETY: inside the object.
        let is_end = unsafe { is_end(text.behind(place), site) };
        if !is_end.is_symbolic() && is_end.holds() {
            // No input makes it longer.
            return;
        }
        ends = ends | is_end;
    }
    check(ends, site);
}

/// Whether a string ends at an address.
unsafe fn is_end(text: Characters, site: u32) -> Term {
    let (at, n) = (text.at, text.width.bytes() as u32);
    // SAFETY: the caller vouches for the character.
    let value = unsafe { content(at, n) };
    let character = Term { label: label_of(at, n, value, site), value: value as u64, width: text.width.bits() };
    character.is(0).settled()
}

/// The same where stretches are in it, in what is before it, or in what the room depends on.
unsafe fn text_of_any_length(from: u64, own: u64, room: Term, before: Term, site: u32) {
    let (mut fits, mut lengths, mut len) = (Term::FALSE, before, 0);
    let (mut at, mut n_places) = (from, 0);
    while at < from + own && n_places < TEXT_MAX {
        if let Some(run) = lengths::run_at(at) {
            lengths = lengths + run.term();
            at += run.len;
            continue;
        }
        // SAFETY: inside the object.
        let is_end = unsafe { is_end(Characters::bytes(at), site) };
        if is_end.is_symbolic() || is_end.holds() {
            fits = fits | (is_end & (lengths + Term::constant(len, 64)).below(room));
        }
        if is_end.holds() && !is_end.is_symbolic() {
            return check(fits, site);
        }
        (at, len, n_places) = (at + 1, len + 1, n_places + 1);
    }
}

/// The bytes from an address to the end of its object.
pub fn room(address: Term) -> Option<Term> {
    let object = objects::find(address.value)?;
    Some(lengths::size_of(object.base, object.size) - (address - Term::constant(object.base, 64)))
}

/// So many characters, of which some are in stretches, and a terminator are going to be put where there is so much room.
pub fn fits(len: Term, room: Option<Term>, site: u32) {
    if let Some(room) = room.filter(|_| are_wanted() && lengths::are_there()) {
        check(len.below(room), site);
    }
}
