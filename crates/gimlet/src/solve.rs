//! `gimlet solve`: string constraints in the language of HAMPI.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use gimlet_grammar::{Severity, Source};
use gimlet_hampi::{Answer, Certificate, Cnf, Gap, Method, Problem, Solver};
use gimlet_solver::formula::{self, Decision};
use serde_json::{json, Value};

use crate::exit::{self, hinted, note, Verdict};
use crate::interrupt;
use crate::options::solve::{SolvePlan, Task};
use crate::outputs;
use gimlet_report::figures::grouped;

/// Conflicts of a formula.
const N_CONFLICTS_MAX: u32 = 100_000_000;

pub fn solve(plan: &SolvePlan) -> Result<Verdict> {
    let is_about_proof = !matches!(plan.task, Task::Solve { certificate: None, .. });
    if is_about_proof && plan.files.len() > 1 {
        return Err(hinted("a proof is for one file", "name one FILE.hmp"));
    }
    if plan.files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        return Err(hinted("standard input can be read once", "name - once"));
    }
    let mut worst = Verdict::Good;
    for file in &plan.files {
        let solved = read(file).and_then(|problem| match &plan.task {
            Task::Check(proof) => check(&problem, proof),
            Task::Solve { n_wanted, certificate } => answer(plan, file, &problem, *n_wanted, certificate.as_deref()),
        });
        let verdict = match solved {
            // The others may be better.
            Err(error) if plan.files.len() > 1 => {
                exit::report(&error);
                Verdict::Incomplete
            }
            solved => solved?,
        };
        worst = match (worst, verdict) {
            (Verdict::Incomplete, _) | (_, Verdict::Incomplete) => Verdict::Incomplete,
            (Verdict::Bad, _) | (_, Verdict::Bad) => Verdict::Bad,
            (worst, _) => worst,
        };
        if interrupt::received().is_some() {
            break;
        }
    }
    Ok(worst)
}

fn read(path: &Path) -> Result<Problem> {
    let unreadable = |error: std::io::Error| {
        hinted(format!("cannot read {}: {error}", path.display()), "name a file of constraints: FILE.hmp")
    };
    let mut bytes = Vec::new();
    match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_end(&mut bytes).map_err(unreadable)?,
        false => fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(unreadable)?,
    };
    let Ok(text) = String::from_utf8(bytes) else {
        let hint = "write other bytes by their codes, such as \\255";
        return Err(hinted(format!("{} is no text in UTF-8", path.display()), hint));
    };
    let source = Source::new(path.display().to_string(), text);
    let (problem, remarks) = match Problem::read(&source) {
        Ok((problem, remarks)) => (Some(problem), remarks),
        Err(errors) => (None, errors),
    };
    remarks.iter().for_each(|it| tell!("{}", it.render(&source)));
    let n_errors = remarks.iter().filter(|it| it.severity == Severity::Error).count();
    problem.ok_or_else(|| {
        let errors = if n_errors == 1 { "an error".to_owned() } else { format!("{n_errors} errors") };
        hinted(format!("{} has {errors}", path.display()), "README.md shows what such a file may say")
    })
}

fn check(problem: &Problem, path: &Path) -> Result<Verdict> {
    let hint = "name a file that `gimlet solve --certificate` wrote";
    let text =
        fs::read_to_string(path).map_err(|error| hinted(format!("cannot read {}: {error}", path.display()), hint))?;
    let certificate = serde_json::from_str::<Value>(&text).ok().and_then(|value| Certificate::from_json(&value));
    let Some(certificate) = certificate else {
        return Err(hinted(format!("{} is no proof", path.display()), hint));
    };
    match certificate.check(problem) {
        Ok(true) => say!("proved: there is a value"),
        Ok(false) => say!("proved: there is no value"),
        Err(error) => {
            say!("not proved: {error}");
            return Ok(Verdict::Bad);
        }
    }
    Ok(Verdict::Good)
}

fn answer(
    plan: &SolvePlan,
    file: &Path,
    problem: &Problem,
    n_wanted: Option<u64>,
    certificate: Option<&Path>,
) -> Result<Verdict> {
    let name_of_file = if plan.files.len() > 1 { format!("{}: ", file.display()) } else { String::new() };
    let begin = Instant::now();
    let deadline = plan.timeout.map(|timeout| begin + timeout);
    let is_stopped = || interrupt::received().is_some() || deadline.is_some_and(|it| Instant::now() >= it);
    let mut n_clauses = 0;
    let mut decide = |cnf: &Cnf| {
        n_clauses = n_clauses.max(cnf.clauses.len());
        match formula::decide(cnf.n_variables, &cnf.clauses, N_CONFLICTS_MAX, &is_stopped) {
            Decision::Sat(values) => gimlet_hampi::Verdict::Sat(values),
            Decision::Unsat => gimlet_hampi::Verdict::Unsat,
            Decision::OutOfBudget | Decision::Stopped => gimlet_hampi::Verdict::Unknown,
        }
    };
    let mut solver = Solver::new(problem).with_sat(&mut decide).stopped_by(&is_stopped);
    let mut values: Vec<Vec<u8>> = Vec::new();
    let mut gap = None;
    while (values.len() as u64) < n_wanted.unwrap_or(1) {
        match solver.solve() {
            Answer::Sat(value) => {
                if !plan.is_json {
                    say!("{name_of_file}{{VAR({})={}}}", problem.variable, shown(&value));
                }
                values.push(value);
            }
            Answer::Unsat => break,
            Answer::Unknown(found) => {
                gap = Some(found);
                break;
            }
        }
    }
    let took = begin.elapsed();
    let verdict = match (values.is_empty(), gap) {
        (_, Some(_)) => "UNKNOWN",
        (true, None) => "UNSAT",
        (false, None) => "SAT",
    };
    let method = solver.method();
    if plan.is_json {
        let bytes: Vec<Value> = values.iter().map(|value| json!(value)).collect();
        let nanoseconds = took.as_nanos() as u64;
        let (file, by) = (file.display().to_string(), name(method));
        let variable = &problem.variable;
        say!(
            "{}",
            json!({ "file": file, "answer": verdict, "variable": variable, "values": bytes, "by": by, "nanoseconds": nanoseconds })
        );
    } else if values.is_empty() {
        say!("{name_of_file}{verdict}");
    }
    if let (Some(path), None) = (certificate, gap) {
        let proof = solver.certificate(values.first().map(Vec::as_slice));
        write_proof(path, proof, problem)?;
    }
    if plan.has_stats {
        let n_asked = solver.n_asked();
        drop(solver);
        let clauses = if n_clauses > 0 { format!(", {} clauses", grouped(n_clauses as u64)) } else { String::new() };
        let questions = if n_asked > 1 { format!(", {} questions", grouped(n_asked)) } else { String::new() };
        let took_ms = took.as_secs_f64() * 1e3;
        note(&format!("{verdict} by {} in {took_ms:.3} ms{questions}{clauses}", name(method)));
    }
    match (gap, values.is_empty()) {
        (Some(gap), _) => {
            tell!("gimlet: {name_of_file}{}", why(gap, deadline.is_some_and(|it| Instant::now() >= it)));
            Ok(Verdict::Incomplete)
        }
        (None, true) => Ok(Verdict::Bad),
        (None, false) => Ok(Verdict::Good),
    }
}

fn write_proof(path: &Path, proof: Result<Option<Certificate>, Gap>, problem: &Problem) -> Result<()> {
    let none = match &proof {
        Ok(Some(_)) => None,
        Ok(None) => Some("a solver for propositional logic gave the answer"),
        Err(gap) => Some(why(*gap, false)),
    };
    if let Some(none) = none {
        // One of another answer would be taken for it.
        let removed =
            if fs::remove_file(path).is_ok() { format!("; {} was removed", path.display()) } else { String::new() };
        note(&format!("there is no proof: {none}{removed}"));
        return Ok(());
    }
    let Ok(Some(proof)) = proof else { return Ok(()) };
    if let Err(error) = proof.check(problem) {
        return Err(hinted(format!("the proof is refused: {error}"), "this is an error of Gimlet: please report it"));
    }
    outputs::write(path, format!("{}\n", proof.to_json()))
}

fn name(method: Method) -> &'static str {
    match method {
        Method::Constant => "its texts alone",
        Method::Automaton => "an automaton",
        Method::Chart => "a chart",
        Method::Sat => "propositional logic",
    }
}

fn why(gap: Gap, is_late: bool) -> &'static str {
    match gap {
        _ if is_late => "the time is over",
        Gap::TooLarge => "this takes more memory or time than there is: choose a smaller size",
        Gap::Stopped => "stopped",
        Gap::NoSolver | Gap::GaveUp => "the solver for propositional logic gave up",
        Gap::Refuted => "a value was found that is none: this is an error of Gimlet, please report it",
    }
}

/// What a terminal would not show is written by its code, as in a file of constraints.
fn shown(value: &[u8]) -> String {
    let byte = |&byte: &u8| match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03}"),
    };
    value.iter().map(byte).collect()
}
