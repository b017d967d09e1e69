//! Which directions of which branches were taken.
//!
//! A *branch* is one of the source: a conditional branch or a switch of a
//! function. Objects that were compiled from one header have each their copy of
//! its functions; here they are one, and so are the counters of PROG.edges
//! and the sites of PROG: a branch is known by its function, place, kind, cases,
//! and by how many of the same came before it in the same function, which a macro
//! can bring about. That needs no agreement between the numbers in the builds.
//!
//! So a function that is always inlined is one here, wherever its copies are.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use gimlet_trace::site::{Site, SiteKind, SiteTable};
use gimlet_trace::trace::Module;

use crate::edges::{Counters, EdgeImage};

/// Counters that are looked at together.
const GROUP: usize = 64;

/// A branch or switch of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BranchId(pub u32);

/// One of the ways out of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Direction {
    True,
    False,
    Case(u64),
    Default,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Direction::True => write!(f, "true"),
            Direction::False => write!(f, "false"),
            Direction::Case(value) => write!(f, "case {value}"),
            Direction::Default => write!(f, "default"),
        }
    }
}

/// What is known of a branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// In the order of the counters.
    pub directions: Vec<Direction>,
    /// How often each was taken; with counters of a byte, at least so often.
    pub hits: Vec<u64>,
}

impl Branch {
    /// Where a switch goes with this value.
    pub fn direction_of(&self, value: u64) -> Direction {
        let case = Direction::Case(value);
        if self.directions.contains(&case) {
            case
        } else {
            Direction::Default
        }
    }

    /// How often a direction was taken.
    pub fn hits_of(&self, direction: Direction) -> u64 {
        self.directions.iter().zip(&self.hits).find(|(known, _)| **known == direction).map_or(0, |(_, &hits)| hits)
    }

    /// How often it was come to.
    pub fn visits(&self) -> u64 {
        self.hits.iter().fold(0, |sum, &hits| sum.saturating_add(hits))
    }
}

/// A function of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// How often it was called, as far as it was not inlined on the source's demand; at least so often.
    pub hits: u64,
}

/// How a branch is recognised.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    function: String,
    file: String,
    line: u32,
    column: u32,
    kind: SiteKind,
    cases: Vec<u64>,
    /// How many of the same came before it in its function.
    ordinal: u32,
}

/// What a counter counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counted {
    Nothing,
    Function(u32),
    Direction(BranchId, u32),
}

/// The directions that runs took.
#[derive(Default)]
pub struct Coverage {
    branches: Vec<Branch>,
    known_branches: HashMap<Key, BranchId>,
    functions: Vec<Function>,
    known_functions: HashMap<(String, String, u32), u32>,
    /// What each counter of an image counts, by the image's path.
    images: HashMap<String, Vec<Counted>>,
    /// The branch of each site of PROG, by the build id of the table.
    sites: HashMap<u64, Vec<Option<BranchId>>>,
    /// Whether a site of PROG is a branch's.
    has_site: Vec<bool>,
    n_covered: u64,
}

impl Coverage {
    /// No coverage of this program.
    pub fn new(image: &Arc<EdgeImage>) -> Coverage {
        let mut coverage = Coverage::default();
        coverage.add_image(image);
        coverage
    }

    /// The branches of PROG itself, which nobody counts.
    pub fn of_sites<'a>(tables: impl IntoIterator<Item = &'a SiteTable> + Clone) -> Coverage {
        let mut coverage = Coverage::default();
        for table in tables.clone() {
            for (site, ordinal) in with_ordinals(table) {
                if matches!(site.kind, SiteKind::Branch | SiteKind::Switch) {
                    coverage.add_branch(site, ordinal);
                }
            }
        }
        coverage.add_sites(tables);
        coverage
    }

    /// Makes the branches of an image known. Those of shared objects come with the first run that loads them.
    pub fn add_image(&mut self, image: &EdgeImage) {
        if self.images.contains_key(&image.path) {
            return;
        }
        let mut counted = Vec::new();
        for table in &image.tables {
            let mut at = table.address as usize;
            for (site, ordinal) in with_ordinals(&table.table) {
                let of_site = self.counted(site, ordinal);
                let end = at + of_site.len();
                if counted.len() < end {
                    counted.resize(end, Counted::Nothing);
                }
                counted[at..end].copy_from_slice(&of_site);
                at = end;
            }
        }
        self.images.insert(image.path.clone(), counted);
    }

    /// What the counters of a site count.
    fn counted(&mut self, site: &Site, ordinal: u32) -> Vec<Counted> {
        if site.kind == SiteKind::Function {
            return vec![Counted::Function(self.add_function(site))];
        }
        let branch = self.add_branch(site, ordinal);
        (0..site.n_counters() as u32).map(|direction| Counted::Direction(branch, direction)).collect()
    }

    fn add_function(&mut self, site: &Site) -> u32 {
        let key = (site.function.clone(), site.file.clone(), site.line);
        *self.known_functions.entry(key).or_insert_with(|| {
            let (name, file) = (site.function.clone(), site.file.clone());
            self.functions.push(Function { name, file, line: site.line, hits: 0 });
            self.functions.len() as u32 - 1
        })
    }

    fn add_branch(&mut self, site: &Site, ordinal: u32) -> BranchId {
        *self.known_branches.entry(key(site, ordinal)).or_insert_with(|| {
            let directions = directions(site);
            self.branches.push(Branch {
                file: site.file.clone(),
                line: site.line,
                column: site.column,
                function: site.function.clone(),
                hits: vec![0; directions.len()],
                directions,
            });
            BranchId(self.branches.len() as u32 - 1)
        })
    }

    /// What a counter of an image counts: a direction or a function, with its place.
    pub fn name_of(&self, image: &str, counter: usize) -> Option<String> {
        match *self.images.get(image)?.get(counter)? {
            Counted::Nothing => None,
            Counted::Function(number) => {
                let Function { name, file, line, .. } = self.functions.get(number as usize)?;
                Some(format!("{file}:{line}: calls of {name}"))
            }
            Counted::Direction(branch, number) => {
                let branch = self.branches.get(branch.0 as usize)?;
                let direction = branch.directions.get(number as usize)?;
                Some(format!("{}:{}: {direction}, in {}", branch.file, branch.line, branch.function))
            }
        }
    }

    /// The directions that a run took, as branch and number.
    pub fn taken<'a>(&'a self, run: &'a [Counters]) -> impl Iterator<Item = (u32, u32)> + 'a {
        let images = run.iter().filter_map(|counters| Some((self.images.get(&counters.image.path)?, counters)));
        let hit = images.flat_map(|(counted, counters)| {
            counted.iter().zip(&counters.bytes).filter(|&(_, &hits)| hits != 0).map(|(counted, _)| counted)
        });
        hit.filter_map(|counted| match *counted {
            Counted::Direction(branch, direction) => Some((branch.0, direction)),
            _ => None,
        })
    }

    /// The branches that a run came to.
    pub fn reached<'a>(&self, run: impl Iterator<Item = (&'a Arc<EdgeImage>, &'a [u8])>) -> BTreeSet<u32> {
        let images = run.filter_map(|(image, bytes)| Some((self.images.get(&image.path)?, bytes)));
        let hit = images.flat_map(|(counted, bytes)| counted.iter().zip(bytes).filter(|&(_, &hits)| hits != 0));
        hit.filter_map(|(counted, _)| match *counted {
            Counted::Direction(branch, _) => Some(branch.0),
            _ => None,
        })
        .collect()
    }

    /// The counters of a branch, by image.
    pub fn counters_of(&self, branch: BranchId) -> Vec<(String, Vec<usize>)> {
        let is_its = |counted: &Counted| matches!(counted, Counted::Direction(of, _) if *of == branch);
        let of_image =
            |counted: &[Counted]| -> Vec<usize> { (0..counted.len()).filter(|&at| is_its(&counted[at])).collect() };
        let all = self.images.iter().map(|(path, counted)| (path.clone(), of_image(counted)));
        all.filter(|(_, counters)| !counters.is_empty()).collect()
    }

    /// Adds what a run counted; returns how many directions it was the first to take.
    pub fn merge(&mut self, run: &[Counters]) -> u64 {
        run.iter().map(|counters| self.merge_image(&counters.image, &counters.bytes)).sum()
    }

    /// The same for one image and its counters.
    pub fn merge_image(&mut self, image: &EdgeImage, counters: &[u8]) -> u64 {
        let before = self.n_covered;
        self.add_image(image);
        let Some(counted) = self.images.get(&image.path) else { return 0 };
        // Most counters are zero: groups of them are skipped at once.
        for (counted, bytes) in counted.chunks(GROUP).zip(counters.chunks(GROUP)) {
            if bytes.iter().all(|&hits| hits == 0) {
                continue;
            }
            for (&counted, &hits) in counted.iter().zip(bytes).filter(|&(_, &hits)| hits != 0) {
                let known = match counted {
                    Counted::Nothing => continue,
                    Counted::Function(function) => &mut self.functions[function as usize].hits,
                    Counted::Direction(branch, direction) => {
                        let known = &mut self.branches[branch.0 as usize].hits[direction as usize];
                        self.n_covered += u64::from(*known == 0);
                        known
                    }
                };
                *known = known.saturating_add(hits.into());
            }
        }
        self.n_covered - before
    }

    /// Whether a run took a direction that no other took; it is not added to them.
    pub fn has_new(&self, run: &[Counters]) -> bool {
        run.iter().any(|Counters { image, bytes }| {
            // What nobody has met is new.
            let Some(counted) = self.images.get(&image.path) else { return true };
            counted.iter().zip(bytes).any(|(&counted, &hits)| match counted {
                Counted::Direction(branch, direction) if hits != 0 => {
                    self.branches[branch.0 as usize].hits[direction as usize] == 0
                }
                _ => false,
            })
        })
    }

    /// Directions that were taken.
    pub fn branches_covered(&self) -> u64 {
        self.n_covered
    }

    /// Directions that there are.
    pub fn branches_total(&self) -> u64 {
        self.branches.iter().map(|branch| branch.directions.len() as u64).sum()
    }

    /// All branches, in the order of the objects.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    pub fn branch(&self, id: BranchId) -> &Branch {
        &self.branches[id.0 as usize]
    }

    /// Makes the sites of PROG known; returns how many branches among them have no counter in PROG.edges.
    pub fn add_sites<'a>(&mut self, tables: impl IntoIterator<Item = &'a SiteTable>) -> usize {
        let mut n_unknown = 0;
        for table in tables {
            if self.sites.contains_key(&table.build_id) {
                continue;
            }
            let mut branches = vec![None; table.sites.len()];
            for (index, (site, ordinal)) in with_ordinals(table).enumerate() {
                if matches!(site.kind, SiteKind::Branch | SiteKind::Switch) {
                    branches[index] = self.known_branches.get(&key(site, ordinal)).copied();
                    n_unknown += usize::from(branches[index].is_none());
                    self.has_site.resize(self.branches.len(), false);
                    branches[index].into_iter().for_each(|branch| self.has_site[branch.0 as usize] = true);
                }
            }
            self.sites.insert(table.build_id, branches);
        }
        n_unknown
    }

    /// Whether a branch is among the sites that were made known.
    pub fn has_site(&self, id: BranchId) -> bool {
        self.has_site.get(id.0 as usize).copied().unwrap_or(false)
    }

    /// The branch at a site of a trace with these modules, if their tables are known.
    pub fn branch_at(&self, modules: &[Module], site: u32) -> Option<BranchId> {
        let module = modules.iter().find(|module| site.wrapping_sub(module.base) < module.count)?;
        *self.sites.get(&module.build_id)?.get((site - module.base) as usize)?
    }
}

/// The sites of a table, each with how many of the same came before it in its copy of its function.
fn with_ordinals(table: &SiteTable) -> impl Iterator<Item = (&Site, u32)> {
    let mut seen: HashMap<(Key, u8), u32> = HashMap::new();
    table.sites.iter().map(move |site| {
        if site.kind == SiteKind::Function {
            seen.clear();
        }
        if !matches!(site.kind, SiteKind::Branch | SiteKind::Switch) {
            return (site, 0);
        }
        let n_seen = seen.entry((key(site, 0), site.copy)).or_default();
        *n_seen += 1;
        (site, *n_seen - 1)
    })
}

fn key(site: &Site, ordinal: u32) -> Key {
    Key {
        function: site.function.clone(),
        file: site.file.clone(),
        line: site.line,
        column: site.column,
        kind: site.kind,
        cases: site.cases().map(|(value, _)| value).collect(),
        ordinal,
    }
}

fn directions(site: &Site) -> Vec<Direction> {
    match site.kind {
        SiteKind::Branch => vec![Direction::True, Direction::False],
        _ => site.cases().map(|(value, _)| Direction::Case(value)).chain([Direction::Default]).collect(),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use gimlet_trace::edges::EdgeTable;

    pub fn site(kind: SiteKind, function: &str, line: u32, words: &[u64]) -> Site {
        Site {
            kind,
            width: 1,
            file: "a.c".into(),
            function: function.into(),
            line,
            column: 5,
            block: 0,
            copy: 0,
            words: words.to_vec(),
            callee: None,
        }
    }

    /// Two objects with one function in common.
    pub fn image() -> Arc<EdgeImage> {
        let shared = [site(SiteKind::Function, "f", 1, &[]), site(SiteKind::Branch, "f", 2, &[1, 2])];
        let twice = site(SiteKind::Branch, "g", 12, &[1, 2]);
        let own = [
            site(SiteKind::Function, "g", 10, &[]),
            site(SiteKind::Switch, "g", 11, &[9, 40, 1, 50, 2]),
            twice.clone(),
            twice,
        ];
        let table = |sites: &[&[Site]], build_id| SiteTable { build_id, sites: sites.concat() };
        Arc::new(EdgeImage {
            path: String::new(),
            tables: vec![
                EdgeTable { address: 0, table: table(&[&shared], 1) },
                EdgeTable { address: 8, table: table(&[&shared, &own], 2) },
            ],
        })
    }

    pub fn counters(set: &[(usize, u8)]) -> Vec<Counters> {
        let mut bytes = vec![0; 4096];
        set.iter().for_each(|&(at, hits)| bytes[at] = hits);
        vec![Counters { image: image(), bytes }]
    }

    #[test]
    fn copies_are_one() {
        let mut coverage = Coverage::new(&image());
        assert_eq!((coverage.branches_covered(), coverage.branches_total()), (0, 2 + 3 + 2 + 2));
        // f in both objects, the same direction; then the other.
        assert_eq!(coverage.merge(&counters(&[(0, 1), (1, 1), (8, 2), (9, 2)])), 1);
        assert_eq!(coverage.merge(&counters(&[(8, 1), (10, 1)])), 1);
        assert_eq!(coverage.merge(&counters(&[(10, 255)])), 0);
        assert_eq!(coverage.branches()[0].hits, [3, 256]);
        assert_eq!(coverage.functions()[0].hits, 4);
    }

    #[test]
    fn branches_of_another_image_are_known() {
        let mut coverage = Coverage::new(&image());
        let library = EdgeImage { path: "library".into(), tables: image().tables.clone() };
        // The same direction of f and of the second branch of g, counted in either.
        let run = counters(&[(1, 1), (17, 1)]).remove(0).bytes;
        assert_eq!(coverage.merge_image(&image(), &run), 2);
        assert_eq!(coverage.merge_image(&library, &run), 0);
        assert_eq!((coverage.branches_covered(), coverage.branches_total()), (2, 2 + 3 + 2 + 2));
        assert_eq!((coverage.branches()[0].hits[0], coverage.branches()[3].hits[0]), (2, 2));
        let shared = coverage.counters_of(BranchId(3));
        assert_eq!(shared.iter().map(|(_, counters)| counters.clone()).collect::<Vec<_>>(), [[17, 18], [17, 18]]);
    }

    #[test]
    fn cases_and_copies_in_one_function() {
        let mut coverage = Coverage::new(&image());
        // The entry of g, its default, then the second of two branches at one place.
        assert_eq!(coverage.merge(&counters(&[(11, 1), (14, 1), (17, 1)])), 2);
        let switch = &coverage.branches()[1];
        assert_eq!(switch.directions, [Direction::Case(40), Direction::Case(50), Direction::Default]);
        assert_eq!(switch.hits, [0, 0, 1]);
        assert_eq!((switch.direction_of(50), switch.direction_of(51)), (Direction::Case(50), Direction::Default));
        assert_eq!((coverage.branches()[2].visits(), coverage.branches()[3].hits_of(Direction::True)), (0, 1));
    }

    #[test]
    fn sites_of_traces_are_found() {
        let mut coverage = Coverage::new(&image());
        let load = site(SiteKind::Load, "g", 12, &[]);
        let mut table = image().tables[1].table.clone();
        table.sites.insert(4, load);
        table.sites.push(site(SiteKind::Branch, "h", 99, &[1, 2]));
        table.build_id = 7;
        assert_eq!(coverage.add_sites([&table]), 1);
        let count = table.sites.len() as u32;
        let modules = [Module { base: 100, count, build_id: 7, image: String::new() }];
        let found: Vec<Option<u32>> = (99..109).map(|site| coverage.branch_at(&modules, site).map(|id| id.0)).collect();
        let expected = [None, None, Some(0), None, Some(1), None, Some(2), Some(3), None, None];
        assert_eq!(found, expected);
        assert!((0..4).all(|id| coverage.has_site(BranchId(id))) && !coverage.has_site(BranchId(4)));
        let mut uncounted = Coverage::of_sites([&table]);
        assert_eq!((uncounted.branches().len(), uncounted.add_sites([&table])), (5, 0));
        assert_eq!(uncounted.branch_at(&modules, 107).map(|id| uncounted.branch(id).line), Some(99));
    }
}
