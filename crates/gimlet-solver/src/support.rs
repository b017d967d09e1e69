//! The input bytes that expressions mention, for every node of a DAG.
//!
//! A condition late in a path may contain most of the DAG, so a walk for each condition would be
//! quadratic. Here each node is visited once: its support is the union of its operands', and
//! supports are interned, since neighbours share them. They are lists of runs: what a loop over the
//! input computes mentions one run of bytes, however long.

use std::ops::Range;

use gimlet_expr::{Dag, ExprId, Node, TableId};
use rustc_hash::FxHashMap;

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

    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    pub fn contains(&self, index: u32) -> bool {
        let n_before = self.runs.partition_point(|run| run.end <= index);
        self.runs.get(n_before).is_some_and(|run| run.contains(&index))
    }

    fn union(&self, other: &ByteRuns) -> ByteRuns {
        let mut all: Vec<Range<u32>> = self.runs.iter().chain(&other.runs).cloned().collect();
        all.sort_unstable_by_key(|run| run.start);
        let mut runs: Vec<Range<u32>> = Vec::with_capacity(all.len());
        for run in all {
            match runs.last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                _ => runs.push(run),
            }
        }
        ByteRuns { runs: runs.into() }
    }
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
}

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
        }
    }
}

impl Supports {
    /// The input bytes below `id`, symbolic cells of tables included.
    pub fn of(&mut self, dag: &Dag, id: ExprId) -> &ByteRuns {
        while self.of_node.len() <= id.index() {
            let next = dag.id(self.of_node.len());
            let support = self.compute(dag, dag.node(next));
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

    fn compute(&mut self, dag: &Dag, node: Node) -> SupportId {
        if let Node::Byte(index) = node {
            return self.intern(ByteRuns::single(index));
        }
        let mut support = NONE;
        for operand in node.operands() {
            support = self.union(support, self.of_node[operand.index()]);
        }
        match node {
            Node::Lookup { table, .. } => {
                let cells = self.of_table(dag, table);
                self.union(support, cells)
            }
            _ => support,
        }
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
    use gimlet_expr::recipe::{build, Limits};
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

    proptest! {
        #[test]
        fn agrees_with_the_walk(recipe in prop::collection::vec(any::<u8>(), 4..120)) {
            let mut dag = Dag::new();
            let exprs = build(&mut dag, Limits::default(), &recipe);
            let mut supports = Supports::default();
            for &expr in exprs.iter().rev() {
                prop_assert_eq!(supports.of(&dag, expr).iter().collect::<Vec<u32>>(), dag.support(expr));
            }
        }
    }
}
