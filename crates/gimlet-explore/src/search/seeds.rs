//! Inputs to begin with: files of the user's, sentences of a grammar, or some bytes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gimlet_exec::watch::is_interrupted;
use gimlet_exec::ExecError;
use gimlet_report::figures::size;
use gimlet_trace::{Input, Source, SourceKind};

use super::generators::tie;
use super::Search;
use crate::ask::lengths::FILLER;
use crate::corpus::{self, FUZZER_STATS, MANIFEST, QUEUE};
use crate::error::ExploreError;
use crate::manifest::{Manifest, DEFAULT_SEED, DEFAULT_STRATEGY};
use crate::notes::Notes;
use crate::program::language::{self, Language};
use crate::program::subject::{read_file, Subject};
use crate::spec::SearchSpec;
use crate::strategy::Kind;

/// Bytes to begin with where the user says nothing.
const LEN_DEFAULT: usize = 16;
/// Bytes of all seeds together: they are in memory.
const SEED_BYTES_MAX: usize = 512 << 20;
/// Bytes of a seed that is divided into tokens, unless the user lets inputs be longer: a run with more takes seconds, in
/// which nobody looks at the clock.
const TOKEN_SEED_MAX: usize = 16 << 10;

const STDIN: &str = "stdin";

/// Whether sentences are its seeds where the user gives none. Mutation makes them as it goes.
pub fn makes_seeds(strategy: Kind) -> bool {
    strategy.plan().has_tokens() || matches!(strategy, Kind::Generational | Kind::Blackbox)
}

/// Where seeds are read to.
struct Reading<'a> {
    search: &'a Search,
    layout: &'a Input,
    primary: &'a str,
    /// Bytes that a single seed may have.
    len_max: usize,
    input_bytes: u64,
    seeds: Vec<Input>,
    /// Those that were read from files.
    paths: Vec<PathBuf>,
    n_bytes: usize,
    n_left_out: usize,
}

/// What became of the files of one path.
#[derive(Default)]
struct Fate {
    is_too_long: bool,
    n_too_large: usize,
}

impl Search {
    /// What a search begins with.
    pub(super) fn first_seeds(
        &self,
        subject: &Subject,
        layout: &Input,
        notes: &mut Notes,
    ) -> Result<Vec<Input>, ExploreError> {
        let primary = subject.primary();
        let strategy = self.spec.strategy.name.unwrap_or(DEFAULT_STRATEGY);
        match strategy {
            // They begin with the strings of the grammar.
            Kind::Cese | Kind::GrammarBlackbox => Ok(Vec::new()),
            strategy if makes_seeds(strategy) && is_sampled(&self.spec) => {
                sampled(&self.spec, strategy.plan().has_tokens(), layout, primary, notes)
            }
            strategy if strategy.plan().has_tokens() => {
                // Without numbers in the grammar, runs have to show what is returned for each of its tokens.
                let mut all = self.reviewed(subject, strategy, layout, notes)?;
                if Language::of(&self.spec).is_some_and(|language| !language::has_numbers(&language)) {
                    all.extend(sampled(&self.spec, true, layout, primary, notes)?);
                }
                Ok(all)
            }
            _ => Ok(self.read(&self.spec.seeds.paths, subject, layout, notes)?.0),
        }
    }

    /// What one begins with that was stopped before it kept anything, or what the user gives now.
    pub(super) fn later_seeds(
        &self,
        subject: &Subject,
        manifest: &Manifest,
        notes: &mut Notes,
    ) -> Result<Vec<Input>, ExploreError> {
        let (strategy, given, paths) = (manifest.strategy(), &manifest.given, &self.spec.seeds.paths);
        if makes_seeds(strategy) && paths.is_empty() && manifest.spec.grammar.file.is_some() {
            return sampled(&manifest.spec, strategy.plan().has_tokens(), given, &manifest.primary, notes);
        }
        Ok(self.read(paths, subject, given, notes)?.0)
    }

    /// Seeds of a search with symbolic tokens, whose language they ought to be of.
    fn reviewed(
        &self,
        subject: &Subject,
        strategy: Kind,
        layout: &Input,
        notes: &mut Notes,
    ) -> Result<Vec<Input>, ExploreError> {
        let (seeds, paths) = self.read(&self.spec.seeds.paths, subject, layout, notes)?;
        let texts = paths.into_iter().zip(&seeds).filter_map(|(path, input)| {
            let source = input.source(subject.primary())?;
            Some((path, source.bytes.clone()))
        });
        // One of several workers is enough to say it.
        if let Some(language) = Language::of(&self.spec).filter(|_| self.worker.is_none()) {
            language::review(&language, tie(strategy), &texts.collect::<Vec<_>>(), self.interrupt, notes)?;
        }
        Ok(seeds)
    }

    /// Seeds from files, or bytes in their place, and the paths of those that were read.
    fn read(
        &self,
        paths: &[PathBuf],
        subject: &Subject,
        layout: &Input,
        notes: &mut Notes,
    ) -> Result<(Vec<Input>, Vec<PathBuf>), ExploreError> {
        let has_tokens = self.spec.strategy.name.is_some_and(|strategy| strategy.plan().has_tokens());
        let token_max = TOKEN_SEED_MAX.max(self.spec.strategy.max_len.unwrap_or(0));
        let mut reading = Reading {
            search: self,
            layout,
            primary: subject.primary(),
            len_max: if has_tokens { token_max } else { usize::MAX },
            input_bytes: subject.limits.input_bytes,
            seeds: Vec::new(),
            paths: Vec::new(),
            n_bytes: 0,
            n_left_out: 0,
        };
        paths.iter().try_for_each(|path| reading.take(path, notes))?;
        let Reading { mut seeds, paths, n_left_out, primary, .. } = reading;
        if n_left_out > 0 {
            notes.say(&format!("{n_left_out} of {} seeds are left out", n_left_out + seeds.len()));
        }
        let is_for_nobody = |source: &Source| source.kind == SourceKind::Named && source.name == STDIN;
        if seeds.iter().any(|seed| seed.sources.iter().any(is_for_nobody)) {
            notes.say(
                "there are seeds with a file for standard input, which is no part of this input; --stdin makes it one",
            );
        }
        if seeds.is_empty() {
            seeds.push(made_up(layout, primary, self.spec.strategy.len));
        }
        Ok((seeds, paths))
    }
}

impl Reading<'_> {
    /// Reads a file, the files of a folder, or the tests of a search.
    fn take(&mut self, path: &Path, notes: &mut Notes) -> Result<(), ExploreError> {
        let queue = path.join(QUEUE);
        let is_result = queue.is_dir() && [MANIFEST, FUZZER_STATS].iter().any(|name| path.join(name).is_file());
        if is_result {
            notes.say(&format!("{} is a folder of results: its tests are the seeds", path.display()));
        }
        let folder = if is_result { &queue } else { path };
        let cannot = |error: io::Error| {
            ExploreError::refused(format!("cannot read the seeds in {}: {error}", path.display()), "check -i")
        };
        let files = if folder.is_dir() { corpus::tests(folder).map_err(cannot)? } else { vec![path.to_owned()] };
        let (n_files, n_before) = (files.len(), self.seeds.len());
        let mut fate = Fate::default();
        for file in files {
            if is_interrupted(self.search.interrupt) {
                return Err(ExecError::Interrupted.into());
            }
            self.take_file(file, path, &mut fate, notes);
        }
        if n_files == 0 {
            notes.say(&format!("there are no seeds in {}", path.display()));
        }
        match n_files > 0 && self.seeds.len() == n_before {
            true => Err(self.nothing(path, n_files, &fate)),
            false => Ok(()),
        }
    }

    fn take_file(&mut self, file: PathBuf, path: &Path, fate: &mut Fate, notes: &mut Notes) {
        let (name, len_max) = (file.display(), self.len_max);
        let is_named = file == *path;
        let why = match self.read(&file, is_named) {
            Ok(input) if input.len() > len_max => {
                fate.is_too_long = true;
                let len = input.len();
                format!("seed {name} is left out: it has {len} bytes, and with symbolic tokens {len_max} are enough; --max-len takes more")
            }
            Ok(input) if self.n_bytes + input.len() > SEED_BYTES_MAX => {
                format!("seed {name} is left out: there are too many bytes")
            }
            Ok(input) => {
                self.n_bytes += input.len();
                self.seeds.push(input);
                self.paths.push(file);
                return;
            }
            Err(error) if is_too_large(&error) => {
                fate.n_too_large += 1;
                format!("seed {name} is left out: it is larger than {}: --max-input", size(self.input_bytes))
            }
            Err(error) => format!("seed {name} is left out: {error}"),
        };
        self.n_left_out += 1;
        notes.say_some(self.n_left_out, || why);
    }

    /// None of the files of a path can be used.
    fn nothing(&self, path: &Path, n_files: usize, fate: &Fate) -> ExploreError {
        let path = path.display();
        if fate.is_too_long {
            let message = format!("none of the seeds in {path} is short enough");
            return ExploreError::refused(message, "begin with shorter ones, or say --max-len N");
        }
        if fate.n_too_large == n_files {
            let what = if n_files == 1 { "the seed" } else { "each of the seeds in" };
            let message = format!("{what} {path} is larger than {}", size(self.input_bytes));
            return ExploreError::refused(message, "--max-input BYTES takes larger ones");
        }
        ExploreError::refused(format!("none of the seeds in {path} can be read"), "check -i")
    }

    /// A seed. What the user names may be a pipe; what is in a folder must be a file, or to read it could take forever.
    fn read(&self, path: &Path, is_named: bool) -> Result<Input, Unread> {
        let is_pipe = is_named && fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if !is_pipe {
            return corpus::read_within(path, self.layout, self.primary, self.input_bytes).map_err(Unread::File);
        }
        let bytes = read_file(path, self.input_bytes, self.search.interrupt).map_err(Unread::Pipe)?;
        Ok(with_text(self.layout, self.primary, &bytes))
    }
}

/// Why a seed could not be read.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error(transparent)]
    File(io::Error),
    #[error(transparent)]
    Pipe(ExploreError),
}

/// Whether a seed could not be read because of --max-input.
fn is_too_large(error: &Unread) -> bool {
    match error {
        Unread::File(error) => error.kind() == io::ErrorKind::InvalidData,
        Unread::Pipe(error) => matches!(error, ExploreError::Exec(ExecError::InputTooLarge { .. })),
    }
}

/// The sources with this in the primary one.
fn with_text(layout: &Input, primary: &str, text: &[u8]) -> Input {
    let mut input = layout.clone();
    input.sources.iter_mut().filter(|it| it.name == primary).for_each(|source| source.bytes = text.to_vec());
    input
}

/// Bytes to begin with, unless the user says what the sources hold.
fn made_up(layout: &Input, primary: &str, len: Option<usize>) -> Input {
    let is_given = layout.sources.iter().any(|source| source.bytes.iter().any(|&byte| byte != 0));
    let len = len.unwrap_or(if is_given { 0 } else { LEN_DEFAULT });
    let mut input = layout.clone();
    if let Some(source) = input.sources.iter_mut().find(|source| source.name == primary)
        && source.bytes.is_empty()
    {
        source.bytes = vec![FILLER; len];
    }
    input
}

fn is_sampled(spec: &SearchSpec) -> bool {
    spec.grammar.file.is_some() && spec.seeds.paths.is_empty()
}

/// Seeds that are sentences of the grammar.
fn sampled(
    spec: &SearchSpec,
    has_tokens: bool,
    layout: &Input,
    primary: &str,
    notes: &mut Notes,
) -> Result<Vec<Input>, ExploreError> {
    let Some(language) = Language::of(spec) else { return Ok(Vec::new()) };
    let texts = language::samples(&language, spec.strategy.seed.unwrap_or(DEFAULT_SEED), has_tokens, notes)?;
    Ok(texts.into_iter().map(|text| with_text(layout, primary, &text)).collect())
}
