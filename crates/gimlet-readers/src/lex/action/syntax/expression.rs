//! Expressions, by precedence.

use super::{Expression, Reader, DEPTH_MAX, N_OPERATORS_MAX, TYPE_WORDS};
use crate::lex::action::token::C;

const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];
const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
const PREFIXES: [&str; 8] = ["!", "~", "-", "+", "*", "&", "++", "--"];

impl Reader<'_> {
    pub fn expression(&mut self) -> Option<Expression> {
        let first = self.assignment()?;
        if !self.is(",") {
            return Some(first);
        }
        let mut parts = vec![first];
        while self.take(",") {
            parts.push(self.assignment()?);
        }
        Some(Expression::Sequence(parts))
    }

    pub fn assignment(&mut self) -> Option<Expression> {
        self.depth += 1;
        let read = if self.depth > DEPTH_MAX { None } else { self.try_assignment() };
        self.depth -= 1;
        read
    }

    fn try_assignment(&mut self) -> Option<Expression> {
        let left = self.choice()?;
        let sign = ASSIGNMENTS.into_iter().find(|sign| self.is(sign));
        let Some(sign) = sign else { return Some(left) };
        self.at += 1;
        Some(Expression::Assign(sign, Box::new(left), Box::new(self.assignment()?)))
    }

    pub fn choice(&mut self) -> Option<Expression> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Some(condition);
        }
        let yes = self.expression()?;
        self.take(":").then_some(())?;
        let no = self.assignment()?;
        Some(Expression::Choice(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn binary(&mut self, level: usize) -> Option<Expression> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut n_operators = 0;
        while let Some(sign) = signs.iter().find(|sign| self.is(sign)) {
            n_operators += 1;
            if n_operators > N_OPERATORS_MAX {
                return None;
            }
            self.at += 1;
            left = Expression::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expression> {
        self.depth += 1;
        let read = if self.depth > DEPTH_MAX { None } else { self.try_unary() };
        self.depth -= 1;
        read
    }

    fn try_unary(&mut self) -> Option<Expression> {
        if let Some(sign) = PREFIXES.into_iter().find(|sign| self.is(sign)) {
            self.at += 1;
            return Some(Expression::Unary(sign, Box::new(self.unary()?)));
        }
        let is_operator = self.is_name("sizeof")
            || (self.is_name("new") || self.is_name("delete"))
                && matches!(self.code.get(self.at + 1), Some(C::Name(_) | C::Sign("[")));
        if is_operator {
            self.at += 1;
            self.take("[");
            self.take("]");
            return self.unary().map(|inside| Expression::Other(vec![inside]));
        }
        if self.is("(")
            && let Some(after) = self.cast_end()
        {
            self.at = after;
            return self.unary();
        }
        self.postfix()
    }

    /// The end of a type in parentheses.
    fn cast_end(&self) -> Option<usize> {
        let length = self.code[self.at..].iter().position(|token| token.is(")"))?;
        let inside = &self.code[self.at + 1..self.at + length];
        let n_names = inside.iter().take_while(|token| token.name().is_some()).count();
        let is_type = n_names > 0 && inside[n_names..].iter().all(|token| token.is("*") || token.is("&"));
        let is_known = inside.first()?.name().is_some_and(|name| TYPE_WORDS.contains(&name) || name.ends_with("_t"));
        let next = self.code.get(self.at + length + 1);
        let is_operand = matches!(next, Some(C::Name(_) | C::Number(_) | C::Text(_)));
        let is_cast = is_known || inside.len() > n_names || is_operand;
        (is_type && is_cast).then_some(self.at + length + 1)
    }

    fn postfix(&mut self) -> Option<Expression> {
        let mut read = self.primary()?;
        for _ in 0..N_OPERATORS_MAX {
            if self.take("[") {
                let index = self.expression()?;
                self.take("]").then_some(())?;
                read = Expression::Index(Box::new(read), Box::new(index));
            } else if self.take(".") || self.take("->") {
                let name = self.peek()?.name()?.to_owned();
                self.at += 1;
                read = Expression::Member(Box::new(read), name);
            } else if self.take("(") {
                let arguments = self.arguments()?;
                read = called(read, arguments);
            } else if self.take("++") {
                read = Expression::After("++", Box::new(read));
            } else if self.take("--") {
                read = Expression::After("--", Box::new(read));
            } else {
                return Some(read);
            }
        }
        None
    }

    fn arguments(&mut self) -> Option<Vec<Expression>> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.assignment()?);
            if !self.take(",") && !self.is(")") {
                return None;
            }
        }
        Some(arguments)
    }

    fn primary(&mut self) -> Option<Expression> {
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            C::Number(Some(number)) => Some(Expression::Number(number)),
            C::Number(None) => Some(Expression::Other(Vec::new())),
            C::Text(mut bytes) => {
                while let Some(C::Text(more)) = self.peek() {
                    bytes.extend_from_slice(more);
                    self.at += 1;
                }
                Some(Expression::Text(bytes))
            }
            C::Name(name) if name == "BEGIN" && !self.is("(") => {
                let condition = self.unary()?;
                Some(Expression::Call { name, arguments: vec![condition], is_scoped: false })
            }
            C::Name(name) => self.scoped(name),
            C::Sign("(") => {
                let inside = self.expression()?;
                self.take(")").then_some(inside)
            }
            C::Sign("::") => {
                let name = self.peek()?.name()?.to_owned();
                self.at += 1;
                self.scoped(name)
            }
            C::Sign(_) | C::Directive(_) => None,
        }
    }

    /// Of `a::b::C` only the last name counts.
    fn scoped(&mut self, name: String) -> Option<Expression> {
        let mut name = name;
        let mut is_scoped = false;
        while self.take("::") {
            name = self.peek()?.name()?.to_owned();
            self.at += 1;
            is_scoped = true;
        }
        if is_scoped && self.take("(") {
            let arguments = self.arguments()?;
            return Some(Expression::Call { name, arguments, is_scoped });
        }
        Some(Expression::Name(name))
    }
}

fn called(function: Expression, arguments: Vec<Expression>) -> Expression {
    match function {
        Expression::Name(name) => Expression::Call { name, arguments, is_scoped: false },
        other => Expression::Other(std::iter::once(other).chain(arguments).collect()),
    }
}
