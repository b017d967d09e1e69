//! What is left of rules: two rules of a nonterminal that end alike have the same rest.
//!
//! Whoever reads a string needs no more than that of a rule that has begun: what is still to come, and for which
//! nonterminal. So behind their operators all binary rules of a calculator are one.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::analysis::{self, LengthOf};
use crate::grammar::{Grammar, NonterminalId, Symbol};

/// A rest, by its place in [`Rests`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RestId(pub u32);

impl RestId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `left` is complete once `symbols` have come.
#[derive(Debug)]
pub struct Rest {
    pub left: NonterminalId,
    pub symbols: Rc<[Symbol]>,
    /// The rest behind the first symbol.
    pub next: Option<RestId>,
    /// The shortest string that the symbols derive.
    pub shortest: u32,
}

#[derive(Debug)]
pub struct Rests {
    pub all: Vec<Rest>,
    /// Whole right sides, by nonterminal.
    pub rules_of: Vec<Vec<RestId>>,
}

impl Rests {
    /// With the shortest string of each nonterminal.
    pub fn new(grammar: &Grammar, shortest: &[Option<u32>], length_of: LengthOf) -> Rests {
        let mut rests = Rests { all: Vec::new(), rules_of: vec![Vec::new(); grammar.nonterminals.len()] };
        let mut known: FxHashMap<(NonterminalId, &[Symbol]), RestId> = FxHashMap::default();
        for rule in &grammar.rules {
            let mut next = None;
            for start in (0..=rule.right.len()).rev() {
                let symbols = &rule.right[start..];
                let rest = *known.entry((rule.left, symbols)).or_insert_with(|| {
                    let shortest = analysis::length_of_all(symbols, shortest, length_of).unwrap_or(u32::MAX);
                    rests.all.push(Rest { left: rule.left, symbols: symbols.into(), next, shortest });
                    RestId(rests.all.len() as u32 - 1)
                });
                next = Some(rest);
            }
            let whole = &mut rests.rules_of[rule.left.index()];
            whole.extend(next.filter(|rest| !whole.contains(rest)));
        }
        rests
    }

    pub fn get(&self, id: RestId) -> &Rest {
        &self.all[id.index()]
    }

    /// The one that has these symbols.
    pub fn find(&self, left: NonterminalId, symbols: &[Symbol]) -> Option<RestId> {
        let is_it = |rest: &Rest| rest.left == left && *rest.symbols == *symbols;
        self.all.iter().position(is_it).map(|at| RestId(at as u32))
    }

    /// By rest: those that it is the next of.
    pub fn before(&self) -> Vec<Vec<RestId>> {
        let mut before = vec![Vec::new(); self.all.len()];
        for (id, rest) in (0..).map(RestId).zip(&self.all) {
            if let Some(next) = rest.next {
                before[next.index()].push(id);
            }
        }
        before
    }
}
