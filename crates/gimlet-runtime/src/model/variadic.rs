//! Models of variadic functions.
//!
//! [`gimlet_libc::variadic_functions`] makes them. [`start`] gives the arguments their labels in shadow memory; so models
//! of `snprintf` and of `vsnprintf` find them in the same way, through [`Arguments`].

use gimlet_libc::variadic::SAVE_AREA_LEN;
use gimlet_libc::{Started, VaList};
use gimlet_trace::abi::tls;
use gimlet_trace::event::PinReason;

use crate::calls::place_variadic;
use crate::shadow;
use crate::state::Guard;
use crate::term::Term;
use crate::tls::{slot, token};

use super::{Call, Model};

/// Exports functions as models of variadic functions.
macro_rules! variadic {
    ($($entries:tt)*) => {
        gimlet_libc::variadic_functions!("gimlet_fn_" $($entries)*);
    };
}

pub(crate) use variadic;

/// Takes a call of a variadic model, and labels its variadic arguments.
///
/// # Safety
/// `started` must be fresh from [`variadic!`].
pub unsafe fn start(started: *mut Started) -> Call {
    // SAFETY: the caller vouches for it; the slots are inside this thread's block.
    unsafe {
        let callee = (*started).callee;
        let labelled = token() == callee as u64;
        let call = Call::take(callee);
        if let Some(_guard) = Guard::enter() {
            let labels = if labelled { slot::<u8>(tls::VA) } else { core::ptr::null_mut() };
            place_variadic(&(*started).list, labels);
        }
        call
    }
}

/// The variadic arguments, from first to last.
#[derive(Clone, Copy)]
pub struct Arguments {
    list: VaList,
}

impl Arguments {
    /// Those that `list` has left; the list itself stays as it is.
    ///
    /// # Safety
    /// `list` must be started.
    pub unsafe fn of(list: *const VaList) -> Arguments {
        // SAFETY: the caller vouches for it.
        Arguments { list: unsafe { list.read() } }
    }

    /// A list for a function that takes one.
    pub fn list(&self) -> VaList {
        self.list
    }

    /// The next integer or pointer, of `width` bits.
    ///
    /// # Safety
    /// There must be one.
    pub unsafe fn next(&mut self, model: &Model, width: u32) -> Term {
        // SAFETY: an argument is there.
        unsafe { model.load(self.list.integer(), width / 8) }
    }

    /// Skips a double; true if it may be symbolic.
    pub fn skip_double(&mut self, model: &Model) -> bool {
        model.may_be_symbolic(self.list.double(), 8)
    }

    /// Skips a long double, which never has a label.
    pub fn skip_long_double(&mut self) {
        self.list.long_double();
    }
}

/// The first variadic argument, an integer or a pointer, which is pinned if it is symbolic.
///
/// # Safety
/// There must be one, and `started` must be the one that [`start`] got for this call.
pub unsafe fn pinned_argument(call: Call, started: *const Started) -> u64 {
    // SAFETY: the caller vouches for it; one of the first arguments is in a register.
    unsafe {
        let mut list = (*started).list;
        let at = list.integer();
        if let Some(model) = call.follow() {
            model.pin(model.load(at, 8), PinReason::Argument);
        }
        (at as *const u64).read()
    }
}

/// The frame of a variadic model is about to go: nobody else is to find its labels.
///
/// # Safety
/// `started` must be the one that [`start`] got.
pub unsafe fn finish(started: *const Started) {
    if let Some(_guard) = Guard::enter() {
        // SAFETY: the caller vouches for it.
        shadow::clear(unsafe { (*started).list.save_area }, SAVE_AREA_LEN.into());
    }
}
