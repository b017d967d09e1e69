//! `cargo xtask bench versus-afl`: Gimlet beside AFL++, by branches of the plain source over time.
//!
//! Both get one seed, one dictionary, one core and the same time, at the same time ([`campaign`]). Afterwards the tests
//! of each are run in the order in which they were found on a build for gcov, which neither of them had a hand in
//! ([`replay`]). The table says what each had covered when; below it is what only one of the two covered.
//!
//! Everything is kept in `versus/SUBJECT` in the target directory. A campaign or replay that was finished is not done
//! again unless that is asked for; one that was interrupted begins anew. bench/versus/README.md says what is fair about
//! the comparison.

mod campaign;
pub mod cese;
mod gcov;
mod replay;
mod report;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{ensure, Context, Result};

use crate::setup;
use crate::workspace::{self, root, target_dir};
pub use campaign::{cores, text};
use campaign::{Campaign, Tool};
use report::Comparison;

const PACKAGES: &[(&str, &str)] = &[
    ("afl++", "the other fuzzer"),
    ("bubblewrap", "programs run in a sandbox"),
    ("gcc", "gcov counts branches"),
    ("util-linux", "taskset gives each its core"),
];

/// A program, and what it is called with: `@@` stands for the input, which is standard input if there is none.
struct Subject {
    name: &'static str,
    args: &'static [&'static str],
    /// Ends the arguments with a file of data: `SUBJECT.data`.
    has_data: bool,
    /// Its own yacc and lex files, in its tree.
    grammar: [&'static str; 2],
}

const NO_GRAMMAR: [&str; 2] = [""; 2];
const TOOLS: [Tool; 2] = [Tool::Gimlet, Tool::Afl];

const SUBJECTS: [Subject; 8] = [
    Subject { name: "bc", args: &["-q"], has_data: false, grammar: NO_GRAMMAR },
    Subject { name: "jq", args: &["-f", "@@"], has_data: true, grammar: NO_GRAMMAR },
    Subject { name: "original-awk", args: &["-safe", "-f", "@@"], has_data: true, grammar: NO_GRAMMAR },
    Subject { name: "mujs", args: &["@@"], has_data: false, grammar: NO_GRAMMAR },
    Subject { name: "gawk", args: &["--sandbox", "-f", "@@"], has_data: true, grammar: NO_GRAMMAR },
    Subject { name: "libxml2", args: &["@@"], has_data: false, grammar: NO_GRAMMAR },
    Subject { name: "libyaml", args: &["@@"], has_data: false, grammar: NO_GRAMMAR },
    Subject { name: "sqlite3", args: &["-safe"], has_data: false, grammar: NO_GRAMMAR },
];

const TIME_SHORT: Duration = Duration::from_secs(3 * 60);

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Finished campaigns, too
    #[arg(long)]
    again: bool,
    /// For each tool
    #[arg(long = "minutes", value_name = "N", value_parser = minutes, default_value = "10")]
    time: Duration,
    /// 3 minutes
    #[arg(long, conflicts_with = "time")]
    short: bool,
    /// Campaigns of each, one after the other; the table has the median, and the spread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 1)]
    repeat: u32,
    /// Subjects [default: all]
    #[arg(value_parser = SUBJECTS.map(|subject| subject.name))]
    names: Vec<String>,
}

impl Options {
    fn time(&self) -> Duration {
        if self.short {
            TIME_SHORT
        } else {
            self.time
        }
    }
}

pub fn minutes(text: &str) -> Result<Duration> {
    let minutes: f64 = text.parse().with_context(|| format!("--minutes {text}"))?;
    let time = Duration::try_from_secs_f64((minutes * 60.0).round()).with_context(|| format!("--minutes {text}"))?;
    ensure!(time >= Duration::from_secs(1), "--minutes {text} is no time");
    Ok(time)
}

impl Subject {
    fn home(&self) -> PathBuf {
        home().join(self.name)
    }

    /// A file of bench/versus that belongs to it.
    fn file(&self, end: &str) -> PathBuf {
        folder().join(format!("{}.{end}", self.name))
    }

    fn args(&self) -> Vec<String> {
        let data = self.has_data.then(|| self.file("data").display().to_string());
        self.args.iter().map(|arg| arg.to_string()).chain(data).collect()
    }

    fn is_on_stdin(&self) -> bool {
        !self.args.contains(&"@@")
    }
}

/// Compares the two on each subject and prints the tables; false if a subject can't be compared.
pub fn bench(options: &Options) -> Result<bool> {
    workspace::build_for_tests()?;
    setup::install(PACKAGES)?;
    let is_chosen = |name: &str| options.names.is_empty() || options.names.iter().any(|chosen| chosen == name);
    let mut comparisons = Vec::new();
    let mut is_good = true;
    for subject in SUBJECTS.iter().filter(|subject| is_chosen(subject.name)) {
        println!("{}", subject.name);
        for number in 1..=options.repeat {
            let campaign = Campaign { subject, time: options.time(), number, tools: &TOOLS };
            match compare(&campaign, options.again) {
                Ok(comparison) => comparisons.push(comparison),
                Err(error) => {
                    println!("  FAILED  {error:#}");
                    is_good = false;
                }
            }
        }
    }
    println!("{}", report::all(&comparisons));
    Ok(is_good)
}

fn compare<'a>(campaign: &Campaign<'a>, again: bool) -> Result<Comparison<'a>> {
    if again {
        campaign.forget()?;
    }
    let records = campaign.run()?;
    let replays = replay::replay(campaign, &records)?;
    let comparison = Comparison::new(campaign, records, replays)?;
    let (text, path) = (comparison.text(), campaign.home().join("report.txt"));
    std::fs::write(&path, &text)?;
    println!("\n{text}\n  also in {}\n", path.display());
    Ok(comparison)
}

/// Where everything is kept.
fn home() -> PathBuf {
    target_dir().join("versus")
}

/// Seeds, dictionaries and compilers.
fn folder() -> PathBuf {
    root().join("bench/versus")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::options;

    #[test]
    fn options_are_read() {
        let asked = options::<Options>(&["bc", "--minutes", "0.5", "mujs"]).unwrap();
        let names = vec!["bc".to_owned(), "mujs".to_owned()];
        assert_eq!(asked, Options { again: false, time: Duration::from_secs(30), short: false, repeat: 1, names });
        assert_eq!(options::<Options>(&["--short", "--again"]).unwrap().time(), TIME_SHORT);
        for bad in [
            &["lua"][..],
            &["--repeat", "0"],
            &["--minutes"],
            &["--minutes", "-1"],
            &["--minutes", "0"],
            &["--minutes", "x"],
            &["-x"],
        ] {
            assert!(options::<Options>(bad).is_err(), "{bad:?}");
        }
    }
}
