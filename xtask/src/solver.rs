//! `cargo xtask bench solver`: the chain against Z3, cvc5 and Bitwuzla.
//!
//! Takes a folder of queries that `gimlet run --log-queries` wrote. Each solver checks each query on
//! its own: the others through their Python interfaces, checking time only; ours from an empty chain to
//! the answer. Duplicates across runs are left out. Two verdicts that contradict each other fail the
//! bench; `unknown` contradicts nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, Context, Result};

use crate::process;
use crate::workspace::{self, root, target_dir};

/// Name, and the package of the Python index.
const RIVALS: [(&str, &str); 3] = [("z3", "z3-solver"), ("cvc5", "cvc5"), ("bitwuzla", "bitwuzla")];
const LIMIT_SECONDS: u32 = 10;

/// What one solver made of one query.
struct Checked {
    verdict: String,
    time: Duration,
}

/// Ours also says how.
struct Ours {
    checked: Checked,
    layer: String,
    is_by_domains: bool,
}

/// Compares and prints.
pub fn bench(folder: Option<&str>) -> Result<bool> {
    let folder = folder.map_or_else(|| target_dir().join("queries"), PathBuf::from);
    let names = distinct(&folder)?;
    if names.is_empty() {
        bail!("no queries in {}; `gimlet run --log-queries {0}` writes them", folder.display());
    }
    println!("{} distinct queries in {}", names.len(), folder.display());
    let ours = replay(&folder)?;
    let python = install()?;
    let mut rivals: BTreeMap<&str, HashMap<String, Checked>> = BTreeMap::new();
    for (rival, _) in RIVALS {
        rivals.insert(rival, check(&python, rival, &folder)?);
    }
    let hard: Vec<&String> =
        names.iter().filter(|name| ours.get(*name).is_some_and(|ours| !ours.is_by_domains)).collect();
    table("all queries", &names.iter().collect::<Vec<_>>(), &ours, &rivals);
    table("queries that byte domains alone don't answer", &hard, &ours, &rivals);
    Ok(agree(&names, &ours, &rivals))
}

/// Names of the queries, each content once.
fn distinct(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}: no such folder", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "query"));
    paths.sort_unstable();
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for path in paths {
        let content = fs::read(&path).with_context(|| path.display().to_string())?;
        if seen.insert(content) {
            names.push(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

fn replay(folder: &Path) -> Result<HashMap<String, Ours>> {
    let example = ["build", "--release", "--quiet", "--package", "gimlet-solver", "--example", "replay"];
    process::run(&mut workspace::cargo(&example))?;
    let program = workspace::release("examples/replay");
    let text = process::output(Command::new(program).arg(folder)).context("replay failed")?;
    let mut found = HashMap::new();
    for line in text.lines() {
        let [name, verdict, layer, nanoseconds, by_domains] = fields(line)?;
        let checked = Checked { verdict: verdict.to_owned(), time: duration(nanoseconds)? };
        let ours = Ours { checked, layer: layer.to_owned(), is_by_domains: by_domains != "unknown" };
        found.insert(name.to_owned(), ours);
    }
    Ok(found)
}

/// A virtual environment with the rivals; its interpreter.
fn install() -> Result<PathBuf> {
    let home = target_dir().join("solvers");
    let python = home.join("bin/python");
    if !python.exists() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&home))
            .context("no virtual environment; hint: apt-get install python3-venv")?;
    }
    let packages = RIVALS.map(|(_, package)| package);
    process::run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    Ok(python)
}

fn check(python: &Path, rival: &str, folder: &Path) -> Result<HashMap<String, Checked>> {
    let script = root().join("bench/solver/check.py");
    let mut command = Command::new(python);
    command.arg(script).arg(rival).arg(LIMIT_SECONDS.to_string()).arg(folder);
    let text = process::output(&mut command).with_context(|| format!("{rival} failed"))?;
    let mut found = HashMap::new();
    for line in text.lines() {
        let [name, verdict, nanoseconds] = fields(line)?;
        found.insert(name.to_owned(), Checked { verdict: verdict.to_owned(), time: duration(nanoseconds)? });
    }
    Ok(found)
}

fn fields<const N: usize>(line: &str) -> Result<[&str; N]> {
    let fields: Vec<&str> = line.split('\t').collect();
    fields.try_into().map_err(|_| anyhow::anyhow!("unexpected line: {line}"))
}

fn duration(nanoseconds: &str) -> Result<Duration> {
    Ok(Duration::from_nanos(nanoseconds.parse().with_context(|| format!("no time: {nanoseconds}"))?))
}

fn table(
    title: &str,
    names: &[&String],
    ours: &HashMap<String, Ours>,
    rivals: &BTreeMap<&str, HashMap<String, Checked>>,
) {
    println!("\n{title}: {}", names.len());
    println!("  solver          sat    unsat  unknown     total ms   times the chain's");
    let of_ours = |name: &String| ours.get(name).map(|ours| &ours.checked);
    let own = row("gimlet", names, of_ours, None);
    for (rival, checked) in rivals {
        row(rival, names, |name| checked.get(name), Some(own));
    }
    let mut layers: BTreeMap<&str, usize> = BTreeMap::new();
    for ours in names.iter().filter_map(|name| ours.get(*name)) {
        *layers.entry(&ours.layer).or_default() += 1;
    }
    let shares =
        layers.iter().map(|(layer, n)| format!("{layer} {:.1} %", 100.0 * *n as f64 / names.len().max(1) as f64));
    println!("  answered by: {}", shares.collect::<Vec<_>>().join(", "));
}

/// Prints the figures of one solver; returns its time.
fn row<'a>(
    solver: &str,
    names: &[&String],
    checked: impl Fn(&String) -> Option<&'a Checked>,
    own: Option<Duration>,
) -> Duration {
    let all: Vec<&Checked> = names.iter().filter_map(|name| checked(name)).collect();
    let count = |verdict: &str| all.iter().filter(|checked| checked.verdict == verdict).count();
    let total: Duration = all.iter().map(|checked| checked.time).sum();
    let ratio = own.map_or(String::new(), |own| format!("{:.1}", total.as_secs_f64() / own.as_secs_f64()));
    println!(
        "  {solver:10} {:8} {:8} {:8} {:12.1}   {ratio:>8}",
        count("sat"),
        count("unsat"),
        count("unknown") + names.len() - all.len(),
        total.as_secs_f64() * 1e3
    );
    total
}

/// Whether no two verdicts contradict each other; prints those that do.
fn agree(names: &[String], ours: &HashMap<String, Ours>, rivals: &BTreeMap<&str, HashMap<String, Checked>>) -> bool {
    let mut n_disputed = 0;
    for name in names {
        let of_rivals =
            rivals.iter().filter_map(|(rival, checked)| Some((*rival, checked.get(name)?.verdict.as_str())));
        let own = ours.get(name).map(|ours| ("gimlet", ours.checked.verdict.as_str()));
        let verdicts: Vec<(&str, &str)> = own.into_iter().chain(of_rivals).collect();
        let says = |wanted: &str| verdicts.iter().any(|&(_, verdict)| verdict == wanted);
        if says("sat") && says("unsat") {
            n_disputed += 1;
            println!("  query {name}: {verdicts:?}");
        }
    }
    println!("\n{n_disputed} queries with contradicting verdicts");
    n_disputed == 0
}
