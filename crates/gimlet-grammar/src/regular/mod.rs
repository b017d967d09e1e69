//! Regular languages of bytes.
//!
//! [`dfa`] has them as automata that can be counted, cut and combined, [`byte_set`] sets of single bytes; [`readability`]
//! says which of several bytes a person would rather read.

pub mod byte_set;
pub mod dfa;
pub mod readability;
