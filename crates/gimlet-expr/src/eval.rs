//! The value of an expression on an input.
//!
//! Values are memoised in a vector indexed by [`ExprId`]. Each entry carries the generation in which
//! it was computed, so a new input costs one increment instead of a sweep. The walk keeps its own
//! stack; of an `Ite` only the arm that counts is visited, of a table only the cells that are read.

use crate::dag::Dag;
use crate::node::{ExprId, Node};
use crate::semantics;
use crate::table::Cell;

/// Evaluates expressions of one DAG on one input at a time.
///
/// Invariant: `values[i]` is the value of node `i` of the DAG `dag_serial` on `input` exactly if
/// `stamps[i] == generation`. Generations start at 1, so a zero stamp is never current.
#[derive(Debug)]
pub struct Evaluator {
    input: Vec<u8>,
    values: Vec<u128>,
    stamps: Vec<u32>,
    generation: u32,
    dag_serial: Option<u64>,
    /// Whether a lookup among the current values had an address outside its table.
    has_read_outside: bool,
    /// Nodes under evaluation, kept to reuse the allocation.
    stack: Vec<ExprId>,
}

impl Evaluator {
    /// Input bytes beyond the end of `input` count as zero.
    pub fn new(input: &[u8]) -> Evaluator {
        Evaluator {
            input: input.to_vec(),
            values: Vec::new(),
            stamps: Vec::new(),
            generation: 1,
            dag_serial: None,
            has_read_outside: false,
            stack: Vec::new(),
        }
    }

    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// Moves on to another input. Keeps what is known if the input is the same.
    pub fn set_input(&mut self, input: &[u8]) {
        if self.input != input {
            self.input.clear();
            self.input.extend_from_slice(input);
            self.forget();
        }
    }

    /// Whether anything evaluated on this input looked up an address outside a table, where the value counts as zero.
    pub fn has_read_outside(&self) -> bool {
        self.has_read_outside
    }

    /// The value of `root`, masked to its width.
    pub fn eval(&mut self, dag: &Dag, root: ExprId) -> u128 {
        self.attach(dag);
        self.stack.push(root);
        while let Some(&id) = self.stack.last() {
            if self.known(id).is_some() {
                self.stack.pop();
                continue;
            }
            let depth = self.stack.len();
            self.push_missing(dag, dag.node(id));
            if self.stack.len() == depth {
                self.values[id.index()] = self.compute(dag, id);
                self.has_read_outside |= self.is_outside(dag, id);
                self.stamps[id.index()] = self.generation;
                self.stack.pop();
            }
        }
        self.values[root.index()]
    }

    /// What a value comes from on this input: each choice is replaced by what was chosen, and casts are left out.
    pub fn settle(&mut self, dag: &Dag, mut root: ExprId) -> ExprId {
        loop {
            root = match dag.node(root) {
                Node::Ite { cond, then, .. } if self.holds(dag, cond) => then,
                Node::Ite { other, .. } => other,
                Node::Extract { arg, .. } | Node::ZExt { arg, .. } | Node::SExt { arg, .. } => arg,
                _ => return root,
            };
        }
    }

    /// Whether an expression of width 1 is true.
    pub fn holds(&mut self, dag: &Dag, condition: ExprId) -> bool {
        debug_assert_eq!(dag.width(condition), 1);
        self.eval(dag, condition) == 1
    }

    fn attach(&mut self, dag: &Dag) {
        if self.dag_serial != Some(dag.serial()) {
            self.dag_serial = Some(dag.serial());
            self.forget();
        }
        if self.values.len() < dag.len() {
            self.values.resize(dag.len(), 0);
            self.stamps.resize(dag.len(), 0);
        }
    }

    fn forget(&mut self) {
        self.has_read_outside = false;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.stamps.fill(0);
            self.generation = 1;
        }
    }

    fn known(&self, id: ExprId) -> Option<u128> {
        (self.stamps[id.index()] == self.generation).then(|| self.values[id.index()])
    }

    fn push_if_missing(&mut self, id: ExprId) {
        if self.known(id).is_none() {
            self.stack.push(id);
        }
    }

    /// Puts on the stack what the node still needs before it can be computed.
    fn push_missing(&mut self, dag: &Dag, node: Node) {
        match node {
            Node::Ite { cond, then, other } => match self.known(cond) {
                None => self.stack.push(cond),
                Some(1) => self.push_if_missing(then),
                Some(_) => self.push_if_missing(other),
            },
            Node::Lookup { table, addr, width } => match self.known(addr) {
                None => self.stack.push(addr),
                Some(addr) => {
                    for cell in dag.table(table).load(addr as u64, width / 8) {
                        if let Cell::Expr(id) = cell {
                            self.push_if_missing(id);
                        }
                    }
                }
            },
            _ => node.operands().for_each(|id| self.push_if_missing(id)),
        }
    }

    /// Whether a node whose address is known is a lookup outside its table.
    fn is_outside(&self, dag: &Dag, id: ExprId) -> bool {
        match dag.node(id) {
            Node::Lookup { table, addr, width } => {
                !dag.table(table).contains(self.values[addr.index()] as u64, width / 8)
            }
            _ => false,
        }
    }

    /// The value of a node of which everything needed is known.
    fn compute(&self, dag: &Dag, id: ExprId) -> u128 {
        let value = |id: ExprId| self.values[id.index()];
        match dag.node(id) {
            Node::Const(constant) => constant.value(),
            Node::Byte(index) => u128::from(self.input.get(index as usize).copied().unwrap_or(0)),
            Node::Unary { op, arg } => semantics::unary(op, dag.width(arg), value(arg)),
            Node::Binary { op, lhs, rhs } => semantics::binary(op, dag.width(lhs), value(lhs), value(rhs)),
            Node::ZExt { arg, .. } => value(arg),
            Node::SExt { width, arg } => semantics::sext(dag.width(arg), width, value(arg)),
            Node::Extract { lo, width, arg } => semantics::extract(lo, width, value(arg)),
            Node::Concat { hi, lo } => semantics::concat(dag.width(lo), value(hi), value(lo)),
            Node::Ite { cond, then, other } => value(if value(cond) == 1 { then } else { other }),
            Node::Funnel { op, hi, lo, amount } => {
                semantics::funnel(op, dag.width(hi), value(hi), value(lo), value(amount))
            }
            Node::Lookup { table, addr, width } => {
                let cells = dag.table(table).load(value(addr) as u64, width / 8);
                cells.rev().fold(0, |word, cell| {
                    word << 8
                        | match cell {
                            Cell::Byte(byte) => u128::from(byte),
                            Cell::Expr(id) => value(id),
                        }
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::BinOp;

    #[test]
    fn a_new_input_or_dag_forgets_old_values() {
        let mut dag = Dag::new();
        let (a, b) = (dag.byte(0), dag.byte(1));
        let sum = dag.binary(BinOp::Add, a, b);
        let mut evaluator = Evaluator::new(&[200, 100]);
        assert_eq!(evaluator.eval(&dag, sum), 44);
        evaluator.set_input(&[1]);
        assert_eq!(evaluator.eval(&dag, sum), 1);
        let mut other = Dag::new();
        other.byte(0);
        let five = other.constant(8, 5);
        other.constant(8, 6);
        assert_eq!(five.index(), 1);
        assert_eq!(evaluator.eval(&other, five), 5);
    }

    #[test]
    fn generations_wrap() {
        let mut dag = Dag::new();
        let a = dag.byte(0);
        let mut evaluator = Evaluator::new(&[7]);
        assert_eq!(evaluator.eval(&dag, a), 7);
        evaluator.generation = u32::MAX;
        evaluator.set_input(&[9]);
        assert_eq!(evaluator.generation, 1);
        assert_eq!(evaluator.eval(&dag, a), 9);
    }

    #[test]
    fn lookup_reads_little_endian_and_zero_outside() {
        let mut dag = Dag::new();
        let symbolic = dag.byte(1);
        let table = dag.intern_table_bytes(0x1000, vec![1, 2, 0, 4], vec![(2, symbolic)]);
        let index = dag.byte(0);
        let index = dag.zext(64, index);
        let base = dag.constant(64, 0x1000);
        let addr = dag.binary(BinOp::Add, index, base);
        let word = dag.lookup(table, addr, 16);
        let mut evaluator = Evaluator::new(&[1, 0xAA]);
        assert_eq!(evaluator.eval(&dag, word), 0xAA02);
        assert!(!evaluator.has_read_outside());
        evaluator.set_input(&[3, 0xAA]);
        assert_eq!(evaluator.eval(&dag, word), 0x0004);
        assert!(evaluator.has_read_outside());
        evaluator.set_input(&[200, 0xAA]);
        assert_eq!(evaluator.eval(&dag, word), 0);
    }
}
