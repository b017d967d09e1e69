//! Calls: of what flex provides, and of functions of the file.

use gimlet_grammar::scanner::effect::{Move, Taken};

use super::{Machine, Values};
use crate::lex::action::changes_input;
use crate::lex::action::path::{Flow, Path, Value};
use crate::lex::action::syntax::Expression;

/// Functions within functions.
const DEPTH_MAX: usize = 5;

const ENDINGS: [&str; 8] =
    ["exit", "_exit", "abort", "YY_FATAL_ERROR", "yy_fatal_error", "longjmp", "siglongjmp", "err"];

impl Machine<'_> {
    pub fn call(&self, name: &str, arguments: &[Expression], is_scoped: bool, path: Path) -> Values {
        if let Some(token) = name.strip_prefix("make_").filter(|_| is_scoped) {
            let paths = Machine::only_paths(self.arguments(arguments, path)?)?;
            return Ok(paths.into_iter().map(|path| (path, Value::Name(token.to_owned()))).collect());
        }
        let mut values = Vec::new();
        for (mut path, list) in self.arguments(arguments, path)? {
            if !path.goes_on() {
                values.push((path, Value::Unknown));
                continue;
            }
            let first = list.first().cloned().unwrap_or(Value::Unknown);
            match self.provided(name, &first, &mut path) {
                Some(value) => values.push((path, value)),
                None if self.functions.contains_key(name) => values.extend(self.inlined(name, list, path)?),
                None => values.push((path, Value::Unknown)),
            }
        }
        Ok(values)
    }

    /// What flex or the C library provides; `None` for other functions.
    fn provided(&self, name: &str, first: &Value, path: &mut Path) -> Option<Value> {
        match name {
            "BEGIN" => self.begin(first, path),
            "yy_push_state" => match self.condition(first) {
                Some(condition) => path.make(Move::Push(condition)),
                None => path.give_up("the start condition of yy_push_state is not known"),
            },
            "yy_pop_state" => path.make(Move::Pop),
            "yyless" => match first {
                Value::Int(n) if *n >= 0 => path.outcome.taken = Taken::First(*n as usize),
                Value::Length(n) if *n <= 0 => path.outcome.taken = Taken::AllBut(n.unsigned_abs() as usize),
                _ => path.give_up("how much yyless keeps is not known"),
            },
            "yymore" => path.outcome.is_more = true,
            "yy_set_bol" => match first {
                Value::Int(n) => path.outcome.at_line_start = Some(*n != 0),
                _ => path.give_up("what yy_set_bol is given is not known"),
            },
            "input" | "yyinput" => return Some(self.input(path)),
            "unput" | "yyunput" => self.unput(first, path),
            "yyterminate" => path.flow = Flow::Return(Value::Int(0)),
            "yylex" => return Some(Value::Again),
            "YYLeng" => return Some(Value::Length(0)),
            "strlen" => {
                return Some(match first {
                    Value::Text(bytes) => Value::Int(bytes.len() as i64),
                    Value::Name(name) if name == "yytext" => Value::Length(0),
                    _ => Value::Unknown,
                })
            }
            _ if ENDINGS.contains(&name) => path.flow = Flow::Stop,
            _ if changes_input(name) && !self.functions.contains_key(name) => {
                path.give_up(format!("{name} changes the input"));
            }
            _ => return None,
        }
        Some(Value::Unknown)
    }

    fn begin(&self, condition: &Value, path: &mut Path) {
        match (self.condition(condition), condition) {
            (Some(condition), _) => path.make(Move::Begin(condition)),
            (None, Value::Saved(name)) => path.make(Move::Restore(name.clone())),
            (None, Value::Name(name)) => path.give_up(format!("{name} is not known to be a start condition")),
            _ => path.give_up("the start condition of BEGIN is not known"),
        }
    }

    fn input(&self, path: &mut Path) -> Value {
        match self.feed.get(path.n_read) {
            Some(&byte) => {
                path.n_read += 1;
                Value::Int(i64::from(byte))
            }
            None => {
                path.flow = Flow::Starved;
                Value::Unknown
            }
        }
    }

    /// Only what was read last can be put back.
    fn unput(&self, byte: &Value, path: &mut Path) {
        let last = path.n_read.checked_sub(1).map(|last| Value::Int(i64::from(self.feed[last])));
        match last.is_some_and(|last| last == *byte) {
            true => path.n_read -= 1,
            false => path.give_up("unput changes the input"),
        }
    }

    fn inlined(&self, name: &str, arguments: Vec<Value>, path: Path) -> Values {
        let Some(function) = self.functions.get(name) else { return Ok(vec![(path, Value::Unknown)]) };
        let mut values = Vec::new();
        if path.depth() > DEPTH_MAX || !(function.matters || function.is_small) {
            let mut path = path;
            if function.matters {
                path.give_up(format!("{name} calls too many functions"));
            }
            return Ok(vec![(path, Value::Unknown)]);
        }
        for body in &function.bodies {
            let mut path = path.clone();
            let arguments = arguments.iter().cloned().chain(std::iter::repeat(Value::Unknown));
            path.enter(function.parameters.iter().cloned().zip(arguments));
            let unknown = path.unknown.clone();
            for mut path in self.run_all(body, path)? {
                path.leave();
                if !function.matters && path.unknown != unknown {
                    // It leaves the scanner alone, however much of it is understood.
                    path.unknown = unknown.clone();
                    path.flow = Flow::Next;
                }
                let value = match std::mem::replace(&mut path.flow, Flow::Next) {
                    Flow::Return(value) => value,
                    flow @ (Flow::Stop | Flow::Starved) => {
                        path.flow = flow;
                        Value::Unknown
                    }
                    _ => Value::Unknown,
                };
                values.push((path, value));
            }
        }
        if function.bodies.is_empty() {
            let mut path = path;
            path.give_up(format!("{name} has too many preprocessor conditions"));
            values.push((path, Value::Unknown));
        }
        Ok(values)
    }
}
