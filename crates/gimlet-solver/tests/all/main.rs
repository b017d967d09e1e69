//! One executable for all tests from outside: each costs a compilation and a linkage.

mod answers;
mod brute_force;
mod chain;
