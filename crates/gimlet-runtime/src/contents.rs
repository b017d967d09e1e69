//! What the program wrote into files and pipes, with its labels: it may read it again.
//!
//! What is written is kept in the order of writing, by device and inode, as the
//! shadow of its bytes; a read looks for each byte at the newest write that covers
//! it. A label whose value is not what is there is stale when the byte is looked
//! at, and counted.
//!
//! That is not all that there is: formatted output, children, shared mappings and
//! truncation change files as well, and nobody tells. So each read of a file that
//! was changed since the run began, of a pipe, or of a socket that is no input is
//! counted as lost, once the program has seen some: what labels it has are right as
//! far as is known, and what they miss is not claimed to be nothing.

use core::ptr::addr_of_mut;

use gimlet_trace::event::LostReason;

use crate::input::quietly;
use crate::log;
use crate::shadow;

/// Files and pipes that are told apart.
const FILES_MAX: usize = 256;
/// A read looks through them for each byte, at worst.
const WRITES_MAX: usize = 1 << 12;
/// Shadow words that are kept: 16 MB, of which what is touched takes memory.
const WORDS_MAX: usize = 1 << 22;

#[derive(Clone, Copy)]
struct File {
    device: u64,
    inode: u64,
    /// Bytes that went into a pipe, and that came out.
    written: u64,
    read: u64,
}

/// Bytes of a file from `offset` on, whose shadow begins at word `first`.
#[derive(Clone, Copy)]
struct Write {
    file: u32,
    first: u32,
    offset: u64,
    len: u64,
}

struct Contents {
    files: [File; FILES_MAX],
    n_files: usize,
    /// Mapped at the first write.
    writes: *mut Write,
    n_writes: usize,
    words: *mut u32,
    n_words: usize,
    began: (i64, i64),
}

/// What does not fit is not kept. Each run is a fork of a server that never writes here.
static mut CONTENTS: Contents = Contents {
    files: [File { device: 0, inode: 0, written: 0, read: 0 }; FILES_MAX],
    n_files: 0,
    writes: core::ptr::null_mut(),
    n_writes: 0,
    words: core::ptr::null_mut(),
    n_words: 0,
    began: (0, 0),
};

fn contents() -> &'static mut Contents {
    // SAFETY: callers are inside a `Guard`.
    unsafe { &mut *addr_of_mut!(CONTENTS) }
}

/// A run begins: files that change from now on are changed by it.
pub fn begin() {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // The library's clock is the same in every run. SAFETY: the kernel fills it.
    unsafe {
        libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_REALTIME_COARSE, addr_of_mut!(now));
        (*addr_of_mut!(CONTENTS)).began = (now.tv_sec, now.tv_nsec);
    }
}

/// A file whose content can come back, or a pipe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Pipe,
    Socket,
}

struct Found {
    kind: Kind,
    device: u64,
    inode: u64,
    changed: (i64, i64),
    size: u64,
}

fn look(fd: i32) -> Option<Found> {
    // SAFETY: fstat fills the structure or fails.
    let stat = unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        (quietly(|| libc::fstat(fd, &mut stat)) == 0).then_some(stat)?
    };
    let kind = match stat.st_mode & libc::S_IFMT {
        libc::S_IFREG => Kind::File,
        libc::S_IFIFO => Kind::Pipe,
        libc::S_IFSOCK => Kind::Socket,
        _ => return None,
    };
    let changed = (stat.st_mtime, stat.st_mtime_nsec);
    Some(Found { kind, device: stat.st_dev, inode: stat.st_ino, changed, size: stat.st_size as u64 })
}

impl Contents {
    fn file(&self, found: &Found) -> Option<usize> {
        let is_it = |file: &File| file.inode == found.inode && file.device == found.device;
        self.files[..self.n_files].iter().position(is_it)
    }

    fn add_file(&mut self, found: &Found) -> Option<usize> {
        let file = self.files.get_mut(self.n_files)?;
        *file = File { device: found.device, inode: found.inode, written: 0, read: 0 };
        self.n_files += 1;
        Some(self.n_files - 1)
    }

    fn map(&mut self) -> bool {
        if self.words.is_null() {
            let memory = |len: usize| {
                let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                // SAFETY: a fresh mapping.
                let at =
                    unsafe { libc::mmap(core::ptr::null_mut(), len, protection, flags | libc::MAP_NORESERVE, -1, 0) };
                if at == libc::MAP_FAILED {
                    core::ptr::null_mut()
                } else {
                    at
                }
            };
            self.writes = memory(WRITES_MAX * size_of::<Write>()).cast();
            self.words = memory(WORDS_MAX * 4).cast();
        }
        !self.writes.is_null() && !self.words.is_null()
    }

    /// Keeps the shadow of `n` bytes at `from`. Bytes behind those of the last write belong to it.
    fn keep(&mut self, file: usize, offset: u64, from: u64, n: u64) {
        if !self.map() || self.n_words + n as usize > WORDS_MAX || self.n_writes == WRITES_MAX {
            return;
        }
        // SAFETY: there is room for so many words and one more write.
        unsafe {
            let first = self.n_words;
            core::ptr::copy_nonoverlapping(shadow::word(from), self.words.add(first), n as usize);
            self.n_words += n as usize;
            if self.n_writes > 0 {
                let last = &mut *self.writes.add(self.n_writes - 1);
                let follows = last.file == file as u32 && last.offset + last.len == offset;
                if follows && last.first as usize + last.len as usize == first {
                    last.len += n;
                    return;
                }
            }
            self.writes.add(self.n_writes).write(Write { file: file as u32, first: first as u32, offset, len: n });
        }
        self.n_writes += 1;
    }

    /// Gives `n` bytes at `to` the labels of those at `offset`.
    fn give(&self, file: usize, offset: u64, to: u64, n: u64) {
        let mut at = 0;
        while at < n {
            // The newest write decides, up to where another one may.
            let mut len = n - at;
            let mut found = None;
            for index in (0..self.n_writes).rev() {
                // SAFETY: so many were written.
                let write = unsafe { self.writes.add(index).read() };
                if write.file != file as u32 {
                    continue;
                }
                let place = offset + at;
                if (write.offset..write.offset + write.len).contains(&place) {
                    len = len.min(write.offset + write.len - place);
                    found = Some(u64::from(write.first) + place - write.offset);
                    break;
                }
                if write.offset > place {
                    len = len.min(write.offset - place);
                }
            }
            if let Some(first) = found {
                for byte in 0..len {
                    // SAFETY: words that were kept.
                    let word = unsafe { self.words.add((first + byte) as usize).read() };
                    shadow::set(to + at + byte, gimlet_trace::ShadowWord(word));
                }
            }
            at += len;
        }
    }
}

/// Standard output and error are hardly ever read again: what goes there is kept only if it is symbolic.
fn is_wanted(fd: i32, from: u64, n: u64) -> bool {
    let is_labelled = || (0..n).any(|byte| shadow::get(from + byte).0 != 0);
    n > 0 && log::has_seen_input() && (fd > 2 || shadow::may_be_labelled(from, n) && is_labelled())
}

/// Whether what is written there is kept, and so has to have a place.
pub fn keeps(fd: i32, from: u64, n: u64) -> bool {
    is_wanted(fd, from, n) && look(fd).is_some_and(|found| found.kind != Kind::Socket)
}

/// `n` bytes at `from` were written to a descriptor, at `offset` if it is a file.
pub fn wrote(fd: i32, offset: u64, from: u64, n: u64) {
    if !is_wanted(fd, from, n) {
        return;
    }
    let Some(found) = look(fd).filter(|found| found.kind != Kind::Socket) else { return };
    let contents = contents();
    let Some(file) = contents.file(&found).or_else(|| contents.add_file(&found)) else { return };
    let offset = match found.kind {
        Kind::Pipe => contents.files[file].written,
        _ => offset,
    };
    contents.files[file].written += n;
    contents.keep(file, offset, from, n);
}

/// `n` bytes at `to` were read from a descriptor that is no input, at `offset` if it is a file. They have the labels that they
/// were written with, or none.
pub fn arrived(fd: i32, offset: u64, to: u64, n: u64, site: u32) {
    arrive(fd, offset, (to, n), true, site);
}

/// The same for bytes that a stream has in its buffer, or had. Which bytes of a pipe those are is not known.
pub fn arrived_in_stream(fd: i32, offset: u64, to: u64, n: u64, site: u32) {
    arrive(fd, offset, (to, n), false, site);
}

fn arrive(fd: i32, offset: u64, (to, n): (u64, u64), takes: bool, site: u32) {
    shadow::clear(to, n);
    if n == 0 || !log::has_seen_input() {
        return;
    }
    let Some(found) = look(fd) else { return };
    let contents = contents();
    let mut file = contents.file(&found);
    let mut offset = offset;
    if found.kind == Kind::Pipe {
        file = file.filter(|_| takes);
        if let Some(file) = file {
            offset = contents.files[file].read;
            contents.files[file].read += n;
        }
    }
    if let Some(file) = file {
        contents.give(file, offset, to, n);
    }
    // Files of the kernel's have no size, and are always new.
    if found.kind != Kind::File || (found.changed >= contents.began && found.size > 0) {
        log::lost(site, LostReason::CameBack);
    }
}

/// `len` bytes of a file from `offset` on are to be seen at `at`.
pub fn mapped(fd: i32, offset: u64, at: u64, len: u64, site: u32) {
    if let Some(found) = look(fd).filter(|found| found.kind == Kind::File) {
        arrived(fd, offset, at, len.min(found.size.saturating_sub(offset)), site);
    }
}
