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

use crate::run::walk::{hash, Stop};

/// Inputs that were the first to take a direction, and are no tests: most soon are, and the others never.
const N_UNKEPT_MAX: usize = 64;

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
    /// Nobody counts branches: only those are told that depended on the input,
    pub is_uncounted: bool,
    /// or that an earlier search knew.
    of_earlier: FxHashSet<u32>,
    /// How many inputs were kept, and how many not, when it was last looked for those that are.
    settled: (usize, usize),
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
                Some(earlier) if names(&earlier) == names(&known) => {
                    known = earlier;
                    self.of_earlier.insert(number);
                }
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
            for (direction, _) in branch.hits.iter().enumerate().filter(|&(_, &hits)| hits > 0) {
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
        if let Some(last) = self.unkept.last_mut() {
            last.input = input;
        }
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

    /// Whether some input may have been kept since the last time; there are so many tests and findings.
    pub fn is_unsettled(&self, n_kept: usize) -> bool {
        !self.unkept.is_empty() && self.settled != (n_kept, self.unkept.len())
    }

    /// Gives directions the tests or findings that took them first. `file` knows those.
    pub fn settle(&mut self, n_kept: usize, file: impl Fn(InputId) -> Option<String>) {
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
        self.settled = (n_kept, self.unkept.len());
    }

    /// What the store does not have yet: places, and what is known of them.
    pub fn take_changes(&mut self) -> Vec<(String, String)> {
        let mut changed: Vec<u32> = self.changed.drain().collect();
        changed.sort_unstable();
        let told = changed.into_iter().filter(|&number| self.is_told(number));
        told.map(|number| &self.branches[number as usize]).map(|known| (place(known), known.to_text())).collect()
    }

    fn is_told(&self, number: u32) -> bool {
        !self.is_uncounted || self.branches[number as usize].is_symbolic || self.of_earlier.contains(&number)
    }

    /// All that is known.
    pub fn all(&self) -> Vec<KnownBranch> {
        let told = (0..).zip(&self.branches).filter(|&(number, _)| self.is_told(number)).map(|(_, known)| known);
        told.chain(self.earlier.values()).cloned().collect()
    }
}

fn line(file: &str, number: u32) -> u64 {
    hash(&(file, number))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimlet_exec::edges::EdgeImage;
    use gimlet_trace::edges::EdgeTable;
    use gimlet_trace::site::{Site, SiteKind, SiteTable};

    use super::*;

    const ID: u64 = 7;

    fn site(line: u32, kind: SiteKind, words: &[u64]) -> Site {
        Site {
            kind,
            width: 1,
            file: "a.c".into(),
            function: "f".into(),
            line,
            column: 5,
            block: 0,
            copy: 0,
            words: words.to_vec(),
            callee: None,
        }
    }

    /// Two branches at one place, and a switch.
    fn table() -> SiteTable {
        let twice = site(2, SiteKind::Branch, &[1, 2]);
        SiteTable { build_id: ID, sites: vec![twice.clone(), twice, site(3, SiteKind::Switch, &[9, 40, 1])] }
    }

    fn image() -> Arc<EdgeImage> {
        Arc::new(EdgeImage { path: String::new(), tables: vec![EdgeTable { address: 0, table: table() }] })
    }

    fn coverage() -> Coverage {
        let mut coverage = Coverage::new(&image());
        assert_eq!(coverage.add_sites([&table()]), 0);
        coverage
    }

    fn counters(taken: &[usize]) -> Vec<Counters> {
        let bytes = (0..6).map(|at| u8::from(taken.contains(&at))).collect();
        vec![Counters { image: image(), bytes }]
    }

    fn modules() -> Vec<Module> {
        vec![Module { base: 100, count: 3, build_id: ID, image: String::new() }]
    }

    /// What is known of all directions: whether each was taken and by what, or why not.
    fn told(directions: &Directions) -> Vec<String> {
        let all = directions.all();
        let each = all.iter().flat_map(|branch| branch.directions.iter().map(move |direction| (branch, direction)));
        let one = |(branch, direction): (&KnownBranch, &KnownDirection)| match branch.reason(direction) {
            Some(reason) => reason.name().to_owned(),
            None => direction.test.clone().unwrap_or_else(|| "taken".to_owned()),
        };
        each.map(one).collect()
    }

    fn take(directions: &mut Directions, coverage: &mut Coverage, taken: &[usize], input: InputId) {
        coverage.merge(&counters(taken));
        directions.take(coverage, || input);
    }

    #[test]
    fn the_first_input_that_is_kept_is_the_test() {
        let (mut coverage, mut directions) = (coverage(), Directions::default());
        take(&mut directions, &mut coverage, &[0], 1);
        take(&mut directions, &mut coverage, &[0, 2], 2);
        directions.last_is(3);
        take(&mut directions, &mut coverage, &[0, 4], 4);
        assert!(directions.is_unsettled(2));
        directions.settle(2, |input| (input != 4).then(|| format!("test {input}")));
        assert!(!directions.is_unsettled(2) && directions.is_unsettled(3));
        assert_eq!(told(&directions)[0], "test 1");
        assert_eq!(told(&directions)[2..5], ["test 3", "never-followed", "taken"]);
        // One that is followed later is a test, and took what the other did.
        directions.follow(&coverage, &counters(&[0, 4]), 5);
        directions.settle(3, |input| (input == 5).then(|| "test 5".to_owned()));
        assert_eq!(
            told(&directions),
            ["test 1", "not-dependent", "test 3", "never-followed", "test 5", "not-dependent"]
        );
    }

    #[test]
    fn the_store_is_told_what_changes_and_gives_it_back() {
        let (mut coverage, mut directions) = (coverage(), Directions::default());
        directions.learn(&coverage);
        let changes = directions.take_changes();
        let places: Vec<&str> = changes.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(places, ["a.c:2:5:f:0", "a.c:2:5:f:1", "a.c:3:5:f:0"]);
        assert!(directions.take_changes().is_empty());
        take(&mut directions, &mut coverage, &[5], 1);
        let stops = [Stop::of_branch(102, Direction::Default, Direction::Case(40))];
        directions.walk(&coverage, &modules(), &stops, |_| true);
        for verdict in [Verdict::Unsat, Verdict::Deferred] {
            directions.ask(&coverage, &modules(), (102, Direction::Case(40)), (verdict, false));
        }
        directions.ask(&coverage, &modules(), (99, Direction::True), (Verdict::Sat, false));
        let changes = directions.take_changes();
        assert_eq!(changes.len(), 1);
        let rows = changes.iter().filter_map(|(_, known)| KnownBranch::from_text(known)).collect();
        let mut again = Directions::default();
        again.restore(rows);
        assert_eq!(again.all().len(), 1);
        again.learn(&coverage);
        assert_eq!(again.all(), directions.all());
        again.ask(&coverage, &modules(), (102, Direction::Case(40)), (Verdict::Unsat, true));
        assert_eq!(told(&again)[4], "impossible");
        again.diverge(&coverage, &modules(), (102, Direction::Case(40)));
        assert_eq!(told(&again)[4], "diverged");
    }

    #[test]
    fn only_the_line_of_a_branch_hides_its_input() {
        let (mut coverage, mut directions) = (coverage(), Directions::default());
        take(&mut directions, &mut coverage, &[0, 2, 4], 1);
        directions.follow(&coverage, &counters(&[0, 2, 4]), 1);
        directions.hide("a.c", 2, &Hidden::Lost("a float".into()));
        directions.hide("b.c", 3, &Hidden::Lost("a float".into()));
        assert_eq!(told(&directions), ["taken", "lost", "taken", "lost", "taken", "not-dependent"]);
    }

    #[test]
    fn without_counters_only_what_depends_on_the_input_is_told() {
        let table = table();
        let coverage = Coverage::of_sites([&table]);
        let mut directions = Directions { is_uncounted: true, ..Directions::default() };
        directions.learn(&coverage);
        assert!(directions.all().is_empty() && directions.take_changes().is_empty());
        let stops = [Stop::of_branch(101, Direction::True, Direction::False)];
        directions.walk(&coverage, &modules(), &stops, |_| true);
        directions.take_walk(&coverage, &modules(), &stops, 1);
        assert_eq!(told(&directions), ["taken", "waiting"]);
    }
}
