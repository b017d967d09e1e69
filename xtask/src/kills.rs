//! `cargo xtask bench kills [N]`: a search that is killed again and again loses nothing.
//!
//! SimpleCalc is explored with `--resume`; after a random time the driver is killed as by `kill -9`, N times. Each time,
//! what could be seen in the folder just before is still there, the store is intact and has a row for every test, and
//! no process is left. In the end no test is there twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use gimlet_trace::status::Status;

use crate::process;
use crate::simplecalc;
use crate::workspace::{self, release};

/// Kills without a number.
pub const N_DEFAULT: usize = 200;

/// How long a search lives.
const LIFE_MS: std::ops::Range<u64> = 5..2500;
/// A process that was killed is gone after this time.
const GRACE: Duration = Duration::from_secs(5);

const FOLDERS: [&str; 3] = ["queue", "crashes", "hangs"];

/// Files below the folder of results.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Kills so many times; false if anything was lost.
pub fn bench(n_kills: usize) -> Result<bool> {
    workspace::build_for_tests()?;
    let scratch = workspace::scratch("kills")?;
    let program = simplecalc::build(&scratch)?;
    let out = scratch.join("out");
    let mut ever_seen = Files::new();
    let mut chance = 0x2545_f491_4f6c_dd1d_u64;
    let started = Instant::now();
    for number in 1..=n_kills {
        let mut search = resume(&program, &out, &[])?;
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_millis(LIFE_MS.start + (chance >> 33) % (LIFE_MS.end - LIFE_MS.start)));
        let seen = files(&out);
        ensure!(search.try_wait()?.is_none(), "the search ended by itself before kill {number}");
        search.kill()?;
        search.wait()?;
        check(&program, &out, &seen).with_context(|| format!("after kill {number}"))?;
        ever_seen.extend(seen);
        if number % 10 == 0 {
            println!("{number} kills in {} s: {} tests, nothing lost", started.elapsed().as_secs(), ever_seen.len());
        }
    }
    let status = resume(&program, &out, &["--steps", "100"])?.wait()?;
    ensure!(status.code().is_some_and(Status::ends_a_search), "the last search ended with {status}");
    check(&program, &out, &ever_seen)?;
    let queue: Vec<(PathBuf, Vec<u8>)> =
        files(&out).into_iter().filter(|(path, _)| path.starts_with("queue")).collect();
    let distinct: BTreeSet<&Vec<u8>> = queue.iter().map(|(_, bytes)| bytes).collect();
    ensure!(distinct.len() == queue.len(), "{} of {} tests are there twice", queue.len() - distinct.len(), queue.len());
    println!("{n_kills} kills: {} tests, none lost, none twice, the store is intact", queue.len());
    Ok(true)
}

/// A search that goes on.
fn resume(program: &Path, out: &Path, options: &[&str]) -> Result<Child> {
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.args(["run", "--resume", "-o"]).arg(out).args(options).arg("--").arg(program);
    gimlet.stdin(Stdio::null()).stdout(Stdio::null()).spawn().context("starting gimlet")
}

/// What can be seen. Files may come and go meanwhile.
fn files(out: &Path) -> Files {
    let mut files = Files::new();
    for folder in FOLDERS {
        for path in workspace::files(&out.join(folder)).unwrap_or_default() {
            if let (Ok(bytes), Ok(name)) = (std::fs::read(&path), path.strip_prefix(out)) {
                files.insert(name.to_owned(), bytes);
            }
        }
    }
    files
}

fn check(program: &Path, out: &Path, seen: &Files) -> Result<()> {
    let now = files(out);
    for (path, bytes) in seen {
        let found = now.get(path).with_context(|| format!("{} is gone", path.display()))?;
        // The input of a finding may have been replaced by a shorter one.
        let is_same = found == bytes || (!path.starts_with("queue") && found.len() <= bytes.len());
        ensure!(is_same, "{} has changed", path.display());
    }
    let store = out.join(".gimlet/store.sqlite");
    if store.exists() {
        let verdict = ask(&store, "PRAGMA integrity_check")?;
        ensure!(verdict == "ok", "the store is damaged: {verdict}");
        let has_tables = ask(&store, "SELECT count(*) FROM sqlite_master WHERE name = 'inputs'")? == "1";
        let names = if has_tables { ask(&store, "SELECT name FROM inputs WHERE test NOTNULL")? } else { String::new() };
        let names: BTreeSet<&str> = names.lines().collect();
        let unknown = now
            .keys()
            .filter(|path| path.starts_with("queue"))
            .find(|path| !path.file_name().is_some_and(|name| names.contains(&*name.to_string_lossy())));
        ensure!(unknown.is_none(), "the store does not know {unknown:?}");
    }
    let deadline = Instant::now() + GRACE;
    while n_processes(program, out) > 0 {
        ensure!(Instant::now() < deadline, "processes of the program or of the driver are left");
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn ask(store: &Path, question: &str) -> Result<String> {
    let answer = process::output(Command::new("sqlite3").arg(store).arg(question));
    answer.with_context(|| format!("sqlite3 cannot answer: {question}"))
}

/// Processes that run the program or one of its builds, or were to become it: those have the driver's command line.
fn n_processes(program: &Path, out: &Path) -> usize {
    let starts = |bytes: &[u8], path: &Path| bytes.starts_with(path.as_os_str().as_encoded_bytes());
    let is_left = |entry: &DirEntry| {
        let exe = std::fs::read_link(entry.path().join("exe")).unwrap_or_default();
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        starts(exe.as_os_str().as_encoded_bytes(), program)
            || command.split(|&byte| byte == 0).any(|arg| starts(arg, out))
    };
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter(is_left).count()
}
