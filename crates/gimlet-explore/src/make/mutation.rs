//! Mutation as a part of the search: mutants are run on PROG.edges, and what is new becomes a test.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gimlet_exec::edges::{Counters, EdgeImage, EdgesRun, EdgesTarget};
use gimlet_expr::Node;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_mutate::{Breeder, End, Mutant};
use gimlet_path::PathCondition;
use gimlet_trace::Input;
use rustc_hash::FxHashMap;

use crate::explorer::Settings;
use crate::program::pace::Pace;
use crate::run::walk::hash;

/// Counters of images that are loaded later.
const N_SPARE: usize = 16 << 10;
/// A mutant may take at least so long.
const SHORTEST_LIMIT: Duration = Duration::from_millis(20);
/// Words that are taken from comparisons.
const N_COMPARED_MAX: usize = 500;
/// Longest mutant where nobody says anything.
const LEN_MAX_DEFAULT: usize = 1024;

/// What mutation knows.
pub struct Mutation {
    pub breeder: Breeder,
    /// Where each image has its counters in the map, by path.
    places: FxHashMap<String, usize>,
    n_counters: usize,
    map: Vec<u8>,
    /// Counters that differ between runs of one input; they tell nothing.
    unstable: BTreeSet<usize>,
    /// Pairs of runs that were compared for it.
    pub n_repeats: u64,
    /// Of tests.
    pace: Pace,
    /// Whether the clock must not decide.
    is_repeatable: bool,
    n_words_compared: usize,
}

impl Mutation {
    fn new(seed: u64, len_max: usize, first: &[Counters], is_repeatable: bool) -> Mutation {
        let is_alone = first.len() <= 1;
        let n_first: usize = first.iter().map(|counters| counters.bytes.len()).sum();
        let n_map = n_first + if is_alone { 0 } else { N_SPARE };
        Mutation {
            breeder: Breeder::new(seed, len_max, n_map),
            places: FxHashMap::default(),
            n_counters: 0,
            map: vec![0; n_map],
            unstable: BTreeSet::new(),
            n_repeats: 0,
            pace: Pace::default(),
            is_repeatable,
            n_words_compared: 0,
        }
    }

    /// How long a mutant may take.
    pub fn limit(&self, longest: Duration) -> Duration {
        self.pace.limit(SHORTEST_LIMIT, longest)
    }

    /// What a run costs: its time, or how far its counters went.
    fn cost(&self, elapsed: Duration) -> u64 {
        if self.is_repeatable {
            self.map.iter().map(|&count| u64::from(count)).sum()
        } else {
            elapsed.as_micros() as u64
        }
    }

    /// All counters of a run in one place.
    fn fill<'a>(&mut self, counters: impl Iterator<Item = (&'a Arc<EdgeImage>, &'a [u8])>) {
        self.map.fill(0);
        for (image, bytes) in counters {
            let place = match self.places.get(&image.path) {
                Some(&place) => place,
                None => {
                    self.places.insert(image.path.clone(), self.n_counters);
                    self.n_counters += bytes.len();
                    self.n_counters - bytes.len()
                }
            };
            if let Some(to) = self.map.get_mut(place..place + bytes.len()) {
                to.copy_from_slice(bytes);
            }
        }
        for &number in &self.unstable {
            self.map[number] = 0;
        }
    }

    /// What the last run counted, as far as the breeder tells counts apart.
    pub fn classes(&mut self, target: &EdgesTarget) -> Vec<u8> {
        self.fill(target.counters());
        gimlet_mutate::classify(&mut self.map);
        self.map.clone()
    }

    /// Compares the last run with another one of the same input; true if they differ.
    pub fn compare(&mut self, classes: &[u8], target: &EdgesTarget) -> bool {
        let others = self.classes(target);
        let differing = (0..others.len()).filter(|&number| others[number] != classes[number]);
        self.n_repeats += 1;
        let n_before = self.unstable.len();
        self.unstable.extend(differing);
        self.unstable.len() > n_before
    }

    /// Counters that differ between runs of one input, by image and number there.
    pub fn unstable(&self) -> impl Iterator<Item = (&str, usize)> {
        self.unstable.iter().filter_map(|&number| {
            let images = self.places.iter().filter(|&(_, &place)| place <= number);
            let (image, place) = images.max_by_key(|&(_, &place)| place)?;
            Some((image.as_str(), number - place))
        })
    }

    /// The part of the counters that do not.
    pub fn stability(&self) -> f64 {
        let n_moved = self.breeder.n_moved().max(self.unstable.len()).max(1);
        1.0 - self.unstable.len() as f64 / n_moved as f64
    }

    /// A hash of what the last run counted, as far as the breeder tells counts apart.
    pub fn look(&mut self, target: &EdgesTarget) -> u64 {
        hash(&self.classes(target))
    }

    /// Takes in a mutant's run, the target's last; `Some` if it is new: the number of a test, or nothing of the kind for a bad end.
    pub fn ran(&mut self, mutant: Mutant, target: &EdgesTarget, end: End, elapsed: Duration) -> Option<usize> {
        self.fill(target.counters());
        let number = self.breeder.ran(mutant, &self.map, end, self.cost(elapsed))?;
        if end == End::Normal {
            self.pace.took(elapsed);
        }
        Some(number)
    }

    /// Whether no mutant has ended badly so, as the last run of a build did; none will again.
    pub fn is_new_end(&mut self, mutant: &Mutant, target: &EdgesTarget) -> bool {
        self.fill(target.counters());
        self.breeder.is_new_end(mutant, &self.map)
    }

    /// Takes in a test that somebody else made; true if it counts anything new.
    pub fn take(&mut self, input: &Input, run: &EdgesRun) -> bool {
        self.fill(run.counters.iter().map(|counters| (&counters.image, &*counters.bytes)));
        let is_new = self.breeder.take(input, &self.map, self.cost(run.elapsed));
        if is_new {
            self.pace.took(run.elapsed);
        }
        is_new
    }

    /// Takes words from what a run compared with constants.
    pub fn learn(&mut self, path: &PathCondition) {
        for step in &path.steps {
            if self.n_words_compared >= N_COMPARED_MAX {
                return;
            }
            let Node::Binary { op, lhs, rhs } = path.dag.node(step.condition) else { continue };
            if !op.is_comparison() {
                continue;
            }
            let constant = path.dag.as_const(lhs).or_else(|| path.dag.as_const(rhs));
            if let Some(value) = constant.filter(|&value| value > u128::from(u8::MAX)) {
                let n_before = self.breeder.n_words();
                let words = words_of(value as u64);
                self.breeder.add_words(words.iter().map(Vec::as_slice));
                self.n_words_compared += self.breeder.n_words() - n_before;
            }
        }
    }
}

/// Mutation for a search, with the words and the language that it is given. `first` is what some run counted.
pub fn begin(settings: &Settings, subtree_mutator: Option<SubtreeMutator>, first: &[Counters]) -> Mutation {
    let len_max = settings.lengths.max().unwrap_or(LEN_MAX_DEFAULT);
    let mut mutation = Mutation::new(settings.seed, len_max, first, !settings.is_timed());
    mutation.breeder.add_words(settings.words.iter().map(Vec::as_slice));
    if let Some(subtree_mutator) = subtree_mutator {
        mutation.breeder.set_language(subtree_mutator, &settings.given.primary);
    }
    settings.samples.iter().for_each(|sample| mutation.breeder.add_sample(sample));
    mutation
}

/// A number as programs may read it: in binary, and as text.
pub fn words_of(value: u64) -> Vec<Vec<u8>> {
    let n_bytes = match value {
        0..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    };
    let little = value.to_le_bytes()[..n_bytes].to_vec();
    let big = value.to_be_bytes()[8 - n_bytes..].to_vec();
    vec![little, big, (value as i64).to_string().into_bytes()]
}
