//! Bit-vector expressions over input bytes.
//!
//! A [`Dag`] owns hash-consed nodes: two structurally equal expressions have the same [`ExprId`].
//! Widths run from 1 to 128 bits and a value is a `u128` whose bits above the width are zero.
//! Booleans are bit-vectors of width 1.
//!
//! | module | holds |
//! |---|---|
//! | [`node`] | ids, operators, the shape of a node |
//! | [`table`] | snapshots of memory that a load at a symbolic address reads |
//! | [`dag`] | construction; every constructor checks widths and then simplifies |
//! | `simplify` | the local rewrite rules, by family |
//! | [`semantics`] | what an operator means, as pure functions on `u128` |
//! | [`eval`] | the value of an expression on an input |
//! | [`walk`] | reachable nodes, input bytes an expression depends on |
//! | [`display`] | infix text for people |
//! | [`recipe`] | random expressions from a byte string, for tests and fuzzers |
//!
//! The crate does no I/O, and nothing in it recurses over the depth of an expression: paths through
//! hashing loops give DAGs that are hundreds of thousands of nodes deep. Rewrite rules may recurse
//! only where each step makes the width smaller, which bounds the depth by 128.
#![forbid(unsafe_code)]

pub mod dag;
pub mod display;
pub mod eval;
mod intern;
pub mod node;
pub mod recipe;
pub mod semantics;
mod transplant;
pub use transplant::Cutting;
mod simplify;
pub mod table;
pub mod walk;

pub use dag::Dag;
pub use display::DisplayExpr;
pub use eval::Evaluator;
pub use node::{BinOp, Constant, ExprId, FunnelOp, Node, TableId, UnOp, WIDTH_MAX};
pub use table::{Cell, Table};
