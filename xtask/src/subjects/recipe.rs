//! A recipe: how a program is fetched, built, tested and traced. bench/subjects/README.md is their manual.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};

use crate::programs::directives::words;
use crate::workspace::{self, root};

/// What a recipe says of itself in its `#~` lines; the rest of it is for the shell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recipe {
    pub name: String,
    /// Debian's source package.
    pub package: String,
    /// The release of Debian that has it, if the machine's own doesn't.
    pub release: Option<String>,
    /// Packages to install before it is built.
    pub needs: Vec<String>,
    /// The program to trace, below the tree.
    pub program: String,
    /// The first is the typical one.
    pub cases: Vec<Case>,
    /// What the memory checks find in the tests, and is wrong indeed.
    pub bugs: Vec<Bug>,
}

/// A test that the memory build ends because the program is wrong there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug {
    pub test: String,
    /// Kind and function, as in `use-after-free in call`.
    pub error: String,
    pub what: String,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}: {}", self.test, self.error, self.what)
    }
}

/// A run to trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The input: below the tree, or below the recipe's own `inputs/`.
    pub input: String,
    /// With `@@` for the input, which is standard input if there is none.
    pub args: Vec<String>,
}

/// The recipes' folder.
pub fn folder() -> PathBuf {
    root().join("bench/subjects")
}

/// All recipes, in order of their names.
pub fn all() -> Result<Vec<Recipe>> {
    let is_recipe =
        |path: &PathBuf| path.parent() == Some(&folder()) && path.extension().is_some_and(|end| end == "sh");
    let paths = workspace::files(&folder())?.into_iter().filter(is_recipe);
    let recipes = paths.map(|path| read(&path)).collect::<Result<Vec<_>>>()?;
    Ok(recipes.into_iter().flatten().collect())
}

/// None for what is not a recipe but shared by them.
fn read(path: &Path) -> Result<Option<Recipe>> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path)?;
    if !text.lines().any(|line| line.starts_with("#~")) {
        return Ok(None);
    }
    parse(&name, &text).map(Some).with_context(|| format!("{}", path.display()))
}

fn parse(name: &str, text: &str) -> Result<Recipe> {
    let mut recipe = Recipe { name: name.to_owned(), ..Recipe::default() };
    for (index, line) in text.lines().enumerate() {
        if let Some(directive) = line.strip_prefix("#~") {
            recipe.read(directive.trim()).with_context(|| format!("line {}", index + 1))?;
        }
    }
    ensure!(!recipe.package.is_empty() && !recipe.program.is_empty(), "it needs PACKAGE and PROGRAM");
    ensure!(!recipe.cases.is_empty(), "it needs a CASE");
    Ok(recipe)
}

impl Recipe {
    fn read(&mut self, directive: &str) -> Result<()> {
        let (key, value) = directive.split_once(':').context("a directive is KEY: value")?;
        let value = value.trim();
        match key {
            "PACKAGE" => self.package = value.to_owned(),
            "RELEASE" => self.release = Some(value.to_owned()),
            "NEEDS" => self.needs = words(value)?,
            "PROGRAM" => self.program = value.to_owned(),
            "CASE" => {
                let (input, args) = value.split_once(": ").unwrap_or((value.trim_end_matches(':'), ""));
                self.cases.push(Case { input: input.to_owned(), args: words(args)? });
            }
            "BUG" => {
                let usage = "BUG: test: kind in function: what is wrong";
                let (test, rest) = value.split_once(": ").context(usage)?;
                let (error, what) = rest.split_once(": ").context(usage)?;
                self.bugs.push(Bug { test: test.to_owned(), error: error.to_owned(), what: what.to_owned() });
            }
            _ => bail!("unknown directive '{key}'"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let text = "#~ PACKAGE: calc\n#~ NEEDS: bison flex\n#~ PROGRAM: src/calc\n\
                    #~ CASE: t/1.in: -q \"a b\" @@\n#~ CASE: inputs/2:\n#~ BUG: t/3: overlap in pop: leaves its\nbuild() { make; }\n";
        let recipe = parse("calc", text).unwrap();
        assert_eq!(recipe.needs, ["bison", "flex"]);
        assert_eq!(
            recipe.cases[0],
            Case { input: "t/1.in".into(), args: vec!["-q".into(), "a b".into(), "@@".into()] }
        );
        assert_eq!(recipe.cases[1], Case { input: "inputs/2".into(), args: vec![] });
        let bug = Bug { test: "t/3".into(), error: "overlap in pop".into(), what: "leaves its".into() };
        assert_eq!(recipe.bugs, [bug]);
    }

    #[test]
    fn mistakes_are_errors() {
        for bad in ["#~ PACKAGE: calc", "#~ PACKAGES: calc", "#~ PACKAGE", "#~ BUG: t/3: leaves its"] {
            assert!(parse("calc", bad).is_err(), "{bad}");
        }
    }
}
