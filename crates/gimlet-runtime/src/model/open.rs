//! Files by path: some that the program opens are input, and it gets ours in their place.
//!
//! Paths are compared as the driver wrote them: absolute, without `.` and `..`,
//! symbolic links left alone. What a path is decides what the call does, so
//! symbolic bytes of it are pinned.

use core::ffi::{c_char, c_int, c_void, CStr};
use core::ptr;

use gimlet_libc::Started;
use gimlet_trace::shm::Region;
use gimlet_trace::SourceKind;

use crate::input::{of_file, quietly};
use crate::lengths;
use crate::shadow;
use crate::state::{self, sources, Guard};

use super::variadic::{finish, pinned_argument, start, variadic};
use super::{models, Call};

models! {
    fopen,
    fopen64: fopen,
    freopen,
    freopen64: freopen,
    stat,
    stat64: stat,
    lstat,
    lstat64: lstat,
    fstat,
    fstat64: fstat,
    fstatat,
    fstatat64: fstatat,
    access,
    faccessat,
}

variadic! {
    open: open(2),
    open64: open(2),
    openat: openat(3),
    openat64: openat(3),
}

/// The library's own.
mod real {
    use super::{c_char, c_void};

    unsafe extern "C" {
        pub fn freopen(path: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void;
    }
}

const PATH_MAX: usize = libc::PATH_MAX as usize;

/// An absolute path in the making.
struct Absolute {
    bytes: [u8; PATH_MAX],
    len: usize,
}

impl Absolute {
    /// What `path` means in the directory that `directory` is open on.
    fn new(directory: c_int, path: &CStr) -> Option<Absolute> {
        let mut absolute = Absolute { bytes: [0; PATH_MAX], len: 0 };
        if path.to_bytes().first() != Some(&b'/') {
            let mut start = [0u8; PATH_MAX];
            let len = directory_path(directory, &mut start)?;
            absolute.push_all(&start[..len])?;
        }
        absolute.push_all(path.to_bytes())?;
        Some(absolute)
    }

    fn push_all(&mut self, path: &[u8]) -> Option<()> {
        path.split(|&byte| byte == b'/').try_for_each(|part| self.push(part))
    }

    fn push(&mut self, part: &[u8]) -> Option<()> {
        match part {
            b"" | b"." => {}
            b".." => self.len = self.bytes[..self.len].iter().rposition(|&byte| byte == b'/').unwrap_or(0),
            _ => {
                let room = self.bytes.get_mut(self.len..self.len + 1 + part.len())?;
                room[0] = b'/';
                room[1..].copy_from_slice(part);
                self.len += room.len();
            }
        }
        Some(())
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The path of an open directory; its length, if it is known.
fn directory_path(directory: c_int, out: &mut [u8; PATH_MAX]) -> Option<usize> {
    let mut link = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0";
    let link: &[u8] = if directory == libc::AT_FDCWD {
        b"/proc/self/cwd\0"
    } else {
        let mut digits = [0u8; 10];
        let mut number = u32::try_from(directory).ok()?;
        let mut first = digits.len();
        while number != 0 || first == digits.len() {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        link[14..14 + digits.len() - first].copy_from_slice(&digits[first..]);
        &link
    };
    // SAFETY: a C string, and room for the answer.
    let len = quietly(|| unsafe { libc::readlink(link.as_ptr().cast(), out.as_mut_ptr().cast(), PATH_MAX) });
    usize::try_from(len).ok()
}

/// The string behind a string.
unsafe fn after(text: &CStr) -> &CStr {
    // SAFETY: the caller knows that there is one.
    unsafe { CStr::from_ptr(text.as_ptr().add(text.to_bytes().len() + 1)) }
}

/// The path that the call is to use: that of an input file, if the program means one.
unsafe fn redirect(directory: c_int, path: *const c_char) -> *const c_char {
    let is_path = |kind: u32| kind == SourceKind::Path as u32;
    if path.is_null() || !sources().iter().any(|source| is_path(source.kind)) {
        return path;
    }
    // SAFETY: the program hands over a string; the driver wrote several for each of these sources, the last one empty.
    unsafe {
        let Some(wanted) = Absolute::new(directory, CStr::from_ptr(path)) else { return path };
        for source in sources().iter().filter(|source| is_path(source.kind)) {
            let file = CStr::from_ptr(state::region::<c_char>(Region::Names).add(source.index as usize));
            let mut known = after(file);
            while !known.is_empty() {
                if known.to_bytes() == wanted.text() {
                    return file.as_ptr();
                }
                known = after(known);
            }
        }
    }
    path
}

/// Argument `index` of a call is a path.
unsafe fn resolve(call: Call, directory: c_int, path: *const c_char, index: usize) -> *const c_char {
    let Some(_guard) = Guard::enter() else { return path };
    call.pin_address(index, path as u64);
    // SAFETY: as the callers say.
    unsafe {
        call.pin_text(path);
        redirect(directory, path)
    }
}

/// The descriptor that a call returns is what the kernel says of the path, which is pinned.
unsafe fn open_at(directory: c_int, path: *const c_char, index: usize, flags: c_int, started: *mut Started) -> c_int {
    // SAFETY: forwards, with another path at most; there is a mode if a file may be created.
    unsafe {
        let call = start(started);
        if let Some(_guard) = Guard::enter() {
            call.pin_number(index + 1, flags as u64);
        }
        let creates = flags & libc::O_CREAT != 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE;
        let mode = if creates { pinned_argument(call, started) as u32 } else { 0 };
        let path = resolve(call, directory, path, index);
        finish(started);
        libc::openat(directory, path, flags, mode)
    }
}

pub unsafe extern "C" fn open(path: *const c_char, flags: c_int, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe { open_at(libc::AT_FDCWD, path, 0, flags, started) }
}

pub unsafe extern "C" fn openat(directory: c_int, path: *const c_char, flags: c_int, started: *mut Started) -> c_int {
    // SAFETY: forwards.
    unsafe { open_at(directory, path, 1, flags, started) }
}

unsafe fn pin_mode(call: Call, mode: *const c_char) {
    if let Some(_guard) = Guard::enter() {
        call.pin_address(1, mode as u64);
        // SAFETY: the program hands over a string.
        unsafe { call.pin_text(mode) };
    }
}

pub unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void {
    let call = Call::take(fopen as *const u8);
    // SAFETY: forwards, with another path at most.
    unsafe {
        pin_mode(call, mode);
        libc::fopen(resolve(call, libc::AT_FDCWD, path, 0), mode).cast()
    }
}

pub unsafe extern "C" fn freopen(path: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void {
    let call = Call::take(freopen as *const u8);
    // SAFETY: forwards, with another path at most.
    unsafe {
        pin_mode(call, mode);
        real::freopen(resolve(call, libc::AT_FDCWD, path, 0), mode, stream)
    }
}

/// All forms of stat; `struct stat64` is the same on this ABI.
unsafe fn look(
    call: Call,
    directory: c_int,
    path: *const c_char,
    index: usize,
    out: *mut libc::stat,
    flags: c_int,
) -> c_int {
    // SAFETY: forwards, with another path at most.
    unsafe {
        let result = libc::fstatat(directory, resolve(call, directory, path, index), out, flags);
        looked(call, result, out);
        result
    }
}

/// A file was looked at. How large it is depends on the lengths of its stretches, if it is a source.
///
/// # Safety
/// If the result is 0, `out` must have been written.
unsafe fn looked(call: Call, result: c_int, out: *mut libc::stat) {
    let Some(model) = call.follow().filter(|_| result == 0) else { return };
    shadow::clear(out as u64, core::mem::size_of::<libc::stat>() as u64);
    if !lengths::are_there() {
        return;
    }
    // SAFETY: the caller vouches for it.
    unsafe {
        if let Some(source) = of_file(&*out) {
            let size = lengths::span_of(source, 0, (*out).st_size as u64);
            model.stored(ptr::addr_of!((*out).st_size) as u64, size);
        }
    }
}

pub unsafe extern "C" fn fstat(fd: c_int, out: *mut libc::stat) -> c_int {
    let call = Call::take_pinned(fstat as *const u8, &[fd as u64, out as u64]);
    // SAFETY: forwards.
    unsafe {
        let result = libc::fstat(fd, out);
        looked(call, result, out);
        result
    }
}

pub unsafe extern "C" fn stat(path: *const c_char, out: *mut libc::stat) -> c_int {
    // SAFETY: forwards.
    unsafe { look(Call::take(stat as *const u8), libc::AT_FDCWD, path, 0, out, 0) }
}

pub unsafe extern "C" fn lstat(path: *const c_char, out: *mut libc::stat) -> c_int {
    // SAFETY: forwards.
    unsafe { look(Call::take(lstat as *const u8), libc::AT_FDCWD, path, 0, out, libc::AT_SYMLINK_NOFOLLOW) }
}

pub unsafe extern "C" fn fstatat(directory: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe {
        look(
            Call::take_pinned(fstatat as *const u8, &[directory as u64, path as u64, out as u64, flags as u64]),
            directory,
            path,
            1,
            out,
            flags,
        )
    }
}

pub unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    let call = Call::take_pinned(access as *const u8, &[path as u64, mode as u64]);
    // SAFETY: forwards, with another path at most.
    unsafe { libc::access(resolve(call, libc::AT_FDCWD, path, 0), mode) }
}

pub unsafe extern "C" fn faccessat(directory: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int {
    let call = Call::take_pinned(faccessat as *const u8, &[directory as u64, path as u64, mode as u64, flags as u64]);
    // SAFETY: forwards, with another path at most.
    unsafe { libc::faccessat(directory, resolve(call, directory, path, 1), mode, flags) }
}
