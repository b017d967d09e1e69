//! Algorithms of gimlet-grammar on grammars and scanners that are read from files.

mod constraint;
mod lalr;
mod preserving;
mod repair;
mod subtree_mutation;
mod symbolic;
mod unparser;
mod writer;

use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::{Grammar, Source};
use gimlet_readers::lex::{self, action};
use gimlet_readers::yacc;

/// The grammar of a yacc file.
fn grammar(text: &str) -> Grammar {
    yacc::read(&Source::new("a.y", text)).grammar.expect("a grammar")
}

/// The scanner of a lex file, for a grammar.
fn scanner(grammar: &Grammar, text: &str) -> Scanner {
    let source = Source::new("a.l", text);
    let lex = lex::read(&source);
    assert!(!lex.has_errors(), "{:?}", lex.diagnostics);
    let effects = action::effects(&lex, &source);
    Scanner::new(grammar, lex, effects, &[]).unwrap()
}
