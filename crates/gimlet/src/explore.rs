//! `gimlet run`: explore a program.
//!
//! What the search is stands in a [`SearchSpec`], which options, `--spec` or an earlier search fill; what follows from it
//! is `gimlet_explore`'s to know. Here are messages, the screen, and reports.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use gimlet_exec::locate::Frame;
use gimlet_exec::objects;
use gimlet_explore::alarm::Alarm;
use gimlet_explore::corpus;
use gimlet_explore::explorer::{End, Reading, Totals};
use gimlet_explore::findings::Finding;
use gimlet_explore::search::{Ready, Search};
use gimlet_explore::shown::{Build, ShownBy};
use gimlet_explore::spec::{BuildHashes, SearchSpec};
use gimlet_explore::summary::summary;
use gimlet_explore::Explorer;
use gimlet_trace::input::FILE_SOURCE;

use crate::exit::{self, hinted, note, Verdict};
use crate::options::ExplorePlan;
use crate::replay::Again;
use crate::reports;
use crate::screen::{self, About};
use crate::{interrupt, outputs, parts};

/// What the texts of all findings may take: each has the path of a run.
const REPORTS_LIMIT: Duration = Duration::from_millis(500);

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
    if let Some(language) = gimlet_explore::language::Language::of(&spec) {
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
    let (end, failed) = match explored {
        Ok(end) => (end, None),
        // What was found so far is told all the same.
        Err(error) => (End::Interrupted, Some(error)),
    };
    report(output, explorer, end);
    // What went wrong first decides how it ends; the rest is tried all the same.
    let mut failed = failed.map(anyhow::Error::from);
    let mut try_all_the_same = |result: Result<()>| match (result, &failed) {
        (Err(error), None) => failed = Some(error),
        (Err(error), Some(_)) => note(&format!("{error:#}")),
        (Ok(()), _) => {}
    };
    if let Some(path) = &output.summary {
        let text = serde_json::to_string_pretty(&summary(explorer, end))? + "\n";
        try_all_the_same(outputs::write(path, text));
    }
    if plan.worker.is_none() {
        let _alarm = Alarm::after(REPORTS_LIMIT, &interrupt::INTERRUPTED);
        try_all_the_same(reports::write(&output.folder, explorer, again));
    }
    match failed {
        Some(error) => Err(error),
        None if !explorer.known.findings.all.is_empty() => Ok(Verdict::Found),
        None => match explorer.known.reading {
            Reading::Never { reads_stdin } if plan.worker.is_none() => {
                exit::report(&never_read(&explorer.settings.primary, reads_stdin));
                Ok(Verdict::Unread)
            }
            _ => Ok(Verdict::Good),
        },
    }
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

/// Why a search ended, by the name of its end.
pub fn reason(end: &str, is_exhausted: bool) -> &'static str {
    match End::from_name(end) {
        Some(End::Complete) if is_exhausted => "exhausted: every path was taken",
        Some(End::Complete) => "nothing is left to try",
        Some(End::Budget) => "the time is over",
        Some(End::Idle) => "nothing new was found for a while",
        Some(End::Found) => "enough was found",
        Some(End::Steps) => "all steps were made",
        Some(End::Interrupted) => "stopped; results are kept",
        None => "for a reason that this version does not know",
    }
}

fn report(output: &Output, explorer: &Explorer, end: End) {
    let totals = explorer.totals();
    let counts = &totals.counts;
    let why = reason(end.name(), explorer.is_exhausted(end));
    say!("{}", line(explorer));
    parts::lines(explorer).iter().for_each(|line| say!("{line}"));
    let doubts = if end == End::Complete { explorer.doubts() } else { Vec::new() };
    if doubts.is_empty() {
        say!("{why}");
    } else {
        say!("{why}, but not every path may have been taken: {}", doubts.join(", "));
    }
    explorer.doubt_about_strings().iter().for_each(|doubt| say!("{doubt}"));
    explorer.doubts_about_tokens().iter().for_each(|doubt| say!("{doubt}"));
    totals.losses.iter().take(3).for_each(|(what, count)| say!("{}", objects::loss_line(what, *count)));
    let (unstable, stability) = explorer.instability();
    if !unstable.is_empty() {
        let first = unstable.iter().take(3).map(String::as_str).collect::<Vec<_>>().join("; ");
        let rest = if unstable.len() > 3 { format!("; {} more", unstable.len() - 3) } else { String::new() };
        let percent = stability * 100.0;
        say!("the program is not deterministic: {percent:.1} % of its counters are the same in all runs of one input, not {first}{rest}");
    }
    if counts.divergences > 0 {
        say!("{} of {} flips went elsewhere (--explain-divergences says where)", counts.divergences, counts.flips);
    }
    if output.explains_divergences {
        for kind in totals.divergences.values() {
            say!("  {} x {}", kind.count, kind.explanation);
        }
    }
    for (rule, n_runs) in explorer.known.suppressions.all().filter(|&(_, n_runs)| n_runs > 0) {
        say!("suppressed in {n_runs} runs: {rule}");
    }
    for finding in &explorer.known.findings.all {
        say!("{}", finding_line(finding, &output.folder));
        if finding.kind.is_of_memory() {
            say!("  {}", finding.ended);
        }
    }
    say!("tests are in {}", output.folder.join(corpus::QUEUE).display());
}

pub fn finding_line(finding: &Finding, out: &Path) -> String {
    let place = place(finding.frame.as_ref());
    format!("found {} {place} ({}): {}", finding.kind, shown(finding.shown_by), out.join(&finding.path).display())
}

/// Which builds showed something.
pub fn shown(shown_by: ShownBy) -> String {
    let only =
        if shown_by.is_confirmed() && !shown_by.has(Build::Plain) { "; the plain build ends normally" } else { "" };
    let doubt = if shown_by.is_confirmed() { "" } else { "; not confirmed" };
    format!("shown {shown_by}{only}{doubt}")
}

/// Where something was found.
pub fn place(frame: Option<&Frame>) -> String {
    let Some(frame) = frame else { return "at an unknown place".to_owned() };
    let file = frame.file.as_deref().unwrap_or("?");
    let name = Path::new(file).file_name().unwrap_or(OsStr::new(file)).to_string_lossy();
    format!("in {} at {name}:{}", frame.function, frame.line)
}

pub fn line(explorer: &Explorer) -> String {
    let seconds = explorer.elapsed().as_secs_f64();
    let Totals { counts, queries, n_paths, n_waiting, .. } = explorer.totals();
    let (covered, total) = explorer.coverage();
    format!(
        "{seconds:.1} s: {} tests, {} paths, {covered}/{total} branches, {} runs ({:.0}/s), {} sat, {} unsat, {} unknown, {} waiting, {} findings",
        explorer.known.corpus.n_tests(),
        n_paths,
        counts.executions,
        counts.executions as f64 / seconds.max(0.001),
        queries.n_sat,
        queries.n_unsat,
        queries.n_unknown,
        n_waiting,
        explorer.known.findings.all.len()
    )
}
