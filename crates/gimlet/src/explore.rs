//! `gimlet run`: explore a program.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::iter::once;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gimlet_exec::confine::Confinement;
use gimlet_exec::files::has_place;
use gimlet_exec::image::{self, find_program};
use gimlet_exec::Output;
use gimlet_explore::corpus;
use gimlet_explore::explorer::{End, Resume, Watcher};
use gimlet_explore::findings::Finding;
use gimlet_explore::folder::Folder;
use gimlet_explore::lengths::FILLER;
use gimlet_explore::summary::summary;
use gimlet_explore::{strategy, Explorer, Lengths, Settings};
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::{Input, SourceKind};

use crate::exit::{hinted, note, Verdict};
use crate::manifest::{self, Manifest, Search, DEFAULT_SEED, DEFAULT_STRATEGY, EDGES_SUFFIX, PLAIN_SUFFIX};
use crate::options::{ExplorePlan, Subject};
use crate::{interrupt, subject};

/// Bytes to begin with where the user says nothing.
const LEN_DEFAULT: usize = 16;
/// Longest input where the user says nothing, unless a seed is longer than a quarter of it.
const MAX_LEN_DEFAULT: usize = 1024;
/// Bytes to begin with, at most.
const LEN_MAX: usize = 1 << 24;
/// Room that a symbolic argument or variable has to grow.
const ROOM: usize = 16;

const STDIN: &str = "stdin";

pub fn run(plan: &ExplorePlan) -> Result<Verdict> {
    check(plan)?;
    let Start { subject, manifest, seeds, resume } = if plan.resumes { resumed(plan)? } else { begun(plan)? };
    let lengths = match (manifest.search.strategy, manifest.search.max_len) {
        (strategy::Kind::Dfs, None) => Lengths::Fixed,
        (strategy::Kind::Dfs, Some(max)) => Lengths::Every { max },
        (_, max) => Lengths::Some { max: max.unwrap_or(MAX_LEN_DEFAULT.max(4 * manifest.search.longest_seed)) },
    };
    let plain = manifest::twin(&subject.program, PLAIN_SUFFIX);
    if plain.is_none() {
        note("there is no plain build beside the program: findings are looked at on the instrumented one");
    }
    let edges = manifest::twin(&subject.program, EDGES_SUFFIX);
    if edges.is_none() {
        note("there is no build with counters beside the program: coverage is that of symbolic branches only");
    }
    let words = words(&manifest, plain.as_deref())?;
    if edges.is_none() && manifest.search.strategy == strategy::Kind::Mutation {
        return Err(hinted("mutants are run on the build with counters, and there is none", "compile with gimlet-cc"));
    }
    let settings = Settings {
        strategy: manifest.search.strategy,
        seed: manifest.search.seed,
        lengths,
        budget: plan.budget,
        stop_after_idle: plan.stop_after_idle,
        stop_after_found: plan.stop_after_found,
        steps: plan.steps,
        out: plan.output.clone(),
        resume,
        layout: manifest.given.clone(),
        primary: manifest.primary.clone(),
        trims_unread: plan.seeds.is_empty() && plan.len.is_none(),
        log_queries: plan.log_queries.clone(),
        edges,
        plain,
        words,
    };
    let mut options = subject::target_options(&subject, Output::Null);
    options.file_names.clone_from(&manifest.files);
    if plan.is_confined {
        options.confinement = Confinement::probe();
        options.confinement.report().missing.iter().for_each(|missing| note(missing));
    } else {
        note("the program is not confined: it may do whatever its input makes it do");
    }
    let mut explorer = Explorer::new(&subject.program, &subject.args, options, settings)?;
    manifest.write(&plan.output)?;
    explore(plan, &mut explorer, seeds)
}

/// Explores, and tells what came of it.
fn explore(plan: &ExplorePlan, explorer: &mut Explorer, seeds: Vec<Input>) -> Result<Verdict> {
    let mut screen = Screen::new();
    let explored = explorer.explore(seeds, &mut screen);
    screen.clear();
    let (end, failed) = match explored {
        Ok(end) => (end, None),
        // What was found so far is told all the same.
        Err(error) => (End::Interrupted, Some(error)),
    };
    report(plan, explorer, end);
    if let Some(path) = &plan.summary {
        let text = serde_json::to_string_pretty(&summary(explorer, end))? + "\n";
        fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    match failed {
        Some(error) => Err(error.into()),
        None if explorer.findings.all.is_empty() => Ok(Verdict::Good),
        None => Ok(Verdict::Found),
    }
}

/// What a search is to begin with.
struct Start {
    subject: Subject,
    manifest: Manifest,
    seeds: Vec<Input>,
    /// There is an earlier search.
    resume: Option<Resume>,
}

/// A search from its beginning.
fn begun(plan: &ExplorePlan) -> Result<Start> {
    let layout = layout(plan)?;
    let primary = primary(plan);
    let seeds = seeds(plan, &layout, primary)?;
    let longest_seed = seeds.iter().flat_map(|seed| &seed.sources).map(|source| source.bytes.len()).max().unwrap_or(0);
    let search = Search {
        strategy: plan.strategy.unwrap_or(DEFAULT_STRATEGY),
        seed: plan.seed.unwrap_or(DEFAULT_SEED),
        max_len: plan.max_len,
        longest_seed,
    };
    let manifest = Manifest::new(&plan.subject, &layout, primary, search, &plan.dictionaries)?;
    Ok(Start { subject: plan.subject.clone(), manifest, seeds, resume: None })
}

/// A search that goes on: what the user does not say is as it was.
fn resumed(plan: &ExplorePlan) -> Result<Start> {
    let names_program = !plan.subject.program.as_os_str().is_empty();
    if names_program && !plan.output.join(corpus::MANIFEST).exists() {
        let start = begun(plan)?;
        if Folder::is_occupied(&plan.output) {
            return Ok(Start { resume: Some(Resume { has_same_name: true }), ..start });
        }
        note(&format!("there is nothing in {} to go on with: the search begins", plan.output.display()));
        return Ok(start);
    }
    let old = Manifest::read(&plan.output)?;
    let mut has_same_name = true;
    if names_program {
        let Start { manifest, .. } = begun(plan)?;
        has_same_name = manifest.program == old.program;
        if manifest.args != old.args || manifest.layout != old.layout {
            let command = once(old.program.as_os_str()).chain(old.args.iter().map(OsString::as_os_str));
            let command: Vec<_> = command.map(OsStr::to_string_lossy).collect();
            let message =
                format!("{} holds the tests of another command: {}", plan.output.display(), command.join(" "));
            return Err(hinted(message, "leave the program out to go on with that, or name another folder with -o"));
        }
    }
    let mut manifest = old;
    let search = &mut manifest.search;
    search.strategy = plan.strategy.unwrap_or(search.strategy);
    search.seed = plan.seed.unwrap_or(search.seed);
    search.max_len = plan.max_len.or(search.max_len);
    if !plan.dictionaries.is_empty() {
        manifest.dictionaries = manifest::absolute(&plan.dictionaries);
    }
    manifest.limits.timeout_ms = plan.timeout_ms.unwrap_or(manifest.limits.timeout_ms);
    manifest.limits.memory_mib = plan.memory_mib.unwrap_or(manifest.limits.memory_mib);
    if names_program {
        manifest.program = fs::canonicalize(find_program(&plan.subject.program)?)?;
    }
    let subject = Subject {
        program: manifest.program.clone(),
        args: manifest.args.clone(),
        limits: manifest.limits.clone(),
        strings: manifest.strings,
        ..plan.subject.clone()
    };
    // One that was stopped before it kept anything begins as it did.
    let has_tests = corpus::tests(&plan.output.join(corpus::QUEUE)).is_ok_and(|tests| !tests.is_empty());
    let seeds = match plan.seeds.is_empty() && has_tests {
        true => Vec::new(),
        false => seeds(plan, &manifest.given, &manifest.primary)?,
    };
    Ok(Start { subject, manifest, seeds, resume: Some(Resume { has_same_name }) })
}

/// What would otherwise fail only when there are results to lose.
fn check(plan: &ExplorePlan) -> Result<()> {
    if plan.len.is_some_and(|len| len > LEN_MAX) {
        return Err(hinted(format!("--len is more than {LEN_MAX}"), "a few dozen bytes are enough to begin with"));
    }
    let folder = plan.summary.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(hinted(format!("--summary: {}: no such folder", folder.display()), "make it first"))
        }
        _ => Ok(()),
    }
}

/// Words for mutants: the user's, and the constants of the program.
fn words(manifest: &Manifest, plain: Option<&Path>) -> Result<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    for path in &manifest.dictionaries {
        let text = fs::read_to_string(path)
            .map_err(|error| hinted(format!("cannot read the dictionary {}: {error}", path.display()), "check -x"))?;
        let read = gimlet_mutate::parse_dictionary(&text);
        words.extend(read.map_err(|error| {
            hinted(format!("{}: {error}", path.display()), "a line is name=\"text\", with \\xNN for other bytes")
        })?);
    }
    if manifest.search.strategy.mutates() {
        // The instrumented build has those of the runtime as well.
        words.extend(gimlet_mutate::strings(&image::constants(plain.unwrap_or(&manifest.program))?));
    }
    Ok(words)
}

/// The source that seeds and tests are for.
fn primary(plan: &ExplorePlan) -> &'static str {
    let is_file = |arg: &std::ffi::OsString| has_place(arg, FILE_SOURCE);
    if plan.subject.args.iter().any(is_file) {
        FILE_SOURCE
    } else {
        STDIN
    }
}

/// The sources that the program is given, with what the user says they hold.
fn layout(plan: &ExplorePlan) -> Result<Input> {
    let mut input = subject::input_beside_stdin(&plan.subject)?;
    let primary = primary(plan);
    match &plan.subject.stdin {
        Some(path) => input.push(SourceKind::Stdin, STDIN, subject::read_file(path, plan.subject.limits.input_bytes)?),
        None if primary == STDIN => input.push(SourceKind::Stdin, STDIN, Vec::new()),
        None => {}
    }
    if primary == FILE_SOURCE && input.source(FILE_SOURCE).is_none() {
        input.push(SourceKind::File, FILE_SOURCE, Vec::new());
    }
    for source in &mut input.sources {
        if matches!(source.kind, SourceKind::Arg | SourceKind::Env) {
            // A string ends at its first zero: with zeros behind it, it can grow.
            let len = source.bytes.len() + ROOM;
            source.bytes.resize(len, 0);
        }
    }
    Ok(input)
}

/// What the search begins with.
fn seeds(plan: &ExplorePlan, layout: &Input, primary: &str) -> Result<Vec<Input>> {
    let mut seeds = Vec::new();
    for path in &plan.seeds {
        let is_folder = path.is_dir();
        let files = if is_folder {
            let cannot =
                |error: io::Error| hinted(format!("cannot read the seeds in {}: {error}", path.display()), "check -i");
            corpus::tests(path).map_err(cannot)?
        } else {
            vec![path.clone()]
        };
        let n_files = files.len();
        let n_before = seeds.len();
        for file in files {
            let size = fs::metadata(&file).map_or(0, |meta| meta.len());
            let read = match size > plan.subject.limits.input_bytes {
                true => Err(io::Error::other(format!("{size} bytes are more than --max-input"))),
                false => corpus::read(&file, layout, primary),
            };
            match read {
                Ok(input) => seeds.push(input),
                Err(error) => note(&format!("seed {} is left out: {error}", file.display())),
            }
        }
        if n_files == 0 {
            note(&format!("there are no seeds in {}", path.display()));
        } else if seeds.len() == n_before {
            return Err(hinted(format!("none of the seeds in {} can be read", path.display()), "check -i"));
        }
    }
    let given = layout.sources.iter().any(|source| source.bytes.iter().any(|&byte| byte != 0));
    if seeds.is_empty() {
        let mut input = layout.clone();
        let len = plan.len.unwrap_or(if given { 0 } else { LEN_DEFAULT });
        if let Some(source) = input.sources.iter_mut().find(|source| source.name == primary) {
            if source.bytes.is_empty() {
                source.bytes = vec![FILLER; len];
            }
        }
        seeds.push(input);
    }
    Ok(seeds)
}

fn report(plan: &ExplorePlan, explorer: &Explorer, end: End) {
    let counts = &explorer.counts;
    let why = match end {
        End::Complete if explorer.is_exhausted(end) => "exhausted: every path was taken",
        End::Complete => "nothing is left to try",
        End::Budget => "the time is over",
        End::Idle => "nothing new was found for a while",
        End::Found => "enough was found",
        End::Steps => "all steps were made",
        End::Interrupted => "stopped; results are kept",
    };
    say!("{}", line(explorer));
    let doubts = if end == End::Complete { explorer.doubts() } else { Vec::new() };
    if doubts.is_empty() {
        say!("{why}");
    } else {
        say!("{why}, but not every path may have been taken: {}", doubts.join(", "));
    }
    for (what, count) in explorer.losses.iter().take(3) {
        say!("lost {count} times: {what}");
    }
    if counts.divergences > 0 {
        say!("{} of {} flips went elsewhere (--explain-divergences says where)", counts.divergences, counts.flips);
    }
    if plan.explains_divergences {
        for kind in explorer.divergences.values() {
            say!("  {} x {}", kind.count, kind.explanation);
        }
    }
    for finding in &explorer.findings.all {
        say!("{}", finding_line(finding, &plan.output));
    }
    say!("tests are in {}", plan.output.join(corpus::QUEUE).display());
}

fn finding_line(finding: &Finding, out: &Path) -> String {
    let place = finding.frame.as_ref().map_or_else(
        || "at an unknown place".to_owned(),
        |frame| {
            let file = frame.file.as_deref().unwrap_or("?");
            let name = Path::new(file).file_name().unwrap_or(OsStr::new(file)).to_string_lossy();
            format!("in {} at {name}:{}", frame.function, frame.line)
        },
    );
    let confirmed = if finding.is_confirmed { "" } else { " (not confirmed on the plain build)" };
    format!("found {} {place}{confirmed}: {}", finding.kind, out.join(&finding.path).display())
}

fn line(explorer: &Explorer) -> String {
    let seconds = explorer.elapsed().as_secs_f64();
    let counts = &explorer.counts;
    let queries = explorer.queries();
    let (covered, total) = explorer.coverage();
    format!(
        "{seconds:.1} s: {} tests, {} paths, {covered}/{total} branches, {} runs ({:.0}/s), {} sat, {} unsat, {} unknown, {} waiting, {} findings",
        explorer.corpus.n_tests(),
        explorer.seen.n_paths(),
        counts.executions,
        counts.executions as f64 / seconds.max(0.001),
        queries.n_sat,
        queries.n_unsat,
        queries.n_unknown,
        explorer.n_waiting(),
        explorer.findings.all.len()
    )
}

/// The status line of a terminal; elsewhere lines now and then.
struct Screen {
    is_terminal: bool,
    next: Instant,
    width: usize,
}

/// Between two status lines.
const TERMINAL_PAUSE: Duration = Duration::from_millis(200);
const PIPE_PAUSE: Duration = Duration::from_secs(10);

impl Screen {
    fn new() -> Screen {
        let is_terminal = io::stdout().is_terminal();
        let pause = if is_terminal { TERMINAL_PAUSE } else { PIPE_PAUSE };
        Screen { is_terminal, next: Instant::now() + pause, width: 0 }
    }

    /// Removes the status line.
    fn clear(&mut self) {
        if self.width > 0 {
            let _ = write!(io::stdout(), "\r\x1b[2K");
            let _ = io::stdout().flush();
            self.width = 0;
        }
    }
}

impl Watcher for Screen {
    fn progress(&mut self, explorer: &Explorer) {
        if Instant::now() < self.next || interrupt::received().is_some() {
            return;
        }
        let text = line(explorer);
        if self.is_terminal {
            let mut out = io::stdout();
            let shown: String = text.chars().take(terminal_width()).collect();
            let _ = write!(out, "\r\x1b[2K{shown}");
            let _ = out.flush();
            self.width = shown.len();
            self.next = Instant::now() + TERMINAL_PAUSE;
        } else {
            say!("{text}");
            self.next = Instant::now() + PIPE_PAUSE;
        }
    }

    fn found(&mut self, finding: &Finding) {
        self.clear();
        let place = finding.frame.as_ref().map_or_else(String::new, |frame| format!(" in {}", frame.function));
        let input: Vec<String> = finding.input.sources.iter().map(|source| preview(&source.bytes)).collect();
        say!("new: {}{place}, on {}", finding.kind, input.join(" and "));
    }

    fn note(&mut self, text: &str) {
        self.clear();
        note(text);
    }
}

/// The beginning of some bytes, readable.
fn preview(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let end = if bytes.len() > MOST { "..." } else { "" };
    format!("{}{end}", crate::text::escaped(&bytes[..bytes.len().min(MOST)]))
}

fn terminal_width() -> usize {
    // SAFETY: the kernel fills the structure, or fails.
    unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        match libc::ioctl(1, libc::TIOCGWINSZ, &mut size) {
            0 if size.ws_col > 0 => usize::from(size.ws_col) - 1,
            _ => 79,
        }
    }
}
