//! What the user can say about the language of a program's input.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use gimlet_exec::target::TokenFunction;
use gimlet_explore::spec::GrammarSpec;

use super::values::count;

#[derive(Args)]
pub struct LanguageArgs {
    /// The grammar of the input (.y, .ebnf, .g4 or tree-sitter's grammar.json): mutants are made along derivation trees; with
    /// --strategy cese its strings are explored one by one
    #[arg(long, value_name = "FILE")]
    grammar: Option<PathBuf>,
    /// The scanner that makes the grammar's tokens, a file of lex or flex
    #[arg(long, value_name = "FILE.l")]
    lexer: Option<PathBuf>,
    /// Texts of tokens, and what rules of the scanner return, where the files do not tell it; makes EBNF a grammar of tokens
    #[arg(long, value_name = "FILE")]
    token_map: Option<PathBuf>,
    /// Another start symbol than the grammar's own
    #[arg(long, value_name = "NAME")]
    start: Option<String>,
    /// Only strings with a tree that is no higher, in rules above each other; a rule of tokens alone is of height 1
    #[arg(long, value_name = "H", value_parser = count::<u32>("rules", 1))]
    height: Option<u32>,
    /// The longest hole for a token whose texts get ever longer, in bytes (--len bounds strings, in tokens) [default: 2]
    #[arg(long, value_name = "N", value_parser = count::<u32>("bytes", 1))]
    hole_len: Option<u32>,
    /// Let the solver put anything into the holes of a string, not only texts of their tokens
    #[arg(long)]
    free_holes: bool,
    /// The function of the program that returns tokens, for the default and the strategies tokens and grammar [default:
    /// yylex, or as the prefix of its files has it]
    ///
    /// NAME+OFFSET is for one that returns a struct, or the address of one, with the token so many bytes from its
    /// beginning; NAME+OFFSET:SIZE if that has not 4 bytes.
    #[arg(long, value_name = "NAME", value_parser = TokenFunction::from_str)]
    token_fn: Option<TokenFunction>,
}

impl LanguageArgs {
    pub fn spec(self) -> GrammarSpec {
        GrammarSpec {
            file: self.grammar,
            lexer: self.lexer,
            token_map: self.token_map,
            start: self.start,
            height: self.height,
            hole_len: self.hole_len,
            free_holes: self.free_holes.then_some(true),
            token_fn: self.token_fn,
            hashes: Vec::new(),
        }
    }
}
