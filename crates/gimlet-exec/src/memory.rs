//! The shared memory, as the driver sees it: a file.
//!
//! The target maps it; the driver only reads and writes at offsets. That is as
//! fast for whole tables, it leaves holes unallocated, and it needs no pointer
//! into memory that another process may change meanwhile.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use gimlet_trace::event::{EventRecord, Tally};
use gimlet_trace::node::NodeRecord;
use gimlet_trace::shm::{Header, ModuleRecord, Region, SegmentRecord, SourceRecord, MAGIC};
use gimlet_trace::FORMAT_VERSION;

use crate::error::ExecError;
use crate::limits::Layout;

/// Types that are bytes on the wire as they are in memory.
///
/// # Safety
/// `repr(C)`, made of integers only, without padding: every bit pattern is a value, and every byte is initialised.
unsafe trait Wire: Copy {}
// SAFETY: trivially.
unsafe impl Wire for u8 {}
// SAFETY: its integers fill it; `wire_types_have_no_padding` adds them up.
unsafe impl Wire for Header {}
// SAFETY: as above.
unsafe impl Wire for SourceRecord {}
// SAFETY: as above.
unsafe impl Wire for SegmentRecord {}
// SAFETY: as above.
unsafe impl Wire for ModuleRecord {}
// SAFETY: as above.
unsafe impl Wire for NodeRecord {}
// SAFETY: as above.
unsafe impl Wire for EventRecord {}
// SAFETY: as above.
unsafe impl Wire for Tally {}

fn bytes_of<T: Wire>(items: &[T]) -> &[u8] {
    // SAFETY: `Wire` types are initialised bytes throughout, and the slice covers exactly the items.
    unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), size_of_val(items)) }
}

fn bytes_of_mut<T: Wire>(items: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes_of`; any bytes make a valid `Wire` value.
    unsafe { std::slice::from_raw_parts_mut(items.as_mut_ptr().cast(), size_of_val(items)) }
}

/// A file in memory, which no other program finds by name and which exec closes.
pub fn memory_file(name: &CStr) -> io::Result<File> {
    make_memory_file(name, libc::MFD_CLOEXEC)
}

/// The same, of a length that will only grow.
pub fn growing_file(name: &CStr, len: u64) -> io::Result<File> {
    let file = make_memory_file(name, libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)?;
    file.set_len(len)?;
    // SAFETY: plain system call on an open descriptor.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL) } {
        0 => Ok(file),
        _ => Err(io::Error::last_os_error()),
    }
}

fn make_memory_file(name: &CStr, flags: libc::c_uint) -> io::Result<File> {
    // SAFETY: the name is a C string; the result is checked.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), flags) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and ours.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// Gives back the memory of a range of a file; it reads as zeros then.
pub fn punch_hole(file: &File, offset: u64, len: u64) -> io::Result<()> {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: plain system call on an open descriptor.
    match unsafe { libc::fallocate(file.as_raw_fd(), mode, offset as i64, len as i64) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The first range of a file from an offset on that has memory, if there is one.
fn written_range(file: &File, from: u64) -> io::Result<Option<Range<u64>>> {
    let seek = |from: u64, what: i32| {
        // SAFETY: plain system call on an open descriptor, whose position nobody uses.
        match unsafe { libc::lseek(file.as_raw_fd(), from as i64, what) } {
            -1 => Err(io::Error::last_os_error()),
            at => Ok(at as u64),
        }
    };
    match seek(from, libc::SEEK_DATA) {
        Ok(start) => Ok(Some(start..seek(start, libc::SEEK_HOLE)?)),
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The block of memory that driver and target share.
pub struct SharedMemory {
    file: File,
    layout: Layout,
}

impl SharedMemory {
    pub fn new(layout: Layout) -> Result<SharedMemory, ExecError> {
        let file = memory_file(c"gimlet").map_err(ExecError::io("making shared memory"))?;
        file.set_len(layout.total_len).map_err(ExecError::io("sizing shared memory"))?;
        Ok(SharedMemory { file, layout })
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// A header whose counters say that nothing happened yet.
    pub fn blank_header(&self, options: u32) -> Header {
        Header {
            magic: MAGIC,
            version: FORMAT_VERSION,
            options,
            total_len: self.layout.total_len,
            regions: self.layout.regions,
            n_sources: 0,
            n_segments: 0,
            names_len: 0,
            input_len: 0,
            n_nodes: 1,
            n_modules: 0,
            n_events: 0,
            snapshots_len: 0,
            n_tallies: 0,
            stops: 0,
            symbolic_operations: 0,
            forks: 0,
            run: 0,
            run_seen: 0,
            token_function: 0,
            token_build: 0,
            token_offset: 0,
            token_size: 0,
        }
    }

    pub fn write_header(&self, header: &Header) -> Result<(), ExecError> {
        self.write_at(0, std::slice::from_ref(header))
    }

    pub fn header(&self) -> Result<Header, ExecError> {
        let mut header = [self.blank_header(0)];
        self.read_at(0, &mut header)?;
        Ok(header[0])
    }

    pub fn write_bytes(&self, region: Region, at: u64, bytes: &[u8]) -> Result<(), ExecError> {
        self.write(region, at, bytes)
    }

    pub fn write_sources(&self, records: &[SourceRecord]) -> Result<(), ExecError> {
        self.write(Region::Sources, 0, records)
    }

    pub fn write_segments(&self, records: &[SegmentRecord]) -> Result<(), ExecError> {
        self.write(Region::Segments, 0, records)
    }

    /// The first `count` bytes of a region, or all of it if that is less.
    pub fn bytes(&self, region: Region, count: u64) -> Result<Vec<u8>, ExecError> {
        self.read(region, count, 0)
    }

    pub fn sources(&self, count: u64) -> Result<Vec<SourceRecord>, ExecError> {
        self.read(Region::Sources, count, SourceRecord::default())
    }

    pub fn segments(&self, count: u64) -> Result<Vec<SegmentRecord>, ExecError> {
        self.read(Region::Segments, count, SegmentRecord::default())
    }

    pub fn modules(&self, count: u64) -> Result<Vec<ModuleRecord>, ExecError> {
        self.read(Region::Modules, count, ModuleRecord::default())
    }

    pub fn nodes(&self, count: u64) -> Result<Vec<NodeRecord>, ExecError> {
        self.read(Region::Nodes, count, NodeRecord::default())
    }

    pub fn events(&self, count: u64) -> Result<Vec<EventRecord>, ExecError> {
        self.read(Region::Events, count, EventRecord::default())
    }

    /// The cells of the tally table that are in use. The table has room for many more than most runs count, and memory only
    /// where somebody wrote: nothing else is read.
    pub fn tallies(&self) -> Result<Vec<Tally>, ExecError> {
        let extent = self.layout.extent(Region::Tallies);
        let size = size_of::<Tally>() as u64;
        let n_cells = self.layout.capacity::<Tally>(Region::Tallies);
        let (mut found, mut next) = (Vec::new(), 0);
        loop {
            let written = written_range(&self.file, extent.offset + next * size);
            let Some(written) = written.map_err(ExecError::io("reading shared memory"))? else { return Ok(found) };
            let first = (written.start - extent.offset) / size;
            let end = (written.end - extent.offset).div_ceil(size).min(n_cells);
            if first >= end {
                return Ok(found);
            }
            let mut cells = vec![Tally::default(); (end - first) as usize];
            self.read_at(extent.offset + first * size, &mut cells)?;
            found.extend(cells.into_iter().filter(|cell| cell.count != 0));
            next = end;
        }
    }

    /// Frees all cells of the tally table.
    pub fn clear_tallies(&self) -> Result<(), ExecError> {
        let extent = self.layout.extent(Region::Tallies);
        punch_hole(&self.file, extent.offset, extent.len).map_err(ExecError::io("clearing shared memory"))
    }

    fn write<T: Wire>(&self, region: Region, at: u64, items: &[T]) -> Result<(), ExecError> {
        let extent = self.layout.extent(region);
        debug_assert!(at + size_of_val(items) as u64 <= extent.len);
        self.write_at(extent.offset + at, items)
    }

    fn read<T: Wire>(&self, region: Region, count: u64, blank: T) -> Result<Vec<T>, ExecError> {
        let count = count.min(self.layout.capacity::<T>(region));
        let mut items = vec![blank; count as usize];
        self.read_at(self.layout.extent(region).offset, &mut items)?;
        Ok(items)
    }

    fn write_at<T: Wire>(&self, offset: u64, items: &[T]) -> Result<(), ExecError> {
        self.file.write_all_at(bytes_of(items), offset).map_err(ExecError::io("writing shared memory"))
    }

    fn read_at<T: Wire>(&self, offset: u64, items: &mut [T]) -> Result<(), ExecError> {
        self.file.read_exact_at(bytes_of_mut(items), offset).map_err(ExecError::io("reading shared memory"))
    }
}

impl AsFd for SharedMemory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn wire_types_have_no_padding() {
        assert_eq!(size_of::<Header>(), 8 + 4 + 4 + 8 + 160 + 6 * 4 + 8 + 8 + 4 + 4 + 8 + 4 * 4 + 8 + 2 * 4);
        assert_eq!(size_of::<SourceRecord>(), 6 * 4 + 4 * 8);
        assert_eq!(size_of::<SegmentRecord>(), 2 * 4 + 2 * 8);
        assert_eq!(size_of::<ModuleRecord>(), 4 * 4 + 8);
        assert_eq!(size_of::<NodeRecord>(), 1 + 1 + 2 + 3 * 4 + 2 * 8);
        assert_eq!(size_of::<EventRecord>(), 1 + 1 + 2 + 3 * 4 + 2 * 8);
        assert_eq!(size_of::<Tally>(), 2 + 2 + 4 + 4 * 8);
    }

    #[test]
    fn what_is_written_is_read() {
        let memory = SharedMemory::new(Layout::new(&Limits::default())).unwrap();
        let mut header = memory.blank_header(1);
        header.run = 7;
        memory.write_header(&header).unwrap();
        assert_eq!(memory.header().unwrap().run, 7);
        let segment = SegmentRecord { source: 1, first: 2, offset: 3, len: 4 };
        memory.write_segments(&[segment, segment]).unwrap();
        assert_eq!(memory.segments(2).unwrap(), [segment, segment]);
        assert_eq!(memory.segments(u64::MAX).unwrap().len(), 1 << 20);
    }

    #[test]
    fn tallies_are_found_wherever_they_are() {
        let memory = SharedMemory::new(Layout::new(&Limits::default())).unwrap();
        let n_cells = memory.layout.capacity::<Tally>(Region::Tallies);
        assert_eq!(memory.tallies().unwrap(), []);
        // At both ends, beside each other, and across the end of a page.
        let across = 4096 / size_of::<Tally>() as u64;
        let places = [0, 1, across, 5000, 5001, n_cells - 1];
        for (place, count) in places.into_iter().zip(1..) {
            let tally = Tally { count, site: place as u32, ..Tally::default() };
            memory.write(Region::Tallies, place * size_of::<Tally>() as u64, &[tally]).unwrap();
        }
        let module = ModuleRecord::default();
        memory.write(Region::Modules, 0, &[module]).unwrap();
        let found: Vec<(u64, u32)> = memory.tallies().unwrap().iter().map(|tally| (tally.count, tally.site)).collect();
        let wanted: Vec<(u64, u32)> = (1..).zip(places.map(|place| place as u32)).collect();
        assert_eq!(found, wanted);
        memory.clear_tallies().unwrap();
        assert_eq!(memory.tallies().unwrap(), []);
    }
}
