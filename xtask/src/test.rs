//! `cargo xtask test`: everything, in the order in which failures are cheapest.

use std::time::Instant;

use anyhow::Result;

use crate::workspace::cargo;
use crate::{coverage, csmith, driver, explore, models, process, programs, tidy, workspace};

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    Whole,
    Quick,
}

/// Random programs in a whole test.
const CSMITH_PROGRAMS: usize = 10;
const VARIADIC_PROGRAMS: usize = 2;

/// Checks of every library model; `cargo xtask models` makes more.
const MODEL_CHECKS: usize = 1000;

/// Runs the parts; each is tried only if those before it passed.
pub fn test(extent: Extent) -> Result<bool> {
    let start = Instant::now();
    workspace::build_release()?;
    heading("tidy");
    if !tidy::tidy()? {
        return Ok(false);
    }
    heading("unit tests");
    process::run(&mut cargo(&["test", "--quiet", "--workspace"]))?;
    heading("compiler driver");
    if !driver::test(&[])? {
        return Ok(false);
    }
    heading("programs");
    if !programs::test(extent, &[])? {
        return Ok(false);
    }
    heading("coverage");
    if !coverage::test(&[])? {
        return Ok(false);
    }
    heading("models");
    if !models::test(&models::Options { n_checks: MODEL_CHECKS, names: Vec::new() })? {
        return Ok(false);
    }
    heading("exploration");
    for suite in [explore::Suite::Explore, explore::Suite::Memory] {
        if !explore::test(suite, &explore::Choice::Quick, None)? {
            return Ok(false);
        }
    }
    if extent == Extent::Whole {
        for part in csmith::Part::ALL {
            heading(&format!("csmith, {}", part.name()));
            let n_programs = if part == csmith::Part::Variadic { VARIADIC_PROGRAMS } else { CSMITH_PROGRAMS };
            let options = csmith::Options { n_programs: Some(n_programs), part };
            if !csmith::bench(&options)? {
                return Ok(false);
            }
        }
    }
    println!("\nall tests passed in {} s", start.elapsed().as_secs());
    Ok(true)
}

fn heading(title: &str) {
    println!("\n== {title}");
}
