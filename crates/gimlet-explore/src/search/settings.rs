//! What the explorer needs to know, derived from the spec and from what is beside the program.

use std::fs;
use std::path::Path;

use gimlet_exec::image;
use gimlet_solver::log;
use gimlet_trace::builds::{ASAN_SUFFIX, EDGES_SUFFIX, MEMORY_SUFFIX, PLAIN_SUFFIX};

use super::start::Start;
use super::{parts, stretch, Search};
use crate::ask::lengths::Lengths;
use crate::error::ExploreError;
use crate::explorer::{Builds, Given, Settings, N_SEEDS_MAX};
use crate::findings::suppress::Rule;
use crate::manifest::{twin, Manifest};
use crate::strategy::Kind;
use crate::team::share::Share;
use crate::team::{self, Place};

/// Longest input where the user says nothing, unless a seed is longer than a quarter of it.
const MAX_LEN_DEFAULT: usize = 1024;
/// Bytes of input that are followed where mutation can do the rest.
const FOLLOWED_MAX: usize = 16 << 10;

pub fn settings(search: &Search, start: &Start) -> Result<Settings, ExploreError> {
    let Start { subject, manifest, resume, .. } = start;
    let (spec, strategy) = (&manifest.spec, manifest.strategy());
    let share = search.share(manifest);
    let plain = twin(&subject.program, PLAIN_SUFFIX);
    let edges = twin(&subject.program, EDGES_SUFFIX);
    let (words, samples) = words(manifest, plain.as_deref())?;
    if edges.is_none() && (strategy == Kind::Mutation || strategy.plan().draws) {
        let what = "mutants are run on the build with counters, and there is none";
        return Err(ExploreError::refused(what, "compile with gimlet-cc"));
    }
    if let Some(parts) = &manifest.parts() {
        parts::check(parts, edges.as_deref())?;
    }
    let has_stretches = spec.strategy.prefix.is_none() && spec.strategy.stretches != Some(false);
    Ok(Settings {
        strategy,
        seed: manifest.seed().wrapping_add(share.number as u64),
        lengths: lengths(manifest),
        // A prefix is explored in full.
        stretch_max: if has_stretches { spec.strategy.max_len.unwrap_or(stretch::LEN_DEFAULT) } else { 0 },
        stop: search.spec.stop.clone(),
        suppressions: suppressions(manifest)?,
        out: search.results(),
        place: Place { share, out: search.out.clone(), divides_seeds: manifest.n_seeds > N_SEEDS_MAX },
        resume: *resume,
        sync: search.spec.team.sync.clone(),
        given: Given {
            layout: manifest.given.clone(),
            primary: manifest.primary.clone(),
            trims_unread: search.spec.seeds.paths.is_empty()
                && spec.strategy.len.is_none()
                && !strategy.plan().has_tokens(),
            followed_max: spec.strategy.max_followed.unwrap_or(FOLLOWED_MAX),
        },
        log_queries: log_queries(search),
        builds: Builds {
            edges,
            plain,
            memory: twin(&subject.program, MEMORY_SUFFIX).filter(|_| spec.findings.memory != Some(false)),
            asan: twin(&subject.program, ASAN_SUFFIX),
        },
        words,
        samples,
    })
}

fn lengths(manifest: &Manifest) -> Lengths {
    let has_prefix = manifest.spec.strategy.prefix.is_some();
    match (manifest.strategy(), manifest.spec.strategy.max_len) {
        (Kind::Cese, _) | (Kind::Dfs, None) => Lengths::Fixed,
        // With a prefix it is the stretch that grows.
        (Kind::Dfs, Some(_)) if has_prefix => Lengths::Fixed,
        (Kind::Dfs, Some(max)) => Lengths::Every { max },
        (kind, Some(_)) if has_prefix && kind != Kind::Hybrid => Lengths::Some { max: manifest.longest_seed },
        (_, max) => Lengths::Some { max: max.unwrap_or(MAX_LEN_DEFAULT.max(4 * manifest.longest_seed)) },
    }
}

/// Texts, each as its bytes.
type Texts = Vec<Vec<u8>>;

/// Words for mutants, and texts that may be in the language of the input: the user's, and the program's.
fn words(manifest: &Manifest, plain: Option<&Path>) -> Result<(Texts, Texts), ExploreError> {
    let mut words = Vec::new();
    for path in &manifest.spec.seeds.dictionaries {
        let text = fs::read_to_string(path).map_err(|error| {
            ExploreError::refused(format!("cannot read the dictionary {}: {error}", path.display()), "check -x")
        })?;
        let read = gimlet_mutate::parse_dictionary(&text);
        words.extend(read.map_err(|error| {
            let hint = "a line is name=\"text\", with \\xNN for other bytes";
            ExploreError::refused(format!("{}: {error}", path.display()), hint)
        })?);
    }
    if !manifest.strategy().plan().mutates {
        return Ok((words, Vec::new()));
    }
    // The instrumented build has those of the runtime as well.
    let constants = image::constants(plain.unwrap_or(manifest.program()))?;
    words.extend(gimlet_mutate::strings(&constants));
    Ok((words, gimlet_mutate::texts(&constants)))
}

/// What the user does not want to be told of, in the spec and in files.
fn suppressions(manifest: &Manifest) -> Result<Vec<Rule>, ExploreError> {
    let mut rules = manifest.spec.findings.suppress.clone();
    for path in &manifest.spec.findings.suppressions {
        let text = fs::read_to_string(path).map_err(|error| {
            ExploreError::refused(format!("cannot read {}: {error}", path.display()), "check --suppressions")
        })?;
        let read = Rule::read_all(&text).map_err(|error| {
            let hint = "a line is KIND[:FUNCTION[:FILE]], # begins a comment";
            ExploreError::refused(format!("{}: {error}", path.display()), hint)
        })?;
        rules.extend(read);
    }
    Ok(rules)
}

/// Those of a worker go to a folder of its own.
fn log_queries(search: &Search) -> Option<log::Destination> {
    let output = &search.spec.output;
    let folder = output.log_queries.clone()?;
    let Share { number, .. } = search.worker.unwrap_or(Share::WHOLE);
    Some(log::Destination {
        folder: if number > 0 { folder.join(team::name(number)) } else { folder },
        format: output.log_format.unwrap_or(log::Format::SmtLib),
    })
}
