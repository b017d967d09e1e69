//! The tests of library models in tests/models: does what the models say hold on other inputs?
//!
//! For every program there: its plain build, its instrumented build without a
//! driver, and the same under a driver observe the same; and for each function
//! that has a model, `gimlet audit --observed` foretells what changed inputs
//! give, in two locales and with several seeds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use serde_json::Value;

use crate::gimlet::{self, Subject};
use crate::process::{self, capture, Finished};
use crate::workspace::{self, release, root};

/// What is tested.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Checks of every function.
    pub n_checks: usize,
    /// Functions or programs; none is all.
    pub names: Vec<&'a str>,
}

/// Checks of every function unless there is a reason for fewer.
pub const CHECKS_FULL: usize = 10_000;
/// Cases of every function in one run.
const N_CASES: usize = 100;
/// Locale and seed of each run, and what string functions make of decisions.
const SETTINGS: &[(&str, u32, &str)] = &[
    ("C", 1, "expression"),
    ("C.UTF-8", 2, "expression"),
    ("C", 3, "branches"),
    ("C.UTF-8", 4, "expression"),
    ("C.UTF-8", 5, "branches"),
];
/// The library itself is called, not what clang would put in its place.
const FLAGS: &[&str] = &["-O1", "-w", "-fno-builtin"];
/// Stands where a program names no model: what it tests must hold without.
const NO_MODEL_NEEDED: &str = "-";
const LIMIT: Duration = Duration::from_secs(600);

/// What is known of a function.
#[derive(Clone, Default, Debug)]
struct Function {
    has_model: bool,
    n_bytes: u64,
    n_symbolic: u64,
    n_checked: u64,
    n_unchecked: u64,
    n_explained: u64,
    n_mismatches: u64,
    n_lost: u64,
    failures: Vec<String>,
}

/// Tests the functions asked for; false if one failed.
pub fn test(options: &Options) -> Result<bool> {
    let start = Instant::now();
    let scratch = workspace::scratch("models")?;
    let models = models()?;
    let sources: Vec<PathBuf> = workspace::files(&root().join("tests/models"))?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    let reports = Mutex::new(BTreeMap::new());
    process::parallel(&sources, |source| {
        let report = Program::new(source, &scratch).and_then(|program| program.test(options, &models));
        reports.lock().expect("no test panics while it holds the lock").insert(source.clone(), report);
    });
    println!(
        "{:<20} {:>8} {:>8} {:>9} {:>9} {:>10} {:>5}",
        "function", "symbolic", "checked", "unchecked", "explained", "mismatches", "lost"
    );
    let (mut n_passed, mut n_failed, mut waiting) = (0, 0, Vec::new());
    for (source, report) in reports.into_inner().expect("no test panicked") {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match report {
            Ok(functions) => {
                for (name, function) in functions {
                    match (function.has_model, print(&name, &function, options.n_checks)) {
                        (false, _) => waiting.push(name),
                        (true, true) => n_passed += 1,
                        (true, false) => n_failed += 1,
                    }
                }
            }
            Err(error) => {
                n_failed += 1;
                println!("FAILED  {name}\n    {error:#}");
            }
        }
    }
    if !waiting.is_empty() {
        println!("no model yet: {}", waiting.join(" "));
    }
    println!(
        "{n_passed} functions passed, {n_failed} failed, {} have no model, in {:.0} s",
        waiting.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(n_failed == 0)
}

/// Prints the row of a function that has a model; true if all is well.
fn print(name: &str, function: &Function, n_checks: usize) -> bool {
    if !function.has_model {
        return true;
    }
    let is_short = function.n_checked < n_checks as u64;
    let is_wrong = function.n_mismatches + function.n_lost > 0;
    println!(
        "{name:<20} {:>7.0}% {:>8} {:>9} {:>9} {:>10} {:>5}{}",
        100.0 * function.n_symbolic as f64 / function.n_bytes.max(1) as f64,
        function.n_checked,
        function.n_unchecked,
        function.n_explained,
        function.n_mismatches,
        function.n_lost,
        if is_wrong || is_short { "  FAILED" } else { "" }
    );
    if is_short {
        println!("    fewer than {n_checks} checks: too much is lost, or no changed input satisfies what it pins");
    }
    function.failures.iter().for_each(|failure| println!("    {failure}"));
    !is_wrong && !is_short
}

/// Names of the functions that the runtime has a model for.
fn models() -> Result<BTreeSet<String>> {
    let mut nm = Command::new("llvm-nm-19");
    let symbols =
        process::output(nm.args(["--defined-only", "--format=just-symbols"]).arg(release("libgimlet_runtime.a")));
    let symbols = symbols.context("llvm-nm-19 can't read libgimlet_runtime.a")?;
    Ok(symbols.lines().filter_map(|symbol| symbol.strip_prefix("gimlet_fn_")).map(str::to_owned).collect())
}

/// One file of tests/models, compiled.
struct Program {
    name: String,
    instrumented: PathBuf,
    plain: PathBuf,
    scratch: PathBuf,
}

impl Program {
    fn new(source: &Path, scratch: &Path) -> Result<Program> {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let scratch = scratch.join(&name);
        std::fs::create_dir_all(&scratch)?;
        let (instrumented, plain) = (scratch.join("program"), scratch.join("program.plain"));
        let mut compiler = Command::new(release("gimlet-cc"));
        compiler.args(FLAGS).arg(source).arg("-o").arg(&instrumented);
        let program = Program { name, instrumented, plain, scratch };
        program.capture(&mut compiler, b"")?;
        Ok(program)
    }

    fn capture(&self, command: &mut Command, stdin: &[u8]) -> Result<Finished> {
        let finished = capture(command, stdin, LIMIT, &self.scratch)?;
        let name = command.get_program().to_string_lossy().into_owned();
        ensure!(finished.is_success(), "{name}: {}", finished.complaint());
        Ok(finished)
    }

    fn test(&self, options: &Options, models: &BTreeSet<String>) -> Result<BTreeMap<String, Function>> {
        let listed = self.capture(Command::new(&self.plain).arg("list"), b"")?.text();
        let mut functions = BTreeMap::new();
        for (name, model) in listed.lines().filter_map(|line| line.split_once(' ')) {
            let is_asked_for =
                |wanted: &&str| [name, self.name.as_str()].contains(wanted) || name == format!("{wanted}_macro");
            if options.names.is_empty() || options.names.iter().any(is_asked_for) {
                let has_model = model == NO_MODEL_NEEDED || models.contains(model);
                functions.insert(name.to_owned(), Function { has_model, ..Function::default() });
            }
        }
        if functions.is_empty() {
            return Ok(functions);
        }
        for &(locale, seed, strings) in SETTINGS {
            let setting = || format!("locale {locale}, seed {seed}, {strings}");
            let all: Vec<String> = functions.keys().cloned().collect();
            self.compare_builds(locale, seed, &all).with_context(setting)?;
            let modelled: Vec<String> = all.into_iter().filter(|name| functions[name].has_model).collect();
            if !modelled.is_empty() {
                let n_checks = options.n_checks.div_ceil(SETTINGS.len());
                self.audit((locale, seed, strings), &modelled, n_checks, &mut functions).with_context(setting)?;
            }
        }
        Ok(functions)
    }

    /// Makes the input of a run; gives the run's arguments.
    fn prepare(&self, locale: &str, seed: u32, functions: &[String]) -> Result<Vec<OsString>> {
        let numbers = [seed.to_string(), N_CASES.to_string()];
        let mut generator = Command::new(&self.plain);
        generator.arg("input").args(&numbers).args(functions);
        std::fs::write(self.input(), self.capture(&mut generator, b"")?.stdout)?;
        let head = ["run", locale].into_iter().map(OsString::from);
        let tail = numbers.iter().chain(functions).map(OsString::from);
        Ok(head.chain(tail).collect())
    }

    fn input(&self) -> PathBuf {
        self.scratch.join("input")
    }

    fn subject(&self, args: Vec<OsString>) -> Subject {
        let options = vec!["--stdin".into(), self.input().into()];
        Subject { program: self.instrumented.clone(), options, args, scratch: self.scratch.clone() }
    }

    /// All builds observe the same.
    fn compare_builds(&self, locale: &str, seed: u32, functions: &[String]) -> Result<()> {
        let args = self.prepare(locale, seed, functions)?;
        let input = std::fs::read(self.input())?;
        let observe = |program: &Path| {
            let seen = self.scratch.join("seen");
            let _ = std::fs::remove_file(&seen);
            self.capture(Command::new(program).args(&args).env("GIMLET_OBSERVATIONS", &seen), &input)?;
            std::fs::read_to_string(&seen).context("nothing was observed")
        };
        let expected = observe(&self.plain)?;
        same_lines("without a driver", &expected, &observe(&self.instrumented)?)?;
        same_lines("under a driver", &expected, &gimlet::observed_lines(&self.subject(args.clone()), LIMIT)?)
    }

    fn audit(
        &self,
        (locale, seed, strings): (&str, u32, &str),
        modelled: &[String],
        n_checks: usize,
        functions: &mut BTreeMap<String, Function>,
    ) -> Result<()> {
        let args = self.prepare(locale, seed, modelled)?;
        let mut subject = self.subject(args);
        subject.options.extend(["--strings".into(), strings.into()]);
        let audit = gimlet::audit_observed(&subject, n_checks, seed, LIMIT)?;
        for group in audit["observed"]["groups"].as_array().context("gimlet audit --json has no groups")? {
            let name = group["name"].as_str().context("a group without a name")?;
            let function = functions.get_mut(name).with_context(|| format!("{name} was not asked for"))?;
            function.add(group, &format!("[{locale}, seed {seed}, {strings}]"));
        }
        let exact = &audit["exact"];
        ensure!(exact["mismatches"] == 0, "not exact: {}", exact["first"]);
        let disagreements = gimlet::disagreements(&audit);
        ensure!(
            disagreements.is_empty(),
            "models disagree with the library:\n      {}",
            disagreements.join("\n      ")
        );
        Ok(())
    }
}

fn same_lines(what: &str, expected: &str, actual: &str) -> Result<()> {
    let mut case = "no case";
    for (one, other) in expected.lines().zip(actual.lines()) {
        case = one.strip_prefix("0  ").unwrap_or(case);
        ensure!(
            one == other,
            "{case}, {what}: the instrumented build observes\n      {other}\n    and the plain one\n      {one}"
        );
    }
    let (one, other) = (expected.lines().count(), actual.lines().count());
    ensure!(one == other, "{what}: {other} observations, not {one}");
    Ok(())
}

impl Function {
    fn add(&mut self, group: &Value, setting: &str) {
        let count = |key: &str| group[key].as_u64().unwrap_or(0);
        self.n_bytes += count("bytes");
        self.n_symbolic += count("symbolic_bytes");
        self.n_checked += count("checked");
        self.n_unchecked += count("unchecked");
        self.n_explained += count("explained");
        self.n_mismatches += count("mismatches");
        self.n_lost += count("lost");
        let failures = group["failures"].as_array().into_iter().flatten().filter_map(Value::as_str);
        self.failures.extend(failures.map(|failure| format!("{setting} {failure}")));
    }
}
