//! The printf family: strings among the arguments, and how much is written.

use core::ffi::c_int;

use gimlet_trace::memory::tls;

use super::{functions, variadic, Call, Memory};

functions! {
    vprintf,
    vfprintf,
    vsprintf,
    vsnprintf,
}

variadic! {
    printf: printf(1),
    fprintf: fprintf(2),
    sprintf: sprintf(2),
    snprintf: snprintf(3),
}

extern "C" {
    #[link_name = "vprintf"]
    fn real_vprintf(format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "vfprintf"]
    fn real_vfprintf(stream: *mut u8, format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "vsnprintf"]
    fn real_vsnprintf(to: *mut u8, n: usize, format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "vsprintf"]
    fn real_vsprintf(to: *mut u8, format: *const u8, list: *mut VaList) -> c_int;
}

/// The `va_list` of the System V ABI for x86-64.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct VaList {
    gp_offset: u32,
    fp_offset: u32,
    pub overflow: u64,
    pub save_area: u64,
}

/// What `variadic!` hands over.
#[repr(C)]
pub struct Started {
    pub list: VaList,
    pub callee: *const u8,
}

impl VaList {
    /// The next integer or pointer.
    ///
    /// # Safety
    /// There must be one.
    pub unsafe fn next(&mut self) -> u64 {
        let at = if self.gp_offset < 48 {
            self.gp_offset += 8;
            self.save_area + u64::from(self.gp_offset) - 8
        } else {
            self.overflow += 8;
            self.overflow - 8
        };
        // SAFETY: an argument is there.
        unsafe { (at as *const u64).read() }
    }

    /// The bits of the next number with a point; of a long one those of its fraction.
    ///
    /// # Safety
    /// There must be one.
    unsafe fn next_float(&mut self, is_long: bool) -> u64 {
        let at = if is_long {
            self.overflow = self.overflow.next_multiple_of(16) + 16;
            self.overflow - 16
        } else if self.fp_offset < 176 {
            self.fp_offset += 16;
            self.save_area + u64::from(self.fp_offset) - 16
        } else {
            self.overflow += 8;
            self.overflow - 8
        };
        // SAFETY: an argument is there.
        unsafe { (at as *const u64).read() }
    }
}

impl Directive {
    /// What is printed of an integer; addresses are not told.
    fn told(&self, value: u64) -> u64 {
        match (self.conversion, self.length) {
            (b'p' | b's' | b'S', _) => 0,
            (_, b'H') => value & 0xff,
            (_, b'h') => value & 0xffff,
            (_, b'l' | b'L' | b'z') => value,
            _ => value & 0xffff_ffff,
        }
    }
}

/// A directive of a format.
pub struct Directive {
    pub conversion: u8,
    /// Length modifiers: 'h', 'H' for hh, 'l', 'L' for ll or q, 'D' for L, 'z' for j, z and t; 0 for none.
    pub length: u8,
    pub width: Option<u64>,
    pub precision: Option<u64>,
    /// '*': of printf the width is an argument, of scanf nothing is assigned.
    pub has_star: bool,
    /// The precision is an argument.
    pub precision_is_argument: bool,
    /// Arguments are named by number.
    pub is_positional: bool,
}

/// The next directive of a format at `at`, which is moved behind it.
///
/// # Safety
/// `at` must be in a string.
pub unsafe fn directive(at: &mut *const u8) -> Option<Directive> {
    // SAFETY: no further than the zero at the end.
    unsafe {
        while **at != b'%' {
            if **at == 0 {
                return None;
            }
            *at = at.add(1);
        }
        *at = at.add(1);
        let mut found = Directive {
            conversion: 0,
            length: 0,
            width: None,
            precision: None,
            has_star: false,
            precision_is_argument: false,
            is_positional: false,
        };
        let number = |at: &mut *const u8| {
            let mut value = None;
            while (**at).is_ascii_digit() {
                value = Some(value.unwrap_or(0u64).saturating_mul(10).saturating_add(u64::from(**at - b'0')));
                *at = at.add(1);
            }
            value
        };
        loop {
            match **at {
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'I' => *at = at.add(1),
                b'0' if found.width.is_none() => *at = at.add(1),
                b'*' => {
                    found.has_star = true;
                    *at = at.add(1);
                }
                b'1'..=b'9' => found.width = number(at),
                b'$' => {
                    found.is_positional = true;
                    *at = at.add(1);
                }
                b'.' => {
                    *at = at.add(1);
                    if **at == b'*' {
                        found.precision_is_argument = true;
                        *at = at.add(1);
                    } else {
                        found.precision = number(at).or(Some(0));
                    }
                }
                b'h' => {
                    found.length = if found.length == b'h' { b'H' } else { b'h' };
                    *at = at.add(1);
                }
                b'l' => {
                    found.length = if found.length == b'l' { b'L' } else { b'l' };
                    *at = at.add(1);
                }
                b'q' => {
                    found.length = b'L';
                    *at = at.add(1);
                }
                b'L' => {
                    found.length = b'D';
                    *at = at.add(1);
                }
                b'j' | b'z' | b't' => {
                    found.length = b'z';
                    *at = at.add(1);
                }
                0 => return None,
                conversion => {
                    found.conversion = conversion;
                    *at = at.add(1);
                    return Some(found);
                }
            }
        }
    }
}

/// Where the arguments behind a format come from.
#[derive(Clone, Copy)]
struct Given {
    list: VaList,
    /// The call that they are arguments of, and the number of the first one. A list has come a longer way.
    call: Option<(Call, u32)>,
    name: &'static [u8],
}

impl Given {
    /// The pointer that was argument `number` behind the format.
    fn memory(self, address: u64, number: u32) -> Memory {
        match self.call {
            Some((call, first)) if first + number < tls::ARGS_MAX => {
                call.memory(first + number, address as *const u8, self.name)
            }
            _ => Memory::at(address, self.name),
        }
    }
}

/// Checks the strings that a format names, and tells what is printed; those that lie in `target` are told apart from it.
unsafe fn check(format: Memory, given: Given, target: Option<(Memory, u64)>) {
    format.string();
    let mut at = format.address as *const u8;
    let mut list = given.list;
    let mut number = 0;
    // SAFETY: the format is a string, and names the arguments that are there.
    unsafe {
        while let Some(found) = directive(&mut at) {
            if found.is_positional {
                return;
            }
            if found.has_star {
                list.next();
                number += 1;
            }
            let mut precision = found.precision;
            if found.precision_is_argument {
                precision = u64::try_from(list.next() as i32).ok();
                number += 1;
            }
            number += u32::from(!matches!(found.conversion, b'%' | b'm'));
            match found.conversion {
                b'%' | b'm' => {}
                b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                    format.decides([list.next_float(found.length == b'D')]);
                }
                b's' if found.length == 0 => {
                    let text = list.next();
                    // The library writes "(null)" for null.
                    if text == 0 {
                        continue;
                    }
                    let text = given.memory(text, number - 1);
                    let n = text.string_within(precision.unwrap_or(u64::MAX));
                    if let Some((target, written)) = target {
                        let is_apart = text.address + n < target.address || target.address + written < text.address + 1;
                        if !is_apart {
                            target.fail(crate::report::Error::Overlap, crate::report::Access::Write, written);
                        }
                    }
                }
                b'n' => {
                    let n = match found.length {
                        b'H' => 1,
                        b'h' => 2,
                        b'l' | b'L' | b'z' => 8,
                        _ => 4,
                    };
                    given.memory(list.next(), number - 1).write(n);
                }
                _ => format.decides([found.told(list.next())]),
            }
        }
    }
}

/// Writes to `to`, `n` bytes at most if that is said.
unsafe fn write(to: Memory, n: Option<usize>, format: Memory, list: *mut VaList, given: Given) -> c_int {
    // SAFETY: the caller's arguments; every function that takes a list uses it up.
    unsafe {
        let mut copy = *list;
        check(format, given, None);
        let len = real_vsnprintf(core::ptr::null_mut(), 0, format.address as *const u8, &mut copy);
        if len >= 0 {
            let written = (len as u64 + 1).min(n.map_or(u64::MAX, |n| n as u64));
            to.write(written);
            if written > 0 {
                check(format, given, Some((to, written)));
            }
        }
        match n {
            Some(n) => real_vsnprintf(to.address as *mut u8, n, format.address as *const u8, list),
            None => real_vsprintf(to.address as *mut u8, format.address as *const u8, list),
        }
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vprintf(format: *const u8, list: *mut VaList) -> c_int {
    let text = Call::take(vprintf as *const u8).memory(0, format, b"vprintf");
    // SAFETY: the caller's arguments.
    unsafe {
        check(text, Given { list: *list, call: None, name: b"vprintf" }, None);
        real_vprintf(format, list)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vfprintf(stream: *mut u8, format: *const u8, list: *mut VaList) -> c_int {
    let text = Call::take(vfprintf as *const u8).memory(1, format, b"vfprintf");
    // SAFETY: the caller's arguments.
    unsafe {
        check(text, Given { list: *list, call: None, name: b"vfprintf" }, None);
        real_vfprintf(stream, format, list)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vsprintf(to: *mut u8, format: *const u8, list: *mut VaList) -> c_int {
    let call = Call::take(vsprintf as *const u8);
    let (to, format) = (call.memory(0, to, b"vsprintf"), call.memory(1, format, b"vsprintf"));
    // SAFETY: the caller's arguments.
    unsafe { write(to, None, format, list, Given { list: *list, call: None, name: b"vsprintf" }) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vsnprintf(to: *mut u8, n: usize, format: *const u8, list: *mut VaList) -> c_int {
    let call = Call::take(vsnprintf as *const u8);
    let (to, format) = (call.memory(0, to, b"vsnprintf"), call.memory(2, format, b"vsnprintf"));
    // SAFETY: the caller's arguments.
    unsafe { write(to, Some(n), format, list, Given { list: *list, call: None, name: b"vsnprintf" }) }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn printf(format: *const u8, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let call = Call::take((*started).callee);
        let given = Given { list: (*started).list, call: Some((call, 1)), name: b"printf" };
        check(call.memory(0, format, b"printf"), given, None);
        real_vprintf(format, &mut (*started).list)
    }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn fprintf(stream: *mut u8, format: *const u8, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let call = Call::take((*started).callee);
        let given = Given { list: (*started).list, call: Some((call, 2)), name: b"fprintf" };
        check(call.memory(1, format, b"fprintf"), given, None);
        real_vfprintf(stream, format, &mut (*started).list)
    }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn sprintf(to: *mut u8, format: *const u8, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let call = Call::take((*started).callee);
        let given = Given { list: (*started).list, call: Some((call, 2)), name: b"sprintf" };
        let (to, format) = (call.memory(0, to, b"sprintf"), call.memory(1, format, b"sprintf"));
        write(to, None, format, &mut (*started).list, given)
    }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn snprintf(to: *mut u8, n: usize, format: *const u8, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let call = Call::take((*started).callee);
        let given = Given { list: (*started).list, call: Some((call, 3)), name: b"snprintf" };
        let (to, format) = (call.memory(0, to, b"snprintf"), call.memory(2, format, b"snprintf"));
        write(to, Some(n), format, &mut (*started).list, given)
    }
}
