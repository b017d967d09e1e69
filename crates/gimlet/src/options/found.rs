//! What is done with findings: which are told, and which end a search.

use std::path::PathBuf;

use clap::Args;
use gimlet_explore::findings::suppress::Rule;
use gimlet_explore::findings::Enough;
use gimlet_explore::spec::FindingSpec;

#[derive(Args)]
pub struct FoundArgs {
    /// Stop after so many findings: 3, or 1:heap-out-of-bounds,leak if only those count
    ///
    /// Kinds are those that `run` prints; `memory` stands for all that are about accesses to memory. With --resume only new
    /// findings count.
    #[arg(long, value_name = "N[:KIND,..]")]
    pub stop_after_found: Option<Enough>,
    /// Do not report findings of a kind, in a function, in a file; can be given several times
    ///
    /// As in heap-out-of-bounds:parse_*:lexer.c. Function and file are those that the finding is reported at; a star
    /// stands for any text. The search goes on behind what is suppressed, and counts it.
    #[arg(long, value_name = "KIND[:FUNCTION[:FILE]]")]
    suppress: Vec<Rule>,
    /// Do not report what this file lists, one --suppress in a line; # begins a comment
    #[arg(long, value_name = "FILE")]
    suppressions: Vec<PathBuf>,
    /// Do not use PROG.memory: find only what ends the program by itself
    #[arg(long, conflicts_with = "leaks")]
    no_memory: bool,
    /// Report memory leaked at exit, too; needs PROG.memory
    #[arg(long)]
    leaks: bool,
}

impl FoundArgs {
    pub fn spec(self) -> FindingSpec {
        FindingSpec {
            suppress: self.suppress,
            suppressions: self.suppressions,
            memory: self.no_memory.then_some(false),
            leaks: self.leaks.then_some(true),
        }
    }
}
