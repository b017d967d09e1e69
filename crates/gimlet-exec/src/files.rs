//! What the target finds as its standard streams, and the files among its input.
//!
//! Standard input is always a seekable regular file, so that the model of
//! `lseek`, `fstat` and `ftell` has one case. All children of a fork server
//! share its offset, so it is rewound before each run. Captured output goes
//! into a file too: a pipe that nobody empties would block the target.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;

use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::{Input, Source, SourceKind};
use tempfile::TempDir;

use crate::confine::private::{is_untouched, mark, remove};
use crate::confine::Private;
use crate::error::ExecError;
use crate::memory::{memory_file, punch_hole};
use crate::touched::Watch;

/// Where the target's output goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Output {
    /// To the driver's own stdout and stderr.
    #[default]
    Inherit,
    /// Both to the driver's stderr: its stdout is for other things.
    Stderr,
    Null,
    /// Into the result of the run.
    Capture,
}

/// Output that was captured.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Captured {
    /// What was written, up to the limit.
    pub bytes: Vec<u8>,
    /// How much was written.
    pub total_len: u64,
}

/// Device and inode: how the runtime recognises a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FileId {
    pub device: u64,
    pub inode: u64,
}

impl FileId {
    fn of(metadata: &fs::Metadata) -> FileId {
        FileId { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// The files of one target.
pub struct Files {
    /// The same file twice: one end that the driver writes, one that the target can only read.
    stdin: File,
    stdin_for_target: File,
    /// The files of the input by the name of their source, each alone in its directory.
    sources: HashMap<String, Place>,
    /// Last parts of their paths, where the caller wants others than ours.
    file_names: Vec<(String, OsString)>,
    /// What a plain run reads its other sources from, by name.
    side_files: HashMap<&'static str, Place>,
    /// Where all these directories are, if not among other temporary ones.
    parent: Option<PathBuf>,
    output: Output,
    captured: Option<[File; 2]>,
}

impl Files {
    /// `file_names` gives the last part of the path for some sources, `parent` the directory for all of them.
    pub fn new(file_names: &[(String, OsString)], output: Output, parent: Option<PathBuf>) -> Result<Files, ExecError> {
        let doing = "making the files of the target";
        let stdin = memory_file(c"stdin").map_err(ExecError::io(doing))?;
        let stdin_for_target =
            File::open(format!("/proc/self/fd/{}", stdin.as_raw_fd())).map_err(ExecError::io(doing))?;
        let captured = match output {
            Output::Capture => Some([
                memory_file(c"stdout").map_err(ExecError::io(doing))?,
                memory_file(c"stderr").map_err(ExecError::io(doing))?,
            ]),
            Output::Inherit | Output::Stderr | Output::Null => None,
        };
        Ok(Files {
            stdin,
            stdin_for_target,
            sources: HashMap::new(),
            file_names: file_names.to_vec(),
            side_files: HashMap::new(),
            parent,
            output,
            captured,
        })
    }

    /// Puts the bytes of an input where the next run finds them, and forgets earlier output.
    pub fn prepare(&mut self, input: &Input) -> Result<(), ExecError> {
        for source in input.sources.iter().filter(|source| is_file(source)) {
            if !self.sources.contains_key(&source.name) {
                let place = Place::new(self.private_dir()?, &self.file_name(source));
                self.sources.insert(source.name.clone(), place);
            }
        }
        self.write(input).map_err(ExecError::io("writing the input"))
    }

    /// Programs look at extensions, so a file keeps its name where it has one.
    fn file_name(&self, source: &Source) -> OsString {
        let wanted = self.file_names.iter().find(|(name, _)| *name == source.name).map(|(_, file_name)| file_name);
        let own = match source.kind {
            SourceKind::Path => Path::new(&source.name).file_name(),
            _ => (source.name != FILE_SOURCE).then_some(OsStr::new(&source.name)),
        };
        wanted.map(OsString::as_os_str).or(own).unwrap_or(OsStr::new("input")).to_os_string()
    }

    fn write(&mut self, input: &Input) -> io::Result<()> {
        let stdin = input.sources.iter().find(|source| source.kind == SourceKind::Stdin);
        overwrite(&self.stdin, stdin.map_or(&[], |source| &source.bytes))?;
        self.stdin_for_target.rewind()?;
        for source in input.sources.iter().filter(|source| is_file(source)) {
            if let Some(place) = self.sources.get_mut(&source.name) {
                place.write(&source.bytes)?;
            }
        }
        for file in self.captured.iter_mut().flatten() {
            file.set_len(0)?;
            file.rewind()?;
        }
        Ok(())
    }

    fn stdin_id(&self) -> Result<FileId, ExecError> {
        let metadata = self.stdin.metadata().map_err(ExecError::io("looking at the target's stdin"))?;
        Ok(FileId::of(&metadata))
    }

    /// Where the file of a source is, for one that is a file.
    pub fn path(&self, source: &Source) -> Option<&Path> {
        self.sources.get(&source.name).filter(|_| is_file(source)).map(|place| place.path.as_path())
    }

    /// How the runtime recognises the file of a source.
    pub fn id(&self, source: &Source) -> Result<FileId, ExecError> {
        match self.path(source) {
            Some(path) => {
                let metadata = fs::metadata(path).map_err(ExecError::io("looking at an input file"))?;
                Ok(FileId::of(&metadata))
            }
            None if source.kind == SourceKind::Stdin => self.stdin_id(),
            None => Ok(FileId::default()),
        }
    }

    /// The arguments with the paths of the input's files in their places.
    pub fn arguments(&self, args: &[OsString], input: &Input) -> Vec<OsString> {
        let files = input.sources.iter().filter(|source| source.kind == SourceKind::File);
        let places: Vec<(String, &Path)> =
            files.filter_map(|source| Some((place(&source.name), self.path(source)?))).collect();
        args.iter().map(|arg| substitute(arg, &places)).collect()
    }

    /// Writes the named sources of an input as the plain twin of a program reads them (`support/symbols.c` of
    /// gimlet-cc): the magic `GIMLETPI`, then for each source u32 lengths of name and bytes, the name, the bytes.
    pub fn write_named(&mut self, input: &Input) -> Result<Option<PathBuf>, ExecError> {
        let mut bytes = b"GIMLETPI".to_vec();
        let named = input.sources.iter().filter(|source| source.kind == SourceKind::Named);
        for source in named {
            bytes.extend_from_slice(&(source.name.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&(source.bytes.len() as u32).to_le_bytes());
            bytes.extend_from_slice(source.name.as_bytes());
            bytes.extend_from_slice(&source.bytes);
        }
        if bytes.len() == b"GIMLETPI".len() {
            return Ok(None);
        }
        self.side_file("named", &bytes).map(Some)
    }

    /// Writes what the plain twin of a program finds at paths of its own and gets from peers (`support/sources.c` of
    /// gimlet-cc): the magic `GIMLETPS`, then for each source u32 kind, port, and lengths of name and bytes, the name,
    /// the bytes. For a path the name is absolute and the bytes are the path of the file that stands for it.
    pub fn write_sources(&mut self, input: &Input, private: Option<&Private>) -> Result<Option<PathBuf>, ExecError> {
        let mut bytes = b"GIMLETPS".to_vec();
        let mut is_empty = true;
        let mut push = |source: &Source, name: &[u8], data: &[u8]| {
            is_empty = false;
            for number in [source.kind as u32, source.port().into(), name.len() as u32, data.len() as u32] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            bytes.extend_from_slice(name);
            bytes.extend_from_slice(data);
        };
        for source in &input.sources {
            match (source.kind, self.path(source)) {
                (SourceKind::Path, Some(path)) => {
                    for name in names_of(Path::new(&source.name), private)? {
                        push(source, name.as_os_str().as_bytes(), path.as_os_str().as_bytes());
                    }
                }
                (SourceKind::Socket, _) => push(source, source.name.as_bytes(), &source.bytes),
                _ => {}
            }
        }
        if is_empty {
            return Ok(None);
        }
        self.side_file("sources", &bytes).map(Some)
    }

    /// A directory that nobody else can look into and that goes away with its value.
    fn private_dir(&self) -> Result<TempDir, ExecError> {
        let mut builder = tempfile::Builder::new();
        let dir = match &self.parent {
            Some(parent) => builder.prefix("gimlet-").tempdir_in(parent),
            None => builder.prefix("gimlet-").tempdir(),
        };
        dir.map_err(ExecError::io("making a temporary directory"))
    }

    /// Writes a file whose path is the same in every run.
    fn side_file(&mut self, name: &'static str, bytes: &[u8]) -> Result<PathBuf, ExecError> {
        let mut place = match self.side_files.remove(name) {
            Some(place) => place,
            None => Place::new(self.private_dir()?, OsStr::new(name)),
        };
        place.write(bytes).map_err(ExecError::io("writing the input"))?;
        let path = place.path.clone();
        self.side_files.insert(name, place);
        Ok(path)
    }

    /// Tells which files of an input somebody opens from now on.
    pub fn watch(&self, input: &Input) -> Watch {
        Watch::new(input.sources.iter().filter_map(|source| Some((source.name.as_str(), self.path(source)?))))
    }

    /// Whether somebody read standard input since it was written.
    pub fn is_stdin_read(&self) -> bool {
        (&self.stdin_for_target).stream_position().is_ok_and(|at| at > 0)
    }

    /// stdin, stdout and stderr for a process.
    pub fn stdio(&self) -> Result<[Stdio; 3], ExecError> {
        let clone = |file: &File| file.try_clone().map(Stdio::from).map_err(ExecError::io("copying a descriptor"));
        let stdin = clone(&self.stdin_for_target)?;
        Ok(match (&self.captured, self.output) {
            (Some([stdout, stderr]), _) => [stdin, clone(stdout)?, clone(stderr)?],
            (None, Output::Null) => [stdin, Stdio::null(), Stdio::null()],
            (None, Output::Stderr) => [stdin, Stdio::from(io::stderr()), Stdio::inherit()],
            (None, _) => [stdin, Stdio::inherit(), Stdio::inherit()],
        })
    }

    /// Gives back the memory of captured output beyond the limit. What cannot be given back is kept.
    pub fn trim(&self, limit: u64) {
        for file in self.captured.iter().flatten() {
            let len = file.metadata().map_or(0, |metadata| metadata.len());
            if len > limit {
                let _ = punch_hole(file, limit, len - limit);
            }
        }
    }

    /// stdout and stderr of the last run, if they are captured.
    pub fn captured(&self, limit: u64) -> Result<Option<[Captured; 2]>, ExecError> {
        let Some([stdout, stderr]) = &self.captured else { return Ok(None) };
        let read = |file| read_captured(file, limit).map_err(ExecError::io("reading captured output"));
        Ok(Some([read(stdout)?, read(stderr)?]))
    }
}

/// Where a file of the input is: alone in a directory, with other content in each run.
struct Place {
    dir: TempDir,
    path: PathBuf,
    /// Kept open: to make a file shorter and write it is much cheaper than to write a new one.
    kept: Option<(File, fs::Metadata)>,
}

impl Place {
    fn new(dir: TempDir, name: &OsStr) -> Place {
        let path = dir.path().join(name);
        Place { dir, path, kept: None }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &self.kept {
            Some((file, made)) if self.is_untouched(made) => overwrite(file, bytes),
            _ => self.make(bytes),
        }
    }

    /// Whether the last run left the file where it was, and put nothing beside it.
    fn is_untouched(&self, made: &fs::Metadata) -> bool {
        let same = |found: fs::Metadata| {
            FileId::of(&found) == FileId::of(made) && found.mode() == made.mode() && found.nlink() == made.nlink()
        };
        is_untouched(self.dir.path()) && fs::symlink_metadata(&self.path).is_ok_and(same)
    }

    fn make(&mut self, bytes: &[u8]) -> io::Result<()> {
        let dir = self.dir.path();
        if !fs::symlink_metadata(dir).is_ok_and(|metadata| metadata.is_dir()) {
            // It may not be there at all.
            let _ = fs::remove_file(dir);
            fs::create_dir(dir)?;
        }
        // What is in a locked directory can't be taken away.
        mark(dir)?;
        for entry in fs::read_dir(dir)? {
            remove(&entry?.path())?;
        }
        let mut file = File::create_new(&self.path)?;
        file.write_all(bytes)?;
        mark(dir)?;
        let made = file.metadata()?;
        self.kept = Some((file, made));
        Ok(())
    }
}

/// Gives a file this content.
fn overwrite(file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all_at(bytes, 0)?;
    // Asked each time: a target can open even its standard input by name and write there.
    if file.metadata()?.len() != bytes.len() as u64 {
        file.set_len(bytes.len() as u64)?;
    }
    Ok(())
}

fn read_captured(file: &File, limit: u64) -> io::Result<Captured> {
    let total_len = file.metadata()?.len();
    let mut bytes = vec![0; total_len.min(limit) as usize];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(Captured { bytes, total_len })
}

fn is_file(source: &Source) -> bool {
    matches!(source.kind, SourceKind::File | SourceKind::Path)
}

/// What stands in an argument for the path of the file with this source's name.
pub fn place(name: &str) -> String {
    if name == FILE_SOURCE {
        "@@".to_string()
    } else {
        format!("@{name}@")
    }
}

/// Whether an argument has a place for this source's file.
pub fn has_place(arg: &OsStr, name: &str) -> bool {
    let place = place(name);
    arg.as_bytes().windows(place.len()).any(|window| window == place.as_bytes())
}

/// The argument with a path in each of its places.
fn substitute(arg: &OsStr, places: &[(String, &Path)]) -> OsString {
    let mut out = Vec::new();
    let mut rest = arg.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        match places.iter().find(|(place, _)| rest.starts_with(place.as_bytes())) {
            Some((place, path)) => {
                out.extend_from_slice(path.as_os_str().as_bytes());
                rest = &rest[place.len()..];
            }
            None => {
                out.push(first);
                rest = after;
            }
        }
    }
    OsString::from_vec(out)
}

/// The absolute paths that the runtime makes of one that the program opens: in a private folder, what is relative to
/// the current directory has another one.
pub fn names_of(path: &Path, private: Option<&Private>) -> Result<Vec<PathBuf>, ExecError> {
    let absolute = absolute(path)?;
    let mirrored = private.map(|private| private.mirrored(&absolute));
    Ok([absolute].into_iter().chain(mirrored).collect())
}

/// A path as the runtime compares paths: absolute, without `.` and `..`, symbolic links left alone.
fn absolute(path: &Path) -> Result<PathBuf, ExecError> {
    let current = std::env::current_dir().map_err(ExecError::io("looking for the current directory"))?;
    let mut out = PathBuf::from("/");
    for component in current.join(path).components() {
        match component {
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => out.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn places() {
        let places = [("@@".to_string(), Path::new("/f")), ("@dict@".to_string(), Path::new("/d"))];
        let check = |arg: &str, expected: &str| assert_eq!(substitute(OsStr::new(arg), &places), *expected);
        check("@@", "/f");
        check("--in=@@,@@!", "--in=/f,/f!");
        check("@", "@");
        check("@@@", "/f@");
        check("@dict@:@@:@other@", "/d:/f:@other@");
        assert!(has_place(OsStr::new("x@@"), FILE_SOURCE) && has_place(OsStr::new("-d@dict@"), "dict"));
        assert!(!has_place(OsStr::new("a@"), FILE_SOURCE) && !has_place(OsStr::new("@@"), "dict"));
    }

    #[test]
    fn paths_are_made_absolute() {
        assert_eq!(absolute(Path::new("/a//b/../c/./d")).unwrap(), Path::new("/a/c/d"));
        assert_eq!(absolute(Path::new("x/../y")).unwrap(), std::env::current_dir().unwrap().join("y"));
    }

    #[test]
    fn what_a_run_did_to_its_file_is_undone() {
        let mut files = Files::new(&[], Output::Null, None).unwrap();
        let mut write = |bytes: &str| {
            let mut input = Input::default();
            input.push(SourceKind::File, "file", bytes);
            files.prepare(&input).unwrap();
            let path = PathBuf::from(files.arguments(&["@@".into()], &input).remove(0));
            assert_eq!(fs::read(&path).unwrap(), bytes.as_bytes());
            let names: Vec<OsString> =
                fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names, ["input"]);
            path
        };
        let path = write("first, and long");
        let inode = |path: &Path| fs::metadata(path).unwrap().ino();
        let first = inode(&path);
        write("short");
        assert_eq!(inode(&write("longer again")), first);
        fs::write(&path, "changed by the target, and longer").unwrap();
        write("new");
        fs::write(path.with_file_name("beside"), "x").unwrap();
        write("alone");
        fs::remove_file(&path).unwrap();
        write("removed");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        write("no directory");
        fs::rename(&path, path.with_file_name("away")).unwrap();
        write("moved");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert_ne!(fs::metadata(write("unlocked")).unwrap().mode() & 0o200, 0);
        fs::hard_link(&path, path.parent().unwrap().with_extension("link")).unwrap();
        write("one link");
        assert_eq!(fs::read(path.parent().unwrap().with_extension("link")).unwrap(), b"unlocked");
        fs::remove_file(path.parent().unwrap().with_extension("link")).unwrap();
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
        write("directory gone");
    }

    #[test]
    fn the_directory_goes_away() {
        let names = [("file".to_string(), OsString::from("a.png"))];
        let mut files = Files::new(&names, Output::Capture, None).unwrap();
        let mut input = Input::stdin("abc");
        input.push(SourceKind::File, "file", "def");
        input.push(SourceKind::Path, "conf/b.ini", "ghi");
        files.prepare(&input).unwrap();
        let path = files.arguments(&["@@".into()], &input).remove(0);
        assert_eq!(fs::read(&path).unwrap(), b"def");
        assert_eq!(Path::new(&path).file_name(), Some(OsStr::new("a.png")));
        assert_eq!(files.path(&input.sources[2]).unwrap().file_name(), Some(OsStr::new("b.ini")));
        assert_ne!(files.id(&input.sources[0]).unwrap(), files.id(&input.sources[1]).unwrap());
        assert_eq!(files.captured(10).unwrap(), Some([Captured::default(), Captured::default()]));
        drop(files);
        assert!(!Path::new(&path).exists());
        assert!(!Path::new(&path).parent().unwrap().exists());
    }
}
