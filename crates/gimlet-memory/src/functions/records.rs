//! Functions that fill a structure or a buffer of the caller's, and some that are given paths.

use core::ffi::c_int;

use super::strings::real;
use super::{functions, Call, Memory};

functions! {
    stat,
    stat64: stat,
    lstat,
    lstat64: lstat,
    fstat,
    fstat64: fstat,
    localtime_r,
    gmtime_r,
    ctime_r,
    asctime_r,
    strftime,
    modf,
    frexp,
    sigemptyset,
    sigfillset,
    inet_ntop,
    realpath,
    gethostname,
    readv,
    wctomb,
    setenv,
    chdir,
    opendir,
    rename,
}

/// A time, apart, and as a line.
const TIME_LEN: u64 = size_of::<libc::tm>() as u64;
const LINE_LEN: u64 = 26;
const STATUS_LEN: u64 = size_of::<libc::stat>() as u64;
const SIGNALS_LEN: u64 = size_of::<libc::sigset_t>() as u64;
/// Room for any address, name of a machine or character.
const TEXT_MAX: usize = 256;

real! {
    stat as real_stat(path: *const u8, to: *mut u8) -> c_int;
    lstat as real_lstat(path: *const u8, to: *mut u8) -> c_int;
    fstat as real_fstat(fd: c_int, to: *mut u8) -> c_int;
    localtime_r as real_localtime_r(time: *const u8, to: *mut u8) -> *mut u8;
    gmtime_r as real_gmtime_r(time: *const u8, to: *mut u8) -> *mut u8;
    ctime_r as real_ctime_r(time: *const u8, to: *mut u8) -> *mut u8;
    asctime_r as real_asctime_r(time: *const u8, to: *mut u8) -> *mut u8;
    strftime as real_strftime(to: *mut u8, n: usize, format: *const u8, time: *const u8) -> usize;
    modf as real_modf(value: f64, to: *mut u8) -> f64;
    frexp as real_frexp(value: f64, to: *mut u8) -> f64;
    sigemptyset as real_sigemptyset(to: *mut u8) -> c_int;
    sigfillset as real_sigfillset(to: *mut u8) -> c_int;
    inet_ntop as real_inet_ntop(family: c_int, from: *const u8, to: *mut u8, n: u32) -> *mut u8;
    realpath as real_realpath(path: *const u8, to: *mut u8) -> *mut u8;
    gethostname as real_gethostname(to: *mut u8, n: usize) -> c_int;
    readv as real_readv(fd: c_int, parts: *const libc::iovec, n: c_int) -> isize;
    wctomb as real_wctomb(to: *mut u8, wide: c_int) -> c_int;
    setenv as real_setenv(name: *const u8, value: *const u8, overwrite: c_int) -> c_int;
    chdir as real_chdir(path: *const u8) -> c_int;
    opendir as real_opendir(path: *const u8) -> *mut u8;
    rename as real_rename(from: *const u8, to: *const u8) -> c_int;
}

/// A string that the real function reads, and that may be null: then it says so.
fn look_at(string: Memory) {
    if string.address != 0 {
        string.string();
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn stat(path: *const u8, to: *mut u8) -> c_int {
    let call = Call::take(stat as *const u8);
    let (path_string, target) = (call.memory(0, path, b"stat"), call.memory(1, to, b"stat"));
    look_at(path_string);
    target.write(STATUS_LEN);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_stat(path, to) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn lstat(path: *const u8, to: *mut u8) -> c_int {
    let call = Call::take(lstat as *const u8);
    let (path_string, target) = (call.memory(0, path, b"lstat"), call.memory(1, to, b"lstat"));
    look_at(path_string);
    target.write(STATUS_LEN);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_lstat(path, to) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn fstat(fd: c_int, to: *mut u8) -> c_int {
    Call::take(fstat as *const u8).memory(1, to, b"fstat").write(STATUS_LEN);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_fstat(fd, to) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn localtime_r(time: *const u8, to: *mut u8) -> *mut u8 {
    let call = Call::take(localtime_r as *const u8);
    let (source, target) = (call.memory(0, time, b"localtime_r"), call.memory(1, to, b"localtime_r"));
    source.read(8);
    target.write(TIME_LEN);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_localtime_r(time, to) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn gmtime_r(time: *const u8, to: *mut u8) -> *mut u8 {
    let call = Call::take(gmtime_r as *const u8);
    let (source, target) = (call.memory(0, time, b"gmtime_r"), call.memory(1, to, b"gmtime_r"));
    source.read(8);
    target.write(TIME_LEN);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_gmtime_r(time, to) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn ctime_r(time: *const u8, to: *mut u8) -> *mut u8 {
    let call = Call::take(ctime_r as *const u8);
    let (source, target) = (call.memory(0, time, b"ctime_r"), call.memory(1, to, b"ctime_r"));
    source.read(8);
    target.write(LINE_LEN);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_ctime_r(time, to) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn asctime_r(time: *const u8, to: *mut u8) -> *mut u8 {
    let call = Call::take(asctime_r as *const u8);
    let (source, target) = (call.memory(0, time, b"asctime_r"), call.memory(1, to, b"asctime_r"));
    source.read(TIME_LEN);
    target.write(LINE_LEN);
    // SAFETY: the real function, on the caller's arguments.
    target.gives(unsafe { real_asctime_r(time, to) })
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn strftime(to: *mut u8, n: usize, format: *const u8, time: *const u8) -> usize {
    let call = Call::take(strftime as *const u8);
    let (target, text) = (call.memory(0, to, b"strftime"), call.memory(2, format, b"strftime"));
    let source = call.memory(3, time, b"strftime");
    let len = text.string();
    source.read(TIME_LEN);
    let room = target.room().map_or(n, |room| n.min(room as usize));
    // SAFETY: the real function, with no more room than there is.
    let n_written = unsafe { real_strftime(to, room, format, time) };
    if n_written == 0 && room < n && len > 0 {
        target.write(room as u64 + 1);
    }
    n_written
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn modf(value: f64, to: *mut u8) -> f64 {
    Call::take(modf as *const u8).memory(1, to, b"modf").write(8);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_modf(value, to) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn frexp(value: f64, to: *mut u8) -> f64 {
    Call::take(frexp as *const u8).memory(1, to, b"frexp").write(4);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_frexp(value, to) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn sigemptyset(to: *mut u8) -> c_int {
    Call::take(sigemptyset as *const u8).memory(0, to, b"sigemptyset").write(SIGNALS_LEN);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_sigemptyset(to) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn sigfillset(to: *mut u8) -> c_int {
    Call::take(sigfillset as *const u8).memory(0, to, b"sigfillset").write(SIGNALS_LEN);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_sigfillset(to) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn inet_ntop(family: c_int, from: *const u8, to: *mut u8, n: u32) -> *mut u8 {
    let target = Call::take(inet_ntop as *const u8).memory(2, to, b"inet_ntop");
    let mut text = [0u8; TEXT_MAX];
    // SAFETY: the real function, on the caller's arguments, first with enough room.
    unsafe {
        if !real_inet_ntop(family, from, text.as_mut_ptr(), TEXT_MAX as u32).is_null() {
            let len = libc::strlen(text.as_ptr().cast()) as u64 + 1;
            if len <= n.into() {
                target.write(len);
            }
        }
        target.gives(real_inet_ntop(family, from, to, n))
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn realpath(path: *const u8, to: *mut u8) -> *mut u8 {
    let call = Call::take(realpath as *const u8);
    let (path_string, target) = (call.memory(0, path, b"realpath"), call.memory(1, to, b"realpath"));
    look_at(path_string);
    // SAFETY: the real function, which allocates first to say how long the path is, and then has the caller's arguments.
    unsafe {
        let made = real_realpath(path, core::ptr::null_mut());
        if to.is_null() || made.is_null() {
            return Memory::at(made as u64, b"realpath").gives(made);
        }
        target.write(libc::strlen(made.cast()) as u64 + 1);
        libc::free(made.cast());
        target.gives(real_realpath(path, to))
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn gethostname(to: *mut u8, n: usize) -> c_int {
    let target = Call::take(gethostname as *const u8).memory(0, to, b"gethostname");
    let mut text = [0u8; TEXT_MAX];
    // SAFETY: the real function, on the caller's arguments, first with enough room.
    unsafe {
        if real_gethostname(text.as_mut_ptr(), TEXT_MAX) == 0 {
            target.write((libc::strlen(text.as_ptr().cast()) + 1).min(n) as u64);
        }
        real_gethostname(to, n)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn readv(fd: c_int, parts: *const libc::iovec, n: c_int) -> isize {
    let call = Call::take(readv as *const u8);
    call.memory(1, parts, b"readv").read(u64::from(n.max(0) as u32) * size_of::<libc::iovec>() as u64);
    // SAFETY: the real function, on the caller's arguments.
    let n_read = unsafe { real_readv(fd, parts, n) };
    let mut rest = n_read.max(0) as usize;
    for index in 0..n.max(0) as usize {
        // SAFETY: there are so many.
        let part = unsafe { *parts.add(index) };
        let n_here = rest.min(part.iov_len);
        rest -= n_here;
        Memory::at(part.iov_base as u64, b"readv").write(n_here as u64);
    }
    n_read
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn wctomb(to: *mut u8, wide: c_int) -> c_int {
    let target = Call::take(wctomb as *const u8).memory(0, to, b"wctomb");
    let mut text = [0u8; TEXT_MAX];
    // SAFETY: the real function, on the caller's arguments, first with enough room.
    unsafe {
        if !to.is_null() {
            target.write(real_wctomb(text.as_mut_ptr(), wide).max(0) as u64);
        }
        real_wctomb(to, wide)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn setenv(name: *const u8, value: *const u8, overwrite: c_int) -> c_int {
    let call = Call::take(setenv as *const u8);
    let strings = [call.memory(0, name, b"setenv"), call.memory(1, value, b"setenv")];
    strings.into_iter().for_each(look_at);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_setenv(name, value, overwrite) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn chdir(path: *const u8) -> c_int {
    look_at(Call::take(chdir as *const u8).memory(0, path, b"chdir"));
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_chdir(path) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn opendir(path: *const u8) -> *mut u8 {
    look_at(Call::take(opendir as *const u8).memory(0, path, b"opendir"));
    // SAFETY: the real function, on the caller's arguments.
    let made = unsafe { real_opendir(path) };
    Memory::at(made as u64, b"opendir").gives(made)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn rename(from: *const u8, to: *const u8) -> c_int {
    let call = Call::take(rename as *const u8);
    let strings = [call.memory(0, from, b"rename"), call.memory(1, to, b"rename")];
    strings.into_iter().for_each(look_at);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_rename(from, to) }
}
