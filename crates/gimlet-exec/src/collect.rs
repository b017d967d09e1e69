//! Shared memory to trace.
//!
//! The target can have written anything anywhere, so every counter is clamped
//! to the capacity of its region, and the result is validated before anyone
//! reads it.

use gimlet_trace::event::Tally;
use gimlet_trace::shm::{Header, ModuleRecord, Region, SegmentRecord, SourceRecord};
use gimlet_trace::trace::{Module, Outcome};
use gimlet_trace::{Input, SourceKind, Trace, TraceError};

use crate::error::ExecError;
use crate::memory::SharedMemory;

/// The trace of the run that has just ended on `given`, without its site tables.
///
/// The driver wrote one source record for each source of `given`, and `n_given_segments` segments.
pub fn collect(
    memory: &SharedMemory,
    header: &Header,
    given: &Input,
    n_given_segments: usize,
    outcome: Outcome,
) -> Result<Trace, ExecError> {
    let names = memory.bytes(Region::Names, u64::from(header.names_len))?;
    let values = memory.bytes(Region::Input, u64::from(header.input_len))?;
    let segments = memory.segments(u64::from(header.n_segments))?;
    let sources = memory.sources(u64::from(header.n_sources))?;
    let grown = segments.get(n_given_segments..).unwrap_or(&[]);
    let input = complete(given, &sources, grown, &values, &names).map_err(ExecError::BadTrace)?;
    let trace = Trace {
        input,
        segments,
        nodes: memory.nodes(u64::from(header.n_nodes.max(1)))?,
        snapshots: memory.bytes(Region::Snapshots, header.snapshots_len)?,
        events: memory.events(header.n_events)?,
        tallies: tallies(memory, header)?,
        modules: modules(&memory.modules(u64::from(header.n_modules))?, &names).map_err(ExecError::BadTrace)?,
        names,
        tables: Vec::new(),
        outcome,
        stops: header.stops,
        forks: header.forks,
        symbolic_operations: header.symbolic_operations,
    };
    trace.validate().map_err(ExecError::BadTrace)?;
    Ok(trace)
}

/// The given input and what the program asked for beyond it.
fn complete(
    given: &Input,
    records: &[SourceRecord],
    grown: &[SegmentRecord],
    values: &[u8],
    names: &[u8],
) -> Result<Input, TraceError> {
    let mut input = given.clone();
    for (index, record) in records.iter().enumerate().skip(given.sources.len()) {
        let error = TraceError::Record { what: "source", index };
        let kind = SourceKind::from_code(record.kind).ok_or(error)?;
        let name = text(names, record.name_offset, record.name_len).ok_or(error)?;
        input.push(kind, name, Vec::new());
    }
    for (index, segment) in grown.iter().enumerate() {
        let error = TraceError::Record { what: "grown segment", index };
        let source = input.sources.get_mut(segment.source as usize).ok_or(error)?;
        let first = segment.first as usize;
        let len = usize::try_from(segment.len).map_err(|_| error)?;
        let end = first.checked_add(len).ok_or(error)?;
        let bytes = values.get(first..end).ok_or(error)?;
        // Sources grow without gaps: a segment begins at the end of what is known, or before it.
        let offset = usize::try_from(segment.offset).map_err(|_| error)?;
        let known = source.bytes.len().checked_sub(offset).ok_or(error)?.min(len);
        source.bytes.extend_from_slice(&bytes[known..]);
    }
    Ok(input)
}

fn text(names: &[u8], offset: u32, len: u32) -> Option<String> {
    let bytes = names.get(offset as usize..)?.get(..len as usize)?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn modules(records: &[ModuleRecord], names: &[u8]) -> Result<Vec<Module>, TraceError> {
    let module = |(index, record): (usize, &ModuleRecord)| {
        let image =
            text(names, record.image_offset, record.image_len).ok_or(TraceError::Record { what: "module", index })?;
        Ok(Module { base: record.base, count: record.count, build_id: record.build_id, image })
    };
    records.iter().enumerate().map(module).collect()
}

/// The cells in use, ordered by what they count instead of by hash.
fn tallies(memory: &SharedMemory, header: &Header) -> Result<Vec<Tally>, ExecError> {
    if header.n_tallies == 0 {
        return Ok(Vec::new());
    }
    let mut cells = memory.tallies()?;
    cells.sort_by_key(|tally| (tally.kind, tally.site, tally.reason, tally.first_event));
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_completed() {
        let mut given = Input::stdin("ab");
        given.push(SourceKind::Named, "x", "c");
        let record = SourceRecord { kind: SourceKind::Named as u32, name_offset: 1, name_len: 1, ..Default::default() };
        let records = [SourceRecord::default(), SourceRecord::default(), record];
        let segment = |source, first, offset, len| SegmentRecord { source, first, offset, len };
        let values = b"abcdefg";
        let grown = [segment(1, 3, 1, 2), segment(2, 5, 0, 2)];
        let input = complete(&given, &records, &grown, values, b"xy").unwrap();
        let bytes: Vec<_> = input.sources.iter().map(|source| (source.name.as_str(), &source.bytes[..])).collect();
        assert_eq!(bytes, [("stdin", &b"ab"[..]), ("x", b"cde"), ("y", b"fg")]);
        for bad in [segment(9, 3, 1, 2), segment(1, 3, 2, 2), segment(1, 3, u64::MAX, 2), segment(1, 6, 1, 2)] {
            assert!(complete(&given, &records, &[bad], values, b"xy").is_err(), "{bad:?}");
        }
        assert!(complete(&given, &records, &[], values, b"x").is_err());
    }
}
