//! Sets of tokens.

use std::fmt::Write;

use crate::grammar::{Grammar, TerminalId};

/// What may stand at a position: terminals, and the end of the input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TokenSet {
    /// A bit for each terminal, then one for the end.
    words: Box<[u64]>,
    n_terminals: u32,
}

impl TokenSet {
    /// Nothing.
    pub fn empty(grammar: &Grammar) -> TokenSet {
        TokenSet::with_room(grammar.terminals.len() as u32)
    }

    pub(crate) fn with_room(n_terminals: u32) -> TokenSet {
        TokenSet { words: vec![0; n_terminals as usize / 64 + 1].into(), n_terminals }
    }

    /// Every token, but not the end.
    pub fn all(grammar: &Grammar) -> TokenSet {
        TokenSet::of(grammar, grammar.terminal_ids().filter(|&id| grammar.is_token(id)))
    }

    pub fn of(grammar: &Grammar, terminals: impl IntoIterator<Item = TerminalId>) -> TokenSet {
        let mut set = TokenSet::empty(grammar);
        terminals.into_iter().for_each(|terminal| set.insert(terminal));
        set
    }

    /// Every token but one.
    pub fn all_but(grammar: &Grammar, terminal: TerminalId) -> TokenSet {
        let mut set = TokenSet::all(grammar);
        set.remove(terminal);
        set
    }

    pub fn insert(&mut self, terminal: TerminalId) {
        debug_assert!(terminal.0 < self.n_terminals, "a terminal of the grammar");
        self.words[terminal.index() / 64] |= 1 << (terminal.0 % 64);
    }

    pub fn remove(&mut self, terminal: TerminalId) {
        self.words[terminal.index() / 64] &= !(1 << (terminal.0 % 64));
    }

    pub fn contains(&self, terminal: TerminalId) -> bool {
        self.words.get(terminal.index() / 64).is_some_and(|word| word >> (terminal.0 % 64) & 1 == 1)
    }

    /// The input may end here.
    pub fn with_end(mut self) -> TokenSet {
        self.insert_end();
        self
    }

    pub fn insert_end(&mut self) {
        self.words[self.n_terminals as usize / 64] |= 1 << (self.n_terminals % 64);
    }

    pub(crate) fn remove_end(&mut self) {
        self.words[self.n_terminals as usize / 64] &= !(1 << (self.n_terminals % 64));
    }

    pub fn has_end(&self) -> bool {
        self.words[self.n_terminals as usize / 64] >> (self.n_terminals % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The number of terminals; the end is none.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum::<usize>() - usize::from(self.has_end())
    }

    /// In ascending order; the end is none.
    pub fn iter(&self) -> impl Iterator<Item = TerminalId> + '_ {
        (0..self.n_terminals).map(TerminalId).filter(|&terminal| self.contains(terminal))
    }

    /// The only member, if it is a terminal.
    pub fn only(&self) -> Option<TerminalId> {
        let mut members = self.iter();
        let first = members.next().filter(|_| !self.has_end())?;
        members.next().is_none().then_some(first)
    }

    pub fn meets(&self, other: &TokenSet) -> bool {
        self.words.iter().zip(&other.words).any(|(own, other)| own & other != 0)
    }

    pub fn intersection(&self, other: &TokenSet) -> TokenSet {
        self.combined(other, |own, other| own & other)
    }

    pub fn union(&self, other: &TokenSet) -> TokenSet {
        self.combined(other, |own, other| own | other)
    }

    pub fn difference(&self, other: &TokenSet) -> TokenSet {
        self.combined(other, |own, other| own & !other)
    }

    fn combined(&self, other: &TokenSet, with: impl Fn(u64, u64) -> u64) -> TokenSet {
        debug_assert_eq!(self.n_terminals, other.n_terminals, "sets of one grammar");
        let words = self.words.iter().zip(&other.words).map(|(&own, &other)| with(own, other));
        TokenSet { words: words.collect(), n_terminals: self.n_terminals }
    }

    /// `NUMBER`, `'+' or '-'`, `'+', '-', 20 others or the end`.
    pub fn show(&self, grammar: &Grammar) -> String {
        let mut names: Vec<String> = self.iter().map(|it| grammar.terminal(it).name.clone()).collect();
        if names.len() > N_SHOWN + 1 {
            let n_others = names.len() - N_SHOWN;
            names.truncate(N_SHOWN);
            names.push(format!("{n_others} others"));
        }
        if self.has_end() {
            names.push("the end".to_owned());
        }
        let Some((last, others)) = names.split_last() else { return "nothing".to_owned() };
        let mut shown = others.join(", ");
        let _ = write!(shown, "{}{last}", if others.is_empty() { "" } else { " or " });
        shown
    }
}

/// Names that are listed; where there are more, their number is told.
const N_SHOWN: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_grammars::grammar;

    #[test]
    fn members() {
        let names: Vec<String> = (0..130).map(|number| format!("T{number}")).collect();
        let grammar = grammar(&format!("s: {} ;", names.join(" ")));
        let all = TokenSet::all(&grammar);
        assert_eq!((all.len(), all.has_end()), (130, false));
        let some = TokenSet::of(&grammar, [63, 64, 129].map(TerminalId));
        assert_eq!(some.iter().map(|it| it.0).collect::<Vec<_>>(), [63, 64, 129]);
        assert_eq!(all.difference(&some).len(), 127);
        assert!(!all.difference(&some).meets(&some) && all.meets(&some));
        assert_eq!(all.intersection(&some), some);
        let end = TokenSet::empty(&grammar).with_end();
        assert_eq!((end.len(), end.is_empty(), end.only()), (0, false, None));
        assert_eq!(TokenSet::of(&grammar, [TerminalId(129)]).only(), Some(TerminalId(129)));
        assert_eq!(some.union(&end).show(&grammar), "T63, T64, T129 or the end");
        assert_eq!(all.show(&grammar), "T0, T1, T2, T3, T4, T5, T6, T7 or 122 others");
        assert_eq!(TokenSet::empty(&grammar).show(&grammar), "nothing");
    }
}
