//! What the user decides about a search, and nothing that follows from it.
//!
//! A spec is a file of TOML ([`read`](SearchSpec::read), [`write`](SearchSpec::write)) with a table for each topic. The
//! command line fills one, `gimlet.json` in a folder of results holds one, a worker of `--jobs` is sent one, and whoever
//! uses this crate makes one ([`crate::search`]). What is not said stays open: `None`, or an empty list. Keys have the
//! names of the options of `gimlet run`; `docs/spec.md` lists them.
//!
//! Paths in a file are relative to its folder, so that a folder with program, spec and seeds can be taken to another
//! machine; in memory they are as whoever made the spec has them, or absolute after reading. Two specs can be put on top of
//! each other ([`over`](SearchSpec::over)), which is how options of the command line change those of a file.
//!
//! | module | holds |
//! |---|---|
//! | [`check`](self) | what is wrong with a spec by itself |
//! | `file` | TOML, and errors that name the key |
//! | `form` | how values are written: times, words that are no text, hashes |
//! | `builds` | hashes of the program's builds |
//! | `overlay` | one spec on top of another |
//! | `paths` | paths relative to a file |

mod builds;
mod check;
mod file;
pub mod form;
mod overlay;
mod paths;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use gimlet_exec::target::TokenFunction;
use gimlet_exec::{Strings, World};
use gimlet_solver::log;
use serde::{Deserialize, Serialize};

use crate::findings::suppress::Rule;
use crate::findings::Enough;
use crate::strategy;
use crate::time::clock;

pub use self::builds::{twin, BuildHashes};
pub use self::form::duration;

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// Everything that makes one search differ from another.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSpec {
    /// Of the format: [`VERSION`].
    #[serde(skip_serializing_if = "form::is_open")]
    pub version: u32,
    #[serde(skip_serializing_if = "form::is_open")]
    pub program: ProgramSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub input: InputSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub limits: LimitSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub strategy: StrategySpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub grammar: GrammarSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub seeds: SeedSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub stop: StopSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub findings: FindingSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub parts: PartSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub team: TeamSpec,
    #[serde(skip_serializing_if = "form::is_open")]
    pub output: OutputSpec,
}

/// What is run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProgramSpec {
    #[serde(with = "form::word", skip_serializing_if = "form::is_open")]
    pub path: PathBuf,
    /// `@@` stands for the path of the input file, `@NAME@` for that of another one.
    #[serde(with = "form::words", skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<OsString>,
    /// Whether the program is kept from writing files, from the network and from signals: it is, unless this says no.
    pub sandbox: Option<bool>,
    /// If they are there, a search is of these builds and no others.
    #[serde(skip_serializing_if = "form::is_open")]
    pub builds: BuildHashes,
}

/// Where input comes from.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InputSpec {
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub stdin: Option<PathBuf>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileSeed>,
    /// Files that the program opens by a path of its own, which is their name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<FileSeed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<Variable>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sockets: Vec<SocketSeed>,
    pub symbolic_args: Option<bool>,
    #[serde(with = "form::strings", skip_serializing_if = "Option::is_none")]
    pub strings: Option<Strings>,
    #[serde(with = "form::world", skip_serializing_if = "Option::is_none")]
    pub world: Option<World>,
}

/// A file of the input, and where its content comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSeed {
    pub name: String,
    #[serde(with = "form::word")]
    pub path: PathBuf,
}

/// An environment variable that is input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    pub name: String,
    #[serde(with = "form::word")]
    pub value: OsString,
}

/// What a peer sends, at which port.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketSeed {
    pub port: Option<u16>,
    #[serde(with = "form::word")]
    pub path: PathBuf,
}

/// How much of anything a run may use.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSpec {
    #[serde(with = "form::time_or_none", skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// In MiB.
    pub max_memory: Option<u64>,
    pub max_input: Option<u64>,
    pub max_expressions: Option<u64>,
    pub max_events: Option<u64>,
    pub max_snapshots: Option<u64>,
}

/// How to search.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StrategySpec {
    #[serde(with = "form::text_or_none", skip_serializing_if = "Option::is_none")]
    pub name: Option<strategy::Kind>,
    /// For what is left to chance.
    #[serde(with = "form::number_or_none", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Bytes to begin with, or tokens of the longest strings of a grammar.
    pub len: Option<usize>,
    pub max_len: Option<usize>,
    /// Longer inputs are run and mutated only.
    pub max_followed: Option<usize>,
    /// Bytes before a stretch.
    pub prefix: Option<usize>,
    /// Whether tests are stretched by themselves: they are, unless this says no.
    pub stretches: Option<bool>,
}

/// The language of the input.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrammarSpec {
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub lexer: Option<PathBuf>,
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub token_map: Option<PathBuf>,
    pub start: Option<String>,
    pub height: Option<u32>,
    pub hole_len: Option<u32>,
    pub free_holes: Option<bool>,
    #[serde(with = "form::text_or_none", skip_serializing_if = "Option::is_none")]
    pub token_fn: Option<TokenFunction>,
    /// Of the files, in this order. If they are there, a search is with these files and no others.
    #[serde(with = "form::hashes", skip_serializing_if = "Vec::is_empty")]
    pub hashes: Vec<u64>,
}

/// What to begin with.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SeedSpec {
    /// Files, and folders of files.
    #[serde(with = "form::words", skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathBuf>,
    /// Words for mutation, in AFL's format.
    #[serde(with = "form::words", skip_serializing_if = "Vec::is_empty")]
    pub dictionaries: Vec<PathBuf>,
}

/// When to stop, unless nothing is left to do before.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StopSpec {
    #[serde(with = "form::time_or_none", skip_serializing_if = "Option::is_none")]
    pub budget: Option<Duration>,
    /// Without a new test or finding.
    #[serde(with = "form::time_or_none", skip_serializing_if = "Option::is_none")]
    pub idle: Option<Duration>,
    #[serde(with = "form::text_or_none", skip_serializing_if = "Option::is_none")]
    pub found: Option<Enough>,
    /// Runs of the program.
    pub steps: Option<u64>,
    /// What time is counted in.
    #[serde(with = "form::text_or_none", skip_serializing_if = "Option::is_none")]
    pub clock: Option<clock::Kind>,
}

/// What is reported.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FindingSpec {
    #[serde(with = "form::texts", skip_serializing_if = "Vec::is_empty")]
    pub suppress: Vec<Rule>,
    /// Files with more of them.
    #[serde(with = "form::words", skip_serializing_if = "Vec::is_empty")]
    pub suppressions: Vec<PathBuf>,
    /// Whether PROG.memory is used where it is there: it is, unless this says no.
    pub memory: Option<bool>,
    pub leaks: Option<bool>,
}

/// Parts of the program that figures are wanted of.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PartSpec {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleSpec>,
    /// By which the program rejects its input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reject_functions: Vec<String>,
}

/// Source files under one name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleSpec {
    pub name: String,
    pub files: Vec<String>,
}

/// `NAME=FILE,FILE`
impl FromStr for ModuleSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<ModuleSpec, String> {
        let (name, files) = text.split_once('=').ok_or("a module is NAME=FILES")?;
        let files: Vec<String> = files.split(',').filter(|file| !file.is_empty()).map(str::to_owned).collect();
        match (name.is_empty(), files.is_empty()) {
            (true, _) => Err("the module has no name".to_owned()),
            (_, true) => Err(format!("the module {name} has no files")),
            _ => Ok(ModuleSpec { name: name.to_owned(), files }),
        }
    }
}

/// Who searches.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TeamSpec {
    /// Processes.
    pub jobs: Option<u16>,
    /// A folder of other searches, whose tests are taken over.
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub sync: Option<PathBuf>,
}

/// Where results go.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSpec {
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub summary: Option<PathBuf>,
    #[serde(with = "form::word_or_none", skip_serializing_if = "Option::is_none")]
    pub log_queries: Option<PathBuf>,
    #[serde(with = "form::log_format", skip_serializing_if = "Option::is_none")]
    pub log_format: Option<log::Format>,
    pub explain_divergences: Option<bool>,
}
