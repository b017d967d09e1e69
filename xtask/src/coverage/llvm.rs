//! What clang's source-based coverage says of a program: the export of `llvm-cov`, with the text of its regions.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::source::Source;

/// Kind of a region that stands for the text of a macro.
const EXPANSION: u64 = 1;

/// What a condition is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Whole,
    /// The right side of `&&` or `||`.
    Operand,
    /// Before `?`.
    Choice,
}

/// What a branch region stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    Condition(Use),
    /// A label of a switch, with its text.
    Label(String),
    /// The default of a switch that has no such label.
    NoLabel,
}

/// A condition or label, with what was taken of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// Where it is, or where the macro is used that brings it.
    pub line: u32,
    pub role: Role,
    /// True and false, of the operand if it is a negation, since that is what the program branches on.
    pub is_taken: [bool; 2],
    /// It stands in a macro, where a negation can hide in an argument.
    pub is_in_macro: bool,
    /// It calls something, and so may be left before it is decided.
    pub has_call: bool,
}

/// The regions of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    /// The file that it is defined in.
    pub file: String,
    pub regions: Vec<Region>,
}

/// Reads an export.
pub fn functions(export: &str, sources: &mut HashMap<String, Source>) -> Result<Vec<Function>> {
    let export: Value = serde_json::from_str(export).context("llvm-cov's export")?;
    let functions = export["data"][0]["functions"].as_array().context("llvm-cov's export has no functions")?;
    functions.iter().map(|function| read(function, sources)).collect()
}

fn read(function: &Value, sources: &mut HashMap<String, Source>) -> Result<Function> {
    let name = function["name"].as_str().context("a function without a name")?;
    let files: Vec<&str> = list(&function["filenames"]).iter().filter_map(Value::as_str).collect();
    for file in &files {
        if !sources.contains_key(*file) {
            sources.insert((*file).to_owned(), Source::read(Path::new(file))?);
        }
    }
    // Macros: the file that an expansion stands for, with the place and file of its use.
    let uses: HashMap<usize, (u32, usize)> = list(&function["regions"])
        .iter()
        .map(numbers)
        .filter(|region| region.get(7) == Some(&EXPANSION))
        .map(|region| (region[6] as usize, (region[0] as u32, region[5] as usize)))
        .collect();
    let mut regions = Vec::new();
    for branch in list(&function["branches"]).iter().map(numbers).filter(|branch| branch.len() >= 7) {
        let (mut line, mut file) = (branch[0] as u32, branch[6] as usize);
        let source = files.get(file).and_then(|file| sources.get(*file)).context("a region without a file")?;
        let place = [branch[0] as u32, branch[1] as u32, branch[2] as u32, branch[3] as u32];
        let (role, is_negated) = role(source, place);
        let (is_in_macro, has_call) = (uses.contains_key(&file), source.between(place).contains('('));
        while let Some(&(use_line, use_file)) = uses.get(&file) {
            (line, file) = (use_line, use_file);
        }
        let mut is_taken = [branch[4] > 0, branch[5] > 0];
        if is_negated {
            is_taken.reverse();
        }
        regions.push(Region { line, role, is_taken, is_in_macro, has_call });
    }
    // Static functions are named with their file.
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name).to_owned();
    Ok(Function { name, file: files.first().unwrap_or(&"").to_string(), regions })
}

/// What the text says of a region, and if it is a negation.
fn role(source: &Source, place: [u32; 4]) -> (Role, bool) {
    let text = source.between(place);
    let before = source.before(place[0], place[1]);
    let word = |word: &str| text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_name));
    if word("case") || word("default") {
        return (Role::Label(text), false);
    }
    let opened = before.trim_end_matches(|c: char| c == '(' || c.is_whitespace());
    if opened.ends_with("switch") {
        return (Role::NoLabel, false);
    }
    let after = source.after(place[2], place[3]);
    let condition = match after.trim_start_matches(|c: char| c == ')' || c == '\\' || c.is_whitespace()) {
        after if after.starts_with('?') => Use::Choice,
        _ if opened.ends_with("&&") || opened.ends_with("||") => Use::Operand,
        _ => Use::Whole,
    };
    let mut rest = text.as_str();
    let mut n_negations = 0;
    loop {
        rest = rest.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
        match rest.strip_prefix('!') {
            Some(after) if !after.starts_with('=') => (rest, n_negations) = (after, n_negations + 1),
            _ => break,
        }
    }
    // `(!a) == b` is no negation: what is negated goes on to the end.
    let is_whole = n_negations > 0 && Source::is_negation(&text);
    (Role::Condition(condition), is_whole && n_negations % 2 == 1)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn numbers(value: &Value) -> Vec<u64> {
    list(value).iter().map(|number| number.as_u64().unwrap_or(0)).collect()
}
