//! What sources of work took, and what they brought.

use serde::{Deserialize, Serialize};

/// What one source of work took and brought, and what waits there.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Effort {
    pub name: String,
    /// Mutation or symbolic execution.
    pub side: String,
    pub seconds: f64,
    #[serde(rename = "runs")]
    pub n_runs: u64,
    /// Directions of branches that nobody took before.
    #[serde(rename = "branches")]
    pub n_branches: u64,
    /// Tests that are new to mutation.
    #[serde(rename = "tests")]
    pub n_tests: u64,
    #[serde(rename = "waiting")]
    pub n_waiting: u64,
}

impl Effort {
    fn add(&mut self, other: &Effort) {
        self.seconds += other.seconds;
        self.n_runs += other.n_runs;
        self.n_branches += other.n_branches;
        self.n_tests += other.n_tests;
        self.n_waiting += other.n_waiting;
    }
}

/// Notes of earlier versions have one source for each side: with its name, or without, in this order.
const UNNAMED: [&str; 2] = ["mutation", "symbolic"];

#[derive(Deserialize)]
#[serde(untagged)]
enum AnyRow {
    Effort(Effort),
    Named((String, f64, u64, u64, u64)),
    Unnamed((f64, u64, u64, u64)),
}

/// Reads the sources of a note, of whatever version.
pub(crate) fn rows<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Effort>, D::Error> {
    let rows = Vec::<AnyRow>::deserialize(deserializer)?;
    let effort = |(number, row): (usize, AnyRow)| {
        let (name, seconds, n_runs, n_branches, n_tests) = match row {
            AnyRow::Effort(effort) => return effort,
            AnyRow::Named(row) => row,
            AnyRow::Unnamed((seconds, n_runs, n_branches, n_tests)) => {
                (UNNAMED.get(number).copied().unwrap_or_default().to_owned(), seconds, n_runs, n_branches, n_tests)
            }
        };
        Effort { side: name.clone(), name, seconds, n_runs, n_branches, n_tests, n_waiting: 0 }
    };
    Ok(rows.into_iter().enumerate().map(effort).collect())
}

/// Adds what sources of the same names took and brought elsewhere.
pub(crate) fn add(mine: &mut Vec<Effort>, theirs: &[Effort]) {
    for other in theirs {
        match mine.iter_mut().find(|effort| effort.name == other.name) {
            Some(effort) => effort.add(other),
            None => mine.push(other.clone()),
        }
    }
}

/// What the sources of one side took and brought together.
pub(crate) fn of_side(efforts: &[Effort], side: &str) -> Effort {
    let mut sum = Effort { name: side.to_owned(), side: side.to_owned(), ..Effort::default() };
    efforts.iter().filter(|effort| effort.side == side).for_each(|effort| sum.add(effort));
    sum
}

/// The sides that there are, in the order of their sources.
pub(crate) fn sides(efforts: &[Effort]) -> Vec<&str> {
    let mut sides: Vec<&str> = Vec::new();
    for effort in efforts {
        if !sides.contains(&effort.side.as_str()) {
            sides.push(&effort.side);
        }
    }
    sides
}
