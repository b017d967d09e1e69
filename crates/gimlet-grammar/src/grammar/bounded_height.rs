//! Derivations of bounded height: CESE enumerates a language by the height of its trees.
//!
//! Each nonterminal becomes one for each height, whose rules use those of the height below: the sentences with a tree no
//! higher than a bound are the language of a grammar like any other, and everything that is done with grammars is done with
//! it. It has as many times more rules as the bound is high.

use crate::grammar::analysis;
use crate::grammar::{Grammar, Nonterminal, NonterminalId, Rule, RuleId, Symbol};

/// A grammar whose trees are those of another, up to a height.
#[derive(Clone, Debug)]
pub struct Bounded {
    pub grammar: Grammar,
    /// For each rule, that of the other grammar.
    pub rules: Vec<RuleId>,
}

/// The trees that are no higher than `height`; a rule without nonterminals is of height 1. `None` if there are none.
pub fn bounded(grammar: &Grammar, height: u32) -> Option<Bounded> {
    let lowest = analysis::lowest(grammar);
    let is_low = |symbol: &Symbol, height: u32| {
        symbol.nonterminal().is_none_or(|it| lowest[it.index()].is_some_and(|lowest| lowest <= height))
    };
    lowest[grammar.start.index()].filter(|&lowest| lowest <= height)?;
    let mut nonterminals: Vec<Nonterminal> = Vec::new();
    let mut rules: Vec<Rule> = Vec::new();
    let mut origins = Vec::new();
    // What is needed, from the top: a nonterminal at the height that is left for it.
    let mut numbers = rustc_hash::FxHashMap::default();
    let mut pending = vec![(grammar.start, height)];
    numbers.insert((grammar.start, height), NonterminalId(0));
    nonterminals.push(named(grammar, grammar.start, height));
    while let Some((left, height)) = pending.pop() {
        for &id in grammar.rules_of(left) {
            let rule = grammar.rule(id);
            if !rule.right.iter().all(|symbol| is_low(symbol, height - 1)) {
                continue;
            }
            let mut right = Vec::with_capacity(rule.right.len());
            for &symbol in &rule.right {
                let Symbol::Nonterminal(below) = symbol else {
                    right.push(symbol);
                    continue;
                };
                let number = *numbers.entry((below, height - 1)).or_insert_with(|| {
                    pending.push((below, height - 1));
                    nonterminals.push(named(grammar, below, height - 1));
                    NonterminalId(nonterminals.len() as u32 - 1)
                });
                right.push(Symbol::Nonterminal(number));
            }
            rules.push(Rule { left: numbers[&(left, height)], right, ..rule.clone() });
            origins.push(id);
        }
    }
    let grammar = grammar.with_rules(nonterminals, rules, NonterminalId(0));
    Some(Bounded { grammar, rules: origins })
}

fn named(grammar: &Grammar, id: NonterminalId, height: u32) -> Nonterminal {
    let nonterminal = grammar.nonterminal(id);
    Nonterminal { name: format!("{}^{height}", nonterminal.name), span: nonterminal.span }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::count::derivations::Derivations;
    use crate::count::sentences::Sentences;
    use crate::test_grammars::{grammar, texts_of_tokens, CALCULATOR};

    #[test]
    fn the_trees_are_as_many() {
        for text in [CALCULATOR, "s: s s | 'x' ;", "s: a 'x' ; a: a 'y' | ;"] {
            let grammar = grammar(text);
            for height in 2..5 {
                let expected = Derivations::new(&grammar, texts_of_tokens(&grammar)).unwrap().count_of_height(height);
                let bounded = bounded(&grammar, height).unwrap().grammar;
                let mut derivations = Derivations::new(&bounded, texts_of_tokens(&bounded)).unwrap();
                let longest = 3u32.pow(height);
                let all: BigUint = (0..=longest).map(|len| derivations.count(len)).sum();
                assert_eq!(all, expected, "{text} {height}");
            }
        }
    }

    #[test]
    fn sentences_of_a_height() {
        let grammar = grammar("s: s s | 'x' ;");
        assert!(bounded(&grammar, 0).is_none());
        let bounded = bounded(&grammar, 4).unwrap();
        let mut sentences = Sentences::of_tokens(&bounded.grammar).unwrap();
        let counts: Vec<BigUint> = (0..=9).map(|len| sentences.count(len)).collect();
        assert_eq!(counts, [0u8, 1, 1, 1, 1, 1, 1, 1, 1, 0].map(BigUint::from));
    }
}
