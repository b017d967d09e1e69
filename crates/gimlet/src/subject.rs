//! The program under test and its first input.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::{Context, Result};
use gimlet_exec::{ExecError, Output, Target, TargetOptions};
use gimlet_trace::{Input, SourceKind};

use crate::exit::hinted;
use crate::interrupt;
use crate::options::Subject;

/// The target, ready to run; `loud` is where its output goes unless the user wants none.
pub fn target(subject: &Subject, loud: Output) -> Result<Target> {
    let options = TargetOptions {
        limits: subject.limits.clone(),
        output: if subject.is_quiet { Output::Null } else { loud },
        file_name: file_name(subject),
        logs_allocations: false,
        strings: subject.strings,
        interrupt: Some(&interrupt::INTERRUPTED),
    };
    Ok(Target::new(&subject.program, &subject.args, options)?)
}

/// The input file keeps its name, because programs look at extensions.
fn file_name(subject: &Subject) -> OsString {
    subject.file.as_deref().and_then(Path::file_name).unwrap_or("input".as_ref()).to_os_string()
}

/// What the user gave as input.
pub fn input(subject: &Subject) -> Result<Input> {
    let limit = subject.limits.input_bytes;
    let mut input = Input::default();
    let stdin = match &subject.stdin {
        Some(path) => read_file(path, limit)?,
        None if io::stdin().is_terminal() => Vec::new(),
        None => read_up_to(&mut io::stdin().lock(), limit).context("reading standard input")?,
    };
    input.push(SourceKind::Stdin, "stdin", stdin);
    if let Some(path) = &subject.file {
        input.push(SourceKind::File, "file", read_file(path, limit)?);
    }
    if subject.has_symbolic_args {
        for (index, arg) in (1..).zip(&subject.args) {
            if !gimlet_exec::files::has_place(std::slice::from_ref(arg)) {
                input.push(SourceKind::Arg, format!("arg{index}"), arg.as_bytes());
            }
        }
    }
    Ok(input)
}

fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(|error| {
        hinted(format!("cannot read input {}: {error}", path.display()), "check the path of --stdin or --file")
    })?;
    read_up_to(&mut { file }, limit).with_context(|| format!("reading {}", path.display()))
}

/// Reads to the end. Unlike `read_to_end` it gives up on a signal, and before it fills the memory.
fn read_up_to(reader: &mut impl Read, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut block = [0; 1 << 16];
    loop {
        if interrupt::received().is_some() {
            return Err(ExecError::Interrupted.into());
        }
        match reader.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(n) => bytes.extend_from_slice(&block[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        if bytes.len() as u64 > limit {
            // How much more there is nobody knows yet; count it, within reason.
            let rest = io::copy(&mut reader.take(limit.max(1 << 30)), &mut io::sink()).unwrap_or(0);
            return Err(ExecError::InputTooLarge { size: bytes.len() as u64 + rest, limit }.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_input_is_counted() {
        assert_eq!(read_up_to(&mut &[1, 2, 3][..], 3).unwrap(), [1, 2, 3]);
        let error = read_up_to(&mut &[1, 2, 3, 4][..], 3).unwrap_err();
        assert_eq!(error.to_string(), "the input has 4 bytes, more than the limit of 3");
    }
}
