//! What the user can say about the parts of a program.

use clap::Args;
use gimlet_exec::parts::{Module, Parts, Reach};

#[derive(Args)]
pub struct PartArgs {
    /// Tell of a part of the program how much of it is covered, how many inputs reach it, and how much of the conditions
    /// is its; may be repeated
    ///
    /// FILES are names of source files, or ends of their paths, with commas between them: --module parser=parse.c,ast.c.
    /// An input reaches a module if more is done there than for an empty input.
    #[arg(long, value_name = "NAME=FILES", value_parser = module)]
    module: Vec<Module>,
    /// A function by which the program rejects its input, such as yyerror: tell how many inputs it accepts; may be repeated
    #[arg(long, value_name = "NAME")]
    reject_fn: Vec<String>,
}

/// What is to be told, if anything is.
pub fn parts(args: PartArgs) -> Option<Parts> {
    let parts = Parts { modules: args.module, rejecting: args.reject_fn };
    (parts != Parts::default()).then_some(parts)
}

/// `NAME=FILE,FILE`
pub fn module(text: &str) -> Result<Module, String> {
    let (name, files) = text.split_once('=').ok_or("a module is NAME=FILES")?;
    let files: Vec<String> = files.split(',').filter(|file| !file.is_empty()).map(str::to_owned).collect();
    match (name.is_empty(), files.is_empty()) {
        (true, _) => Err("the module has no name".to_owned()),
        (_, true) => Err(format!("the module {name} has no files")),
        _ => Ok(Module { name: name.to_owned(), files }),
    }
}

/// What is wrong with modules that are each right.
pub fn wrong(parts: &Parts) -> Option<String> {
    let modules = &parts.modules;
    let twice = modules.iter().enumerate().find(|(n, it)| modules[..*n].iter().any(|other| other.name == it.name));
    match twice {
        Some((_, module)) => Some(format!("there are two modules {}", module.name)),
        None if modules.len() > Reach::N_MODULES_MAX => Some(format!("there are {} modules", modules.len())),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_names_and_files() {
        let parsed = module("parser=parse.c,src/ast.c").unwrap();
        assert_eq!(
            (parsed.name.as_str(), parsed.files),
            ("parser", vec!["parse.c".to_owned(), "src/ast.c".to_owned()])
        );
        assert!(["parser", "=a.c", "parser=", "parser=,"].iter().all(|text| module(text).is_err()));
        let twice = Parts { modules: vec![module("a=x").unwrap(), module("a=y").unwrap()], rejecting: Vec::new() };
        assert!(wrong(&twice).is_some());
    }
}
