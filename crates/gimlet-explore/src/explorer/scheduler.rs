//! Who decides what is next: the strategy, and the sources of work beside it.

use gimlet_grammar::chance::Chance;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::stretches::Stretching;
use super::Settings;
use crate::blackbox::Blackbox;
use crate::job::RunId;
use crate::mutation::Mutation;
use crate::pursuit::Pursuits;
use crate::strategy::{Spent, Strategy};
use crate::strings::{Strings, SymbolicString};

pub struct Scheduler {
    pub(super) strategy: Box<dyn Strategy>,
    /// From the first run on, if the strategy has mutants and they can be run.
    pub(super) mutation: Option<Mutation>,
    /// Runs of an earlier search that have something left to ask, the last one first.
    pub(super) backlog: Vec<RunId>,
    /// Where symbolic strings come from, and those that an earlier search left open, by number.
    pub(super) strings: Option<Strings>,
    pub(super) left_strings: FxHashMap<u64, Rc<SymbolicString>>,
    /// Where inputs come from that are made without a look at the program.
    pub(super) blackbox: Option<Blackbox>,
    /// What mutants of a grammar are made by, until mutation begins.
    pub(super) grafter: Option<SubtreeMutator>,
    /// For sentences that are made of the grammar alone.
    pub(super) chance: Chance,
    /// Directions that are impossible in one sentence, and may not be in others.
    pub(super) pursuits: Pursuits,
    pub(super) stretching: Stretching,
    /// What mutation and symbolic execution took and found.
    pub made_by: [Spent; 2],
}

impl Scheduler {
    pub fn new(settings: &Settings) -> Scheduler {
        Scheduler {
            strategy: settings.strategy.start(settings.seed),
            mutation: None,
            backlog: Vec::new(),
            strings: None,
            left_strings: FxHashMap::default(),
            blackbox: None,
            grafter: None,
            chance: Chance::new(settings.seed),
            pursuits: Pursuits::default(),
            stretching: Stretching::default(),
            made_by: Default::default(),
        }
    }
}
