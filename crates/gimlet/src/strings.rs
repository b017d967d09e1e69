//! Symbolic strings of a grammar, for the strategy that explores them.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use gimlet_explore::strings::Source as Strings;
use gimlet_grammar::format::{self, Format, Read};
use gimlet_grammar::lex::token_map::TokenMap;
use gimlet_grammar::lex::{self, action};
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::symbolic::{self, Bounds, Holes, Symbolic};
use gimlet_grammar::{Diagnostic, Grammar, Severity, Source};

use crate::exit::{hinted, note};
use crate::grammar::with_start;
use crate::manifest::Manifest;
use crate::options::Language;

/// Tokens without a text that are named.
const N_NAMED: usize = 5;

/// The strings that a search explores, in their order.
pub fn strings(manifest: &Manifest) -> Result<Strings> {
    let Some(language) = &manifest.language else {
        return Err(hinted(
            "cese explores the strings of a grammar, and there is none",
            "name it with --grammar FILE.y",
        ));
    };
    let source = source(&language.grammar, "--grammar")?;
    let format = Format::of_name(&language.grammar.to_string_lossy()).unwrap_or(Format::Yacc);
    let mut read = format::read(&source, format);
    complain(&source, &read.diagnostics);
    let Some(grammar) = read.grammar.take() else {
        let message = format!("{} has errors", language.grammar.display());
        return Err(hinted(message, "`gimlet grammar check` says all about it"));
    };
    let grammar = with_start(grammar, language.start.as_deref())?;
    let scanner = Rc::new(scanner(&grammar, &read, language)?);
    let holes = Holes { are_free: language.has_free_holes, ..Holes::default() };
    let symbolic = Symbolic::new(&grammar, scanner, &holes);
    let without: Vec<&str> =
        symbolic.without_text().iter().map(|&it| grammar.terminal(symbolic.origin(it)).name.as_str()).collect();
    if !without.is_empty() {
        let names = without.iter().take(N_NAMED).copied().collect::<Vec<_>>().join(" ");
        let more = if without.len() > N_NAMED { " .." } else { "" };
        note(&format!(
            "nobody knows a text for {} tokens, so no string has them: {names}{more} (--lexer and --token-map can tell)",
            without.len()
        ));
    }
    let bounds = Bounds { len: language.len, height: language.height, is_accepted: format == Format::Yacc };
    let none = || hinted("the grammar has no strings within these bounds", "try a larger --height, or a --token-map");
    let mut strings = symbolic::Strings::new(symbolic, &grammar, bounds).ok_or_else(none)?;
    Ok(Box::new(std::iter::from_fn(move || strings.advance().map(|(_, template)| template))))
}

/// The program's own scanner, or one that is made of the texts that tokens have.
fn scanner(grammar: &Grammar, read: &Read, language: &Language) -> Result<Scanner> {
    let map = match &language.token_map {
        Some(path) => {
            let source = source(path, "--token-map")?;
            let map = TokenMap::read(&source);
            complain(&source, &map.diagnostics);
            if !map.diagnostics.is_empty() {
                return Err(hinted(format!("{} has errors", path.display()), "a line is NAME = /pattern/, or so"));
            }
            map
        }
        None => TokenMap::default(),
    };
    let scanner = match &language.lexer {
        Some(path) => {
            let source = source(path, "--lexer")?;
            let lex = lex::read(&source);
            complain(&source, &lex.diagnostics);
            let effects = action::effects_assuming(&lex, &source, &map.assumptions);
            Scanner::new(grammar, lex, effects, &map)
        }
        None => Scanner::of_texts(grammar, &read.skipped, &map),
    };
    scanner.map_err(|error| hinted(error.to_string(), "say shorter texts with --token-map"))
}

fn complain(source: &Source, diagnostics: &[Diagnostic]) {
    diagnostics.iter().filter(|it| it.severity == Severity::Error).for_each(|it| tell!("{}", it.render(source)));
}

fn source(path: &Path, option: &str) -> Result<Source> {
    let bytes = fs::read(path)
        .map_err(|error| hinted(format!("cannot read {}: {error}", path.display()), format!("check {option}")))?;
    Ok(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes)))
}
