//! Grammars in extended Backus-Naur form, in the style of ISO 14977 or in that of the W3C.
//!
//! Alone it has no scanner: a text is read character by character, so the terminals are sets of bytes, each apart from the
//! others. With a token map it is a grammar of tokens.

mod assemble;
mod iso;
mod names;
mod rules;
#[cfg(test)]
mod tests;
mod token_grammar;
mod w3c;

use gimlet_grammar::source::cursor::Cursor;
use gimlet_grammar::source::{Diagnostic, Source, Span};
use rustc_hash::FxHashSet;

use crate::expression::Definition;
use crate::format::Read;
use crate::lex::token_map::TokenMap;

pub fn read(source: &Source) -> Read {
    match definitions(source, &[]) {
        Ok(definitions) => assemble::assemble(&definitions),
        Err(diagnostics) => Read::new(None, Vec::new(), diagnostics),
    }
}

/// A grammar of tokens: what its strings, the map and rules that the map names make of texts. Rules that neither the first
/// one nor those of another start symbol reach are left out.
pub fn read_tokens(source: &Source, map: &TokenMap, start: Option<&str>) -> Read {
    let names: Vec<&str> = map.names().collect();
    match definitions(source, &names) {
        Ok(definitions) => token_grammar::assemble(&definitions, map, start),
        Err(diagnostics) => Read::new(None, Vec::new(), diagnostics),
    }
}

/// The rules, in which there may be names without one. What is wrong is told alone: what is missing may be in what could
/// not be read.
fn definitions(source: &Source, names: &[&str]) -> Result<Vec<Definition>, Vec<Diagnostic>> {
    let text = &source.text;
    let (definitions, mut diagnostics) = if is_w3c(text) { w3c::read(text, names) } else { iso::read(text, names) };
    if definitions.is_empty() && diagnostics.is_empty() {
        let error = Diagnostic::error(Span::default(), "there are no rules");
        diagnostics.push(error.with_hint("a rule is `name = expression ;` or `Name ::= expression`"));
    }
    if diagnostics.is_empty() {
        Ok(definitions)
    } else {
        Err(diagnostics)
    }
}

/// Says of rules for the same name that all of them count.
fn report_twice(definitions: &[Definition]) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    let twice = definitions.iter().filter(|definition| !seen.insert(&definition.name));
    let warning = |definition: &Definition| {
        let message = format!("`{}` is defined more than once: its texts are those of all its rules", definition.name);
        Diagnostic::warning(definition.span, message)
    };
    twice.map(warning).collect()
}

/// Whether rules have `::=` instead of `=`, outside of comments and strings.
fn is_w3c(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    while let Some(c) = cursor.peek() {
        if cursor.take("::=") {
            return true;
        }
        let end = match c {
            '(' if cursor.is_at("(*") && !cursor.is_at("(*)") => Some("*)"),
            '/' if cursor.is_at("/*") => Some("*/"),
            '"' => Some("\""),
            '\'' => Some("'"),
            // Before any `::=`: a rule in the other style.
            '=' => return false,
            _ => None,
        };
        cursor.take_char();
        if let Some(end) = end
            && cursor.take_past(end).is_none()
        {
            return false;
        }
    }
    false
}
