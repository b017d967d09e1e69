//! Stretches of memory.

use core::ffi::c_int;

use super::{functions, Call};
use crate::fresh::is_filling;
use crate::shadow;

functions! {
    memcpy,
    memmove,
    mempcpy,
    __mempcpy: mempcpy,
    memset,
    memcmp,
    bcmp,
    memchr,
    memrchr,
    memmem,
    memccpy,
    bcopy,
    bzero,
    explicit_bzero,
    swab,
}

// The first three are the program's, if it has them: those stay native. By their plain names compilers call the library's
// (`runtime.rs` of `gimlet-cc`).
unsafe extern "C" {
    #[link_name = "gimlet_real_memcpy"]
    fn real_memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
    #[link_name = "gimlet_real_memmove"]
    fn real_memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
    #[link_name = "gimlet_real_memset"]
    fn real_memset(to: *mut u8, byte: c_int, n: usize) -> *mut u8;
    #[link_name = "memcmp"]
    fn real_memcmp(a: *const u8, b: *const u8, n: usize) -> c_int;
    #[link_name = "memrchr"]
    fn real_memrchr(at: *const u8, byte: c_int, n: usize) -> *mut u8;
    #[link_name = "memmem"]
    fn real_memmem(at: *const u8, n: usize, part: *const u8, n_part: usize) -> *mut u8;
    #[link_name = "memccpy"]
    fn real_memccpy(to: *mut u8, from: *const u8, byte: c_int, n: usize) -> *mut u8;
    #[link_name = "swab"]
    fn real_swab(from: *const u8, to: *mut u8, n: isize);
}

/// Copies memory that must not overlap.
unsafe fn copy(to: *mut u8, from: *const u8, n: usize, call: Call, name: &'static [u8], behind: usize) -> *mut u8 {
    let (target, source) = (call.memory(0, to, name), call.memory(1, from, name));
    target.write(n as u64);
    source.read(n as u64);
    target.apart(source, n as u64);
    shadow::copy_referents(to as u64, from as u64, n as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe {
        real_memcpy(to, from, n);
        target.gives(to.add(behind))
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's arguments.
    unsafe { copy(to, from, n, Call::take(memcpy as *const u8), b"memcpy", 0) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn mempcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's arguments.
    unsafe { copy(to, from, n, Call::take(mempcpy as *const u8), b"mempcpy", n) }
}

unsafe fn move_bytes(to: *mut u8, from: *const u8, n: usize, call: Call, first: u32, name: &'static [u8]) -> *mut u8 {
    let (target, source) = (call.memory(first, to, name), call.memory(1 - first, from, name));
    target.write(n as u64);
    source.read(n as u64);
    shadow::copy_referents(to as u64, from as u64, n as u64);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_memmove(to, from, n) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's arguments.
    unsafe { move_bytes(to, from, n, Call::take(memmove as *const u8), 0, b"memmove") }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn bcopy(from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's arguments.
    unsafe { move_bytes(to, from, n, Call::take(bcopy as *const u8), 1, b"bcopy") };
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memset(to: *mut u8, byte: c_int, n: usize) -> *mut u8 {
    let target = Call::take(memset as *const u8).memory(0, to, b"memset");
    target.write(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_memset(to, byte, n) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn bzero(to: *mut u8, n: usize) {
    Call::take(bzero as *const u8).memory(0, to, b"bzero").write(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_memset(to, 0, n) };
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn explicit_bzero(to: *mut u8, n: usize) {
    Call::take(explicit_bzero as *const u8).memory(0, to, b"explicit_bzero").write(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_memset(to, 0, n) };
}

unsafe fn compare(a: *const u8, b: *const u8, n: usize, call: Call, name: &'static [u8]) -> c_int {
    let (left, right) = (call.memory(0, a, name), call.memory(1, b, name));
    left.read(n as u64);
    right.read(n as u64);
    // SAFETY: the real function, on the caller's arguments, and bytes that it reads.
    unsafe {
        if is_filling() {
            let at = (0..n).find(|&at| *a.add(at) != *b.add(at)).unwrap_or(n);
            left.decides([at as u64, (at < n && *a.add(at) > *b.add(at)).into()]);
        }
        real_memcmp(a, b, n)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { compare(a, b, n, Call::take(memcmp as *const u8), b"memcmp") }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, n: usize) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { compare(a, b, n, Call::take(bcmp as *const u8), b"bcmp") }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memchr(at: *const u8, byte: c_int, n: usize) -> *mut u8 {
    let memory = Call::take(memchr as *const u8).memory(0, at, b"memchr");
    // Where the byte is found before the end of the object, more may be asked for.
    let found = memory.until(n as u64, |it| it == byte as u8);
    let result = if found < n as u64 { at.wrapping_add(found as usize).cast_mut() } else { core::ptr::null_mut() };
    memory.gives(result)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memrchr(at: *const u8, byte: c_int, n: usize) -> *mut u8 {
    let memory = Call::take(memrchr as *const u8).memory(0, at, b"memrchr");
    memory.read(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    let found = unsafe { real_memrchr(at, byte, n) };
    memory.decides([(found as u64).saturating_sub(memory.address), found.is_null().into()]);
    memory.gives(found)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memmem(at: *const u8, n: usize, part: *const u8, n_part: usize) -> *mut u8 {
    let call = Call::take(memmem as *const u8);
    let (memory, other) = (call.memory(0, at, b"memmem"), call.memory(2, part, b"memmem"));
    memory.read(n as u64);
    other.read(n_part as u64);
    // SAFETY: the real function, on the caller's arguments.
    let found = unsafe { real_memmem(at, n, part, n_part) };
    memory.decides([(found as u64).saturating_sub(memory.address), found.is_null().into()]);
    memory.gives(found)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn memccpy(to: *mut u8, from: *const u8, byte: c_int, n: usize) -> *mut u8 {
    let call = Call::take(memccpy as *const u8);
    let (target, source) = (call.memory(0, to, b"memccpy"), call.memory(1, from, b"memccpy"));
    let copied = (source.until(n as u64, |it| it == byte as u8) + 1).min(n as u64);
    target.write(copied);
    target.apart(source, copied);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_memccpy(to, from, byte, n) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn swab(from: *const u8, to: *mut u8, n: isize) {
    let call = Call::take(swab as *const u8);
    let (source, target) = (call.memory(0, from, b"swab"), call.memory(1, to, b"swab"));
    let even = n.max(0) as u64 & !1;
    source.read(even);
    target.write(even);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_swab(from, to, n) };
}
