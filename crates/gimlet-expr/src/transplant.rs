//! Expressions that leave their DAG.

use rustc_hash::FxHashMap;

use crate::dag::Dag;
use crate::node::{ExprId, Node, TableId};
use crate::table::Cell;

/// An expression on its own, to be put into other DAGs.
#[derive(Debug)]
pub struct Cutting {
    dag: Dag,
    root: ExprId,
}

impl Dag {
    /// The expression with everything below it.
    pub fn cut(&self, root: ExprId) -> Cutting {
        let mut dag = Dag::new();
        let root = dag.copy_from(self, &[root], |_| None)[0];
        Cutting { dag, root }
    }

    /// The expression with bytes that are known in the place of some.
    pub fn with_bytes(&mut self, root: ExprId, known: impl Fn(u32) -> Option<u8>) -> ExprId {
        let Cutting { dag, root } = self.cut(root);
        self.copy_from(&dag, &[root], known)[0]
    }

    /// A DAG of its own for some expressions, with bytes that are known in the place of some.
    pub fn specialised(&self, roots: &[ExprId], known: impl Fn(u32) -> Option<u8>) -> (Dag, Vec<ExprId>) {
        let mut dag = Dag::new();
        let roots = dag.copy_from(self, roots, known);
        (dag, roots)
    }

    /// Puts a cutting into this DAG.
    pub fn graft(&mut self, cutting: &Cutting) -> ExprId {
        self.copy_from(&cutting.dag, &[cutting.root], |_| None)[0]
    }

    fn copy_from(&mut self, other: &Dag, roots: &[ExprId], known: impl Fn(u32) -> Option<u8>) -> Vec<ExprId> {
        let mut copies: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut tables: FxHashMap<TableId, TableId> = FxHashMap::default();
        for id in other.reachable(roots) {
            let of = |operand: ExprId| copies[&operand];
            let copy = match other.node(id) {
                Node::Const(constant) => self.constant(constant.width(), constant.value()),
                Node::Byte(index) => match known(index) {
                    Some(byte) => self.constant(8, byte.into()),
                    None => self.byte(index),
                },
                Node::Unary { op, arg } => self.unary(op, of(arg)),
                Node::Binary { op, lhs, rhs } => self.binary(op, of(lhs), of(rhs)),
                Node::ZExt { width, arg } => self.zext(width, of(arg)),
                Node::SExt { width, arg } => self.sext(width, of(arg)),
                Node::Extract { lo, width, arg } => self.extract(lo, width, of(arg)),
                Node::Concat { hi, lo } => self.concat(of(hi), of(lo)),
                Node::Ite { cond, then, other } => self.ite(of(cond), of(then), of(other)),
                Node::Funnel { op, hi, lo, amount } => self.funnel(op, of(hi), of(lo), of(amount)),
                Node::Lookup { table, addr, width } => {
                    let addr = of(addr);
                    let table = *tables.entry(table).or_insert_with(|| self.copy_table(other, table, &copies));
                    self.lookup(table, addr, width)
                }
            };
            copies.insert(id, copy);
        }
        roots.iter().map(|root| copies[root]).collect()
    }

    fn copy_table(&mut self, other: &Dag, table: TableId, copies: &FxHashMap<ExprId, ExprId>) -> TableId {
        let table = other.table(table);
        let cells = (0..table.len()).map(|offset| match table.cell(offset) {
            Some(Cell::Byte(byte)) => byte,
            _ => 0,
        });
        let symbolic = table.symbolic().iter().map(|&(offset, cell)| (offset, copies[&cell])).collect();
        self.intern_table_bytes(table.base(), cells.collect(), symbolic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinOp, Evaluator};

    #[test]
    fn cuttings_mean_the_same_elsewhere() {
        let mut dag = Dag::new();
        let (a, b) = (dag.byte(0), dag.byte(1));
        let table = dag.intern_table_bytes(0x10, vec![7, 0, 9], vec![(1, b)]);
        let index = dag.zext(64, a);
        let base = dag.constant(64, 0x10);
        let addr = dag.binary(BinOp::Add, index, base);
        let cell = dag.lookup(table, addr, 8);
        let sum = dag.binary(BinOp::Mul, cell, b);
        let cutting = dag.cut(sum);
        drop(dag);
        let mut other = Dag::new();
        other.constant(8, 1);
        let copy = other.graft(&cutting);
        for (input, value) in [([0, 3], 21), ([1, 3], 9), ([2, 3], 27), ([5, 3], 0)] {
            assert_eq!(Evaluator::new(&input).eval(&other, copy), value);
        }
        let again = other.graft(&cutting);
        assert_eq!(copy, again);
        let known = other.with_bytes(copy, |index| (index == 1).then_some(3));
        for (input, value) in [([0, 8], 21), ([1, 8], 9)] {
            assert_eq!(Evaluator::new(&input).eval(&other, known), value);
        }
    }
}
