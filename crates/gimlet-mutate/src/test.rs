//! A test as LibAFL's mutators see it: the bytes of one of its sources.

use std::vec::Splice;

use gimlet_trace::{Input, Source, SourceKind};
use libafl::inputs::{HasMutatorBytes, ResizableMutator};
use libafl_bolts::HasLen;
use serde::{Deserialize, Serialize};

/// All sources; mutators work on the chosen one.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct Test {
    parts: Vec<Part>,
    chosen: usize,
}

#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
struct Part {
    name: String,
    kind: u32,
    bytes: Vec<u8>,
    /// How many bytes there are is the program's decision: memory that it makes symbolic. Strings it makes are no such part.
    has_fixed_len: bool,
}

impl Test {
    pub fn new(input: &Input) -> Test {
        let stretches = input.stretches();
        let part = |(number, source): (usize, &Source)| Part {
            name: source.name.clone(),
            kind: source.kind as u32,
            bytes: source.bytes.clone(),
            has_fixed_len: source.kind == SourceKind::Named
                && !stretches.iter().any(|stretch| stretch.source == number),
        };
        // Mutants are no repetitions any more.
        let sources = input.sources.iter().enumerate().filter(|(_, source)| source.kind != SourceKind::Length);
        Test { parts: sources.map(part).collect(), chosen: 0 }
    }

    pub fn input(&self) -> Input {
        let source = |part: &Part| {
            let kind = SourceKind::from_code(part.kind)?;
            Some(Source { kind, name: part.name.clone(), bytes: part.bytes.clone() })
        };
        Input { sources: self.parts.iter().filter_map(source).collect() }
    }

    /// Numbers of the sources that have bytes.
    pub fn filled(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts.iter().enumerate().filter(|(_, part)| !part.bytes.is_empty()).map(|(number, _)| number)
    }

    pub fn n_sources(&self) -> usize {
        self.parts.len()
    }

    /// What mutators work on from now on.
    pub fn choose(&mut self, number: usize) {
        self.chosen = number.min(self.parts.len().saturating_sub(1));
    }

    /// The same by name; `None` if there is no such source.
    pub fn choose_named(&mut self, name: &str) -> Option<()> {
        self.chosen = self.parts.iter().position(|part| part.name == name)?;
        Some(())
    }

    /// The name of what mutators work on.
    pub fn chosen_name(&self) -> Option<&str> {
        self.parts.get(self.chosen).map(|part| &*part.name)
    }

    /// All bytes of all sources.
    pub fn n_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.bytes.len()).sum()
    }

    /// The bytes of each source.
    pub fn all_bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(|part| &*part.bytes)
    }

    /// Gives the chosen source other bytes.
    pub fn set_bytes(&mut self, bytes: Vec<u8>) {
        *self.bytes_mut() = bytes;
    }

    /// What mutators work on, if they must not change its length.
    pub fn fixed(&self) -> Option<Vec<u8>> {
        self.parts.get(self.chosen).filter(|part| part.has_fixed_len).map(|part| part.bytes.clone())
    }

    /// Gives what mutators work on the length of its old bytes: the rest of those, or no more than so many.
    pub fn keep_len(&mut self, old: &[u8]) {
        let bytes = self.bytes_mut();
        bytes.truncate(old.len());
        bytes.extend_from_slice(&old[bytes.len()..]);
    }

    fn bytes(&self) -> &[u8] {
        self.parts.get(self.chosen).map_or(&[], |part| &part.bytes)
    }

    fn bytes_mut(&mut self) -> &mut Vec<u8> {
        if self.parts.is_empty() {
            self.parts.push(Part {
                name: "stdin".to_owned(),
                kind: SourceKind::Stdin as u32,
                bytes: Vec::new(),
                has_fixed_len: false,
            });
        }
        let chosen = self.chosen.min(self.parts.len() - 1);
        &mut self.parts[chosen].bytes
    }
}

impl libafl::inputs::Input for Test {}

impl HasLen for Test {
    fn len(&self) -> usize {
        self.bytes().len()
    }
}

impl HasMutatorBytes for Test {
    fn mutator_bytes(&self) -> &[u8] {
        self.bytes()
    }

    fn mutator_bytes_mut(&mut self) -> &mut [u8] {
        self.bytes_mut()
    }
}

impl ResizableMutator<u8> for Test {
    fn resize(&mut self, new_len: usize, value: u8) {
        self.bytes_mut().resize(new_len, value);
    }

    fn extend<'a, I: IntoIterator<Item = &'a u8>>(&mut self, iter: I) {
        Extend::extend(self.bytes_mut(), iter);
    }

    fn splice<R, I>(&mut self, range: R, replace_with: I) -> Splice<'_, I::IntoIter>
    where
        R: std::ops::RangeBounds<usize>,
        I: IntoIterator<Item = u8>,
    {
        self.bytes_mut().splice(range, replace_with)
    }

    fn drain<R>(&mut self, range: R) -> std::vec::Drain<'_, u8>
    where
        R: std::ops::RangeBounds<usize>,
    {
        self.bytes_mut().drain(range)
    }
}
