//! A derivation tree for a string of terminals.
//!
//! Earley's algorithm, with the number of each item in its set: the item that completes a nonterminal was made after those
//! that complete its parts, so a tree is read off from the first item that completes each part, without search and
//! whatever cycles there are. An ambiguous string gets one of its trees, the same each time.

use rustc_hash::FxHashMap;

use crate::count::sentences::Piece;
use crate::grammar::analysis;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, TerminalId};
use crate::parse::lalr::Tables;
use crate::parse::tree::{Node, Tree};

/// Strings of more tokens are not searched for a tree: the time can grow with the cube.
const N_TOKENS_SEARCHED_MAX: usize = 80;

/// A tree of a sentence: yacc's, if its tables are given, or any. `None` if it is none, or too long.
pub fn tree(grammar: &Grammar, tables: Option<&Tables>, sentence: &[TerminalId]) -> Option<Tree> {
    let pieces: Vec<Piece> = sentence.iter().map(|&terminal| Piece { terminal, len: 1 }).collect();
    match tables {
        Some(tables) => Tree::of_reductions(grammar, &tables.parse(sentence).ok()?, &pieces),
        None if pieces.len() > N_TOKENS_SEARCHED_MAX => None,
        None => Parser::new(grammar).parse(&pieces).ok(),
    }
}

/// A rule, the number of symbols that have come, and where it began.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Item {
    rule: RuleId,
    n_come: u32,
    origin: u32,
}

/// What may come at a position, and what has come to its end there.
#[derive(Default)]
struct Set {
    items: Vec<Item>,
    numbers: FxHashMap<Item, u32>,
    /// By what they wait for.
    waiting: FxHashMap<NonterminalId, Vec<Item>>,
    /// The first item that completes a nonterminal from an origin on, by its number.
    complete: FxHashMap<(NonterminalId, u32), u32>,
}

impl Set {
    fn add(&mut self, item: Item) {
        let number = self.items.len() as u32;
        self.numbers.entry(item).or_insert_with(|| {
            self.items.push(item);
            number
        });
    }
}

/// A string is no sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSentence {
    /// The number of terminals up to which it could still have become one.
    pub at: usize,
    /// What could have come there, in ascending order; nothing, if only the end could.
    pub expected: Vec<TerminalId>,
}

/// Parses strings of one grammar.
#[derive(Debug)]
pub struct Parser<'a> {
    grammar: &'a Grammar,
    /// A rule by which each nonterminal derives the empty string; following them comes to an end.
    empty: Vec<Option<RuleId>>,
}

impl<'a> Parser<'a> {
    pub fn new(grammar: &'a Grammar) -> Parser<'a> {
        Parser { grammar, empty: empty_rules(grammar) }
    }

    /// A tree of the sentence.
    pub fn parse(&self, pieces: &[Piece]) -> Result<Tree, NoSentence> {
        let mut sets: Vec<Set> = vec![Set::default()];
        let rules = self.grammar.rules_of(self.grammar.start).iter();
        rules.for_each(|&rule| sets[0].add(Item { rule, n_come: 0, origin: 0 }));
        for at in 0..=pieces.len() {
            let mut next = Set::default();
            self.close(&mut sets, at, pieces.get(at), &mut next);
            if at < pieces.len() {
                if next.items.is_empty() {
                    return Err(NoSentence { at, expected: self.expected(&sets[at]) });
                }
                sets.push(next);
            }
        }
        let start = self.grammar.start;
        let is_empty = pieces.is_empty() && self.empty[start.index()].is_some();
        if !is_empty && !sets[pieces.len()].complete.contains_key(&(start, 0)) {
            return Err(NoSentence { at: pieces.len(), expected: self.expected(&sets[pieces.len()]) });
        }
        Ok(self.tree(&sets, pieces))
    }

    /// Completes a set; what the next terminal leads to goes to `next`.
    fn close(&self, sets: &mut [Set], at: usize, piece: Option<&Piece>, next: &mut Set) {
        let (before, set) = sets.split_at_mut(at);
        let set = &mut set[0];
        let mut number = 0;
        while let Some(&item) = set.items.get(number) {
            let rule = self.grammar.rule(item.rule);
            let advanced = Item { n_come: item.n_come + 1, ..item };
            match rule.right.get(item.n_come as usize) {
                Some(&Symbol::Terminal(terminal)) => {
                    if piece.is_some_and(|piece| piece.terminal == terminal) {
                        next.add(advanced);
                    }
                }
                Some(&Symbol::Nonterminal(nonterminal)) => {
                    let waiting = set.waiting.entry(nonterminal).or_default();
                    waiting.push(item);
                    if waiting.len() == 1 {
                        let rules = self.grammar.rules_of(nonterminal).iter();
                        rules.for_each(|&rule| set.add(Item { rule, n_come: 0, origin: at as u32 }));
                    }
                    if self.empty[nonterminal.index()].is_some() {
                        set.add(advanced);
                    }
                }
                // What is empty was passed over where it was waited for.
                None if item.origin as usize == at => {}
                None => {
                    let is_first = !set.complete.contains_key(&(rule.left, item.origin));
                    if is_first {
                        set.complete.insert((rule.left, item.origin), number as u32);
                        let users = before[item.origin as usize].waiting.get(&rule.left);
                        users.into_iter().flatten().for_each(|&user| set.add(Item { n_come: user.n_come + 1, ..user }));
                    }
                }
            }
            number += 1;
        }
    }

    fn expected(&self, set: &Set) -> Vec<TerminalId> {
        let next = |item: &Item| self.grammar.rule(item.rule).right.get(item.n_come as usize)?.terminal();
        let mut expected: Vec<TerminalId> = set.items.iter().filter_map(next).collect();
        expected.sort_unstable();
        expected.dedup();
        expected
    }

    /// Reads off the tree of a sentence, from the top and from the right.
    fn tree(&self, sets: &[Set], pieces: &[Piece]) -> Tree {
        let mut nodes = Vec::new();
        let mut pending = vec![(Symbol::Nonterminal(self.grammar.start), 0, pieces.len())];
        while let Some((symbol, start, end)) = pending.pop() {
            match symbol {
                Symbol::Terminal(_) => nodes.push(Node::Leaf(pieces[start])),
                Symbol::Nonterminal(nonterminal) => {
                    let (rule, parts) = self.parts(sets, nonterminal, start, end);
                    nodes.push(Node::Rule(rule));
                    pending.extend(parts);
                }
            }
        }
        Tree { nodes }
    }

    /// The rule that derives a part of the sentence, and what its symbols derive, from the right.
    fn parts(
        &self,
        sets: &[Set],
        left: NonterminalId,
        start: usize,
        end: usize,
    ) -> (RuleId, Vec<(Symbol, usize, usize)>) {
        if start == end {
            let rule = self.empty[left.index()].expect("a nonterminal that derives the empty string");
            let right = &self.grammar.rule(rule).right;
            return (rule, right.iter().rev().map(|&symbol| (symbol, start, end)).collect());
        }
        let number = sets[end].complete[&(left, start as u32)];
        let mut item = sets[end].items[number as usize];
        let rule = item.rule;
        let (mut end, mut before) = (end, Some(number));
        let mut parts = Vec::new();
        while item.n_come > 0 {
            let symbol = self.grammar.rule(rule).right[item.n_come as usize - 1];
            item.n_come -= 1;
            let begin = self.begin_of(sets, symbol, item, end, before);
            parts.push((symbol, begin, end));
            // An item of an earlier set was made earlier in any case.
            before = if begin == end { sets[begin].numbers.get(&item).copied() } else { None };
            end = begin;
        }
        (rule, parts)
    }

    /// Where the last symbol of a part of a rule began: `item` is the rule without it. Within one set, only items before
    /// a number count.
    fn begin_of(&self, sets: &[Set], symbol: Symbol, item: Item, end: usize, before: Option<u32>) -> usize {
        let Symbol::Nonterminal(nonterminal) = symbol else { return end - 1 };
        let is_before = |number: u32| before.is_none_or(|before| number < before);
        let is_there = |at: usize| sets[at].numbers.get(&item).copied();
        let begins = (item.origin as usize..end).rev();
        let mut begins = begins.filter(|&begin| {
            let complete = sets[end].complete.get(&(nonterminal, begin as u32));
            complete.is_some_and(|&number| is_before(number)) && is_there(begin).is_some()
        });
        let is_empty = self.empty[nonterminal.index()].is_some() && is_there(end).is_some_and(is_before);
        begins.next().or(is_empty.then_some(end)).expect("an item was made from another")
    }
}

/// For each nonterminal that derives the empty string, the first rule that was seen to.
fn empty_rules(grammar: &Grammar) -> Vec<Option<RuleId>> {
    let n_nullable = analysis::nullable(grammar).iter().filter(|&&it| it).count();
    let mut empty: Vec<Option<RuleId>> = vec![None; grammar.nonterminals.len()];
    while empty.iter().flatten().count() < n_nullable {
        for id in grammar.rule_ids() {
            let rule = grammar.rule(id);
            let is_empty = |symbol: &Symbol| symbol.nonterminal().is_some_and(|it| empty[it.index()].is_some());
            if empty[rule.left.index()].is_none() && rule.right.iter().all(is_empty) {
                empty[rule.left.index()] = Some(id);
            }
        }
    }
    empty
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chance::Chance;
    use crate::count::sentences::Sentences;
    use crate::test_grammars::{check_tree, grammar, CALCULATOR};

    fn pieces(grammar: &Grammar, names: &str) -> Vec<Piece> {
        let terminal = |name: &str| grammar.symbol(name).and_then(Symbol::terminal).unwrap();
        names.split_whitespace().map(|name| Piece { terminal: terminal(name), len: 1 }).collect()
    }

    fn check(text: &str, names: &str) {
        let grammar = grammar(text);
        let pieces = pieces(&grammar, names);
        let tree = Parser::new(&grammar).parse(&pieces).unwrap();
        check_tree(&grammar, &tree, &pieces);
    }

    #[test]
    fn trees() {
        check(CALCULATOR, "'(' DIGIT '+' LETTER ')' '*' '-' DIGIT");
        check("s: s | s s | n s n | 'x' | ; n: s | ;", "'x' 'x' 'x'");
        check("s: a b a ; a: b | 'x' ; b: a | ;", "'x'");
        check("s: a a a ; a: | 'x' a ;", "'x' 'x'");
        check("s: 'x' s | ;", "");
    }

    #[test]
    fn what_is_wrong() {
        let grammar = grammar(CALCULATOR);
        let error = Parser::new(&grammar).parse(&pieces(&grammar, "'(' DIGIT DIGIT")).unwrap_err();
        assert_eq!((error.at, error.expected.len()), (2, 8));
        let error = Parser::new(&grammar).parse(&pieces(&grammar, "'(' DIGIT")).unwrap_err();
        assert_eq!((error.at, error.expected.len()), (2, 8));
    }

    const GRAMMARS: [&str; 5] = [
        CALCULATOR,
        "s: s s | 'a' s 'b' | ;",
        "s: a s b | s | 'x' ; a: | 'x' | a ; b: a a | 'y' ;",
        "s: 'a' s 'a' | 'b' s 'b' | 'a' | 'b' | ;",
        "s: l l ; l: l e | ; e: 'x' | e 'y' | l 'z' ;",
    ];

    proptest! {
        /// Sentences, and strings that are not: both views of the language agree.
        #[test]
        fn agrees_with_the_automaton(which in 0..GRAMMARS.len(), seed in any::<u64>(), len in 0u32..12, is_drawn in any::<bool>()) {
            let grammar = grammar(GRAMMARS[which]);
            let mut sentences = Sentences::of_tokens(&grammar).unwrap();
            let mut chance = Chance::new(seed);
            let n_terminals = grammar.terminals.len() as u64;
            let any = |chance: &mut Chance| Piece { terminal: TerminalId(chance.below(n_terminals) as u32), len: 1 };
            let drawn = if is_drawn { sentences.sample(len, &mut chance) } else { None };
            let pieces = drawn.unwrap_or_else(|| (0..len).map(|_| any(&mut chance)).collect());
            let prefixes = sentences.prefixes();
            let mut state = Some(crate::count::prefixes::Prefixes::FIRST);
            let mut n_good = 0;
            for piece in &pieces {
                state = state.and_then(|state| prefixes.after(state, piece.terminal));
                n_good += usize::from(state.is_some());
            }
            let is_sentence = state.is_some_and(|state| prefixes.is_accepting(state));
            match Parser::new(&grammar).parse(&pieces) {
                Ok(tree) => {
                    prop_assert!(is_sentence);
                    check_tree(&grammar, &tree, &pieces);
                }
                Err(error) => {
                    prop_assert!(!is_sentence);
                    prop_assert_eq!(error.at, n_good);
                }
            }
        }
    }
}
