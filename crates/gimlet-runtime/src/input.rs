//! Sources of input: which descriptor is one, labels for what was read, memory made symbolic by name.

use gimlet_trace::event::{EventKind, EventRecord, LostReason, TallyKind, NO_SITE};
use gimlet_trace::shm::{stop, Region, SegmentRecord, SourceRecord};
use gimlet_trace::stretch::STRETCH_MAX;
use gimlet_trace::{Label, SourceKind};

use crate::connections;
use crate::lengths;
use crate::log::{self, blank};
use crate::shadow;
use crate::state::{self, header, sources};
use crate::table;
use crate::term::Term;
use crate::tokens;

/// Asks the kernel something without disturbing the program's errno.
pub fn quietly<T>(ask: impl FnOnce() -> T) -> T {
    // SAFETY: errno of this thread.
    unsafe {
        let errno = libc::__errno_location();
        let saved = *errno;
        let answer = ask();
        *errno = saved;
        answer
    }
}

/// Position of a descriptor; 0 for what has none.
pub fn position(fd: i32) -> u64 {
    // SAFETY: asks only.
    let position = quietly(|| unsafe { libc::lseek(fd, 0, libc::SEEK_CUR) });
    u64::try_from(position).unwrap_or_else(|_| connections::position(fd))
}

/// The source that a descriptor reads, recognised by device and inode: descriptors may be duplicated, passed on and
/// opened again behind our back.
pub fn of_descriptor(fd: i32) -> Option<u32> {
    // SAFETY: fstat fills the structure or fails.
    let stat = unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        if quietly(|| libc::fstat(fd, &mut stat)) != 0 {
            return None;
        }
        stat
    };
    of_file(&stat)
}

/// The source that a file is.
pub fn of_file(stat: &libc::stat) -> Option<u32> {
    let kinds = [SourceKind::Stdin, SourceKind::File, SourceKind::Path, SourceKind::Socket];
    let is_it = |source: &SourceRecord| {
        source.inode == stat.st_ino
            && source.device == stat.st_dev
            && kinds.iter().any(|&kind| kind as u32 == source.kind)
    };
    sources().iter().position(is_it).map(|index| index as u32)
}

/// True if the input has bytes that a library function could read by itself.
pub fn is_given() -> bool {
    sources().iter().any(|source| source.kind != SourceKind::Named as u32 && source.len > 0)
}

/// Counts standard input that was read without any model seeing it. To be called by the fork server when a run has
/// ended: the program may have closed its descriptor, or have died, but ours has the same position.
pub fn count_native_stdin() {
    // The program may have written anything to the shared memory.
    if u64::from(header().n_sources) <= state::capacity::<SourceRecord>(Region::Sources) {
        count_native_reads(of_descriptor(0).map(|source| (source, position(0))));
    }
}

/// The same for what peers sent.
pub fn count_native_connections() {
    count_native_reads(connections::positions());
}

/// What such input decided is unknown from the beginning.
fn count_native_reads(positions: impl IntoIterator<Item = (u32, u64)>) {
    for (source, position) in positions {
        let record = sources()[source as usize];
        if position.min(record.len) > record.cursor {
            log::tally_from(TallyKind::Lost, LostReason::NativeRead as u16, NO_SITE, 0);
        }
    }
}

/// `n` bytes of a source from `offset` have been put at `address`.
pub fn label_read(source: u32, offset: u64, address: u64, n: u64) {
    if n == 0 {
        // At the end of the input, say: whoever read what is before it.
        return;
    }
    let record = &mut sources()[source as usize];
    record.cursor = record.cursor.max(offset + n);
    let record = *record;
    let known = record.len.saturating_sub(offset).min(n);
    shadow::set_input(address, known, record.first.wrapping_add(offset as u32));
    lengths::label_read(source, offset, address, known);
    shadow::clear(address + known, n - known);
}

/// The byte at `offset` of a source; `None` at its end.
pub fn byte_of(source: u32, offset: u64) -> Option<Term> {
    log::input_seen();
    let record = sources()[source as usize];
    let label = Label::input(lengths::number_of(source, offset));
    (offset < record.len).then(|| Term { label, value: table::value(label) as u64, width: 8 })
}

/// Bytes of a source.
pub fn length_of(source: u32) -> u64 {
    sources()[source as usize].len
}

/// Logs what a call wanted and got of a source.
pub fn log_read(source: u32, offset: u64, wanted: u64, got: u64, site: u32) {
    if tokens::hides_decision() {
        // How long the input is follows from its tokens.
        return;
    }
    let clamp = |count: u64| count.min(u64::from(u32::MAX));
    let record = blank(EventKind::Read, site);
    log::event(EventRecord {
        a: source,
        b: u32::from(got < wanted),
        x: offset,
        y: clamp(wanted) << 32 | clamp(got),
        ..record
    });
}

fn add_source(kind: SourceKind, name: &[u8]) -> Option<u32> {
    let header = header();
    if state::capacity::<SourceRecord>(Region::Sources) <= u64::from(header.n_sources) {
        state::stop(stop::TABLES);
        return None;
    }
    let record = SourceRecord {
        kind: kind as u32,
        name_offset: state::push_name(name)?,
        name_len: name.len() as u32,
        ..SourceRecord::default()
    };
    // SAFETY: room was checked.
    unsafe { state::region::<SourceRecord>(Region::Sources).add(header.n_sources as usize).write(record) };
    header.n_sources += 1;
    Some(header.n_sources - 1)
}

fn known(name: &[u8]) -> Option<u32> {
    let is_it = |source: &SourceRecord| {
        source.kind == SourceKind::Named as u32 && state::name(source.name_offset, source.name_len) == name
    };
    sources().iter().position(is_it).map(|index| index as u32)
}

fn named(name: &[u8]) -> Option<u32> {
    known(name).or_else(|| add_source(SourceKind::Named, name))
}

/// Bytes of the name of a string's source, at most.
const NAME_MAX: usize = 240;

/// A text in memory of its own.
struct Name {
    bytes: [u8; NAME_MAX + 64],
    len: usize,
}

impl Name {
    fn push(&mut self, text: &[u8]) {
        self.bytes[self.len..][..text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    fn push_number(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return self.push(&digits[at..]);
            }
        }
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The source of the next string with a name: the second is called `NAME#2`.
fn next_string(name: &[u8]) -> Option<(u32, Name)> {
    for number in 1.. {
        let mut full = Name { bytes: [0; NAME_MAX + 64], len: 0 };
        full.push(&name[..name.len().min(NAME_MAX)]);
        if number > 1 {
            full.push(b"#");
            full.push_number(number);
        }
        match known(full.text()) {
            Some(index) if sources()[index as usize].cursor > 0 => {}
            Some(index) => return Some((index, full)),
            None => return Some((add_source(SourceKind::Named, full.text())?, full)),
        }
    }
    None
}

/// Puts a string into the `max` bytes at `address`: a source of its own. What the input does not have begins with `prefix`
/// bytes as they are in memory, and then there is a stretch.
///
/// # Safety
/// `max` bytes at `address` must be writable.
pub unsafe fn take_string(name: &[u8], address: *mut u8, prefix: u64, max: u64, site: u32) {
    let room = crate::objects::find(address as u64).map_or(u64::MAX, |it| it.base + it.size - address as u64);
    let max = max.min(room).min(STRETCH_MAX as u64);
    if max == 0 {
        return;
    }
    let Some((index, name)) = next_string(name) else { return log::lost(site, LostReason::InputFull) };
    let is_new = sources()[index as usize].len == 0;
    let prefix = prefix.min(max - 1);
    let len = match is_new {
        true => prefix + u64::from(prefix < max - 1),
        false => sources()[index as usize].len.min(max - 1),
    };
    log_read(index, 0, max, max, site);
    // SAFETY: the caller vouches for the memory; the input region holds the source's bytes.
    unsafe {
        if is_new {
            // It is to be seen in full at first.
            for byte in core::slice::from_raw_parts_mut(address, len as usize) {
                *byte = if lengths::ENDS.contains(byte) { b'a' } else { *byte };
            }
            sources()[index as usize].first = header().input_len;
            grow(index, 0, address, len);
        } else {
            let first = sources()[index as usize].first;
            let from = state::region::<u8>(Region::Input).add(first as usize);
            core::ptr::copy_nonoverlapping(from, address, len as usize);
            shadow::set_input(address as u64, len, first);
            lengths::label_read(index, 0, address as u64, len);
        }
        *address.add(len as usize) = 0;
        shadow::clear(address as u64 + len, 1);
        sources()[index as usize].cursor = max;
        if is_new && len > prefix {
            new_stretch(index, name, (prefix, address as u64 + prefix), max - 1 - prefix, site);
        }
    }
}

/// The byte of source `source` behind so many, which is at this address, is a stretch from now on.
unsafe fn new_stretch(source: u32, mut name: Name, (at, address): (u64, u64), max: u64, site: u32) {
    name.push(b"@");
    name.push_number(at);
    name.push(b"*1<");
    name.push_number(max);
    let Some(index) = add_source(SourceKind::Length, name.text()) else {
        return log::lost(site, LostReason::InputFull);
    };
    let record = &mut sources()[index as usize];
    record.first = header().input_len;
    (record.index, record.unit, record.cursor) = (source, 1, at);
    (record.device, record.inode) = (max, 1);
    let mut length = 1u32.to_le_bytes();
    // SAFETY: four bytes.
    if unsafe { append(index, 0, length.as_mut_ptr(), 4) } {
        lengths::add(&sources()[index as usize]);
        lengths::label_read(source, at, address, 1);
    }
}

/// Takes the next `n` bytes of the source `name` into memory at `address`. Bytes that the input does not have keep
/// the value that the memory holds, and become part of the input.
///
/// # Safety
/// `n` bytes at `address` must be writable.
pub unsafe fn take_named(name: &[u8], address: *mut u8, n: u64, site: u32) {
    let Some(index) = named(name) else { return log::lost(site, LostReason::InputFull) };
    let source = &mut sources()[index as usize];
    let offset = source.cursor;
    source.cursor += n;
    let given = source.len.saturating_sub(offset).min(n);
    if given > 0 {
        let first = source.first + offset as u32;
        // SAFETY: the input region holds the source's bytes; the caller vouches for the memory.
        unsafe {
            let from = state::region::<u8>(Region::Input).add(first as usize);
            core::ptr::copy_nonoverlapping(from, address, given as usize);
        }
        shadow::set_input(address as u64, given, first);
    }
    log_read(index, offset, n, given, site);
    if given < n {
        // SAFETY: as above, for the rest.
        unsafe { grow(index, offset + given, address.add(given as usize), n - given) };
    }
}

/// `n` new bytes of the source `name`, whatever the input says of it, with the value that the memory at `address` holds: the
/// number of the first.
///
/// # Safety
/// `n` bytes at `address` must be readable.
pub unsafe fn new_bytes(name: &[u8], address: *mut u8, n: u64, site: u32) -> Option<u32> {
    let Some(index) = named(name) else {
        log::lost(site, LostReason::InputFull);
        return None;
    };
    let source = &mut sources()[index as usize];
    let offset = source.cursor;
    source.cursor += n;
    let first = header().input_len;
    // SAFETY: the caller vouches for the memory.
    unsafe { append(index, offset, address, n) }.then_some(first)
}

/// New input bytes with the value that the memory holds, which is labelled so.
unsafe fn grow(source: u32, offset: u64, address: *mut u8, n: u64) {
    let first = header().input_len;
    // SAFETY: the caller vouches for the memory.
    if unsafe { append(source, offset, address, n) } {
        shadow::set_input(address as u64, n, first);
    } else {
        shadow::clear(address as u64, n);
    }
}

/// Appends bytes to the input; false if there is no room.
unsafe fn append(source: u32, offset: u64, address: *mut u8, n: u64) -> bool {
    let header = header();
    let first = header.input_len;
    if u64::from(first) + n > state::capacity::<u8>(Region::Input) {
        log::lost(NO_SITE, LostReason::InputFull);
        state::stop(stop::INPUT);
        return false;
    }
    if !state::push_segment(SegmentRecord { source, first, offset, len: n }) {
        log::lost(NO_SITE, LostReason::InputFull);
        return false;
    }
    // SAFETY: room was checked; the caller vouches for the memory.
    unsafe {
        core::ptr::copy_nonoverlapping(address, state::region::<u8>(Region::Input).add(first as usize), n as usize)
    };
    header.input_len += n as u32;
    true
}

/// A string in memory of its own: `prefix`, then the bytes of source `number`, labelled. `None` if there is no memory.
unsafe fn text_of(prefix: &[u8], number: u32) -> Option<*mut u8> {
    let source = sources()[number as usize];
    let size = prefix.len() + source.len as usize + 1;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh mapping with room for both and a terminator; the input region holds the source's bytes.
    unsafe {
        let room = libc::mmap(core::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if room == libc::MAP_FAILED {
            state::stop(stop::INPUT);
            return None;
        }
        let text = room.cast::<u8>();
        let value = text.add(prefix.len());
        core::ptr::copy_nonoverlapping(prefix.as_ptr(), text, prefix.len());
        let from = state::region::<u8>(Region::Input).add(source.first as usize);
        core::ptr::copy_nonoverlapping(from, value, source.len as usize);
        shadow::set_input(value as u64, source.len, source.first);
        lengths::label_read(number, 0, value as u64, source.len);
        crate::objects::insert(text as u64, size as u64, false);
        lengths::note_text(text as u64, number, prefix.len() as u64 + 1);
        Some(text)
    }
}

/// Puts argument strings of the input in the place of those that the process was started with.
///
/// # Safety
/// `argv` must be the process's own, of `argc` strings.
pub unsafe fn replace_arguments(argc: i32, argv: *mut *mut u8) {
    for (number, source) in (0..).zip(sources()) {
        if source.kind != SourceKind::Arg as u32 || i64::from(source.index) >= i64::from(argc) {
            continue;
        }
        // SAFETY: the index is below `argc`.
        unsafe {
            let Some(text) = text_of(b"", number) else { return };
            *argv.add(source.index as usize) = text;
        }
    }
}

/// Puts values of the input in the place of those of environment variables. The driver started the process with a
/// variable for each.
///
/// # Safety
/// `environment` must be the process's own, ended by a null pointer.
pub unsafe fn replace_environment(environment: *mut *mut u8) {
    let mut at = environment;
    // SAFETY: an array of strings that a null pointer ends.
    unsafe {
        while !(*at).is_null() {
            let text = core::ffi::CStr::from_ptr((*at).cast()).to_bytes();
            let is_it = |source: &SourceRecord| {
                // Sources of this kind are named `$NAME`.
                let name = state::name(source.name_offset, source.name_len).get(1..).unwrap_or(&[]);
                source.kind == SourceKind::Env as u32
                    && text.strip_prefix(name).is_some_and(|rest| rest.starts_with(b"="))
            };
            if let Some(number) = sources().iter().position(is_it) {
                // As long as `$NAME` is `NAME=`.
                let prefix = &text[..sources()[number].name_len as usize];
                let Some(text) = text_of(prefix, number as u32) else { return };
                *at = text;
            }
            at = at.add(1);
        }
    }
}
