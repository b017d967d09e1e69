//! What is asked and what is answered.

use std::collections::BTreeMap;
use std::fmt;

use gimlet_expr::{Dag, ExprId};

/// Conditions (expressions of width 1) that must all be true. The last one is the condition that is
/// to be changed; the others come from the path that leads there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    pub constraints: Vec<ExprId>,
}

impl Query {
    pub fn new(constraints: Vec<ExprId>) -> Query {
        Query { constraints }
    }
}

/// Values for input bytes; only for bytes that the query mentions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    bytes: BTreeMap<u32, u8>,
}

impl Model {
    /// The value of an input byte, if the query mentions it.
    pub fn get(&self, index: u32) -> Option<u8> {
        self.bytes.get(&index).copied()
    }

    /// Gives an input byte a value.
    pub fn set(&mut self, index: u32, value: u8) {
        self.bytes.insert(index, value);
    }

    /// Leaves an input byte at its value on the hint.
    pub fn remove(&mut self, index: u32) {
        self.bytes.remove(&index);
    }

    /// Index and value of each byte, by ascending index.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.bytes.iter().map(|(&index, &value)| (index, value))
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The input `hint` with the values of the model in place; longer than `hint` if the model has
    /// bytes beyond its end, with zeros between.
    pub fn overlay(&self, hint: &[u8]) -> Vec<u8> {
        let mut input = hint.to_vec();
        for (index, value) in self.iter() {
            let index = index as usize;
            if index >= input.len() {
                input.resize(index + 1, 0);
            }
            input[index] = value;
        }
        input
    }
}

impl FromIterator<(u32, u8)> for Model {
    fn from_iter<I: IntoIterator<Item = (u32, u8)>>(bytes: I) -> Model {
        Model { bytes: bytes.into_iter().collect() }
    }
}

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// The deterministic limit on solver steps was reached.
    ResourceLimit,
    /// It takes more terms than a solver is given.
    TooLarge,
    /// The limit on time was reached.
    Timeout,
    /// There is no model in which every lookup stays inside the part of its table that was encoded,
    /// but there may be one outside.
    OutsideTable,
    /// The solver gave a model on which the evaluator finds the query false.
    ModelRejected,
    /// Anything else, in the words of the solver.
    Other(String),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::ResourceLimit => f.write_str("resource limit reached"),
            UnknownReason::TooLarge => f.write_str("too large"),
            UnknownReason::Timeout => f.write_str("timeout"),
            UnknownReason::OutsideTable => f.write_str("only possible outside the table of a lookup"),
            UnknownReason::ModelRejected => f.write_str("model rejected by the evaluator"),
            UnknownReason::Other(reason) => write!(f, "solver gave up: {reason}"),
        }
    }
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The input with the model in place makes every constraint true; checked by evaluation.
    Sat(Model),
    /// No input makes every constraint true, whatever memory holds outside the tables of lookups.
    Unsat,
    Unknown(UnknownReason),
}

/// Something that answers queries.
pub trait Solver {
    /// `hint` is the input of the path that the query comes from. Bytes that need not change keep
    /// their value there.
    fn solve(&mut self, dag: &Dag, query: &Query, hint: &[u8]) -> Answer;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlay_changes_and_extends() {
        let model: Model = [(1, 7), (4, 9)].into_iter().collect();
        assert_eq!(model.overlay(&[1, 2, 3]), [1, 7, 3, 0, 9]);
        assert_eq!(Model::default().overlay(&[1, 2]), [1, 2]);
        assert_eq!((model.get(4), model.get(0), model.len()), (Some(9), None, 2));
    }
}
