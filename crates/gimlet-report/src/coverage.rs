//! Branches and functions of a program, direction by direction, and what tests take of them, for people.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// A branch or switch of the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Branch {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    pub directions: Vec<Direction>,
}

/// One of the ways out of a branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Direction {
    /// `true`, `false`, `case 40`, `default`.
    pub name: String,
    /// How often it was taken; at least so often.
    pub hits: u64,
}

impl Branch {
    /// How often it was come to.
    pub fn visits(&self) -> u64 {
        self.directions.iter().fold(0, |sum, direction| sum.saturating_add(direction.hits))
    }
}

/// A function of the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub hits: u64,
}

/// All of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Branches {
    pub branches: Vec<Branch>,
    pub functions: Vec<Function>,
}

/// What is known of one file.
#[derive(Default)]
pub(crate) struct OfFile<'a> {
    /// By line and column.
    pub branches: Vec<&'a Branch>,
    pub functions: Vec<&'a Function>,
}

impl OfFile<'_> {
    pub fn n_covered(&self) -> usize {
        self.branches.iter().flat_map(|branch| &branch.directions).filter(|direction| direction.hits > 0).count()
    }

    pub fn n_directions(&self) -> usize {
        self.branches.iter().map(|branch| branch.directions.len()).sum()
    }

    pub fn n_called(&self) -> usize {
        self.functions.iter().filter(|function| function.hits > 0).count()
    }
}

pub(crate) fn by_file(coverage: &Branches) -> BTreeMap<&str, OfFile<'_>> {
    let mut files: BTreeMap<&str, OfFile> = BTreeMap::new();
    for function in &coverage.functions {
        files.entry(&function.file).or_default().functions.push(function);
    }
    for branch in &coverage.branches {
        files.entry(&branch.file).or_default().branches.push(branch);
    }
    for file in files.values_mut() {
        file.branches.sort_by_key(|branch| (branch.line, branch.column));
        file.functions.sort_by_key(|function| (function.line, &function.name));
    }
    files
}

/// The share of a whole, in words.
fn share(covered: usize, total: usize) -> String {
    match total {
        0 => "none".to_string(),
        _ => format!("{covered} of {total} ({:.1} %)", 100.0 * covered as f64 / total as f64),
    }
}

/// Every branch with its directions, by file and line. `sources` has the lines of files that are at hand.
pub fn coverage_text(coverage: &Branches, sources: &HashMap<String, Vec<String>>) -> String {
    let mut out = String::new();
    let (mut n_covered, mut n_directions) = (0, 0);
    for (name, file) in by_file(coverage) {
        n_covered += file.n_covered();
        n_directions += file.n_directions();
        let name = if name.is_empty() { "(no file)" } else { name };
        let branches = share(file.n_covered(), file.n_directions());
        let functions = share(file.n_called(), file.functions.len());
        // Writing to a String can't fail, here and below.
        let _ = writeln!(out, "{name}: directions {branches}, functions {functions}");
        let lines = sources.get(name);
        let mut last_line = None;
        for branch in &file.branches {
            let text = lines.and_then(|lines| lines.get((branch.line as usize).checked_sub(1)?));
            if let Some(text) = text.filter(|_| last_line != Some(branch.line)) {
                let _ = writeln!(out, "{:>6} | {}", branch.line, text.trim_end());
            }
            last_line = Some(branch.line);
            let _ = writeln!(out, "  {}", branch_text(branch));
        }
        for function in file.functions.iter().filter(|function| function.hits == 0) {
            let _ = writeln!(out, "  {}: {} was never called", function.line, function.name);
        }
    }
    let _ = writeln!(out, "all: directions {}", share(n_covered, n_directions));
    out
}

fn branch_text(branch: &Branch) -> String {
    let place = format!("{}:{} {}", branch.line, branch.column, branch.function);
    if branch.visits() == 0 {
        return format!("{place}: never reached");
    }
    let direction = |Direction { name, hits }: &Direction| match hits {
        0 => format!("{name} never"),
        _ => format!("{name} {hits}"),
    };
    let directions: Vec<String> = branch.directions.iter().map(direction).collect();
    format!("{place}: {}", directions.join(", "))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn branch(line: u32, function: &str, directions: &[(&str, u64)]) -> Branch {
        let direction = |&(name, hits): &(&str, u64)| Direction { name: name.into(), hits };
        let directions = directions.iter().map(direction).collect();
        Branch { file: "a.c".into(), line, column: 5, function: function.into(), directions }
    }

    pub(crate) fn coverage() -> Branches {
        let function = |name: &str, line, hits| Function { name: name.into(), file: "a.c".into(), line, hits };
        let never = [("true", 0), ("false", 0)];
        Branches {
            branches: vec![
                branch(2, "f", &[("true", 3), ("false", 0)]),
                branch(11, "g", &[("case 40", 0), ("case 50", 2), ("default", 0)]),
                branch(12, "g", &never),
                branch(12, "g", &never),
            ],
            functions: vec![function("f", 1, 1), function("g", 10, 0)],
        }
    }

    #[test]
    fn text() {
        let lines: Vec<String> = (1..=12).map(|line| format!("line {line}")).collect();
        let sources = HashMap::from([("a.c".to_string(), lines)]);
        let expected = "\
a.c: directions 2 of 9 (22.2 %), functions 1 of 2 (50.0 %)
     2 | line 2
  2:5 f: true 3, false never
    11 | line 11
  11:5 g: case 40 never, case 50 2, default never
    12 | line 12
  12:5 g: never reached
  12:5 g: never reached
  10: g was never called
all: directions 2 of 9 (22.2 %)
";
        assert_eq!(coverage_text(&coverage(), &sources), expected);
        let bare = coverage_text(&coverage(), &HashMap::new());
        assert!(!bare.contains('|') && bare.contains("2:5 f: true 3"), "{bare}");
    }
}
