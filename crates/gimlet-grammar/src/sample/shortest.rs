//! Trees that are as short as can be, whole or around a part that is wanted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::count::sentences::Piece;
use crate::grammar::analysis::{self, Least, LengthOf};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::parse::tree::{Node, Tree};

/// Larger trees are not made: rules and tokens.
const SIZE_MAX: u32 = 1 << 18;

/// The length of a token that nobody can write.
pub const UNWRITABLE: u32 = 1_000;

/// A use of a nonterminal: a rule, and which of its symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Use {
    pub rule: RuleId,
    pub at: usize,
}

/// The shortest way to derive each nonterminal, and the shortest way to it.
pub struct Shortest<'a> {
    grammar: &'a Grammar,
    length_of: LengthOf<'a>,
    least: Vec<Option<Least>>,
    /// The last step of the shortest way from the start; `None` for the start, and where there is none.
    uses: Vec<Option<Use>>,
}

impl<'a> Shortest<'a> {
    pub fn new(grammar: &'a Grammar, length_of: LengthOf<'a>) -> Shortest<'a> {
        let least = analysis::least(grammar, length_of);
        let shortest: Vec<Option<u32>> = least.iter().map(|least| least.map(|least| least.length)).collect();
        let uses = uses(grammar, &shortest, length_of);
        Shortest { grammar, length_of, least, uses }
    }

    /// Whether some sentence has a part that the nonterminal derives.
    pub fn is_reachable(&self, nonterminal: NonterminalId) -> bool {
        nonterminal == self.grammar.start || self.uses[nonterminal.index()].is_some()
    }

    /// Whether no sentence has a tree that could be made: not even the shortest.
    pub fn is_too_large(&self) -> bool {
        self.size(&[Symbol::Nonterminal(self.grammar.start)]) > SIZE_MAX
    }

    /// The size of the shortest trees of these symbols.
    fn size(&self, symbols: &[Symbol]) -> u32 {
        let size =
            |symbol: &Symbol| symbol.nonterminal().map_or(1, |it| self.least[it.index()].map_or(0, |least| least.size));
        symbols.iter().map(size).fold(0, u32::saturating_add)
    }

    /// Whether a symbol derives anything.
    pub fn can_expand(&self, symbol: Symbol) -> bool {
        symbol.nonterminal().is_none_or(|nonterminal| self.least[nonterminal.index()].is_some())
    }

    /// Adds the shortest tree of each symbol; their nonterminals have sentences.
    pub fn expand(&self, symbols: &[Symbol], nodes: &mut Vec<Node>) {
        let mut pending: Vec<Symbol> = symbols.iter().rev().copied().collect();
        while let Some(symbol) = pending.pop() {
            match symbol {
                Symbol::Terminal(terminal) => {
                    nodes.push(Node::Leaf(Piece { terminal, len: (self.length_of)(terminal) }));
                }
                Symbol::Nonterminal(nonterminal) => {
                    let Some(Least { rule, .. }) = self.least[nonterminal.index()] else { continue };
                    nodes.push(Node::Rule(rule));
                    pending.extend(self.grammar.rule(rule).right.iter().rev());
                }
            }
        }
    }

    /// The shortest tree that goes down through these uses, each of the nonterminal that the one before leads to. `None` if
    /// no sentence has the first, or the tree is too large.
    pub fn tree_through(&self, way: &[Use]) -> Option<Tree> {
        let first = way.first().map_or(self.grammar.start, |first| self.grammar.rule(first.rule).left);
        let mut uses = Vec::new();
        let mut at = first;
        while at != self.grammar.start {
            let user = self.uses[at.index()]?;
            uses.push(user);
            at = self.grammar.rule(user.rule).left;
        }
        uses.reverse();
        uses.extend_from_slice(way);
        let last = uses
            .last()
            .map_or(Symbol::Nonterminal(self.grammar.start), |last| self.grammar.rule(last.rule).right[last.at]);
        let beside = uses.iter().map(|user| {
            let right = &self.grammar.rule(user.rule).right;
            self.size(&right[..user.at]).saturating_add(self.size(&right[user.at + 1..])).saturating_add(1)
        });
        if beside.fold(self.size(&[last]), u32::saturating_add) > SIZE_MAX {
            return None;
        }
        let mut nodes = Vec::new();
        let mut behind: Vec<&[Symbol]> = Vec::new();
        for user in &uses {
            let right = &self.grammar.rule(user.rule).right;
            nodes.push(Node::Rule(user.rule));
            self.expand(&right[..user.at], &mut nodes);
            behind.push(&right[user.at + 1..]);
        }
        self.expand(&[last], &mut nodes);
        behind.into_iter().rev().for_each(|symbols| self.expand(symbols, &mut nodes));
        Some(Tree { nodes })
    }
}

/// Dijkstra's algorithm from the start, where a step costs what stands beside the nonterminal.
fn uses(grammar: &Grammar, shortest: &[Option<u32>], length_of: LengthOf) -> Vec<Option<Use>> {
    let mut uses: Vec<Option<Use>> = vec![None; grammar.nonterminals.len()];
    let mut costs: Vec<Option<u32>> = vec![None; grammar.nonterminals.len()];
    costs[grammar.start.index()] = Some(0);
    let mut pending = BinaryHeap::from([Reverse((0, grammar.start))]);
    while let Some(Reverse((cost, nonterminal))) = pending.pop() {
        if costs[nonterminal.index()] != Some(cost) {
            continue;
        }
        for &id in grammar.rules_of(nonterminal) {
            let right = &grammar.rule(id).right;
            let Some(length) = analysis::length_of_all(right, shortest, length_of) else { continue };
            for (at, symbol) in right.iter().enumerate() {
                let Some(below) = symbol.nonterminal() else { continue };
                let beside = length - shortest[below.index()].unwrap_or(0);
                let cost = cost.saturating_add(beside);
                if costs[below.index()].is_none_or(|known| cost < known) {
                    costs[below.index()] = Some(cost);
                    uses[below.index()] = Some(Use { rule: id, at });
                    pending.push(Reverse((cost, below)));
                }
            }
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_grammars::{grammar, CALCULATOR};

    fn check(text: &str, way: &[(u32, usize)], expected: &str) {
        let grammar = grammar(text);
        let shortest = Shortest::new(&grammar, &|_| 1);
        let way: Vec<Use> = way.iter().map(|&(rule, at)| Use { rule: RuleId(rule), at }).collect();
        let names = shortest.tree_through(&way).map(|tree| {
            tree.pieces().map(|piece| grammar.terminal(piece.terminal).name.clone()).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(names.unwrap_or("none".to_owned()), expected);
    }

    #[test]
    fn short_trees() {
        check(CALCULATOR, &[], "LETTER");
        check(CALCULATOR, &[(1, 1), (2, 2), (9, 1)], "'(' LETTER '*' '-' LETTER ')'");
        check("s: 'a' 'b' t | u ; t: 'x' ; u: 'c' 'c' t 'c' | 'q' ;", &[(2, 0)], "'a' 'b' 'x'");
        check("s: 'a' ; t: 'x' ;", &[(1, 0)], "none");
    }

    #[test]
    fn trees_that_are_too_large_are_not_made() {
        let chain: String = (0..300).map(|number| format!("n{number}: n{0} n{0} ; ", number + 1)).collect();
        let text = format!("s: 'a' | n0 ; {chain} n300: 'x' ;");
        check(&text, &[(0, 0)], "'a'");
        check(&text, &[(1, 0)], "none");
        assert!(!Shortest::new(&grammar(&text), &|_| 1).is_too_large());
        for last in ["'x'", ""] {
            assert!(Shortest::new(&grammar(&format!("s: n0 ; {chain} n300: {last} ;")), &|_| 1).is_too_large());
        }
    }

    #[test]
    fn deep_trees_are_not_large() {
        let chain: String = (0..1000).map(|number| format!("r{number}: 'a' r{0} | 'b' r{0} ; ", number + 1)).collect();
        let text = format!("{chain} r1000: 'x' | 'y' ;");
        check(&text, &[(2001, 0)], &format!("{}'y'", "'a' ".repeat(1000)));
    }

    #[test]
    fn cycles_are_not_followed() {
        check("s: t ; t: s | u ; u: t | 'x' ;", &[], "'x'");
        check("s: n s | n ; n: n n | ;", &[], "");
    }
}
