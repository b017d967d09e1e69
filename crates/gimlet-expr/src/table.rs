//! Snapshots of memory objects.
//!
//! A load at a symbolic address reads from a [`Table`]: the bytes of one object as they were at the
//! time of the load. Most are constants (lookup tables of a parser, a checksum or a decoder), so the
//! cells are stored as plain bytes with the symbolic ones beside them. Tables are interned by
//! content: a loop that reads the same table a thousand times has one copy.

use crate::node::ExprId;

/// One byte of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    Byte(u8),
    /// An expression of width 8.
    Expr(ExprId),
}

/// The bytes of an object that begins at address `base`. Addresses count modulo 2^64.
///
/// Invariant: `symbolic` is sorted by offset without duplicates, its offsets are in range, and
/// `bytes` is zero at each of them, so that equal content means equal fields.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Table {
    base: u64,
    bytes: Box<[u8]>,
    symbolic: Box<[(u32, ExprId)]>,
}

impl Table {
    /// `symbolic` holds the cells that are not constants, in any order, one an offset. Panics if an
    /// offset is out of range.
    pub(crate) fn new(base: u64, mut bytes: Vec<u8>, mut symbolic: Vec<(u32, ExprId)>) -> Table {
        symbolic.sort_unstable_by_key(|&(offset, _)| offset);
        debug_assert!(symbolic.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for &(offset, _) in &symbolic {
            bytes[offset as usize] = 0;
        }
        Table { base, bytes: bytes.into(), symbolic: symbolic.into() }
    }

    /// Address of the first cell.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The constant cells; zero where a cell is symbolic.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The cells that are not constants, by ascending offset.
    pub fn symbolic(&self) -> &[(u32, ExprId)] {
        &self.symbolic
    }

    /// The cell `offset` bytes after the base.
    pub fn cell(&self, offset: usize) -> Option<Cell> {
        let byte = *self.bytes.get(offset)?;
        let found = self.symbolic.binary_search_by_key(&offset, |&(at, _)| at as usize);
        Some(match found {
            Ok(symbolic_idx) => Cell::Expr(self.symbolic[symbolic_idx].1),
            Err(_) => Cell::Byte(byte),
        })
    }

    /// The cell at an address; `None` outside the object.
    pub fn cell_at(&self, addr: u64) -> Option<Cell> {
        let offset = usize::try_from(addr.wrapping_sub(self.base)).ok()?;
        self.cell(offset)
    }

    /// Whether a load of `n_bytes` bytes at `addr` reads inside the object only.
    pub fn contains(&self, addr: u64, n_bytes: u32) -> bool {
        let offset = addr.wrapping_sub(self.base);
        offset.checked_add(u64::from(n_bytes)).is_some_and(|end| end <= self.bytes.len() as u64)
    }

    /// The cells that a load of `n_bytes` bytes at `addr` reads, lowest address first; zero outside
    /// the object.
    pub fn load(&self, addr: u64, n_bytes: u32) -> impl DoubleEndedIterator<Item = Cell> + '_ {
        (0..n_bytes).map(move |i| self.cell_at(addr.wrapping_add(u64::from(i))).unwrap_or(Cell::Byte(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_edges() {
        let symbolic = vec![(2, ExprId(9)), (0, ExprId(3))];
        let table = Table::new(u64::MAX - 1, vec![1, 2, 3], symbolic);
        assert_eq!(table.symbolic(), [(0, ExprId(3)), (2, ExprId(9))]);
        assert_eq!(table.cell(1), Some(Cell::Byte(2)));
        assert_eq!(table.cell(3), None);
        let cells: Vec<Cell> = table.load(u64::MAX, 3).collect();
        assert_eq!(cells, [Cell::Byte(2), Cell::Expr(ExprId(9)), Cell::Byte(0)]);
        let below: Vec<Cell> = table.load(u64::MAX - 2, 2).collect();
        assert_eq!(below, [Cell::Byte(0), Cell::Expr(ExprId(3))]);
        assert!(table.contains(u64::MAX - 1, 3) && table.contains(0, 1));
        assert!(!table.contains(u64::MAX - 1, 4) && !table.contains(u64::MAX - 2, 1) && !table.contains(1, 1));
    }
}
