//! Functions of the file that actions call.

use rustc_hash::{FxHashMap, FxHashSet};

use super::preprocess::Macros;
use super::syntax::{statements, Statement};
use super::token::C;
use super::{is_scanner_word, CONDITION_WORDS};

/// Tokens between the parameters of a function and its body, in the style of before 1989.
const N_OLD_TOKENS_MAX: usize = 60;

/// Tokens of a small function.
const N_SMALL_TOKENS_MAX: usize = 300;

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub parameters: Vec<String>,
    /// What the preprocessor may make of it.
    pub bodies: Vec<Vec<Statement>>,
    /// It does something to the scanner, itself or by what it calls.
    pub matters: bool,
    /// It asks for the start condition, itself or by what it calls.
    pub asks_condition: bool,
    /// It is worth following for what it returns.
    pub is_small: bool,
    /// All names in it.
    names: Vec<String>,
}

pub(super) type Functions = FxHashMap<String, Function>;

/// Takes the functions of a piece of code.
pub(super) fn add(code: &[C], macros: &Macros, functions: &mut Functions) {
    let mut at = 0;
    let mut depth = 0;
    while at < code.len() {
        if depth == 0
            && let Some((name, parameters, body, end)) = definition(code, at)
        {
            insert(name, parameters, &code[body..end], macros, functions);
            at = end + 1;
            continue;
        }
        depth += i32::from(code[at].is("{")) - i32::from(code[at].is("}"));
        depth = depth.max(0);
        at += 1;
    }
}

/// Marks functions that call those that are marked.
pub(super) fn mark_callers(functions: &mut Functions) {
    mark(functions, |function| &mut function.matters);
    mark(functions, |function| &mut function.asks_condition);
}

fn mark(functions: &mut Functions, flag: impl Fn(&mut Function) -> &mut bool) {
    loop {
        let marked = functions.iter_mut().filter_map(|(name, function)| flag(function).then(|| name.clone()));
        let marked: FxHashSet<String> = marked.collect();
        let mut has_changed = false;
        for function in functions.values_mut() {
            if function.names.iter().any(|name| marked.contains(name)) {
                has_changed |= !std::mem::replace(flag(function), true);
            }
        }
        if !has_changed {
            return;
        }
    }
}

fn insert(name: &str, parameters: Vec<String>, body: &[C], macros: &Macros, functions: &mut Functions) {
    let variants = macros.variants(body).unwrap_or_default();
    let names = variants.iter().flatten().filter_map(C::name);
    let matters = variants.is_empty() || names.clone().any(is_scanner_word);
    let asks_condition = names.clone().any(|name| CONDITION_WORDS.contains(&name));
    let names = names.map(str::to_owned).collect();
    let is_small = body.len() < N_SMALL_TOKENS_MAX;
    let bodies = variants.iter().map(|variant| statements(variant)).collect();
    functions.insert(name.to_owned(), Function { parameters, bodies, matters, asks_condition, is_small, names });
}

/// A definition that begins with its name here: the name, the parameters, where the body begins and where it ends.
fn definition(code: &[C], at: usize) -> Option<(&str, Vec<String>, usize, usize)> {
    let name = code[at].name()?;
    if !code.get(at + 1)?.is("(") {
        return None;
    }
    let close = matching(code, at + 1)?;
    let parameters = code[at + 2..close]
        .split(|token| token.is(","))
        .filter_map(|parameter| parameter.iter().rev().find_map(C::name))
        .filter(|name| *name != "void")
        .map(str::to_owned)
        .collect();
    if [";", ",", "=", ")"].iter().any(|sign| code.get(close + 1).is_some_and(|token| token.is(sign))) {
        return None;
    }
    let between = code[close + 1..].iter().take(N_OLD_TOKENS_MAX).take_while(|token| !token.is("{")).count();
    let is_old = |token: &C| token.name().is_some() || ["*", ",", ";", "[", "]", "(", ")"].iter().any(|s| token.is(s));
    let body = close + 1 + between;
    if !code.get(body)?.is("{") || !code[close + 1..body].iter().all(is_old) {
        return None;
    }
    Some((name, parameters, body + 1, matching(code, body)?))
}

/// The place of the bracket that closes the one here.
fn matching(code: &[C], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (n, token) in code[open..].iter().enumerate() {
        depth += i32::from(token.is("(") || token.is("[") || token.is("{"));
        depth -= i32::from(token.is(")") || token.is("]") || token.is("}"));
        if depth == 0 {
            return Some(open + n);
        }
    }
    None
}
