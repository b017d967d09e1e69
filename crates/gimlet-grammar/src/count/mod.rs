//! How many sentences and trees a grammar has, and all of them in order.
//!
//! [`sentences`] counts, enumerates and draws distinct sentences, as walks through the viable [`prefixes`];
//! [`derivations`] does the same with derivation trees, of which an ambiguous sentence has several.

pub mod derivations;
pub mod prefixes;
pub mod sentences;
