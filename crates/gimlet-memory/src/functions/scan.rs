//! The scanf family: what was assigned is checked when it has been.

use core::ffi::c_int;

use gimlet_libc::{Format, Started, VaList};

use super::format::next_argument;
use super::{functions, variadic, Call, Memory};

functions! {
    vscanf,
    vfscanf,
    vsscanf,
    __isoc99_vscanf: vscanf,
    __isoc99_vfscanf: vfscanf,
    __isoc99_vsscanf: vsscanf,
}

variadic! {
    scanf: scanf(1),
    fscanf: fscanf(2),
    sscanf: sscanf(2),
    __isoc99_scanf: scanf(1),
    __isoc99_fscanf: fscanf(2),
    __isoc99_sscanf: sscanf(2),
}

unsafe extern "C" {
    #[link_name = "__isoc99_vscanf"]
    fn real_vscanf(format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "__isoc99_vfscanf"]
    fn real_vfscanf(stream: *mut u8, format: *const u8, list: *mut VaList) -> c_int;
    #[link_name = "__isoc99_vsscanf"]
    fn real_vsscanf(text: *const u8, format: *const u8, list: *mut VaList) -> c_int;
}

/// Checks what the first `n_assigned` conversions have written.
unsafe fn check(format: Memory, mut list: VaList, n_assigned: c_int, name: &'static [u8]) {
    let mut n_left = n_assigned;
    // SAFETY: the format is a string, and names the arguments that are there.
    unsafe {
        let mut text = Format::in_memory(format.address);
        while text.find_directive() {
            let found = text.scanf(false);
            if found.conversion == b'[' {
                text.set(|_| ());
            }
            if found.is_positional || found.conversion == 0 || n_left <= 0 {
                return;
            }
            if found.conversion == b'%' || found.is_suppressed {
                continue;
            }
            let target = Memory::at(next_argument(&mut list), name);
            let n = match found.conversion {
                _ if found.allocates => 8,
                _ if found.is_text() && found.length.is_wide() => 0,
                // What was written ends with a zero, wherever that is.
                b's' | b'[' => real_length(target.address) + 1,
                b'c' => found.width.unwrap_or(1),
                _ => found.n_bytes(),
            };
            target.write(n);
            n_left -= c_int::from(found.conversion != b'n');
        }
    }
}

unsafe extern "C" {
    fn strlen(at: *const u8) -> usize;
}

fn real_length(address: u64) -> u64 {
    // SAFETY: scanf has put a zero there.
    unsafe { strlen(address as *const u8) as u64 }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vscanf(format: *const u8, list: *mut VaList) -> c_int {
    let text = Call::take(vscanf as *const u8).memory(0, format, b"scanf");
    // SAFETY: the caller's arguments.
    unsafe { scan(text, list, b"scanf", |list| real_vscanf(format, list)) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vfscanf(stream: *mut u8, format: *const u8, list: *mut VaList) -> c_int {
    let text = Call::take(vfscanf as *const u8).memory(1, format, b"fscanf");
    // SAFETY: the caller's arguments.
    unsafe { scan(text, list, b"fscanf", |list| real_vfscanf(stream, format, list)) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vsscanf(from: *const u8, format: *const u8, list: *mut VaList) -> c_int {
    let call = Call::take(vsscanf as *const u8);
    let (source, text) = (call.memory(0, from, b"sscanf"), call.memory(1, format, b"sscanf"));
    source.string();
    // SAFETY: the caller's arguments.
    unsafe { scan(text, list, b"sscanf", |list| real_vsscanf(from, format, list)) }
}

unsafe fn scan(
    format: Memory,
    list: *mut VaList,
    name: &'static [u8],
    real: impl FnOnce(*mut VaList) -> c_int,
) -> c_int {
    format.string();
    // SAFETY: the caller's arguments.
    unsafe {
        let copy = *list;
        let n_assigned = real(list);
        check(format, copy, n_assigned, name);
        n_assigned
    }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn scanf(format: *const u8, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let text = Call::take((*started).callee).memory(0, format, b"scanf");
        scan(text, &mut (*started).list, b"scanf", |list| real_vscanf(format, list))
    }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn fscanf(stream: *mut u8, format: *const u8, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let text = Call::take((*started).callee).memory(1, format, b"fscanf");
        scan(text, &mut (*started).list, b"fscanf", |list| real_vfscanf(stream, format, list))
    }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn sscanf(from: *const u8, format: *const u8, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let call = Call::take((*started).callee);
        let (source, text) = (call.memory(0, from, b"sscanf"), call.memory(1, format, b"sscanf"));
        source.string();
        scan(text, &mut (*started).list, b"sscanf", |list| real_vsscanf(from, format, list))
    }
}
