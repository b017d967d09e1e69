//! One question to a path: can these conditions be true on it as well?

use std::collections::BTreeMap;

use gimlet_expr::{Dag, ExprId};

use crate::byte_set::ByteSet;
use crate::literal::{conjuncts, Literal};
use crate::path::{Path, PathSlice};
use crate::strides;

/// A question, and what layers found out about it so far.
#[derive(Debug, Default)]
pub struct Question {
    /// As asked, for validation.
    pub conditions: Vec<ExprId>,
    /// All literals.
    pub literals: Vec<Literal>,
    /// Those that the domains don't decide.
    pub open: Vec<Literal>,
    /// Domains of the bytes that are mentioned and not fixed, narrowed by the literals about one byte.
    pub domains: BTreeMap<u32, ByteSet>,
    is_narrowed: bool,
    /// What of the path matters for it, once that is known.
    pub slice: PathSlice,
    /// Why it is unsatisfiable, if that takes less than all of the slice.
    pub refutation: Option<Refutation>,
}

/// Literals of a question and its slice that contradict each other in these domains.
#[derive(Debug)]
pub struct Refutation {
    pub literals: Vec<Literal>,
    pub domains: Vec<(u32, ByteSet)>,
}

impl Question {
    /// The question as it is asked: the alternative, and conditions of the path that its hint violates.
    pub fn new(path: &Path, alternative: ExprId) -> Question {
        let mut conditions = path.violated.clone();
        conditions.push(alternative);
        let literals: Vec<Literal> = conditions.iter().map(|&condition| Literal::truth(condition, true)).collect();
        Question { conditions, literals, ..Question::default() }
    }

    /// Takes the conditions apart; false if one of them is never true.
    pub fn take_apart(&mut self, dag: &Dag) -> bool {
        self.literals.clear();
        self.conditions.iter().all(|&condition| match conjuncts(dag, condition) {
            None => false,
            Some(literals) => {
                self.literals.extend(literals);
                true
            }
        })
    }

    /// Whether the path denies a literal in so many words, or fixes all bytes of one that is false.
    pub fn is_contradicted(&self, dag: &Dag, path: &mut Path) -> bool {
        self.literals.iter().any(|literal| path.contradicts(dag, literal) || is_refuted(dag, path, literal))
    }

    /// Fills in what [`Question::narrow`] did not: every byte has a domain, and if nothing was
    /// narrowed, all literals are open.
    pub fn collect_bytes(&mut self, dag: &Dag, path: &mut Path) {
        if !self.is_narrowed {
            self.open = self.literals.clone();
        }
        for literal in &self.literals {
            for byte in path.free_bytes(dag, literal.expr) {
                let domain = path.domain(byte);
                self.domains.entry(byte).or_insert(domain);
            }
        }
    }

    /// Narrows domains; whether any is empty.
    pub fn narrow(&mut self, dag: &Dag, path: &mut Path) -> bool {
        self.is_narrowed = true;
        for literal in &self.literals {
            let bytes = path.free_bytes(dag, literal.expr);
            let holding = match *bytes {
                [byte] => {
                    let domain = self.domain(path, byte);
                    path.known_holding(dag, literal, byte, &domain).map(|holding| (byte, holding))
                }
                _ => None,
            };
            let Some((byte, holding)) = holding else {
                self.open.push(*literal);
                continue;
            };
            let domain = self.domains.entry(byte).or_insert_with(|| path.domain(byte));
            *domain = *domain & holding.possible;
            if domain.is_empty() {
                return true;
            }
            if !domain.is_subset(&holding.certain) {
                self.open.push(*literal);
            }
        }
        false
    }

    /// Whether one of the open literals is false whatever values bytes have in their domains.
    pub fn is_ruled_out(&self, dag: &Dag, path: &Path) -> bool {
        let mut domain = |byte: u32| self.domain(path, byte);
        self.open.iter().any(|literal| strides::is_ruled_out(dag, literal, &mut domain))
    }

    pub fn domain(&self, path: &Path, byte: u32) -> ByteSet {
        self.domains.get(&byte).copied().unwrap_or_else(|| path.domain(byte))
    }
}

/// Whether a literal about fixed bytes only is false, whatever memory holds.
fn is_refuted(dag: &Dag, path: &mut Path, literal: &Literal) -> bool {
    if literal.holds_for(path.value_on_hint(dag, literal.expr)) || !path.free_bytes(dag, literal.expr).is_empty() {
        return false;
    }
    let compiled = path.compiled(dag, literal.expr);
    compiled.is_some_and(|compiled| compiled.on_hint.last().is_some_and(|last| !last.is_outside))
}
