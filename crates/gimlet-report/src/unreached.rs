//! Writes for people which directions of branches no run took, by file and function, and why.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::directions::{KnownBranch, Reason};
use crate::figures::{grouped, printable};
use crate::results::Results;

/// Widths of the columns.
const N_PLACE: usize = 9;
const N_NAME: usize = 10;

/// All that was not taken.
pub fn unreached(results: &Results) -> String {
    if results.branches.is_empty() {
        return "branches of the program are not known: an earlier version made this folder, or no run was made\n"
            .into();
    }
    let mut files: BTreeMap<&str, Vec<&KnownBranch>> = BTreeMap::new();
    results.branches.iter().for_each(|branch| files.entry(&branch.file).or_default().push(branch));
    let mut out = String::new();
    for (file, branches) in files {
        let name = if file.is_empty() { "(no file)" } else { file };
        // Writing to a String can't fail, here and below.
        let _ = writeln!(out, "{}: {} directions taken", printable(name), share(&branches));
        for (function, branches) in by_function(&branches) {
            write_function(&mut out, function, &branches);
        }
    }
    let all: Vec<&KnownBranch> = results.branches.iter().collect();
    let _ = writeln!(out, "all: {} directions taken", share(&all));
    if results.doubts.losses > 0 {
        let n = grouped(results.doubts.losses);
        let _ = writeln!(
            out,
            "{n} dependencies on the input were lost in all: a condition may hang on one of another line"
        );
    }
    out
}

fn share(branches: &[&KnownBranch]) -> String {
    let n_reached: usize = branches.iter().map(|branch| branch.n_reached()).sum();
    let n_all: usize = branches.iter().map(|branch| branch.directions.len()).sum();
    format!("{} of {}", grouped(n_reached as u64), grouped(n_all as u64))
}

/// Functions in the order of their first branches.
fn by_function<'a>(branches: &[&'a KnownBranch]) -> Vec<(&'a str, Vec<&'a KnownBranch>)> {
    let mut functions: Vec<(&str, Vec<&KnownBranch>)> = Vec::new();
    for branch in branches {
        match functions.iter_mut().find(|(name, _)| *name == branch.function) {
            Some((_, known)) => known.push(branch),
            None => functions.push((&branch.function, vec![branch])),
        }
    }
    functions
}

fn write_function(out: &mut String, function: &str, branches: &[&KnownBranch]) {
    let mut rows = Vec::new();
    for branch in branches {
        for direction in &branch.directions {
            rows.extend(branch.reason(direction).map(|reason| (branch, &direction.name, reason)));
        }
    }
    if rows.is_empty() {
        return;
    }
    let function = printable(function);
    if rows.len() > 1 && branches.iter().all(|branch| !branch.is_visited()) && rows.iter().all(is_never_visited) {
        let _ = writeln!(out, "  {function}: no run came to any of its branches ({} directions)", rows.len());
        return;
    }
    let _ = writeln!(out, "  {function}");
    for (branch, name, reason) in rows {
        let place = format!("{}:{}", branch.line, branch.column);
        let _ = writeln!(out, "    {place:<N_PLACE$} {name:<N_NAME$} {}", printable(&reason.to_string()));
    }
}

fn is_never_visited(row: &(&&KnownBranch, &String, Reason)) -> bool {
    row.2 == Reason::NeverVisited
}

#[cfg(test)]
mod tests {
    use gimlet_store::Verdict;

    use super::*;
    use crate::directions::tests::branch;

    #[test]
    fn text() {
        let mut results = Results { branches: vec![branch(2, "f", &["true", "false"])], ..Results::default() };
        results.branches.push(branch(3, "g", &["true", "false"]));
        results.branches.push(branch(12, "f", &["case 40", "default"]));
        let first = &mut results.branches[0];
        (first.is_symbolic, first.directions[0].is_reached) = (true, true);
        first.directions[1].asked.note(Verdict::Unsat, false);
        results.doubts.losses = 1234;
        let expected = "\
a.c: 1 of 6 directions taken
  f
    2:5       false      impossible on the path that asked (unsat)
    12:5      case 40    no run came to this branch
    12:5      default    no run came to this branch
  g: no run came to any of its branches (2 directions)
all: 1 of 6 directions taken
1,234 dependencies on the input were lost in all: a condition may hang on one of another line
";
        assert_eq!(unreached(&results), expected);
        assert!(unreached(&Results::default()).contains("are not known"));
    }
}
