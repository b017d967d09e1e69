//! What a chain may do.

use std::time::Duration;

use crate::kill::Stop;
use crate::layers::Layer;
use crate::log::Destination;

/// Switches and limits of a [`crate::Chain`]. Limits count steps, so that runs repeat.
#[derive(Clone, Debug)]
pub struct Config {
    /// A switch for each layer, in the order of [`Layer::ALL`].
    pub layers: [bool; Layer::ALL.len()],
    /// Instructions that the exact sweep over at most three bytes may evaluate.
    pub domain_budget: u64,
    /// Instructions that the sweep over more bytes may evaluate.
    pub search_budget: u64,
    /// Slices of more bytes than this are not swept.
    pub n_search_bytes_max: usize,
    /// Pairs of bytes that are tried in the search for a model that changes two.
    pub n_pairs_max: usize,
    /// Variables of CaDiCaL's beyond which nothing more is encoded.
    pub n_variables_max: usize,
    /// CaDiCaL's limits on conflicts: the next is tried when one is reached.
    pub conflict_limits: Vec<u32>,
    /// Z3's limits, likewise; a million is in the order of a second or less.
    pub rlimits: Vec<u32>,
    /// Terms of Z3's beyond which nothing more is encoded: simplifying one takes a step or more of those limits.
    pub n_terms_max: usize,
    /// The greatest number of addresses for which a lookup is encoded.
    pub n_lookup_positions_max: u64,
    /// Answers that are remembered, of each kind.
    pub n_remembered_max: usize,
    /// For the solvers that make random choices.
    pub seed: u32,
    /// Wall-clock time after which a question is given up; the answer is then unknown and counted.
    pub kill_after: Option<Duration>,
    /// Questions are given up when this is set.
    pub stop: Stop,
    /// Where queries are written, if at all.
    pub log_queries: Option<Destination>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            layers: [true; Layer::ALL.len()],
            domain_budget: 2_000_000,
            search_budget: 100_000,
            n_search_bytes_max: 256,
            n_pairs_max: 0,
            n_variables_max: 3_000_000,
            conflict_limits: vec![200, 5_000, 100_000],
            rlimits: vec![2_000_000, 20_000_000],
            n_terms_max: 1_000_000,
            n_lookup_positions_max: 4096,
            n_remembered_max: 20_000,
            seed: 0,
            kill_after: Some(Duration::from_secs(40)),
            stop: None,
            log_queries: None,
        }
    }
}

impl Config {
    /// All layers off but these.
    pub fn only(layers: &[Layer]) -> Config {
        let mut config = Config { layers: [false; Layer::ALL.len()], ..Config::default() };
        layers.iter().for_each(|&layer| config.set(layer, true));
        config
    }

    /// Turns a layer on or off.
    pub fn set(&mut self, layer: Layer, is_on: bool) {
        self.layers[layer as usize] = is_on;
    }

    pub fn has(&self, layer: Layer) -> bool {
        self.layers[layer as usize]
    }
}
