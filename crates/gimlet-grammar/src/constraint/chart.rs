//! Charts over sets of tokens, in a tree: constraints that begin alike share what is known of their beginnings.
//!
//! At each position any token of a set may stand. The set of an Earley chart behind such positions is the union of what
//! each string would lead to, and in a grammar without useless rules it is empty only if no sentence begins with any of
//! them. So one chart answers every change of one of its positions by a look at what may come there. A set is cut down to
//! what may come before it is looked up, so that constraints that do not matter are not told apart.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::set::TokenSet;
use crate::grammar::analysis::{self, Least};
use crate::grammar::suffixes::SuffixId;
use crate::grammar::useful;
use crate::grammar::{Grammar, NonterminalId, TerminalId};
use crate::parse::earley::{Closer, Earley, Items, Origins, Ranks, Set, Stopped};
use crate::sample::weighted::Weighted;

/// A place in the tree: what is known behind a number of positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The shortest string behind a nonterminal to the end of a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Above {
    pub length: u32,
    /// What comes next, and where the rule began; `None` for the start symbol at the beginning.
    pub user: Option<(SuffixId, u32)>,
}

#[derive(Debug)]
struct Node {
    parent: Option<NodeId>,
    at: u32,
    /// The tokens at the last position.
    tokens: TokenSet,
    set: Set,
    /// What may come next; the end if a sentence may end here.
    next: TokenSet,
    children: FxHashMap<TokenSet, NodeId>,
    above: OnceCell<FxHashMap<NonterminalId, Above>>,
}

/// More than this is not kept.
const N_BYTES_MAX: usize = 1 << 30;
/// What a node takes beside its set.
const NODE_BYTES: usize = 512;

/// A chart has no room, or nobody wants it any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoChart {
    TooLarge,
    Stopped,
}

/// All charts of a grammar.
pub struct Charts {
    pub(super) earley: Earley,
    /// Without useless rules.
    pub(super) grammar: Grammar,
    /// By rest: those that it is the next of.
    pub(super) before: Vec<Vec<SuffixId>>,
    /// The shortest tree of each nonterminal.
    pub(super) least: Vec<Option<Least>>,
    pub(super) weighted: Weighted<Grammar>,
    closer: Closer,
    nodes: Vec<Node>,
    n_bytes: usize,
    is_stopped: Box<dyn Fn() -> bool>,
}

impl Charts {
    /// Before any token.
    pub const ROOT: NodeId = NodeId(0);

    /// `None` if the grammar has no sentences.
    pub fn new(grammar: &Grammar) -> Option<Charts> {
        let grammar = useful::reduced(grammar, &|terminal| grammar.is_token(terminal))?;
        let earley = Earley::new(&grammar);
        let mut charts = Charts {
            closer: Closer::new(&earley),
            before: earley.rests.before(),
            least: analysis::least(&grammar, &|_| 1),
            weighted: Weighted::new(grammar.clone(), &|_| Some(1)),
            earley,
            nodes: Vec::new(),
            n_bytes: 0,
            is_stopped: Box::new(|| false),
            grammar,
        };
        let tokens = TokenSet::empty(&charts.grammar);
        let root = charts.add(None, tokens);
        debug_assert_eq!(root, Ok(Charts::ROOT), "nobody stops it");
        Some(charts)
    }

    /// Ends what takes long, once somebody says so.
    pub fn stopped_by(self, is_stopped: impl Fn() -> bool + 'static) -> Charts {
        Charts { is_stopped: Box::new(is_stopped), ..self }
    }

    /// What may come next; the end if a sentence may end here.
    pub fn next(&self, node: NodeId) -> &TokenSet {
        &self.nodes[node.index()].next
    }

    pub fn is_accepting(&self, node: NodeId) -> bool {
        self.nodes[node.index()].set.is_accepting
    }

    /// The number of positions before it.
    pub fn position(&self, node: NodeId) -> usize {
        self.nodes[node.index()].at as usize
    }

    /// In memory, about.
    pub fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Where one of these tokens leads; `None` if none of them may come.
    pub fn after(&mut self, node: NodeId, tokens: &TokenSet) -> Result<Option<NodeId>, NoChart> {
        let mut possible = tokens.intersection(self.next(node));
        possible.remove_end();
        if possible.is_empty() {
            return Ok(None);
        }
        match self.nodes[node.index()].children.get(&possible) {
            Some(&known) => Ok(Some(known)),
            None => self.add(Some(node), possible).map(Some),
        }
    }

    /// The nodes behind each of some positions, as far as they exist, from the root on.
    pub fn along<'t>(&mut self, tokens: impl IntoIterator<Item = &'t TokenSet>) -> Result<Vec<NodeId>, NoChart> {
        let mut path = vec![Charts::ROOT];
        for set in tokens {
            match self.after(path[path.len() - 1], set)? {
                Some(next) => path.push(next),
                None => break,
            }
        }
        Ok(path)
    }

    /// Forgets all charts.
    pub fn clear(&mut self) {
        self.nodes.truncate(1);
        self.nodes[0].children.clear();
        self.n_bytes = 0;
    }

    fn add(&mut self, parent: Option<NodeId>, tokens: TokenSet) -> Result<NodeId, NoChart> {
        if self.n_bytes > N_BYTES_MAX {
            return Err(NoChart::TooLarge);
        }
        let path = parent.map_or_else(Vec::new, |parent| self.path(parent));
        let set = {
            let (nodes, at) = (&self.nodes, path.len() as u32);
            let before = |origin: u32| &nodes[path[origin as usize].index()].set;
            let kernel = kernel(nodes, parent, &tokens);
            let closed = self.closer.close(&self.earley, at, kernel, &before, &*self.is_stopped);
            closed.map_err(|Stopped| NoChart::Stopped)?
        };
        let mut next = TokenSet::of(&self.grammar, set.scans.iter().map(|&(terminal, _)| terminal));
        if set.is_accepting {
            next.insert_end();
        }
        let id = NodeId(self.nodes.len() as u32);
        self.n_bytes += NODE_BYTES + set.n_bytes();
        if let Some(parent) = parent {
            self.nodes[parent.index()].children.insert(tokens.clone(), id);
        }
        let (at, children) = (path.len() as u32, FxHashMap::default());
        self.nodes.push(Node { parent, at, tokens, set, next, children, above: OnceCell::new() });
        Ok(id)
    }

    /// The nodes from the root to this one.
    pub(super) fn path(&self, node: NodeId) -> Vec<NodeId> {
        let parent = |id: &NodeId| self.nodes[id.index()].parent;
        let mut path: Vec<NodeId> = std::iter::successors(Some(node), parent).collect();
        path.reverse();
        path
    }

    pub(super) fn set(&self, node: NodeId) -> &Set {
        &self.nodes[node.index()].set
    }

    /// The tokens that may stand at the last position, as far as they may come there.
    pub(super) fn tokens(&self, node: NodeId) -> &TokenSet {
        &self.nodes[node.index()].tokens
    }

    /// When each item of the last node of a path came.
    pub(super) fn ranks(&mut self, path: &[NodeId]) -> Ranks {
        let (at, nodes) = (path.len() - 1, &self.nodes);
        let node = &nodes[path[at].index()];
        let before = |origin: u32| &nodes[path[origin as usize].index()].set;
        let kernel = kernel(nodes, node.parent, &node.tokens);
        self.closer.ranks(&self.earley, at as u32, kernel, &before)
    }

    /// For each nonterminal that may begin at the last node of a path, the shortest string behind it.
    pub(super) fn above(&self, path: &[NodeId]) -> &FxHashMap<NonterminalId, Above> {
        // Whatever is before one that is known is known as well.
        let n_unknown = path.iter().rev().take_while(|id| self.nodes[id.index()].above.get().is_none()).count();
        for at in path.len() - n_unknown..path.len() {
            let made = self.make_above(&path[..=at]);
            let _ = self.nodes[path[at].index()].above.set(made);
        }
        self.known_above(path[path.len() - 1])
    }

    fn known_above(&self, node: NodeId) -> &FxHashMap<NonterminalId, Above> {
        self.nodes[node.index()].above.get().expect("made from the root on")
    }

    /// Lengths get smaller until they are the least.
    fn make_above(&self, path: &[NodeId]) -> FxHashMap<NonterminalId, Above> {
        let here = path.len() as u32 - 1;
        let waiting: Vec<(NonterminalId, &Items)> =
            self.set(path[here as usize]).waiting.iter().map(|(&it, items)| (it, items)).collect();
        let mut above: FxHashMap<NonterminalId, Above> = FxHashMap::default();
        if here == 0 {
            above.insert(self.earley.start, Above { length: 0, user: None });
        }
        // What began earlier is settled, and looked at once.
        for &(nonterminal, users) in &waiting {
            for (rest, origins) in users {
                let left = self.earley.rests.get(*rest).left;
                for origin in origins.iter().filter(|&origin| origin != here) {
                    let behind = self.known_above(path[origin as usize]).get(&left).map(|it| it.length);
                    self.lower(&mut above, nonterminal, (*rest, origin), behind);
                }
            }
        }
        let own: Vec<(NonterminalId, SuffixId)> = waiting
            .iter()
            .flat_map(|&(nonterminal, users)| users.iter().map(move |user| (nonterminal, user)))
            .filter(|(_, (_, origins))| origins.contains(here))
            .map(|(nonterminal, &(rest, _))| (nonterminal, rest))
            .collect();
        loop {
            let mut has_changed = false;
            for &(nonterminal, rest) in &own {
                let behind = above.get(&self.earley.rests.get(rest).left).map(|it| it.length);
                has_changed |= self.lower(&mut above, nonterminal, (rest, here), behind);
            }
            if !has_changed {
                return above;
            }
        }
    }

    fn lower(
        &self,
        above: &mut FxHashMap<NonterminalId, Above>,
        nonterminal: NonterminalId,
        user: (SuffixId, u32),
        behind: Option<u32>,
    ) -> bool {
        let Some(behind) = behind else { return false };
        let length = self.earley.rests.get(user.0).shortest.saturating_add(behind);
        let known = above.get(&nonterminal).map_or(u32::MAX, |it| it.length);
        if length < known {
            above.insert(nonterminal, Above { length, user: Some(user) });
        }
        length < known
    }
}

fn kernel<'n>(
    nodes: &'n [Node],
    parent: Option<NodeId>,
    tokens: &'n TokenSet,
) -> impl Iterator<Item = &'n (SuffixId, Origins)> {
    let scans = parent.map_or(&[][..], |parent| &nodes[parent.index()].set.scans);
    let is_possible = move |(terminal, _): &&(TerminalId, Items)| tokens.contains(*terminal);
    scans.iter().filter(is_possible).flat_map(|(_, items)| items)
}
