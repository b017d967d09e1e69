//! Who runs the program: its builds, their limits, the pace of runs, and coverage counters.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gimlet_exec::coverage::Coverage;
use gimlet_exec::objects::Objects;
use gimlet_exec::{ExecError, Run, Target, TargetOptions};
use gimlet_store::InputId;
use gimlet_trace::site::SiteTable;
use gimlet_trace::Input;
use rustc_hash::FxHashSet;

use super::cover::Covered;
use super::uninitialised::Fills;
use super::Settings;
use crate::error::ExploreError;
use crate::program::pace::Pace;
use crate::run::walk::hash;

/// A program whose runs are traced. In tests of the search it is none that a compiler made.
pub trait Traced {
    fn program(&self) -> &Path;
    fn tables(&self) -> &[Arc<SiteTable>];
    /// Whether tokens are variables in the next run.
    fn set_tokens(&mut self, are_variable: bool);
    fn set_timeout(&mut self, limit: Duration);
    fn run(&mut self, input: &Input) -> Result<Run, ExecError>;
}

impl Traced for Target {
    fn program(&self) -> &Path {
        self.program()
    }

    fn tables(&self) -> &[Arc<SiteTable>] {
        self.tables()
    }

    fn set_tokens(&mut self, are_variable: bool) {
        self.set_tokens(are_variable);
    }

    fn set_timeout(&mut self, limit: Duration) {
        self.set_timeout(limit);
    }

    fn run(&mut self, input: &Input) -> Result<Run, ExecError> {
        self.run(input)
    }
}

/// The builds of the program.
pub struct Runner {
    /// The build whose runs are traced.
    pub(super) target: Box<dyn Traced>,
    /// The builds that count branches, and what they have counted.
    pub(super) covered: Option<Covered>,
    /// Branches where nobody counts them, once they were needed.
    pub(super) uncounted: Option<Coverage>,
    /// Calls that differ from run to run, once they were asked for.
    pub(super) unstable_calls: OnceCell<Vec<String>>,
    /// The memory build with what fresh memory may hold, once it was needed.
    pub(super) fills: Option<Fills>,
    /// Tells one build of the program from another.
    pub(super) build: u64,
    pub(super) args: Vec<OsString>,
    pub(super) options: TargetOptions,
    /// What the program loads.
    pub objects: Objects,
    /// Of traced runs.
    pub(super) pace: Pace,
    /// Of inputs that are made without a look at the program.
    pub(super) drawn_pace: Pace,
    /// What was spent to see whether runs keep their limits.
    pub(super) looking: Duration,
    /// Contents of inputs that met a limit where branches were counted: they are run only to be looked at.
    pub(super) looks: FxHashSet<InputId>,
}

impl Runner {
    pub fn new(
        program: &Path,
        args: &[OsString],
        options: TargetOptions,
        settings: &Settings,
    ) -> Result<Runner, ExploreError> {
        let target = Target::new(program, args, options.clone())?;
        Runner::of(Box::new(target), args, options, settings)
    }

    pub(super) fn of(
        target: Box<dyn Traced>,
        args: &[OsString],
        options: TargetOptions,
        settings: &Settings,
    ) -> Result<Runner, ExploreError> {
        Ok(Runner {
            covered: Covered::new(settings, args, &options, target.tables())?,
            uncounted: None,
            unstable_calls: OnceCell::new(),
            fills: None,
            build: build_of(&*target),
            args: args.to_vec(),
            objects: Objects::of(target.program()),
            pace: Pace::default(),
            drawn_pace: Pace::default(),
            looking: Duration::ZERO,
            looks: FxHashSet::default(),
            target,
            options,
        })
    }

    /// All that a run may take.
    pub(super) fn longest(&self) -> Duration {
        Duration::from_millis(self.options.limits.timeout_ms)
    }

    pub(super) fn is_interrupted(&self) -> bool {
        gimlet_exec::watch::is_interrupted(self.options.interrupt)
    }
}

/// Tells one build of a program from another.
fn build_of(target: &dyn Traced) -> u64 {
    // Tables of sites say where branches are, not what they compare.
    let tables: Vec<u64> = target.tables().iter().map(|table| table.build_id).collect();
    hash(&(tables, fs::read(target.program()).unwrap_or_default()))
}
