//! Parts of a program that the user names: whether they are there, and what came to them.

use std::path::Path;

use anyhow::Result;
use gimlet_exec::edges::EdgeImage;
use gimlet_exec::image::read_edges;
use gimlet_exec::parts::{files, functions, Parts};
use gimlet_explore::explorer::ModuleFigures;
use gimlet_explore::Explorer;

use crate::exit::hinted;
use crate::options;

/// Names that an error lists.
const N_NAMES: usize = 12;

/// An error unless the program has what the user names.
pub fn check(parts: &Parts, edges: Option<&Path>) -> Result<()> {
    if let Some(wrong) = options::wrong_parts(parts) {
        return Err(hinted(wrong, "give each --module another name"));
    }
    let Some(path) = edges else {
        let message = "--module and --reject-fn are counted on the build with counters, and there is none";
        return Err(hinted(message, "compile with gimlet-cc"));
    };
    let image = EdgeImage { path: String::new(), tables: read_edges(path)? };
    let has_file = |module: &&gimlet_exec::parts::Module| files(&image).any(|file| module.has(file));
    if let Some(module) = parts.modules.iter().find(|module| !has_file(module)) {
        let mut known: Vec<&str> = files(&image).filter(|file| !file.is_empty()).collect();
        known.sort_unstable();
        known.dedup();
        let message =
            format!("no file of the program is one of the module {}: {}", module.name, module.files.join(", "));
        return Err(hinted(message, format!("it was made of {}", some(&known))));
    }
    if let Some(name) = parts.rejecting.iter().find(|name| !functions(&image).any(|known| known == *name)) {
        let is_like = |known: &&str| {
            let (known, name) = (known.to_lowercase(), name.to_lowercase());
            known.contains(&name) || name.contains(&known) || known.contains("err")
        };
        let mut similar: Vec<&str> = functions(&image).filter(is_like).collect();
        similar.sort_unstable();
        similar.dedup();
        let message = format!("the program has no function {name} that --reject-fn could mean");
        let hint =
            if similar.is_empty() { "check its name".to_owned() } else { format!("there is {}", some(&similar)) };
        return Err(hinted(message, hint));
    }
    Ok(())
}

/// The first of some names.
fn some(names: &[&str]) -> String {
    let rest = if names.len() > N_NAMES { format!(" and {} more", names.len() - N_NAMES) } else { String::new() };
    format!("{}{rest}", names[..names.len().min(N_NAMES)].join(", "))
}

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
