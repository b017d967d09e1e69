//! The file of counters of PROG.edges, mapped: counters are read and cleared where the target counts.
//!
//! `support/edges.c` of gimlet-cc has the layout. The target may write there
//! whatever it likes, so every number is checked before it is used; but it can't
//! make the file shorter, which is sealed, so what was mapped stays readable.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};

use crate::memory::growing_file;

const HEADER_LEN: usize = 65536;
const RECORD_LEN: usize = 256;
const COUNT_OFFSET: usize = 12;
const RUN_OFFSET: usize = 16;
const PATH_OFFSET: usize = 24;
/// What the paths begin with of images that have no counters.
const REGION_PREFIX: &str = "gimlet:";
const REGION_HEAD_LEN: usize = 16;
/// More than all images of a program have: what claims to have more is garbage.
const COUNTERS_MAX: usize = 1 << 28;

/// The file, as far as it has been looked at.
pub struct CounterFile {
    file: File,
    mapping: Mapping,
    images: Vec<Image>,
    /// Records that have been looked at.
    n_records: usize,
}

/// An image's counters.
struct Image {
    path: String,
    range: Range<usize>,
    /// What they are before a run; nothing if that is zero.
    baseline: Vec<u8>,
}

impl Image {
    /// Whether it has no counters, but what a runtime shares with the driver.
    fn is_region(&self) -> bool {
        self.path.starts_with(REGION_PREFIX)
    }
}

impl CounterFile {
    /// A file without images.
    pub fn new() -> io::Result<CounterFile> {
        let file = growing_file(c"edges", HEADER_LEN as u64)?;
        let mapping = Mapping::new(&file, HEADER_LEN)?;
        Ok(CounterFile { file, mapping, images: Vec::new(), n_records: 0 })
    }

    /// Number of the run that the server has begun last.
    pub fn run(&self) -> u32 {
        self.mapping.word(RUN_OFFSET)
    }

    /// Looks for images that have come since the last look; whether there are any.
    pub fn look(&mut self) -> io::Result<bool> {
        let n_records = (self.mapping.word(COUNT_OFFSET) as usize).min(HEADER_LEN / RECORD_LEN - 1);
        if n_records <= self.n_records {
            return Ok(false);
        }
        let len = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX);
        for index in self.n_records..n_records {
            let mut record = [0; RECORD_LEN];
            self.mapping.copy(RECORD_LEN * (1 + index), &mut record);
            let n_bytes: usize = self.images.iter().map(|image| image.range.len()).sum();
            self.images.extend(read_record(&record, len, COUNTERS_MAX - n_bytes));
        }
        self.n_records = n_records;
        let end = self.images.iter().map(|image| image.range.end).max().unwrap_or(HEADER_LEN);
        if end > self.mapping.len {
            self.mapping = Mapping::new(&self.file, end)?;
        }
        Ok(true)
    }

    /// Takes what is counted now as what is counted before a run.
    pub fn keep_baseline(&mut self) {
        for image in self.images.iter_mut().filter(|image| !image.is_region()) {
            let bytes = self.mapping.bytes(&image.range);
            image.baseline = if bytes.iter().all(|&byte| byte == 0) { Vec::new() } else { bytes.to_vec() };
        }
    }

    /// Puts every counter back to where it was before the first run, and the first words of a region to nought.
    pub fn reset(&mut self) {
        for image in &self.images {
            let bytes = self.mapping.bytes_mut(&image.range);
            if image.is_region() {
                bytes.iter_mut().take(REGION_HEAD_LEN).for_each(|byte| *byte = 0);
                continue;
            }
            match image.baseline.as_slice() {
                [] => bytes.fill(0),
                baseline => bytes.copy_from_slice(baseline),
            }
        }
    }

    /// Path and counters of each image.
    pub fn images(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let images = self.images.iter().filter(|image| !image.is_region());
        images.map(|image| (image.path.as_str(), self.mapping.bytes(&image.range)))
    }

    /// Writes a word of what a runtime shares under this name, if it does.
    pub fn set_word(&mut self, name: &str, number: usize, word: u32) {
        let region = self.images.iter().find(|image| image.is_region() && image.path == name);
        let Some(range) = region.map(|region| region.range.clone()) else { return };
        if let Some(bytes) = self.mapping.bytes_mut(&range).chunks_exact_mut(4).nth(number) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// What a runtime shares under this name.
    pub fn region(&self, name: &str) -> &[u8] {
        let region = self.images.iter().find(|image| image.is_region() && image.path == name);
        region.map_or(&[], |region| self.mapping.bytes(&region.range))
    }
}

impl AsFd for CounterFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// An image of a file of this length, with at most so many counters, if the record makes sense.
fn read_record(record: &[u8; RECORD_LEN], len: usize, n_bytes_max: usize) -> Option<Image> {
    let word = |at: usize| record[at..at + 8].iter().rev().fold(0, |word, &byte| word << 8 | usize::from(byte));
    let (offset, n_bytes) = (word(0), word(8));
    let end = offset.checked_add(n_bytes).filter(|&end| end <= len)?;
    if offset < HEADER_LEN || n_bytes > n_bytes_max {
        return None;
    }
    let path = &record[PATH_OFFSET..];
    let path = &path[..path.iter().position(|&byte| byte == 0).unwrap_or(path.len())];
    Some(Image { path: String::from_utf8_lossy(path).into_owned(), range: offset..end, baseline: Vec::new() })
}

/// The beginning of a file in memory that never gets shorter.
struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory belongs to the value alone, whichever thread has it.
unsafe impl Send for Mapping {}

impl Mapping {
    fn new(file: &File, len: usize) -> io::Result<Mapping> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at a place that the kernel chooses; the result is checked.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        match NonNull::new(start.cast::<u8>()) {
            Some(start) if start.as_ptr().cast() != libc::MAP_FAILED => Ok(Mapping { start, len }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// A number of the header. The target may be running.
    fn word(&self, at: usize) -> u32 {
        assert!(at.is_multiple_of(4) && at + 4 <= self.len);
        // SAFETY: aligned, within the mapping, and volatile because others may write there.
        u32::from_le(unsafe { self.start.as_ptr().add(at).cast::<u32>().read_volatile() })
    }

    /// Bytes of the header. The target may be running.
    fn copy(&self, at: usize, to: &mut [u8]) {
        assert!(at + to.len() <= self.len);
        for (index, byte) in to.iter_mut().enumerate() {
            // SAFETY: within the mapping, and volatile because others may write there.
            *byte = unsafe { self.start.as_ptr().add(at + index).read_volatile() };
        }
    }

    /// Counters. The server waits, and no process of a run is left.
    fn bytes(&self, range: &Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: within the mapping, which lives as long as the slice; nobody writes there meanwhile.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(range.start), range.len()) }
    }

    fn bytes_mut(&mut self, range: &Range<usize>) -> &mut [u8] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: as above, and no other slice of the mapping is there.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(range.start), range.len()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: what `new` mapped; slices of it have ended.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    /// Adds records as a target does.
    fn add(file: &CounterFile, first: usize, records: &[(u64, u64, &str)], len: u64) {
        file.file.set_len(len).unwrap();
        for (index, (offset, n_bytes, path)) in records.iter().enumerate() {
            let at = (RECORD_LEN * (1 + first + index)) as u64;
            file.file.write_all_at(&offset.to_le_bytes(), at).unwrap();
            file.file.write_all_at(&n_bytes.to_le_bytes(), at + 8).unwrap();
            file.file.write_all_at(path.as_bytes(), at + PATH_OFFSET as u64).unwrap();
        }
        let count = (first + records.len()) as u32;
        file.file.write_all_at(&count.to_le_bytes(), COUNT_OFFSET as u64).unwrap();
    }

    fn first_bytes(file: &CounterFile) -> Vec<(String, u8)> {
        file.images().map(|(path, bytes)| (path.to_owned(), bytes[0])).collect()
    }

    #[test]
    fn images_are_found_and_reset() {
        let mut file = CounterFile::new().unwrap();
        add(&file, 0, &[(65536, 4096, ""), (69632, 4096, "/lib/a.so")], 65536 + 8192);
        file.file.write_all_at(&[7], 69632).unwrap();
        file.look().unwrap();
        file.keep_baseline();
        // Another comes with a run.
        add(&file, 2, &[(73728, 8192, "/lib/b.so")], 65536 + 16384);
        [65536, 69632, 73728].iter().for_each(|&at| file.file.write_all_at(&[9], at).unwrap());
        file.look().unwrap();
        let named = |bytes: [u8; 3]| ["", "/lib/a.so", "/lib/b.so"].map(String::from).into_iter().zip(bytes);
        assert_eq!(first_bytes(&file), named([9, 9, 9]).collect::<Vec<_>>());
        file.reset();
        assert_eq!(first_bytes(&file), named([0, 7, 0]).collect::<Vec<_>>());
    }

    #[test]
    fn garbage_is_left_out() {
        let mut file = CounterFile::new().unwrap();
        let bad = [(0, 4096, ""), (65536, 8192, ""), (u64::MAX, 2, ""), (65536, u64::MAX, "")];
        add(&file, 0, &bad, 65536 + 4096);
        add(&file, 4, &[(65536, 4096, "")], 65536 + 4096);
        file.file.write_all_at(&u32::MAX.to_le_bytes(), COUNT_OFFSET as u64).unwrap();
        file.look().unwrap();
        assert_eq!(first_bytes(&file), [(String::new(), 0)]);
    }

    #[test]
    fn many_counters_are_too_many() {
        let mut file = CounterFile::new().unwrap();
        let most = COUNTERS_MAX as u64;
        add(&file, 0, &[(65536, most, "a"), (65536, 4096, "b")], 65536 + most);
        file.look().unwrap();
        assert_eq!(first_bytes(&file), [("a".to_owned(), 0)]);
    }

    #[test]
    fn the_file_does_not_shrink() {
        let file = CounterFile::new().unwrap();
        assert!(file.file.set_len(0).is_err());
        file.file.set_len(1 << 20).unwrap();
        assert_eq!(file.run(), 0);
    }
}
