//! Branches as gcov's JSON has them.
//!
//! A branch is one outcome of a condition or one case of a `switch`, told by function, line and its number there. The
//! same code in several translation units (inline functions of headers) is one. Only files of the subject's tree count.
//! A scanner's or parser's code counts in the file that `#line` says: actions in the grammar, the rest in the generated
//! file, each once.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{json, Value};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Branch {
    /// Below the tree.
    pub file: String,
    pub function: String,
    pub line: u64,
    /// Among those of the line.
    pub index: usize,
}

/// All branches, and whether they were covered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Branches(BTreeMap<Branch, bool>);

impl Branches {
    /// Adds what gcov printed: one document for each translation unit. Files outside `tree` don't count.
    pub fn add(&mut self, text: &[u8], tree: &Path) -> Result<()> {
        for unit in serde_json::Deserializer::from_slice(text).into_iter::<Value>() {
            let unit = unit.context("gcov printed something else than JSON")?;
            let folder = unit["current_working_directory"].as_str().context("gcov names no folder")?;
            let files = unit["files"].as_array().context("gcov names no files")?;
            let nameless = nameless(files);
            for file in files {
                let name = file["file"].as_str().context("a file without a name")?;
                let path = lexically_normal(&Path::new(folder).join(name));
                if let Ok(path) = path.strip_prefix(tree) {
                    self.add_file(&path.display().to_string(), file, nameless)?;
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, name: &str, file: &Value, nameless: &str) -> Result<()> {
        for line in file["lines"].as_array().context("a file without lines")? {
            let number = line["line_number"].as_u64().context("a line without number")?;
            let function = line["function_name"].as_str().unwrap_or(nameless);
            for (index, branch) in line["branches"].as_array().into_iter().flatten().enumerate() {
                let count = branch["count"].as_u64().context("a branch without count")?;
                let branch = Branch { file: name.to_owned(), function: function.to_owned(), line: number, index };
                self.insert(branch, count > 0);
            }
        }
        Ok(())
    }

    fn insert(&mut self, branch: Branch, is_covered: bool) {
        *self.0.entry(branch).or_default() |= is_covered;
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Branch, bool)> {
        self.0.iter().map(|(branch, is_covered)| (branch, *is_covered))
    }

    pub fn is_covered(&self, branch: &Branch) -> bool {
        self.0.get(branch).copied().unwrap_or(false)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn n_covered(&self) -> usize {
        self.0.values().filter(|is_covered| **is_covered).count()
    }

    pub fn to_json(&self) -> Value {
        self.iter()
            .map(|(branch, is_covered)| json!([branch.file, branch.function, branch.line, branch.index, is_covered]))
            .collect()
    }

    pub fn from_json(json: &Value) -> Option<Branches> {
        let mut branches = Branches::default();
        for entry in json.as_array()? {
            let branch = Branch {
                file: entry[0].as_str()?.to_owned(),
                function: entry[1].as_str()?.to_owned(),
                line: entry[2].as_u64()?,
                index: usize::try_from(entry[3].as_u64()?).ok()?,
            };
            branches.insert(branch, entry[4].as_bool()?);
        }
        Some(branches)
    }
}

/// The function that lines without a name belong to. gcov names none where a function's lines are in several files, and
/// says that it ends where it begins: a generated scanner or parser. There is one in a unit: that with the most such
/// lines behind it.
fn nameless(files: &[Value]) -> &str {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let of = |key: &str| file[key].as_array().into_iter().flatten();
        let split: Vec<&Value> =
            of("functions").filter(|function| function["start_line"] == function["end_line"]).collect();
        for line in of("lines").filter(|line| line["function_name"].is_null()) {
            let is_before = |function: &&&Value| function["start_line"].as_u64() <= line["line_number"].as_u64();
            let last = split.iter().filter(is_before).max_by_key(|function| function["start_line"].as_u64());
            if let Some(name) = last.and_then(|function| function["name"].as_str()) {
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or("?", |(name, _)| name)
}

/// The path without `.` and `..`, whatever is there.
fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
pub mod tests {
    use super::*;

    const UNITS: &str = r#"{"current_working_directory": "/tree/src", "files": [
        {"file": "../lib/./a.h", "lines": [{"line_number": 3, "function_name": "f",
            "branches": [{"count": 0, "throw": false}, {"count": 2, "throw": false}]}]},
        {"file": "/usr/include/b.h", "lines": [{"line_number": 1, "function_name": "g", "branches": [{"count": 1}]}]}]}
        {"current_working_directory": "/tree", "files": [
        {"file": "lib/a.h", "lines": [{"line_number": 3, "function_name": "f",
            "branches": [{"count": 1}, {"count": 0}]}, {"line_number": 4, "function_name": "f", "branches": []},
            {"line_number": 5, "function_name": "f", "branches": [{"count": 0}]}]}]}"#;

    /// Branches of `a.c`: function, line, number, covered.
    pub fn branches(list: &[(&str, u64, usize, bool)]) -> Branches {
        let mut branches = Branches::default();
        for &(function, line, index, is_covered) in list {
            branches.insert(Branch { file: "a.c".into(), function: function.into(), line, index }, is_covered);
        }
        branches
    }

    #[test]
    fn units_with_the_same_code_are_one() {
        let mut branches = Branches::default();
        branches.add(UNITS.as_bytes(), Path::new("/tree")).unwrap();
        assert_eq!((branches.len(), branches.n_covered()), (3, 2));
        let branch = |line, index| Branch { file: "lib/a.h".into(), function: "f".into(), line, index };
        assert!(branches.is_covered(&branch(3, 0)) && branches.is_covered(&branch(3, 1)));
        assert!(!branches.is_covered(&branch(5, 0)));
        assert_eq!(Branches::from_json(&branches.to_json()), Some(branches));
    }

    #[test]
    fn a_function_in_several_files_has_its_name() {
        let unit = r#"{"current_working_directory": "/tree", "files": [
            {"file": "p.c", "functions": [{"name": "yydestruct", "start_line": 3, "end_line": 4},
                {"name": "yyparse", "start_line": 5, "end_line": 5}], "lines": [
                {"line_number": 3, "function_name": "yydestruct", "branches": []},
                {"line_number": 5, "function_name": "yyparse", "branches": []}, {"line_number": 6, "branches": []},
                {"line_number": 7, "branches": [{"count": 1}]}]},
            {"file": "p.y", "functions": [{"name": "yywrap", "start_line": 1, "end_line": 1}],
                "lines": [{"line_number": 7, "branches": [{"count": 0}]}]}]}"#;
        let mut branches = Branches::default();
        branches.add(unit.as_bytes(), Path::new("/tree")).unwrap();
        let names: Vec<(&str, &str)> =
            branches.iter().map(|(branch, _)| (branch.file.as_str(), branch.function.as_str())).collect();
        assert_eq!(names, [("p.c", "yyparse"), ("p.y", "yyparse")]);
    }

    #[test]
    fn what_is_not_gcovs_is_an_error() {
        for text in ["a.gcda: cannot open", "{}", r#"{"current_working_directory": "/"}"#] {
            assert!(Branches::default().add(text.as_bytes(), Path::new("/")).is_err(), "{text}");
        }
    }
}
