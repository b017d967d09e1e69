//! Where a run stands among its loops.
//!
//! Loops are seen as they pass: a direction that is taken again begins another round, and what was passed since it was
//! taken last belonged to the round before. What is left is the way through the present round of every loop, each with
//! its number. Functions are told apart by the stack pointer; a function goes on from where its caller stands, so that a
//! scanner is somewhere else for each token that the parser asks for.

use gimlet_path::Direction;

use crate::run::walk::hash;

/// A direction on the way, with how often it has been taken here.
struct Passed {
    name: u64,
    count: u32,
    /// Of the way up to this one.
    way: u64,
}

struct Frame {
    stack: u64,
    /// Where the caller stands.
    base: u64,
    passed: Vec<Passed>,
}

impl Frame {
    fn way(&self) -> u64 {
        self.passed.last().map_or(self.base, |passed| passed.way)
    }
}

#[derive(Default)]
pub struct Rounds {
    /// The innermost function is last.
    frames: Vec<Frame>,
}

impl Rounds {
    /// Passes a step; returns the name of where that is, which does not depend on where it goes from there.
    pub fn pass(&mut self, stack: u64, step: u64, direction: Option<Direction>) -> u64 {
        let frame = self.enter(stack);
        let spot = hash(&(frame.way(), step));
        let name = hash(&(step, direction));
        let mut count = 1;
        if let Some(at) = frame.passed.iter().position(|passed| passed.name == name) {
            count = frame.passed[at].count + 1;
            frame.passed.truncate(at);
        }
        let way = hash(&(frame.way(), name, count));
        frame.passed.push(Passed { name, count, way });
        spot
    }

    /// The stack grows downwards.
    fn enter(&mut self, stack: u64) -> &mut Frame {
        while self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.stack < stack) {
            self.frames.pop();
        }
        let caller = self.frames.last().filter(|frame| frame.stack != stack).map(Frame::way);
        if self.frames.is_empty() || caller.is_some() {
            self.frames.push(Frame { stack, base: caller.unwrap_or(0), passed: Vec::new() });
        }
        self.frames.last_mut().expect("a frame was pushed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLER: u64 = 200;
    const CALLEE: u64 = 100;

    fn spots(steps: &[(u64, u64, Direction)]) -> Vec<u64> {
        let mut rounds = Rounds::default();
        steps.iter().map(|&(stack, step, direction)| rounds.pass(stack, step, Some(direction))).collect()
    }

    #[test]
    fn each_round_is_a_spot_of_its_own() {
        let spots = spots(&[(CALLER, 1, Direction::True); 3]);
        assert!(spots[0] != spots[1] && spots[1] != spots[2] && spots[0] != spots[2]);
    }

    #[test]
    fn a_round_forgets_what_the_last_one_did() {
        let through =
            |step| [(CALLER, 1, Direction::True), (CALLER, step, Direction::True), (CALLER, 1, Direction::True)];
        let (left, right) = (through(2), through(3));
        let last = (CALLER, 4, Direction::True);
        assert_eq!(spots(&[&left[..], &[last]].concat())[3], spots(&[&right[..], &[last]].concat())[3]);
    }

    #[test]
    fn a_function_is_elsewhere_in_each_round_of_its_caller() {
        let call = (CALLEE, 7, Direction::True);
        let round = (CALLER, 1, Direction::True);
        let spots = spots(&[round, call, round, call]);
        assert_ne!(spots[1], spots[3]);
    }
}
