//! Values of expressions.

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::scanner::effect::Move;
use gimlet_grammar::scanner::ConditionId;

use super::{Machine, Paths, TooMuch, Values};
use crate::lex::action::path::{merge, Path, Value};
use crate::lex::action::syntax::Expression;

impl Machine<'_> {
    pub fn value(&self, expression: &Expression, mut path: Path) -> Values {
        self.step()?;
        if !path.goes_on() {
            return Ok(vec![(path, Value::Unknown)]);
        }
        match expression {
            Expression::Number(number) => Ok(vec![(path, Value::Int(*number))]),
            Expression::Text(bytes) => Ok(vec![(path, Value::Text(bytes.clone()))]),
            Expression::Name(name) => {
                let value = self.name(name, &mut path);
                Ok(vec![(path, value)])
            }
            Expression::Call { name, arguments, is_scoped } => self.call(name, arguments, *is_scoped, path),
            Expression::Unary(sign, inside) => self.unary(sign, inside, path),
            Expression::After(sign, inside) => {
                let before = self.value(inside, path)?;
                Ok(before.into_iter().map(|(path, value)| (self.bumped(path, inside, sign, &value), value)).collect())
            }
            Expression::Binary(sign, left, right) => self.binary(sign, left, right, path),
            Expression::Assign(sign, left, right) => self.assign(sign, left, right, path),
            Expression::Choice(condition, yes, no) => {
                let mut values = Vec::new();
                for (path, holds) in self.branch(condition, path)? {
                    values.extend(self.value(if holds { yes } else { no }, path)?);
                }
                Ok(values)
            }
            Expression::Index(of, index) => {
                if let (Some(name), Expression::Number(0)) = (of.place(), &**index)
                    && name == "yytext"
                    && path.variable("yytext[0]").is_none()
                {
                    let value = first_byte(&path);
                    return Ok(vec![(path, value)]);
                }
                self.parts(&[of, index], path)
            }
            Expression::Member(of, _) => match expression.place() {
                Some(name) => {
                    let value = self.member(&name, &path);
                    Ok(vec![(path, value)])
                }
                None => self.parts(&[of], path),
            },
            Expression::Sequence(parts) => {
                let Some((last, others)) = parts.split_last() else { return Ok(vec![(path, Value::Unknown)]) };
                let mut values = Vec::new();
                for (path, _) in self.parts(&others.iter().collect::<Vec<_>>(), path)? {
                    values.extend(self.value(last, path)?);
                }
                Ok(values)
            }
            Expression::Other(parts) => self.parts(&parts.iter().collect::<Vec<_>>(), path),
        }
    }

    /// Evaluates for what it does.
    fn parts(&self, parts: &[&Expression], path: Path) -> Values {
        let mut paths = vec![path];
        for part in parts {
            let mut next = Vec::new();
            for path in paths {
                next.extend(self.value(part, path)?.into_iter().map(|(path, _)| path));
            }
            paths = merge(next).ok_or(TooMuch)?;
        }
        Ok(paths.into_iter().map(|path| (path, Value::Unknown)).collect())
    }

    fn name(&self, name: &str, path: &mut Path) -> Value {
        if let Some(value) = path.variable(name) {
            return value.clone();
        }
        if let Some(condition) = self.lex.condition_named(name) {
            return Value::Int(i64::from(condition.0));
        }
        match name {
            "YY_START" | "YYSTATE" => path.condition.map_or(Value::Unknown, |condition| Value::Int(condition.0.into())),
            "yyleng" => Value::Length(0),
            "EOF" => Value::Int(-1),
            "NULL" | "false" | "YY_NULL" | "YYEOF" => Value::Int(0),
            "true" => Value::Int(1),
            "REJECT" => {
                path.give_up("REJECT takes the text back");
                Value::Unknown
            }
            _ if self.registers.iter().any(|register| register == name) => Value::Saved(name.to_owned()),
            _ => Value::Name(name.to_owned()),
        }
    }

    fn member(&self, name: &str, path: &Path) -> Value {
        match path.variable(name) {
            Some(value) => value.clone(),
            None if self.registers.iter().any(|register| register == name) => Value::Saved(name.to_owned()),
            None => Value::Unknown,
        }
    }

    fn unary(&self, sign: &str, inside: &Expression, path: Path) -> Values {
        match sign {
            "!" => {
                let branches = self.branch(inside, path)?.into_iter();
                Ok(branches.map(|(path, holds)| (path, Value::Int(i64::from(!holds)))).collect())
            }
            "*" if inside.place().as_deref() == Some("yytext") => {
                let value = first_byte(&path);
                Ok(vec![(path, value)])
            }
            "&" => {
                // Who has the address may set it.
                let mut path = path;
                if let Some(name) = inside.place() {
                    path.set(&name, Value::Unknown);
                }
                Ok(vec![(path, Value::Unknown)])
            }
            "++" | "--" => {
                let mut values = Vec::new();
                for (path, value) in self.value(inside, path)? {
                    let path = self.bumped(path, inside, sign, &value);
                    values.push((path, bumped_value(sign, &value)));
                }
                Ok(values)
            }
            _ => {
                let operate = |value| match (sign, value) {
                    ("-", Value::Int(number)) => Value::Int(number.wrapping_neg()),
                    ("+", value) => value,
                    ("~", Value::Int(number)) => Value::Int(!number),
                    _ => Value::Unknown,
                };
                Ok(self.value(inside, path)?.into_iter().map(|(path, value)| (path, operate(value))).collect())
            }
        }
    }

    fn bumped(&self, mut path: Path, inside: &Expression, sign: &str, value: &Value) -> Path {
        if let Some(name) = inside.place() {
            path.set(&name, bumped_value(sign, value));
        }
        path
    }

    fn binary(&self, sign: &str, left: &Expression, right: &Expression, path: Path) -> Values {
        let mut values = Vec::new();
        if matches!(sign, "&&" | "||") {
            for (path, holds) in self.branch(left, path)? {
                if holds == (sign == "||") {
                    values.push((path, Value::Int(i64::from(holds))));
                    continue;
                }
                let branches = self.branch(right, path)?.into_iter();
                values.extend(branches.map(|(path, holds)| (path, Value::Int(i64::from(holds)))));
            }
            return Ok(values);
        }
        for (path, left) in self.value(left, path)? {
            for (path, right) in self.value(right, path)? {
                if matches!(sign, "==" | "!=" | "<" | ">" | "<=" | ">=") {
                    let compared = self.compare(sign, &left, &right, path).into_iter();
                    let value = |answer: Option<bool>| answer.map_or(Value::Unknown, |holds| Value::Int(holds.into()));
                    values.extend(compared.map(|(path, answer)| (path, value(answer))));
                } else {
                    values.push((path, calculated(sign, &left, &right)));
                }
            }
        }
        Ok(values)
    }

    /// Compares, as far as the values are known. What the text begins with can be either way.
    pub fn compare(&self, sign: &str, left: &Value, right: &Value, path: Path) -> Vec<(Path, Option<bool>)> {
        let holds = |left: i64, right: i64| match sign {
            "==" => left == right,
            "!=" => left != right,
            "<" => left < right,
            ">" => left > right,
            "<=" => left <= right,
            _ => left >= right,
        };
        let test: Box<dyn Fn(u8) -> bool> = match (left, right) {
            (Value::Int(left), Value::Int(right)) => {
                let answer = holds(*left, *right);
                return vec![(path, Some(answer))];
            }
            (Value::Name(left), Value::Name(right)) if left == right && matches!(sign, "==" | "!=") => {
                return vec![(path, Some(sign == "=="))];
            }
            // Tokens have numbers that no character has.
            (Value::Name(name), Value::Int(9..=255)) | (Value::Int(9..=255), Value::Name(name))
                if matches!(sign, "==" | "!=") && is_constant(name) =>
            {
                return vec![(path, Some(sign == "!="))];
            }
            // A char is signed.
            (Value::FirstByte, Value::Int(right)) => Box::new(move |byte| holds(i64::from(byte as i8), *right)),
            (Value::Int(left), Value::FirstByte) => Box::new(move |byte| holds(*left, i64::from(byte as i8))),
            _ => return vec![(path, None)],
        };
        let first_bytes = path.first_bytes;
        [true, false]
            .into_iter()
            .map(|answer| (ByteSet::of(|byte| first_bytes.contains(byte) && test(byte) == answer, u8::MAX), answer))
            .filter(|(set, _)| !set.is_empty())
            .map(|(first_bytes, answer)| (path.clone().with_first_bytes(first_bytes), Some(answer)))
            .collect()
    }

    fn assign(&self, sign: &str, left: &Expression, right: &Expression, path: Path) -> Values {
        let mut values = Vec::new();
        for (path, right) in self.value(right, path)? {
            let befores = if sign == "=" { vec![(path, Value::Unknown)] } else { self.value(left, path)? };
            for (mut path, before) in befores {
                let value =
                    if sign == "=" { right.clone() } else { calculated(sign.trim_end_matches('='), &before, &right) };
                if let Some(name) = left.place().filter(|_| path.goes_on()) {
                    self.set(&name, &value, &mut path);
                }
                values.push((path, value));
            }
        }
        Ok(values)
    }

    fn set(&self, name: &str, value: &Value, path: &mut Path) {
        if path.local(name).is_none() && self.registers.iter().any(|register| register == name) {
            match self.condition(value) {
                Some(condition) => path.make(Move::Save(name.to_owned(), condition)),
                None => path.give_up(format!("what {name} remembers is not known")),
            }
        }
        path.set(name, value.clone());
    }

    /// The start condition that a number stands for.
    pub fn condition(&self, value: &Value) -> Option<ConditionId> {
        match value {
            Value::Int(number) => {
                u32::try_from(*number).ok().filter(|&n| (n as usize) < self.lex.conditions.len()).map(ConditionId)
            }
            _ => None,
        }
    }

    /// Whether a condition holds; both, if that is not known.
    pub fn branch(&self, condition: &Expression, path: Path) -> Result<Vec<(Path, bool)>, TooMuch> {
        let mut branches = Vec::new();
        for (path, value) in self.value(condition, path)? {
            if !path.goes_on() {
                branches.push((path, false));
                continue;
            }
            let answers = match value {
                Value::Int(number) => vec![(path, Some(number != 0))],
                Value::FirstByte => self.compare("!=", &value, &Value::Int(0), path),
                Value::Text(_) => vec![(path, Some(true))],
                _ => vec![(path, None)],
            };
            for (path, answer) in answers {
                if answer != Some(false) {
                    branches.push((path.clone(), true));
                }
                if answer != Some(true) {
                    branches.push((path, false));
                }
            }
        }
        Ok(branches)
    }

    pub fn arguments(&self, arguments: &[Expression], path: Path) -> Result<Vec<(Path, Vec<Value>)>, TooMuch> {
        let mut lists = vec![(path, Vec::new())];
        for argument in arguments {
            let mut next = Vec::new();
            for (path, list) in lists {
                for (path, value) in self.value(argument, path)? {
                    let mut list = list.clone();
                    list.push(value);
                    next.push((path, list));
                }
            }
            lists = next;
        }
        Ok(lists)
    }

    pub fn only_paths(values: Vec<(Path, Vec<Value>)>) -> Paths {
        merge(values.into_iter().map(|(path, _)| path).collect()).ok_or(TooMuch)
    }
}

/// By custom, names of constants have no small letters.
fn is_constant(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn first_byte(path: &Path) -> Value {
    match path.first_bytes.single() {
        Some(byte) => Value::Int(i64::from(byte as i8)),
        None => Value::FirstByte,
    }
}

fn bumped_value(sign: &str, value: &Value) -> Value {
    match value {
        Value::Int(number) => Value::Int(number.wrapping_add(if sign == "++" { 1 } else { -1 })),
        _ => Value::Unknown,
    }
}

fn calculated(sign: &str, left: &Value, right: &Value) -> Value {
    match (sign, left, right) {
        ("+", Value::Int(left), Value::Int(right)) => Value::Int(left.wrapping_add(*right)),
        ("-", Value::Int(left), Value::Int(right)) => Value::Int(left.wrapping_sub(*right)),
        ("*", Value::Int(left), Value::Int(right)) => Value::Int(left.wrapping_mul(*right)),
        ("&", Value::Int(left), Value::Int(right)) => Value::Int(left & right),
        ("|", Value::Int(left), Value::Int(right)) => Value::Int(left | right),
        ("+", Value::Length(left), Value::Int(right)) => Value::Length(left.wrapping_add(*right)),
        ("-", Value::Length(left), Value::Int(right)) => Value::Length(left.wrapping_sub(*right)),
        // A byte as an unsigned number.
        ("&", Value::FirstByte, Value::Int(0xff)) => Value::FirstByte,
        _ => Value::Unknown,
    }
}
