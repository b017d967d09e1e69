//! Trees by chance, top-down: each rule as likely among those of its nonterminal as its weight is great.
//!
//! Such a process need not end: where rules are recursive enough, most trees would be infinite. So the size of the smallest
//! tree that still completes what was begun is known all the time, and only rules are chosen from that keep it within a
//! bound of length and one of nodes; at the bound only the smallest are left. Nonterminals are derived level by level, so
//! that all parts of a tree share what length there is. Within the bounds choices are exactly by weight; near them shorter
//! rules are more frequent than their weights say. [`crate::count::derivations`] draws trees of one length, each as likely.
//!
//! A rule of weight 0 is taken only if its nonterminal has no end without it.

use std::borrow::Borrow;

use crate::chance::Chance;
use crate::count::sentences::Piece;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, TerminalId};
use crate::parse::tree::{Node, Tree};

/// No tree has more, however empty it is: such a grammar is counted as if it had none.
const N_NODES_MAX: u64 = 1 << 24;
/// Rules that are used for each unit of length, at most: what is recursive and empty would go on.
const N_NODES_FOR_LEN: u64 = 200;

/// The size of a tree, smallest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Size {
    /// Rules that are to be avoided.
    n_avoided: u64,
    len: u64,
    /// Rules.
    n_nodes: u64,
}

impl Size {
    fn plus(self, other: Size) -> Size {
        Size {
            n_avoided: self.n_avoided.saturating_add(other.n_avoided),
            len: self.len.saturating_add(other.len),
            n_nodes: self.n_nodes.saturating_add(other.n_nodes),
        }
    }
}

/// Draws trees of a grammar by the weights of its rules.
#[derive(Debug)]
pub struct Weighted<G> {
    grammar: G,
    lens: Vec<Option<u32>>,
    /// The smallest tree of each nonterminal.
    smallest: Vec<Option<Size>>,
    /// The smallest tree with each rule at its top; `None` if it is not to be used.
    of_rules: Vec<Option<Size>>,
}

impl<G: Borrow<Grammar>> Weighted<G> {
    /// With the length of each terminal's text; `None` if no sentence has it.
    pub fn new(owner: G, length_of: &dyn Fn(TerminalId) -> Option<u32>) -> Weighted<G> {
        let grammar = owner.borrow();
        let lens: Vec<Option<u32>> = grammar.terminal_ids().map(length_of).collect();
        // First all rules, those of weight 0 only where nothing else ends; then without the others of weight 0.
        let is_zero: Vec<bool> = grammar.rule_ids().map(|rule| weight(grammar, rule) == 0.0).collect();
        let (smallest, of_rules) = sizes(grammar, &lens, &|_| true, &|rule| is_zero[rule.index()]);
        let mut is_used: Vec<bool> = is_zero.iter().map(|is_zero| !is_zero).collect();
        for left in grammar.nonterminal_ids() {
            let Some(size) = smallest[left.index()].filter(|size| size.n_avoided > 0) else { continue };
            let best = grammar.rules_of(left).iter().find(|rule| of_rules[rule.index()] == Some(size));
            best.into_iter().for_each(|rule| is_used[rule.index()] = true);
        }
        let (smallest, of_rules) = sizes(grammar, &lens, &|rule| is_used[rule.index()], &|_| false);
        Weighted { grammar: owner, lens, smallest, of_rules }
    }

    /// The length of the shortest sentence that can be drawn, if there is one.
    pub fn shortest(&self) -> Option<u64> {
        self.shortest_of(self.grammar().start)
    }

    /// The same for what a nonterminal derives.
    pub fn shortest_of(&self, nonterminal: NonterminalId) -> Option<u64> {
        self.smallest[nonterminal.index()].map(|size| size.len)
    }

    /// Whether trees have a rule.
    pub fn is_used(&self, rule: RuleId) -> bool {
        self.of_rules[rule.index()].is_some()
    }

    fn grammar(&self) -> &Grammar {
        self.grammar.borrow()
    }

    /// A tree that is no longer than this; `None` if there is none, or only huge ones.
    pub fn sample(&self, max_len: u32, chance: &mut Chance) -> Option<Tree> {
        self.sample_of(self.grammar().start, max_len, chance)
    }

    /// The same for what a nonterminal derives.
    pub fn sample_of(&self, top: NonterminalId, max_len: u32, chance: &mut Chance) -> Option<Tree> {
        let start = self.smallest[top.index()]?;
        if start.len > max_len.into() {
            return None;
        }
        let more = N_NODES_FOR_LEN * (u64::from(max_len) + 1);
        let bound = Size { len: max_len.into(), n_nodes: start.n_nodes + more, ..start };
        // Each derived nonterminal with its rule, and the first of those below it; they are adjacent.
        let mut derived: Vec<(RuleId, usize)> = Vec::new();
        let mut pending = vec![top];
        let mut needed = start;
        while let Some(&nonterminal) = pending.get(derived.len()) {
            let rule = self.draw_rule(nonterminal, &mut needed, bound, chance)?;
            derived.push((rule, pending.len()));
            pending.extend(self.grammar().rule(rule).right.iter().filter_map(|symbol| symbol.nonterminal()));
        }
        Some(self.tree(top, &derived))
    }

    /// One of the rules that leave what is needed within the bound.
    fn draw_rule(
        &self,
        nonterminal: NonterminalId,
        needed: &mut Size,
        bound: Size,
        chance: &mut Chance,
    ) -> Option<RuleId> {
        let smallest = self.smallest[nonterminal.index()]?;
        let beside = Size { n_avoided: 0, len: needed.len - smallest.len, n_nodes: needed.n_nodes - smallest.n_nodes };
        let with = |rule: &RuleId| {
            let size = self.of_rules[rule.index()]?.plus(beside);
            (size.len <= bound.len && size.n_nodes <= bound.n_nodes).then_some((*rule, size))
        };
        let possible: Vec<(RuleId, Size)> = self.grammar().rules_of(nonterminal).iter().filter_map(with).collect();
        let weights: Vec<f64> = possible.iter().map(|&(rule, _)| weight(self.grammar(), rule)).collect();
        let (rule, size) = *possible.get(draw(&weights, chance))?;
        *needed = size;
        Some(rule)
    }

    /// The tree in its own order.
    fn tree(&self, top: NonterminalId, derived: &[(RuleId, usize)]) -> Tree {
        let mut nodes = Vec::new();
        let mut pending = vec![(Symbol::Nonterminal(top), 0)];
        while let Some((symbol, number)) = pending.pop() {
            match symbol {
                Symbol::Terminal(terminal) => {
                    let len = self.lens[terminal.index()].unwrap_or_default();
                    nodes.push(Node::Leaf(Piece { terminal, len }));
                }
                Symbol::Nonterminal(_) => {
                    let (rule, first) = derived[number];
                    nodes.push(Node::Rule(rule));
                    let right = &self.grammar().rule(rule).right;
                    let mut below = first + right.iter().filter(|symbol| symbol.nonterminal().is_some()).count();
                    for &symbol in right.iter().rev() {
                        below -= usize::from(symbol.nonterminal().is_some());
                        pending.push((symbol, below));
                    }
                }
            }
        }
        Tree { nodes }
    }
}

/// A rule's weight as a number that can be reckoned with.
fn weight(grammar: &Grammar, rule: RuleId) -> f64 {
    let weight = grammar.rule(rule).weight;
    if weight.is_nan() {
        0.0
    } else {
        weight.clamp(0.0, f64::MAX)
    }
}

/// One of several, as likely as its weight is great; the first if all are zero.
fn draw(weights: &[f64], chance: &mut Chance) -> usize {
    let greatest = weights.iter().copied().fold(0.0, f64::max);
    if greatest == 0.0 || weights.len() == 1 {
        return 0;
    }
    // The sum of what is near the greatest number would be infinite.
    let shares: Vec<f64> = weights.iter().map(|weight| weight / greatest).collect();
    let mut left = chance.fraction() * shares.iter().sum::<f64>();
    for (at, share) in shares.iter().enumerate() {
        if left < *share {
            return at;
        }
        left -= share;
    }
    // What rounding left over.
    shares.iter().rposition(|share| *share > 0.0).unwrap_or(0)
}

/// The smallest tree of each nonterminal by some rules, and that with each of them at its top. A tree is larger than each
/// part of it, so each round settles those whose smallest trees are one level higher.
fn sizes(
    grammar: &Grammar,
    lens: &[Option<u32>],
    is_used: &dyn Fn(RuleId) -> bool,
    is_avoided: &dyn Fn(RuleId) -> bool,
) -> (Vec<Option<Size>>, Vec<Option<Size>>) {
    let of_rule = |smallest: &[Option<Size>], id: RuleId| {
        let top = Size { n_avoided: is_avoided(id).into(), len: 0, n_nodes: 1 };
        let below = |symbol: &Symbol| match *symbol {
            Symbol::Terminal(it) => lens[it.index()].map(|len| Size { len: len.into(), ..Size::default() }),
            Symbol::Nonterminal(it) => smallest[it.index()],
        };
        let mut right = grammar.rule(id).right.iter();
        let size = right.try_fold(top, |size, symbol| Some(size.plus(below(symbol)?)))?;
        Some(size).filter(|size| size.n_nodes <= N_NODES_MAX && is_used(id))
    };
    let mut smallest: Vec<Option<Size>> = vec![None; grammar.nonterminals.len()];
    loop {
        let mut has_changed = false;
        for id in grammar.rule_ids() {
            let Some(size) = of_rule(&smallest, id) else { continue };
            let known = &mut smallest[grammar.rule(id).left.index()];
            if known.is_none_or(|known| size < known) {
                *known = Some(size);
                has_changed = true;
            }
        }
        if !has_changed {
            let of_rules = grammar.rule_ids().map(|id| of_rule(&smallest, id)).collect();
            return (smallest, of_rules);
        }
    }
}

#[cfg(test)]
mod tests;
