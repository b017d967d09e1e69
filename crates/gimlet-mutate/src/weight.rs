//! How often a test is chosen, and how many mutants it has each time.
//!
//! As in AFL++: small and fast tests first, those that reach much, those that are the best for many counters, and those
//! that never had their turn. LibAFL's own scores do the same, but go by the clock and by the order of a hash map; here
//! nothing does, so that a run can be repeated if what is called its cost can.

use libafl::corpus::{Corpus, Testcase};
use libafl::schedulers::testcase_score::TestcaseScore;
use libafl::state::HasCorpus;
use libafl::{Error, HasMetadata};
use serde::{Deserialize, Serialize};

/// What is known of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Worth {
    /// Counters that it moves.
    pub n_counters: usize,
    /// Counters for which no test is better.
    pub n_best: usize,
    /// What a run costs, in whatever the caller counts.
    pub cost: u64,
    pub depth: u64,
    pub n_turns: u64,
}

libafl_bolts::impl_serdeany!(Worth);

/// Sums over all tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    pub n_tests: u64,
    pub cost: u64,
    pub n_counters: u64,
}

libafl_bolts::impl_serdeany!(Totals);

/// Mutants of an average test at a time.
const N_MUTANTS: f64 = 128.0;
const N_MUTANTS_MAX: f64 = 1024.0;
/// A test that is the best for some counter counts as several.
const FAVOUR: f64 = 5.0;

/// Computes the weight.
#[derive(Debug)]
pub struct Weight;

impl<I, S> TestcaseScore<I, S> for Weight
where
    S: HasCorpus<I> + HasMetadata,
{
    fn compute(state: &S, entry: &mut Testcase<I>) -> Result<f64, Error> {
        let totals = state.metadata::<Totals>()?;
        let worth = entry.metadata::<Worth>()?;
        let n_tests = state.corpus().count().max(1) as f64;
        let mut weight = 1.0;
        weight *= (average(totals.cost, n_tests) / worth.cost.max(1) as f64).clamp(0.1, 4.0);
        weight *= (1.0 + worth.n_counters as f64).log2() / (1.0 + average(totals.n_counters, n_tests)).log2();
        weight *= 1.0 + worth.n_best as f64 / average(totals.n_counters, n_tests);
        if worth.n_best > 0 {
            weight *= FAVOUR;
        }
        if worth.n_turns == 0 {
            weight *= 2.0;
        }
        Ok(weight)
    }
}

/// How many mutants a test has in one turn.
pub fn n_mutants(worth: &Worth, totals: &Totals) -> usize {
    let n_tests = totals.n_tests.max(1) as f64;
    let mut n_mutants = N_MUTANTS;
    n_mutants *= (average(totals.cost, n_tests) / worth.cost.max(1) as f64).clamp(0.1, 3.0);
    n_mutants *= (worth.n_counters as f64 / average(totals.n_counters, n_tests)).clamp(0.25, 3.0);
    n_mutants *= match worth.depth {
        0..=3 => 1.0,
        4..=7 => 2.0,
        8..=13 => 3.0,
        _ => 4.0,
    };
    n_mutants.clamp(8.0, N_MUTANTS_MAX) as usize
}

fn average(sum: u64, n_tests: f64) -> f64 {
    (sum as f64 / n_tests).max(1.0)
}
