//! Who asks what, where several workers search together.
//!
//! All workers run the seeds; whose a flip of theirs is the question says, by a hash, so that nobody has to tell the others
//! what was asked. Of very many seeds each worker runs only its part. Whatever a worker makes it asks about itself. Depth
//! first is another matter ([`crate::team::handoff`]).

use rustc_hash::FxHashSet;

use crate::run::walk::{hash, Walk};
use crate::strategy::Flip;

/// A part of what there is to ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Of the worker.
    pub number: usize,
    pub n_workers: usize,
}

impl Share {
    /// That of a worker without others.
    pub const WHOLE: Share = Share { number: 0, n_workers: 1 };

    pub fn is_whole(self) -> bool {
        self.n_workers == 1
    }

    /// The first worker is the one that the user started, and that has the results of all.
    pub fn is_leader(self) -> bool {
        self.number == 0
    }

    /// Whether something with this hash is this worker's.
    pub fn has(self, hash: u64) -> bool {
        hash % self.n_workers as u64 == self.number as u64
    }

    /// Flips of a seed that others ask.
    pub fn of_others(self, walk: &Walk) -> FxHashSet<Flip> {
        walk.flips(0).filter(|&flip| !self.has(hash(&walk.question(flip, 0)))).collect()
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;
    use crate::run::walk::Stop;
    use gimlet_path::Direction;

    #[test]
    fn each_question_of_a_seed_is_somebodys() {
        let n_steps = 200;
        let mut walk = Walk { stops: Vec::new(), prefixes: vec![0], string: None, has_tokens: false };
        for step in 0..n_steps {
            walk.stops.push(Stop::of_branch(step, Direction::True, Direction::False));
            walk.prefixes.push(hash(&(walk.path(), step)));
        }
        for n_workers in 1..=4 {
            let mut asked: Vec<Flip> = Vec::new();
            for number in 0..n_workers {
                let of_others = Share { number, n_workers }.of_others(&walk);
                let own: Vec<Flip> = walk.flips(0).filter(|flip| !of_others.contains(flip)).collect();
                // Nobody has twice what is due, nor half of it.
                let due = n_steps as usize / n_workers;
                assert!((due / 2..=2 * due).contains(&own.len()), "{n_workers} {}", own.len());
                asked.extend(own);
            }
            asked.sort_unstable();
            assert_eq!(asked, walk.flips(0).collect::<Vec<_>>());
        }
    }
}
