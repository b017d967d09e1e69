//! `cargo xtask bench subjects`: real programs, built with gimlet-cc, do what clang's builds of them do.
//!
//! Each program has a recipe in `bench/subjects`. Its sources come as a Debian
//! source package. It is built with clang and with gimlet-cc; its tests run on
//! clang's build, on the plain twin and on the instrumented program without a
//! driver, and on the memory build, whose alarms must be the bugs that the recipe
//! names; a typical input is traced. `--oracle` audits the traces of the
//! recipe's cases instead ([`oracle`]).
//!
//! What was found is kept in `subjects/NAME` in the target directory with the
//! log, and a subject that passed is done again only on request.

mod alarms;
mod build;
mod oracle;
mod recipe;
mod sandbox;
mod sources;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use serde_json::{json, Value};

use crate::workspace::{self, target_dir};
use crate::{process, setup};
use recipe::Recipe;
use sandbox::Sandbox;
pub use sandbox::{OUT, TREE};
use sources::Sources;

/// What any of this needs.
const PACKAGES: &[(&str, &str)] = &[
    ("bubblewrap", "subjects run in a sandbox"),
    ("dpkg-dev", "unpacks sources"),
    ("make", "builds subjects"),
    ("patch", "applies Debian's patches"),
    ("xz-utils", "unpacks sources"),
    ("bzip2", "unpacks sources"),
];

/// For a search that does not keep to its own limits.
const EXPLORE_LIMIT: Duration = Duration::from_secs(3600);

/// Subjects with oracles, where none is named.
const ORACLE_SUBJECTS: [&str; 5] = ["bc", "jq", "lua5.4", "original-awk", "mujs"];

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Finished subjects, too
    #[arg(long)]
    again: bool,
    /// Exact and complete traces instead
    #[arg(long)]
    oracle: bool,
    /// Subjects [default: all]
    names: Vec<String>,
}

/// Builds, tests and traces the subjects; false if one does not do what clang's build does.
pub fn bench(options: &Options) -> Result<bool> {
    let recipes = chosen(options)?;
    workspace::build_for_tests()?;
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
    let home = home().join(name);
    let build = Build::make(name, "gimlet-cc", &home, "gimlet")?;
    let mut gimlet = Command::new(workspace::release("gimlet"));
    gimlet.arg("run").args(options).arg("--").arg(build.program()).args(args);
    build.run(&gimlet, &home, out, EXPLORE_LIMIT)
}

/// A build of a subject that other benches run. It is finished: the tree can't be written to.
pub struct Build {
    recipe: Recipe,
    pub tree: PathBuf,
}

impl Build {
    /// Builds with a compiler in the folder `tree` below `home`, which also has the log.
    pub fn make(name: &str, compiler: &str, home: &Path, tree: &str) -> Result<Build> {
        let recipe = Build::recipe(name)?;
        setup::install(PACKAGES)?;
        std::fs::create_dir_all(home).with_context(|| format!("can't make {}", home.display()))?;
        let subject = Subject { recipe: &recipe, home: home.to_owned() };
        subject.install_needs()?;
        let sources = fetch(&recipe)?;
        let tree = home.join(tree);
        let is_built = subject.build(&sources, &tree, compiler)?.is_some();
        ensure!(is_built, "{name} is not built; see {}", home.join("log").display());
        Ok(Build { recipe, tree })
    }

    /// The same if `built` says that the tree holds what the recipe, the compiler and its version would make now.
    pub fn reuse(name: &str, compiler: &str, version: &str, home: &Path, tree: &str) -> Result<Build> {
        let recipe = Build::recipe(name)?;
        let script = std::fs::read_to_string(recipe::folder().join(format!("{name}.sh")))?;
        let (wanted, built) = (format!("{version}\n{compiler}\n{script}"), home.join(format!("{tree}.built")));
        if std::fs::read_to_string(&built).is_ok_and(|text| text == wanted) {
            return Ok(Build { recipe, tree: home.join(tree) });
        }
        let _ = std::fs::remove_file(&built);
        let build = Build::make(name, compiler, home, tree)?;
        std::fs::write(&built, wanted)?;
        Ok(build)
    }

    fn recipe(name: &str) -> Result<Recipe> {
        let recipe = recipe::all()?.into_iter().find(|recipe| recipe.name == name);
        recipe.with_context(|| format!("no subject is called {name}"))
    }

    /// The program as the sandbox sees it.
    pub fn program(&self) -> String {
        format!("{TREE}/{}", self.recipe.program)
    }

    /// The program as everyone else sees it.
    pub fn program_file(&self) -> PathBuf {
        self.tree.join(&self.recipe.program)
    }

    /// Runs a command in the sandbox, which sees the folder `out` as [`OUT`]. The log is kept in `home`, which no two
    /// runs at a time may share.
    pub fn run(&self, command: &Command, home: &Path, out: &Path, limit: Duration) -> Result<process::Finished> {
        let (tree, out, compiler) = (self.tree.clone(), out.to_owned(), String::new());
        Sandbox { recipe: &self.recipe, tree, is_fixed: true, compiler, home, out, with: "" }.run(command, limit)
    }
}

fn fetch(recipe: &Recipe) -> Result<Sources> {
    sources::fetch(&recipe.package, recipe.release.as_deref(), &home())
}

/// Processor time that a recipe's `configure` takes with a compiler, in a tree of its own below `home`.
pub fn configure(name: &str, compiler: &str, home: &Path) -> Result<Duration> {
    let recipe = Build::recipe(name)?;
    let subject = Subject { recipe: &recipe, home: home.to_owned() };
    let tree = home.join("configured");
    copy_tree(&fetch(&recipe)?.tree, &tree)?;
    let finished = subject.sandbox(&tree, compiler).call("configure", EXPLORE_LIMIT)?;
    ensure!(finished.is_success(), "configure with {compiler}: {}", finished.complaint());
    Ok(finished.elapsed)
}

/// The unpacked sources of a package of Debian's.
pub fn package(name: &str) -> Result<Sources> {
    setup::install(PACKAGES)?;
    std::fs::create_dir_all(home()).with_context(|| format!("can't make {}", home().display()))?;
    sources::fetch(name, None, &home())
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
        if !options.again
            && let Some(known) = read_json(&path).filter(|known| known["passed"] == true)
        {
            println!("  finished before, with {}", known["gimlet"].as_str().unwrap_or("?"));
            return Ok(known);
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
    process::run(Command::new("cp").arg("-a").arg(from).arg(to))
}
