//! `cargo xtask bench lengths`: length abstraction against inputs in which every byte is symbolic.
//!
//! The programs are the pairs of tests/memory and tests/lengths that say TEXT. Buffers of the former are small, so that
//! any search finds their bugs; here they are SCALE times as large, which is what real programs have. Each half is searched
//! twice for the same time at most, with the same strategy, the same seed and the same longest input: with stretches, and
//! without. The table says after how many seconds and paths the bug was found, and how many branches of the half without a
//! bug were taken. These are the columns of Tables 4.2 and 4.3 and of Figure 4.8 of the dissertation.

use std::fmt;

use anyhow::{ensure, Result};
use clap::value_parser;

use crate::explore::{self, Program, Summary};
use crate::workspace;

/// Bytes of the longest input.
const MAX_LEN: &str = "4096";
/// So many times fewer paths, and faster.
const WANTED: f64 = 10.0;
/// A search has this time at least: what takes less is as good as nothing.
const SECONDS_LEAST: f64 = 0.05;

/// What is measured, and how.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Of each search, at most
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), default_value_t = 30)]
    seconds: u64,
    /// Of all searches
    #[arg(long, value_name = "S", default_value = "generational")]
    strategy: String,
    /// How many times larger the buffers of tests/memory are
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..), default_value_t = 32)]
    scale: u32,
    /// Programs whose names contain one of these [default: all]
    names: Vec<String>,
}

/// One program, with stretches and without.
struct Row {
    name: String,
    /// The half with the bug, and the other.
    bad: [Summary; 2],
    fixed: [Summary; 2],
    /// What a search had.
    seconds: u64,
}

/// How many times more the one is than the other.
struct Ratio {
    value: f64,
    /// The search was over before it found the bug, or had nothing left to try.
    is_least: bool,
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = format!("{}{:.1}", if self.is_least { ">" } else { "" }, self.value);
        f.pad(&text)
    }
}

impl Row {
    fn is_found(&self, which: usize) -> bool {
        !self.bad[which].findings.is_empty()
    }

    fn ratio(&self, of: impl Fn(&Summary, bool) -> f64) -> Ratio {
        let [with, without] = [0, 1].map(|which| of(&self.bad[which], self.is_found(which)));
        Ratio { value: without / with, is_least: !self.is_found(1) }
    }

    fn paths(&self) -> Ratio {
        self.ratio(|summary, _| summary.n_paths.max(1) as f64)
    }

    /// What is not found takes all of the time, also where nothing was left to try.
    fn time(&self) -> Ratio {
        self.ratio(|summary, is_found| if is_found { summary.seconds.max(SECONDS_LEAST) } else { self.seconds as f64 })
    }

    fn covers_less(&self) -> bool {
        self.fixed[0].branches_covered < self.fixed[1].branches_covered
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let found = |which: usize| match self.is_found(which) {
            true => format!("{:.2}", self.bad[which].seconds),
            false => "-".to_owned(),
        };
        let [with, without] = [&self.bad[0], &self.bad[1]];
        let covered = |which: usize| self.fixed[which].branches_covered;
        let ends = |which: usize| if self.fixed[which].is_finished { "*" } else { "" };
        write!(
            f,
            "{:28} {:>7} {:>7} {:>8}  {:>6} {:>6} {:>8}  {:>3}{:1}/{:>3}{:1} of {}",
            self.name,
            found(0),
            found(1),
            self.time(),
            with.n_paths,
            without.n_paths,
            self.paths(),
            covered(0),
            ends(0),
            covered(1),
            ends(1),
            self.fixed[0].branches_total,
        )
    }
}

/// Prints the table; false if a bug is missed, or a branch.
pub fn bench(options: &Options) -> Result<bool> {
    workspace::build_for_tests()?;
    let scratch = workspace::scratch("lengths")?;
    let pairs = explore::pairs_of_text(&options.names)?;
    ensure!(!pairs.is_empty(), "no program is meant by {:?}", options.names);
    let Options { seconds, strategy, scale, .. } = options;
    println!(
        "{strategy} search, {seconds} s at most, inputs of {MAX_LEN} bytes at most; tests/memory {scale} times larger"
    );
    println!("                              seconds to the bug         paths to the bug          branches, fixed");
    println!("                                 with without    times    with without    times   with/without");
    let mut rows = Vec::new();
    for (bad, fixed) in &pairs {
        let measure = |program: &Program, is_stretched: bool| {
            let own = if is_stretched { "with" } else { "without" };
            let mut args = vec!["--strategy", &options.strategy, "--max-len", MAX_LEN, "--seed", "1"];
            args.extend((!is_stretched).then_some("--no-stretches"));
            program.measure(&scratch.join(own), options.scale, &format!("{}s", options.seconds), &args)
        };
        let row = Row {
            name: bad.name().to_owned(),
            bad: [measure(bad, true)?, measure(bad, false)?],
            fixed: [measure(fixed, true)?, measure(fixed, false)?],
            seconds: options.seconds,
        };
        println!("{row}");
        rows.push(row);
    }
    let count = |is_it: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is_it(row)).count();
    let n_missed = count(&|row| !row.is_found(0));
    let n_less = count(&Row::covers_less);
    println!("* nothing was left to try");
    println!(
        "of {} programs: found with stretches {}, without {}",
        rows.len(),
        rows.len() - n_missed,
        count(&|row| row.is_found(1))
    );
    println!(
        "{WANTED} times fewer paths: {}; {WANTED} times faster: {}",
        count(&|row| row.paths().value >= WANTED),
        count(&|row| row.time().value >= WANTED)
    );
    println!("fewer branches with stretches: {n_less}");
    Ok(n_missed == 0 && n_less == 0)
}
