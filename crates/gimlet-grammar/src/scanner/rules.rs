//! What a scanner's file says: start conditions, rules and options.

use regex_syntax::hir::Hir;

use crate::source::{Diagnostic, Severity, Span};

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

    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> + use<> {
        (0..self.rules.len() as u32).map(RuleId)
    }

    pub fn condition_ids(&self) -> impl Iterator<Item = ConditionId> + use<> {
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

/// Options that change what is matched or how actions are to be read. All others are known and ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub is_caseless: bool,
    /// As AT&T's lex does it: definitions are put in without parentheses, repetition binds less tightly.
    pub lex_compat: bool,
    pub posix_compat: bool,
    /// Bytes are below 128; where nothing is said, it depends on the tables.
    pub seven_bit: Option<bool>,
    /// Tables are not compressed.
    pub has_full_tables: bool,
    /// What no rule matches is copied to the output; otherwise it ends the program.
    pub has_default: bool,
    /// What stands for `yy` in the names of functions.
    pub prefix: Option<Span>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            is_caseless: false,
            lex_compat: false,
            posix_compat: false,
            seven_bit: None,
            has_full_tables: false,
            has_default: true,
            prefix: None,
        }
    }
}

impl Options {
    /// The greatest byte that `.` and negated classes have.
    pub fn byte_max(&self) -> u8 {
        if self.seven_bit.unwrap_or(self.has_full_tables) {
            0x7f
        } else {
            0xff
        }
    }
}
