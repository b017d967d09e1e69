//! What runs have done so far, and what has been asked: new things come first.

use gimlet_path::Direction;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::walk::{key, Stop, Walk};

#[derive(Default, Debug)]
pub struct Seen {
    /// Directions that some run took, by site.
    taken: FxHashSet<(u32, Direction)>,
    /// The same by place.
    places: FxHashSet<u64>,
    /// How often each was asked for.
    asked: FxHashMap<(u32, Direction), u32>,
    asked_places: FxHashMap<u64, u32>,
    /// How often each length of a source was tried.
    lengths: FxHashMap<(u32, usize), u32>,
    /// Whole paths.
    paths: FxHashSet<u64>,
}

impl Seen {
    /// Takes in a run; returns how many directions and places were new, and whether the path was.
    pub fn add(&mut self, walk: &Walk) -> (usize, usize, bool) {
        let (mut n_directions, mut n_places) = (0, 0);
        for stop in &walk.stops {
            let Some(direction) = stop.direction else { continue };
            n_directions += usize::from(self.taken.insert((stop.site, direction)));
            n_places += usize::from(self.places.insert(key(stop.place, direction)));
        }
        (n_directions, n_places, self.paths.insert(walk.path()))
    }

    /// Directions of branches and switches that some run took because of its input.
    pub fn n_branches(&self) -> usize {
        let is_branch = |direction: &Direction| {
            matches!(direction, Direction::True | Direction::False | Direction::Case(_) | Direction::Default)
        };
        self.taken.iter().filter(|(_, direction)| is_branch(direction)).count()
    }

    pub fn n_paths(&self) -> usize {
        self.paths.len()
    }

    /// Notes a direction that was taken in a way that no path shows.
    pub fn take(&mut self, site: u32, direction: Direction) {
        self.taken.insert((site, direction));
    }

    pub fn is_taken(&self, site: u32, direction: Direction) -> bool {
        self.taken.contains(&(site, direction))
    }

    pub fn is_place_taken(&self, place: u64, direction: Direction) -> bool {
        self.places.contains(&key(place, direction))
    }

    /// Notes that the solver is asked for a direction at a step.
    pub fn ask(&mut self, stop: &Stop, direction: Direction) {
        *self.asked.entry((stop.site, direction)).or_default() += 1;
        *self.asked_places.entry(key(stop.place, direction)).or_default() += 1;
    }

    /// Notes that a length is tried; returns how often it was before.
    pub fn try_length(&mut self, source: u32, len: usize) -> u32 {
        let count = self.lengths.entry((source, len)).or_default();
        *count += 1;
        *count - 1
    }

    pub fn n_asked(&self, site: u32, direction: Direction) -> u32 {
        self.asked.get(&(site, direction)).copied().unwrap_or(0)
    }

    pub fn n_asked_at(&self, place: u64, direction: Direction) -> u32 {
        self.asked_places.get(&key(place, direction)).copied().unwrap_or(0)
    }
}
