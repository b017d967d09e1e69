//! Statements and expressions of C, as far as actions need them.
//!
//! What is not understood becomes an opaque part, not an error: the analysis looks whether anything in it matters.

use super::token::C;

/// Parts in parts; an `else if` counts as one.
const DEPTH_MAX: usize = 100;
/// Operators in a row.
const N_OPERATORS_MAX: usize = 200;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Statement {
    Block(Vec<Statement>),
    /// Names that begin to be local ones, with their values.
    Declaration(Vec<(String, Option<Expression>)>),
    Expression(Expression),
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    Switch(Expression, Box<Statement>),
    /// `None` is `default`.
    Case(Option<Expression>),
    Loop(Box<Loop>),
    Return(Option<Expression>),
    Break,
    Continue,
    /// The tokens of something else.
    Opaque(Vec<C>),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Loop {
    pub before: Vec<Statement>,
    /// `None` is always true.
    pub condition: Option<Expression>,
    pub step: Option<Expression>,
    pub body: Statement,
    /// The body comes before the condition.
    pub is_do: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Expression {
    Number(i64),
    Text(Vec<u8>),
    Name(String),
    /// `is_scoped`: the name has `::` before it.
    Call {
        name: String,
        arguments: Vec<Expression>,
        is_scoped: bool,
    },
    Unary(&'static str, Box<Expression>),
    /// `x++` and `x--`.
    After(&'static str, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Assign(&'static str, Box<Expression>, Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Index(Box<Expression>, Box<Expression>),
    Member(Box<Expression>, String),
    /// With commas between them.
    Sequence(Vec<Expression>),
    /// Its parts are evaluated; its value is not known.
    Other(Vec<Expression>),
}

/// Reads statements to the end.
pub(super) fn statements(code: &[C]) -> Vec<Statement> {
    let mut reader = Reader { code, at: 0, depth: 0 };
    let mut statements = Vec::new();
    while reader.at < code.len() {
        let before = reader.at;
        statements.push(reader.statement());
        if reader.at == before {
            reader.at += 1;
        }
    }
    statements
}

/// Reads an expression that is all of the code.
pub(super) fn expression(code: &[C]) -> Option<Expression> {
    let mut reader = Reader { code, at: 0, depth: 0 };
    reader.expression().filter(|_| reader.at == code.len())
}

struct Reader<'a> {
    code: &'a [C],
    at: usize,
    depth: usize,
}

const TYPE_WORDS: [&str; 20] = [
    "auto", "bool", "char", "const", "double", "enum", "extern", "float", "int", "long", "register", "short", "signed",
    "size_t", "static", "struct", "union", "unsigned", "void", "volatile",
];

/// Words that no declaration has.
const OTHER_WORDS: [&str; 16] = [
    "BEGIN", "ECHO", "REJECT", "break", "case", "continue", "default", "do", "else", "for", "goto", "if", "return",
    "sizeof", "switch", "while",
];

impl Reader<'_> {
    fn peek(&self) -> Option<&C> {
        self.code.get(self.at)
    }

    fn is(&self, sign: &str) -> bool {
        self.peek().is_some_and(|token| token.is(sign))
    }

    fn is_name(&self, name: &str) -> bool {
        self.peek().and_then(C::name) == Some(name)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn take_name(&mut self, name: &str) -> bool {
        let found = self.is_name(name);
        self.at += usize::from(found);
        found
    }

    fn statement(&mut self) -> Statement {
        let start = self.at;
        self.depth += 1;
        let read = if self.depth > DEPTH_MAX { None } else { self.try_statement() };
        self.depth -= 1;
        read.unwrap_or_else(|| {
            self.at = start;
            self.opaque()
        })
    }

    /// To the next semicolon, or to the brace that closes the first one.
    fn opaque(&mut self) -> Statement {
        let start = self.at;
        let mut depth = 0;
        while let Some(token) = self.peek() {
            let is_open = token.is("{") || token.is("(") || token.is("[");
            let is_close = token.is("}") || token.is(")") || token.is("]");
            let is_end = depth == 0 && token.is(";");
            let is_brace = token.is("}");
            depth += i32::from(is_open) - i32::from(is_close);
            if depth < 0 && self.at > start {
                break;
            }
            self.at += 1;
            if is_end || (is_brace && depth <= 0) || depth < 0 {
                break;
            }
        }
        Statement::Opaque(self.code[start..self.at].to_vec())
    }

    fn try_statement(&mut self) -> Option<Statement> {
        if self.take(";") {
            return Some(Statement::Block(Vec::new()));
        }
        if self.take("{") {
            let mut inside = Vec::new();
            while !self.is("}") && self.at < self.code.len() {
                inside.push(self.statement());
            }
            self.take("}");
            return Some(Statement::Block(inside));
        }
        let word = self.peek()?.name().unwrap_or_default().to_owned();
        let after = self.at + 1;
        match word.as_str() {
            "if" | "switch" => {
                self.at = after;
                self.take_name("constexpr");
                let condition = self.parenthesised()?;
                let body = Box::new(self.statement());
                if word == "switch" {
                    return Some(Statement::Switch(condition, body));
                }
                let other = if self.take_name("else") { Some(Box::new(self.statement())) } else { None };
                Some(Statement::If(condition, body, other))
            }
            "while" | "do" | "for" => {
                self.at = after;
                self.read_loop(&word)
            }
            "return" => {
                self.at = after;
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.end()?;
                Some(Statement::Return(value))
            }
            "break" | "continue" => {
                self.at = after;
                self.end()?;
                Some(if word == "break" { Statement::Break } else { Statement::Continue })
            }
            "case" => {
                self.at = after;
                let value = self.choice()?;
                self.take(":").then_some(Statement::Case(Some(value)))
            }
            "default" => {
                self.at = after;
                self.take(":").then_some(Statement::Case(None))
            }
            "throw" => {
                // Nobody in the scanner catches it.
                self.opaque();
                let abort = Expression::Call { name: "abort".to_owned(), arguments: Vec::new(), is_scoped: false };
                Some(Statement::Expression(abort))
            }
            "goto" | "else" | "try" | "catch" | "typedef" => None,
            _ => self.declaration().or_else(|| self.expression_statement()),
        }
    }

    fn expression_statement(&mut self) -> Option<Statement> {
        // A label says nothing by itself.
        if self.peek()?.name().is_some() && self.code.get(self.at + 1).is_some_and(|token| token.is(":")) {
            self.at += 2;
            return Some(Statement::Block(Vec::new()));
        }
        let expression = self.expression()?;
        // Macros bring their semicolon along at times.
        let may_be_macro = matches!(expression, Expression::Name(_) | Expression::Call { .. });
        (self.end().is_some() || may_be_macro).then_some(Statement::Expression(expression))
    }

    /// A semicolon, or the end of the code.
    fn end(&mut self) -> Option<()> {
        (self.take(";") || self.at == self.code.len() || self.is("}")).then_some(())
    }

    fn parenthesised(&mut self) -> Option<Expression> {
        self.take("(").then_some(())?;
        let inside = self.expression()?;
        self.take(")").then_some(inside)
    }

    fn read_loop(&mut self, word: &str) -> Option<Statement> {
        let mut read =
            Loop { before: Vec::new(), condition: None, step: None, body: Statement::Break, is_do: word == "do" };
        match word {
            "while" => {
                read.condition = Some(self.parenthesised()?);
                read.body = self.statement();
            }
            "do" => {
                read.body = self.statement();
                self.take_name("while").then_some(())?;
                read.condition = Some(self.parenthesised()?);
                self.take(";");
            }
            _ => {
                self.take("(").then_some(())?;
                if !self.take(";") {
                    read.before = vec![match self.declaration() {
                        Some(declaration) => declaration,
                        None => {
                            let expression = self.expression()?;
                            self.take(";").then_some(())?;
                            Statement::Expression(expression)
                        }
                    }];
                }
                if !self.is(";") {
                    read.condition = Some(self.expression()?);
                }
                self.take(";").then_some(())?;
                if !self.is(")") {
                    read.step = Some(self.expression()?);
                }
                self.take(")").then_some(())?;
                read.body = self.statement();
            }
        }
        Some(Statement::Loop(Box::new(read)))
    }

    fn declaration(&mut self) -> Option<Statement> {
        let start = self.at;
        let read = self.try_declaration();
        if read.is_none() {
            self.at = start;
        }
        read
    }

    /// `const char *a = x, b[3];`: words, then names with stars before them.
    fn try_declaration(&mut self) -> Option<Statement> {
        let mut n_words = 0;
        let mut has_type_word = false;
        while let Some(name) = self.peek().and_then(C::name) {
            if OTHER_WORDS.contains(&name) {
                return None;
            }
            has_type_word |= TYPE_WORDS.contains(&name);
            let next = self.code.get(self.at + 1)?;
            let is_last = ["=", ";", ",", "[", "("].iter().any(|sign| next.is(sign));
            if is_last {
                break;
            }
            n_words += 1;
            self.at += 1;
            while self.take("::") || self.take("*") || self.take("&") {}
        }
        if n_words == 0 {
            return None;
        }
        let mut names = Vec::new();
        loop {
            while self.take("*") || self.take_name("const") {}
            let name = self.peek()?.name()?.to_owned();
            self.at += 1;
            while self.is("[") {
                self.skip_brackets()?;
            }
            if self.is("(") {
                // A prototype, or an object of C++ with its arguments.
                has_type_word.then_some(())?;
                self.skip_brackets()?;
            }
            let value = if self.take("=") { self.initial_value()? } else { None };
            names.push((name, value));
            if !self.take(",") {
                break;
            }
        }
        self.end()?;
        Some(Statement::Declaration(names))
    }

    fn initial_value(&mut self) -> Option<Option<Expression>> {
        if self.is("{") {
            self.skip_brackets()?;
            return Some(None);
        }
        self.assignment().map(Some)
    }

    fn skip_brackets(&mut self) -> Option<()> {
        let mut depth = 0;
        loop {
            let token = self.peek()?;
            depth += i32::from(token.is("(") || token.is("[") || token.is("{"));
            depth -= i32::from(token.is(")") || token.is("]") || token.is("}"));
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

mod expression;

impl Statement {
    /// Shows all expressions in it, from the outside to the inside.
    pub fn visit(&self, visitor: &mut impl FnMut(&Expression)) {
        match self {
            Statement::Block(inside) => inside.iter().for_each(|statement| statement.visit(visitor)),
            Statement::Declaration(names) => {
                names.iter().filter_map(|(_, value)| value.as_ref()).for_each(|value| value.visit(visitor));
            }
            Statement::Expression(expression) => expression.visit(visitor),
            Statement::If(condition, yes, no) => {
                condition.visit(visitor);
                yes.visit(visitor);
                no.iter().for_each(|no| no.visit(visitor));
            }
            Statement::Switch(value, body) => {
                value.visit(visitor);
                body.visit(visitor);
            }
            Statement::Loop(repeated) => {
                repeated.before.iter().for_each(|statement| statement.visit(visitor));
                repeated.condition.iter().chain(&repeated.step).for_each(|expression| expression.visit(visitor));
                repeated.body.visit(visitor);
            }
            Statement::Case(value) | Statement::Return(value) => value.iter().for_each(|value| value.visit(visitor)),
            Statement::Break | Statement::Continue | Statement::Opaque(_) => {}
        }
    }
}

impl Expression {
    /// What a place in memory is called: a variable, a member, an element.
    pub fn place(&self) -> Option<String> {
        match self {
            Expression::Name(name) => Some(name.clone()),
            Expression::Member(of, name) => Some(format!("{}.{name}", of.place()?)),
            Expression::Index(of, index) => match **index {
                Expression::Number(number) => Some(format!("{}[{number}]", of.place()?)),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn visit(&self, visitor: &mut impl FnMut(&Expression)) {
        visitor(self);
        match self {
            Expression::Number(_) | Expression::Text(_) | Expression::Name(_) => {}
            Expression::Call { arguments: parts, .. } | Expression::Sequence(parts) | Expression::Other(parts) => {
                parts.iter().for_each(|part| part.visit(visitor));
            }
            Expression::Unary(_, inside) | Expression::After(_, inside) | Expression::Member(inside, _) => {
                inside.visit(visitor);
            }
            Expression::Binary(_, left, right)
            | Expression::Assign(_, left, right)
            | Expression::Index(left, right) => {
                left.visit(visitor);
                right.visit(visitor);
            }
            Expression::Choice(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| part.visit(visitor));
            }
        }
    }
}
