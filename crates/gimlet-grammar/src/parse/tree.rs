//! Derivation trees, flat: a rule comes before what is below it.
//!
//! A subtree is a range of nodes, so that replacing one is a splice, and trees of any depth are walked without recursion.

use std::ops::Range;

use crate::count::sentences::Piece;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

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
    /// The tree of a sentence by the rules of its rightmost derivation, from its end, as an LR parser finds them. `None` if
    /// they derive something else.
    pub fn of_reductions(grammar: &Grammar, reductions: &[RuleId], sentence: &[Piece]) -> Option<Tree> {
        // From the right: each rule before what is below it.
        let mut nodes: Vec<Node> = Vec::with_capacity(reductions.len() + sentence.len());
        let (mut rules, mut pieces) = (reductions.iter().rev(), sentence.iter().rev());
        let mut pending = vec![Symbol::Nonterminal(grammar.start)];
        while let Some(symbol) = pending.pop() {
            nodes.push(match symbol {
                Symbol::Terminal(terminal) => Node::Leaf(*pieces.next().filter(|piece| piece.terminal == terminal)?),
                Symbol::Nonterminal(left) => {
                    let rule = *rules.next().filter(|&&rule| grammar.rule(rule).left == left)?;
                    pending.extend(&grammar.rule(rule).right);
                    Node::Rule(rule)
                }
            });
        }
        if rules.next().is_some() || pieces.next().is_some() {
            return None;
        }
        // From the left: each rule behind what is below it, which ends right before it.
        nodes.reverse();
        let mut n_below = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let mut first = at;
            if let Node::Rule(rule) = node {
                grammar.rule(*rule).right.iter().for_each(|_| first -= 1 + n_below[first - 1]);
            }
            n_below.push(at - first);
        }
        let mut tree = Tree { nodes: Vec::with_capacity(nodes.len()) };
        let mut pending = vec![nodes.len() - 1];
        while let Some(at) = pending.pop() {
            tree.nodes.push(nodes[at]);
            if let Node::Rule(rule) = nodes[at] {
                let mut below = at;
                for _ in &grammar.rule(rule).right {
                    pending.push(below - 1);
                    below -= 1 + n_below[below - 1];
                }
            }
        }
        Some(tree)
    }

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
    use crate::chance::Chance;
    use crate::grammar::TerminalId;
    use crate::parse::lalr::Tables;
    use crate::sample::weighted::Weighted;
    use crate::test_grammars::{check_tree, grammar, CALCULATOR};

    #[test]
    fn what_a_parser_reduces_is_a_tree() {
        for text in [CALCULATOR, "s: s e 'x' | 'y' e e ; e: | 'z' ;", "s: | 'a' s t 'b' ; t: 'c' | ;"] {
            let grammar = grammar(text);
            let (tables, weighted) = (Tables::new(&grammar), Weighted::new(&grammar, &|_| Some(1)));
            let mut chance = Chance::new(1);
            for _ in 0..200 {
                let pieces: Vec<Piece> = weighted.sample(20, &mut chance).unwrap().pieces().collect();
                let terminals: Vec<TerminalId> = pieces.iter().map(|piece| piece.terminal).collect();
                let reductions = tables.parse(&terminals).unwrap();
                check_tree(&grammar, &Tree::of_reductions(&grammar, &reductions, &pieces).unwrap(), &pieces);
                assert_eq!(Tree::of_reductions(&grammar, &reductions[1..], &pieces), None);
            }
        }
    }

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
