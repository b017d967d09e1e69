//! Grammars for tests, in few characters.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::count::sentences::{Piece, Texts};
use crate::grammar::{Grammar, Nonterminal, NonterminalId, Rule, Symbol, Terminal, TerminalId};
use crate::parse::tree::{Node, Tree};
use crate::source::Span;

/// SimpleCalc of the CESE paper, with a token for letters and one for digits.
pub const CALCULATOR: &str = "line: expression ;
    expression: '(' expression ')' | expression '*' expression | expression '/' expression
        | expression '%' expression | expression '+' expression | expression '-' expression
        | expression '|' expression | expression '&' expression | '-' expression | LETTER | DIGIT ;";

/// One text for each terminal.
pub fn texts_of_tokens(grammar: &Grammar) -> Vec<Texts> {
    vec![vec![(1, BigUint::from(1u8))]; grammar.terminals.len()]
}

/// 52 letters, ten digits, and characters.
pub fn texts_of_calculator(grammar: &Grammar) -> Vec<Texts> {
    let n_texts = |name: &str| match name {
        "LETTER" => 52u8,
        "DIGIT" => 10,
        _ => 1,
    };
    grammar.terminals.iter().map(|terminal| vec![(1, BigUint::from(n_texts(&terminal.name)))]).collect()
}

/// Reads `left: symbols | symbols ; ..`. What has no rules is a terminal, `'x'` with the number of
/// its character; the first left side is the start.
pub fn grammar(text: &str) -> Grammar {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lefts: Vec<&str> = words.iter().filter_map(|word| word.strip_suffix(':')).collect();
    let mut nonterminals: Vec<Nonterminal> = Vec::new();
    for left in &lefts {
        if !nonterminals.iter().any(|known| known.name == *left) {
            nonterminals.push(Nonterminal { name: (*left).to_owned(), span: Span::default() });
        }
    }
    let numbers: FxHashMap<String, u32> = nonterminals.iter().map(|it| it.name.clone()).zip(0..).collect();
    let mut terminals: Vec<Terminal> = Vec::new();
    let mut rules: Vec<Rule> = Vec::new();
    let mut left = NonterminalId(0);
    for word in words {
        match word.strip_suffix(':') {
            Some(name) => {
                left = NonterminalId(numbers[name]);
                rules.push(rule(left));
            }
            None if word == "|" => rules.push(rule(left)),
            None if word == ";" => {}
            None => {
                let symbol = match numbers.get(word) {
                    Some(&number) => Symbol::Nonterminal(NonterminalId(number)),
                    None => Symbol::Terminal(terminal(word, &mut terminals)),
                };
                rules.last_mut().expect("a left side comes first").right.push(symbol);
            }
        }
    }
    Grammar::new(terminals, nonterminals, rules, NonterminalId(0))
}

/// A tree is one of the grammar's, and of the sentence.
pub fn check_tree(grammar: &Grammar, tree: &Tree, pieces: &[Piece]) {
    let mut wanted = vec![Symbol::Nonterminal(grammar.start)];
    for &node in &tree.nodes {
        let symbol = wanted.pop().expect("no more nodes than wanted");
        match node {
            Node::Leaf(piece) => assert_eq!(symbol, Symbol::Terminal(piece.terminal)),
            Node::Rule(rule) => {
                assert_eq!(symbol, Symbol::Nonterminal(grammar.rule(rule).left));
                wanted.extend(grammar.rule(rule).right.iter().rev());
            }
        }
    }
    assert_eq!(wanted, []);
    assert_eq!(tree.pieces().collect::<Vec<_>>(), pieces);
}

fn rule(left: NonterminalId) -> Rule {
    Rule { left, right: Vec::new(), prec: None, weight: 1.0, span: Span::default() }
}

fn terminal(name: &str, terminals: &mut Vec<Terminal>) -> TerminalId {
    let known = terminals.iter().position(|terminal| terminal.name == name);
    let index = known.unwrap_or_else(|| {
        let number = match name.as_bytes() {
            [b'\'', byte, b'\''] => u32::from(*byte),
            _ => 258 + terminals.len() as u32,
        };
        let name = name.to_owned();
        terminals.push(Terminal { name, alias: None, number, precedence: None, text: None, span: Span::default() });
        terminals.len() - 1
    });
    TerminalId(index as u32)
}
