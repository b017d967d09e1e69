//! What the target finds as its standard streams, and the file that stands for `@@`.
//!
//! Standard input is always a seekable regular file, so that the model of
//! `lseek`, `fstat` and `ftell` has one case. All children of a fork server
//! share its offset, so it is rewound before each run. Captured output goes
//! into a file too: a pipe that nobody empties would block the target.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use gimlet_trace::{Input, SourceKind};
use tempfile::TempDir;

use crate::error::ExecError;
use crate::memory::{memory_file, punch_hole};

/// What stands in an argument for the path of the input file.
const PLACE: &[u8] = b"@@";

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
    /// The file for `@@`, alone in its directory.
    place: Option<(TempDir, PathBuf)>,
    /// Directory of the file with the named sources, for a plain run.
    named: Option<TempDir>,
    output: Output,
    captured: Option<[File; 2]>,
}

impl Files {
    /// `file_name` is the last part of the path that stands for `@@`; without it there is no such file.
    pub fn new(file_name: Option<&OsStr>, output: Output) -> Result<Files, ExecError> {
        let doing = "making the files of the target";
        let stdin = memory_file(c"stdin").map_err(ExecError::io(doing))?;
        let stdin_for_target =
            File::open(format!("/proc/self/fd/{}", stdin.as_raw_fd())).map_err(ExecError::io(doing))?;
        let place = match file_name {
            None => None,
            Some(name) => {
                let dir = private_dir()?;
                let path = dir.path().join(name);
                Some((dir, path))
            }
        };
        let captured = match output {
            Output::Capture => Some([
                memory_file(c"stdout").map_err(ExecError::io(doing))?,
                memory_file(c"stderr").map_err(ExecError::io(doing))?,
            ]),
            Output::Inherit | Output::Stderr | Output::Null => None,
        };
        Ok(Files { stdin, stdin_for_target, place, named: None, output, captured })
    }

    /// Puts the bytes of an input where the next run finds them, and forgets earlier output.
    pub fn prepare(&mut self, input: &Input) -> Result<(), ExecError> {
        self.write(input).map_err(ExecError::io("writing the input"))
    }

    fn write(&mut self, input: &Input) -> io::Result<()> {
        let bytes = |kind| source_of(input, kind).unwrap_or(&[]);
        self.stdin.set_len(0)?;
        self.stdin.write_all_at(bytes(SourceKind::Stdin), 0)?;
        self.stdin_for_target.rewind()?;
        if let Some((_, path)) = &self.place {
            // By name each time: the last run may have replaced or removed it.
            fs::write(path, bytes(SourceKind::File))?;
        }
        for file in self.captured.iter_mut().flatten() {
            file.set_len(0)?;
            file.rewind()?;
        }
        Ok(())
    }

    pub fn stdin_id(&self) -> Result<FileId, ExecError> {
        let metadata = self.stdin.metadata().map_err(ExecError::io("looking at the target's stdin"))?;
        Ok(FileId::of(&metadata))
    }

    /// `None` if no argument is `@@`.
    pub fn place_id(&self) -> Result<Option<FileId>, ExecError> {
        let Some((_, path)) = &self.place else { return Ok(None) };
        let metadata = fs::metadata(path).map_err(ExecError::io("looking at the input file"))?;
        Ok(Some(FileId::of(&metadata)))
    }

    /// The arguments with the file's path in place of `@@`.
    pub fn arguments(&self, args: &[OsString]) -> Vec<OsString> {
        let Some((_, path)) = &self.place else { return args.to_vec() };
        args.iter().map(|arg| substitute(arg, path)).collect()
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
        let dir = private_dir()?;
        let path = dir.path().join("named");
        fs::write(&path, bytes).map_err(ExecError::io("writing the input"))?;
        self.named = Some(dir);
        Ok(Some(path))
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

/// A directory that nobody else can look into and that goes away with its value.
fn private_dir() -> Result<TempDir, ExecError> {
    tempfile::Builder::new().prefix("gimlet-").tempdir().map_err(ExecError::io("making a temporary directory"))
}

fn read_captured(file: &File, limit: u64) -> io::Result<Captured> {
    let total_len = file.metadata()?.len();
    let mut bytes = vec![0; total_len.min(limit) as usize];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(Captured { bytes, total_len })
}

/// The bytes of the source of this kind.
pub fn source_of(input: &Input, kind: SourceKind) -> Option<&[u8]> {
    input.sources.iter().find(|source| source.kind == kind).map(|source| source.bytes.as_slice())
}

/// Whether one of the arguments has a place for the input file.
pub fn has_place(args: &[OsString]) -> bool {
    args.iter().any(|arg| arg.as_bytes().windows(PLACE.len()).any(|window| window == PLACE))
}

fn substitute(arg: &OsStr, path: &Path) -> OsString {
    let mut out = Vec::new();
    let mut rest = arg.as_bytes();
    while let Some(at) = rest.windows(PLACE.len()).position(|window| window == PLACE) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(path.as_os_str().as_bytes());
        rest = &rest[at + PLACE.len()..];
    }
    out.extend_from_slice(rest);
    OsString::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let check = |arg: &str, expected: &str| assert_eq!(substitute(OsStr::new(arg), Path::new("/f")), *expected);
        check("@@", "/f");
        check("--in=@@,@@!", "--in=/f,/f!");
        check("@", "@");
        check("@@@", "/f@");
        assert!(has_place(&["a".into(), "x@@".into()]));
        assert!(!has_place(&["a@".into(), "@".into()]));
    }

    #[test]
    fn the_directory_goes_away() {
        let mut files = Files::new(Some(OsStr::new("input")), Output::Capture).unwrap();
        let mut input = Input::stdin("abc");
        input.push(SourceKind::File, "file", "def");
        files.prepare(&input).unwrap();
        let path = files.arguments(&["@@".into()]).remove(0);
        assert_eq!(fs::read(&path).unwrap(), b"def");
        assert_ne!(files.place_id().unwrap(), Some(files.stdin_id().unwrap()));
        assert_eq!(files.captured(10).unwrap(), Some([Captured::default(), Captured::default()]));
        drop(files);
        assert!(!Path::new(&path).exists());
        assert!(!Path::new(&path).parent().unwrap().exists());
    }
}
