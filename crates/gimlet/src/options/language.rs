//! What the user can say about the language of a program's input.

use std::iter;
use std::path::{Path, PathBuf};

use clap::Args;
use gimlet_exec::target::TokenFunction;

use super::values::count;

pub const HOLE_LEN_DEFAULT: u32 = 2;
/// Bytes of a token.
const TOKEN_SIZE: u32 = 4;

#[derive(Args)]
pub struct LanguageArgs {
    /// The grammar of the input (.y, .ebnf, .g4 or tree-sitter's grammar.json): mutants are made along derivation trees; with
    /// --strategy cese its strings are explored one by one
    #[arg(long, value_name = "FILE")]
    grammar: Option<PathBuf>,
    /// The scanner that makes the grammar's tokens, a file of lex or flex
    #[arg(long, value_name = "FILE.l", requires = "grammar")]
    lexer: Option<PathBuf>,
    /// Texts of tokens, and what rules of the scanner return, where the files do not tell it; makes EBNF a grammar of tokens
    #[arg(long, value_name = "FILE", requires = "grammar")]
    token_map: Option<PathBuf>,
    /// Another start symbol than the grammar's own
    #[arg(long, value_name = "NAME", requires = "grammar")]
    start: Option<String>,
    /// Only strings with a tree that is no higher, in rules above each other; a rule of tokens alone is of height 1
    #[arg(long, value_name = "H", value_parser = count::<u32>("rules", 1), requires = "grammar")]
    height: Option<u32>,
    /// The longest hole for a token whose texts get ever longer, in bytes (--len bounds strings, in tokens)
    #[arg(long, value_name = "N", default_value_t = HOLE_LEN_DEFAULT, value_parser = count::<u32>("bytes", 1), requires = "grammar")]
    hole_len: u32,
    /// Let the solver put anything into the holes of a string, not only texts of their tokens
    #[arg(long, requires = "grammar")]
    free_holes: bool,
    /// The function of the program that returns tokens, for the default and the strategies tokens and grammar [default:
    /// yylex, or as the prefix of its files has it]
    ///
    /// NAME+OFFSET is for one that returns a struct, or the address of one, with the token so many bytes from its
    /// beginning; NAME+OFFSET:SIZE if that has not 4 bytes.
    #[arg(long, value_name = "NAME", value_parser = token_function)]
    pub token_fn: Option<TokenFunction>,
}

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
    /// Those that say what its strings are.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        iter::once(&self.grammar).chain(&self.lexer).chain(&self.token_map).map(PathBuf::as_path)
    }
}

/// The language that the user names, if there is one.
pub fn language(args: LanguageArgs, len: Option<usize>) -> Option<Language> {
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    Some(Language {
        grammar: absolute(args.grammar?),
        lexer: args.lexer.map(absolute),
        token_map: args.token_map.map(absolute),
        start: args.start,
        height: args.height,
        len: len.map(|len| u32::try_from(len).unwrap_or(u32::MAX)),
        hole_len: args.hole_len,
        has_free_holes: args.free_holes,
        token_function: args.token_fn,
    })
}

/// A function with where in what it returns the token is.
pub fn token_function(text: &str) -> Result<TokenFunction, String> {
    let (name, place) = text.split_once('+').map_or((text, None), |(name, place)| (name, Some(place)));
    if name.is_empty() {
        return Err("the name of a function is missing".to_owned());
    }
    let number = |text: &str| text.parse::<u32>().map_err(|_| format!("'{text}' is no number of bytes"));
    let (offset, size) = match place.map(|place| place.split_once(':').map_or((place, None), |(a, b)| (a, Some(b)))) {
        Some((offset, size)) => (number(offset)?, size.map_or(Ok(TOKEN_SIZE), number)?),
        None => (0, TOKEN_SIZE),
    };
    if ![1, 2, 4, 8].contains(&size) {
        return Err(format!("a token has 1, 2, 4 or 8 bytes, not {size}"));
    }
    Ok(TokenFunction { name: name.to_owned(), offset, size })
}
