//! What a folder of tests is for: `gimlet.json` in it.
//!
//! It holds the spec of the search ([`crate::spec`]), with paths relative to the folder, and what the search began with:
//! `folder` (where it was then), `primary` (the source that a test with a single file is for), `sources` [{`kind`, `name`,
//! `bytes`: what the user gives, in hexadecimal}], `files` [{`name`, `file_name`}], `longest_seed` and `n_seeds`. In the
//! spec are strategy, seed, limits, and hashes of builds and grammars as they were, whether the user said them or not.
//!
//! A folder that was moved alone finds its program where it was, one that was moved with its program beside it. Folders of
//! version 1 are read as well ([`version1`]).

mod version1;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use gimlet_exec::image::find_program;
use gimlet_exec::parts::{Module, Parts};
use gimlet_exec::{Limits, Strings, World};
use gimlet_trace::builds::{MEMORY_SUFFIX, PLAIN_SUFFIX};
use gimlet_trace::{Input, Source, SourceKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::corpus::folder::{MANIFEST, PRIVATE};
use crate::error::ExploreError;
use crate::program::language::Language;
use crate::program::subject::{Allowance, Subject};
use crate::spec::{form, BuildHashes, LimitSpec, ModuleSpec, PartSpec, SearchSpec};
use crate::strategy;

pub use crate::spec::twin;

/// Where the user says nothing.
pub const DEFAULT_STRATEGY: strategy::Kind = strategy::Kind::Hybrid;
pub const DEFAULT_SEED: u64 = 1;

/// Of the format.
const VERSION: u64 = 2;

/// A search, and how to run its tests.
#[derive(Clone, PartialEq, Debug)]
pub struct Manifest {
    pub spec: SearchSpec,
    /// Sources with what the user gives, but for the primary one.
    pub given: Input,
    pub primary: String,
    /// Files of the input, and what they are called.
    pub files: Vec<(String, OsString)>,
    /// Bytes of the longest source of all seeds.
    pub longest_seed: usize,
    pub n_seeds: usize,
}

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    version: u64,
    spec: SearchSpec,
    began: Began,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Began {
    #[serde(with = "form::word")]
    folder: PathBuf,
    primary: String,
    sources: Vec<Given>,
    files: Vec<FileName>,
    longest_seed: usize,
    n_seeds: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    kind: u32,
    name: String,
    bytes: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileName {
    name: String,
    #[serde(with = "form::word")]
    file_name: OsString,
}

impl Manifest {
    /// That of a search which begins with these seeds.
    pub fn new(spec: &SearchSpec, subject: &Subject, given: &Input, seeds: &[Input]) -> Result<Manifest, ExploreError> {
        let primary = subject.primary();
        let mut given = given.clone();
        given.sources.iter_mut().filter(|source| source.name == primary).for_each(|source| source.bytes.clear());
        let mut spec = spec.clone();
        spec.program.path = find_program(&subject.program)?;
        spec.limits = LimitSpec::of(&subject.limits);
        spec.strategy.name = spec.strategy.name.or(Some(DEFAULT_STRATEGY));
        spec.strategy.seed = spec.strategy.seed.or(Some(DEFAULT_SEED));
        spec.grammar.hashes = Language::of(&spec).map_or(Ok(Vec::new()), |language| language.hashes())?;
        let sources = seeds.iter().flat_map(|seed| &seed.sources);
        Ok(Manifest {
            given,
            primary: primary.to_owned(),
            files: subject.file_names(),
            longest_seed: sources.map(|source| source.bytes.len()).max().unwrap_or(0),
            n_seeds: seeds.len(),
            spec,
        })
    }

    pub fn program(&self) -> &Path {
        &self.spec.program.path
    }

    pub fn args(&self) -> &[OsString] {
        &self.spec.program.args
    }

    /// Sources without their bytes.
    pub fn layout(&self) -> Input {
        let mut input = self.given.clone();
        input.sources.iter_mut().for_each(|source| source.bytes.clear());
        input
    }

    pub fn limits(&self) -> Limits {
        self.spec.limits.limits(Allowance::OF_MANY)
    }

    pub fn strings(&self) -> Strings {
        self.spec.input.strings.unwrap_or_default()
    }

    pub fn world(&self) -> World {
        self.spec.input.world.unwrap_or_default()
    }

    pub fn strategy(&self) -> strategy::Kind {
        self.spec.strategy.name.unwrap_or(DEFAULT_STRATEGY)
    }

    pub fn seed(&self) -> u64 {
        self.spec.strategy.seed.unwrap_or(DEFAULT_SEED)
    }

    /// What is left to ask is divided among so many.
    pub fn n_workers(&self) -> usize {
        self.spec.team.jobs.map_or(1, usize::from)
    }

    /// What is to be told of parts of the program.
    pub fn parts(&self) -> Option<Parts> {
        self.spec.parts.parts()
    }

    pub fn write(&self, folder: &Path) -> Result<(), ExploreError> {
        let path = folder.join(MANIFEST);
        // Nobody is to see half of it.
        let unfinished = folder.join(PRIVATE).join(MANIFEST);
        let text = self.to_json(folder)?;
        let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, &path));
        written.map_err(|error| ExploreError::Write { path, error })
    }

    fn to_json(&self, folder: &Path) -> Result<String, ExploreError> {
        let mut spec = self.spec.relative_to(folder);
        spec.version = crate::spec::VERSION;
        spec.program.builds = BuildHashes::of(self.program());
        let given = |source: &Source| Given {
            kind: source.kind as u32,
            name: source.name.clone(),
            bytes: hexadecimal(&source.bytes),
        };
        let file =
            |(name, file_name): &(String, OsString)| FileName { name: name.clone(), file_name: file_name.clone() };
        let began = Began {
            folder: fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned()),
            primary: self.primary.clone(),
            sources: self.given.sources.iter().map(given).collect(),
            files: self.files.iter().map(file).collect(),
            longest_seed: self.longest_seed,
            n_seeds: self.n_seeds,
        };
        let value = serde_json::to_value(Form { version: VERSION, spec, began });
        let text = value.map(without_nulls).and_then(|value| serde_json::to_string_pretty(&value));
        text.map(|text| text + "\n").map_err(|error| ExploreError::refused(format!("the spec: {error}"), ""))
    }

    pub fn read(folder: &Path) -> Result<Manifest, ExploreError> {
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|error| {
            let message = format!("cannot read {}: {error}", path.display());
            ExploreError::refused(message, "name the folder that `gimlet run -o` made")
        })?;
        let damaged = |why: String| {
            let message = format!("{} is damaged{why}", path.display());
            ExploreError::refused(message, "was it made by this version of gimlet run?")
        };
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        match value["version"].as_u64() {
            Some(1) => version1::read(value).ok_or_else(|| damaged(String::new())),
            Some(VERSION) => {
                let form = serde_path_to_error::deserialize(value);
                let form = form.map_err(|error| damaged(format!(": {error}")))?;
                of_form(form, folder).ok_or_else(|| damaged(String::new()))
            }
            Some(other) => Err(ExploreError::refused(
                format!("{} is of version {other}, and this gimlet reads 1 and {VERSION}", path.display()),
                "use the gimlet that made the folder",
            )),
            None => Err(damaged(String::new())),
        }
    }
}

fn of_form(Form { spec, began, .. }: Form, folder: &Path) -> Option<Manifest> {
    let here = spec.resolved_in(folder);
    // A folder that was moved alone.
    let there = || Some(spec.resolved_in(&began.folder)).filter(|spec| spec.program.path.exists());
    let spec = if here.program.path.exists() { here } else { there().unwrap_or(here) };
    let mut given = Input::default();
    for Given { kind, name, bytes } in began.sources {
        given.push(SourceKind::from_code(kind)?, name, from_hexadecimal(&bytes)?);
    }
    let files = began.files.into_iter().map(|FileName { name, file_name }| (name, file_name)).collect();
    let Began { primary, longest_seed, n_seeds, .. } = began;
    Some(Manifest { spec, given, primary, files, longest_seed, n_seeds })
}

impl LimitSpec {
    /// All limits that a user can say.
    pub fn of(limits: &Limits) -> LimitSpec {
        LimitSpec {
            timeout: Some(std::time::Duration::from_millis(limits.timeout_ms)),
            max_memory: Some(limits.memory_mib),
            max_input: Some(limits.input_bytes),
            max_expressions: Some(limits.nodes),
            max_events: Some(limits.events),
            max_snapshots: Some(limits.snapshot_bytes),
        }
    }
}

impl PartSpec {
    /// What is to be told, if anything is.
    pub fn parts(&self) -> Option<Parts> {
        let module = |module: &ModuleSpec| Module { name: module.name.clone(), files: module.files.clone() };
        let modules = self.modules.iter().map(module).collect();
        let parts = Parts { modules, rejecting: self.reject_functions.clone() };
        (parts != Parts::default()).then_some(parts)
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let said = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(said.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(without_nulls).collect()),
        value => value,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

/// The build that inputs are run on again: the one that checks accesses to memory, or else the plain one.
pub fn replayed(program: &Path) -> Option<PathBuf> {
    twin(program, MEMORY_SUFFIX).or_else(|| twin(program, PLAIN_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive() {
        assert_eq!(from_hexadecimal(&hexadecimal(&[0, 1, 0xab, 255])), Some(vec![0, 1, 0xab, 255]));
        assert_eq!(from_hexadecimal("0g"), None);
    }

    fn manifest(program: &Path) -> Manifest {
        let mut given = Input::default();
        given.push(SourceKind::File, "file", "");
        given.push(SourceKind::Env, "$A", [1, 2, 255]);
        let mut spec = SearchSpec { version: crate::spec::VERSION, ..SearchSpec::default() };
        spec.program.path = program.to_owned();
        spec.program.args = vec!["@@".into()];
        spec.limits = LimitSpec::of(&Limits { timeout_ms: 250, ..Limits::default() });
        spec.strategy.seed = Some(u64::MAX);
        let files = vec![("file".to_owned(), "a.png".into())];
        Manifest { spec, given, primary: "file".to_owned(), files, longest_seed: 7, n_seeds: 2 }
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let scratch = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(scratch.path()).unwrap();
        let out = root.join("out");
        fs::create_dir_all(out.join(PRIVATE)).unwrap();
        let program = root.join("calc");
        fs::write(&program, "").unwrap();
        let written = manifest(&program);
        written.write(&out).unwrap();
        assert!(fs::read_to_string(out.join(MANIFEST)).unwrap().contains("\"path\": \"../calc\""));
        let mut read = Manifest::read(&out).unwrap();
        assert_eq!(read.limits().timeout_ms, 250);
        // Which build it is of is said when it is written.
        read.spec.program.builds = BuildHashes::default();
        assert_eq!(read, written);

        // The folder alone elsewhere, and all of it.
        let moved = tempfile::tempdir().unwrap();
        let kept = moved.path().join("kept");
        fs::rename(&out, &kept).unwrap();
        assert_eq!(Manifest::read(&kept).unwrap().program(), program);
        let all = fs::canonicalize(moved.path()).unwrap();
        fs::rename(&program, all.join("calc")).unwrap();
        assert_eq!(Manifest::read(&kept).unwrap().program(), all.join("calc"));
    }

    #[test]
    fn what_is_no_manifest_is_told() {
        let scratch = tempfile::tempdir().unwrap();
        let error = |text: &str| {
            fs::write(scratch.path().join(MANIFEST), text).unwrap();
            Manifest::read(scratch.path()).unwrap_err().to_string()
        };
        assert!(error("").ends_with("is damaged"));
        assert!(error("{\"version\": 9}").contains("is of version 9"));
        assert!(error("{\"version\": 2, \"spec\": {\"version\": 1, \"stop\": {\"budget\": 3}}}")
            .contains("spec.stop.budget"));
    }
}
