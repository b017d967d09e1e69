//! PROG.edges with its arguments, ready to be run again and again.
//!
//! It is a fork server as an instrumented program is, but its shared memory is
//! only the file of its counters (`support/edges.c` of gimlet-cc has the layout),
//! and its input comes the way a plain run gets it. So a run costs little more
//! than a fork. An input with other arguments or variables than the last one
//! starts the program anew.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gimlet_trace::edges::EdgeTable;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use crate::check::check;
use crate::confine::Private;
use crate::error::ExecError;
use crate::files::{Captured, Files};
use crate::image::{find_program, read_edges};
use crate::memory::memory_file;
use crate::plain::Surroundings;
use crate::process::Process;
use crate::server::{run_on, Executed, Server};
use crate::spawn::{spawn, Launch};
use crate::target::TargetOptions;
use crate::watch::{excess, Excess};

/// Layout of the file of counters.
const HEADER_LEN: u64 = 65536;
const RECORD_LEN: usize = 256;
const COUNT_OFFSET: u64 = 12;
const PATH_OFFSET: usize = 24;
/// More than any image has: what claims to have more is garbage.
const COUNTERS_MAX: u64 = 1 << 28;

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

/// What a run gave.
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

/// PROG.edges with its arguments.
pub struct EdgesTarget {
    program: PathBuf,
    name: OsString,
    args: Vec<OsString>,
    options: TargetOptions,
    files: Files,
    map: File,
    image: Arc<EdgeImage>,
    /// Shared objects that runs named, by path.
    shared: HashMap<String, Result<Arc<EdgeImage>, String>>,
    server: Option<Server>,
    /// What the server was started with.
    surroundings: Surroundings,
    /// What was counted before the server's first run, by constructors of shared objects: every run has that.
    baseline: RefCell<Vec<Record>>,
    /// Where a confined target works. It is the last to go.
    private: Option<Private>,
}

/// An image's counters in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Record {
    path: String,
    offset: u64,
    bytes: Vec<u8>,
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
            map: memory_file(c"edges").map_err(ExecError::io("making the file of counters"))?,
            image: Arc::new(EdgeImage { path: String::new(), tables }),
            shared: HashMap::new(),
            server: None,
            surroundings: Surroundings::default(),
            baseline: RefCell::default(),
            private,
        })
    }

    /// The program itself, for a [`crate::Coverage`] that knows its branches before the first run.
    pub fn image(&self) -> &Arc<EdgeImage> {
        &self.image
    }

    /// How long runs may take from now on.
    pub fn set_timeout(&mut self, limit: Duration) {
        self.options.limits.timeout_ms = limit.as_millis() as u64;
    }

    /// Runs the program on an input.
    pub fn run(&mut self, input: &Input) -> Result<EdgesRun, ExecError> {
        check(input, &self.args)?;
        self.private.as_ref().map_or(Ok(()), Private::restore)?;
        self.files.prepare(input)?;
        let surroundings = Surroundings::new(&mut self.files, &self.args, input, self.private.as_ref())?;
        if surroundings != self.surroundings {
            self.surroundings = surroundings;
            self.server = None;
        }
        self.reset().map_err(ExecError::io("clearing counters"))?;
        let start = Instant::now();
        let Executed { outcome, is_daemonised, excess } = self.execute()?;
        let elapsed = start.elapsed();
        let (counters, unreadable_images) = self.counters()?;
        let [stdout, stderr] = match self.files.captured(self.options.limits.output_bytes)? {
            Some(streams) => streams.map(Some),
            None => [None, None],
        };
        Ok(EdgesRun { outcome, counters, unreadable_images, stdout, stderr, is_daemonised, excess, elapsed })
    }

    fn execute(&mut self) -> Result<Executed, ExecError> {
        let mut server = self.server.take();
        let limits = &self.options.limits;
        let executed = run_on(
            &mut server,
            || self.start_server(),
            limits,
            |root| {
                self.files.trim(limits.output_bytes);
                excess(root, limits, self.private.as_ref())
            },
        );
        self.server = server;
        executed
    }

    fn start_server(&self) -> Result<Server, ExecError> {
        self.map.set_len(0).map_err(ExecError::io("clearing counters"))?;
        let launch = |control: &UnixStream| -> Result<Process, ExecError> {
            spawn(Launch {
                program: &self.program,
                name: &self.name,
                args: self.surroundings.args.clone(),
                stdio: self.files.stdio()?,
                env: self.surroundings.env(),
                driver: Some([self.map.as_fd(), control.as_fd()]),
                confined: self.options.confined(self.private.as_ref(), self.surroundings.has_sockets),
                gate: None,
            })
        };
        let server = Server::start(launch, &self.program, &self.options.limits, self.options.interrupt)?;
        let records = self.records()?;
        if !records.iter().any(|record| record.path.is_empty()) {
            return Err(ExecError::Uncounted(self.program.clone()));
        }
        *self.baseline.borrow_mut() = records;
        Ok(server)
    }

    /// Puts every counter back to where it was before the first run.
    fn reset(&self) -> io::Result<()> {
        if self.server.is_none() {
            return Ok(());
        }
        let baseline = self.baseline.borrow();
        let end = baseline.iter().map(|record| record.offset + record.bytes.len() as u64).max().unwrap_or(HEADER_LEN);
        for record in baseline.iter() {
            self.map.write_all_at(&record.bytes, record.offset)?;
        }
        // Images that a run loads keep their place but not what they counted.
        let len = self.map.metadata()?.len();
        if len > end {
            self.map.set_len(end)?;
            self.map.set_len(len)?;
        }
        Ok(())
    }

    /// What is in the file.
    fn records(&self) -> Result<Vec<Record>, ExecError> {
        read_records(&self.map).map_err(ExecError::io("reading counters"))
    }

    /// The counters with what they count; and what could not be read.
    fn counters(&mut self) -> Result<(Vec<Counters>, Vec<String>), ExecError> {
        let (mut counters, mut unreadable) = (Vec::new(), Vec::new());
        for Record { path, bytes, .. } in self.records()? {
            if path.is_empty() {
                counters.push(Counters { image: self.image.clone(), bytes });
                continue;
            }
            let read = || match read_edges(Path::new(&path)) {
                Ok(tables) => Ok(Arc::new(EdgeImage { path: path.clone(), tables })),
                Err(error) => Err(format!("{path}: {error}")),
            };
            match self.shared.entry(path.clone()).or_insert_with(read) {
                Ok(image) => counters.push(Counters { image: image.clone(), bytes }),
                Err(error) => unreadable.push(error.clone()),
            }
        }
        Ok((counters, unreadable))
    }
}

/// The images of a file of counters. The target may have written anything: what does not fit is left out.
fn read_records(map: &File) -> io::Result<Vec<Record>> {
    let len = map.metadata()?.len();
    if len < HEADER_LEN {
        return Ok(Vec::new());
    }
    let mut count = [0; 4];
    map.read_exact_at(&mut count, COUNT_OFFSET)?;
    let count = u64::from(u32::from_le_bytes(count)).min(HEADER_LEN / RECORD_LEN as u64 - 1);
    let mut records = vec![0; count as usize * RECORD_LEN];
    map.read_exact_at(&mut records, RECORD_LEN as u64)?;
    let mut found = Vec::new();
    for record in records.chunks_exact(RECORD_LEN) {
        let word = |at: usize| record[at..at + 8].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let (offset, n_bytes) = (word(0), word(8));
        let fits = offset >= HEADER_LEN && offset.checked_add(n_bytes).is_some_and(|end| end <= len);
        if !fits || n_bytes > COUNTERS_MAX {
            continue;
        }
        let path = &record[PATH_OFFSET..];
        let path = &path[..path.iter().position(|&byte| byte == 0).unwrap_or(path.len())];
        let mut bytes = vec![0; n_bytes as usize];
        map.read_exact_at(&mut bytes, offset)?;
        found.push(Record { path: String::from_utf8_lossy(path).into_owned(), offset, bytes });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(records: &[(u64, u64, &str)], len: u64) -> File {
        let map = tempfile::tempfile().unwrap();
        map.set_len(len).unwrap();
        map.write_all_at(&(records.len() as u32).to_le_bytes(), COUNT_OFFSET).unwrap();
        for (index, (offset, n_bytes, path)) in records.iter().enumerate() {
            let at = (RECORD_LEN * (1 + index)) as u64;
            map.write_all_at(&offset.to_le_bytes(), at).unwrap();
            map.write_all_at(&n_bytes.to_le_bytes(), at + 8).unwrap();
            map.write_all_at(path.as_bytes(), at + PATH_OFFSET as u64).unwrap();
        }
        map
    }

    #[test]
    fn records_are_read() {
        let map = file(&[(65536, 4096, ""), (69632, 4096, "/lib/a.so")], 65536 + 8192);
        map.write_all_at(&[7], 69632).unwrap();
        let records = read_records(&map).unwrap();
        assert_eq!(records.iter().map(|record| record.path.as_str()).collect::<Vec<_>>(), ["", "/lib/a.so"]);
        assert_eq!((records[0].bytes[0], records[1].bytes[0]), (0, 7));
    }

    #[test]
    fn garbage_is_left_out() {
        assert!(read_records(&file(&[], 100)).unwrap().is_empty());
        let bad = [(0, 4096, ""), (65536, 8192, ""), (u64::MAX, 2, ""), (65536, u64::MAX, "")];
        assert!(read_records(&file(&bad, 65536 + 4096)).unwrap().is_empty());
        let map = file(&[(65536, 4096, "")], 65536 + 4096);
        map.write_all_at(&u32::MAX.to_le_bytes(), COUNT_OFFSET).unwrap();
        assert_eq!(read_records(&map).unwrap().len(), 1);
    }
}
