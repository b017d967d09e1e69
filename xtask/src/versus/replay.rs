//! The tests of a campaign, run again on the build for gcov in the order in which they were found.
//!
//! gcov's counters are files that every run adds to. All tests that were found until a point of time are run, gcov is
//! asked once, and the next ones follow. Units of the program are those that leave a file of counters, whether anything
//! in them was executed or not. Runs that crash or take too long count as well (bench/versus/flush.c).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{ensure, Context, Result};
use gimlet_trace::input::FILE_SOURCE;
use serde_json::{json, Value};

use super::campaign::{Campaign, Record, Tool};
use super::gcov::Branches;
use super::{folder, Subject};
use crate::process;
use crate::subjects::{Build, OUT, TREE};
use crate::workspace::files;

/// Seconds after which coverage is asked for, and at the end.
const POINTS: [u64; 7] = [10, 30, 60, 120, 180, 300, 600];
/// For one test, at -O0 and with counters.
const TEST_LIMIT_S: u64 = 2;
const MEMORY_KIB: u64 = 2 << 20;
const MARGIN: Duration = Duration::from_secs(300);
/// What the script prints for a test that took too long.
const LATE: &str = "late";

/// What the tests of a campaign cover.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    /// Seconds, and branches that were covered by then.
    pub points: Vec<(u64, usize)>,
    pub n_tests: usize,
    /// Tests that were ended.
    pub n_late: usize,
    /// At the end.
    pub branches: Branches,
}

impl Replay {
    fn read(path: &Path) -> Option<Replay> {
        let json: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let point = |point: &Value| Some((point[0].as_u64()?, point[1].as_u64()? as usize));
        Some(Replay {
            points: json["points"].as_array()?.iter().map(point).collect::<Option<_>>()?,
            n_tests: json["tests"].as_u64()? as usize,
            n_late: json["late"].as_u64()? as usize,
            branches: Branches::from_json(&json["branches"])?,
        })
    }

    fn write(&self, path: &Path) -> Result<()> {
        let (points, branches) = (&self.points, self.branches.to_json());
        let json = json!({ "points": points, "tests": self.n_tests, "late": self.n_late, "branches": branches });
        Ok(fs::write(path, json.to_string())?)
    }
}

/// What the tests of each campaign cover; what was found before is not looked for again.
pub fn replay(campaign: &Campaign, records: &[Record]) -> Result<Vec<Replay>> {
    let subject = campaign.subject;
    let compiler = folder().join("gcov-cc");
    let gcc = process::output(Command::new("gcc").arg("--version")).context("gcc is not installed")?;
    let version = [gcc, fs::read_to_string(&compiler)?, fs::read_to_string(folder().join("flush.c"))?].concat();
    let build = Build::reuse(subject.name, &compiler.display().to_string(), &version, &subject.home(), "gcov")?;
    let replays = process::parallel(records, |record| {
        let path = campaign.folder(record.tool).join("replay.json");
        if let Some(replay) = Replay::read(&path) {
            return Ok(replay);
        }
        println!("  tests of {} on the build for gcov", record.tool.name());
        let replay = Runs::new(campaign, record.tool, &build)?.replay(campaign, record)?;
        replay.write(&path)?;
        Ok(replay)
    });
    replays.into_iter().collect()
}

/// A test and when it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Test {
    found: Duration,
    input: PathBuf,
    stdin: PathBuf,
}

/// The tests of a campaign in the order in which they were found.
fn tests(results: &Path, subject: &Subject, started: SystemTime) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for name in ["queue", "crashes", "hangs"] {
        let folder = results.join(name);
        for entry in fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with("id:") {
                continue;
            }
            let path = entry.path();
            let found = match time_in_name(&name) {
                Some(time) => time,
                None => entry.metadata()?.modified()?.duration_since(started).unwrap_or_default(),
            };
            // A folder is a test with several sources.
            let source = |name: &str| Some(path.join(name)).filter(|path| path.is_file());
            let (input, stdin) = match (path.is_dir(), subject.is_on_stdin()) {
                (true, _) => (source(FILE_SOURCE), source("stdin")),
                (false, true) => (None, Some(path)),
                (false, false) => (Some(path), None),
            };
            let nothing = || PathBuf::from("/dev/null");
            tests.push(Test { found, input: input.unwrap_or_else(nothing), stdin: stdin.unwrap_or_else(nothing) });
        }
    }
    tests.sort_by(|a, b| (a.found, &a.input, &a.stdin).cmp(&(b.found, &b.input, &b.stdin)));
    ensure!(!tests.is_empty(), "no tests in {}", results.display());
    Ok(tests)
}

/// AFL++ says in the name how many milliseconds after its start it found a test; trimming changes the file later.
fn time_in_name(name: &str) -> Option<Duration> {
    let field = name.split(',').find_map(|field| field.strip_prefix("time:"))?;
    field.parse().ok().map(Duration::from_millis)
}

/// Seconds after which coverage is asked for.
fn points(time: Duration) -> Vec<u64> {
    let seconds = time.as_secs();
    POINTS.into_iter().filter(|point| *point < seconds).chain([seconds]).collect()
}

/// Where tests are run and counters kept.
struct Runs<'a> {
    build: &'a Build,
    subject: &'a Subject,
    home: PathBuf,
    /// Counters, and beside them what the compiler says of the units.
    counters: PathBuf,
}

impl<'a> Runs<'a> {
    fn new(campaign: &Campaign<'a>, tool: Tool, build: &'a Build) -> Result<Runs<'a>> {
        let home = campaign.folder(tool).join("replay");
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        let counters = home.join("counters");
        // The program writes to its paths below the prefix that it is given.
        let below = counters.join(TREE.trim_start_matches('/'));
        for path in files(&build.tree)?.iter().filter(|path| path.extension().is_some_and(|end| end == "gcno")) {
            let to = below.join(path.strip_prefix(&build.tree)?);
            fs::create_dir_all(to.parent().unwrap_or(&below))?;
            fs::copy(path, to)?;
        }
        Ok(Runs { build, subject: campaign.subject, home, counters })
    }

    fn replay(&self, campaign: &Campaign, record: &Record) -> Result<Replay> {
        let tests = tests(&campaign.results(record.tool), self.subject, record.started)?;
        let (mut branches, mut n_late, mut n_run) = (Branches::default(), 0, 0);
        let mut covered = Vec::new();
        let points = points(campaign.time);
        for (index, point) in points.iter().enumerate() {
            // What is written when the time is up has been found before.
            let is_last = index + 1 == points.len();
            let n_due = match is_last {
                true => tests.len(),
                false => tests.partition_point(|test| test.found <= Duration::from_secs(*point)),
            };
            if n_due > n_run {
                n_late += self.run(&tests[n_run..n_due])?;
                branches.add(&self.gcov()?, Path::new(TREE))?;
                n_run = n_due;
            }
            covered.push((*point, branches.n_covered()));
        }
        fs::remove_dir_all(&self.counters)?;
        Ok(Replay { points: covered, n_tests: tests.len(), n_late, branches })
    }

    /// Runs tests; how many of them took too long.
    fn run(&self, tests: &[Test]) -> Result<usize> {
        let list = tests.iter().map(|test| format!("{}\n{}\n", test.input.display(), test.stdin.display()));
        fs::write(self.counters.join("list"), list.collect::<String>())?;
        let argument = |arg: &String| match arg.as_str() {
            "@@" => "\"$input\"".to_owned(),
            other => format!("'{other}'"),
        };
        let args: Vec<String> = self.subject.args().iter().map(argument).collect();
        let script = format!(
            "ulimit -c 0; ulimit -v {MEMORY_KIB}; export GCOV_PREFIX={OUT}\n\
             while IFS= read -r input && IFS= read -r stdin; do\n\
             timeout -k 1 {TEST_LIMIT_S} {} {} <\"$stdin\" >/dev/null 2>&1\n\
             case $? in 124 | 137) echo {LATE};; esac\n\
             done <{OUT}/list",
            self.build.program(),
            args.join(" ")
        );
        let limit = MARGIN + Duration::from_secs(TEST_LIMIT_S + 2) * tests.len() as u32;
        let mut shell = Command::new("sh");
        let finished = self.build.run(shell.args(["-c", &script]), &self.home, &self.counters, limit)?;
        ensure!(finished.is_success(), "tests can't be run: {}", finished.complaint());
        Ok(finished.text().lines().filter(|line| *line == LATE).count())
    }

    /// What gcov says of all units.
    fn gcov(&self) -> Result<Vec<u8>> {
        let mut gcov = Command::new("gcov");
        gcov.args(["--branch-probabilities", "--json-format", "--stdout"]);
        let mut n_units = 0;
        for path in files(&self.counters)?.iter().filter(|path| path.extension().is_some_and(|end| end == "gcda")) {
            gcov.arg(Path::new(OUT).join(path.strip_prefix(&self.counters)?));
            n_units += 1;
        }
        ensure!(n_units > 0, "{} leaves no counters", self.build.program_file().display());
        let finished = self.build.run(&gcov, &self.home, &self.counters, MARGIN)?;
        ensure!(finished.is_success(), "gcov: {}", finished.complaint());
        Ok(finished.stdout)
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn times_are_read_from_names() {
        let time = |name| time_in_name(name).map(|time| time.as_millis());
        assert_eq!(time("id:000012,src:000003,time:10250,execs:77,op:havoc,rep:2,+cov"), Some(10250));
        assert_eq!(time("id:000000,time:0,execs:0,orig:seed"), Some(0));
        assert_eq!(time("id:000001,src:000000,op:flip"), None);
        assert_eq!(time("id:000001,runtime:5,time:x"), None);
    }

    #[test]
    fn the_end_is_a_point_once() {
        assert_eq!(points(Duration::from_secs(20)), [10, 20]);
        assert_eq!(points(Duration::from_secs(180)), [10, 30, 60, 120, 180]);
        assert_eq!(points(Duration::from_secs(600)), POINTS);
        assert_eq!(points(Duration::from_secs(900)).last(), Some(&900));
    }
}
