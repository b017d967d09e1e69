//! Enumerates symbolic strings.
//!
//! `cargo run --release --example symbolic_strings -- FILE.y FILE.l N [LEN]`: the last of N, and how many have no text.

use std::rc::Rc;
use std::time::Instant;

use gimlet_grammar::lex::token_map::TokenMap;
use gimlet_grammar::lex::{self, action};
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::symbolic::{Bounds, Holes, Strings, Symbolic};
use gimlet_grammar::{yacc, Source};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let read = |path: &str| Source::new(path, String::from_utf8_lossy(&std::fs::read(path).expect("can't read")));
    let grammar = yacc::read(&read(&args[0])).grammar.expect("errors");
    let source = read(&args[1]);
    let lex = lex::read(&source);
    let map = TokenMap::default();
    let effects = action::effects_assuming(&lex, &source, &map.assumptions);
    let scanner = Rc::new(Scanner::new(&grammar, lex, effects, &map).expect("too large"));
    println!("scanner {:?}", start.elapsed());
    let symbolic = Symbolic::new(&grammar, scanner, &Holes::default());
    println!("symbolic {:?}", start.elapsed());
    for terminal in symbolic.without_text() {
        println!("no text: {}", grammar.terminal(symbolic.origin(terminal)).name);
    }
    let bounds =
        Bounds { len: args.get(3).map(|len| len.parse().expect("a length")), is_accepted: true, ..Bounds::default() };
    let mut strings = Strings::new(symbolic, &grammar, bounds).expect("no sentences");
    let n: usize = args[2].parse().expect("a number");
    for i in 0..n {
        let Some((terminals, template)) = strings.advance() else {
            println!("{i} in all");
            break;
        };
        let n_terminals = terminals.len();
        if i == 0 {
            println!("first {:?}", start.elapsed());
        }
        if i < 20 || i + 10 >= n {
            println!("{n_terminals} {} {:?}", template.holes.len(), String::from_utf8_lossy(&template.bytes));
        }
    }
    println!("{} without text, {:?}", strings.n_without_text, start.elapsed());
}
