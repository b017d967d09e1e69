//! The kinds of files that hold a grammar.

use std::cmp::Reverse;

use gimlet_grammar::grammar::Grammar;
use gimlet_grammar::source::N_DIAGNOSTICS_MAX;
use gimlet_grammar::source::{Diagnostic, Severity, Source};
use regex_syntax::hir::Hir;

use crate::lex::token_map::TokenMap;
use crate::{antlr, ebnf, tree_sitter, yacc};

/// How a grammar is written down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    Yacc,
    /// In the style of ISO 14977 or in that of the W3C; its text tells which.
    Ebnf,
    /// ANTLR 4.
    Antlr,
    /// The `grammar.json` of tree-sitter.
    TreeSitter,
}

impl Format {
    /// Told by the end of a file's name; what a file is made from has `.in` behind it.
    pub fn of_name(path: &str) -> Option<Format> {
        match end_of(path)?.as_str() {
            "y" | "yy" | "ypp" | "yxx" | "y++" => Some(Format::Yacc),
            "ebnf" => Some(Format::Ebnf),
            "g4" => Some(Format::Antlr),
            "json" => Some(Format::TreeSitter),
            _ => None,
        }
    }
}

/// Whether a file is one of lex or flex, by its name.
pub fn is_lex(path: &str) -> bool {
    let end = end_of(path).unwrap_or_default();
    ["l", "ll", "lex", "flex", "lpp", "lxx", "l++"].contains(&end.as_str())
}

/// What is behind the last dot of a name, `.in` aside, in lower case.
fn end_of(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let name = name.strip_suffix(".in").unwrap_or(&name);
    name.rsplit_once('.').map(|(_, end)| end.to_owned())
}

/// What was read from a file.
#[derive(Clone, Debug)]
pub struct Read {
    /// `None` if there are errors. The order of its terminals decides between texts of the same length.
    pub grammar: Option<Grammar>,
    /// Texts that may stand between tokens.
    pub skipped: Vec<Hir>,
    /// In the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

impl Read {
    /// Errors leave no grammar.
    pub(crate) fn new(grammar: Option<Grammar>, skipped: Vec<Hir>, mut diagnostics: Vec<Diagnostic>) -> Read {
        let is_sound = diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Warning);
        // Who has so many needs no more.
        diagnostics.sort_by_key(|diagnostic| Reverse(diagnostic.severity));
        diagnostics.truncate(N_DIAGNOSTICS_MAX);
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        Read { grammar: grammar.filter(|_| is_sound), skipped, diagnostics }
    }
}

/// Reads a grammar together with a token map, which makes one of tokens of EBNF; others take it as they take none.
/// A start symbol is for rules that are reached from there only.
pub fn read_with(source: &Source, format: Format, map: &TokenMap, start: Option<&str>) -> Read {
    match format {
        Format::Ebnf => ebnf::read_tokens(source, map, start),
        _ => read(source, format),
    }
}

pub fn read(source: &Source, format: Format) -> Read {
    match format {
        Format::Yacc => {
            let yacc = yacc::read(source);
            Read::new(yacc.grammar, Vec::new(), yacc.diagnostics)
        }
        Format::Ebnf => ebnf::read(source),
        Format::Antlr => antlr::read(source),
        Format::TreeSitter => tree_sitter::read(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        for (name, expected) in [
            ("parse.y", Some(Format::Yacc)),
            ("dir.g4/calc.YPP", Some(Format::Yacc)),
            ("xml.ebnf", Some(Format::Ebnf)),
            ("src/JSON.g4", Some(Format::Antlr)),
            ("src/grammar.json", Some(Format::TreeSitter)),
            ("calc.l", None),
            (".y", Some(Format::Yacc)),
            ("y", None),
            ("dir/x.y.in", Some(Format::Yacc)),
            ("x.in", None),
            (".in", None),
        ] {
            assert_eq!(Format::of_name(name), expected, "{name}");
        }
    }

    #[test]
    fn names_tell_scanners() {
        for (name, expected) in
            [("scan.l", true), ("a/scan.LL.in", true), ("l", false), ("x.y", false), ("a.l/x", false)]
        {
            assert_eq!(is_lex(name), expected, "{name}");
        }
    }

    #[test]
    fn yacc_is_read_as_before() {
        let read = read(&Source::new("a.y", "%% a: 'x' | a 'x' ;"), Format::Yacc);
        assert_eq!(read.grammar.unwrap().rules.len(), 2);
    }
}
