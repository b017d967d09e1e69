//! Places in derivation trees, by which an edit is known again in another text.

use super::Edit;
use crate::grammar::{Grammar, RuleId};
use crate::parse::tree::{Node, Tree};

/// Rules beside a gap that tell where it is, from the token up.
const N_BESIDE: usize = 2;

/// A place in the texts of a grammar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TreePosition {
    /// A token that is this symbol of the rule.
    Token { rule: RuleId, at: usize },
    /// Between two symbols of a rule, before this one.
    Between { rule: RuleId, at: usize },
    /// Right behind what the rule derives.
    Behind { rule: RuleId },
    /// Right before it.
    Before { rule: RuleId },
}

impl TreePosition {
    pub fn rule(self) -> RuleId {
        match self {
            TreePosition::Token { rule, .. }
            | TreePosition::Between { rule, .. }
            | TreePosition::Behind { rule }
            | TreePosition::Before { rule } => rule,
        }
    }
}

/// Where something can come in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gap {
    /// The lowest rule that has both neighbours; none at the ends of a text.
    pub between: Option<TreePosition>,
    /// That rule, if one of the neighbours is its own, and some below it that end or begin there, from the token up.
    pub beside: Vec<TreePosition>,
}

/// The positions of a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TreePositions {
    pub tokens: Vec<TreePosition>,
    /// Before each token, and behind the last.
    pub gaps: Vec<Gap>,
}

/// A rule above: its node, and the symbol that is next.
type Above = (usize, RuleId, usize);

impl TreePositions {
    pub fn new(grammar: &Grammar, tree: &Tree) -> TreePositions {
        let mut positions = TreePositions::default();
        let (mut above, mut before): (Vec<Above>, Vec<Above>) = (Vec::new(), Vec::new());
        for (number, node) in tree.nodes.iter().enumerate() {
            match *node {
                Node::Rule(rule) => above.push((number, rule, 0)),
                Node::Leaf(_) => {
                    positions.tokens.extend(above.last().map(|&(_, rule, at)| TreePosition::Token { rule, at }));
                    positions.gaps.push(gap(&before, &above));
                    before.clone_from(&above);
                    advance(&mut above);
                }
            }
            while above.last().is_some_and(|&(_, rule, at)| at == grammar.rule(rule).right.len()) {
                above.pop();
                advance(&mut above);
            }
        }
        positions.gaps.push(gap(&before, &[]));
        positions
    }

    /// Where an edit is: the token that goes, or what a gap is beside.
    pub fn of(&self, edit: Edit) -> &[TreePosition] {
        match edit.goes() {
            Some(at) => self.tokens.get(at).map_or(&[], std::slice::from_ref),
            None => self.gaps.get(edit.at()).map_or(&[], |gap| &gap.beside),
        }
    }
}

fn advance(above: &mut [Above]) {
    if let Some((_, _, at)) = above.last_mut() {
        *at += 1;
    }
}

/// Between a token and the next, by the rules above both.
fn gap(left: &[Above], right: &[Above]) -> Gap {
    let n_common = left.iter().zip(right).take_while(|(one, other)| one.0 == other.0).count();
    let common = n_common.checked_sub(1).map(|last| &right[last]);
    let between = common.map(|&(_, rule, at)| TreePosition::Between { rule, at });
    let behind = left[n_common..].iter().rev().take(N_BESIDE).map(|&(_, rule, _)| TreePosition::Behind { rule });
    let before = right[n_common..].iter().rev().take(N_BESIDE).map(|&(_, rule, _)| TreePosition::Before { rule });
    let is_own = left.len() == n_common || right.len() == n_common;
    Gap { between, beside: between.filter(|_| is_own).into_iter().chain(behind).chain(before).collect() }
}
