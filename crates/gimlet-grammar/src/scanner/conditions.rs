//! The start condition that a scanner is in, and those that it may go back to.

use std::collections::BTreeMap;

use super::effect::Move;
use super::ConditionId;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Conditions {
    pub current: ConditionId,
    stack: Vec<ConditionId>,
    /// What variables remember.
    saved: BTreeMap<String, ConditionId>,
}

impl Conditions {
    pub fn new(current: ConditionId) -> Conditions {
        Conditions { current, stack: Vec::new(), saved: BTreeMap::new() }
    }

    /// What an action does to them; false if there is none to go back to.
    pub fn apply(&mut self, moves: &[Move]) -> bool {
        for step in moves {
            match step {
                Move::Begin(condition) => self.current = *condition,
                Move::Push(condition) => self.stack.push(std::mem::replace(&mut self.current, *condition)),
                Move::Save(name, condition) => {
                    self.saved.insert(name.clone(), *condition);
                }
                // C's variables begin with zero.
                Move::Restore(name) => self.current = self.saved.get(name).copied().unwrap_or(ConditionId::INITIAL),
                Move::Pop => match self.stack.pop() {
                    Some(condition) => self.current = condition,
                    None => return false,
                },
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_in_turn() {
        let [a, b] = [ConditionId(1), ConditionId(2)];
        let check = |moves: &[Move], expected: Option<ConditionId>| {
            let mut conditions = Conditions::new(ConditionId::INITIAL);
            assert_eq!(conditions.apply(moves).then_some(conditions.current), expected, "{moves:?}");
        };
        let was = || "was".to_owned();
        check(&[], Some(ConditionId::INITIAL));
        check(&[Move::Begin(a), Move::Begin(b)], Some(b));
        check(&[Move::Push(a), Move::Push(b), Move::Pop], Some(a));
        check(&[Move::Push(a), Move::Pop, Move::Pop], None);
        check(&[Move::Begin(a), Move::Restore(was())], Some(ConditionId::INITIAL));
        check(&[Move::Save(was(), b), Move::Begin(a), Move::Restore(was())], Some(b));
    }
}
