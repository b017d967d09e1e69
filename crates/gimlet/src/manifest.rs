//! What a folder of tests is for: `gimlet.json` in it.
//!
//! Fields: `version`, `program` (absolute), `args`, `primary` (the source that a test with a single file is for),
//! `sources` [{`kind`, `name`, `bytes`: what the user gives, in hexadecimal}], `files` [{`name`, `file_name`}],
//! `timeout_ms`, `memory_mib` and further limits, `strings`, `strategy`, `seed`, `max_len`,
//! `longest_seed`, `seeds` (how many), `jobs`, `dictionaries`, `language` {`grammar`, `lexer`, `token_map`, `start`, `height`,
//! `len`, `hole_len`, `free_holes`, `token_function`}, `language_hashes` (of its files, in hexadecimal), `modules` [NAME=FILES],
//! `reject_functions`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::Result;
use gimlet_exec::image::find_program;
use gimlet_exec::parts::{Module, Parts};
use gimlet_exec::{Limits, Strings};
use gimlet_explore::corpus::{MANIFEST, PRIVATE};
use gimlet_explore::walk::hash;
use gimlet_explore::{strategy, ExploreError};
use gimlet_trace::{Input, Source, SourceKind};
use serde_json::{json, Value};

use crate::exit::hinted;
use crate::options::{module, token_function, Language, Subject};
use crate::subject;

/// Where the user says nothing.
pub const DEFAULT_STRATEGY: strategy::Kind = strategy::Kind::Hybrid;
pub const DEFAULT_SEED: u64 = 1;

/// What gimlet-cc adds to the name of a program for that of its plain build.
pub const PLAIN_SUFFIX: &str = ".plain";
/// The same for the build that counts branches.
pub const EDGES_SUFFIX: &str = ".edges";
/// The same for the build that checks accesses to memory.
pub const MEMORY_SUFFIX: &str = ".memory";
/// The same for the build with sanitizers.
pub const ASAN_SUFFIX: &str = ".asan";
/// The same for the build with source-based coverage.
pub const COV_SUFFIX: &str = ".cov";

/// How to run the tests of a folder.
pub struct Manifest {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Sources without their bytes.
    pub layout: Input,
    /// Sources with what the user gives, but for the primary one.
    pub given: Input,
    pub primary: String,
    /// Files of the input, and what they are called.
    pub files: Vec<(String, OsString)>,
    pub limits: Limits,
    pub strings: Strings,
    pub search: Search,
    /// Words for mutation.
    pub dictionaries: Vec<PathBuf>,
    /// Of the input.
    pub language: Option<Language>,
    /// Of the language's files as they were when the search began; none if that is not known.
    pub language_hashes: Vec<u64>,
    /// What is to be told of parts of the program.
    pub parts: Option<Parts>,
}

/// How to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    pub strategy: strategy::Kind,
    pub seed: u64,
    pub max_len: Option<usize>,
    /// Bytes of the longest source of all seeds.
    pub longest_seed: usize,
    pub n_seeds: usize,
    /// What is left to ask is divided among so many.
    pub n_workers: usize,
}

impl Manifest {
    pub fn new(
        subject: &Subject,
        given: &Input,
        primary: &str,
        search: Search,
        dictionaries: &[PathBuf],
        language: Option<&Language>,
        parts: Option<&Parts>,
    ) -> Result<Manifest> {
        let mut given = given.clone();
        given.sources.iter_mut().filter(|source| source.name == primary).for_each(|source| source.bytes.clear());
        Ok(Manifest {
            program: fs::canonicalize(find_program(&subject.program)?)?,
            args: subject.args.clone(),
            layout: emptied(&given),
            given,
            primary: primary.to_owned(),
            files: subject::file_names(subject),
            limits: subject.limits.clone(),
            strings: subject.strings,
            search,
            dictionaries: absolute(dictionaries),
            language: language.cloned(),
            language_hashes: language.map_or(Ok(Vec::new()), language_hashes)?,
            parts: parts.cloned(),
        })
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        let source = |source: &Source| json!({ "kind": source.kind as u32, "name": source.name, "bytes": hexadecimal(&source.bytes) });
        let file =
            |(name, file_name): &(String, OsString)| json!({ "name": name, "file_name": text_or_bytes(file_name) });
        let Search { strategy, seed, max_len, longest_seed, n_seeds, n_workers } = self.search;
        let mut manifest = json!({
            "version": 1,
            "program": self.program.to_string_lossy(),
            "args": self.args.iter().map(text_or_bytes).collect::<Vec<_>>(),
            "primary": self.primary,
            "sources": self.given.sources.iter().map(source).collect::<Vec<_>>(),
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
            "branches_in_strings": self.strings == Strings::Branches,
            "strategy": strategy.name(),
            "seed": seed,
            "max_len": max_len,
            "longest_seed": longest_seed,
            "seeds": n_seeds,
            "jobs": n_workers,
            "dictionaries": self.dictionaries.iter().map(|path| text_or_bytes(path.as_os_str())).collect::<Vec<_>>(),
        });
        if let Some(language) = &self.language {
            manifest["language"] = language_value(language);
            let hashes = self.language_hashes.iter().map(|hash| json!(format!("{hash:016x}")));
            manifest["language_hashes"] = hashes.collect();
        }
        if let Some(Parts { modules, rejecting }) = &self.parts {
            let module = |module: &Module| json!(format!("{}={}", module.name, module.files.join(",")));
            manifest["modules"] = modules.iter().map(module).collect();
            manifest["reject_functions"] = json!(rejecting);
        }
        for (name, value) in limits_of(&mut self.limits.clone()) {
            manifest[name] = json!(*value);
        }
        let path = folder.join(MANIFEST);
        // Nobody is to see half of it.
        let unfinished = folder.join(PRIVATE).join(MANIFEST);
        let text = serde_json::to_string_pretty(&manifest)? + "\n";
        let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, &path));
        written.map_err(|error| ExploreError::Write { path, error }.into())
    }

    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|error| {
            hinted(format!("cannot read {}: {error}", path.display()), "name the folder that `gimlet run -o` made")
        })?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        Manifest::from_value(&value).ok_or_else(|| {
            hinted(format!("{} is damaged", path.display()), "was it made by this version of gimlet run?")
        })
    }

    fn from_value(value: &Value) -> Option<Manifest> {
        let mut given = Input::default();
        for source in value["sources"].as_array()? {
            let kind = source["kind"].as_u64().and_then(|code| SourceKind::from_code(code as u32));
            let bytes = from_hexadecimal(source["bytes"].as_str().unwrap_or_default())?;
            given.push(kind?, source["name"].as_str()?, bytes);
        }
        let args = value["args"].as_array()?.iter().map(argument).collect::<Option<_>>()?;
        let file = |file: &Value| Some((file["name"].as_str()?.to_owned(), argument(&file["file_name"])?));
        let files = value["files"].as_array().into_iter().flatten().map(file).collect::<Option<_>>()?;
        let dictionaries = value["dictionaries"].as_array().into_iter().flatten().map(argument);
        let dictionaries = dictionaries.map(|path| path.map(PathBuf::from)).collect::<Option<_>>()?;
        let mut limits = Limits::default();
        for (name, limit) in limits_of(&mut limits) {
            *limit = value[name].as_u64().unwrap_or(*limit);
        }
        let strategy = value["strategy"].as_str();
        Some(Manifest {
            program: value["program"].as_str()?.into(),
            args,
            layout: emptied(&given),
            given,
            primary: value["primary"].as_str()?.to_owned(),
            files,
            limits,
            strings: match value["branches_in_strings"].as_bool() {
                Some(true) => Strings::Branches,
                _ => Strings::Expression,
            },
            search: Search {
                strategy: strategy::Kind::ALL
                    .into_iter()
                    .find(|kind| Some(kind.name()) == strategy)
                    .unwrap_or(DEFAULT_STRATEGY),
                seed: value["seed"].as_u64().unwrap_or(DEFAULT_SEED),
                max_len: value["max_len"].as_u64().map(|len| len as usize),
                longest_seed: value["longest_seed"].as_u64().unwrap_or(0) as usize,
                n_seeds: value["seeds"].as_u64().unwrap_or(0) as usize,
                n_workers: value["jobs"].as_u64().unwrap_or(1).max(1) as usize,
            },
            dictionaries,
            language: language_of(&value["language"]),
            language_hashes: value["language_hashes"].as_array().into_iter().flatten().filter_map(hash_of).collect(),
            parts: parts_of(value),
        })
    }

    /// The first of the language's files that is not what it was when the search began.
    pub fn changed_file(&self) -> Result<Option<&Path>> {
        let Some(language) = &self.language else { return Ok(None) };
        let mut pairs = language.files().zip(language_hashes(language)?).zip(&self.language_hashes);
        Ok(pairs.find(|((_, now), before)| now != *before).map(|((path, _), _)| path))
    }
}

/// One for each of the language's files.
pub fn language_hashes(language: &Language) -> Result<Vec<u64>> {
    let hash_of_file = |path: &Path| {
        let read = fs::read(path).map(|bytes| hash(&bytes));
        read.map_err(|error| {
            hinted(format!("cannot read {}: {error}", path.display()), "check --grammar, --lexer and --token-map")
        })
    };
    language.files().map(hash_of_file).collect()
}

fn hash_of(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?, 16).ok()
}

fn language_value(language: &Language) -> Value {
    let path = |path: &PathBuf| text_or_bytes(path);
    json!({
        "grammar": path(&language.grammar),
        "lexer": language.lexer.as_ref().map(path),
        "token_map": language.token_map.as_ref().map(path),
        "start": language.start,
        "height": language.height,
        "len": language.len,
        "hole_len": language.hole_len,
        "free_holes": language.has_free_holes,
        "token_function": language.token_function.as_ref().map(|it| format!("{}+{}:{}", it.name, it.offset, it.size)),
    })
}

fn language_of(value: &Value) -> Option<Language> {
    let path = |name: &str| argument(&value[name]).map(PathBuf::from);
    let number = |name: &str| value[name].as_u64().and_then(|number| u32::try_from(number).ok());
    Some(Language {
        grammar: path("grammar")?,
        lexer: path("lexer"),
        token_map: path("token_map"),
        start: value["start"].as_str().map(str::to_owned),
        height: number("height"),
        len: number("len"),
        hole_len: number("hole_len")?,
        has_free_holes: value["free_holes"].as_bool().unwrap_or(false),
        token_function: value["token_function"].as_str().and_then(|text| token_function(text).ok()),
    })
}

fn parts_of(value: &Value) -> Option<Parts> {
    let texts = |name: &str| value[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    let modules = texts("modules").filter_map(|text| module(text).ok()).collect();
    let parts = Parts { modules, rejecting: texts("reject_functions").map(str::to_owned).collect() };
    (parts != Parts::default()).then_some(parts)
}

/// Paths that mean the same in other folders.
pub fn absolute(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect()
}

/// The limits that the user can set.
fn limits_of(limits: &mut Limits) -> [(&'static str, &mut u64); 6] {
    [
        ("timeout_ms", &mut limits.timeout_ms),
        ("memory_mib", &mut limits.memory_mib),
        ("max_input", &mut limits.input_bytes),
        ("max_expressions", &mut limits.nodes),
        ("max_events", &mut limits.events),
        ("max_snapshots", &mut limits.snapshot_bytes),
    ]
}

fn emptied(input: &Input) -> Input {
    let mut input = input.clone();
    input.sources.iter_mut().for_each(|source| source.bytes.clear());
    input
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

/// Arguments need not be text: bytes, then, if they are not.
fn text_or_bytes(text: impl AsRef<OsStr>) -> Value {
    let text = text.as_ref();
    match text.to_str() {
        Some(text) => json!(text),
        None => json!(text.as_bytes()),
    }
}

fn argument(value: &Value) -> Option<OsString> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    let bytes = value.as_array()?.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()));
    Some(OsString::from_vec(bytes.collect::<Option<_>>()?))
}

/// Another build beside a program, if there is one.
pub fn twin(program: &Path, suffix: &str) -> Option<PathBuf> {
    let mut name = find_program(program).ok()?.into_os_string();
    name.push(suffix);
    let path = PathBuf::from(name);
    path.is_file().then_some(path)
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

    #[test]
    fn a_language_survives() {
        let language = Language {
            grammar: "/a/parse.y".into(),
            lexer: Some("/a/scan.l".into()),
            token_map: None,
            start: Some("line".to_owned()),
            height: None,
            len: Some(6),
            hole_len: 3,
            has_free_holes: true,
            token_function: token_function("next+8").ok(),
        };
        assert_eq!(language_of(&language_value(&language)), Some(language));
        assert_eq!(language_of(&Value::Null), None);
    }
}
