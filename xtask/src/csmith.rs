//! `cargo xtask bench csmith`: random programs.
//!
//! First part: a program compiled by gimlet-cc prints the checksum that clang's
//! build prints, at every -O level. Second part, `--symbolic`: with its globals
//! made symbolic ([`crate::symbolic`]), its trace is exact and complete. Third
//! part, `--memory`: so does its memory build, which raises no alarm, whatever fresh
//! memory is filled with. Fourth part, `--variadic`: the same three for programs of
//! variadic functions ([`crate::variadic`]), which csmith does not make.
//!
//! Seeds are fixed: program n is that of the n-th seed from 1 on whose clang
//! build ends in time. Results go to `bench/csmith.tsv` in the target
//! directory with the version that they are of, and a rerun skips what it has.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{bail, Context, Result};
use gimlet_exec::image::beside;
use gimlet_trace::builds::Twin;
use gimlet_trace::memory::FILL_ENV;

use crate::gimlet::{self, Differing, Subject};
use crate::process::{self, capture, lock};
use crate::queue::Suite;
use crate::symbolic::make_symbolic;
use crate::variadic;
use crate::workspace::{self, release, target_dir};

const PROGRAMS: usize = 125;
const PROGRAMS_FULL: usize = 500;
const PROGRAMS_SYMBOLIC: usize = 100;
const PROGRAMS_MEMORY: usize = 200;
const PROGRAMS_VARIADIC: usize = 100;
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

const NATIVE_LIMIT: Duration = Duration::from_secs(5);
const INSTRUMENTED_LIMIT: Duration = Duration::from_secs(60);
const COMPILE_LIMIT: Duration = Duration::from_secs(300);
const AUDIT_LIMIT: Duration = Duration::from_secs(300);
const AUDIT_CHANGES: u32 = 200;

/// What fresh memory of the memory build holds, in hexadecimal, if it is filled.
const FILLS: [Option<&str>; 3] = [None, Some("00"), Some("ff")];

/// Keeps programs small enough that two hundred runs of each, or two hundred programs, are a matter of minutes.
const SMALL: [&str; 4] = ["--max-funcs", "4", "--max-block-depth", "3"];

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Or the part's own number.
    pub n_programs: Option<usize>,
    pub part: Part,
}

/// The same as words.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// As many programs as show what is rare
    #[arg(long, conflicts_with = "programs")]
    full: bool,
    /// So many programs
    #[arg(long, value_name = "N")]
    programs: Option<usize>,
    /// Exact and complete traces instead
    #[arg(long)]
    symbolic: bool,
    /// No alarm of the memory build instead
    #[arg(long, conflicts_with = "symbolic")]
    memory: bool,
    /// All of it for programs of variadic functions
    #[arg(long, conflicts_with_all = ["symbolic", "memory"])]
    variadic: bool,
}

impl From<Arguments> for Options {
    fn from(arguments: Arguments) -> Options {
        let part = match arguments {
            Arguments { symbolic: true, .. } => Part::Symbolic,
            Arguments { memory: true, .. } => Part::Memory,
            Arguments { variadic: true, .. } => Part::Variadic,
            _ => Part::Checksum,
        };
        Options { n_programs: arguments.programs.or(arguments.full.then_some(PROGRAMS_FULL)), part }
    }
}

/// What is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Part {
    #[default]
    Checksum,
    Symbolic,
    Memory,
    Variadic,
}

impl Part {
    pub const ALL: [Part; 4] = [Part::Checksum, Part::Symbolic, Part::Memory, Part::Variadic];

    pub fn name(self) -> &'static str {
        match self {
            Part::Checksum => "checksum",
            Part::Symbolic => "symbolic",
            Part::Memory => "memory",
            Part::Variadic => "variadic",
        }
    }

    fn n_programs(self) -> usize {
        match self {
            Part::Checksum => PROGRAMS,
            Part::Symbolic => PROGRAMS_SYMBOLIC,
            Part::Memory => PROGRAMS_MEMORY,
            Part::Variadic => PROGRAMS_VARIADIC,
        }
    }

    /// What is true of programs that passed.
    fn claim(self) -> &'static str {
        match self {
            Part::Checksum => "programs have clang's checksum at every -O level",
            Part::Symbolic => "programs have exact and complete traces",
            Part::Memory => "programs have clang's checksum under memory checks, without an alarm",
            Part::Variadic => "programs have clang's checksum in all builds, no alarm, and exact and complete traces",
        }
    }
}

/// What came of one program.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    Passed(String),
    Failed(String),
    /// No program for a test: it doesn't end, or not normally.
    Skipped(String),
}

/// Tests programs until enough have been tested; false if one failed.
pub fn bench(options: &Options) -> Result<bool> {
    let part = options.part;
    let wanted = options.n_programs.unwrap_or_else(|| part.n_programs());
    let store = Store::open(part.name())?;
    let scratch = workspace::scratch(&format!("csmith-{}", part.name()))?;
    let (mut n_passed, mut n_failed, mut n_skipped, mut seed) = (0, 0, 0, 1);
    while n_passed + n_failed < wanted {
        let batch: Vec<u64> = (seed..).take(wanted - n_passed - n_failed).collect();
        seed += batch.len() as u64;
        let verdicts = process::parallel(&batch, |&seed| {
            let verdict = store.verdict(seed, || test(part, seed, &scratch));
            if let Ok(verdict) = &verdict {
                println!("seed {seed}: {verdict:?}");
            }
            verdict
        });
        for verdict in verdicts {
            match verdict? {
                Verdict::Passed(_) => n_passed += 1,
                Verdict::Failed(_) => n_failed += 1,
                Verdict::Skipped(_) => n_skipped += 1,
            }
        }
    }
    println!("{n_passed} of {wanted} {}; {n_skipped} seeds skipped", part.claim());
    println!("{n_passed} passed, {n_failed} failed");
    Ok(n_failed == 0)
}

/// A few programs of a part, for the short test: the seeds from 1 on, whatever they are good for.
pub struct Few {
    part: Part,
    n_programs: usize,
    store: Store,
    scratch: PathBuf,
}

impl Few {
    pub fn new(part: Part, n_programs: usize) -> Result<Few> {
        let scratch = workspace::scratch(&format!("csmith-{}", part.name()))?;
        Ok(Few { part, n_programs, store: Store::open(part.name())?, scratch })
    }
}

impl Suite for Few {
    fn name(&self) -> &str {
        "csmith"
    }

    fn jobs(&self) -> Vec<String> {
        (1..=self.n_programs).map(|seed| format!("{} {seed}", self.part.name())).collect()
    }

    fn run(&self, job: usize) -> Result<String> {
        let seed = job as u64 + 1;
        match self.store.verdict(seed, || test(self.part, seed, &self.scratch))? {
            Verdict::Passed(detail) => Ok(detail),
            Verdict::Skipped(detail) => Ok(format!("skipped: {}", detail.lines().next().unwrap_or_default())),
            Verdict::Failed(detail) => bail!("{detail}"),
        }
    }
}

fn test(part: Part, seed: u64, scratch: &Path) -> Result<Verdict> {
    let dir = scratch.join(seed.to_string());
    std::fs::create_dir_all(&dir)?;
    let program = Program { seed, dir: dir.clone() };
    let verdict = match part {
        Part::Checksum => program.test_checksums()?,
        Part::Symbolic => program.test_symbolic()?,
        Part::Memory => program.test_memory()?,
        Part::Variadic => program.test_variadic()?,
    };
    // A failure's files stay, to be looked at.
    if !matches!(verdict, Verdict::Failed(_)) {
        std::fs::remove_dir_all(&dir)?;
    }
    Ok(verdict)
}

struct Program {
    seed: u64,
    dir: PathBuf,
}

impl Program {
    fn generate(&self, options: &[&str]) -> Result<PathBuf> {
        let source = self.dir.join("program.c");
        let mut csmith = Command::new("csmith");
        csmith.args(["--seed", &self.seed.to_string(), "--output"]).arg(&source).args(options).current_dir(&self.dir);
        let finished = capture(&mut csmith, b"", COMPILE_LIMIT, &self.dir)?;
        if !finished.is_success() {
            bail!("csmith, seed {}: {}", self.seed, finished.complaint());
        }
        Ok(source)
    }

    /// Compiles with the warnings off; an error has the compiler's.
    fn compile(&self, compiler: &Path, args: &[&str], source: &Path, name: &str) -> Result<PathBuf> {
        let program = self.dir.join(name);
        let mut command = Command::new(compiler);
        command.args(["-w", "-I/usr/include/csmith"]).args(args).arg(source).arg("-o").arg(&program);
        let finished = capture(&mut command, b"", COMPILE_LIMIT, &self.dir)?;
        if !finished.is_success() {
            bail!("{} {}: {}", compiler.display(), args.join(" "), finished.complaint());
        }
        Ok(program)
    }

    fn checksum(&self, program: &Path, limit: Duration) -> Result<Result<String, String>> {
        self.checksum_of(&mut Command::new(program), limit)
    }

    fn checksum_of(&self, command: &mut Command, limit: Duration) -> Result<Result<String, String>> {
        let finished = capture(command, b"", limit, &self.dir)?;
        Ok(match finished.is_success() {
            true => Ok(finished.text().trim().to_owned()),
            false => Err(finished.complaint()),
        })
    }

    fn test_checksums(&self) -> Result<Verdict> {
        let source = self.generate(&[])?;
        let clang = Path::new("clang-19");
        let native = self.compile(clang, &["-O0"], &source, "native")?;
        let expected = match self.checksum(&native, NATIVE_LIMIT)? {
            Ok(checksum) => checksum,
            Err(complaint) => return Ok(Verdict::Skipped(complaint)),
        };
        let mut wrong = String::new();
        for level in LEVELS {
            let program = match self.compile(&release("gimlet-cc"), &[level], &source, "instrumented") {
                Ok(program) => program,
                Err(error) => return Ok(Verdict::Failed(format!("{error:#}"))),
            };
            for build in [program.clone(), beside(&program, Twin::Plain)] {
                let actual = self.checksum(&build, INSTRUMENTED_LIMIT)?;
                if actual.as_ref() == Ok(&expected) {
                    continue;
                }
                // Csmith's programs are meant to have no undefined behaviour; where clang disagrees with itself, one has.
                let same_level = self.compile(clang, &[level], &source, "native")?;
                if self.checksum(&same_level, NATIVE_LIMIT)? != actual {
                    write!(wrong, "{level} {}: {actual:?}, not {expected:?}; ", build.display())?;
                }
            }
        }
        Ok(if wrong.is_empty() { Verdict::Passed(expected) } else { Verdict::Failed(wrong) })
    }

    fn test_symbolic(&self) -> Result<Verdict> {
        let source = self.generate(&SMALL)?;
        let native = self.compile(Path::new("clang-19"), &["-O1"], &source, "native")?;
        let expected = match self.checksum(&native, NATIVE_LIMIT)? {
            Ok(checksum) => checksum,
            Err(complaint) => return Ok(Verdict::Skipped(complaint)),
        };
        let symbolic = self.dir.join("symbolic.c");
        std::fs::write(&symbolic, make_symbolic(&std::fs::read_to_string(&source)?))?;
        let level = LEVELS[self.seed as usize % LEVELS.len()];
        let program = match self.compile(
            &release("gimlet-cc"),
            &[level, "-fgimlet=branch-log", "--without=edges"],
            &symbolic,
            "instrumented",
        ) {
            Ok(program) => program,
            Err(error) => return Ok(Verdict::Failed(format!("{error:#}"))),
        };
        let actual = self.checksum(&program, INSTRUMENTED_LIMIT)?;
        if actual.as_ref() != Ok(&expected) {
            return Ok(Verdict::Failed(format!("{level}: {actual:?}, not {expected:?}")));
        }
        Ok(match self.audit(program) {
            Ok(summary) => Verdict::Passed(format!("{level} {summary}")),
            Err(complaint) => Verdict::Failed(format!("{level} {complaint}")),
        })
    }

    /// What there is to say of a program's trace, or what is wrong with it.
    fn audit(&self, program: PathBuf) -> Result<String, String> {
        let subject = Subject { program, options: Vec::new(), args: Vec::new(), scratch: self.dir.clone() };
        let audit = gimlet::audit(&subject, AUDIT_CHANGES, AUDIT_LIMIT).map_err(|error| format!("{error:#}"))?;
        audit.complaint(Differing::Wrong).map_or_else(|| Ok(audit.summary()), Err)
    }

    /// What is wrong with what the memory build of a program does, if anything is.
    fn memory_complaint(&self, program: &Path, expected: &str) -> Result<Option<String>> {
        let memory = beside(program, Twin::Memory);
        for fill in FILLS {
            let mut command = Command::new(&memory);
            command.envs(fill.map(|byte| (FILL_ENV, byte)));
            let actual = self.checksum_of(&mut command, INSTRUMENTED_LIMIT)?;
            if actual.as_deref() != Ok(expected) {
                return Ok(Some(format!("memory build, filled with {fill:?}: {actual:?}, not {expected:?}")));
            }
        }
        Ok(None)
    }

    fn test_memory(&self) -> Result<Verdict> {
        let source = self.generate(&SMALL)?;
        let level = LEVELS[self.seed as usize % LEVELS.len()];
        // A loop that does not end is left out by clang, and kept by counters.
        let native = self.compile(Path::new("clang-19"), &[level, "-fno-finite-loops"], &source, "native")?;
        let expected = match self.checksum(&native, NATIVE_LIMIT)? {
            Ok(checksum) => checksum,
            Err(complaint) => return Ok(Verdict::Skipped(complaint)),
        };
        let options = [level, "-g", "--with=memory", "--without=edges"];
        let program = match self.compile(&release("gimlet-cc"), &options, &source, "checked") {
            Ok(program) => program,
            Err(error) => return Ok(Verdict::Failed(format!("{error:#}"))),
        };
        Ok(match self.memory_complaint(&program, &expected)? {
            None => Verdict::Passed(format!("{level} {expected}")),
            Some(complaint) => Verdict::Failed(format!("{level} {complaint}")),
        })
    }

    fn test_variadic(&self) -> Result<Verdict> {
        let clang = Path::new("clang-19");
        let (source, object) = self.write_variadic(true)?;
        let native = self.compile(clang, &["-O0", &object], &source, "native")?;
        let expected = match self.checksum(&native, NATIVE_LIMIT)? {
            Ok(checksum) => checksum,
            Err(complaint) => return Ok(Verdict::Failed(complaint)),
        };
        for level in LEVELS {
            let options = [level, "-g", "--with=memory", "--without=edges", &object];
            let program = match self.compile(&release("gimlet-cc"), &options, &source, "checked") {
                Ok(program) => program,
                Err(error) => return Ok(Verdict::Failed(format!("{error:#}"))),
            };
            for build in [program.clone(), beside(&program, Twin::Plain)] {
                let actual = self.checksum(&build, INSTRUMENTED_LIMIT)?;
                if actual.as_ref() != Ok(&expected) {
                    return Ok(Verdict::Failed(format!("{level} {}: {actual:?}, not {expected:?}", build.display())));
                }
            }
            if let Some(complaint) = self.memory_complaint(&program, &expected)? {
                return Ok(Verdict::Failed(format!("{level} {complaint}")));
            }
        }
        let level = LEVELS[self.seed as usize % LEVELS.len()];
        let (source, _) = self.write_variadic(false)?;
        let options = [level, "-DSYMBOLIC", "-fgimlet=branch-log", "--without=edges"];
        let program = match self.compile(&release("gimlet-cc"), &options, &source, "instrumented") {
            Ok(program) => program,
            Err(error) => return Ok(Verdict::Failed(format!("{error:#}"))),
        };
        Ok(match self.audit(program) {
            Ok(summary) => Verdict::Passed(format!("{expected}; {level} {summary}")),
            Err(complaint) => Verdict::Failed(format!("{level} {complaint}")),
        })
    }

    /// Writes a program of variadic functions: its file, and the object of what is not instrumented.
    fn write_variadic(&self, with_native: bool) -> Result<(PathBuf, String)> {
        let sources = variadic::sources(self.seed, with_native);
        for (name, text) in
            [("forms.h", &sources.header), ("program.c", &sources.program), ("native.c", &sources.native)]
        {
            std::fs::write(self.dir.join(name), text)?;
        }
        let object = self.compile(Path::new("clang-19"), &["-O1", "-c"], &self.dir.join("native.c"), "native.o")?;
        Ok((self.dir.join("program.c"), object.to_string_lossy().into_owned()))
    }
}

/// What is known already, and where more of it goes.
struct Store {
    part: String,
    version: String,
    known: BTreeMap<u64, Verdict>,
    file: Mutex<std::fs::File>,
}

impl Store {
    fn open(part: &str) -> Result<Store> {
        let dir = target_dir().join("bench");
        std::fs::create_dir_all(&dir)?;
        let path = dir.join("csmith.tsv");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let version = workspace::version()?;
        let known = text.lines().filter_map(|line| parse_row(line, part, &version)).collect();
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        let file = Mutex::new(file.with_context(|| format!("can't open {}", path.display()))?);
        Ok(Store { part: part.into(), version, known, file })
    }

    /// The verdict on the program of a seed, by `test` if it is not known. Failures are tried again.
    fn verdict(&self, seed: u64, test: impl FnOnce() -> Result<Verdict>) -> Result<Verdict> {
        if let Some(verdict) = self.known.get(&seed).filter(|verdict| !matches!(verdict, Verdict::Failed(_))) {
            return Ok(verdict.clone());
        }
        let verdict = test()?;
        let (word, detail) = match &verdict {
            Verdict::Passed(detail) => ("passed", detail),
            Verdict::Failed(detail) => ("failed", detail),
            Verdict::Skipped(detail) => ("skipped", detail),
        };
        let detail = detail.split_whitespace().collect::<Vec<_>>().join(" ");
        // In one piece: other parts write there, too.
        let row = format!("{}\t{}\t{seed}\t{word}\t{detail}\n", self.version, self.part);
        lock(&self.file).write_all(row.as_bytes())?;
        Ok(verdict)
    }
}

fn parse_row(line: &str, part: &str, version: &str) -> Option<(u64, Verdict)> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [row_version, row_part, seed, word, detail] = cells.as_slice() else { return None };
    let verdict = match *word {
        "passed" => Verdict::Passed((*detail).to_owned()),
        "failed" => Verdict::Failed((*detail).to_owned()),
        "skipped" => Verdict::Skipped((*detail).to_owned()),
        _ => return None,
    };
    (*row_version == version && *row_part == part).then_some((seed.parse().ok()?, verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_versions_don_t_count() {
        let row = "v1\tchecksum\t7\tpassed\tchecksum = 0";
        assert_eq!(parse_row(row, "checksum", "v1"), Some((7, Verdict::Passed("checksum = 0".into()))));
        assert_eq!(parse_row(row, "checksum", "v2"), None);
        assert_eq!(parse_row(row, "symbolic", "v1"), None);
        assert_eq!(parse_row("v1\tchecksum\t7", "checksum", "v1"), None);
    }
}
