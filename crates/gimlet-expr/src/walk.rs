//! Walks over the nodes below an expression.
//!
//! All of them follow operands and the symbolic cells of the tables that lookups read. The operands
//! of a node have smaller ids than the node, so the reachable ids in ascending order are a
//! topological order; translators use that instead of a recursive descent.

use rustc_hash::FxHashSet;

use crate::dag::Dag;
use crate::node::{ExprId, Node, TableId};

impl Dag {
    /// The expressions reachable from `roots`, each once, operands before their users.
    pub fn reachable(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut seen = Seen::up_to(roots.iter().copied().max());
        let mut seen_tables: FxHashSet<TableId> = FxHashSet::default();
        let mut stack: Vec<ExprId> = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            found.push(id);
            let node = self.node(id);
            stack.extend(node.operands());
            if let Node::Lookup { table, .. } = node
                && seen_tables.insert(table)
            {
                stack.extend(self.table(table).symbolic().iter().map(|&(_, cell)| cell));
            }
        }
        found.sort_unstable();
        found
    }

    /// Number of nodes reachable from the expression, itself included.
    pub fn size(&self, root: ExprId) -> usize {
        self.reachable(&[root]).len()
    }

    /// The indices of the input bytes that the expression mentions, ascending.
    pub fn support(&self, root: ExprId) -> Vec<u32> {
        let mut support: Vec<u32> = self
            .reachable(&[root])
            .into_iter()
            .filter_map(|id| match self.node(id) {
                Node::Byte(index) => Some(index),
                _ => None,
            })
            .collect();
        support.sort_unstable();
        support
    }
}

/// Set of ids as a bit vector: a walk over a large expression visits most ids below its root.
struct Seen {
    words: Vec<u64>,
}

impl Seen {
    fn up_to(max: Option<ExprId>) -> Seen {
        let n_words = max.map_or(0, |id| id.index() / 64 + 1);
        Seen { words: vec![0; n_words] }
    }

    /// Whether the id is new.
    fn insert(&mut self, id: ExprId) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::BinOp;

    #[test]
    fn support_goes_through_tables() {
        let mut dag = Dag::new();
        let (b9, b4, b2) = (dag.byte(9), dag.byte(4), dag.byte(2));
        let table = dag.intern_table_bytes(0, vec![0; 300], vec![(17, b9), (200, b4)]);
        let addr = dag.zext(64, b2);
        let cell = dag.lookup(table, addr, 8);
        let sum = dag.binary(BinOp::Mul, cell, b4);
        assert_eq!(dag.support(sum), [2, 4, 9]);
        assert_eq!(dag.size(sum), 6);
        let order = dag.reachable(&[sum]);
        assert!(order.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(order.last(), Some(&sum));
    }
}
