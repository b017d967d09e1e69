//! Context-free and regular languages: the grammar of a program's input.
//!
//! A grammar is read from the program's own files, counted, enumerated and sampled, and inputs are parsed with it. Nothing
//! here touches a file or a process.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod antlr;
pub mod chance;
mod characters;
pub mod constraint;
mod cursor;
pub mod derivations;
pub mod dfa;
mod draft;
mod earley;
pub mod ebnf;
pub mod edits;
mod expression;
pub mod format;
pub mod grafting;
pub mod grammar;
pub mod hampi;
pub mod heights;
pub mod keeping;
pub mod kpaths;
pub mod lalr;
pub mod lex;
pub mod parse;
pub mod prefixes;
pub mod railroad;
mod readable;
pub mod recognise;
mod regular;
pub mod rephrase;
mod rests;
pub mod scanner;
pub mod sentences;
pub mod shortest;
pub mod source;
pub mod symbolic;
pub mod template;
#[cfg(test)]
mod test_grammars;
pub mod tree;
pub mod tree_sitter;
pub mod uniform;
pub mod useful;
pub mod weighted;
pub mod weights;
pub mod wording;
pub mod writing;
pub mod yacc;

pub use grammar::{Grammar, NonterminalId, Rule, RuleId, Symbol, Terminal, TerminalId};
pub use source::{Diagnostic, Severity, Source, Span};
