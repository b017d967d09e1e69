//! Says what is wrong, and ends the program.
//!
//! The report is lines of `name: value`, after [`REPORT_MAGIC`]. It goes to standard
//! error, stays in a variable, from which the driver reads it, and is added to a
//! log if there is one; whoever reads it finds out functions and lines of the addresses.

pub use gimlet_trace::finding::{Access, Kind as Error};
use gimlet_trace::memory::{DEAD, REPORT_LEN, REPORT_MAGIC};

use crate::objects::{self, Kind};
use crate::{decisions, log, places};

/// A text of limited length.
#[repr(C)]
pub struct Text {
    bytes: [u8; REPORT_LEN],
    len: usize,
}

/// What is said, for whoever looks at the process.
#[unsafe(export_name = "gimlet_mem_report")]
static mut REPORT: Text = Text { bytes: [0; REPORT_LEN], len: 0 };

impl Text {
    pub fn new() -> Text {
        Text { bytes: [0; REPORT_LEN], len: 0 }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub fn add(&mut self, bytes: &[u8]) -> &mut Text {
        let n = bytes.len().min(REPORT_LEN - 1 - self.len);
        self.bytes[self.len..self.len + n].copy_from_slice(&bytes[..n]);
        self.len += n;
        self
    }

    fn number(&mut self, value: u64) -> &mut Text {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.add(&digits[at..])
    }

    fn signed(&mut self, value: i64) -> &mut Text {
        if value < 0 {
            self.add(b"-");
        }
        self.number(value.unsigned_abs())
    }

    pub fn hex(&mut self, value: u64) -> &mut Text {
        self.add(b"0x");
        for digit in (0..(64 - (value | 1).leading_zeros()).div_ceil(4)).rev() {
            self.add(&[b"0123456789abcdef"[(value >> (4 * digit)) as usize & 15]]);
        }
        self
    }

    /// A C string, without what would break the line.
    ///
    /// # Safety
    /// It must be one, or null.
    pub unsafe fn string(&mut self, text: *const u8) -> &mut Text {
        if text.is_null() {
            return self;
        }
        // SAFETY: the caller vouches for it.
        let bytes = unsafe { core::ffi::CStr::from_ptr(text.cast()).to_bytes() };
        for &byte in bytes.iter().take(512) {
            self.add(&[if byte == b'\n' { b' ' } else { byte }]);
        }
        self
    }
}

/// Writes to standard error.
pub fn say(text: &[u8]) {
    // SAFETY: a system call.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

/// Says what is wrong with an access to `n` bytes at `address`, through a pointer that belongs to the object `id`, in the
/// library function `callee` if that is where it was, and ends the program.
pub fn end(error: Error, access: Access, address: u64, n: u64, id: u32, callee: Option<&[u8]>) -> ! {
    // SAFETY: the program ends here; another thread that comes here at the same time spoils the text, no more.
    let text = unsafe { &mut *core::ptr::addr_of_mut!(REPORT) };
    text.len = 0;
    text.add(REPORT_MAGIC.as_bytes()).add(b"\nkind: ").add(error.name().as_bytes());
    text.add(b"\naccess: ").add(access.name().as_bytes()).add(b"\nbytes: ").number(n);
    text.add(b"\naddress: ").hex(address);
    if let Some(callee) = callee {
        text.add(b"\nfunction: ").add(callee);
    }
    if id != 0 {
        describe(text, address, id);
    }
    text.add(b"\n");
    say(text.bytes());
    log::add(text.bytes());
    decisions::wrong();
    abort()
}

fn describe(text: &mut Text, address: u64, id: u32) {
    // SAFETY: every index is inside the tables; names are C strings of the program's image.
    unsafe {
        let record = &*objects::record(id);
        let is_same = record.id & !DEAD == id & !DEAD;
        text.add(b"\nobject: ").add(match record.kind {
            Kind::Heap => b"heap",
            Kind::Local => b"stack",
            Kind::Global => b"global",
            Kind::Anything => b"none",
        });
        if !is_same {
            // Its record belongs to another one by now.
            return;
        }
        text.add(b"\nsize: ").number(record.size);
        text.add(b"\noffset: ").signed(address.wrapping_sub(record.base) as i64);
        let about = (*objects::detail(id)).about;
        if !about.is_null() {
            text.add(b"\nname: ").string((*about).name);
            if !(*about).function.is_null() {
                text.add(b"\nof: ").string((*about).function);
            }
            text.add(b"\nfile: ").string((*about).file);
            text.add(b"\nline: ").number((*about).line);
        }
        for (name, place) in [(&b"\nmade:"[..], record.made), (b"\nended:", record.ended)] {
            if place != 0 {
                text.add(name);
                for at in places::addresses(place) {
                    text.add(b" ").hex(at);
                }
            }
        }
    }
}

/// Ends the program by SIGABRT, whatever it has planned for that.
fn abort() -> ! {
    // SAFETY: system calls.
    unsafe {
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        let mut set: libc::sigset_t = core::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGABRT);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, core::ptr::null_mut());
        libc::raise(libc::SIGABRT);
        libc::_exit(134)
    }
}
