//! Sentences that are near a string of tokens.

use rustc_hash::FxHashSet;

use super::{Edit, Judgement, Language};
use crate::grammar::TerminalId;
use crate::parse::lalr::Stack;

/// Steps of the parser, and edits that are found at most.
const N_STEPS_MAX: u64 = 500_000;
const N_FOUND_MAX: usize = 4_000;
/// Tokens before the first one that can't come that may be to blame.
const N_BEFORE: usize = 40;
/// Where the parser of the tables refuses what is a sentence, all edits by one token are tried up to this number of tokens.
const N_TOKENS_TRIED: usize = 24;

/// One of several edits that are as good, and how many others have another terminal in the same place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    pub edits: Vec<Edit>,
    pub n_others: usize,
}

/// The edits that are told: what goes before what comes in, and that before what is exchanged; then those further behind.
pub fn best(found: &[Vec<Edit>]) -> Option<Chosen> {
    let kind = |edit: &Edit| match edit {
        Edit::Remove { .. } => 0,
        Edit::Insert { .. } => 1,
        Edit::Replace { .. } => 2,
    };
    let shape = |edits: &Vec<Edit>| edits.iter().map(|edit| (kind(edit), edit.at())).collect::<Vec<_>>();
    let rank = |edits: &Vec<Edit>| {
        let kinds: u32 = edits.iter().map(kind).sum();
        let places: Vec<_> = edits.iter().map(|edit| std::cmp::Reverse(edit.at())).collect();
        (edits.len(), kinds, places, edits.clone())
    };
    let edits = found.iter().min_by_key(|edits| rank(edits))?.clone();
    let n_others = found.iter().filter(|other| shape(other) == shape(&edits)).count() - 1;
    Some(Chosen { edits, n_others })
}

impl Language {
    /// The smallest edits that make a sentence of tokens, up to so many at once; none if it takes more. Of a sentence
    /// itself that is no edit at all.
    pub fn nearest(&self, tokens: &[Option<TerminalId>], n_edits_max: usize) -> Vec<Vec<Edit>> {
        (0..=n_edits_max)
            .map(|n_edits| self.within(tokens, n_edits))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// So many edits, not fewer, that make a sentence.
    pub fn within(&self, tokens: &[Option<TerminalId>], n_edits: usize) -> Vec<Vec<Edit>> {
        let mut stack = Stack::default();
        let n_fine = tokens.iter().take_while(|it| it.is_some_and(|it| self.tables.shift(&mut stack, it))).count();
        let mut search = Search {
            language: self,
            tokens,
            writable: self.writable().collect(),
            from: n_fine.saturating_sub(N_BEFORE),
            n_steps: 0,
            edits: Vec::new(),
            found: FxHashSet::default(),
        };
        search.go(0, &Stack::default(), n_edits);
        let mut found: Vec<Vec<Edit>> = search.found.into_iter().collect();
        if found.is_empty() && n_edits == 1 && !self.tables.is_exact() && tokens.len() <= N_TOKENS_TRIED {
            found = self.tried(tokens);
        }
        found.sort_unstable();
        found
    }

    /// Edits by one token that make a sentence which the tables refuse.
    fn tried(&self, tokens: &[Option<TerminalId>]) -> Vec<Vec<Edit>> {
        let of_place = |at: usize| {
            let inserted = self.writable().map(move |terminal| Edit::Insert { at, terminal });
            let replaced = self.writable().map(move |terminal| Edit::Replace { at, terminal });
            let own = replaced.chain([Edit::Remove { at }]).filter(move |_| at < tokens.len());
            inserted.chain(own)
        };
        let is_sentence = |edit: &Edit| {
            let mut edited = tokens.to_vec();
            match *edit {
                Edit::Remove { at } => drop(edited.remove(at)),
                Edit::Insert { at, terminal } => edited.insert(at, Some(terminal)),
                Edit::Replace { at, terminal } => edited[at] = Some(terminal),
            }
            let edited: Option<Vec<TerminalId>> = edited.into_iter().collect();
            edited.is_some_and(|edited| self.judge_terminals(&edited) == Judgement::Sentence)
        };
        let is_change =
            |edit: &Edit| edit.goes().is_none_or(|at| edit.terminal() != tokens[at] || tokens[at].is_none());
        (0..=tokens.len()).flat_map(of_place).filter(is_change).filter(is_sentence).map(|edit| vec![edit]).collect()
    }
}

struct Search<'a> {
    language: &'a Language,
    tokens: &'a [Option<TerminalId>],
    writable: Vec<TerminalId>,
    /// No edit comes before this token.
    from: usize,
    n_steps: u64,
    edits: Vec<Edit>,
    found: FxHashSet<Vec<Edit>>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.n_steps > N_STEPS_MAX || self.found.len() >= N_FOUND_MAX
    }

    fn shifted(&mut self, stack: &Stack, terminal: TerminalId) -> Option<Stack> {
        self.n_steps += 1;
        let mut next = stack.clone();
        self.language.tables.shift(&mut next, terminal).then_some(next)
    }

    /// Goes on behind the first tokens, with this number of edits to make.
    fn go(&mut self, mut at: usize, stack: &Stack, n_left: usize) {
        let mut stack = stack.clone();
        loop {
            if self.is_over() {
                return;
            }
            if n_left > 0 && at >= self.from {
                self.edit(at, &stack, n_left);
            }
            let Some(&token) = self.tokens.get(at) else { break };
            self.n_steps += 1;
            if !token.is_some_and(|terminal| self.language.tables.shift(&mut stack, terminal)) {
                return;
            }
            at += 1;
        }
        if n_left == 0 && self.language.tables.accepts_end(&stack) {
            self.found.insert(self.edits.clone());
        }
    }

    /// Every edit of a place.
    fn edit(&mut self, at: usize, stack: &Stack, n_left: usize) {
        let token = self.tokens.get(at).copied();
        if token.is_some() {
            self.edits.push(Edit::Remove { at });
            self.go(at + 1, stack, n_left - 1);
            self.edits.pop();
        }
        for number in 0..self.writable.len() {
            let terminal = self.writable[number];
            let Some(next) = self.shifted(stack, terminal) else { continue };
            self.edits.push(Edit::Insert { at, terminal });
            self.go(at, &next, n_left - 1);
            self.edits.pop();
            if token.is_some_and(|token| token != Some(terminal)) {
                self.edits.push(Edit::Replace { at, terminal });
                self.go(at + 1, &next, n_left - 1);
                self.edits.pop();
            }
        }
    }
}
