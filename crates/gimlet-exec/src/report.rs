//! Coverage for people and for other tools.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::coverage::{Branch, Coverage, Function};

/// What is known of one file.
#[derive(Default)]
struct OfFile<'a> {
    /// By line and column.
    branches: Vec<&'a Branch>,
    functions: Vec<&'a Function>,
}

impl OfFile<'_> {
    fn n_covered(&self) -> usize {
        self.branches.iter().flat_map(|branch| &branch.hits).filter(|&&hits| hits > 0).count()
    }

    fn n_directions(&self) -> usize {
        self.branches.iter().map(|branch| branch.hits.len()).sum()
    }

    fn n_called(&self) -> usize {
        self.functions.iter().filter(|function| function.hits > 0).count()
    }
}

fn by_file(coverage: &Coverage) -> BTreeMap<&str, OfFile<'_>> {
    let mut files: BTreeMap<&str, OfFile> = BTreeMap::new();
    for function in coverage.functions() {
        files.entry(&function.file).or_default().functions.push(function);
    }
    for branch in coverage.branches() {
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
pub fn coverage_text(coverage: &Coverage, sources: &HashMap<String, Vec<String>>) -> String {
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
    let direction = |(direction, hits): (&crate::coverage::Direction, &u64)| match hits {
        0 => format!("{direction} never"),
        _ => format!("{direction} {hits}"),
    };
    let directions: Vec<String> = branch.directions.iter().zip(&branch.hits).map(direction).collect();
    format!("{place}: {}", directions.join(", "))
}

/// The tracefile format of lcov. Lines are those that have a branch or begin a function; no other is known.
pub fn lcov(coverage: &Coverage) -> String {
    let mut out = String::new();
    for (name, file) in by_file(coverage) {
        if !name.is_empty() {
            lcov_file(&mut out, name, &file);
        }
    }
    out
}

fn lcov_file(out: &mut String, name: &str, file: &OfFile) {
    // Writing to a String can't fail.
    let _ = writeln!(out, "TN:\nSF:{name}");
    for function in &file.functions {
        let _ = writeln!(out, "FN:{},{}", function.line, function.name);
    }
    for function in &file.functions {
        let _ = writeln!(out, "FNDA:{},{}", function.hits, function.name);
    }
    let _ = writeln!(out, "FNF:{}\nFNH:{}", file.functions.len(), file.n_called());
    for (block, branch) in file.branches.iter().enumerate() {
        let is_reached = branch.visits() > 0;
        for (number, hits) in branch.hits.iter().enumerate() {
            let taken = if is_reached { hits.to_string() } else { "-".to_string() };
            let _ = writeln!(out, "BRDA:{},{block},{number},{taken}", branch.line);
        }
    }
    let _ = writeln!(out, "BRF:{}\nBRH:{}", file.n_directions(), file.n_covered());
    let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
    let of_functions = file.functions.iter().map(|function| (function.line, function.hits));
    let of_branches = file.branches.iter().map(|branch| (branch.line, branch.visits()));
    for (line, hits) in of_functions.chain(of_branches).filter(|(line, _)| *line > 0) {
        let known = lines.entry(line).or_default();
        *known = hits.max(*known);
    }
    for (line, hits) in &lines {
        let _ = writeln!(out, "DA:{line},{hits}");
    }
    let n_hit = lines.values().filter(|&&hits| hits > 0).count();
    let _ = writeln!(out, "LF:{}\nLH:{n_hit}\nend_of_record", lines.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::tests::{counters, image};

    fn coverage() -> Coverage {
        let mut coverage = Coverage::new(&image());
        coverage.merge(&counters(&[(0, 1), (1, 3), (13, 2)]));
        coverage
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

    #[test]
    fn tracefile() {
        let expected = "\
TN:
SF:a.c
FN:1,f
FN:10,g
FNDA:1,f
FNDA:0,g
FNF:2
FNH:1
BRDA:2,0,0,3
BRDA:2,0,1,0
BRDA:11,1,0,0
BRDA:11,1,1,2
BRDA:11,1,2,0
BRDA:12,2,0,-
BRDA:12,2,1,-
BRDA:12,3,0,-
BRDA:12,3,1,-
BRF:9
BRH:2
DA:1,1
DA:2,3
DA:10,0
DA:11,2
DA:12,0
LF:5
LH:3
end_of_record
";
        assert_eq!(lcov(&coverage()), expected);
    }
}
