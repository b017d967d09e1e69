//! What follows from a grammar's rules: which symbols derive the empty string, the shortest sentences, what derives itself.

use crate::grammar::{Grammar, NonterminalId, Symbol, TerminalId};

/// The length of what a terminal stands for.
pub type LengthOf<'a> = &'a dyn Fn(TerminalId) -> u32;

/// Which nonterminals derive the empty string.
pub fn nullable(grammar: &Grammar) -> Vec<bool> {
    let mut nullable = vec![false; grammar.nonterminals.len()];
    let is_nullable = |nullable: &[bool], symbol: &Symbol| symbol.nonterminal().is_some_and(|it| nullable[it.index()]);
    loop {
        let mut has_changed = false;
        for rule in &grammar.rules {
            if !nullable[rule.left.index()] && rule.right.iter().all(|symbol| is_nullable(&nullable, symbol)) {
                nullable[rule.left.index()] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return nullable;
        }
    }
}

/// The length of the shortest sentence of each nonterminal; `None` if it has none. Knuth's generalisation of Dijkstra's
/// algorithm would do it in one sweep; grammars are small, and this needs as many as the shortest trees are high.
pub fn shortest(grammar: &Grammar, length_of: LengthOf) -> Vec<Option<u32>> {
    let mut shortest: Vec<Option<u32>> = vec![None; grammar.nonterminals.len()];
    loop {
        let mut has_changed = false;
        for rule in &grammar.rules {
            let Some(length) = length_of_all(&rule.right, &shortest, length_of) else { continue };
            let known = &mut shortest[rule.left.index()];
            if known.is_none_or(|known| length < known) {
                *known = Some(length);
                has_changed = true;
            }
        }
        if !has_changed {
            return shortest;
        }
    }
}

/// The length of the shortest string that a sequence of symbols derives.
pub fn length_of_all(symbols: &[Symbol], shortest: &[Option<u32>], length_of: LengthOf) -> Option<u32> {
    let length = |symbol: &Symbol| match *symbol {
        Symbol::Terminal(terminal) => Some(length_of(terminal)),
        Symbol::Nonterminal(nonterminal) => shortest[nonterminal.index()],
    };
    symbols.iter().try_fold(0, |sum: u32, symbol| Some(sum.saturating_add(length(symbol)?)))
}

/// The height of the lowest derivation tree of each nonterminal; `None` if it has none. A rule without nonterminals is of
/// height 1.
pub fn lowest(grammar: &Grammar) -> Vec<Option<u32>> {
    let mut lowest: Vec<Option<u32>> = vec![None; grammar.nonterminals.len()];
    loop {
        let mut has_changed = false;
        for rule in &grammar.rules {
            let mut below = rule.right.iter().filter_map(|symbol| symbol.nonterminal());
            let Some(height) = below.try_fold(0, |height: u32, it| Some(height.max(lowest[it.index()]?))) else {
                continue;
            };
            let known = &mut lowest[rule.left.index()];
            if known.is_none_or(|known| height + 1 < known) {
                *known = Some(height + 1);
                has_changed = true;
            }
        }
        if !has_changed {
            return lowest;
        }
    }
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
            if let Some(nonterminal) = symbol.nonterminal() {
                if n_solid == usize::from(!is_empty(symbol)) {
                    alone[rule.left.index()].push(nonterminal);
                }
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
