//! Query to answer.
//!
//! A [`Query`] is a list of conditions on input bytes that must all be true; a [`Solver`] answers
//! with a [`Model`], with `Unsat`, or with the reason why it does not know. No other crate names an
//! SMT solver. [`Chain`] is the solver to use: it asks several, cheapest first (see [`chain`]).
//! [`Z3Solver`] is Z3 alone.
//!
//! | module | holds |
//! |---|---|
//! | [`chain`], [`config`], [`stats`] | the layers in order, their switches and their figures |
//! | `path`, `question` | conditions of a path indexed by byte, and one question to it |
//! | `literal`, `support`, `fingerprint` | conditions taken apart; which bytes, which structure |
//! | `tape`, `lanes`, `byte_set`, `sweep` | evaluation on many values at once; exact search |
//! | `terms`, `lower`, `lookup` | operators that solvers lack in terms of those of SMT-LIB, for any backend |
//! | `cache`, [`log`] | what earlier queries tell; queries on disk |
//! | `sat` | circuits for CaDiCaL |
//! | [`z3_solver`], `z3_terms`, [`smtlib`] | backends: Z3, and text |
//! | [`mod@slice`] | slices of a single query, for Z3 alone |
//!
//! A model is evaluated on the whole query with `gimlet-expr`'s evaluator, which shares no code with
//! the layers. A model that fails is never returned.
#![forbid(unsafe_code)]

mod byte_set;
mod cache;
pub mod chain;
pub mod config;
mod fingerprint;
pub mod formula;
pub mod kill;
mod lanes;
mod literal;
pub mod log;
mod lookup;
mod lower;
mod path;
pub mod query;
mod question;
mod sat;
pub mod slice;
pub mod smtlib;
pub mod stats;
mod strides;
mod support;
mod sweep;
mod tape;
mod terms;
pub mod z3_solver;
mod z3_terms;

pub use chain::Chain;
pub use config::Config;
pub use fingerprint::Fingerprints;
pub use query::{Answer, Model, Query, Solver, UnknownReason};
pub use slice::Slicer;
pub use smtlib::to_smtlib;
pub use stats::{Layer, LayerStats, Stats};
pub use z3_solver::{Options, Z3Solver};
