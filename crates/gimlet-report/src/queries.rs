//! What solvers were asked.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What solvers were asked, and what they said.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Queries {
    #[serde(rename = "total")]
    pub n_total: u64,
    #[serde(rename = "sat")]
    pub n_sat: u64,
    #[serde(rename = "unsat")]
    pub n_unsat: u64,
    #[serde(rename = "unknown")]
    pub n_unknown: u64,
    /// Of the unknown ones, those that the wall clock ended.
    #[serde(rename = "killed")]
    pub n_killed: u64,
    /// Models that were false when evaluated.
    #[serde(rename = "rejected")]
    pub n_rejected: u64,
    /// In the order in which they are asked.
    #[serde(deserialize_with = "layers")]
    pub layers: Vec<LayerFigures>,
}

/// What one layer of the solver did; as JSON `[name, asked, sat, unsat, seconds]`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "LayerRow", into = "LayerRow")]
pub struct LayerFigures {
    pub name: String,
    pub n_asked: u64,
    pub n_sat: u64,
    pub n_unsat: u64,
    pub seconds: f64,
}

type LayerRow = (String, u64, u64, u64, f64);

impl From<LayerRow> for LayerFigures {
    fn from((name, n_asked, n_sat, n_unsat, seconds): LayerRow) -> LayerFigures {
        LayerFigures { name, n_asked, n_sat, n_unsat, seconds }
    }
}

impl From<LayerFigures> for LayerRow {
    fn from(LayerFigures { name, n_asked, n_sat, n_unsat, seconds }: LayerFigures) -> LayerRow {
        (name, n_asked, n_sat, n_unsat, seconds)
    }
}

impl LayerFigures {
    pub fn n_answered(&self) -> u64 {
        self.n_sat + self.n_unsat
    }

    pub fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }
}

/// As they are written today, and as earlier versions did: by name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Layers {
    Rows(Vec<LayerRow>),
    ByName(BTreeMap<String, (u64, u64, u64, f64)>),
}

fn layers<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<LayerFigures>, D::Error> {
    Ok(match Layers::deserialize(deserializer)? {
        Layers::Rows(rows) => rows.into_iter().map(LayerFigures::from).collect(),
        Layers::ByName(layers) => {
            let rows = layers.into_iter();
            let rows = rows.map(|(name, (n_asked, n_sat, n_unsat, seconds))| (name, n_asked, n_sat, n_unsat, seconds));
            rows.map(LayerFigures::from).collect()
        }
    })
}

impl Queries {
    /// Adds what another search asked.
    pub fn add(&mut self, other: &Queries) {
        self.n_total += other.n_total;
        self.n_sat += other.n_sat;
        self.n_unsat += other.n_unsat;
        self.n_unknown += other.n_unknown;
        self.n_killed += other.n_killed;
        self.n_rejected += other.n_rejected;
        for theirs in &other.layers {
            match self.layers.iter_mut().find(|mine| mine.name == theirs.name) {
                Some(mine) => {
                    mine.n_asked += theirs.n_asked;
                    mine.n_sat += theirs.n_sat;
                    mine.n_unsat += theirs.n_unsat;
                    mine.seconds += theirs.seconds;
                }
                None => self.layers.push(theirs.clone()),
            }
        }
    }

    pub fn layer(&self, name: &str) -> Option<&LayerFigures> {
        self.layers.iter().find(|layer| layer.name == name)
    }
}
