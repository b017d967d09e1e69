//! `cargo xtask bench subjects`: real programs, built with gimlet-cc, do what clang's builds of them do.
//!
//! Each program has a recipe in `bench/subjects`. Its sources come as a Debian
//! source package. It is built with clang and with gimlet-cc; its tests run on
//! clang's build, on the plain twin and on the instrumented program without a
//! driver; a typical input is traced. `--oracle` audits the traces of the
//! recipe's cases instead ([`oracle`]).
//!
//! What was found is kept in `subjects/NAME` in the target directory with the
//! log, and a subject that passed is done again only on request.

mod build;
mod oracle;
mod recipe;
mod sandbox;
mod sources;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use serde_json::{json, Value};

use crate::workspace::{self, target_dir};
use crate::{process, setup};
use recipe::Recipe;
use sandbox::Sandbox;
pub use sandbox::OUT;

/// What any of this needs.
const PACKAGES: &[(&str, &str)] = &[
    ("bubblewrap", "subjects run in a sandbox"),
    ("dpkg-dev", "unpacks sources"),
    ("make", "builds subjects"),
    ("patch", "applies Debian's patches"),
    ("xz-utils", "unpacks sources"),
    ("bzip2", "unpacks sources"),
];

/// Subjects with oracles, where none is named.
const ORACLE_SUBJECTS: [&str; 5] = ["bc", "jq", "lua5.4", "original-awk", "mujs"];

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Finished subjects, too.
    again: bool,
    oracle: bool,
    /// All, if there is none.
    names: Vec<String>,
}

impl Options {
    pub fn parse(args: &[&str]) -> Result<Options> {
        let mut options = Options::default();
        for arg in args {
            match *arg {
                "--again" => options.again = true,
                "--oracle" => options.oracle = true,
                option if option.starts_with('-') => bail!("bench subjects has no option {option}"),
                name => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Builds, tests and traces the subjects; false if one does not do what clang's build does.
pub fn bench(options: &Options) -> Result<bool> {
    let recipes = chosen(options)?;
    workspace::build_release()?;
    setup::install(PACKAGES)?;
    let version = workspace::version()?;
    let mut results = Vec::new();
    for (index, recipe) in recipes.iter().enumerate() {
        println!("{} ({} of {})", recipe.name, index + 1, recipes.len());
        let result = Subject::new(recipe).and_then(|subject| subject.result(options, &version));
        results.push(result.unwrap_or_else(|error| {
            println!("  {error:#}");
            json!({ "subject": recipe.name, "passed": false })
        }));
    }
    let table = if options.oracle { oracle::report(&results) } else { table::markdown(&results) };
    let path = home().join(if options.oracle { "oracle.md" } else { "table.md" });
    std::fs::write(&path, &table)?;
    println!("\n{table}\nalso in {}", path.display());
    Ok(results.iter().all(|result| result["passed"] == true))
}

/// Builds a subject with gimlet-cc and lets `gimlet run` search it with these options and arguments of the program.
/// Options can name files of the repository to read, and [`OUT`], which is the folder `out`, to write to.
pub fn explore(name: &str, options: &[&str], args: &[&str], out: &Path) -> Result<process::Finished> {
    let recipe = recipe::all()?.into_iter().find(|recipe| recipe.name == name);
    let recipe = recipe.with_context(|| format!("no subject is called {name}"))?;
    setup::install(PACKAGES)?;
    let subject = Subject::new(&recipe)?;
    subject.install_needs()?;
    let sources = sources::fetch(&recipe, &home())?;
    let tree = subject.home.join("gimlet");
    let is_built = subject.build(&sources, &tree, "gimlet-cc")?.is_some();
    ensure!(is_built, "{name} is not built; see {}", subject.home.join("log").display());
    let sandbox = Sandbox { out: out.to_owned(), ..subject.sandbox(&tree, "gimlet-cc") };
    sandbox.explore(options, args)
}

fn chosen(options: &Options) -> Result<Vec<Recipe>> {
    let mut recipes = recipe::all()?;
    let names: Vec<&str> = match options.names.is_empty() && options.oracle {
        true => ORACLE_SUBJECTS.to_vec(),
        false => options.names.iter().map(String::as_str).collect(),
    };
    if let Some(unknown) = names.iter().find(|name| !recipes.iter().any(|recipe| recipe.name == **name)) {
        let known: Vec<&str> = recipes.iter().map(|recipe| recipe.name.as_str()).collect();
        bail!("no subject is called {unknown}; there are {}", known.join(", "));
    }
    recipes.retain(|recipe| names.is_empty() || names.contains(&recipe.name.as_str()));
    Ok(recipes)
}

/// Where everything is kept.
fn home() -> PathBuf {
    target_dir().join("subjects")
}

/// A program and its folder.
struct Subject<'a> {
    recipe: &'a Recipe,
    home: PathBuf,
}

impl Subject<'_> {
    fn new(recipe: &Recipe) -> Result<Subject<'_>> {
        let home = home().join(&recipe.name);
        std::fs::create_dir_all(&home).with_context(|| format!("can't make {}", home.display()))?;
        Ok(Subject { recipe, home })
    }

    fn install_needs(&self) -> Result<()> {
        let needs = self.recipe.needs.iter().map(|name| (name.as_str(), self.recipe.name.as_str()));
        setup::install(&needs.collect::<Vec<_>>())
    }

    /// What was found before, or what is found now.
    fn result(&self, options: &Options, version: &str) -> Result<Value> {
        let path = self.home.join(if options.oracle { "oracle.json" } else { "result.json" });
        if !options.again {
            if let Some(known) = read_json(&path).filter(|known| known["passed"] == true) {
                println!("  finished before, with {}", known["gimlet"].as_str().unwrap_or("?"));
                return Ok(known);
            }
        }
        self.install_needs()?;
        let mut result = match options.oracle {
            true => self.audit(),
            false => self.examine(),
        }
        .with_context(|| format!("{}; see {}", self.recipe.name, self.home.join("log").display()))?;
        result["gimlet"] = version.into();
        result["subject"] = self.recipe.name.as_str().into();
        std::fs::write(&path, serde_json::to_string_pretty(&result)?)?;
        Ok(result)
    }
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// A copy of a tree with the times of its files, in place of what is there.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to).with_context(|| format!("can't empty {}", to.display()))?;
    }
    process::run(std::process::Command::new("cp").arg("-a").arg(from).arg(to))
}
