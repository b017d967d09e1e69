//! Suffixes of right sides: two rules of a nonterminal that end alike share them.
//!
//! Whoever reads a string needs no more than that of a rule that has begun: what is still to come, and for which
//! nonterminal. So behind their operators all binary rules of a calculator are one.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::grammar::analysis::{self, LengthOf};
use crate::grammar::{Grammar, NonterminalId, Symbol};

/// A suffix, by its place in [`RuleSuffixes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SuffixId(pub u32);

impl SuffixId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `left` is complete once `symbols` have come.
#[derive(Debug)]
pub struct RuleSuffix {
    pub left: NonterminalId,
    pub symbols: Rc<[Symbol]>,
    /// The suffix behind the first symbol.
    pub next: Option<SuffixId>,
    /// The shortest string that the symbols derive.
    pub shortest: u32,
}

#[derive(Debug)]
pub struct RuleSuffixes {
    pub all: Vec<RuleSuffix>,
    /// Whole right sides, by nonterminal.
    pub rules_of: Vec<Vec<SuffixId>>,
}

impl RuleSuffixes {
    /// With the shortest string of each nonterminal.
    pub fn new(grammar: &Grammar, shortest: &[Option<u32>], length_of: LengthOf) -> RuleSuffixes {
        let mut rests = RuleSuffixes { all: Vec::new(), rules_of: vec![Vec::new(); grammar.nonterminals.len()] };
        let mut known: FxHashMap<(NonterminalId, &[Symbol]), SuffixId> = FxHashMap::default();
        for rule in &grammar.rules {
            let mut next = None;
            for start in (0..=rule.right.len()).rev() {
                let symbols = &rule.right[start..];
                let rest = *known.entry((rule.left, symbols)).or_insert_with(|| {
                    let shortest = analysis::length_of_all(symbols, shortest, length_of).unwrap_or(u32::MAX);
                    rests.all.push(RuleSuffix { left: rule.left, symbols: symbols.into(), next, shortest });
                    SuffixId(rests.all.len() as u32 - 1)
                });
                next = Some(rest);
            }
            let whole = &mut rests.rules_of[rule.left.index()];
            whole.extend(next.filter(|rest| !whole.contains(rest)));
        }
        rests
    }

    pub fn get(&self, id: SuffixId) -> &RuleSuffix {
        &self.all[id.index()]
    }

    /// The one that has these symbols.
    pub fn find(&self, left: NonterminalId, symbols: &[Symbol]) -> Option<SuffixId> {
        let is_it = |rest: &RuleSuffix| rest.left == left && *rest.symbols == *symbols;
        self.all.iter().position(is_it).map(|at| SuffixId(at as u32))
    }

    /// By rest: those that it is the next of.
    pub fn before(&self) -> Vec<Vec<SuffixId>> {
        let mut before = vec![Vec::new(); self.all.len()];
        for (id, rest) in (0..).map(SuffixId).zip(&self.all) {
            if let Some(next) = rest.next {
                before[next.index()].push(id);
            }
        }
        before
    }
}
