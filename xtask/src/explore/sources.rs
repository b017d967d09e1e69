//! Inputs as `gimlet run` writes them, and the plain build run on them without any of Gimlet's code.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{capture_within, Finished, Limits};
use crate::programs::directives::{self as inputs, place};

/// The source that is standard input.
pub const STDIN: &str = "stdin";

/// Bytes by the name of their source: `stdin`, `file` or another name for a file in the arguments, `argN`, `$NAME`,
/// the path of a file that the program opens, or what the program calls it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Sources(BTreeMap<String, Vec<u8>>);

impl Sources {
    pub fn set(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.insert(name.to_owned(), bytes);
    }

    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }

    pub fn rename(&mut self, old: &str, new: &str) {
        if let Some(bytes) = self.0.remove(old) {
            self.set(new, bytes);
        }
    }

    /// Takes over every source of `other`.
    pub fn overlay(&mut self, other: &Sources) {
        self.0.extend(other.0.clone());
    }

    /// Whether all sources of `other` are here with the same bytes.
    pub fn has_all(&self, other: &Sources) -> bool {
        other.0.iter().all(|(name, bytes)| self.get(name) == Some(bytes))
    }

    /// Writes a seed: the content of `primary` if that is all, or a folder with a file for each source.
    pub fn write(&self, path: &Path, primary: &str) -> Result<()> {
        let mut others = self.0.iter().filter(|(name, bytes)| *name != primary && !bytes.is_empty());
        if others.next().is_none() {
            std::fs::write(path, self.get(primary).unwrap_or_default())?;
            return Ok(());
        }
        std::fs::create_dir_all(path)?;
        for (name, bytes) in &self.0 {
            std::fs::write(path.join(file_name(name)), bytes)?;
        }
        Ok(())
    }

    /// Reads a test: a file is the content of `primary`, a folder has a file for each source.
    pub fn read(path: &Path, primary: &str) -> Result<Sources> {
        let mut sources = Sources::default();
        let context = || format!("the input {}", path.display());
        if !path.is_dir() {
            sources.set(primary, std::fs::read(path).with_context(context)?);
            return Ok(sources);
        }
        for entry in std::fs::read_dir(path).with_context(context)? {
            let entry = entry?;
            let name = source_name(&entry.file_name().to_string_lossy());
            sources.set(&name, std::fs::read(entry.path()).with_context(context)?);
        }
        Ok(sources)
    }

    /// Runs a plain build on these sources.
    pub fn run(&self, plain: &Path, inputs: &inputs::Directives, limits: Limits, scratch: &Path) -> Result<Finished> {
        let directory = scratch.join("directory");
        std::fs::create_dir_all(&directory)?;
        let mut command = Command::new(plain);
        command.current_dir(&directory);
        let mut named = Vec::new();
        for (name, bytes) in &self.0 {
            if inputs.files.iter().any(|(file, _)| file == name) {
                std::fs::write(scratch.join(format!("input.{name}")), bytes)?;
            } else if inputs.opened.iter().any(|(path, _)| path == name) {
                let path = directory.join(name);
                std::fs::create_dir_all(path.parent().unwrap_or(&directory))?;
                std::fs::write(path, bytes)?;
            } else if let Some(variable) = name.strip_prefix('$') {
                command.env(variable, text(bytes));
            } else if name != STDIN && argument_number(name).is_none() {
                named.extend((name.len() as u32).to_le_bytes().into_iter().chain((bytes.len() as u32).to_le_bytes()));
                named.extend(name.bytes().chain(bytes.iter().copied()));
            }
        }
        if !named.is_empty() {
            let path = scratch.join("input.named");
            std::fs::write(&path, [b"GIMLETPI", named.as_slice()].concat())?;
            command.env("GIMLET_PLAIN_INPUT", path);
        }
        command.args((1..).zip(&inputs.args).map(|(number, arg)| self.argument(number, arg, inputs, scratch)));
        capture_within(&mut command, self.get(STDIN).unwrap_or_default(), limits, scratch)
    }

    /// An argument with paths in their places, or what this input has for it.
    fn argument(&self, number: usize, arg: &str, inputs: &inputs::Directives, scratch: &Path) -> OsString {
        if let Some(bytes) = self.get(&format!("arg{number}")) {
            return text(bytes).to_owned();
        }
        let put = |arg: String, name: &String| {
            arg.replace(&place(name), &scratch.join(format!("input.{name}")).display().to_string())
        };
        inputs.files.iter().map(|(name, _)| name).fold(arg.to_owned(), put).into()
    }
}

/// Bytes up to the first zero: what arguments and variables can hold.
fn text(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes.split(|byte| *byte == 0).next().unwrap_or_default())
}

fn argument_number(name: &str) -> Option<usize> {
    name.strip_prefix("arg")?.parse().ok()
}

/// Names of sources can be paths; this is what files of a test are called.
fn file_name(name: &str) -> String {
    name.replace('%', "%25").replace('/', "%2f").replace('\0', "%00")
}

fn source_name(file: &str) -> String {
    file.replace("%00", "\0").replace("%2f", "/").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_as_files() {
        for name in ["stdin", "a/b.ini", "100%2f", "$HOME"] {
            assert_eq!(source_name(&file_name(name)), name);
        }
    }

    #[test]
    fn sources_are_compared_by_name() {
        let mut one = Sources::default();
        one.set("x", b"1".to_vec());
        let mut both = one.clone();
        both.set("y", b"2".to_vec());
        assert!(both.has_all(&one) && !one.has_all(&both));
        one.set("x", b"3".to_vec());
        both.overlay(&one);
        assert_eq!(both.get("x"), Some(&b"3"[..]));
        assert_eq!(text(b"ab\0cd"), "ab");
    }
}
