//! Inputs on their way to be run.

use std::rc::Rc;

use gimlet_expr::Cutting;
use gimlet_path::Direction;
use gimlet_report::Maker;
use gimlet_trace::Input;

use crate::make::strings::SymbolicString;
use crate::run::walk::Walk;

/// Number of a run, in the order of execution.
pub type RunId = usize;

/// An input, why it was made, and what is known of it beforehand.
#[derive(Clone, Debug)]
pub struct Job {
    pub input: Input,
    pub origin: Origin,
    /// Steps before this one have been looked at in the run that this input was made from.
    pub bound: usize,
    /// Conditions of other runs at the step `bound`, where the choices have no list.
    pub visited: Vec<Rc<Cutting>>,
    pub expectation: Option<Expectation>,
    /// What of it may change, if not everything.
    pub string: Option<Rc<SymbolicString>>,
}

impl Job {
    /// An input of which nothing is known beforehand.
    pub fn of(input: Input, origin: Origin) -> Job {
        Job { input, origin, bound: 0, visited: Vec::new(), expectation: None, string: None }
    }
}

/// Where an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The user's, or the bytes to begin with.
    Seed,
    /// The first input of a symbolic string.
    Grammar,
    /// Another way at a step of a run.
    Flip { parent: RunId, site: u32, direction: Direction },
    /// The same without the conditions before that step: nobody knows where it goes.
    Optimistic { parent: RunId, site: u32, direction: Direction },
    /// The input of a run, longer or shorter; if it was counted before it waited, with so many new branches.
    Length { parent: RunId, n_covered: Option<u64> },
    /// The input of a run, with a word or a number in place of a text that was compared with it. The name is of the word
    /// and where it is compared, if it is one.
    Word { parent: RunId, name: Option<u64> },
    /// A mutant of a test, if that is one, with so many new branches; or one that was made along a derivation tree.
    Mutant { source: Option<u64>, n_covered: u64, is_grafted: bool },
    /// From an earlier search, or put into its folder; how it was made nobody knows any more.
    Earlier { n_covered: Option<u64> },
    /// Another search's test, by its number there.
    Sync { member: usize, number: u64, n_covered: Option<u64> },
    /// A teammate's, with what made it there.
    Team { member: usize, number: u64, maker: Maker },
}

/// What made a test, by its name.
pub fn made_by(name: &str) -> Maker {
    Maker::from_text(name.split(',').find_map(|part| part.strip_prefix("op:")).unwrap_or_default())
}

impl Origin {
    pub fn parent(self) -> Option<RunId> {
        match self {
            Origin::Seed
            | Origin::Grammar
            | Origin::Mutant { .. }
            | Origin::Earlier { .. }
            | Origin::Sync { .. }
            | Origin::Team { .. } => None,
            Origin::Flip { parent, .. }
            | Origin::Optimistic { parent, .. }
            | Origin::Length { parent, .. }
            | Origin::Word { parent, .. } => Some(parent),
        }
    }

    /// New branches of an input that was counted, and kept if it is worth it, before it waited.
    pub fn n_covered(self) -> Option<u64> {
        match self {
            Origin::Mutant { n_covered, .. } => Some(n_covered),
            Origin::Earlier { n_covered } | Origin::Sync { n_covered, .. } | Origin::Length { n_covered, .. } => {
                n_covered
            }
            Origin::Seed
            | Origin::Grammar
            | Origin::Flip { .. }
            | Origin::Optimistic { .. }
            | Origin::Word { .. }
            | Origin::Team { .. } => None,
        }
    }

    /// What made it; of a teammate's what made it there.
    pub const fn maker(self) -> Maker {
        match self {
            Origin::Seed => Maker::Seed,
            Origin::Grammar => Maker::Grammar,
            Origin::Flip { .. } => Maker::Flip,
            Origin::Optimistic { .. } => Maker::Optimistic,
            Origin::Length { .. } => Maker::Length,
            Origin::Word { .. } => Maker::Word,
            Origin::Mutant { is_grafted: true, .. } => Maker::Graft,
            Origin::Mutant { .. } => Maker::Mutation,
            Origin::Earlier { .. } => Maker::Earlier,
            Origin::Sync { .. } => Maker::Sync,
            Origin::Team { maker, .. } => maker,
        }
    }
}

/// What a run is to do: take the same steps as another one, and then leave its path.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The run that it is to follow.
    pub walk: Rc<Walk>,
    /// Number of the step at which it goes elsewhere.
    pub step: usize,
    /// `None` for a read that gets more or less.
    pub direction: Option<Direction>,
}
