//! Inputs that no question was asked for.
//!
//! | module | holds |
//! |---|---|
//! | [`mutation`] | mutants of tests, run at native speed |
//! | [`blackbox`] | inputs that are made without a look at the program |
//! | [`strings`] | symbolic strings: inputs of which only some bytes may change |
//! | [`fit`] | whether the sentences of a grammar are what the program reads |

pub(crate) mod blackbox;
pub(crate) mod fit;
pub(crate) mod mutation;
pub mod strings;
