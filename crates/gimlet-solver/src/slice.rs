//! Independent slices of a query.
//!
//! A path has thousands of constraints, most of them about other bytes than the one to be changed.
//! Only those matter that share input bytes with it, directly or through others; KLEE calls this the
//! independent solver. The rest can be left out because they are true on the hint and the hint's
//! bytes stay as they are. That relies on the hint satisfying all constraints but the last, so it
//! is checked: a constraint that is false on the hint belongs to the slice as the last one does.
//!
//! Cost: one evaluation of the path per hint and one walk for the support of each constraint per
//! DAG, both remembered; then linear in the sizes of the supports.

use std::rc::Rc;

use gimlet_expr::{Dag, Evaluator, ExprId};
use rustc_hash::FxHashMap;

use crate::query::Query;

/// The part of a query that has to be solved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    /// In the order of the query.
    pub constraints: Vec<ExprId>,
    /// The input bytes that they mention, ascending.
    pub support: Vec<u32>,
}

/// Slices queries and remembers what it learned about the constraints.
#[derive(Debug)]
pub struct Slicer {
    evaluator: Evaluator,
    supports: FxHashMap<ExprId, Rc<[u32]>>,
    /// The DAG that `supports` is about.
    dag_serial: Option<u64>,
}

impl Default for Slicer {
    fn default() -> Slicer {
        Slicer::new()
    }
}

impl Slicer {
    pub fn new() -> Slicer {
        Slicer { evaluator: Evaluator::new(&[]), supports: FxHashMap::default(), dag_serial: None }
    }

    /// The constraints that decide the query, given that the bytes of `hint` otherwise stay.
    pub fn slice(&mut self, dag: &Dag, query: &Query, hint: &[u8]) -> Slice {
        self.evaluator.set_input(hint);
        let constraints = &query.constraints;
        let supports: Vec<Rc<[u32]>> = constraints.iter().map(|&id| self.support(dag, id)).collect();
        let mut users: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (constraint_idx, support) in supports.iter().enumerate() {
            for &byte in support.iter() {
                users.entry(byte).or_default().push(constraint_idx);
            }
        }
        let mut is_taken: Vec<bool> = constraints.iter().map(|&id| !self.evaluator.holds(dag, id)).collect();
        if let Some(last) = is_taken.last_mut() {
            *last = true;
        }
        let mut pending: Vec<usize> = (0..constraints.len()).filter(|&idx| is_taken[idx]).collect();
        let mut support = Vec::new();
        while let Some(constraint_idx) = pending.pop() {
            for byte in supports[constraint_idx].iter() {
                // A byte leaves the map when it enters the slice, so that its users are seen once.
                let Some(neighbours) = users.remove(byte) else {
                    continue;
                };
                support.push(*byte);
                for neighbour in neighbours {
                    if !std::mem::replace(&mut is_taken[neighbour], true) {
                        pending.push(neighbour);
                    }
                }
            }
        }
        support.sort_unstable();
        let taken = constraints.iter().zip(is_taken).filter(|&(_, is_taken)| is_taken);
        Slice { constraints: taken.map(|(&id, _)| id).collect(), support }
    }

    /// The value of an expression on the hint of the latest slice.
    pub fn value_on_hint(&mut self, dag: &Dag, id: ExprId) -> u128 {
        self.evaluator.eval(dag, id)
    }

    fn support(&mut self, dag: &Dag, id: ExprId) -> Rc<[u32]> {
        if self.dag_serial != Some(dag.serial()) {
            self.dag_serial = Some(dag.serial());
            self.supports.clear();
        }
        let support = self.supports.entry(id).or_insert_with(|| dag.support(id).into());
        Rc::clone(support)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::BinOp;

    /// Constraints `b0 == b1`, `b1 == b2`, `b3 == b4`, `b5 == 0` in this order, one of them last.
    fn check(last: usize, hint: &[u8], expected_support: &[u32]) {
        let mut dag = Dag::new();
        let bytes: Vec<ExprId> = (0..6).map(|index| dag.byte(index)).collect();
        let zero = dag.constant(8, 0);
        let mut constraints: Vec<ExprId> = [(0, 1), (1, 2), (3, 4)]
            .into_iter()
            .map(|(a, b): (usize, usize)| dag.binary(BinOp::Eq, bytes[a], bytes[b]))
            .collect();
        constraints.push(dag.binary(BinOp::Eq, bytes[5], zero));
        let last = constraints.remove(last);
        constraints.push(last);
        let slice = Slicer::new().slice(&dag, &Query::new(constraints), hint);
        assert_eq!(slice.support, expected_support);
    }

    #[test]
    fn shared_bytes_are_followed() {
        check(0, &[0; 6], &[0, 1, 2]);
        check(2, &[0; 6], &[3, 4]);
        check(3, &[0; 6], &[5]);
    }

    #[test]
    fn what_the_hint_violates_is_taken() {
        check(3, &[0, 0, 9, 0, 0, 0], &[0, 1, 2, 5]);
        check(3, &[0, 0, 0, 1, 0, 0], &[3, 4, 5]);
    }

    #[test]
    fn the_empty_query_has_an_empty_slice() {
        let slice = Slicer::new().slice(&Dag::new(), &Query::default(), &[1]);
        assert_eq!(slice, Slice { constraints: Vec::new(), support: Vec::new() });
    }
}
