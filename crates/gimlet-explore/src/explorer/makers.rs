//! Who makes inputs without a question: mutation, grammars, chance.

use std::rc::Rc;

use gimlet_grammar::chance::Chance;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use rustc_hash::FxHashMap;

use crate::make::blackbox::Blackbox;
use crate::make::mutation::Mutation;
use crate::make::strings::{Strings, SymbolicString};

pub struct Makers {
    /// From the first run on, if there are mutants and they can be run.
    pub(super) mutation: Option<Mutation>,
    /// What mutants of a grammar are made by, until mutation begins.
    pub(super) subtree_mutator: Option<SubtreeMutator>,
    /// Where symbolic strings come from, and those that an earlier search left open, by number.
    pub(super) strings: Option<Strings>,
    pub(super) left_strings: FxHashMap<u64, Rc<SymbolicString>>,
    /// Where inputs come from that are made without a look at the program.
    pub(super) blackbox: Option<Blackbox>,
    /// For sentences that are made of the grammar alone, and for where stretches are tried.
    pub(super) chance: Chance,
}

impl Makers {
    pub fn new(seed: u64) -> Makers {
        Makers {
            mutation: None,
            subtree_mutator: None,
            strings: None,
            left_strings: FxHashMap::default(),
            blackbox: None,
            chance: Chance::new(seed),
        }
    }
}
