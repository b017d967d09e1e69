//! Scanners, read from the `.l` files that projects ship.
//!
//! What counts is what flex makes of a file, not what a manual says: where the two differ, flex is followed, since the
//! program under test was built by it. Patterns are built directly as expressions over bytes; nothing is translated into
//! the text of another regular expression language on the way. [`read`] goes on after an error and reports what it finds,
//! so a file with errors still has those rules that could be read.

pub mod action;
pub mod automaton;
mod class;
mod code;
pub(crate) mod conditions;
mod definitions;
pub mod effect;
pub mod lexer;
mod options;
mod pattern;
pub mod print;
mod rules;
pub mod token_map;

use regex_syntax::hir::Hir;

use crate::source::{Diagnostic, Severity, Source, Span};

pub(crate) use class::ByteSet;
pub use options::Options;

/// A rule of a scanner, by its place in [`Lex::rules`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u32);

/// A start condition, by its place in [`Lex::conditions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConditionId(pub u32);

impl RuleId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ConditionId {
    /// The condition that a scanner begins in.
    pub const INITIAL: ConditionId = ConditionId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub struct Condition {
    pub name: String,
    /// Rules without conditions are not active in it.
    pub is_exclusive: bool,
    pub span: Span,
}

/// A name that stands for a part of a pattern.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    /// Of its text.
    pub span: Span,
}

/// How much of what matched with its context is the rule's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// That many bytes from the beginning.
    Head(usize),
    /// All but that many bytes at the end.
    Trail(usize),
    /// The longest beginning that matches the pattern on its own, whether or not the rest matches the context.
    Longest,
}

/// What has to follow a rule's text.
#[derive(Clone, Debug)]
pub struct Trailing {
    pub pattern: Hir,
    pub cut: Cut,
}

/// C code that runs when a rule wins.
#[derive(Clone, Debug)]
pub struct Action {
    pub text: String,
    pub span: Span,
    /// It is written as `|`: the code is that of the next rule.
    pub is_continued: bool,
}

#[derive(Clone, Debug)]
pub struct Rule {
    /// Where it is active, without duplicates.
    pub conditions: Vec<ConditionId>,
    /// It begins with `^`.
    pub at_line_start: bool,
    /// What it matches; empty for the end of the input.
    pub pattern: Hir,
    pub trailing: Option<Trailing>,
    pub action: Action,
    /// It is `<<EOF>>`.
    pub is_eof: bool,
    /// Of the pattern, with `^` and without start conditions.
    pub span: Span,
}

/// A scanner.
#[derive(Clone, Debug)]
pub struct Lex {
    /// `INITIAL` first.
    pub conditions: Vec<Condition>,
    pub definitions: Vec<Definition>,
    /// Those for the end of the input among the others, in the order of the file.
    pub rules: Vec<Rule>,
    pub options: Options,
    /// C code before the rules.
    pub code: Vec<Span>,
    /// C code that runs whenever the scanner is called.
    pub prologue: Vec<Span>,
    /// What follows the second `%%`.
    pub user_code: Span,
    /// In the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

impl Lex {
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    pub fn condition(&self, id: ConditionId) -> &Condition {
        &self.conditions[id.index()]
    }

    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> {
        (0..self.rules.len() as u32).map(RuleId)
    }

    pub fn condition_ids(&self) -> impl Iterator<Item = ConditionId> {
        (0..self.conditions.len() as u32).map(ConditionId)
    }

    pub fn condition_named(&self, name: &str) -> Option<ConditionId> {
        self.condition_ids().find(|&id| self.condition(id).name == name)
    }

    /// The rule for the end of the input.
    pub fn eof_rule(&self, condition: ConditionId) -> Option<RuleId> {
        self.rule_ids().find(|&id| self.rule(id).is_eof && self.rule(id).conditions.contains(&condition))
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

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
