//! Stretches: parts of a source of which the length matters more than the content.
//!
//! A stretch is a unit of few bytes, repeated: `a` forty times, or `<>` twenty times. The bytes of the unit are
//! symbolic, and so is the length, which is a source of its own: kind [`SourceKind::Length`], four bytes,
//! little-endian. Its name says where the stretch is: `stdin@5*2<1024` is one of `stdin`, behind 5 bytes, with a unit of
//! 2 bytes, at most 1024 bytes long. What is before it counts each stretch there as one unit, so that the name does not
//! depend on their lengths.
//!
//! Sources hold their bytes in full, as everybody else wants them. Who changes them without knowing of stretches breaks
//! the repetition, and then there is no stretch any more ([`Input::drop_broken_stretches`]).
//!
//! ```text
//! stdin            "GET /aaaaaaaa\n"
//! stdin@5*1<1024   08 00 00 00
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::input::{Input, Source, SourceKind};

/// No stretch is longer.
pub const STRETCH_MAX: usize = 1 << 20;

/// One stretch of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The source that it is in, and that of its length.
    pub source: usize,
    pub length: usize,
    /// Where it begins.
    pub at: usize,
    /// Bytes of the unit, of the whole, and of the longest that it may be.
    pub unit: usize,
    pub len: usize,
    pub max: usize,
}

impl Stretch {
    /// The longest that it may be, or the shortest.
    pub fn extreme(&self, is_longest: bool) -> usize {
        if is_longest {
            self.max
        } else {
            self.unit
        }
    }

    /// Where it ends.
    pub fn end(&self) -> usize {
        self.at + self.len
    }
}

/// What the name of a length says.
struct Place<'a> {
    source: &'a str,
    /// With stretches before it as one unit each.
    before: usize,
    unit: usize,
    max: usize,
}

impl Place<'_> {
    fn read(name: &str) -> Option<Place<'_>> {
        let (source, rest) = name.rsplit_once('@')?;
        let (before, rest) = rest.split_once('*')?;
        let (unit, max) = rest.split_once('<')?;
        let (unit, max) = (unit.parse().ok()?, max.parse().ok()?);
        let is_right = unit > 0 && unit <= max && max <= STRETCH_MAX;
        is_right.then_some(Place { source, before: before.parse().ok()?, unit, max })
    }
}

/// The name of the length of a stretch behind so many bytes of a source.
fn name(source: &str, before: usize, unit: usize, max: usize) -> String {
    format!("{source}@{before}*{unit}<{max}")
}

impl Source {
    /// The number that a length is.
    fn number(&self) -> Option<usize> {
        let bytes = <[u8; 4]>::try_from(self.bytes.as_slice()).ok()?;
        Some(u32::from_le_bytes(bytes) as usize)
    }
}

/// Units that a stretch has at first.
const N_UNITS_BEGUN: usize = 4;

impl Input {
    /// Its stretches, by source and place; not those that are broken.
    pub fn stretches(&self) -> Vec<Stretch> {
        let mut found: Vec<(usize, usize, Stretch)> = Vec::new();
        for (length, source) in self.sources.iter().enumerate() {
            let Some(place) =
                Some(source).filter(|it| it.kind == SourceKind::Length).and_then(|it| Place::read(&it.name))
            else {
                continue;
            };
            let is_it = |source: &Source| source.name == place.source && source.kind != SourceKind::Length;
            let (Some(number), Some(len)) = (self.sources.iter().position(is_it), source.number()) else { continue };
            let stretch = Stretch { source: number, length, at: 0, unit: place.unit, len, max: place.max };
            found.push((number, place.before, stretch));
        }
        found.sort_by_key(|&(source, before, _)| (source, before));
        let (mut stretches, mut added, mut least, mut last) = (Vec::new(), 0, 0, None);
        let mut is_broken = false;
        for (source, before, mut stretch) in found {
            if last.replace(source) != Some(source) {
                (added, least, is_broken) = (0, 0, false);
            }
            stretch.at = before + added;
            // Where those behind a broken one are nobody knows.
            is_broken |= before < least || !self.is_whole(&stretch);
            if !is_broken {
                added += stretch.len - stretch.unit;
                least = before + stretch.unit;
                stretches.push(stretch);
            }
        }
        stretches
    }

    /// Whether the bytes of a stretch are there, and repeat its unit.
    fn is_whole(&self, stretch: &Stretch) -> bool {
        let Some(bytes) = self.sources[stretch.source].bytes.get(stretch.at..stretch.end()) else { return false };
        let fits = (stretch.unit..=stretch.max).contains(&stretch.len);
        fits && bytes.iter().zip(&bytes[stretch.unit..]).all(|(byte, next)| byte == next)
    }

    /// Makes a stretch of `unit` bytes of a source, from `at` on; false if another is there.
    pub fn stretch(&mut self, source: usize, at: usize, unit: usize, max: usize) -> bool {
        let known = self.stretches();
        let here = known.iter().filter(|stretch| stretch.source == source);
        let is_free = here.clone().all(|stretch| stretch.end() <= at || at + unit <= stretch.at);
        let max = max.min(STRETCH_MAX);
        let is_there = self.sources.get(source).is_some_and(|source| source.bytes.len() >= at + unit);
        if !is_free || !is_there || unit == 0 || max < unit {
            return false;
        }
        let added: usize = here.filter(|stretch| stretch.at < at).map(|stretch| stretch.len - stretch.unit).sum();
        let name = name(&self.sources[source].name, at - added, unit, max);
        self.push(SourceKind::Length, name, (unit as u32).to_le_bytes());
        true
    }

    /// Without lengths whose stretches are broken.
    pub fn drop_broken_stretches(&mut self) {
        if self.sources.iter().any(|source| source.kind == SourceKind::Length) {
            let known: Vec<usize> = self.stretches().iter().map(|stretch| stretch.length).collect();
            let mut number = 0;
            self.sources.retain(|source| {
                number += 1;
                source.kind != SourceKind::Length || known.contains(&(number - 1))
            });
        }
    }

    /// The same bytes, none of them in a stretch.
    pub fn without_stretches(&self) -> Input {
        let sources = self.sources.iter().filter(|source| source.kind != SourceKind::Length);
        Input { sources: sources.cloned().collect() }
    }

    /// After bytes of units and lengths have changed in what was a copy of `old`: all that follows from them.
    pub fn stretch_as_said(&mut self, old: &Input) {
        for stretch in old.stretches().into_iter().rev() {
            let length = &mut self.sources[stretch.length];
            let len = length.number().unwrap_or(stretch.len).clamp(stretch.unit, stretch.max);
            length.bytes = (len as u32).to_le_bytes().into();
            let bytes = &mut self.sources[stretch.source].bytes;
            if bytes.len() < stretch.end() {
                continue;
            }
            let unit: Vec<u8> = bytes[stretch.at..stretch.at + stretch.unit].into();
            let repeated = unit.iter().copied().cycle().take(len);
            bytes.splice(stretch.at..stretch.end(), repeated);
        }
    }

    /// The same with new stretches as long as a loop needs them to be, to see what each unit of them does.
    pub fn begun(&self) -> Input {
        let mut input = self.clone();
        while let Some(new) = input.stretches().into_iter().find(|stretch| stretch.len == stretch.unit) {
            let len = (N_UNITS_BEGUN * new.unit).min(new.max);
            if len == new.len {
                break;
            }
            input = input.with_length(&new, len);
        }
        input
    }

    /// The length of a stretch becomes another.
    pub fn with_length(&self, stretch: &Stretch, len: usize) -> Input {
        let mut input = self.clone();
        input.sources[stretch.length].bytes = (len as u32).to_le_bytes().into();
        input.stretch_as_said(self);
        input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Input {
        let mut input = Input::stdin("ab:<>c");
        assert!(input.stretch(0, 1, 1, 100));
        assert!(input.stretch(0, 3, 2, 50));
        input
    }

    #[test]
    fn stretches_grow_and_keep_their_places() {
        let input = two();
        let [first, second] = input.stretches()[..] else { panic!("two stretches") };
        assert_eq!((first.at, first.len, second.at, second.len), (1, 1, 3, 2));
        let long = input.with_length(&first, 4).with_length(&second, 5);
        assert_eq!(long.sources[0].bytes, b"abbbb:<><><c");
        let [first, second] = long.stretches()[..] else { panic!("two stretches") };
        assert_eq!((first.at, first.len, second.at, second.len), (1, 4, 6, 5));
        let mut other = long.clone();
        other.sources[0].bytes[1] = b'x';
        other.sources[0].bytes[7] = b'/';
        other.sources[2].bytes = 3u32.to_le_bytes().into();
        other.stretch_as_said(&long);
        assert_eq!(other.sources[0].bytes, b"axxxx:</<c");
    }

    #[test]
    fn lengths_stay_in_their_bounds() {
        let input = two();
        let first = input.stretches()[0];
        assert_eq!(input.with_length(&first, 0).sources[0].bytes, b"ab:<>c");
        assert_eq!(input.with_length(&first, 1 << 30).sources[0].bytes.len(), 5 + 100);
    }

    #[test]
    fn a_broken_stretch_is_none() {
        let mut input = two();
        let first = input.stretches()[0];
        input = input.with_length(&first, 4);
        input.sources[0].bytes[2] = b'?';
        assert_eq!(input.stretches().len(), 0);
        input.drop_broken_stretches();
        assert_eq!(input.sources.len(), 1);
        for name in ["stdin@1*0<5", "stdin@1*2<1", "stdin@x*1<5", "stdin", "other@0*1<5", "stdin@1*1<99999999999"] {
            let mut input = Input::stdin("abc");
            input.push(SourceKind::Length, name, [1, 0, 0, 0]);
            assert_eq!(input.stretches(), [], "{name}");
        }
        assert!(!two().stretch(0, 4, 1, 9) && !two().stretch(0, 6, 1, 9) && !two().stretch(7, 0, 1, 9));
    }
}
