//! The program under test and its first input.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::{Context, Result};
use gimlet_exec::files::has_place;
use gimlet_exec::{ExecError, Output, Run, Target, TargetOptions};
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, SourceKind, Trace};

use crate::exit::hinted;
use crate::interrupt;
use crate::options::{FileSeed, Subject};

/// The target, ready to run; `loud` is where its output goes unless the user wants none.
pub fn target(subject: &Subject, loud: Output) -> Result<Target> {
    Ok(Target::new(&subject.program, &subject.args, target_options(subject, loud))?)
}

/// Runs the target; an interrupted run is an error.
pub fn run(target: &mut Target, input: &Input) -> Result<Run> {
    match target.run(input)? {
        Run { trace: Trace { outcome: Outcome::Interrupted, .. }, .. } => Err(ExecError::Interrupted.into()),
        run => Ok(run),
    }
}

/// How it is run.
pub fn target_options(subject: &Subject, loud: Output) -> TargetOptions {
    TargetOptions {
        limits: subject.limits.clone(),
        output: if subject.is_quiet { Output::Null } else { loud },
        // A file keeps its name, because programs look at extensions.
        file_names: file_names(subject),
        logs_allocations: false,
        strings: subject.strings,
        interrupt: Some(&interrupt::INTERRUPTED),
        ..TargetOptions::default()
    }
}

/// What the files of the input are called.
pub fn file_names(subject: &Subject) -> Vec<(String, OsString)> {
    let file_name = |seed: &FileSeed| Some((seed.name.clone(), seed.path.file_name()?.to_os_string()));
    subject.files.iter().filter_map(file_name).collect()
}

/// What the user gave as input.
pub fn input(subject: &Subject) -> Result<Input> {
    let limit = subject.limits.input_bytes;
    let stdin = match &subject.stdin {
        Some(path) => read_file(path, limit)?,
        None if io::stdin().is_terminal() => Vec::new(),
        None => read_up_to(&mut io::stdin().lock(), limit).context("reading standard input")?,
    };
    let mut input = Input::stdin(stdin);
    input.sources.extend(input_beside_stdin(subject)?.sources);
    Ok(input)
}

/// The same without standard input.
pub fn input_beside_stdin(subject: &Subject) -> Result<Input> {
    let limit = subject.limits.input_bytes;
    let mut input = Input::default();
    for (kind, seeds) in [(SourceKind::File, &subject.files), (SourceKind::Path, &subject.opened)] {
        for seed in seeds {
            input.push(kind, &seed.name, read_file(&seed.path, limit)?);
        }
    }
    for variable in &subject.variables {
        input.push(SourceKind::Env, format!("${}", variable.name), variable.value.as_slice());
    }
    if subject.has_symbolic_args {
        for (index, arg) in (1..).zip(&subject.args) {
            if !has_place(arg, FILE_SOURCE) && !subject.files.iter().any(|seed| has_place(arg, &seed.name)) {
                input.push(SourceKind::Arg, format!("arg{index}"), arg.as_bytes());
            }
        }
    }
    for (number, socket) in (1..).zip(&subject.sockets) {
        let name = match socket.port {
            Some(port) => format!("socket{number}:{port}"),
            None => format!("socket{number}"),
        };
        input.push(SourceKind::Socket, name, read_file(&socket.path, limit)?);
    }
    Ok(input)
}

pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let cannot = |error: &dyn std::fmt::Display| {
        let hint = "check the path that --stdin, --file, --open or --socket gives";
        hinted(format!("cannot read input {}: {error}", path.display()), hint)
    };
    let mut file = File::open(path).map_err(|error| cannot(&error))?;
    read_up_to(&mut file, limit).map_err(|error| match error.is::<io::Error>() {
        true => cannot(&error),
        false => error,
    })
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

/// A word as a shell reads it.
pub fn shell_word(text: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:,=@%+".contains(sign);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
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
