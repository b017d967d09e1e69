//! Branches and functions as `gimlet-report` has them.

use gimlet_exec::coverage::Coverage;
use gimlet_report::coverage::{Branch, Branches, Direction, Function};

/// What runs have taken of a program.
pub fn branches(coverage: &Coverage) -> Branches {
    let branch = |branch: &gimlet_exec::coverage::Branch| {
        let directions = branch.directions.iter().zip(&branch.hits);
        Branch {
            file: branch.file.clone(),
            line: branch.line,
            column: branch.column,
            function: branch.function.clone(),
            directions: directions.map(|(name, &hits)| Direction { name: name.to_string(), hits }).collect(),
        }
    };
    let function = |function: &gimlet_exec::coverage::Function| Function {
        name: function.name.clone(),
        file: function.file.clone(),
        line: function.line,
        hits: function.hits,
    };
    Branches {
        branches: coverage.branches().iter().map(branch).collect(),
        functions: coverage.functions().iter().map(function).collect(),
    }
}
