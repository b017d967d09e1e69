//! Scanners, read from the `.l` files that projects ship.
//!
//! What counts is what flex makes of a file, not what a manual says: where the two differ, flex is followed, since the
//! program under test was built by it. Patterns are built directly as expressions over bytes; nothing is translated into
//! the text of another regular expression language on the way. [`read`] goes on after an error and reports what it finds,
//! so a file with errors still has those rules that could be read.

pub mod action;
mod class;
mod code;
mod definitions;
mod options;
mod pattern;
pub mod print;
mod rules;
pub mod token_map;

#[cfg(test)]
mod tests;

use gimlet_grammar::scanner::{Condition, Lex, Options};
use gimlet_grammar::source::{Source, Span};

/// Reads a scanner.
pub fn read(source: &Source) -> Lex {
    read_with(source, Options::default())
}

/// Reads a scanner for a flex that is called with options; those of the file come after them.
pub fn read_with(source: &Source, options: Options) -> Lex {
    let mut lex = Lex {
        conditions: vec![Condition { name: "INITIAL".to_owned(), is_exclusive: false, span: Span::default() }],
        definitions: Vec::new(),
        rules: Vec::new(),
        options,
        code: Vec::new(),
        prologue: Vec::new(),
        user_code: Span::new(source.text.len(), source.text.len()),
        diagnostics: Vec::new(),
    };
    if let Some(at) = definitions::read(source, &mut lex) {
        rules::read(source, at, &mut lex);
    }
    lex.diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    lex
}
