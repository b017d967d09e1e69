//! Words in place of texts that were compared with them.
//!
//! A program that looks at a name asks whether it is this one, or that one. The solver can make it another name of as many
//! letters, or a shorter one; the length of what stands between two other things it cannot change. But the comparison
//! says what was wanted, and where in the input the text is: with the word there instead, the program is asked again.

use rustc_hash::FxHashSet;

use super::Explorer;
use crate::error::ExploreError;
use crate::expand::Followed;
use crate::job::{Job, Origin};
use crate::lengths::{self, Lengths};

/// Words that are tried in one run.
const N_WORDS: usize = 8;
/// Attempts with a word at a site whose runs are followed, whatever they do: many a word is of use only beside another.
const N_FOLLOWED: u32 = 16;

impl Explorer {
    /// Tries words that a run, which is new, has asked for: those first that were tried least.
    pub(super) fn try_words(&mut self, followed: &Followed) -> Result<(), ExploreError> {
        let Lengths::Some { max } = self.settings.lengths else { return Ok(()) };
        let input = &followed.trace.input;
        let can_change = |source: usize| input.sources.get(source).is_some_and(|it| lengths::can_change(it.kind));
        let mut known = FxHashSet::default();
        let mut wanted: Vec<_> = followed
            .path
            .comparisons
            .iter()
            .filter(|it| can_change(it.source) && known.insert((it.source, it.offset, it.len, &it.word)))
            .map(|it| (self.seen.n_tries_of_word(it.site, &it.word), it))
            .collect();
        wanted.sort_by_key(|&(n_tries, _)| n_tries);
        // Of the others counters say what they are good for.
        let is_counted = self.settings.strategy.mutates() && self.covered.is_some();
        wanted.retain(|&(n_tries, _)| is_counted || n_tries < N_FOLLOWED);
        wanted.truncate(N_WORDS);
        for (n_tries, comparison) in wanted {
            let mut input = input.clone();
            let bytes = &mut input.sources[comparison.source].bytes;
            let end = comparison.offset + comparison.len;
            if end > bytes.len() || bytes.len() - comparison.len + comparison.word.len() > max {
                continue;
            }
            bytes.splice(comparison.offset..end, comparison.word.iter().copied());
            if self.corpus.is_known(&input) {
                continue;
            }
            self.seen.try_word(comparison.site, &comparison.word);
            let origin = Origin::Word { parent: followed.run };
            if n_tries < N_FOLLOWED {
                self.offer(Job { input, origin, bound: 0, visited: Vec::new(), expectation: None, string: None });
            } else {
                self.import(input, origin)?;
            }
        }
        Ok(())
    }
}
