//! A run as the driver keeps it: everything that the target wrote, checked.
//!
//! A file holds, little-endian: the magic `GIMLETTR`, u32 version, u64 length
//! of the body, the body, u64 FNV-1a checksum of the body. The body holds in
//! this order: input, segments, nodes, snapshots, events, names, tallies, modules,
//! site tables (as [`crate::site`] encodes them), outcome, stop bits, counters.
//! Lists are a u64 count and the records; byte strings a u64 length and the bytes.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::container::{checksum, Reader, Writer};
use crate::event::{EventKind, EventRecord, Tally, EVENT_LEN, NO_SITE};
use crate::input::Input;
use crate::label::Label;
use crate::node::{NodeRecord, Op, NODE_LEN};
use crate::shm::{SegmentRecord, SnapshotHeader};
use crate::site::{Site, SiteTable};
use crate::FORMAT_VERSION;

const MAGIC: [u8; 8] = *b"GIMLETTR";

/// Why bytes are not a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceError {
    /// Not a trace at all.
    Foreign,
    /// Of another version of the format.
    Version { found: u32 },
    /// It ends too early.
    Truncated,
    /// The checksum of the file does not fit.
    Checksum,
    /// This part of it makes no sense.
    Corrupt(&'static str),
    /// This record contradicts the format.
    Record { what: &'static str, index: usize },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TraceError::Foreign => write!(f, "not a Gimlet trace"),
            TraceError::Version { found } => {
                write!(f, "made by version {found} of the trace format, this is version {FORMAT_VERSION}")
            }
            TraceError::Truncated => write!(f, "the trace is truncated"),
            TraceError::Checksum => write!(f, "the trace is corrupt: its checksum does not fit"),
            TraceError::Corrupt(what) => write!(f, "the trace is corrupt: {what}"),
            TraceError::Record { what, index } => write!(f, "the trace is corrupt: {what} {index}"),
        }
    }
}

impl core::error::Error for TraceError {}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    Exited(i32),
    Signalled(i32),
    /// It was stopped at the limit of time, in milliseconds.
    TimedOut(u64),
    /// It was stopped at the limit of memory, in MiB.
    OutOfMemory(u64),
    /// The user stopped it.
    Interrupted,
}

/// A translation unit that took part in the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    pub base: u32,
    pub count: u32,
    pub build_id: u64,
    /// Path of the shared object, empty for the program itself.
    pub image: String,
}

/// Everything known of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The input that was run, completed by what the program asked for.
    pub input: Input,
    pub segments: Vec<SegmentRecord>,
    /// Record 0 is unused.
    pub nodes: Vec<NodeRecord>,
    pub snapshots: Vec<u8>,
    pub events: Vec<EventRecord>,
    /// Text that events refer to.
    pub names: Vec<u8>,
    pub tallies: Vec<Tally>,
    pub modules: Vec<Module>,
    pub tables: Vec<Arc<SiteTable>>,
    pub outcome: Outcome,
    /// [`crate::shm::stop`] bits.
    pub stops: u32,
    pub forks: u32,
    pub symbolic_operations: u64,
}

/// Memory as it was when a lookup read from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Snapshot<'a> {
    pub base: u64,
    pub bytes: &'a [u8],
    /// One little-endian shadow word a byte, or empty if nothing was labelled.
    pub shadow: &'a [u8],
}

impl Snapshot<'_> {
    /// The shadow word of byte `index`.
    pub fn shadow_word(&self, index: usize) -> crate::ShadowWord {
        match self.shadow.get(4 * index..4 * index + 4) {
            Some(word) => crate::ShadowWord(u32::from_le_bytes([word[0], word[1], word[2], word[3]])),
            None => crate::ShadowWord::NONE,
        }
    }
}

impl Trace {
    /// The site with this number, if its module and table are known.
    pub fn site(&self, site: u32) -> Option<&Site> {
        if site == NO_SITE {
            return None;
        }
        let module = self.modules.iter().find(|module| site.wrapping_sub(module.base) < module.count)?;
        let table = self.tables.iter().find(|table| table.build_id == module.build_id)?;
        table.sites.get((site - module.base) as usize)
    }

    /// `len` bytes of the names from `offset`.
    pub fn name(&self, offset: u32, len: u16) -> Option<&[u8]> {
        self.names.get(offset as usize..)?.get(..len as usize)
    }

    /// Width of what a label names, in bits. The label must be valid.
    pub fn width(&self, label: Label) -> u16 {
        match label.node_index() {
            Some(node) => self.nodes.get(node as usize).map_or(0, |record| record.width),
            None => 8,
        }
    }

    /// The word of an [`EventKind::Compare`] event.
    pub fn compared_word(&self, event: &EventRecord) -> Option<&[u8]> {
        self.name((event.y >> 32) as u32, u16::try_from(event.y as u32).ok()?)
    }

    /// Source and offset of input byte `index`.
    pub fn locate(&self, index: u32) -> Option<(usize, u64)> {
        let at = self.segments.partition_point(|segment| segment.first <= index).checked_sub(1)?;
        let segment = &self.segments[at];
        let delta = u64::from(index - segment.first);
        (delta < segment.len).then_some((segment.source as usize, segment.offset + delta))
    }

    /// Number of input bytes that have a label: one more than the greatest.
    pub fn input_len(&self) -> u32 {
        self.segments.iter().map(|segment| segment.first + segment.len as u32).max().unwrap_or(0)
    }

    /// Values of the input bytes by number, taken from `input` (this trace's or another with the same sources).
    /// Bytes that `input` does not have are zero.
    pub fn flatten(&self, input: &Input) -> Vec<u8> {
        let mut bytes = alloc::vec![0; self.input_len() as usize];
        for segment in &self.segments {
            let Some(source) = self.input.sources.get(segment.source as usize) else { continue };
            let Some(source) = input.source(&source.name) else { continue };
            let from = source.bytes.get(segment.offset as usize..).unwrap_or(&[]);
            let len = from.len().min(segment.len as usize);
            bytes[segment.first as usize..][..len].copy_from_slice(&from[..len]);
        }
        bytes
    }

    /// The input whose bytes by number are `flat`; what has no number stays as in this trace.
    pub fn unflatten(&self, flat: &[u8]) -> Input {
        let mut input = self.input.clone();
        for segment in &self.segments {
            let Some(source) = input.sources.get_mut(segment.source as usize) else { continue };
            for delta in 0..segment.len as usize {
                let value = flat.get(segment.first as usize + delta);
                let cell = source.bytes.get_mut(segment.offset as usize + delta);
                if let (Some(&value), Some(cell)) = (value, cell) {
                    *cell = value;
                }
            }
        }
        input.stretch_as_said(&self.input);
        input
    }

    /// Snapshot number `id`.
    pub fn snapshot(&self, id: u32) -> Option<Snapshot<'_>> {
        let rest = self.snapshots.get((id as usize).checked_mul(8)?..)?;
        let mut reader = Reader::new(rest);
        let header =
            SnapshotHeader { base: reader.u64().ok()?, size: reader.u32().ok()?, labelled: reader.u32().ok()? };
        let size = header.size as usize;
        let bytes = reader.take(size).ok()?;
        reader.take(size.wrapping_neg() % 8).ok()?;
        let shadow = if header.labelled != 0 { reader.take(size * 4).ok()? } else { &[] };
        Some(Snapshot { base: header.base, bytes, shadow })
    }

    /// The trace as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Writer::default();
        self.input.write(&mut body);
        body.u64(self.segments.len() as u64);
        for segment in &self.segments {
            body.u32(segment.source);
            body.u32(segment.first);
            body.u64(segment.offset);
            body.u64(segment.len);
        }
        body.u64(self.nodes.len() as u64);
        self.nodes.iter().for_each(|node| body.bytes.extend_from_slice(&node.to_bytes()));
        body.blob(&self.snapshots);
        body.u64(self.events.len() as u64);
        self.events.iter().for_each(|event| body.bytes.extend_from_slice(&event.to_bytes()));
        body.blob(&self.names);
        body.u64(self.tallies.len() as u64);
        for tally in &self.tallies {
            body.u16(tally.kind);
            body.u16(tally.reason);
            body.u32(tally.site);
            body.u64(tally.count);
            body.u64(tally.first_event);
            body.u64(tally.values);
            body.u64(tally.bytes);
        }
        body.u64(self.modules.len() as u64);
        for module in &self.modules {
            body.u32(module.base);
            body.u32(module.count);
            body.u64(module.build_id);
            body.text(&module.image);
        }
        body.u64(self.tables.len() as u64);
        for table in &self.tables {
            body.u64(table.build_id);
            body.blob(&SiteTable::encode(&table.sites, &[]).1);
        }
        let (tag, value) = match self.outcome {
            Outcome::Exited(code) => (1, code as u32 as u64),
            Outcome::Signalled(signal) => (2, signal as u32 as u64),
            Outcome::TimedOut(limit_ms) => (3, limit_ms),
            Outcome::OutOfMemory(limit_mib) => (4, limit_mib),
            Outcome::Interrupted => (5, 0),
        };
        body.u32(tag);
        body.u64(value);
        body.u32(self.stops);
        body.u32(self.forks);
        body.u64(self.symbolic_operations);

        let mut out = Writer::default();
        out.bytes.extend_from_slice(&MAGIC);
        out.u32(FORMAT_VERSION);
        out.blob(&body.bytes);
        out.u64(checksum(&body.bytes));
        out.bytes
    }

    /// Reads a file and checks all of it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Trace, TraceError> {
        let mut file = Reader::new(bytes);
        if file.take(MAGIC.len()).map_err(|_| TraceError::Foreign)? != MAGIC {
            return Err(TraceError::Foreign);
        }
        let version = file.u32()?;
        if version != FORMAT_VERSION {
            return Err(TraceError::Version { found: version });
        }
        let body = file.blob()?;
        if file.u64()? != checksum(body) {
            return Err(TraceError::Checksum);
        }
        let trace = Trace::from_body(&mut Reader::new(body))?;
        trace.validate()?;
        Ok(trace)
    }

    fn from_body(body: &mut Reader) -> Result<Trace, TraceError> {
        let input = Input::read(body)?;
        let segments = list(body, |body| {
            Ok(SegmentRecord { source: body.u32()?, first: body.u32()?, offset: body.u64()?, len: body.u64()? })
        })?;
        let nodes = list(body, |body| {
            let mut record = [0; NODE_LEN];
            record.copy_from_slice(body.take(NODE_LEN)?);
            Ok(NodeRecord::from_bytes(&record))
        })?;
        let snapshots = body.blob()?.to_vec();
        let events = list(body, |body| {
            let mut record = [0; EVENT_LEN];
            record.copy_from_slice(body.take(EVENT_LEN)?);
            Ok(EventRecord::from_bytes(&record))
        })?;
        let names = body.blob()?.to_vec();
        let tallies = list(body, |body| {
            Ok(Tally {
                kind: body.u16()?,
                reason: body.u16()?,
                site: body.u32()?,
                count: body.u64()?,
                first_event: body.u64()?,
                values: body.u64()?,
                bytes: body.u64()?,
            })
        })?;
        let modules = list(body, |body| {
            Ok(Module { base: body.u32()?, count: body.u32()?, build_id: body.u64()?, image: body.text()? })
        })?;
        let tables = list(body, |body| {
            let build_id = body.u64()?;
            let sites = SiteTable::decode_all(body.blob()?)?.pop().map_or_else(Vec::new, |table| table.sites);
            Ok(Arc::new(SiteTable { build_id, sites }))
        })?;
        let outcome = match (body.u32()?, body.u64()?) {
            (1, code) => Outcome::Exited(code as i32),
            (2, signal) => Outcome::Signalled(signal as i32),
            (3, limit_ms) => Outcome::TimedOut(limit_ms),
            (4, limit_mib) => Outcome::OutOfMemory(limit_mib),
            (5, 0) => Outcome::Interrupted,
            _ => return Err(TraceError::Corrupt("outcome")),
        };
        let (stops, forks, symbolic_operations) = (body.u32()?, body.u32()?, body.u64()?);
        Ok(Trace {
            input,
            segments,
            nodes,
            snapshots,
            events,
            names,
            tallies,
            modules,
            tables,
            outcome,
            stops,
            forks,
            symbolic_operations,
        })
    }

    /// Checks what the readers of a trace rely on: segments in order and inside their sources, operands before their
    /// users and of fitting widths, labels that exist. A driver calls it on what a target wrote, because a target can
    /// write anything anywhere.
    pub fn validate(&self) -> Result<(), TraceError> {
        let mut next = 0u64;
        for (index, segment) in self.segments.iter().enumerate() {
            let error = TraceError::Record { what: "segment", index };
            let source = self.input.sources.get(segment.source as usize).ok_or(error)?;
            let end = segment.offset.checked_add(segment.len).ok_or(error)?;
            if end > source.bytes.len() as u64 || u64::from(segment.first) < next {
                return Err(error);
            }
            next = u64::from(segment.first) + segment.len;
            if next > u64::from(crate::label::INPUT_MAX) {
                return Err(error);
            }
        }
        for index in 1..self.nodes.len() {
            self.check_node(index).ok_or(TraceError::Record { what: "node", index })?;
        }
        for (index, event) in self.events.iter().enumerate() {
            self.check_event(event).ok_or(TraceError::Record { what: "event", index })?;
        }
        Ok(())
    }

    /// True if the label names something before node number `limit`.
    fn label_exists(&self, label: Label, limit: usize) -> bool {
        match (label.input_index(), label.node_index()) {
            (Some(byte), _) => self.locate(byte).is_some(),
            (_, Some(node)) => (node as usize) < limit,
            _ => false,
        }
    }

    fn check_node(&self, index: usize) -> Option<()> {
        let record = &self.nodes[index];
        let op = Op::from_code(record.op)?;
        let width = record.width;
        if width == 0 || width > 128 || record.flags.count_ones() > 1 || record.flags & !op.operands() != 0 {
            return None;
        }
        if record.flags != 0 && width > 64 && !op.is_predicate() {
            return None;
        }
        let mut widths = [0u16; 3];
        for (slot, operand) in record.operand_labels(op).enumerate() {
            if let Some(label) = operand {
                if !self.label_exists(label, index) {
                    return None;
                }
                widths[slot] = self.width(label);
            }
        }
        let [a, b, c] = widths;
        // 0 stands for an immediate, which takes the width that its place asks for.
        let same = |x: u16, y: u16| x == y || x == 0 || y == 0;
        let fits = match op {
            Op::Const | Op::Fresh => true,
            Op::Read => {
                let count = u32::from(width / 8);
                width.is_multiple_of(8)
                    && (record.a..record.a.checked_add(count)?).all(|byte| self.locate(byte).is_some())
            }
            Op::ZExt | Op::SExt => a != 0 && a < width,
            Op::Extract => a != 0 && u32::from(width).checked_add(record.b)? <= u32::from(a),
            Op::Concat => (a == 0 || a < width) && (b == 0 || b < width) && (a == 0 || b == 0 || a + b == width),
            Op::Ite => same(a, 1) && same(b, width) && same(c, width),
            Op::Lookup => a == 64 && width.is_multiple_of(8) && self.check_snapshot(record.b, index).is_some(),
            Op::FShl | Op::FShr => same(a, width) && same(b, width) && same(c, width),
            Op::BSwap => a == width && width.is_multiple_of(16),
            Op::CtPop | Op::Ctlz | Op::Cttz => a == width,
            _ if op.is_predicate() => width == 1 && same(a, b) && (a != 0 || b != 0),
            _ => same(a, width) && same(b, width),
        };
        fits.then_some(())
    }

    fn check_snapshot(&self, id: u32, limit: usize) -> Option<()> {
        let snapshot = self.snapshot(id)?;
        for word in snapshot.shadow.chunks_exact(4) {
            let word = crate::ShadowWord(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            let (label, byte) = word.decode();
            if word != crate::ShadowWord::NONE
                && (!self.label_exists(label, limit) || 8 * byte as u16 + 8 > self.width(label))
            {
                return None;
            }
        }
        Some(())
    }

    fn check_event(&self, event: &EventRecord) -> Option<()> {
        let label = Label(event.a);
        let exists = || self.label_exists(label, self.nodes.len());
        let fits = match EventKind::from_code(event.kind)? {
            EventKind::Branch => exists() && self.width(label) == 1,
            EventKind::Assert | EventKind::Assume => event.a == 0 || exists(),
            EventKind::Switch => exists() && self.width(label) <= 64,
            EventKind::Pin => exists(),
            EventKind::Access => exists() && self.width(label) == 64,
            EventKind::Arith => {
                let other = Label(event.b);
                (event.a == 0 || exists()) && (event.b == 0 || self.label_exists(other, self.nodes.len()))
            }
            EventKind::Read => (event.a as usize) < self.input.sources.len(),
            EventKind::BranchLog => event.a == 0 || exists(),
            EventKind::Observe => self.name(event.b, event.aux).is_some(),
            EventKind::Compare => {
                let last = Label(event.b);
                exists() && self.label_exists(last, self.nodes.len()) && self.compared_word(event).is_some()
            }
            EventKind::Observed => {
                (1..=16).contains(&event.flags)
                    && (event.a == 0 || exists() && self.width(label) == 8 * u16::from(event.flags))
            }
            _ => true,
        };
        fits.then_some(())
    }
}

fn list<T>(
    body: &mut Reader,
    mut item: impl FnMut(&mut Reader) -> Result<T, TraceError>,
) -> Result<Vec<T>, TraceError> {
    let count = body.u64()?;
    let mut out = Vec::new();
    for _ in 0..count {
        out.push(item(body)?);
    }
    Ok(out)
}
