//! What is done with findings: which are told, and which end a search.

use std::path::PathBuf;

use clap::Args;
use gimlet_explore::findings::Enough;
use gimlet_explore::suppress::Rule;
use gimlet_trace::finding::Kind;

/// Stands for all kinds that are about accesses to memory.
const MEMORY: &str = "memory";

#[derive(Args)]
pub struct FoundArgs {
    /// Stop after so many findings: 3, or 1:heap-out-of-bounds,leak if only those count
    ///
    /// Kinds are those that `run` prints; `memory` stands for all that are about accesses to memory. With --resume only new
    /// findings count.
    #[arg(long, value_name = "N[:KIND,..]", value_parser = enough)]
    pub stop_after_found: Option<Enough>,
    /// Do not report findings of a kind, in a function, in a file; can be given several times
    ///
    /// As in heap-out-of-bounds:parse_*:lexer.c. Function and file are those that the finding is reported at; a star
    /// stands for any text. The search goes on behind what is suppressed, and counts it.
    #[arg(long, value_name = "KIND[:FUNCTION[:FILE]]")]
    pub suppress: Vec<Rule>,
    /// Do not report what this file lists, one --suppress in a line; # begins a comment
    #[arg(long, value_name = "FILE")]
    pub suppressions: Vec<PathBuf>,
    /// Do not use PROG.memory: find only what ends the program by itself
    #[arg(long, conflicts_with = "leaks")]
    pub no_memory: bool,
    /// Report memory leaked at exit, too; needs PROG.memory
    #[arg(long)]
    pub leaks: bool,
}

/// `N` or `N:KIND,KIND`
fn enough(text: &str) -> Result<Enough, String> {
    let (number, names) = text.split_once(':').map_or((text, None), |(number, names)| (number, Some(names)));
    let n_findings = number.parse().ok().filter(|&number| number > 0);
    let n_findings = n_findings.ok_or("a number of findings, 1 or more, as in 1 or 1:abort,leak")?;
    let mut kinds = Vec::new();
    for name in names.into_iter().flat_map(|names| names.split(',')) {
        match Kind::from_name(name.trim()) {
            Some(kind) => kinds.push(kind),
            None if name.trim() == MEMORY => kinds.extend(Kind::ALL.iter().filter(|kind| kind.is_of_memory())),
            None => {
                return Err(format!("'{name}' is no kind of finding; kinds are {MEMORY}, {}", Kind::names()));
            }
        }
    }
    Ok(Enough { n_findings, kinds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_counted_by_kind() {
        assert_eq!(enough("3"), Ok(Enough { n_findings: 3, kinds: Vec::new() }));
        assert_eq!(enough("1:abort, leak").map(|enough| enough.kinds), Ok(vec![Kind::Abort, Kind::Leak]));
        let of_memory = enough("1:memory").unwrap().kinds;
        assert!(of_memory.contains(&Kind::UseAfterFree) && !of_memory.contains(&Kind::Assertion));
        for wrong in ["0", "", "x", "1:", "1:frob", "-1"] {
            assert!(enough(wrong).is_err(), "{wrong}");
        }
    }
}
