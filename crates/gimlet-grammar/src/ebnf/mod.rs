//! Grammars in extended Backus-Naur form, in the style of ISO 14977 or in that of the W3C.
//!
//! There is no scanner: a text is read character by character, so the terminals are sets of bytes, each apart from the
//! others.

mod assemble;
mod iso;
mod names;
mod rules;
#[cfg(test)]
mod tests;
mod w3c;

use crate::cursor::Cursor;
use crate::format::Read;
use crate::source::Source;

pub fn read(source: &Source) -> Read {
    let (definitions, diagnostics) =
        if is_w3c(&source.text) { w3c::read(&source.text) } else { iso::read(&source.text) };
    if !diagnostics.is_empty() {
        // What is missing may be in what could not be read.
        return Read::new(None, Vec::new(), diagnostics);
    }
    assemble::assemble(&definitions)
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
        cursor.next();
        if let Some(end) = end {
            if cursor.take_past(end).is_none() {
                return false;
            }
        }
    }
    false
}
