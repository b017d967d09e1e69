//! Reads grammars of yacc and its descendants, as projects ship them.
//!
//! A file has three parts: declarations, rules and C code. The C code is skipped, but it is kept where each part of it
//! stands. Numbers and order of everything are those of bison: a [`TerminalId`] is what bison calls a symbol kind, a
//! [`RuleId`] one less than its number of the rule. So the first three terminals are [`END`], [`ERROR`] and [`UNDEFINED`].
//!
//! What bison refuses because its C code would be wrong (types, unknown settings) is no error here, and neither are old
//! habits: missing semicolons, `= { action }`, directives with underscores.

mod assemble;
mod code;
mod declarations;
mod print;
mod reader;
mod rules;
mod scan;
mod symbols;

#[cfg(test)]
mod tests;

use gimlet_grammar::grammar::{Grammar, TerminalId};
use gimlet_grammar::source::{Diagnostic, Source, Span};

pub use print::print;

#[cfg(doc)]
use gimlet_grammar::grammar::RuleId;

/// The end of the input. Its name is `$end`, or that of the token with the number 0.
pub const END: TerminalId = TerminalId(0);
/// Stands for a wrong part of the input in rules for recovery.
pub const ERROR: TerminalId = TerminalId(1);
/// Every number that is no token's.
pub const UNDEFINED: TerminalId = TerminalId(2);

/// What a grammar file says.
#[derive(Clone, Debug)]
pub struct Yacc {
    /// None if there are errors.
    pub grammar: Option<Grammar>,
    /// In the order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// For each rule of the grammar its action, with the braces.
    pub actions: Vec<Option<Span>>,
    /// What stands for `yy` in the names of functions.
    pub prefix: Option<String>,
    pub defines: Vec<Define>,
    /// C code before the rules: `%{ %}` and `%code { }`, each with its marks.
    pub prologues: Vec<Span>,
    /// C code behind the second `%%`.
    pub epilogue: Option<Span>,
    /// The parser follows all ways at once where there is a choice, so its tables do not say what it accepts.
    pub is_glr: bool,
    /// The numbers of `%expect` and `%expect-rr`.
    pub expected_conflicts: (Option<u32>, Option<u32>),
}

/// `%define name value`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Define {
    pub name: String,
    /// Without quotes or braces.
    pub value: String,
    pub span: Span,
}

impl Yacc {
    /// The name of a function of the parser or the scanner: `lex` is `yylex`.
    pub fn function(&self, name: &str) -> String {
        format!("{}{name}", self.prefix.as_deref().unwrap_or("yy"))
    }

    pub fn define(&self, name: &str) -> Option<&str> {
        self.defines.iter().find(|define| define.name == name).map(|define| define.value.as_str())
    }
}

pub fn read(source: &Source) -> Yacc {
    let scanned = scan::scan(&source.text);
    let mut reader = reader::Reader::new(&source.text, scanned.tokens);
    reader.diagnostics = scanned.diagnostics;
    reader.declarations();
    if reader.take_kind(scan::Kind::Mark).is_none() && reader.peek().is_none() {
        let end = Span::new(source.text.len(), source.text.len());
        let error = Diagnostic::error(end, "there are no rules");
        reader.diagnostics.push(error.with_hint("they begin with a line `%%`"));
    }
    reader.rules();
    Yacc { epilogue: scanned.epilogue, ..assemble::assemble(reader) }
}
