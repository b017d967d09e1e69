//! Where a scanner is between two pieces of text, as far as what can follow depends on it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::lex::automaton::State;
use crate::lex::effect::{Move, Outcome};
use crate::lex::{ConditionId, RuleId};

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
    pub condition: ConditionId,
    pub at_line_start: bool,
    /// The last byte belongs to a word.
    pub is_in_word: bool,
    pub stack: Vec<ConditionId>,
    /// What variables remember.
    pub saved: BTreeMap<String, ConditionId>,
    pub watchers: Vec<Watcher>,
    pub guard: Option<Guard>,
}

/// A place, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlaceId(pub u32);

impl Place {
    pub fn start() -> Place {
        Place {
            condition: ConditionId::INITIAL,
            at_line_start: true,
            is_in_word: false,
            stack: Vec::new(),
            saved: BTreeMap::new(),
            watchers: Vec::new(),
            guard: None,
        }
    }

    /// What an action does to the start condition; false if it can't.
    pub fn apply(&mut self, outcome: &Outcome) -> bool {
        for step in &outcome.moves {
            match step {
                Move::Begin(condition) => self.condition = *condition,
                Move::Push(condition) => self.stack.push(std::mem::replace(&mut self.condition, *condition)),
                Move::Save(name, condition) => {
                    self.saved.insert(name.clone(), *condition);
                }
                Move::Restore(name) => self.condition = self.saved.get(name).copied().unwrap_or(ConditionId::INITIAL),
                Move::Pop => match self.stack.pop() {
                    Some(condition) => self.condition = condition,
                    None => return false,
                },
            }
        }
        true
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
