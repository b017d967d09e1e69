//! A run of the program, as the search sees it.
//!
//! | module | holds |
//! |---|---|
//! | [`job`] | an input on its way to be run, and what it is expected to do |
//! | [`walk`] | what a run did, step by step |
//! | [`rounds`] | where a step stands among the loops around it |
//! | [`prediction`] | whether a run did what its input was made for |
//! | [`seen`] | what all runs did so far |
//! | [`directions`] | what is known of each direction of each branch |

pub(crate) mod directions;
pub mod job;
pub mod prediction;
mod rounds;
pub mod seen;
pub mod walk;
