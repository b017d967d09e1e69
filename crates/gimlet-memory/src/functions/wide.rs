//! Strings of wide characters.

use core::ffi::c_int;

use gimlet_libc::{Started, VaList};

use super::strings::real;
use super::{functions, variadic, Call, Memory};
use crate::fresh::is_filling;
use crate::report::{Access, Error};
use crate::shadow;

functions! {
    wmemcpy,
    wmemmove,
    wmemset,
    wmemcmp,
    wcslen,
    wcsnlen,
    wcscpy,
    wcsncpy,
    wcscat,
    wcsncat,
    wcscmp,
    wcsncmp,
    wcschr,
    wcsrchr,
    wcsstr,
    wcsdup,
    fgetws,
    mbstowcs,
    wcstombs,
    vswprintf,
}

variadic! {
    swprintf: swprintf(3),
}

/// A wide character.
type Wide = c_int;
const WIDTH: u64 = size_of::<Wide>() as u64;

real! {
    wmemcpy as real_wmemcpy(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide;
    wmemmove as real_wmemmove(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide;
    wmemset as real_wmemset(to: *mut Wide, wide: c_int, n: usize) -> *mut Wide;
    wmemcmp as real_wmemcmp(a: *const Wide, b: *const Wide, n: usize) -> c_int;
    wcscpy as real_wcscpy(to: *mut Wide, from: *const Wide) -> *mut Wide;
    wcsncpy as real_wcsncpy(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide;
    wcscat as real_wcscat(to: *mut Wide, from: *const Wide) -> *mut Wide;
    wcsncat as real_wcsncat(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide;
    wcscmp as real_wcscmp(a: *const Wide, b: *const Wide) -> c_int;
    wcsncmp as real_wcsncmp(a: *const Wide, b: *const Wide, n: usize) -> c_int;
    wcschr as real_wcschr(at: *const Wide, wide: c_int) -> *mut Wide;
    wcsrchr as real_wcsrchr(at: *const Wide, wide: c_int) -> *mut Wide;
    wcsstr as real_wcsstr(at: *const Wide, part: *const Wide) -> *mut Wide;
    wcsdup as real_wcsdup(at: *const Wide) -> *mut Wide;
    getwc as real_getwc(stream: *mut u8) -> c_int;
    vswprintf as real_vswprintf(to: *mut Wide, n: usize, format: *const Wide, list: *mut VaList) -> c_int;
    fgetws as real_fgetws(to: *mut Wide, n: c_int, stream: *mut u8) -> *mut Wide;
    mbstowcs as real_mbstowcs(to: *mut Wide, from: *const u8, n: usize) -> usize;
    wcstombs as real_wcstombs(to: *mut u8, from: *const Wide, n: usize) -> usize;
}

/// So many characters, in bytes.
fn bytes(n: u64) -> u64 {
    n.saturating_mul(WIDTH)
}

/// The characters before the end of a string, of `max` at most.
fn length(string: Memory, max: u64) -> u64 {
    let limit = string.limit(bytes(max)) / WIDTH;
    for n in 0..limit {
        // SAFETY: inside the object; of memory that nobody knows the real function would read as much.
        if unsafe { ((string.address + n * WIDTH) as *const Wide).read_unaligned() } == 0 {
            string.decides([n]);
            return n;
        }
    }
    string.decides([limit]);
    if limit < max {
        string.fail(Error::UnterminatedString, Access::Read, bytes(limit + 1));
    }
    limit
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wmemcpy(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide {
    let call = Call::take(wmemcpy as *const u8);
    let (target, source) = (call.memory(0, to, b"wmemcpy"), call.memory(1, from, b"wmemcpy"));
    let n_bytes = bytes(n as u64);
    target.write(n_bytes);
    source.read(n_bytes);
    target.apart(source, n_bytes);
    shadow::copy_referents(to as u64, from as u64, n_bytes);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_wmemcpy(to, from, n) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wmemmove(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide {
    let call = Call::take(wmemmove as *const u8);
    let (target, source) = (call.memory(0, to, b"wmemmove"), call.memory(1, from, b"wmemmove"));
    let n_bytes = bytes(n as u64);
    target.write(n_bytes);
    source.read(n_bytes);
    shadow::copy_referents(to as u64, from as u64, n_bytes);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_wmemmove(to, from, n) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wmemset(to: *mut Wide, wide: c_int, n: usize) -> *mut Wide {
    let target = Call::take(wmemset as *const u8).memory(0, to, b"wmemset");
    target.write(bytes(n as u64));
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_wmemset(to, wide, n) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wmemcmp(a: *const Wide, b: *const Wide, n: usize) -> c_int {
    let call = Call::take(wmemcmp as *const u8);
    let sides = [call.memory(0, a, b"wmemcmp"), call.memory(1, b, b"wmemcmp")];
    sides.into_iter().for_each(|side| side.read(bytes(n as u64)));
    // SAFETY: the real function, on the caller's arguments, and characters that it reads.
    unsafe {
        if is_filling() {
            let at = (0..n).find(|&at| *a.add(at) != *b.add(at)).unwrap_or(n);
            sides[0].decides([at as u64, (at < n && *a.add(at) > *b.add(at)).into()]);
        }
        real_wmemcmp(a, b, n)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcslen(at: *const Wide) -> usize {
    length(Call::take(wcslen as *const u8).memory(0, at, b"wcslen"), u64::MAX) as usize
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcsnlen(at: *const Wide, n: usize) -> usize {
    length(Call::take(wcsnlen as *const u8).memory(0, at, b"wcsnlen"), n as u64) as usize
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcscpy(to: *mut Wide, from: *const Wide) -> *mut Wide {
    let call = Call::take(wcscpy as *const u8);
    let (target, source) = (call.memory(0, to, b"wcscpy"), call.memory(1, from, b"wcscpy"));
    let n_bytes = bytes(length(source, u64::MAX) + 1);
    target.write(n_bytes);
    target.apart(source, n_bytes);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_wcscpy(to, from) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcsncpy(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide {
    let call = Call::take(wcsncpy as *const u8);
    let (target, source) = (call.memory(0, to, b"wcsncpy"), call.memory(1, from, b"wcsncpy"));
    let len = length(source, n as u64);
    target.write(bytes(n as u64));
    target.apart(source, bytes((len + 1).min(n as u64)));
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_wcsncpy(to, from, n) })
}

/// What a function needs that appends so much of a string.
fn appends(call: Call, to: *mut Wide, from: *const Wide, max: u64, name: &'static [u8]) -> Memory {
    let (target, source) = (call.memory(0, to, name), call.memory(1, from, name));
    let end = target.behind(bytes(length(target, u64::MAX)));
    let n_bytes = bytes(length(source, max) + 1);
    end.write(n_bytes);
    end.apart(source, n_bytes);
    target
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcscat(to: *mut Wide, from: *const Wide) -> *mut Wide {
    let target = appends(Call::take(wcscat as *const u8), to, from, u64::MAX, b"wcscat");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_wcscat(to, from) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcsncat(to: *mut Wide, from: *const Wide, n: usize) -> *mut Wide {
    let target = appends(Call::take(wcsncat as *const u8), to, from, n as u64, b"wcsncat");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_wcsncat(to, from, n) })
}

/// What a function needs that compares two strings, as far as they are equal and `max` characters go.
fn compares(call: Call, a: *const Wide, b: *const Wide, max: u64, name: &'static [u8]) {
    let sides = [call.memory(0, a, name), call.memory(1, b, name)];
    for n in 0..max {
        let here = sides.map(|side| side.behind(bytes(n)));
        here.into_iter().for_each(|side| side.read(WIDTH));
        // SAFETY: each is there, as far as anybody knows.
        let [x, y] = here.map(|side| unsafe { (side.address as *const Wide).read_unaligned() });
        if x == 0 || x != y {
            return sides[0].decides([n, (x == 0).into(), (x > y).into()]);
        }
    }
    sides[0].decides([max]);
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcscmp(a: *const Wide, b: *const Wide) -> c_int {
    compares(Call::take(wcscmp as *const u8), a, b, u64::MAX, b"wcscmp");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_wcscmp(a, b) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcsncmp(a: *const Wide, b: *const Wide, n: usize) -> c_int {
    compares(Call::take(wcsncmp as *const u8), a, b, n as u64, b"wcsncmp");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_wcsncmp(a, b, n) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcschr(at: *const Wide, wide: c_int) -> *mut Wide {
    let string = Call::take(wcschr as *const u8).memory(0, at, b"wcschr");
    length(string, u64::MAX);
    // SAFETY: the real function, on the caller's arguments.
    string.gives(unsafe { real_wcschr(at, wide) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcsrchr(at: *const Wide, wide: c_int) -> *mut Wide {
    let string = Call::take(wcsrchr as *const u8).memory(0, at, b"wcsrchr");
    length(string, u64::MAX);
    // SAFETY: the real function, on the caller's arguments.
    string.gives(unsafe { real_wcsrchr(at, wide) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcsstr(at: *const Wide, part: *const Wide) -> *mut Wide {
    let call = Call::take(wcsstr as *const u8);
    let (string, part_string) = (call.memory(0, at, b"wcsstr"), call.memory(1, part, b"wcsstr"));
    length(string, u64::MAX);
    length(part_string, u64::MAX);
    // SAFETY: the real function, on the caller's arguments.
    string.gives(unsafe { real_wcsstr(at, part) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcsdup(at: *const Wide) -> *mut Wide {
    length(Call::take(wcsdup as *const u8).memory(0, at, b"wcsdup"), u64::MAX);
    // SAFETY: the real function, on the caller's arguments.
    let copy = unsafe { real_wcsdup(at) };
    Memory::at(copy as u64, b"wcsdup").gives(copy)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn fgetws(to: *mut Wide, n: c_int, stream: *mut u8) -> *mut Wide {
    let target = Call::take(fgetws as *const u8).memory(0, to, b"fgetws");
    let n_wide = u64::try_from(n).unwrap_or(0);
    if target.room().is_none_or(|room| bytes(n_wide) <= room) {
        // SAFETY: the real function, on the caller's arguments.
        return target.gives(unsafe { real_fgetws(to, n, stream) });
    }
    // Too much is promised: one at a time, as nobody else counts.
    let mut n_read = 0;
    // SAFETY: a stream of the caller's; each character is checked before it is written.
    unsafe {
        while n_read + 1 < n_wide {
            let wide = real_getwc(stream);
            if wide == -1 {
                break;
            }
            target.write(bytes(n_read + 1));
            to.add(n_read as usize).write(wide);
            n_read += 1;
            if wide == c_int::from(b'\n') {
                break;
            }
        }
        if n_read == 0 {
            return target.gives(core::ptr::null_mut());
        }
        target.write(bytes(n_read + 1));
        to.add(n_read as usize).write(0);
    }
    target.gives(to)
}

/// Writes what a format says; `n` characters at most.
unsafe fn write(to: Memory, n: usize, format: *const Wide, list: *mut VaList) -> c_int {
    let n_room = to.room().map_or(n, |room| n.min((room / WIDTH) as usize));
    if n > 0 && n_room == 0 {
        to.write(WIDTH);
    }
    // SAFETY: the caller's arguments; no more is written than there is room.
    let n_written = unsafe { real_vswprintf(to.address as *mut Wide, n_room, format, list) };
    if n_written < 0 && n_room < n {
        to.write(bytes(n_room as u64 + 1));
    }
    n_written
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn vswprintf(to: *mut Wide, n: usize, format: *const Wide, list: *mut VaList) -> c_int {
    let call = Call::take(vswprintf as *const u8);
    let (to, text) = (call.memory(0, to, b"vswprintf"), call.memory(2, format, b"vswprintf"));
    length(text, u64::MAX);
    // SAFETY: the caller's arguments.
    unsafe { write(to, n, format, list) }
}

/// # Safety
/// Only for `variadic!`.
pub unsafe extern "C" fn swprintf(to: *mut Wide, n: usize, format: *const Wide, started: *mut Started) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let call = Call::take((*started).callee);
        let (to, text) = (call.memory(0, to, b"swprintf"), call.memory(2, format, b"swprintf"));
        length(text, u64::MAX);
        write(to, n, format, &mut (*started).list)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn mbstowcs(to: *mut Wide, from: *const u8, n: usize) -> usize {
    let call = Call::take(mbstowcs as *const u8);
    let (target, source) = (call.memory(0, to, b"mbstowcs"), call.memory(1, from, b"mbstowcs"));
    source.string();
    if !to.is_null() {
        // SAFETY: the real function, which only counts.
        let n_made = unsafe { real_mbstowcs(core::ptr::null_mut(), from, 0) };
        if n_made != usize::MAX {
            target.write(bytes((n_made as u64 + 1).min(n as u64)));
        }
    }
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_mbstowcs(to, from, n) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wcstombs(to: *mut u8, from: *const Wide, n: usize) -> usize {
    let call = Call::take(wcstombs as *const u8);
    let (target, source) = (call.memory(0, to, b"wcstombs"), call.memory(1, from, b"wcstombs"));
    length(source, u64::MAX);
    if !to.is_null() {
        // SAFETY: the real function, which only counts.
        let n_made = unsafe { real_wcstombs(core::ptr::null_mut(), from, 0) };
        if n_made != usize::MAX {
            target.write((n_made as u64 + 1).min(n as u64));
        }
    }
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_wcstombs(to, from, n) }
}
