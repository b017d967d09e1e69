//! The printf family: strings among the arguments, and how much is written.

use core::ffi::c_int;

use gimlet_libc::format::is_float;
use gimlet_libc::printf::Amount;
use gimlet_libc::{Format, Length, Started, VaList};
use gimlet_trace::memory::tls;

use super::{functions, variadic, Call, Memory};
use crate::report::{Access, Error};

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

unsafe extern "C" {
    #[link_name = "vprintf"]
    fn real_vprintf(format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "vfprintf"]
    fn real_vfprintf(stream: *mut u8, format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "vsnprintf"]
    fn real_vsnprintf(to: *mut u8, n: usize, format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "vsprintf"]
    fn real_vsprintf(to: *mut u8, format: *const u8, list: *mut VaList) -> c_int;
}

/// The next argument of a list: an integer or a pointer.
///
/// # Safety
/// There must be one.
pub unsafe fn next_argument(list: &mut VaList) -> u64 {
    // SAFETY: an argument is there.
    unsafe { (list.integer() as *const u64).read() }
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
    let mut list = given.list;
    let mut number = 0;
    // SAFETY: the format is a string, and names the arguments that are there.
    unsafe {
        let mut text = Format::in_memory(format.address);
        while text.find_directive() {
            let found = text.printf();
            if found.is_positional || found.conversion == 0 {
                return;
            }
            if found.width == Amount::Argument {
                next_argument(&mut list);
                number += 1;
            }
            let precision = match found.precision {
                Amount::None => None,
                Amount::Number(precision) => Some(precision),
                Amount::Argument => {
                    number += 1;
                    u64::try_from(next_argument(&mut list) as i32).ok()
                }
            };
            number += u32::from(!matches!(found.conversion, b'%' | b'm'));
            match found.conversion {
                b'%' | b'm' => {}
                conversion if is_float(conversion) => {
                    // Of a long one the fraction.
                    let is_long = found.length == Length::LongDouble;
                    let at = if is_long { list.long_double() } else { list.double() };
                    format.decides([(at as *const u64).read()]);
                }
                b's' if !found.length.is_wide() => {
                    let address = next_argument(&mut list);
                    // The library writes "(null)" for null.
                    if address != 0 {
                        string(given.memory(address, number - 1), precision, target);
                    }
                }
                b'n' => given.memory(next_argument(&mut list), number - 1).write(found.length.bytes()),
                _ => format.decides([found.printed(next_argument(&mut list))]),
            }
        }
    }
}

/// Checks a string that is printed.
fn string(text: Memory, precision: Option<u64>, target: Option<(Memory, u64)>) {
    let n = text.string_within(precision.unwrap_or(u64::MAX));
    if let Some((target, written)) = target {
        let is_apart = text.address + n < target.address || target.address + written < text.address + 1;
        if !is_apart {
            target.fail(Error::Overlap, Access::Write, written);
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
