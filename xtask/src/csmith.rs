//! `cargo xtask bench csmith`: random programs.
//!
//! First part: a program compiled by gimlet-cc prints the checksum that clang's
//! build prints, at every -O level. Second part, `--symbolic`: with its globals
//! made symbolic ([`crate::symbolic`]), its trace is exact and complete.
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

use crate::gimlet::{self, Differing, Subject};
use crate::process::{self, capture, lock};
use crate::symbolic::make_symbolic;
use crate::workspace::{self, release, target_dir};

const PROGRAMS: usize = 125;
pub const PROGRAMS_FULL: usize = 500;
const PROGRAMS_SYMBOLIC: usize = 100;
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

const NATIVE_LIMIT: Duration = Duration::from_secs(5);
const INSTRUMENTED_LIMIT: Duration = Duration::from_secs(60);
const COMPILE_LIMIT: Duration = Duration::from_secs(300);
const AUDIT_LIMIT: Duration = Duration::from_secs(300);
const AUDIT_CHANGES: u32 = 200;

/// Keeps programs small enough that two hundred runs of each are a matter of seconds.
const SMALL: [&str; 4] = ["--max-funcs", "4", "--max-block-depth", "3"];

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Or the part's own number.
    pub n_programs: Option<usize>,
    pub symbolic: bool,
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
    let part = if options.symbolic { "symbolic" } else { "checksum" };
    let default = if options.symbolic { PROGRAMS_SYMBOLIC } else { PROGRAMS };
    let wanted = options.n_programs.unwrap_or(default);
    let store = Store::open(part)?;
    let scratch = workspace::scratch(&format!("csmith-{part}"))?;
    let (mut n_passed, mut n_failed, mut n_skipped, mut seed) = (0, 0, 0, 1);
    while n_passed + n_failed < wanted {
        let batch: Vec<u64> = (seed..).take(wanted - n_passed - n_failed).collect();
        seed += batch.len() as u64;
        let verdicts = process::parallel(&batch, |&seed| store.verdict(seed, || test(part, seed, &scratch)));
        for verdict in verdicts {
            match verdict? {
                Verdict::Passed(_) => n_passed += 1,
                Verdict::Failed(_) => n_failed += 1,
                Verdict::Skipped(_) => n_skipped += 1,
            }
        }
    }
    let what = if options.symbolic { "programs have exact and complete traces" } else { "runs have clang's checksum" };
    let runs = if options.symbolic { 1 } else { LEVELS.len() };
    println!("{} of {} {what}; {n_skipped} seeds skipped", runs * n_passed, runs * wanted);
    println!("{n_passed} passed, {n_failed} failed");
    Ok(n_failed == 0)
}

fn test(part: &str, seed: u64, scratch: &Path) -> Result<Verdict> {
    let dir = scratch.join(seed.to_string());
    std::fs::create_dir_all(&dir)?;
    let program = Program { seed, dir: dir.clone() };
    let verdict = if part == "symbolic" { program.test_symbolic()? } else { program.test_checksums()? };
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
        let finished = capture(&mut Command::new(program), b"", limit, &self.dir)?;
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
            for build in [program.clone(), program.with_extension("plain")] {
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
        let subject = Subject { program, options: Vec::new(), args: Vec::new(), scratch: self.dir.clone() };
        Ok(match gimlet::audit(&subject, AUDIT_CHANGES, AUDIT_LIMIT) {
            Ok(audit) => match audit.complaint(Differing::Wrong) {
                None => Verdict::Passed(format!("{level} {}", audit.summary())),
                Some(complaint) => Verdict::Failed(format!("{level} {complaint}")),
            },
            Err(error) => Verdict::Failed(format!("{level} {error:#}")),
        })
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
        println!("seed {seed}: {word}: {detail}");
        let detail = detail.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut file = lock(&self.file);
        writeln!(file, "{}\t{}\t{seed}\t{word}\t{detail}", self.version, self.part)?;
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
