//! Conditions of preprocessor lines.

use crate::lex::action::syntax::{expression, Expression};
use crate::lex::action::token::{tokens, C};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    /// A macro that has to be defined, or an expression that is not looked into.
    Name(String),
    Known(bool),
    Not(Box<Condition>),
    All(Box<Condition>, Box<Condition>),
    Any(Box<Condition>, Box<Condition>),
}

impl Condition {
    pub fn holds(&self, answer: &impl Fn(&str) -> bool) -> bool {
        match self {
            Condition::Name(name) => answer(name),
            Condition::Known(value) => *value,
            Condition::Not(inside) => !inside.holds(answer),
            Condition::All(left, right) => left.holds(answer) && right.holds(answer),
            Condition::Any(left, right) => left.holds(answer) || right.holds(answer),
        }
    }

    pub fn names(&self, names: &mut Vec<String>) {
        match self {
            Condition::Name(name) => names.push(name.clone()),
            Condition::Known(_) => {}
            Condition::Not(inside) => inside.names(names),
            Condition::All(left, right) | Condition::Any(left, right) => {
                left.names(names);
                right.names(names);
            }
        }
    }

    pub fn into_name(self) -> Option<String> {
        match self {
            Condition::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// The condition of a line that has one.
pub(super) fn read(line: &str) -> Option<Condition> {
    let (word, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
    let name = || Condition::Name(rest.split_whitespace().next().unwrap_or_default().to_owned());
    match word {
        "ifdef" => Some(name()),
        "ifndef" => Some(Condition::Not(Box::new(name()))),
        "if" | "elif" => {
            let code = with_parentheses(tokens(rest));
            let whole = || Condition::Name(rest.split_whitespace().collect::<Vec<_>>().join(" "));
            Some(expression(&code).map_or_else(whole, |expression| of(&expression)))
        }
        _ => None,
    }
}

/// `defined X` as `defined(X)`.
fn with_parentheses(code: Vec<C>) -> Vec<C> {
    let mut out = Vec::with_capacity(code.len());
    let mut code = code.into_iter().peekable();
    while let Some(token) = code.next() {
        let is_defined = token.name() == Some("defined");
        out.push(token);
        if let Some(name) = code.next_if(|next| is_defined && next.name().is_some()) {
            out.extend([C::Sign("("), name, C::Sign(")")]);
        }
    }
    out
}

fn of(expression: &Expression) -> Condition {
    let pair = |left: &Expression, right: &Expression| (Box::new(of(left)), Box::new(of(right)));
    match expression {
        Expression::Number(number) => Condition::Known(*number != 0),
        Expression::Unary("!", inside) => Condition::Not(Box::new(of(inside))),
        Expression::Binary("&&", left, right) => {
            let (left, right) = pair(left, right);
            Condition::All(left, right)
        }
        Expression::Binary("||", left, right) => {
            let (left, right) = pair(left, right);
            Condition::Any(left, right)
        }
        Expression::Call { name, arguments, .. } if name == "defined" => match arguments.first() {
            Some(Expression::Name(name)) => Condition::Name(name.clone()),
            _ => Condition::Known(false),
        },
        // `#if X` asks for a value, which is hardly zero where X is defined.
        Expression::Name(name) => Condition::Name(name.clone()),
        other => Condition::Name(format!("{other:?}")),
    }
}
