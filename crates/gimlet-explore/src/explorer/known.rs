//! What is known: what runs have done, tests, findings, and what was counted.

use std::collections::BTreeMap;
use std::rc::Rc;

use gimlet_expr::Cutting;
use gimlet_trace::Input;
use rustc_hash::FxHashMap;

use super::parts::Watched;
use super::{Counts, Reading};
use crate::ask::expand::Followed;
use crate::corpus::Corpus;
use crate::findings::suppress::{Rule, Suppressions};
use crate::findings::{Finding, Findings, Triage};
use crate::make::strings::SymbolicString;
use crate::run::directions::Directions;
use crate::run::job::RunId;
use crate::run::seen::Seen;
use crate::run::walk::Contexts;

/// Paths that are kept after their run, by the number of their expressions: some 100 bytes each, with what belongs to it.
const N_KEPT_NODES: usize = 1_000_000;

pub struct Knowledge {
    pub seen: Seen,
    pub(super) contexts: Contexts,
    pub corpus: Corpus,
    pub findings: Findings,
    /// Those of an earlier search come first.
    pub(super) n_earlier_findings: usize,
    pub suppressions: Suppressions,
    pub(super) triage: Triage,
    pub counts: Counts,
    /// How runs went elsewhere than foretold.
    pub divergences: BTreeMap<String, u64>,
    /// What was lost, by reason and place.
    pub losses: BTreeMap<String, u64>,
    pub(super) directions: Directions,
    /// Whether the program looks at its input.
    pub reading: Reading,
    pub(super) runs: Runs,
    /// What parts of the program inputs come to, if somebody wants to know.
    pub(super) watched: Option<Watched>,
}

impl Knowledge {
    pub fn new(corpus: Corpus, suppressions: Vec<Rule>) -> Knowledge {
        let mut findings = Findings::default();
        findings.number_from(corpus.first_free_finding());
        Knowledge {
            seen: Seen::default(),
            contexts: Contexts::default(),
            corpus,
            findings,
            n_earlier_findings: 0,
            suppressions: Suppressions::new(suppressions),
            triage: Triage::default(),
            counts: Counts::default(),
            divergences: BTreeMap::new(),
            losses: BTreeMap::new(),
            directions: Directions::default(),
            reading: Reading::default(),
            runs: Runs::default(),
            watched: None,
        }
    }

    /// What this search has found, without what an earlier one had.
    pub fn new_findings(&self) -> &[Finding] {
        &self.findings.all[self.n_earlier_findings.min(self.findings.all.len())..]
    }
}

/// A run that can be made again.
#[derive(Clone)]
pub(super) struct Made {
    pub input: Input,
    pub bound: usize,
    pub visited: Vec<Rc<Cutting>>,
    pub string: Option<Rc<SymbolicString>>,
    /// With tokens as variables.
    pub has_tokens: bool,
}

/// Runs that questions are asked about.
#[derive(Default)]
pub(super) struct Runs {
    pub made: FxHashMap<RunId, Made>,
    /// Those of them whose path is still there.
    kept: BTreeMap<RunId, Followed>,
    n_kept_nodes: usize,
}

impl Runs {
    /// Keeps a run for its expansion; old ones are made again if need be.
    pub fn keep(&mut self, mut followed: Followed) {
        if followed.path.dag.len() > N_KEPT_NODES {
            return;
        }
        followed.slim();
        self.n_kept_nodes += followed.path.dag.len();
        self.kept.insert(followed.run, followed);
        while self.n_kept_nodes > N_KEPT_NODES && self.kept.len() > 1 {
            if let Some((_, old)) = self.kept.pop_first() {
                self.n_kept_nodes -= old.path.dag.len();
            }
        }
    }

    /// The path of a run, if it is still there.
    pub fn take(&mut self, run: RunId) -> Option<Followed> {
        let followed = self.kept.remove(&run)?;
        self.n_kept_nodes -= followed.path.dag.len();
        Some(followed)
    }
}
