//! What the layers of the chain did.

use std::time::Duration;

use crate::layers::Layer;
use crate::query::{Answer, UnknownReason};

/// Figures of one layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LayerStats {
    pub n_asked: u64,
    pub n_sat: u64,
    pub n_unsat: u64,
    pub time: Duration,
}

/// Figures of a chain.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    pub n_total: u64,
    pub n_sat: u64,
    pub n_unsat: u64,
    pub n_unknown: u64,
    /// Of the unknown ones, those that the wall clock ended.
    pub n_killed: u64,
    /// Models that were false when evaluated. Anything but zero is a mistake in a layer.
    pub n_rejected: u64,
    layers: [LayerStats; Layer::ALL.len()],
}

impl Stats {
    pub fn layer(&self, layer: Layer) -> &LayerStats {
        &self.layers[layer as usize]
    }

    pub fn layer_mut(&mut self, layer: Layer) -> &mut LayerStats {
        &mut self.layers[layer as usize]
    }

    /// Counts an answer and the layer that gave it.
    pub(crate) fn count(&mut self, answer: &Answer, layer: Option<Layer>) {
        self.n_total += 1;
        match answer {
            Answer::Sat(_) => self.n_sat += 1,
            Answer::Unsat => self.n_unsat += 1,
            Answer::Unknown(reason) => {
                self.n_unknown += 1;
                self.n_killed += u64::from(*reason == UnknownReason::Timeout);
            }
        }
        if let Some(layer) = layer {
            self.layer_mut(layer).n_sat += u64::from(matches!(answer, Answer::Sat(_)));
            self.layer_mut(layer).n_unsat += u64::from(*answer == Answer::Unsat);
        }
    }

    /// Adds the figures of another chain.
    pub fn add(&mut self, other: &Stats) {
        self.n_total += other.n_total;
        self.n_sat += other.n_sat;
        self.n_unsat += other.n_unsat;
        self.n_unknown += other.n_unknown;
        self.n_killed += other.n_killed;
        self.n_rejected += other.n_rejected;
        for (mine, theirs) in self.layers.iter_mut().zip(&other.layers) {
            mine.n_asked += theirs.n_asked;
            mine.n_sat += theirs.n_sat;
            mine.n_unsat += theirs.n_unsat;
            mine.time += theirs.time;
        }
    }

    /// Each layer with its figures, in order.
    pub fn layers(&self) -> impl Iterator<Item = (Layer, &LayerStats)> {
        Layer::ALL.into_iter().zip(&self.layers)
    }
}
