//! Whether a string of terminals is a sentence, and its derivation tree.
//!
//! [`parser`] makes a [`tree`]; [`recognise`] only says yes or no and has room for long strings, on the charts of Earley's
//! algorithm (`earley`). What a parser accepts that yacc makes of a grammar is another question: [`lalr`].

pub(crate) mod earley;
pub mod lalr;
pub mod parser;
pub mod recognise;
pub mod tree;
