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
    /// A file, whose path stands for `@@` in the arguments.
    File = 2,
    /// A command-line argument; the source is named `argN`.
    Arg = 3,
    /// Memory that the program itself makes symbolic, by name.
    Named = 4,
    /// The argument of `LLVMFuzzerTestOneInput`.
    Fuzz = 5,
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
            _ => None,
        }
    }
}

/// The source from which `__VERIFIER_nondet_*` take their bytes, in call order.
pub const NONDET_SOURCE: &str = "nondet";

/// One named sequence of bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    pub name: String,
    pub kind: SourceKind,
    pub bytes: Vec<u8>,
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

    pub(crate) fn write(&self, out: &mut Writer) {
        out.u32(self.sources.len() as u32);
        for source in &self.sources {
            out.u32(source.kind as u32);
            out.text(&source.name);
            out.blob(&source.bytes);
        }
    }

    pub(crate) fn read(from: &mut Reader) -> Result<Input, TraceError> {
        let mut input = Input::default();
        for _ in 0..from.u32()? {
            let kind = SourceKind::from_code(from.u32()?).ok_or(TraceError::Corrupt("source kind"))?;
            let name = from.text()?;
            input.push(kind, name, from.blob()?.to_vec());
        }
        Ok(input)
    }
}
