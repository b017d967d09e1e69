//! Phrases that become smaller while a test holds.
//!
//! Whoever tests says what has to stay; a phrase never grows. What an edit is about stays in any case.

use std::ops::Range;

use super::{Edit, Edited, Language, Phrase, Token};
use crate::grammar::TerminalId;
use crate::parse::tree::{Node, Tree};
use crate::sample::shortest::Shortest;

/// Larger trees are not taken apart: tokens alone are left out.
const N_NODES_MAX: usize = 3_000;

/// Bytes of a gap that are left out one by one.
const LEN_GAP_MAX: usize = 64;

/// What a phrase and its edits have to pass.
pub type Test<'t, E> = &'t mut dyn FnMut(&Phrase, &[Edit]) -> Result<bool, E>;

/// Leaves out tokens that no edit is about: halves first, then ever smaller parts.
pub fn drop_tokens<E>(mut phrase: Phrase, mut edits: Vec<Edit>, test: Test<'_, E>) -> Result<(Phrase, Vec<Edit>), E> {
    let mut len = phrase.tokens.len().div_ceil(2);
    while len > 0 {
        let mut has_dropped = false;
        // From the end: what comes later depends on what is before it.
        let mut end = phrase.tokens.len();
        while end > 0 {
            let part = end.saturating_sub(len)..end;
            end = part.start;
            let is_needed = |at: usize| edits.iter().any(|edit| edit.goes() == Some(at));
            let is_dropped = |at: usize| part.contains(&at) && !is_needed(at);
            if !part.clone().any(is_dropped) {
                continue;
            }
            let (smaller, moved) = phrase.kept(&edits, |at| !is_dropped(at));
            if test(&smaller, &moved)? {
                (phrase, edits, has_dropped) = (smaller, moved, true);
            }
        }
        if !(has_dropped && len == 1) {
            len /= 2;
        }
    }
    Ok((phrase, edits))
}

impl Language {
    /// Makes parts of a sentence shorter: what a symbol derives becomes a part of it that the same symbol derives, or the
    /// shortest there is. Of two that are as short, the one whose terminals come first in the grammar is taken.
    pub fn prune<E>(&self, phrase: Phrase, test: &mut dyn FnMut(&Phrase) -> Result<bool, E>) -> Result<Phrase, E> {
        let tree = phrase.known_terminals().and_then(|terminals| self.tree(&terminals));
        let Some(tree) = tree.filter(|tree| tree.nodes.len() <= N_NODES_MAX) else { return Ok(phrase) };
        self.with_shortest(|shortest| {
            let mut pruned = Pruned { language: self, shortest, phrase, tree };
            while pruned.advance(test)? {}
            Ok(pruned.phrase)
        })
    }

    /// The same for a phrase that edits make a sentence: parts of it are left out that a symbol derives.
    pub fn prune_edited<E>(
        &self,
        mut phrase: Phrase,
        mut edits: Vec<Edit>,
        test: Test<'_, E>,
    ) -> Result<(Phrase, Vec<Edit>), E> {
        'all: while let Some(Edited { phrase: sentence, origins, .. }) = self.edited(&phrase, &edits) {
            let tree = sentence.known_terminals().and_then(|terminals| self.tree(&terminals));
            let Some(tree) = tree.filter(|tree| tree.nodes.len() <= N_NODES_MAX) else { break };
            let leaves = leaves(&tree);
            for (outer, inner) in nested(self, &tree) {
                let (outer, inner) = (leaves[outer.start]..leaves[outer.end], leaves[inner.start]..leaves[inner.end]);
                let gone: Vec<Option<usize>> = outer.filter(|at| !inner.contains(at)).map(|at| origins[at]).collect();
                if gone.is_empty() || gone.contains(&None) {
                    continue;
                }
                let (smaller, moved) = phrase.kept(&edits, |at| !gone.contains(&Some(at)));
                if test(&smaller, &moved)? {
                    (phrase, edits) = (smaller, moved);
                    continue 'all;
                }
            }
            break;
        }
        Ok((phrase, edits))
    }

    /// Gives tokens their shortest texts and puts blanks between them, as far as the test holds.
    pub fn simplify<E>(
        &self,
        mut phrase: Phrase,
        test: &mut dyn FnMut(&Phrase) -> Result<bool, E>,
    ) -> Result<Phrase, E> {
        let spaced = self.spaced(&phrase);
        for simple in [self.plain(&phrase), spaced] {
            if simple == phrase || test(&simple)? {
                phrase = simple;
                break;
            }
        }
        for at in 0..phrase.tokens.len() {
            let token = &phrase.tokens[at];
            let Some(plain) = token.terminal.and_then(|terminal| self.token(terminal)) else { continue };
            if plain.text == token.text {
                continue;
            }
            let mut simple = phrase.clone();
            simple.tokens[at] = Token { gap: token.gap.clone(), ..plain };
            if test(&simple)? {
                phrase = simple;
            }
        }
        self.simplify_gaps(phrase, test)
    }

    /// Leaves out what stands between tokens, as far as the test holds: all of a gap, or byte by byte.
    fn simplify_gaps<E>(
        &self,
        mut phrase: Phrase,
        test: &mut dyn FnMut(&Phrase) -> Result<bool, E>,
    ) -> Result<Phrase, E> {
        for at in 0..=phrase.tokens.len() {
            let with = |phrase: &Phrase, gap: &[u8]| {
                let mut changed = phrase.clone();
                match changed.tokens.get_mut(at) {
                    Some(token) => token.gap = gap.to_vec(),
                    None => changed.tail = gap.to_vec(),
                }
                changed
            };
            let gap = |phrase: &Phrase| phrase.tokens.get(at).map_or(&phrase.tail, |token| &token.gap).clone();
            let plain = if at == 0 || at == phrase.tokens.len() { b"" } else { self.blank };
            let old = gap(&phrase);
            if old.is_empty() || old == plain {
                continue;
            }
            let simple = with(&phrase, plain);
            if test(&simple)? {
                phrase = simple;
                continue;
            }
            for byte in (0..old.len().min(LEN_GAP_MAX)).rev() {
                let mut shorter = gap(&phrase);
                shorter.remove(byte);
                let simple = with(&phrase, &shorter);
                if test(&simple)? {
                    phrase = simple;
                }
            }
        }
        Ok(phrase)
    }
}

/// A sentence and its tree.
struct Pruned<'a, 's> {
    language: &'a Language,
    shortest: &'a Shortest<'s>,
    phrase: Phrase,
    tree: Tree,
}

impl Pruned<'_, '_> {
    /// Makes one part shorter; false if none can be.
    fn advance<E>(&mut self, test: &mut dyn FnMut(&Phrase) -> Result<bool, E>) -> Result<bool, E> {
        let mut candidates: Vec<(Range<usize>, Vec<Node>)> = Vec::new();
        for at in 0..self.tree.nodes.len() {
            let Some(nonterminal) = self.tree.nonterminal(&self.language.grammar, at) else { continue };
            let mut nodes = Vec::new();
            self.shortest.expand(&[crate::grammar::Symbol::Nonterminal(nonterminal)], &mut nodes);
            candidates.push((self.tree.subtree(&self.language.grammar, at), nodes));
        }
        for (outer, inner) in nested(self.language, &self.tree).into_iter().filter(|(_, inner)| !inner.is_empty()) {
            candidates.push((outer, self.tree.nodes[inner].to_vec()));
        }
        candidates.sort_by_key(|(span, nodes)| std::cmp::Reverse(span.len().saturating_sub(nodes.len())));
        for (span, nodes) in candidates {
            let Some(phrase) = self.with(span.clone(), &nodes) else { continue };
            if !is_smaller(&phrase, &self.phrase) || !test(&phrase)? {
                continue;
            }
            self.tree = self.tree.replaced(span, &nodes);
            self.phrase = phrase;
            return Ok(true);
        }
        Ok(false)
    }

    /// The phrase with other nodes in place of some; what is a part of these keeps its text.
    fn with(&self, span: Range<usize>, nodes: &[Node]) -> Option<Phrase> {
        let leaves = leaves(&self.tree);
        let (start, end) = (leaves[span.start], leaves[span.end]);
        let new = Tree { nodes: nodes.to_vec() }.pieces().map(|piece| piece.terminal).collect::<Vec<TerminalId>>();
        let own: Vec<Option<TerminalId>> = new.iter().copied().map(Some).collect();
        let old = &self.phrase.tokens[start..end];
        let known =
            old.windows(own.len().max(1)).find(|part| part.iter().map(|it| it.terminal).eq(own.iter().copied()));
        let tokens = match known {
            Some(part) => part.to_vec(),
            None => new.iter().map(|&terminal| self.language.token(terminal)).collect::<Option<_>>()?,
        };
        let mut phrase = self.phrase.clone();
        phrase.tokens.splice(start..end, tokens);
        Some(phrase)
    }
}

fn is_smaller(one: &Phrase, other: &Phrase) -> bool {
    let size = |phrase: &Phrase| (phrase.tokens.len(), phrase.terminals());
    size(one) < size(other)
}

/// By node, and at the end: how many leaves come before it.
fn leaves(tree: &Tree) -> Vec<usize> {
    let mut n_leaves = 0;
    let mut leaves = vec![0];
    for node in &tree.nodes {
        n_leaves += usize::from(matches!(node, Node::Leaf(_)));
        leaves.push(n_leaves);
    }
    leaves
}

/// Parts of a tree, each with one below it of the same symbol, or with nothing of it if there may be nothing; those first
/// that leave out most.
fn nested(language: &Language, tree: &Tree) -> Vec<(Range<usize>, Range<usize>)> {
    let grammar = &language.grammar;
    let mut pairs = Vec::new();
    let spans: Vec<Range<usize>> = (0..tree.nodes.len()).map(|at| tree.subtree(grammar, at)).collect();
    for (at, span) in spans.iter().enumerate() {
        let Some(nonterminal) = tree.nonterminal(grammar, at) else { continue };
        pairs.push((span.clone(), span.end..span.end));
        let same = (at + 1..span.end).filter(|&below| tree.nonterminal(grammar, below) == Some(nonterminal));
        // The highest of each branch are enough: the next round goes on.
        let mut end = 0;
        for below in same {
            if below >= end {
                end = spans[below].end;
                pairs.push((span.clone(), spans[below].clone()));
            }
        }
    }
    pairs.sort_by_key(|(outer, inner)| std::cmp::Reverse(outer.len() - inner.len()));
    pairs
}
