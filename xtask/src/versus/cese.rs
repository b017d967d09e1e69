//! `cargo xtask bench cese`: what the grammar of a program's input is worth, by branches of the plain source over time.
//!
//! Symbolic strings of the program's own grammar, beside texts that are only enumerated, beside random inputs, beside the
//! default without and with the grammar, and beside AFL++ with a dictionary. Two run at a time, a core each; everything else
//! is as in [`super`], and campaigns of the same time are shared with it.

use std::time::Duration;

use anyhow::Result;

use super::campaign::{Campaign, Record, Tool};
use super::replay::{self, Replay};
use super::{minutes, Subject, PACKAGES};
use crate::setup;
use crate::workspace;

const TOOLS: [Tool; 6] = [Tool::Cese, Tool::Enumeration, Tool::Random, Tool::Gimlet, Tool::Grammar, Tool::Afl];

/// What the CESE paper has for them, in per cent of branches.
const IN_THE_PAPER: [(&str, u32); 2] = [("bc", 40), ("cuetools", 31)];

const SUBJECTS: [Subject; 2] = [
    Subject { name: "bc", args: &["-q"], has_data: false, grammar: ["bc/bc.y", "bc/scan.l"] },
    Subject {
        name: "cuetools",
        args: &["-i", "cue", "-o", "toc"],
        has_data: false,
        grammar: ["src/lib/cue_parse.y", "src/lib/cue_scan.l"],
    },
];

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Finished campaigns, too
    #[arg(long)]
    again: bool,
    /// For each tool
    #[arg(long = "minutes", value_name = "N", value_parser = minutes, default_value = "5")]
    time: Duration,
    /// Subjects [default: all]
    #[arg(value_parser = SUBJECTS.map(|subject| subject.name))]
    names: Vec<String>,
}

/// Runs all tools on each subject and prints the tables; false if a subject can't be compared.
pub fn bench(options: &Options) -> Result<bool> {
    workspace::build_for_tests()?;
    setup::install(PACKAGES)?;
    let is_chosen = |name: &str| options.names.is_empty() || options.names.iter().any(|chosen| chosen == name);
    let mut is_good = true;
    for subject in SUBJECTS.iter().filter(|subject| is_chosen(subject.name)) {
        println!("{}", subject.name);
        let campaign = Campaign { subject, time: options.time, number: 1, tools: &TOOLS };
        match compare(&campaign, options.again) {
            Ok(table) => println!("\n{table}"),
            Err(error) => {
                println!("  FAILED  {error:#}");
                is_good = false;
            }
        }
    }
    Ok(is_good)
}

fn compare(campaign: &Campaign, again: bool) -> Result<String> {
    if again {
        campaign.forget()?;
    }
    let records = campaign.run()?;
    let replays = replay::replay(campaign, &records)?;
    let table = table(campaign, &records, &replays);
    std::fs::write(campaign.home().join("cese.txt"), &table)?;
    Ok(table)
}

/// A row for each tool, a column for each point of time.
fn table(campaign: &Campaign, records: &[Record], replays: &[Replay]) -> String {
    let name = campaign.subject.name;
    let n_branches = replays.iter().map(|replay| replay.branches.len()).max().unwrap_or(0).max(1);
    let share = |n_covered: usize| 100.0 * n_covered as f64 / n_branches as f64;
    let mut table = format!("{name}: {n_branches} branches by gcov, per cent of them covered after so many seconds\n");
    let points = replays.first().map(|replay| replay.points.as_slice()).unwrap_or_default();
    let seconds: String = points.iter().map(|(seconds, _)| format!("{seconds:>7}")).collect();
    table += &format!("{:<24}{seconds} executions   tests\n", "");
    for (record, replay) in records.iter().zip(replays) {
        let shares: String = replay.points.iter().map(|(_, covered)| format!("{:7.1}", share(*covered))).collect();
        table += &format!("{:<24}{shares} {:>10} {:>7}\n", record.tool.name(), record.n_executions, replay.n_tests);
    }
    for (_, per_cent) in IN_THE_PAPER.iter().filter(|(paper, _)| *paper == name) {
        table += &format!("{:<24}{per_cent:>7} (its own count, other versions and machines)\n", "cese in the paper");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::options;

    #[test]
    fn options_are_read() {
        let asked = options::<Options>(&["cuetools", "--minutes", "2", "--again"]).unwrap();
        let names = vec!["cuetools".to_owned()];
        assert_eq!(asked, Options { again: true, time: Duration::from_secs(120), names });
        for bad in [&["jq"][..], &["--minutes"], &["--short"]] {
            assert!(options::<Options>(bad).is_err(), "{bad:?}");
        }
    }
}
