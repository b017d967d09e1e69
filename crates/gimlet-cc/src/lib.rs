//! A drop-in compiler around clang.
//!
//! One command line of clang becomes several:
//!
//! - each C or C++ source is compiled with the pass, and once more for each twin
//!   ([`builds`]). The objects of the twins travel inside the instrumented one in
//!   sections that the linker drops ([`twin`]), so that build systems, `ar` and
//!   `ld -r` carry them along without knowing;
//! - an executable or shared object is linked once from the instrumented
//!   objects, PROG, and once from each kind of twin, PROG.plain and so on
//!   ([`link`]).
//!
//! Everything else (preprocessing, queries, assembler sources) is clang's own.
//! [`command`] understands as much of clang's command line as this needs.
#![deny(unsafe_code)]

mod builds;
mod command;
mod compile;
mod examine;
mod interrupt;
mod layout;
mod link;
mod options;
mod response;
mod runtime;
mod sanitize;
mod search;
mod tool;
mod twin;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use gimlet_trace::status::Status;

use builds::Choice;
use command::{CommandLine, Query, Stage, CHECKS};
use tool::Toolchain;

/// Which of clang's personalities is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
}

impl Language {
    /// The name under which the user knows this program.
    fn program(self) -> &'static str {
        match self {
            Language::C => "gimlet-cc",
            Language::Cxx => "gimlet-c++",
        }
    }
}

/// The whole program.
pub fn main(language: Language) -> ExitCode {
    let language = if invoked_as_cxx() { Language::Cxx } else { language };
    match run(language) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("{}: error: {error:#}", language.program());
            // What clang did not get to say itself.
            ExitCode::from(Status::Wrong.code())
        }
    }
}

/// The C compiler answers to any name that ends with `c++`, as clang does.
fn invoked_as_cxx() -> bool {
    std::env::args_os().next().is_some_and(|name| name.to_string_lossy().ends_with("c++"))
}

fn run(language: Language) -> Result<u8> {
    let raw: Vec<OsString> = std::env::args_os().skip(1).collect();
    let args = response::expand(&raw)?;
    // For build systems that pass no options on.
    let checks = std::env::var("GIMLET_CHECKS").ok().map(|list| format!("{CHECKS}{list}").into());
    let asked: Vec<OsString> = checks.into_iter().chain(args.iter().cloned()).collect();
    let mut command = CommandLine::parse(&asked)?;
    if command.query == Some(Query::Version) {
        println!(
            "{} {} (trace format {})",
            language.program(),
            env!("CARGO_PKG_VERSION"),
            gimlet_trace::FORMAT_VERSION
        );
        return Ok(0);
    }
    let mut toolchain = Toolchain::find(language)?;
    toolchain.is_quiet = command.has_flag("-w");
    interrupt::watch();
    match command.query {
        Some(Query::Help) => {
            let status = toolchain.clang(&args).run_here()?;
            // Whoever reads only the beginning misses nothing of ours.
            let _ = writeln!(std::io::stdout(), "{}", options::HELP);
            return Ok(status);
        }
        Some(_) => return toolchain.clang(&args).run_here(),
        None => {}
    }
    command.check_supported()?;
    command.choice = Choice::of_environment()?.then(command.choice);
    if std::env::current_dir().is_ok_and(|dir| command.is_probe(&dir)) {
        command.choice = Choice::none();
    }
    match command.stage {
        Stage::Preprocess | Stage::Check => compile::preprocess(&toolchain, &command),
        Stage::Assembly | Stage::Object => compile::objects(&toolchain, &command),
        Stage::Link => link::link(&toolchain, &command),
    }
}
