//! An instrumented program with its arguments, ready to be run again and again.

use std::collections::HashMap;
use std::collections::HashSet;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use gimlet_trace::shm::{option, Header, Region, SegmentRecord, SourceRecord};
use gimlet_trace::site::SiteTable;
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Source, SourceKind, Trace};

use crate::collect::collect;
use crate::error::ExecError;
use crate::files::{has_place, Captured, FileId, Files, Output};
use crate::image;
use crate::limits::{Layout, Limits};
use crate::memory::SharedMemory;
use crate::orphans;
use crate::server::{Ended, Server};
use crate::spawn::{spawn, Launch};
use crate::watch::Interrupt;

/// How a target is run.
#[derive(Clone, Debug)]
pub struct TargetOptions {
    pub limits: Limits,
    pub output: Output,
    /// Last part of the path that stands for `@@`.
    pub file_name: OsString,
    /// Log allocations and frees.
    pub logs_allocations: bool,
    pub strings: Strings,
    pub interrupt: Interrupt,
}

impl Default for TargetOptions {
    fn default() -> TargetOptions {
        TargetOptions {
            limits: Limits::default(),
            output: Output::default(),
            file_name: "input".into(),
            logs_allocations: false,
            strings: Strings::default(),
            interrupt: None,
        }
    }
}

/// What models of string functions make of decisions inside them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strings {
    /// One expression for the result.
    #[default]
    Expression,
    /// A branch for each character.
    Branches,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Run {
    pub trace: Trace,
    pub stdout: Option<Captured>,
    pub stderr: Option<Captured>,
    /// It left processes behind, which have been killed. What they did is not in the trace.
    pub is_daemonised: bool,
    /// Shared objects whose sites could not be read, with the reason.
    pub unreadable_images: Vec<String>,
    pub elapsed: Duration,
}

/// An instrumented program with its arguments.
pub struct Target {
    /// What is started, and how the user called it.
    program: PathBuf,
    name: OsString,
    args: Vec<OsString>,
    options: TargetOptions,
    memory: SharedMemory,
    files: Files,
    tables: Vec<SiteTable>,
    /// Site tables of shared objects that runs named, by path.
    images: HashMap<String, Result<Vec<SiteTable>, String>>,
    server: Option<Server>,
    /// Number of the last run; the child repeats it.
    run: u32,
    /// The last run left cells in the tally table.
    has_tallies: bool,
}

impl Target {
    /// Checks that the program can be traced. `args` are those after the program's name, `@@` standing for the path
    /// of the input file.
    pub fn new(program: &Path, args: &[OsString], options: TargetOptions) -> Result<Target, ExecError> {
        let path = image::find_program(program)?;
        let tables = image::read_program(&path)?;
        let file_name = has_place(args).then_some(options.file_name.as_os_str());
        Ok(Target {
            program: path,
            name: program.into(),
            args: args.to_vec(),
            memory: SharedMemory::new(Layout::new(&options.limits))?,
            files: Files::new(file_name, options.output)?,
            options,
            tables,
            images: HashMap::new(),
            server: None,
            run: 0,
            has_tallies: false,
        })
    }

    /// The program that is run.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The site tables of the program itself.
    pub fn tables(&self) -> &[SiteTable] {
        &self.tables
    }

    /// Runs the program on an input.
    pub fn run(&mut self, input: &Input) -> Result<Run, ExecError> {
        self.check(input)?;
        self.files.prepare(input)?;
        let n_segments = self.write_input(input)?;
        let start = Instant::now();
        let (outcome, is_daemonised) = self.execute()?;
        let elapsed = start.elapsed();
        let header = self.memory.header()?;
        if header.run_seen != self.run {
            return Err(ExecError::NeverBegan(outcome));
        }
        self.has_tallies = header.n_tallies != 0;
        let mut trace = collect(&self.memory, &header, input, n_segments, outcome)?;
        let unreadable_images = self.add_tables(&mut trace);
        let [stdout, stderr] = match self.files.captured(self.options.limits.output_bytes)? {
            Some(streams) => streams.map(Some),
            None => [None, None],
        };
        Ok(Run { trace, stdout, stderr, is_daemonised, unreadable_images, elapsed })
    }

    /// Whether this input can be given to this program.
    fn check(&self, input: &Input) -> Result<(), ExecError> {
        let limit = self.memory.layout().extent(Region::Input).len;
        let size = input.len() as u64;
        if size > limit {
            return Err(ExecError::InputTooLarge { size, limit });
        }
        let limit = self.memory.layout().capacity::<SourceRecord>(Region::Sources);
        let needed = input.sources.len() as u64;
        if needed > limit {
            return Err(ExecError::TableTooSmall { what: "sources", needed, limit });
        }
        let limit = self.memory.layout().extent(Region::Names).len;
        let needed = input.sources.iter().map(|source| source.name.len() as u64).sum();
        if needed > limit {
            return Err(ExecError::TableTooSmall { what: "names of sources", needed, limit });
        }
        let mut names = HashSet::new();
        if let Some(twice) = input.sources.iter().find(|source| !names.insert(&source.name)) {
            return Err(ExecError::DuplicateSource(twice.name.clone()));
        }
        let count = |kind| input.sources.iter().filter(|source| source.kind == kind).count();
        if count(SourceKind::Stdin) > 1 {
            return Err(ExecError::DuplicateKind("standard input"));
        }
        match (count(SourceKind::File), has_place(&self.args)) {
            (0, true) => Err(ExecError::PlaceWithoutFile),
            (0, false) | (1, true) => Ok(()),
            (1, false) => Err(ExecError::FileWithoutPlace),
            _ => Err(ExecError::DuplicateKind("file")),
        }?;
        let args = input.sources.iter().filter(|source| source.kind == SourceKind::Arg);
        for source in args {
            argument_index(source)
                .filter(|&index| index as usize <= self.args.len())
                .ok_or_else(|| ExecError::NoSuchArgument(source.name.clone()))?;
        }
        Ok(())
    }

    /// Writes sources, their bytes and a fresh header; returns the number of segments.
    fn write_input(&mut self, input: &Input) -> Result<usize, ExecError> {
        let stdin = self.files.stdin_id()?;
        let file = self.files.place_id()?.unwrap_or_default();
        let (mut sources, mut segments) = (Vec::new(), Vec::new());
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (number, source) in (0..).zip(&input.sources) {
            let id = match source.kind {
                SourceKind::Stdin => stdin,
                SourceKind::File => file,
                SourceKind::Arg | SourceKind::Named | SourceKind::Fuzz => FileId::default(),
            };
            let (first, len) = (values.len() as u32, source.bytes.len() as u64);
            sources.push(SourceRecord {
                kind: source.kind as u32,
                index: argument_index(source).unwrap_or(0),
                name_offset: names.len() as u32,
                name_len: source.name.len() as u32,
                first,
                reserved: 0,
                len,
                cursor: 0,
                device: id.device,
                inode: id.inode,
            });
            names.extend_from_slice(source.name.as_bytes());
            values.extend_from_slice(&source.bytes);
            if len > 0 {
                segments.push(SegmentRecord { source: number, first, offset: 0, len });
            }
        }
        self.memory.write_sources(&sources)?;
        self.memory.write_segments(&segments)?;
        self.memory.write_bytes(Region::Names, 0, &names)?;
        self.memory.write_bytes(Region::Input, 0, &values)?;
        if self.has_tallies {
            self.memory.clear_tallies()?;
        }
        self.run = self.run.wrapping_add(1);
        let allocations = if self.options.logs_allocations { option::ALLOCATIONS } else { 0 };
        let strings = if self.options.strings == Strings::Branches { option::FORK_STRINGS } else { 0 };
        self.memory.write_header(&Header {
            n_sources: sources.len() as u32,
            n_segments: segments.len() as u32,
            names_len: names.len() as u32,
            input_len: values.len() as u32,
            run: self.run,
            ..self.memory.blank_header(allocations | strings)
        })?;
        Ok(segments.len())
    }

    /// Lets the server run, starting it if there is none; says how the run ended and if it left processes behind.
    fn execute(&mut self) -> Result<(Outcome, bool), ExecError> {
        // A server can have died since its last run; one that has just been started can't.
        let mut is_fresh = self.server.is_none();
        loop {
            let mut server = match self.server.take() {
                Some(server) => server,
                None => self.start_server()?,
            };
            // From here on an error drops the server, which kills it with all that it started.
            let limits = &self.options.limits;
            let ended = server.run(limits, || self.files.trim(limits.output_bytes))?;
            match ended {
                Ended::NotStarted if is_fresh => return Err(ExecError::EndedEarly(server.end())),
                Ended::NotStarted => is_fresh = true,
                Ended::Run { outcome, is_server_lost: true } => return Ok((outcome, false)),
                Ended::Run { outcome, is_server_lost: false } => {
                    let left = orphans::left_behind(server.pid());
                    if left.is_empty() {
                        self.server = Some(server);
                    }
                    let was_stopped = matches!(outcome, Outcome::TimedOut(_) | Outcome::OutOfMemory(_));
                    return Ok((outcome, !left.is_empty() && !was_stopped));
                }
            }
        }
    }

    fn start_server(&self) -> Result<Server, ExecError> {
        let launch = |control: &UnixStream| -> Result<Child, ExecError> {
            spawn(Launch {
                program: &self.program,
                name: &self.name,
                args: self.files.arguments(&self.args),
                stdio: self.files.stdio()?,
                env: Vec::new(),
                driver: Some([self.memory.as_fd(), control.as_fd()]),
            })
        };
        Server::start(launch, &self.program, &self.options.limits, self.options.interrupt)
    }

    /// Adds the site tables of all images that took part; returns what could not be read.
    fn add_tables(&mut self, trace: &mut Trace) -> Vec<String> {
        trace.tables = self.tables.clone();
        let mut unreadable = Vec::new();
        let mut seen = HashSet::new();
        for module in trace.modules.iter().filter(|module| !module.image.is_empty()) {
            if !seen.insert(&module.image) {
                continue;
            }
            let read = || image::read_shared_object(Path::new(&module.image)).map_err(|error| error.to_string());
            match self.images.entry(module.image.clone()).or_insert_with(read) {
                Ok(tables) => trace.tables.extend_from_slice(tables),
                Err(error) => unreadable.push(error.clone()),
            }
        }
        unreadable
    }
}

/// Position in argv of the argument that a source stands for.
pub fn argument_index(source: &Source) -> Option<u32> {
    match source.kind {
        SourceKind::Arg => source.name.strip_prefix("arg")?.parse().ok().filter(|&index| index > 0),
        _ => None,
    }
}
