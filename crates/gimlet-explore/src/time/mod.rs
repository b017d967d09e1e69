//! The time of a search.
//!
//! | module | holds |
//! |---|---|
//! | [`clock`] | what time is counted in |
//! | [`alarm`] | ends a search in time |

pub mod alarm;
pub mod clock;
