//! What parts of a program inputs come to, counted.

use std::collections::BTreeMap;

use serde_json::{json, Map, Value};

/// Of one module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModuleCounts {
    /// Inputs that reached it.
    pub n_inputs: u64,
    /// Conditions of paths that are its branches'.
    pub n_constraints: u64,
}

/// Of all, and of each module by its name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartCounts {
    /// Inputs that were looked at; each is once.
    pub n_inputs: u64,
    /// Those that came to a function by which the program rejects its input.
    pub n_rejected: u64,
    /// Those that are sentences of the language of symbolic tokens.
    pub n_sentences: u64,
    /// Runs that were followed symbolically, with the variables that they had and the conditions that there were.
    pub n_followed: u64,
    pub n_variables: u64,
    pub n_constraints: u64,
    pub modules: BTreeMap<String, ModuleCounts>,
}

impl PartCounts {
    /// Adds what another search counted.
    pub fn add(&mut self, other: &PartCounts) {
        let mut other = other.clone();
        let others: Vec<u64> = other.counts().map(|(_, count)| *count).collect();
        self.counts().zip(others).for_each(|((_, count), other)| *count += other);
        for (name, counts) in other.modules {
            let known = self.modules.entry(name).or_default();
            known.n_inputs += counts.n_inputs;
            known.n_constraints += counts.n_constraints;
        }
    }

    fn counts(&mut self) -> impl Iterator<Item = (&'static str, &mut u64)> {
        [
            ("inputs", &mut self.n_inputs),
            ("rejected", &mut self.n_rejected),
            ("sentences", &mut self.n_sentences),
            ("followed", &mut self.n_followed),
            ("variables", &mut self.n_variables),
            ("constraints", &mut self.n_constraints),
        ]
        .into_iter()
    }

    /// As JSON: `inputs`, `rejected`, `sentences`, `followed`, `variables`, `constraints`, `modules` {NAME: {`inputs`, `constraints`}}.
    pub fn to_value(&self) -> Value {
        let mut value = Map::from_iter(self.clone().counts().map(|(name, count)| (name.to_owned(), json!(*count))));
        let module = |(name, counts): (&String, &ModuleCounts)| {
            (name.clone(), json!({ "inputs": counts.n_inputs, "constraints": counts.n_constraints }))
        };
        value.insert("modules".to_owned(), self.modules.iter().map(module).collect::<Map<_, _>>().into());
        Value::Object(value)
    }

    /// What is missing counts as nothing.
    pub fn from_value(value: &Value) -> PartCounts {
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let mut counts = PartCounts::default();
        for (name, count) in counts.counts() {
            *count = number(&value[name]);
        }
        for (name, value) in value["modules"].as_object().into_iter().flatten() {
            let of_module =
                ModuleCounts { n_inputs: number(&value["inputs"]), n_constraints: number(&value["constraints"]) };
            counts.modules.insert(name.clone(), of_module);
        }
        counts
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
        let mut read = PartCounts::from_value(&counts.to_value());
        assert_eq!(read, counts);
        read.add(&counts);
        assert_eq!((read.n_inputs, read.n_constraints, read.modules["lexer"].n_inputs), (10, 22, 6));
        assert_eq!(PartCounts::from_value(&Value::Null), PartCounts::default());
    }
}
