//! `gimlet run`: explore a program.
//!
//! What the search is stands in a [`SearchSpec`], which options, `--spec` or an earlier search fill; what follows from it
//! is `gimlet_explore`'s to know. Here are messages, the screen, and reports.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use gimlet_explore::explorer::{End, Reading};
use gimlet_explore::search::{Ready, Search};
use gimlet_explore::spec::{BuildHashes, SearchSpec};
use gimlet_explore::time::alarm::Alarm;
use gimlet_explore::Explorer;
use gimlet_path::PathCondition;
use gimlet_report::summary::summary;
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::Trace;

use crate::exit::{self, hinted, note, Verdict};
use crate::options::ExplorePlan;
use crate::replay::Again;
use crate::reports;
use crate::screen::{self, About};
use crate::{ending, interrupt, outputs};

/// What the texts of all findings may take, each of which has the path of a run: where the time is over, and else.
const HURRIED_REPORTS: Duration = Duration::from_millis(500);
const REPORTS_LIMIT: Duration = Duration::from_secs(10);

/// What is the command line's to write.
struct Output {
    folder: PathBuf,
    summary: Option<PathBuf>,
    explains_divergences: bool,
}

pub fn run(plan: &ExplorePlan) -> Result<Verdict> {
    let spec = spec(plan)?;
    if let Some(file) = &plan.prints_spec {
        return print_spec(&spec, file.as_deref());
    }
    let search = Search::new(spec)?.resuming(plan.resumes).of_worker(plan.worker);
    let search = search.interrupted_by(Some(&interrupt::INTERRUPTED));
    let search = search.with_workers_of(env::current_exe().context("finding this program")?);
    let mut ready = search.begin(&mut |text| note(text))?;
    let said = &search.spec().output;
    let output = Output {
        folder: search.out().to_owned(),
        summary: said.summary.clone(),
        explains_divergences: said.explain_divergences.unwrap_or(false),
    };
    let manifest = &ready.manifest;
    let about = About {
        program: manifest.program().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        strategy: manifest.strategy().name(),
        seed: manifest.seed(),
        n_workers: manifest.n_workers(),
        out: output.folder.clone(),
        again: Again::new(manifest, &output.folder),
    };
    let again = Again::new(manifest, &output.folder);
    explore(plan, &output, &mut ready, about, &again)
}

/// What the options say, on top of a file.
fn spec(plan: &ExplorePlan) -> Result<SearchSpec> {
    let Some(path) = &plan.spec else { return Ok(plan.said.clone()) };
    let read = SearchSpec::read(path)?;
    if plan.said.output.folder.is_none() && read.output.folder.is_none() && plan.prints_spec.is_none() {
        let message = format!("{} names no folder for the results", path.display());
        return Err(hinted(message, "-o OUT, or folder = \"OUT\" in its table output"));
    }
    let spec = plan.said.over(&read)?;
    if spec.program.path.as_os_str().is_empty() && !plan.resumes {
        return Err(hinted(format!("{} names no program", path.display()), "path = \"PROG\" in its table program"));
    }
    Ok(spec)
}

/// Writes the spec, with the hashes of what is there now.
fn print_spec(spec: &SearchSpec, file: Option<&Path>) -> Result<Verdict> {
    spec.check()?;
    let mut spec = spec.clone();
    spec.program.builds = BuildHashes::of(&spec.program.path);
    if let Some(language) = gimlet_explore::program::language::Language::of(&spec) {
        spec.grammar.hashes = language.hashes()?;
    }
    match file {
        None => say!("{}", spec.to_toml(Path::new("."))?.trim_end()),
        Some(path) => outputs::write(path, spec.to_toml(path.parent().unwrap_or(Path::new(".")))?)?,
    }
    Ok(Verdict::Good)
}

/// Explores, and tells what came of it.
fn explore(plan: &ExplorePlan, output: &Output, ready: &mut Ready, about: About, again: &Again) -> Result<Verdict> {
    let mut teller = screen::open(about, plan.has_screen);
    let explored = ready.explore(&mut *teller);
    teller.end();
    let explorer = &mut ready.explorer;
    let is_over = matches!(explored, Ok(End::Budget | End::Interrupted));
    // What was found so far is told all the same.
    let results = explorer.results();
    ending::say(&results, &output.folder, output.explains_divergences);
    // What went wrong first decides how it ends; the rest is tried all the same.
    let mut failed = explored.err().map(anyhow::Error::from);
    let mut try_all_the_same = |result: Result<()>| match (result, &failed) {
        (Err(error), None) => failed = Some(error),
        (Err(error), Some(_)) => note(&format!("{error:#}")),
        (Ok(()), _) => {}
    };
    if let Some(path) = &output.summary {
        let text = serde_json::to_string_pretty(&summary(&results))? + "\n";
        try_all_the_same(outputs::write(path, text));
    }
    if plan.worker.is_none() {
        let limit = if is_over { HURRIED_REPORTS } else { REPORTS_LIMIT };
        let _alarm = Alarm::after(limit, &interrupt::INTERRUPTED);
        let mut run = |number: usize| path_of(explorer, number);
        try_all_the_same(reports::write(&output.folder, &results, &mut run, again));
    }
    match failed {
        Some(error) => Err(error),
        None if !results.findings.is_empty() => Ok(Verdict::Found),
        None => match explorer.known.reading {
            Reading::Never { reads_stdin } if plan.worker.is_none() => {
                exit::report(&never_read(&explorer.settings.given.primary, reads_stdin));
                Ok(Verdict::Unread)
            }
            _ => Ok(Verdict::Good),
        },
    }
}

/// The path of a finding's input.
fn path_of(explorer: &mut Explorer, number: usize) -> Option<(Trace, PathCondition)> {
    let input = explorer.known.findings.all.iter().find(|finding| finding.id == number)?.input.clone();
    let trace = explorer.trace_of(&input).ok()??;
    let is_stopped = || interrupt::INTERRUPTED.load(Ordering::Relaxed);
    let path = PathCondition::from_trace_unless(&trace, &is_stopped).ok()?;
    Some((trace, path))
}

/// A search that had nothing to search.
fn never_read(primary: &str, reads_stdin: bool) -> anyhow::Error {
    let hint = match (primary, reads_stdin) {
        (FILE_SOURCE, true) => "it reads standard input: leave out @@",
        (FILE_SOURCE, false) => "it does not open the file whose path stands for @@: check its arguments",
        _ => "put @@ where its arguments name a file, or say --symbolic-args, --env NAME, --open PATH=FILE or --socket FILE",
    };
    hinted("the program never read its input", hint)
}
