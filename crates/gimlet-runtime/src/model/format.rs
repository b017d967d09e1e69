//! Formatted output to memory: sprintf and its relatives.
//!
//! The real function has written the text. The walk over the format follows it
//! once more and gives each character its label. How long a string or a number
//! is, and whether a number is negative, are branches; so under the path
//! condition every character has its place, and a digit is an expression of the
//! number. Conversions that have no labels (floating point, wide characters)
//! are formatted once more by the library, to learn how long they are.

use core::ffi::{c_char, c_int};

use gimlet_libc::format::is_float;
use gimlet_libc::printf::{self, Amount};
use gimlet_libc::{Format, Length, Started, VaList};
use gimlet_trace::event::{LostReason, PinReason};

use crate::checks;
use crate::input::quietly;
use crate::lengths;
use crate::log;
use crate::shadow;
use crate::term::Term;

use super::heap::allocated;
use super::pinned::{pinned_format, Pinned};
use super::text::width_for;
use super::variadic::{finish, start, variadic, Arguments};
use super::width::Characters;
use super::{models, Call, Model, UNLIMITED};

variadic! {
    sprintf: sprintf(2),
    snprintf: snprintf(3),
    asprintf: asprintf(2),
    __asprintf: asprintf(2),
    __sprintf_chk: __sprintf_chk(4),
    __snprintf_chk: __snprintf_chk(5),
    __asprintf_chk: __asprintf_chk(3),
}

models! {
    vsprintf,
    vsnprintf,
    vasprintf,
    __vsprintf_chk,
    __vsnprintf_chk,
    __vasprintf_chk,
}

/// The library's own.
mod real {
    use super::{c_char, c_int, VaList};

    unsafe extern "C" {
        pub fn vsprintf(to: *mut c_char, format: *const c_char, list: *mut VaList) -> c_int;
        pub fn vsnprintf(to: *mut c_char, n: usize, format: *const c_char, list: *mut VaList) -> c_int;
        pub fn vasprintf(to: *mut *mut c_char, format: *const c_char, list: *mut VaList) -> c_int;
        pub fn __vsprintf_chk(
            to: *mut c_char,
            flag: c_int,
            room: usize,
            format: *const c_char,
            list: *mut VaList,
        ) -> c_int;
        pub fn __vsnprintf_chk(
            to: *mut c_char,
            n: usize,
            flag: c_int,
            room: usize,
            format: *const c_char,
            list: *mut VaList,
        ) -> c_int;
        pub fn __vasprintf_chk(to: *mut *mut c_char, flag: c_int, format: *const c_char, list: *mut VaList) -> c_int;
        pub fn wcslen(text: *const i32) -> usize;
    }
}

/// The format is something that the walk does not follow.
struct GivenUp;

/// A conversion of the format.
struct Directive {
    /// Where it begins, at its `%`.
    start: u64,
    /// The arguments as they are before it, those for `*` included.
    arguments: Arguments,
    /// As the format has it.
    asked: printf::Directive,
    /// These as they are when arguments have been looked at.
    minus: bool,
    width: u64,
    precision: Option<u64>,
}

/// The text as far as it has been followed.
struct Output {
    to: u64,
    /// Characters that the real function wrote.
    room: u64,
    len: u64,
    /// What lengths of stretches add to that, in other runs.
    open: Term,
    /// Bytes of the object that it writes to without a limit.
    size: Option<Term>,
}

impl Output {
    /// Characters, as a term.
    fn total(&self) -> Term {
        self.open + Term::constant(self.len, 64)
    }
}

struct Walk<'m> {
    model: &'m Model,
    format: Format<Pinned<'m>>,
    arguments: Arguments,
    output: Output,
    errno: c_int,
}

impl Walk<'_> {
    fn put(&mut self, c: Term) {
        if self.output.len < self.output.room {
            // SAFETY: the real function has written there.
            unsafe { self.model.stored(self.output.to + self.output.len, c) };
        }
        self.output.len += 1;
    }

    /// Text that no input changes: any for which only the length matters.
    fn put_concrete(&mut self, n: u64) {
        let written = n.min(self.output.room.saturating_sub(self.output.len));
        shadow::clear(self.output.to + self.output.len, written);
        self.output.len += n;
    }

    /// `body` of `n` characters, padded to the field's width.
    fn pad(&mut self, directive: &Directive, n: u64, body: impl FnOnce(&mut Self)) {
        let padding = directive.width.saturating_sub(n);
        if !directive.minus {
            self.put_concrete(padding);
        }
        body(self);
        if directive.minus {
            self.put_concrete(padding);
        }
    }

    unsafe fn run(&mut self) -> Result<(), GivenUp> {
        // SAFETY: as for the real function.
        unsafe {
            loop {
                match self.format.take() {
                    0 => return Ok(()),
                    b'%' => self.convert()?,
                    _ => self.put_concrete(1),
                }
            }
        }
    }

    /// A width or a precision; an argument is pinned.
    unsafe fn amount(&mut self, amount: Amount) -> Option<i64> {
        match amount {
            Amount::None => None,
            Amount::Number(number) => Some(number as i64),
            Amount::Argument => {
                // SAFETY: as for the real function.
                let argument = unsafe { self.arguments.next(self.model, 32) };
                self.model.pin(argument, PinReason::Size);
                Some(argument.signed())
            }
        }
    }

    /// What stands between a `%`, which has been read, and the next ordinary character.
    unsafe fn directive(&mut self) -> Result<Directive, GivenUp> {
        let (start, arguments) = (self.format.at - 1, self.arguments);
        let asked = self.format.printf();
        // SAFETY: the library's description of the locale.
        let groups = || asked.groups && unsafe { *(*libc::localeconv()).thousands_sep } != 0;
        if asked.is_positional || asked.has_other_digits || groups() {
            return Err(GivenUp);
        }
        // SAFETY: as for the real function.
        let (width, precision) = unsafe { (self.amount(asked.width).unwrap_or(0), self.amount(asked.precision)) };
        Ok(Directive {
            start,
            arguments,
            asked,
            minus: asked.minus || width < 0,
            width: width.unsigned_abs(),
            precision: precision.and_then(|precision| u64::try_from(precision).ok()),
        })
    }

    unsafe fn convert(&mut self) -> Result<(), GivenUp> {
        // SAFETY: as for the real function.
        unsafe {
            let directive = self.directive()?;
            let wide = directive.asked.length.is_wide();
            match directive.asked.conversion {
                b'%' => self.put_concrete(1),
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => self.integer(&directive),
                b'c' if !wide => {
                    let c = self.arguments.next(self.model, 32).low(8);
                    self.pad(&directive, 1, |walk| walk.put(c));
                }
                b's' if !wide => self.string(&directive)?,
                b's' | b'S' | b'c' | b'C' => self.wide(&directive)?,
                b'p' => self.pointer(&directive)?,
                b'n' => {
                    let place = self.arguments.next(self.model, 64);
                    self.model.pin(place, PinReason::Address);
                    shadow::clear(place.value, directive.asked.length.bytes());
                }
                conversion if is_float(conversion) => self.float(&directive)?,
                b'm' => self.native(&directive)?,
                _ => return Err(GivenUp),
            }
        }
        Ok(())
    }

    /// Has the library format a directive on its own: text of this length, without labels.
    unsafe fn native(&mut self, directive: &Directive) -> Result<(), GivenUp> {
        const MAX: usize = 64;
        let mut text = [0u8; MAX];
        let n = (self.format.at - directive.start) as usize;
        if n >= MAX {
            return Err(GivenUp);
        }
        let mut list = directive.arguments.list();
        // SAFETY: a directive with its arguments; the buffer has room for it.
        let len = quietly(|| unsafe {
            core::ptr::copy_nonoverlapping(directive.start as *const u8, text.as_mut_ptr(), n);
            *libc::__errno_location() = self.errno;
            real::vsnprintf(core::ptr::null_mut(), 0, text.as_ptr().cast(), &mut list)
        });
        self.put_concrete(u64::try_from(len).map_err(|_| GivenUp)?);
        Ok(())
    }

    unsafe fn float(&mut self, directive: &Directive) -> Result<(), GivenUp> {
        if directive.asked.length == Length::LongDouble {
            self.arguments.skip_long_double();
        } else if self.arguments.skip_double(self.model) {
            log::lost(self.model.call.site, LostReason::Float);
        }
        // SAFETY: as for the real function.
        unsafe { self.native(directive) }
    }

    /// Wide characters and strings.
    unsafe fn wide(&mut self, directive: &Directive) -> Result<(), GivenUp> {
        // SAFETY: as for the real function.
        unsafe {
            let argument = self.arguments.next(self.model, 64);
            let is_string = matches!(directive.asked.conversion, b's' | b'S');
            let len = if is_string && argument.value != 0 && directive.precision.is_none() {
                real::wcslen(argument.value as *const i32) as u64
            } else {
                0
            };
            if argument.is_symbolic() || (len > 0 && self.model.may_be_symbolic(argument.value, 4 * len)) {
                self.model.lost();
            }
            self.native(directive)
        }
    }

    unsafe fn string(&mut self, directive: &Directive) -> Result<(), GivenUp> {
        // SAFETY: as for the real function.
        unsafe {
            let text = self.arguments.next(self.model, 64);
            self.model.pin(text, PinReason::Address);
            if text.value == 0 {
                return self.native(directive);
            }
            let limit = directive.precision.unwrap_or(UNLIMITED).min(UNLIMITED);
            let len = libc::strnlen(text.value as *const c_char, limit as usize) as u64;
            if directive.precision.is_none() && !lengths::span(text.value, text.value + len).is_symbolic() {
                checks::text(
                    Characters::bytes(text.value),
                    self.output.size,
                    self.output.total(),
                    self.model.call.site,
                );
            }
            self.model.fix_length(Characters::bytes(text.value), len, limit);
            if len < limit {
                self.leave_open(directive, lengths::span(text.value, text.value + len));
            }
            self.pad(directive, len, |walk| {
                for index in 0..len {
                    walk.put(walk.model.byte(text.value + index));
                }
            });
        }
        Ok(())
    }

    /// A string has so many characters, some of them in stretches.
    fn leave_open(&mut self, directive: &Directive, len: Term) {
        let is_padded = |model: &Model| !model.branch(Term::constant(directive.width, 64).below(len));
        if len.is_symbolic() && !(directive.width > 0 && is_padded(self.model)) {
            self.output.open = self.output.open + (len - Term::constant(len.value, 64));
        }
    }

    unsafe fn pointer(&mut self, directive: &Directive) -> Result<(), GivenUp> {
        // SAFETY: as for the real function.
        unsafe {
            let value = self.arguments.next(self.model, 64);
            if self.model.branch(value.is(0)) || directive.asked.plus || directive.asked.space {
                self.model.pin(value, PinReason::Argument);
                return self.native(directive);
            }
            let digits = Digits { base: 16, letters: b'a', prefix: 2, sign: None };
            self.digits(directive, value, digits);
        }
        Ok(())
    }

    unsafe fn integer(&mut self, directive: &Directive) {
        let bits = directive.asked.length.bits();
        // SAFETY: as for the real function.
        let argument = unsafe { self.arguments.next(self.model, bits.max(32)) };
        let value = argument.low(bits);
        let decimal = Digits { base: 10, letters: b'a', prefix: 0, sign: None };
        match directive.asked.conversion {
            b'd' | b'i' => {
                let negative = self.model.branch(value.less(Term::constant(0, bits)));
                let sign = match (negative, directive.asked.plus, directive.asked.space) {
                    (true, _, _) => Some(b'-'),
                    (false, true, _) => Some(b'+'),
                    (false, false, true) => Some(b' '),
                    (false, false, false) => None,
                };
                let magnitude = if negative { value.negated() } else { value };
                self.digits(directive, magnitude, Digits { sign, ..decimal });
            }
            b'u' => self.digits(directive, value, decimal),
            b'o' => self.digits(directive, value, Digits { base: 8, ..decimal }),
            letter => {
                let is_zero = directive.asked.alternate && self.model.branch(value.is(0));
                let value = if is_zero { Term::constant(0, bits) } else { value };
                let prefix = if directive.asked.alternate && !is_zero { 2 } else { 0 };
                let letters = if letter == b'X' { b'A' } else { b'a' };
                self.digits(directive, value, Digits { base: 16, letters, prefix, sign: None });
            }
        }
    }

    /// Decides how many digits a number has, where that is more than `least`: their number, and the largest value that
    /// has not more.
    fn decide_digits(&self, value: Term, digits: Digits, least: u64) -> (u64, u64) {
        let largest = Term::constant(u64::MAX, value.width).value;
        let mut n = least;
        loop {
            match digits.power(n) {
                Some(power) if power <= largest => {
                    if self.model.branch(value.below(Term::constant(power, value.width))) {
                        return (n, power - 1);
                    }
                }
                _ => return (n, largest),
            }
            n += 1;
        }
    }

    /// A number without its sign.
    fn digits(&mut self, directive: &Directive, mut value: Term, digits: Digits) {
        let model = self.model;
        let fixed = digits.prefix + u64::from(digits.sign.is_some());
        let mut least = match directive.precision {
            Some(precision) => precision,
            None if directive.asked.zero && !directive.minus => directive.width.saturating_sub(fixed).max(1),
            None => 1,
        };
        // An octal number that is to begin with a zero has one digit more.
        let mut zeros = 0;
        if digits.base == 8 && directive.asked.alternate {
            if model.branch(value.is(0)) {
                value = Term::constant(0, value.width);
                least = least.max(1);
            } else {
                zeros = 1;
            }
        }
        let (n, bound) = self.decide_digits(value, digits, least.saturating_sub(zeros).max(zeros));
        let shown = (n + zeros).max(least);
        self.pad(directive, fixed + shown, |walk| {
            if let Some(sign) = digits.sign {
                walk.put(Term::constant(sign.into(), 8));
            }
            walk.put_concrete(digits.prefix);
            let significant = shown.min(digits.count(bound));
            walk.put_concrete(shown - significant);
            let value = value.low(width_for(bound).min(value.width));
            for place in (0..significant).rev() {
                walk.put(digits.character(value, place, bound));
            }
        });
    }
}

/// How a number is shown.
#[derive(Clone, Copy)]
struct Digits {
    base: u64,
    /// The letter after 9.
    letters: u8,
    /// Characters before the digits.
    prefix: u64,
    sign: Option<u8>,
}

impl Digits {
    /// `base` to the power of `n`, if it has 64 bits.
    fn power(&self, n: u64) -> Option<u64> {
        self.base.checked_pow(u32::try_from(n).ok()?)
    }

    /// How many digits a number has; zero has none.
    fn count(&self, mut value: u64) -> u64 {
        let mut n = 0;
        while value > 0 {
            value /= self.base;
            n += 1;
        }
        n
    }

    /// The digit at `place`, from the right, of a value up to `bound`.
    fn character(&self, value: Term, place: u64, bound: u64) -> Term {
        let byte = |value: u8| Term::constant(value.into(), 8);
        if self.base == 10 {
            let power = self.power(place).unwrap_or(1);
            let above = if place == 0 { value } else { value.divide(power).0 };
            let digit = if bound / power < 10 { above } else { above.divide(10).1 };
            return digit.low(8) + byte(b'0');
        }
        let bits = self.base.trailing_zeros();
        let low = place as u32 * bits;
        let digit = value.part(low, bits.min(value.width - low)).zero_extend(8);
        if self.base == 8 {
            return digit + byte(b'0');
        }
        Term::choose(digit.below(byte(10)), digit + byte(b'0'), digit + byte(self.letters - 10))
    }
}

/// A call, the arguments of its format, and errno as it was before.
struct Printing {
    call: Call,
    arguments: Arguments,
    errno: c_int,
}

impl Printing {
    unsafe fn new(call: Call, list: *const VaList) -> Printing {
        // SAFETY: a started list; errno of this thread.
        unsafe { Printing { call, arguments: Arguments::of(list), errno: *libc::__errno_location() } }
    }

    /// Follows the format, argument `format.0`. `room` characters were written to `to`, perhaps with a limit; all that the
    /// format gives are `real`.
    unsafe fn walk(
        &self,
        model: &Model,
        (to, room, limit): (u64, u64, Option<u64>),
        format: (usize, *const c_char),
        real: c_int,
    ) {
        let size = checks::room(Term::constant(to, 64)).filter(|_| limit.is_none());
        let format = model.address(format.0, format.1 as u64);
        let output = Output { to, room, len: 0, open: Term::constant(0, 64), size };
        // SAFETY: the real function has gone the same way.
        let total = unsafe {
            let format = pinned_format(model, format);
            let mut walk = Walk { model, format, arguments: self.arguments, output, errno: self.errno };
            walk.run().map(|()| walk.output.total())
        };
        let Some(total) = total.ok().filter(|total| i64::try_from(total.value) == Ok(real.into())) else {
            shadow::clear(to, room);
            return model.lost();
        };
        if total.is_symbolic() {
            checks::fits(total, size, self.call.site);
            if let Some(limit) = limit {
                model.branch(total.below(Term::constant(limit, 64)));
            }
            model.answer(total.low(32), real as u64);
        }
    }

    /// The text was written to `to`, without limit or with that of argument `n.0`.
    unsafe fn wrote(self, to: *mut c_char, n: Option<(usize, usize)>, format: (usize, *const c_char), real: c_int) {
        let Some(model) = self.call.follow() else { return };
        let to = model.address(0, to as u64);
        let limit = n.map(|(index, n)| model.size(index, n as u64));
        let written = (real.max(0) as u64).min(limit.unwrap_or(UNLIMITED).saturating_sub(1));
        // SAFETY: the real function has gone the same way.
        unsafe { self.walk(&model, (to, written, limit), format, real) };
        shadow::clear(to + written, limit.unwrap_or(UNLIMITED).min(1));
    }

    /// The text is in new memory, whose address was written to `to`.
    unsafe fn allocated(self, to: *mut *mut c_char, format: (usize, *const c_char), real: c_int) {
        let Some(model) = self.call.follow() else { return };
        shadow::clear(model.address(0, to as u64), 8);
        if real < 0 {
            return model.lost();
        }
        // SAFETY: the real function has gone the same way.
        unsafe {
            let text = *to;
            allocated(text.cast(), real as u64 + 1, 0, self.call.site);
            self.walk(&model, (text as u64, real as u64, Some(UNLIMITED)), format, real);
            let size = lengths::span(text as u64, text as u64 + real as u64) + Term::constant(1, 64);
            lengths::note_size(text as u64, size.label);
        }
    }
}

pub unsafe extern "C" fn vsprintf(to: *mut c_char, format: *const c_char, list: *mut VaList) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(Call::take(vsprintf as *const u8), list);
        let real = real::vsprintf(to, format, list);
        printing.wrote(to, None, (1, format), real);
        real
    }
}

pub unsafe extern "C" fn sprintf(to: *mut c_char, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(start(started), &(*started).list);
        let real = real::vsprintf(to, format, &mut (*started).list);
        printing.wrote(to, None, (1, format), real);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn vsnprintf(to: *mut c_char, n: usize, format: *const c_char, list: *mut VaList) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(Call::take(vsnprintf as *const u8), list);
        let real = real::vsnprintf(to, n, format, list);
        printing.wrote(to, Some((1, n)), (2, format), real);
        real
    }
}

pub unsafe extern "C" fn snprintf(to: *mut c_char, n: usize, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(start(started), &(*started).list);
        let real = real::vsnprintf(to, n, format, &mut (*started).list);
        printing.wrote(to, Some((1, n)), (2, format), real);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn vasprintf(to: *mut *mut c_char, format: *const c_char, list: *mut VaList) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(Call::take(vasprintf as *const u8), list);
        let real = real::vasprintf(to, format, list);
        printing.allocated(to, (1, format), real);
        real
    }
}

pub unsafe extern "C" fn asprintf(to: *mut *mut c_char, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(start(started), &(*started).list);
        let real = real::vasprintf(to, format, &mut (*started).list);
        printing.allocated(to, (1, format), real);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __vsprintf_chk(
    to: *mut c_char,
    flag: c_int,
    room: usize,
    format: *const c_char,
    list: *mut VaList,
) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(Call::take(__vsprintf_chk as *const u8), list);
        let real = real::__vsprintf_chk(to, flag, room, format, list);
        printing.wrote(to, None, (3, format), real);
        real
    }
}

pub unsafe extern "C" fn __sprintf_chk(
    to: *mut c_char,
    flag: c_int,
    room: usize,
    format: *const c_char,
    started: *mut Started,
) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(start(started), &(*started).list);
        let real = real::__vsprintf_chk(to, flag, room, format, &mut (*started).list);
        printing.wrote(to, None, (3, format), real);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __vsnprintf_chk(
    to: *mut c_char,
    n: usize,
    flag: c_int,
    room: usize,
    format: *const c_char,
    list: *mut VaList,
) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(Call::take(__vsnprintf_chk as *const u8), list);
        let real = real::__vsnprintf_chk(to, n, flag, room, format, list);
        printing.wrote(to, Some((1, n)), (4, format), real);
        real
    }
}

pub unsafe extern "C" fn __snprintf_chk(
    to: *mut c_char,
    n: usize,
    flag: c_int,
    room: usize,
    format: *const c_char,
    started: *mut Started,
) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(start(started), &(*started).list);
        let real = real::__vsnprintf_chk(to, n, flag, room, format, &mut (*started).list);
        printing.wrote(to, Some((1, n)), (4, format), real);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __vasprintf_chk(
    to: *mut *mut c_char,
    flag: c_int,
    format: *const c_char,
    list: *mut VaList,
) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(Call::take(__vasprintf_chk as *const u8), list);
        let real = real::__vasprintf_chk(to, flag, format, list);
        printing.allocated(to, (2, format), real);
        real
    }
}

pub unsafe extern "C" fn __asprintf_chk(
    to: *mut *mut c_char,
    flag: c_int,
    format: *const c_char,
    started: *mut Started,
) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let printing = Printing::new(start(started), &(*started).list);
        let real = real::__vasprintf_chk(to, flag, format, &mut (*started).list);
        printing.allocated(to, (2, format), real);
        finish(started);
        real
    }
}
