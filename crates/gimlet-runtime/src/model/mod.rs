//! Models of library functions: each calls the real one and says what its result and its effects depend on.
//!
//! The pass turns calls of `f` into calls of `gimlet_fn_f` for every `f` that a
//! [`models!`] list here names; it reads the lists and the signatures from this
//! folder when it is built, so a new model is a function and a line in one file.
//! The symbols are weak: a program that defines a function of this name keeps
//! its own.
//!
//! A model is called like an instrumented function: labels of its arguments come
//! in thread-local slots, that of its result goes back the same way ([`Call`]).
//! While a driver traces, a [`Model`] follows what the real function did on
//! [`Term`]s: decisions become branches of the path condition, at the place of
//! the call, results become expressions. What it computes is compared with what
//! the real function gave; where they differ, the label is dropped and counted.

pub mod compare;
pub mod copy;
pub mod ctype;
pub mod environment;
pub mod format;
pub mod hash;
pub mod heap;
pub mod mapping;
pub mod multibyte;
pub mod multibyte_encode;
pub mod multibyte_strings;
pub mod number;
pub mod open;
pub mod options;
pub mod output;
pub mod pinned;
pub mod process;
pub mod read;
pub mod scan;
pub mod search;
pub mod socket;
pub mod sort;
pub mod stdio;
pub mod system;
pub mod text;
pub mod thread;
pub mod token;
pub mod tree;
pub mod variadic;
pub mod wait;
pub mod wide_class;
pub mod wide_copy;
pub mod wide_string;
pub mod width;

use core::ffi::c_char;

use gimlet_trace::abi::tls;
use gimlet_trace::event::{LostReason, PinReason, NO_SITE};
use gimlet_trace::node::Op;
use gimlet_trace::shm::option;
use gimlet_trace::{Label, ShadowWord};

use crate::checks;
use crate::lengths::{self, Run};
use crate::log;
use crate::lookup;
use crate::memory::{content, label_of};
use crate::objects;
use crate::ops::{self, gimlet_rt_fit, Shape};
use crate::shadow;
use crate::state::{header, Guard};
use crate::table::{self, Operand};
use crate::term::Term;
use crate::tls::{argument, set_result, set_result_part, set_token, slot, token};

use width::{Characters, Width};

/// Exports functions as models: `name`, or `name: function` for a function that stands for several names.
macro_rules! models {
    ($($entries:tt)*) => {
        gimlet_libc::exported_functions!("gimlet_fn_" $($entries)*);
    };
}

/// Functions that not every C library has: `symbol as function: type`, where `function` gives the one that there is.
macro_rules! weak {
    ($($symbol:ident as $function:ident: $type:ty;)*) => {$(
        fn $function() -> Option<$type> {
            let address: *const u8;
            // SAFETY: a weak symbol is null where no library defines it, and has this type otherwise.
            unsafe {
                core::arch::asm!(
                    concat!(".weak ", stringify!($symbol)),
                    concat!("mov {0}, qword ptr [rip + ", stringify!($symbol), "@GOTPCREL]"),
                    out(reg) address,
                );
                (!address.is_null()).then(|| core::mem::transmute::<*const u8, $type>(address))
            }
        }
    )*};
}

/// Names of the library that a statically linked program is to get only if it calls them: a program that defines one of
/// them itself would otherwise have it twice, because the library keeps several in one object. The pass lets each module
/// refer to those whose models it calls.
macro_rules! on_demand {
    ($($name:ident),* $(,)?) => {
        core::arch::global_asm!($(concat!(".weak ", stringify!($name)),)*);
    };
}

pub(crate) use {models, on_demand, weak};

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
        self.result_part(0, label);
    }

    /// Labels one part of a result that has several.
    pub fn result_part(&self, part: usize, label: Label) {
        if self.answers {
            set_result_part(part, label.0);
        } else if label.is_symbolic() {
            log::pin(label.0, table::value(label), self.site, PinReason::NativeResult);
        }
    }

    /// Argument `index` is an address: it is pinned if it is symbolic.
    pub fn pin_address(&self, index: usize, value: u64) {
        log::pin(self.labels[index], value.into(), self.site, PinReason::Address);
    }

    /// Takes a call of a function that looks at each of its arguments, which are pinned. `values` are the first ones.
    pub fn take_pinned(callee: *const u8, values: &[u64]) -> Call {
        let call = Call::take(callee);
        if let Some(_guard) = Guard::enter() {
            for (index, &value) in values.iter().enumerate() {
                call.pin_number(index, value);
            }
        }
        call
    }

    /// Argument `index` is a number or an address that the kernel or the library looks at.
    pub fn pin_number(&self, index: usize, value: u64) {
        let label = Label(self.labels[index]);
        if label.is_symbolic() {
            let value = table::truncate(value.into(), table::width(label));
            log::pin(label.0, value, self.site, PinReason::Argument);
        }
    }

    /// The library looks at `n` bytes: each is pinned if it is symbolic.
    ///
    /// # Safety
    /// They must be readable, unless the address is null.
    pub unsafe fn pin_bytes(&self, address: u64, n: u64) {
        if address == 0 || !shadow::may_be_labelled(address, n) {
            return;
        }
        for at in address..address + n {
            // SAFETY: the caller vouches for the byte.
            let value = unsafe { content(at, 1) };
            log::pin(label_of(at, 1, value, self.site).0, value, self.site, PinReason::Argument);
        }
    }

    /// The same for a string and what ends it.
    ///
    /// # Safety
    /// It must be a string or null.
    pub unsafe fn pin_text(&self, text: *const c_char) {
        if !text.is_null() {
            // SAFETY: the caller vouches for the string.
            unsafe { self.pin_bytes(text as u64, libc::strlen(text) as u64 + 1) };
        }
    }

    /// An argument with its value.
    pub fn operand(&self, index: usize, value: u64) -> Operand {
        Operand::new(self.label(index), value, 0)
    }

    /// As many bytes as argument `index` says are accessed where argument `at` points. To be told before either is pinned.
    pub fn touches(&self, (at, address): (usize, u64), (index, n): (usize, u64)) {
        checks::range(self.operand(at, address), self.operand(index, n), self.site);
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

/// `n` bytes at `address`, at most eight, little-endian, for a model that has a [`Guard`] only: what the real function is
/// about to overwrite.
///
/// # Safety
/// They must be readable.
unsafe fn loaded(address: u64, n: u32, site: u32) -> Term {
    // SAFETY: the caller vouches for them.
    let value = unsafe { content(address, n) };
    Term { label: label_of(address, n, value, site), value: value as u64, width: 8 * n }
}

/// Where [`Model::first`] looks.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Place `i` is character `i` behind each of these.
    pub regions: &'a [u64],
    pub width: Width,
    /// The real function looks at so many places at most.
    pub limit: u64,
    pub extent: Extent,
    /// Bytes behind a place that also decide about it.
    pub n_ahead: u64,
}

/// How far a function may be sure to read where memory is no known object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All places.
    Whole,
    /// As far as each region's terminator.
    String,
    /// As far as it looked in this run.
    Stop,
}

/// More places than any object has.
pub const UNLIMITED: u64 = u64::MAX >> 1;

/// How many places of a search are one expression, at most.
const WINDOW: u64 = 256;

/// A call that is being followed on terms.
pub struct Model {
    pub call: Call,
    _guard: Guard,
}

impl Model {
    /// Argument `index`, which is `value`, an integer of `width` bits.
    pub fn argument(&self, index: usize, value: u64, width: u32) -> Term {
        let label = ops::fit(Label(self.call.label(index)), width, self.call.site);
        Term { label, ..Term::constant(value, width) }
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

    /// So many bytes are accessed where argument `at` points. To be told before either is pinned.
    pub fn touches(&self, (at, address): (usize, u64), n: Term) {
        checks::range(self.call.operand(at, address), n.operand(), self.call.site);
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
        unsafe { loaded(address, n, self.call.site) }
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

    /// Either of two terms; a branch if the driver wants that.
    pub fn either(&self, condition: Term, then: Term, otherwise: Term) -> Term {
        match self.forks() {
            true if self.branch(condition) => then,
            true => otherwise,
            false => Term::choose(condition, then, otherwise),
        }
    }

    /// `value(i)` for the first place `i` for which `found(i)` holds, or else `none`.
    ///
    /// One expression over all places up to one where every input stops. Where no such place is near, the search goes
    /// window by window, and that it ends inside a window is a branch. Windows don't depend on where this run stops, so
    /// that another run decides the same things; they end with the objects that are searched. In memory that is no known
    /// object they end where the function may be sure to read, and that other inputs stop there is pinned.
    ///
    /// `found` and `value` are asked for such places only.
    pub fn first(
        &self,
        search: Search,
        mut found: impl FnMut(u64) -> Term,
        mut value: impl FnMut(u64) -> Term,
        none: Term,
    ) -> Term {
        if self.forks() {
            let mut place = 0;
            while place < search.limit {
                if self.branch(found(place)) {
                    return value(place);
                }
                place = self.next(search, place);
            }
            return none;
        }
        let mut places = [(0, Term::FALSE); WINDOW as usize];
        let mut place = 0;
        while place < search.limit {
            let (end, is_stable) = search.window(place);
            let looks_on = is_stable || search.extent != Extent::Stop;
            let mut n = 0;
            let mut is_certain = false;
            while place < end && n < places.len() {
                let here = found(place).settled();
                places[n] = (place, here);
                n += 1;
                is_certain = here.holds() && !here.is_symbolic();
                if is_certain || (here.holds() && !looks_on) {
                    place += 1;
                    break;
                }
                place = self.next(search, place);
            }
            let is_last = is_certain || place >= search.limit;
            let mut result = none;
            let mut is_inside = Term::FALSE;
            for &(at, here) in places[..n].iter().rev() {
                result = Term::choose(here, value(at), result);
                is_inside = if is_last { here } else { here | is_inside };
            }
            if is_last || self.decides(is_inside, is_stable) {
                return result;
            }
        }
        none
    }

    /// The next place of a search that is worth a look: behind a unit of a stretch, what follows it. That a limit lies in
    /// front of the stretch's end, or does not, is a branch.
    fn next(&self, search: Search, place: u64) -> u64 {
        let next = place + 1;
        let Some(run) = search.run_before(next) else { return next };
        let region = search.regions[0];
        let end = next - run.unit() + run.len;
        if search.n_ahead > 0 {
            return next.max(end.saturating_sub(search.n_ahead));
        }
        if search.limit < UNLIMITED {
            let behind = lengths::span(region, region + end);
            self.branch(Term::constant(search.limit, 64).below(behind));
        }
        end
    }

    /// What the real function did depends on where it stopped: the first of at most `limit` places for which `found`
    /// holds was `stop`, and has to stay so. A branch for each place if the driver wants that.
    pub fn fix_stop(&self, text: Characters, stop: u64, limit: u64, found: impl Fn(u64) -> Term) {
        let last = stop.saturating_add(1).min(limit);
        let search = Search { regions: &[text.at], width: text.width, limit, extent: Extent::Stop, n_ahead: 0 };
        let (mut place, mut all, mut has_stretch) = (0, Term::TRUE, false);
        while place < last {
            let here = found(place);
            if self.forks() {
                self.branch(here);
            } else {
                all = all & if place == stop { here } else { !here };
            }
            has_stretch |= search.run_before(place + 1).is_some();
            place = self.next(search, place);
        }
        match has_stretch {
            true => log::pin_before_stretch(all.label, all.value.into(), self.call.site),
            false => self.pin(all, PinReason::Length),
        }
    }

    /// The string at `text` has `len` characters, looking at `limit` at most, and has to keep that length.
    ///
    /// # Safety
    /// As many characters must be readable.
    pub unsafe fn fix_length(&self, text: Characters, len: u64, limit: u64) {
        if self.is_any_symbolic(text, len.saturating_add(1).min(limit)) {
            // SAFETY: the caller vouches for them.
            self.fix_stop(text, len, limit, |place| unsafe { self.character(text, place).is(0) });
        }
    }

    /// A condition that other runs decide at the same point becomes a branch, any other is pinned.
    fn decides(&self, condition: Term, is_stable: bool) -> bool {
        if is_stable {
            return self.branch(condition);
        }
        self.pin(condition, PinReason::Length);
        condition.holds()
    }

    /// Labels the result, which the real function gave as `real`. Where the two differ, the label is dropped.
    pub fn answer(&self, term: Term, real: u64) {
        self.answer_part(0, term, real);
    }

    /// The same for one part of a result that has several.
    pub fn answer_part(&self, part: usize, term: Term, real: u64) {
        if term.value == Term::constant(real, term.width).value {
            self.call.result_part(part, term.label);
        } else if term.is_symbolic() {
            self.lost();
        }
    }

    /// Quotient and remainder, signed: a division as if the program had made it.
    pub fn divide(&self, a: Term, b: Term) -> (Term, Term) {
        let operation = |op, value: i64| {
            let result = Term::constant(value as u64, a.width);
            if !a.is_symbolic() && !b.is_symbolic() {
                return result;
            }
            let shape = Shape { op, width: a.width };
            let label = ops::divide(shape, a.operand(), b.operand(), result.value.into(), self.call.site);
            Term { label, ..result }
        };
        let (x, y) = (a.signed(), b.signed());
        (operation(Op::SDiv, x.wrapping_div(y)), operation(Op::SRem, x.wrapping_rem(y)))
    }

    /// A dependency is dropped: the real function did something else than the model.
    pub fn lost(&self) {
        log::lost(self.call.site, LostReason::Model);
    }
}

impl Search<'_> {
    /// The run whose first unit ends before a place.
    fn run_before(&self, place: u64) -> Option<Run> {
        let &[region] = self.regions else { return None };
        if !lengths::are_there() || self.width != Width::Byte {
            return None;
        }
        let is_whole = |unit: u64| lengths::run_at(region + place - unit).filter(|run| run.unit() == unit);
        (1..=lengths::UNIT_MAX.min(place)).find_map(is_whole)
    }

    /// Where the window that begins at a place ends, and if it ends there in every run.
    fn window(&self, begin: u64) -> (u64, bool) {
        // Where lengths are open, only what is looked at counts.
        let has_stretches = lengths::are_there() && self.regions.len() == 1 && self.width == Width::Byte;
        let bytes = self.width.bytes();
        let mut end = if has_stretches { self.limit } else { (begin + WINDOW).min(self.limit) };
        let mut is_stable = true;
        for (index, &region) in self.regions.iter().enumerate() {
            let text = Characters { at: region, width: self.width }.behind(begin);
            if let Some(object) = objects::find(text.at) {
                // Where a search goes on behind another, its windows end at the same places, and expressions are shared.
                let phase = if index == 0 { (text.at - object.base) / bytes % (WINDOW / 2) } else { 0 };
                let n_inside = (object.base + object.size - text.at) / bytes;
                end = end.min(begin + n_inside.max(1));
                if !has_stretches {
                    end = end.min(begin + WINDOW - phase);
                }
            } else if self.extent == Extent::String {
                // SAFETY: a string, or an array that the real function may read up to its limit.
                let len = unsafe { text.length(end - begin) };
                is_stable = false;
                end = end.min(begin + len + 1);
            } else {
                is_stable &= self.extent == Extent::Whole;
            }
        }
        (end, is_stable)
    }
}

/// A comparison of the program. Most take two arguments; the third of `qsort_r`'s does no harm to them.
pub type Compare = extern "C" fn(u64, u64, u64) -> i32;

/// Calls a comparison of the program with concrete arguments: what it returned, with the label if it is instrumented,
/// and whether it is native. Whoever waits for a label of the caller's own finds everything as it was.
/// Not to be called inside a [`Model`].
///
/// # Safety
/// `compare` must be what the program gave as a comparison of what `a` and `b` point to.
pub unsafe fn call_back(compare: Compare, a: u64, b: u64, argument: u64) -> (Term, bool) {
    let own = compare as *const u8 as u64;
    let results = slot::<[u32; tls::RET_MAX as usize]>(tls::RET);
    // SAFETY: the slots are inside this thread's block.
    unsafe {
        let (waiting, kept) = (token(), results.read());
        set_result(0);
        set_token(own + 1);
        let value = compare(a, b, argument);
        let is_native = token() == own + 1;
        let label = if is_native { 0 } else { gimlet_rt_fit(slot::<u32>(tls::RET).read(), 32) };
        set_token(waiting);
        results.write(kept);
        (Term { label: Label(label), ..Term::constant((value as u32).into(), 32) }, is_native)
    }
}
