//! Formats of printf and of scanf, whose characters may be input.

use gimlet_libc::{Format, Text};
use gimlet_trace::event::PinReason;

use super::Model;

/// The memory that a call of a model can read. A character that is symbolic is pinned.
pub struct Pinned<'m>(&'m Model);

impl Text for Pinned<'_> {
    fn character(&self, at: u64) -> u8 {
        // SAFETY: a string, and nobody goes on behind its end.
        let c = unsafe { self.0.byte(at) };
        self.0.pin(c, PinReason::Argument);
        c.value as u8
    }
}

/// The format at an address.
///
/// # Safety
/// A string must be there.
pub unsafe fn pinned_format(model: &Model, at: u64) -> Format<Pinned<'_>> {
    Format::new(Pinned(model), at)
}
