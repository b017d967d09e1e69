//! The tests of library models in tests/models: does what the models say hold on other inputs?
//!
//! For every program there: its plain build, its instrumented build without a
//! driver, and the same under a driver observe the same; and for each function
//! that has a model, `gimlet audit --observed` foretells what changed inputs
//! give, in three locales and with several seeds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use gimlet_exec::image::beside;
use gimlet_trace::builds::Twin;
use serde_json::Value;

use crate::gimlet::{self, Subject};
use crate::process::{self, capture, lock, Finished};
use crate::queue::Suite;
use crate::workspace::{self, release, root, stem};

/// What is tested.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Checks of every function
    #[arg(long = "checks", value_name = "N", default_value_t = CHECKS_FULL)]
    pub n_checks: usize,
    /// Each locale once, and both ways of following string functions; not each with each
    #[arg(long)]
    pub few_settings: bool,
    /// Functions or programs [default: all]
    pub names: Vec<String>,
}

/// Checks of every function unless there is a reason for fewer.
pub const CHECKS_FULL: usize = 10_000;
/// Cases of every function in one run.
const N_CASES: usize = 100;
/// Locale, seed, and how string functions are followed; the first ones are [`N_FEW_SETTINGS`].
const SETTINGS: &[(&str, u32, &str)] = &[
    ("C", 1, "expression"),
    ("C.UTF-8", 4, "branches"),
    (SINGLE, 5, "expression"),
    ("C.UTF-8", 2, "expression"),
    ("C", 3, "branches"),
];
const N_FEW_SETTINGS: usize = 3;
/// A locale whose characters are single bytes, one of which is a character above 255. It is made for the tests.
const SINGLE: &str = "C.ISO-8859-15";
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

/// The files of tests/models with functions that are asked for.
pub struct Models {
    options: Options,
    models: BTreeSet<String>,
    sources: Vec<PathBuf>,
    scratch: PathBuf,
    /// By file.
    reports: Mutex<BTreeMap<usize, BTreeMap<String, Function>>>,
}

impl Models {
    pub fn new(options: Options) -> Result<Models> {
        let sources = workspace::files(&root().join("tests/models"))?
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "c"));
        let scratch = workspace::scratch("models")?;
        let mut localedef = Command::new("localedef");
        localedef.args(["-i", "C", "-f", "ISO-8859-15"]).arg(scratch.join(SINGLE));
        process::output(&mut localedef).context("localedef can't make a locale of single bytes")?;
        let sources = sources.collect();
        Ok(Models { options, models: models()?, sources, scratch, reports: Mutex::default() })
    }
}

impl Suite for Models {
    fn name(&self) -> &str {
        "models"
    }

    fn jobs(&self) -> Vec<String> {
        self.sources.iter().map(|source| stem(source)).collect()
    }

    fn run(&self, job: usize) -> Result<String> {
        let program = Program::new(&self.sources[job], &self.scratch)?;
        let functions = program.test(&self.options, &self.models)?;
        let complaints: Vec<String> =
            functions.iter().flat_map(|(name, function)| function.complaints(name, self.options.n_checks)).collect();
        let said = format!("{} functions", functions.len());
        lock(&self.reports).insert(job, functions);
        ensure!(complaints.is_empty(), "{}", complaints.join("\n    "));
        Ok(said)
    }

    fn figures(&self) -> Result<Vec<String>> {
        let reports = lock(&self.reports);
        let all: Vec<(&String, &Function)> = reports.values().flatten().collect();
        let names = self.options.names.join(" or ");
        let has_read_all = reports.len() == self.sources.len();
        ensure!(!has_read_all || !all.is_empty(), "no function or program is called {names}");
        let mut lines = vec![format!(
            "{:<20} {:>8} {:>8} {:>9} {:>9} {:>10} {:>5}",
            "function", "symbolic", "checked", "unchecked", "explained", "mismatches", "lost"
        )];
        lines.extend(all.iter().filter(|(_, function)| function.has_model).map(|(name, function)| function.row(name)));
        let waiting: Vec<&str> =
            all.iter().filter(|(_, function)| !function.has_model).map(|(name, _)| name.as_str()).collect();
        if !waiting.is_empty() {
            lines.push(format!("no model yet: {}", waiting.join(" ")));
        }
        lines.push(format!("{} functions, {} have no model", all.len(), waiting.len()));
        Ok(lines)
    }
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
    /// Where [`SINGLE`] is.
    locales: PathBuf,
}

impl Program {
    fn new(source: &Path, scratch: &Path) -> Result<Program> {
        let (name, locales) = (stem(source), scratch.to_owned());
        let scratch = scratch.join(&name);
        std::fs::create_dir_all(&scratch)?;
        let instrumented = scratch.join("program");
        let plain = beside(&instrumented, Twin::Plain);
        let mut compiler = Command::new(release("gimlet-cc"));
        compiler.args(FLAGS).arg(source).arg("-o").arg(&instrumented);
        let program = Program { name, instrumented, plain, scratch, locales };
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
            let is_asked_for = |wanted: &String| {
                [name, self.name.as_str()].contains(&wanted.as_str()) || name == format!("{wanted}_macro")
            };
            if options.names.is_empty() || options.names.iter().any(is_asked_for) {
                let has_model = model == NO_MODEL_NEEDED || models.contains(model);
                functions.insert(name.to_owned(), Function { has_model, ..Function::default() });
            }
        }
        if functions.is_empty() {
            return Ok(functions);
        }
        let settings = if options.few_settings { &SETTINGS[..N_FEW_SETTINGS] } else { SETTINGS };
        for &(locale, seed, strings) in settings {
            let setting = || format!("locale {locale}, seed {seed}, strings by {strings}");
            let all: Vec<String> = functions.keys().cloned().collect();
            self.compare_builds(self.prepare(locale, seed, &all)?, strings).with_context(setting)?;
            let modelled: Vec<String> = all.into_iter().filter(|name| functions[name].has_model).collect();
            if !modelled.is_empty() {
                let n_checks = options.n_checks.div_ceil(settings.len());
                let subject = self.subject(self.prepare(locale, seed, &modelled)?, strings);
                let audit = gimlet::audit_observed(&subject, n_checks, seed, LIMIT).with_context(setting)?;
                count(&audit, &setting(), &mut functions).with_context(setting)?;
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
        let locale = if locale == SINGLE { self.locales.join(SINGLE).into() } else { OsString::from(locale) };
        let tail = numbers.iter().chain(functions).map(OsString::from);
        Ok(["run".into(), locale].into_iter().chain(tail).collect())
    }

    fn input(&self) -> PathBuf {
        self.scratch.join("input")
    }

    fn subject(&self, args: Vec<OsString>, strings: &str) -> Subject {
        let options = vec!["--strings".into(), strings.into(), "--stdin".into(), self.input().into()];
        Subject { program: self.instrumented.clone(), options, args, scratch: self.scratch.clone() }
    }

    /// All builds observe the same.
    fn compare_builds(&self, args: Vec<OsString>, strings: &str) -> Result<()> {
        let input = std::fs::read(self.input())?;
        let observe = |program: &Path| {
            let seen = self.scratch.join("seen");
            let _ = std::fs::remove_file(&seen);
            self.capture(Command::new(program).args(&args).env("GIMLET_OBSERVATIONS", &seen), &input)?;
            std::fs::read_to_string(&seen).context("nothing was observed")
        };
        let expected = observe(&self.plain)?;
        same_lines("without a driver", &expected, &observe(&self.instrumented)?)?;
        same_lines("under a driver", &expected, &gimlet::observed_lines(&self.subject(args.clone(), strings), LIMIT)?)
    }
}

/// Adds up what an audit found.
fn count(audit: &Value, setting: &str, functions: &mut BTreeMap<String, Function>) -> Result<()> {
    for group in audit["observed"]["groups"].as_array().context("gimlet audit --json has no groups")? {
        let name = group["name"].as_str().context("a group without a name")?;
        let function = functions.get_mut(name).with_context(|| format!("{name} was not asked for"))?;
        function.add(group, setting);
    }
    let exact = &audit["exact"];
    ensure!(exact["mismatches"] == 0, "not exact: {}", exact["first"]);
    let disagreements = gimlet::disagreements(audit);
    ensure!(disagreements.is_empty(), "models disagree with the library:\n      {}", disagreements.join("\n      "));
    Ok(())
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
    fn row(&self, name: &str) -> String {
        format!(
            "{name:<20} {:>7.0}% {:>8} {:>9} {:>9} {:>10} {:>5}",
            100.0 * self.n_symbolic as f64 / self.n_bytes.max(1) as f64,
            self.n_checked,
            self.n_unchecked,
            self.n_explained,
            self.n_mismatches,
            self.n_lost,
        )
    }

    /// What is wrong with a function that has a model.
    fn complaints(&self, name: &str, n_checks: usize) -> Vec<String> {
        if !self.has_model {
            return Vec::new();
        }
        let mut complaints = Vec::new();
        if self.n_mismatches + self.n_lost > 0 {
            complaints.push(format!("{name}: {} mismatches, {} lost", self.n_mismatches, self.n_lost));
        }
        if self.n_checked < n_checks as u64 {
            let reason = "too much is lost, or no changed input satisfies what it pins";
            complaints.push(format!("{name}: {} of {n_checks} checks: {reason}", self.n_checked));
        }
        complaints.extend(self.failures.iter().map(|failure| format!("    {failure}")));
        complaints
    }

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
        self.failures.extend(failures.map(|failure| format!("[{setting}] {failure}")));
    }
}
