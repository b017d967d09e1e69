//! What parts of a program inputs come to, counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Of one module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModuleCounts {
    /// Inputs that reached it.
    #[serde(rename = "inputs")]
    pub n_inputs: u64,
    /// Conditions of paths that are its branches'.
    #[serde(rename = "constraints")]
    pub n_constraints: u64,
}

/// Of all, and of each module by its name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PartCounts {
    /// Inputs that were looked at; each is once.
    #[serde(rename = "inputs")]
    pub n_inputs: u64,
    /// Those that came to a function by which the program rejects its input.
    #[serde(rename = "rejected")]
    pub n_rejected: u64,
    /// Those that are sentences of the language of symbolic tokens.
    #[serde(rename = "sentences")]
    pub n_sentences: u64,
    /// Runs that were followed symbolically, with the variables that they had and the conditions that there were.
    #[serde(rename = "followed")]
    pub n_followed: u64,
    #[serde(rename = "variables")]
    pub n_variables: u64,
    #[serde(rename = "constraints")]
    pub n_constraints: u64,
    pub modules: BTreeMap<String, ModuleCounts>,
}

impl PartCounts {
    /// Adds what another search counted.
    pub fn add(&mut self, other: &PartCounts) {
        self.n_inputs += other.n_inputs;
        self.n_rejected += other.n_rejected;
        self.n_sentences += other.n_sentences;
        self.n_followed += other.n_followed;
        self.n_variables += other.n_variables;
        self.n_constraints += other.n_constraints;
        for (name, counts) in &other.modules {
            let known = self.modules.entry(name.clone()).or_default();
            known.n_inputs += counts.n_inputs;
            known.n_constraints += counts.n_constraints;
        }
    }
}

/// How much of a module is covered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ModuleCoverage {
    pub name: String,
    #[serde(rename = "branches_covered")]
    pub n_covered: u64,
    #[serde(rename = "branches_total")]
    pub n_branches: u64,
}

/// What is known of the parts that the user named.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    #[serde(flatten)]
    pub counts: PartCounts,
    /// The modules in the user's order.
    pub coverage: Vec<ModuleCoverage>,
    /// There are functions by which the program rejects its input.
    pub judges: bool,
}

impl Parts {
    /// Each module with what came to it, in the user's order.
    pub fn modules(&self) -> impl Iterator<Item = (&ModuleCoverage, ModuleCounts)> {
        self.coverage.iter().map(|it| (it, self.counts.modules.get(&it.name).copied().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_added() {
        let module = ModuleCounts { n_inputs: 3, n_constraints: 7 };
        let modules = BTreeMap::from([("lexer".to_owned(), module)]);
        let counts = PartCounts { n_inputs: 5, n_rejected: 1, n_constraints: 11, modules, ..PartCounts::default() };
        let coverage = vec![ModuleCoverage { name: "lexer".to_owned(), n_covered: 2, n_branches: 8 }];
        let parts = Parts { counts, coverage, judges: true };
        let mut read: Parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
        assert_eq!(read, parts);
        read.counts.add(&parts.counts);
        assert_eq!((read.counts.n_inputs, read.counts.n_constraints), (10, 22));
        assert_eq!(read.modules().next(), Some((&parts.coverage[0], ModuleCounts { n_inputs: 6, n_constraints: 14 })));
        assert_eq!(serde_json::from_str::<Parts>("{}").unwrap(), Parts::default());
    }
}
