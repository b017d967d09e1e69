//! `cargo xtask test`: all suites in one queue, in the order in which failures are cheapest.
//!
//! The short test is for every change. What is slow and seldom finds what nothing else does is in
//! `--all`, each with a quicker relative in the short one: docs/internals/testing.md says which.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::explore::{Choice, Folders, Searches};
use crate::programs::{Levels, Programs};
use crate::queue::{self, Suite};
use crate::{coverage, csmith, driver, models, tidy, unit, workspace};

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The short test without random programs.
    Quick,
    Short,
    All,
}

impl Extent {
    fn levels(self) -> Levels {
        match self {
            Extent::Quick | Extent::Short => Levels::Short,
            Extent::All => Levels::All,
        }
    }

    /// Checks of every library model; `cargo xtask models` makes more.
    fn models(self) -> models::Options {
        match self {
            Extent::Quick | Extent::Short => models::Options { n_checks: 300, few_settings: true, names: Vec::new() },
            Extent::All => models::Options { n_checks: 2000, few_settings: false, names: Vec::new() },
        }
    }

    fn searches(self) -> Choice<'static> {
        match self {
            Extent::Quick | Extent::Short => Choice::Quick,
            Extent::All => Choice::All,
        }
    }

    /// Random programs of a part.
    fn n_random(self, part: csmith::Part) -> usize {
        match (self, part) {
            (Extent::Quick, _) => 0,
            (Extent::Short, csmith::Part::Variadic) => 1,
            (Extent::Short, _) => 2,
            (Extent::All, csmith::Part::Variadic) => 5,
            (Extent::All, _) => 20,
        }
    }
}

/// Lints, then all that runs, in one queue; each is tried only if what is before it passed.
pub fn test(extent: Extent) -> Result<bool> {
    let mut clock = Clock::new();
    workspace::build_for_tests()?;
    clock.lap("the build");
    if !tidy::tidy(tidy::Lints::WithUnitTests)? {
        return Ok(false);
    }
    clock.lap("checks of the source");
    let unit = unit::Tests::build(&[])?;
    clock.lap("compiling and linting unit tests");
    let is_good = run_suites(extent, unit)?;
    clock.lap("running tests");
    clock.show();
    if is_good {
        println!("all tests passed in {} s", clock.start.elapsed().as_secs());
    }
    Ok(is_good)
}

fn run_suites(extent: Extent, unit: unit::Tests) -> Result<bool> {
    let is_long = extent == Extent::All;
    let mut suites: Vec<Box<dyn Suite>> = vec![
        Box::new(unit),
        Box::new(driver::Scripts::of_test(is_long)?),
        Box::new(Programs::new(extent.levels(), &[])?),
        Box::new(coverage::Compared::of_test(is_long)?),
        Box::new(models::Models::new(extent.models())?),
    ];
    for part in csmith::Part::ALL {
        let n_programs = extent.n_random(part);
        if n_programs > 0 {
            suites.push(Box::new(csmith::Few::new(part, n_programs)?));
        }
    }
    // Jobs of a few seconds each: no core waits long for the last one.
    suites.push(Box::new(Searches::new(Folders::Explore, &extent.searches(), None)?));
    suites.push(Box::new(Searches::new(Folders::Memory, &extent.searches(), None)?));
    queue::run(&suites.iter().map(AsRef::as_ref).collect::<Vec<&dyn Suite>>())
}

/// Where the time goes.
struct Clock {
    start: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn new() -> Clock {
        Clock { start: Instant::now(), laps: Vec::new() }
    }

    /// This has taken the time since the last lap.
    fn lap(&mut self, what: &'static str) {
        let before: Duration = self.laps.iter().map(|(_, time)| *time).sum();
        let time = self.start.elapsed() - before;
        println!("\n== {what}: {} s\n", time.as_secs());
        self.laps.push((what, time));
    }

    fn show(&self) {
        self.laps.iter().for_each(|(what, time)| println!("{:6} s  {what}", time.as_secs()));
    }
}
