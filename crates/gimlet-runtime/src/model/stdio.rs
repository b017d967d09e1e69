//! stdio on the input.
//!
//! The labels of a stream are those of its buffer: when the buffer has been
//! filled, its bytes are labelled from the descriptor's position, and getc, as
//! a function or as a macro in the program itself, finds them there. This needs
//! the public part of glibc's `struct _IO_FILE`.

use core::ffi::{c_char, c_int, c_void};
use core::ops::Range;

use gimlet_trace::event::PinReason;
use gimlet_trace::node::Op;
use gimlet_trace::{Label, ShadowWord};

use crate::checks;
use crate::contents;
use crate::input::{label_read, length_of, log_read, of_descriptor, position};
use crate::lengths;
use crate::log;
use crate::memory::{content, label_of};
use crate::objects;
use crate::shadow;
use crate::state::Guard;
use crate::table::{extend, extract, operation, Operand};
use crate::term::Term;
use crate::walks;

use super::read::taken;
use super::{models, Call, Model};

models! {
    getc,
    fgetc: getc,
    _IO_getc: getc,
    getc_unlocked,
    fgetc_unlocked: getc_unlocked,
    __uflow,
    getchar,
    getchar_unlocked,
    ungetc,
    fread,
    fread_unlocked,
    fgets,
    fgets_unlocked,
    getline,
    getdelim,
    fseek,
    fseeko,
    fseeko64: fseeko,
    ftell,
    ftello,
    ftello64: ftello,
    rewind,
    __getdelim: getdelim,
}

/// The beginning of glibc's FILE.
#[repr(C)]
pub struct Stream {
    flags: c_int,
    read_ptr: u64,
    read_end: u64,
    read_base: u64,
    write: [u64; 3],
    buffer_base: u64,
    buffer_end: u64,
    save_base: u64,
    backup_base: u64,
    save_end: u64,
    markers: u64,
    chain: u64,
    fileno: c_int,
}

const IN_BACKUP: c_int = 0x100;
const EOF: c_int = -1;

/// The library's own.
pub mod real {
    use super::{c_char, c_int, c_void, Stream};

    unsafe extern "C" {
        pub static stdin: *mut Stream;
        pub fn getc(stream: *mut Stream) -> c_int;
        pub fn getc_unlocked(stream: *mut Stream) -> c_int;
        pub fn __uflow(stream: *mut Stream) -> c_int;
        pub fn ungetc(c: c_int, stream: *mut Stream) -> c_int;
        pub fn fread(to: *mut c_void, size: usize, count: usize, stream: *mut Stream) -> usize;
        pub fn fread_unlocked(to: *mut c_void, size: usize, count: usize, stream: *mut Stream) -> usize;
        pub fn fgets(to: *mut c_char, n: c_int, stream: *mut Stream) -> *mut c_char;
        pub fn fgets_unlocked(to: *mut c_char, n: c_int, stream: *mut Stream) -> *mut c_char;
        pub fn getdelim(line: *mut *mut c_char, room: *mut usize, delimiter: c_int, stream: *mut Stream) -> isize;
        pub fn fseeko(stream: *mut Stream, offset: i64, whence: c_int) -> c_int;
        pub fn ftello(stream: *mut Stream) -> i64;
        pub fn rewind(stream: *mut Stream);
    }
}

/// A stream before a call: where its next bytes come from.
#[derive(Clone, Copy)]
pub struct Place {
    pub source: Option<u32>,
    /// Bytes that ungetc put before the rest, and where they are.
    pub pushed: u64,
    pub pushed_at: u64,
    /// Offset in the file of the next byte after those.
    pub offset: u64,
    /// Bytes in the buffer from `offset` on.
    pub buffered: u64,
}

/// Where a stream stands.
///
/// # Safety
/// It must be one.
pub unsafe fn place(stream: *mut Stream) -> Place {
    // SAFETY: the stream is libc's.
    unsafe {
        let s = &*stream;
        let at = position(s.fileno);
        let backup = s.flags & IN_BACKUP != 0;
        let (pushed, buffered) = if backup {
            (s.read_end.saturating_sub(s.read_ptr), s.save_end.saturating_sub(s.save_base))
        } else {
            (0, s.read_end.saturating_sub(s.read_ptr))
        };
        Place {
            source: of_descriptor(s.fileno),
            pushed,
            pushed_at: s.read_ptr,
            offset: at.saturating_sub(buffered),
            buffered,
        }
    }
}

/// Labels the buffer from where the descriptor stands. Bytes that were pushed back keep their own labels.
///
/// # Safety
/// It must be a stream.
pub unsafe fn label_buffer(stream: *mut Stream, source: Option<u32>, site: u32) {
    // SAFETY: the stream is libc's.
    unsafe {
        let s = &*stream;
        if s.flags & IN_BACKUP != 0 || s.read_end < s.read_base || s.read_base == 0 {
            return;
        }
        let len = s.read_end - s.read_base;
        let end = position(s.fileno);
        match source {
            Some(source) if end >= len => label_read(source, end - len, s.read_base, len),
            _ => contents::arrived_in_stream(s.fileno, end.saturating_sub(len), s.read_base, len, site),
        }
    }
}

/// After a call that took `taken` bytes and put them at `to`: labels for them and for the new buffer.
unsafe fn took(stream: *mut Stream, before: Place, to: u64, taken: u64, site: u32) {
    let pushed = before.pushed.min(taken);
    shadow::copy(to, before.pushed_at, pushed);
    match before.source {
        Some(source) => label_read(source, before.offset, to + pushed, taken - pushed),
        None => {
            // SAFETY: the stream is libc's.
            let fd = unsafe { (*stream).fileno };
            contents::arrived_in_stream(fd, before.offset, to + pushed, taken - pushed, site);
        }
    }
    // SAFETY: the stream is libc's.
    unsafe { label_buffer(stream, before.source, site) };
}

/// The fills of a stream's buffer while a call looks at one byte after the other. What a fill gives depends on the
/// length of the input alone; which fills there are depends on the bytes before.
pub struct Fills {
    source: Option<u32>,
    /// Bytes that can be looked at without another fill.
    n_ready: u64,
    /// Where the next one begins.
    offset: u64,
    size: u64,
    site: u32,
}

impl Fills {
    /// # Safety
    /// It must be a stream.
    pub unsafe fn new(stream: *mut Stream, before: Place, site: u32) -> Fills {
        // SAFETY: the stream is libc's.
        let size = unsafe { (*stream).buffer_end.saturating_sub((*stream).buffer_base).max(1) };
        let n_ready = before.pushed + before.buffered;
        Fills { source: before.source, n_ready, offset: before.offset + before.buffered, size, site }
    }

    /// Logs the fill that is needed for a look at byte `index` of the call, if one is.
    pub fn look_at(&mut self, index: u64) {
        if let Some(source) = self.source.filter(|_| index >= self.n_ready) {
            let got = length_of(source).saturating_sub(self.offset).min(self.size);
            log_read(source, self.offset, self.size, got, self.site);
            self.offset += got;
            // At the end there is no more to come, however often one looks.
            self.n_ready = if got < self.size { u64::MAX } else { self.n_ready + got };
        }
    }
}

/// Bytes that a call has taken since `before`.
///
/// # Safety
/// It must be a stream.
pub unsafe fn taken_since(stream: *mut Stream, before: Place) -> u64 {
    // SAFETY: the stream is libc's.
    let after = unsafe { place(stream) };
    (before.pushed + after.offset).saturating_sub(before.offset + after.pushed)
}

/// getc in all its forms: the byte's label is in the buffer, before or after it is filled again.
unsafe fn get(call: Call, stream: *mut Stream, real: unsafe extern "C" fn(*mut Stream) -> c_int) -> c_int {
    let Some(guard) = Guard::enter() else {
        // SAFETY: forwards.
        return unsafe { real(stream) };
    };
    drop(guard);
    // SAFETY: the stream is libc's.
    unsafe {
        let at = (*stream).read_ptr;
        let buffered = at < (*stream).read_end;
        let c = real(stream);
        let Some(_guard) = Guard::enter() else { return c };
        let at = if buffered {
            at
        } else {
            let source = of_descriptor((*stream).fileno);
            label_buffer(stream, source, call.site);
            if let Some(source) = source {
                let end = position((*stream).fileno);
                let len = if c == EOF { 0 } else { (*stream).read_end - (*stream).read_base };
                let wanted = ((*stream).buffer_end - (*stream).buffer_base).max(1);
                log_read(source, end.saturating_sub(len), wanted, len, call.site);
            }
            (*stream).read_ptr.wrapping_sub(1)
        };
        let label = if c == EOF { Label::NONE } else { label_of(at, 1, content(at, 1), call.site) };
        call.result(extend(Op::ZExt, label, 32));
        if lengths::are_there() {
            let after = place(stream);
            if let Some(source) = after.source {
                walks::took_of_stream(source, after.offset);
            }
        }
        c
    }
}

pub unsafe extern "C" fn getc(stream: *mut Stream) -> c_int {
    // SAFETY: forwards.
    unsafe { get(Call::take(getc as *const u8), stream, real::getc) }
}

pub unsafe extern "C" fn getc_unlocked(stream: *mut Stream) -> c_int {
    // SAFETY: forwards.
    unsafe { get(Call::take(getc_unlocked as *const u8), stream, real::getc_unlocked) }
}

pub unsafe extern "C" fn __uflow(stream: *mut Stream) -> c_int {
    // SAFETY: forwards.
    unsafe { get(Call::take(__uflow as *const u8), stream, real::__uflow) }
}

pub unsafe extern "C" fn getchar() -> c_int {
    // SAFETY: forwards.
    unsafe { get(Call::take(getchar as *const u8), real::stdin, real::getc) }
}

pub unsafe extern "C" fn getchar_unlocked() -> c_int {
    // SAFETY: forwards.
    unsafe { get(Call::take(getchar_unlocked as *const u8), real::stdin, real::getc_unlocked) }
}

pub unsafe extern "C" fn ungetc(c: c_int, stream: *mut Stream) -> c_int {
    let call = Call::take(ungetc as *const u8);
    // SAFETY: forwards; afterwards the stream's next byte is the one pushed back.
    unsafe {
        let result = real::ungetc(c, stream);
        let Some(_guard) = Guard::enter() else { return result };
        if result != EOF {
            let label = extract(Label(call.label(0)), 0, 8);
            shadow::set((*stream).read_ptr, ShadowWord::new(label, 0));
            call.result(extend(Op::ZExt, label, 32));
        }
        result
    }
}

/// So many bytes, so many times.
pub fn product(one: Operand, items: Operand) -> Operand {
    let value = (one.value as u64).wrapping_mul(items.value as u64).into();
    let is_symbolic = one.is_symbolic() || items.is_symbolic();
    let label = if is_symbolic { operation(Op::Mul, 64, [64, 64, 0], &[one, items], value) } else { Label::NONE };
    Operand { label, value }
}

/// How many bytes a call took of a stream, as a term. It takes no more than up to `end` of the source; by itself up to
/// where it is.
fn bytes_taken(model: &Model, before: Place, room: Option<Term>, n: u64, end: Option<u64>) -> Term {
    let pushed = before.pushed.min(n);
    match before.source.filter(|_| lengths::are_there()) {
        Some(source) => {
            let (offset, n) = (before.offset, n - pushed);
            let end = end.unwrap_or(offset + n);
            let pushed = Term::constant(pushed, 64);
            taken(model, source, offset, room.map(|room| room - pushed), n, end) + pushed
        }
        None => Term::constant(n, 64),
    }
}

/// How many of the `n` bytes that a call took came before any stretch.
fn before_stretches(before: Place, n: u64) -> u64 {
    let pushed = before.pushed.min(n);
    let end = before.offset + n - pushed;
    before.source.map_or(n, |source| lengths::first_stretch(source, before.offset, end) - before.offset + pushed)
}

type Fread = unsafe extern "C" fn(*mut c_void, usize, usize, *mut Stream) -> usize;

unsafe fn read_items(
    call: Call,
    to: *mut c_void,
    size: usize,
    count: usize,
    stream: *mut Stream,
    real: Fread,
) -> usize {
    // SAFETY: forwards; the stream is libc's.
    unsafe {
        let Some(guard) = Guard::enter() else { return real(to, size, count, stream) };
        let (one, items) = (call.operand(1, size as u64), call.operand(2, count as u64));
        let n = product(one, items);
        checks::range(call.operand(0, to as u64), n, call.site);
        call.pin_address(0, to as u64);
        call.pin_size(1, size as u64);
        call.pin_size(2, count as u64);
        let before = place(stream);
        drop(guard);
        let items = real(to, size, count, stream);
        if let Some(model) = call.follow() {
            let wanted = (size as u64).saturating_mul(count as u64);
            let taken = taken_since(stream, before).min(wanted);
            took(stream, before, to as u64, taken, call.site);
            if let Some(source) = before.source.filter(|_| wanted > before.pushed + before.buffered) {
                let pushed = before.pushed.min(taken);
                log_read(source, before.offset, wanted - pushed, taken - pushed, call.site);
            }
            let room = lengths::open(Term { label: n.label, ..Term::constant(wanted, 64) });
            let n_taken = bytes_taken(&model, before, Some(room), taken, before.source.map(length_of));
            if size == 1 {
                model.answer(n_taken, items as u64);
            }
        }
        items
    }
}

pub unsafe extern "C" fn fread(to: *mut c_void, size: usize, count: usize, stream: *mut Stream) -> usize {
    // SAFETY: forwards.
    unsafe { read_items(Call::take(fread as *const u8), to, size, count, stream, real::fread) }
}

pub unsafe extern "C" fn fread_unlocked(to: *mut c_void, size: usize, count: usize, stream: *mut Stream) -> usize {
    // SAFETY: forwards.
    unsafe { read_items(Call::take(fread_unlocked as *const u8), to, size, count, stream, real::fread_unlocked) }
}

/// A line of `len` bytes at `at` was read: where it ends depends on each of its bytes.
unsafe fn line_branches(at: u64, part: Range<u64>, delimiter: u8, fills: &mut Fills, site: u32) {
    for index in part {
        fills.look_at(index);
        // SAFETY: the caller has read them.
        let value = unsafe { content(at + index, 1) };
        let label = label_of(at + index, 1, value, site);
        if label.is_symbolic() {
            let ends = value as u8 == delimiter;
            let operands = [Operand { label, value }, Operand::constant(delimiter.into())];
            log::branch(operation(Op::Eq, 1, [8, 8, 0], &operands, ends.into()), ends, true, site);
        }
    }
}

type Fgets = unsafe extern "C" fn(*mut c_char, c_int, *mut Stream) -> *mut c_char;

unsafe fn read_line(call: Call, to: *mut c_char, n: c_int, stream: *mut Stream, real: Fgets) -> *mut c_char {
    // SAFETY: forwards; the stream is libc's.
    unsafe {
        let Some(guard) = Guard::enter() else { return real(to, n, stream) };
        call.touches((0, to as u64), (1, n as u64));
        call.pin_address(0, to as u64);
        call.pin_size(1, n as u64);
        let before = place(stream);
        drop(guard);
        let result = real(to, n, stream);
        let Some(model) = call.follow() else { return result };
        let wanted = (i64::from(n) - 1).max(0) as u64;
        let mut fills = Fills::new(stream, before, call.site);
        if result.is_null() {
            fills.look_at(0);
            return result;
        }
        let taken = taken_since(stream, before).min(wanted);
        took(stream, before, to as u64, taken, call.site);
        shadow::clear(to as u64 + taken, 1);
        let is_ended = content(to as u64 + taken - 1, 1) as u8 == b'\n';
        let end = (!is_ended).then_some(before.source.map(length_of)).flatten();
        let n_certain = before_stretches(before, taken);
        line_branches(to as u64, 0..n_certain, b'\n', &mut fills, call.site);
        let room = lengths::open(model.argument(1, n as u64, 32)).zero_extend(64) - Term::constant(1, 64);
        bytes_taken(&model, before, Some(room), taken, end);
        line_branches(to as u64, n_certain..taken, b'\n', &mut fills, call.site);
        if taken < wanted && !is_ended {
            fills.look_at(taken);
        }
        call.result(Label(call.label(0)));
        result
    }
}

pub unsafe extern "C" fn fgets(to: *mut c_char, n: c_int, stream: *mut Stream) -> *mut c_char {
    // SAFETY: forwards.
    unsafe { read_line(Call::take(fgets as *const u8), to, n, stream, real::fgets) }
}

pub unsafe extern "C" fn fgets_unlocked(to: *mut c_char, n: c_int, stream: *mut Stream) -> *mut c_char {
    // SAFETY: forwards.
    unsafe { read_line(Call::take(fgets_unlocked as *const u8), to, n, stream, real::fgets_unlocked) }
}

unsafe fn read_long_line(
    call: Call,
    line: *mut *mut c_char,
    room: *mut usize,
    delimiter: c_int,
    stream: *mut Stream,
) -> isize {
    // SAFETY: forwards; the stream is libc's.
    unsafe {
        let Some(guard) = Guard::enter() else { return real::getdelim(line, room, delimiter, stream) };
        let before = place(stream);
        let old = *line;
        drop(guard);
        let got = real::getdelim(line, room, delimiter, stream);
        let Some(model) = call.follow() else { return got };
        shadow::clear(line as u64, 8);
        shadow::clear(room as u64, 8);
        if *line != old {
            let old_size = objects::remove(old as u64).unwrap_or(0);
            shadow::clear(old as u64, old_size);
        }
        if !(*line).is_null() {
            objects::insert(*line as u64, *room as u64, false);
            shadow::clear(*line as u64, *room as u64);
        }
        let mut fills = Fills::new(stream, before, call.site);
        if got < 0 {
            fills.look_at(0);
            return got;
        }
        let at = *line as u64;
        took(stream, before, at, got as u64, call.site);
        line_branches(at, 0..got as u64, delimiter as u8, &mut fills, call.site);
        let len = bytes_taken(&model, before, None, got as u64, None);
        // There is as much room behind it as there is now, or more.
        let size = len + Term::constant((*room as u64).saturating_sub(got as u64), 64);
        lengths::note_size(at, size.label);
        model.answer(len, got as u64);
        if content(at + got as u64 - 1, 1) as u8 != delimiter as u8 {
            fills.look_at(got as u64);
        }
        got
    }
}

pub unsafe extern "C" fn getline(line: *mut *mut c_char, room: *mut usize, stream: *mut Stream) -> isize {
    // SAFETY: forwards; getline is getdelim with a newline.
    unsafe { read_long_line(Call::take(getline as *const u8), line, room, c_int::from(b'\n'), stream) }
}

pub unsafe extern "C" fn getdelim(
    line: *mut *mut c_char,
    room: *mut usize,
    delimiter: c_int,
    stream: *mut Stream,
) -> isize {
    let call = Call::take(getdelim as *const u8);
    if let Some(_guard) = Guard::enter() {
        log::pin(call.label(2), u128::from(delimiter as u32), call.site, PinReason::Argument);
    }
    // SAFETY: forwards.
    unsafe { read_long_line(call, line, room, delimiter, stream) }
}

/// Which bytes of its file a stream has in its buffer: where they end, and how many.
unsafe fn buffered_range(stream: *mut Stream) -> (u64, u64) {
    // SAFETY: the stream is libc's.
    let s = unsafe { &*stream };
    (position(s.fileno), s.read_end.saturating_sub(s.read_base))
}

/// Labels the buffer after a seek. To go to the end or back, libc may fill it: that tells how long the file is, also if there
/// is nothing behind the place from which it would.
unsafe fn after_seek(stream: *mut Stream, before: (u64, u64), whence: c_int, site: u32) {
    let Some(_guard) = Guard::enter() else { return };
    // SAFETY: the stream is libc's.
    unsafe {
        let source = of_descriptor((*stream).fileno);
        label_buffer(stream, source, site);
        let (end, len) = buffered_range(stream);
        let is_filled = len > 0 && len <= end && (end, len) != before;
        if let Some(source) = source.filter(|_| is_filled || len == 0 && whence == libc::SEEK_END) {
            let wanted = ((*stream).buffer_end - (*stream).buffer_base).max(len);
            log_read(source, end - len, wanted, len, site);
        }
    }
}

unsafe fn seek(call: Call, stream: *mut Stream, offset: i64, whence: c_int) -> c_int {
    // SAFETY: forwards; the stream is libc's.
    unsafe {
        if let Some(_guard) = Guard::enter() {
            log::pin(call.label(1), u128::from(offset as u64), call.site, PinReason::Seek);
        }
        let before = buffered_range(stream);
        let result = real::fseeko(stream, offset, whence);
        after_seek(stream, before, whence, call.site);
        result
    }
}

pub unsafe extern "C" fn fseek(stream: *mut Stream, offset: i64, whence: c_int) -> c_int {
    // SAFETY: forwards; long and off_t are the same on this ABI.
    unsafe { seek(Call::take(fseek as *const u8), stream, offset, whence) }
}

pub unsafe extern "C" fn fseeko(stream: *mut Stream, offset: i64, whence: c_int) -> c_int {
    // SAFETY: forwards.
    unsafe { seek(Call::take(fseeko as *const u8), stream, offset, whence) }
}

/// Where a stream stands depends on the lengths of stretches before that.
unsafe fn tell(call: Call, stream: *mut Stream) -> i64 {
    // SAFETY: forwards; the stream is libc's.
    unsafe {
        let now = real::ftello(stream);
        if let Some(model) = call.follow().filter(|_| now >= 0 && lengths::are_there())
            && let Some(source) = of_descriptor((*stream).fileno)
        {
            model.answer(lengths::span_of(source, 0, now as u64), now as u64);
        }
        now
    }
}

pub unsafe extern "C" fn ftell(stream: *mut Stream) -> i64 {
    // SAFETY: forwards; long and off_t are the same on this ABI.
    unsafe { tell(Call::take(ftell as *const u8), stream) }
}

pub unsafe extern "C" fn ftello(stream: *mut Stream) -> i64 {
    // SAFETY: forwards.
    unsafe { tell(Call::take(ftello as *const u8), stream) }
}

pub unsafe extern "C" fn rewind(stream: *mut Stream) {
    let call = Call::take(rewind as *const u8);
    // SAFETY: forwards; the stream is libc's.
    unsafe {
        let before = buffered_range(stream);
        real::rewind(stream);
        after_seek(stream, before, libc::SEEK_SET, call.site);
    }
}
