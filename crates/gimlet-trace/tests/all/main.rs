//! One executable for all tests from outside: each costs a compilation and a linkage.

mod round_trip;
mod worked_example;
