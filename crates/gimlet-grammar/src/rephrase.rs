//! Sentences that say something else near one of their tokens.
//!
//! Each phrase beside a token is put in other words: by each other rule of its nonterminal, as shortly as can be. That is how
//! a unit, a keyword or an option beside a number is exchanged, added or left out, with all the tokens that go with it.

use std::ops::Range;

use crate::analysis::LengthOf;
use crate::grammar::{Grammar, RuleId, Symbol, TerminalId};
use crate::shortest::Shortest;
use crate::tree::{Node, Tree};

/// The sentences that differ from one in a single phrase that does not contain a token; those that differ nearest to it are
/// first, `n_max` at most.
pub fn rephrase(
    grammar: &Grammar,
    tree: &Tree,
    token: usize,
    length_of: LengthOf,
    n_max: usize,
) -> Vec<Vec<TerminalId>> {
    let shortest = Shortest::new(grammar, length_of);
    let present: Vec<TerminalId> = tree.pieces().map(|piece| piece.terminal).collect();
    // By node: the tokens of its phrase.
    let mut spans: Vec<(usize, Range<usize>)> = Vec::new();
    let mut n_tokens = 0;
    for (at, node) in tree.nodes.iter().enumerate() {
        match node {
            Node::Leaf(_) => n_tokens += 1,
            Node::Rule(_) => {
                let below = &tree.nodes[tree.subtree(grammar, at)];
                let n_below = below.iter().filter(|node| matches!(node, Node::Leaf(_))).count();
                spans.push((at, n_tokens..n_tokens + n_below));
            }
        }
    }
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
        for right in others(grammar, own).into_iter().map(|rule| &grammar.rule(rule).right) {
            if !right.iter().all(|&symbol| shortest.can_expand(symbol)) {
                continue;
            }
            let mut nodes = Vec::new();
            shortest.expand(right, &mut nodes);
            let said = Tree { nodes };
            let said: Vec<TerminalId> = said.pieces().map(|piece| piece.terminal).collect();
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

/// The other rules of a rule's nonterminal; in place of those that only lead to another nonterminal, the rules of that one.
fn others(grammar: &Grammar, own: RuleId) -> Vec<RuleId> {
    let left = grammar.rule(own).left;
    let (mut known, mut pending, mut others) = (vec![left], vec![left], Vec::new());
    while let Some(left) = pending.pop() {
        for &rule in grammar.rules_of(left) {
            match grammar.rule(rule).right[..] {
                _ if rule == own => {}
                [Symbol::Nonterminal(below)] if !known.contains(&below) => {
                    known.push(below);
                    pending.push(below);
                }
                _ => others.push(rule),
            }
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
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
        let tree = parse::tree(&grammar, None, &tokens).unwrap();
        let all = rephrase(&grammar, &tree, token, &|_| 1, n_max);
        assert!(all.iter().all(|other| parse::tree(&grammar, None, other).is_some()));
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
}
