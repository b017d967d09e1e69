//! Tests and findings: the one place that knows both the folder and the store.
//!
//! What a search does is noted here step by step; [`Corpus::commit`] ends a step. When a search is taken up again, files
//! and store are brought to agree: a test without its file gets it back, a file that nobody knows is taken in.

pub mod distil;
pub(crate) mod features;
pub mod folder;
mod journal;
pub mod record;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gimlet_exec::lock::{Lock, LockError};
use gimlet_report::status::Report;
use gimlet_report::{Kind, Maker, Note, TestCounts};
use gimlet_solver::Layer;
use gimlet_store::{Aim, Change, History, InputId, Kept, Record, SqliteStore, State, Store, StoreError, Verdict, TEAM};
use gimlet_trace::Input;
use rustc_hash::{FxHashMap, FxHashSet};

pub use crate::corpus::folder::{
    read, read_within, source_names, tests, write_sources, CRASHES, HANGS, MANIFEST, PRIVATE, QUEUE,
};

use crate::corpus::folder::{number, Folder};
use crate::corpus::journal::Journal;
use crate::error::ExploreError;
use crate::findings::Finding;
use crate::run::job::{Job, Origin, RunId};
use crate::run::walk::{hash, Walk};
use crate::strategy::Flip;

pub(crate) const STORE: &str = "store.sqlite";
pub(crate) const LOCK: &str = "lock";
/// What the makers of others' tests begin with.
const SYNC: &str = "sync:";
/// What comes before the number of the symbolic string that an input is of, behind its maker.
const STRING: &str = "string:";
/// Files for AFL++'s tools.
pub const FUZZER_STATS: &str = "fuzzer_stats";
pub const PLOT_DATA: &str = "plot_data";

/// When something happened, as names of files have it.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub elapsed: Duration,
    pub n_runs: u64,
}

/// What a search is taken up for.
#[derive(Clone, Debug)]
pub struct Program {
    /// Tells one build from another.
    pub build: u64,
    /// It has the name of the one before: another build of it may go on.
    pub has_same_name: bool,
    /// The sources that it is given.
    pub layout: Input,
    /// Bytes of input at most.
    pub input_bytes_max: u64,
}

/// What an earlier search left.
#[derive(Debug, Default)]
pub struct Left {
    pub history: History,
    /// What the user may want to know.
    pub notes: Vec<String>,
    /// Of tests.
    numbers: FxHashSet<u64>,
}

/// What came of a flip.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    pub flip: Flip,
    pub verdict: Verdict,
    pub layer: Option<Layer>,
}

/// A run as the store knows it.
pub struct Noted<'a> {
    pub run: RunId,
    /// What the program was given in the end.
    pub input: &'a Input,
    pub bound: usize,
    /// Flips that can be asked.
    pub n_flips: usize,
    /// Its path, if it is new.
    pub path: Option<u64>,
}

pub struct Corpus {
    folder: Folder,
    journal: Journal,
    _lock: Lock,
    /// All inputs that were ever made.
    known: FxHashSet<InputId>,
    tests: FxHashMap<InputId, u64>,
    next_test: u64,
    /// The test that a run is, or that it comes from.
    test_of: FxHashMap<RunId, u64>,
    /// Questions that runs have left.
    open: FxHashMap<RunId, usize>,
    /// What the search has done in this step.
    step: Vec<Change>,
    /// Files of findings that nobody has made yet.
    unclaimed: FxHashMap<InputId, PathBuf>,
    /// Others whose tests are taken over.
    members: Vec<String>,
    /// Tests by their makers.
    n_by_maker: TestCounts,
}

impl Corpus {
    /// Begins; an earlier run's results are not touched.
    pub fn create(out: &Path, primary: &str, build: u64) -> Result<Corpus, ExploreError> {
        if Folder::is_occupied(out) {
            return Err(match lock(&Folder::new(out, primary)?) {
                Err(error @ ExploreError::InUse { .. }) => error,
                _ => ExploreError::Occupied(out.to_owned()),
            });
        }
        let folder = Folder::new(out, primary)?;
        let lock = lock(&folder)?;
        for name in [STORE, "store.sqlite-wal", "store.sqlite-shm"] {
            remove(&folder.private(name))?;
        }
        for name in [FUZZER_STATS, PLOT_DATA] {
            remove(&out.join(name))?;
        }
        let store = SqliteStore::open(&folder.private(STORE), build)?;
        Ok(Corpus::new(folder, lock, Box::new(store)))
    }

    /// Takes up what is there.
    pub fn resume(out: &Path, primary: &str, program: &Program) -> Result<(Corpus, Left), ExploreError> {
        let folder = Folder::new(out, primary)?;
        let lock = lock(&folder)?;
        let path = folder.private(STORE);
        let mut left = Left::default();
        let is_empty = fs::metadata(&path).map_or(true, |metadata| metadata.len() == 0);
        if is_empty && Folder::is_occupied(out) {
            left.notes.push(format!(
                "there is nothing in {}: the search begins with the tests that are there",
                path.display()
            ));
        }
        let mut store = SqliteStore::open(&path, program.build)?;
        left.history = store.history()?;
        if left.history.build != program.build {
            if !program.has_same_name {
                return Err(ExploreError::OtherProgram(out.to_owned()));
            }
            left.notes.push(
                "this is another build of the program: its tests are run again, what was asked is forgotten".to_owned(),
            );
            store.forget_runs(program.build)?;
            left.history = store.history()?;
            // Symbolic strings are explored from their beginnings.
            let of_strings = left.history.records.iter().filter(|record| string_of(&record.maker).is_some());
            let of_strings: FxHashSet<InputId> = of_strings.map(|record| record.id).collect();
            left.history.known.retain(|id| !of_strings.contains(id));
        }
        let is_altered = |record: &&Record| identity(&record.input, string_of(&record.maker)) != record.id;
        if let Some(record) = left.history.records.iter().find(is_altered) {
            let what = format!("input {:032x} is not what was written", record.id);
            return Err(StoreError::Damaged { path, what }.into());
        }
        let mut corpus = Corpus::new(folder, lock, Box::new(store));
        corpus.known = left.history.known.iter().copied().collect();
        corpus.reconcile(program, &mut left)?;
        Ok((corpus, left))
    }

    fn new(folder: Folder, lock: Lock, store: Box<dyn Store>) -> Corpus {
        Corpus {
            journal: Journal::start(store, folder.clone()),
            folder,
            _lock: lock,
            known: FxHashSet::default(),
            tests: FxHashMap::default(),
            next_test: 0,
            test_of: FxHashMap::default(),
            open: FxHashMap::default(),
            step: Vec::new(),
            unclaimed: FxHashMap::default(),
            members: Vec::new(),
            n_by_maker: TestCounts::default(),
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn n_tests(&self) -> usize {
        self.tests.len()
    }

    /// How many tests each [`Maker`] made.
    pub fn tests_by_maker(&self) -> TestCounts {
        self.n_by_maker
    }

    /// The number of a test.
    pub fn test(&self, input: &Input) -> Option<u64> {
        self.tests.get(&content(input)).copied()
    }

    /// The beginning of the name of a test's file, by its content.
    pub fn test_file(&self, id: InputId) -> Option<String> {
        self.tests.get(&id).map(|number| format!("{QUEUE}/id:{number:06}"))
    }

    /// Notes what is known of a branch.
    pub fn branch(&mut self, place: String, known: String) {
        self.step.push(Change::Branch { place, known });
    }

    /// True if this input has not been here before.
    pub fn is_new(&mut self, input: &Input) -> bool {
        self.known.insert(content(input))
    }

    /// Whether this input has been here before.
    pub fn is_known(&self, input: &Input) -> bool {
        self.known.contains(&content(input))
    }

    /// Takes in an input that is to be run; false if it has been here before.
    pub fn offer(&mut self, job: &Job) -> bool {
        let is_new = self.known.insert(identity_of(job));
        if is_new {
            self.made(job);
        }
        is_new
    }

    /// Notes an input that is to be run.
    pub fn made(&mut self, job: &Job) {
        let record = self.record(job);
        self.step.push(Change::Made(record));
    }

    /// The same for one that another worker gave to this one. It may be known as a test.
    pub fn taken(&mut self, job: &Job) {
        self.known.insert(content(&job.input));
        let record = self.record(job);
        self.step.push(Change::Taken(record));
    }

    fn record(&self, job: &Job) -> Record {
        let aim = job.expectation.as_ref().map(|expectation| Aim {
            step: expectation.step as u64,
            way: expectation.direction.map(|direction| crate::strategy::Ordered(direction).rank()),
        });
        let maker = self.maker(job.origin);
        Record {
            id: identity_of(job),
            input: job.input.clone(),
            maker: match &job.string {
                Some(string) => format!("{maker},{STRING}{}", string.number),
                None => maker,
            },
            parent: job.origin.parent().map(|parent| parent as u64),
            bound: job.bound as u64,
            aim,
            state: State::Waiting,
            kept: None,
        }
    }

    /// Keeps a test; one that is known stays what it is.
    pub fn keep(&mut self, input: &Input, origin: Origin, moment: Moment) {
        self.keep_of(None, input, origin, moment);
    }

    /// The same for an input that is of a symbolic string.
    pub fn keep_of(&mut self, string: Option<u64>, input: &Input, origin: Origin, moment: Moment) {
        if self.tests.contains_key(&content(input)) {
            return;
        }
        let id = identity(input, string);
        let name = format!("id:{:06},{}", self.next_test, self.story(origin, moment));
        let kept = Kept { number: self.next_test, name };
        self.tests.insert(content(input), self.next_test);
        self.next_test += 1;
        self.known.insert(id);
        self.n_by_maker.add(origin.maker(), 1);
        self.step.push(Change::Kept { id, input: input.clone(), maker: self.maker(origin), kept });
    }

    /// Notes a run of an input.
    pub fn ran(&mut self, job: &Job, noted: &Noted) {
        let became = identity(noted.input, job.string.as_ref().map(|string| string.number));
        self.known.insert(became);
        let Noted { run, bound, n_flips, .. } = *noted;
        let inherited = job.origin.parent().and_then(|parent| self.test_of.get(&parent));
        if let Some(&test) = self.tests.get(&content(noted.input)).or(inherited) {
            self.test_of.insert(run, test);
        }
        if n_flips > 0 {
            self.open.insert(run, n_flips);
        }
        self.step.push(Change::Ran {
            id: identity_of(job),
            became,
            input: noted.input.clone(),
            run: run as u64,
            bound: bound as u64,
            is_closed: n_flips == 0,
        });
        self.step.extend(noted.path.map(Change::Path));
    }

    /// Notes that another worker asks about a run.
    pub fn given(&mut self, run: RunId) {
        self.step.push(Change::Given { run: run as u64 });
    }

    /// Notes that a run of an earlier search is here again, with what is left to ask of it.
    pub fn reopen(&mut self, record: &Record, run: RunId, n_flips: usize) {
        if let Some(&test) = self.tests.get(&content(&record.input)) {
            self.test_of.insert(run, test);
        }
        match n_flips {
            0 => self.step.push(Change::Closed { run: run as u64 }),
            n_flips => {
                self.open.insert(run, n_flips);
            }
        }
    }

    /// Notes what was asked of a run.
    pub fn asked(&mut self, run: RunId, walk: &Walk, bound: usize, answers: &[Answered]) {
        for &Answered { flip, verdict, layer } in answers {
            let layer = layer.map(|layer| layer as u8);
            self.step.push(Change::Asked { question: walk.question(flip, bound), verdict, layer });
            let Some(n_flips) = self.open.get_mut(&run) else { continue };
            if verdict != Verdict::Deferred && flip.step >= bound {
                *n_flips = n_flips.saturating_sub(1);
            }
            if *n_flips == 0 {
                self.open.remove(&run);
                self.step.push(Change::Closed { run: run as u64 });
            }
        }
    }

    /// The file of a finding.
    pub fn finding_path(&self, kind: Kind, id: usize, signal: Option<i32>, input: &Input, story: &str) -> PathBuf {
        if let Some(path) = self.unclaimed.get(&content(input)) {
            return path.clone();
        }
        let folder = if kind.is_hang() { HANGS } else { CRASHES };
        let signal = signal.map_or_else(String::new, |signal| format!("sig:{signal:02},"));
        Path::new(folder).join(format!("id:{id:06},{signal}{story},kind:{kind}"))
    }

    /// The first number that no finding in the folder has, nor any behind it.
    pub fn first_free_finding(&self) -> usize {
        let folders = [CRASHES, HANGS].map(|folder| fs::read_dir(self.folder.path().join(folder)));
        let names = folders.into_iter().flatten().flatten().flatten().map(|entry| entry.file_name());
        let number = |name: OsString| name.to_str()?.strip_prefix("id:")?.get(..6)?.parse::<usize>().ok();
        names.filter_map(number).max().map_or(0, |last| last + 1)
    }

    /// Writes a finding, in place of what was known of it.
    pub fn found(&mut self, signature: u64, finding: &Finding, run: Option<RunId>) {
        self.step.push(Change::Found(finding.to_record(signature, run.map(|run| run as u64))));
    }

    pub fn found_again(&mut self, finding: &Finding) {
        self.step.push(Change::FoundAgain { id: finding.id as u64, n_runs: finding.n_runs });
    }

    /// Notes counters.
    pub fn progress(&mut self, note: &Note) {
        self.step.push(Change::Progress(note.to_text()));
    }

    /// Whether an earlier search has begun the plot.
    pub fn has_plot(&self) -> bool {
        self.folder.path().join(PLOT_DATA).exists()
    }

    /// Writes what AFL++'s tools read.
    pub fn report(&mut self, report: Report) -> Result<(), ExploreError> {
        self.journal.write(FUZZER_STATS, report.fuzzer_stats)?;
        self.journal.append(PLOT_DATA, report.plot_data)
    }

    /// A place for the name of another search.
    pub fn member(&mut self, name: &str) -> usize {
        self.members.iter().position(|member| member == name).unwrap_or_else(|| {
            self.members.push(name.to_owned());
            self.members.len() - 1
        })
    }

    /// Notes that tests of another search are known up to this one.
    pub fn synced(&mut self, member: &str, last: u64) {
        self.step.push(Change::Synced { member: member.to_owned(), last });
    }

    /// Ends a step of the search: what it did is written together, soon.
    pub fn commit(&mut self) -> Result<(), ExploreError> {
        self.journal.step(std::mem::take(&mut self.step))
    }

    /// Ends a step of the search, and waits until it is in the store.
    pub fn save(&mut self) -> Result<(), ExploreError> {
        self.n_inputs().map(drop)
    }

    /// Waits until everything is written.
    pub fn finish(&mut self) -> Result<(), ExploreError> {
        self.commit()?;
        self.journal.finish()
    }

    /// How many inputs were ever made, as the store knows.
    pub fn n_inputs(&mut self) -> Result<Option<u64>, ExploreError> {
        self.commit()?;
        self.journal.n_inputs()
    }

    /// The input of a run, in this search or an earlier one.
    pub fn run(&mut self, run: RunId) -> Result<Option<Record>, ExploreError> {
        self.journal.run(run as u64)
    }

    /// Which flips of a run were asked in an earlier search, with what came of it.
    pub fn verdicts(
        &mut self,
        walk: &Walk,
        bound: usize,
        flips: &[Flip],
    ) -> Result<Vec<Option<Verdict>>, ExploreError> {
        self.journal.verdicts(flips.iter().map(|&flip| walk.question(flip, bound)).collect())
    }

    /// Where an input comes from, as names of files have it.
    pub fn story(&self, origin: Origin, moment: Moment) -> String {
        let source = match origin {
            Origin::Mutant { source, .. } => source,
            _ => origin.parent().and_then(|parent| self.test_of.get(&parent).copied()),
        };
        let source = match (origin, source) {
            (Origin::Sync { member, number, .. } | Origin::Team { member, number, .. }, _) => {
                format!("{SYNC}{},src:{number:06},", self.members[member])
            }
            (_, Some(test)) => format!("src:{test:06},"),
            (_, None) => String::new(),
        };
        let (elapsed_ms, n_runs, text) = (moment.elapsed.as_millis(), moment.n_runs, origin.maker().name());
        format!("{source}time:{elapsed_ms},execs:{n_runs},op:{text}")
    }

    /// What made an input, as the store has it.
    fn maker(&self, origin: Origin) -> String {
        match origin {
            Origin::Sync { member, number, .. } => format!("{SYNC}{},src:{number:06}", self.members[member]),
            Origin::Team { member, number, maker } => {
                format!("{TEAM}{},src:{number:06},op:{}", self.members[member], maker.name())
            }
            _ => origin.maker().name().to_owned(),
        }
    }

    /// Makes files and store agree.
    fn reconcile(&mut self, program: &Program, left: &mut Left) -> Result<(), ExploreError> {
        let mut names: FxHashSet<PathBuf> = FxHashSet::default();
        let mut replaced = Vec::new();
        for record in &left.history.records {
            let Some(kept) = &record.kept else { continue };
            self.tests.insert(content(&record.input), kept.number);
            let maker = kept.name.rsplit_once(",op:").map_or(record.maker.as_str(), |(_, maker)| maker);
            self.n_by_maker.add(Maker::from_text(maker), 1);
            left.numbers.insert(kept.number);
            self.next_test = self.next_test.max(kept.number + 1);
            let path = Path::new(QUEUE).join(&kept.name);
            if !self.folder.has(&path, &record.input) {
                replaced.extend(self.folder.read(&path, &program.layout));
                self.folder.write(&path, &record.input)?;
            }
            names.insert(path);
        }
        for finding in &left.history.findings {
            let path = PathBuf::from(&finding.path);
            if !self.folder.has(&path, &finding.input) {
                self.folder.write(&path, &finding.input)?;
            }
            names.insert(path);
        }
        for input in replaced {
            // Half of a test is not worth much, but may be somebody's.
            self.take_in(&input, None, left);
        }
        for folder in [QUEUE, CRASHES, HANGS] {
            self.take_in_files(Path::new(folder), &names, program, left)?;
        }
        self.commit()
    }

    /// Takes in the files of a folder that nobody knows.
    fn take_in_files(
        &mut self,
        folder: &Path,
        names: &FxHashSet<PathBuf>,
        program: &Program,
        left: &mut Left,
    ) -> Result<(), ExploreError> {
        let unreadable = |path: &Path, error: io::Error| ExploreError::Read { path: path.to_owned(), error };
        let whole = self.folder.path().join(folder);
        for file in tests(&whole).map_err(|error| unreadable(&whole, error))? {
            let Some(name) = file.file_name() else { continue };
            let path = folder.join(name);
            if names.contains(&path) {
                continue;
            }
            let input = match self.folder.read(&path, &program.layout) {
                Ok(input) if input.len() as u64 <= program.input_bytes_max => input,
                Ok(input) => {
                    left.notes.push(format!("{} is left out: it has {} bytes", path.display(), input.len()));
                    continue;
                }
                Err(error) => return Err(unreadable(&path, error)),
            };
            if folder == Path::new(QUEUE) {
                self.take_in(&input, Some(name.to_string_lossy().into_owned()), left);
            } else {
                self.unclaimed.insert(content(&input), path);
                self.take_in(&input, None, left);
            }
        }
        Ok(())
    }

    /// Takes in an input that somebody else made, as a test if it has a file.
    fn take_in(&mut self, input: &Input, name: Option<String>, left: &mut Left) {
        let id = content(input);
        let is_new = self.known.insert(id);
        let maker = Maker::Earlier.name().to_owned();
        let mut record = Record {
            id,
            input: input.clone(),
            maker: maker.clone(),
            parent: None,
            bound: 0,
            aim: None,
            state: State::Waiting,
            kept: None,
        };
        if is_new {
            self.step.push(Change::Made(record.clone()));
        }
        if let (Some(name), false) = (name, self.tests.contains_key(&id)) {
            let is_free = |number: &u64| left.numbers.insert(*number);
            let number = number(&name).filter(is_free).unwrap_or(self.next_test);
            left.numbers.insert(number);
            self.next_test = self.next_test.max(number + 1);
            self.tests.insert(id, number);
            self.n_by_maker.add(Maker::Earlier, 1);
            let kept = Kept { number, name };
            record.kept = Some(kept.clone());
            self.step.push(Change::Kept { id, input: input.clone(), maker, kept });
        }
        if is_new {
            left.history.records.push(record);
        }
    }
}

fn lock(folder: &Folder) -> Result<Lock, ExploreError> {
    let path = folder.private(LOCK);
    Lock::take(&path).map_err(|error| match error {
        LockError::Held { pid } => ExploreError::InUse { path: folder.path().to_owned(), pid },
        LockError::Io(error) => ExploreError::Write { path, error },
    })
}

fn remove(path: &Path) -> Result<(), ExploreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(ExploreError::Write { path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}

/// The number of the symbolic string that an input is of, by its maker.
pub fn string_of(maker: &str) -> Option<u64> {
    maker.split(',').find_map(|part| part.strip_prefix(STRING)?.parse().ok())
}

/// What the store calls an input: the same bytes are another one in another symbolic string, where other bytes may change.
fn identity(input: &Input, string: Option<u64>) -> InputId {
    let content = content(input);
    let salt = |string: u64| u128::from(hash(&(string, 1))) << 64 | u128::from(hash(&(string, 2)));
    content ^ string.map_or(0, salt)
}

fn identity_of(job: &Job) -> InputId {
    identity(&job.input, job.string.as_ref().map(|string| string.number))
}

/// Two hashes over names and bytes: equal ones are taken for equal inputs.
pub fn content(input: &Input) -> InputId {
    let one = |salt: u64| {
        let mut sum = salt;
        for source in input.sources.iter().filter(|source| !source.bytes.is_empty()) {
            sum = hash(&(sum, &source.name, &source.bytes));
        }
        sum
    };
    u128::from(one(1)) << 64 | u128::from(one(2))
}
