//! From a run to new inputs.
//!
//! | module | holds |
//! |---|---|
//! | [`expand`] | the same path up to a step, and another way from there: by the solver |
//! | [`lengths`] | the same input, longer or shorter |
//! | [`numbers`] | another number in place of one, where it needs more digits |

pub mod expand;
pub mod lengths;
mod numbers;
