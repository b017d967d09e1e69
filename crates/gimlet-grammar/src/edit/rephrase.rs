//! Sentences that say something else near one of their tokens.
//!
//! Each phrase beside a token is put in other words: by each other rule of its nonterminal, as shortly as can be. That is how
//! a unit, a keyword or an option beside a number is exchanged, added or left out, with all the tokens that go with it. And
//! where a rule leads from a nonterminal to itself, such as that of a list, a phrase more can come in.

use std::ops::Range;

use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, TerminalId};
use crate::parse::tree::{Node, Tree};
use crate::sample::shortest::Shortest;

/// The tokens that each phrase of a sentence consists of, by the node of its rule.
pub fn spans(grammar: &Grammar, tree: &Tree) -> Vec<(usize, Range<usize>)> {
    // From the right: the tokens of what is below each node that no rule has claimed yet, the first of them last.
    let mut below: Vec<usize> = Vec::new();
    let mut spans = Vec::new();
    let mut n_behind = tree.pieces().count();
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        match node {
            Node::Leaf(_) => {
                n_behind -= 1;
                below.push(1);
            }
            Node::Rule(rule) => {
                let n_parts = grammar.rule(*rule).right.len();
                let n_tokens: usize = below.drain(below.len() - n_parts..).sum();
                below.push(n_tokens);
                spans.push((at, n_behind..n_behind + n_tokens));
            }
        }
    }
    spans.reverse();
    spans
}

/// The shortest string of terminals that these symbols derive, if there is one.
fn expand(symbols: &[Symbol], shortest: &Shortest) -> Option<Vec<TerminalId>> {
    let mut tree = Tree::default();
    let can_expand = symbols.iter().all(|&symbol| shortest.can_expand(symbol));
    can_expand.then(|| {
        shortest.expand(symbols, &mut tree.nodes);
        tree.pieces().map(|piece| piece.terminal).collect()
    })
}

/// The sentences that differ from one in a single phrase that does not contain a token; those that differ nearest to it are
/// first, `n_max` at most.
pub fn rephrase(
    grammar: &Grammar,
    tree: &Tree,
    token: usize,
    shortest: &Shortest,
    n_max: usize,
) -> Vec<Vec<TerminalId>> {
    let present: Vec<TerminalId> = tree.pieces().map(|piece| piece.terminal).collect();
    let mut spans = spans(grammar, tree);
    spans.retain(|(_, span)| !span.contains(&token));
    let distance = |span: &Range<usize>| {
        if span.start > token {
            span.start - token
        } else {
            token + 1 - span.end
        }
    };
    spans.sort_by_key(|(at, span)| (distance(span), span.len(), *at));
    let mut all: Vec<Vec<TerminalId>> = Vec::new();
    for (at, span) in spans {
        let Node::Rule(own) = tree.nodes[at] else { continue };
        for rule in rules_below(grammar, grammar.rule(own).left, Some(own)) {
            let right = &grammar.rule(rule).right;
            let Some(said) = expand(right, shortest) else { continue };
            let other = [&present[..span.start], &said, &present[span.end..]].concat();
            if other != present && !all.contains(&other) {
                all.push(other);
            }
            if all.len() >= n_max {
                return all;
            }
        }
    }
    all
}

/// Phrases that can come into a sentence, each with the number of tokens before it: the shortest first, in all variants of
/// their parts.
pub fn insertions(grammar: &Grammar, tree: &Tree, shortest: &Shortest) -> Vec<(usize, Vec<TerminalId>)> {
    let mut all: Vec<(usize, Vec<TerminalId>)> = Vec::new();
    for (at, span) in spans(grammar, tree) {
        let Some(left) = tree.nonterminal(grammar, at) else { continue };
        for &rule in grammar.rules_of(left) {
            let right = &grammar.rule(rule).right;
            let Some(own) = right.iter().position(|&symbol| symbol == Symbol::Nonterminal(left)) else { continue };
            let (place, beside) = match (&right[..own], &right[own + 1..]) {
                ([], behind) => (span.end, behind),
                (before, []) => (span.start, before),
                _ => continue,
            };
            for (number, &symbol) in beside.iter().enumerate() {
                let Symbol::Nonterminal(part) = symbol else { continue };
                for rule in rules_below(grammar, part, None) {
                    let right = &grammar.rule(rule).right[..];
                    let symbols = [&beside[..number], right, &beside[number + 1..]].concat();
                    all.extend(expand(&symbols, shortest).map(|said| (place, said)));
                }
            }
            all.extend(expand(beside, shortest).map(|said| (place, said)));
        }
    }
    all.retain(|(_, said)| !said.is_empty());
    all.sort_by_key(|(place, said)| (said.len(), *place));
    all.dedup();
    all
}

/// The rules of a nonterminal but for one; in place of those that only lead to another nonterminal, the rules of that one.
fn rules_below(grammar: &Grammar, left: NonterminalId, own: Option<RuleId>) -> Vec<RuleId> {
    let (mut known, mut pending, mut rules) = (vec![left], vec![left], Vec::new());
    while let Some(left) = pending.pop() {
        for &rule in grammar.rules_of(left) {
            match grammar.rule(rule).right[..] {
                _ if Some(rule) == own => {}
                [Symbol::Nonterminal(below)] if !known.contains(&below) => {
                    known.push(below);
                    pending.push(below);
                }
                _ => rules.push(rule),
            }
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parser;
    use crate::test_grammars::grammar;

    const RULES: &str = "rules: rule | rules rule rule: action way end action: verdict | LIMIT NUMBER unit \
        verdict: ALLOW | DENY unit: | PER HOUR | PER DAY way: IN | OUT";

    fn names(grammar: &Grammar, tokens: &[TerminalId]) -> String {
        let names: Vec<&str> = tokens.iter().map(|&token| grammar.terminal(token).name.as_str()).collect();
        names.join(" ")
    }

    fn others(text: &str, token: usize, n_max: usize) -> Vec<String> {
        let grammar = grammar(RULES);
        let tokens: Vec<TerminalId> =
            text.split(' ').map(|name| grammar.symbol(name).unwrap().terminal().unwrap()).collect();
        let tree = parser::tree(&grammar, None, &tokens).unwrap();
        let all = rephrase(&grammar, &tree, token, &Shortest::new(&grammar, &|_| 1), n_max);
        assert!(all.iter().all(|other| parser::tree(&grammar, None, other).is_some()));
        all.iter().map(|other| names(&grammar, other)).collect()
    }

    #[test]
    fn what_is_nearest_is_said_otherwise_first() {
        let all = others("LIMIT NUMBER IN end ALLOW OUT end", 1, 100);
        assert_eq!(
            all[..3],
            [
                "LIMIT NUMBER PER HOUR IN end ALLOW OUT end",
                "LIMIT NUMBER PER DAY IN end ALLOW OUT end",
                "LIMIT NUMBER OUT end ALLOW OUT end"
            ]
        );
        // A rule that only leads to another nonterminal stands for all of that one's.
        assert!(others("LIMIT NUMBER IN end ALLOW OUT end", 2, 100).contains(&"DENY IN end ALLOW OUT end".into()));
    }

    #[test]
    fn the_token_stays() {
        let all = others("LIMIT NUMBER PER HOUR IN end", 1, 100);
        assert!(all.iter().all(|other| other.contains("LIMIT NUMBER")), "{all:?}");
        assert!(all.contains(&"LIMIT NUMBER IN end".into()) && all.contains(&"LIMIT NUMBER PER DAY IN end".into()));
        assert_eq!(others("LIMIT NUMBER PER HOUR IN end", 1, 2).len(), 2);
    }

    #[test]
    fn a_phrase_more_comes_in() {
        let grammar = grammar(RULES);
        let tokens: Vec<TerminalId> =
            ["DENY", "IN", "end"].map(|name| grammar.symbol(name).unwrap().terminal().unwrap()).to_vec();
        let tree = parser::tree(&grammar, None, &tokens).unwrap();
        let all = insertions(&grammar, &tree, &Shortest::new(&grammar, &|_| 1));
        let shown: Vec<String> = all.iter().map(|(place, said)| format!("{place} {}", names(&grammar, said))).collect();
        assert_eq!(shown, ["3 ALLOW IN end"]);
        for (place, said) in all {
            let longer = [&tokens[..place], &said, &tokens[place..]].concat();
            assert!(parser::tree(&grammar, None, &longer).is_some());
        }
    }
}
