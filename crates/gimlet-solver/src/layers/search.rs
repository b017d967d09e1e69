//! Changes of one byte, of two, and a bounded sweep over the bytes of a slice.

use gimlet_expr::Dag;

use super::domains::N_DOMAIN_BYTES_MAX;
use super::Procedure;
use crate::byte_set::ByteSet;
use crate::context::Context;
use crate::literal::Literal;
use crate::path::{Path, PathSlice};
use crate::query::{Answer, Model};
use crate::question::Question;
use crate::sweep::Effort;

/// Bytes that are tried one by one with all their values.
const N_REPAIRED_MAX: usize = 64;

#[derive(Debug)]
pub struct Search;

impl Procedure for Search {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        if let Some(model) = repair(dag, &mut context.path, question) {
            return Some(Answer::Sat(model));
        }
        let (budget, n_bytes_max) = (context.config.search_budget, context.config.n_search_bytes_max);
        let (n_bytes, n_slice_bytes) = (question.domains.len(), question.slice.bytes.len());
        if n_bytes > N_DOMAIN_BYTES_MAX && n_bytes <= n_bytes_max && n_bytes < n_slice_bytes {
            let answer = context.sweep_near(dag, question, budget);
            if answer.is_some() {
                return answer;
            }
        }
        if n_slice_bytes > n_bytes_max {
            return None;
        }
        let answer = context.sweep(dag, question, &question.slice, Effort::within(budget));
        answer.or_else(|| repair_two(dag, context, question))
    }
}

/// The bytes of the question that can't keep the hint's value.
fn forced(path: &Path, question: &Question) -> Vec<u32> {
    let must_change = |&(&byte, domain): &(&u32, &ByteSet)| !domain.contains(path.hint_at(byte));
    question.domains.iter().filter(must_change).map(|(&byte, _)| byte).collect()
}

/// A model that changes one byte.
fn repair(dag: &Dag, path: &mut Path, question: &Question) -> Option<Model> {
    let candidates: Vec<u32> = match *forced(path, question) {
        [] => question.domains.keys().copied().take(N_REPAIRED_MAX).collect(),
        [byte] => vec![byte],
        _ => return None,
    };
    candidates.into_iter().find_map(|byte| {
        let mut domain = question.domain(path, byte);
        domain.remove(path.hint_at(byte));
        let mentions = |literal: &Literal, path: &mut Path| path.mentions(dag, literal.expr, byte);
        let mut literals = question.open.clone();
        // A literal of the question that is false now and doesn't mention the byte stays false.
        if literals
            .iter()
            .any(|literal| !mentions(literal, path) && !literal.holds_for(path.value_on_hint(dag, literal.expr)))
        {
            return None;
        }
        literals.retain(|literal| mentions(literal, path));
        literals.extend(path.adjacent(dag, byte).into_iter().map(|index| path.literal(index).literal));
        for literal in literals {
            domain = path.holding(dag, &literal, byte, &domain)?.certain;
            if domain.is_empty() {
                return None;
            }
        }
        let value = domain.prefer(path.hint_at(byte))?;
        Some([(byte, value)].into_iter().collect())
    })
}

/// A model that changes two bytes: sums that must come out are often two bytes away.
fn repair_two(dag: &Dag, context: &mut Context, question: &Question) -> Option<Answer> {
    let forced = forced(&context.path, question);
    let is_unlike = |byte: &&u32| question.domain(&context.path, **byte).len() > 1;
    let bytes: Vec<u32> = question.slice.bytes.iter().filter(is_unlike).copied().collect();
    // Bytes that are far apart weigh differently in most sums.
    let pairs = (1..bytes.len()).rev().flat_map(|distance| (distance..bytes.len()).map(move |at| (at - distance, at)));
    let pairs = pairs.map(|(left, right)| [bytes[left], bytes[right]]);
    let pairs = pairs.filter(|pair| forced.iter().all(|byte| pair.contains(byte)));
    for pair in pairs.take(context.config.n_pairs_max) {
        if context.is_late() {
            return None;
        }
        let path = &mut context.path;
        let mentions = |index: &u32| {
            let expr = path.literal(*index).literal.expr;
            pair.iter().any(|&byte| path.mentions(dag, expr, byte))
        };
        let literals = question.slice.literals.iter().copied().filter(mentions).collect();
        let near = PathSlice { bytes: pair.to_vec(), literals };
        let effort = Effort::within(context.config.domain_budget);
        if let Some(Answer::Sat(model)) = context.sweep(dag, question, &near, effort) {
            return Some(Answer::Sat(model));
        }
    }
    None
}
