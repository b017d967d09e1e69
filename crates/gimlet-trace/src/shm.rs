//! The shared memory between driver and target, and the fork server's messages.
//!
//! The driver makes a memory file, writes the [`Header`] with the place and
//! size of each region, the sources and their bytes, and starts the target with
//! [`DRIVER_ENV`] set to `SHM:CONTROL`, two descriptors. The runtime maps the
//! file before `main`, answers [`Message::HELLO`] on the control socket with its
//! [`crate::FORMAT_VERSION`], and then serves: for each [`Message::RUN`] it
//! forks, answers [`Message::PID`], and when the child has ended
//! [`Message::STATUS`] with the status of `waitpid`. The child closes both
//! descriptors, so that a program which closes or inherits descriptors can't
//! harm the driver; everything it writes goes through the mapping.
//!
//! PROG.edges serves the same way, and also runs with a number, which take one
//! message less (`support/edges.c` of gimlet-cc).
//!
//! Nothing is cleared between runs: the driver resets the counters of the
//! header, and what lies behind them is garbage of earlier runs.
//!
//! Regions, each 4096-aligned, in the order of [`Region`]:
//! ```text
//! Sources   SourceRecord[]   written by the driver, appended to by the target
//! Segments  SegmentRecord[]  likewise
//! Names     u8[]             text that the records and events refer to
//! Input     u8[]             value of each input byte by number
//! Nodes     NodeRecord[]     record 0 is unused
//! Buckets   u32[]            the target's hash table over Nodes; private to it
//! Snapshots u8[]             see SnapshotHeader
//! Events    EventRecord[]
//! Tallies   Tally[]          open addressing by hash of (kind, reason, site); count 0 is free
//! Modules   ModuleRecord[]
//! ```

/// Environment variable that tells the runtime that a driver is there.
pub const DRIVER_ENV: &str = "GIMLET_DRIVER";

/// First bytes of the shared memory.
pub const MAGIC: u64 = u64::from_le_bytes(*b"GIMLETSM");

/// A part of the shared memory, as an index into [`Header::regions`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Region {
    Sources,
    Segments,
    Names,
    Input,
    Nodes,
    Buckets,
    Snapshots,
    Events,
    Tallies,
    Modules,
}

/// Number of regions.
pub const REGIONS: usize = 10;

/// Place and size of a region, in bytes from the beginning of the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Extent {
    pub offset: u64,
    pub len: u64,
}

/// The first page of the shared memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Header {
    pub magic: u64,
    pub version: u32,
    /// [`option`] bits, written by the driver.
    pub options: u32,
    pub total_len: u64,
    pub regions: [Extent; REGIONS],
    // Counters: the driver sets them before a run, the target advances them.
    pub n_sources: u32,
    pub n_segments: u32,
    pub names_len: u32,
    pub input_len: u32,
    pub n_nodes: u32,
    pub n_modules: u32,
    pub n_events: u64,
    pub snapshots_len: u64,
    pub n_tallies: u32,
    /// [`stop`] bits: what went wrong while tracing.
    pub stops: u32,
    /// Loads, stores, branches ... that had a symbolic operand: cost of the symbolic side.
    pub symbolic_operations: u64,
    /// Number of times that the traced process forked.
    pub forks: u32,
    /// Written by the driver before each run; the child repeats it in `run_seen` when it begins.
    pub run: u32,
    pub run_seen: u32,
    /// The function that returns tokens, if the driver wants to know: the number of its site and one, in the module with
    /// this build id. Then where in what it returns the token is, and how many bytes that has if it is in memory.
    pub token_function: u32,
    pub token_build: u64,
    pub token_offset: u32,
    pub token_size: u32,
}

const _: () = assert!(core::mem::size_of::<Header>() <= 4096);

/// Bits of [`Header::options`].
pub mod option {
    /// Log allocations and frees.
    pub const ALLOCATIONS: u32 = 1;
    /// Models of string functions decide character by character instead of building one expression.
    pub const FORK_STRINGS: u32 = 2;
    /// Say under which conditions memory that library functions are given suffices.
    pub const CHECKS: u32 = 4;
}

/// Bits of [`Header::stops`].
pub mod stop {
    /// The node table is full: tracing stopped.
    pub const NODES: u32 = 1;
    /// The event log is full: tracing stopped.
    pub const EVENTS: u32 = 2;
    /// The snapshot space is full: lookups were pinned instead.
    pub const SNAPSHOTS: u32 = 4;
    /// The tally table is full: some counts are missing.
    pub const TALLIES: u32 = 8;
    /// The input space is full: some bytes were not labelled.
    pub const INPUT: u32 = 16;
    /// The module, source, segment or name table is full.
    pub const TABLES: u32 = 32;
    /// The program replaced itself by exec.
    pub const EXEC: u32 = 64;
    /// Two mappings of the target share shadow memory: labels are not to be trusted.
    pub const ALIASED: u32 = 128;
    /// The runtime itself failed.
    pub const PANIC: u32 = 256;
    /// An assumption did not hold and the run ended there.
    pub const ASSUMPTION: u32 = 512;
    /// The program called `reach_error`.
    pub const REACHED_ERROR: u32 = 1024;
}

/// A source of input bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct SourceRecord {
    /// [`crate::SourceKind`].
    pub kind: u32,
    /// Arguments: index into argv. Sockets: port, 0 for any. Paths: where among the names the path of the file that
    /// the program is to get begins; after it the absolute paths by which it may open it, then an empty one. Each is
    /// ended by a zero byte. Lengths: the source that the stretch is in.
    pub index: u32,
    pub name_offset: u32,
    pub name_len: u32,
    /// Number of its first input byte, for what the driver wrote.
    pub first: u32,
    /// Lengths: bytes of the unit, 0 for a stretch that there is not.
    pub unit: u32,
    /// Bytes that the driver wrote.
    pub len: u64,
    /// Bytes that the program has asked for so far (named sources), where the stretch begins (lengths), or end of what a
    /// model has seen read (others).
    pub cursor: u64,
    /// Device and inode, for standard input and files: how a descriptor is recognised. The runtime writes those of a
    /// socket when the program gets it. Lengths: bytes of the longest that the stretch may be, and of the stretch.
    pub device: u64,
    pub inode: u64,
}

/// Bytes `first .. first + len` of the input are bytes `offset ..` of a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct SegmentRecord {
    pub source: u32,
    pub first: u32,
    pub offset: u64,
    pub len: u64,
}

/// A translation unit: sites `base .. base + count` are its sites 0 .. count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct ModuleRecord {
    pub base: u32,
    pub count: u32,
    pub build_id: u64,
    /// Path of the shared object that it is in; empty for the program itself.
    pub image_offset: u32,
    pub image_len: u32,
}

/// What a snapshot begins with; then `size` bytes, padded to 8; then, if
/// `labelled`, `size` shadow words, padded to 8. Snapshot `id` lies at byte `8 * id`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct SnapshotHeader {
    pub base: u64,
    pub size: u32,
    pub labelled: u32,
}

/// A message of the fork server: two u32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Message {
    pub tag: u32,
    pub value: u32,
}

impl Message {
    /// Target to driver, once: value = format version.
    pub const HELLO: u32 = 0x4f4c_4548;
    /// Driver to target: run once; value = 0, or for PROG.edges the number of the run, which makes the answer `ALONE`
    /// or `STATUS` without a `PID`.
    pub const RUN: u32 = 0x004e_5552;
    /// Target to driver: value = process id of the run.
    pub const PID: u32 = 0x0044_4950;
    /// Target to driver: value = status as `waitpid` gives it.
    pub const STATUS: u32 = 0x5441_5453;
    /// As `STATUS`, and no process of the run is left.
    pub const ALONE: u32 = 0x4e4f_4c41;
    /// Target to driver instead of `HELLO` or `PID`: value = errno of what failed.
    pub const FAILED: u32 = 0x4c49_4146;
}
