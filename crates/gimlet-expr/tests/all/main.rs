//! One executable for all tests from outside: each costs a compilation and a linkage.

mod depth;
mod display;
mod pairs;
mod semantics;
mod soundness;
