//! The search over inputs.
//!
//! ```text
//! schedule --Task::Run--> explorer: Target::run --> Trace --> PathCondition --> Walk --> schedule.ran
//!    ^                                                |
//!    |                                                +--> corpus (tests), findings (crashes), statistics
//!    +---- offer <-- new inputs <-- expand: solver <-- Task::Expand
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`search`] | a search as a library call: from a spec to an explorer |
//! | [`spec`] | what the user decides, as TOML |
//! | [`manifest`] | what a folder of results is for |
//! | [`subject`], [`language`] | the program with its sources, the language of its input |
//! | [`notes`] | what the user may want to know |
//! | [`explorer`] | the loop, and what is known of a search |
//! | [`schedule`] | who decides what is next: sources of work, and their shares of the time |
//! | [`strategy`] | what a strategy implies, and the order of its questions: depth first, strings, generational, random |
//! | [`strings`] | inputs of which only some bytes may change |
//! | [`job`] | an input on its way, and what it is expected to do |
//! | [`clock`] | the time of a search |
//! | [`walk`] | a run as strategies see it |
//! | [`seen`] | what runs have done so far |
//! | [`expand`], [`lengths`], [`numbers`] | from a run to new inputs, by the solver, by another length or another number |
//! | [`mutation`] | mutants, run at native speed |
//! | [`blackbox`] | inputs that are made without a look at the program |
//! | [`arrival`] | did a run do what it was made for? |
//! | [`findings`] | crashes and hangs, told apart |
//! | [`witness`], [`features`] | whether two inputs do the same |
//! | [`minimise`] | smaller inputs that do the same |
//! | [`distil`] | fewer inputs that do the same together |
//! | [`corpus`] | tests and findings, in the folder and in the store |
//! | [`folder`] | tests as files |
//! | [`journal`] | the thread that writes both |
//! | [`work`] | what a search does at the moment |
//! | [`record`] | what a folder of results says of its search |
//! | [`directions`] | what is known of each direction of each branch |
//! | [`branches`] | branches as `gimlet-report` has them |
//! | [`sync`] | tests of others |
//! | [`share`] | who asks what, where there are several workers |
//! | [`gifts`] | what they give each other |
//! | [`team`] | the workers |
#![forbid(unsafe_code)]

pub mod alarm;
pub mod arrival;
mod blackbox;
pub mod branches;
pub mod clock;
pub mod corpus;
mod directions;
pub mod distil;
pub mod error;
pub mod expand;
pub mod explorer;
mod features;
pub mod findings;
mod fit;
pub mod folder;
pub mod gifts;
pub mod job;
mod journal;
pub mod language;
pub mod lengths;
pub mod manifest;
pub mod minimise;
mod mutation;
pub mod notes;
mod numbers;
mod pace;
pub mod record;
mod rounds;
pub mod schedule;
pub mod search;
pub mod seen;
pub mod share;
pub mod spec;
pub mod strategy;
pub mod strings;
pub mod subject;
pub mod suppress;
mod sync;
pub mod team;
pub mod walk;
pub mod witness;
pub mod work;

pub use error::ExploreError;
pub use explorer::{Explorer, Settings};
pub use gimlet_store::StoreError;
pub use lengths::Lengths;
