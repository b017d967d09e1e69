//! Functions that fill what the program gives them: times, file status, names, signal sets.
//!
//! What they write is concrete. A stale label shows when the content differs
//! from the label's value, but a byte may be overwritten by an equal one, so
//! their models say what was written. What they read of the program's memory and
//! what depends on it is not followed: it is counted as with any function
//! without a model.
//!
//! [`system!`] makes a model of a declaration and of what the call wrote and
//! read, which a [`Native`] is told after the real function has returned.

use core::ffi::{c_char, c_int, c_void};
use core::mem::size_of;

use gimlet_trace::event::{LostReason, UnmodelledReason};

use crate::calls::native_bytes;
use crate::log;
use crate::shadow;
use crate::state::Guard;

use super::{models, Call};

models! {
    time,
    gettimeofday,
    clock_gettime,
    clock_getres,
    timespec_get,
    gmtime,
    gmtime_r,
    localtime,
    localtime_r,
    mktime,
    timelocal: mktime,
    timegm,
    asctime,
    asctime_r,
    ctime,
    ctime_r,
    strftime,
    times,
    getrandom,
    getentropy,
    getitimer,
    setitimer,
    nanosleep,
    statfs,
    statfs64: statfs,
    fstatfs,
    fstatfs64: fstatfs,
    statvfs,
    statvfs64: statvfs,
    fstatvfs,
    fstatvfs64: fstatvfs,
    readlink,
    readlinkat,
    realpath,
    getcwd,
    mkstemp,
    mkstemp64: mkstemp,
    mkostemp,
    mkostemp64: mkostemp,
    mkdtemp,
    gethostname,
    uname,
    ttyname_r,
    getlogin_r,
    strerror_r,
    __xpg_strerror_r,
    sysinfo,
    getloadavg,
    getgroups,
    getrusage,
    getrlimit,
    getrlimit64: getrlimit,
    prlimit,
    prlimit64: prlimit,
    tcgetattr,
    pipe,
    pipe2,
    socketpair,
    wait,
    waitpid,
    waitid,
    wait4,
    pclose,
    system,
    sigaction,
    sigprocmask,
    pthread_sigmask: sigprocmask,
    sigpending,
    sigaltstack,
    sem_getvalue,
    pthread_join,
}

/// A call of a native function that has returned.
struct Native {
    call: Call,
    /// Labelled bytes that it was given.
    bytes: u64,
    _guard: Guard,
}

impl Native {
    fn of(call: Call) -> Option<Native> {
        Guard::enter().map(|guard| Native { call, bytes: 0, _guard: guard })
    }

    /// It read a `T`.
    fn read<T>(&mut self, at: *const T) {
        self.read_bytes(at, size_of::<T>());
    }

    fn read_bytes<T>(&mut self, at: *const T, n: usize) {
        if !at.is_null() {
            self.bytes += native_bytes(at as u64, n as u64, false, self.call.site);
        }
    }

    /// It read a string.
    fn read_string(&mut self, text: *const c_char) {
        if !text.is_null() {
            // SAFETY: the real function has read it.
            let len = unsafe { libc::strlen(text) };
            self.bytes += native_bytes(text as u64, len as u64 + 1, true, self.call.site);
        }
    }

    /// It filled a `T`.
    fn wrote<T>(&mut self, at: *const T) {
        self.wrote_bytes(at, size_of::<T>());
    }

    /// It filled a `T`, if `done`.
    fn wrote_if<T>(&mut self, done: bool, at: *const T) {
        if done {
            self.wrote(at);
        }
    }

    fn wrote_bytes<T>(&mut self, at: *const T, n: usize) {
        if !at.is_null() {
            shadow::clear(at as u64, n as u64);
        }
    }

    /// It wrote a string.
    fn wrote_string(&mut self, text: *const c_char) {
        if !text.is_null() {
            // SAFETY: the real function has written it.
            self.wrote_bytes(text, unsafe { libc::strlen(text) } + 1);
        }
    }

    /// How a child ended is known by now: nobody follows what it does with the input.
    fn child_ended(&mut self) {
        log::lost(self.call.site, LostReason::ChildStatus);
    }

    /// Counts what went in.
    fn finish(self) {
        let values = (0..6).filter(|&index| self.call.label(index) != 0).count() as u64;
        if values + self.bytes > 0 {
            log::unmodelled(UnmodelledReason::Given, values, self.bytes, self.call.site);
        }
    }
}

/// Models of functions that are called as they are: `{ |native, result| what it read and wrote }`.
macro_rules! system {
    ($(
        pub unsafe extern "C" fn $name:ident($($param:ident: $ty:ty),* $(,)?) -> $ret:ty {
            |$native:ident, $result:ident| $body:expr
        }
    )*) => {$(
        pub unsafe extern "C" fn $name($($param: $ty),*) -> $ret {
            unsafe extern "C" {
                fn $name($($param: $ty),*) -> $ret;
            }
            let call = Call::take(self::$name as *const u8);
            // SAFETY: forwards; what the function has read and written is there.
            unsafe {
                let $result = $name($($param),*);
                if let Some(mut $native) = Native::of(call) {
                    $body;
                    $native.finish();
                }
                $result
            }
        }
    )*};
}

system! {
    pub unsafe extern "C" fn time(out: *mut i64) -> i64 {
        |native, result| native.wrote(out)
    }

    pub unsafe extern "C" fn gettimeofday(out: *mut libc::timeval, zone: *mut libc::timezone) -> c_int {
        |native, result| {
            native.wrote(out);
            native.wrote(zone)
        }
    }

    pub unsafe extern "C" fn clock_gettime(clock: c_int, out: *mut libc::timespec) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn clock_getres(clock: c_int, out: *mut libc::timespec) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn timespec_get(out: *mut libc::timespec, base: c_int) -> c_int {
        |native, result| native.wrote_if(result != 0, out)
    }

    pub unsafe extern "C" fn gmtime(time: *const i64) -> *mut libc::tm {
        |native, result| {
            native.read(time);
            native.wrote(result)
        }
    }

    pub unsafe extern "C" fn gmtime_r(time: *const i64, out: *mut libc::tm) -> *mut libc::tm {
        |native, result| {
            native.read(time);
            native.wrote(result)
        }
    }

    pub unsafe extern "C" fn localtime(time: *const i64) -> *mut libc::tm {
        |native, result| {
            native.read(time);
            native.wrote(result)
        }
    }

    pub unsafe extern "C" fn localtime_r(time: *const i64, out: *mut libc::tm) -> *mut libc::tm {
        |native, result| {
            native.read(time);
            native.wrote(result)
        }
    }

    pub unsafe extern "C" fn mktime(parts: *mut libc::tm) -> i64 {
        |native, result| {
            native.read(parts);
            native.wrote(parts)
        }
    }

    pub unsafe extern "C" fn timegm(parts: *mut libc::tm) -> i64 {
        |native, result| {
            native.read(parts);
            native.wrote(parts)
        }
    }

    pub unsafe extern "C" fn asctime(parts: *const libc::tm) -> *mut c_char {
        |native, result| {
            native.read(parts);
            native.wrote_string(result)
        }
    }

    pub unsafe extern "C" fn asctime_r(parts: *const libc::tm, out: *mut c_char) -> *mut c_char {
        |native, result| {
            native.read(parts);
            native.wrote_string(result)
        }
    }

    pub unsafe extern "C" fn ctime(time: *const i64) -> *mut c_char {
        |native, result| {
            native.read(time);
            native.wrote_string(result)
        }
    }

    pub unsafe extern "C" fn ctime_r(time: *const i64, out: *mut c_char) -> *mut c_char {
        |native, result| {
            native.read(time);
            native.wrote_string(result)
        }
    }

    pub unsafe extern "C" fn strftime(
        out: *mut c_char,
        room: usize,
        format: *const c_char,
        parts: *const libc::tm,
    ) -> usize {
        |native, result| {
            native.read_string(format);
            native.read(parts);
            if result > 0 {
                native.wrote_bytes(out, result + 1);
            }
        }
    }

    pub unsafe extern "C" fn times(out: *mut libc::tms) -> i64 {
        |native, result| native.wrote(out)
    }

    pub unsafe extern "C" fn getrandom(out: *mut u8, n: usize, flags: u32) -> isize {
        |native, result| native.wrote_bytes(out, result.max(0) as usize)
    }

    pub unsafe extern "C" fn getentropy(out: *mut u8, n: usize) -> c_int {
        |native, result| native.wrote_bytes(out, if result == 0 { n } else { 0 })
    }

    pub unsafe extern "C" fn getitimer(which: c_int, out: *mut libc::itimerval) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn setitimer(
        which: c_int,
        new: *const libc::itimerval,
        old: *mut libc::itimerval,
    ) -> c_int {
        |native, result| {
            native.read(new);
            native.wrote_if(result == 0, old)
        }
    }

    pub unsafe extern "C" fn nanosleep(wanted: *const libc::timespec, left: *mut libc::timespec) -> c_int {
        |native, result| native.wrote_if(result != 0, left)
    }

    pub unsafe extern "C" fn statfs(path: *const c_char, out: *mut libc::statfs) -> c_int {
        |native, result| {
            native.read_string(path);
            native.wrote_if(result == 0, out)
        }
    }

    pub unsafe extern "C" fn fstatfs(fd: c_int, out: *mut libc::statfs) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn statvfs(path: *const c_char, out: *mut libc::statvfs) -> c_int {
        |native, result| {
            native.read_string(path);
            native.wrote_if(result == 0, out)
        }
    }

    pub unsafe extern "C" fn fstatvfs(fd: c_int, out: *mut libc::statvfs) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn readlink(path: *const c_char, out: *mut c_char, room: usize) -> isize {
        |native, result| {
            native.read_string(path);
            native.wrote_bytes(out, result.max(0) as usize)
        }
    }

    pub unsafe extern "C" fn readlinkat(
        fd: c_int,
        path: *const c_char,
        out: *mut c_char,
        room: usize,
    ) -> isize {
        |native, result| {
            native.read_string(path);
            native.wrote_bytes(out, result.max(0) as usize)
        }
    }

    pub unsafe extern "C" fn realpath(path: *const c_char, out: *mut c_char) -> *mut c_char {
        |native, result| {
            native.read_string(path);
            native.wrote_string(result)
        }
    }

    pub unsafe extern "C" fn getcwd(out: *mut c_char, room: usize) -> *mut c_char {
        |native, result| native.wrote_string(result)
    }

    pub unsafe extern "C" fn mkstemp(template: *mut c_char) -> c_int {
        |native, result| wrote_template(&mut native, template, result >= 0)
    }

    pub unsafe extern "C" fn mkostemp(template: *mut c_char, flags: c_int) -> c_int {
        |native, result| wrote_template(&mut native, template, result >= 0)
    }

    pub unsafe extern "C" fn mkdtemp(template: *mut c_char) -> *mut c_char {
        |native, result| wrote_template(&mut native, template, !result.is_null())
    }

    pub unsafe extern "C" fn gethostname(out: *mut c_char, room: usize) -> c_int {
        |native, result| if result == 0 {
            native.wrote_bytes(out, (libc::strnlen(out, room) + 1).min(room));
        }
    }

    pub unsafe extern "C" fn uname(out: *mut libc::utsname) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn ttyname_r(fd: c_int, out: *mut c_char, room: usize) -> c_int {
        |native, result| if result == 0 {
            native.wrote_string(out);
        }
    }

    pub unsafe extern "C" fn getlogin_r(out: *mut c_char, room: usize) -> c_int {
        |native, result| if result == 0 {
            native.wrote_string(out);
        }
    }

    pub unsafe extern "C" fn strerror_r(error: c_int, out: *mut c_char, room: usize) -> *mut c_char {
        |native, result| native.wrote_string(result)
    }

    pub unsafe extern "C" fn __xpg_strerror_r(error: c_int, out: *mut c_char, room: usize) -> c_int {
        |native, result| if room > 0 {
            native.wrote_string(out);
        }
    }

    pub unsafe extern "C" fn sysinfo(out: *mut libc::sysinfo) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn getloadavg(out: *mut f64, n: c_int) -> c_int {
        |native, result| native.wrote_bytes(out, 8 * result.max(0) as usize)
    }

    pub unsafe extern "C" fn getgroups(n: c_int, out: *mut u32) -> c_int {
        |native, result| native.wrote_bytes(out, if n > 0 { 4 * result.max(0) as usize } else { 0 })
    }

    pub unsafe extern "C" fn getrusage(who: c_int, out: *mut libc::rusage) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn getrlimit(resource: u32, out: *mut libc::rlimit) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn prlimit(
        process: c_int,
        resource: u32,
        new: *const libc::rlimit,
        old: *mut libc::rlimit,
    ) -> c_int {
        |native, result| {
            native.read(new);
            native.wrote_if(result == 0, old)
        }
    }

    pub unsafe extern "C" fn tcgetattr(fd: c_int, out: *mut libc::termios) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn pipe(out: *mut [c_int; 2]) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn pipe2(out: *mut [c_int; 2], flags: c_int) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn socketpair(domain: c_int, kind: c_int, protocol: c_int, out: *mut [c_int; 2]) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn wait(status: *mut c_int) -> c_int {
        |native, result| waited(&mut native, result, status)
    }

    pub unsafe extern "C" fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int {
        |native, result| waited(&mut native, result, status)
    }

    pub unsafe extern "C" fn waitid(
        what: c_int,
        which: u32,
        out: *mut libc::siginfo_t,
        options: c_int,
    ) -> c_int {
        |native, result| if result == 0 && !out.is_null() {
            native.wrote(out);
            native.child_ended();
        }
    }

    pub unsafe extern "C" fn pclose(stream: *mut c_void) -> c_int {
        |native, result| if result != -1 {
            native.child_ended();
        }
    }

    pub unsafe extern "C" fn system(command: *const c_char) -> c_int {
        |native, result| {
            native.read_string(command);
            if result != -1 && !command.is_null() {
                native.child_ended();
            }
        }
    }

    pub unsafe extern "C" fn wait4(
        process: c_int,
        status: *mut c_int,
        options: c_int,
        used: *mut libc::rusage,
    ) -> c_int {
        |native, result| {
            waited(&mut native, result, status);
            native.wrote_if(result > 0, used)
        }
    }

    pub unsafe extern "C" fn sigaction(
        signal: c_int,
        new: *const libc::sigaction,
        old: *mut libc::sigaction,
    ) -> c_int {
        |native, result| {
            native.read(new);
            native.wrote_if(result == 0, old)
        }
    }

    pub unsafe extern "C" fn sigprocmask(
        how: c_int,
        new: *const libc::sigset_t,
        old: *mut libc::sigset_t,
    ) -> c_int {
        |native, result| {
            native.read(new);
            native.wrote_if(result == 0, old)
        }
    }

    pub unsafe extern "C" fn sigpending(out: *mut libc::sigset_t) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int {
        |native, result| {
            native.read(new);
            native.wrote_if(result == 0, old)
        }
    }

    pub unsafe extern "C" fn sem_getvalue(semaphore: *mut c_void, out: *mut c_int) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }

    pub unsafe extern "C" fn pthread_join(thread: u64, out: *mut *mut c_void) -> c_int {
        |native, result| native.wrote_if(result == 0, out)
    }
}

/// A child has ended, if there is a result.
fn waited(native: &mut Native, result: c_int, status: *mut c_int) {
    if result > 0 && !status.is_null() {
        native.wrote(status);
        native.child_ended();
    }
}

/// The last six characters of the template are new.
///
/// # Safety
/// It must be a string.
unsafe fn wrote_template(native: &mut Native, template: *const c_char, done: bool) {
    native.read_string(template);
    if done {
        // SAFETY: a template has six characters to replace, or it was refused.
        unsafe { native.wrote_bytes(template.add(libc::strlen(template) - 6), 6) };
    }
}
