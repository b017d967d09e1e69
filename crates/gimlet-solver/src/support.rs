//! The input bytes that expressions mention, for every node of a DAG.
//!
//! A condition late in a path may contain most of the DAG, so a walk for each condition would be
//! quadratic. Here each node is visited once: its support is the union of its operands', and
//! supports are interned, since neighbours share them. They are lists of runs: what a loop over the
//! input computes mentions one run of bytes, however long.
//!
//! Of a table with symbolic cells, only those count that a lookup can reach: an input buffer as a
//! whole mentions the whole input, but the character before this one or the one after are two cells.
//! If the address depends on one byte, all its values are computed; else its shape tells.

use std::ops::Range;
use std::rc::Rc;

use gimlet_expr::{Dag, ExprId, Node, TableId};
use rustc_hash::FxHashMap;

use crate::lanes::Lanes;
use crate::lookup::Progression;
use crate::tape::Tape;

/// Input bytes as ascending runs that don't touch.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ByteRuns {
    runs: Box<[Range<u32>]>,
}

impl ByteRuns {
    fn single(index: u32) -> ByteRuns {
        ByteRuns { runs: std::iter::once(index..index + 1).collect() }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().flat_map(|run| run.clone())
    }

    pub fn runs(&self) -> &[Range<u32>] {
        &self.runs
    }

    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    pub fn contains(&self, index: u32) -> bool {
        let n_before = self.runs.partition_point(|run| run.end <= index);
        self.runs.get(n_before).is_some_and(|run| run.contains(&index))
    }

    fn union(&self, other: &ByteRuns) -> ByteRuns {
        let (mut ours, mut others) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        let mut runs: Vec<Range<u32>> = Vec::with_capacity(self.runs.len() + other.runs.len());
        loop {
            let is_ours = match (ours.peek(), others.peek()) {
                (Some(our), Some(other)) => our.start <= other.start,
                (our, _) => our.is_some(),
            };
            let Some(run) = (if is_ours { ours.next() } else { others.next() }) else { break };
            match runs.last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                _ => runs.push(run.clone()),
            }
        }
        ByteRuns { runs: runs.into() }
    }
}

/// Input bytes as bits: what mentions thousands of them is compared with these a word at a time.
#[derive(Clone, Debug, Default)]
pub struct ByteBits {
    words: Vec<u64>,
}

impl ByteBits {
    pub fn insert(&mut self, byte: u32) {
        self.insert_run(&(byte..byte + 1));
    }

    pub fn insert_all(&mut self, bytes: &ByteRuns) {
        bytes.runs.iter().for_each(|run| self.insert_run(run));
    }

    fn insert_run(&mut self, run: &Range<u32>) {
        self.words.resize(self.words.len().max(run.end.div_ceil(u64::BITS) as usize), 0);
        words_of(run).for_each(|(number, mask)| self.words[number] |= mask);
    }

    pub fn contains(&self, byte: u32) -> bool {
        self.word((byte / u64::BITS) as usize) >> (byte % u64::BITS) & 1 == 1
    }

    /// The number of bytes that are not in here.
    pub fn n_outside(&self, bytes: &ByteRuns) -> usize {
        let outside = |(number, mask): (usize, u64)| (mask & !self.word(number)).count_ones() as usize;
        bytes.runs.iter().flat_map(words_of).map(outside).sum()
    }

    /// The bytes that are not in here, ascending.
    pub fn outside<'a>(&'a self, bytes: &'a ByteRuns) -> impl Iterator<Item = u32> + 'a {
        bytes.runs.iter().flat_map(words_of).flat_map(|(number, mask)| bits(number, mask & !self.word(number)))
    }

    /// What both have, ascending.
    pub fn common<'a>(&'a self, other: &'a ByteBits) -> impl Iterator<Item = u32> + 'a {
        self.words.iter().enumerate().flat_map(|(number, word)| bits(number, word & other.word(number)))
    }

    fn word(&self, number: usize) -> u64 {
        self.words.get(number).copied().unwrap_or(0)
    }
}

/// The words that the bits of a run are in, by number, with these bits.
fn words_of(run: &Range<u32>) -> impl Iterator<Item = (usize, u64)> + use<> {
    let Range { start, end } = *run;
    (start / u64::BITS..end.div_ceil(u64::BITS)).map(move |number| {
        let first = number * u64::BITS;
        let from = u64::MAX << start.saturating_sub(first);
        let to = u64::MAX >> (first + u64::BITS).saturating_sub(end);
        (number as usize, from & to)
    })
}

/// The bytes that a word stands for, ascending.
fn bits(number: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(number as u32 * u64::BITS + bit)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct SupportId(u32);

const NONE: SupportId = SupportId(0);

/// Supports of the nodes of one DAG, extended as the DAG grows.
#[derive(Debug)]
pub struct Supports {
    of_node: Vec<SupportId>,
    of_table: FxHashMap<TableId, SupportId>,
    all: Vec<ByteRuns>,
    index: FxHashMap<ByteRuns, SupportId>,
    unions: FxHashMap<(SupportId, SupportId), SupportId>,
    byte_exprs: FxHashMap<u32, ExprId>,
    /// Symbolic cells that a lookup can reach, where these are not all of its table.
    cells: FxHashMap<ExprId, Cells>,
    lanes: Lanes,
}

/// Symbolic cells of a table: offsets and expressions, by ascending offset.
type Cells = Rc<[(u32, ExprId)]>;

impl Default for Supports {
    fn default() -> Supports {
        let empty = ByteRuns::default();
        Supports {
            of_node: Vec::new(),
            of_table: FxHashMap::default(),
            all: vec![empty.clone()],
            index: [(empty, NONE)].into_iter().collect(),
            unions: FxHashMap::default(),
            byte_exprs: FxHashMap::default(),
            cells: FxHashMap::default(),
            lanes: Lanes::default(),
        }
    }
}

impl Supports {
    /// The input bytes below `id`, symbolic cells of tables included.
    pub fn of(&mut self, dag: &Dag, id: ExprId) -> &ByteRuns {
        while self.of_node.len() <= id.index() {
            let next = dag.id(self.of_node.len());
            let support = self.compute(dag, next);
            self.of_node.push(support);
            if let Node::Byte(index) = dag.node(next) {
                self.byte_exprs.insert(index, next);
            }
        }
        &self.all[self.of_node[id.index()].0 as usize]
    }

    /// The expression that is an input byte, if one was met.
    pub fn byte_expr(&self, index: u32) -> Option<ExprId> {
        self.byte_exprs.get(&index).copied()
    }

    /// The symbolic cells that a lookup can reach. It must have been met.
    pub fn cells<'a>(&'a self, dag: &'a Dag, lookup: ExprId) -> &'a [(u32, ExprId)] {
        match (self.cells.get(&lookup), dag.node(lookup)) {
            (Some(cells), _) => cells,
            (None, Node::Lookup { table, .. }) => dag.table(table).symbolic(),
            _ => &[],
        }
    }

    /// The operands of a node and the symbolic cells that it can reach. It must have been met.
    pub fn operands<'a>(&'a self, dag: &'a Dag, id: ExprId) -> impl Iterator<Item = ExprId> + 'a {
        dag.node(id).operands().chain(self.cells(dag, id).iter().map(|&(_, cell)| cell))
    }

    fn compute(&mut self, dag: &Dag, id: ExprId) -> SupportId {
        let node = dag.node(id);
        if let Node::Byte(index) = node {
            return self.intern(ByteRuns::single(index));
        }
        let mut support = NONE;
        for operand in node.operands() {
            support = self.union(support, self.of_node[operand.index()]);
        }
        let Node::Lookup { table, addr, width } = node else {
            return support;
        };
        let cells = match self.reachable_cells(dag, table, addr, width) {
            None => self.of_table(dag, table),
            Some(cells) => {
                let reached = cells.iter().fold(NONE, |all, &(_, cell)| self.union(all, self.of_node[cell.index()]));
                self.cells.insert(id, cells);
                reached
            }
        };
        self.union(support, cells)
    }

    /// `None` if the address may reach any cell.
    fn reachable_cells(&mut self, dag: &Dag, table: TableId, addr: ExprId, width: u32) -> Option<Cells> {
        let table = dag.table(table);
        if table.symbolic().is_empty() {
            return None;
        }
        let n_bytes = u64::from(width / 8);
        let is_read =
            |offset: u32, addr: u64| table.base().wrapping_add(u64::from(offset)).wrapping_sub(addr) < n_bytes;
        if let Some(addresses) = self.addresses(dag, addr) {
            let is_reached = |offset| addresses.iter().any(|&addr| is_read(offset, addr));
            return Some(table.symbolic().iter().copied().filter(|&(offset, _)| is_reached(offset)).collect());
        }
        let shape = Progression::of_address(dag, addr);
        let last = shape.last.checked_add(n_bytes)?;
        let is_reached = |offset: u32| (shape.first..last).contains(&table.base().wrapping_add(u64::from(offset)));
        let cells: Cells = table.symbolic().iter().copied().filter(|&(offset, _)| is_reached(offset)).collect();
        (cells.len() < table.symbolic().len()).then_some(cells)
    }

    /// All values of an address that depends on one byte.
    fn addresses(&mut self, dag: &Dag, addr: ExprId) -> Option<Vec<u64>> {
        if self.of(dag, addr).len() != 1 {
            return None;
        }
        let tape = Tape::compile(dag, self, addr)?;
        let scalars = tape.scalars(dag, |_| 0);
        let values: Vec<u8> = (0..=255).collect();
        self.lanes.run(dag, &tape, 0, &values, &scalars, &[]);
        if self.lanes.outside(tape.len() - 1) != [0; 4] {
            return None;
        }
        let mut addresses: Vec<u64> = (0..256).map(|lane| self.lanes.value(tape.len() - 1, lane) as u64).collect();
        addresses.sort_unstable();
        addresses.dedup();
        Some(addresses)
    }

    fn of_table(&mut self, dag: &Dag, table: TableId) -> SupportId {
        if let Some(&support) = self.of_table.get(&table) {
            return support;
        }
        let mut support = NONE;
        for &(_, cell) in dag.table(table).symbolic() {
            support = self.union(support, self.of_node[cell.index()]);
        }
        self.of_table.insert(table, support);
        support
    }

    fn union(&mut self, a: SupportId, b: SupportId) -> SupportId {
        if a == b || b == NONE {
            return a;
        }
        if a == NONE {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let union = self.all[a.0 as usize].union(&self.all[b.0 as usize]);
        let id = self.intern(union);
        self.unions.insert(key, id);
        id
    }

    fn intern(&mut self, runs: ByteRuns) -> SupportId {
        if let Some(&known) = self.index.get(&runs) {
            return known;
        }
        let id = SupportId(u32::try_from(self.all.len()).expect("fewer supports than nodes"));
        self.all.push(runs.clone());
        self.index.insert(runs, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_agree_with_runs() {
        let runs = |all: &[Range<u32>]| ByteRuns { runs: all.into() };
        let bytes = runs(&[0..1, 3..64, 65..66, 127..300]);
        let mut some = ByteBits::default();
        assert_eq!(some.n_outside(&bytes), bytes.len());
        assert!(some.outside(&bytes).eq(bytes.iter()));
        let inserted = [0, 63, 64, 65, 128, 191, 192, 299, 1000];
        inserted.into_iter().for_each(|byte| some.insert(byte));
        assert!((0..2000).all(|byte| some.contains(byte) == inserted.contains(&byte)));
        let outside: Vec<u32> = bytes.iter().filter(|byte| !inserted.contains(byte)).collect();
        assert!(some.outside(&bytes).eq(outside.iter().copied()));
        assert_eq!(some.n_outside(&bytes), outside.len());
        let mut all = ByteBits::default();
        all.insert_all(&bytes);
        assert!((0..2000).all(|byte| all.contains(byte) == bytes.contains(byte)));
        let common: Vec<u32> = inserted.into_iter().filter(|&byte| bytes.contains(byte)).collect();
        assert!(all.common(&some).eq(common.iter().copied()) && some.common(&all).eq(common));
    }
    use gimlet_expr::recipe::{build, Limits};
    use gimlet_expr::{BinOp, Evaluator};
    use proptest::prelude::*;

    #[test]
    fn runs() {
        let runs = |indices: &[u32]| {
            indices.iter().fold(ByteRuns::default(), |runs, &index| runs.union(&ByteRuns::single(index)))
        };
        let some = runs(&[7, 2, 3, 9, 1]);
        assert_eq!(*some.runs, [1..4, 7..8, 9..10]);
        assert_eq!(*some.union(&runs(&[8])).runs, [1..4, 7..10]);
        assert_eq!(some.iter().collect::<Vec<u32>>(), [1, 2, 3, 7, 9]);
        assert_eq!(some.len(), 5);
        let contained: Vec<u32> = (0..12).filter(|&index| some.contains(index)).collect();
        assert_eq!(contained, [1, 2, 3, 7, 9]);
    }

    #[test]
    fn only_reachable_cells_count() {
        let mut dag = Dag::new();
        let cells: Vec<ExprId> = (0..40).map(|index| dag.byte(index)).collect();
        let table = dag.intern_table(0x1000, &cells);
        let zero = dag.constant(8, 0);
        let is_end = dag.binary(BinOp::Eq, cells[7], zero);
        let step = dag.zext(64, is_end);
        let base = dag.constant(64, 0x1014);
        let addr = dag.binary(BinOp::Add, step, base);
        let one_byte = dag.lookup(table, addr, 8);
        let two_bytes = dag.lookup(table, addr, 16);
        let low = dag.concat(cells[1], cells[2]);
        let low = dag.extract(0, 2, low);
        let low = dag.zext(64, low);
        let near = dag.binary(BinOp::Add, low, base);
        let by_shape = dag.lookup(table, near, 8);
        let mut supports = Supports::default();
        let mut of = |id| supports.of(&dag, id).iter().collect::<Vec<u32>>();
        assert_eq!(of(one_byte), [7, 20, 21]);
        assert_eq!(of(two_bytes), [7, 20, 21, 22]);
        assert_eq!(of(by_shape), [2, 20, 21, 22, 23]);
    }

    proptest! {
        /// Supports are within what the walk finds, and no other byte changes the value.
        #[test]
        fn agrees_with_the_walk(
            recipe in prop::collection::vec(any::<u8>(), 4..120),
            inputs in prop::collection::vec(prop::collection::vec(any::<u8>(), 4), 2),
        ) {
            let mut dag = Dag::new();
            let exprs = build(&mut dag, Limits::default(), &recipe);
            let mut supports = Supports::default();
            for &expr in exprs.iter().rev() {
                let support = supports.of(&dag, expr);
                let walked = dag.support(expr);
                prop_assert!(support.iter().all(|byte| walked.contains(&byte)));
                let mixed: Vec<u8> = (0..4u32)
                    .map(|byte| inputs[usize::from(support.contains(byte))][byte as usize])
                    .collect();
                let value = |input: &[u8]| Evaluator::new(input).eval(&dag, expr);
                prop_assert_eq!(value(&mixed), value(&inputs[1]));
            }
        }
    }
}
