//! Where a scanner is between two pieces of text, as far as what can follow depends on it.

use rustc_hash::FxHashMap;

use crate::scanner::automaton::State;
use crate::scanner::conditions::Conditions;
use crate::scanner::{ConditionId, RuleId};

/// A rule that has not been decided yet: a longer match would win.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Watcher {
    pub condition: ConditionId,
    pub at_line_start: bool,
    /// Where the automaton may be, in ascending order.
    pub states: Vec<State>,
}

/// A rule that wins if the right text follows.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Guard {
    pub rule: RuleId,
    pub condition: ConditionId,
    pub at_line_start: bool,
    /// Its text and what came behind.
    pub text: Vec<u8>,
    /// Of them, those that the rule keeps.
    pub n_bytes: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub conditions: Conditions,
    pub at_line_start: bool,
    /// The last byte belongs to a word.
    pub is_in_word: bool,
    pub watchers: Vec<Watcher>,
    pub guard: Option<Guard>,
}

/// A place, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlaceId(pub u32);

impl Place {
    pub fn start() -> Place {
        Place {
            conditions: Conditions::new(ConditionId::INITIAL),
            at_line_start: true,
            is_in_word: false,
            watchers: Vec::new(),
            guard: None,
        }
    }
}

/// All places that were met, each once.
#[derive(Default, Debug)]
pub struct Places {
    all: Vec<Place>,
    numbers: FxHashMap<Place, PlaceId>,
}

impl Places {
    pub fn number(&mut self, place: Place) -> PlaceId {
        let next = PlaceId(self.all.len() as u32);
        *self.numbers.entry(place).or_insert_with_key(|place| {
            self.all.push(place.clone());
            next
        })
    }

    pub fn get(&self, id: PlaceId) -> &Place {
        &self.all[id.0 as usize]
    }
}
