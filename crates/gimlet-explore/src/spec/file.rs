//! Specs as files of TOML.
//!
//! Errors name the file, the line and the key: `fuzz.toml:7: stop.budget: 'x' is no unit of time: ms, s, m, h, d are`.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::Deserialize;
use toml::de::{Deserializer, Error};

use super::{SearchSpec, VERSION};
use crate::corpus::folder::MANIFEST;
use crate::error::ExploreError;
use crate::manifest::Manifest;

/// What a file says of itself, whatever else is in it.
#[derive(Deserialize)]
struct Versioned {
    version: Option<u32>,
}

/// What is wrong with the text of a spec.
struct Wrong {
    /// From 1 on; 0 if it is no line's fault.
    line: usize,
    what: String,
}

impl SearchSpec {
    /// Reads a file; its paths are then as the process needs them.
    pub fn read(path: &Path) -> Result<SearchSpec, ExploreError> {
        if path.file_name() == Some(OsStr::new(MANIFEST)) {
            // The search of a folder of results.
            return Ok(Manifest::read(folder_of(path))?.spec);
        }
        let refused = |what: String, hint: &str| ExploreError::refused(what, hint);
        let text = fs::read_to_string(path)
            .map_err(|error| refused(format!("cannot read {}: {error}", path.display()), "check --spec"))?;
        let spec = parse(&text).map_err(|Wrong { line, what }| {
            let place = if line > 0 { format!("{}:{line}", path.display()) } else { path.display().to_string() };
            refused(format!("{place}: {what}"), "docs/spec.md lists the keys; --print-spec writes a spec")
        })?;
        Ok(spec.resolved_in(folder_of(path)))
    }

    /// The text of a file in a folder. It is of this version, whatever the spec was read from.
    pub fn to_toml(&self, folder: &Path) -> Result<String, ExploreError> {
        let spec = SearchSpec { version: VERSION, ..self.relative_to(folder) };
        toml::to_string(&spec)
            .map_err(|error| ExploreError::refused(format!("the spec: {error}"), "use smaller numbers"))
    }

    /// Writes a file.
    pub fn write(&self, path: &Path) -> Result<(), ExploreError> {
        let text = self.to_toml(folder_of(path))?;
        fs::write(path, text).map_err(|error| ExploreError::Write { path: path.to_owned(), error })
    }
}

/// Where a file is.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn parse(text: &str) -> Result<SearchSpec, Wrong> {
    match read_as::<Versioned>(text)?.version {
        Some(VERSION) => read_as(text),
        Some(other) => {
            Err(Wrong { line: 0, what: format!("it is of version {other}, and this gimlet reads {VERSION}") })
        }
        None => Err(Wrong { line: 0, what: format!("it does not say its version: version = {VERSION}") }),
    }
}

fn read_as<T: DeserializeOwned>(text: &str) -> Result<T, Wrong> {
    let line_of = |error: &Error| {
        let start = error.span().map(|span| span.start.min(text.len()));
        start.map_or(0, |start| 1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count())
    };
    let of_syntax = |error: Error| Wrong { line: line_of(&error), what: error.message().to_owned() };
    let deserializer = Deserializer::parse(text).map_err(of_syntax)?;
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let key = error.path().to_string();
        let error = error.into_inner();
        Wrong { line: line_of(&error), what: said(&key, error.message()) }
    })
}

/// A message that begins with its key.
fn said(key: &str, message: &str) -> String {
    match key {
        "." | "" => message.to_owned(),
        key => format!("{key}: {message}"),
    }
}
