//! Whether an input can be given to a program with these arguments.

use std::collections::HashSet;
use std::ffi::OsString;

use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::shm::DRIVER_ENV;
use gimlet_trace::{Input, Source, SourceKind};

use crate::error::ExecError;
use crate::files::{has_place, place};

/// `args` are those after the program's name.
pub fn check(input: &Input, args: &[OsString]) -> Result<(), ExecError> {
    let mut names = HashSet::new();
    if let Some(twice) = input.sources.iter().find(|source| !names.insert(&source.name)) {
        return Err(ExecError::DuplicateSource(twice.name.clone()));
    }
    if input.sources.iter().filter(|source| source.kind == SourceKind::Stdin).count() > 1 {
        return Err(ExecError::DuplicateKind("standard input"));
    }
    let is_placed = |name: &str| args.iter().any(|arg| has_place(arg, name));
    let is_file = |source: &&Source| source.kind == SourceKind::File;
    if let Some(file) = input.sources.iter().filter(is_file).find(|file| !is_placed(&file.name)) {
        return Err(ExecError::FileWithoutPlace(place(&file.name)));
    }
    if is_placed(FILE_SOURCE) && !input.sources.iter().filter(is_file).any(|file| file.name == FILE_SOURCE) {
        return Err(ExecError::PlaceWithoutFile);
    }
    input.sources.iter().try_for_each(|source| check_source(source, args))
}

fn check_source(source: &Source, args: &[OsString]) -> Result<(), ExecError> {
    let is_argument = |index: u32| index as usize <= args.len();
    match source.kind {
        SourceKind::Arg if !source.argument_index().is_some_and(is_argument) => {
            Err(ExecError::NoSuchArgument(source.name.clone()))
        }
        SourceKind::Env => match source.variable() {
            Some(name) if is_variable(name) => Ok(()),
            name => Err(ExecError::NoSuchVariable(name.unwrap_or(&source.name).to_string())),
        },
        _ => Ok(()),
    }
}

/// Whether this can be the name of an environment variable that a program sees.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && name != DRIVER_ENV
}
