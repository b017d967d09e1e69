//! An instrumented program with its arguments, ready to be run again and again.

use std::collections::HashMap;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gimlet_trace::shm::{option, Header, Region, SegmentRecord, SourceRecord};
use gimlet_trace::site::{Returns, SiteKind, SiteTable};
use gimlet_trace::{Input, Source, SourceKind, Trace};

use crate::check::check;
use crate::collect::collect;
use crate::confine::{Confinement, Private};
use crate::error::ExecError;
use crate::files::{names_of, Captured, Files, Output};
use crate::image;
use crate::limits::{Layout, Limits};
use crate::memory::SharedMemory;
use crate::plain;
use crate::process::Process;
use crate::server::{run_on, Begin, Executed, Server};
use crate::spawn::{spawn, Confined, Launch};
use crate::watch::{excess, Excess, Interrupt};

/// Names that are told where a function is not found.
const N_SIMILAR_MAX: usize = 12;

/// How a target is run.
#[derive(Clone, Debug, Default)]
pub struct TargetOptions {
    pub limits: Limits,
    pub output: Output,
    /// Last part of the path of a file among the input, by the name of its source, where it is not the source's own.
    pub file_names: Vec<(String, OsString)>,
    /// Log allocations and frees.
    pub logs_allocations: bool,
    /// Say under which conditions memory that library functions are given suffices.
    pub checks_memory: bool,
    pub strings: Strings,
    pub world: World,
    pub interrupt: Interrupt,
    pub confinement: Confinement,
    /// Files and directories besides its private folder that a confined target may write.
    pub writable: Vec<PathBuf>,
    /// What is added to the environment of builds without labels.
    pub variables: Vec<(String, OsString)>,
    /// What returns tokens, if those are to be variables.
    pub tokens: Option<TokenFunction>,
}

/// A function that returns tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenFunction {
    pub name: String,
    /// Where in the struct that it returns, or that it returns the address of, the token is.
    pub offset: u32,
    /// The bytes that the token has there.
    pub size: u32,
}

/// Bytes of a token, unless somebody knows better.
const TOKEN_SIZE: u32 = 4;

/// `NAME[+OFFSET[:SIZE]]`
impl FromStr for TokenFunction {
    type Err = String;

    fn from_str(text: &str) -> Result<TokenFunction, String> {
        let (name, place) = text.split_once('+').map_or((text, None), |(name, place)| (name, Some(place)));
        if name.is_empty() {
            return Err("the name of a function is missing".to_owned());
        }
        let number = |text: &str| text.parse::<u32>().map_err(|_| format!("'{text}' is no number of bytes"));
        let (offset, size) = match place.map(|place| place.split_once(':').map_or((place, None), |(a, b)| (a, Some(b))))
        {
            Some((offset, size)) => (number(offset)?, size.map_or(Ok(TOKEN_SIZE), number)?),
            None => (0, TOKEN_SIZE),
        };
        if ![1, 2, 4, 8].contains(&size) {
            return Err(format!("a token has 1, 2, 4 or 8 bytes, not {size}"));
        }
        Ok(TokenFunction { name: name.to_owned(), offset, size })
    }
}

impl fmt::Display for TokenFunction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}+{}:{}", self.name, self.offset, self.size)
    }
}

impl TargetOptions {
    /// The environment of a build without labels.
    pub(crate) fn environment<'a>(&'a self, surroundings: &'a plain::Surroundings) -> Vec<(&'a str, OsString)> {
        let own = self.variables.iter().map(|(name, value)| (name.as_str(), value.clone()));
        surroundings.env().into_iter().chain(own).collect()
    }

    /// The private folder of a target that is to be confined.
    pub(crate) fn private(&self) -> Result<Option<Private>, ExecError> {
        self.confinement.parts().map(|parts| Private::new(parts.has_mounts())).transpose()
    }

    /// How a target with this folder is confined.
    pub(crate) fn confined<'a>(&'a self, private: Option<&'a Private>, has_sockets: bool) -> Option<Confined<'a>> {
        Some(Confined {
            parts: self.confinement.parts()?,
            private: private?,
            writable: &self.writable,
            has_sockets,
            file_bytes: self.limits.file_bytes,
        })
    }
}

/// What a program that Gimlet compiled learns of time and chance.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum World {
    /// The same in every run.
    #[default]
    Fixed,
    /// What the machine says.
    Real,
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
    /// What it was stopped for, other than time.
    pub excess: Option<Excess>,
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
    tables: Vec<Arc<SiteTable>>,
    /// Site tables of shared objects that runs named, by path.
    images: HashMap<String, Result<Vec<Arc<SiteTable>>, String>>,
    server: Option<Server>,
    /// What the server was started with.
    surroundings: Surroundings,
    /// Number of the last run; the child repeats it.
    run: u32,
    /// The last run left cells in the tally table.
    has_tallies: bool,
    /// The function that returns tokens, if there is one.
    token_function: FoundFunction,
    has_tokens: bool,
    /// Where a confined target works. It is the last to go.
    private: Option<Private>,
}

/// What an input puts around a program before it starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Surroundings {
    args: Vec<OsString>,
    /// Environment variables that are sources; each run brings its own values.
    variables: Vec<String>,
    /// Peers are part of the input: other sockets have to work.
    has_sockets: bool,
}

impl Target {
    /// Checks that the program can be traced. `args` are those after the program's name, `@@` standing for the path
    /// of the input file.
    pub fn new(program: &Path, args: &[OsString], options: TargetOptions) -> Result<Target, ExecError> {
        let path = image::find_program(program)?;
        let tables = shared(image::read_program(&path)?);
        let token_function = match &options.tokens {
            Some(function) => find_function(&tables, &path, function)?,
            None => FoundFunction::default(),
        };
        let private = options.private()?;
        Ok(Target {
            has_tokens: true,
            token_function,
            program: path,
            name: program.into(),
            args: args.to_vec(),
            memory: SharedMemory::new(Layout::new(&options.limits))?,
            files: Files::new(&options.file_names, options.output, private.as_ref().map(Private::files))?,
            options,
            tables,
            images: HashMap::new(),
            server: None,
            surroundings: Surroundings::default(),
            run: 0,
            has_tallies: false,
            private,
        })
    }

    /// The program that is run.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Whether what the function for tokens returns is variable from now on.
    pub fn set_tokens(&mut self, are_variable: bool) {
        self.has_tokens = are_variable;
    }

    /// How long runs may take from now on.
    pub fn set_timeout(&mut self, limit: Duration) {
        self.options.limits.timeout_ms = limit.as_millis() as u64;
    }

    /// The site tables of the program itself.
    pub fn tables(&self) -> &[Arc<SiteTable>] {
        &self.tables
    }

    /// Runs the program on an input. A run that the user interrupts has a trace too; the next one will be an error.
    pub fn run(&mut self, input: &Input) -> Result<Run, ExecError> {
        self.check_input(input)?;
        self.private.as_ref().map_or(Ok(()), Private::restore)?;
        self.files.prepare(input)?;
        let n_segments = self.write_input(input)?;
        self.surround(input);
        let start = Instant::now();
        let Executed { outcome, is_daemonised, excess } = self.execute()?;
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
        Ok(Run { trace, stdout, stderr, is_daemonised, excess, unreadable_images, elapsed })
    }

    /// Whether this input can be given to this program.
    fn check_input(&self, input: &Input) -> Result<(), ExecError> {
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
        check(input, &self.args)
    }

    /// A server was started with arguments and variables; an input with others needs another one.
    fn surround(&mut self, input: &Input) {
        let surroundings = Surroundings {
            args: self.files.arguments(&self.args, input),
            variables: input.sources.iter().filter_map(Source::variable).map(str::to_string).collect(),
            has_sockets: input.sources.iter().any(|source| source.kind == SourceKind::Socket),
        };
        if surroundings != self.surroundings {
            self.surroundings = surroundings;
            self.server = None;
        }
    }

    /// Writes sources, their bytes and a fresh header; returns the number of segments.
    fn write_input(&mut self, input: &Input) -> Result<usize, ExecError> {
        let (mut sources, mut segments) = (Vec::new(), Vec::new());
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (number, source) in (0..).zip(&input.sources) {
            let id = self.files.id(source)?;
            let (first, len) = (values.len() as u32, source.bytes.len() as u64);
            sources.push(SourceRecord {
                kind: source.kind as u32,
                index: 0,
                name_offset: names.len() as u32,
                name_len: source.name.len() as u32,
                first,
                unit: 0,
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
        for (record, source) in sources.iter_mut().zip(&input.sources) {
            record.index = match source.kind {
                SourceKind::Path => self.push_paths(source, &mut names)?,
                SourceKind::Socket => source.port().into(),
                _ => source.argument_index().unwrap_or(0),
            };
        }
        for stretch in input.stretches() {
            let record = &mut sources[stretch.length];
            (record.index, record.unit) = (stretch.source as u32, stretch.unit as u32);
            (record.cursor, record.device, record.inode) = (stretch.at as u64, stretch.max as u64, stretch.len as u64);
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
        let checks = if self.options.checks_memory { option::CHECKS } else { 0 };
        self.memory.write_header(&Header {
            n_sources: sources.len() as u32,
            n_segments: segments.len() as u32,
            names_len: names.len() as u32,
            input_len: values.len() as u32,
            run: self.run,
            token_build: if self.has_tokens { self.token_function.build_id } else { 0 },
            token_function: if self.has_tokens { self.token_function.number } else { 0 },
            token_offset: self.options.tokens.as_ref().map_or(0, |function| function.offset),
            token_size: self.token_function.size,
            ..self.memory.blank_header(allocations | strings | checks)
        })?;
        Ok(segments.len())
    }

    /// Adds what the runtime needs to give a program another file than the one it opens; returns where it begins.
    fn push_paths(&self, source: &Source, names: &mut Vec<u8>) -> Result<u32, ExecError> {
        let offset = names.len() as u32;
        let file = self.files.path(source).unwrap_or(Path::new(""));
        let known = names_of(Path::new(&source.name), self.private.as_ref())?;
        for path in [file].into_iter().chain(known.iter().map(PathBuf::as_path)) {
            names.extend_from_slice(path.as_os_str().as_bytes());
            names.push(0);
        }
        names.push(0);
        let (needed, limit) = (names.len() as u64, self.memory.layout().extent(Region::Names).len);
        if needed > limit {
            return Err(ExecError::TableTooSmall { what: "names of sources", needed, limit });
        }
        Ok(offset)
    }

    /// Lets the server run, starting it if there is none.
    fn execute(&mut self) -> Result<Executed, ExecError> {
        loop {
            let is_fresh = self.server.is_none();
            if is_fresh {
                self.server = Some(self.start_server()?);
            }
            let limits = &self.options.limits;
            let tick = |root| {
                self.files.trim(limits.output_bytes);
                excess(root, limits, self.private.as_ref())
            };
            let has_begun = || self.memory.header().is_ok_and(|header| header.run_seen == self.run);
            if let Some(executed) = run_on(&mut self.server, is_fresh, Begin::Told(&has_begun), limits, tick)? {
                return Ok(executed);
            }
        }
    }

    fn start_server(&self) -> Result<Server, ExecError> {
        let launch = |control: &UnixStream| -> Result<Process, ExecError> {
            spawn(Launch {
                program: &self.program,
                name: &self.name,
                args: self.surroundings.args.clone(),
                stdio: self.files.stdio()?,
                env: self.surroundings.variables.iter().map(|name| (name.as_str(), OsString::new())).collect(),
                driver: Some([self.memory.as_fd(), control.as_fd()]),
                confined: self.options.confined(self.private.as_ref(), self.surroundings.has_sockets),
                gate: None,
                world: self.options.world,
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
            let read = || match image::read_shared_object(Path::new(&module.image)) {
                Ok(tables) => Ok(shared(tables)),
                Err(error) => Err(error.to_string()),
            };
            match self.images.entry(module.image.clone()).or_insert_with(read) {
                Ok(tables) => trace.tables.extend_from_slice(tables),
                Err(error) => unreadable.push(error.clone()),
            }
        }
        unreadable
    }
}

/// Tables that many traces have.
fn shared(tables: Vec<SiteTable>) -> Vec<Arc<SiteTable>> {
    tables.into_iter().map(Arc::new).collect()
}

/// Whether a program has a function that can return tokens.
pub fn can_return_tokens(program: &Path, function: &TokenFunction) -> Result<bool, ExecError> {
    let path = image::find_program(program)?;
    Ok(find_function(&shared(image::read_program(&path)?), &path, function).is_ok())
}

/// A function that returns tokens.
#[derive(Clone, Copy, Default)]
struct FoundFunction {
    /// Of its module, and its site there and one.
    build_id: u64,
    number: u32,
    /// Bytes of the token in what it returns; none if that is the token.
    size: u32,
}

fn find_function(
    tables: &[Arc<SiteTable>],
    program: &Path,
    function: &TokenFunction,
) -> Result<FoundFunction, ExecError> {
    let name = &function.name;
    let all =
        || tables.iter().flat_map(|table| (1..).zip(&table.sites).map(|(number, site)| (table.build_id, number, site)));
    let functions = || all().filter(|(_, _, site)| site.kind == SiteKind::Function);
    if let Some((build_id, number, site)) = functions().find(|(_, _, site)| site.function == *name) {
        let returns = Returns::from_width(site.width);
        let size = if matches!(returns, Returns::Number(_)) { 0 } else { function.size };
        return match no_token(function, returns) {
            Some(why) => Err(ExecError::NoToken { name: name.clone(), why }),
            None => Ok(FoundFunction { build_id, number, size }),
        };
    }
    if all().any(|(_, _, site)| site.function == *name) {
        return Err(ExecError::NoToken { name: name.clone(), why: IS_INLINED.to_owned() });
    }
    let mut similar: Vec<String> =
        functions().map(|(_, _, site)| site.function.clone()).filter(|known| is_like(known)).collect();
    similar.sort_unstable();
    similar.dedup();
    similar.truncate(N_SIMILAR_MAX);
    Err(ExecError::NoFunction { program: program.to_owned(), name: name.clone(), similar })
}

/// A larger struct is returned in memory.
const REGISTER_BYTES: u32 = 16;
const IS_INLINED: &str = "it is always_inline, part of each function that calls it";

/// Why a function that returns such can't return tokens, if it can't.
fn no_token(function: &TokenFunction, returns: Returns) -> Option<String> {
    let offset = function.offset;
    match returns {
        _ if function.name == "main" => Some("it is where the program begins".to_owned()),
        Returns::Nothing => Some("it returns no number, and no struct".to_owned()),
        Returns::Inlined => Some(IS_INLINED.to_owned()),
        Returns::Number(bits) if offset > 0 => {
            let n_bytes = bits / 8;
            Some(format!(
                "it returns one number of {n_bytes} bytes, and nothing that is {offset} bytes behind its beginning"
            ))
        }
        Returns::Struct if offset >= REGISTER_BYTES => {
            Some(format!("what it returns has {REGISTER_BYTES} bytes at most, and the token is said to be at {offset}"))
        }
        Returns::Number(_) | Returns::Struct | Returns::Address | Returns::Unknown => None,
    }
}

/// Whether a function may be one that returns tokens, by its name.
fn is_like(name: &str) -> bool {
    let name = name.to_lowercase();
    ["lex", "token", "tok", "scan"].iter().any(|part| name.contains(part))
}
