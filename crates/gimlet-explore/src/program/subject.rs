//! The program under test, and the sources of its input.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use gimlet_exec::files::has_place;
use gimlet_exec::watch::{is_interrupted, Interrupt};
use gimlet_exec::{ExecError, Limits, Strings, World};
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::{Input, SourceKind};

use crate::error::ExploreError;
use crate::spec::{FileSeed, InputSpec, LimitSpec, ProgramSpec, SocketSeed, Variable};

/// Room that a symbolic argument or variable has to grow.
pub const ROOM: usize = 16;

const STDIN: &str = "stdin";

/// What a run may take where the user says nothing.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    pub timeout_ms: u64,
    pub memory_mib: u64,
}

impl Allowance {
    /// For a run among many: a program that takes more is a finding.
    pub const OF_MANY: Allowance = Allowance { timeout_ms: 1000, memory_mib: 2048 };
    /// For a single run that the user looks at.
    pub const OF_ONE: Allowance = Allowance { timeout_ms: 10_000, memory_mib: 4096 };
}

/// A program and how to run it.
#[derive(Clone, Debug)]
pub struct Subject {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub stdin: Option<PathBuf>,
    pub files: Vec<FileSeed>,
    /// Files that the program opens by a path of its own, which is their name.
    pub opened: Vec<FileSeed>,
    pub variables: Vec<Variable>,
    pub sockets: Vec<SocketSeed>,
    pub has_symbolic_args: bool,
    /// What it prints goes nowhere.
    pub is_quiet: bool,
    pub strings: Strings,
    pub world: World,
    pub limits: Limits,
}

impl Subject {
    pub fn new(program: &ProgramSpec, input: &InputSpec, limits: &LimitSpec, allowance: Allowance) -> Subject {
        Subject {
            program: program.path.clone(),
            args: program.args.clone(),
            stdin: input.stdin.clone(),
            files: input.files.clone(),
            opened: input.opened.clone(),
            variables: input.env.clone(),
            sockets: input.sockets.clone(),
            has_symbolic_args: input.symbolic_args.unwrap_or(false),
            is_quiet: true,
            strings: input.strings.unwrap_or_default(),
            world: input.world.unwrap_or_default(),
            limits: limits.limits(allowance),
        }
    }

    /// The source that seeds and tests are for.
    pub fn primary(&self) -> &'static str {
        match self.args.iter().any(|arg| has_place(arg, FILE_SOURCE)) {
            true => FILE_SOURCE,
            false => STDIN,
        }
    }

    /// The sources that the program is given, with what the user says they hold.
    pub fn layout(&self, interrupt: Interrupt) -> Result<Input, ExploreError> {
        let mut input = self.input_beside_stdin(interrupt)?;
        let primary = self.primary();
        match &self.stdin {
            Some(path) => input.push(SourceKind::Stdin, STDIN, read_file(path, self.limits.input_bytes, interrupt)?),
            None if primary == STDIN => input.push(SourceKind::Stdin, STDIN, Vec::new()),
            None => {}
        }
        if primary == FILE_SOURCE && input.source(FILE_SOURCE).is_none() {
            input.push(SourceKind::File, FILE_SOURCE, Vec::new());
        }
        for source in &mut input.sources {
            if matches!(source.kind, SourceKind::Arg | SourceKind::Env) {
                // A string ends at its first zero: with zeros behind it, it can grow.
                let len = source.bytes.len() + ROOM;
                source.bytes.resize(len, 0);
            }
        }
        Ok(input)
    }

    /// What the user gave as input, without standard input.
    pub fn input_beside_stdin(&self, interrupt: Interrupt) -> Result<Input, ExploreError> {
        let limit = self.limits.input_bytes;
        let mut input = Input::default();
        for (kind, seeds) in [(SourceKind::File, &self.files), (SourceKind::Path, &self.opened)] {
            for seed in seeds {
                input.push(kind, &seed.name, read_file(&seed.path, limit, interrupt)?);
            }
        }
        for variable in &self.variables {
            input.push(SourceKind::Env, format!("${}", variable.name), variable.value.as_bytes());
        }
        if self.has_symbolic_args {
            for (index, arg) in (1..).zip(&self.args) {
                if !has_place(arg, FILE_SOURCE) && !self.files.iter().any(|seed| has_place(arg, &seed.name)) {
                    input.push(SourceKind::Arg, format!("arg{index}"), arg.as_bytes());
                }
            }
        }
        for (number, socket) in (1..).zip(&self.sockets) {
            let name = match socket.port {
                Some(port) => format!("socket{number}:{port}"),
                None => format!("socket{number}"),
            };
            input.push(SourceKind::Socket, name, read_file(&socket.path, limit, interrupt)?);
        }
        Ok(input)
    }

    /// What the files of the input are called: a file keeps its name, because programs look at extensions.
    pub fn file_names(&self) -> Vec<(String, OsString)> {
        let file_name = |seed: &FileSeed| Some((seed.name.clone(), seed.path.file_name()?.to_os_string()));
        self.files.iter().filter_map(file_name).collect()
    }
}

impl LimitSpec {
    /// The limits of a run, with defaults where the user says nothing.
    pub fn limits(&self, allowance: Allowance) -> Limits {
        let default = Limits::default();
        let timeout_ms = self.timeout.map(|time| time.as_micros().div_ceil(1000) as u64);
        Limits {
            timeout_ms: timeout_ms.unwrap_or(allowance.timeout_ms),
            memory_mib: self.max_memory.unwrap_or(allowance.memory_mib),
            input_bytes: self.max_input.unwrap_or(default.input_bytes),
            nodes: self.max_expressions.unwrap_or(default.nodes),
            events: self.max_events.unwrap_or(default.events),
            snapshot_bytes: self.max_snapshots.unwrap_or(default.snapshot_bytes),
            ..default
        }
    }
}

pub fn read_file(path: &Path, limit: u64, interrupt: Interrupt) -> Result<Vec<u8>, ExploreError> {
    let cannot = |error: &io::Error| {
        let hint = "check the path that --stdin, --file, --open or --socket gives";
        ExploreError::refused(format!("cannot read input {}: {error}", path.display()), hint)
    };
    let mut file = File::open(path).map_err(|error| cannot(&error))?;
    read_up_to(&mut file, limit, interrupt).map_err(|error| match error {
        Unread::Io(error) => cannot(&error),
        Unread::Exec(error) => error.into(),
    })
}

/// Why something could not be read.
#[derive(Debug)]
pub enum Unread {
    Io(io::Error),
    Exec(ExecError),
}

/// Reads to the end. Unlike `read_to_end` it gives up on a signal, and before it fills the memory.
pub fn read_up_to(reader: &mut impl Read, limit: u64, interrupt: Interrupt) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    let mut block = [0; 1 << 16];
    loop {
        if is_interrupted(interrupt) {
            return Err(Unread::Exec(ExecError::Interrupted));
        }
        match reader.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(n) => bytes.extend_from_slice(&block[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Unread::Io(error)),
        }
        if bytes.len() as u64 > limit {
            // How much more there is nobody knows yet; count it, within reason.
            let rest = io::copy(&mut reader.take(limit.max(1 << 30)), &mut io::sink()).unwrap_or(0);
            return Err(Unread::Exec(ExecError::InputTooLarge { size: bytes.len() as u64 + rest, limit }));
        }
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn too_much_input_is_counted() {
        assert_eq!(read_up_to(&mut &[1, 2, 3][..], 3, None).unwrap(), [1, 2, 3]);
        let Err(Unread::Exec(error)) = read_up_to(&mut &[1, 2, 3, 4][..], 3, None) else { panic!("it is too much") };
        assert_eq!(error.to_string(), "the input has 4 bytes, more than the limit of 3");
    }
}
