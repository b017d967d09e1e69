//! `cargo xtask bench edges`: executions of PROG.edges a second.
//!
//! Two tiny programs, one with standard input and one with a file, beside AFL++'s
//! `afl-fuzz` with its build of the same source, where that is installed; it mutates
//! between its runs, which is little. All take turns for the same time, and each
//! figure is the best of several, because a busy machine only makes them smaller.
//! With arguments it measures a program of the user's instead.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};
use gimlet_exec::image::beside;
use gimlet_exec::{Confinement, EdgesTarget, Output, TargetOptions};
use gimlet_trace::builds::Twin;
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::{Input, SourceKind};

use crate::process;
use crate::workspace::{self, release, root};

const ROUNDS: usize = 3;
const ROUND_SECONDS: u64 = 5;
const SEED: &[u8] = b"hello, world\n";
const AFL_ENV: [&str; 5] =
    ["AFL_NO_AFFINITY", "AFL_SKIP_CPUFREQ", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_NO_UI", "AFL_QUIET"];

/// Measures the tiny programs, or with `[SEED, PROG.edges, ARG..]` that one.
pub fn bench(args: &[OsString]) -> Result<bool> {
    match args {
        [] => bench_tiny()?,
        [seed, program, args @ ..] => {
            let seed = std::fs::read(seed).with_context(|| format!("reading {}", Path::new(seed).display()))?;
            let [free, confined] = round(&mut targets(Path::new(program), args)?, &input(args, &seed))?;
            println!("executions a second: {free:.0}, confined {confined:.0}");
        }
        [_] => bail!("bench edges takes a seed and a program"),
    }
    Ok(true)
}

fn bench_tiny() -> Result<()> {
    workspace::build_for_tests()?;
    let scratch = workspace::scratch("bench-edges")?;
    let has_afl = Command::new("afl-clang-fast").env("AFL_QUIET", "1").arg("--version").output().is_ok();
    println!("\nexecutions a second, best of {ROUNDS} rounds");
    println!("  program      PROG.edges   confined   AFL++   ratio   confined");
    for (name, args) in [("reads_stdin", &[][..]), ("reads_file", &["@@"][..])] {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let program = compile(&release("gimlet-cc"), name, &scratch.join(name))?;
        let edges = beside(&program, Twin::Edges);
        let mut targets = targets(&edges, &args)?;
        let mut ours = [0.0f64; 2];
        let mut theirs = None;
        for _ in 0..ROUNDS {
            let rates = round(&mut targets, &input(&args, SEED))?;
            ours.iter_mut().zip(rates).for_each(|(best, rate)| *best = best.max(rate));
            if has_afl {
                let rate = afl(name, &args, &scratch)?;
                theirs = theirs.map_or(Some(rate), |best: f64| Some(best.max(rate)));
            }
        }
        let [free, confined] = ours;
        match theirs {
            Some(afl) => println!(
                "  {name:11}  {free:10.0}   {confined:8.0}   {afl:5.0}   {:5.2}   {:8.2}",
                free / afl,
                confined / afl
            ),
            None => println!("  {name:11}  {free:10.0}   {confined:8.0}       -       -          -"),
        }
    }
    Ok(())
}

fn compile(compiler: &Path, name: &str, output: &Path) -> Result<PathBuf> {
    let source = root().join("bench").join(name).with_extension("c");
    process::run(Command::new(compiler).env("AFL_QUIET", "1").arg("-O2").arg(source).arg("-o").arg(output))?;
    Ok(output.into())
}

/// Without and with confinement.
fn targets(program: &Path, args: &[OsString]) -> Result<[EdgesTarget; 2]> {
    let target = |confinement| {
        let options = TargetOptions { output: Output::Null, confinement, ..TargetOptions::default() };
        EdgesTarget::new(program, args, options)
    };
    Ok([target(Confinement::Off)?, target(Confinement::probe())?])
}

fn input(args: &[OsString], seed: &[u8]) -> Input {
    let mut input = Input::default();
    match args.iter().any(|arg| gimlet_exec::files::has_place(arg, FILE_SOURCE)) {
        true => input.push(SourceKind::File, FILE_SOURCE, seed),
        false => input.push(SourceKind::Stdin, "stdin", seed),
    };
    input
}

/// A round of each.
fn round(targets: &mut [EdgesTarget; 2], input: &Input) -> Result<[f64; 2]> {
    let mut rates = [0.0; 2];
    for (target, rate) in targets.iter_mut().zip(&mut rates) {
        target.run_in_place(input)?;
        let begin = Instant::now();
        let mut n_runs = 0u32;
        while begin.elapsed().as_secs() < ROUND_SECONDS {
            target.run_in_place(input)?;
            n_runs += 1;
        }
        *rate = f64::from(n_runs) / begin.elapsed().as_secs_f64();
    }
    Ok(rates)
}

/// What `afl-fuzz` says of itself.
fn afl(name: &str, args: &[OsString], scratch: &Path) -> Result<f64> {
    let program = scratch.join(format!("{name}.afl"));
    if !program.exists() {
        compile(Path::new("afl-clang-fast"), name, &program)?;
        std::fs::create_dir_all(scratch.join("seeds"))?;
        std::fs::write(scratch.join("seeds/a"), SEED)?;
    }
    let out = scratch.join(format!("{name}.out"));
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    let mut fuzzer = Command::new("afl-fuzz");
    fuzzer
        .envs(AFL_ENV.map(|name| (name, "1")))
        .args(["-V", &ROUND_SECONDS.to_string(), "-i"])
        .arg(scratch.join("seeds"));
    fuzzer.arg("-o").arg(&out).arg("--").arg(&program).args(args);
    let finished = process::capture(&mut fuzzer, b"", Duration::from_secs(120), scratch)?;
    let stats = std::fs::read_to_string(out.join("default/fuzzer_stats"))
        .with_context(|| format!("afl-fuzz: {}", finished.complaint()))?;
    let line = stats.lines().find_map(|line| line.strip_prefix("execs_per_sec")).unwrap_or_default();
    line.trim_start_matches([' ', ':']).trim().parse().context("fuzzer_stats tells no execs_per_sec")
}
