//! From a trace to the condition under which another input takes the same path.
//!
//! | module | holds |
//! |---|---|
//! | [`translate`] | expression records to a [`gimlet_expr::Dag`] |
//! | [`step`] | one part of a path condition, and what else could have happened there |
//! | [`condition`] | [`PathCondition`]: the steps of a run over one DAG |
//! | [`observation`] | what `gimlet_observe` saw |
//! | [`comparison`] | words that parts of the input were compared with |
//! | [`place`] | where in the source something happened |
//! | [`exact`] | oracle: does every record evaluate to what the run computed? |
//! | [`complete`] | oracle: does the path condition tell where another input goes? |
//! | [`observed`] | oracle: does it tell what another input computes? |
//! | [`arrival`] | did a run go where the flip of a step predicted? |
//!
//! The crate does no I/O.
#![forbid(unsafe_code)]

pub mod arrival;
pub mod comparison;
pub mod complete;
pub mod condition;
pub mod error;
pub mod exact;
pub mod observation;
pub mod observed;
pub mod place;
pub mod step;
pub mod translate;

pub use comparison::Comparison;
pub use condition::PathCondition;
pub use error::PathError;
pub use observation::Observation;
pub use place::Place;
pub use step::{Alternative, Direction, Step, StepKind};

#[cfg(test)]
mod sample;
