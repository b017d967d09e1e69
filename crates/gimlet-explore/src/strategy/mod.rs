//! What a search does, as the user names it ([`Kind`], and what follows from it: [`plan`]); and the order of its questions.
//!
//! A [`Strategy`] chooses among the flips of runs, and the inputs that came of them; it never executes and never solves. It
//! is asked for a [`Task`] when it is the turn of flips ([`crate::schedule`]), and told of each run ([`Strategy::ran`]) and
//! of inputs that the solver found ([`Strategy::offer`]).

mod cese;
mod dfs;
mod generational;
pub mod plan;
mod quiet;
mod random;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use gimlet_path::Direction;
use rustc_hash::FxHashSet;

use self::plan::{Order, Plan};
use crate::run::job::{Job, Origin, RunId};
use crate::run::seen::{Rare, Seen};
use crate::run::walk::{hash, Level, Walk};
use crate::schedule::{HardQuestion, Spent};

/// The strategies by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Hybrid,
    Dfs,
    Generational,
    Random,
    Mutation,
    Cese,
    /// Symbolic tokens, any of them.
    Tokens,
    /// Symbolic tokens that are sentences.
    Grammar,
    /// Random changes of seeds.
    Blackbox,
    /// Random sentences.
    GrammarBlackbox,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        let is_called = |kind: &Kind| kind.name() == text || (*kind == Kind::Generational && text == "whitebox");
        Kind::ALL
            .into_iter()
            .find(is_called)
            .ok_or_else(|| format!("'{text}' is no strategy; there are {}", Kind::ALL.map(Kind::name).join(", ")))
    }
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::Hybrid,
        Kind::Dfs,
        Kind::Generational,
        Kind::Random,
        Kind::Mutation,
        Kind::Cese,
        Kind::Tokens,
        Kind::Grammar,
        Kind::Blackbox,
        Kind::GrammarBlackbox,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Hybrid => "hybrid",
            Kind::Dfs => "dfs",
            Kind::Generational => "generational",
            Kind::Random => "random",
            Kind::Mutation => "mutation",
            Kind::Cese => "cese",
            Kind::Tokens => "tokens",
            Kind::Grammar => "grammar",
            Kind::Blackbox => "blackbox",
            Kind::GrammarBlackbox => "grammar-blackbox",
        }
    }

    /// What it implies.
    pub const fn plan(self) -> Plan {
        Plan::of(self)
    }
}

/// A strategy, ready to be used.
pub fn start(order: Order, seed: u64) -> Box<dyn Strategy> {
    match order {
        Order::None => Box::<quiet::Quiet>::default(),
        Order::DepthFirst => Box::<dfs::Dfs>::default(),
        Order::Strings => Box::<cese::Cese>::default(),
        Order::Generational => Box::<generational::Generational>::default(),
        Order::Random => Box::new(random::Random::new(seed)),
    }
}

/// One thing to do.
#[derive(Debug)]
pub enum Task {
    Run(Job),
    /// Find inputs that leave the path of a run; the flips are by ascending step.
    Expand {
        run: RunId,
        flips: Vec<Flip>,
    },
    /// Run mutants for a while.
    Mutate,
    /// Change what comes to a branch of which a direction was never taken.
    PressOn,
    /// Run inputs that are made without a look at the program.
    Draw,
    /// Take the next symbolic string, if there is one.
    TakeString,
    /// Make sentences of the grammar alone.
    Grow,
    /// Lead another sentence to where nobody was.
    Goal,
    /// Ask again what was too hard.
    Retry(HardQuestion),
    /// Make stretches in a test.
    Stretch,
    /// Take up a run of an earlier search.
    TakeUp(RunId),
}

/// How soon an input is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// It brings nothing new: behind all others.
    Lowest,
    /// It brings nothing new, and yet more than those.
    Low,
    High,
}

/// A step of a run, and where it is to go instead; a read without a direction gets other lengths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flip {
    pub step: usize,
    pub direction: Option<Ordered>,
}

/// A direction with an order, so that what is chosen does not depend on chance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ordered(pub Direction);

impl Ordered {
    /// A code and a value, which stand for the direction on disk too.
    pub fn rank(self) -> (u8, u64) {
        match self.0 {
            Direction::True => (0, 0),
            Direction::False => (1, 0),
            Direction::Case(value) => (2, value),
            Direction::Default => (3, 0),
            Direction::Pinned => (4, 0),
            Direction::Unpinned => (5, 0),
            Direction::Inside => (6, 0),
            Direction::Outside => (7, 0),
            Direction::Divided => (8, 0),
            Direction::ByZero => (9, 0),
            Direction::Overflow => (10, 0),
            Direction::Holds => (11, 0),
            Direction::Fails => (12, 0),
        }
    }

    pub fn from_rank((code, value): (u8, u64)) -> Option<Ordered> {
        Some(Ordered(match code {
            0 => Direction::True,
            1 => Direction::False,
            2 => Direction::Case(value),
            3 => Direction::Default,
            4 => Direction::Pinned,
            5 => Direction::Unpinned,
            6 => Direction::Inside,
            7 => Direction::Outside,
            8 => Direction::Divided,
            9 => Direction::ByZero,
            10 => Direction::Overflow,
            11 => Direction::Holds,
            12 => Direction::Fails,
            _ => return None,
        }))
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// What a strategy is told of a run.
pub struct Ran<'a> {
    pub run: RunId,
    pub walk: &'a Walk,
    /// Steps before this one belong to an earlier run.
    pub bound: usize,
    /// How new it is, and how many directions no run had taken before.
    pub brought: Option<Level>,
    pub n_new: usize,
    /// Whether it took a branch of the program that no run had taken.
    pub is_landmark: bool,
    /// The branch that it took and fewest others did.
    pub rarest_branch: Option<Rare>,
    pub origin: Origin,
    /// Zero where the clock must not decide.
    pub took: Duration,
    /// Flips that were asked in an earlier search, or are asked by another worker.
    pub asked: &'a FxHashSet<Flip>,
}

impl Ran<'_> {
    /// The run that has the same input with another length.
    pub fn resized(&self) -> Option<RunId> {
        match self.origin {
            Origin::Length { parent, .. } => Some(parent),
            _ => None,
        }
    }

    /// The read that found the end of the input, if an earlier run is to blame for it.
    pub fn end_of_input(&self) -> Option<Flip> {
        let step = self.walk.stops.iter().take(self.bound).position(|stop| stop.is_at_end)?;
        Some(Flip { step, direction: None }).filter(|flip| !self.asked.contains(flip))
    }

    /// Everything else that could have happened from the bound on, and has not been asked.
    pub fn flips(&self) -> impl Iterator<Item = Flip> + '_ {
        self.flips_from(self.bound)
    }

    /// The same from another step on.
    pub fn flips_from(&self, first: usize) -> impl Iterator<Item = Flip> + '_ {
        self.walk.flips(first).filter(|flip| !self.asked.contains(flip))
    }
}

impl Walk {
    /// Everything else that could have happened from a step on.
    pub fn flips(&self, first: usize) -> impl Iterator<Item = Flip> + '_ {
        let stops = self.stops.iter().enumerate().skip(first);
        stops.flat_map(|(step, stop)| {
            let read = stop.is_read.then_some(Flip { step, direction: None });
            let others = stop.others.iter().map(move |&other| Flip { step, direction: Some(Ordered(other)) });
            others.chain(read)
        })
    }

    /// What a flip asks, as one number: the path to its step, and where it is to go from there. Where the choices have no
    /// list, what happened instead is part of the question; and where others have asked before, so is the run.
    pub fn question(&self, flip: Flip, bound: usize) -> u64 {
        let again = (flip.step < bound && flip.direction.is_some()).then(|| self.path());
        let is_open = matches!(flip.direction, Some(Ordered(Direction::Unpinned | Direction::Outside)));
        let happened = if is_open { self.prefixes.get(flip.step + 1) } else { None };
        let question = hash(&(self.prefixes.get(flip.step), happened, flip.step, flip.direction, again));
        self.string.map_or(question, |string| hash(&(question, string)))
    }
}

/// When [`Strategy::next`] has nothing left, every flip of every run has been asked, but for those that were forgotten.
pub trait Strategy {
    /// An input that can be run.
    fn offer(&mut self, job: Job, priority: Priority);

    /// What a run did; its directions are among those `seen`.
    fn ran(&mut self, ran: &Ran, seen: &Seen);

    /// What to do now; `None` if there is nothing left.
    fn next(&mut self, seen: &Seen) -> Option<Task>;

    /// Whether there is anything left.
    fn has_work(&self) -> bool {
        self.n_waiting() > 0
    }

    /// Whether there is something to run, or to ask that would be new, as far as it knows.
    fn has_news(&self) -> bool {
        true
    }

    /// An input that can be left to another worker, with all that comes of it.
    fn spare(&mut self) -> Option<Job> {
        None
    }

    /// Flips of a run that were not asked, because others took too long; the run is of a symbolic string.
    fn take_back(&mut self, _run: RunId, _string: Option<u64>, _flips: Vec<Flip>) {}

    /// There are no more symbolic strings.
    fn out_of_strings(&mut self) {}

    /// What the last task took.
    fn spent(&mut self, _spent: &Spent) {}

    /// Inputs and runs that wait.
    fn n_waiting(&self) -> usize;

    /// Questions that will not be asked, for want of memory, since this was last called.
    fn take_forgotten(&mut self) -> u64 {
        0
    }
}
