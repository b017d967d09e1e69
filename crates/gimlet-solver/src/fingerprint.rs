//! Structural hashes of expressions, the same in every DAG.
//!
//! What is learned on one path serves others: it is filed under 128-bit hashes of the expressions'
//! structure, tables and their symbolic cells included. A verdict rests on two different expressions
//! not having the same hash; at 128 bits, a billion expressions collide with probability 10^-21.

use gimlet_expr::{Dag, ExprId, Node, TableId};
use rustc_hash::FxHashMap;

/// Hash of an expression's structure.
pub type Fingerprint = u128;

const MULTIPLIER: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;

/// `hash` with another number mixed in.
pub fn mix(hash: Fingerprint, number: u128) -> Fingerprint {
    let product = (hash ^ number).wrapping_mul(MULTIPLIER);
    (product ^ (product >> 64)).rotate_left(29).wrapping_mul(MULTIPLIER)
}

/// Fingerprints of the nodes of one DAG, extended as the DAG grows.
#[derive(Debug, Default)]
pub struct Fingerprints {
    of_node: Vec<Fingerprint>,
    of_table: FxHashMap<TableId, Fingerprint>,
    /// What input bytes are called, where it is not by number.
    names: Vec<u32>,
}

impl Fingerprints {
    /// Input bytes have other names than their numbers, as far as the list goes.
    pub fn with_names(names: Vec<u32>) -> Fingerprints {
        Fingerprints { names, ..Fingerprints::default() }
    }

    pub fn of(&mut self, dag: &Dag, id: ExprId) -> Fingerprint {
        while self.of_node.len() <= id.index() {
            let next = dag.id(self.of_node.len());
            let fingerprint = self.compute(dag, dag.node(next));
            self.of_node.push(fingerprint);
        }
        self.of_node[id.index()]
    }

    fn compute(&mut self, dag: &Dag, node: Node) -> Fingerprint {
        let (tag, number) = match node {
            Node::Const(constant) => (1 << 16 | u128::from(constant.width()), constant.value()),
            Node::Byte(index) => (2 << 16, self.names.get(index as usize).copied().unwrap_or(index).into()),
            Node::Unary { op, .. } => (3 << 16, op as u128),
            Node::Binary { op, .. } => (4 << 16, op as u128),
            Node::ZExt { width, .. } => (5 << 16, u128::from(width)),
            Node::SExt { width, .. } => (6 << 16, u128::from(width)),
            Node::Extract { lo, width, .. } => (7 << 16 | u128::from(width), u128::from(lo)),
            Node::Concat { .. } => (8 << 16, 0),
            Node::Ite { .. } => (9 << 16, 0),
            Node::Funnel { op, .. } => (10 << 16, op as u128),
            Node::Lookup { table, width, .. } => (11 << 16 | u128::from(width), self.of_table(dag, table)),
        };
        let start = mix(mix(MULTIPLIER, tag), number);
        let of_operand = |operand: ExprId| self.of_node[operand.index()];
        match node {
            // The order of these operands depends on the DAG.
            Node::Binary { op, lhs, rhs } if op.is_commutative() => {
                let (lhs, rhs) = (of_operand(lhs), of_operand(rhs));
                mix(mix(start, lhs.min(rhs)), lhs.max(rhs))
            }
            _ => node.operands().fold(start, |hash, operand| mix(hash, of_operand(operand))),
        }
    }

    fn of_table(&mut self, dag: &Dag, id: TableId) -> Fingerprint {
        if let Some(&known) = self.of_table.get(&id) {
            return known;
        }
        let table = dag.table(id);
        let mut hash = mix(mix(MULTIPLIER, u128::from(table.base())), table.len() as u128);
        for chunk in table.bytes().chunks(16) {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            hash = mix(hash, u128::from_le_bytes(word));
        }
        for &(offset, cell) in table.symbolic() {
            hash = mix(mix(hash, u128::from(offset)), self.of_node[cell.index()]);
        }
        self.of_table.insert(id, hash);
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::recipe::{build, Limits};
    use gimlet_expr::Evaluator;
    use proptest::prelude::*;

    proptest! {
        /// The same expression in a DAG that holds others has the same fingerprint, and expressions
        /// with the same fingerprint have the same value.
        #[test]
        fn structure_decides(
            recipe in prop::collection::vec(any::<u8>(), 4..120),
            other in prop::collection::vec(any::<u8>(), 4..60),
            input in prop::collection::vec(any::<u8>(), 4),
        ) {
            let (mut first, mut second) = (Dag::unsimplified(), Dag::unsimplified());
            build(&mut second, Limits::default(), &other);
            let in_first = build(&mut first, Limits::default(), &recipe);
            let in_second = build(&mut second, Limits::default(), &recipe);
            let (mut of_first, mut of_second) = (Fingerprints::default(), Fingerprints::default());
            let mut seen: FxHashMap<Fingerprint, ExprId> = FxHashMap::default();
            for (&a, &b) in in_first.iter().zip(&in_second) {
                let fingerprint = of_first.of(&first, a);
                prop_assert_eq!(fingerprint, of_second.of(&second, b));
                let same = *seen.entry(fingerprint).or_insert(a);
                let mut evaluator = Evaluator::new(&input);
                prop_assert_eq!(evaluator.eval(&first, same), evaluator.eval(&first, a));
            }
        }
    }
}
