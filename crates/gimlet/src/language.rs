//! The language of a program's input, for the strategies that make inputs of it.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use gimlet_exec::target::TokenFunction;
use gimlet_explore::strings::Source as Strings;
use gimlet_grammar::chance::Chance;
use gimlet_grammar::count::sentences::Sentences;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_grammar::sample::shortest::Shortest;
use gimlet_grammar::sample::uniform::Uniform;
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::text::symbolic::{self, Bounds, Symbolic};
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::Grammar;
use gimlet_joint::Tie;
use gimlet_readers::format::Format;
use gimlet_readers::lex::token_map::TokenMap;
use gimlet_readers::{lex, yacc};

use crate::exit::{hinted, note_some};
use crate::grammar::load::{self, holes, load, Files};
use crate::grammar::validate::Judge;
use crate::grammar::{tell_without_text, too_large};
use crate::interrupt;
use crate::options::Language;

/// Sentences that a search with symbolic tokens begins with, and attempts to make them.
const N_SAMPLES: usize = 50;
const N_SAMPLES_TRIED: usize = 200;

/// Tokens of the longest sentences that are drawn.
const N_TOKENS_DRAWN: u32 = 20;

/// A language as its files say it.
struct Spoken {
    grammar: Grammar,
    scanner: Rc<Scanner>,
    map: TokenMap,
    /// Only yacc's parsers refuse some of a grammar's sentences.
    is_yacc: bool,
    format: Format,
}

fn read(language: &Language) -> Result<Spoken> {
    let loaded = load(&Files {
        grammar: language.grammar.clone(),
        lexer: language.lexer.clone(),
        map: language.token_map.clone(),
        start: language.start.clone(),
    })?;
    let format = loaded.format;
    let (grammar, scanner, map) = loaded.checked()?;
    if Shortest::new(&grammar, &|_| 1).is_too_large() {
        return Err(too_large());
    }
    let scanner = match scanner {
        Some(scanner) => scanner,
        // Characters and other names of tokens are texts, too.
        None => Scanner::of_texts(&grammar, &[], &[])
            .map(Into::into)
            .map_err(|error| hinted(error.to_string(), "say shorter texts with --token-map"))?,
    };
    Ok(Spoken { grammar, scanner, map, is_yacc: format == Format::Yacc, format })
}

/// The strings that a search explores, in their order.
pub fn strings(language: &Language) -> Result<Strings> {
    let Spoken { grammar, scanner, map, is_yacc, .. } = read(language)?;
    let holes = holes(&grammar, &map, language.hole_len, language.has_free_holes);
    let symbolic = Symbolic::new(&grammar, scanner, &holes);
    tell_without_text(&grammar, symbolic.without_text().into_iter().map(|it| symbolic.origin(it)).collect());
    long_enough(&symbolic, language.len)?;
    let bounds = Bounds { len: language.len, height: language.height, is_accepted: is_yacc };
    let none = || hinted("the grammar has no strings within these bounds", "try a larger --height, or a --token-map");
    let mut strings = symbolic::Strings::new(symbolic, &grammar, bounds).ok_or_else(none)?;
    Ok(Box::new(std::iter::from_fn(move || strings.advance().map(|(_, template)| template))))
}

/// What makes mutants along derivation trees.
pub fn grafter(language: &Language) -> Result<SubtreeMutator> {
    grafter_of(read(language)?)
}

fn grafter_of(Spoken { grammar, scanner, is_yacc, .. }: Spoken) -> Result<SubtreeMutator> {
    tell_without_text(&grammar, Unparser::new(&grammar, Rc::clone(&scanner)).without_text(&grammar));
    let none = || hinted("the grammar has no sentence with a text", "say texts of its tokens with --token-map");
    SubtreeMutator::new(grammar, scanner, is_yacc).ok_or_else(none)
}

/// What draws sentences, each of a length as likely as any other.
pub fn uniform(language: &Language) -> Result<Uniform> {
    let Spoken { grammar, scanner, .. } = read(language)?;
    let len = language.len.unwrap_or(N_TOKENS_DRAWN);
    let none = || {
        hinted(format!("the grammar has no sentences of up to {len} tokens that could be drawn"), "try a greater --len")
    };
    Uniform::new(&grammar, scanner, len).ok_or_else(none)
}

/// What divides inputs into tokens in programs that lex and yacc made: `yylex`, or what their files call it instead; the most
/// likely is first.
pub fn token_functions(language: &Language) -> Vec<TokenFunction> {
    let mut names: Vec<String> = Vec::new();
    if let Some(source) = language.lexer.as_ref().and_then(|lexer| load::read(lexer, "").ok()) {
        let prefix = lex::read(&source).options.prefix.and_then(|span| source.text.get(span.start..span.end));
        names.extend(prefix.map(|prefix| format!("{prefix}lex")));
    }
    if let (true, Ok(source)) = (has_numbers(language), load::read(&language.grammar, "")) {
        names.push(yacc::read(&source).function("lex"));
    }
    names.push("yylex".to_owned());
    names.dedup();
    names.into_iter().map(|name| TokenFunction { name, offset: 0, size: 4 }).collect()
}

/// Whether the grammar says what a scanner returns for its tokens.
pub fn has_numbers(language: &Language) -> bool {
    Format::of_name(&language.grammar.to_string_lossy()) == Some(Format::Yacc)
}

/// Sentences to begin with: those that use every chain of the grammar's symbols first. If they have to be certain, texts
/// whose tokens are not are left out, unless there are no others.
pub fn samples(language: &Language, seed: u64, is_certainty_wanted: bool) -> Result<Vec<Vec<u8>>> {
    let spoken = read(language)?;
    let scanner = Rc::clone(&spoken.scanner);
    let is_certain = |text: &[u8]| scanner.scan(text).is_ok_and(|it| it.iter().all(|piece| piece.only().is_some()));
    let mut grafter = grafter_of(spoken)?;
    let mut chance = Chance::new(seed);
    let (mut texts, mut uncertain): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
    for _ in 0..N_SAMPLES_TRIED {
        let Some(text) = grafter.grow(&mut chance) else { continue };
        let kind = if !is_certainty_wanted || is_certain(&text) { &mut texts } else { &mut uncertain };
        if !kind.contains(&text) {
            kind.push(text);
        }
        if texts.len() >= N_SAMPLES {
            break;
        }
    }
    uncertain.truncate(N_SAMPLES);
    Ok(if texts.is_empty() { uncertain } else { texts })
}

/// How long seeds are looked at before the search.
const REVIEW_LIMIT: Duration = Duration::from_secs(2);

/// Says which seeds are none of the language, and why.
pub fn review(language: &Language, tie: Tie, seeds: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let Spoken { grammar, scanner, format, .. } = read(language)?;
    let judge = Judge::new(&grammar, format).until(Instant::now() + REVIEW_LIMIT);
    let mut n_wrong = 0;
    for (path, text) in seeds {
        if interrupt::received().is_some() {
            break;
        }
        if let Some(why) = judge.objection(&scanner, text, tie == Tie::Sentence) {
            n_wrong += 1;
            note_some(n_wrong, || format!("seed {}: {why}", path.display()));
        }
    }
    Ok(())
}

/// The language of symbolic tokens.
pub fn joint(language: &Language, tie: Tie) -> Result<gimlet_joint::Language> {
    let Spoken { grammar, scanner, is_yacc, .. } = read(language)?;
    tell_without_text(&grammar, Unparser::new(&grammar, Rc::clone(&scanner)).without_text(&grammar));
    Ok(gimlet_joint::Language::new(grammar, scanner, is_yacc, tie))
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
