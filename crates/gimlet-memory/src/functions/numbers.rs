//! Numbers in strings: they are read up to the first byte that is not part of one, and that one.

use core::ffi::c_int;

use super::{functions, Call};
use crate::report::{Access, Error};

functions! {
    atoi,
    atol,
    atoll: atol,
    atof,
    strtol,
    strtoll: strtol,
    strtoul,
    strtoull: strtoul,
    strtod,
    strtof,
}

unsafe extern "C" {
    #[link_name = "strtol"]
    fn real_strtol(at: *const u8, end: *mut *mut u8, base: c_int) -> i64;
    #[link_name = "strtoul"]
    fn real_strtoul(at: *const u8, end: *mut *mut u8, base: c_int) -> u64;
    #[link_name = "strtod"]
    fn real_strtod(at: *const u8, end: *mut *mut u8) -> f64;
    #[link_name = "strtof"]
    fn real_strtof(at: *const u8, end: *mut *mut u8) -> f32;
}

/// Reads a number with `convert`, which is given where to put the end of it.
unsafe fn convert<T>(
    call: Call,
    at: *const u8,
    end: *mut *mut u8,
    name: &'static [u8],
    convert: impl FnOnce(*mut *mut u8) -> T,
) -> T {
    let memory = call.memory(0, at, name);
    let place = call.memory(1, end, name);
    memory.read(1);
    let mut behind = core::ptr::null_mut();
    let value = convert(&mut behind);
    let n = (behind as u64).saturating_sub(memory.address);
    memory.decides_by((n + 1).min(memory.room().unwrap_or(u64::MAX)));
    if memory.room().is_some_and(|room| n >= room) {
        memory.fail(Error::UnterminatedString, Access::Read, n + 1);
    }
    if !end.is_null() {
        place.write(8);
        // SAFETY: the caller's place for a pointer.
        unsafe {
            end.write(behind);
            crate::shadow::referent(end as u64).write(crate::tls::pack(memory.id, behind as u64));
        }
    }
    value
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strtol(at: *const u8, end: *mut *mut u8, base: c_int) -> i64 {
    // SAFETY: the real function, on the caller's arguments.
    unsafe { convert(Call::take(strtol as *const u8), at, end, b"strtol", |end| real_strtol(at, end, base)) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strtoul(at: *const u8, end: *mut *mut u8, base: c_int) -> u64 {
    // SAFETY: the real function, on the caller's arguments.
    unsafe { convert(Call::take(strtoul as *const u8), at, end, b"strtoul", |end| real_strtoul(at, end, base)) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strtod(at: *const u8, end: *mut *mut u8) -> f64 {
    // SAFETY: the real function, on the caller's arguments.
    unsafe { convert(Call::take(strtod as *const u8), at, end, b"strtod", |end| real_strtod(at, end)) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strtof(at: *const u8, end: *mut *mut u8) -> f32 {
    // SAFETY: the real function, on the caller's arguments.
    unsafe { convert(Call::take(strtof as *const u8), at, end, b"strtof", |end| real_strtof(at, end)) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn atol(at: *const u8) -> i64 {
    let none = core::ptr::null_mut();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { convert(Call::take(atol as *const u8), at, none, b"atol", |end| real_strtol(at, end, 10)) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn atoi(at: *const u8) -> c_int {
    let none = core::ptr::null_mut();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { convert(Call::take(atoi as *const u8), at, none, b"atoi", |end| real_strtol(at, end, 10)) as c_int }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn atof(at: *const u8) -> f64 {
    let none = core::ptr::null_mut();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { convert(Call::take(atof as *const u8), at, none, b"atof", |end| real_strtod(at, end)) }
}
