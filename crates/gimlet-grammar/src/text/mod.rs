//! Texts of token strings: the way back from the parser's tokens to bytes that a scanner takes for them.
//!
//! [`writer`] finds what makes a scanner hand on exactly these tokens. [`unparser`] uses it for sentences, [`preserving`]
//! for sentences that keep what another input has, [`symbolic`] for grammars whose strings are [`template`]s with holes.

pub mod preserving;
pub mod symbolic;
pub mod template;
pub mod unparser;
pub mod writer;
