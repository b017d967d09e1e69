//! What parts of the program inputs come to: modules, and functions by which it rejects them.

use gimlet_exec::edges::EdgesTarget;
use gimlet_exec::parts::{self, Module, Reach};
use gimlet_report::parts::{ModuleCoverage, PartCounts, Parts};
use gimlet_trace::event::EventKind;
use gimlet_trace::{Input, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Explorer;
use crate::corpus::content;
use crate::run::walk::Walk;

/// What is looked for in every run.
#[derive(Default)]
pub(super) struct Watched {
    reach: Reach,
    /// Inputs that were counted, but for mutants: they may be run several times.
    known: FxHashSet<u128>,
    /// The module of a site, by the build of its table and its number there.
    sites: FxHashMap<(u64, u32), Option<usize>>,
    counts: PartCounts,
}

impl Watched {
    /// Counts what the last run came to.
    fn count(&mut self, target: &EdgesTarget) {
        let reached = self.reach.of(target.counters().map(|(image, bytes)| (&**image, bytes)));
        self.counts.n_inputs += 1;
        self.counts.n_rejected += u64::from(reached.is_rejected);
        let modules = self.reach.parts.modules.iter().enumerate();
        for (_, module) in modules.filter(|&(number, _)| reached.has(number)) {
            self.counts.modules.entry(module.name.clone()).or_default().n_inputs += 1;
        }
    }

    /// Counts the conditions of a path and the variables that it has.
    fn follow(&mut self, trace: &Trace, walk: &Walk) {
        let n_tokens = trace.events.iter().filter(|event| event.kind == EventKind::Token as u8).count() as u64;
        let n_bytes: u64 = trace.segments.iter().map(|segment| segment.len).sum();
        self.counts.n_followed += 1;
        self.counts.n_variables += if n_tokens > 0 { n_tokens } else { n_bytes };
        for stop in walk.stops.iter().filter(|stop| !stop.is_read) {
            self.counts.n_constraints += 1;
            let Some(module) = trace.modules.iter().find(|module| stop.site.wrapping_sub(module.base) < module.count)
            else {
                continue;
            };
            let modules = &self.reach.parts.modules;
            let key = (module.build_id, stop.site - module.base);
            let of_site = *self.sites.entry(key).or_insert_with(|| {
                let file = trace.site(stop.site).map_or("", |site| &site.file);
                modules.iter().position(|module| module.has(file))
            });
            if let Some(number) = of_site {
                self.counts.modules.entry(modules[number].name.clone()).or_default().n_constraints += 1;
            }
        }
    }
}

impl Explorer {
    /// Counts from now on which parts of the program inputs come to.
    pub fn watch_parts(&mut self, parts: parts::Parts) {
        let mut reach = Reach::new(parts);
        let mut empty = self.settings.given.layout.clone();
        let sources = empty.sources.iter_mut().filter(|source| source.name == self.settings.given.primary);
        sources.for_each(|source| source.bytes.clear());
        if let Some(covered) = &mut self.runner.covered {
            // If it does not even begin, everything is reached by whoever comes there.
            if covered.run_first(&empty).is_ok() {
                reach.set_idle(covered.last().counters().map(|(image, bytes)| (&**image, bytes)));
            }
        }
        self.known.watched = Some(Watched { reach, ..Watched::default() });
    }

    /// What this one has counted.
    pub(super) fn parts(&self) -> Option<Parts> {
        let watched = self.known.watched.as_ref()?;
        let coverage = self.runner.covered.as_ref().map(|covered| &covered.coverage);
        let module = |module: &Module| {
            let (n_covered, n_branches) = coverage.map_or((0, 0), |coverage| module.coverage(coverage));
            ModuleCoverage { name: module.name.clone(), n_covered, n_branches }
        };
        let named = &watched.reach.parts;
        Some(Parts {
            counts: watched.counts.clone(),
            coverage: named.modules.iter().map(module).collect(),
            judges: !named.rejecting.is_empty(),
        })
    }

    /// Goes on from what an earlier search counted.
    pub(super) fn take_up_parts(&mut self, counts: &PartCounts) {
        if let Some(watched) = &mut self.known.watched {
            watched.counts.add(counts);
        }
    }

    /// Whether every input is to be run on the build with counters.
    pub(super) fn is_watching(&self) -> bool {
        self.known.watched.is_some()
    }

    /// Counts what the last run on the build with counters came to, if it was of another input than all before.
    pub(super) fn note_reached(&mut self, input: &Input) {
        let is_sentence = self.known.watched.is_some() && self.tokens.language.is_some() && self.is_sentence(input);
        let (Some(watched), Some(covered)) = (&mut self.known.watched, &self.runner.covered) else { return };
        if watched.known.insert(content(input)) {
            watched.count(covered.last());
            watched.counts.n_sentences += u64::from(is_sentence);
        }
    }

    /// The same for one of many mutants.
    pub(super) fn note_mutant_reached(&mut self) {
        let (Some(watched), Some(covered)) = (&mut self.known.watched, &self.runner.covered) else { return };
        watched.count(covered.last());
    }

    pub(super) fn note_constraints(&mut self, trace: &Trace, walk: &Walk) {
        if let Some(watched) = &mut self.known.watched {
            watched.follow(trace, walk);
        }
    }
}
