//! All ways through a piece of code.
//!
//! Code is run with values that may be unknown: where a condition is unknown, both ways are gone. Loops whose condition is
//! unknown are gone through once and not at all, with all that they set forgotten. `input()` reads from a feed.

use std::cell::Cell;

use gimlet_grammar::scanner::Lex;

use super::function::Functions;
use super::is_scanner_word;
use super::path::{merge, Flow, Path, Value};
use super::syntax::{Expression, Loop, Statement};
use super::token::C;

mod call;
mod value;

/// Statements and expressions that are run for one action.
const N_STEPS_MAX: usize = 150_000;
/// Rounds of a loop whose condition is known.
const N_ROUNDS_MAX: usize = 60;

/// There is more to look at than there is time for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooMuch;

type Paths = Result<Vec<Path>, TooMuch>;
type Values = Result<Vec<(Path, Value)>, TooMuch>;

pub(super) struct Machine<'a> {
    pub lex: &'a Lex,
    pub functions: &'a Functions,
    /// Variables that `BEGIN` is given.
    pub registers: &'a [String],
    /// What `input()` reads.
    pub feed: &'a [u8],
    pub n_steps: Cell<usize>,
}

impl Machine<'_> {
    pub fn run_all(&self, statements: &[Statement], path: Path) -> Paths {
        let mut live = vec![path];
        let mut done = Vec::new();
        for statement in statements {
            let mut next = Vec::new();
            for path in live {
                for path in self.run(statement, path)? {
                    if path.goes_on() { &mut next } else { &mut done }.push(path);
                }
            }
            live = merge(next).ok_or(TooMuch)?;
            if live.is_empty() {
                break;
            }
        }
        done.append(&mut live);
        merge(done).ok_or(TooMuch)
    }

    fn step(&self) -> Result<(), TooMuch> {
        self.n_steps.set(self.n_steps.get() + 1);
        if self.n_steps.get() > N_STEPS_MAX {
            return Err(TooMuch);
        }
        Ok(())
    }

    fn run(&self, statement: &Statement, mut path: Path) -> Paths {
        self.step()?;
        match statement {
            Statement::Block(inside) => self.run_all(inside, path),
            Statement::Declaration(names) => self.declare(names, path),
            Statement::Expression(Expression::Call { name, arguments, is_scoped })
                if !is_scoped && self.functions.get(name).is_some_and(|function| !function.matters) =>
            {
                Ok(self.arguments(arguments, path)?.into_iter().map(|(path, _)| path).collect())
            }
            Statement::Expression(expression) => {
                let mut paths = Vec::new();
                for (mut path, value) in self.value(expression, path)? {
                    if value == Value::Again {
                        path.give_up("it calls the scanner itself");
                    }
                    paths.push(path);
                }
                Ok(paths)
            }
            Statement::If(condition, yes, no) => {
                let mut paths = Vec::new();
                for (path, holds) in self.branch(condition, path)? {
                    match (holds, no) {
                        _ if !path.goes_on() => paths.push(path),
                        (true, _) => paths.extend(self.run(yes, path)?),
                        (false, Some(no)) => paths.extend(self.run(no, path)?),
                        (false, None) => paths.push(path),
                    }
                }
                Ok(paths)
            }
            Statement::Switch(value, body) => self.run_switch(value, body, path),
            Statement::Case(_) => Ok(vec![path]),
            Statement::Loop(repeated) => self.run_loop(repeated, path),
            Statement::Return(None) => Ok(vec![path.with_flow(Flow::Return(Value::Unknown))]),
            Statement::Return(Some(value)) => {
                let values = self.value(value, path)?.into_iter();
                Ok(values
                    .map(|(path, value)| if path.goes_on() { path.with_flow(Flow::Return(value)) } else { path })
                    .collect())
            }
            Statement::Break => Ok(vec![path.with_flow(Flow::Break)]),
            Statement::Continue => Ok(vec![path.with_flow(Flow::Continue)]),
            Statement::Opaque(tokens) => {
                let word = |token: &C| {
                    token.name().filter(|name| is_scanner_word(name) || OTHER_WORDS.contains(name)).map(str::to_owned)
                };
                if let Some(word) = tokens.iter().find_map(word) {
                    path.give_up(format!("the code around {word} is not understood"));
                }
                Ok(vec![path])
            }
        }
    }

    fn declare(&self, names: &[(String, Option<Expression>)], path: Path) -> Paths {
        let mut paths = vec![path];
        for (name, value) in names {
            let mut next = Vec::new();
            for path in paths {
                let values = match value {
                    Some(value) => self.value(value, path)?,
                    None => vec![(path, Value::Unknown)],
                };
                for (mut path, value) in values {
                    path.declare(name, value);
                    next.push(path);
                }
            }
            paths = next;
        }
        Ok(paths)
    }

    fn run_switch(&self, value: &Expression, body: &Statement, path: Path) -> Paths {
        let Statement::Block(inside) = body else { return self.run(body, path) };
        let mut paths = Vec::new();
        for (path, value) in self.value(value, path)? {
            let mut undecided = vec![path];
            let mut default = None;
            for (at, statement) in inside.iter().enumerate() {
                let Statement::Case(label) = statement else { continue };
                let Some(label) = label else {
                    default = Some(at);
                    continue;
                };
                let mut others = Vec::new();
                for path in undecided {
                    for (path, label) in self.value(label, path)? {
                        for (path, is_equal) in self.compare("==", &value, &label, path) {
                            if is_equal != Some(false) {
                                paths.extend(self.run_all(&inside[at..], path.clone())?);
                            }
                            if is_equal != Some(true) {
                                others.push(path);
                            }
                        }
                    }
                }
                undecided = others;
            }
            for path in undecided {
                match default {
                    Some(at) => paths.extend(self.run_all(&inside[at..], path)?),
                    None => paths.push(path),
                }
            }
        }
        paths.iter_mut().filter(|path| path.flow == Flow::Break).for_each(|path| path.flow = Flow::Next);
        merge(paths).ok_or(TooMuch)
    }

    fn run_loop(&self, repeated: &Loop, path: Path) -> Paths {
        let mut live = self.run_all(&repeated.before, path)?;
        let mut done = Vec::new();
        let set = assigned(repeated);
        let forget = |path: &mut Path| set.iter().for_each(|name| path.set(name, Value::Unknown));
        let mut is_unknown = false;
        for round in 0..N_ROUNDS_MAX {
            let mut entering = Vec::new();
            for path in std::mem::take(&mut live) {
                match &repeated.condition {
                    Some(condition) if !(repeated.is_do && round == 0) => {
                        let branches = self.branch(condition, path)?;
                        // A condition that was not decided leads to two ways.
                        let is_split =
                            branches.iter().any(|(_, holds)| *holds) && branches.iter().any(|(_, holds)| !holds);
                        for (mut path, holds) in branches {
                            if !holds || !path.goes_on() || (is_split && is_unknown) {
                                done.push(path);
                                continue;
                            }
                            if is_split {
                                forget(&mut path);
                            }
                            entering.push(path);
                        }
                        is_unknown |= is_split;
                    }
                    _ => entering.push(path),
                }
            }
            for path in merge(entering).ok_or(TooMuch)? {
                for mut path in self.run(&repeated.body, path)? {
                    match path.flow {
                        Flow::Break => {
                            path.flow = Flow::Next;
                            done.push(path);
                        }
                        Flow::Next | Flow::Continue => {
                            path.flow = Flow::Next;
                            match &repeated.step {
                                Some(step) => live.extend(self.value(step, path)?.into_iter().map(|(path, _)| path)),
                                None => live.push(path),
                            }
                        }
                        _ => done.push(path),
                    }
                }
            }
            live = merge(live).ok_or(TooMuch)?;
            if live.is_empty() {
                break;
            }
        }
        live.iter_mut().for_each(forget);
        done.append(&mut live);
        merge(done).ok_or(TooMuch)
    }
}

/// Words that decide where code goes on.
const OTHER_WORDS: [&str; 3] = ["goto", "return", "throw"];

/// Variables that a loop sets.
fn assigned(repeated: &Loop) -> Vec<String> {
    let mut names = Vec::new();
    let mut visit = |expression: &Expression| {
        if let Expression::Assign(_, place, _)
        | Expression::After(_, place)
        | Expression::Unary("++" | "--" | "&", place) = expression
        {
            names.extend(place.place());
        }
    };
    repeated.condition.iter().chain(&repeated.step).for_each(|expression| expression.visit(&mut visit));
    repeated.body.visit(&mut visit);
    names.sort();
    names.dedup();
    names
}
