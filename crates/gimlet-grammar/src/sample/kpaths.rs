//! k-paths: every chain of k symbols, each in a right side of the one before, occurs in some tree.
//!
//! After Havrikov and Zeller (2019), who measure how much of a grammar a set of inputs uses: with k = 1 every symbol, with
//! k = 2 every symbol below each that can have it, and so on. Which of several rules brings a symbol is told apart. The
//! trees are made around one path each, as short as can be; paths that a tree has by the way need no tree of their own.

use rustc_hash::FxHashSet;

use crate::grammar::{Grammar, NonterminalId, RuleId};
use crate::parse::tree::{Node, Tree};
use crate::sample::shortest::{Shortest, Use};

/// A path down: which symbol of which rule is followed. Its last symbol may be a terminal.
pub type Path = Vec<Use>;

/// All paths of k steps from nonterminals that occur in sentences. Their number can be exponential in k: no more than `n_max`
/// are listed, and the second result says whether these are all.
pub fn paths(grammar: &Grammar, shortest: &Shortest, k: usize, n_max: usize) -> (Vec<Path>, bool) {
    let mut paths = Vec::new();
    for nonterminal in grammar.nonterminal_ids().filter(|&it| shortest.is_reachable(it)) {
        let mut pending: Vec<Path> = vec![Vec::new()];
        while let Some(path) = pending.pop() {
            let left = match path.last() {
                None => Some(nonterminal),
                Some(last) => end_of(grammar, *last),
            };
            if path.len() == k || left.is_none() {
                // A path that ends at a terminal is as long as it gets.
                if paths.len() == n_max {
                    return (paths, false);
                }
                paths.push(path);
                continue;
            }
            let steps = left.into_iter().flat_map(|left| uses_in(grammar, left)).collect::<Vec<_>>();
            pending.extend(steps.into_iter().rev().map(|step| [path.as_slice(), &[step]].concat()));
        }
    }
    paths.retain(|path| !path.is_empty());
    (paths, true)
}

fn end_of(grammar: &Grammar, step: Use) -> Option<NonterminalId> {
    grammar.rule(step.rule).right[step.at].nonterminal()
}

fn uses_in(grammar: &Grammar, left: NonterminalId) -> impl Iterator<Item = Use> + '_ {
    let of_rule = |&rule: &RuleId| (0..grammar.rule(rule).right.len()).map(move |at| Use { rule, at });
    grammar.rules_of(left).iter().flat_map(of_rule)
}

/// The paths of up to k steps that a tree has: all of k, and those that end at a terminal.
pub fn paths_of(grammar: &Grammar, tree: &Tree, k: usize) -> FxHashSet<Path> {
    let mut found = FxHashSet::default();
    // The steps that led to the present node, and the symbols that each rule among them has left.
    let mut way: Vec<Use> = Vec::new();
    for &node in &tree.nodes {
        let is_leaf = matches!(node, Node::Leaf(_));
        let longest = way.len().min(k);
        if longest == k {
            found.insert(way[way.len() - k..].to_vec());
        }
        if is_leaf {
            (1..longest).for_each(|len| {
                found.insert(way[way.len() - len..].to_vec());
            });
            if longest > 0 && longest < k {
                found.insert(way[way.len() - longest..].to_vec());
            }
        }
        match node {
            Node::Rule(rule) if !grammar.rule(rule).right.is_empty() => way.push(Use { rule, at: 0 }),
            _ => advance(grammar, &mut way),
        }
    }
    found
}

/// Goes on to the next symbol that is not derived yet.
fn advance(grammar: &Grammar, way: &mut Vec<Use>) {
    while let Some(last) = way.last_mut() {
        last.at += 1;
        if last.at < grammar.rule(last.rule).right.len() {
            return;
        }
        way.pop();
    }
}

/// Trees that together have all these paths, as far as a tree can be made for them.
pub struct Cover<'a> {
    grammar: &'a Grammar,
    shortest: &'a Shortest<'a>,
    paths: std::slice::Iter<'a, Path>,
    k: usize,
    covered: FxHashSet<Path>,
    /// Paths so far whose trees would be too large.
    pub n_left_out: u64,
}

pub fn cover<'a>(grammar: &'a Grammar, shortest: &'a Shortest<'a>, paths: &'a [Path], k: usize) -> Cover<'a> {
    Cover { grammar, shortest, paths: paths.iter(), k, covered: FxHashSet::default(), n_left_out: 0 }
}

impl Iterator for Cover<'_> {
    type Item = Tree;

    fn next(&mut self) -> Option<Tree> {
        loop {
            let path = self.paths.next()?;
            if self.covered.contains(path) {
                continue;
            }
            match self.shortest.tree_through(path) {
                Some(tree) => {
                    self.covered.extend(paths_of(self.grammar, &tree, self.k));
                    return Some(tree);
                }
                None => self.n_left_out += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_grammars::{grammar, CALCULATOR};

    /// The number of paths and of trees that cover them.
    fn check(text: &str, k: usize, n_paths: usize, n_trees_max: usize) {
        let grammar = grammar(text);
        let shortest = Shortest::new(&grammar, &|_| 1);
        let (paths, is_all) = paths(&grammar, &shortest, k, 10_000);
        assert!(is_all);
        assert_eq!(paths.len(), n_paths);
        let trees: Vec<Tree> = cover(&grammar, &shortest, &paths, k).collect();
        let covered: FxHashSet<Path> = trees.iter().flat_map(|tree| paths_of(&grammar, tree, k)).collect();
        assert!(paths.iter().all(|path| covered.contains(path)));
        assert!(trees.len() <= n_trees_max, "{} trees", trees.len());
    }

    #[test]
    fn all_paths_are_covered() {
        // One step: each symbol of each right side.
        check(CALCULATOR, 1, 29, 11);
        check("s: 'a' s 'b' | ;", 2, 5, 2);
        check("s: t t ; t: 'x' | 'y' t ;", 3, 17, 8);
    }

    #[test]
    fn there_may_be_too_many() {
        let grammar = grammar(CALCULATOR);
        let shortest = Shortest::new(&grammar, &|_| 1);
        let (paths, is_all) = paths(&grammar, &shortest, 4, 100);
        assert_eq!((paths.len(), is_all), (100, false));
    }
}
