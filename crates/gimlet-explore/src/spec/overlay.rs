//! One spec on top of another.
//!
//! What the upper one says holds; what it leaves open is as the lower one has it. Lists are not joined. A program comes with
//! its arguments and its builds, and a grammar with all that belongs to it, so that no half of the lower one's is left.

use serde_json::Value;

use super::{GrammarSpec, ProgramSpec, SearchSpec};
use crate::error::ExploreError;

impl SearchSpec {
    /// This spec, with what it leaves open from another.
    pub fn over(&self, below: &SearchSpec) -> Result<SearchSpec, ExploreError> {
        let mut below = below.clone();
        if !self.program.path.as_os_str().is_empty() {
            below.program = ProgramSpec { sandbox: below.program.sandbox, ..ProgramSpec::default() };
        }
        if self.grammar.file.is_some() {
            below.grammar = GrammarSpec::default();
        }
        let broken = |error: serde_json::Error| ExploreError::refused(format!("a spec: {error}"), "");
        let mut merged = serde_json::to_value(&below).map_err(broken)?;
        merge(&mut merged, serde_json::to_value(self).map_err(broken)?);
        serde_json::from_value(merged).map_err(broken)
    }
}

/// Puts what is said on top of what is there.
fn merge(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                match below.get_mut(&key) {
                    Some(known) => merge(known, value),
                    None => drop(below.insert(key, value)),
                }
            }
        }
        (_, Value::Null) => {}
        (below, above) => *below = above,
    }
}
