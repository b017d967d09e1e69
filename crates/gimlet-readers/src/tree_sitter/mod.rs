//! Grammars of tree-sitter, from the `grammar.json` that it makes of a `grammar.js`.
//!
//! Its scanner knows which tokens may come and prefers by precedence before length; the tokens here are told apart by
//! length alone, and of equal length by their order. What that and scanners in C leave out is told.

mod assemble;
mod pattern;
mod places;
#[cfg(test)]
mod tests;
mod texts;
mod tokens;

use gimlet_grammar::source::{Diagnostic, Source, Span};
use serde_json::Value;

use crate::format::Read;

pub fn read(source: &Source) -> Read {
    let failed = |error: Diagnostic| Read::new(None, Vec::new(), vec![error]);
    let value: Value = match serde_json::from_str(&source.text) {
        Ok(value) => value,
        Err(error) => {
            let at = places::offset(&source.text, error.line(), error.column());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            return failed(Diagnostic::error(Span::new(at, at), format!("this is no JSON: {message}")));
        }
    };
    let rules = places::rules(&source.text);
    if !value.get("rules").is_some_and(Value::is_object) || rules.is_empty() {
        let error = Diagnostic::error(Span::default(), "there are no rules");
        return failed(error.with_hint("the grammar.json of tree-sitter has an object `rules`"));
    }
    assemble::assemble(&value, &rules)
}

/// The kind of a node.
fn kind(node: &Value) -> &str {
    node.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// A text that a node has.
fn field<'a>(node: &'a Value, name: &str) -> &'a str {
    node.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What a node has inside: several things, one or none.
fn children(node: &Value) -> &[Value] {
    match (node.get("members"), node.get("content")) {
        (Some(Value::Array(members)), _) => members,
        (_, Some(content)) => std::slice::from_ref(content),
        _ => &[],
    }
}

/// Whether a node says nothing about the language that its content does not say.
fn is_wrapper(kind: &str) -> bool {
    matches!(kind, "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" | "FIELD" | "ALIAS" | "RESERVED")
}
