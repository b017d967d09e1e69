//! What earlier queries tell about a new one.
//!
//! Everything is filed by structure, so it serves other paths as well:
//!
//! - the verdict on the same slice: the same literals and the same domains;
//! - cores: a slice that contains the literals of an unsatisfiable set, with domains inside its
//!   domains, is unsatisfiable;
//! - models: the latest ones are tried on the slice.
//!
//! Memory is bounded: a table that is full is emptied.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::byte_set::ByteSet;
use crate::fingerprint::{mix, Fingerprint};
use crate::query::Model;

/// Models that are kept.
const N_MODELS_MAX: usize = 64;
/// Cores filed under one literal.
const N_CORES_EACH_MAX: usize = 16;

/// A question and its slice, by structure.
#[derive(Debug)]
pub struct Shape {
    /// Fingerprints of the literals.
    pub literals: Vec<Fingerprint>,
    /// Domains of the bytes, those of fixed ones included.
    pub domains: FxHashMap<u32, ByteSet>,
}

impl Shape {
    /// The same for equal slices, in whatever order.
    fn key(&self) -> Fingerprint {
        let literals = self.literals.iter().fold(0, |sum: u128, &literal| sum.wrapping_add(mix(1, literal)));
        let of_domain = |(&byte, domain): (&u32, &ByteSet)| {
            domain.words().into_iter().fold(mix(2, u128::from(byte)), |hash, word| mix(hash, u128::from(word)))
        };
        let is_narrow = |(_, domain): &(&u32, &ByteSet)| **domain != ByteSet::ALL;
        let domains = self.domains.iter().filter(is_narrow).map(of_domain).fold(0, u128::wrapping_add);
        mix(literals, domains)
    }
}

/// Literals and domains that contradict each other.
#[derive(Debug)]
pub struct Core {
    pub literals: Vec<Fingerprint>,
    pub domains: Vec<(u32, ByteSet)>,
}

/// What the tables tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Known {
    Unsat,
    /// Models of the slice or of others, the likeliest first. None is validated.
    Maybe(Vec<Model>),
}

/// Verdicts, cores and models.
#[derive(Debug, Default)]
pub struct Tables {
    /// `None`: unsatisfiable.
    verdicts: FxHashMap<Fingerprint, Option<Model>>,
    /// By the least of their literals.
    cores: FxHashMap<Fingerprint, Vec<Core>>,
    n_cores: usize,
    models: VecDeque<Model>,
}

impl Tables {
    /// What is known about a slice; models are about any of `bytes`.
    pub fn find(&self, shape: &Shape, bytes: &[u32]) -> Known {
        let mut models = Vec::new();
        match self.verdicts.get(&shape.key()) {
            Some(None) => return Known::Unsat,
            Some(Some(model)) => models.push(model.clone()),
            None if self.has_core(shape) => return Known::Unsat,
            None => {}
        }
        let overlaps = |model: &&Model| bytes.iter().any(|&byte| model.get(byte).is_some());
        models.extend(self.models.iter().rev().filter(overlaps).cloned());
        Known::Maybe(models)
    }

    fn has_core(&self, shape: &Shape) -> bool {
        if self.n_cores == 0 {
            return false;
        }
        let literals: FxHashSet<Fingerprint> = shape.literals.iter().copied().collect();
        let is_inside = |&(byte, allowed): &(u32, ByteSet)| {
            shape.domains.get(&byte).copied().unwrap_or(ByteSet::ALL).is_subset(&allowed)
        };
        let applies = |core: &Core| {
            core.literals.iter().all(|literal| literals.contains(literal)) && core.domains.iter().all(is_inside)
        };
        shape.literals.iter().any(|literal| self.cores.get(literal).is_some_and(|cores| cores.iter().any(applies)))
    }

    /// Remembers a verdict; `None` for unsatisfiable.
    pub fn insert(&mut self, shape: &Shape, model: Option<&Model>, n_max: usize) {
        if self.verdicts.len() >= n_max {
            self.verdicts.clear();
        }
        self.verdicts.insert(shape.key(), model.cloned());
        if let Some(model) = model {
            if self.models.len() == N_MODELS_MAX {
                self.models.pop_front();
            }
            self.models.push_back(model.clone());
        }
    }

    /// Remembers a core that is smaller than the slice it comes from.
    pub fn insert_core(&mut self, core: Core, n_max: usize) {
        let Some(&least) = core.literals.iter().min() else {
            return;
        };
        if self.n_cores >= n_max {
            self.cores.clear();
            self.n_cores = 0;
        }
        let cores = self.cores.entry(least).or_default();
        if cores.len() < N_CORES_EACH_MAX {
            cores.push(core);
            self.n_cores += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits() -> ByteSet {
        (b'0'..=b'9').collect()
    }

    fn shape(literals: &[Fingerprint], domains: &[(u32, ByteSet)]) -> Shape {
        Shape { literals: literals.to_vec(), domains: domains.iter().copied().collect() }
    }

    #[test]
    fn the_same_slice_in_another_order() {
        let mut tables = Tables::default();
        tables.insert(&shape(&[7, 9], &[(1, digits()), (2, ByteSet::ALL)]), None, 10);
        assert_eq!(tables.find(&shape(&[9, 7], &[(1, digits())]), &[1]), Known::Unsat);
        assert_eq!(tables.find(&shape(&[9, 7], &[(2, digits())]), &[1]), Known::Maybe(vec![]));
        assert_eq!(tables.find(&shape(&[9], &[(1, digits())]), &[1]), Known::Maybe(vec![]));
    }

    #[test]
    fn cores_answer_supersets() {
        let mut tables = Tables::default();
        tables.insert_core(Core { literals: vec![7, 9], domains: vec![(1, digits())] }, 10);
        let five: ByteSet = [b'5'].into_iter().collect();
        assert_eq!(tables.find(&shape(&[9, 3, 7], &[(1, five)]), &[1]), Known::Unsat);
        assert_eq!(tables.find(&shape(&[9, 3, 7], &[]), &[1]), Known::Maybe(vec![]));
        assert_eq!(tables.find(&shape(&[3, 7], &[(1, five)]), &[1]), Known::Maybe(vec![]));
    }

    #[test]
    fn models_and_bounds() {
        let mut tables = Tables::default();
        let model = |byte, value| Model::from_iter([(byte, value)]);
        for byte in 0..5 {
            tables.insert(&shape(&[u128::from(byte)], &[]), Some(&model(byte, 1)), 3);
        }
        assert!(tables.verdicts.len() <= 3);
        assert_eq!(tables.find(&shape(&[77], &[]), &[2, 3]), Known::Maybe(vec![model(3, 1), model(2, 1)]));
        for number in 0..20 {
            tables.insert_core(Core { literals: vec![number], domains: vec![] }, 8);
        }
        assert!(tables.n_cores <= 8);
    }
}
