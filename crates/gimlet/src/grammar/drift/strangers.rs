//! Tokens that a scanner returns and the grammar does not have: the program's parser may well know them.

use std::collections::BTreeSet;
use std::rc::Rc;

use gimlet_grammar::scanner::effect::Token;
use gimlet_grammar::scanner::lexer::{Given, Lexer};
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::{Grammar, Span, Terminal, TerminalId};
use gimlet_readers::lex::token_map::TokenMap;

/// A rule that returns more characters than this is for those that no language has.
const N_CHARS_MAX: usize = 20;

/// A grammar with terminals for them, which no rule has.
pub fn with_strangers(grammar: Grammar, scanner: Rc<Scanner>, map: &TokenMap) -> (Grammar, Rc<Scanner>) {
    let mut names: BTreeSet<(String, Option<u8>)> = BTreeSet::new();
    let outcomes = scanner.effects.rules.iter().flat_map(|effect| &effect.outcomes);
    for token in outcomes.filter_map(|outcome| outcome.token.as_ref()) {
        match token {
            _ if scanner.terminal(token).is_some() => {}
            Token::Named(name) => drop(names.insert((name.clone(), None))),
            Token::Char(byte) => drop(names.insert((char_name(*byte), Some(*byte)))),
            _ => {}
        }
    }
    names.extend(chars(&scanner).into_iter().map(|byte| (char_name(byte), Some(byte))));
    if names.is_empty() {
        return (grammar, scanner);
    }
    let highest = grammar.terminals.iter().map(|terminal| terminal.number).max().unwrap_or(0).max(256);
    let stranger = |(number, (name, byte)): (u32, (String, Option<u8>))| Terminal {
        name,
        alias: None,
        number: byte.map_or(highest + 1 + number, u32::from),
        precedence: None,
        text: None,
        span: Span::default(),
    };
    let mut terminals = grammar.terminals.clone();
    terminals.extend((0..).zip(names).map(stranger));
    let extended = grammar.with_symbols(terminals, grammar.nonterminals.clone(), grammar.rules.clone(), grammar.start);
    let Scanner { lex, automaton, effects, .. } = &*scanner;
    match Scanner::with_automaton(&extended, lex.clone(), automaton.clone(), effects.clone(), &map.texts) {
        Ok(made) => (extended, Rc::new(made)),
        Err(_) => (grammar, scanner),
    }
}

/// Characters that rules return for themselves.
fn chars(scanner: &Scanner) -> Vec<u8> {
    let lexer = Lexer { lex: &scanner.lex, automaton: &scanner.automaton, effects: &scanner.effects };
    let mut by_rule: Vec<(Option<gimlet_grammar::scanner::RuleId>, u8)> = Vec::new();
    for byte in 0x21..0x7f {
        let Ok(lexemes) = lexer.lex(&[byte]) else { continue };
        let [lexeme] = &lexemes[..] else { continue };
        let Given::Token(token @ (Token::Char(_) | Token::FirstByte)) = &lexeme.given else { continue };
        let is_known = |terminal: Option<TerminalId>| terminal.is_some();
        let own = if *token == Token::FirstByte { Token::Char(byte) } else { token.clone() };
        if !is_known(scanner.terminal(&own)) {
            by_rule.push((lexeme.rule, byte));
        }
    }
    let n_of = |rule| by_rule.iter().filter(|(other, _)| *other == rule).count();
    by_rule.iter().filter(|(rule, _)| n_of(*rule) <= N_CHARS_MAX).map(|&(_, byte)| byte).collect()
}

fn char_name(byte: u8) -> String {
    format!("'{}'", byte.escape_ascii())
}
