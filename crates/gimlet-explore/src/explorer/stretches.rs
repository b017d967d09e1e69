//! Stretches of the input: how long they can be on a path.
//!
//! A path is meant for all lengths for which its conditions hold. What the program does in loops that nobody can
//! summarise depends on the length all the same, and so does what it writes there. Therefore a new path is run once more
//! with the longest stretches that it allows, and with the shortest: a copy that is one byte too long is too long there.

use gimlet_expr::{BinOp, Dag, ExprId};
use gimlet_solver::{Answer, Chain};
use gimlet_trace::{Input, Stretch};

use super::Explorer;
use crate::expand::Followed;
use crate::job::{Job, Origin};

impl Explorer {
    /// Offers the input of a run with its stretches as long and as short as they can be on its path.
    pub(super) fn try_extremes(&mut self, followed: &mut Followed) {
        for stretch in followed.trace.input.stretches() {
            for is_longest in [true, false] {
                let Some(input) = followed.extreme(&stretch, is_longest, &mut self.chain) else { continue };
                self.offer(Job {
                    input,
                    origin: Origin::Length { parent: followed.run },
                    bound: followed.path.steps.len(),
                    visited: Vec::new(),
                    expectation: None,
                    string: None,
                });
            }
        }
    }
}

impl Followed {
    /// The input with the longest or the shortest stretch for which all conditions of the path hold; `None` if it has that.
    fn extreme(&mut self, stretch: &Stretch, is_longest: bool, chain: &mut Chain) -> Option<Input> {
        let first = self.trace.segments.iter().find(|segment| segment.source as usize == stretch.length)?.first;
        let length = number(&mut self.path.dag, first);
        let (mut inside, mut outside) = match is_longest {
            true => (stretch.len as i64, stretch.max as i64 + 1),
            false => (stretch.len as i64, stretch.unit as i64 - 1),
        };
        let mut found = None;
        self.begin(chain);
        for step in &self.path.steps {
            chain.push(&self.path.dag, step.condition);
        }
        while inside.abs_diff(outside) > 1 {
            let middle = (inside + outside).div_euclid(2);
            let bound = self.path.dag.constant(32, middle as u128);
            let (low, high) = if is_longest { (bound, length) } else { (length, bound) };
            let beyond = self.path.dag.binary(BinOp::Ule, low, high);
            match chain.ask(&self.path.dag, beyond) {
                Answer::Sat(model) => {
                    let input = self.trace.unflatten(&model.overlay(&self.flat));
                    inside = input.stretches().iter().find(|it| it.length == stretch.length)?.len as i64;
                    found = Some(input);
                }
                _ => outside = middle,
            }
        }
        chain.end_path();
        found
    }
}

/// A length, of 32 bits, whose first byte has this number.
fn number(dag: &mut Dag, first: u32) -> ExprId {
    let mut word = dag.byte(first);
    for byte in 1..4 {
        let high = dag.byte(first + byte);
        word = dag.concat(high, word);
    }
    word
}
