//! Loads at symbolic addresses as trees of multiplexers.
//!
//! The addresses that a lookup can have are over-approximated by an arithmetic progression from the
//! shape of the address: `base + zext64(b) << 2` has 256 of them, four bytes apart. Those at which
//! the load stays inside the table become the leaves of a binary tree; level `i` selects by bit `i` of
//! the position. Equal subtrees collapse. Rivals: an array per table with a store per cell makes Z3
//! leave pure bit-vectors, which costs it much more than the tree; a chain of comparisons with each
//! address has the same leaves but a 64-bit comparison for each.
//!
//! Where the address can leave the table, the condition that it does not goes to the bounds, and
//! the value outside is a fresh variable. Tables with more positions than the limit are encoded
//! around the address on the hint only; that, too, is a bound.

use gimlet_expr::{BinOp, Cell, Dag, ExprId, Node, TableId};

use crate::lower::{n_bits_for, Lowering};
use crate::terms::{TermOp, Terms, Variable};

/// The addresses `first`, `first + 2^stride_log2`, ... up to `last`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progression {
    pub first: u64,
    pub last: u64,
    pub stride_log2: u32,
}

impl Progression {
    /// The multiples of `2^stride_log2`, `n_bits` bits wide, plus `start`; `None` if they wrap.
    fn from_bits(start: u64, n_bits: u32, stride_log2: u32) -> Option<Progression> {
        let span = if n_bits == 0 { 0 } else { u64::MAX >> (64 - n_bits) };
        let stride_log2 = stride_log2.min(63);
        let last = start.checked_add(span >> stride_log2 << stride_log2)?;
        Some(Progression { first: start, last, stride_log2 })
    }

    /// All that the shape of an address tells about its values.
    pub fn of_address(dag: &Dag, addr: ExprId) -> Progression {
        let of_offset = |start, id| Progression::from_bits(start, dag.significant_bits(id), dag.trailing_zeros(id));
        let progression = match dag.node(addr) {
            Node::Const(constant) => Progression::from_bits(constant.value() as u64, 0, 0),
            Node::Binary { op: BinOp::Add, lhs, rhs } => {
                dag.as_const(rhs).and_then(|start| of_offset(start as u64, lhs))
            }
            Node::Concat { hi, lo } => dag.as_const(hi).and_then(|high| {
                let start = high << dag.width(lo);
                of_offset(start as u64, lo)
            }),
            _ => of_offset(0, addr),
        };
        progression.unwrap_or(Progression { first: 0, last: u64::MAX, stride_log2: 0 })
    }

    /// The members from `low` to `high`, if there are any.
    fn clip(self, low: u64, high: u64) -> Option<Progression> {
        let stride = 1 << self.stride_log2;
        let n_below = low.saturating_sub(self.first).div_ceil(stride);
        let first = n_below.checked_mul(stride)?.checked_add(self.first)?;
        let limit = high.min(self.last);
        if first > limit {
            return None;
        }
        let last = first + ((limit - first) >> self.stride_log2 << self.stride_log2);
        Some(Progression { first, last, ..self })
    }

    /// At most `n_max` members around `center`.
    fn narrow(self, center: u64, n_max: u64) -> Progression {
        let n_positions = ((self.last - self.first) >> self.stride_log2).saturating_add(1);
        if n_positions <= n_max {
            return self;
        }
        let center_idx = center.clamp(self.first, self.last).wrapping_sub(self.first) >> self.stride_log2;
        let first_idx = center_idx.saturating_sub(n_max / 2).min(n_positions - n_max);
        let first = self.first + (first_idx << self.stride_log2);
        Progression { first, last: first + ((n_max - 1) << self.stride_log2), ..self }
    }

    fn positions(self) -> impl Iterator<Item = u64> {
        (0..=(self.last - self.first) >> self.stride_log2).map(move |k| self.first + (k << self.stride_log2))
    }
}

/// The symbolic cells of a table that a load may read.
pub(crate) fn reachable_cells(
    dag: &Dag,
    table: TableId,
    addr: ExprId,
    width: u32,
) -> impl Iterator<Item = ExprId> + '_ {
    let (reachable, table) = (Progression::of_address(dag, addr), dag.table(table));
    let span = (reachable.last - reachable.first).saturating_add(u64::from(width / 8) - 1);
    // A table can go on at address zero.
    let is_reached = move |offset: u32| {
        let cell = table.base().wrapping_add(u64::from(offset));
        cell.wrapping_sub(reachable.first) <= span
    };
    table.symbolic().iter().filter(move |&&(offset, _)| is_reached(offset)).map(|&(_, cell)| cell)
}

impl<T: Terms> Lowering<'_, T> {
    pub(crate) fn lower_lookup(&mut self, id: ExprId, table: TableId, addr: ExprId, width: u32) -> T::Term {
        let reachable = Progression::of_address(self.dag, addr);
        let Some(encoded) = self.encoded_positions(reachable, table, addr, width) else {
            let never = self.terms.constant(1, 0);
            self.bounds.push((id, never));
            return self.outside(width);
        };
        let addr = self.term(addr);
        let first = self.terms.constant(64, u128::from(encoded.first));
        let offset = self.apply2(TermOp::Sub, &addr, &first);
        let leaves = encoded.positions().map(|position| self.load(table, position, width)).collect();
        let inside_value = self.multiplexer(leaves, encoded.stride_log2, &offset);
        if encoded == reachable {
            return inside_value;
        }
        let span = self.terms.constant(64, u128::from(encoded.last - encoded.first));
        let is_inside = self.apply2(TermOp::Ule, &offset, &span);
        self.bounds.push((id, is_inside.clone()));
        let outside_value = self.outside(width);
        self.ite(&is_inside, &inside_value, &outside_value)
    }

    /// The addresses for which the lookup is encoded.
    fn encoded_positions(
        &mut self,
        reachable: Progression,
        table: TableId,
        addr: ExprId,
        width: u32,
    ) -> Option<Progression> {
        let table = self.dag.table(table);
        let n_last = (table.len() as u64).checked_sub(u64::from(width / 8))?;
        let inside = reachable.clip(table.base(), table.base().saturating_add(n_last))?;
        Some(match &mut self.window {
            Some(window) => inside.narrow((window.address_on_hint)(addr), window.n_positions_max),
            None => inside,
        })
    }

    /// What the load gives that begins at `position`.
    fn load(&mut self, table: TableId, position: u64, width: u32) -> T::Term {
        let dag = self.dag;
        let cells = || dag.table(table).load(position, width / 8).rev();
        let constant = cells().try_fold(0, |word: u128, cell| match cell {
            Cell::Byte(byte) => Some(word << 8 | u128::from(byte)),
            Cell::Expr(_) => None,
        });
        if let Some(value) = constant {
            return self.terms.constant(width, value);
        }
        let mut word: Option<T::Term> = None;
        for cell in cells() {
            let byte = match cell {
                Cell::Byte(value) => self.terms.constant(8, u128::from(value)),
                Cell::Expr(id) => self.term(id),
            };
            word = Some(match word {
                None => byte,
                Some(higher) => self.apply2(TermOp::Concat, &higher, &byte),
            });
        }
        word.expect("a lookup reads at least one byte")
    }

    /// The leaf whose number is `offset >> lowest_bit`; there is at least one leaf.
    fn multiplexer(&mut self, leaves: Vec<T::Term>, lowest_bit: u32, offset: &T::Term) -> T::Term {
        let mut level = leaves;
        let n_levels = n_bits_for(level.len() as u32 - 1);
        for bit_idx in 0..n_levels {
            let bit = self.bit(offset, lowest_bit + bit_idx);
            let mut merged = Vec::with_capacity(level.len().div_ceil(2));
            for pair in level.chunks(2) {
                merged.push(match pair {
                    [even, odd] => self.ite(&bit, odd, even),
                    single => single[0].clone(),
                });
            }
            level = merged;
        }
        level.swap_remove(0)
    }

    /// A fresh variable for the value of a load that leaves the encoded part.
    pub(crate) fn outside(&mut self, width: u32) -> T::Term {
        self.n_outside += 1;
        self.terms.variable(width, Variable::Outside(self.n_outside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progression(first: u64, last: u64, stride_log2: u32) -> Progression {
        Progression { first, last, stride_log2 }
    }

    #[test]
    fn shapes_of_addresses() {
        let mut dag = Dag::new();
        let byte = dag.byte(0);
        let index = dag.zext(64, byte);
        let two = dag.constant(64, 2);
        let scaled = dag.binary(BinOp::Shl, index, two);
        let base = dag.constant(64, 0x1002);
        let addr = dag.binary(BinOp::Add, scaled, base);
        assert_eq!(Progression::of_address(&dag, addr), progression(0x1002, 0x13fe, 2));
        assert_eq!(Progression::of_address(&dag, scaled), progression(0, 0x3fc, 2));
        assert_eq!(Progression::of_address(&dag, base), progression(0x1002, 0x1002, 0));
        let high = dag.constant(56, 0x20);
        let joined = dag.concat(high, byte);
        assert_eq!(Progression::of_address(&dag, joined), progression(0x2000, 0x20ff, 0));
        let near_end = dag.constant(64, u128::from(u64::MAX - 3));
        let wrapping = dag.binary(BinOp::Add, scaled, near_end);
        assert_eq!(Progression::of_address(&dag, wrapping), progression(0, u64::MAX, 0));
    }

    #[test]
    fn cells_that_are_reached() {
        let mut dag = Dag::new();
        let cells: Vec<(u32, ExprId)> = (0..6).map(|offset| (offset, dag.byte(10 + offset))).collect();
        let table = dag.intern_table_bytes(u64::MAX - 1, vec![0; 6], cells.clone());
        let last = dag.constant(64, u128::from(u64::MAX));
        let reached: Vec<ExprId> = reachable_cells(&dag, table, last, 24).collect();
        assert_eq!(reached, [cells[1].1, cells[2].1, cells[3].1]);
        let bit = dag.byte(0);
        let bit = dag.extract(0, 1, bit);
        let addr = dag.zext(64, bit);
        let reached: Vec<ExprId> = reachable_cells(&dag, table, addr, 8).collect();
        assert_eq!(reached, [cells[2].1, cells[3].1]);
    }

    #[test]
    fn clipping_and_narrowing() {
        let all = progression(0x1002, 0x13fe, 2);
        assert_eq!(all.clip(0, u64::MAX), Some(all));
        assert_eq!(all.clip(0x1003, 0x100b), Some(progression(0x1006, 0x100a, 2)));
        assert_eq!(all.clip(0x1003, 0x1005), None);
        assert_eq!(all.clip(0x1400, 0x1500), None);
        assert_eq!(all.narrow(0x1100, 1000), all);
        assert_eq!(all.narrow(0x1002, 16), progression(0x1002, 0x103e, 2));
        assert_eq!(all.narrow(0x1102, 16), progression(0x10e2, 0x111e, 2));
        assert_eq!(all.narrow(u64::MAX, 16), progression(0x13c2, 0x13fe, 2));
        assert_eq!(progression(4, 12, 2).positions().collect::<Vec<u64>>(), [4, 8, 12]);
    }
}
