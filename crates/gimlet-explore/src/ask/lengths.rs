//! Longer and shorter inputs.
//!
//! The length of a source is decided by the reads: one that gets all it wants says that there is at least so much, one
//! that gets less says how much there is. Other lengths are other ways to go there, and need no solver: the conditions
//! before a read are not about bytes that have not been read.

use gimlet_path::{PathCondition, StepKind};
use gimlet_trace::{Input, SourceKind};
use rustc_hash::FxHashMap;

/// Which lengths are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lengths {
    /// Those of the seeds only.
    Fixed,
    /// Every one up to this: for a search that is to be exhaustive.
    Every { max: usize },
    /// A few shorter and longer ones, up to this.
    Some { max: usize },
}

impl Lengths {
    /// The longest that there may be; those of seeds may be the only ones.
    pub fn max(self) -> Option<usize> {
        match self {
            Lengths::Fixed => None,
            Lengths::Every { max } | Lengths::Some { max } => Some(max),
        }
    }

    /// Whether an input may have so many bytes, where the one that it is made of has `present`.
    pub fn allows(self, len: usize, present: usize) -> bool {
        match self {
            Lengths::Fixed => len == present,
            Lengths::Every { max } | Lengths::Some { max } => len <= max.max(present),
        }
    }
}

/// What new bytes are.
pub const FILLER: u8 = 0;

/// A longer input has at least so many bytes more.
const N_MORE_AT_LEAST: usize = 4;

/// Another length at a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resized {
    /// Number of the step.
    pub step: usize,
    pub source: u32,
    pub len: usize,
}

/// What the reads of a path leave open about the lengths of its sources.
#[derive(Default)]
struct Known {
    at_least: u64,
    is_exact: bool,
}

/// Other lengths at the reads of a path from step number `from`.
pub fn others(path: &PathCondition, input: &Input, from: usize, lengths: Lengths) -> Vec<Resized> {
    let Some(max) = lengths.max().map(|max| max as u64) else { return Vec::new() };
    let stretches = input.stretches();
    let mut known: FxHashMap<u32, Known> = FxHashMap::default();
    let mut found = Vec::new();
    for (step, kind) in path.steps.iter().map(|step| &step.kind).enumerate() {
        let StepKind::Read { source, offset, wanted, got, .. } = *kind else { continue };
        let Some(bytes) = input.sources.get(source as usize).filter(|source| can_change(source.kind)) else { continue };
        let known = known.entry(source).or_default();
        if known.is_exact {
            continue;
        }
        let (len, full) = (bytes.bytes.len() as u64, offset + u64::from(wanted));
        // Any length from `full` on is the same to this read.
        let last = if got < wanted { full.min(max) } else { full.saturating_sub(1).min(max) };
        // The length of a source with a stretch is no number; only what ends before it has one.
        let stretch = stretches.iter().find(|stretch| stretch.source == source as usize);
        let last = stretch.map_or(last, |stretch| last.min(stretch.at as u64));
        if step >= from {
            let mut add = |len: u64| found.push(Resized { step, source, len: len as usize });
            match lengths {
                Lengths::Every { .. } => (known.at_least..=last).filter(|&other| other != len).for_each(&mut add),
                _ => some(len, known.at_least, last).into_iter().for_each(&mut add),
            }
        }
        known.is_exact = got < wanted;
        known.at_least = known.at_least.max(if got < wanted { len } else { full });
    }
    found
}

/// Twice the length for a read that found the end.
pub fn longer(path: &PathCondition, input: &Input, step: usize, lengths: Lengths) -> Option<Resized> {
    let Lengths::Some { max } = lengths else { return None };
    let StepKind::Read { source, offset, wanted, .. } = path.steps.get(step)?.kind else { return None };
    let bytes = input.sources.get(source as usize).filter(|source| can_change(source.kind))?;
    if input.stretches().iter().any(|stretch| stretch.source == source as usize) {
        return None;
    }
    let len = bytes.bytes.len();
    let most = max.min(usize::try_from(offset).ok()? + wanted as usize);
    let longer = (len * 2).max(len + N_MORE_AT_LEAST).min(most);
    (longer > len).then_some(Resized { step, source, len: longer })
}

/// Programs ask for as many bytes of a named source as they want; arguments and variables are not read.
pub fn can_change(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Stdin | SourceKind::File | SourceKind::Path | SourceKind::Socket)
}

/// A few lengths around `len`, without itself, and the outermost; each between `first` and `last`.
fn some(len: u64, first: u64, last: u64) -> Vec<u64> {
    let tried = [len + 1, len + 4, len + 16, len * 2, len.saturating_sub(1), len / 2, 0, last];
    let mut chosen: Vec<u64> =
        tried.into_iter().filter(|&other| other != len && (first..=last).contains(&other)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The input with another length of one source.
pub fn resize(input: &Input, resized: &Resized) -> Input {
    let mut input = input.clone();
    if let Some(source) = input.sources.get_mut(resized.source as usize) {
        source.bytes.resize(resized.len, FILLER);
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_lengths_are_near_and_in_bounds() {
        assert_eq!(some(4, 0, 100), [0, 2, 3, 5, 8, 20, 100]);
        assert_eq!(some(4, 3, 5), [3, 5]);
        assert_eq!(some(0, 0, 3), [1, 3]);
        assert!(some(4, 4, 4).is_empty());
    }
}
