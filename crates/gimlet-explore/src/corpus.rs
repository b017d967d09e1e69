//! Tests on disk, in AFL++'s layout.
//!
//! ```text
//! OUT/queue/id:000000,src:000000,op:seed     one file for each test ...
//! OUT/queue/id:000001,src:000000,op:flip/    ... or a folder, if it has several sources: a file for each
//! OUT/crashes/..., OUT/hangs/...             the same for findings
//! OUT/gimlet.json                            the command, and which sources there are
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gimlet_trace::{Input, Source, SourceKind};
use rustc_hash::FxHashSet;

use crate::error::ExploreError;
use crate::walk::hash;

pub const QUEUE: &str = "queue";
pub const CRASHES: &str = "crashes";
pub const HANGS: &str = "hangs";
pub const MANIFEST: &str = "gimlet.json";

/// The folder of tests, and which inputs have been made.
pub struct Corpus {
    folder: PathBuf,
    /// Hashes of inputs.
    known: FxHashSet<u128>,
    n_tests: usize,
    /// The source that a test with a single file is for.
    primary: String,
}

impl Corpus {
    /// Makes the folders; an earlier run's results are not touched.
    pub fn new(folder: &Path, primary: &str) -> Result<Corpus, ExploreError> {
        let occupied = [QUEUE, CRASHES, HANGS]
            .iter()
            .any(|name| fs::read_dir(folder.join(name)).is_ok_and(|mut entries| entries.next().is_some()));
        if occupied {
            return Err(ExploreError::Occupied(folder.to_owned()));
        }
        for name in [QUEUE, CRASHES, HANGS] {
            let path = folder.join(name);
            fs::create_dir_all(&path).map_err(|error| ExploreError::Write { path, error })?;
        }
        Ok(Corpus { folder: folder.to_owned(), known: FxHashSet::default(), n_tests: 0, primary: primary.to_owned() })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn n_tests(&self) -> usize {
        self.n_tests
    }

    /// True if this input has not been here before.
    pub fn is_new(&mut self, input: &Input) -> bool {
        self.known.insert(content(input))
    }

    /// Keeps a test; returns its path below the folder.
    pub fn keep(&mut self, input: &Input, parent: Option<usize>, made_by: &str) -> Result<PathBuf, ExploreError> {
        let name = format!("id:{:06},src:{:06},op:{made_by}", self.n_tests, parent.unwrap_or(0));
        self.n_tests += 1;
        let path = Path::new(QUEUE).join(name);
        self.write(&path, input)?;
        Ok(path)
    }

    /// Writes an input to a path below the folder, in place of what is there.
    pub fn write(&self, path: &Path, input: &Input) -> Result<(), ExploreError> {
        let path = self.folder.join(path);
        let failed = |error: io::Error| ExploreError::Write { path: path.clone(), error };
        match single(input, &self.primary) {
            Some(bytes) => {
                if path.is_dir() {
                    fs::remove_dir_all(&path).map_err(failed)?;
                }
                fs::write(&path, bytes).map_err(failed)
            }
            None => {
                if path.is_file() {
                    fs::remove_file(&path).map_err(failed)?;
                }
                fs::create_dir_all(&path).map_err(failed)?;
                for source in &input.sources {
                    fs::write(path.join(file_name(&source.name)), &source.bytes).map_err(failed)?;
                }
                Ok(())
            }
        }
    }
}

/// The bytes of an input that has but one source worth a file.
fn single<'a>(input: &'a Input, primary: &str) -> Option<&'a [u8]> {
    let mut others = input.sources.iter().filter(|source| source.name != primary);
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
    let mut input = layout.clone();
    if !path.is_dir() {
        set(&mut input, primary, fs::read(path)?);
        return Ok(input);
    }
    let mut entries: Vec<_> = fs::read_dir(path)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let name = source_name(&entry.file_name().to_string_lossy());
        set(&mut input, &name, fs::read(entry.path())?);
    }
    Ok(input)
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

/// Two hashes over names and bytes: equal ones are taken for equal inputs.
fn content(input: &Input) -> u128 {
    let one = |salt: u64| {
        let mut sum = salt;
        for source in input.sources.iter().filter(|source| !source.bytes.is_empty()) {
            sum = hash(&(sum, &source.name, &source.bytes));
        }
        sum
    };
    u128::from(one(1)) << 64 | u128::from(one(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(folder: &Path) -> Corpus {
        Corpus::new(folder, "stdin").unwrap()
    }

    #[test]
    fn tests_survive_being_written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut corpus = corpus(folder.path());
        let single = Input::stdin("ab");
        let mut several = Input::stdin("ab");
        several.push(SourceKind::Path, "/etc/x%y", "cd");
        for input in [&single, &several] {
            assert!(corpus.is_new(input));
            assert!(!corpus.is_new(input));
            let path = folder.path().join(corpus.keep(input, None, "seed").unwrap());
            let mut layout = input.clone();
            layout.sources.iter_mut().for_each(|source| source.bytes.clear());
            assert_eq!(read(&path, &layout, "stdin").unwrap(), *input);
        }
        assert_eq!(tests(&folder.path().join(QUEUE)).unwrap().len(), 2);
        assert!(matches!(Corpus::new(folder.path(), "stdin"), Err(ExploreError::Occupied(_))));
    }

    #[test]
    fn names_in_folders_do_not_matter_to_empty_sources() {
        let folder = tempfile::tempdir().unwrap();
        let mut corpus = corpus(folder.path());
        let mut input = Input::stdin("");
        input.push(SourceKind::Named, "x", "1234");
        let path = folder.path().join(corpus.keep(&input, None, "flip").unwrap());
        assert_eq!(read(&path, &Input::stdin(""), "stdin").unwrap(), input);
    }
}
