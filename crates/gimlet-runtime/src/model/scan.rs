//! Formatted input: scanf and its relatives, on strings and on streams that are input.
//!
//! The real function has read the text and stored what it found. The walk over
//! the format follows it once more: where a field ends, whether it matches and
//! whether a value fits are branches, and what was stored gets its label. Which
//! characters a stream gave is known from the input itself. Streams that are no
//! input are not followed; what was read from them has no labels.

use core::ffi::{c_char, c_int};

use gimlet_libc::format::is_float;
use gimlet_libc::scanf::Directive;
use gimlet_libc::{Format, Started, VaList};
use gimlet_trace::event::{LostReason, PinReason};

use crate::log;
use crate::memory::{content, label_of};
use crate::objects;
use crate::shadow;
use crate::state::Guard;
use crate::term::Term;

use super::heap::allocated;
use super::number::errno_written;
use super::pinned::{pinned_format, Pinned};
use super::stdio::{self, label_buffer, place, taken_since, Fills, Place};
use super::text::{is_space, Number, Origin, Set, Stream, Text, PUSHED_MAX};
use super::variadic::{finish, start, variadic, Arguments};
use super::width::Characters;
use super::{models, weak, Call, Model};

variadic! {
    sscanf: sscanf(2),
    fscanf: fscanf(2),
    scanf: scanf(1),
    __isoc99_sscanf: __isoc99_sscanf(2),
    __isoc99_fscanf: __isoc99_fscanf(2),
    __isoc99_scanf: __isoc99_scanf(1),
    __isoc23_sscanf: __isoc23_sscanf(2),
    __isoc23_fscanf: __isoc23_fscanf(2),
    __isoc23_scanf: __isoc23_scanf(1),
}

models! {
    vsscanf,
    vfscanf,
    vscanf,
    __isoc99_vsscanf,
    __isoc99_vfscanf,
    __isoc99_vscanf,
    __isoc23_vsscanf,
    __isoc23_vfscanf,
    __isoc23_vscanf,
}

type File = stdio::Stream;
type Sscanf = unsafe extern "C" fn(*const c_char, *const c_char, *mut VaList) -> c_int;
type Fscanf = unsafe extern "C" fn(*mut File, *const c_char, *mut VaList) -> c_int;

/// The library's own.
mod real {
    use super::{c_char, c_int, File, VaList};

    unsafe extern "C" {
        pub fn vsscanf(text: *const c_char, format: *const c_char, list: *mut VaList) -> c_int;
        pub fn vfscanf(stream: *mut File, format: *const c_char, list: *mut VaList) -> c_int;
        pub fn __isoc99_vsscanf(text: *const c_char, format: *const c_char, list: *mut VaList) -> c_int;
        pub fn __isoc99_vfscanf(stream: *mut File, format: *const c_char, list: *mut VaList) -> c_int;
    }
}

weak! {
    __isoc23_vsscanf as isoc23_vsscanf: Sscanf;
    __isoc23_vfscanf as isoc23_vfscanf: Fscanf;
}

/// Which standard a function follows.
#[derive(Clone, Copy)]
struct Dialect {
    sscanf: Sscanf,
    fscanf: Fscanf,
    /// `%as` allocates, as it did before C99.
    old: bool,
    /// `0b` begins a binary number, as C23 has it.
    binary: bool,
}

fn gnu() -> Dialect {
    Dialect { sscanf: real::vsscanf, fscanf: real::vfscanf, old: true, binary: false }
}

fn c99() -> Dialect {
    Dialect { sscanf: real::__isoc99_vsscanf, fscanf: real::__isoc99_vfscanf, old: false, binary: false }
}

fn c23() -> Dialect {
    let sscanf = isoc23_vsscanf().unwrap_or(real::__isoc99_vsscanf);
    let fscanf = isoc23_vfscanf().unwrap_or(real::__isoc99_vfscanf);
    Dialect { sscanf, fscanf, old: false, binary: true }
}

/// Why a scan ended before its format did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// A character did not match.
    Mismatch,
    /// The text was over.
    Over,
    /// The format is something that the walk does not follow.
    GivenUp,
}

/// Reads the characters between brackets; `[` has been read.
fn bracket(format: &mut Format<Pinned>) -> Result<Set, Stop> {
    let mut set = Set::EMPTY;
    let is_inverted = format.set(|c| set.add(c)).ok_or(Stop::Mismatch)?;
    Ok(if is_inverted { set.complement() } else { set })
}

struct Scan<'m> {
    model: &'m Model,
    text: Text<'m>,
    format: Format<Pinned<'m>>,
    arguments: Arguments,
    dialect: Dialect,
    /// White space in the format is to be matched.
    skips: bool,
    n_assigned: c_int,
}

impl Scan<'_> {
    /// Follows the format; what the real function should have returned.
    unsafe fn run(&mut self) -> Result<c_int, Stop> {
        // SAFETY: as for the real function.
        match unsafe { self.follow() } {
            Err(Stop::GivenUp) => Err(Stop::GivenUp),
            Err(Stop::Over) if self.n_assigned == 0 => Ok(-1),
            _ => Ok(self.n_assigned),
        }
    }

    unsafe fn follow(&mut self) -> Result<(), Stop> {
        loop {
            match self.format.take() {
                0 => break,
                // SAFETY: as for the real function.
                b'%' => unsafe { self.convert()? },
                c if is_space(c) => self.skips = true,
                c => {
                    // Characters beyond ASCII are compared as they are.
                    if c.is_ascii() {
                        self.skip_space();
                    }
                    self.literal(c)?;
                }
            }
        }
        self.skip_space();
        Ok(())
    }

    fn skip_space(&mut self) {
        if core::mem::take(&mut self.skips) {
            self.text.skip_spaces();
        }
    }

    /// Why the next character was not accepted.
    fn refused(&self) -> Stop {
        if self.text.is_over() {
            Stop::Over
        } else {
            Stop::Mismatch
        }
    }

    fn literal(&mut self, c: u8) -> Result<(), Stop> {
        if self.text.accept_character(c) {
            Ok(())
        } else {
            Err(self.refused())
        }
    }

    /// The place where a conversion stores, unless it does not.
    unsafe fn place(&mut self, directive: Directive) -> Option<u64> {
        if directive.is_suppressed {
            return None;
        }
        // SAFETY: as for the real function.
        let place = unsafe { self.arguments.next(self.model, 64) };
        self.model.pin(place, PinReason::Address);
        Some(place.value)
    }

    unsafe fn convert(&mut self) -> Result<(), Stop> {
        let directive = self.format.scanf(self.dialect.old);
        if directive.is_positional || directive.is_local {
            return Err(Stop::GivenUp);
        }
        self.skips |= !matches!(directive.conversion, b'[' | b'c' | b'C' | b'n' | 0);
        self.skip_space();
        self.text.stop = directive.width.map_or(u64::MAX, |width| self.text.at.saturating_add(width));
        // SAFETY: as for the real function.
        let result = unsafe {
            match directive.conversion {
                0 => Err(Stop::Mismatch),
                b'%' => {
                    self.text.stop = u64::MAX;
                    self.literal(b'%')
                }
                b'n' => {
                    if let Some(place) = self.place(directive) {
                        shadow::clear(place, directive.n_bytes());
                    }
                    Ok(())
                }
                b's' | b'c' | b'[' if !directive.length.is_wide() => self.characters(directive),
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => self.integer(directive),
                b'b' if self.dialect.binary => self.integer(directive),
                conversion if is_float(conversion) => self.float(directive),
                _ => Err(Stop::GivenUp),
            }
        };
        self.text.stop = u64::MAX;
        result
    }

    /// Characters of a set, as a string for `%s` and `%[`.
    unsafe fn characters(&mut self, directive: Directive) -> Result<(), Stop> {
        let is_string = directive.conversion != b'c';
        let set = match directive.conversion {
            b's' => Set::spaces().complement(),
            b'c' => Set::EMPTY.complement(),
            _ => bracket(&mut self.format)?,
        };
        if directive.conversion == b'c' && directive.width.is_none() {
            self.text.stop = self.text.at + 1;
        }
        // SAFETY: as for the real function, which has stored there.
        unsafe {
            let place = self.place(directive);
            let mut to = place;
            if let (Some(place), true) = (place, directive.allocates) {
                shadow::clear(place, 8);
                to = Some(content(place, 8) as u64);
            }
            let first = self.text.at;
            while let Some(c) = self.text.accept(&set) {
                // Nothing was kept of what a failed allocation would hold.
                if let Some(to) = to.filter(|&to| to != 0) {
                    self.model.stored(to + self.text.at - 1 - first, c);
                }
            }
            let n = self.text.at - first;
            if n == 0 {
                return Err(if directive.conversion == b'[' { self.refused() } else { Stop::Over });
            }
            if let Some(to) = to.filter(|&to| to != 0) {
                shadow::clear(to + n, is_string.into());
                if directive.allocates {
                    self.own(to, n + u64::from(is_string));
                }
            }
        }
        self.assigned(directive);
        Ok(())
    }

    /// The real function has allocated `size` bytes; their labels are there already.
    fn own(&self, at: u64, size: u64) {
        objects::insert(at, size, false);
    }

    fn assigned(&mut self, directive: Directive) {
        self.n_assigned += c_int::from(!directive.is_suppressed);
    }

    /// A sign, a prefix, digits: the number and whether it is negative.
    fn digits(&mut self, directive: Directive) -> Result<(Number, bool), Stop> {
        let text = &mut self.text;
        let first = text.at;
        let negative = text.accept_sign() == Some(b'-');
        let is_signed = text.at > first;
        let mut base = match directive.conversion {
            b'i' => 0,
            b'o' => 8,
            b'x' | b'X' | b'p' => 16,
            b'b' => 2,
            _ => 10,
        };
        let is_binary = self.dialect.binary && (base == 0 || base == 2);
        let mut is_zero = false;
        if (base == 0 || base == 16 || is_binary) && text.accept_character(b'0') {
            is_zero = true;
            if (base == 0 || base == 16) && text.accept_letter(b'x') {
                base = 16;
            } else if is_binary && text.accept_letter(b'b') {
                base = 2;
            } else if base == 0 {
                base = 8;
            }
        }
        let mut number = Number::new(if base == 0 { 10 } else { base });
        if is_zero {
            number.push(text.model, Term::constant(b'0'.into(), 8));
        }
        let digits = Set::digits(if base == 0 { 10 } else { base });
        while let Some(c) = text.accept(&digits) {
            number.push(text.model, c);
        }
        if number.n_digits > 0 {
            return Ok((number, negative));
        }
        if is_signed {
            return Err(Stop::Mismatch);
        }
        let null_fits = directive.conversion == b'p' && directive.width.is_none_or(|width| width >= 5);
        if null_fits && text.accept_character(b'(') {
            return if text.accept_word(b"nil") && text.accept_character(b')') {
                Ok((number, false))
            } else {
                Err(Stop::Mismatch)
            };
        }
        Err(self.refused())
    }

    unsafe fn integer(&mut self, directive: Directive) -> Result<(), Stop> {
        let (number, negative) = self.digits(directive)?;
        let signed = matches!(directive.conversion, b'd' | b'i');
        let (value, out_of_range) = number.finish(self.model, negative, signed);
        if out_of_range {
            errno_written();
        }
        let bits = if directive.conversion == b'p' { 64 } else { directive.length.bits() };
        // SAFETY: as for the real function, which has stored there.
        unsafe {
            if let Some(place) = self.place(directive) {
                self.model.stored(place, value.low(bits));
            }
        }
        self.assigned(directive);
        Ok(())
    }

    /// Reads a floating-point number; true if it has a value.
    fn float_text(&mut self) -> bool {
        let text = &mut self.text;
        let first = text.at;
        // SAFETY: the library's description of the locale.
        let point = unsafe { *(*libc::localeconv()).decimal_point } as u8;
        let zero = text.accept_character(b'0');
        let hexadecimal = zero && text.accept_letter(b'x');
        let (digits, letter) = if hexadecimal { (Set::digits(16), b'p') } else { (Set::digits(10), b'e') };
        let after_prefix = text.at;
        let mut has_digit = zero && !hexadecimal;
        has_digit |= text.skip(&digits) > 0;
        if text.accept_character(point) {
            has_digit |= text.skip(&digits) > 0;
        }
        if text.at == first {
            return self.special();
        }
        if has_digit && text.accept_letter(letter) {
            text.accept_sign();
            text.skip(&Set::digits(10));
        }
        has_digit || (hexadecimal && text.at > after_prefix)
    }

    /// Reads `nan`, `inf` or `infinity`.
    fn special(&mut self) -> bool {
        let text = &mut self.text;
        if text.accept_letter(b'n') {
            return text.accept_word(b"an");
        }
        text.accept_word(b"inf") && (!text.accept_letter(b'i') || text.accept_word(b"nity"))
    }

    unsafe fn float(&mut self, directive: Directive) -> Result<(), Stop> {
        let first = self.text.at;
        self.text.accept_sign();
        let unsigned = self.text.at;
        let found = self.float_text();
        if self.text.at == unsigned && unsigned == first {
            return Err(self.refused());
        }
        if !found {
            return Err(Stop::Mismatch);
        }
        // SAFETY: as for the real function.
        let place = unsafe { self.place(directive) };
        if let Some(place) = place {
            if self.text.is_symbolic(first) {
                log::lost(self.model.call.site, LostReason::Float);
            }
            shadow::clear(place, directive.n_bytes());
        }
        self.assigned(directive);
        Ok(())
    }
}

/// Forgets the labels of what the real function stored by `n_assigned` conversions.
unsafe fn forget(model: &Model, format: u64, mut arguments: Arguments, dialect: Dialect, mut n_assigned: c_int) {
    // SAFETY: as for the real function.
    unsafe {
        let mut format = pinned_format(model, format);
        while n_assigned > 0 {
            if !format.find_directive() {
                return;
            }
            let directive = format.scanf(dialect.old);
            let is_followed = !directive.is_positional && !directive.is_local;
            if !is_followed || directive.conversion == b'[' && bracket(&mut format).is_err() {
                return;
            }
            if directive.is_suppressed || directive.conversion == b'%' {
                continue;
            }
            let place = arguments.next(model, 64).value;
            let wide = if directive.length.is_wide() { 4 } else { 1 };
            let size = match directive.conversion {
                _ if directive.allocates => 8,
                b's' | b'[' if wide == 1 => libc::strlen(place as *const c_char) as u64 + 1,
                b'c' => wide * directive.width.unwrap_or(1),
                b's' | b'S' | b'[' | b'C' => objects::find(place).map_or(0, |object| object.base + object.size - place),
                _ => directive.n_bytes(),
            };
            shadow::clear(place, size);
            if directive.allocates {
                let text = content(place, 8) as u64;
                allocated(text as *mut _, libc::strlen(text as *const c_char) as u64 + 1, 0, model.call.site);
            }
            n_assigned -= c_int::from(directive.conversion != b'n');
        }
    }
}

/// A call that reads by a format.
#[derive(Clone, Copy)]
struct Reading {
    call: Call,
    /// Number of the argument that is the format.
    index: usize,
    format: *const c_char,
    dialect: Dialect,
}

impl Reading {
    /// Follows the walk over `origin`: how many characters were taken and looked at, if it went as the real one did.
    unsafe fn walk(&self, model: &Model, origin: Origin, arguments: Arguments, real: c_int) -> Option<(u64, u64)> {
        let format = model.address(self.index, self.format as u64);
        // SAFETY: the real function has gone the same way.
        unsafe {
            let mut scan = Scan {
                model,
                text: Text::new(model, origin),
                format: pinned_format(model, format),
                arguments,
                dialect: self.dialect,
                skips: false,
                n_assigned: 0,
            };
            if scan.run() == Ok(real) {
                return Some((scan.text.at, scan.text.seen()));
            }
            forget(model, format, arguments, self.dialect, real);
            model.lost();
            None
        }
    }

    unsafe fn string(self, text: *const c_char, list: *mut VaList) -> c_int {
        // SAFETY: forwards.
        unsafe {
            let arguments = Arguments::of(list);
            let real = (self.dialect.sscanf)(text, self.format, list);
            if let Some(model) = self.call.follow() {
                let text = model.address(0, text as u64);
                self.walk(&model, Origin::Memory(Characters::bytes(text)), arguments, real);
            }
            real
        }
    }

    unsafe fn stream(self, stream: *mut File, list: *mut VaList) -> c_int {
        // SAFETY: forwards; the stream is libc's.
        unsafe {
            let arguments = Arguments::of(list);
            let before = before(stream, self.call.site);
            let real = (self.dialect.fscanf)(stream, self.format, list);
            if let (Some((place, from)), Some(model)) = (before, self.call.follow()) {
                self.read(&model, stream, place, from, arguments, real);
            }
            real
        }
    }

    /// Follows what was read from a stream that stood at `place` before; `from` is what it gave, if it is input.
    unsafe fn read(
        &self,
        model: &Model,
        stream: *mut File,
        place: Place,
        from: Option<Stream>,
        arguments: Arguments,
        real: c_int,
    ) {
        // SAFETY: the stream is libc's.
        unsafe {
            let taken = taken_since(stream, place);
            label_buffer(stream, place.source, model.call.site);
            let Some(from) = from else {
                let format = model.address(self.index, self.format as u64);
                forget(model, format, arguments, self.dialect, real);
                if place.source.is_some() {
                    model.lost();
                }
                return;
            };
            let mut fills = Fills::new(stream, place, model.call.site);
            fills.look_at(0);
            let walked = self.walk(model, Origin::Stream(from), arguments, real);
            if walked.is_some_and(|(walked, _)| walked != taken) {
                model.lost();
            }
            let seen = walked.map_or(taken, |(_, seen)| seen);
            fills.look_at(seen.saturating_sub(1));
        }
    }
}

/// Where a stream stands before a call, and what it will give if it is input.
unsafe fn before(stream: *mut File, site: u32) -> Option<(Place, Option<Stream>)> {
    let _guard = Guard::enter()?;
    // SAFETY: the stream is libc's.
    unsafe {
        let place = place(stream);
        let is_followed = place.source.is_some() && place.pushed <= PUSHED_MAX as u64;
        let Some(source) = place.source.filter(|_| is_followed) else { return Some((place, None)) };
        let mut pushed = [Term::constant(0, 8); PUSHED_MAX];
        for (at, term) in (place.pushed_at..).zip(&mut pushed[..place.pushed as usize]) {
            let value = content(at, 1);
            *term = Term { label: label_of(at, 1, value, site), value: value as u64, width: 8 };
        }
        Some((place, Some(Stream { pushed, n_pushed: place.pushed, source, offset: place.offset })))
    }
}

pub unsafe extern "C" fn sscanf(text: *const c_char, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 1, format, dialect: gnu() };
        let real = reading.string(text, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn vsscanf(text: *const c_char, format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(vsscanf as *const u8);
    let reading = Reading { call, index: 1, format, dialect: gnu() };
    // SAFETY: forwards.
    unsafe { reading.string(text, list) }
}

pub unsafe extern "C" fn fscanf(stream: *mut File, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 1, format, dialect: gnu() };
        let real = reading.stream(stream, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn vfscanf(stream: *mut File, format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(vfscanf as *const u8);
    let reading = Reading { call, index: 1, format, dialect: gnu() };
    // SAFETY: forwards.
    unsafe { reading.stream(stream, list) }
}

pub unsafe extern "C" fn scanf(format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 0, format, dialect: gnu() };
        let real = reading.stream(stdio::real::stdin, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn vscanf(format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(vscanf as *const u8);
    let reading = Reading { call, index: 0, format, dialect: gnu() };
    // SAFETY: forwards.
    unsafe { reading.stream(stdio::real::stdin, list) }
}

pub unsafe extern "C" fn __isoc99_sscanf(text: *const c_char, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 1, format, dialect: c99() };
        let real = reading.string(text, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __isoc99_vsscanf(text: *const c_char, format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(__isoc99_vsscanf as *const u8);
    let reading = Reading { call, index: 1, format, dialect: c99() };
    // SAFETY: forwards.
    unsafe { reading.string(text, list) }
}

pub unsafe extern "C" fn __isoc99_fscanf(stream: *mut File, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 1, format, dialect: c99() };
        let real = reading.stream(stream, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __isoc99_vfscanf(stream: *mut File, format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(__isoc99_vfscanf as *const u8);
    let reading = Reading { call, index: 1, format, dialect: c99() };
    // SAFETY: forwards.
    unsafe { reading.stream(stream, list) }
}

pub unsafe extern "C" fn __isoc99_scanf(format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 0, format, dialect: c99() };
        let real = reading.stream(stdio::real::stdin, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __isoc99_vscanf(format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(__isoc99_vscanf as *const u8);
    let reading = Reading { call, index: 0, format, dialect: c99() };
    // SAFETY: forwards.
    unsafe { reading.stream(stdio::real::stdin, list) }
}

pub unsafe extern "C" fn __isoc23_sscanf(text: *const c_char, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 1, format, dialect: c23() };
        let real = reading.string(text, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __isoc23_vsscanf(text: *const c_char, format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(__isoc23_vsscanf as *const u8);
    let reading = Reading { call, index: 1, format, dialect: c23() };
    // SAFETY: forwards.
    unsafe { reading.string(text, list) }
}

pub unsafe extern "C" fn __isoc23_fscanf(stream: *mut File, format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 1, format, dialect: c23() };
        let real = reading.stream(stream, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __isoc23_vfscanf(stream: *mut File, format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(__isoc23_vfscanf as *const u8);
    let reading = Reading { call, index: 1, format, dialect: c23() };
    // SAFETY: forwards.
    unsafe { reading.stream(stream, list) }
}

pub unsafe extern "C" fn __isoc23_scanf(format: *const c_char, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe {
        let reading = Reading { call: start(started), index: 0, format, dialect: c23() };
        let real = reading.stream(stdio::real::stdin, &mut (*started).list);
        finish(started);
        real
    }
}

pub unsafe extern "C" fn __isoc23_vscanf(format: *const c_char, list: *mut VaList) -> c_int {
    let call = Call::take(__isoc23_vscanf as *const u8);
    let reading = Reading { call, index: 0, format, dialect: c23() };
    // SAFETY: forwards.
    unsafe { reading.stream(stdio::real::stdin, list) }
}
