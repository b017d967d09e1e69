//! Streams, descriptors and names of files.

use core::ffi::c_int;

use super::{functions, Call, Memory};

functions! {
    fgets,
    fgets_unlocked: fgets,
    fread,
    fread_unlocked: fread,
    fwrite,
    fwrite_unlocked: fwrite,
    fputs,
    fputs_unlocked: fputs,
    puts,
    read,
    write,
    pread,
    pread64: pread,
    pwrite,
    pwrite64: pwrite,
    recv,
    recvfrom,
    send,
    gets,
    getcwd,
    readlink,
    fopen,
    fopen64: fopen,
    getenv,
    perror,
    remove,
    unlink,
    system,
    access,
}

unsafe extern "C" {
    #[link_name = "fgets"]
    fn real_fgets(to: *mut u8, n: c_int, stream: *mut u8) -> *mut u8;
    #[link_name = "fread"]
    fn real_fread(to: *mut u8, size: usize, n: usize, stream: *mut u8) -> usize;
    #[link_name = "fwrite"]
    fn real_fwrite(from: *const u8, size: usize, n: usize, stream: *mut u8) -> usize;
    #[link_name = "fputs"]
    fn real_fputs(text: *const u8, stream: *mut u8) -> c_int;
    #[link_name = "puts"]
    fn real_puts(text: *const u8) -> c_int;
    #[link_name = "read"]
    fn real_read(fd: c_int, to: *mut u8, n: usize) -> isize;
    #[link_name = "write"]
    fn real_write(fd: c_int, from: *const u8, n: usize) -> isize;
    #[link_name = "pread"]
    fn real_pread(fd: c_int, to: *mut u8, n: usize, at: i64) -> isize;
    #[link_name = "pwrite"]
    fn real_pwrite(fd: c_int, from: *const u8, n: usize, at: i64) -> isize;
    #[link_name = "recv"]
    fn real_recv(fd: c_int, to: *mut u8, n: usize, flags: c_int) -> isize;
    #[link_name = "recvfrom"]
    fn real_recvfrom(fd: c_int, to: *mut u8, n: usize, flags: c_int, who: *mut u8, n_who: *mut u32) -> isize;
    #[link_name = "getcwd"]
    fn real_getcwd(to: *mut u8, n: usize) -> *mut u8;
    #[link_name = "readlink"]
    fn real_readlink(path: *const u8, to: *mut u8, n: usize) -> isize;
    #[link_name = "send"]
    fn real_send(fd: c_int, from: *const u8, n: usize, flags: c_int) -> isize;
    #[link_name = "fopen"]
    fn real_fopen(path: *const u8, mode: *const u8) -> *mut u8;
    #[link_name = "getenv"]
    fn real_getenv(name: *const u8) -> *mut u8;
    #[link_name = "perror"]
    fn real_perror(text: *const u8);
    #[link_name = "remove"]
    fn real_remove(path: *const u8) -> c_int;
    #[link_name = "unlink"]
    fn real_unlink(path: *const u8) -> c_int;
    #[link_name = "system"]
    fn real_system(command: *const u8) -> c_int;
    #[link_name = "access"]
    fn real_access(path: *const u8, mode: c_int) -> c_int;
    fn getc(stream: *mut u8) -> c_int;
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn fgets(to: *mut u8, n: c_int, stream: *mut u8) -> *mut u8 {
    let target = Call::take(fgets as *const u8).memory(0, to, b"fgets");
    if target.at_most(n.max(0) as usize) == n.max(0) as usize {
        // SAFETY: the real function, on the caller's arguments.
        return target.gives(unsafe { real_fgets(to, n, stream) });
    }
    // Too much is promised: a byte at a time, as there may be zeros among them, and nobody else counts.
    let mut n_read = 0;
    // SAFETY: a stream of the caller's; each byte is checked before it is written.
    unsafe {
        while n_read + 1 < n as usize {
            let byte = getc(stream);
            if byte < 0 {
                break;
            }
            target.write(n_read as u64 + 1);
            to.add(n_read).write(byte as u8);
            n_read += 1;
            if byte == c_int::from(b'\n') {
                break;
            }
        }
        if n_read == 0 {
            return target.gives(core::ptr::null_mut());
        }
        target.write(n_read as u64 + 1);
        to.add(n_read).write(0);
    }
    target.gives(to)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn fread(to: *mut u8, size: usize, n: usize, stream: *mut u8) -> usize {
    let target = Call::take(fread as *const u8).memory(0, to, b"fread");
    let all = size.saturating_mul(n);
    // SAFETY: the real function, on the caller's arguments.
    unsafe {
        if target.at_most(all) == all {
            let n_read = real_fread(to, size, n, stream);
            target.write((n_read * size) as u64);
            return n_read;
        }
        let n_bytes = real_fread(to, 1, target.at_most(all), stream);
        target.write(n_bytes as u64);
        n_bytes.checked_div(size).unwrap_or(0)
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn fwrite(from: *const u8, size: usize, n: usize, stream: *mut u8) -> usize {
    Call::take(fwrite as *const u8).memory(0, from, b"fwrite").leaves(size.saturating_mul(n) as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_fwrite(from, size, n, stream) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn fputs(text: *const u8, stream: *mut u8) -> c_int {
    Call::take(fputs as *const u8).memory(0, text, b"fputs").string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_fputs(text, stream) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn puts(text: *const u8) -> c_int {
    Call::take(puts as *const u8).memory(0, text, b"puts").string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_puts(text) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn read(fd: c_int, to: *mut u8, n: usize) -> isize {
    let target = Call::take(read as *const u8).memory(1, to, b"read");
    // SAFETY: the real function, on the caller's arguments.
    let n_read = unsafe { real_read(fd, to, target.at_most(n)) };
    target.write(n_read.max(0) as u64);
    n_read
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn pread(fd: c_int, to: *mut u8, n: usize, at: i64) -> isize {
    let target = Call::take(pread as *const u8).memory(1, to, b"pread");
    // SAFETY: the real function, on the caller's arguments.
    let n_read = unsafe { real_pread(fd, to, target.at_most(n), at) };
    target.write(n_read.max(0) as u64);
    n_read
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn recv(fd: c_int, to: *mut u8, n: usize, flags: c_int) -> isize {
    let target = Call::take(recv as *const u8).memory(1, to, b"recv");
    // SAFETY: the real function, on the caller's arguments.
    let n_read = unsafe { real_recv(fd, to, target.at_most(n), flags) };
    target.write(n_read.max(0) as u64);
    n_read
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn recvfrom(
    fd: c_int,
    to: *mut u8,
    n: usize,
    flags: c_int,
    who: *mut u8,
    n_who: *mut u32,
) -> isize {
    let target = Call::take(recvfrom as *const u8).memory(1, to, b"recvfrom");
    // SAFETY: the real function, on the caller's arguments.
    let n_read = unsafe { real_recvfrom(fd, to, target.at_most(n), flags, who, n_who) };
    target.write(n_read.max(0) as u64);
    n_read
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn readlink(path: *const u8, to: *mut u8, n: usize) -> isize {
    let call = Call::take(readlink as *const u8);
    let (path_string, target) = (call.memory(0, path, b"readlink"), call.memory(1, to, b"readlink"));
    path_string.string();
    // SAFETY: the real function, on the caller's arguments.
    let n_read = unsafe { real_readlink(path, to, target.at_most(n)) };
    target.write(n_read.max(0) as u64);
    n_read
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn getcwd(to: *mut u8, n: usize) -> *mut u8 {
    let target = Call::take(getcwd as *const u8).memory(0, to, b"getcwd");
    if to.is_null() {
        // SAFETY: the real function, which allocates.
        let made = unsafe { real_getcwd(to, n) };
        return Memory::at(made as u64, b"getcwd").gives(made);
    }
    // SAFETY: the real function, which allocates first to say how long the path is, and then has the caller's arguments.
    unsafe {
        let path = real_getcwd(core::ptr::null_mut(), 0);
        let len = if path.is_null() { 0 } else { libc::strlen(path.cast()) + 1 };
        libc::free(path.cast());
        if len <= n {
            target.write(len as u64);
        }
        target.gives(real_getcwd(to, n))
    }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn gets(to: *mut u8) -> *mut u8 {
    let target = Call::take(gets as *const u8).memory(0, to, b"gets");
    let mut n_read = 0;
    let mut byte;
    // SAFETY: each byte is checked before it is written.
    unsafe {
        loop {
            byte = libc::getchar();
            if byte < 0 || byte == c_int::from(b'\n') {
                break;
            }
            target.write(n_read as u64 + 1);
            to.add(n_read).write(byte as u8);
            n_read += 1;
        }
        if n_read == 0 && byte < 0 {
            return target.gives(core::ptr::null_mut());
        }
        target.write(n_read as u64 + 1);
        to.add(n_read).write(0);
    }
    target.gives(to)
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn write(fd: c_int, from: *const u8, n: usize) -> isize {
    Call::take(write as *const u8).memory(1, from, b"write").leaves(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_write(fd, from, n) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn pwrite(fd: c_int, from: *const u8, n: usize, at: i64) -> isize {
    Call::take(pwrite as *const u8).memory(1, from, b"pwrite").leaves(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_pwrite(fd, from, n, at) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn send(fd: c_int, from: *const u8, n: usize, flags: c_int) -> isize {
    Call::take(send as *const u8).memory(1, from, b"send").leaves(n as u64);
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_send(fd, from, n, flags) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn fopen(path: *const u8, mode: *const u8) -> *mut u8 {
    let call = Call::take(fopen as *const u8);
    let (path_memory, mode_memory) = (call.memory(0, path, b"fopen"), call.memory(1, mode, b"fopen"));
    path_memory.string();
    mode_memory.string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_fopen(path, mode) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn getenv(name: *const u8) -> *mut u8 {
    Call::take(getenv as *const u8).memory(0, name, b"getenv").string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_getenv(name) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn perror(text: *const u8) {
    if !text.is_null() {
        Call::take(perror as *const u8).memory(0, text, b"perror").string();
    }
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_perror(text) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn remove(path: *const u8) -> c_int {
    Call::take(remove as *const u8).memory(0, path, b"remove").string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_remove(path) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn unlink(path: *const u8) -> c_int {
    Call::take(unlink as *const u8).memory(0, path, b"unlink").string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_unlink(path) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn system(command: *const u8) -> c_int {
    if !command.is_null() {
        Call::take(system as *const u8).memory(0, command, b"system").string();
    }
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_system(command) }
}

/// # Safety
/// That of the real function.
pub unsafe extern "C" fn access(path: *const u8, mode: c_int) -> c_int {
    Call::take(access as *const u8).memory(0, path, b"access").string();
    // SAFETY: the real function, on the caller's arguments.
    unsafe { real_access(path, mode) }
}
