//! `cargo xtask bench hampi`: string constraints, beside solvers that have to be told what a grammar is.
//!
//! `bench/hampi/instances.py` makes the instances, and checks every value with its own table of Cocke, Younger and Kasami.
//! `bench/hampi/rival.py` has the other solvers: expressions for all strings of a length, as HAMPI writes them, for Z3 and
//! cvc5, and the same table over Boolean variables for Z3. That there is no value is checked against them. Their times are of
//! the processor, for the check alone, ours are by the clock; what takes longer than the limit counts as that.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use clap::value_parser;
use serde_json::Value;

use crate::process::{self, capture};
use crate::worker::{self, Checked};
use crate::workspace::{self, release, root, target_dir};

const N_INSTANCES: u64 = 1_000;
const RIVALS: [&str; 3] = ["z3-cyk", "z3-re", "cvc5-re"];
const PACKAGES: [&str; 2] = ["z3-solver", "cvc5"];
/// For all instances together.
const LIMIT: Duration = Duration::from_secs(600);
const PROGRESS_EVERY: Duration = Duration::from_secs(30);
/// How many times as fast we want to be.
const FACTOR: f64 = 100.0;

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// So many instances
    #[arg(long = "instances", value_name = "N", value_parser = value_parser!(u64).range(1..), default_value_t = N_INSTANCES)]
    n_instances: u64,
    /// Of the processor for one instance
    #[arg(long, value_name = "S", value_parser = value_parser!(u64).range(1..), default_value_t = 1)]
    seconds: u64,
}

impl Options {
    fn limit(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// One solver and what it found, by instance.
struct Solver {
    name: String,
    found: HashMap<String, Checked>,
}

/// Compares and prints; false if a value is none, two verdicts contradict each other, or we are not fast enough.
pub fn bench(options: &Options) -> Result<bool> {
    workspace::build_for_tests()?;
    let python = worker::python(&PACKAGES)?;
    let home = target_dir().join("hampi");
    let folder = home.join("instances");
    let script = root().join("bench/hampi/instances.py");
    let count = options.n_instances.to_string();
    process::run(Command::new(&python).arg(&script).arg("make").arg(&folder).arg(&count))?;
    let names: Vec<String> = (0..options.n_instances).map(|number| format!("{number:04}")).collect();
    let answers = home.join("answers.jsonl");
    let mut solvers = vec![own(&folder, &names, &answers)?];
    let checked = process::output(Command::new(&python).arg(&script).arg("check").arg(&folder).arg(&answers));
    let checked = checked.context("values can't be checked")?;
    println!("values of Gimlet: {checked}");
    for name in RIVALS {
        solvers.push(rival(name, &python, &folder, &names, options.limit())?);
    }
    let (text, is_good) = report(&names, &solvers, options.limit());
    let plot = home.join("cactus.svg");
    fs::write(&plot, cactus(&names, &solvers))?;
    fs::write(home.join("report.txt"), &text)?;
    println!("\n{text}\nalso in {}, with {}", home.join("report.txt").display(), plot.display());
    Ok(is_good && checked.trim() == "0 wrong")
}

/// Gimlet's answers.
fn own(folder: &Path, names: &[String], answers: &Path) -> Result<Solver> {
    let scratch = workspace::scratch("hampi")?;
    let mut gimlet = Command::new(release("gimlet"));
    gimlet.args(["solve", "--json"]).args(names.iter().map(|name| folder.join(name).with_extension("hmp")));
    let finished = capture(&mut gimlet, b"", LIMIT, &scratch)?;
    let text = finished.text();
    fs::write(answers, &text)?;
    let mut found = HashMap::new();
    for line in text.lines() {
        let answer: Value = serde_json::from_str(line).with_context(|| finished.complaint())?;
        let name = Path::new(answer["file"].as_str().unwrap_or_default()).file_stem().unwrap_or_default();
        let verdict = answer["answer"].as_str().unwrap_or_default().to_lowercase();
        let time = Duration::from_nanos(answer["nanoseconds"].as_u64().unwrap_or_default());
        found.insert(name.to_string_lossy().into_owned(), Checked { verdict, time });
    }
    ensure!(
        found.len() == names.len(),
        "{} answers for {} instances: {}",
        found.len(),
        names.len(),
        finished.complaint()
    );
    Ok(Solver { name: "gimlet".to_owned(), found })
}

/// What another solver finds; what it found before is not asked again.
fn rival(name: &str, python: &Path, folder: &Path, names: &[String], limit: Duration) -> Result<Solver> {
    let path = target_dir().join("hampi").join(format!("{name}-{}s.tsv", limit.as_secs()));
    let text = fs::read_to_string(&path).unwrap_or_default();
    let n_whole = text.rfind('\n').map_or(0, |end| end + 1);
    fs::write(&path, &text[..n_whole])?;
    let mut found = worker::results(&text[..n_whole])?;
    let mut file = File::options().append(true).open(&path)?;
    let script = root().join("bench/hampi/rival.py");
    let command = || {
        let mut command = Command::new(python);
        command.arg(&script).arg(name).arg(limit.as_secs().to_string()).arg(folder);
        command
    };
    let (mut worker, mut last_progress) = (None, Instant::now());
    for (number, instance) in names.iter().enumerate() {
        if !found.contains_key(instance) {
            let checked = worker::ask(&mut worker, command, instance, limit)?;
            writeln!(file, "{instance}\t{}\t{}", checked.verdict, checked.time.as_nanos())?;
            found.insert(instance.clone(), checked);
        }
        if last_progress.elapsed() > PROGRESS_EVERY {
            last_progress = Instant::now();
            println!("{name}: {} of {} instances", number + 1, names.len());
        }
    }
    Ok(Solver { name: name.to_owned(), found })
}

fn report(names: &[String], solvers: &[Solver], limit: Duration) -> (String, bool) {
    let mut text = format!(
        "{} instances, {} s each\nsolver      sat  unsat  none   seconds   times ours\n",
        names.len(),
        limit.as_secs()
    );
    let total =
        |solver: &Solver| names.iter().filter_map(|name| solver.found.get(name)).map(|it| it.time).sum::<Duration>();
    let ours = total(&solvers[0]).as_secs_f64();
    let mut is_good = true;
    for solver in solvers {
        let count = |verdict: &str| names.iter().filter(|name| solver.found[*name].verdict == verdict).count();
        let (n_sat, n_unsat) = (count("sat"), count("unsat"));
        let seconds = total(solver).as_secs_f64();
        let n_none = names.len() - n_sat - n_unsat;
        let _ =
            writeln!(text, "{:10} {n_sat:4} {n_unsat:6} {n_none:5} {seconds:9.2} {:12.0}", solver.name, seconds / ours);
        is_good &= solver.name == "gimlet" || seconds / ours >= FACTOR;
    }
    for name in names {
        let own = &solvers[0].found[name].verdict;
        if own != "sat" && own != "unsat" {
            let _ = writeln!(text, "{name}: gimlet says {own}");
            is_good = false;
        }
        for other in &solvers[1..] {
            let verdict = &other.found[name].verdict;
            let is_other = matches!(verdict.as_str(), "sat" | "unsat") && verdict != own;
            if is_other || verdict == "wrong" {
                let _ = writeln!(text, "{name}: gimlet says {own}, {} {verdict}", other.name);
                // A value of another solver that is none is its own affair.
                is_good &= !is_other;
            }
        }
    }
    (text, is_good)
}

/// How many instances each solves within a time: the times of a solver in ascending order, on a logarithmic scale.
fn cactus(names: &[String], solvers: &[Solver]) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 400.0;
    const MARGIN: f64 = 60.0;
    // Microseconds, from ten to a hundred million.
    const DECADES: (i32, i32) = (1, 8);
    const COLOURS: [&str; 4] = ["#0b6e4f", "#c0392b", "#2c5aa0", "#8e6c0a"];
    let x = |number: usize| MARGIN + WIDTH * number as f64 / names.len() as f64;
    let y = |micros: f64| {
        let place = (micros.max(1.0).log10() - f64::from(DECADES.0)) / f64::from(DECADES.1 - DECADES.0);
        MARGIN + HEIGHT * (1.0 - place.clamp(0.0, 1.0))
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n",
        WIDTH + 3.0 * MARGIN,
        HEIGHT + 2.0 * MARGIN
    );
    for decade in DECADES.0..=DECADES.1 {
        let at = y(10f64.powi(decade));
        let label =
            ["10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"][(decade - DECADES.0) as usize];
        let _ =
            writeln!(svg, "<line x1=\"{MARGIN}\" y1=\"{at}\" x2=\"{}\" y2=\"{at}\" stroke=\"#ddd\"/>", MARGIN + WIDTH);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>", MARGIN - 6.0, at + 4.0);
    }
    for quarter in 0..=4 {
        let number = names.len() * quarter / 4;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{number}</text>",
            x(number),
            MARGIN + HEIGHT + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">instances solved</text>",
        MARGIN + WIDTH / 2.0,
        MARGIN + HEIGHT + 38.0
    );
    for (solver, colour) in solvers.iter().zip(COLOURS) {
        let solved =
            names.iter().map(|name| &solver.found[name]).filter(|it| matches!(it.verdict.as_str(), "sat" | "unsat"));
        let mut times: Vec<f64> = solved.map(|it| it.time.as_secs_f64() * 1e6).collect();
        times.sort_by(f64::total_cmp);
        let points: Vec<String> = times
            .iter()
            .enumerate()
            .map(|(number, &micros)| format!("{:.1},{:.1}", x(number + 1), y(micros)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            points.join(" ")
        );
        let last = times.last().copied().unwrap_or(1.0);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" fill=\"{colour}\">{}</text>",
            x(times.len()) + 4.0,
            y(last) + 4.0,
            solver.name
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::options;
    use crate::worker::TIMEOUT;

    fn solver(name: &str, verdicts: [&str; 2]) -> Solver {
        let checked = |verdict: &str| Checked {
            verdict: verdict.to_owned(),
            time: Duration::from_millis(if name == "gimlet" { 1 } else { 500 }),
        };
        let found =
            verdicts.iter().enumerate().map(|(number, verdict)| (number.to_string(), checked(verdict))).collect();
        Solver { name: name.to_owned(), found }
    }

    #[test]
    fn contradictions_are_told() {
        let names = ["0".to_owned(), "1".to_owned()];
        let judge = |own: [&str; 2], other: [&str; 2]| {
            report(&names, &[solver("gimlet", own), solver("z3", other)], Duration::from_secs(1)).1
        };
        assert!(judge(["sat", "unsat"], ["sat", TIMEOUT]));
        assert!(!judge(["sat", "unsat"], ["unsat", "unsat"]));
        assert!(!judge(["sat", "unknown"], ["sat", "unsat"]));
        assert!(cactus(&names, &[solver("gimlet", ["sat", "unsat"])]).contains("polyline"));
    }

    #[test]
    fn options_are_read() {
        let asked = options::<Options>(&["--instances", "30", "--seconds", "2"]).unwrap();
        assert_eq!(asked, Options { n_instances: 30, seconds: 2 });
        for bad in [&["--instances"][..], &["--instances", "0"], &["-x", "1"]] {
            assert!(options::<Options>(bad).is_err(), "{bad:?}");
        }
    }
}
