//! Directions that no run took, although some come to their branch: the frontier of what is covered.
//!
//! Where a chain of conditions has to hold, each of them does in some run, and never all in one. So what comes to such a
//! branch is kept, and changed so that it still comes there ([`crate::explorer`] does so): what a run has there is another
//! thing each time, and now and then the direction is possible. Branches that few tests come to are first.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use gimlet_mutate::Leeway;
use gimlet_trace::Input;
use rustc_hash::FxHashSet;

use super::super::source::{Side, Source, Spent, Turns, View};
use super::super::Needs;
use crate::run::walk::hash;
use crate::strategy::Task;

/// Tests of one branch that are kept: the shortest, and the latest.
const N_EXAMPLES: usize = 4;
const N_LATEST: usize = 12;
/// Looks of a branch that are remembered.
const N_LOOKS_MAX: usize = 1 << 14;
/// Longer tests are left to others: a run of them takes long, and there is too much to change.
const LEN_MAX: usize = 4096;
/// Turns that a walk goes on for, until it begins anew.
const N_TURNS_OF_WALKER: u32 = 16;

/// A direction, by the numbers of its branch and of itself.
pub type Wanted = (u32, u32);

/// An input that comes to a branch.
#[derive(Clone)]
pub struct Example {
    pub input: Rc<Input>,
    /// What may be done to each of its sources; `None` if nobody has tried.
    pub leeway: Option<Vec<Leeway>>,
}

impl Example {
    pub fn new(input: Input) -> Example {
        Example { input: Rc::new(input), leeway: None }
    }
}

/// A direction that nobody took.
#[derive(Default)]
pub struct Frontier {
    /// Tests that come to its branch, the shortest first; short ones have little that is in the way of a change,
    pub examples: Vec<Example>,
    /// and the last new ones, which do something that no other test did.
    latest: VecDeque<Example>,
    /// The last input of a walk over inputs that come there, and for how many turns it has gone on.
    pub walker: Option<(Example, u32)>,
    /// The longest input of the walk.
    pub len_of_walk: usize,
    /// How many tests come there.
    n_tests: u32,
    pub n_turns: u32,
    /// What inputs that came there look like to the counters, and what was joined.
    looks: FxHashSet<u64>,
    joined: FxHashSet<u64>,
    /// With how many tests the shortest example was joined.
    pub n_joined: usize,
    /// Time for mutants, and for runs that are followed.
    pub mutated: f64,
    pub followed: f64,
}

impl Frontier {
    pub fn is_known(&self, input: &Input) -> bool {
        self.examples.iter().any(|example| *example.input == *input)
    }

    /// Whether nothing that came there looked so.
    pub fn is_new(&mut self, look: u64) -> bool {
        if self.looks.len() >= N_LOOKS_MAX {
            self.looks.clear();
        }
        self.looks.insert(look)
    }

    /// Whether an input was not made of two before.
    pub fn is_first(&mut self, input: &Input) -> bool {
        if self.joined.len() >= N_LOOKS_MAX {
            self.joined.clear();
        }
        self.joined.insert(hash(input))
    }

    /// Keeps an example, if it is short enough.
    pub fn keep(&mut self, example: Example) {
        let place = self.examples.iter().position(|other| other.input.len() > example.input.len());
        self.examples.insert(place.unwrap_or(self.examples.len()), example);
        self.examples.truncate(N_EXAMPLES);
    }

    /// Examples have become shorter.
    pub fn sort(&mut self) {
        self.examples.sort_by_key(|example| example.input.len());
        self.examples.dedup_by(|one, other| one.input == other.input);
    }

    /// Bytes of the shortest example.
    pub fn shortest(&self) -> usize {
        self.examples.first().map_or(0, |example| example.input.len())
    }

    /// What the next turn begins with; the place of the example, if it is one.
    pub fn next_start(&mut self) -> Option<(Example, Option<usize>)> {
        if let Some((walker, n_turns)) = self.walker.take().filter(|&(_, n_turns)| n_turns < N_TURNS_OF_WALKER) {
            self.walker = Some((walker.clone(), n_turns + 1));
            return Some((walker, None));
        }
        let number = self.n_turns as usize / 2;
        if self.n_turns % 2 == 1 && !self.latest.is_empty() {
            return Some((self.latest[number % self.latest.len()].clone(), None));
        }
        let place = number % self.examples.len().max(1);
        Some((self.examples.get(place)?.clone(), Some(place)))
    }

    /// The less, the sooner: what it had, where few come to.
    fn rank(&self) -> f64 {
        (self.mutated + self.followed + 0.05) * f64::from(1 + self.n_tests).log2()
    }
}

pub struct Frontiers {
    is_wanted: bool,
    all: BTreeMap<Wanted, Frontier>,
}

impl Frontiers {
    pub fn new(needs: &Needs) -> Frontiers {
        Frontiers { is_wanted: needs.plan.mutates && needs.plan.solves(), all: BTreeMap::new() }
    }

    /// Whether anybody wants to know where a test comes to.
    pub fn wants(&self, input: &Input) -> bool {
        self.is_wanted && input.len() <= LEN_MAX
    }

    /// A new test comes to branches with these directions, which nobody took.
    pub fn note(&mut self, input: &Input, open: impl Iterator<Item = Wanted>) {
        let mut example = None;
        for wanted in open {
            let frontier = self.all.entry(wanted).or_default();
            frontier.n_tests += 1;
            let is_short = frontier.examples.len() < N_EXAMPLES
                || frontier.examples.last().is_some_and(|last| input.len() < last.input.len());
            let example = example.get_or_insert_with(|| Example::new(input.without_stretches()));
            if is_short && !frontier.is_known(&example.input) {
                frontier.keep(example.clone());
            }
            frontier.latest.push_back(example.clone());
            if frontier.latest.len() > N_LATEST {
                frontier.latest.pop_front();
            }
        }
    }

    /// The direction whose turn it is; those that some run took are forgotten.
    pub fn take(&mut self, is_open: impl Fn(Wanted) -> bool) -> Option<(Wanted, Frontier)> {
        self.all.retain(|&wanted, _| is_open(wanted));
        let first = self.all.iter().min_by(|(_, one), (_, other)| one.rank().total_cmp(&other.rank()));
        let wanted = *first?.0;
        Some((wanted, self.all.remove(&wanted)?))
    }

    pub fn put_back(&mut self, wanted: Wanted, frontier: Frontier) {
        self.all.insert(wanted, frontier);
    }

    pub fn n_left(&self) -> usize {
        self.all.len()
    }
}

impl Source for Frontiers {
    fn name(&self) -> &'static str {
        "frontiers"
    }

    /// It has something to do as long as there are tests, as mutation has.
    fn side(&self) -> Side {
        Side::Mutation
    }

    fn turns(&self, _: &View) -> Turns {
        Turns::OfWhole
    }

    fn is_ready(&self) -> bool {
        !self.all.is_empty()
    }

    fn n_waiting(&self) -> usize {
        0
    }

    fn next(&mut self, _: &View) -> Option<Task> {
        self.is_ready().then_some(Task::PressOn)
    }

    fn spent(&mut self, _: &Spent) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::tests::needs;

    #[test]
    fn few_tests_first_and_short_ones_are_kept() {
        let mut frontiers = Frontiers::new(&needs());
        for number in 0..20 {
            let input = Input::stdin("x".repeat(40 - number));
            let rare = (number % 10 == 0).then_some((2, 0));
            frontiers.note(&input, [(1, 1)].into_iter().chain(rare));
        }
        assert_eq!(frontiers.n_left(), 2);
        let (wanted, frontier) = frontiers.take(|_| true).unwrap();
        assert_eq!((wanted, frontier.examples.len()), ((2, 0), 2));
        frontiers.put_back(wanted, Frontier { mutated: 1.0, ..frontier });
        let (wanted, frontier) = frontiers.take(|_| true).unwrap();
        assert_eq!((wanted, frontier.examples.len(), frontier.shortest()), ((1, 1), N_EXAMPLES, 21));
        frontiers.put_back(wanted, frontier);
        assert!(frontiers.take(|(branch, _)| branch > 2).is_none() && !frontiers.is_ready());
    }

    #[test]
    fn a_walk_ends_and_begins_anew() {
        let mut frontier = Frontier::default();
        frontier.keep(Example::new(Input::stdin("a")));
        frontier.walker = Some((Example::new(Input::stdin("b")), 0));
        let mut starts = (0..20).filter_map(|_| frontier.next_start());
        assert_eq!(starts.by_ref().take_while(|(_, place)| place.is_none()).count() as u32, N_TURNS_OF_WALKER);
        assert!(starts.all(|(_, place)| place == Some(0)));
    }
}
