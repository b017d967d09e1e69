//! The builds that one command line makes: the instrumented one, and its twins.
//!
//! - *plain*: what clang makes of the user's options, and line tables, which change no code and say where it crashed.
//! - *edges*: with a counter for each direction of each branch, for coverage and
//!   for mutation at native speed. The pass puts them where it puts sites, so
//!   that coverage is in terms of the source and of traces; clang's own counters
//!   are for what the optimiser left. How a driver reads them is in
//!   `support/edges.c`.
//! - *memory*: checks every access against the object that its pointer belongs to
//!   (`referents` of the pass, and `gimlet-memory`). It has the counters of *edges*
//!   as well, so that a search can run it instead.
//! - *asan*: AddressSanitizer and UndefinedBehaviorSanitizer, which end the
//!   program at the first report: a finding is confirmed or not.
//! - *cov*: clang's source-based coverage, because it counts the branches of the
//!   source (also those inside a condition) at every -O level, and because its
//!   tables are in the program itself; gcov's are in a file beside each object,
//!   and its branches are those of the compiler. Counters can live in the file
//!   that `LLVM_PROFILE_FILE` names with `%c`, which a crash does not lose.
//!
//! Plain and edges are always made unless told otherwise.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
pub use gimlet_trace::builds::Twin;

use crate::command::CommandLine;

/// One of the builds of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    Instrumented,
    Twin(Twin),
}

/// The twins that are made unless told otherwise.
const DEFAULT: [Twin; 2] = [Twin::Plain, Twin::Edges];

/// What the pass is to do, if it makes this twin: the sites of both are the same then, as both compile the same text to
/// the same code.
pub fn pass_mode(twin: Twin) -> Option<&'static str> {
    matches!(twin, Twin::Edges | Twin::Memory).then(|| twin.name())
}

/// The file of a twin beside that of the instrumented build.
pub fn beside(twin: Twin, path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(twin.suffix());
    name.into()
}

/// What compiles a twin, after the user's options.
pub fn compile_flags(twin: Twin, command: &CommandLine) -> Vec<OsString> {
    let mut flags: Vec<&str> = match twin {
        Twin::Plain | Twin::Edges => vec![],
        // Reports say who called whom, and what variables are called.
        Twin::Memory => vec![
            "-fno-omit-frame-pointer",
            "-mno-omit-leaf-frame-pointer",
            "-fno-optimize-sibling-calls",
            "-fno-discard-value-names",
        ],
        Twin::Asan => [ASAN.as_slice(), &["-fno-omit-frame-pointer", "-U_FORTIFY_SOURCE"]].concat(),
        Twin::Cov => [COV.as_slice(), &["-fcoverage-mapping", "-mllvm", "-runtime-counter-relocation=true"]].concat(),
    };
    if matches!(twin, Twin::Plain | Twin::Asan) && !command.has_debug {
        flags.push("-gline-tables-only");
    }
    flags.into_iter().map(OsString::from).collect()
}

/// What links a twin, after the user's options.
pub fn link_flags(twin: Twin) -> Vec<OsString> {
    let flags: &[&str] = match twin {
        Twin::Plain | Twin::Edges | Twin::Memory => &[],
        Twin::Asan => &ASAN,
        Twin::Cov => &COV,
    };
    flags.iter().map(OsString::from).collect()
}

/// An archive of what a twin has in place of the runtime.
pub fn support(twin: Twin) -> &'static [u8] {
    match twin {
        Twin::Plain => include_bytes!(concat!(env!("OUT_DIR"), "/plain.a")),
        Twin::Edges => include_bytes!(concat!(env!("OUT_DIR"), "/edges.a")),
        Twin::Memory => include_bytes!(concat!(env!("OUT_DIR"), "/memory.a")),
        Twin::Asan => include_bytes!(concat!(env!("OUT_DIR"), "/asan.a")),
        Twin::Cov => include_bytes!(concat!(env!("OUT_DIR"), "/cov.a")),
    }
}

fn parse(name: &str) -> Result<Twin> {
    let names = || Twin::ALL.iter().map(|twin| twin.name()).collect::<Vec<_>>().join(", ");
    Twin::from_name(name).with_context(|| format!("there is no build named '{name}'; known: {}", names()))
}

const ASAN: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const COV: [&str; 1] = ["-fprofile-instr-generate"];

/// Changes of the set of twins, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice(Vec<(Twin, bool)>);

impl Choice {
    /// Environment variables that add and remove twins, for build systems that pass no options on.
    const ENVIRONMENT: [(&'static str, bool); 2] = [("GIMLET_WITH", true), ("GIMLET_WITHOUT", false)];

    /// No twins.
    pub fn none() -> Choice {
        Choice(Twin::ALL.iter().map(|&twin| (twin, false)).collect())
    }

    /// The choice of the environment.
    pub fn of_environment() -> Result<Choice> {
        let mut choice = Choice::default();
        for (variable, is_wanted) in Choice::ENVIRONMENT {
            choice.add(&std::env::var(variable).unwrap_or_default(), is_wanted)?;
        }
        Ok(choice)
    }

    /// Adds or removes the twins of a comma-separated list.
    pub fn add(&mut self, list: &str, is_wanted: bool) -> Result<()> {
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            self.0.push((parse(name)?, is_wanted));
        }
        Ok(())
    }

    /// This choice with that of the command line, which has the last word.
    pub fn then(mut self, last: Choice) -> Choice {
        self.0.extend(last.0);
        self
    }

    /// The twins to make.
    pub fn twins(&self) -> Vec<Twin> {
        let is_wanted = |twin: &Twin| {
            let last = self.0.iter().rev().find(|(named, _)| named == twin);
            last.map_or(DEFAULT.contains(twin), |(_, is_wanted)| *is_wanted)
        };
        Twin::ALL.iter().copied().filter(is_wanted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(lists: &[(&str, bool)]) -> Vec<&'static str> {
        let mut choice = Choice::default();
        lists.iter().for_each(|(list, is_wanted)| choice.add(list, *is_wanted).unwrap());
        choice.twins().into_iter().map(Twin::name).collect()
    }

    #[test]
    fn last_word_counts() {
        assert_eq!(chosen(&[]), ["plain", "edges"]);
        assert_eq!(chosen(&[("cov, asan, memory", true)]), ["plain", "edges", "memory", "asan", "cov"]);
        assert_eq!(chosen(&[("asan,,cov", true), ("edges,asan", false)]), ["plain", "cov"]);
        assert_eq!(chosen(&[("edges", false), ("edges", true)]), ["plain", "edges"]);
        assert!(Choice::none().twins().is_empty());
    }

    #[test]
    fn unknown_names_are_errors() {
        let error = Choice::default().add("asan,msan", true).unwrap_err().to_string();
        assert!(error.contains("'msan'") && error.contains("asan, cov"), "{error}");
    }

    #[test]
    fn names_of_files() {
        assert_eq!(beside(Twin::Edges, Path::new("dir/prog.exe")), Path::new("dir/prog.exe.edges"));
    }
}
