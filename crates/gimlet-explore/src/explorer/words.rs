//! Words in place of texts that were compared with them.
//!
//! A program that looks at a name asks whether it is this one, or that one. The solver can make it another name of as many
//! letters, or a shorter one; the length of what stands between two other things it cannot change. But the comparison
//! says what was wanted, and where in the input the text is: with the word there instead, the program is asked again.

use gimlet_path::Comparison;
use gimlet_trace::Input;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Explorer;
use crate::ask::expand::Followed;
use crate::ask::lengths::{self, Lengths};
use crate::error::ExploreError;
use crate::run::job::{Job, Origin};
use crate::run::walk::hash;

/// Words that are tried in one run.
const N_WORDS: usize = 8;
/// Places of the input that one of them is tried at.
const N_PLACES: usize = 2;
/// Attempts with a word at a site whose runs are followed, whatever they do: many a word is of use only beside another.
const N_FOLLOWED: u32 = 16;

impl Explorer {
    /// Whether the word of an input was given up after the input was made.
    pub(super) fn is_given_up(&self, job: &Job) -> bool {
        let Origin::Word { name: Some(name), .. } = job.origin else { return false };
        self.known.seen.n_tries_of_word(name).is_none()
    }

    /// Tries words that a run, which is new, has asked for: those first that were tried least.
    pub(super) fn try_words(&mut self, followed: &Followed) -> Result<(), ExploreError> {
        let Lengths::Some { max } = self.settings.lengths else { return Ok(()) };
        let changes_texts = self.tokens.language.as_ref().is_none_or(|language| language.changes_texts());
        if followed.walk.has_tokens && !changes_texts {
            return Ok(());
        }
        let input = &followed.trace.input;
        // Of many attempts counters say what they are good for.
        let is_counted = self.plan().mutates && self.runner.covered.is_some();
        let mut met = FxHashSet::default();
        let mut n_places: FxHashMap<u64, usize> = FxHashMap::default();
        let mut wanted: Vec<(u32, u64, Input)> = Vec::new();
        for comparison in &followed.path.comparisons {
            let name = name(comparison);
            let Some(n_tries) = self.known.seen.n_tries_of_word(name) else { continue };
            let is_new = met.insert((comparison.source, comparison.offset, comparison.len, &comparison.word));
            if !is_new || n_tries >= N_FOLLOWED && !is_counted {
                continue;
            }
            let changed = with_word(input, comparison, max).filter(|input| !self.known.corpus.is_known(input));
            let changed = changed.filter(|input| !followed.walk.has_tokens || self.is_sentence(input));
            let n_places = n_places.entry(name).or_default();
            *n_places += usize::from(changed.is_some());
            let changed = changed.filter(|_| *n_places <= N_PLACES);
            wanted.extend(changed.map(|input| (n_tries, name, input)));
        }
        wanted.sort_by_key(|&(n_tries, ..)| n_tries);
        wanted.truncate(N_WORDS);
        for (n_tries, name, input) in wanted {
            self.known.seen.try_word(name);
            let origin = Origin::Word { parent: followed.run, name: Some(name) };
            if n_tries < N_FOLLOWED {
                self.offer(Job::of(input, origin));
            } else {
                self.import(input, origin)?;
            }
        }
        Ok(())
    }
}

/// A word, and where it is compared.
fn name(comparison: &Comparison) -> u64 {
    hash(&(comparison.site, &comparison.word))
}

/// The input with the word in place of the text; `None` if it would be too long, or has no such place.
fn with_word(input: &Input, comparison: &Comparison, len_max: usize) -> Option<Input> {
    let Comparison { source, offset, len, ref word, .. } = *comparison;
    let found = input.sources.get(source).filter(|source| lengths::can_change(source.kind))?;
    let n_bytes = found.bytes.len();
    if offset + len > n_bytes || n_bytes - len + word.len() > len_max.max(n_bytes) {
        return None;
    }
    let mut input = input.clone();
    input.sources[source].bytes.splice(offset..offset + len, word.iter().copied());
    Some(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_too_long_are_left_out() {
        let comparison = |offset, len, word: &str| Comparison { site: 1, source: 0, offset, len, word: word.into() };
        let check = |comparison: &Comparison, len_max, expected: Option<&str>| {
            let input = with_word(&Input::stdin("a: no\n"), comparison, len_max);
            assert_eq!(input, expected.map(Input::stdin));
        };
        check(&comparison(3, 2, "chunked"), 20, Some("a: chunked\n"));
        check(&comparison(3, 2, "chunked"), 11, Some("a: chunked\n"));
        check(&comparison(3, 2, "chunked"), 10, None);
        check(&comparison(0, 5, "ok"), 2, Some("ok\n"));
        check(&comparison(5, 2, "ok"), 20, None);
    }
}
