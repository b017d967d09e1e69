//! Changes of texts along a grammar.
//!
//! [`repair`] finds the few edits of tokens that make a sentence of a text, and makes texts smaller; [`rephrase`] puts single
//! phrases of a sentence in other words; [`subtree_mutation`] makes texts of parts of other texts.

pub mod repair;
pub mod rephrase;
pub mod subtree_mutation;
