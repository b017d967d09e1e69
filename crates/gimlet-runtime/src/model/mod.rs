//! Models of library functions: each calls the real one and says what its result and its effects depend on.
//!
//! The pass turns calls of `f` into calls of `gimlet_fn_f` for every `f` that a
//! [`models!`] list here names; it reads the lists and the signatures from this
//! folder when it is built, so a new model is a function and a line in one file.
//! The symbols are weak: a program that defines a function of this name and
//! type keeps its own.
//!
//! A model is called like an instrumented function: labels of its arguments come
//! in thread-local slots, that of its result goes back the same way ([`Call`]).
//! While a driver traces, a [`Model`] follows what the real function did on
//! [`Term`]s: decisions become branches of the path condition, at the place of
//! the call, results become expressions. What it computes is compared with what
//! the real function gave; where they differ, the label is dropped and counted.

pub mod compare;
pub mod copy;
pub mod heap;
pub mod process;
pub mod read;
pub mod search;
pub mod stdio;
pub mod thread;
pub mod variadic;

use gimlet_trace::abi::tls;
use gimlet_trace::event::{LostReason, PinReason, NO_SITE};
use gimlet_trace::shm::option;
use gimlet_trace::{Label, ShadowWord};

use crate::log;
use crate::lookup;
use crate::memory::{content, label_of};
use crate::objects;
use crate::shadow;
use crate::state::{header, Guard};
use crate::table;
use crate::term::Term;
use crate::tls::{argument, set_result, set_token, slot, token};

/// Exports functions as models: `name`, or `name: function` for a function that stands for several names.
macro_rules! models {
    ($($name:ident $(: $function:ident)?),* $(,)?) => {
        $($crate::model::export!($name $($function)?);)*
    };
}

macro_rules! export {
    ($name:ident) => {
        $crate::model::export!($name $name);
    };
    ($name:ident $function:ident) => {
        core::arch::global_asm!(
            concat!(".weak gimlet_fn_", stringify!($name)),
            concat!(".type gimlet_fn_", stringify!($name), ", @function"),
            concat!(".set gimlet_fn_", stringify!($name), ", {function}"),
            function = sym $function,
        );
    };
}

pub(crate) use {export, models};

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

    /// True if an argument is symbolic.
    pub fn is_labelled(&self) -> bool {
        self.labels.iter().any(|&label| label != 0)
    }

    /// True if an instrumented caller made the call, and its labels came along.
    pub fn is_instrumented(&self) -> bool {
        self.answers
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

    /// Enters the runtime, if a driver traces: the real function has been called, and what it did is to be followed.
    /// No function that may call the program back is to be called while the model lives.
    pub fn follow(self) -> Option<Model> {
        Guard::enter().map(|guard| Model { call: self, _guard: guard })
    }
}

/// Where [`Model::first`] looks.
#[derive(Clone, Copy)]
pub struct Search {
    /// Where the real function stopped; the expression looks a [`WINDOW`] beyond, and that an input stops before is
    /// then part of the path condition.
    pub stopped: u64,
    /// What may be read: `found` is asked for `0 .. end`.
    pub end: u64,
    /// The real function would not look beyond `end` either.
    pub complete: bool,
}

/// How far behind the place where the real function stopped a search looks for places where other inputs would stop.
const WINDOW: u64 = 256;

/// A call that is being followed on terms.
pub struct Model {
    pub call: Call,
    _guard: Guard,
}

impl Model {
    /// Argument `index`, which is `value`, an integer of `width` bits.
    pub fn argument(&self, index: usize, value: u64, width: u32) -> Term {
        Term::new(Label(self.call.label(index)), value, width)
    }

    /// Argument `index` is an address. It is pinned if it is symbolic.
    pub fn address(&self, index: usize, value: u64) -> u64 {
        self.call.pin_address(index, value);
        value
    }

    /// Argument `index` is a size. It is pinned if it is symbolic.
    pub fn size(&self, index: usize, value: u64) -> u64 {
        self.call.pin_size(index, value);
        value
    }

    /// A term is fixed to its value.
    pub fn pin(&self, term: Term, reason: PinReason) {
        log::pin(term.label.0, term.value.into(), self.call.site, reason);
    }

    /// The byte at `address`.
    ///
    /// # Safety
    /// It must be readable.
    pub unsafe fn byte(&self, address: u64) -> Term {
        // SAFETY: the caller vouches for it.
        unsafe { self.load(address, 1) }
    }

    /// `n` bytes at `address`, at most eight, little-endian.
    ///
    /// # Safety
    /// They must be readable.
    pub unsafe fn load(&self, address: u64, n: u32) -> Term {
        // SAFETY: the caller vouches for them.
        let value = unsafe { content(address, n) };
        Term { label: label_of(address, n, value, self.call.site), value: value as u64, width: 8 * n }
    }

    /// The real function wrote `term` to `address`. If it wrote something else, the label is dropped and counted.
    ///
    /// # Safety
    /// The bytes must be readable.
    pub unsafe fn stored(&self, address: u64, term: Term) {
        let n = term.width / 8;
        // SAFETY: the caller vouches for them.
        let real = unsafe { content(address, n) } as u64;
        if term.is_symbolic() && real != term.value {
            self.lost();
            return shadow::clear(address, n.into());
        }
        shadow::set_label(address, n.into(), term.label);
    }

    /// True if any of `n` bytes at `address` may be symbolic.
    pub fn may_be_symbolic(&self, address: u64, n: u64) -> bool {
        shadow::may_be_labelled(address, n) && (0..n).any(|at| shadow::get(address + at) != ShadowWord::NONE)
    }

    /// The element at `index` (signed) of a table of the library whose element 0 is at `zero`, `n` bytes each.
    ///
    /// # Safety
    /// The element must be readable.
    pub unsafe fn lookup(&self, zero: u64, index: Term, n: u32) -> Term {
        let offset = index.sign_extend(64) * Term::constant(n.into(), 64);
        let address = Term::constant(zero, 64) + offset;
        // SAFETY: the caller vouches for the element.
        let value = unsafe { content(address.value, n) };
        let label = if address.is_symbolic() {
            lookup::load(address.label, address.value, n, value, None, self.call.site)
        } else {
            Label::NONE
        };
        Term { label, value: value as u64, width: 8 * n }
    }

    /// The real function decided by a condition: a branch of the path condition, if it is symbolic.
    pub fn branch(&self, condition: Term) -> bool {
        log::branch(condition.label, condition.holds(), true, self.call.site);
        condition.holds()
    }

    /// True if string functions are to decide character by character instead of building one expression.
    pub fn forks(&self) -> bool {
        header().options & option::FORK_STRINGS != 0
    }

    /// `value(i)` for the first `i` of the range for which `found(i)` holds, or else `none`: one expression, or a branch
    /// for each `i` if the driver wants that.
    pub fn first(
        &self,
        range: Search,
        mut found: impl FnMut(u64) -> Term,
        mut value: impl FnMut(u64) -> Term,
        none: Term,
    ) -> Term {
        if self.forks() {
            let at = (0..range.end).find(|&index| self.branch(found(index)));
            return at.map_or(none, value);
        }
        let stop = range.end.min(range.stopped.saturating_add(1 + WINDOW));
        let cut = stop < range.end || !range.complete;
        let mut result = none;
        let mut in_reach = Term::FALSE;
        for index in (0..stop).rev() {
            let here = found(index);
            result = Term::choose(here, value(index), result);
            if cut {
                in_reach = here | in_reach;
            }
        }
        if cut {
            self.branch(in_reach);
        }
        result
    }

    /// Labels the result, which the real function gave as `real`. Where the two differ, the label is dropped.
    pub fn answer(&self, term: Term, real: u64) {
        if term.value == Term::constant(real, term.width).value {
            self.call.result(term.label);
        } else if term.is_symbolic() {
            self.lost();
        }
    }

    /// A dependency is dropped: the real function did something else than the model.
    pub fn lost(&self) {
        log::lost(self.call.site, LostReason::Model);
    }

    /// End of the object that holds `address`, or the address itself if that is not known: how far one may read.
    pub fn readable_end(&self, address: u64) -> u64 {
        objects::find(address).map_or(address, |object| object.base + object.size)
    }
}

/// Calls a function of the program with concrete arguments; what it returned, with the label if it is instrumented.
/// Not to be called inside a [`Model`].
///
/// # Safety
/// `function` must be what the program gave as a comparison.
pub unsafe fn call_back(function: extern "C" fn(u64, u64) -> i32, a: u64, b: u64) -> Term {
    let own = function as *const u8 as u64;
    set_result(0);
    set_token(own + 1);
    let value = function(a, b);
    let native = token() == own + 1;
    set_token(0);
    // SAFETY: the slot is inside this thread's block.
    let label = unsafe { slot::<u32>(tls::RET).read() };
    Term::new(if native { Label::NONE } else { Label(label) }, u64::from(value as u32), 32)
}
