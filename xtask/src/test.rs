//! `cargo xtask test`: all suites in one queue, in the order in which failures are cheapest.
//!
//! The short test is for every change. What is slow and seldom finds what nothing else does is in
//! `--all`, each with a quicker relative in the short one: docs/internals/testing.md says which.

use std::time::Instant;

use anyhow::Result;

use crate::explore::{Choice, Folders, Searches};
use crate::programs::{Levels, Programs};
use crate::queue::{self, Suite};
use crate::workspace::cargo;
use crate::{coverage, csmith, driver, models, process, tidy, workspace};

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Path conditions at two -O levels, and no random programs.
    Quick,
    Short,
    All,
}

impl Extent {
    fn levels(self) -> Levels {
        match self {
            Extent::Quick => Levels::Two,
            Extent::Short => Levels::Short,
            Extent::All => Levels::All,
        }
    }

    /// Checks of every library model; `cargo xtask models` makes more.
    fn n_model_checks(self) -> usize {
        match self {
            Extent::Quick | Extent::Short => 1000,
            Extent::All => 2000,
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
            (Extent::Short, csmith::Part::Variadic) => 2,
            (Extent::Short, _) => 10,
            (Extent::All, csmith::Part::Variadic) => 5,
            (Extent::All, _) => 20,
        }
    }
}

/// Lints and unit tests, then what runs programs; each is tried only if what is before it passed.
pub fn test(extent: Extent) -> Result<bool> {
    let start = Instant::now();
    workspace::build_for_tests()?;
    heading("tidy", start);
    if !tidy::tidy()? {
        return Ok(false);
    }
    heading("unit tests", start);
    unit_tests()?;
    heading("programs", start);
    let is_good = run_suites(extent)?;
    if is_good {
        println!("\nall tests passed in {} s", start.elapsed().as_secs());
    }
    Ok(is_good)
}

/// Unit tests with their assertions, and the examples of the documentation; what is in folders `examples` is linted only.
fn unit_tests() -> Result<()> {
    process::run(&mut cargo(&["test", "--quiet", "--workspace", "--tests"]))?;
    process::run(&mut cargo(&["test", "--quiet", "--workspace", "--doc"]))
}

fn run_suites(extent: Extent) -> Result<bool> {
    let mut suites: Vec<Box<dyn Suite>> = vec![
        Box::new(driver::Scripts::new(&[])?),
        Box::new(Programs::new(extent.levels(), &[])?),
        Box::new(coverage::Compared::new(&[])?),
        Box::new(models::Models::new(models::Options { n_checks: extent.n_model_checks(), names: Vec::new() })?),
        Box::new(Searches::new(Folders::Explore, &extent.searches(), None)?),
        Box::new(Searches::new(Folders::Memory, &extent.searches(), None)?),
    ];
    for part in csmith::Part::ALL {
        let n_programs = extent.n_random(part);
        if n_programs > 0 {
            suites.push(Box::new(csmith::Few::new(part, n_programs)?));
        }
    }
    queue::run(&suites.iter().map(AsRef::as_ref).collect::<Vec<&dyn Suite>>())
}

fn heading(title: &str, start: Instant) {
    println!("\n== {title}, after {} s", start.elapsed().as_secs());
}
