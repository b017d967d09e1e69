//! A text and the parts of it that symbols of the grammar derive.

use std::ops::Range;

use crate::grammar::{Grammar, RuleId, Symbol};
use crate::parse::tree::{Node, Tree};
use crate::scanner::Scanned;

/// A part of a text that one symbol derives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub symbol: Symbol,
    /// The rule, if it is a nonterminal.
    pub rule: Option<RuleId>,
    /// From its first token to its last. What is empty stands before the token that follows.
    pub span: Range<usize>,
    /// Places below it, which come right behind it.
    pub n_below: usize,
}

/// The places of a text, each before those below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    pub places: Vec<Place>,
}

impl Parsed {
    /// The places of a tree, whose leaves are what was scanned.
    pub fn new(grammar: &Grammar, tree: &Tree, scanned: &[Scanned]) -> Parsed {
        let mut places: Vec<Place> = Vec::with_capacity(tree.nodes.len());
        // Rules above: the place, the number of its first token, and symbols that are still to come.
        let mut above: Vec<(usize, usize, usize)> = Vec::new();
        let mut n_tokens = 0;
        for &node in &tree.nodes {
            if let Some((_, _, n_missing)) = above.last_mut() {
                *n_missing -= 1;
            }
            let symbol = match node {
                Node::Rule(rule) => {
                    above.push((places.len(), n_tokens, grammar.rule(rule).right.len()));
                    Symbol::Nonterminal(grammar.rule(rule).left)
                }
                Node::Leaf(piece) => {
                    n_tokens += 1;
                    Symbol::Terminal(piece.terminal)
                }
            };
            let (rule, first) = match node {
                Node::Rule(rule) => (Some(rule), n_tokens),
                Node::Leaf(_) => (None, n_tokens - 1),
            };
            places.push(Place { symbol, rule, span: span_of(scanned, first..n_tokens), n_below: 0 });
            while let Some(&(at, first, 0)) = above.last() {
                above.pop();
                places[at].n_below = places.len() - at - 1;
                places[at].span = span_of(scanned, first..n_tokens);
            }
        }
        Parsed { places }
    }

    /// The places right below one.
    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = at + self.places[at].n_below;
        let is_below = move |child: &usize| *child <= end;
        let next = move |&child: &usize| Some(child + self.places[child].n_below + 1).filter(is_below);
        std::iter::successors(Some(at + 1).filter(is_below), next)
    }

    /// Places below one of the same symbol.
    pub fn same_below(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let place = &self.places[at];
        (at + 1..=at + place.n_below).filter(move |&below| self.places[below].symbol == place.symbol)
    }
}

fn span_of(scanned: &[Scanned], tokens: Range<usize>) -> Range<usize> {
    if tokens.is_empty() {
        let before = tokens.start.checked_sub(1).map_or(0, |before| scanned[before].span.end);
        let at = scanned.get(tokens.start).map_or(before, |next| next.span.start);
        return at..at;
    }
    scanned[tokens.start].span.start..scanned[tokens.end - 1].span.end
}
