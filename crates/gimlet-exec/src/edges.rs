//! PROG.edges with its arguments, ready to be run again and again.
//!
//! It is a fork server as an instrumented program is, but its shared memory is
//! only the file of its counters ([`crate::counters`]), and its input comes the way
//! a plain run gets it. So a run costs little more than a fork: the driver writes
//! the input into a file that is there, sends a message and gets one. An input with
//! other arguments or variables than the last one starts the program anew.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gimlet_trace::edges::EdgeTable;
use gimlet_trace::memory::{told, TOLD_NAME};
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use crate::check::check;
use crate::confine::Private;
use crate::counters::CounterFile;
use crate::error::ExecError;
use crate::files::{Captured, Files};
use crate::image::{find_program, read_edges};
use crate::plain::Surroundings;
use crate::process::Process;
use crate::server::{run_on, Begin, Executed, Server};
use crate::spawn::{spawn, Launch};
use crate::target::TargetOptions;
use crate::watch::{excess, Excess};

/// Has the loader resolve all functions at once. The server takes our value out of the environment.
const BIND_ENV: &str = "LD_BIND_NOW";

/// The program or a shared object, with what its counters count; addresses are offsets into the counters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeImage {
    /// Empty for the program itself.
    pub path: String,
    pub tables: Vec<EdgeTable>,
}

/// The counters of one image after a run.
#[derive(Clone, Debug)]
pub struct Counters {
    pub image: Arc<EdgeImage>,
    pub bytes: Vec<u8>,
}

/// How a run came out.
#[derive(Clone, Debug)]
pub struct EdgesOutcome {
    pub outcome: Outcome,
    /// It left processes behind, which have been killed.
    pub is_daemonised: bool,
    /// What it was stopped for, other than time.
    pub excess: Option<Excess>,
    pub elapsed: Duration,
}

/// The same with all that it gave.
#[derive(Clone, Debug)]
pub struct EdgesRun {
    pub outcome: Outcome,
    /// One for each image that took part.
    pub counters: Vec<Counters>,
    /// Shared objects whose tables could not be read, with the reason.
    pub unreadable_images: Vec<String>,
    pub stdout: Option<Captured>,
    pub stderr: Option<Captured>,
    /// It left processes behind, which have been killed.
    pub is_daemonised: bool,
    /// What it was stopped for, other than time.
    pub excess: Option<Excess>,
    pub elapsed: Duration,
}

/// What a run of a memory build tells ([`gimlet_trace::memory::TOLD_NAME`]).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// Hashes of the values that decided something, each with its place in the upper half.
    pub decisions: Vec<u32>,
    /// Pointers whose object is not known.
    pub n_unjudged: u32,
}

/// PROG.edges with its arguments.
pub struct EdgesTarget {
    program: PathBuf,
    name: OsString,
    args: Vec<OsString>,
    options: TargetOptions,
    files: Files,
    /// The server's; every run begins with what constructors of shared objects had counted before the first.
    counters: CounterFile,
    image: Arc<EdgeImage>,
    /// Ends of the names of shared objects, and what is put in their place.
    renamed: Option<(String, String)>,
    /// Shared objects that runs named, by path.
    shared: HashMap<String, Result<Arc<EdgeImage>, String>>,
    server: Option<Server>,
    /// The loader resolves all functions before the first run.
    binds_early: bool,
    /// Number of the last run, not zero.
    run: u32,
    /// What fresh memory is filled with, if a memory build does that.
    fill: Option<u8>,
    /// What the server was started with.
    surroundings: Surroundings,
    /// Where a confined target works. It is the last to go.
    private: Option<Private>,
}

impl EdgesTarget {
    /// Checks that the program has counters. `args` are those after the program's name, `@@` standing for the path of
    /// the input file.
    pub fn new(program: &Path, args: &[OsString], options: TargetOptions) -> Result<EdgesTarget, ExecError> {
        let path = find_program(program)?;
        let tables = read_edges(&path)?;
        if tables.is_empty() {
            return Err(ExecError::NoCounters(path));
        }
        let private = options.private()?;
        Ok(EdgesTarget {
            program: path,
            name: program.into(),
            args: args.to_vec(),
            files: Files::new(&options.file_names, options.output, private.as_ref().map(Private::files))?,
            options,
            counters: new_counters()?,
            image: Arc::new(EdgeImage { path: String::new(), tables }),
            renamed: None,
            shared: HashMap::new(),
            server: None,
            binds_early: true,
            run: 0,
            fill: None,
            surroundings: Surroundings::default(),
            private,
        })
    }

    /// Shared objects whose names end with `from` are called as if they ended with `to` from now on: their counters are
    /// those of another build of them.
    pub fn counting_as(self, from: &str, to: &str) -> EdgesTarget {
        EdgesTarget { renamed: Some((from.to_owned(), to.to_owned())), ..self }
    }

    /// The program itself, for a [`crate::Coverage`] that knows its branches before the first run.
    pub fn image(&self) -> &Arc<EdgeImage> {
        &self.image
    }

    /// What fresh memory is filled with from now on, if this is a memory build that fills it.
    pub fn set_fill(&mut self, byte: u8) {
        self.fill = Some(byte);
    }

    /// How long runs may take from now on.
    pub fn set_timeout(&mut self, limit: Duration) {
        self.options.limits.timeout_ms = limit.as_millis() as u64;
    }

    /// Runs the program on an input, and copies all that it gave.
    pub fn run(&mut self, input: &Input) -> Result<EdgesRun, ExecError> {
        let run = self.run_in_place(input)?;
        self.copy(run)
    }

    /// All that the last run gave.
    pub fn copy(&self, run: EdgesOutcome) -> Result<EdgesRun, ExecError> {
        let EdgesOutcome { outcome, is_daemonised, excess, elapsed } = run;
        let counters = self.counters().map(|(image, bytes)| Counters { image: image.clone(), bytes: bytes.to_vec() });
        let (counters, unreadable_images) = (counters.collect(), self.unreadable_images().map(String::from).collect());
        let [stdout, stderr] = match self.captured()? {
            Some(streams) => streams.map(Some),
            None => [None, None],
        };
        Ok(EdgesRun { outcome, counters, unreadable_images, stdout, stderr, is_daemonised, excess, elapsed })
    }

    /// Runs the program on an input. What it counted is in [`EdgesTarget::counters`] until the next run, however it
    /// ended.
    pub fn run_in_place(&mut self, input: &Input) -> Result<EdgesOutcome, ExecError> {
        check(input, &self.args)?;
        self.private.as_ref().map_or(Ok(()), Private::restore)?;
        self.files.prepare(input)?;
        let surroundings = Surroundings::new(&mut self.files, &self.args, input, self.private.as_ref())?;
        if surroundings != self.surroundings {
            self.surroundings = surroundings;
            self.server = None;
        }
        let start = Instant::now();
        let Executed { outcome, is_daemonised, excess } = self.execute()?;
        let elapsed = start.elapsed();
        self.look()?;
        // The memory build has ended one of its processes; the first one did not care.
        let is_wrong = matches!(outcome, Outcome::Exited(_)) && self.has_reported();
        let outcome = if is_wrong { Outcome::Signalled(libc::SIGABRT) } else { outcome };
        Ok(EdgesOutcome { outcome, is_daemonised, excess, elapsed })
    }

    /// What the last run counted, for each image that took part in it or in another run before.
    pub fn counters(&self) -> impl Iterator<Item = (&Arc<EdgeImage>, &[u8])> {
        self.counters.images().filter_map(|(path, bytes)| match path {
            "" => Some((&self.image, bytes)),
            _ => Some((self.shared.get(path)?.as_ref().ok()?, bytes)),
        })
    }

    /// What the last run told, if it was one of a memory build whose fresh memory is filled.
    pub fn told(&self) -> Told {
        let n = self.told_word(told::N_DECISIONS) as usize;
        let words = self.counters.region(TOLD_NAME).chunks_exact(4);
        Told {
            decisions: words.skip(told::LIST).take(n).map(word).collect(),
            n_unjudged: self.told_word(told::N_UNJUDGED),
        }
    }

    /// Whether the last run was one of a memory build that ended it, or a process of it, with a report.
    pub fn has_reported(&self) -> bool {
        self.told_word(told::N_WRONG) != 0
    }

    /// A word of what the last run told.
    fn told_word(&self, number: usize) -> u32 {
        self.counters.region(TOLD_NAME).chunks_exact(4).nth(number).map_or(0, word)
    }

    /// Shared objects whose tables could not be read, with the reason.
    pub fn unreadable_images(&self) -> impl Iterator<Item = &str> {
        self.counters.images().filter_map(|(path, _)| self.shared.get(path)?.as_ref().err().map(String::as_str))
    }

    /// stdout and stderr of the last run, if they are captured.
    pub fn captured(&self) -> Result<Option<[Captured; 2]>, ExecError> {
        self.files.captured(self.options.limits.output_bytes)
    }

    /// Lets the server run, starting it if there is none.
    fn execute(&mut self) -> Result<Executed, ExecError> {
        self.run = self.run.checked_add(1).unwrap_or(1);
        loop {
            let is_fresh = self.server.is_none();
            if is_fresh {
                self.start_server()?;
            } else {
                self.counters.reset();
            }
            if let Some(byte) = self.fill {
                self.counters.set_word(TOLD_NAME, told::FILL, byte.into());
            }
            let limits = &self.options.limits;
            let tick = |root| {
                self.files.trim(limits.output_bytes);
                excess(root, limits, self.private.as_ref())
            };
            let begin = Begin::Shown(self.run, &|| self.counters.run());
            if let Some(executed) = run_on(&mut self.server, is_fresh, begin, limits, tick)? {
                return Ok(executed);
            }
        }
    }

    fn start_server(&mut self) -> Result<(), ExecError> {
        let started = match self.spawn_server() {
            Err(ExecError::EndedEarly(_)) if self.binds_early => {
                // A shared object may lack a function that is never called.
                self.binds_early = false;
                self.spawn_server()
            }
            started => started,
        };
        self.server = Some(started?);
        self.look()?;
        self.counters.keep_baseline();
        if !self.counters.images().any(|(path, _)| path.is_empty()) {
            self.server = None;
            return Err(ExecError::Uncounted(self.program.clone()));
        }
        Ok(())
    }

    fn spawn_server(&mut self) -> Result<Server, ExecError> {
        self.counters = new_counters()?;
        let mut env = self.options.environment(&self.surroundings);
        if self.binds_early && std::env::var_os(BIND_ENV).is_none() {
            env.push((BIND_ENV, "gimlet".into()));
        }
        let launch = |control: &UnixStream| -> Result<Process, ExecError> {
            spawn(Launch {
                program: &self.program,
                name: &self.name,
                args: self.surroundings.args.clone(),
                stdio: self.files.stdio()?,
                env,
                driver: Some([self.counters.as_fd(), control.as_fd()]),
                confined: self.options.confined(self.private.as_ref(), self.surroundings.has_sockets),
                gate: None,
                world: self.options.world,
            })
        };
        Server::start(launch, &self.program, &self.options.limits, self.options.interrupt)
    }

    /// Finds images that are new in the file, and reads what their counters count.
    fn look(&mut self) -> Result<(), ExecError> {
        if !self.counters.look().map_err(ExecError::io("reading counters"))? {
            return Ok(());
        }
        for (path, _) in self.counters.images().filter(|(path, _)| !path.is_empty()) {
            let stem = self.renamed.as_ref().and_then(|(from, to)| Some((path.strip_suffix(from.as_str())?, to)));
            let name = stem.map_or_else(|| path.to_owned(), |(stem, to)| format!("{stem}{to}"));
            let read = || match read_edges(Path::new(path)) {
                Ok(tables) => Ok(Arc::new(EdgeImage { path: name, tables })),
                Err(error) => Err(format!("{path}: {error}")),
            };
            self.shared.entry(path.to_owned()).or_insert_with(read);
        }
        Ok(())
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn new_counters() -> Result<CounterFile, ExecError> {
    CounterFile::new().map_err(ExecError::io("making the file of counters"))
}
