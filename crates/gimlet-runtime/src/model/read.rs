//! Reading descriptors.

use core::ffi::{c_int, c_void};

use gimlet_trace::event::PinReason;

use crate::contents;
use crate::input::{label_read, length_of, log_read, of_descriptor, position};
use crate::lengths;
use crate::log;
use crate::state::{active, Guard};
use crate::term::Term;

use super::socket::is_dry;
use super::{models, Call, Model};

models! {
    read,
    pread,
    pread64: pread,
    readv,
    lseek,
    lseek64: lseek,
}

/// How many bytes of a source a call took from `offset` on, of those that it had room for, as a term. Up to `end` there
/// was more. Whether each stretch had room, and what comes behind it, are branches.
pub(super) fn taken(model: &Model, source: u32, offset: u64, room: Option<Term>, got: u64, end: u64) -> Term {
    let taken = lengths::span_of(source, offset, offset + got);
    let Some(room) = room else { return taken };
    for through in lengths::ends_of_stretches(source, offset, offset + got) {
        let fits = !room.below(through);
        model.branch(fits);
        if !fits.holds() {
            return if got == room.value { room } else { Term::constant(got, 64) };
        }
    }
    if taken.is_symbolic() || room.is_symbolic() {
        let is_cut = got == room.value && offset + got < end;
        model.branch(if is_cut { !taken.eq(room) } else { !room.below(taken) });
    }
    taken
}

/// `got` bytes were read to `to`, from `offset` if the descriptor is a source.
pub(super) fn arrived(fd: c_int, offset: u64, to: u64, wanted: u64, got: isize, call: Call) {
    if got < 0 {
        return;
    }
    match of_descriptor(fd) {
        Some(source) => {
            label_read(source, offset, to, got as u64);
            log_read(source, offset, wanted, got as u64, call.site);
        }
        None => contents::arrived(fd, offset, to, got as u64, call.site),
    }
}

pub unsafe extern "C" fn read(fd: c_int, to: *mut c_void, n: usize) -> isize {
    let call = Call::take(read as *const u8);
    let offset = if active() { position(fd) } else { 0 };
    if is_dry(fd, 0) {
        return -1;
    }
    // SAFETY: forwards.
    let got = unsafe { libc::read(fd, to, n) };
    if let Some(model) = call.follow() {
        call.touches((1, to as u64), (2, n as u64));
        call.pin_address(1, to as u64);
        call.pin_size(2, n as u64);
        arrived(fd, offset, to as u64, n as u64, got, call);
        if let Some(source) = of_descriptor(fd).filter(|_| got > 0 && lengths::are_there()) {
            let end = length_of(source);
            let room = lengths::open(model.argument(2, n as u64, 64));
            model.answer(taken(&model, source, offset, Some(room), got as u64, end), got as u64);
        }
    }
    got
}

pub unsafe extern "C" fn pread(fd: c_int, to: *mut c_void, n: usize, offset: i64) -> isize {
    let call = Call::take(pread as *const u8);
    // SAFETY: forwards.
    let got = unsafe { libc::pread(fd, to, n, offset) };
    if let Some(_guard) = Guard::enter() {
        call.touches((1, to as u64), (2, n as u64));
        call.pin_address(1, to as u64);
        call.pin_size(2, n as u64);
        log::pin(call.label(3), u128::from(offset as u64), call.site, PinReason::Seek);
        arrived(fd, offset as u64, to as u64, n as u64, got, call);
    }
    got
}

/// The same for bytes that were scattered.
///
/// # Safety
/// The kernel must have accepted the parts, if it read anything.
pub(super) unsafe fn arrived_in_parts(
    fd: c_int,
    mut offset: u64,
    parts: *const libc::iovec,
    count: usize,
    got: isize,
    call: Call,
) {
    let mut left = got.max(0) as u64;
    for index in 0..if got >= 0 { count } else { 0 } {
        // SAFETY: the caller vouches for the parts.
        let part = unsafe { *parts.add(index) };
        let len = left.min(part.iov_len as u64);
        arrived(fd, offset, part.iov_base as u64, part.iov_len as u64, len as isize, call);
        offset += len;
        left -= len;
    }
}

pub unsafe extern "C" fn readv(fd: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    let call = Call::take(readv as *const u8);
    let offset = if active() { position(fd) } else { 0 };
    // SAFETY: forwards; the kernel accepted `count` parts if it read anything.
    unsafe {
        let got = libc::readv(fd, parts, count);
        if let Some(_guard) = Guard::enter() {
            arrived_in_parts(fd, offset, parts, count.max(0) as usize, got, call);
        }
        got
    }
}

pub unsafe extern "C" fn lseek(fd: c_int, offset: i64, whence: c_int) -> i64 {
    let call = Call::take(lseek as *const u8);
    if let Some(_guard) = Guard::enter() {
        log::pin(call.label(1), u128::from(offset as u64), call.site, PinReason::Seek);
    }
    // SAFETY: forwards.
    let now = unsafe { libc::lseek(fd, offset, whence) };
    if let Some(model) = call.follow().filter(|_| now >= 0 && lengths::are_there())
        && let Some(source) = of_descriptor(fd)
    {
        model.answer(lengths::span_of(source, 0, now as u64), now as u64);
    }
    now
}
