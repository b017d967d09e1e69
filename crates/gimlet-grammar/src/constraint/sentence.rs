//! Sentences that a chart has: the tokens of its positions, and the shortest or another way to the end.
//!
//! A chart over sets knows which tokens may stand at each position, but not which go together: that is what a derivation
//! says. It is read off backwards from an item of the last set. Within one set an item leads to another, so each has a rank,
//! and only items that came before count; ranks are found by making the set once more, as hardly any is ever asked for.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::chart::{Charts, NoChart, NodeId};
use crate::chance::Chance;
use crate::grammar::suffixes::SuffixId;
use crate::grammar::{NonterminalId, Symbol, TerminalId};
use crate::parse::earley::Ranks;

/// Rules and tokens of a completion at most.
const SIZE_MAX: usize = 1 << 18;

/// How what is not said is made.
pub enum Rest<'c> {
    /// As short as can be.
    Shortest,
    /// By the weights of rules, where there is a choice; with about so many tokens at most.
    Weighted { chance: &'c mut Chance, len_max: u32 },
}

/// What came of a rule between two positions is to be told.
struct Task {
    rest: SuffixId,
    origin: u32,
    at: u32,
    /// Of the items at the last position, only those count that came earlier.
    before: Option<u32>,
}

/// The end of a sentence from a node on.
struct Ending {
    /// What is to be told of the positions, the last ones last.
    tasks: Vec<Task>,
    /// What comes behind them.
    symbols: Vec<Symbol>,
}

impl Charts {
    /// The number of tokens that the shortest sentence has behind a node.
    pub fn to_end(&self, node: NodeId) -> u32 {
        match self.is_accepting(node) {
            true => 0,
            false => self.endings(&self.path(node)).map(|(length, ..)| length).min().unwrap_or(u32::MAX),
        }
    }

    /// Tokens for the positions before a node, if the sentence ends there.
    pub fn whole(&mut self, node: NodeId) -> Option<Vec<TerminalId>> {
        let path = self.path(node);
        if !self.is_accepting(node) {
            return None;
        }
        if let Some(tokens) = self.only_tokens(&path) {
            return Some(tokens);
        }
        let rest = self.complete(self.earley.start)?;
        Some(self.told(&path, vec![Task { rest, origin: 0, at: path.len() as u32 - 1, before: None }]))
    }

    /// A sentence whose beginning is as the positions before a node say. It goes on behind them, unless that is how the
    /// shortest ends.
    pub fn sentence(&mut self, node: NodeId, rest: &mut Rest) -> Result<Vec<TerminalId>, NoChart> {
        if let (Rest::Shortest, Some(tokens)) = (&rest, self.whole(node)) {
            return Ok(tokens);
        }
        let path = self.path(node);
        let ending = match self.ending(&path, rest) {
            Some(ending) => ending,
            // What ends here need not be able to go on.
            None => return self.whole(node).ok_or(NoChart::TooLarge),
        };
        let mut tokens = self.only_tokens(&path).unwrap_or_else(|| self.told(&path, ending.tasks));
        self.expand(ending.symbols, rest, &mut tokens)?;
        Ok(tokens)
    }

    /// Those of the positions, if there is no choice.
    fn only_tokens(&self, path: &[NodeId]) -> Option<Vec<TerminalId>> {
        path[1..].iter().map(|&node| self.tokens(node).only()).collect()
    }

    /// The rest that says that a nonterminal is complete.
    fn complete(&self, nonterminal: NonterminalId) -> Option<SuffixId> {
        let first = *self.earley.rests.rules_of[nonterminal.index()].first()?;
        std::iter::successors(Some(first), |&rest| self.earley.rests.get(rest).next).last()
    }

    /// The ways to go on from the last node of a path: how long the shortest sentence is behind it, with the terminal, what
    /// is left of its rule, and where that began.
    fn endings<'p>(&'p self, path: &'p [NodeId]) -> impl Iterator<Item = (u32, TerminalId, SuffixId, u32)> + 'p {
        self.above(path);
        let scans = self.set(path[path.len() - 1]).scans.iter();
        scans.flat_map(move |(terminal, items)| {
            items.iter().flat_map(move |(rest, origins)| {
                let rest_of = self.earley.rests.get(*rest);
                origins.iter().filter_map(move |origin| {
                    let behind = self.above(&path[..=origin as usize]).get(&rest_of.left)?.length;
                    Some((rest_of.shortest.saturating_add(behind).saturating_add(1), *terminal, *rest, origin))
                })
            })
        })
    }

    fn ending(&self, path: &[NodeId], rest: &mut Rest) -> Option<Ending> {
        let (_, terminal, next, origin) = match rest {
            Rest::Shortest => self.endings(path).min()?,
            Rest::Weighted { chance, len_max } => {
                let limit = u32::max(*len_max, self.endings(path).map(|(length, ..)| length).min()?);
                let possible: Vec<_> = self.endings(path).filter(|(length, ..)| *length <= limit).collect();
                possible[chance.pick(possible.len())]
            }
        };
        let mut symbols = vec![Symbol::Terminal(terminal)];
        let mut tasks = Vec::new();
        let (mut first, mut user, mut at) = (Symbol::Terminal(terminal), Some((next, origin)), path.len() as u32 - 1);
        while let Some((next, origin)) = user {
            let rest = self.earley.rests.get(next);
            symbols.extend(rest.symbols.iter());
            tasks.push(Task { rest: self.with_first(first, next)?, origin, at, before: None });
            user = self.above(&path[..=origin as usize]).get(&rest.left)?.user;
            (first, at) = (Symbol::Nonterminal(rest.left), origin);
        }
        tasks.reverse();
        Some(Ending { tasks, symbols })
    }

    /// The rest that has one more symbol than another.
    fn with_first(&self, first: Symbol, rest: SuffixId) -> Option<SuffixId> {
        let is_it = |&&id: &&SuffixId| self.earley.rests.get(id).symbols.first() == Some(&first);
        self.before[rest.index()].iter().find(is_it).copied()
    }

    /// The tokens that tasks are about, from the first position on. Where there is no choice, nothing has to be told.
    fn told(&mut self, path: &[NodeId], mut tasks: Vec<Task>) -> Vec<TerminalId> {
        let first: Vec<TerminalId> = path[1..].iter().map_while(|&node| self.tokens(node).only()).collect();
        let mut ranks: FxHashMap<u32, Ranks> = FxHashMap::default();
        let mut tokens = Vec::new();
        while let Some(task) = tasks.pop() {
            if task.origin == task.at || task.at as usize <= first.len() {
                continue;
            }
            let ranks = match ranks.entry(task.at) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.ranks(&path[..=task.at as usize])),
            };
            match self.step_back(path, ranks, &task) {
                (Some(terminal), parts) => {
                    tokens.push(terminal);
                    tasks.extend(parts);
                }
                (None, parts) => tasks.extend(parts),
            }
        }
        tokens.extend(first.into_iter().rev());
        tokens.reverse();
        tokens
    }

    /// The last symbol that came: a terminal, or what it is made of; and what came before it.
    fn step_back(&self, path: &[NodeId], ranks: &Ranks, task: &Task) -> (Option<TerminalId>, Vec<Task>) {
        let &Task { rest, origin, at, before } = task;
        let is_before = |rank: &&u32| before.is_none_or(|before| **rank < before);
        let has = |items: Option<&crate::parse::earley::Items>| {
            items.into_iter().flatten().any(|(it, origins)| *it == rest && origins.contains(origin))
        };
        for &earlier in &self.before[rest.index()] {
            let Some(&symbol) = self.earley.rests.get(earlier).symbols.first() else { continue };
            let task = |at: u32, before: Option<u32>| Task { rest: earlier, origin, at, before };
            match symbol {
                Symbol::Terminal(terminal) => {
                    let scanned = self.set(path[at as usize - 1]).behind(terminal);
                    let is_there = scanned.iter().any(|(it, origins)| *it == rest && origins.contains(origin));
                    if is_there && self.tokens(path[at as usize]).contains(terminal) {
                        return (Some(terminal), vec![task(at - 1, None)]);
                    }
                }
                Symbol::Nonterminal(nonterminal) => {
                    let complete = self.complete(nonterminal);
                    for begin in (origin..at).rev() {
                        let Some(rank) = complete.and_then(|it| ranks.get(&(it, begin))).filter(is_before) else {
                            continue;
                        };
                        if let (Some(complete), true) =
                            (complete, has(self.set(path[begin as usize]).waiting.get(&nonterminal)))
                        {
                            let inside = Task { rest: complete, origin: begin, at, before: Some(*rank) };
                            return (None, vec![task(begin, None), inside]);
                        }
                    }
                    if self.earley.nullable[nonterminal.index()]
                        && let Some(rank) = ranks.get(&(earlier, origin)).filter(is_before)
                    {
                        return (None, vec![task(at, Some(*rank))]);
                    }
                }
            }
        }
        unreachable!("an item was made from another")
    }

    /// Adds what symbols derive.
    fn expand(&self, symbols: Vec<Symbol>, rest: &mut Rest, tokens: &mut Vec<TerminalId>) -> Result<(), NoChart> {
        let shortest =
            |symbol: &Symbol| symbol.nonterminal().map_or(1, |it| self.least[it.index()].map_or(0, |it| it.length));
        let mut n_needed: u32 = symbols.iter().map(shortest).fold(0, u32::saturating_add);
        let mut n_left = SIZE_MAX;
        let mut pending = symbols;
        pending.reverse();
        while let Some(symbol) = pending.pop() {
            n_left = n_left.checked_sub(1).ok_or(NoChart::TooLarge)?;
            n_needed = n_needed.saturating_sub(shortest(&symbol));
            match (symbol, &mut *rest) {
                (Symbol::Terminal(terminal), _) => tokens.push(terminal),
                (Symbol::Nonterminal(nonterminal), Rest::Shortest) => {
                    let least = self.least[nonterminal.index()].ok_or(NoChart::TooLarge)?;
                    n_needed = n_needed.saturating_add(least.length);
                    pending.extend(self.grammar.rule(least.rule).right.iter().rev());
                }
                (Symbol::Nonterminal(nonterminal), Rest::Weighted { chance, len_max }) => {
                    let own = self.least[nonterminal.index()].map_or(0, |it| it.length);
                    let share = len_max.saturating_sub(n_needed).max(own);
                    let tree = self.weighted.sample_of(nonterminal, share, chance).ok_or(NoChart::TooLarge)?;
                    let before = tokens.len();
                    tokens.extend(tree.pieces().map(|piece| piece.terminal));
                    *len_max = len_max.saturating_sub((tokens.len() - before) as u32);
                }
            }
        }
        Ok(())
    }
}
