//! `gimlet run`: explore a program.

mod check;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::iter::once;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use gimlet_exec::confine::Confinement;
use gimlet_exec::files::has_place;
use gimlet_exec::image::{self, find_program};
use gimlet_exec::target::{can_return_tokens, TokenFunction};
use gimlet_exec::{cores, ExecError, Output};
use gimlet_explore::alarm::Alarm;
use gimlet_explore::corpus::{self, FUZZER_STATS, MANIFEST, QUEUE};
use gimlet_explore::explorer::{End, Reading, Resume, N_SEEDS_MAX};
use gimlet_explore::folder::Folder;
use gimlet_explore::lengths::FILLER;
use gimlet_explore::share::Share;
use gimlet_explore::suppress::Rule;
use gimlet_explore::team::{self, Place};
use gimlet_explore::{strategy, Explorer, Lengths, Settings};
use gimlet_joint::Tie;
use gimlet_path::PathCondition;
use gimlet_report::figures::size;
use gimlet_report::summary::summary;
use gimlet_trace::builds::{ASAN_SUFFIX, EDGES_SUFFIX, MEMORY_SUFFIX, PLAIN_SUFFIX};
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::memory::LEAKS_ENV;
use gimlet_trace::{Input, Source, SourceKind, Trace};

use self::check::{check, no_grammar, without_max_len};
use crate::exit::{self, hinted, note, note_some, Verdict};
use crate::manifest::{self, Manifest, Search, DEFAULT_SEED, DEFAULT_STRATEGY};
use crate::options::{ExplorePlan, Language, Subject};
use crate::replay::Again;
use crate::reports;
use crate::screen::{self, About};
use crate::{ending, interrupt, language, outputs, parts, stretches, subject, workers};

/// Bytes to begin with where the user says nothing.
const LEN_DEFAULT: usize = 16;
/// Longest input where the user says nothing, unless a seed is longer than a quarter of it.
const MAX_LEN_DEFAULT: usize = 1024;
/// Bytes to begin with, at most.
const LEN_MAX: usize = 1 << 24;
/// Bytes of all seeds together: they are in memory.
const SEED_BYTES_MAX: usize = 512 << 20;
/// Room that a symbolic argument or variable has to grow.
pub const ROOM: usize = 16;

/// Bytes of a seed that is divided into tokens, unless the user lets inputs be longer: a run with more takes seconds, in
/// which nobody looks at the clock.
const TOKEN_SEED_MAX: usize = 16 << 10;

/// What the texts of all findings may take, each of which has the path of a run: where the time is over, and else.
const HURRIED_REPORTS: Duration = Duration::from_millis(500);
const REPORTS_LIMIT: Duration = Duration::from_secs(10);

const STDIN: &str = "stdin";

pub fn run(plan: &ExplorePlan) -> Result<Verdict> {
    match plan.worker {
        Some(share) => search(&workers::plan_of(plan, share)),
        None => search(plan),
    }
}

fn search(plan: &ExplorePlan) -> Result<Verdict> {
    check(plan)?;
    let Start { subject, manifest, seeds, resume } = if plan.resumes { resumed(plan)? } else { begun(plan)? };
    workers::check(plan, &manifest)?;
    let share = plan.worker.unwrap_or(Share { number: 0, n_workers: manifest.search.n_workers });
    let divides_seeds = manifest.search.n_seeds > N_SEEDS_MAX;
    let place = Place { share, out: plan.output.clone(), divides_seeds };
    let lengths = match (manifest.search.strategy, manifest.search.max_len) {
        (strategy::Kind::Cese, _) | (strategy::Kind::Dfs, None) => Lengths::Fixed,
        // With a prefix it is the stretch that grows.
        (strategy::Kind::Dfs, Some(_)) if plan.prefix.is_some() => Lengths::Fixed,
        (strategy::Kind::Dfs, Some(max)) => Lengths::Every { max },
        (kind, Some(_)) if plan.prefix.is_some() && kind != strategy::Kind::Hybrid => {
            Lengths::Some { max: manifest.search.longest_seed }
        }
        (_, max) => Lengths::Some { max: max.unwrap_or(MAX_LEN_DEFAULT.max(4 * manifest.search.longest_seed)) },
    };
    let plain = manifest::twin(&subject.program, PLAIN_SUFFIX);
    let edges = manifest::twin(&subject.program, EDGES_SUFFIX);
    let (has_plain, has_edges) = (plain.is_some(), edges.is_some());
    let memory = manifest::twin(&subject.program, MEMORY_SUFFIX).filter(|_| plan.checks_memory);
    let mut words = words(&manifest)?;
    let mut samples = Vec::new();
    if manifest.search.strategy.mutates() {
        // The instrumented build has those of the runtime as well.
        let constants = image::constants(plain.as_deref().unwrap_or(&manifest.program))?;
        words.extend(gimlet_mutate::strings(&constants));
        samples = gimlet_mutate::texts(&constants);
    }
    let only_counts = manifest.search.strategy == strategy::Kind::Mutation || manifest.search.strategy.is_blackbox();
    if edges.is_none() && only_counts {
        return Err(hinted("mutants are run on the build with counters, and there is none", "compile with gimlet-cc"));
    }
    if let Some(parts) = &manifest.parts {
        parts::check(parts, edges.as_deref())?;
    }
    let settings = Settings {
        strategy: manifest.search.strategy,
        seed: manifest.search.seed.wrapping_add(share.number as u64),
        lengths,
        // A prefix is explored in full.
        stretch_max: match plan.prefix.is_none() && plan.has_stretches {
            true => manifest.search.max_len.unwrap_or(stretches::LEN_DEFAULT),
            false => 0,
        },
        clock: plan.clock,
        budget: plan.budget,
        stop_after_idle: plan.stop_after_idle,
        stop_after_found: plan.stop_after_found.clone(),
        suppressions: suppressions(plan)?,
        steps: plan.steps,
        out: results(plan),
        place: place.clone(),
        resume,
        sync: plan.sync.clone(),
        followed_max: plan.followed_max,
        layout: manifest.given.clone(),
        primary: manifest.primary.clone(),
        trims_unread: plan.seeds.is_empty() && plan.len.is_none() && !manifest.search.strategy.has_tokens(),
        log_queries: plan.log_queries.clone(),
        edges,
        plain,
        memory,
        asan: manifest::twin(&subject.program, ASAN_SUFFIX),
        words,
        samples,
    };
    let mut options = subject::target_options(&subject, Output::Null);
    options.file_names.clone_from(&manifest.files);
    options.checks_memory = settings.memory.is_some();
    if plan.finds_leaks {
        options.variables.push((LEAKS_ENV.to_owned(), "1".into()));
        if settings.memory.is_none() {
            let hint = "compile with gimlet-cc --with=memory";
            return Err(hinted("--leaks needs the build that checks memory, and there is none", hint));
        }
    }
    if plan.is_confined {
        options.confinement = Confinement::probe();
        options.confinement.report().missing.iter().for_each(|missing| note(missing));
    } else {
        note("the program is not confined: it may do whatever its input makes it do");
    }
    let (mut source, mut grafter, mut spoken, mut uniform) = (None, None, None, None);
    match (&manifest.language, manifest.search.strategy) {
        (Some(language), strategy::Kind::Cese) => source = Some(language::strings(language)?),
        (Some(language), strategy::Kind::GrammarBlackbox) => uniform = Some(language::uniform(language)?),
        (Some(language), strategy) if strategy.has_tokens() => {
            spoken = Some(language::joint(language, tie(strategy))?);
            if strategy == strategy::Kind::Grammar {
                grafter = Some(language::grafter(language)?);
            }
            let (function, _) = token_function(language, &subject.program)?;
            options.tokens = Some(function);
        }
        (None, strategy) if strategy.needs_grammar() => return Err(no_grammar(strategy)),
        (Some(language), strategy) if strategy.mutates() => {
            grafter = Some(language::grafter(language)?);
            if let Some(function) = default_tokens(language, strategy, &subject.program)? {
                spoken = Some(language::joint(language, Tie::Sentence)?);
                options.tokens = Some(function);
            }
        }
        _ => {}
    }
    let cores = if share.is_leader() { workers::cores(share.n_workers) } else { Vec::new() };
    if let Some(&core) = cores.first() {
        // It works without.
        let _ = cores::bind(core);
    }
    let mut explorer = Explorer::new(&subject.program, &subject.args, options, settings)?;
    if !has_plain {
        note("there is no plain build beside the program: findings are looked at on the instrumented one");
    }
    if !has_edges {
        note("there is no build with counters beside the program: coverage is that of symbolic branches only");
    }
    if share.is_leader() {
        explorer.runner.objects.advice().iter().for_each(|advice| note(advice));
    }
    if let Some(source) = source {
        explorer.take_strings_from(source);
    }
    if let Some(grafter) = grafter {
        explorer.graft_with(grafter);
    }
    if let Some(language) = spoken {
        explorer.speak(language);
    }
    if let Some(uniform) = uniform {
        explorer.draw_from(uniform);
    }
    if let Some(parts) = &manifest.parts {
        explorer.watch_parts(parts.clone());
    }
    manifest.write(&results(plan))?;
    if share.is_leader() && !share.is_whole() {
        explorer.lead(workers::start(&place, resume.is_some(), &cores)?);
    }
    let about = About {
        program: subject.program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        strategy: manifest.search.strategy.name(),
        seed: manifest.search.seed,
        n_workers: manifest.search.n_workers,
        out: plan.output.clone(),
        again: Again::new(&manifest, &plan.output),
    };
    let again = Again::new(&manifest, &plan.output);
    explore(plan, &mut explorer, seeds, about, &again)
}

/// What the user does not want to be told of, on the command line and in files.
fn suppressions(plan: &ExplorePlan) -> Result<Vec<Rule>> {
    let mut rules = plan.suppress.clone();
    for path in &plan.suppressions {
        let text = fs::read_to_string(path)
            .map_err(|error| hinted(format!("cannot read {}: {error}", path.display()), "check --suppressions"))?;
        let read = Rule::read_all(&text).map_err(|error| {
            hinted(format!("{}: {error}", path.display()), "a line is KIND[:FUNCTION[:FILE]], # begins a comment")
        })?;
        rules.extend(read);
    }
    Ok(rules)
}

/// Where tests go: those of a worker to a folder of its own.
fn results(plan: &ExplorePlan) -> PathBuf {
    team::folder(&plan.output, plan.worker.map_or(0, |share| share.number))
}

/// Explores, and tells what came of it.
fn explore(
    plan: &ExplorePlan,
    explorer: &mut Explorer,
    seeds: Vec<Input>,
    about: About,
    again: &Again,
) -> Result<Verdict> {
    let mut teller = screen::open(about, plan.has_screen);
    let explored = explorer.explore(seeds, &mut *teller);
    teller.end();
    let is_over = matches!(explored, Ok(End::Budget | End::Interrupted));
    // What was found so far is told all the same.
    let results = explorer.results();
    ending::say(&results, &plan.output, plan.explains_divergences);
    // What went wrong first decides how it ends; the rest is tried all the same.
    let mut failed = explored.err().map(anyhow::Error::from);
    let mut try_all_the_same = |result: Result<()>| match (result, &failed) {
        (Err(error), None) => failed = Some(error),
        (Err(error), Some(_)) => note(&format!("{error:#}")),
        (Ok(()), _) => {}
    };
    if let Some(path) = &plan.summary {
        let text = serde_json::to_string_pretty(&summary(&results))? + "\n";
        try_all_the_same(outputs::write(path, text));
    }
    if plan.worker.is_none() {
        let limit = if is_over { HURRIED_REPORTS } else { REPORTS_LIMIT };
        let _alarm = Alarm::after(limit, &interrupt::INTERRUPTED);
        let mut run = |number: usize| path_of(explorer, number);
        try_all_the_same(reports::write(&plan.output, &results, &mut run, again));
    }
    match failed {
        Some(error) => Err(error),
        None if !results.findings.is_empty() => Ok(Verdict::Found),
        None => match explorer.known.reading {
            Reading::Never { reads_stdin } if plan.worker.is_none() => {
                exit::report(&never_read(&explorer.settings.primary, reads_stdin));
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
    let layout = layout(&plan.subject)?;
    let primary = primary(&plan.subject);
    let strategy = plan.strategy.unwrap_or(DEFAULT_STRATEGY);
    let seeds = match strategy {
        // They begin with the strings of the grammar.
        strategy::Kind::Cese | strategy::Kind::GrammarBlackbox => Vec::new(),
        strategy if makes_seeds(strategy) && plan.language.is_some() && plan.seeds.is_empty() => {
            sampled(plan.language.as_ref(), plan.seed.unwrap_or(DEFAULT_SEED), strategy.has_tokens(), &layout, primary)?
        }
        strategy if strategy.has_tokens() => {
            // Without numbers in the grammar, runs have to show what is returned for each of its tokens.
            let mut all = reviewed_seeds(plan, strategy, &layout, primary)?;
            if plan.language.as_ref().is_some_and(|language| !language::has_numbers(language)) {
                let seed = plan.seed.unwrap_or(DEFAULT_SEED);
                all.extend(sampled(plan.language.as_ref(), seed, true, &layout, primary)?);
            }
            all
        }
        _ => seeds(plan, &layout, primary, &mut |_, _| {})?,
    };
    let seeds = stretches::stretched(plan, strategy, seeds)?;
    let longest_seed = seeds.iter().flat_map(|seed| &seed.sources).map(|source| source.bytes.len()).max().unwrap_or(0);
    let search = Search {
        strategy,
        seed: plan.seed.unwrap_or(DEFAULT_SEED),
        max_len: plan.max_len,
        longest_seed,
        n_seeds: seeds.len(),
        n_workers: plan.worker.map_or(plan.n_workers.unwrap_or(1), |share| share.n_workers),
    };
    let language = plan.language.as_ref();
    let parts = plan.parts.as_ref();
    let manifest = Manifest::new(&plan.subject, &layout, primary, search, &plan.dictionaries, language, parts)?;
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
    if plan.language.is_some() && plan.language != old.language {
        let message = format!("the search in {} has another grammar, or other parts of it", plan.output.display());
        return Err(hinted(
            message,
            "leave --grammar and what belongs to it out to go on, or name another folder with -o",
        ));
    }
    let mut manifest = old;
    let search = &mut manifest.search;
    if let Some(n_workers) = plan.n_workers.filter(|&n_workers| n_workers != search.n_workers) {
        let message =
            format!("the search in {} has --jobs {}, not {n_workers}", plan.output.display(), search.n_workers);
        return Err(hinted(message, "what is left to ask is divided among them: leave --jobs out"));
    }
    search.strategy = plan.strategy.unwrap_or(search.strategy);
    search.seed = plan.seed.unwrap_or(search.seed);
    search.max_len = plan.max_len.or(search.max_len);
    if search.strategy == strategy::Kind::Cese {
        without_max_len(plan)?;
        same_language(&mut manifest, &plan.output)?;
    } else if let Some(path) = manifest.changed_file()?.map(Path::to_owned) {
        note(&format!("{} has changed since the search began: mutants follow what it says now", path.display()));
        manifest.language_hashes = manifest.language.as_ref().map_or(Ok(Vec::new()), manifest::language_hashes)?;
    }
    manifest.parts = plan.parts.clone().or(manifest.parts);
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
    let seeds = seeds_again(plan, &manifest)?;
    Ok(Start { subject, manifest, seeds, resume: Some(Resume { has_same_name }) })
}

/// Strings are remembered by their numbers, which are those of other strings once a file says something else.
fn same_language(manifest: &mut Manifest, out: &Path) -> Result<()> {
    if let Some(path) = manifest.changed_file()? {
        let message = format!("{} has changed since the search in {} began", path.display(), out.display());
        return Err(hinted(message, "its strings are others now: put the file back, or name another folder with -o"));
    }
    if let Some(language) = manifest.language.as_ref().filter(|_| manifest.language_hashes.is_empty()) {
        manifest.language_hashes = manifest::language_hashes(language)?;
    }
    Ok(())
}

/// What a search that goes on is given. One that was stopped before it kept anything begins as it did.
fn seeds_again(plan: &ExplorePlan, manifest: &Manifest) -> Result<Vec<Input>> {
    if matches!(manifest.search.strategy, strategy::Kind::Cese | strategy::Kind::GrammarBlackbox) {
        return Ok(Vec::new());
    }
    let has_tests = corpus::tests(&results(plan).join(corpus::QUEUE)).is_ok_and(|tests| !tests.is_empty());
    if plan.seeds.is_empty() && has_tests {
        return Ok(Vec::new());
    }
    let mut known = Vec::new();
    if plan.worker.is_some() && !has_tests {
        known = workers::seeds(&plan.output, &manifest.given, &manifest.primary);
    }
    if known.is_empty() || !plan.seeds.is_empty() {
        let is_sampled = makes_seeds(manifest.search.strategy) && manifest.language.is_some();
        known.extend(match is_sampled && plan.seeds.is_empty() {
            true => {
                let has_tokens = manifest.search.strategy.has_tokens();
                sampled(
                    manifest.language.as_ref(),
                    manifest.search.seed,
                    has_tokens,
                    &manifest.given,
                    &manifest.primary,
                )?
            }
            false => seeds(plan, &manifest.given, &manifest.primary, &mut |_, _| {})?,
        });
    }
    Ok(known)
}

/// Whether sentences are its seeds where the user gives none. Mutation makes them as it goes.
fn makes_seeds(strategy: strategy::Kind) -> bool {
    strategy.has_tokens() || matches!(strategy, strategy::Kind::Generational | strategy::Kind::Blackbox)
}

/// Seeds that are sentences of the grammar.
fn sampled(
    language: Option<&Language>,
    seed: u64,
    has_tokens: bool,
    layout: &Input,
    primary: &str,
) -> Result<Vec<Input>> {
    let Some(language) = language else { return Ok(Vec::new()) };
    let texts = language::samples(language, seed, has_tokens)?;
    let input = |text: Vec<u8>| {
        let mut input = layout.clone();
        let sources = input.sources.iter_mut().filter(|source| source.name == primary);
        sources.for_each(|source| source.bytes.clone_from(&text));
        input
    };
    Ok(texts.into_iter().map(input).collect())
}

/// The user's words for mutants.
fn words(manifest: &Manifest) -> Result<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    for path in &manifest.dictionaries {
        let text = fs::read_to_string(path)
            .map_err(|error| hinted(format!("cannot read the dictionary {}: {error}", path.display()), "check -x"))?;
        let read = gimlet_mutate::parse_dictionary(&text);
        words.extend(read.map_err(|error| {
            hinted(format!("{}: {error}", path.display()), "a line is name=\"text\", with \\xNN for other bytes")
        })?);
    }
    Ok(words)
}

/// The source that seeds and tests are for.
pub fn primary(subject: &Subject) -> &'static str {
    let is_file = |arg: &std::ffi::OsString| has_place(arg, FILE_SOURCE);
    if subject.args.iter().any(is_file) {
        FILE_SOURCE
    } else {
        STDIN
    }
}

/// The sources that the program is given, with what the user says they hold.
pub fn layout(subject: &Subject) -> Result<Input> {
    let mut input = subject::input_beside_stdin(subject)?;
    let primary = primary(subject);
    match &subject.stdin {
        Some(path) => input.push(SourceKind::Stdin, STDIN, subject::read_file(path, subject.limits.input_bytes)?),
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

/// Seeds of a search with symbolic tokens, whose language they ought to be of.
fn reviewed_seeds(plan: &ExplorePlan, strategy: strategy::Kind, layout: &Input, primary: &str) -> Result<Vec<Input>> {
    let mut texts = Vec::new();
    let mut take = |path: &Path, input: &Input| {
        texts.extend(input.source(primary).map(|source| (path.to_owned(), source.bytes.clone())));
    };
    let seeds = seeds(plan, layout, primary, &mut take)?;
    // One of several workers is enough to say it.
    if let Some(language) = plan.language.as_ref().filter(|_| plan.worker.is_none()) {
        language::review(language, tie(strategy), &texts)?;
    }
    Ok(seeds)
}

/// The function that returns tokens, if the default is to make them variables: one that the user names, or lex's.
fn default_tokens(language: &Language, strategy: strategy::Kind, program: &Path) -> Result<Option<TokenFunction>> {
    if strategy != strategy::Kind::Hybrid {
        return Ok(language.token_function.clone());
    }
    let (function, is_there) = token_function(language, program)?;
    if !is_there {
        let name = &function.name;
        note(&format!(
            "{name} is no function of the program: no tokens are variables (--token-fn NAME says which it is)"
        ));
    }
    Ok(is_there.then_some(function))
}

/// The function that returns tokens, and whether it is in the program: one that the user names, or lex's.
fn token_function(language: &Language, program: &Path) -> Result<(TokenFunction, bool)> {
    if let Some(function) = language.token_function.clone() {
        return Ok((function, true));
    }
    let all = language::token_functions(language);
    for function in &all {
        if can_return_tokens(program, function)? {
            return Ok((function.clone(), true));
        }
    }
    let first = all.into_iter().next().context("yylex is always one of them")?;
    Ok((first, false))
}

fn tie(strategy: strategy::Kind) -> Tie {
    match strategy {
        strategy::Kind::Grammar => Tie::Sentence,
        _ => Tie::Tokens,
    }
}

/// What the search begins with. Who takes them sees those that were read from files.
fn seeds(plan: &ExplorePlan, layout: &Input, primary: &str, take: &mut dyn FnMut(&Path, &Input)) -> Result<Vec<Input>> {
    let mut seeds = Vec::new();
    let (mut n_left_out, mut n_bytes) = (0, 0);
    let has_tokens = plan.strategy.is_some_and(strategy::Kind::has_tokens);
    let len_max = if has_tokens { TOKEN_SEED_MAX.max(plan.max_len.unwrap_or(0)) } else { usize::MAX };
    for path in &plan.seeds {
        let cannot =
            |error: io::Error| hinted(format!("cannot read the seeds in {}: {error}", path.display()), "check -i");
        let queue = path.join(QUEUE);
        let is_result = queue.is_dir() && [MANIFEST, FUZZER_STATS].iter().any(|name| path.join(name).is_file());
        if is_result {
            note(&format!("{} is a folder of results: its tests are the seeds", path.display()));
        }
        let folder = if is_result { &queue } else { path };
        let files = if folder.is_dir() { corpus::tests(folder).map_err(cannot)? } else { vec![path.clone()] };
        let n_files = files.len();
        let n_before = seeds.len();
        let (mut is_too_long, mut n_too_large) = (false, 0);
        for file in files {
            if interrupt::received().is_some() {
                return Err(ExecError::Interrupted.into());
            }
            match read_seed(&file, file == *path, plan, layout, primary) {
                Ok(input) if input.len() > len_max => {
                    is_too_long = true;
                    n_left_out += 1;
                    note_some(n_left_out, || {
                        let (file, len) = (file.display(), input.len());
                        format!("seed {file} is left out: it has {len} bytes, and with symbolic tokens {len_max} are enough; --max-len takes more")
                    });
                }
                Ok(input) if n_bytes + input.len() > SEED_BYTES_MAX => {
                    n_left_out += 1;
                    note_some(n_left_out, || format!("seed {} is left out: there are too many bytes", file.display()));
                }
                Ok(input) => {
                    n_bytes += input.len();
                    take(&file, &input);
                    seeds.push(input);
                }
                Err(error) if is_too_large(&error) => {
                    n_too_large += 1;
                    n_left_out += 1;
                    let limit = size(plan.subject.limits.input_bytes);
                    note_some(n_left_out, || {
                        format!("seed {} is left out: it is larger than {limit}: --max-input", file.display())
                    });
                }
                Err(error) => {
                    n_left_out += 1;
                    note_some(n_left_out, || format!("seed {} is left out: {error:#}", file.display()));
                }
            }
        }
        if n_files == 0 {
            note(&format!("there are no seeds in {}", path.display()));
        } else if seeds.len() == n_before && is_too_long {
            return Err(hinted(
                format!("none of the seeds in {} is short enough", path.display()),
                "begin with shorter ones, or say --max-len N",
            ));
        } else if seeds.len() == n_before && n_too_large == n_files {
            let limit = size(plan.subject.limits.input_bytes);
            let what = if n_files == 1 { "the seed" } else { "each of the seeds in" };
            return Err(hinted(
                format!("{what} {} is larger than {limit}", path.display()),
                "--max-input BYTES takes larger ones",
            ));
        } else if seeds.len() == n_before {
            return Err(hinted(format!("none of the seeds in {} can be read", path.display()), "check -i"));
        }
    }
    if n_left_out > 0 {
        note(&format!("{n_left_out} of {} seeds are left out", n_left_out + seeds.len()));
    }
    let is_for_nobody = |source: &Source| source.kind == SourceKind::Named && source.name == STDIN;
    if seeds.iter().any(|seed| seed.sources.iter().any(is_for_nobody)) {
        note("there are seeds with a file for standard input, which is no part of this input; --stdin makes it one");
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

/// A seed. What the user names may be a pipe; what is in a folder must be a file, or to read it could take forever.
fn read_seed(path: &Path, is_named: bool, plan: &ExplorePlan, layout: &Input, primary: &str) -> Result<Input> {
    let n_bytes_max = plan.subject.limits.input_bytes;
    let is_pipe = is_named && fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if !is_pipe {
        return Ok(corpus::read_within(path, layout, primary, n_bytes_max)?);
    }
    let bytes = subject::read_file(path, n_bytes_max)?;
    let mut input = layout.clone();
    input.sources.iter_mut().filter(|source| source.name == primary).for_each(|source| source.bytes.clone_from(&bytes));
    Ok(input)
}

/// Whether a seed could not be read because of --max-input.
fn is_too_large(error: &anyhow::Error) -> bool {
    let of_file = |error: &io::Error| error.kind() == io::ErrorKind::InvalidData;
    matches!(error.downcast_ref(), Some(ExecError::InputTooLarge { .. })) || error.downcast_ref().is_some_and(of_file)
}
