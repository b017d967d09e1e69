//! What a search knows, kept so that it can go on after anything: Ctrl-C, `kill -9`, a reboot.
//!
//! A [`Store`] holds the history of one search as a sequence of [`Change`]s: an input was made, it was run, it was kept as
//! a test, a question was asked. What belongs together is committed together, so that the store is at any time what the
//! search knew after some step of its own: a question has been asked *and* the inputs that came of it are there, or
//! neither is so. Whoever takes up the search repeats what came after that step, and nothing else.
//!
//! | module | holds |
//! |---|---|
//! | [`record`] | what is kept: inputs, questions, findings |
//! | [`sqlite`] | a store in a file |
//! | [`glance`] | a look into one that somebody else writes |
//!
//! The trait speaks of these things only, so that a store can be somewhere else as well.
#![forbid(unsafe_code)]

pub mod error;
pub mod glance;
pub mod record;
pub mod sqlite;

pub use error::StoreError;
pub use glance::Glance;
pub use record::{Aim, Change, Finding, History, InputId, Kept, Overview, Record, State, Verdict, TEAM};
pub use sqlite::SqliteStore;

/// Where the history of a search is kept.
pub trait Store: Send {
    /// What the search knew when it stopped.
    fn history(&mut self) -> Result<History, StoreError>;

    /// The same in a few figures.
    fn overview(&mut self) -> Result<Overview, StoreError>;

    /// How many inputs were ever made.
    fn n_inputs(&mut self) -> Result<u64, StoreError>;

    /// The input of a run, if that run was noted.
    fn run(&mut self, run: u64) -> Result<Option<Record>, StoreError>;

    /// For each question whether it has been asked, and what came of it.
    fn verdicts(&mut self, questions: &[u64]) -> Result<Vec<Option<Verdict>>, StoreError>;

    /// Adds to the history: all of it or, if there is an error, nothing.
    fn commit(&mut self, changes: &[Change]) -> Result<(), StoreError>;

    /// Another build of the program answers for nothing that the last one did: tests and inputs that wait stay, to be run
    /// from their beginning; all else is forgotten.
    fn forget_runs(&mut self, build: u64) -> Result<(), StoreError>;
}
