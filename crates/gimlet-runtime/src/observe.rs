//! `gimlet_observe`: what some bytes are, as events.
//!
//! Without a driver the bytes go to the file that `GIMLET_OBSERVATIONS` names, if it does: see the plain build's
//! support library for the format, which is the same.

use core::ffi::{c_char, CStr};

use gimlet_trace::event::{EventKind, EventRecord};

use crate::log::{self, blank};
use crate::memory::{content, label_of};
use crate::model::Call;
use crate::state::{self, Guard};

/// Bytes that one event holds.
const CHUNK: usize = 16;
/// Longer names are cut.
const NAME_MAX: usize = u16::MAX as usize;

/// Logs what the `n` bytes at `p` are. An observation of no bytes marks a place in the run.
///
/// # Safety
/// As for any C function that takes a buffer and a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gimlet_observe(p: *const u8, n: usize, name: *const c_char) {
    let call = Call::take(gimlet_observe as *const u8);
    // SAFETY: the caller vouches for both.
    unsafe {
        let name = if name.is_null() { b"unnamed" as &[u8] } else { CStr::from_ptr(name).to_bytes() };
        if !state::active() {
            return append(core::slice::from_raw_parts(if n == 0 { name.as_ptr() } else { p }, n), name);
        }
        let Some(_guard) = Guard::enter() else { return };
        call.pin_address(0, p as u64);
        call.pin_size(1, n as u64);
        log_bytes(p as u64, n, &name[..name.len().min(NAME_MAX)], call.site);
    }
}

unsafe fn log_bytes(address: u64, n: usize, name: &[u8], site: u32) {
    let Some(offset) = name_offset(name) else { return };
    let record = blank(EventKind::Observe, site);
    log::event(EventRecord { aux: name.len() as u16, b: offset, x: n as u64, y: log::losses(), ..record });
    for at in (0..n).step_by(CHUNK) {
        let (from, len) = (address + at as u64, CHUNK.min(n - at) as u32);
        // SAFETY: the caller vouches for the bytes.
        let value = unsafe { content(from, len) };
        let label = label_of(from, len, value, site);
        let record = blank(EventKind::Observed, site);
        log::event(EventRecord { flags: len as u8, a: label.0, x: value as u64, y: (value >> 64) as u64, ..record });
    }
}

/// Names seen lately, as offset and length: a program says, and compares with, the same few again and again.
static mut NAMES: [(u32, u32); 256] = [(0, 0); 256];

/// Where a name is among the names of the trace.
pub fn name_offset(name: &[u8]) -> Option<u32> {
    let hash = name.iter().fold(0u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // SAFETY: callers are inside a `Guard`, and a byte indexes 256 cells.
    let cell = unsafe { &mut *core::ptr::addr_of_mut!(NAMES[(hash >> 24) as usize]) };
    if state::name(cell.0, cell.1) != name {
        *cell = (state::push_name(name)?, name.len() as u32);
    }
    Some(cell.0)
}

/// A line of the file, written in pieces.
struct Line {
    fd: i32,
    bytes: [u8; 1024],
    len: usize,
}

impl Line {
    fn put(&mut self, byte: u8) {
        if self.len == self.bytes.len() {
            self.flush();
        }
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    fn flush(&mut self) {
        // SAFETY: the bytes are initialised; nothing can be done about a failure.
        unsafe { libc::write(self.fd, self.bytes.as_ptr().cast(), self.len) };
        self.len = 0;
    }

    fn number(&mut self, number: usize) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.put(b'0' + (number % 10) as u8);
    }
}

/// Appends an observation to the file, if there is one. errno stays as it was.
fn append(observed: &[u8], name: &[u8]) {
    crate::input::quietly(|| {
        // SAFETY: the strings end with a zero.
        let fd = unsafe {
            let path = libc::getenv(c"GIMLET_OBSERVATIONS".as_ptr());
            if path.is_null() {
                return;
            }
            libc::open(path, libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC, 0o666)
        };
        if fd < 0 {
            return state::say(b"gimlet: the file that GIMLET_OBSERVATIONS names can't be opened\n");
        }
        let mut line = Line { fd, bytes: [0; 1024], len: 0 };
        line.number(observed.len());
        line.put(b' ');
        for &byte in observed {
            line.put(b"0123456789abcdef"[usize::from(byte >> 4)]);
            line.put(b"0123456789abcdef"[usize::from(byte & 15)]);
        }
        line.put(b' ');
        name.iter().for_each(|&byte| line.put(byte));
        line.put(b'\n');
        line.flush();
        // SAFETY: opened above.
        unsafe { libc::close(fd) };
    });
}
