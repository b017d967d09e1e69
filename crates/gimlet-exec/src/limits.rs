//! How much a run may use, and the layout of the shared memory that follows from it.
//!
//! The memory is a sparse file: a large limit costs nothing until a run needs it.

use gimlet_trace::event::{EVENT_LEN, TALLY_LEN};
use gimlet_trace::label::{INPUT_MAX, NODES_MAX};
use gimlet_trace::node::NODE_LEN;
use gimlet_trace::shm::{Extent, ModuleRecord, Region, SegmentRecord, SourceRecord, REGIONS};

/// Limits of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Expression records.
    pub nodes: u64,
    /// Event records.
    pub events: u64,
    pub snapshot_bytes: u64,
    /// Bytes of all sources together, those included that the program asks for while it runs.
    pub input_bytes: u64,
    /// Cells for counts by kind, reason and site; rounded up to a power of two.
    pub tallies: u64,
    /// Translation units.
    pub modules: u64,
    pub sources: u64,
    pub segments: u64,
    /// Text of source and module names.
    pub name_bytes: u64,
    pub timeout_ms: u64,
    /// Private memory of the run's processes, their shadow memory included. It is watched, not enforced by the kernel:
    /// RLIMIT_AS would forbid the shadow mapping.
    pub memory_mib: u64,
    /// Processes that are alive at the same time; watched.
    pub processes: u64,
    /// Size of each file that a confined run writes, captured output included.
    pub file_bytes: u64,
    /// Space on the disk for all files of a confined run; watched.
    pub disk_bytes: u64,
    /// How much of each captured stream is kept.
    pub output_bytes: u64,
    /// How long a started program may take to reach its runtime.
    pub hello_ms: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            nodes: 1 << 25,
            events: 1 << 24,
            snapshot_bytes: 1 << 30,
            input_bytes: 16 << 20,
            tallies: 1 << 16,
            modules: 1 << 16,
            sources: 1 << 14,
            segments: 1 << 20,
            name_bytes: 1 << 22,
            timeout_ms: 10_000,
            memory_mib: 4096,
            processes: 256,
            file_bytes: 64 << 20,
            disk_bytes: 256 << 20,
            output_bytes: 64 << 20,
            hello_ms: 10_000,
        }
    }
}

/// Place of everything in the shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub regions: [Extent; REGIONS],
    pub total_len: u64,
}

/// Regions begin at multiples of this; the header has the first one for itself.
const PAGE: u64 = 4096;

impl Layout {
    pub fn new(limits: &Limits) -> Layout {
        let nodes = limits.nodes.clamp(2, u64::from(NODES_MAX));
        let mut lens = [0; REGIONS];
        lens[Region::Sources as usize] = limits.sources * size_of::<SourceRecord>() as u64;
        lens[Region::Segments as usize] = limits.segments * size_of::<SegmentRecord>() as u64;
        lens[Region::Names as usize] = limits.name_bytes.min(u64::from(u32::MAX));
        lens[Region::Input as usize] = limits.input_bytes.min(u64::from(INPUT_MAX));
        lens[Region::Nodes as usize] = nodes * NODE_LEN as u64;
        lens[Region::Buckets as usize] = 4 * (2 * nodes).next_power_of_two();
        lens[Region::Snapshots as usize] = limits.snapshot_bytes.next_multiple_of(8);
        lens[Region::Events as usize] = limits.events * EVENT_LEN as u64;
        lens[Region::Tallies as usize] = limits.tallies.next_power_of_two() * TALLY_LEN as u64;
        lens[Region::Modules as usize] = limits.modules * size_of::<ModuleRecord>() as u64;
        let mut offset = PAGE;
        let regions = lens.map(|len| {
            let extent = Extent { offset, len };
            offset += len.next_multiple_of(PAGE);
            extent
        });
        Layout { regions, total_len: offset }
    }

    pub fn extent(&self, region: Region) -> Extent {
        self.regions[region as usize]
    }

    /// How many records of type `T` fit into a region.
    pub fn capacity<T>(&self, region: Region) -> u64 {
        self.extent(region).len / size_of::<T>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_aligned_and_disjoint() {
        let limits = Limits { nodes: 1000, name_bytes: 77, ..Limits::default() };
        let layout = Layout::new(&limits);
        let mut end = PAGE;
        for extent in layout.regions {
            assert_eq!(extent.offset % PAGE, 0);
            assert!(extent.offset >= end);
            end = extent.offset + extent.len;
        }
        assert!(layout.total_len >= end);
        assert_eq!(layout.extent(Region::Buckets).len, 4 * 2048);
    }
}
