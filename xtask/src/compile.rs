//! `cargo xtask bench compile`: what `gimlet-cc` takes to compile real sources, beside clang.
//!
//! A subject is built with a compiler that notes each compilation (`bench/compile/record-cc`); these are done again one by
//! one by clang and by gimlet-cc (`measure`). Processor time counts, so that other programs on the machine matter little.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};

use crate::process::capture;
use crate::subjects::{self, Build};
use crate::workspace::{self, root, target_dir};

/// Where nothing is named.
const SUBJECTS: [&str; 5] = ["bc", "expat", "jq", "lua5.4", "sqlite3"];
const GENERATED: &str = "generated";
/// Cases of the switch in each function of a generated source. All sources have as many cases together.
const CASES: [usize; 5] = [25, 50, 100, 200, 400];
const CASES_TOGETHER: usize = 800;
/// Files that are shown by themselves: those that clang takes longest for.
const N_SHOWN: usize = 8;
const LIMIT: Duration = Duration::from_secs(7200);

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The memory build, too
    #[arg(long)]
    memory: bool,
    /// Subjects, or `generated` [default: bc expat jq lua5.4 sqlite3 generated]
    names: Vec<String>,
}

/// What a compiler took for a source.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Cost {
    seconds: f64,
    /// Of code; none if it does not compile.
    bytes: Option<f64>,
}

/// A source, and what each compiler took for it, clang first.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    source: String,
    costs: Vec<Cost>,
}

/// Measures and prints everything.
pub fn bench(options: &Options) -> Result<bool> {
    workspace::build_for_tests()?;
    let names: Vec<&str> = match options.names.is_empty() {
        true => SUBJECTS.into_iter().chain([GENERATED]).collect(),
        false => options.names.iter().map(String::as_str).collect(),
    };
    let home = target_dir().join("compile");
    println!("\nprocessor seconds of clang -c, and how many times that gimlet-cc takes and makes of code");
    for name in names {
        let home = home.join(name);
        std::fs::create_dir_all(&home).with_context(|| format!("can't make {}", home.display()))?;
        let measured = match name {
            GENERATED => generated(&home, options),
            _ => subject(name, &home, options),
        };
        print!("{}", table(name, &measured.with_context(|| name.to_owned())?));
        if name != GENERATED {
            println!("{}", configuring(name, &home)?);
        }
    }
    Ok(true)
}

/// What the sources are compiled with.
fn compilers(options: &Options) -> Vec<&'static str> {
    let memory = options.memory.then_some("gimlet-cc --with=memory");
    ["clang-19", "gimlet-cc"].into_iter().chain(memory).collect()
}

fn script(name: &str) -> String {
    root().join("bench/compile").join(name).display().to_string()
}

fn subject(name: &str, home: &Path, options: &Options) -> Result<Vec<Row>> {
    let recorder = script("record-cc");
    let build = Build::reuse(name, &recorder, "", home, "tree")?;
    ensure!(build.tree.join(".compiled").exists(), "its build compiles nothing");
    let mut measure = Command::new(script("measure"));
    measure.arg(format!("{}/.compiled", subjects::TREE)).args(compilers(options));
    println!("  measuring {name}");
    let finished = build.run(&measure, home, &home.join("out"), LIMIT)?;
    ensure!(finished.is_success(), "{}", finished.complaint());
    rows(&finished.text())
}

/// How much longer the recipe's `configure` takes, which compiles many tiny programs.
fn configuring(name: &str, home: &Path) -> Result<String> {
    let clang = subjects::configure(name, "clang-19", home)?.as_secs_f64();
    let ours = subjects::configure(name, "gimlet-cc", home)?.as_secs_f64();
    Ok(format!("  {:<36} {clang:8.2} {:8.1}", "(configure)", ours / clang))
}

/// Sources with as much code, in ever larger functions.
fn generated(home: &Path, options: &Options) -> Result<Vec<Row>> {
    let mut list = String::new();
    for n_cases in CASES {
        let file = format!("cases{n_cases}.c");
        std::fs::write(home.join(&file), source(CASES_TOGETHER / n_cases, n_cases))?;
        writeln!(list, "{} {file} -O2 -g", home.display())?;
    }
    let compiled = home.join("compiled");
    std::fs::write(&compiled, list)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let tools = std::iter::once(target_dir().join("release")).chain(std::env::split_paths(&path));
    let mut measure = Command::new(script("measure"));
    measure.arg(&compiled).args(compilers(options)).env("PATH", std::env::join_paths(tools)?);
    let finished = capture(&mut measure, b"", LIMIT, home)?;
    ensure!(finished.is_success(), "{}", finished.complaint());
    rows(&finished.text())
}

/// Functions that each scan a text by a loop with a switch.
fn source(n_functions: usize, n_cases: usize) -> String {
    let mut text = String::from("#include <stddef.h>\nunsigned state[64];\n");
    for function in 0..n_functions {
        let _ = writeln!(
            text,
            "unsigned scan{function}(const unsigned char *text, size_t n)\n{{\n    unsigned sum = {function};\n    \
             for (size_t at = 0; at < n; at++)\n        switch ((text[at] | sum << 8) % {n_cases}) {{"
        );
        for case in 0..n_cases {
            let (from, to) = (case % 64, case * 7 % 64);
            let _ = writeln!(
                text,
                "        case {case}:\n            if (at + 1 < n && text[at + 1] == {})\n                state[{to}] += \
                 state[{from}] ^ sum;\n            sum = sum * {} + text[at];\n            break;",
                33 + case % 90,
                2 * case + 3
            );
        }
        text.push_str("        }\n    return sum;\n}\n");
    }
    text
}

/// What `measure` writes.
fn rows(text: &str) -> Result<Vec<Row>> {
    let cost = |pair: &[&str]| -> Result<Cost> {
        let [seconds, bytes] = pair else { bail!("a time without a size") };
        Ok(Cost { seconds: seconds.parse().context("no time")?, bytes: bytes.parse().ok() })
    };
    let row = |line: &str| -> Result<Row> {
        let cells: Vec<&str> = line.split('\t').collect();
        let (source, costs) = cells.split_first().context("an empty line")?;
        Ok(Row { source: (*source).to_owned(), costs: costs.chunks(2).map(cost).collect::<Result<_>>()? })
    };
    text.lines().map(|line| row(line).with_context(|| line.to_owned())).collect()
}

/// What all take together, and the largest by themselves. Sources that one of the compilers refuses are only counted.
fn table(name: &str, rows: &[Row]) -> String {
    let is_whole = |row: &&Row| row.costs.iter().all(|cost| cost.bytes.is_some());
    let mut whole: Vec<&Row> = rows.iter().filter(is_whole).collect();
    let n_refused = rows.len() - whole.len();
    if name != GENERATED {
        whole.sort_by(|one, other| other.costs[0].seconds.total_cmp(&one.costs[0].seconds));
    }
    let mut text = format!("{name}: {} sources", whole.len());
    if n_refused > 0 {
        let _ = write!(text, ", {n_refused} more are not compiled by all");
    }
    text.push('\n');
    let Some(n_compilers) = whole.first().map(|row| row.costs.len()) else { return text };
    let sum = |of: usize| {
        let costs = || whole.iter().map(|row| row.costs[of]);
        Cost {
            seconds: costs().map(|cost| cost.seconds).sum(),
            bytes: Some(costs().filter_map(|cost| cost.bytes).sum()),
        }
    };
    let all = Row { source: "together".to_owned(), costs: (0..n_compilers).map(sum).collect() };
    whole.iter().take(N_SHOWN).copied().chain([&all]).for_each(|row| text += &line(row));
    text
}

/// Seconds of clang, then what it is multiplied by: time and code for each other compiler.
fn line(row: &Row) -> String {
    let (clang, others) = (row.costs[0], &row.costs[1..]);
    let mut text = format!("  {:<36} {:8.2}", row.source, clang.seconds);
    for cost in others {
        let bytes = cost.bytes.unwrap_or(0.0) / clang.bytes.unwrap_or(1.0).max(1.0);
        let _ = write!(text, " {:8.1} {bytes:8.1}", cost.seconds / clang.seconds.max(1e-3));
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_read() {
        let read = rows("a.c\t0.50\t1000\t2.00\t3000\nb.c\t0.10\t\t0.20\t\n").unwrap();
        let cost = |seconds, bytes| Cost { seconds, bytes };
        assert_eq!(read[0].costs, [cost(0.5, Some(1000.0)), cost(2.0, Some(3000.0))]);
        assert_eq!(read[1].costs[0], cost(0.1, None));
        assert!(rows("a.c\t0.50\n").is_err() && rows("a.c\tlong\t1\n").is_err());
        let shown = table("x", &read);
        assert!(shown.starts_with("x: 1 sources, 1 more are not compiled by all\n"), "{shown}");
        assert!(shown.lines().any(|line| line.split_whitespace().eq(["together", "0.50", "4.0", "3.0"])), "{shown}");
    }

    #[test]
    fn generated_sources_have_as_much_code() {
        let count = |n_cases: usize| source(CASES_TOGETHER / n_cases, n_cases).matches("case ").count();
        assert!(CASES.into_iter().all(|n_cases| count(n_cases) == CASES_TOGETHER));
    }
}
