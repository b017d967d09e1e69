//! Query to answer.
//!
//! A [`Query`] is a list of conditions on input bytes that must all be true; a [`Solver`] answers
//! with a [`Model`], with `Unsat`, or with the reason why it does not know. No other crate names an
//! SMT solver.
//!
//! A query goes through these steps, put together in [`z3_solver`]:
//!
//! 1. [`mod@slice`]: drop the conditions that share no input byte with the one to be solved;
//! 2. `lower`: write operators that solvers lack (funnel shifts, overflow predicates, bit counts,
//!    lookups) in terms of the bit-vector operators of SMT-LIB, through the `Terms` of a
//!    backend;
//! 3. the backend: Z3 terms, or SMT-LIB text in [`smtlib`];
//! 4. validation: a model is evaluated on the whole query with `gimlet-expr`'s evaluator, which
//!    shares no code with steps 2 and 3. A model that fails is never returned.
#![forbid(unsafe_code)]

mod lookup;
mod lower;
pub mod query;
pub mod slice;
pub mod smtlib;
mod terms;
pub mod z3_solver;
mod z3_terms;

pub use query::{Answer, Model, Query, Solver, UnknownReason};
pub use slice::Slicer;
pub use smtlib::to_smtlib;
pub use z3_solver::{Options, Z3Solver};
