//! How programs end, fork, replace themselves and jump.

use core::ffi::{c_char, c_int, c_void};

use gimlet_trace::event::{EndKind, EventKind, EventRecord, PinReason};
use gimlet_trace::shm::stop;

use crate::log::{self, blank};
use crate::server;
use crate::state::{self, header, Guard};

use super::{models, Call};

models! {
    longjmp,
    _longjmp,
    siglongjmp,
    fork,
    vfork: fork,
    execve,
    execv,
    execvp,
    __assert_fail,
    abort,
    exit,
    _exit,
    _Exit: _exit,
    quick_exit,
}

/// The library's own.
mod real {
    use super::{c_char, c_int, c_void};

    unsafe extern "C" {
        pub fn quick_exit(status: c_int) -> !;
        pub fn longjmp(buffer: *mut c_void, value: c_int) -> !;
        pub fn _longjmp(buffer: *mut c_void, value: c_int) -> !;
        pub fn siglongjmp(buffer: *mut c_void, value: c_int) -> !;
        pub fn __assert_fail(text: *const c_char, file: *const c_char, line: u32, function: *const c_char) -> !;
    }
}

/// The value comes out of setjmp as a concrete one.
fn jump(call: Call, value: c_int) {
    state::abandon();
    if let Some(_guard) = Guard::enter() {
        log::pin(call.label(1), u128::from(value as u32), call.site, PinReason::LongJump);
    }
}

pub unsafe extern "C" fn longjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(Call::take(longjmp as *const u8), value);
    // SAFETY: forwards; no frame of ours needs unwinding.
    unsafe { real::longjmp(buffer, value) }
}

pub unsafe extern "C" fn _longjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(Call::take(_longjmp as *const u8), value);
    // SAFETY: forwards.
    unsafe { real::_longjmp(buffer, value) }
}

pub unsafe extern "C" fn siglongjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(Call::take(siglongjmp as *const u8), value);
    // SAFETY: forwards.
    unsafe { real::siglongjmp(buffer, value) }
}

/// The child does not trace: the kernel has cleared its page of the active flag.
fn forked(call: Call) -> c_int {
    call.result(gimlet_trace::Label::NONE);
    // SAFETY: forwards.
    let child = unsafe { libc::fork() };
    if child > 0
        && let Some(_guard) = Guard::enter()
    {
        header().forks += 1;
    }
    child
}

/// Also for vfork: a child that shared our memory would write into our trace, and POSIX allows vfork to be fork.
pub unsafe extern "C" fn fork() -> c_int {
    forked(Call::take(fork as *const u8))
}

fn replacing(real: impl FnOnce() -> c_int) -> c_int {
    let tracing = state::active();
    if tracing {
        server::end(EndKind::Exec, 0);
        state::stop(stop::EXEC);
    }
    let result = real();
    if tracing {
        header().stops &= !stop::EXEC;
    }
    result
}

pub unsafe extern "C" fn execve(path: *const c_char, argv: *const *const c_char, env: *const *const c_char) -> c_int {
    Call::take(execve as *const u8);
    // SAFETY: forwards.
    replacing(|| unsafe { libc::execve(path, argv, env) })
}

pub unsafe extern "C" fn execv(path: *const c_char, argv: *const *const c_char) -> c_int {
    Call::take(execv as *const u8);
    // SAFETY: forwards.
    replacing(|| unsafe { libc::execv(path, argv) })
}

pub unsafe extern "C" fn execvp(path: *const c_char, argv: *const *const c_char) -> c_int {
    Call::take(execvp as *const u8);
    // SAFETY: forwards.
    replacing(|| unsafe { libc::execvp(path, argv) })
}

pub unsafe extern "C" fn __assert_fail(
    text: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    let call = Call::take(__assert_fail as *const u8);
    if let Some(_guard) = Guard::enter() {
        log::event(EventRecord { ..blank(EventKind::Assert, call.site) });
    }
    server::end(EndKind::Abort, libc::SIGABRT as u64);
    // SAFETY: forwards.
    unsafe { real::__assert_fail(text, file, line, function) }
}

pub unsafe extern "C" fn abort() -> ! {
    Call::take(abort as *const u8);
    server::end(EndKind::Abort, libc::SIGABRT as u64);
    // SAFETY: forwards.
    unsafe { libc::abort() }
}

/// `exit` runs destructors and handlers, which are traced too; the last of them logs the end.
pub unsafe extern "C" fn exit(status: c_int) -> ! {
    Call::take(exit as *const u8);
    // SAFETY: forwards.
    unsafe { libc::exit(status) }
}

/// Ends at once, without destructors.
pub unsafe extern "C" fn _exit(status: c_int) -> ! {
    Call::take(_exit as *const u8);
    server::end(EndKind::Exit, status as u32 as u64);
    // SAFETY: forwards.
    unsafe { libc::_exit(status) }
}

pub unsafe extern "C" fn quick_exit(status: c_int) -> ! {
    Call::take(quick_exit as *const u8);
    server::end(EndKind::Exit, status as u32 as u64);
    // SAFETY: forwards.
    unsafe { real::quick_exit(status) }
}
