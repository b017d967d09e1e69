//! Writes coverage for lcov.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::coverage::{by_file, Branches, OfFile};

/// The tracefile format of lcov. Lines are those that have a branch or begin a function; no other is known.
pub fn lcov(coverage: &Branches) -> String {
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
        for (number, direction) in branch.directions.iter().enumerate() {
            let taken = if is_reached { direction.hits.to_string() } else { "-".to_string() };
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
    use crate::coverage::tests::coverage;

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
