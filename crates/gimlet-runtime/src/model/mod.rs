//! Models of library functions: each calls the real one and says what its result and its effects depend on.
//!
//! The pass turns calls of `f` into calls of `gimlet_fn_f` for every `f` of
//! [`gimlet_trace::abi::MODELS`]. A model is called like an instrumented
//! function: labels of its arguments come in thread-local slots, that of its
//! result goes back the same way.

pub mod heap;
pub mod process;
pub mod read;
pub mod stdio;
pub mod string;
pub mod thread;

use gimlet_trace::abi::tls;
use gimlet_trace::event::{PinReason, NO_SITE};
use gimlet_trace::Label;

use crate::log;
use crate::table;
use crate::tls::{argument, set_result, set_token, slot, token};

/// A call of a model: the labels that came with it.
#[derive(Clone, Copy)]
pub struct Call {
    labels: [u32; 6],
    /// An instrumented caller waits for the label of the result.
    answers: bool,
    pub site: u32,
}

impl Call {
    /// Takes what the caller left for `callee`, the model's own address.
    pub fn take(callee: *const u8) -> Call {
        let token = token();
        let mut call = Call { labels: [0; 6], answers: false, site: NO_SITE };
        let own = callee as u64;
        if token == own || token == own + 1 {
            call.answers = true;
            // SAFETY: the slot is inside this thread's block.
            call.site = unsafe { slot::<u32>(tls::SITE).read() };
            set_token(0);
        }
        if token == own {
            for (index, label) in call.labels.iter_mut().enumerate() {
                *label = argument(index);
            }
        }
        call
    }

    /// Label of argument `index`.
    pub fn label(&self, index: usize) -> u32 {
        self.labels[index]
    }

    /// Labels the result. Native code that called a model directly, as a callback, decides by its value alone.
    pub fn result(&self, label: Label) {
        if self.answers {
            set_result(label.0);
        } else if label.is_symbolic() {
            log::pin(label.0, table::value(label), self.site, PinReason::NativeResult);
        }
    }

    /// Argument `index` is an address: it is pinned if it is symbolic.
    pub fn pin_address(&self, index: usize, value: u64) {
        log::pin(self.labels[index], value.into(), self.site, PinReason::Address);
    }

    /// Argument `index` is a size.
    pub fn pin_size(&self, index: usize, value: u64) {
        log::pin(self.labels[index], value.into(), self.site, PinReason::Size);
    }
}
