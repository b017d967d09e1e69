//! Strings.

use core::ffi::c_int;

use super::{functions, Call, Memory};

functions! {
    strlen,
    strnlen,
    strcpy,
    stpcpy,
    strncpy,
    stpncpy,
    strcat,
    strncat,
    strcmp,
    strcoll: strcmp_by_locale,
    strncmp,
    strcasecmp,
    strncasecmp,
    strchr,
    strchrnul,
    strrchr,
    index: strchr,
    rindex: strrchr,
    strstr,
    strcasestr,
    strpbrk,
    strspn,
    strcspn,
    strtok,
    strtok_r,
    __strtok_r: strtok_r,
    strsep,
    strdup,
    __strdup: strdup,
    strndup,
    __strndup: strndup,
}

/// Declares real functions: `real_NAME` is `NAME`.
macro_rules! real {
    ($($name:ident as $real:ident($($param:ident: $ty:ty),*) -> $ret:ty;)*) => {
        unsafe extern "C" {
            $(#[link_name = stringify!($name)]
            fn $real($($param: $ty),*) -> $ret;)*
        }
    };
}

pub(super) use real;

real! {
    strcpy as real_strcpy(to: *mut u8, from: *const u8) -> *mut u8;
    stpcpy as real_stpcpy(to: *mut u8, from: *const u8) -> *mut u8;
    strncpy as real_strncpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
    stpncpy as real_stpncpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
    strcat as real_strcat(to: *mut u8, from: *const u8) -> *mut u8;
    strncat as real_strncat(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
    strcmp as real_strcmp(a: *const u8, b: *const u8) -> c_int;
    strcoll as real_strcoll(a: *const u8, b: *const u8) -> c_int;
    strncmp as real_strncmp(a: *const u8, b: *const u8, n: usize) -> c_int;
    strcasecmp as real_strcasecmp(a: *const u8, b: *const u8) -> c_int;
    strncasecmp as real_strncasecmp(a: *const u8, b: *const u8, n: usize) -> c_int;
    strrchr as real_strrchr(at: *const u8, byte: c_int) -> *mut u8;
    strstr as real_strstr(at: *const u8, part: *const u8) -> *mut u8;
    strcasestr as real_strcasestr(at: *const u8, part: *const u8) -> *mut u8;
    strpbrk as real_strpbrk(at: *const u8, set: *const u8) -> *mut u8;
    strspn as real_strspn(at: *const u8, set: *const u8) -> usize;
    strcspn as real_strcspn(at: *const u8, set: *const u8) -> usize;
    strtok as real_strtok(at: *mut u8, set: *const u8) -> *mut u8;
    strtok_r as real_strtok_r(at: *mut u8, set: *const u8, rest: *mut *mut u8) -> *mut u8;
    strsep as real_strsep(at: *mut *mut u8, set: *const u8) -> *mut u8;
    strdup as real_strdup(at: *const u8) -> *mut u8;
    strndup as real_strndup(at: *const u8, n: usize) -> *mut u8;
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strlen(at: *const u8) -> usize {
    Call::take(strlen as *const u8).memory(0, at, b"strlen").string() as usize
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strnlen(at: *const u8, n: usize) -> usize {
    Call::take(strnlen as *const u8).memory(0, at, b"strnlen").string_within(n as u64) as usize
}

/// What a function needs that copies a string to the beginning of `to`.
fn copies(call: Call, to: *mut u8, from: *const u8, name: &'static [u8]) -> Memory {
    let (target, source) = (call.memory(0, to, name), call.memory(1, from, name));
    let n = source.string() + 1;
    target.write(n);
    if target.address == source.address {
        return target;
    }
    target.apart(source, n);
    target
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    let target = copies(Call::take(strcpy as *const u8), to, from, b"strcpy");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_strcpy(to, from) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn stpcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    let target = copies(Call::take(stpcpy as *const u8), to, from, b"stpcpy");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_stpcpy(to, from) })
}

/// What a function needs that fills `n` bytes with a string.
fn fills(call: Call, to: *mut u8, from: *const u8, n: usize, name: &'static [u8]) -> Memory {
    let (target, source) = (call.memory(0, to, name), call.memory(1, from, name));
    let len = source.string_within(n as u64);
    target.write(n as u64);
    target.apart(source, (len + 1).min(n as u64));
    target
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strncpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    let target = fills(Call::take(strncpy as *const u8), to, from, n, b"strncpy");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_strncpy(to, from, n) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn stpncpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    let target = fills(Call::take(stpncpy as *const u8), to, from, n, b"stpncpy");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_stpncpy(to, from, n) })
}

/// What a function needs that appends so much of a string.
fn appends(call: Call, to: *mut u8, from: *const u8, max: u64, name: &'static [u8]) -> Memory {
    let (target, source) = (call.memory(0, to, name), call.memory(1, from, name));
    let at = target.string();
    let n = source.string_within(max);
    target.behind(at).write(n + 1);
    target.behind(at).apart(source, n + 1);
    target
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strcat(to: *mut u8, from: *const u8) -> *mut u8 {
    let target = appends(Call::take(strcat as *const u8), to, from, u64::MAX, b"strcat");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_strcat(to, from) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strncat(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    let target = appends(Call::take(strncat as *const u8), to, from, n as u64, b"strncat");
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_strncat(to, from, n) })
}

/// What a function needs that compares two strings, as far as they are equal and `n` bytes go.
fn compares(call: Call, a: *const u8, b: *const u8, n: u64, is_equal: impl Fn(u8, u8) -> bool, name: &'static [u8]) {
    let (left, right) = (call.memory(0, a, name), call.memory(1, b, name));
    // SAFETY: each byte is looked at when it is known to be there, as far as anybody knows.
    let byte = |memory: Memory, at: u64| unsafe { (memory.address.wrapping_add(at) as *const u8).read() };
    let (left_room, right_room) = (left.room(), right.room());
    if n > 0 {
        left.read(1);
        right.read(1);
    }
    let limit = left_room.unwrap_or(u64::MAX).min(right_room.unwrap_or(u64::MAX)).min(n);
    for at in 0..limit {
        let (x, y) = (byte(left, at), byte(right, at));
        if x == 0 || y == 0 || !is_equal(x, y) {
            return left.decides([at, (x == 0).into(), (y == 0).into(), (x > y).into()]);
        }
    }
    left.decides([limit]);
    if limit < n {
        let short = if left_room == Some(limit) { left } else { right };
        short.string_within(limit + 1);
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strcmp(a: *const u8, b: *const u8) -> c_int {
    compares(Call::take(strcmp as *const u8), a, b, u64::MAX, |x, y| x == y, b"strcmp");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strcmp(a, b) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strcmp_by_locale(a: *const u8, b: *const u8) -> c_int {
    let call = Call::take(strcmp_by_locale as *const u8);
    let (left, right) = (call.memory(0, a, b"strcoll"), call.memory(1, b, b"strcoll"));
    left.string();
    right.string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strcoll(a, b) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strncmp(a: *const u8, b: *const u8, n: usize) -> c_int {
    compares(Call::take(strncmp as *const u8), a, b, n as u64, |x, y| x == y, b"strncmp");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strncmp(a, b, n) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strcasecmp(a: *const u8, b: *const u8) -> c_int {
    let call = Call::take(strcasecmp as *const u8);
    compares(call, a, b, u64::MAX, |x, y| x.eq_ignore_ascii_case(&y), b"strcasecmp");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strcasecmp(a, b) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strncasecmp(a: *const u8, b: *const u8, n: usize) -> c_int {
    let call = Call::take(strncasecmp as *const u8);
    compares(call, a, b, n as u64, |x, y| x.eq_ignore_ascii_case(&y), b"strncasecmp");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strncasecmp(a, b, n) }
}

/// The first such byte of a string, or its end.
fn find_byte(memory: Memory, byte: c_int) -> (*mut u8, bool) {
    let at = memory.until(u64::MAX, |it| it == 0 || it == byte as u8);
    let found = (memory.address + at) as *mut u8;
    // SAFETY: it was read just now.
    (found, unsafe { found.read() } == byte as u8)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strchr(at: *const u8, byte: c_int) -> *mut u8 {
    let memory = Call::take(strchr as *const u8).memory(0, at, b"strchr");
    let (found, is_it) = find_byte(memory, byte);
    memory.gives(if is_it { found } else { core::ptr::null_mut() })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strchrnul(at: *const u8, byte: c_int) -> *mut u8 {
    let memory = Call::take(strchrnul as *const u8).memory(0, at, b"strchrnul");
    memory.gives(find_byte(memory, byte).0)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strrchr(at: *const u8, byte: c_int) -> *mut u8 {
    let memory = Call::take(strrchr as *const u8).memory(0, at, b"strrchr");
    memory.string();
    // SAFETY: the real function, on the caller's arguments.
    memory.gives(unsafe { real_strrchr(at, byte) })
}

/// Two strings, the first of which the result is in.
fn two(call: Call, at: *const u8, other: *const u8, name: &'static [u8]) -> Memory {
    let (memory, other) = (call.memory(0, at, name), call.memory(1, other, name));
    memory.string();
    other.string();
    memory
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strstr(at: *const u8, part: *const u8) -> *mut u8 {
    let memory = two(Call::take(strstr as *const u8), at, part, b"strstr");
    // SAFETY: the real function, on the caller's arguments.
    memory.gives(unsafe { real_strstr(at, part) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strcasestr(at: *const u8, part: *const u8) -> *mut u8 {
    let memory = two(Call::take(strcasestr as *const u8), at, part, b"strcasestr");
    // SAFETY: the real function, on the caller's arguments.
    memory.gives(unsafe { real_strcasestr(at, part) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strpbrk(at: *const u8, set: *const u8) -> *mut u8 {
    let memory = two(Call::take(strpbrk as *const u8), at, set, b"strpbrk");
    // SAFETY: the real function, on the caller's arguments.
    memory.gives(unsafe { real_strpbrk(at, set) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strspn(at: *const u8, set: *const u8) -> usize {
    two(Call::take(strspn as *const u8), at, set, b"strspn");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strspn(at, set) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strcspn(at: *const u8, set: *const u8) -> usize {
    two(Call::take(strcspn as *const u8), at, set, b"strcspn");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strcspn(at, set) }
}

/// The string that is to be divided, if one is given, and where.
fn divides(call: Call, at: *mut u8, set: *const u8, name: &'static [u8]) {
    let (memory, other) = (call.memory(0, at, name), call.memory(1, set, name));
    if !at.is_null() {
        memory.string();
    }
    other.string();
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strtok(at: *mut u8, set: *const u8) -> *mut u8 {
    divides(Call::take(strtok as *const u8), at, set, b"strtok");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strtok(at, set) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strtok_r(at: *mut u8, set: *const u8, rest: *mut *mut u8) -> *mut u8 {
    divides(Call::take(strtok_r as *const u8), at, set, b"strtok_r");
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strtok_r(at, set, rest) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strsep(at: *mut *mut u8, set: *const u8) -> *mut u8 {
    let call = Call::take(strsep as *const u8);
    let (place, other) = (call.memory(0, at, b"strsep"), call.memory(1, set, b"strsep"));
    place.write(8);
    other.string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strsep(at, set) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strdup(at: *const u8) -> *mut u8 {
    Call::take(strdup as *const u8).memory(0, at, b"strdup").string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strdup(at) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strndup(at: *const u8, n: usize) -> *mut u8 {
    Call::take(strndup as *const u8).memory(0, at, b"strndup").string_within(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_strndup(at, n) }
}
