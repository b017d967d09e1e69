//! How programs end, fork, replace themselves and jump.

use core::ffi::{c_char, c_int, c_void};

use gimlet_trace::event::{EndKind, EventKind, EventRecord, PinReason};
use gimlet_trace::shm::stop;

use crate::log::{self, blank};
use crate::server;
use crate::state::{self, header, Guard};

use super::Call;

extern "C" {
    fn quick_exit(status: c_int) -> !;
    fn longjmp(buffer: *mut c_void, value: c_int) -> !;
    fn _longjmp(buffer: *mut c_void, value: c_int) -> !;
    fn siglongjmp(buffer: *mut c_void, value: c_int) -> !;
    fn __assert_fail(text: *const c_char, file: *const c_char, line: u32, function: *const c_char) -> !;
}

/// The value comes out of setjmp as a concrete one.
fn jump(call: Call, value: c_int) {
    state::abandon();
    if let Some(_guard) = Guard::enter() {
        log::pin(call.label(1), u128::from(value as u32), call.site, PinReason::LongJump);
    }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_longjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(Call::take(gimlet_fn_longjmp as *const u8), value);
    // SAFETY: forwards; no frame of ours needs unwinding.
    unsafe { longjmp(buffer, value) }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn__longjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(Call::take(gimlet_fn__longjmp as *const u8), value);
    // SAFETY: forwards.
    unsafe { _longjmp(buffer, value) }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_siglongjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(Call::take(gimlet_fn_siglongjmp as *const u8), value);
    // SAFETY: forwards.
    unsafe { siglongjmp(buffer, value) }
}

/// The child does not trace: the kernel has cleared its page of the active flag.
fn forked(call: Call) -> c_int {
    call.result(gimlet_trace::Label::NONE);
    // SAFETY: forwards.
    let child = unsafe { libc::fork() };
    if child > 0 {
        if let Some(_guard) = Guard::enter() {
            header().forks += 1;
        }
    }
    child
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_fork() -> c_int {
    forked(Call::take(gimlet_fn_fork as *const u8))
}

/// A child that shared our memory would write into our trace; POSIX allows vfork to be fork.
#[no_mangle]
unsafe extern "C" fn gimlet_fn_vfork() -> c_int {
    forked(Call::take(gimlet_fn_vfork as *const u8))
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

#[no_mangle]
unsafe extern "C" fn gimlet_fn_execve(
    path: *const c_char,
    argv: *const *const c_char,
    env: *const *const c_char,
) -> c_int {
    Call::take(gimlet_fn_execve as *const u8);
    // SAFETY: forwards.
    replacing(|| unsafe { libc::execve(path, argv, env) })
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_execv(path: *const c_char, argv: *const *const c_char) -> c_int {
    Call::take(gimlet_fn_execv as *const u8);
    // SAFETY: forwards.
    replacing(|| unsafe { libc::execv(path, argv) })
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_execvp(path: *const c_char, argv: *const *const c_char) -> c_int {
    Call::take(gimlet_fn_execvp as *const u8);
    // SAFETY: forwards.
    replacing(|| unsafe { libc::execvp(path, argv) })
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn___assert_fail(
    text: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    let call = Call::take(gimlet_fn___assert_fail as *const u8);
    if let Some(_guard) = Guard::enter() {
        log::event(EventRecord { ..blank(EventKind::Assert, call.site) });
    }
    server::end(EndKind::Abort, libc::SIGABRT as u64);
    // SAFETY: forwards.
    unsafe { __assert_fail(text, file, line, function) }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_abort() -> ! {
    Call::take(gimlet_fn_abort as *const u8);
    server::end(EndKind::Abort, libc::SIGABRT as u64);
    // SAFETY: forwards.
    unsafe { libc::abort() }
}

/// `exit` runs destructors and handlers, which are traced too; the last of them logs the end.
#[no_mangle]
unsafe extern "C" fn gimlet_fn_exit(status: c_int) -> ! {
    Call::take(gimlet_fn_exit as *const u8);
    // SAFETY: forwards.
    unsafe { libc::exit(status) }
}

/// Ends at once, without destructors.
#[no_mangle]
unsafe extern "C" fn gimlet_fn__exit(status: c_int) -> ! {
    Call::take(gimlet_fn__exit as *const u8);
    server::end(EndKind::Exit, status as u32 as u64);
    // SAFETY: forwards.
    unsafe { libc::_exit(status) }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn__Exit(status: c_int) -> ! {
    Call::take(gimlet_fn__Exit as *const u8);
    server::end(EndKind::Exit, status as u32 as u64);
    // SAFETY: forwards.
    unsafe { libc::_exit(status) }
}

#[no_mangle]
unsafe extern "C" fn gimlet_fn_quick_exit(status: c_int) -> ! {
    Call::take(gimlet_fn_quick_exit as *const u8);
    server::end(EndKind::Exit, status as u32 as u64);
    // SAFETY: forwards.
    unsafe { quick_exit(status) }
}
