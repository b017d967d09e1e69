//! Derivation trees, flat: a rule comes before what is below it.
//!
//! A subtree is a range of nodes, so that replacing one is a splice, and trees of any depth are walked without recursion.

use std::ops::Range;

use crate::grammar::{Grammar, NonterminalId, RuleId};
use crate::sentences::Piece;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Rule(RuleId),
    /// A terminal with the length of its text.
    Leaf(Piece),
}

/// A derivation tree in pre-order.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    /// The terminals from left to right.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Leaf(piece) => Some(*piece),
            Node::Rule(_) => None,
        })
    }

    /// The nodes of the subtree that begins at a node.
    pub fn subtree(&self, grammar: &Grammar, at: usize) -> Range<usize> {
        let mut n_missing = 1;
        let mut end = at;
        while n_missing > 0 && end < self.nodes.len() {
            if let Node::Rule(rule) = self.nodes[end] {
                n_missing += grammar.rule(rule).right.len();
            }
            n_missing -= 1;
            end += 1;
        }
        at..end
    }

    /// The nonterminal that a node derives, if it is a rule.
    pub fn nonterminal(&self, grammar: &Grammar, at: usize) -> Option<NonterminalId> {
        match self.nodes[at] {
            Node::Rule(rule) => Some(grammar.rule(rule).left),
            Node::Leaf(_) => None,
        }
    }

    /// The number of rules on the longest way down.
    pub fn height(&self, grammar: &Grammar) -> u32 {
        let mut highest = 0;
        // Children that are still to come, of each rule above.
        let mut above: Vec<usize> = Vec::new();
        for node in &self.nodes {
            if let Some(n_missing) = above.last_mut() {
                *n_missing -= 1;
            }
            if let Node::Rule(rule) = node {
                above.push(grammar.rule(*rule).right.len());
                highest = highest.max(above.len());
            }
            while above.last() == Some(&0) {
                above.pop();
            }
        }
        highest as u32
    }

    /// The tree with another in place of a subtree.
    pub fn replaced(&self, subtree: Range<usize>, other: &[Node]) -> Tree {
        let (before, after) = (&self.nodes[..subtree.start], &self.nodes[subtree.end..]);
        Tree { nodes: [before, other, after].concat() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::TerminalId;
    use crate::test_grammars::grammar;

    #[test]
    fn subtrees_are_ranges() {
        let grammar = grammar("s: s s | 'x' | ;");
        let leaf = Node::Leaf(Piece { terminal: TerminalId(0), len: 1 });
        let [pair, one, none] = [0, 1, 2].map(|rule| Node::Rule(RuleId(rule)));
        let tree = Tree { nodes: vec![pair, pair, one, leaf, none, one, leaf] };
        assert_eq!([0, 1, 2, 4, 5].map(|at| tree.subtree(&grammar, at)), [0..7, 1..5, 2..4, 4..5, 5..7]);
        assert_eq!(tree.height(&grammar), 3);
        assert_eq!(tree.pieces().count(), 2);
        let smaller = tree.replaced(1..5, &[none]);
        assert_eq!(smaller.nodes, [pair, none, one, leaf]);
        assert_eq!(smaller.height(&grammar), 2);
    }
}
