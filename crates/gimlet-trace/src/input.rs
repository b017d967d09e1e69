//! An input: the named sources of bytes that a run reads.
//!
//! Sources can grow on demand: a program that asks for bytes which the input
//! does not have (`gimlet_symbolic` on a new name, a further
//! `__VERIFIER_nondet_int()`) gets the value that its memory holds, and the run
//! gives back an input that has been completed with it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::container::{Reader, Writer};
use crate::TraceError;

/// Where the program finds the bytes of a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum SourceKind {
    /// Standard input.
    Stdin = 1,
    /// A file, whose path stands in the arguments: for `@@` if the source is named [`FILE_SOURCE`], else for `@NAME@`.
    File = 2,
    /// A command-line argument; the source is named `argN`.
    Arg = 3,
    /// Memory that the program itself makes symbolic, by name.
    Named = 4,
    /// The argument of `LLVMFuzzerTestOneInput`.
    Fuzz = 5,
    /// A file that the program opens by a path of its own; the source is named by that path.
    Path = 6,
    /// The value of an environment variable; the source is named `$NAME`.
    Env = 7,
    /// What a peer sends: the source is named `socketN`, or `socketN:PORT` if it is for one port only.
    Socket = 8,
    /// How long a part of another source is ([`crate::stretch`]); the program is not given it.
    Length = 9,
}

impl SourceKind {
    /// The kind with this code.
    pub const fn from_code(code: u32) -> Option<SourceKind> {
        match code {
            1 => Some(SourceKind::Stdin),
            2 => Some(SourceKind::File),
            3 => Some(SourceKind::Arg),
            4 => Some(SourceKind::Named),
            5 => Some(SourceKind::Fuzz),
            6 => Some(SourceKind::Path),
            7 => Some(SourceKind::Env),
            8 => Some(SourceKind::Socket),
            9 => Some(SourceKind::Length),
            _ => None,
        }
    }

    /// The name that programs read.
    pub const fn text(self) -> &'static str {
        match self {
            SourceKind::Stdin => "stdin",
            SourceKind::File => "file",
            SourceKind::Arg => "arg",
            SourceKind::Named => "named",
            SourceKind::Fuzz => "fuzz",
            SourceKind::Path => "path",
            SourceKind::Env => "env",
            SourceKind::Socket => "socket",
            SourceKind::Length => "length",
        }
    }
}

/// The file that stands for `@@`.
pub const FILE_SOURCE: &str = "file";

/// The source from which `__VERIFIER_nondet_*` take their bytes, in call order.
pub const NONDET_SOURCE: &str = "nondet";

/// The source of what the function that the driver named returned, in order; no run is given any of it.
pub const TOKEN_SOURCE: &str = "tokens";

/// One named sequence of bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    pub name: String,
    pub kind: SourceKind,
    pub bytes: Vec<u8>,
}

impl Source {
    /// Position in argv of the argument that it stands for.
    pub fn argument_index(&self) -> Option<u32> {
        match self.kind {
            SourceKind::Arg => self.name.strip_prefix("arg")?.parse().ok().filter(|&index| index > 0),
            _ => None,
        }
    }

    /// The environment variable whose value it is.
    pub fn variable(&self) -> Option<&str> {
        match self.kind {
            SourceKind::Env => self.name.strip_prefix('$'),
            _ => None,
        }
    }

    /// The port that it is for; 0 for any.
    pub fn port(&self) -> u16 {
        match (self.kind, self.name.split_once(':')) {
            (SourceKind::Socket, Some((_, port))) => port.parse().unwrap_or(0),
            _ => 0,
        }
    }
}

/// Everything that a run reads and that may be changed.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Input {
    pub sources: Vec<Source>,
}

impl Input {
    /// An input of one source, standard input.
    pub fn stdin(bytes: impl Into<Vec<u8>>) -> Input {
        let mut input = Input::default();
        input.push(SourceKind::Stdin, "stdin", bytes);
        input
    }

    /// Adds a source at the end.
    pub fn push(&mut self, kind: SourceKind, name: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.sources.push(Source { name: name.into(), kind, bytes: bytes.into() });
    }

    /// The source with this name.
    pub fn source(&self, name: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.name == name)
    }

    /// Number of bytes in all sources.
    pub fn len(&self) -> usize {
        self.sources.iter().map(|source| source.bytes.len()).sum()
    }

    /// True if no source has a byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn write(&self, out: &mut Writer) {
        out.u32(self.sources.len() as u32);
        for source in &self.sources {
            out.u32(source.kind as u32);
            out.text(&source.name);
            out.blob(&source.bytes);
        }
    }

    pub fn read(from: &mut Reader) -> Result<Input, TraceError> {
        let mut input = Input::default();
        for _ in 0..from.u32()? {
            let kind = SourceKind::from_code(from.u32()?).ok_or(TraceError::Corrupt("source kind"))?;
            let name = from.text()?;
            input.push(kind, name, from.blob()?.to_vec());
        }
        Ok(input)
    }
}
