//! The language of a program's input, for the strategies that make inputs of it.
//!
//! | module | holds |
//! |---|---|
//! | [`load`] | grammar and scanner, from their files |
//! | [`judge`] | whether inputs are in the language |

pub mod judge;
pub mod load;

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use gimlet_exec::target::{can_return_tokens, TokenFunction};
use gimlet_exec::watch::{is_interrupted, Interrupt};
use gimlet_grammar::chance::Chance;
use gimlet_grammar::count::sentences::Sentences;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_grammar::sample::shortest::Shortest;
use gimlet_grammar::sample::uniform::Uniform;
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::text::symbolic::{self, Bounds, Symbolic};
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::{Grammar, TerminalId};
use gimlet_joint::Tie;
use gimlet_readers::format::Format;
use gimlet_readers::lex::token_map::TokenMap;
use gimlet_readers::{lex, yacc};

use self::judge::Judge;
use self::load::{holes, load, Files};
use crate::error::ExploreError;
use crate::make::strings::Source as Strings;
use crate::notes::Notes;
use crate::run::walk::hash;
use crate::spec::SearchSpec;

/// Sentences that a search with symbolic tokens begins with, and attempts to make them.
const N_SAMPLES: usize = 50;
const N_SAMPLES_TRIED: usize = 200;

/// Tokens of the longest sentences that are drawn.
const N_TOKENS_DRAWN: u32 = 20;

/// Bytes of the longest holes, unless the user says how many.
pub const HOLE_LEN_DEFAULT: u32 = 2;
/// Tokens that a message names.
const N_NAMED: usize = 8;

/// A language, and how much of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Language {
    pub grammar: PathBuf,
    pub lexer: Option<PathBuf>,
    pub token_map: Option<PathBuf>,
    pub start: Option<String>,
    pub height: Option<u32>,
    /// Tokens of the longest strings.
    pub len: Option<u32>,
    /// Bytes of the longest holes for tokens with ever longer texts.
    pub hole_len: u32,
    pub has_free_holes: bool,
    pub token_function: Option<TokenFunction>,
}

impl Language {
    /// The language that the user names, if there is one.
    pub fn of(spec: &SearchSpec) -> Option<Language> {
        let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let grammar = &spec.grammar;
        Some(Language {
            grammar: whole(grammar.file.as_ref()?),
            lexer: grammar.lexer.as_ref().map(whole),
            token_map: grammar.token_map.as_ref().map(whole),
            start: grammar.start.clone(),
            height: grammar.height,
            len: spec.strategy.len.map(|len| u32::try_from(len).unwrap_or(u32::MAX)),
            hole_len: grammar.hole_len.unwrap_or(HOLE_LEN_DEFAULT),
            has_free_holes: grammar.free_holes.unwrap_or(false),
            token_function: grammar.token_fn.clone(),
        })
    }

    /// Those that say what its strings are.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        iter::once(&self.grammar).chain(&self.lexer).chain(&self.token_map).map(PathBuf::as_path)
    }

    /// One for each of its files.
    pub fn hashes(&self) -> Result<Vec<u64>, ExploreError> {
        let hash_of_file = |path: &Path| {
            let read = fs::read(path).map(|bytes| hash(&bytes));
            read.map_err(|error| {
                let message = format!("cannot read {}: {error}", path.display());
                ExploreError::refused(message, "check --grammar, --lexer and --token-map")
            })
        };
        self.files().map(hash_of_file).collect()
    }

    /// The first of its files that is not what it was when these hashes were made. Without hashes nobody knows.
    pub fn changed_file(&self, hashes: &[u64]) -> Result<Option<PathBuf>, ExploreError> {
        let now = self.hashes()?;
        let mut pairs = self.files().zip(now).zip(hashes);
        Ok(pairs.find(|((_, now), before)| now != *before).map(|((path, _), _)| path.to_owned()))
    }
}

/// A language as its files say it.
struct Spoken {
    grammar: Grammar,
    scanner: Rc<Scanner>,
    map: TokenMap,
    /// Only yacc's parsers refuse some of a grammar's sentences.
    is_yacc: bool,
    format: Format,
}

fn read(language: &Language) -> Result<Spoken, ExploreError> {
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
            .map_err(|error| ExploreError::refused(error.to_string(), "say shorter texts with --token-map"))?,
    };
    Ok(Spoken { grammar, scanner, map, is_yacc: format == Format::Yacc, format })
}

/// The strings that a search explores, in their order.
pub fn strings(language: &Language, notes: &mut Notes) -> Result<Strings, ExploreError> {
    let Spoken { grammar, scanner, map, is_yacc, .. } = read(language)?;
    let holes = holes(&grammar, &map, language.hole_len, language.has_free_holes);
    let symbolic = Symbolic::new(&grammar, scanner, &holes);
    tell_without_text(notes, &grammar, symbolic.without_text().into_iter().map(|it| symbolic.origin(it)).collect());
    long_enough(&symbolic, language.len)?;
    let bounds = Bounds { len: language.len, height: language.height, is_accepted: is_yacc };
    let none = || {
        ExploreError::refused(
            "the grammar has no strings within these bounds",
            "try a larger --height, or a --token-map",
        )
    };
    let mut strings = symbolic::Strings::new(symbolic, &grammar, bounds).ok_or_else(none)?;
    Ok(Box::new(std::iter::from_fn(move || strings.advance().map(|(_, template)| template))))
}

/// What makes mutants along derivation trees.
pub fn subtree_mutator(language: &Language, notes: &mut Notes) -> Result<SubtreeMutator, ExploreError> {
    grafter_of(read(language)?, notes)
}

fn grafter_of(
    Spoken { grammar, scanner, is_yacc, .. }: Spoken,
    notes: &mut Notes,
) -> Result<SubtreeMutator, ExploreError> {
    tell_without_text(notes, &grammar, Unparser::new(&grammar, Rc::clone(&scanner)).without_text(&grammar));
    let none =
        || ExploreError::refused("the grammar has no sentence with a text", "say texts of its tokens with --token-map");
    SubtreeMutator::new(grammar, scanner, is_yacc).ok_or_else(none)
}

/// What draws sentences, each of a length as likely as any other.
pub fn uniform(language: &Language) -> Result<Uniform, ExploreError> {
    let Spoken { grammar, scanner, .. } = read(language)?;
    let len = language.len.unwrap_or(N_TOKENS_DRAWN);
    let none = || {
        ExploreError::refused(
            format!("the grammar has no sentences of up to {len} tokens that could be drawn"),
            "try a greater --len",
        )
    };
    Uniform::new(&grammar, scanner, len).ok_or_else(none)
}

/// What divides inputs into tokens in programs that lex and yacc made: `yylex`, or what their files call it instead; the most
/// likely is first.
fn token_functions(language: &Language) -> Vec<TokenFunction> {
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
pub fn samples(
    language: &Language,
    seed: u64,
    is_certainty_wanted: bool,
    notes: &mut Notes,
) -> Result<Vec<Vec<u8>>, ExploreError> {
    let spoken = read(language)?;
    let scanner = Rc::clone(&spoken.scanner);
    let is_certain = |text: &[u8]| scanner.scan(text).is_ok_and(|it| it.iter().all(|piece| piece.only().is_some()));
    let mut subtree_mutator = grafter_of(spoken, notes)?;
    let mut chance = Chance::new(seed);
    let (mut texts, mut uncertain): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
    for _ in 0..N_SAMPLES_TRIED {
        let Some(text) = subtree_mutator.grow(&mut chance) else { continue };
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
pub fn review(
    language: &Language,
    tie: Tie,
    seeds: &[(PathBuf, Vec<u8>)],
    interrupt: Interrupt,
    notes: &mut Notes,
) -> Result<(), ExploreError> {
    let Spoken { grammar, scanner, format, .. } = read(language)?;
    let judge = Judge::new(&grammar, format, interrupt).until(Instant::now() + REVIEW_LIMIT);
    let mut n_wrong = 0;
    for (path, text) in seeds {
        if is_interrupted(interrupt) {
            break;
        }
        if let Some(why) = judge.objection(&scanner, text, tie == Tie::Sentence) {
            n_wrong += 1;
            notes.say_some(n_wrong, || format!("seed {}: {why}", path.display()));
        }
    }
    Ok(())
}

/// The language of symbolic tokens.
pub fn joint(language: &Language, tie: Tie, notes: &mut Notes) -> Result<gimlet_joint::Language, ExploreError> {
    let Spoken { grammar, scanner, is_yacc, .. } = read(language)?;
    tell_without_text(notes, &grammar, Unparser::new(&grammar, Rc::clone(&scanner)).without_text(&grammar));
    Ok(gimlet_joint::Language::new(grammar, scanner, is_yacc, tie))
}

/// An error if no string is as short as the user wants them.
fn long_enough(symbolic: &Symbolic, len: Option<u32>) -> Result<(), ExploreError> {
    let shortest = Sentences::new(&symbolic.grammar, symbolic.tokens()).map(|sentences| sentences.shortest());
    match (len, shortest) {
        (Some(len), Some(shortest)) if len < shortest => Err(ExploreError::refused(
            format!("no string has {len} tokens or fewer"),
            format!("--len is in tokens, and the shortest has {shortest}"),
        )),
        _ => Ok(()),
    }
}

/// What is to be said of the tokens without a text, if there are any.
pub fn without_text(grammar: &Grammar, without: Vec<TerminalId>) -> Option<String> {
    let (n_tokens, named) = (without.len(), some_names(grammar, without.into_iter()));
    (n_tokens > 0).then(|| {
        format!(
            "nobody knows a text for {n_tokens} tokens, so nothing with them is made: {named} (a --token-map can tell)"
        )
    })
}

fn tell_without_text(notes: &mut Notes, grammar: &Grammar, without: Vec<TerminalId>) {
    without_text(grammar, without).iter().for_each(|text| notes.say(text));
}

/// There is no sentence that could be written.
pub fn too_large() -> ExploreError {
    ExploreError::refused(
        "even the shortest sentence of the grammar is too long to be written",
        "a rule that doubles what it derives, again and again, is often a mistake",
    )
}

pub fn names(grammar: &Grammar, terminals: impl Iterator<Item = TerminalId>) -> Vec<String> {
    terminals.map(|terminal| grammar.terminal(terminal).name.clone()).collect()
}

/// The same for a message, which may leave some out.
pub fn some_names(grammar: &Grammar, terminals: impl Iterator<Item = TerminalId>) -> String {
    let mut names = names(grammar, terminals);
    if names.len() > N_NAMED {
        names.truncate(N_NAMED);
        names.push("..".to_owned());
    }
    names.join(" ")
}

/// The function that returns tokens, if the default is to make them variables: one that the user names, or lex's.
pub fn default_tokens(
    language: &Language,
    is_hybrid: bool,
    program: &Path,
    notes: &mut Notes,
) -> Result<Option<TokenFunction>, ExploreError> {
    if !is_hybrid {
        return Ok(language.token_function.clone());
    }
    let (function, is_there) = token_function(language, program)?;
    if !is_there {
        let name = &function.name;
        notes.say(&format!(
            "{name} is no function of the program: no tokens are variables (--token-fn NAME says which it is)"
        ));
    }
    Ok(is_there.then_some(function))
}

/// The function that returns tokens, and whether it is in the program: one that the user names, or lex's.
pub fn token_function(language: &Language, program: &Path) -> Result<(TokenFunction, bool), ExploreError> {
    if let Some(function) = language.token_function.clone() {
        return Ok((function, true));
    }
    let mut all = token_functions(language);
    for function in &all {
        if can_return_tokens(program, function)? {
            return Ok((function.clone(), true));
        }
    }
    Ok((all.swap_remove(0), false))
}
