//! What the pass puts into an object of PROG.edges: counters, and what they count.
//!
//! A counter is a byte in the section [`COUNTERS_SECTION`]: one for the entry of
//! each function, one for each direction of each branch, and one for each case
//! and the default of each switch. A direction that was taken has a counter that
//! is not zero, whatever the number of times: 255 is followed by 1.
//!
//! The section [`EDGES_SECTION`] says what they are, one record for each object,
//! one after the other:
//!
//! ```text
//! offset 0  "GIMLETEC"
//!        8  i64  distance from the beginning of this record to the first counter
//!       16  u64  number of counters
//!       24  a site table (`site`), of the kinds `Function`, `Branch` and `Switch`
//! ```
//!
//! Counters follow the sites in order: the entry; if true, if false; the cases in
//! order, then the default. The sites are those of the same kinds in the site
//! table of the instrumented object, in the same order: both are made at the same
//! point of the compiler's pipeline from the same text.

use alloc::vec::Vec;

use crate::container::{Reader, Writer};
use crate::site::{Site, SiteKind, SiteTable};
use crate::TraceError;

/// ELF section that holds the counters.
pub const COUNTERS_SECTION: &str = "gimlet_counters";

/// ELF section that says what the counters count.
pub const EDGES_SECTION: &str = "gimlet_edges";

/// The function that a constructor of every object calls with the format version; there is one in each image.
pub const INIT_SYMBOL: &str = "gimlet_edges_init";

/// Offset of the distance in a record.
pub const DISTANCE_OFFSET: u64 = 8;

const MAGIC: [u8; 8] = *b"GIMLETEC";
const HEADER_LEN: usize = 24;

/// The counters of one object, and its sites.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeTable {
    /// Address of the first counter in the image, as it is linked.
    pub address: u64,
    pub table: SiteTable,
}

impl Site {
    /// How many counters it has in PROG.edges.
    pub fn n_counters(&self) -> usize {
        match self.kind {
            SiteKind::Function => 1,
            SiteKind::Branch => 2,
            SiteKind::Switch => 1 + self.cases().count(),
            _ => 0,
        }
    }
}

impl EdgeTable {
    /// The record of an object, with a distance of zero, which the linker has to fill in; and the number of counters.
    pub fn encode(sites: &[Site], salt: &[u8]) -> (u64, Vec<u8>) {
        let n_counters = sites.iter().map(|site| site.n_counters() as u64).sum();
        let mut out = Writer::default();
        out.bytes.extend_from_slice(&MAGIC);
        out.u64(0);
        out.u64(n_counters);
        out.bytes.extend_from_slice(&SiteTable::encode(sites, salt).1);
        (n_counters, out.bytes)
    }

    /// Address behind the last counter.
    pub fn end(&self) -> Option<u64> {
        let n_counters: u64 = self.table.sites.iter().map(|site| site.n_counters() as u64).sum();
        self.address.checked_add(n_counters)
    }

    /// Every record of a section that is linked at `address`. Zero padding between records is skipped.
    pub fn decode_all(section: &[u8], address: u64) -> Result<Vec<EdgeTable>, TraceError> {
        let mut tables = Vec::new();
        let mut at = 0;
        while let Some(skipped) = section[at..].iter().position(|&byte| byte != 0) {
            at += skipped & !7;
            let mut header = Reader::new(&section[at..]);
            if header.take(MAGIC.len())? != MAGIC {
                return Err(TraceError::Corrupt("table of edges"));
            }
            let distance = header.u64()?;
            let n_counters = header.u64()?;
            let (table, len) = SiteTable::decode(&section[at + HEADER_LEN..])?;
            let expected: u64 = table.sites.iter().map(|site| site.n_counters() as u64).sum();
            if n_counters != expected {
                return Err(TraceError::Corrupt("number of counters"));
            }
            tables.push(EdgeTable { address: address.wrapping_add(at as u64).wrapping_add(distance), table });
            at += HEADER_LEN + len;
        }
        Ok(tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    fn site(kind: SiteKind, words: &[u64]) -> Site {
        Site {
            kind,
            width: 1,
            file: "a.c".to_string(),
            function: "f".to_string(),
            line: 3,
            column: 4,
            block: 0,
            copy: 0,
            words: words.to_vec(),
            callee: None,
        }
    }

    #[test]
    fn records_are_found_again() {
        let sites = vec![
            site(SiteKind::Function, &[]),
            site(SiteKind::Branch, &[1, 2]),
            site(SiteKind::Switch, &[3, 10, 4, 11, 5]),
        ];
        let (n_counters, mut section) = EdgeTable::encode(&sites, b"a.c");
        assert_eq!(n_counters, 6);
        section[DISTANCE_OFFSET as usize..][..8].copy_from_slice(&(-0x100i64).to_le_bytes());
        let second = section.len() as u64 + 16;
        section.extend_from_slice(&[0; 16]);
        section.extend(EdgeTable::encode(&sites[..1], b"b.c").1);
        let tables = EdgeTable::decode_all(&section, 0x1000).unwrap();
        assert_eq!(tables.iter().map(|table| table.address).collect::<Vec<_>>(), [0xf00, 0x1000 + second]);
        assert_eq!(tables[0].table.sites, sites);
        assert_eq!(tables[1].table.sites, sites[..1]);
    }

    #[test]
    fn garbage_is_an_error() {
        let (_, good) = EdgeTable::encode(&[site(SiteKind::Branch, &[1, 2])], b"");
        for len in 1..good.len() {
            assert!(EdgeTable::decode_all(&good[..len], 0).is_err(), "{len}");
        }
        for at in [0, 16] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(EdgeTable::decode_all(&bad, 0).is_err(), "{at}");
        }
    }
}
