//! Few inputs that together do all that many do.
//!
//! What an input does is its set of features: the counters of PROG.edges that it moves, each with the class of its count.
//! To cover all features with as little as possible is the weighted set cover, which is hard; taking the input with the
//! most new features for its price again and again is as good as anything fast can be (Chvátal 1979), and leaving out what
//! the later choices made superfluous improves it. The price has one part for being there, one for its bytes and one for
//! how far it makes the counters go, each as a share of what inputs have on average: so neither ten thousand tiny inputs
//! win nor one huge one. Nobody looks at the clock, so that the same inputs give the same result.
//!
//! A feature takes about a byte, as a difference from the one before; inputs with equal sets keep only the cheapest. An
//! input's new features only become fewer, so the best one is found by asking again only those that seemed better.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::BinaryHeap;

use gimlet_exec::edges::EdgesTarget;
use gimlet_exec::ExecError;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::corpus::features::Features;
use crate::findings;
use crate::run::walk::hash;

/// A price of one on average, in the units of prices.
const UNIT: u64 = 1024;

/// An input on the balance.
struct Candidate {
    /// The caller's number for it.
    number: usize,
    n_bytes: u64,
    /// How far its counters went.
    n_counted: u64,
    features: Box<[u8]>,
}

/// What became of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Taken,
    /// It does the same as another; the smaller one of them stays.
    Equal,
    /// It ends by a crash or a limit.
    Bad(Outcome),
}

/// Runs inputs and chooses among them.
pub struct Distillery {
    target: EdgesTarget,
    features: Features,
    candidates: Candidates,
}

/// Those that were chosen, and all that they do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Essence {
    /// In order.
    pub numbers: Vec<usize>,
    features: FxHashSet<u32>,
}

impl Essence {
    /// Features that have not been struck out.
    pub fn n_features(&self) -> usize {
        self.features.len()
    }
}

impl Distillery {
    pub fn new(target: EdgesTarget) -> Distillery {
        Distillery { target, features: Features::default(), candidates: Candidates::default() }
    }

    /// Runs an input, and puts it with the others.
    pub fn add(&mut self, number: usize, input: &Input) -> Result<Fate, ExecError> {
        let run = self.target.run_in_place(input)?;
        if findings::is_suspicious(run.outcome) {
            return Ok(Fate::Bad(run.outcome));
        }
        let features = pack(&self.features.of(self.target.counters()));
        let bytes = self.target.counters().flat_map(|(_, bytes)| bytes);
        let n_counted = bytes.map(|&count| u64::from(count)).sum();
        let is_different = self.candidates.add(Candidate { number, n_bytes: input.len() as u64, n_counted, features });
        Ok(if is_different { Fate::Taken } else { Fate::Equal })
    }

    /// Inputs that differ in what they do.
    pub fn n_different(&self) -> usize {
        self.candidates.all.len()
    }

    /// Chooses.
    pub fn essence(&self) -> Essence {
        self.candidates.essence()
    }

    /// Runs an input again, and strikes out what it does.
    pub fn strike_out(&mut self, essence: &mut Essence, input: &Input) -> Result<(), ExecError> {
        self.target.run_in_place(input)?;
        for feature in self.features.of(self.target.counters()) {
            essence.features.remove(&feature);
        }
        Ok(())
    }
}

/// Inputs that differ.
#[derive(Default)]
struct Candidates {
    all: Vec<Candidate>,
    by_features: FxHashMap<u64, usize>,
}

impl Candidates {
    /// False if there is one like it; the smaller one stays.
    fn add(&mut self, candidate: Candidate) -> bool {
        match self.by_features.entry(hash(&candidate.features)) {
            Entry::Vacant(entry) => {
                entry.insert(self.all.len());
                self.all.push(candidate);
                true
            }
            Entry::Occupied(entry) => {
                let known = &mut self.all[*entry.get()];
                if (candidate.n_bytes, candidate.n_counted) < (known.n_bytes, known.n_counted) {
                    *known = candidate;
                }
                false
            }
        }
    }

    fn essence(&self) -> Essence {
        let prices = self.prices();
        let mut covered = FxHashSet::default();
        let mut chosen = Vec::new();
        let offer = |n_new: usize, index: usize| {
            let value = n_new as u64 * UNIT * UNIT / prices[index];
            (value, Reverse(prices[index]), Reverse(index))
        };
        let all = self.all.iter().enumerate();
        let mut heap: BinaryHeap<_> =
            all.map(|(index, candidate)| offer(unpack(&candidate.features).count(), index)).collect();
        while let Some((.., Reverse(index))) = heap.pop() {
            let features = &self.all[index].features;
            let n_new = unpack(features).filter(|feature| !covered.contains(feature)).count();
            if n_new == 0 {
                continue;
            }
            let now = offer(n_new, index);
            if heap.peek().is_some_and(|next| *next > now) {
                heap.push(now);
            } else {
                covered.extend(unpack(features));
                chosen.push(index);
            }
        }
        self.leave_out(&mut chosen, &prices);
        let mut numbers: Vec<usize> = chosen.iter().map(|&index| self.all[index].number).collect();
        numbers.sort_unstable();
        Essence { numbers, features: covered }
    }

    /// What each costs, at least a unit.
    fn prices(&self) -> Vec<u64> {
        let mean = |part: fn(&Candidate) -> u64| {
            (self.all.iter().map(part).sum::<u64>() / self.all.len().max(1) as u64).max(1)
        };
        let (n_bytes_mean, n_counted_mean) = (mean(|it| it.n_bytes), mean(|it| it.n_counted));
        let price = |it: &Candidate| UNIT + it.n_bytes * UNIT / n_bytes_mean + it.n_counted * UNIT / n_counted_mean;
        self.all.iter().map(price).collect()
    }

    /// Leaves out what the others have as well, the dearest first.
    fn leave_out(&self, chosen: &mut Vec<usize>, prices: &[u64]) {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for &index in chosen.iter() {
            unpack(&self.all[index].features).for_each(|feature| *counts.entry(feature).or_default() += 1);
        }
        chosen.sort_by_key(|&index| (Reverse(prices[index]), index));
        chosen.retain(|&index| {
            let features = &self.all[index].features;
            let is_needed = unpack(features).any(|feature| counts.get(&feature) == Some(&1));
            if !is_needed {
                unpack(features).for_each(|feature| *counts.entry(feature).or_default() -= 1);
            }
            is_needed
        });
    }
}

/// Numbers in order as differences, seven bits a byte.
fn pack(features: &[u32]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(features.len() * 2);
    let mut last = 0;
    for &feature in features {
        let mut difference = feature - last;
        last = feature;
        while difference >= 0x80 {
            bytes.push(difference as u8 | 0x80);
            difference >>= 7;
        }
        bytes.push(difference as u8);
    }
    bytes.into()
}

fn unpack(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut last = 0;
    let mut rest = bytes.iter();
    std::iter::from_fn(move || {
        let (mut difference, mut shift) = (0, 0);
        loop {
            let &byte = rest.next()?;
            difference |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                last += difference;
                return Some(last);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of those that are chosen; inputs are given by size and features.
    fn check(inputs: &[(u64, &[u32])], expected: &[usize]) {
        let mut candidates = Candidates::default();
        for (number, &(n_bytes, features)) in inputs.iter().enumerate() {
            candidates.add(Candidate { number, n_bytes, n_counted: features.len() as u64, features: pack(features) });
        }
        let essence = candidates.essence();
        assert_eq!(essence.numbers, expected);
        let all: FxHashSet<u32> = inputs.iter().flat_map(|(_, features)| features.iter().copied()).collect();
        assert_eq!(essence.features, all);
    }

    #[test]
    fn little_is_enough() {
        check(&[], &[]);
        check(&[(5, &[1, 2]), (5, &[2, 3]), (5, &[1, 2, 3])], &[2]);
        // One that is large is no match for two that are small.
        check(&[(5, &[1, 2]), (5, &[3, 4]), (5000, &[1, 2, 3, 4])], &[0, 1]);
        check(&[(5, &[1]), (4, &[1]), (4, &[1])], &[1]);
    }

    #[test]
    fn what_later_choices_made_superfluous_goes() {
        // The first choice is the one with four; the other two have all of it.
        check(&[(9, &[1, 2, 3, 4]), (9, &[1, 2, 5]), (9, &[3, 4, 6])], &[1, 2]);
    }

    #[test]
    fn numbers_survive_being_packed() {
        let features = [0, 1, 127, 128, 300, 70_000, u32::MAX];
        assert_eq!(unpack(&pack(&features)).collect::<Vec<_>>(), features);
    }
}
