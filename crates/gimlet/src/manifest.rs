//! What a folder of tests is for: `gimlet.json` in it.
//!
//! Fields: `version`, `program` (absolute), `args`, `primary` (the source that a test with a single file is for),
//! `sources` [{`kind`, `name`}], `files` [{`name`, `file_name`}], `timeout_ms`, `memory_mib`.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gimlet_exec::image::find_program;
use gimlet_explore::corpus::MANIFEST;
use gimlet_trace::{Input, SourceKind};
use serde_json::{json, Value};

use crate::exit::hinted;
use crate::options::Subject;

/// What gimlet-cc adds to the name of a program for that of its plain build.
pub const PLAIN_SUFFIX: &str = ".plain";
/// The same for the build that counts branches.
pub const EDGES_SUFFIX: &str = ".edges";

/// How to run the tests of a folder.
pub struct Manifest {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Sources without their bytes.
    pub layout: Input,
    pub primary: String,
    pub timeout_ms: u64,
    pub memory_mib: u64,
}

impl Manifest {
    pub fn new(subject: &Subject, layout: &Input, primary: &str) -> Result<Manifest> {
        let mut layout = layout.clone();
        layout.sources.iter_mut().for_each(|source| source.bytes.clear());
        Ok(Manifest {
            program: fs::canonicalize(find_program(&subject.program)?)?,
            args: subject.args.clone(),
            layout,
            primary: primary.to_owned(),
            timeout_ms: subject.limits.timeout_ms,
            memory_mib: subject.limits.memory_mib,
        })
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        // Arguments need not be text: bytes, then, if they are not.
        let arg = |arg: &OsString| match arg.to_str() {
            Some(text) => json!(text),
            None => json!(arg.as_bytes()),
        };
        let source = |source: &gimlet_trace::Source| json!({ "kind": source.kind as u32, "name": source.name });
        let manifest = json!({
            "version": 1,
            "program": self.program.to_string_lossy(),
            "args": self.args.iter().map(arg).collect::<Vec<_>>(),
            "primary": self.primary,
            "sources": self.layout.sources.iter().map(source).collect::<Vec<_>>(),
            "timeout_ms": self.timeout_ms,
            "memory_mib": self.memory_mib,
        });
        let path = folder.join(MANIFEST);
        let text = serde_json::to_string_pretty(&manifest)? + "\n";
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }

    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(MANIFEST);
        let damaged = || hinted(format!("{} is damaged", path.display()), "was it made by this version of gimlet run?");
        let text = fs::read_to_string(&path).map_err(|error| {
            hinted(format!("cannot read {}: {error}", path.display()), "name the folder that `gimlet run -o` made")
        })?;
        let value: Value = serde_json::from_str(&text).map_err(|_| damaged())?;
        let mut layout = Input::default();
        for source in value["sources"].as_array().ok_or_else(damaged)? {
            let kind = source["kind"].as_u64().and_then(|code| SourceKind::from_code(code as u32));
            let name = source["name"].as_str().ok_or_else(damaged)?;
            layout.push(kind.ok_or_else(damaged)?, name, Vec::new());
        }
        let mut args = Vec::new();
        for arg in value["args"].as_array().ok_or_else(damaged)? {
            args.push(argument(arg).ok_or_else(damaged)?);
        }
        Ok(Manifest {
            program: value["program"].as_str().ok_or_else(damaged)?.into(),
            args,
            layout,
            primary: value["primary"].as_str().ok_or_else(damaged)?.to_owned(),
            timeout_ms: value["timeout_ms"].as_u64().ok_or_else(damaged)?,
            memory_mib: value["memory_mib"].as_u64().ok_or_else(damaged)?,
        })
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
