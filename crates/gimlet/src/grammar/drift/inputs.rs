//! Inputs on which a grammar and a program may disagree: sentences, near misses of them, and garbage.

use std::collections::HashSet;

use gimlet_grammar::chance::Chance;
use gimlet_grammar::edit::repair::{Edit, Language, Phrase, Token, TreePosition, TreePositions};
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_grammar::parse::tree::Node;
use gimlet_grammar::TerminalId;

/// Sentences that near misses are made of, and their longest, in tokens.
const N_SENTENCES: usize = 4_000;
const N_TOKENS_MAX: usize = 60;
/// Places of the first sentence at which every byte is tried that the scanner does not know.
const N_STRANGE_PLACES: usize = 4;
/// Attempts at something that was not tried.
const N_FRESH: usize = 10;
/// Tokens of another sentence that are put in at once.
const N_GRAFTED_MAX: usize = 4;
/// Inputs of garbage, and bytes of one.
const N_GARBAGE: usize = 12;
const LEN_GARBAGE: usize = 24;

/// How a sentence is missed.
#[derive(Clone, Copy, Debug)]
enum Miss {
    Remove,
    Replace,
    Insert,
    Swap,
    Duplicate,
    /// What one symbol derives goes.
    Prune,
    /// Two tokens of one rule go.
    Unwrap,
    /// Two such tokens come around what one symbol derives.
    Wrap,
    /// Some tokens of another sentence come in.
    Graft,
    /// A byte comes in that the scanner does not know.
    Unknown,
}

/// Each as often as it stands here.
const MISSES: [Miss; 16] = [
    Miss::Remove,
    Miss::Remove,
    Miss::Replace,
    Miss::Replace,
    Miss::Insert,
    Miss::Insert,
    Miss::Insert,
    Miss::Swap,
    Miss::Duplicate,
    Miss::Prune,
    Miss::Prune,
    Miss::Unwrap,
    Miss::Wrap,
    Miss::Graft,
    Miss::Graft,
    Miss::Unknown,
];

pub struct Inputs {
    subtree_mutator: SubtreeMutator,
    chance: Chance,
    writable: Vec<TerminalId>,
    /// Those that no rule has.
    unused: Vec<TerminalId>,
    /// Such as brackets.
    pairs: Vec<[TerminalId; 2]>,
    /// Bytes that nobody knows at each place of a short sentence, from the last.
    strange: Vec<Vec<u8>>,
    /// What came in, and where.
    tried: HashSet<(Vec<TreePosition>, TerminalId)>,
    unknown_bytes: Vec<u8>,
    sentences: Vec<Phrase>,
}

impl Inputs {
    pub fn new(language: &Language, subtree_mutator: SubtreeMutator, seed: u64) -> Inputs {
        Inputs {
            subtree_mutator,
            chance: Chance::new(seed),
            writable: language.writable().collect(),
            unused: language.unused(),
            pairs: language.pairs(),
            strange: Vec::new(),
            tried: HashSet::new(),
            unknown_bytes: language.unknown_bytes(),
            sentences: Vec::new(),
        }
    }

    /// A sentence: those that use every chain of the grammar's symbols first.
    pub fn sentence(&mut self, language: &Language) -> Option<Vec<u8>> {
        let text = self.subtree_mutator.grow(&mut self.chance)?;
        self.learn(language, &text);
        Some(text)
    }

    /// Near misses are made of this text, too.
    pub fn learn(&mut self, language: &Language, text: &[u8]) {
        let phrase = language.phrase(text);
        if phrase.tokens.len() <= N_TOKENS_MAX && self.sentences.len() < N_SENTENCES {
            if self.sentences.is_empty() {
                self.strange = strange(language, &phrase, &self.unknown_bytes);
            }
            self.sentences.push(phrase);
        }
    }

    /// A text that is nearly a sentence; `None` if this attempt came to nothing.
    pub fn near_miss(&mut self, language: &Language) -> Option<Vec<u8>> {
        if self.sentences.is_empty() {
            return None;
        }
        if self.chance.below(3) == 0
            && let Some(text) = self.strange.pop()
        {
            return Some(text);
        }
        let mut phrase = self.sentences[self.chance.pick(self.sentences.len())].clone();
        let n_changes = if self.chance.below(4) == 0 { 2 } else { 1 };
        for _ in 0..n_changes {
            phrase = self.changed(language, phrase)?;
        }
        language.write(&phrase)
    }

    fn changed(&mut self, language: &Language, mut phrase: Phrase) -> Option<Phrase> {
        let n_tokens = phrase.tokens.len();
        let miss = MISSES[self.chance.pick(MISSES.len())];
        if n_tokens == 0 && !matches!(miss, Miss::Insert | Miss::Graft | Miss::Unknown) {
            return None;
        }
        let at = self.chance.pick(n_tokens.max(1));
        let gap = self.chance.pick(n_tokens + 1);
        let edit = match miss {
            Miss::Remove => Edit::Remove { at },
            Miss::Replace => Edit::Replace { at, terminal: self.terminal()? },
            Miss::Insert => self.insertion(language, &phrase)?,
            Miss::Swap => {
                let terminal = phrase.tokens[at].terminal?;
                let edits = [Edit::Remove { at }, Edit::Insert { at: (at + 2).min(n_tokens), terminal }];
                return language.edited(&phrase, &edits).map(|edited| edited.phrase);
            }
            Miss::Duplicate => Edit::Insert { at, terminal: phrase.tokens[at].terminal? },
            Miss::Prune => {
                let part = self.part(language, &phrase)?;
                phrase.tokens.drain(part);
                return Some(phrase);
            }
            Miss::Unwrap => {
                let gone = self.two_of_a_rule(language, &phrase)?;
                let edits = gone.map(|at| Edit::Remove { at });
                return language.edited(&phrase, &edits).map(|edited| edited.phrase);
            }
            Miss::Wrap => {
                let part = self.part(language, &phrase)?;
                let [first, second] = *self.pairs.get(self.chance.pick(self.pairs.len().max(1)))?;
                let edits = [(part.start, first), (part.end, second)];
                let edits = edits.map(|(at, terminal)| Edit::Insert { at, terminal });
                return language.edited(&phrase, &edits).map(|edited| edited.phrase);
            }
            Miss::Graft => {
                let other = &self.sentences[self.chance.pick(self.sentences.len())];
                let start = self.chance.pick(other.tokens.len() + 1);
                let n_grafted = 1 + self.chance.pick(N_GRAFTED_MAX);
                let edits = other.tokens[start..].iter().take(n_grafted).filter_map(|token| token.terminal);
                let edits: Vec<Edit> = edits.map(|terminal| Edit::Insert { at: gap, terminal }).collect();
                return language.edited(&phrase, &edits).map(|edited| edited.phrase);
            }
            Miss::Unknown if self.unknown_bytes.is_empty() => return None,
            Miss::Unknown => {
                let byte = self.unknown_bytes[self.chance.pick(self.unknown_bytes.len())];
                phrase.tokens.insert(gap, Token { terminal: None, text: vec![byte], gap: Vec::new() });
                return Some(language.spaced(&phrase));
            }
        };
        language.edited(&phrase, &[edit]).map(|edited| edited.phrase)
    }

    /// A token that has not come to such a place before, if that is easy to find.
    fn insertion(&mut self, language: &Language, phrase: &Phrase) -> Option<Edit> {
        let positions = TreePositions::new(&language.grammar, &language.tree(&phrase.known_terminals()?)?);
        let mut insertion = None;
        for _ in 0..N_FRESH {
            let (at, terminal) = (self.chance.pick(phrase.tokens.len() + 1), self.terminal()?);
            insertion = Some(Edit::Insert { at, terminal });
            if self.tried.insert((positions.gaps.get(at)?.beside.clone(), terminal)) {
                break;
            }
        }
        insertion
    }

    /// Any; what no rule has is what a program may know and a grammar may lack.
    fn terminal(&mut self) -> Option<TerminalId> {
        if !self.unused.is_empty() && self.chance.below(3) == 0 {
            return Some(self.unused[self.chance.pick(self.unused.len())]);
        }
        (!self.writable.is_empty()).then(|| self.writable[self.chance.pick(self.writable.len())])
    }

    /// The tokens that some symbol derives.
    fn part(&mut self, language: &Language, phrase: &Phrase) -> Option<std::ops::Range<usize>> {
        let tree = language.tree(&phrase.known_terminals()?)?;
        let at = self.chance.pick(tree.nodes.len());
        let span = tree.subtree(&language.grammar, at);
        let n_leaves = |nodes: &[Node]| nodes.iter().filter(|node| matches!(node, Node::Leaf(_))).count();
        let start = n_leaves(&tree.nodes[..span.start]);
        Some(start..start + n_leaves(&tree.nodes[span]))
    }

    /// Two tokens that are symbols of one rule.
    fn two_of_a_rule(&mut self, language: &Language, phrase: &Phrase) -> Option<[usize; 2]> {
        let positions = TreePositions::new(&language.grammar, &language.tree(&phrase.known_terminals()?)?);
        let first = self.chance.pick(positions.tokens.len());
        let rule = positions.tokens.get(first)?.rule();
        let others: Vec<usize> =
            (first + 1..positions.tokens.len()).filter(|&at| positions.tokens[at].rule() == rule).collect();
        (!others.is_empty()).then(|| [first, others[self.chance.pick(others.len())]])
    }

    /// Texts that nobody should accept.
    pub fn garbage(&mut self) -> Vec<Vec<u8>> {
        let byte = |chance: &mut Chance, is_text: bool| match is_text {
            true => 0x21 + chance.below(0x5e) as u8,
            false => chance.below(256) as u8,
        };
        let chance = &mut self.chance;
        (0..N_GARBAGE).map(|number| (0..LEN_GARBAGE).map(|_| byte(chance, number % 2 == 0)).collect()).collect()
    }
}

/// A phrase with each of these bytes at its first places, from the last.
fn strange(language: &Language, phrase: &Phrase, bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for at in (0..=phrase.tokens.len().min(N_STRANGE_PLACES)).rev() {
        for &byte in bytes.iter().rev() {
            let mut strange = phrase.clone();
            strange.tokens.insert(at, Token { terminal: None, text: vec![byte], gap: Vec::new() });
            texts.extend(language.write(&language.spaced(&strange)));
        }
    }
    texts
}
