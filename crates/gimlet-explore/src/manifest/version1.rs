//! Manifests of version 1, of searches before there were specs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use gimlet_exec::target::TokenFunction;
use gimlet_exec::Strings;
use gimlet_trace::{Input, SourceKind};
use serde::Deserialize;
use serde_json::Value;

use super::{from_hexadecimal, FileName, Given, Manifest};
use crate::spec::{form, GrammarSpec, LimitSpec, ModuleSpec, SearchSpec, VERSION};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Version1 {
    program: String,
    #[serde(with = "form::words")]
    args: Vec<OsString>,
    primary: String,
    sources: Vec<Given>,
    files: Vec<FileName>,
    branches_in_strings: bool,
    strategy: String,
    seed: Option<u64>,
    max_len: Option<usize>,
    longest_seed: usize,
    seeds: usize,
    jobs: Option<u16>,
    #[serde(with = "form::words")]
    dictionaries: Vec<PathBuf>,
    language: Option<Language1>,
    #[serde(with = "form::hashes")]
    language_hashes: Vec<u64>,
    modules: Vec<String>,
    reject_functions: Vec<String>,
    timeout_ms: Option<u64>,
    memory_mib: Option<u64>,
    max_input: Option<u64>,
    max_expressions: Option<u64>,
    max_events: Option<u64>,
    max_snapshots: Option<u64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Language1 {
    #[serde(with = "form::word")]
    grammar: PathBuf,
    #[serde(with = "form::word_or_none")]
    lexer: Option<PathBuf>,
    #[serde(with = "form::word_or_none")]
    token_map: Option<PathBuf>,
    start: Option<String>,
    height: Option<u32>,
    len: Option<usize>,
    hole_len: Option<u32>,
    free_holes: bool,
    #[serde(with = "form::text_or_none")]
    token_function: Option<TokenFunction>,
}

/// The manifest, if it is one.
pub fn read(value: Value) -> Option<Manifest> {
    let old: Version1 = serde_json::from_value(value).ok().filter(|old: &Version1| !old.primary.is_empty())?;
    let mut given = Input::default();
    for Given { kind, name, bytes } in old.sources {
        given.push(SourceKind::from_code(kind)?, name, from_hexadecimal(&bytes)?);
    }
    let mut spec = SearchSpec { version: VERSION, ..SearchSpec::default() };
    spec.program.path = old.program.into();
    spec.program.args = old.args;
    spec.input.strings = old.branches_in_strings.then_some(Strings::Branches);
    spec.limits = LimitSpec {
        timeout: old.timeout_ms.map(Duration::from_millis),
        max_memory: old.memory_mib,
        max_input: old.max_input,
        max_expressions: old.max_expressions,
        max_events: old.max_events,
        max_snapshots: old.max_snapshots,
    };
    spec.strategy.name = old.strategy.parse().ok();
    spec.strategy.seed = old.seed;
    spec.strategy.max_len = old.max_len;
    spec.strategy.len = old.language.as_ref().and_then(|language| language.len);
    spec.grammar = old.language.map(grammar).unwrap_or_default();
    spec.grammar.hashes = old.language_hashes;
    spec.seeds.dictionaries = old.dictionaries;
    spec.parts.modules = old.modules.iter().filter_map(|text| text.parse().ok()).collect::<Vec<ModuleSpec>>();
    spec.parts.reject_functions = old.reject_functions;
    spec.team.jobs = old.jobs;
    Some(Manifest {
        spec,
        given,
        primary: old.primary,
        files: old.files.into_iter().map(|FileName { name, file_name }| (name, file_name)).collect(),
        longest_seed: old.longest_seed,
        n_seeds: old.seeds,
    })
}

fn grammar(old: Language1) -> GrammarSpec {
    GrammarSpec {
        file: Some(old.grammar).filter(|path| !path.as_os_str().is_empty()),
        lexer: old.lexer,
        token_map: old.token_map,
        start: old.start,
        height: old.height,
        hole_len: old.hole_len,
        free_holes: Some(old.free_holes),
        token_fn: old.token_function,
        hashes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::language::Language;

    #[test]
    fn folders_of_version_1_are_read() {
        let text = r#"{
            "version": 1, "program": "/p/calc", "args": ["-x", [255, 64]], "primary": "stdin",
            "sources": [{"kind": 1, "name": "stdin", "bytes": ""}, {"kind": 8, "name": "$A", "bytes": "6162"}],
            "files": [{"name": "file", "file_name": "a.y"}], "branches_in_strings": true, "strategy": "cese",
            "seed": 3, "max_len": null, "longest_seed": 5, "seeds": 2, "jobs": 4, "dictionaries": ["/p/words"],
            "language": {"grammar": "/p/a.y", "lexer": null, "token_map": null, "start": "line", "height": null, "len": 6,
                         "hole_len": 3, "free_holes": true, "token_function": "next+8:4"},
            "language_hashes": ["00000000000000ff"], "modules": ["parser=a.c,b.c"], "reject_functions": ["yyerror"],
            "timeout_ms": 200, "memory_mib": 64, "max_input": 9, "max_expressions": 8, "max_events": 7, "max_snapshots": 6
        }"#;
        let manifest = read(serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!((manifest.n_workers(), manifest.seed(), manifest.n_seeds, manifest.longest_seed), (4, 3, 2, 5));
        assert_eq!((manifest.limits().timeout_ms, manifest.limits().snapshot_bytes), (200, 6));
        assert_eq!(manifest.strategy().name(), "cese");
        assert_eq!(manifest.strings(), Strings::Branches);
        assert_eq!(manifest.given.source("$A").unwrap().bytes, b"ab");
        let language = Language::of(&manifest.spec).unwrap();
        assert_eq!((language.len, language.hole_len, language.has_free_holes), (Some(6), 3, true));
        assert_eq!(language.token_function.unwrap().to_string(), "next+8:4");
        assert_eq!(manifest.spec.grammar.hashes, [255]);
        assert_eq!(manifest.parts().unwrap().modules[0].files, ["a.c", "b.c"]);
        assert!(read(serde_json::json!({"version": 1})).is_none());
    }
}
