//! Sockets, as far as they lead to input; see [`crate::connections`]. All others are left alone.

use core::ffi::{c_int, c_void};

use crate::connections::{self, connection, listener, next_source, read_address, write_address};
use crate::input::position;
use crate::shadow;
use crate::state::{active, Guard};

use super::read::{arrived, arrived_in_parts};
use super::{models, Call};

models! {
    bind,
    listen,
    accept,
    accept4,
    connect,
    recv,
    recvfrom,
    recvmsg,
    send,
    sendto,
    sendmsg,
    setsockopt,
    getsockopt,
    getpeername,
    getsockname,
}

/// What a model did.
enum Done {
    Is(c_int),
    /// Nothing: the real function is to be called.
    Nothing,
    /// There is no more peer.
    Starved,
}

fn fail(errno: c_int) -> Done {
    // SAFETY: errno of this thread.
    unsafe { *libc::__errno_location() = errno };
    Done::Is(-1)
}

/// Does what the model says, or calls the real function.
fn instead(model: impl FnOnce() -> Done, real: impl FnOnce() -> c_int) -> c_int {
    let done = match Guard::enter() {
        Some(_guard) => model(),
        None => Done::Nothing,
    };
    match done {
        Done::Is(result) => result,
        Done::Nothing => real(),
        Done::Starved => connections::starve(),
    }
}

/// The kernel wrote to `out`, where there was room for `room` bytes, and said in `len` how many those are.
unsafe fn wrote_sized(out: *mut c_void, len: *mut u32, room: u32) {
    if !len.is_null() {
        // SAFETY: the kernel has written it.
        shadow::clear(out as u64, room.min(unsafe { *len }).into());
        shadow::clear(len as u64, 4);
    }
}

/// A real function that fills `out` and `len`.
unsafe fn fill(out: *mut c_void, len: *mut u32, real: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the real function reads and writes both.
    unsafe {
        let room = if len.is_null() { 0 } else { *len };
        let result = real();
        if let (Some(_guard), true) = (Guard::enter(), result >= 0) {
            wrote_sized(out, len, room);
        }
        result
    }
}

fn is_datagram(fd: c_int) -> bool {
    let mut kind: c_int = 0;
    let mut len = core::mem::size_of::<c_int>() as u32;
    // SAFETY: room for the answer.
    unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &mut len) };
    kind == libc::SOCK_DGRAM
}

fn is_nonblocking(fd: c_int) -> bool {
    // SAFETY: asks only.
    unsafe { libc::fcntl(fd, libc::F_GETFL) & libc::O_NONBLOCK != 0 }
}

pub unsafe extern "C" fn bind(fd: c_int, address: *const c_void, len: u32) -> c_int {
    let call = Call::take_pinned(bind as *const u8, &[fd as u64, address as u64, len.into()]);
    let model = || {
        // SAFETY: the program says so.
        unsafe { call.pin_bytes(address as u64, len.into()) };
        // SAFETY: the program says so.
        let Some((family, port)) = (unsafe { read_address(address, len) }) else { return Done::Nothing };
        let Some(source) = next_source(port) else { return Done::Nothing };
        let is_done = match is_datagram(fd) {
            true => connections::connect_to(fd, source, family, port, true),
            false => connections::bound(fd, family, port),
        };
        if is_done {
            Done::Is(0)
        } else {
            Done::Nothing
        }
    };
    // SAFETY: forwards.
    instead(model, || unsafe { libc::bind(fd, address.cast(), len) })
}

pub unsafe extern "C" fn listen(fd: c_int, backlog: c_int) -> c_int {
    Call::take_pinned(listen as *const u8, &[fd as u64, backlog as u64]);
    let model = || {
        if listener(fd).is_some_and(|listener| listener.listen(fd)) {
            Done::Is(0)
        } else {
            Done::Nothing
        }
    };
    // SAFETY: forwards.
    instead(model, || unsafe { libc::listen(fd, backlog) })
}

/// Ports of peers begin here.
const PEER_PORT: u16 = 40_000;

unsafe fn accept_with(fd: c_int, address: *mut c_void, len: *mut u32, flags: c_int) -> c_int {
    let model = || {
        let Some(listener) = listener(fd) else { return Done::Nothing };
        let Some(source) = next_source(listener.port) else {
            return if is_nonblocking(fd) { fail(libc::EAGAIN) } else { Done::Starved };
        };
        let (family, port) = (listener.family, listener.port);
        let Some(end) = connections::connect(source, family, port, false) else { return fail(libc::EMFILE) };
        // SAFETY: the descriptor is new; the program vouches for the address.
        unsafe {
            if flags & libc::SOCK_CLOEXEC == 0 {
                libc::fcntl(end, libc::F_SETFD, 0);
            }
            if flags & libc::SOCK_NONBLOCK != 0 {
                libc::fcntl(end, libc::F_SETFL, libc::O_NONBLOCK);
            }
            write_address(family, PEER_PORT + source as u16, address, len);
        }
        Done::Is(end)
    };
    // SAFETY: forwards.
    instead(model, || unsafe { fill(address, len, || libc::accept4(fd, address.cast(), len, flags)) })
}

pub unsafe extern "C" fn accept(fd: c_int, address: *mut c_void, len: *mut u32) -> c_int {
    Call::take_pinned(accept as *const u8, &[fd as u64, address as u64, len as u64]);
    // SAFETY: forwards.
    unsafe { accept_with(fd, address, len, 0) }
}

pub unsafe extern "C" fn accept4(fd: c_int, address: *mut c_void, len: *mut u32, flags: c_int) -> c_int {
    Call::take_pinned(accept4 as *const u8, &[fd as u64, address as u64, len as u64, flags as u64]);
    // SAFETY: forwards.
    unsafe { accept_with(fd, address, len, flags) }
}

/// A peer at this address, if the input has one and the socket has none yet.
unsafe fn find_peer(fd: c_int, address: *const c_void, len: u32) -> bool {
    // SAFETY: the program vouches for the address.
    let Some((family, port)) = (unsafe { read_address(address, len) }) else { return false };
    match next_source(port) {
        Some(source) if connection(fd).is_none() => connections::connect_to(fd, source, family, port, is_datagram(fd)),
        _ => false,
    }
}

pub unsafe extern "C" fn connect(fd: c_int, address: *const c_void, len: u32) -> c_int {
    let call = Call::take_pinned(connect as *const u8, &[fd as u64, address as u64, len.into()]);
    let model = || {
        // SAFETY: as above.
        unsafe { call.pin_bytes(address as u64, len.into()) };
        // SAFETY: as above.
        let is_ours = unsafe { find_peer(fd, address, len) } || connection(fd).is_some_and(|it| it.is_datagram);
        if is_ours {
            Done::Is(0)
        } else {
            Done::Nothing
        }
    };
    // SAFETY: forwards.
    instead(model, || unsafe { libc::connect(fd, address.cast(), len) })
}

/// Before a read: ends the run if it would wait for ever. True, with errno set, if it is to fail because nothing is
/// there and it does not wait.
pub(super) fn is_dry(fd: c_int, flags: c_int) -> bool {
    let is_dry = match Guard::enter() {
        Some(_guard) => connection(fd).is_some_and(|connection| connection.is_dry(fd)),
        None => false,
    };
    if is_dry && flags & libc::MSG_DONTWAIT == 0 && !is_nonblocking(fd) {
        connections::starve();
    }
    if is_dry {
        fail(libc::EAGAIN);
    }
    is_dry
}

unsafe fn receive(
    call: Call,
    fd: c_int,
    to: *mut c_void,
    n: usize,
    flags: c_int,
    address: *mut c_void,
    len: *mut u32,
) -> isize {
    let offset = if active() { position(fd) } else { 0 };
    if is_dry(fd, flags) {
        return -1;
    }
    // SAFETY: forwards; the program vouches for the address.
    unsafe {
        let room = if len.is_null() { 0 } else { *len };
        let got = libc::recvfrom(fd, to, n, flags, address.cast(), len);
        if let Some(_guard) = Guard::enter() {
            call.pin_number(0, fd as u64);
            call.touches((1, to as u64), (2, n as u64));
            call.pin_address(1, to as u64);
            call.pin_size(2, n as u64);
            call.pin_number(3, flags as u64);
            // With MSG_TRUNC the number is that of a whole datagram.
            arrived(fd, offset, to as u64, n as u64, got.min(n as isize), call);
            match connection(fd) {
                Some(connection) if !len.is_null() => {
                    *len = room;
                    write_address(connection.family, PEER_PORT, address, len);
                }
                _ => wrote_sized(address, len, room),
            }
        }
        got
    }
}

pub unsafe extern "C" fn recv(fd: c_int, to: *mut c_void, n: usize, flags: c_int) -> isize {
    let call = Call::take(recv as *const u8);
    // SAFETY: forwards.
    unsafe { receive(call, fd, to, n, flags, core::ptr::null_mut(), core::ptr::null_mut()) }
}

pub unsafe extern "C" fn recvfrom(
    fd: c_int,
    to: *mut c_void,
    n: usize,
    flags: c_int,
    address: *mut c_void,
    len: *mut u32,
) -> isize {
    // SAFETY: forwards.
    unsafe { receive(Call::take(recvfrom as *const u8), fd, to, n, flags, address, len) }
}

pub unsafe extern "C" fn recvmsg(fd: c_int, message: *mut libc::msghdr, flags: c_int) -> isize {
    let call = Call::take_pinned(recvmsg as *const u8, &[fd as u64, message as u64, flags as u64]);
    let offset = if active() { position(fd) } else { 0 };
    if is_dry(fd, flags) {
        return -1;
    }
    // SAFETY: forwards; the kernel accepted the parts if it read anything.
    unsafe {
        let room = if message.is_null() { 0 } else { (*message).msg_namelen };
        let got = libc::recvmsg(fd, message, flags);
        if let (Some(_guard), true) = (Guard::enter(), got >= 0) {
            shadow::clear(message as u64, core::mem::size_of::<libc::msghdr>() as u64);
            arrived_in_parts(fd, offset, (*message).msg_iov, (*message).msg_iovlen, got, call);
            shadow::clear((*message).msg_control as u64, (*message).msg_controllen as u64);
            shadow::clear((*message).msg_name as u64, room.into());
            if let Some(connection) = connection(fd) {
                (*message).msg_namelen = room;
                write_address(connection.family, PEER_PORT, (*message).msg_name, &raw mut (*message).msg_namelen);
            }
        }
        got
    }
}

/// True if what the program sends goes nowhere; how much of it there is decides what the call returns.
pub(super) fn is_swallowed(fd: c_int) -> bool {
    match Guard::enter() {
        Some(_guard) => connection(fd).is_some(),
        None => false,
    }
}

pub unsafe extern "C" fn send(fd: c_int, from: *const c_void, n: usize, flags: c_int) -> isize {
    Call::take_pinned(send as *const u8, &[fd as u64, from as u64, n as u64, flags as u64]);
    if is_swallowed(fd) {
        return n as isize;
    }
    // SAFETY: forwards.
    unsafe { libc::send(fd, from, n, flags) }
}

pub unsafe extern "C" fn sendto(
    fd: c_int,
    from: *const c_void,
    n: usize,
    flags: c_int,
    address: *const c_void,
    len: u32,
) -> isize {
    let call = Call::take_pinned(
        sendto as *const u8,
        &[fd as u64, from as u64, n as u64, flags as u64, address as u64, len.into()],
    );
    if let Some(_guard) = Guard::enter()
        && is_datagram(fd)
    {
        // SAFETY: the program vouches for the address.
        unsafe {
            call.pin_bytes(address as u64, len.into());
            find_peer(fd, address, len);
        }
    }
    if is_swallowed(fd) {
        return n as isize;
    }
    // SAFETY: forwards.
    unsafe { libc::sendto(fd, from, n, flags, address.cast(), len) }
}

pub(super) unsafe fn total(parts: *const libc::iovec, count: usize) -> isize {
    // SAFETY: the program vouches for the parts.
    (0..count).map(|index| unsafe { (*parts.add(index)).iov_len as isize }).sum()
}

pub unsafe extern "C" fn sendmsg(fd: c_int, message: *const libc::msghdr, flags: c_int) -> isize {
    let call = Call::take_pinned(sendmsg as *const u8, &[fd as u64, message as u64, flags as u64]);
    // SAFETY: forwards; the program vouches for the message.
    unsafe {
        if let Some(_guard) = Guard::enter()
            && is_datagram(fd)
        {
            call.pin_bytes((*message).msg_name as u64, (*message).msg_namelen.into());
            find_peer(fd, (*message).msg_name, (*message).msg_namelen);
        }
        if is_swallowed(fd) {
            return total((*message).msg_iov, (*message).msg_iovlen);
        }
        libc::sendmsg(fd, message, flags)
    }
}

fn is_ours(fd: c_int) -> bool {
    match Guard::enter() {
        Some(_guard) => connection(fd).is_some() || listener(fd).is_some(),
        None => false,
    }
}

/// Options of a network that a local socket does not have are accepted.
pub unsafe extern "C" fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, len: u32) -> c_int {
    let call =
        Call::take_pinned(setsockopt as *const u8, &[fd as u64, level as u64, name as u64, value as u64, len.into()]);
    // SAFETY: forwards; the program vouches for the value.
    let result = unsafe {
        let result = libc::setsockopt(fd, level, name, value, len);
        if let (Some(_guard), 0) = (Guard::enter(), result) {
            call.pin_bytes(value as u64, len.into());
        }
        result
    };
    if result < 0 && is_ours(fd) {
        0
    } else {
        result
    }
}

pub unsafe extern "C" fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut c_void, len: *mut u32) -> c_int {
    Call::take_pinned(getsockopt as *const u8, &[fd as u64, level as u64, name as u64, value as u64, len as u64]);
    // SAFETY: forwards; the program vouches for the room.
    unsafe {
        let room = if len.is_null() { 0 } else { *len };
        let mut result = fill(value, len, || libc::getsockopt(fd, level, name, value, len));
        if result < 0 && room > 0 && is_ours(fd) {
            core::ptr::write_bytes(value.cast::<u8>(), 0, room as usize);
            shadow::clear(value as u64, room.into());
            result = 0;
        }
        result
    }
}

pub unsafe extern "C" fn getpeername(fd: c_int, address: *mut c_void, len: *mut u32) -> c_int {
    Call::take_pinned(getpeername as *const u8, &[fd as u64, address as u64, len as u64]);
    let model = || match connection(fd) {
        Some(connection) => {
            // SAFETY: the program vouches for the room.
            unsafe { write_address(connection.family, PEER_PORT, address, len) };
            Done::Is(0)
        }
        None => Done::Nothing,
    };
    // SAFETY: forwards.
    instead(model, || unsafe { fill(address, len, || libc::getpeername(fd, address.cast(), len)) })
}

pub unsafe extern "C" fn getsockname(fd: c_int, address: *mut c_void, len: *mut u32) -> c_int {
    Call::take_pinned(getsockname as *const u8, &[fd as u64, address as u64, len as u64]);
    let model = || {
        let of_connection = connection(fd).map(|connection| (connection.family, connection.port));
        let known = of_connection.or_else(|| listener(fd).map(|listener| (listener.family, listener.port)));
        let Some((family, port)) = known else { return Done::Nothing };
        // SAFETY: the program vouches for the room.
        unsafe { write_address(family, port, address, len) };
        Done::Is(0)
    };
    // SAFETY: forwards.
    instead(model, || unsafe { fill(address, len, || libc::getsockname(fd, address.cast(), len)) })
}
