//! Parts of a program, and which of them runs reach.
//!
//! A *module* is a list of source files under a name that the user gives. Beside them there may be functions by which the
//! program *rejects* its input, such as `yyerror`: what reaches one of them is no valid input.
//!
//! Interpreters compile a library of their own before they look at their input. So a run reaches a module if it does more
//! there than a run of an empty input does.

use std::collections::HashMap;

use gimlet_trace::site::SiteKind;

use crate::coverage::{Branch, Coverage};
use crate::edges::EdgeImage;

/// The function by which programs that yacc made reject their input.
pub const YACC_REJECTS: &str = "yyerror";

/// Source files under one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    pub name: String,
    /// Names, or ends of paths.
    pub files: Vec<String>,
}

impl Module {
    /// Whether a file, as debug information calls it, is one of its.
    pub fn has(&self, path: &str) -> bool {
        self.files.iter().any(|file| {
            let rest = path.strip_suffix(file.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// Directions of its branches: those taken, and all.
    pub fn coverage(&self, coverage: &Coverage) -> (u64, u64) {
        let of_module = coverage.branches().iter().filter(|branch| self.has(&branch.file));
        of_module.fold((0, 0), |(covered, total), Branch { hits, .. }| {
            (covered + hits.iter().filter(|&&hits| hits > 0).count() as u64, total + hits.len() as u64)
        })
    }
}

/// What is looked for in runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    pub modules: Vec<Module>,
    /// Functions.
    pub rejecting: Vec<String>,
}

/// The modules that a run reached, a bit each, and whether it was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    modules: u64,
    pub is_rejected: bool,
}

impl Reached {
    pub fn has(self, module: usize) -> bool {
        self.modules >> module & 1 != 0
    }

    fn add(&mut self, other: Reached) {
        self.modules |= other.modules;
        self.is_rejected |= other.is_rejected;
    }
}

/// Finds parts in the counters of runs.
#[derive(Default)]
pub struct Reach {
    pub parts: Parts,
    /// Counters that tell something, by the path of the image.
    images: HashMap<String, Vec<Watched>>,
}

/// A counter of a part.
struct Watched {
    counter: usize,
    tells: Reached,
    /// What it counts of an empty input.
    idle: u8,
}

impl Reach {
    /// Modules that there can be.
    pub const N_MODULES_MAX: usize = u64::BITS as usize;

    pub fn new(parts: Parts) -> Reach {
        Reach { parts, images: HashMap::new() }
    }

    /// The counters of an image that tell something.
    fn watched(&self, image: &EdgeImage) -> Vec<Watched> {
        let mut watched = Vec::new();
        for table in &image.tables {
            let mut at = table.address as usize;
            for site in &table.table.sites {
                let mut tells = Reached::default();
                for (number, module) in self.parts.modules.iter().enumerate().take(Reach::N_MODULES_MAX) {
                    tells.modules |= u64::from(module.has(&site.file)) << number;
                }
                let rejects = site.kind == SiteKind::Function && self.parts.rejecting.contains(&site.function);
                if rejects {
                    let tells = Reached { modules: 0, is_rejected: true };
                    watched.push(Watched { counter: at, tells, idle: 0 });
                }
                let counters = at..at + site.n_counters();
                at = counters.end;
                if tells != Reached::default() {
                    watched.extend(counters.map(|counter| Watched { counter, tells, idle: 0 }));
                }
            }
        }
        watched
    }

    fn watched_of(&mut self, image: &EdgeImage) -> &mut [Watched] {
        if !self.images.contains_key(&image.path) {
            let watched = self.watched(image);
            self.images.insert(image.path.clone(), watched);
        }
        self.images.get_mut(&image.path).map(Vec::as_mut_slice).unwrap_or_default()
    }

    /// What a run of an empty input counted.
    pub fn set_idle<'a>(&mut self, run: impl Iterator<Item = (&'a EdgeImage, &'a [u8])>) {
        for (image, counters) in run {
            // An empty input may be rejected as any other.
            for watched in self.watched_of(image).iter_mut().filter(|watched| !watched.tells.is_rejected) {
                watched.idle = counters.get(watched.counter).copied().unwrap_or(0);
            }
        }
    }

    /// What a run reached, by the counters of the images that took part.
    pub fn of<'a>(&mut self, run: impl Iterator<Item = (&'a EdgeImage, &'a [u8])>) -> Reached {
        let mut reached = Reached::default();
        for (image, counters) in run {
            for watched in self.watched_of(image) {
                if counters.get(watched.counter).is_some_and(|&hits| hits > watched.idle) {
                    reached.add(watched.tells);
                }
            }
        }
        reached
    }
}

/// Functions of the source that an image has.
pub fn functions(image: &EdgeImage) -> impl Iterator<Item = &str> {
    let sites = image.tables.iter().flat_map(|table| &table.table.sites);
    sites.filter(|site| site.kind == SiteKind::Function).map(|site| site.function.as_str())
}

/// Source files that an image was made of.
pub fn files(image: &EdgeImage) -> impl Iterator<Item = &str> {
    let sites = image.tables.iter().flat_map(|table| &table.table.sites);
    sites.filter(|site| site.kind == SiteKind::Function).map(|site| site.file.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::tests::{counters, image};

    fn module(files: &[&str]) -> Module {
        Module { name: "it".into(), files: files.iter().map(|&file| file.into()).collect() }
    }

    #[test]
    fn files_are_ends_of_paths() {
        assert!(module(&["lex.c"]).has("src/lex.c"));
        assert!(module(&["b.c", "src/lex.c"]).has("src/lex.c"));
        assert!(!module(&["lex.c"]).has("src/flex.c"));
        assert!(!module(&["lex.c"]).has("lex.c.h"));
    }

    #[test]
    fn what_an_empty_input_does_is_no_reach() {
        let mut reach = Reach::new(Parts { modules: vec![module(&["a.c"])], rejecting: vec!["f".into()] });
        let idle = counters(&[(0, 3), (1, 3)]);
        reach.set_idle(idle.iter().map(|counters| (&*counters.image, &counters.bytes[..])));
        let mut has = |set: &[(usize, u8)]| {
            let run = counters(set);
            let reached = reach.of(run.iter().map(|counters| (&*counters.image, &counters.bytes[..])));
            assert!(reached.is_rejected);
            reached.has(0)
        };
        assert!(!has(&[(0, 3), (1, 3)]));
        assert!(!has(&[(0, 2), (1, 3)]));
        assert!(has(&[(0, 3), (1, 4)]));
    }

    #[test]
    fn counters_tell_what_was_reached() {
        let parts = Parts { modules: vec![module(&["b.c"]), module(&["a.c"])], rejecting: vec!["g".into()] };
        let mut reach = Reach::new(parts);
        let mut of = |set: &[(usize, u8)]| {
            let run = counters(set);
            reach.of(run.iter().map(|counters| (&*counters.image, &counters.bytes[..])))
        };
        // f of the first object, or its branch; g of the second.
        assert_eq!((of(&[(0, 1)]).has(0), of(&[(0, 1)]).has(1), of(&[(0, 1)]).is_rejected), (false, true, false));
        assert!(of(&[(1, 1)]).has(1));
        assert_eq!(of(&[]), Reached::default());
        assert!(of(&[(8, 1), (11, 9)]).is_rejected);
        assert!(!of(&[(8, 1), (12, 1)]).is_rejected);
        assert_eq!(functions(&image()).collect::<Vec<_>>(), ["f", "f", "g"]);
        let mut coverage = Coverage::new(&image());
        coverage.merge(&counters(&[(1, 1)]));
        assert_eq!(module(&["a.c"]).coverage(&coverage), (1, 9));
        assert_eq!(module(&["b.c"]).coverage(&coverage), (0, 0));
    }
}
