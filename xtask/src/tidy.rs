//! `cargo xtask tidy`: what a reviewer should not have to say.
//!
//! Formatting and lints; crates depend on each other as the table in
//! ARCHITECTURE.md says; every file is in use; no file is too long; nothing is
//! left half done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::{cargo, files, root};
use crate::{process, setup};

/// Lines of a source file, tests aside.
const LINES_MAX: usize = 800;
const ARCHITECTURE_LINES_MAX: usize = 300;

/// What has tests is linted as its tests are compiled: they unwind and the build does not, so the other way would have all
/// dependencies checked once more. What only the tests of a program use is found by the warnings of the build.
const LINTED: &[&str] = &["clippy", "--release", "--workspace", "--tests", "--examples", "--", "-Dwarnings"];
/// Programs of a few lines.
const LINTED_WITHOUT_TESTS: &[&str] = &["clippy", "--release", "-pgimlet-cc", "--lib", "--bins", "--", "-Dwarnings"];

/// Who lints what has tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lints {
    Here,
    /// [`crate::unit`] does, while it compiles them.
    WithUnitTests,
}

/// Runs every check and prints what they find.
pub fn tidy(lints: Lints) -> Result<bool> {
    setup::rust_components()?;
    let mut complaints = Vec::new();
    let linted = (lints == Lints::Here).then_some(LINTED);
    for args in [&["fmt", "--all", "--", "--check"], LINTED_WITHOUT_TESTS].into_iter().chain(linted) {
        if process::run(&mut cargo(args)).is_err() {
            complaints.push(format!("cargo {} fails", args[0]));
        }
    }
    complaints.extend(warnings()?);
    let metadata = metadata()?;
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    if architecture.lines().count() > ARCHITECTURE_LINES_MAX {
        complaints.push(format!("ARCHITECTURE.md has more than {ARCHITECTURE_LINES_MAX} lines"));
    }
    complaints.extend(compare_dependencies(&documented_dependencies(&architecture), &dependencies(&metadata)));
    complaints.extend(check_sources(&metadata)?);
    complaints.extend(check_test_programs()?);
    complaints.iter().for_each(|complaint| println!("tidy: {complaint}"));
    println!("tidy: {}", if complaints.is_empty() { "nothing to complain about" } else { "see above" });
    Ok(complaints.is_empty())
}

/// What the compiler says of the release build; Cargo repeats that without compiling again.
fn warnings() -> Result<Option<String>> {
    let said = cargo(&["build", "--release", "--quiet"]).output().context("cargo build")?.stderr;
    let said = String::from_utf8_lossy(&said);
    Ok((!said.trim().is_empty()).then(|| format!("the build is not silent:\n{said}")))
}

fn metadata() -> Result<Value> {
    let text = process::output(&mut cargo(&["metadata", "--format-version", "1", "--no-deps"]));
    Ok(serde_json::from_str(&text.context("cargo metadata fails")?)?)
}

fn packages(metadata: &Value) -> impl Iterator<Item = (&str, &Value)> {
    metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|package| Some((package["name"].as_str()?, package)))
}

type Dependencies = BTreeMap<String, BTreeSet<String>>;

/// The crates of this workspace that each one uses, as the manifests have it.
fn dependencies(metadata: &Value) -> Dependencies {
    let members: BTreeSet<&str> = packages(metadata).map(|(name, _)| name).collect();
    let of_package = |package: &Value| {
        let names = package["dependencies"].as_array().into_iter().flatten();
        let names = names
            .filter(|dependency| dependency["kind"].is_null())
            .filter_map(|dependency| dependency["name"].as_str());
        names.filter(|name| members.contains(name)).map(str::to_owned).collect()
    };
    packages(metadata).map(|(name, package)| (name.to_owned(), of_package(package))).collect()
}

/// Rows `| crate | sentence | may use |` of the table, where crates may be named without `gimlet-`.
fn documented_dependencies(architecture: &str) -> Dependencies {
    let mut table = Dependencies::new();
    for line in architecture.lines() {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, uses] = cells.as_slice() else { continue };
        let Some(name) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) else { continue };
        let uses =
            uses.split(',').map(|used| used.trim().trim_matches('`')).filter(|used| !used.is_empty() && *used != "-");
        let full = |used: &str| if used.starts_with("gimlet") { used.to_owned() } else { format!("gimlet-{used}") };
        table.insert(name.to_owned(), uses.map(full).collect());
    }
    table
}

fn compare_dependencies(documented: &Dependencies, actual: &Dependencies) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, uses) in actual {
        match documented.get(name) {
            None => complaints.push(format!("ARCHITECTURE.md's table has no row for {name}")),
            Some(said) if said != uses => {
                complaints.push(format!("{name} uses {uses:?}, but ARCHITECTURE.md says {said:?}"));
            }
            Some(_) => {}
        }
    }
    let unknown = documented.keys().filter(|name| !actual.contains_key(*name));
    complaints.extend(unknown.map(|name| format!("ARCHITECTURE.md's table has {name}, which is no crate")));
    complaints
}

fn check_sources(metadata: &Value) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for (_, package) in packages(metadata) {
        let manifest = package["manifest_path"].as_str().context("cargo metadata has no manifest_path")?;
        let dir = Path::new(manifest).parent().unwrap_or(Path::new("/"));
        let mut reached = BTreeSet::new();
        for target in package["targets"].as_array().into_iter().flatten() {
            let source = target["src_path"].as_str().context("cargo metadata has no src_path")?;
            reach(Path::new(source), true, &mut reached)?;
        }
        for path in files(dir)? {
            let shown = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            if path.extension().is_some_and(|extension| extension == "rs") {
                if !reached.contains(&path) {
                    complaints.push(format!("{shown} is in no module"));
                }
                let text = std::fs::read_to_string(&path)?;
                complaints.extend(check_text(&text).into_iter().map(|complaint| format!("{shown}: {complaint}")));
            }
        }
    }
    Ok(complaints)
}

/// Collects `path` and the files of the modules that it declares.
fn reach(path: &Path, is_root: bool, reached: &mut BTreeSet<PathBuf>) -> Result<()> {
    if !reached.insert(path.to_owned()) {
        return Ok(());
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    let dir = path.parent().unwrap_or(Path::new("/"));
    let stem = path.file_stem().unwrap_or_default();
    let inner = if is_root || stem == "mod" { dir.to_owned() } else { dir.join(stem) };
    for module in text.lines().filter_map(declared_module) {
        let candidates = [inner.join(format!("{module}.rs")), inner.join(module).join("mod.rs")];
        if let Some(file) = candidates.into_iter().find(|file| file.is_file()) {
            reach(&file, false, reached)?;
        }
    }
    Ok(())
}

/// `name` in a line `pub(crate) mod name;`.
fn declared_module(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    line.strip_prefix("mod ")?.strip_suffix(';')
}

fn check_text(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let code: Vec<&str> = text.lines().take_while(|line| *line != "#[cfg(test)]").collect();
    if code.len() > LINES_MAX {
        complaints.push(format!("{} lines, tests aside: more than {LINES_MAX}", code.len()));
    }
    // Put together here so that this file is not found.
    for unfinished in ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!(")) {
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains(&unfinished));
        complaints.extend(lines.map(|(index, _)| format!("line {} has {unfinished}..)", index + 1)));
    }
    complaints
}

fn check_test_programs() -> Result<Vec<String>> {
    let is_expected = |path: &Path| {
        path.extension().is_some_and(|extension| extension == "c")
            || path.file_name().is_some_and(|name| name == "README.md")
    };
    let files = files(&root().join("tests/programs"))?;
    let odd = files.iter().filter(|path| !is_expected(path));
    Ok(odd.map(|path| format!("{} is no test program", path.strip_prefix(root()).unwrap_or(path).display())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_read() {
        let text =
            "| crate | what | may use |\n|---|---|---|\n| `gimlet-path` | a | trace, `expr` |\n| `xtask` | b | - |\n";
        let table = documented_dependencies(text);
        assert_eq!(table.len(), 2);
        assert_eq!(table["gimlet-path"], BTreeSet::from(["gimlet-trace".to_owned(), "gimlet-expr".to_owned()]));
        assert!(table["xtask"].is_empty());
        assert_eq!(compare_dependencies(&table, &table), Vec::<String>::new());
        assert_eq!(compare_dependencies(&table, &Dependencies::new()).len(), 2);
    }

    #[test]
    fn modules_are_found() {
        assert_eq!(declared_module("mod a;"), Some("a"));
        assert_eq!(declared_module("    pub(crate) mod b;"), Some("b"));
        assert_eq!(declared_module("pub mod c;"), Some("c"));
        assert_eq!(declared_module("mod tests {"), None);
    }

    #[test]
    fn long_files_are_told_from_long_tests() {
        let long = "x\n".repeat(LINES_MAX + 1);
        assert_eq!(check_text(&long).len(), 1);
        assert!(check_text(&format!("y\n#[cfg(test)]\n{long}")).is_empty());
    }
}
