//! What the preprocessor may make of a piece of code.
//!
//! Nobody knows here what was defined when the program was built. So for each condition of the code both answers are
//! tried, and all that may come out is looked at.

use rustc_hash::FxHashMap;

use self::condition::Condition;
use super::token::{tokens, C};
use super::Assumption;

mod condition;

/// Conditions of one piece of code whose answers are tried.
const N_CONDITIONS_MAX: usize = 5;
/// Tokens that are looked at while macros are put into a piece of code.
const N_TOKENS_MAX: usize = 20_000;
const DEPTH_MAX: usize = 30;
/// Names that are known to be defined, or not to be.
const DEFINED: [(&str, bool); 2] = [("FLEX_SCANNER", true), ("__cplusplus", false)];

/// What flex provides: its meaning is known, whatever a file makes of it.
const PROVIDED: [&str; 8] = ["BEGIN", "ECHO", "REJECT", "YY_START", "input", "unput", "yyless", "yymore"];

#[derive(Clone, PartialEq, Eq, Debug)]
struct Macro {
    parameters: Option<Vec<String>>,
    body: Vec<C>,
    /// It is defined whatever conditions hold.
    is_certain: bool,
}

/// The macros of a file.
#[derive(Clone, Default, Debug)]
pub(super) struct Macros {
    known: FxHashMap<String, Macro>,
    undefined: Vec<String>,
}

impl Macros {
    /// What is said about a name, before anything is added.
    pub fn assume(&mut self, assumption: &Assumption) {
        match &assumption.value {
            Some(value) => {
                let found = Macro { parameters: None, body: tokens(value), is_certain: true };
                self.known.insert(assumption.name.clone(), found);
            }
            None => self.undefined.push(assumption.name.clone()),
        }
    }

    /// Takes the definitions of a piece of code. Of several for the same name, one that does something to the scanner is
    /// preferred.
    pub fn add(&mut self, code: &[C], does_something: impl Fn(&[C]) -> bool) {
        let mut around: Vec<Option<String>> = Vec::new();
        for token in code {
            let C::Directive(line) = token else { continue };
            match condition::read(line) {
                Some(Condition::Not(inside)) if line.starts_with("if") => around.push(inside.into_name()),
                Some(_) if line.starts_with("if") => around.push(None),
                None if line.starts_with("endif") => {
                    around.pop();
                }
                _ => {}
            }
            let Some(definition) = line.strip_prefix("define").map(str::trim_start) else { continue };
            let length = definition.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            let (name, rest) = definition.split_at(length);
            let Some(mut new) = definition_of(rest) else { continue };
            // Where it is defined unless it is defined already, it is defined.
            new.is_certain = around.iter().all(|other| other.as_deref() == Some(name));
            let is_better = match self.known.get(name) {
                Some(old) => does_something(&new.body) && !does_something(&old.body),
                None => !name.is_empty() && !PROVIDED.contains(&name) && !self.undefined.iter().any(|own| own == name),
            };
            if is_better {
                self.known.insert(name.to_owned(), new);
            }
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// All that may become of a piece of code; `None` if that is too much.
    pub fn variants(&self, code: &[C]) -> Option<Vec<Vec<C>>> {
        let mut unknown = Vec::new();
        for token in code {
            if let C::Directive(line) = token {
                condition::read(line).iter().for_each(|condition| condition.names(&mut unknown));
            }
        }
        unknown.sort();
        unknown.dedup();
        unknown.retain(|name| self.answer(name).is_none());
        if unknown.len() > N_CONDITIONS_MAX {
            return None;
        }
        let mut variants: Vec<Vec<C>> = Vec::new();
        for world in 0..1u32 << unknown.len() {
            let holds = |name: &str| match unknown.iter().position(|own| own == name) {
                Some(index) => world >> index & 1 == 1,
                None => self.answer(name).unwrap_or(false),
            };
            let variant = self.expanded(&selected(code, holds))?;
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        Some(variants)
    }

    fn answer(&self, condition: &str) -> Option<bool> {
        if self.undefined.iter().any(|name| name == condition) {
            return Some(false);
        }
        let known = DEFINED.iter().find(|(name, _)| *name == condition).map(|(_, answer)| *answer);
        known.or(self.known.get(condition).filter(|found| found.is_certain).map(|_| true))
    }

    fn expanded(&self, code: &[C]) -> Option<Vec<C>> {
        let mut out = Vec::new();
        self.expand(code, &mut Vec::new(), &mut 0, &mut out)?;
        Some(out)
    }

    fn expand<'a>(&'a self, code: &[C], within: &mut Vec<&'a str>, n_seen: &mut usize, out: &mut Vec<C>) -> Option<()> {
        let mut at = 0;
        while let Some(token) = code.get(at) {
            at += 1;
            *n_seen += 1;
            if *n_seen > N_TOKENS_MAX || within.len() > DEPTH_MAX {
                return None;
            }
            let known = token.name().and_then(|name| self.known.get_key_value(name));
            let Some((name, found)) = known.filter(|(name, _)| !within.contains(&name.as_str())) else {
                out.push(token.clone());
                continue;
            };
            let body = match &found.parameters {
                None => found.body.clone(),
                Some(parameters) => {
                    let Some((arguments, length)) = arguments(&code[at..]) else {
                        out.push(token.clone());
                        continue;
                    };
                    at += length;
                    substituted(&found.body, parameters, &arguments)
                }
            };
            within.push(name);
            self.expand(&body, within, n_seen, out)?;
            within.pop();
        }
        Some(())
    }
}

fn definition_of(rest: &str) -> Option<Macro> {
    let Some(rest) = rest.strip_prefix('(') else {
        return Some(Macro { parameters: None, body: tokens(rest), is_certain: false });
    };
    let (parameters, body) = rest.split_once(')')?;
    let parameters = parameters.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    Some(Macro { parameters: Some(parameters), body: tokens(body), is_certain: false })
}

/// The code that is left when conditions are answered.
fn selected(code: &[C], holds: impl Fn(&str) -> bool) -> Vec<C> {
    /// Of one `#if`: whether this part is taken, whether one was before, whether what is around it is taken.
    struct Part {
        is_taken: bool,
        was_taken: bool,
        around: bool,
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut out = Vec::new();
    for token in code {
        let is_taken = parts.last().is_none_or(|part| part.is_taken);
        let C::Directive(line) = token else {
            if is_taken {
                out.push(token.clone());
            }
            continue;
        };
        let answer = condition::read(line).map(|condition| condition.holds(&holds));
        match (answer, parts.last_mut()) {
            (Some(answer), Some(part)) if line.starts_with("elif") => {
                part.is_taken = part.around && !part.was_taken && answer;
                part.was_taken |= answer;
            }
            (Some(answer), _) => {
                parts.push(Part { is_taken: is_taken && answer, was_taken: answer, around: is_taken });
            }
            (None, Some(part)) if line.starts_with("else") => {
                part.is_taken = part.around && !part.was_taken;
                part.was_taken = true;
            }
            (None, Some(_)) if line.starts_with("endif") => {
                parts.pop();
            }
            _ => {}
        }
    }
    out
}

/// The arguments of a call, and the length of all with the parentheses.
fn arguments(code: &[C]) -> Option<(Vec<Vec<C>>, usize)> {
    if !code.first()?.is("(") {
        return None;
    }
    let mut arguments = vec![Vec::new()];
    let mut depth = 0;
    for (n, token) in code.iter().enumerate() {
        if token.is("(") || token.is("[") || token.is("{") {
            depth += 1;
            if n == 0 {
                continue;
            }
        } else if token.is(")") || token.is("]") || token.is("}") {
            depth -= 1;
            if depth == 0 {
                return Some((arguments, n + 1));
            }
        } else if token.is(",") && depth == 1 {
            arguments.push(Vec::new());
            continue;
        }
        arguments.last_mut()?.push(token.clone());
    }
    None
}

fn substituted(body: &[C], parameters: &[String], arguments: &[Vec<C>]) -> Vec<C> {
    let mut out: Vec<C> = Vec::new();
    let mut joins = false;
    for token in body {
        if token.is("##") {
            joins = true;
            continue;
        }
        let index = token.name().and_then(|name| parameters.iter().position(|own| own == name));
        let mut put: Vec<C> = match index {
            Some(index) => arguments.get(index).cloned().unwrap_or_default(),
            None => vec![token.clone()],
        };
        if std::mem::take(&mut joins)
            && let (Some(C::Name(left)), Some(right)) = (out.last_mut(), put.first())
        {
            let right = match right {
                C::Name(name) => Some(name.clone()),
                C::Number(number) => number.map(|number| number.to_string()),
                _ => None,
            };
            if let Some(right) = right {
                left.push_str(&right);
                put.remove(0);
            }
        }
        out.append(&mut put);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(definitions: &str, code: &str, expected: &[&str]) {
        let mut macros = Macros::default();
        macros.add(&tokens(definitions), |body| body.iter().any(|token| token.name() == Some("return")));
        let variants = macros.variants(&tokens(code)).unwrap();
        let expected: Vec<Vec<C>> = expected.iter().map(|code| tokens(code)).collect();
        assert_eq!(variants, expected, "{code}");
    }

    #[test]
    fn macros_are_put_in() {
        check("#define TOK(x) return x\n#define A B\n#define B A", "TOK(f(A, 1)); TOK", &["return f(A, 1); TOK"]);
        check("#define T(x) return T_##x;", "T(A)", &["return T_A;"]);
        check("#define T(x) f(x)\n#define T(x) return x", "T(A)", &["return A"]);
        check("#define N 1\n", "#ifdef N\na\n#endif", &["a"]);
    }

    #[test]
    fn conditions_are_answered_both_ways() {
        check("", "a\n#ifdef X\nb\n#else\nc\n#endif\n#ifndef X\nd\n#endif", &["a c d", "a b"]);
        check("", "#if 0\na\n#elif defined(Y)\nb\n#endif", &["", "b"]);
        check("", "#if !defined(X) || defined Y && 0\na\n#endif\n#ifdef X\nb\n#endif", &["a", "b"]);
        check("", "#if X > 1\n#if 1\na\n#endif\n#endif\n#endif", &["", "a"]);
    }
}
