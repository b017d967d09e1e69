//! Right sides of rules as grammar files have them, before it is known what is a token.

use gimlet_grammar::source::Span;
use regex_syntax::hir::ClassUnicode;

#[derive(Clone, Debug)]
pub enum Expression {
    Name(String, Span),
    /// Literally.
    Text(String, Span),
    /// One character of a set.
    Set(ClassUnicode, Span),
    /// Any character, or any token.
    Any,
    /// Any character or token but some.
    Not(Box<Expression>, Span),
    /// The end of the input.
    End(Span),
    Sequence(Vec<Expression>),
    Choice(Vec<Expression>),
    Repeat(Repeat, Box<Expression>),
    Times(u32, Box<Expression>),
    /// What is in the one, but not in the other.
    Except(Box<Expression>, Box<Expression>, Span),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeat {
    pub is_optional: bool,
    pub is_unbounded: bool,
    /// Takes as little as it can.
    pub is_lazy: bool,
}

impl Expression {
    pub fn empty() -> Expression {
        Expression::Sequence(Vec::new())
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Expression::Sequence(parts) if parts.is_empty())
    }

    pub fn optional(self) -> Expression {
        self.repeat(true, false, false)
    }

    pub fn many(self) -> Expression {
        self.repeat(true, true, false)
    }

    pub fn at_least_once(self) -> Expression {
        self.repeat(false, true, false)
    }

    pub fn repeat(self, is_optional: bool, is_unbounded: bool, is_lazy: bool) -> Expression {
        Expression::Repeat(Repeat { is_optional, is_unbounded, is_lazy }, Box::new(self))
    }

    pub fn sequence(mut parts: Vec<Expression>) -> Expression {
        match parts.len() {
            1 => parts.remove(0),
            _ => Expression::Sequence(parts),
        }
    }

    pub fn choice(mut parts: Vec<Expression>) -> Expression {
        match parts.len() {
            1 => parts.remove(0),
            _ => Expression::Choice(parts),
        }
    }

    /// Calls a function on every expression inside of this one, and on itself.
    pub fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Expression)) {
        visitor(self);
        match self {
            Expression::Sequence(parts) | Expression::Choice(parts) => {
                parts.iter().for_each(|part| part.visit(visitor));
            }
            Expression::Repeat(_, part) | Expression::Times(_, part) | Expression::Not(part, _) => part.visit(visitor),
            Expression::Except(one, other, _) => {
                one.visit(visitor);
                other.visit(visitor);
            }
            _ => {}
        }
    }
}

/// A name with what it stands for.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    /// The name's.
    pub span: Span,
    pub body: Expression,
}
