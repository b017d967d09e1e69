//! Runs a target on an input and brings back what happened.
//!
//! A [`Target`] is an instrumented program with its arguments. It is started
//! once and stops in its runtime before `main`; from there it forks one child
//! for each [`Target::run`], which writes its expressions and events into shared
//! memory. When the child has ended, however it ended, the [`gimlet_trace::Trace`]
//! is copied out and checked. The uninstrumented twin runs with [`run_plain`].
//!
//! ```text
//! driver                                    target
//!   make shared memory, stdin, @@ file
//!   spawn  ------------------------------>  ld.so, constructors, runtime
//!   <------------------------------- HELLO  (serves from here on)
//!   write input, reset counters
//!   RUN  -------------------------------->  fork ---> child: main(), writes records
//!   <-------------------------- PID, STATUS           ends
//!   collect: copy, clamp, complete, validate
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`limits`] | how much a run may use, and the layout that follows from it |
//! | [`image`] | what the ELF file says about the instrumentation |
//! | [`memory`] | the shared memory as a file |
//! | [`files`] | what the target finds as stdin, stdout and stderr, and the files of its input |
//! | [`spawn`] | the process: session, address randomisation, limits, descriptors |
//! | [`confine`] | what the process may not do |
//! | [`process`] | its end |
//! | [`server`] | the fork server's client |
//! | [`orphans`] | processes that a run left behind |
//! | [`check`] | whether an input fits the program |
//! | [`collect`] | shared memory to trace |
//! | [`target`] | all of it together |
//! | [`plain`] | replay without a driver |
//! | [`locate`] | the same, and where it crashed |
//! | [`edges`] | runs of PROG.edges, which count |
//! | [`counters`] | where they count |
//! | [`coverage`] | which directions of which branches were taken |
//! | [`report`] | coverage as text and for other tools |
//! | [`lock`] | one process a folder |
//! | [`dependent`] | processes of ours that end with us |
//!
//! Nothing that a target does can harm the driver: whatever it writes is
//! clamped and validated, and its whole family of processes is killed when the
//! [`Target`] is dropped. That it does not harm the user is what [`Confinement`]
//! is for.

pub mod check;
pub mod collect;
pub mod confine;
pub mod cores;
pub mod counters;
pub mod coverage;
pub mod dependent;
mod divisor;
pub mod edges;
pub mod error;
pub mod files;
pub mod heap;
pub mod image;
mod lifeline;
pub mod limits;
pub mod locate;
pub mod lock;
pub mod memory;
pub mod objects;
pub mod orphans;
pub mod parts;
pub mod plain;
pub mod process;
pub mod server;
pub mod spawn;
pub mod target;
pub mod touched;
pub mod violation;
pub mod watch;

pub use confine::Confinement;
pub use coverage::Coverage;
pub use edges::{EdgesOutcome, EdgesRun, EdgesTarget};
pub use error::ExecError;
pub use files::{Captured, Output};
pub use limits::Limits;
pub use plain::{run_plain, PlainRun};
pub use target::{Run, Strings, Target, TargetOptions, World};
