//! Query to answer.
//!
//! A [`Query`] is a list of conditions on input bytes that must all be true; a [`Solver`] answers
//! with a [`Model`], with `Unsat`, or with the reason why it does not know. No other crate names an
//! SMT solver. [`Chain`] is the solver to use: it asks several, cheapest first (see `layers`).
//! [`Z3Solver`] is Z3 alone.
//!
//! | module | holds |
//! |---|---|
//! | [`chain`], [`config`], [`stats`] | paths and questions to them; switches of layers and their figures |
//! | `layers` | the layers: one list, and one file for each |
//! | `context` | what they share: path, limits, evaluation of models |
//! | `path`, `components`, `question` | conditions of a path indexed by byte, what they connect, and one question to it |
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
//!
//! # A new layer
//!
//! 1. `layers/NAME.rs`: a type that implements `Procedure`. Its method `ask` is handed the [`dag`](gimlet_expr::Dag), the
//!    `Context` (path, configuration, time that is left) and the `Question`, and returns an answer, or `None` where the
//!    question is not for it. What it keeps from question to question is in its fields; `end_path` empties those that
//!    hold on one path only, and `learn` hears answers of layers behind it.
//! 2. `layers.rs`: `mod NAME`, a variant of [`Layer`] at the end (stores hold its number) with its name and its place in
//!    `Layer::ALL`, and its line in `assemble`, where it is to be asked. Behind `Slice` the question has its slice; a layer in
//!    front of it sees the whole path, and is asked before the slice is computed.
//! 3. Its name in `docs/summary.md`.
//!
//! What holds whatever the path is, like `x == x`, never comes to a layer: `gimlet-expr` has simplified it. On one path
//! conditions are only added, so what was `Unsat` stays so until `end_path`.
//!
//! The chain counts, times and logs it, evaluates its models, and every figure of layers shows it; [`Config::only`]
//! switches on it alone, which `COMBINATIONS` in `tests/all/chain.rs` does to compare it with all inputs and with Z3.
#![forbid(unsafe_code)]

mod byte_set;
mod cache;
pub mod chain;
mod components;
pub mod config;
mod context;
mod fingerprint;
pub mod formula;
pub mod kill;
mod lanes;
mod layers;
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
pub use layers::Layer;
pub use query::{Answer, Model, Query, Solver, UnknownReason};
pub use slice::Slicer;
pub use smtlib::to_smtlib;
pub use stats::{LayerStats, Stats};
pub use z3_solver::{Options, Z3Solver};
