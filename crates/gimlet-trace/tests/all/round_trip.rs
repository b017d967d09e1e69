//! Traces and site tables survive being written and read; nothing else is taken for one.

use gimlet_trace::event::{EventKind, EventRecord, Tally};
use gimlet_trace::node::{NodeRecord, Op};
use gimlet_trace::shm::SegmentRecord;
use gimlet_trace::site::{self, Site, SiteKind, SiteTable};
use gimlet_trace::trace::{Module, Outcome};
use gimlet_trace::{Input, Label, SourceKind, Trace, TraceError};
use proptest::collection::vec;
use proptest::prelude::*;

fn input() -> impl Strategy<Value = Input> {
    let source = (1u32..=8, "[a-z]{0,8}", vec(any::<u8>(), 1..20));
    vec(source, 1..5).prop_map(|sources| {
        let mut input = Input::default();
        for (kind, name, bytes) in sources {
            input.push(SourceKind::from_code(kind).unwrap(), name, bytes);
        }
        input
    })
}

fn site() -> impl Strategy<Value = Site> {
    let words = vec(any::<u64>(), 0..5);
    let head = (1u8..=9, any::<u8>(), any::<u16>(), "\\PC{0,12}", "\\PC{0,12}");
    (head, any::<[u32; 3]>(), words, "[a-z_]{0,9}").prop_map(|(head, numbers, words, callee)| {
        let (kind, copy, width, file, function) = head;
        let kind = SiteKind::from_code(kind).unwrap();
        let [line, column, block] = numbers;
        let (words, callee) = match kind {
            SiteKind::Call => (Vec::new(), Some(callee)),
            _ => (words, None),
        };
        Site { kind, width, file, function, line, column, block, copy, words, callee }
    })
}

fn table() -> impl Strategy<Value = SiteTable> {
    (any::<u64>(), vec(site(), 0..6)).prop_map(|(build_id, sites)| SiteTable { build_id, sites })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        any::<i32>().prop_map(Outcome::Exited),
        any::<i32>().prop_map(Outcome::Signalled),
        any::<u64>().prop_map(Outcome::TimedOut),
        any::<u64>().prop_map(Outcome::OutOfMemory),
        Just(Outcome::Interrupted),
    ]
}

/// Records over labels that exist: sums of 64 bits over each other, the first over an input byte.
fn nodes(seeds: &[(u32, u64)]) -> Vec<NodeRecord> {
    let widened = NodeRecord { op: Op::ZExt as u8, width: 64, a: Label::input(0).0, value: 3, ..NodeRecord::default() };
    let mut nodes = vec![NodeRecord::default(), widened];
    for &(pick, imm) in seeds {
        let a = 1 + pick % (nodes.len() as u32 - 1);
        nodes.push(NodeRecord { op: Op::Add as u8, flags: 2, width: 64, a, value: !imm, imm, ..NodeRecord::default() });
    }
    nodes
}

fn events(n_nodes: u32, seeds: &[(u32, u64, u64)]) -> Vec<EventRecord> {
    let kinds = [EventKind::Pin, EventKind::Access, EventKind::Switch, EventKind::End, EventKind::BranchLog];
    let event = |&(pick, x, y): &(u32, u64, u64)| EventRecord {
        kind: kinds[pick as usize % kinds.len()] as u8,
        flags: pick as u8,
        aux: (pick >> 8) as u16,
        site: pick >> 3,
        a: 1 + pick % (n_nodes - 1),
        b: pick,
        x,
        y,
    };
    seeds.iter().map(event).collect()
}

prop_compose! {
    fn trace()(
        input in input(),
        node_seeds in vec(any::<(u32, u64)>(), 0..10),
        event_seeds in vec(any::<(u32, u64, u64)>(), 0..10),
        snapshots in vec(any::<u8>(), 0..40),
        names in vec(any::<u8>(), 0..10),
        tallies in vec(any::<((u16, u16, u32), (u64, u64, u64, u64))>(), 0..4),
        modules in vec((any::<(u32, u32, u64)>(), "\\PC{0,10}"), 0..4),
        tables in vec(table(), 0..3),
        outcome in outcome(),
        numbers in any::<(u32, u32, u64)>(),
    ) -> Trace {
        let mut first = 0;
        let mut segments = Vec::new();
        for (source, bytes) in (0..).zip(input.sources.iter().map(|source| &source.bytes)) {
            segments.push(SegmentRecord { source, first, offset: 0, len: bytes.len() as u64 });
            first += bytes.len() as u32;
        }
        let nodes = nodes(&node_seeds);
        let events = events(nodes.len() as u32, &event_seeds);
        let tally = |((kind, reason, site), (count, first_event, values, bytes))| Tally {
            kind,
            reason,
            site,
            count,
            first_event,
            values,
            bytes,
        };
        let module = |((base, count, build_id), image)| Module { base, count, build_id, image };
        Trace {
            input,
            segments,
            nodes,
            snapshots,
            events,
            names,
            tallies: tallies.into_iter().map(tally).collect(),
            modules: modules.into_iter().map(module).collect(),
            tables: tables.into_iter().map(Into::into).collect(),
            outcome,
            stops: numbers.0,
            forks: numbers.1,
            symbolic_operations: numbers.2,
        }
    }
}

/// A file around a body, with the length and checksum that belong to it.
fn file_of(body: &[u8]) -> Vec<u8> {
    let mut file = b"GIMLETTR".to_vec();
    file.extend_from_slice(&gimlet_trace::FORMAT_VERSION.to_le_bytes());
    file.extend_from_slice(&(body.len() as u64).to_le_bytes());
    file.extend_from_slice(body);
    file.extend_from_slice(&gimlet_trace::container::checksum(body).to_le_bytes());
    file
}

const BODY: usize = 20;

proptest! {
    #[test]
    fn traces_round_trip(trace in trace()) {
        prop_assert_eq!(trace.validate(), Ok(()));
        prop_assert_eq!(Trace::from_bytes(&trace.to_bytes()), Ok(trace));
    }

    #[test]
    fn truncated_traces_are_errors(trace in trace()) {
        let bytes = trace.to_bytes();
        for len in 0..bytes.len() {
            prop_assert!(Trace::from_bytes(&bytes[..len]).is_err(), "{} of {}", len, bytes.len());
        }
        // Also where the length and the checksum are those of the shorter body.
        let body = &bytes[BODY..bytes.len() - 8];
        for len in 0..body.len() {
            prop_assert!(Trace::from_bytes(&file_of(&body[..len])).is_err(), "{} of {}", len, body.len());
        }
    }

    #[test]
    fn changed_traces_are_errors(trace in trace(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let mut bytes = trace.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(Trace::from_bytes(&bytes).is_err());
    }

    #[test]
    fn changed_bodies_never_panic(
        trace in trace(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let bytes = trace.to_bytes();
        let mut body = bytes[BODY..bytes.len() - 8].to_vec();
        for (at, value) in changes {
            let at = at.index(body.len());
            body[at] = value;
        }
        if let Ok(trace) = Trace::from_bytes(&file_of(&body)) {
            prop_assert_eq!(trace.validate(), Ok(()));
            let flat = trace.flatten(&trace.input);
            prop_assert_eq!(flat.len(), trace.input_len() as usize);
            trace.unflatten(&flat);
        }
    }

    #[test]
    fn garbage_is_no_trace(bytes in vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(Trace::from_bytes(&bytes), Err(TraceError::Foreign));
        prop_assert!(Trace::from_bytes(&file_of(&bytes)).is_err());
    }

    #[test]
    fn tables_round_trip(tables in vec(vec(site(), 0..6), 0..4), salt in vec(any::<u8>(), 0..8)) {
        let mut section = Vec::new();
        let mut expected = Vec::new();
        for sites in tables {
            let (build_id, bytes) = SiteTable::encode(&sites, &salt);
            section.extend_from_slice(&bytes);
            section.extend_from_slice(&[0; 16]);
            expected.push(SiteTable { build_id, sites });
        }
        prop_assert_eq!(SiteTable::decode_all(&section), Ok(expected));
        prop_assert_eq!(site::check_versions(&section), Ok(()));
    }

    #[test]
    fn changed_tables_never_panic(
        sites in vec(site(), 1..6),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
    ) {
        let (_, mut bytes) = SiteTable::encode(&sites, &[]);
        let cut = end.index(bytes.len());
        if cut > 0 {
            prop_assert!(SiteTable::decode_all(&bytes[..cut]).is_err());
        }
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = SiteTable::decode_all(&bytes);
    }

    #[test]
    fn garbage_is_no_table(bytes in vec(any::<u8>(), 0..200)) {
        let _ = SiteTable::decode_all(&bytes);
    }
}
