//! What came to the parts of a program that the user names.

use gimlet_explore::explorer::ModuleFigures;
use gimlet_explore::Explorer;

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// What came to each part, a line for each.
pub fn lines(explorer: &Explorer) -> Vec<String> {
    let counts = explorer.part_counts();
    let line = |module: &ModuleFigures| {
        let ModuleFigures { name, n_covered, n_branches, n_inputs, n_constraints } = module;
        let mut line = format!(
            "module {name}: {n_covered}/{n_branches} branches ({}), {} of {} inputs reach it",
            percent(*n_covered, *n_branches),
            percent(*n_inputs, counts.n_inputs),
            counts.n_inputs,
        );
        if counts.n_constraints > 0 {
            line += &format!(", {} of the conditions are its", percent(*n_constraints, counts.n_constraints));
        }
        line
    };
    let mut lines: Vec<String> = explorer.modules().iter().map(line).collect();
    if explorer.judges() {
        let n_accepted = counts.n_inputs - counts.n_rejected;
        lines.push(format!(
            "the program accepts {} of {} inputs",
            percent(n_accepted, counts.n_inputs),
            counts.n_inputs
        ));
    }
    lines
}
