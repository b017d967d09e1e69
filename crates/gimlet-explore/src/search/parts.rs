//! Whether a program has the parts that the user names.

use std::path::Path;

use gimlet_exec::edges::EdgeImage;
use gimlet_exec::image::read_edges;
use gimlet_exec::parts::{files, functions, Module, Parts, Reach};

use crate::error::ExploreError;

/// Names that an error lists.
const N_NAMES: usize = 12;

/// An error unless the program has what the user names.
pub fn check(parts: &Parts, edges: Option<&Path>) -> Result<(), ExploreError> {
    if let Some(wrong) = wrong(parts) {
        return Err(ExploreError::refused(wrong, "give each --module another name"));
    }
    let Some(path) = edges else {
        let message = "--module and --reject-fn are counted on the build with counters, and there is none";
        return Err(ExploreError::refused(message, "compile with gimlet-cc"));
    };
    let image = EdgeImage { path: String::new(), tables: read_edges(path)? };
    let has_file = |module: &&Module| files(&image).any(|file| module.has(file));
    if let Some(module) = parts.modules.iter().find(|module| !has_file(module)) {
        let mut known: Vec<&str> = files(&image).filter(|file| !file.is_empty()).collect();
        known.sort_unstable();
        known.dedup();
        let message =
            format!("no file of the program is one of the module {}: {}", module.name, module.files.join(", "));
        return Err(ExploreError::refused(message, format!("it was made of {}", some(&known))));
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
        return Err(ExploreError::refused(message, hint));
    }
    Ok(())
}

/// The first of some names.
fn some(names: &[&str]) -> String {
    let rest = if names.len() > N_NAMES { format!(" and {} more", names.len() - N_NAMES) } else { String::new() };
    format!("{}{rest}", names[..names.len().min(N_NAMES)].join(", "))
}

/// What is wrong with modules that are each right.
fn wrong(parts: &Parts) -> Option<String> {
    let modules = &parts.modules;
    let twice = modules.iter().enumerate().find(|(n, it)| modules[..*n].iter().any(|other| other.name == it.name));
    match twice {
        Some((_, module)) => Some(format!("there are two modules {}", module.name)),
        None if modules.len() > Reach::N_MODULES_MAX => Some(format!("there are {} modules", modules.len())),
        None => None,
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn modules_have_names_of_their_own() {
        let module = |name: &str| Module { name: name.to_owned(), files: vec!["a.c".to_owned()] };
        let parts =
            |names: &[&str]| Parts { modules: names.iter().copied().map(module).collect(), rejecting: Vec::new() };
        assert_eq!(wrong(&parts(&["a", "b"])), None);
        assert!(wrong(&parts(&["a", "a"])).is_some());
    }
}
