//! What follows from a grammar's rules: which symbols derive the empty string, the shortest sentences, what derives itself.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, TerminalId};

/// The length of what a terminal stands for.
pub type LengthOf<'a> = &'a dyn Fn(TerminalId) -> u32;

/// Which nonterminals derive the empty string.
pub fn nullable(grammar: &Grammar) -> Vec<bool> {
    shortest(grammar, &|_| 1).into_iter().map(|length| length == Some(0)).collect()
}

/// The length of the shortest sentence of each nonterminal; `None` if it has none. Lengths saturate.
pub fn shortest(grammar: &Grammar, length_of: LengthOf) -> Vec<Option<u32>> {
    least(grammar, length_of).into_iter().map(|least| least.map(|least| least.length)).collect()
}

/// The height of the lowest derivation tree of each nonterminal; `None` if it has none. A rule without nonterminals is of
/// height 1.
pub fn lowest(grammar: &Grammar) -> Vec<Option<u32>> {
    least(grammar, &|_| 0).into_iter().map(|least| least.map(|least| least.height)).collect()
}

/// The tree of a nonterminal that has the shortest sentence, and is the lowest of those that have. Numbers saturate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Least {
    pub length: u32,
    pub height: u32,
    /// Rules and tokens in it.
    pub size: u32,
    /// Its first one. Of several that are as good it is the first of the grammar.
    pub rule: RuleId,
}

/// The least tree of each nonterminal; `None` if it has none. Knuth's generalisation of Dijkstra's algorithm: each rule waits
/// for its nonterminals, and of those that wait for none the least comes next.
pub fn least(grammar: &Grammar, length_of: LengthOf) -> Vec<Option<Least>> {
    let mut waiting: Vec<Vec<RuleId>> = vec![Vec::new(); grammar.nonterminals.len()];
    let mut n_missing = vec![0usize; grammar.rules.len()];
    for id in grammar.rule_ids() {
        for nonterminal in grammar.rule(id).right.iter().filter_map(|symbol| symbol.nonterminal()) {
            waiting[nonterminal.index()].push(id);
            n_missing[id.index()] += 1;
        }
    }
    let mut least: Vec<Option<Least>> = vec![None; grammar.nonterminals.len()];
    let tree = |id: RuleId, least: &[Option<Least>]| {
        let mut tree = Least { length: 0, height: 0, size: 1, rule: id };
        for &symbol in &grammar.rule(id).right {
            let (length, height, size) = match symbol {
                Symbol::Terminal(terminal) => (length_of(terminal), 0, 1),
                Symbol::Nonterminal(it) => least[it.index()].map_or((0, 0, 0), |it| (it.length, it.height, it.size)),
            };
            tree.length = tree.length.saturating_add(length);
            tree.height = tree.height.max(height);
            tree.size = tree.size.saturating_add(size);
        }
        tree.height = tree.height.saturating_add(1);
        Reverse((tree.length, tree.height, id, tree.size))
    };
    let ready = grammar.rule_ids().filter(|id| n_missing[id.index()] == 0).map(|id| tree(id, &least));
    let mut ready: BinaryHeap<_> = ready.collect();
    while let Some(Reverse((length, height, rule, size))) = ready.pop() {
        let left = grammar.rule(rule).left;
        if least[left.index()].is_some() {
            continue;
        }
        least[left.index()] = Some(Least { length, height, size, rule });
        for &id in &waiting[left.index()] {
            n_missing[id.index()] -= 1;
            if n_missing[id.index()] == 0 {
                ready.push(tree(id, &least));
            }
        }
    }
    least
}

/// The length of the shortest string that a sequence of symbols derives.
pub fn length_of_all(symbols: &[Symbol], shortest: &[Option<u32>], length_of: LengthOf) -> Option<u32> {
    let length = |symbol: &Symbol| match *symbol {
        Symbol::Terminal(terminal) => Some(length_of(terminal)),
        Symbol::Nonterminal(nonterminal) => shortest[nonterminal.index()],
    };
    symbols.iter().try_fold(0, |sum: u32, symbol| Some(sum.saturating_add(length(symbol)?)))
}

/// Nonterminals by dependence at the same length: each comes after those that it derives alone, with nothing but empty
/// strings beside them. A nonterminal that so derives itself has infinitely many trees for each sentence: a cycle of such
/// is the error.
pub fn order_of_units(grammar: &Grammar) -> Result<Vec<NonterminalId>, Vec<NonterminalId>> {
    let nullable = nullable(grammar);
    let is_empty = |symbol: &Symbol| symbol.nonterminal().is_some_and(|it| nullable[it.index()]);
    let mut alone: Vec<Vec<NonterminalId>> = vec![Vec::new(); grammar.nonterminals.len()];
    for rule in &grammar.rules {
        let n_solid = rule.right.iter().filter(|symbol| !is_empty(symbol)).count();
        for symbol in &rule.right {
            if let Some(nonterminal) = symbol.nonterminal()
                && n_solid == usize::from(!is_empty(symbol))
            {
                alone[rule.left.index()].push(nonterminal);
            }
        }
    }
    let mut order = Vec::new();
    let mut state = vec![Visit::Not; grammar.nonterminals.len()];
    for root in grammar.nonterminal_ids() {
        // The path from the root, each with the number of its successors that were looked at.
        let mut path = vec![(root, 0)];
        if state[root.index()] != Visit::Not {
            continue;
        }
        state[root.index()] = Visit::Begun;
        while let Some((at, n_seen)) = path.last_mut() {
            let Some(&next) = alone[at.index()].get(*n_seen) else {
                state[at.index()] = Visit::Done;
                order.push(*at);
                path.pop();
                continue;
            };
            *n_seen += 1;
            match state[next.index()] {
                Visit::Done => {}
                Visit::Begun => {
                    let cycle = path.iter().map(|&(it, _)| it).skip_while(|&it| it != next);
                    return Err(cycle.collect());
                }
                Visit::Not => {
                    state[next.index()] = Visit::Begun;
                    path.push((next, 0));
                }
            }
        }
    }
    Ok(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    Begun,
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_grammars::{grammar, CALCULATOR};

    fn names(grammar: &Grammar, ids: &[NonterminalId]) -> Vec<String> {
        ids.iter().map(|&id| grammar.nonterminal(id).name.clone()).collect()
    }

    #[test]
    fn empty_and_shortest() {
        let grammar = grammar("s: a b | 'x' ; a: | 'y' a ; b: a a ; c: 'x' c ;");
        assert_eq!(nullable(&grammar), [true, true, true, false]);
        let grammar = calculator();
        assert_eq!(shortest(&grammar, &|_| 1), [Some(1), Some(1)]);
        assert_eq!(lowest(&grammar), [Some(2), Some(1)]);
    }

    #[test]
    fn numbers_of_huge_trees_saturate() {
        let chain: String = (0..300).map(|number| format!("n{number}: n{0} n{0} ; ", number + 1)).collect();
        let long = grammar(&format!("{chain} n300: 'x' ;"));
        assert_eq!(
            least(&long, &|_| 1)[0].unwrap(),
            Least { length: u32::MAX, height: 301, size: u32::MAX, rule: RuleId(0) }
        );
        let empty = grammar(&format!("{chain} n300: ;"));
        assert_eq!(
            least(&empty, &|_| 1)[0].unwrap(),
            Least { length: 0, height: 301, size: u32::MAX, rule: RuleId(0) }
        );
    }

    fn calculator() -> Grammar {
        grammar(CALCULATOR)
    }

    #[test]
    fn cycles_are_found() {
        let grammar = grammar("s: a 'x' | a ; a: n b n ; b: s | 'y' ; n: ;");
        let cycle = order_of_units(&grammar).unwrap_err();
        assert_eq!(names(&grammar, &cycle), ["s", "a", "b"]);
        let order = order_of_units(&calculator()).unwrap();
        assert_eq!(names(&calculator(), &order), ["expression", "line"]);
    }
}
