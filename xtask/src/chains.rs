//! `cargo xtask bench chains [PROGRAMS] [--seconds N] [--seeds N]`: how soon a search gets through a long chain of conditions.
//!
//! Each program in `bench/chains` reads a small language, and calls `abort` where a dozen conditions hold at once. Each of
//! them does in some run soon; a search that only takes what is new never has all of them in one.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use gimlet_trace::status::Status;

use crate::process::{self, End};
use crate::workspace::{self, release, root, stem};

/// Begins the line of a program that holds its seed.
const SEED: &str = "//~ STDIN: ";
/// Beside the budget: what it takes to begin, and to look at what was found.
const LEEWAY: Duration = Duration::from_secs(30);

/// Searches in each program so many times, each for so long; false if one found nothing.
pub fn bench(wanted: &[String], seconds: u64, n_seeds: u64) -> Result<bool> {
    workspace::build_for_tests()?;
    let scratch = workspace::scratch("chains")?;
    let mut sources = workspace::files(&root().join("bench/chains"))?;
    sources.sort();
    if let Some(unknown) = wanted.iter().find(|name| sources.iter().all(|source| stem(source) != **name)) {
        bail!("there is no bench/chains/{unknown}.c");
    }
    let chosen = sources.iter().filter(|source| wanted.is_empty() || wanted.contains(&stem(source)));
    let (mut n_found, mut n_all) = (0, 0);
    for source in chosen {
        let mut row = format!("{:<10}", stem(source));
        for seed in 1..=n_seeds {
            let found = search(source, seconds, seed, &scratch).with_context(|| source.display().to_string())?;
            n_all += 1;
            n_found += u32::from(found.is_some());
            row += &found.map_or("      -".to_owned(), |elapsed| format!(" {:4.1} s", elapsed.as_secs_f64()));
        }
        println!("{row}");
    }
    println!("{n_found} of {n_all} searches of {seconds} s got there");
    Ok(n_found == n_all)
}

/// How long it took to get there, if it did.
fn search(source: &Path, seconds: u64, seed: u64, scratch: &Path) -> Result<Option<Duration>> {
    let name = stem(source);
    let (program, out, input) = (scratch.join(&name), scratch.join("out"), scratch.join("seed"));
    let mut compiler = Command::new(release("gimlet-cc"));
    process::run(compiler.arg("-O1").arg(source).arg("-o").arg(&program))?;
    let _ = fs::remove_dir_all(&out);
    fs::write(&input, seed_of(source)?)?;
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.args(["run", "--no-ui", "--stop-after-found", "1:abort", "--budget", &format!("{seconds}s")]);
    gimlet.args(["--seed", &seed.to_string(), "-i"]).arg(&input).arg("-o").arg(&out).arg("--").arg(&program);
    let finished = process::capture(&mut gimlet, b"", Duration::from_secs(seconds) + LEEWAY, scratch)?;
    ensure!(finished.has_searched(), "{}", finished.complaint());
    Ok((finished.end == End::Exit(Status::Found.code().into())).then_some(finished.elapsed))
}

/// The seed that a program states.
fn seed_of(source: &Path) -> Result<Vec<u8>> {
    let text = fs::read_to_string(source)?;
    let line = text.lines().find_map(|line| line.strip_prefix(SEED)).context("it states no seed")?;
    let quoted =
        line.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).context("its seed is not quoted")?;
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next().context("its seed ends in a backslash")? {
                b'n' => b'\n',
                b'x' => {
                    let digits = [rest.next(), rest.next()].map(|digit| digit.and_then(|it| (it as char).to_digit(16)));
                    let [Some(high), Some(low)] = digits else { bail!("two digits come after \\x in its seed") };
                    (high << 4 | low) as u8
                }
                other @ (b'\\' | b'"') => other,
                other => bail!("unknown escape \\{} in its seed", other as char),
            },
            byte => byte,
        });
    }
    Ok(bytes)
}
