//! Mutants along derivation trees: the grammar of one source of the input.

use std::rc::Rc;

use gimlet_grammar::chance::Chance;
use gimlet_grammar::edit::subtree_mutation::{Parsed, SubtreeMutator};
use libafl::inputs::HasMutatorBytes;
use libafl_bolts::rands::Rand;
use rustc_hash::FxHashMap;

use crate::test::Test;

/// One of so many mutants is made of the grammar alone; every other one until all of the grammar was used.
const N_BETWEEN_GROWN: usize = 64;
/// Trees that are kept; a test has thousands of nodes at most.
const N_PARSED_MAX: usize = 4096;

pub struct Language {
    subtree_mutator: SubtreeMutator,
    source: String,
    /// By number of the test; `None` if it is not of the language.
    parsed: FxHashMap<usize, Option<Rc<Parsed>>>,
}

impl Language {
    pub fn new(subtree_mutator: SubtreeMutator, source: &str) -> Language {
        Language { subtree_mutator, source: source.to_owned(), parsed: FxHashMap::default() }
    }

    /// The source that is written in it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The test has other bytes now.
    pub fn forget(&mut self, number: usize) {
        self.parsed.remove(&number);
    }

    /// A text, if it is time for one.
    pub fn grow(&mut self, len_max: usize, rand: &mut impl Rand) -> Option<Vec<u8>> {
        let n_between = if self.subtree_mutator.has_first() { 2 } else { N_BETWEEN_GROWN };
        if rand.below_or_zero(n_between) != 0 {
            return None;
        }
        self.subtree_mutator.grow(&mut Chance::new(rand.next())).filter(|text| text.len() <= len_max)
    }

    /// Whether the chosen source of a test is of the language. Its parts are remembered.
    pub fn parses(&mut self, number: usize, test: &Test) -> bool {
        if test.chosen_name() != Some(&self.source) {
            return false;
        }
        if let Some(known) = self.parsed.get(&number) {
            return known.is_some();
        }
        let text = test.mutator_bytes();
        let parsed = self.subtree_mutator.parse(text).map(Rc::new);
        parsed.iter().for_each(|parsed| self.subtree_mutator.learn(text, parsed));
        if self.parsed.len() >= N_PARSED_MAX {
            self.parsed.clear();
        }
        self.parsed.entry(number).or_insert(parsed).is_some()
    }

    /// Other bytes for a test that is of the language.
    pub fn mutate(&mut self, number: usize, test: &Test, len_max: usize, rand: &mut impl Rand) -> Option<Vec<u8>> {
        let parsed = self.parsed.get(&number).cloned().flatten()?;
        self.subtree_mutator.graft(test.mutator_bytes(), &parsed, len_max, &mut Chance::new(rand.next()))
    }
}
