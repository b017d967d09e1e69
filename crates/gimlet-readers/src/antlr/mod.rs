//! Grammars for ANTLR 4: parser rules, lexer rules, or both; several grammars may stand in one file.
//!
//! What belongs to the parser that ANTLR makes, and not to its language, is passed over: actions, labels, arguments,
//! options but one. What belongs to the language and can't be kept is told: predicates, modes, `more`, imports.

mod assemble;
mod code;
mod reader;
mod set;
#[cfg(test)]
mod tests;
mod tokens;

use gimlet_grammar::source::{Source, Span};

use crate::expression::Expression;
use crate::format::Read;

/// A rule of either kind.
#[derive(Debug)]
struct AntlrRule {
    name: String,
    span: Span,
    is_fragment: bool,
    is_caseless: bool,
    alternatives: Vec<Alternative>,
}

impl AntlrRule {
    fn is_lexer_rule(&self) -> bool {
        self.name.starts_with(char::is_uppercase)
    }
}

#[derive(Debug)]
struct Alternative {
    body: Expression,
    /// What follows `->`, with what stands in parentheses there.
    commands: Vec<(String, Option<String>, Span)>,
}

/// Everything in a file.
#[derive(Default, Debug)]
struct File {
    rules: Vec<AntlrRule>,
    /// Names that `tokens { .. }` declares.
    tokens: Vec<(String, Span)>,
    modes: Vec<(String, Span)>,
    predicates: Vec<Span>,
    /// Another file that has the tokens.
    vocabulary: Option<(String, Span)>,
}

pub fn read(source: &Source) -> Read {
    let (file, diagnostics) = reader::read(&source.text);
    if !diagnostics.is_empty() {
        // What is missing may be in what could not be read.
        return Read::new(None, Vec::new(), diagnostics);
    }
    assemble::assemble(&file)
}
