//! What the user can say about the parts of a program.

use std::str::FromStr;

use clap::Args;
use gimlet_explore::spec::{ModuleSpec, PartSpec};

#[derive(Args)]
pub struct PartArgs {
    /// Tell of a part of the program how much of it is covered, how many inputs reach it, and how much of the conditions
    /// is its; may be repeated
    ///
    /// FILES are names of source files, or ends of their paths, with commas between them: --module parser=parse.c,ast.c.
    /// An input reaches a module if more is done there than for an empty input.
    #[arg(long, value_name = "NAME=FILES", value_parser = ModuleSpec::from_str)]
    module: Vec<ModuleSpec>,
    /// A function by which the program rejects its input, such as yyerror: tell how many inputs it accepts; may be repeated
    #[arg(long, value_name = "NAME")]
    reject_fn: Vec<String>,
}

impl PartArgs {
    pub fn spec(self) -> PartSpec {
        PartSpec { modules: self.module, reject_functions: self.reject_fn }
    }
}
