//! `gimlet stats`: how a search went, or how it goes while it runs.
//!
//! Everything comes from the folder: the store, which can be read while somebody writes it, and `gimlet.json`. As JSON it
//! has the fields of a summary ([`gimlet_explore::summary`]), and `program`, `args`, `resume`.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use gimlet_explore::record::{self, Record, State};
use gimlet_explore::snapshot::{Maker, Snapshot};
use gimlet_explore::strategy::Side;
use gimlet_explore::{corpus, summary};
use serde_json::json;

use crate::exit::{hinted, Verdict};
use crate::explore::{finding_line, reason};
use crate::figures::{clock, grouped, percent, printable, span};
use crate::manifest::Manifest;
use crate::options::StatsPlan;
use crate::replay::Again;
use crate::subject::shell_word;

/// Kinds of divergences and losses that a text shows.
const N_KINDS_SHOWN: usize = 5;

pub fn stats(plan: &StatsPlan) -> Result<Verdict> {
    let out = &plan.folder;
    check(out)?;
    let manifest = Manifest::read(out)?;
    let Some(record) = record::read(out)? else {
        return Err(hinted(
            format!("{} has tests, but no store that says how they came about", out.display()),
            "gimlet replay and gimlet cov work on the tests alone; --resume begins with them",
        ));
    };
    if plan.is_json {
        let mut value = summary::of_record(&record);
        let args: Vec<_> = manifest.args().iter().map(|arg| arg.to_string_lossy()).collect();
        value["program"] = json!(manifest.program().to_string_lossy());
        value["args"] = json!(args);
        value["strategy"] = json!(manifest.strategy().name());
        value["seed"] = json!(manifest.seed());
        value["jobs"] = json!(manifest.n_workers());
        value["resume"] = json!(resume(out));
        say!("{}", serde_json::to_string_pretty(&value)?);
    } else {
        say!("{}", text(&record, &manifest, out).trim_end());
    }
    Ok(Verdict::Good)
}

/// What a folder is not.
fn check(out: &Path) -> Result<()> {
    let hint = "name the folder that `gimlet run -o` made";
    if !out.exists() {
        return Err(hinted(format!("{}: no such folder", out.display()), hint));
    }
    if !out.is_dir() {
        return Err(hinted(format!("{} is no folder", out.display()), hint));
    }
    if !record::is_of_search(out) {
        return Err(hinted(format!("{} does not hold the results of a search", out.display()), hint));
    }
    if !out.join(corpus::MANIFEST).exists() && record::user_of(out).is_some() {
        return Err(hinted(format!("the search in {} has only begun", out.display()), "wait a moment"));
    }
    Ok(())
}

/// How to go on.
fn resume(out: &Path) -> String {
    format!("gimlet run --resume -o {}", shell_word(&out.to_string_lossy()))
}

fn text(record: &Record, manifest: &Manifest, out: &Path) -> String {
    let figures = &record.snapshot;
    let mut lines = Lines::default();
    let mut command = vec![shell_word(&manifest.program().to_string_lossy())];
    command.extend(manifest.args().iter().map(|arg: &_| shell_word(&OsStr::to_string_lossy(arg))));
    lines.add("program", &command.join(" "));
    let version = record.version.as_deref().unwrap_or("of an unknown version");
    lines.add("build", &format!("{:016x}, explored by gimlet {version}", record.build));
    lines.add("state", &state(record));
    lines.add("strategy", &format!("{}, seed {}", manifest.strategy().name(), manifest.seed()));
    lines.add("time", &format!("{}, last new {} before that", clock(figures.elapsed), span(figures.since_new)));
    search_lines(&mut lines, figures);
    question_lines(&mut lines, figures);
    doubt_lines(&mut lines, record);
    lines.add("findings", &grouped(record.findings.len() as u64));
    let again = Again::new(manifest, out);
    for finding in &record.findings {
        lines.add("", &printable(&finding_line(finding, out)));
        lines.add("", &format!("  {}", printable(&again.command(&out.join(&finding.path)))));
    }
    if !matches!(record.state, State::Running { .. }) {
        lines.add("go on with", &resume(out));
    }
    lines.text
}

fn state(record: &Record) -> String {
    match &record.state {
        State::Running { pid: Some(pid) } => format!("running, process {pid}"),
        State::Running { pid: None } => "running, in another container".to_owned(),
        State::Ended(why) => format!("ended: {}", reason(why, record.is_exhausted)),
        State::Interrupted => "interrupted".to_owned(),
    }
}

fn search_lines(lines: &mut Lines, figures: &Snapshot) {
    let counts = &figures.counts;
    let speed = counts.executions as f64 / figures.elapsed.as_secs_f64().max(0.001);
    lines.add("runs", &format!("{}, {} a second", grouped(counts.executions), grouped(speed.round() as u64)));
    for side in Side::ALL {
        let spent = figures.made_by[side as usize];
        let time = clock(Duration::from_secs_f64(spent.seconds.max(0.0)));
        let (n_runs, n_branches) = (grouped(spent.n_runs), grouped(spent.n_branches));
        lines.add("", &format!("{:<9} {n_runs} in {time}, {n_branches} new branches", side.name()));
    }
    let makers = Maker::ALL.into_iter().zip(figures.tests).filter(|(_, count)| *count > 0);
    let makers: Vec<String> = makers.map(|(maker, count)| format!("{} {}", grouped(count), maker.name())).collect();
    let makers = if makers.is_empty() { String::new() } else { format!(": {}", makers.join(", ")) };
    lines.add("tests", &format!("{}{makers}", grouped(figures.n_tests())));
    lines.add("paths", &grouped(figures.n_paths));
    let share = percent(figures.n_covered as f64, figures.n_branches as f64);
    lines.add("branches", &format!("{} of {}, {share:.1} %", grouped(figures.n_covered), grouped(figures.n_branches)));
    lines.add("waiting", &grouped(figures.n_waiting));
}

fn question_lines(lines: &mut Lines, figures: &Snapshot) {
    let queries = &figures.queries;
    lines.add(
        "questions",
        &format!(
            "{}: {} sat, {} unsat, {} unknown",
            grouped(queries.n_total),
            grouped(queries.n_sat),
            grouped(queries.n_unsat),
            grouped(queries.n_unknown)
        ),
    );
    for (layer, stats) in queries.layers().filter(|(_, stats)| stats.n_asked > 0) {
        let n_answered = stats.n_sat + stats.n_unsat;
        let (answered, asked) = (grouped(n_answered), grouped(stats.n_asked));
        lines.add("", &format!("{:<9} answered {answered} of {asked} in {}", layer.name(), span(stats.time)));
    }
}

/// What was lost or went elsewhere.
fn doubt_lines(lines: &mut Lines, record: &Record) {
    let counts = &record.snapshot.counts;
    lines.add("elsewhere", &format!("{} of {} flips", grouped(counts.divergences), grouped(counts.flips)));
    let kinds = record.divergences.iter().map(|kind| (kind.explanation.as_str(), kind.count));
    lines.kinds(kinds.collect());
    lines.add("lost", &format!("{} dependencies", grouped(counts.losses)));
    lines.kinds(record.losses.iter().map(|(what, count)| (what.as_str(), *count)).collect());
    for (count, what) in [
        (counts.dropped, "traces were cut short or have forked processes"),
        (counts.stopped, "runs were stopped"),
        (counts.unknown, "questions were too hard"),
        (counts.forgotten, "questions were forgotten for want of memory"),
        (counts.unrepeated, "runs ended badly only once, or only with labels: they are no findings"),
        (counts.unjudged, "pointers had no object that is known: accesses through them were not checked"),
    ] {
        if count > 0 {
            lines.add("", &format!("{} {what}", grouped(count)));
        }
    }
}

/// Lines with a word in front.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, word: &str, text: &str) {
        let _ = writeln!(self.text, "{word:<11} {text}");
    }

    /// The most frequent ones.
    fn kinds(&mut self, mut kinds: Vec<(&str, u64)>) {
        kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        for (what, count) in kinds.iter().take(N_KINDS_SHOWN) {
            self.add("", &format!("{} x {}", grouped(*count), printable(what)));
        }
        if kinds.len() > N_KINDS_SHOWN {
            self.add("", &format!("and {} more kinds, see --json", kinds.len() - N_KINDS_SHOWN));
        }
    }
}
