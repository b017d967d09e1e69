//! The search over inputs.
//!
//! ```text
//! schedule --Task::Run--> explorer: Target::run --> Trace --> PathCondition --> Walk --> schedule.ran
//!    ^                                                |
//!    |                                                +--> corpus (tests), findings (crashes), statistics
//!    +---- offer <-- new inputs <-- expand: solver <-- Task::Expand
//! ```
//!
//! In the order in which a search comes by:
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | what the user decides, as TOML |
//! | [`manifest`] | what a folder of results is for |
//! | [`search`] | a search as a library call: from a spec to an explorer |
//! | [`program`] | the program, its sources, and the language of its input |
//! | [`notes`] | what the user may want to know |
//! | [`explorer`] | the loop, and the owners of what it works with |
//! | [`schedule`] | who decides what is next: sources of work, and their shares of the time |
//! | [`strategy`] | what a strategy implies, and the order of its questions: depth first, strings, generational, random |
//! | [`run`] | an input on its way, what its run did, what all runs did |
//! | [`ask`] | from a run to new inputs, by the solver, by another length or another number |
//! | [`make`] | inputs that no question was asked for: mutants, samples, symbolic strings |
//! | [`findings`] | what is wrong with the program: told apart, confirmed, made smaller, suppressed |
//! | [`corpus`] | tests and findings, in the folder and in the store; fewer tests that do the same |
//! | [`team`] | several workers: what they ask, show and hand over to each other, and tests of other searches |
//! | [`time`] | what time is counted in, and the end of a search in time |
//! | [`work`] | what a search does at the moment |
#![forbid(unsafe_code)]

pub mod ask;
pub mod corpus;
pub mod error;
pub mod explorer;
pub mod findings;
pub mod make;
pub mod manifest;
pub mod notes;
pub mod program;
pub mod run;
pub mod schedule;
pub mod search;
pub mod spec;
pub mod strategy;
pub mod team;
pub mod time;
pub mod work;

pub use ask::lengths::Lengths;
pub use error::ExploreError;
pub use explorer::{Explorer, Settings};
pub use gimlet_store::StoreError;
