//! What is known of each direction of each branch while a search runs.
//!
//! A [`KnownBranch`] is as it will be told; here it has the number that coverage gives its branch. Whatever changes is
//! noted for the store once a step. What costs time is done only where something is new: which directions a run was the
//! first to take is looked up when the number of taken ones has grown.

use std::collections::BTreeMap;

use gimlet_exec::coverage::{self, BranchId, Coverage};
use gimlet_exec::edges::Counters;
use gimlet_path::Direction;
use gimlet_report::directions::{Hidden, KnownBranch, KnownDirection};
use gimlet_store::{InputId, Verdict};
use gimlet_trace::trace::Module;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::walk::{hash, Stop};

/// Number of a branch, and of one of its directions.
type DirectionId = (u32, u32);

#[derive(Default)]
pub struct Directions {
    /// By their numbers in the coverage.
    branches: Vec<KnownBranch>,
    /// What an earlier search knew of branches that have not been met again: those of shared objects.
    earlier: BTreeMap<String, KnownBranch>,
    /// How many branches there are at a place.
    n_at: FxHashMap<String, u32>,
    /// Branches by their line.
    by_line: FxHashMap<u64, Vec<u32>>,
    /// The store does not have these as they are.
    changed: FxHashSet<u32>,
    /// Directions that were taken when it was last looked.
    n_taken: u64,
    /// Inputs that were the first to take directions, and are no tests yet.
    unkept: Vec<Unkept>,
    /// Sites of which it was noted what they hide.
    hiding: FxHashSet<(u32, u16, u16)>,
    /// Nobody counts branches: only those are told that depended on the input.
    pub is_uncounted: bool,
}

struct Unkept {
    input: InputId,
    directions: Vec<DirectionId>,
}

/// What tells a branch from all others, as a store has it.
fn place(branch: &KnownBranch) -> String {
    let KnownBranch { file, line, column, function, ordinal, .. } = branch;
    format!("{file}:{line}:{column}:{function}:{ordinal}")
}

/// A direction as the counters know it.
pub fn counted(direction: Direction) -> Option<coverage::Direction> {
    Some(match direction {
        Direction::True => coverage::Direction::True,
        Direction::False => coverage::Direction::False,
        Direction::Case(value) => coverage::Direction::Case(value),
        Direction::Default => coverage::Direction::Default,
        _ => return None,
    })
}

impl Directions {
    /// What an earlier search knew.
    pub fn restore(&mut self, earlier: Vec<KnownBranch>) {
        self.earlier = earlier.into_iter().map(|branch| (place(&branch), branch)).collect();
    }

    /// Takes in branches that are new to it.
    pub fn learn(&mut self, coverage: &Coverage) {
        for branch in coverage.branches().iter().skip(self.branches.len()) {
            let direction =
                |name: &coverage::Direction| KnownDirection { name: name.to_string(), ..Default::default() };
            let mut known = KnownBranch {
                file: branch.file.clone(),
                line: branch.line,
                column: branch.column,
                function: branch.function.clone(),
                directions: branch.directions.iter().map(direction).collect(),
                ..KnownBranch::default()
            };
            let n_before = self.n_at.entry(place(&known)).or_default();
            known.ordinal = std::mem::replace(n_before, *n_before + 1);
            let number = self.branches.len() as u32;
            self.by_line.entry(line(&known.file, known.line)).or_default().push(number);
            let names = |branch: &KnownBranch| branch.directions.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
            match self.earlier.remove(&place(&known)) {
                Some(earlier) if names(&earlier) == names(&known) => known = earlier,
                _ => drop(self.changed.insert(number)),
            }
            self.branches.push(known);
        }
    }

    /// An input was run, and counted.
    pub fn take(&mut self, coverage: &Coverage, input: impl FnOnce() -> InputId) {
        self.learn(coverage);
        if coverage.branches_covered() == self.n_taken {
            return;
        }
        self.n_taken = coverage.branches_covered();
        let mut directions = Vec::new();
        for (number, branch) in coverage.branches().iter().enumerate() {
            for (direction, _) in branch.hits.iter().enumerate().filter(|(_, &hits)| hits > 0) {
                if self.reach((number as u32, direction as u32)) {
                    directions.push((number as u32, direction as u32));
                }
            }
        }
        if !directions.is_empty() {
            self.unkept.push(Unkept { input: input(), directions });
        }
    }

    /// Notes that a direction was taken; whether that is new.
    fn reach(&mut self, (branch, direction): DirectionId) -> bool {
        let Some(known) = self.branches[branch as usize].directions.get_mut(direction as usize) else { return false };
        let is_new = !std::mem::replace(&mut known.is_reached, true);
        if is_new {
            self.changed.insert(branch);
        }
        is_new
    }

    /// The last input that was the first to take something is kept as another one that does the same.
    pub fn last_is(&mut self, input: InputId) {
        self.unkept.iter_mut().last().into_iter().for_each(|last| last.input = input);
    }

    /// Takes in what a run decided by its input. `depends` says of a stop whether it could be otherwise.
    pub fn walk(&mut self, coverage: &Coverage, modules: &[Module], stops: &[Stop], depends: impl Fn(&Stop) -> bool) {
        let mut sites = FxHashSet::default();
        for stop in stops.iter().filter(|stop| !stop.is_model && depends(stop)) {
            if !sites.insert(stop.site) {
                continue;
            }
            let Some(BranchId(number)) = coverage.branch_at(modules, stop.site) else { continue };
            if !std::mem::replace(&mut self.branches[number as usize].is_symbolic, true) {
                self.changed.insert(number);
            }
        }
    }

    /// The same for directions that a run took, where nobody counts branches.
    pub fn take_walk(&mut self, coverage: &Coverage, modules: &[Module], stops: &[Stop], input: InputId) {
        let taken = stops.iter().filter_map(|stop| self.find(coverage, modules, stop.site, stop.direction?));
        let taken: FxHashSet<DirectionId> = taken.collect();
        let mut directions: Vec<DirectionId> = taken.into_iter().filter(|&direction| self.reach(direction)).collect();
        if !directions.is_empty() {
            directions.sort_unstable();
            self.unkept.push(Unkept { input, directions });
        }
    }

    /// A run that was followed to its end came to all that its counters say. What was taken before by an input that was
    /// not kept may now have its test.
    pub fn follow(&mut self, coverage: &Coverage, counters: &[Counters], input: InputId) {
        let mut directions = Vec::new();
        for (branch, direction) in coverage.taken(counters) {
            let Some(known) = self.branches.get_mut(branch as usize) else { continue };
            if !known.is_followed && coverage.has_site(BranchId(branch)) {
                known.is_followed = true;
                self.changed.insert(branch);
            }
            if known.directions.get(direction as usize).is_some_and(|known| known.is_reached && known.test.is_none()) {
                directions.push((branch, direction));
            }
        }
        if !directions.is_empty() && self.unkept.iter().all(|unkept| unkept.input != input) {
            self.unkept.push(Unkept { input, directions });
        }
    }

    /// What is known of a direction at a site.
    fn find(&self, coverage: &Coverage, modules: &[Module], site: u32, direction: Direction) -> Option<DirectionId> {
        let direction = counted(direction)?;
        let branch = coverage.branch_at(modules, site)?;
        let at = coverage.branch(branch).directions.iter().position(|&known| known == direction)?;
        Some((branch.0, at as u32))
    }

    fn change(
        &mut self,
        coverage: &Coverage,
        modules: &[Module],
        (site, direction): (u32, Direction),
        change: impl FnOnce(&mut KnownDirection),
    ) {
        let Some((branch, direction)) = self.find(coverage, modules, site, direction) else { return };
        let known = self.branches.get_mut(branch as usize);
        if let Some(known) = known.and_then(|known| known.directions.get_mut(direction as usize)) {
            change(known);
            self.changed.insert(branch);
        }
    }

    /// Notes what came of a question.
    pub fn ask(
        &mut self,
        coverage: &Coverage,
        modules: &[Module],
        wanted: (u32, Direction),
        (verdict, is_again): (Verdict, bool),
    ) {
        self.change(coverage, modules, wanted, |known| known.asked.note(verdict, is_again));
    }

    /// Notes that an input did not do what it was made for.
    pub fn diverge(&mut self, coverage: &Coverage, modules: &[Module], wanted: (u32, Direction)) {
        self.change(coverage, modules, wanted, |known| known.asked.n_elsewhere += 1);
    }

    /// Whether it is new that something is hidden at a site, by kind and reason.
    pub fn is_hiding(&mut self, site: u32, kind: u16, reason: u16) -> bool {
        self.hiding.insert((site, kind, reason))
    }

    /// Notes what happened to the input on a line.
    pub fn hide(&mut self, file: &str, number: u32, hidden: &Hidden) {
        let Some(branches) = self.by_line.get(&line(file, number)).filter(|_| number > 0) else { return };
        for &branch in branches {
            let known = &mut self.branches[branch as usize];
            if known.file == file && known.line == number && known.hide(hidden.clone()) {
                self.changed.insert(branch);
            }
        }
    }

    /// Gives directions the tests that took them first. `file` knows those.
    pub fn settle(&mut self, file: impl Fn(InputId) -> Option<String>) {
        for Unkept { input, directions } in std::mem::take(&mut self.unkept) {
            let Some(file) = file(input) else {
                self.unkept.push(Unkept { input, directions });
                continue;
            };
            for (branch, direction) in directions {
                let known = &mut self.branches[branch as usize].directions[direction as usize];
                if known.test.is_none() {
                    known.test = Some(file.clone());
                    self.changed.insert(branch);
                }
            }
        }
        // An input that waits to be looked at is soon run again.
        if self.unkept.len() > N_UNKEPT_MAX {
            self.unkept.drain(..self.unkept.len() - N_UNKEPT_MAX);
        }
    }

    pub fn has_unkept(&self) -> bool {
        !self.unkept.is_empty()
    }

    /// What the store does not have yet: places, and what is known of them.
    pub fn take_changes(&mut self) -> Vec<(String, String)> {
        let mut changed: Vec<u32> = self.changed.drain().collect();
        changed.sort_unstable();
        let known = changed.into_iter().map(|number| &self.branches[number as usize]);
        known.filter(|known| self.is_told(known)).map(|known| (place(known), known.to_text())).collect()
    }

    fn is_told(&self, branch: &KnownBranch) -> bool {
        !self.is_uncounted || branch.is_symbolic
    }

    /// All that is known.
    pub fn all(&self) -> Vec<KnownBranch> {
        let told = self.branches.iter().filter(|known| self.is_told(known));
        told.chain(self.earlier.values()).cloned().collect()
    }
}

/// Inputs that were the first to do something and are no tests: most soon are, and the others never.
const N_UNKEPT_MAX: usize = 64;

fn line(file: &str, number: u32) -> u64 {
    hash(&(file, number))
}
