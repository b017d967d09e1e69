//! Context-free and regular languages: the grammar of a program's input.
//!
//! A grammar is read from the program's own files, counted, enumerated and sampled, and inputs are parsed with it. Nothing
//! here touches a file or a process.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod chance;
pub mod derivations;
pub mod dfa;
pub mod grammar;
pub mod heights;
pub mod kpaths;
pub mod lalr;
pub mod lex;
pub mod parse;
pub mod prefixes;
pub mod sentences;
pub mod shortest;
pub mod source;
pub mod template;
#[cfg(test)]
mod test_grammars;
pub mod tree;
pub mod useful;
pub mod yacc;

pub use grammar::{Grammar, NonterminalId, Rule, RuleId, Symbol, Terminal, TerminalId};
pub use source::{Diagnostic, Severity, Source, Span};
