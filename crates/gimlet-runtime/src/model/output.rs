//! Output: programs look at the result, and may read what they wrote into a file or a pipe (`contents.rs`).
//!
//! Streams that write to memory of the program's own (`open_memstream` and its
//! kin) would have to be followed. They have no descriptor, and what goes there
//! is counted as lost.

use core::ffi::{c_char, c_int, c_void};

use super::socket::{is_swallowed, total};
use super::stdio::Stream;
use super::{models, Call, Model};
use crate::contents;
use crate::input::{position, quietly};
use crate::shadow;
use crate::state::Guard;
use crate::term::Term;

models! {
    write,
    pwrite,
    pwrite64: pwrite,
    writev,
    fwrite,
    fwrite_unlocked,
    fputs,
    fputs_unlocked,
    putc,
    fputc: putc,
    _IO_putc: putc,
    putc_unlocked,
    fputc_unlocked: putc_unlocked,
    putchar,
    putchar_unlocked,
    __overflow,
}

mod real {
    use super::{c_char, c_int, c_void, Stream};

    unsafe extern "C" {
        pub fn fwrite(from: *const c_void, size: usize, count: usize, stream: *mut Stream) -> usize;
        pub fn fwrite_unlocked(from: *const c_void, size: usize, count: usize, stream: *mut Stream) -> usize;
        pub fn fputs(text: *const c_char, stream: *mut Stream) -> c_int;
        pub fn fputs_unlocked(text: *const c_char, stream: *mut Stream) -> c_int;
        pub fn putc(c: c_int, stream: *mut Stream) -> c_int;
        pub fn putc_unlocked(c: c_int, stream: *mut Stream) -> c_int;
        pub fn putchar(c: c_int) -> c_int;
        pub fn putchar_unlocked(c: c_int) -> c_int;
        pub fn __overflow(stream: *mut Stream, c: c_int) -> c_int;
    }
}

/// `n` bytes were written.
unsafe fn wrote_bytes(model: &Model, from: u64, n: u64, stream: *mut Stream) {
    // SAFETY: the stream is libc's.
    let fd = quietly(|| unsafe { libc::fileno(stream.cast()) });
    if fd < 0 {
        if model.may_be_symbolic(from, n) {
            model.lost();
        }
    } else if contents::keeps(fd, from, n) {
        // SAFETY: the stream is libc's; it is behind what was written.
        let end = quietly(|| unsafe { libc::ftello(stream.cast()) });
        contents::wrote(fd, u64::try_from(end).unwrap_or(0).saturating_sub(n), from, n);
    }
}

/// `written` bytes at `from` were written to a descriptor, which may be at another place of its file now.
fn wrote_to(fd: c_int, offset: Option<u64>, from: u64, written: isize) {
    if let (Some(_guard), Ok(written)) = (Guard::enter(), u64::try_from(written)) {
        // Behind what was written, also where it was appended.
        let offset = offset.unwrap_or_else(|| position(fd).saturating_sub(written));
        contents::wrote(fd, offset, from, written);
    }
}

pub unsafe extern "C" fn write(fd: c_int, from: *const c_void, n: usize) -> isize {
    Call::take_pinned(write as *const u8, &[fd as u64, from as u64, n as u64]);
    if is_swallowed(fd) {
        return n as isize;
    }
    // SAFETY: forwards.
    let written = unsafe { libc::write(fd, from, n) };
    wrote_to(fd, None, from as u64, written);
    written
}

pub unsafe extern "C" fn pwrite(fd: c_int, from: *const c_void, n: usize, offset: i64) -> isize {
    Call::take_pinned(pwrite as *const u8, &[fd as u64, from as u64, n as u64, offset as u64]);
    // SAFETY: forwards.
    let written = unsafe { libc::pwrite(fd, from, n, offset) };
    wrote_to(fd, Some(offset as u64), from as u64, written);
    written
}

pub unsafe extern "C" fn writev(fd: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    Call::take_pinned(writev as *const u8, &[fd as u64, parts as u64, count as u64]);
    // SAFETY: forwards; the kernel accepted `count` parts if it wrote anything.
    unsafe {
        if is_swallowed(fd) {
            return total(parts, count.max(0) as usize);
        }
        let written = libc::writev(fd, parts, count);
        let mut left = written.max(0) as u64;
        let mut offset = position(fd).saturating_sub(left);
        for index in 0..if left > 0 { count as usize } else { 0 } {
            let part = *parts.add(index);
            let n = left.min(part.iov_len as u64);
            wrote_to(fd, Some(offset), part.iov_base as u64, n as isize);
            (offset, left) = (offset + n, left - n);
        }
        written
    }
}

type Fwrite = unsafe extern "C" fn(*const c_void, usize, usize, *mut Stream) -> usize;

/// All items are written, or none if they have no bytes.
unsafe fn write_items(
    call: Call,
    from: *const c_void,
    size: usize,
    count: usize,
    stream: *mut Stream,
    real: Fwrite,
) -> usize {
    // SAFETY: forwards.
    let written = unsafe { real(from, size, count, stream) };
    if let Some(model) = call.follow() {
        let n = (size as u64).wrapping_mul(written as u64);
        let (size, count) = (model.argument(1, size as u64, 64), model.argument(2, count as u64, 64));
        model.answer(Term::choose(size.is(0), Term::constant(0, 64), count), written as u64);
        // SAFETY: the stream is libc's.
        unsafe { wrote_bytes(&model, from as u64, n, stream) };
    }
    written
}

pub unsafe extern "C" fn fwrite(from: *const c_void, size: usize, count: usize, stream: *mut Stream) -> usize {
    // SAFETY: forwards.
    unsafe { write_items(Call::take(fwrite as *const u8), from, size, count, stream, real::fwrite) }
}

pub unsafe extern "C" fn fwrite_unlocked(from: *const c_void, size: usize, count: usize, stream: *mut Stream) -> usize {
    // SAFETY: forwards.
    unsafe { write_items(Call::take(fwrite_unlocked as *const u8), from, size, count, stream, real::fwrite_unlocked) }
}

type Fputs = unsafe extern "C" fn(*const c_char, *mut Stream) -> c_int;

/// The result says that it went well, whatever the text is.
unsafe fn write_text(call: Call, text: *const c_char, stream: *mut Stream, real: Fputs) -> c_int {
    // SAFETY: forwards; a string.
    unsafe {
        let result = real(text, stream);
        if let Some(model) = call.follow() {
            wrote_bytes(&model, text as u64, libc::strlen(text) as u64, stream);
        }
        result
    }
}

pub unsafe extern "C" fn fputs(text: *const c_char, stream: *mut Stream) -> c_int {
    // SAFETY: forwards.
    unsafe { write_text(Call::take(fputs as *const u8), text, stream, real::fputs) }
}

pub unsafe extern "C" fn fputs_unlocked(text: *const c_char, stream: *mut Stream) -> c_int {
    // SAFETY: forwards.
    unsafe { write_text(Call::take(fputs_unlocked as *const u8), text, stream, real::fputs_unlocked) }
}

/// Argument `index`, `c`, was written as a byte, which is the result. No stream: standard output.
unsafe fn wrote_byte(call: Call, index: usize, c: c_int, stream: Option<*mut Stream>, written: c_int) -> c_int {
    if let Some(model) = call.follow() {
        let byte = model.argument(index, u64::from(c as u32), 32) & Term::constant(0xff, 32);
        model.answer(byte, u64::from(written as u32));
        let Some(stream) = stream else { return written };
        // As if it had been in memory.
        let text = [c as u8];
        let at = text.as_ptr() as u64;
        shadow::set_label(at, 1, byte.low(8).label);
        // SAFETY: the stream is libc's.
        unsafe { wrote_bytes(&model, at, 1, stream) };
        shadow::clear(at, 1);
    }
    written
}

pub unsafe extern "C" fn putc(c: c_int, stream: *mut Stream) -> c_int {
    let call = Call::take(putc as *const u8);
    // SAFETY: forwards.
    unsafe { wrote_byte(call, 0, c, Some(stream), real::putc(c, stream)) }
}

pub unsafe extern "C" fn putc_unlocked(c: c_int, stream: *mut Stream) -> c_int {
    let call = Call::take(putc_unlocked as *const u8);
    // SAFETY: forwards.
    unsafe { wrote_byte(call, 0, c, Some(stream), real::putc_unlocked(c, stream)) }
}

pub unsafe extern "C" fn putchar(c: c_int) -> c_int {
    let call = Call::take(putchar as *const u8);
    // SAFETY: forwards.
    unsafe { wrote_byte(call, 0, c, None, real::putchar(c)) }
}

pub unsafe extern "C" fn putchar_unlocked(c: c_int) -> c_int {
    let call = Call::take(putchar_unlocked as *const u8);
    // SAFETY: forwards.
    unsafe { wrote_byte(call, 0, c, None, real::putchar_unlocked(c)) }
}

pub unsafe extern "C" fn __overflow(stream: *mut Stream, c: c_int) -> c_int {
    let call = Call::take(__overflow as *const u8);
    // SAFETY: forwards.
    unsafe { wrote_byte(call, 1, c, Some(stream), real::__overflow(stream, c)) }
}
