//! Waiting for descriptors: what is ready is for the kernel to say, but connections are fed first, and a program that
//! would wait for ever for a peer that is not there ends.

use core::ffi::c_int;

use crate::connections;
use crate::shadow;
use crate::state::Guard;

use super::{models, Call};

models! {
    poll,
    ppoll,
    select,
    pselect,
    epoll_wait,
    epoll_pwait,
}

/// Waits with `wait`. `forever` says whether it has no time limit, `ask` what it would say at once.
fn wait_for(forever: bool, ask: impl FnOnce() -> c_int, wait: impl FnOnce() -> c_int) -> c_int {
    let may_starve = match Guard::enter() {
        Some(_guard) => {
            connections::feed_all();
            forever && connections::all_taken() && connections::is_alone()
        }
        None => false,
    };
    if may_starve && ask() == 0 {
        connections::starve();
    }
    wait()
}

/// What the kernel is asked is pinned.
unsafe fn asked<T>(call: Call, at: *const T, len: u64) {
    if let Some(_guard) = Guard::enter() {
        // SAFETY: the kernel reads it.
        unsafe { call.pin_bytes(at as u64, len) };
    }
}

/// What it answers has no labels.
fn answered<T>(at: *const T, len: u64) {
    if let (Some(_guard), false) = (Guard::enter(), at.is_null()) {
        shadow::clear(at as u64, len);
    }
}

const POLLFD_LEN: u64 = core::mem::size_of::<libc::pollfd>() as u64;

/// Bytes of a set of descriptors that are looked at.
fn set_len(n: c_int) -> u64 {
    (n.max(0) as u64).div_ceil(64) * 8
}

/// Descriptors and events are asked for, other events answered.
unsafe fn asked_poll(call: Call, requests: *const libc::pollfd, count: u64) {
    if let Some(_guard) = Guard::enter() {
        for index in 0..count as usize {
            // SAFETY: the kernel reads it; the events that it answers come last.
            unsafe { call.pin_bytes(requests.add(index) as u64, POLLFD_LEN - 2) };
        }
    }
}

fn answered_poll(requests: *const libc::pollfd, count: u64) {
    if let Some(_guard) = Guard::enter() {
        for index in 0..count {
            shadow::clear(requests as u64 + (index + 1) * POLLFD_LEN - 2, 2);
        }
    }
}

pub unsafe extern "C" fn poll(requests: *mut libc::pollfd, count: u64, timeout_ms: c_int) -> c_int {
    let call = Call::take_pinned(poll as *const u8, &[requests as u64, count, timeout_ms as u64]);
    // SAFETY: the program says so.
    unsafe { asked_poll(call, requests, count) };
    // SAFETY: forwards.
    let poll = |timeout_ms| unsafe { libc::poll(requests, count, timeout_ms) };
    let result = wait_for(timeout_ms < 0, || poll(0), || poll(timeout_ms));
    answered_poll(requests, count);
    result
}

pub unsafe extern "C" fn ppoll(
    requests: *mut libc::pollfd,
    count: u64,
    timeout: *const libc::timespec,
    mask: *const libc::sigset_t,
) -> c_int {
    let call = Call::take_pinned(ppoll as *const u8, &[requests as u64, count, timeout as u64, mask as u64]);
    // SAFETY: the program says so.
    unsafe { asked_poll(call, requests, count) };
    // SAFETY: forwards.
    let ask = || unsafe { libc::poll(requests, count, 0) };
    // SAFETY: forwards.
    let result = wait_for(timeout.is_null(), ask, || unsafe { libc::ppoll(requests, count, timeout, mask) });
    answered_poll(requests, count);
    result
}

/// What select would say at once, on copies of the sets.
unsafe fn ask_select(n: c_int, sets: [*mut libc::fd_set; 3]) -> c_int {
    let mut now = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: the sets are the program's or null; copies take the answer.
    unsafe {
        let mut copies: [libc::fd_set; 3] = core::mem::zeroed();
        let mut places = [core::ptr::null_mut(); 3];
        for ((set, copy), place) in sets.iter().zip(&mut copies).zip(&mut places) {
            if !set.is_null() {
                *copy = **set;
                *place = core::ptr::from_mut(copy);
            }
        }
        libc::select(n, places[0], places[1], places[2], &mut now)
    }
}

pub unsafe extern "C" fn select(
    n: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    timeout: *mut libc::timeval,
) -> c_int {
    let values = [n as u64, read as u64, write as u64, except as u64, timeout as u64];
    let call = Call::take_pinned(select as *const u8, &values);
    for set in [read, write, except] {
        // SAFETY: the program says so.
        unsafe { asked(call, set, set_len(n)) };
    }
    // SAFETY: forwards.
    let ask = || unsafe { ask_select(n, [read, write, except]) };
    // SAFETY: forwards.
    let result = wait_for(timeout.is_null(), ask, || unsafe { libc::select(n, read, write, except, timeout) });
    for set in [read, write, except] {
        answered(set, set_len(n));
    }
    answered(timeout, core::mem::size_of::<libc::timeval>() as u64);
    result
}

pub unsafe extern "C" fn pselect(
    n: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    timeout: *const libc::timespec,
    mask: *const libc::sigset_t,
) -> c_int {
    let values = [n as u64, read as u64, write as u64, except as u64, timeout as u64, mask as u64];
    let call = Call::take_pinned(pselect as *const u8, &values);
    for set in [read, write, except] {
        // SAFETY: the program says so.
        unsafe { asked(call, set, set_len(n)) };
    }
    // SAFETY: forwards.
    let ask = || unsafe { ask_select(n, [read, write, except]) };
    // SAFETY: forwards.
    let result = wait_for(timeout.is_null(), ask, || unsafe { libc::pselect(n, read, write, except, timeout, mask) });
    for set in [read, write, except] {
        answered(set, set_len(n));
    }
    result
}

/// Whether an epoll descriptor has something to tell can be asked without taking it: it is readable then.
unsafe fn wait_epoll(
    epoll: c_int,
    events: *mut libc::epoll_event,
    count: c_int,
    timeout_ms: c_int,
    mask: *const libc::sigset_t,
) -> c_int {
    let ask = || {
        let mut request = libc::pollfd { fd: epoll, events: libc::POLLIN, revents: 0 };
        // SAFETY: one pollfd, which is local.
        unsafe { libc::poll(&mut request, 1, 0) }
    };
    // SAFETY: forwards.
    let result = wait_for(timeout_ms < 0, ask, || unsafe { libc::epoll_pwait(epoll, events, count, timeout_ms, mask) });
    answered(events, core::mem::size_of::<libc::epoll_event>() as u64 * result.max(0) as u64);
    result
}

pub unsafe extern "C" fn epoll_wait(
    epoll: c_int,
    events: *mut libc::epoll_event,
    count: c_int,
    timeout_ms: c_int,
) -> c_int {
    Call::take_pinned(epoll_wait as *const u8, &[epoll as u64, events as u64, count as u64, timeout_ms as u64]);
    // SAFETY: forwards.
    unsafe { wait_epoll(epoll, events, count, timeout_ms, core::ptr::null()) }
}

pub unsafe extern "C" fn epoll_pwait(
    epoll: c_int,
    events: *mut libc::epoll_event,
    count: c_int,
    timeout_ms: c_int,
    mask: *const libc::sigset_t,
) -> c_int {
    let values = [epoll as u64, events as u64, count as u64, timeout_ms as u64, mask as u64];
    Call::take_pinned(epoll_pwait as *const u8, &values);
    // SAFETY: forwards.
    unsafe { wait_epoll(epoll, events, count, timeout_ms, mask) }
}
