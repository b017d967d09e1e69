use proptest::prelude::*;

use super::*;
use crate::test_grammars::{check_tree, grammar, CALCULATOR};

fn weighted_grammar(text: &str, weights: &[f64]) -> Grammar {
    let mut grammar = grammar(text);
    assert!(weights.is_empty() || weights.len() == grammar.rules.len());
    grammar.rules.iter_mut().zip(weights).for_each(|(rule, weight)| rule.weight = *weight);
    grammar
}

/// How often each rule was drawn in a number of trees, which are all trees of the grammar and short enough.
fn uses(grammar: &Grammar, max_len: u32, n_trees: usize) -> Vec<u32> {
    let weighted = Weighted::new(grammar, &|_| Some(1));
    let mut chance = Chance::new(7);
    let mut uses = vec![0; grammar.rules.len()];
    for _ in 0..n_trees {
        let tree = weighted.sample(max_len, &mut chance).unwrap();
        let pieces: Vec<Piece> = tree.pieces().collect();
        check_tree(grammar, &tree, &pieces);
        assert!(pieces.len() <= max_len as usize, "{}", pieces.len());
        for node in &tree.nodes {
            if let Node::Rule(rule) = node {
                uses[rule.index()] += 1;
            }
        }
    }
    uses
}

/// How far counts are from what the weights say, for each nonterminal: Pearson's sum and the number of its terms.
fn distances(grammar: &Grammar, uses: &[u32], weights: &[f64]) -> Vec<(f64, usize)> {
    let of = |left: NonterminalId| {
        let rules = grammar.rules_of(left);
        let n_uses: u32 = rules.iter().map(|rule| uses[rule.index()]).sum();
        // The sum of what is near the greatest number would be infinite.
        let greatest = rules.iter().map(|rule| weights[rule.index()]).fold(0.0, f64::max);
        let weights: Vec<f64> = weights.iter().map(|weight| weight / greatest).collect();
        let sum: f64 = rules.iter().map(|rule| weights[rule.index()]).sum();
        let terms = rules.iter().map(|rule| {
            let expected = f64::from(n_uses) * weights[rule.index()] / sum;
            (f64::from(uses[rule.index()]) - expected).powi(2) / expected
        });
        (terms.sum(), rules.len())
    };
    grammar.nonterminal_ids().map(of).collect()
}

/// Far from the bound, rules come as often as their weights say: no distance is as great as one in a thousand is.
fn check(text: &str, weights: &[f64], max_len: u32, n_trees: usize) {
    let grammar = weighted_grammar(text, weights);
    let uses = uses(&grammar, max_len, n_trees);
    // For one, two, three and four degrees of freedom.
    let limits = [0.0, 10.8, 13.8, 16.3, 18.5];
    for (distance, n_rules) in distances(&grammar, &uses, weights) {
        assert!(n_rules == 1 || distance < limits[n_rules - 1], "{uses:?}: {distance}");
    }
    // The same for other weights, which is no fit.
    let mut others = weights.to_vec();
    others.last_mut().into_iter().for_each(|weight| *weight /= 1.5);
    let distances = distances(&grammar, &uses, &others);
    assert!(distances.iter().any(|&(distance, _)| distance > 30.0), "{distances:?}");
}

#[test]
fn frequencies_are_weights() {
    check("s: 'a' | 'b' | 'c' | t t ; t: 'x' | 'y' ;", &[1.0, 2.0, 3.0, 4.0, 0.25, 0.75], 10, 5_000);
    check("s: 'a' | 'b' | 'c' | 'd' | 'e' ;", &[1.0; 5], 10, 5_000);
    // One in four has two below it: trees end by themselves long before the bound.
    check("e: e '+' e | 'x' | 'y' ;", &[1.0, 2.0, 1.0], 100_000, 3_000);
    check("s: 's' l ; l: l 'x' | ;", &[1.0, 9.0, 1.0], 100_000, 500);
    check("s: t ; t: 'a' | 'b' ;", &[1.0, 1e300, 3e300], 3, 3_000);
    check("s: t ; t: 'a' | 'b' ;", &[1.0, 1.2e308, 1.7e308], 3, 3_000);
    check("s: t ; t: 'a' | 'b' ;", &[1.0, 1e-300, 3e-300], 3, 3_000);
}

/// The test of frequencies sees one that is off.
#[test]
fn other_weights_are_seen() {
    let grammar = weighted_grammar("s: 'a' | 'b' ;", &[1.0, 1.2]);
    let uses = uses(&grammar, 1, 5_000);
    assert!(distances(&grammar, &uses, &[1.0, 1.0])[0].0 > 10.8, "{uses:?}");
}

#[test]
fn all_trees_end() {
    let grammars = [
        CALCULATOR,
        "s: s s | 'x' ;",
        "s: s s | ;",
        "s: s | s s s | t | ; t: s | t t | 'x' ;",
        "s: 'a' s 'b' | t ; t: 'c' t | s t | 'd' ;",
        "s: l l ; l: l e | ; e: 'x' | e 'y' | l 'z' ;",
    ];
    for text in grammars {
        let n_rules = grammar(text).rules.len();
        for only in 0..n_rules {
            for (weight, other) in [(1e300, 0.0), (1e300, 1.0), (1.0, 1e-300), (0.0, 1.0), (1.0, 1.0), (0.0, 1e300)] {
                let weights: Vec<f64> = (0..n_rules).map(|n| if n == only { weight } else { other }).collect();
                let grammar = weighted_grammar(text, &weights);
                let shortest = Weighted::new(&grammar, &|_| Some(1)).shortest().unwrap() as u32;
                for max_len in [shortest, shortest + 1, 60] {
                    uses(&grammar, max_len, 2);
                }
            }
        }
    }
}

/// The sentence that is drawn, as the first letters of its terminals.
fn drawn(text: &str, weights: &[f64], max_len: u32, seed: u64) -> Option<String> {
    let grammar = weighted_grammar(text, weights);
    let tree = Weighted::new(&grammar, &|_| Some(1)).sample(max_len, &mut Chance::new(seed))?;
    Some(tree.pieces().map(|piece| &grammar.terminal(piece.terminal).name[1..2]).collect())
}

#[test]
fn zero_is_taken_only_to_end() {
    assert_eq!(drawn("s: 'a' s | 'b' ;", &[1.0, 0.0], 10, 1).unwrap(), "aaaaaaaaab");
    assert_eq!(drawn("s: 'a' s | 'b' ;", &[1e300, 0.0], 1, 1).unwrap(), "b");
    assert_eq!(drawn("s: t 'x' ; t: u ; u: 'a' | 'b' 'b' ;", &[0.0, 0.0, 0.0, 0.0], 9, 1).unwrap(), "ax");
    for seed in 0..50 {
        let drawn = drawn("s: 'a' s | 'b' | 'c' 'c' | t ; t: 'd' t | 'e' ;", &[1.0, 0.0, 1.0, 1.0, 1.0, 0.0], 12, seed);
        let drawn = drawn.unwrap();
        assert!(!drawn.contains('b'), "{drawn}");
        assert!(drawn.ends_with("cc") || drawn.len() == 12, "{drawn}");
    }
    // Without the rule of weight 0 there is nothing that short.
    assert_eq!(drawn("s: 'b' | 'c' 'c' ;", &[0.0, 1.0], 1, 1), None);
    assert_eq!(drawn("s: 'b' | 'c' 'c' ;", &[f64::NAN, -1.0], 2, 1).unwrap(), "b");
}

#[test]
fn parts_share_the_length() {
    let drawn = drawn("s: l ';' l ; l: l 'x' | ;", &[1.0, 1e300, 1.0], 101, 1).unwrap();
    assert_eq!(drawn.find(';'), Some(50));
    assert_eq!(drawn.len(), 101);
}

#[test]
fn there_may_be_none() {
    assert_eq!(drawn("s: 'x' s ;", &[], 50, 1), None);
    assert_eq!(drawn("s: 'x' 'x' 'x' ;", &[], 2, 1), None);
    let grammar = grammar("s: 'x' | 'y' 'y' ;");
    let is_y = |terminal: TerminalId| (grammar.terminal(terminal).name == "'y'").then_some(4);
    let weighted = Weighted::new(&grammar, &is_y);
    assert_eq!(weighted.shortest(), Some(8));
    assert_eq!(weighted.sample(7, &mut Chance::new(1)), None);
    let tree = weighted.sample(8, &mut Chance::new(1)).unwrap();
    assert_eq!(tree.pieces().map(|piece| piece.len).collect::<Vec<_>>(), [4, 4]);
}

/// The only tree of the empty sentence has more nodes than memory has room for.
#[test]
fn huge_trees_are_not_made() {
    for n_levels in [40, 100] {
        let levels: Vec<String> = (0..n_levels).map(|n| format!("n{n}: n{} n{} ;", n + 1, n + 1)).collect();
        let text = format!("{} n{n_levels}: ;", levels.join(" "));
        assert_eq!(drawn(&text, &[], 100, 1), None);
        assert_eq!(drawn(&format!("s: n0 | 'x' | s s ; {text}"), &[], 1, 1).unwrap(), "x");
    }
}

#[test]
fn the_same_seed_gives_the_same_tree() {
    let weights = [1.0; 12];
    assert_eq!(drawn(CALCULATOR, &weights, 30, 4), drawn(CALCULATOR, &weights, 30, 4));
    assert_ne!(drawn(CALCULATOR, &weights, 30, 4), drawn(CALCULATOR, &weights, 30, 5));
}

fn any_grammar() -> impl Strategy<Value = (String, Vec<f64>)> {
    let symbol = prop_oneof![Just("s"), Just("t"), Just("'x'"), Just("'y'")];
    let right = proptest::collection::vec(symbol, 0..4).prop_map(|symbols| symbols.join(" "));
    let weight = prop_oneof![Just(0.0), Just(1.0), Just(1e300), Just(1e-300), 0.0..10.0];
    let rights = proptest::collection::vec((right, weight), 1..5);
    (rights.clone(), rights).prop_map(|(s, t)| {
        let of =
            |rights: &[(String, f64)]| rights.iter().map(|(right, _)| right.as_str()).collect::<Vec<_>>().join(" | ");
        let weights = s.iter().chain(&t).map(|&(_, weight)| weight).collect();
        (format!("s: {} ; t: {} ;", of(&s), of(&t)), weights)
    })
}

proptest! {
    #[test]
    fn any_weights_give_trees((text, weights) in any_grammar(), max_len in 0u32..40, seed in any::<u64>()) {
        let grammar = weighted_grammar(&text, &weights);
        let weighted = Weighted::new(&grammar, &|_| Some(1));
        let has_sentences = crate::grammar::analysis::shortest(&grammar, &|_| 1)[0].is_some();
        prop_assert_eq!(weighted.shortest().is_some(), has_sentences);
        let tree = weighted.sample(max_len, &mut Chance::new(seed));
        prop_assert_eq!(tree.is_some(), weighted.shortest().is_some_and(|shortest| shortest <= max_len.into()));
        if let Some(tree) = tree {
            let pieces: Vec<Piece> = tree.pieces().collect();
            prop_assert!(pieces.len() <= max_len as usize);
            check_tree(&grammar, &tree, &pieces);
        }
    }
}
