//! What sources of work took, and what they brought.

use serde::{Deserialize, Serialize};

/// What one source of work took and brought; as JSON `[name, seconds, runs, branches, tests]`.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(into = "Row")]
pub struct Effort {
    pub name: String,
    pub seconds: f64,
    pub n_runs: u64,
    /// Directions of branches that nobody took before.
    pub n_branches: u64,
    /// Tests that are new to mutation.
    pub n_tests: u64,
}

type Row = (String, f64, u64, u64, u64);

impl From<Effort> for Row {
    fn from(Effort { name, seconds, n_runs, n_branches, n_tests }: Effort) -> Row {
        (name, seconds, n_runs, n_branches, n_tests)
    }
}

/// In the order of notes of earlier versions, which have no names.
const UNNAMED: [&str; 2] = ["mutation", "symbolic"];

#[derive(Deserialize)]
#[serde(untagged)]
enum AnyRow {
    Named(Row),
    Unnamed((f64, u64, u64, u64)),
}

/// Reads rows with names or without.
pub(crate) fn rows<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Effort>, D::Error> {
    let rows = Vec::<AnyRow>::deserialize(deserializer)?;
    let effort = |(number, row): (usize, AnyRow)| {
        let (name, seconds, n_runs, n_branches, n_tests) = match row {
            AnyRow::Named(row) => row,
            AnyRow::Unnamed((seconds, n_runs, n_branches, n_tests)) => {
                (UNNAMED.get(number).copied().unwrap_or_default().to_owned(), seconds, n_runs, n_branches, n_tests)
            }
        };
        Effort { name, seconds, n_runs, n_branches, n_tests }
    };
    Ok(rows.into_iter().enumerate().map(effort).collect())
}

/// Adds what sources of the same names took and brought elsewhere.
pub(crate) fn add(mine: &mut Vec<Effort>, theirs: &[Effort]) {
    for other in theirs {
        match mine.iter_mut().find(|effort| effort.name == other.name) {
            Some(effort) => {
                effort.seconds += other.seconds;
                effort.n_runs += other.n_runs;
                effort.n_branches += other.n_branches;
                effort.n_tests += other.n_tests;
            }
            None => mine.push(other.clone()),
        }
    }
}
