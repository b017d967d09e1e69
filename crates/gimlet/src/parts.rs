//! Parts of a program that the user names: whether they are there.

use std::path::Path;

use anyhow::Result;
use gimlet_exec::edges::EdgeImage;
use gimlet_exec::image::read_edges;
use gimlet_exec::parts::{files, functions, Parts};

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
