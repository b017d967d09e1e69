//! Divides texts into tokens, as the analysis of a scanner's actions has them.
//!
//! `cargo run --example lex_tokens -- [-m MAP] FILE.l < TEXTS`: texts as [`gimlet_readers::lex::print`] has them, without
//! the start condition. A line of tokens for each text; `$` is the end, `!` an exit, `?` a token
//! that is not known, `...` the place where the state is not.

use std::io::Read as _;

use gimlet_grammar::scanner::automaton::Automaton;
use gimlet_grammar::scanner::effect::Token;
use gimlet_grammar::scanner::lexer::{Given, Lexer};
use gimlet_grammar::Source;
use gimlet_readers::lex::token_map::TokenMap;
use gimlet_readers::lex::{self, action};

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let map = (args.first().is_some_and(|arg| arg == "-m")).then(|| args.drain(..2).nth(1)).flatten();
    let source = read(&args[0]);
    let lex = lex::read(&source);
    let automaton = Automaton::new(&lex).expect("too large");
    let map_source = map.map_or_else(|| Source::new("no map", ""), |map| read(&map));
    let map = TokenMap::read(&map_source);
    let mut effects = action::effects_assuming(&lex, &source, &map.assumptions);
    let problems = map.apply(&lex, &source, &mut effects);
    map.diagnostics.iter().chain(&problems).for_each(|problem| eprintln!("{}", problem.render(&map_source)));
    effects.warnings(&lex).iter().for_each(|warning| eprintln!("{}", warning.render(&source)));
    let lexer = Lexer { lex: &lex, automaton: &automaton, effects: &effects };
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).expect("no input");
    let mut rest = &input[..];
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let length: usize = String::from_utf8_lossy(&rest[..end]).trim().parse().expect("no length");
        let (text, after) = rest[end + 1..].split_at(length);
        rest = after;
        println!("{}", show(&lexer, text));
    }
}

fn read(path: &str) -> Source {
    Source::new(path, String::from_utf8_lossy(&std::fs::read(path).expect("can't read the file")))
}

fn show(lexer: &Lexer, text: &[u8]) -> String {
    let (lexemes, end) = match lexer.lex(text) {
        Ok(lexemes) => (lexemes, ""),
        Err(stopped) => (stopped.lexemes, "..."),
    };
    let tokens = lexemes.into_iter().filter_map(|lexeme| match lexeme.given {
        Given::Nothing => None,
        Given::Token(Token::Named(name)) => Some(name),
        Given::Token(Token::Char(byte)) => Some(byte.to_string()),
        Given::Token(Token::Number(number)) => Some(number.to_string()),
        Given::Token(Token::End) => Some("$".to_owned()),
        Given::Token(Token::Stop) => Some("!".to_owned()),
        Given::Token(_) | Given::OneOf(_) => Some("?".to_owned()),
    });
    tokens.chain([end.to_owned()]).collect::<Vec<_>>().join(" ").trim_end().to_owned()
}
