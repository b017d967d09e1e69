//! A log for whoever has many runs at once, such as a project's own tests, which may hide what a program says.
//!
//! Each process appends a line when it begins, and what is wrong with the return addresses of its frames, as files and
//! addresses in them:
//!
//! ```text
//! run: /tmp/door.memory
//! gimlet: memory error
//! kind: heap-out-of-bounds
//! ...
//! at: 0x2f1a /tmp/door.memory
//! at: 0x2724a /lib/x86_64-linux-gnu/libc.so.6
//! ```
//!
//! The variable stays in the environment, because programs start others.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use gimlet_trace::memory::LOG_ENV;

use crate::report::Text;

/// The path, with a zero; a longer one is not written to.
const PATH_LEN: usize = 1024;
const N_FRAMES: usize = 64;

static mut PATH: [u8; PATH_LEN] = [0; PATH_LEN];
static IS_WANTED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn backtrace(frames: *mut *mut c_void, n: c_int) -> c_int;
}

/// Reads where the log is, and says which program this is.
pub fn begin() {
    let mut name = [0u8; 32];
    name[..LOG_ENV.len()].copy_from_slice(LOG_ENV.as_bytes());
    // SAFETY: the name ends with a zero; nobody else is in the runtime yet.
    unsafe {
        let path = libc::getenv(name.as_ptr().cast());
        if path.is_null() || *path == 0 || libc::strlen(path) >= PATH_LEN {
            return;
        }
        core::ptr::copy_nonoverlapping(path.cast::<u8>(), (&raw mut PATH).cast(), libc::strlen(path));
    }
    IS_WANTED.store(true, Ordering::Relaxed);
    let mut line = Text::new();
    line.add(b"run: ").add(program().bytes()).add(b"\n");
    if !append(|fd| write(fd, line.bytes())) {
        let mut line = Text::new();
        // SAFETY: the path ends with a zero.
        unsafe { line.add(b"gimlet: cannot write the log ").string((&raw const PATH).cast()).add(b"\n") };
        write(libc::STDERR_FILENO, line.bytes());
    }
}

/// The file of the program.
fn program() -> Text {
    let mut path = [0u8; PATH_LEN];
    let mut text = Text::new();
    // SAFETY: a system call that leaves a zero behind what it writes.
    unsafe {
        libc::readlink(c"/proc/self/exe".as_ptr(), path.as_mut_ptr().cast(), PATH_LEN - 1);
        text.string(path.as_ptr());
    }
    text
}

/// Adds a report, and who called whom: the runtime's own functions come first.
pub fn add(report: &[u8]) {
    if !IS_WANTED.load(Ordering::Relaxed) {
        return;
    }
    append(|fd| {
        write(fd, report);
        let mut frames = [core::ptr::null_mut(); N_FRAMES];
        // SAFETY: there is room for so many.
        let n = unsafe { backtrace(frames.as_mut_ptr(), N_FRAMES as c_int) };
        let program = program();
        for &frame in frames.iter().take(n as usize) {
            let mut place = Place { address: frame as u64, line: Text::new(), program: program.bytes() };
            // SAFETY: called back with what it is given.
            unsafe { libc::dl_iterate_phdr(Some(find), (&raw mut place).cast()) };
            write(fd, place.line.bytes());
        }
    });
}

/// An address, and the line about the image that it is in.
struct Place<'a> {
    address: u64,
    line: Text,
    program: &'a [u8],
}

/// Whether the address is in this image.
unsafe extern "C" fn find(info: *mut libc::dl_phdr_info, _size: usize, place: *mut c_void) -> c_int {
    // SAFETY: the loader's word on an image, and our own structure.
    unsafe {
        let (info, place) = (&*info, &mut *place.cast::<Place>());
        let address = place.address.wrapping_sub(info.dlpi_addr);
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
        let has_it = |header: &libc::Elf64_Phdr| {
            header.p_type == libc::PT_LOAD && address.wrapping_sub(header.p_vaddr) < header.p_memsz
        };
        if !headers.iter().any(has_it) {
            return 0;
        }
        place.line.add(b"at: ").hex(address).add(b" ");
        match *info.dlpi_name {
            0 => place.line.add(place.program),
            _ => place.line.string(info.dlpi_name.cast()),
        };
        place.line.add(b"\n");
        1
    }
}

/// Whether that can be done. The file is open only for a moment: its number may be one that the program expects.
fn append(add: impl FnOnce(c_int)) -> bool {
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero, and is written once.
    let fd = unsafe { libc::open((&raw const PATH).cast(), flags, 0o644) };
    if fd >= 0 {
        add(fd);
        // SAFETY: opened just now.
        unsafe { libc::close(fd) };
    }
    fd >= 0
}

fn write(fd: c_int, bytes: &[u8]) {
    // SAFETY: a system call.
    unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
}
