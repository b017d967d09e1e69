//! Context-free and regular languages: the grammar of a program's input.
//!
//! A grammar is counted, enumerated and sampled, inputs are parsed with it, and sentences are put as texts that a scanner
//! takes back. Nothing here reads a grammar (gimlet-readers does), and nothing touches a file or a process.
//!
//! | module | what |
//! |---|---|
//! | [`grammar`] | the type [`Grammar`], how one is built, and what follows from its rules |
//! | [`regular`] | regular languages of bytes, as automata |
//! | [`parse`] | trees of token strings, whether one is a sentence, and what yacc's parsers accept ([`parse::lalr`]) |
//! | [`count`] | how many sentences and trees there are, and all of them in order |
//! | [`sample`] | trees and texts by chance, by weight, the shortest, and those that use every rule |
//! | [`constraint`] | sentences with given tokens at some places, or proofs that there are none |
//! | [`scanner`] | what divides a text into tokens |
//! | [`text`] | texts for tokens: what makes a scanner hand on exactly these |
//! | [`edit`] | texts changed along their trees, repaired and made smaller |
//! | [`railroad`] | grammars as pictures |
//! | [`source`] | the text of a file, places in it, and messages about them |
//! | [`chance`] | random numbers that repeat |
#![forbid(unsafe_code)]

pub mod chance;
pub mod constraint;
pub mod count;
pub mod edit;
pub mod grammar;
pub mod parse;
pub mod railroad;
pub mod regular;
pub mod sample;
pub mod scanner;
pub mod source;
#[cfg(test)]
mod test_grammars;
pub mod text;

pub use grammar::{Grammar, NonterminalId, Rule, RuleId, Symbol, Terminal, TerminalId};
pub use source::{Diagnostic, Severity, Source, Span};
