//! The program and its language.
//!
//! | module | holds |
//! |---|---|
//! | [`subject`] | the program with its arguments, sources and builds |
//! | [`language`] | the language of its input |
//! | [`branches`] | its branches, as `gimlet-report` has them |
//! | [`pace`] | how long its runs take, and so how long one may |

pub mod branches;
pub mod language;
pub(crate) mod pace;
pub mod subject;
