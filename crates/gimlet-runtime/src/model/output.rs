//! Output by stdio: what goes out is not followed, but programs look at the result.
//!
//! Streams that write to memory of the program's own (`open_memstream` and its
//! kin) would have to be followed. They have no descriptor, and what goes there
//! is counted as lost.

use core::ffi::{c_char, c_int, c_void};

use super::stdio::Stream;
use super::{models, Call, Model};
use crate::input::quietly;
use crate::term::Term;

models! {
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

/// True if what is written to the stream leaves the program.
unsafe fn goes_out(stream: *mut Stream) -> bool {
    // SAFETY: the stream is libc's.
    quietly(|| unsafe { libc::fileno(stream.cast()) }) >= 0
}

/// `n` bytes were written.
unsafe fn wrote_bytes(model: &Model, from: u64, n: u64, stream: *mut Stream) {
    // SAFETY: the stream is libc's.
    if model.may_be_symbolic(from, n) && !unsafe { goes_out(stream) } {
        model.lost();
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
        // SAFETY: the stream is libc's.
        if byte.is_symbolic() && stream.is_some_and(|stream| !unsafe { goes_out(stream) }) {
            model.lost();
        }
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
