//! What runs have done so far, and what has been asked: new things come first.

use gimlet_grammar::TerminalId;
use gimlet_path::Direction;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::run::walk::{hash, key, Level, Stop, Walk};

/// Directions in iterations that are known: long runs have thousands each, and they only break ties.
const N_ITERATIONS_MAX: usize = 1_800_000;

/// Attempts at a direction with texts of other lengths, at one place among tokens, and at all of them.
const N_TEXTS_TRIES: u32 = 2;
const N_TEXTS_TRIES_MAX: u32 = 24;

/// A token is tried so often at a place.
const N_TOKEN_TRIES: u32 = 3;

/// A place of a sentence: the token before it, the one that is there, and how many such pairs come before it.
pub type TokenPlace = (Option<TerminalId>, Option<TerminalId>, usize);

/// Attempts at a direction that was impossible on each path so far.
const N_BOLD_TRIES: u32 = 4;

/// Levels at which there are numbers.
const COUNTED: [Level; 2] = [Level::Site, Level::Context];

#[derive(Default, Debug)]
pub struct Seen {
    /// How many times runs took each direction, at its site and at its place.
    taken: [FxHashMap<u64, u32>; 2],
    /// The directions that runs took in their iterations of loops. If there are too many, all are forgotten.
    iterations: FxHashSet<u64>,
    /// How many runs took each direction of the program's branches, whatever decided it.
    covered: FxHashMap<u64, u32>,
    /// How often each was asked for, at its site and at its place.
    asked: [FxHashMap<u64, u32>; 2],
    /// How often each direction that nobody took was tried without what comes before it, by site.
    optimistic: FxHashMap<u64, u32>,
    /// How often each length of a source was tried.
    lengths: FxHashMap<(u32, usize), u32>,
    /// How often each token was tried at a place.
    tokens: FxHashMap<(TokenPlace, Option<TerminalId>), u32>,
    /// How often each word was put where it was compared with something, by its name.
    words: FxHashMap<u64, u32>,
    /// Whole paths.
    paths: FxHashSet<u64>,
    n_branches: usize,
}

/// What a run was the first to do.
#[derive(Clone, Copy, Default, Debug)]
pub struct News {
    /// Directions by level.
    pub n_new: [usize; 3],
    pub is_new_path: bool,
}

/// A direction that few runs took.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rare {
    /// At its place.
    InContext(u64),
    /// Of one of the program's branches, whatever decided it.
    Branch(u64),
}

impl News {
    /// The coarsest level at which there is something new.
    pub fn level(&self) -> Option<Level> {
        Level::ALL.into_iter().find(|&level| self.n_new[level as usize] > 0)
    }
}

impl Seen {
    /// Takes in a run.
    pub fn add(&mut self, walk: &Walk) -> News {
        let mut news = News::default();
        for stop in &walk.stops {
            let Some(direction) = stop.direction else { continue };
            for level in COUNTED {
                let count = self.taken[level as usize].entry(key(stop.name(level), direction)).or_default();
                let is_new = *count == 0;
                *count = count.saturating_add(1);
                news.n_new[level as usize] += usize::from(is_new);
                self.n_branches += usize::from(is_new && level == Level::Site && is_branch(stop, direction));
            }
            if self.iterations.len() >= N_ITERATIONS_MAX {
                self.iterations.clear();
            }
            let is_new = self.iterations.insert(key(stop.name(Level::Iteration), direction));
            news.n_new[Level::Iteration as usize] += usize::from(is_new);
        }
        news.is_new_path = self.paths.insert(walk.path());
        news
    }

    /// Takes in paths of an earlier search.
    pub fn add_paths(&mut self, paths: &[u64]) {
        self.paths.extend(paths);
    }

    /// Directions of branches and switches that some run took because of its input.
    pub fn n_branches(&self) -> usize {
        self.n_branches
    }

    pub fn n_paths(&self) -> usize {
        self.paths.len()
    }

    pub fn has_path(&self, path: u64) -> bool {
        self.paths.contains(&path)
    }

    /// Notes a direction that was taken in a way that no path shows.
    pub fn take(&mut self, stop: &Stop, direction: Direction) {
        self.taken[Level::Site as usize].entry(key(stop.name(Level::Site), direction)).or_insert(1);
    }

    /// How often runs took a direction, at a site or a place.
    pub fn n_taken(&self, level: Level, name: u64, direction: Direction) -> u32 {
        self.taken[level as usize].get(&key(name, direction)).copied().unwrap_or(0)
    }

    /// Whether a run took a direction in this iteration of the loops around it.
    pub fn is_iteration_taken(&self, name: u64, direction: Direction) -> bool {
        self.iterations.contains(&key(name, direction))
    }

    /// Takes in the branches of a run, and returns the one that fewest runs took.
    pub fn add_branches(&mut self, taken: impl Iterator<Item = (u32, u32)>) -> Option<Rare> {
        let count = |branch| {
            let key = hash(&branch);
            let count = self.covered.entry(key).or_default();
            *count += 1;
            (*count, key)
        };
        let (_, rarest) = taken.map(count).min()?;
        Some(Rare::Branch(rarest))
    }

    /// The direction that fewest runs took at its place, among those that a run took, and its step: the first one, if there
    /// are several.
    pub fn rarest_context(&self, walk: &Walk) -> Option<(usize, Rare)> {
        let places =
            walk.stops.iter().enumerate().filter_map(|(step, stop)| {
                Some((step, Rare::InContext(key(stop.name(Level::Context), stop.direction?))))
            });
        places.min_by_key(|&(_, rare)| self.n_runs(rare))
    }

    /// How often runs went there.
    pub fn n_runs(&self, rare: Rare) -> u32 {
        let known = match rare {
            Rare::InContext(key) => self.taken[Level::Context as usize].get(&key),
            Rare::Branch(key) => self.covered.get(&key),
        };
        known.copied().unwrap_or(0)
    }

    /// Notes that the solver is asked for a direction at a step.
    pub fn ask(&mut self, stop: &Stop, direction: Direction) {
        for level in COUNTED {
            *self.asked[level as usize].entry(key(stop.name(level), direction)).or_default() += 1;
        }
    }

    /// Whether a branch that was impossible on its path is worth a try without that; if so, notes one.
    pub fn try_boldly(&mut self, stop: &Stop, direction: Direction) -> bool {
        let name = stop.name(Level::Site);
        if !is_branch(stop, direction) || self.n_taken(Level::Site, name, direction) > 0 {
            return false;
        }
        let count = self.optimistic.entry(key(name, direction)).or_default();
        *count += 1;
        *count <= N_BOLD_TRIES
    }

    /// Whether a direction is worth a try with other texts in place of one that stands among these tokens; if so, notes one.
    /// What the step computes may be another thing than what was tried before.
    pub fn try_texts(&mut self, stop: &Stop, direction: Direction, among: &[Option<TerminalId>], shape: u64) -> bool {
        let name = stop.name(Level::Site);
        let is_taken = self.n_taken(Level::Site, name, direction) > 0;
        let question = hash(&(key(name, direction), shape));
        let mut is_few = |question: u64, n_max: u32| {
            let count = self.optimistic.entry(question).or_default();
            *count += 1;
            *count <= n_max
        };
        let n_max = if is_taken { N_TEXTS_TRIES } else { N_TEXTS_TRIES_MAX };
        is_few(question, n_max) && is_few(hash(&(question, among)), N_TEXTS_TRIES)
    }

    /// Whether a token in place of another is worth a try where any may stand; if so, notes one. The place is told by what
    /// stands before it, and by how often that and the other one stood there before in the sentence.
    pub fn try_token(&mut self, place: TokenPlace, token: Option<TerminalId>) -> bool {
        let count = self.tokens.entry((place, token)).or_default();
        *count += 1;
        *count <= N_TOKEN_TRIES
    }

    /// Notes that a length is tried; returns how often it was before.
    pub fn try_length(&mut self, source: u32, len: usize) -> u32 {
        let count = self.lengths.entry((source, len)).or_default();
        *count += 1;
        *count - 1
    }

    /// Notes that a word is tried, by its name.
    pub fn try_word(&mut self, name: u64) {
        let count = self.words.entry(name).or_default();
        *count = count.saturating_add(1);
    }

    /// Notes that a word is not worth another try.
    pub fn give_up_word(&mut self, name: u64) {
        self.words.insert(name, u32::MAX);
    }

    /// How often a word was tried; `None` if it is not to be tried again.
    pub fn n_tries_of_word(&self, name: u64) -> Option<u32> {
        Some(self.words.get(&name).copied().unwrap_or(0)).filter(|&n_tries| n_tries < u32::MAX)
    }

    pub fn n_asked(&self, level: Level, name: u64, direction: Direction) -> u32 {
        self.asked[level as usize].get(&key(name, direction)).copied().unwrap_or(0)
    }
}

fn is_branch(stop: &Stop, direction: Direction) -> bool {
    let is_choice = matches!(direction, Direction::True | Direction::False | Direction::Case(_) | Direction::Default);
    is_choice && !stop.is_model
}
