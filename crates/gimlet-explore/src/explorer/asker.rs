//! Who asks the solver: all chains.

use gimlet_exec::watch::Interrupt;
use gimlet_report::Queries;
use gimlet_solver::{Chain, Config};

use super::questions::{patient_config, quick_config};
use super::Settings;

/// The chains, each for questions of its own kind.
pub struct Asker {
    /// For the first attempt at a question, with small limits.
    pub(super) chain: Chain,
    /// For what was too hard for that, and where nothing may be left out.
    pub(super) patient: Chain,
    /// For questions without what comes before them.
    pub(super) optimistic: Chain,
    /// For tokens and bytes at once.
    pub(super) joint: Chain,
    /// What earlier searches have asked.
    pub(super) earlier_queries: Queries,
}

impl Asker {
    pub fn new(settings: &Settings, stop: Interrupt) -> Asker {
        Asker {
            chain: Chain::new(quick_config(settings, stop)),
            patient: Chain::new(patient_config(settings, stop)),
            optimistic: Chain::new(Config { stop, ..Config::default() }),
            joint: Chain::new(quick_config(settings, stop)),
            earlier_queries: Queries::default(),
        }
    }

    /// Questions by which time is counted: those of first and later attempts, each once. `n_again` were asked once more.
    pub(super) fn n_timed_queries(&self, n_again: u64) -> u64 {
        let (first, patient) = (self.chain.stats(), self.patient.stats());
        let n_unknown = (first.n_unknown + patient.n_unknown).saturating_sub(first.n_unknown + n_again);
        let n_answered = first.n_sat + first.n_unsat + patient.n_sat + patient.n_unsat;
        n_answered + n_unknown + self.earlier_queries.n_total
    }
}
