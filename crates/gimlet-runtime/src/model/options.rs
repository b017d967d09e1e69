//! getopt and its family on a symbolic command line.
//!
//! Before the real function runs, a [`Parser`] goes the way that it will go, on
//! terms: whether an argument is an option, whether its letter is a known one and
//! takes an argument, which long name it is or abbreviates; each is a branch. The
//! letter stays an expression, which the program's own `switch` decides by. What
//! the library keeps between calls (the letter to come, the operands that it has
//! passed over) can't be asked for, so it is kept here as well, and what comes out
//! is compared with what the real function gave.

use core::ffi::{c_char, c_int};

use gimlet_trace::event::PinReason;

use crate::shadow;
use crate::state::active;
use crate::term::Term;

use super::{models, on_demand, Call, Model};

models! {
    getopt,
    __posix_getopt,
    getopt_long,
    getopt_long_only,
}

on_demand! {
    getopt,
    getopt_long,
    getopt_long_only,
    __posix_getopt,
    optarg,
    opterr,
    optind,
    optopt,
}

/// A long option as the program declares it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LongOption {
    name: *const c_char,
    has_arg: c_int,
    flag: *mut c_int,
    val: c_int,
}

/// The library's own.
mod real {
    use super::{c_char, c_int, LongOption};

    unsafe extern "C" {
        pub static mut optarg: *mut c_char;
        pub static mut optind: c_int;
        pub static mut optopt: c_int;
        pub fn getopt(argc: c_int, argv: *const *mut c_char, letters: *const c_char) -> c_int;
        pub fn __posix_getopt(argc: c_int, argv: *const *mut c_char, letters: *const c_char) -> c_int;
        pub fn getopt_long(
            argc: c_int,
            argv: *const *mut c_char,
            letters: *const c_char,
            long: *const LongOption,
            index: *mut c_int,
        ) -> c_int;
        pub fn getopt_long_only(
            argc: c_int,
            argv: *const *mut c_char,
            letters: *const c_char,
            long: *const LongOption,
            index: *mut c_int,
        ) -> c_int;
    }
}

/// What to do about operands between options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Pass over them and move them to the end.
    Permute,
    /// Stop.
    End,
    /// Give them out as options with the number 1.
    Report,
}

/// What the library keeps between calls.
#[derive(Clone, Copy)]
struct Scan {
    started: bool,
    operands: Operands,
    /// Where the next letter of a bundle is; 0 if an argument begins.
    next: u64,
    /// The operands passed over: from and up to these arguments.
    first: c_int,
    last: c_int,
    /// `optopt` as the library knows it.
    unknown: Term,
}

static mut SCAN: Scan = Scan {
    started: false,
    operands: Operands::Permute,
    next: 0,
    first: 0,
    last: 0,
    unknown: Term { label: gimlet_trace::Label::NONE, value: 0, width: 32 },
};

/// What a letter is to the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Unknown,
    Flag,
    Argument,
    OptionalArgument,
    /// `W;`: what follows is a long option.
    Long,
}

/// What an argument is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Operand,
    /// `--`
    End,
    /// `-x`
    Short,
    /// `--x`
    Double,
}

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Request {
    argc: c_int,
    argv: *const *mut c_char,
    letters: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
    long_only: bool,
    posix: bool,
}

/// A call on terms.
struct Parser<'a> {
    model: &'a Model,
    request: Request,
    /// The letters without what begins with `+` or `-`.
    letters: &'a [u8],
    scan: Scan,
    /// `optind` and `optarg`.
    index: c_int,
    argument: u64,
    /// A long option was found: its index is written, and its flag.
    found: Option<LongOption>,
}

const QUESTION: Term = Term { label: gimlet_trace::Label::NONE, value: b'?' as u64, width: 32 };

fn number(value: c_int) -> Term {
    Term::constant(value as u32 as u64, 32)
}

impl Parser<'_> {
    /// Argument `index`, whose address is not to depend on the input.
    unsafe fn text(&self, index: c_int) -> u64 {
        // SAFETY: below `argc`.
        unsafe {
            let place = self.request.argv.add(index as usize) as u64;
            let text = self.model.load(place, 8);
            self.model.pin(text, PinReason::Address);
            text.value
        }
    }

    unsafe fn is(&self, at: u64, byte: u8) -> bool {
        // SAFETY: in a string.
        self.model.branch(unsafe { self.model.byte(at) }.is(byte.into()))
    }

    unsafe fn kind(&self, index: c_int) -> Kind {
        // SAFETY: in a string, and behind a character only if that is not its end.
        unsafe {
            let text = self.text(index);
            if !self.is(text, b'-') || self.is(text + 1, 0) {
                Kind::Operand
            } else if !self.is(text + 1, b'-') {
                Kind::Short
            } else if self.is(text + 2, 0) {
                Kind::End
            } else {
                Kind::Double
            }
        }
    }

    /// The first mention of a letter counts.
    fn letter(&self, letter: u8) -> Letter {
        if letter == b':' || letter == b';' {
            return Letter::Unknown;
        }
        let Some(at) = self.letters.iter().position(|&known| known == letter) else { return Letter::Unknown };
        let after = |distance: usize| self.letters.get(at + distance).copied().unwrap_or(0);
        match (after(1), after(2)) {
            (b';', _) if letter == b'W' && !self.request.long.is_null() => Letter::Long,
            (b':', b':') => Letter::OptionalArgument,
            (b':', _) => Letter::Argument,
            _ => Letter::Flag,
        }
    }

    /// True if the term is one of the characters for which `is_it` holds.
    fn is_one(&self, term: Term, is_it: impl Fn(u8) -> bool) -> bool {
        if !term.is_symbolic() {
            return is_it(term.value as u8);
        }
        let any = (1..=255).filter(|&byte| is_it(byte)).map(|byte| term.is(byte.into())).reduce(|any, one| any | one);
        any.is_some_and(|any| self.model.branch(any))
    }

    /// The next option, or what else the function returns.
    unsafe fn next(&mut self) -> Term {
        // SAFETY: the strings of the command line.
        unsafe {
            self.argument = 0;
            if self.index == 0 || !self.scan.started {
                self.start();
            }
            let goes_on = self.scan.next != 0 && (self.scan.next as *const u8).read() != 0;
            if !goes_on && let Some(result) = self.begin_argument() {
                return result;
            }
            self.short()
        }
    }

    fn start(&mut self) {
        self.index = self.index.max(1);
        // SAFETY: asks only; a string of the program.
        let (posix, sign) = unsafe {
            let posix = self.request.posix || !libc::getenv(c"POSIXLY_CORRECT".as_ptr()).is_null();
            (posix, self.request.letters.cast::<u8>().read())
        };
        let operands = match sign {
            b'-' => Operands::Report,
            b'+' => Operands::End,
            _ if posix => Operands::End,
            _ => Operands::Permute,
        };
        let (first, last) = (self.index, self.index);
        self.scan = Scan { started: true, operands, next: 0, first, last, ..self.scan };
    }

    /// Operands passed over change places with the options behind them.
    fn exchange(&mut self) {
        self.scan.first += self.index - self.scan.last;
        self.scan.last = self.index;
    }

    /// Goes to the next argument that is an option. What the function returns, unless that is its first letter.
    unsafe fn begin_argument(&mut self) -> Option<Term> {
        self.scan.last = self.scan.last.min(self.index);
        self.scan.first = self.scan.first.min(self.index);
        if self.scan.operands == Operands::Permute {
            if self.scan.first != self.scan.last && self.scan.last != self.index {
                self.exchange();
            } else if self.scan.last != self.index {
                self.scan.first = self.index;
            }
        }
        // SAFETY: below `argc`.
        let kind = unsafe { self.pass_operands() };
        if kind == Some(Kind::End) {
            self.index += 1;
            if self.scan.first != self.scan.last && self.scan.last != self.index {
                self.exchange();
            } else if self.scan.first == self.scan.last {
                self.scan.first = self.index;
            }
            self.scan.last = self.request.argc;
            self.index = self.request.argc;
        }
        if self.index == self.request.argc {
            if self.scan.first != self.scan.last {
                self.index = self.scan.first;
            }
            return Some(number(-1));
        }
        // SAFETY: below `argc`.
        let text = unsafe { self.text(self.index) };
        if kind == Some(Kind::Operand) {
            if self.scan.operands == Operands::End {
                return Some(number(-1));
            }
            self.argument = text;
            self.index += 1;
            return Some(number(1));
        }
        // SAFETY: in the string: it begins with `-` and another character.
        unsafe { self.begin_option(text, kind == Some(Kind::Double)) }
    }

    /// What the next argument is that counts, if there is one.
    unsafe fn pass_operands(&mut self) -> Option<Kind> {
        let mut kind = None;
        while self.index < self.request.argc {
            // SAFETY: below `argc`.
            let here = unsafe { self.kind(self.index) };
            kind = Some(here);
            if here != Kind::Operand || self.scan.operands != Operands::Permute {
                break;
            }
            self.index += 1;
        }
        if self.scan.operands == Operands::Permute {
            self.scan.last = self.index;
        }
        kind.filter(|_| self.index < self.request.argc)
    }

    unsafe fn begin_option(&mut self, text: u64, double: bool) -> Option<Term> {
        // SAFETY: in a string that is longer than one character.
        unsafe {
            if !self.request.long.is_null() {
                if double {
                    self.scan.next = text + 2;
                    return self.long(self.request.long_only, true);
                }
                let known =
                    |parser: &Self| parser.is_one(parser.model.byte(text + 1), |byte| parser.letters.contains(&byte));
                if self.request.long_only && (!self.is(text + 2, 0) || !known(self)) {
                    self.scan.next = text + 1;
                    if let Some(result) = self.long(true, false) {
                        return Some(result);
                    }
                }
            }
            self.scan.next = text + 1;
            None
        }
    }

    /// An argument is missing.
    fn missing(&mut self, option: Term) -> Term {
        self.scan.unknown = option;
        if self.letters.first() == Some(&b':') {
            number(b':'.into())
        } else {
            QUESTION
        }
    }

    /// The letter at `next`.
    unsafe fn short(&mut self) -> Term {
        // SAFETY: in a string, at a character that is not its end.
        unsafe {
            let letter = self.model.byte(self.scan.next);
            let rest = self.scan.next + 1;
            let ends = self.is(rest, 0);
            self.scan.next = if ends { 0 } else { rest };
            self.index += c_int::from(ends);
            let option = letter.sign_extend(32);
            if !self.is_one(letter, |byte| self.letter(byte) != Letter::Unknown) {
                self.scan.unknown = option;
                return QUESTION;
            }
            let kinds = [Letter::Long, Letter::OptionalArgument, Letter::Argument];
            match kinds.into_iter().find(|&kind| self.is_one(letter, |byte| self.letter(byte) == kind)) {
                Some(Letter::Long) => return self.short_long(option, rest, ends),
                Some(Letter::OptionalArgument) => {
                    self.take_rest(rest, ends);
                }
                Some(Letter::Argument) => return self.short_argument(option, rest, ends),
                _ => {}
            }
            option
        }
    }

    /// The rest of the argument belongs to the option, if there is one.
    fn take_rest(&mut self, rest: u64, ends: bool) -> bool {
        self.scan.next = 0;
        if !ends {
            self.argument = rest;
            self.index += 1;
        }
        !ends
    }

    /// The option's argument is the rest, or else the next argument.
    unsafe fn short_argument(&mut self, option: Term, rest: u64, ends: bool) -> Term {
        if self.take_rest(rest, ends) {
            return option;
        }
        if self.index == self.request.argc {
            return self.missing(option);
        }
        // SAFETY: below `argc`.
        self.argument = unsafe { self.text(self.index) };
        self.index += 1;
        option
    }

    /// `-W name`
    unsafe fn short_long(&mut self, option: Term, rest: u64, ends: bool) -> Term {
        if ends && self.index == self.request.argc {
            return self.missing(option);
        }
        // SAFETY: below `argc`.
        unsafe {
            self.scan.next = if ends { self.text(self.index) } else { rest };
            self.long(false, true).unwrap_or(QUESTION)
        }
    }

    /// Length of the long name at `next`.
    unsafe fn name_len(&self) -> u64 {
        // SAFETY: in a string.
        unsafe {
            let at = |index: u64| self.model.byte(self.scan.next + index);
            let ends = |&index: &u64| self.model.branch(at(index).is(0) | at(index).is(b'='.into()));
            (0..).find(ends).unwrap_or(0)
        }
    }

    /// True if the first `len` characters of the argument are those of `name`.
    unsafe fn is_name(&self, name: &[u8], len: u64) -> bool {
        // SAFETY: in a string.
        unsafe {
            let at = |index: u64| self.model.byte(self.scan.next + index);
            let pairs = || (0..len).map(|index| (at(index), name[index as usize]));
            if pairs().any(|(term, byte)| !term.is_symbolic() && term.value != u64::from(byte)) {
                return false;
            }
            self.model.branch(pairs().map(|(term, byte)| term.is(byte.into())).fold(Term::TRUE, |all, one| all & one))
        }
    }

    unsafe fn long_options(&self) -> &'static [LongOption] {
        // SAFETY: ends with an entry without a name.
        unsafe {
            let count = (0..).find(|&index| (*self.request.long.add(index)).name.is_null()).unwrap_or(0);
            core::slice::from_raw_parts(self.request.long, count)
        }
    }

    /// The option that is named or abbreviated; an error if there are several.
    unsafe fn find_long(&self, len: u64, long_only: bool) -> Result<Option<LongOption>, ()> {
        // SAFETY: the program's table.
        unsafe {
            let options = self.long_options();
            let name = |option: &LongOption| core::ffi::CStr::from_ptr(option.name).to_bytes();
            let is_exact = |option: &&LongOption| name(option).len() as u64 == len && self.is_name(name(option), len);
            if let Some(exact) = options.iter().find(is_exact) {
                return Ok(Some(*exact));
            }
            let is_longer = |option: &&LongOption| name(option).len() as u64 > len && self.is_name(name(option), len);
            let mut found: Option<LongOption> = None;
            let mut is_ambiguous = false;
            for option in options.iter().filter(is_longer) {
                let what = |option: &LongOption| (option.has_arg, option.flag, option.val);
                match &found {
                    None => found = Some(*option),
                    Some(first) => is_ambiguous |= long_only || what(first) != what(option),
                }
            }
            if is_ambiguous {
                Err(())
            } else {
                Ok(found)
            }
        }
    }

    /// The long option at `next`; `None` if it is to be taken for a short one. `double`: that is out of the question.
    unsafe fn long(&mut self, long_only: bool, double: bool) -> Option<Term> {
        // SAFETY: in a string.
        unsafe {
            let start = self.scan.next;
            let len = self.name_len();
            let has_value = self.is(start + len, b'=') || !self.is(start + len, 0);
            let found = self.find_long(len, long_only);
            if let Ok(None) = found {
                let known =
                    |parser: &Self| parser.is_one(parser.model.byte(start), |byte| parser.letters.contains(&byte));
                if long_only && !double && known(self) {
                    return None;
                }
            }
            self.scan.next = 0;
            self.index += 1;
            let Ok(Some(option)) = found else {
                self.scan.unknown = Term::constant(0, 32);
                return Some(QUESTION);
            };
            if has_value && option.has_arg == 0 {
                self.scan.unknown = number(option.val);
                return Some(QUESTION);
            }
            if has_value {
                self.argument = start + len + 1;
            } else if option.has_arg == 1 {
                if self.index >= self.request.argc {
                    return Some(self.missing(number(option.val)));
                }
                self.argument = self.text(self.index);
                self.index += 1;
            }
            self.found = Some(option);
            Some(if option.flag.is_null() { number(option.val) } else { Term::constant(0, 32) })
        }
    }
}

/// What a call is going to do.
struct Forecast {
    result: Term,
    scan: Scan,
    index: c_int,
    argument: u64,
    found: Option<LongOption>,
}

unsafe fn forecast(model: &Model, request: Request) -> Forecast {
    // SAFETY: what the program gave to the real function.
    unsafe {
        model.pin(model.argument(0, request.argc as u64, 32), PinReason::Argument);
        model.address(1, request.argv as u64);
        model.address(2, request.letters as u64);
        model.pin(model.load(core::ptr::addr_of!(real::optind) as u64, 4), PinReason::Argument);
        let letters = core::ffi::CStr::from_ptr(request.letters).to_bytes();
        for at in 0..=letters.len() as u64 {
            model.pin(model.byte(request.letters as u64 + at), PinReason::Argument);
        }
        let letters = letters.strip_prefix(b"-").or(letters.strip_prefix(b"+")).unwrap_or(letters);
        let (scan, index) = (SCAN, real::optind);
        let mut parser = Parser { model, request, letters, scan, index, argument: 0, found: None };
        let result = parser.next();
        let Parser { scan, index, argument, found, .. } = parser;
        Forecast { result, scan, index, argument, found }
    }
}

unsafe fn follow(call: Call, request: Request, real: impl FnOnce() -> c_int) -> c_int {
    if !active() || request.argc < 1 {
        return real();
    }
    // SAFETY: what the program gave to the real function.
    unsafe {
        let forecast = call.follow().map(|model| forecast(&model, request));
        let result = real();
        let (Some(model), Some(forecast)) = (call.follow(), forecast) else { return result };
        SCAN = forecast.scan;
        shadow::clear(core::ptr::addr_of!(real::optind) as u64, 4);
        shadow::clear(core::ptr::addr_of!(real::optarg) as u64, 8);
        if let Some(option) = forecast.found {
            for written in [request.index, option.flag].into_iter().filter(|written| !written.is_null()) {
                shadow::clear(written as u64, 4);
            }
        }
        let agrees = (real::optind, real::optarg as u64) == (forecast.index, forecast.argument);
        if !agrees || result as u32 as u64 != forecast.result.value {
            model.lost();
            return result;
        }
        model.stored(core::ptr::addr_of!(real::optopt) as u64, forecast.scan.unknown);
        model.answer(forecast.result, result as u64);
        result
    }
}

pub unsafe extern "C" fn getopt(argc: c_int, argv: *const *mut c_char, letters: *const c_char) -> c_int {
    let call = Call::take(getopt as *const u8);
    let (long, index) = (core::ptr::null(), core::ptr::null_mut());
    let request = Request { argc, argv, letters, long, index, long_only: false, posix: false };
    // SAFETY: forwards.
    unsafe { follow(call, request, || real::getopt(argc, argv, letters)) }
}

/// What `getopt` is called in programs that ask for POSIX alone.
pub unsafe extern "C" fn __posix_getopt(argc: c_int, argv: *const *mut c_char, letters: *const c_char) -> c_int {
    let call = Call::take(__posix_getopt as *const u8);
    let (long, index) = (core::ptr::null(), core::ptr::null_mut());
    let request = Request { argc, argv, letters, long, index, long_only: false, posix: true };
    // SAFETY: forwards.
    unsafe { follow(call, request, || real::__posix_getopt(argc, argv, letters)) }
}

pub unsafe extern "C" fn getopt_long(
    argc: c_int,
    argv: *const *mut c_char,
    letters: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    let call = Call::take(getopt_long as *const u8);
    let request = Request { argc, argv, letters, long, index, long_only: false, posix: false };
    // SAFETY: forwards.
    unsafe { follow(call, request, || real::getopt_long(argc, argv, letters, long, index)) }
}

pub unsafe extern "C" fn getopt_long_only(
    argc: c_int,
    argv: *const *mut c_char,
    letters: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    let call = Call::take(getopt_long_only as *const u8);
    let request = Request { argc, argv, letters, long, index, long_only: true, posix: false };
    // SAFETY: forwards.
    unsafe { follow(call, request, || real::getopt_long_only(argc, argv, letters, long, index)) }
}
