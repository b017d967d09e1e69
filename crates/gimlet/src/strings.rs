//! Symbolic strings of a grammar, for the strategy that explores them.

use anyhow::Result;
use gimlet_explore::strings::Source as Strings;
use gimlet_grammar::format::Format;
use gimlet_grammar::lex::token_map::TokenMap;
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::sentences::Sentences;
use gimlet_grammar::symbolic::{self, Bounds, Symbolic};

use crate::exit::hinted;
use crate::grammar::load::{holes, load, Files};
use crate::grammar::tell_without_text;
use crate::manifest::Manifest;

/// The strings that a search explores, in their order.
pub fn strings(manifest: &Manifest) -> Result<Strings> {
    let Some(language) = &manifest.language else {
        return Err(hinted(
            "cese explores the strings of a grammar, and there is none",
            "name it with --grammar FILE.y",
        ));
    };
    let loaded = load(&Files {
        grammar: language.grammar.clone(),
        lexer: language.lexer.clone(),
        map: language.token_map.clone(),
        start: language.start.clone(),
    })?;
    // Only yacc's parsers refuse some of a grammar's sentences.
    let is_accepted = loaded.format == Format::Yacc;
    let (grammar, scanner, map) = loaded.checked()?;
    let scanner = match scanner {
        Some(scanner) => scanner,
        // Characters and other names of tokens are texts, too.
        None => Scanner::of_texts(&grammar, &[], &TokenMap::default())
            .map(Into::into)
            .map_err(|error| hinted(error.to_string(), "say shorter texts with --token-map"))?,
    };
    let holes = holes(&grammar, &map, language.hole_len, language.has_free_holes);
    let symbolic = Symbolic::new(&grammar, scanner, &holes);
    tell_without_text(&grammar, symbolic.without_text().into_iter().map(|it| symbolic.origin(it)).collect());
    long_enough(&symbolic, language.len)?;
    let bounds = Bounds { len: language.len, height: language.height, is_accepted };
    let none = || hinted("the grammar has no strings within these bounds", "try a larger --height, or a --token-map");
    let mut strings = symbolic::Strings::new(symbolic, &grammar, bounds).ok_or_else(none)?;
    Ok(Box::new(std::iter::from_fn(move || strings.advance().map(|(_, template)| template))))
}

/// An error if no string is as short as the user wants them.
fn long_enough(symbolic: &Symbolic, len: Option<u32>) -> Result<()> {
    let shortest = Sentences::new(&symbolic.grammar, symbolic.tokens()).map(|sentences| sentences.shortest());
    match (len, shortest) {
        (Some(len), Some(shortest)) if len < shortest => Err(hinted(
            format!("no string has {len} tokens or fewer"),
            format!("--len is in tokens, and the shortest has {shortest}"),
        )),
        _ => Ok(()),
    }
}
