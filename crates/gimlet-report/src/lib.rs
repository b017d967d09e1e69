//! What came of a search, and its writers.
//!
//! ```text
//! a running search ---+
//!                     +--> Known --> Results --> summary, status, text
//! its store and note -+
//! ```
//!
//! [`Results`] is plain data that nobody changes any more. A search that runs is asked for its values, a folder is read
//! ([`Known::read`]); both give a [`Known`], and what is added up of several workers is added up in one place. A writer
//! takes results and knows nothing else. What a search has counted is in its store as a [`Note`], as JSON.
//!
//! | module | holds |
//! |---|---|
//! | [`results`] | the results, and how they are made |
//! | [`note`] | what a search notes of itself while it runs |
//! | [`read`] | what the stores of a folder know |
//! | [`finding`], [`shown`] | what is wrong with the program, and the builds that showed it |
//! | [`maker`], [`queries`], [`effort`], [`parts`] | who made tests, what solvers were asked, who took how long, modules |
//! | [`directions`] | what is known of each direction of each branch, and why none took it |
//! | [`coverage`] | branches and functions as tests take them, for `gimlet cov` |
//! | [`summary`] | writes JSON for programs: `docs/summary.md` |
//! | [`status`] | writes `fuzzer_stats` and `plot_data` for AFL++'s tools |
//! | [`text`], [`unreached`] | write for people |
//! | [`lcov`] | writes coverage for lcov, and for people |
//! | [`figures`] | numbers and times as people read them |
//!
//! # A new writer
//!
//! A module with a function from [`Results`] to text, its `pub mod` and its row above. The command line calls writers: for a
//! folder in `stats.rs`, at the end of a search in `explore.rs`; what goes to a file goes through `outputs::write` there.
#![forbid(unsafe_code)]

pub mod coverage;
pub mod directions;
pub mod effort;
pub mod figures;
pub mod finding;
mod kind;
pub mod lcov;
pub mod maker;
pub mod note;
pub mod parts;
pub mod queries;
pub mod read;
pub mod results;
pub mod shown;
pub mod status;
pub mod summary;
pub mod text;
pub mod unreached;

pub use directions::KnownBranch;
pub use effort::Effort;
pub use finding::{Beginning, Finding, Frame};
pub use gimlet_trace::finding::Kind;
pub use maker::{Maker, TestCounts};
pub use note::Note;
pub use queries::{LayerFigures, Queries};
pub use results::{Known, Results, State};
pub use shown::{Build, ShownBy};
