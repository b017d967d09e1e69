//! `cargo xtask bench trace`: what instrumentation and tracing cost.
//!
//! Everything is measured in one run on one machine and given as a ratio or per
//! unit of work; each figure is the smallest of several. The workloads are in
//! `bench/` and time themselves, so that starting a process doesn't count.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gimlet_exec::image::beside;
use gimlet_exec::{EdgesTarget, Output, TargetOptions};
use gimlet_trace::builds::Twin;
use gimlet_trace::Input;

use crate::gimlet::{self, Subject};
use crate::process::{self, capture};
use crate::workspace::{self, release, root};

const REPEATS: usize = 7;
const EMPTY_RUNS: u32 = 200;
const LIMIT: Duration = Duration::from_secs(120);
/// What the calculator is given.
const CALCULATION: &[u8] = b"let s = 12 * (3 + 4)\nprint -s\n";
/// The expression table of the runtime.
const NODE_BYTES: u64 = 32;
const BUCKET_BYTES: u64 = 4;
const FIRST_BUCKETS: u64 = 1 << 12;

/// Measures and prints everything.
pub fn trace() -> Result<bool> {
    workspace::build_for_tests()?;
    let bench = Bench { scratch: workspace::scratch("bench")? };
    println!("\nhot loop on concrete data, times native at the same level (smallest of {REPEATS})");
    println!("  level   native ms   without driver   with driver   at most   counted");
    for (level, limit) in [("-O0", Some(3.5)), ("-O1", None), ("-O2", Some(2.0))] {
        bench.hot(level, limit)?;
    }
    println!("\ntracing, at -O2");
    bench.checksum()?;
    bench.crc()?;
    bench.empty()?;
    bench.calculator()?;
    Ok(true)
}

struct Bench {
    scratch: PathBuf,
}

impl Bench {
    fn hot(&self, level: &str, limit: Option<f64>) -> Result<()> {
        let native = self.compile(Path::new("clang-19"), level, "hot")?;
        let program = self.compile(&release("gimlet-cc"), level, "hot")?;
        let edges = beside(&program, Twin::Edges);
        // Interleaved, so that a change of the machine's mood hits all of them.
        let mut best = [f64::INFINITY; 4];
        for _ in 0..REPEATS {
            let traced = self.run_traced(&program, b"")?.0;
            let all = [self.run(&native, b"")?, self.run(&program, b"")?, traced, self.run(&edges, b"")?];
            for (best, ns) in best.iter_mut().zip(all) {
                *best = best.min(ns);
            }
        }
        let [native, without, with, counted] = best;
        let limit = limit.map_or("-".to_owned(), |limit| format!("{limit:.1}"));
        println!(
            "  {level}     {:9.1}   {:14.2}   {:11.2}   {limit:>7}   {:7.2}",
            native / 1e6,
            without / native,
            with / native,
            counted / native
        );
        Ok(())
    }

    fn checksum(&self) -> Result<()> {
        let program = self.compile(&release("gimlet-cc"), "-O2", "checksum")?;
        let input: Vec<u8> = pseudo_random(1 << 16);
        let (ns, n_nodes) = self.best_traced(&program, &input)?;
        let len = input.len() as f64;
        let (us_per_byte, bytes_per_byte) = (ns / 1e3 / len, table_bytes(n_nodes) / len);
        println!("  checksum of 64 KiB: {us_per_byte:.3} us a byte (at most 0.5), {bytes_per_byte:.0} B of table a byte (at most 250)");
        Ok(())
    }

    fn crc(&self) -> Result<()> {
        let program = self.compile(&release("gimlet-cc"), "-O2", "crc")?;
        let (ns, n_nodes) = self.best_traced(&program, &pseudo_random(1024))?;
        println!("  table CRC of 1 KiB: {:.2} ms (at most 3), {n_nodes} expressions", ns / 1e6);
        Ok(())
    }

    fn empty(&self) -> Result<()> {
        let program = self.compile(&release("gimlet-cc"), "-O2", "empty")?;
        let us = gimlet::repeat(&self.subject(&program, Vec::new()), EMPTY_RUNS, LIMIT)?;
        println!("  empty run through the fork server: {:.3} ms (at most 1)", us / 1e3);
        let options = TargetOptions { output: Output::Null, ..TargetOptions::default() };
        let mut target = EdgesTarget::new(&beside(&program, Twin::Edges), &[], options)?;
        let input = Input::stdin("");
        target.run(&input)?;
        let begin = Instant::now();
        for _ in 0..EMPTY_RUNS {
            target.run(&input)?;
        }
        let ms = begin.elapsed().as_secs_f64() * 1e3 / f64::from(EMPTY_RUNS);
        println!("  empty run of PROG.edges through its fork server: {ms:.3} ms");
        Ok(())
    }

    /// A scanner of flex and a parser of bison on 30 bytes.
    fn calculator(&self) -> Result<()> {
        let folder = self.scratch.join("calculator");
        std::fs::create_dir_all(&folder)?;
        let project = root().join("tests/projects/calculator");
        for file in ["Makefile", "parse.y", "scan.l"] {
            std::fs::copy(project.join(file), folder.join(file))?;
        }
        let compiler = format!("CC={}", release("gimlet-cc").display());
        process::run(Command::new("make").args(["-s", "-C"]).arg(&folder).args(["clean", "calculator"]).arg(compiler))?;
        let input = self.scratch.join("input");
        std::fs::write(&input, CALCULATION)?;
        let program = folder.join("calculator");
        let subject = self.subject(&program, vec!["--stdin".into(), input.into()]);
        let traced = gimlet::repeat(&subject, EMPTY_RUNS, LIMIT)? / 1e3;
        let plain = beside(&program, Twin::Plain);
        let mut runs = Vec::new();
        for _ in 0..EMPTY_RUNS {
            let begin = Instant::now();
            capture(&mut Command::new(&plain), CALCULATION, LIMIT, &self.scratch)?;
            runs.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        let plain = runs.iter().sum::<f64>() / f64::from(EMPTY_RUNS);
        let trace = gimlet::trace(&subject, LIMIT)?;
        println!(
            "  flex and bison calculator, {} bytes: {traced:.2} ms traced, {plain:.2} ms the plain program \
             (at most 2 more), {} expressions",
            CALCULATION.len(),
            trace.n_expressions
        );
        Ok(())
    }

    fn compile(&self, compiler: &Path, level: &str, name: &str) -> Result<PathBuf> {
        let kind = compiler.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let program = self.scratch.join(format!("{name}-{kind}{level}"));
        let source = root().join("bench").join(name).with_extension("c");
        process::run(Command::new(compiler).arg(level).arg(source).arg("-o").arg(&program))?;
        Ok(program)
    }

    /// Nanoseconds that the workload took by its own clock.
    fn run(&self, program: &Path, stdin: &[u8]) -> Result<f64> {
        let times = self.times_file();
        let finished = capture(Command::new(program).arg(&times), stdin, LIMIT, &self.scratch)?;
        read_ns(&times).with_context(|| format!("{}: {}", program.display(), finished.complaint()))
    }

    /// The same with a driver, and the number of expressions.
    fn run_traced(&self, program: &Path, stdin: &[u8]) -> Result<(f64, u64)> {
        let input = self.scratch.join("input");
        std::fs::write(&input, stdin)?;
        let times = self.times_file();
        let mut subject = self.subject(program, vec!["--stdin".into(), input.into()]);
        subject.args.push(times.clone().into());
        let trace = gimlet::trace(&subject, LIMIT)?;
        Ok((read_ns(&times)?, trace.n_expressions))
    }

    fn best_traced(&self, program: &Path, stdin: &[u8]) -> Result<(f64, u64)> {
        let mut best = self.run_traced(program, stdin)?;
        for _ in 1..REPEATS {
            let (ns, _) = self.run_traced(program, stdin)?;
            best.0 = best.0.min(ns);
        }
        Ok(best)
    }

    fn subject(&self, program: &Path, options: Vec<std::ffi::OsString>) -> Subject {
        Subject { program: program.into(), options, args: Vec::new(), scratch: self.scratch.clone() }
    }

    fn times_file(&self) -> PathBuf {
        let path = self.scratch.join("times");
        // It may not be there.
        let _ = std::fs::remove_file(&path);
        path
    }
}

fn read_ns(times: &Path) -> Result<f64> {
    let text = std::fs::read_to_string(times).context("the workload told no time")?;
    text.trim().parse().with_context(|| format!("time '{}'", text.trim()))
}

/// Records, and the slots of the hash table over them, which is at most four fifths full (`table.rs` of the runtime).
fn table_bytes(n_nodes: u64) -> f64 {
    let mut n_buckets = FIRST_BUCKETS;
    while n_nodes * 5 > (n_buckets - 1) * 4 {
        n_buckets *= 2;
    }
    (n_nodes * NODE_BYTES + n_buckets * BUCKET_BYTES) as f64
}

fn pseudo_random(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}
