//! Derivation trees: how many there are by length and by height, and some by chance.
//!
//! After McKenzie (1997): for each nonterminal, and for each rest of a rule, the number of ways to derive a string of a
//! length, from shorter ones. That takes time and memory quadratic in the length; a tree is then drawn in time linear in
//! it. Trees, not sentences, are counted and equally likely: [`crate::count::sentences`] has the other view.

use std::borrow::Borrow;

use num_bigint::BigUint;

use crate::chance::Chance;
use crate::count::sentences::{Piece, Texts};
use crate::grammar::analysis;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::parse::tree::{Node, Tree};

/// The number of derivations by length, as far as it was asked for.
#[derive(Debug)]
pub struct Derivations<G> {
    grammar: G,
    texts: Vec<Texts>,
    /// Each after those that it may be alone.
    order: Vec<NonterminalId>,
    /// By nonterminal and length.
    of_nonterminals: Vec<Vec<BigUint>>,
    /// By rule, position in its right side, and length: what the symbols from there on derive.
    of_rests: Vec<Vec<Vec<BigUint>>>,
    n_lens: u32,
    is_too_large: bool,
}

/// Numbers of more bits are not computed with: empty strings alone can have as many derivations as two to the power of two
/// to the power of the rules.
const N_BITS_MAX: u64 = 1 << 17;

impl<G: Borrow<Grammar>> Derivations<G> {
    /// A cycle of nonterminals that derive each other is the error: then a sentence has infinitely many trees.
    pub fn new(grammar: G, texts: Vec<Texts>) -> Result<Derivations<G>, Vec<NonterminalId>> {
        let of = grammar.borrow();
        Ok(Derivations {
            texts,
            order: analysis::order_of_units(of)?,
            of_nonterminals: vec![Vec::new(); of.nonterminals.len()],
            of_rests: of.rules.iter().map(|rule| vec![Vec::new(); rule.right.len() + 1]).collect(),
            grammar,
            n_lens: 0,
            is_too_large: false,
        })
    }

    /// Whether there are more than can be counted: then what was counted last is not true.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// How many of the start's trees have this length.
    pub fn count(&mut self, len: u32) -> BigUint {
        self.count_to(len);
        self.of_nonterminals[self.grammar.borrow().start.index()][len as usize].clone()
    }

    fn count_to(&mut self, len: u32) {
        while self.n_lens <= len {
            if self.is_too_large {
                self.of_nonterminals.iter_mut().for_each(|counts| counts.push(BigUint::ZERO));
                self.of_rests.iter_mut().flatten().for_each(|counts| counts.push(BigUint::ZERO));
                self.n_lens += 1;
                continue;
            }
            for &nonterminal in &self.order.clone() {
                let mut sum = BigUint::ZERO;
                for &rule in self.grammar.borrow().rules_of(nonterminal) {
                    let rests = self.count_rests(rule);
                    sum += &rests[0];
                }
                if sum.bits() > N_BITS_MAX {
                    self.is_too_large = true;
                    sum = BigUint::ZERO;
                }
                self.of_nonterminals[nonterminal.index()].push(sum);
            }
            // A whole right side needs no nonterminal that is not known yet, but a part of it may.
            for rule in self.grammar.borrow().rule_ids() {
                let rests = self.count_rests(rule);
                self.of_rests[rule.index()].iter_mut().zip(rests).for_each(|(counts, count)| counts.push(count));
            }
            self.n_lens += 1;
        }
    }

    /// What is known of the next length for all rests of a rule.
    fn count_rests(&self, rule: RuleId) -> Vec<BigUint> {
        let len = self.n_lens;
        let right = &self.grammar.borrow().rule(rule).right;
        let mut rests = vec![BigUint::ZERO; right.len() + 1];
        rests[right.len()] = BigUint::from(u8::from(len == 0));
        for at in (0..right.len()).rev() {
            let mut sum = BigUint::ZERO;
            for (first, n_first) in self.of_symbol(right[at], len) {
                sum += n_first
                    * match first {
                        0 => &rests[at + 1],
                        _ => &self.of_rests[rule.index()][at + 1][(len - first) as usize],
                    };
            }
            rests[at] = sum;
        }
        rests
    }

    /// The lengths up to `len` that a symbol derives, and in how many ways, as far as it is known.
    fn of_symbol(&self, symbol: Symbol, len: u32) -> Vec<(u32, &BigUint)> {
        match symbol {
            Symbol::Terminal(terminal) => {
                let texts = self.texts[terminal.index()].iter();
                texts.take_while(|(first, _)| *first <= len).map(|(first, count)| (*first, count)).collect()
            }
            Symbol::Nonterminal(nonterminal) => {
                let counts = self.of_nonterminals[nonterminal.index()].iter();
                (0..=len).zip(counts).filter(|(_, count)| **count != BigUint::ZERO).collect()
            }
        }
    }

    /// How many trees are no higher than this; a rule without nonterminals is of height 1.
    pub fn count_of_height(&self, height: u32) -> BigUint {
        let n_texts: Vec<BigUint> = self.texts.iter().map(|texts| texts.iter().map(|(_, n)| n).sum()).collect();
        let mut counts = vec![BigUint::ZERO; self.grammar.borrow().nonterminals.len()];
        for _ in 0..height {
            let of = |symbol: &Symbol| match *symbol {
                Symbol::Terminal(terminal) => &n_texts[terminal.index()],
                Symbol::Nonterminal(nonterminal) => &counts[nonterminal.index()],
            };
            let of_rule = |rule: &RuleId| self.grammar.borrow().rule(*rule).right.iter().map(of).product::<BigUint>();
            let next = |it| self.grammar.borrow().rules_of(it).iter().map(of_rule).sum();
            let next = self.grammar.borrow().nonterminal_ids().map(next).collect();
            counts = next;
        }
        counts.swap_remove(self.grammar.borrow().start.index())
    }

    /// A tree of this length, each as likely as any other; `None` if there is none.
    pub fn sample(&mut self, len: u32, chance: &mut Chance) -> Option<Tree> {
        if self.count(len) == BigUint::ZERO {
            return None;
        }
        let mut nodes = Vec::new();
        let mut pending = vec![(Symbol::Nonterminal(self.grammar.borrow().start), len)];
        while let Some((symbol, len)) = pending.pop() {
            match symbol {
                Symbol::Terminal(terminal) => nodes.push(Node::Leaf(Piece { terminal, len })),
                Symbol::Nonterminal(nonterminal) => {
                    let rule = self.draw_rule(nonterminal, len, chance);
                    nodes.push(Node::Rule(rule));
                    pending.extend(self.draw_lens(rule, len, chance).into_iter().rev());
                }
            }
        }
        Some(Tree { nodes })
    }

    fn draw_rule(&self, nonterminal: NonterminalId, len: u32, chance: &mut Chance) -> RuleId {
        let rules = self.grammar.borrow().rules_of(nonterminal);
        let counts = rules.iter().map(|rule| &self.of_rests[rule.index()][0][len as usize]);
        rules[draw(counts, chance)]
    }

    /// How long each symbol of the right side is to be.
    fn draw_lens(&self, rule: RuleId, len: u32, chance: &mut Chance) -> Vec<(Symbol, u32)> {
        let mut left = len;
        let mut lens = Vec::new();
        for (at, &symbol) in self.grammar.borrow().rule(rule).right.iter().enumerate() {
            let firsts = self.of_symbol(symbol, left);
            let behind = |first: u32| &self.of_rests[rule.index()][at + 1][(left - first) as usize];
            let counts: Vec<BigUint> = firsts.iter().map(|&(first, count)| count * behind(first)).collect();
            let (first, _) = firsts[draw(counts.iter(), chance)];
            lens.push((symbol, first));
            left -= first;
        }
        lens
    }
}

/// One of several, as likely as its count is great; they are not all zero.
fn draw<'a>(counts: impl Iterator<Item = &'a BigUint> + Clone, chance: &mut Chance) -> usize {
    let mut number = chance.below_big(&counts.clone().sum());
    let mut at = 0;
    for count in counts {
        if number < *count {
            break;
        }
        number -= count;
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;
    use crate::test_grammars::{grammar, texts_of_calculator, texts_of_tokens, CALCULATOR};

    #[test]
    fn what_is_too_much_is_not_counted() {
        let chain: String = (0..300).map(|number| format!("n{number}: n{0} n{0} | ; ", number + 1)).collect();
        let grammar = grammar(&format!("{chain} n300: 'x' ;"));
        let mut derivations = Derivations::new(&grammar, texts_of_tokens(&grammar)).unwrap();
        derivations.count(12);
        assert!(derivations.is_too_large());
    }

    #[test]
    fn the_counts_of_the_paper() {
        let grammar = grammar(CALCULATOR);
        let mut derivations = Derivations::new(&grammar, texts_of_calculator(&grammar)).unwrap();
        let mut up_to = BigUint::ZERO;
        let counts = (1..=6).map(|len| {
            up_to += derivations.count(len);
            u64::try_from(&up_to).unwrap()
        });
        assert_eq!(counts.collect::<Vec<_>>(), [62, 124, 27_156, 108_066, 23_706_692, 141_079_884]);
    }

    #[test]
    fn trees_by_height() {
        let grammar = grammar("s: s s | 'x' ;");
        let derivations = Derivations::new(&grammar, texts_of_tokens(&grammar)).unwrap();
        let counts: Vec<BigUint> = (0..=4).map(|height| derivations.count_of_height(height)).collect();
        assert_eq!(counts, [0u8, 1, 2, 5, 26].map(BigUint::from));
    }

    #[test]
    fn empty_parts_are_counted() {
        let grammar = grammar("s: a a 'x' ; a: | 'y' ;");
        let mut derivations = Derivations::new(&grammar, texts_of_tokens(&grammar)).unwrap();
        assert_eq!([1, 2, 3, 4].map(|len| derivations.count(len)), [1u8, 2, 1, 0].map(BigUint::from));
    }

    #[test]
    fn samples_are_uniform_over_trees() {
        let grammar = grammar("s: s s | 'x' ;");
        let mut derivations = Derivations::new(&grammar, texts_of_tokens(&grammar)).unwrap();
        let mut chance = Chance::new(5);
        let mut seen: FxHashMap<Tree, u32> = FxHashMap::default();
        for _ in 0..14_000 {
            let tree = derivations.sample(5, &mut chance).unwrap();
            assert_eq!(tree.pieces().count(), 5);
            *seen.entry(tree).or_default() += 1;
        }
        assert_eq!(seen.len(), 14);
        assert!(seen.values().all(|&count| (860..1_140).contains(&count)), "{seen:?}");
        assert_eq!(derivations.sample(0, &mut chance), None);
    }

    #[test]
    fn cycles_are_refused() {
        let grammar = grammar("s: s | 'x' ;");
        assert_eq!(Derivations::new(&grammar, texts_of_tokens(&grammar)).unwrap_err(), [grammar.start]);
    }
}
