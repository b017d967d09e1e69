//! Context-free and regular languages: the grammar of a program's input.
//!
//! A grammar is counted, enumerated and sampled, inputs are parsed with it, and sentences are put as texts that a scanner
//! takes back. Nothing here reads a grammar (gimlet-readers does), and nothing touches a file or a process.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod byte_set;
pub mod chance;
pub mod constraint;
pub mod derivations;
pub mod dfa;
pub mod draft;
mod earley;
pub mod edits;
pub mod grafting;
pub mod grammar;
pub mod heights;
pub mod keeping;
pub mod kpaths;
pub mod lalr;
pub mod parse;
pub mod prefixes;
pub mod railroad;
pub mod readable;
pub mod recognise;
pub mod rephrase;
pub mod rests;
pub mod scanner;
pub mod sentences;
pub mod shortest;
pub mod source;
pub mod symbolic;
pub mod template;
#[cfg(test)]
mod test_grammars;
pub mod tree;
pub mod uniform;
pub mod useful;
pub mod weighted;
pub mod weights;
pub mod wording;
pub mod writing;

pub use grammar::{Grammar, NonterminalId, Rule, RuleId, Symbol, Terminal, TerminalId};
pub use source::{Diagnostic, Severity, Source, Span};
