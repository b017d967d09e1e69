//! Tests as files, in AFL++'s layout.
//!
//! ```text
//! OUT/queue/id:000001,src:000000,time:7,execs:3,op:flip    one file for each test ...
//! OUT/queue/id:000002,.../                                 ... or a folder, if it has several sources: a file for each
//! OUT/crashes/..., OUT/hangs/...                           the same for findings
//! OUT/fuzzer_stats, OUT/plot_data                          what AFL++'s tools read
//! OUT/gimlet.json                                          the command, and which sources there are
//! OUT/.gimlet/                                             the store, and files on their way
//! ```
//!
//! A file is written under another name and renamed, so that nobody ever sees half of it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use gimlet_trace::{Input, Source, SourceKind};

use crate::error::ExploreError;

pub const QUEUE: &str = "queue";
pub const CRASHES: &str = "crashes";
pub const HANGS: &str = "hangs";
pub const MANIFEST: &str = "gimlet.json";
/// Gimlet's own.
pub const PRIVATE: &str = ".gimlet";
const UNFINISHED: &str = "unfinished";

/// An error if a path that is to be a folder is something else, or below something else.
pub fn check_folder(path: &Path) -> Result<(), ExploreError> {
    match path.ancestors().find(|it| it.exists() && !it.as_os_str().is_empty()) {
        Some(it) if !it.is_dir() => {
            let message = format!("{} is a file, not a folder", it.display());
            Err(ExploreError::refused(message, "name another folder"))
        }
        _ => Ok(()),
    }
}

/// The folder of results.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// The source that a test with a single file is for.
    primary: String,
}

impl Folder {
    /// Makes the folders that are missing, and removes what was not finished.
    pub fn new(path: &Path, primary: &str) -> Result<Folder, ExploreError> {
        let folder = Folder { path: path.to_owned(), primary: primary.to_owned() };
        for name in [QUEUE, CRASHES, HANGS, PRIVATE] {
            let path = path.join(name);
            fs::create_dir_all(&path).map_err(|error| ExploreError::Write { path, error })?;
        }
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if there are tests or findings.
    pub fn is_occupied(path: &Path) -> bool {
        [QUEUE, CRASHES, HANGS].iter().any(|name| tests(&path.join(name)).is_ok_and(|tests| !tests.is_empty()))
    }

    /// True if there is something, and nothing of it says that it is a folder of results.
    pub fn is_somebody_elses(path: &Path) -> bool {
        let is_hidden = |name: &OsString| name.to_string_lossy().starts_with('.');
        let has_others = || file_names(path).is_ok_and(|names| names.iter().any(|name| !is_hidden(name)));
        ![MANIFEST, PRIVATE].iter().any(|name| path.join(name).exists()) && has_others()
    }

    /// The path of a file that is Gimlet's own.
    pub fn private(&self, name: &str) -> PathBuf {
        self.path.join(PRIVATE).join(name)
    }

    /// Writes an input to a path below the folder, in place of what is there.
    pub fn write(&self, path: &Path, input: &Input) -> Result<(), ExploreError> {
        let unfinished = self.private(UNFINISHED);
        let path = self.path.join(path);
        let written = || {
            remove(&unfinished)?;
            write(&unfinished, input, &self.primary)?;
            // A file takes the place of a file; a folder wants it to be free.
            if path.is_dir() || unfinished.is_dir() {
                remove(&path)?;
            }
            fs::rename(&unfinished, &path)
        };
        written().map_err(|error| self.failed(&path, error)).inspect_err(|_| drop(remove(&unfinished)))
    }

    /// Replaces a file of text.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), ExploreError> {
        let unfinished = self.private(UNFINISHED);
        let path = self.path.join(name);
        let written = || {
            remove(&unfinished)?;
            fs::write(&unfinished, text)?;
            fs::rename(&unfinished, &path)
        };
        written().map_err(|error| self.failed(&path, error)).inspect_err(|_| drop(remove(&unfinished)))
    }

    /// Adds to a file of text, all or nothing.
    pub fn append(&self, name: &str, text: &str) -> Result<(), ExploreError> {
        let path = self.path.join(name);
        let written = || {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            let len = file.metadata()?.len();
            file.write_all(text.as_bytes()).inspect_err(|_| drop(file.set_len(len)))
        };
        written().map_err(|error| self.failed(&path, error))
    }

    /// Whether a test is there as it should be.
    pub fn has(&self, path: &Path, input: &Input) -> bool {
        let path = self.path.join(path);
        match single(input, &self.primary) {
            Some(bytes) => fs::read(path).is_ok_and(|found| found == bytes),
            None => {
                let is_there =
                    |source: &Source| fs::read(path.join(file_name(&source.name))).is_ok_and(|it| it == source.bytes);
                worth_files(input).all(is_there)
            }
        }
    }

    /// Reads a test; `layout` has the sources that the program is given.
    pub fn read(&self, path: &Path, layout: &Input) -> io::Result<Input> {
        read(&self.path.join(path), layout, &self.primary)
    }

    fn failed(&self, path: &Path, error: io::Error) -> ExploreError {
        ExploreError::Write { path: path.to_owned(), error }
    }
}

/// Writes an input: a file, or a folder if it has several sources. What else is in that folder stays.
fn write(path: &Path, input: &Input, primary: &str) -> io::Result<()> {
    match single(input, primary) {
        Some(bytes) => fs::write(path, bytes),
        None => write_sources(path, worth_files(input)),
    }
}

/// Writes a folder with a file for each source.
pub fn write_sources<'a>(path: &Path, sources: impl IntoIterator<Item = &'a Source>) -> io::Result<()> {
    fs::create_dir_all(path)?;
    sources.into_iter().try_for_each(|source| fs::write(path.join(file_name(&source.name)), &source.bytes))
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Lengths of stretches are those of the sources that have them.
fn worth_files(input: &Input) -> impl Iterator<Item = &Source> {
    input.sources.iter().filter(|source| source.kind != SourceKind::Length)
}

/// The bytes of an input that has but one source worth a file.
fn single<'a>(input: &'a Input, primary: &str) -> Option<&'a [u8]> {
    let mut others = worth_files(input).filter(|source| source.name != primary);
    if others.any(|source| !source.bytes.is_empty()) {
        return None;
    }
    Some(input.source(primary).map_or(&[], |source| &source.bytes))
}

/// Names of sources can be paths.
fn file_name(name: &str) -> String {
    name.replace('%', "%25").replace('/', "%2f").replace('\0', "%00")
}

fn source_name(file: &str) -> String {
    file.replace("%00", "\0").replace("%2f", "/").replace("%25", "%")
}

/// Reads a test back: a file or a folder. `layout` has the sources that the program is given.
pub fn read(path: &Path, layout: &Input, primary: &str) -> io::Result<Input> {
    read_within(path, layout, primary, u64::MAX)
}

/// The same for what somebody else wrote: what has more bytes is an error before it fills the memory, and so is what is no
/// file, because to read it could take forever.
pub fn read_within(path: &Path, layout: &Input, primary: &str, n_bytes_max: u64) -> io::Result<Input> {
    let mut input = layout.clone();
    if !path.is_dir() {
        set(&mut input, primary, read_file(path, n_bytes_max)?);
        return Ok(input);
    }
    let mut n_bytes_left = n_bytes_max;
    for name in file_names(path)? {
        let bytes = read_file(&path.join(&name), n_bytes_left)?;
        n_bytes_left -= bytes.len() as u64;
        set(&mut input, &source_name(&name.to_string_lossy()), bytes);
    }
    Ok(input)
}

/// Names of the sources that a test in a folder has.
pub fn source_names(path: &Path) -> io::Result<Vec<String>> {
    Ok(file_names(path)?.iter().map(|name| source_name(&name.to_string_lossy())).collect())
}

fn file_names(path: &Path) -> io::Result<Vec<OsString>> {
    let mut names: Vec<_> =
        fs::read_dir(path)?.map(|entry| entry.map(|it| it.file_name())).collect::<Result<_, _>>()?;
    names.sort();
    Ok(names)
}

fn read_file(path: &Path, n_bytes_max: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let too_large = |n_bytes: u64| {
        let message = format!("it has {n_bytes} bytes, the limit is {n_bytes_max}");
        io::Error::new(io::ErrorKind::InvalidData, message)
    };
    if metadata.len() > n_bytes_max {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // Somebody may be writing to it.
    File::open(path)?.take(n_bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        n_bytes if n_bytes > n_bytes_max => Err(too_large(n_bytes)),
        _ => Ok(bytes),
    }
}

/// A source that the program is not given is one that it asks for by name.
fn set(input: &mut Input, name: &str, bytes: Vec<u8>) {
    match input.sources.iter_mut().find(|source| source.name == name) {
        Some(source) => source.bytes = bytes,
        None => input.sources.push(Source { kind: SourceKind::Named, name: name.to_owned(), bytes }),
    }
}

/// Tests below a folder, by name.
pub fn tests(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')));
    paths.sort();
    Ok(paths)
}

/// The number in a name of AFL++'s kind.
pub fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("id:")?;
    let end = digits.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn tests_survive_being_written_and_read() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(scratch.path(), "stdin").unwrap();
        let single = Input::stdin("ab");
        let mut several = Input::stdin("ab");
        several.push(SourceKind::Path, "/etc/x%y", "cd");
        let path = Path::new(QUEUE).join("id:000000");
        for input in [&single, &several, &single] {
            folder.write(&path, input).unwrap();
            let mut layout = input.clone();
            layout.sources.iter_mut().for_each(|source| source.bytes.clear());
            assert_eq!(folder.read(&path, &layout).unwrap(), *input);
            assert!(folder.has(&path, input));
        }
        assert!(!folder.has(&path, &several));
        assert_eq!(tests(&scratch.path().join(QUEUE)).unwrap().len(), 1);
    }

    #[test]
    fn names_in_folders_do_not_matter_to_empty_sources() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(scratch.path(), "stdin").unwrap();
        let mut input = Input::stdin("");
        input.push(SourceKind::Named, "x", "1234");
        let path = Path::new(QUEUE).join("id:000000");
        folder.write(&path, &input).unwrap();
        assert_eq!(folder.read(&path, &Input::stdin("")).unwrap(), input);
    }

    #[test]
    fn names_have_numbers() {
        assert_eq!(number("id:000012,src:000003,op:flip"), Some(12));
        assert_eq!(number("id:1234567"), Some(1234567));
        assert_eq!(number("seed"), None);
        assert_eq!(number("id:"), None);
    }
}
