//! Context-free and regular languages: the grammar of a program's input.
//!
//! A grammar is read from the program's own files, counted, enumerated and sampled, and inputs are parsed with it. Nothing
//! here touches a file or a process.
#![forbid(unsafe_code)]

pub mod grammar;
pub mod lex;
pub mod source;

pub use grammar::{Grammar, NonterminalId, Rule, RuleId, Symbol, Terminal, TerminalId};
pub use source::{Diagnostic, Severity, Source, Span};
