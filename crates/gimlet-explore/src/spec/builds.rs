//! Which builds of a program a spec is for.

use std::fs;
use std::path::{Path, PathBuf};

use gimlet_exec::image::find_program;
use gimlet_trace::builds::{EDGES_SUFFIX, MEMORY_SUFFIX, PLAIN_SUFFIX};
use serde::{Deserialize, Serialize};

use super::form;
use crate::run::walk::hash;

/// Hashes of the files of a program; none for what is not there, or not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildHashes {
    #[serde(with = "form::hash_or_none", skip_serializing_if = "Option::is_none")]
    pub instrumented: Option<u64>,
    #[serde(with = "form::hash_or_none", skip_serializing_if = "Option::is_none")]
    pub plain: Option<u64>,
    #[serde(with = "form::hash_or_none", skip_serializing_if = "Option::is_none")]
    pub edges: Option<u64>,
    #[serde(with = "form::hash_or_none", skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

impl BuildHashes {
    /// Those of a program as it is now.
    pub fn of(program: &Path) -> BuildHashes {
        let of_twin = |suffix| twin(program, suffix).and_then(|path| of_file(&path));
        BuildHashes {
            instrumented: find_program(program).ok().and_then(|path| of_file(&path)),
            plain: of_twin(PLAIN_SUFFIX),
            edges: of_twin(EDGES_SUFFIX),
            memory: of_twin(MEMORY_SUFFIX),
        }
    }

    /// The name of the first build that is wanted, and is not what is there.
    pub fn first_other(&self, there: &BuildHashes) -> Option<&'static str> {
        let pairs = [
            ("instrumented", self.instrumented, there.instrumented),
            ("plain", self.plain, there.plain),
            ("edges", self.edges, there.edges),
            ("memory", self.memory, there.memory),
        ];
        pairs.into_iter().find(|(_, wanted, there)| wanted.is_some() && wanted != there).map(|(name, ..)| name)
    }
}

fn of_file(path: &Path) -> Option<u64> {
    fs::read(path).ok().map(|bytes| hash(&bytes))
}

/// Another build beside a program, if there is one.
pub fn twin(program: &Path, suffix: &str) -> Option<PathBuf> {
    let mut name = find_program(program).ok()?.into_os_string();
    name.push(suffix);
    let path = PathBuf::from(name);
    path.is_file().then_some(path)
}
